// SPDX-License-Identifier: GPL-2.0
#include "symbol/source_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/strbuf.h"

/* Larger files are not source. */
#define SOURCE_MAX	(16 << 20)

struct source_file {
	char *path;	/* the requested path */
	uid_t reader;
	char *text;	/* with a NUL behind each line; NULL: not here */
	time_t changed;
	ARRAY_OF(const char *) lines;
};

struct source_texts {
	const char *prefix;
	unsigned int strip;
	ARRAY_OF(struct source_file) files;
	size_t last;		/* the file of the last request */
};

struct error *source_texts_create(const char *prefix, unsigned int strip,
				  struct source_texts **ret)
{
	struct source_texts *texts = calloc(1, sizeof(*texts));

	if (!texts)
		return &error_no_memory;
	texts->prefix = prefix;
	texts->strip = strip;
	*ret = texts;
	return NULL;
}

void source_texts_destroy(struct source_texts *texts)
{
	if (!texts)
		return;
	for (size_t i = 0; i < texts->files.nr; i++) {
		free(texts->files.items[i].path);
		free(texts->files.items[i].text);
		free(texts->files.items[i].lines.items);
	}
	free(texts->files.items);
	free(texts);
}

static void make_source_path(const struct source_texts *texts, const char *path,
			     struct strbuf *ret)
{
	if (texts->prefix && *path == '/') {
		for (unsigned int i = 0; i < texts->strip; i++) {
			const char *next = strchr(path + 1, '/');

			if (!next)
				break;
			path = next;
		}
		strbuf_addstr(ret, texts->prefix);
	}
	strbuf_addstr(ret, path);
}

/* Split the text into lines; without memory for all of them it has fewer. */
static void split_lines(struct source_file *file)
{
	char *rest = file->text, *line;

	while ((line = strsep(&rest, "\n"))) {
		size_t len = strlen(line);

		if (len && line[len - 1] == '\r')
			line[len - 1] = '\0';
		if (!array_push(&file->lines, line))
			return;
	}
}

/* @what: the permission bits of others, S_IROTH or S_IXOTH.  Permissions of groups are ignored. */
static bool is_allowed(const struct stat *st, uid_t uid, mode_t what)
{
	return st->st_mode & (st->st_uid == uid ? what << 6 : what);
}

/* Whether @uid could have opened the file, which is in folders that he may search. */
static bool is_readable_by(int fd, const struct stat *st, uid_t uid)
{
	char link[32], path[PATH_MAX];
	struct stat folder;
	ssize_t len;

	if (!uid || uid == geteuid())
		return true;
	/* The path of the open file has no links that could have led elsewhere before. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0 || *path != '/' || !is_allowed(st, uid, S_IROTH))
		return false;
	path[len] = '\0';
	for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
		slash[slash == path] = '\0';
		if (stat(path, &folder) || !is_allowed(&folder, uid, S_IXOTH))
			return false;
		*slash = '\0';
	}
	return true;
}

static void read_source(struct source_file *file, const char *path, uid_t reader)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	ssize_t len;

	fd = file_open_regular(path, 0, &st);
	if (fd < 0 || st.st_size > SOURCE_MAX)
		return;
	if (!is_readable_by(fd, &st, reader)) {
		log_warning("%s is not shown as source: the owner of the program whose debug "
			    "information names it may not read it.", path);
		return;
	}
	file->text = malloc(st.st_size + 1);
	len = file->text ? fd_pread_all(fd, file->text, st.st_size, 0) : -1;
	if (len < 0) {
		free(file->text);
		file->text = NULL;
		return;
	}
	file->text[len] = '\0';
	file->changed = st.st_mtime;
	split_lines(file);
}

static bool is_source(const struct source_file *file, const char *path, uid_t reader)
{
	return file->reader == reader && !strcmp(file->path, path);
}

/* NULL: out of memory. */
static struct source_file *find_source(struct source_texts *texts, const char *path, uid_t reader)
{
	_cleanup_(strbuf) struct strbuf where = STRBUF_INIT;
	struct source_file new = { .reader = reader };

	if (texts->last < texts->files.nr &&
	    is_source(&texts->files.items[texts->last], path, reader))
		return &texts->files.items[texts->last];
	for (texts->last = 0; texts->last < texts->files.nr; texts->last++)
		if (is_source(&texts->files.items[texts->last], path, reader))
			return &texts->files.items[texts->last];
	new.path = strdup(path);
	if (!new.path || !array_push(&texts->files, new)) {
		free(new.path);
		return NULL;
	}
	make_source_path(texts, path, &where);
	if (!where.failed)
		read_source(&texts->files.items[texts->last], strbuf_str(&where), reader);
	return &texts->files.items[texts->last];
}

const char *source_texts_line(struct source_texts *texts, const char *path, unsigned int line,
			      uid_t reader)
{
	const struct source_file *file = find_source(texts, path, reader);

	return file && line && line <= file->lines.nr ? file->lines.items[line - 1] : NULL;
}

bool source_texts_has(struct source_texts *texts, const char *path, uid_t reader)
{
	const struct source_file *file = find_source(texts, path, reader);

	return file && file->text;
}

void source_texts_take(struct source_texts *texts, const char *path, uid_t reader,
		       const char *copy)
{
	struct source_file *file = find_source(texts, path, reader);

	if (!file || file->text)
		return;
	/* The copy is ours. */
	read_source(file, copy, geteuid());
	file->changed = 0;
}

time_t source_texts_time(struct source_texts *texts, const char *path, uid_t reader)
{
	const struct source_file *file = find_source(texts, path, reader);

	return file ? file->changed : 0;
}
