// SPDX-License-Identifier: GPL-2.0
#include "symbol/debuginfod.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/plugin.h"
#include "symbol/elf/elf_file.h"
#include "terminal/progress.h"

#define KB	1000

/* A requested file. */
struct debuginfod_file {
	enum debuginfod_kind kind;
	struct build_id id;
	char *source;		/* of DEBUGINFOD_SOURCE; NULL: another kind; owned */
	char *path;		/* NULL: it cannot be had; owned */
};

struct debuginfod {
	debuginfod_request_fn request;
	const char *urls;
	bool stopped;		/* no more requests are made */
	ARRAY_OF(struct debuginfod_file) files;
};

static struct debuginfod the_client;
static volatile sig_atomic_t interrupted;
static bool line_shown;

static const char *kind_text(enum debuginfod_kind kind)
{
	static const char *const texts[] = {
		[DEBUGINFOD_DEBUG] = "debug information of",
		[DEBUGINFOD_BINARY] = "binary",
		[DEBUGINFOD_SOURCE] = "source",
	};

	return texts[kind];
}

struct error *debuginfod_begin_asking(const char *urls, struct debuginfod **ret)
{
	struct error *err;
	void *symbol;

	if (!urls || !strcmp(urls, "system"))
		urls = getenv("DEBUGINFOD_URLS");
	if (!urls || !urls[strspn(urls, " ")])
		return error_hint(error_new(EINVAL, "No debuginfod server is named, neither by "
					    "--debuginfod nor by $DEBUGINFOD_URLS"),
				  "--debuginfod=https://debuginfod.debian.net uses Debian's "
				  "server");
	err = plugin_find("debuginfod", "debuginfod_request", &symbol);
	if (err)
		return error_prefix(err, "Nothing can be fetched from debuginfod servers");
	the_client.request = (debuginfod_request_fn)symbol;
	/* The library reads them only from there. */
	if (setenv("DEBUGINFOD_URLS", urls, 1))
		return &error_no_memory;
	the_client.urls = urls;
	*ret = &the_client;
	return NULL;
}

static void take_interrupt(int signal)
{
	interrupted = 1;
}

static bool show_bytes(long done, long total)
{
	if (interrupted || log_quiet || !isatty(STDERR_FILENO))
		return interrupted;
	progress_hide();
	fprintf(stderr, total > 0 ? "\rFetching: %ld of %ld kB\033[K" : "\rFetching: %ld kB\033[K",
		done / KB, total / KB);
	line_shown = true;
	return false;
}

/* Returns the plugin's result, or -EINTR. */
static int fetch(const struct debuginfod *debuginfod, struct debuginfod_request *request)
{
	struct sigaction action = { .sa_handler = take_interrupt, .sa_flags = SA_RESTART }, before;
	int code;

	interrupted = 0;
	sigaction(SIGINT, NULL, &before);
	/* nohup and similar programs may have it ignored. */
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
	code = debuginfod->request(request);
	sigaction(SIGINT, &before, NULL);
	if (line_shown)
		fputs("\r\033[K", stderr);
	line_shown = false;
	/* It came when the download was complete, and is still meant for the command. */
	if (!code && interrupted)
		raise(SIGINT);
	return code && interrupted ? -EINTR : code;
}

static bool has_build_id(const char *path, const struct build_id *id)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct build_id own;

	return elf_file_open(&file, path) && elf_file_build_id(&file, &own) &&
	       build_id_equal(&own, id);
}

/* Report a file that was not in the cache; @is_used false: it is not the requested one. */
static void tell_fetched(const struct debuginfod *debuginfod,
			 const struct debuginfod_request *request, const char *name, bool is_used)
{
	const char *from = request->url ? request->url : debuginfod->urls;
	struct stat st;
	long long bytes = stat(request->path, &st) ? 0 : (long long)st.st_size;

	if (!is_used)
		log_warning("The %s %s, fetched from %s, %lld bytes, has another build id or none, "
			    "so it is not used", kind_text(request->kind), name, from, bytes);
	else if (request->url)
		log_notice("Fetched the %s %s from %s, %lld bytes", kind_text(request->kind), name,
			   from, bytes);
}

static void tell_failed(const struct debuginfod *debuginfod, int code,
			const struct debuginfod_request *request, const char *name)
{
	char id[BUILD_ID_TEXT];

	build_id_text(request->id, id);
	log_warning("The %s %s, build id %s, cannot be fetched from %s%s%s%s",
		    kind_text(request->kind), name, id, debuginfod->urls,
		    code == -ENOENT ? "" : ": ",
		    code == -ENOENT ? "" : code == -ETIME ? "it takes too long" : strerror(-code),
		    debuginfod->stopped ? "; nothing more is fetched" : "");
}

static bool is_unreachable(int code)
{
	return code == -EINTR || code == -ETIME || code == -ECONNREFUSED ||
	       code == -EHOSTUNREACH || code == -ENOSYS;
}

static char *ask_servers(struct debuginfod *debuginfod, enum debuginfod_kind kind,
		 const struct build_id *id, const char *name)
{
	struct debuginfod_request request = {
		.kind = kind, .id = id, .source = name, .advance = show_bytes,
	};
	int code = fetch(debuginfod, &request);
	bool is_used;

	if (code) {
		debuginfod->stopped = is_unreachable(code);
		tell_failed(debuginfod, code, &request, name);
		if (code == -EINTR)
			raise(SIGINT);
		return NULL;
	}
	is_used = kind == DEBUGINFOD_SOURCE || has_build_id(request.path, id);
	tell_fetched(debuginfod, &request, name, is_used);
	if (!is_used) {
		/* Otherwise the cache would provide it the next time. */
		unlink(request.path);
		free(request.path);
		request.path = NULL;
	}
	free(request.url);
	return request.path;
}

static const struct debuginfod_file *known_file(const struct debuginfod *debuginfod,
						enum debuginfod_kind kind,
						const struct build_id *id, const char *name)
{
	for (size_t i = 0; i < debuginfod->files.nr; i++) {
		const struct debuginfod_file *file = &debuginfod->files.items[i];

		if (file->kind == kind && build_id_equal(&file->id, id) &&
		    (!file->source || !strcmp(file->source, name)))
			return file;
	}
	return NULL;
}

/* NULL: out of memory, or no more requests are made. */
static const struct debuginfod_file *new_file(struct debuginfod *debuginfod,
					      enum debuginfod_kind kind,
					      const struct build_id *id, const char *name)
{
	struct debuginfod_file file = { .kind = kind, .id = *id };

	if (debuginfod->stopped)
		return NULL;
	if (kind == DEBUGINFOD_SOURCE) {
		file.source = strdup(name);
		if (!file.source)
			return NULL;
	}
	file.path = ask_servers(debuginfod, kind, id, name);
	if (array_push(&debuginfod->files, file))
		return &debuginfod->files.items[debuginfod->files.nr - 1];
	free(file.source);
	free(file.path);
	return NULL;
}

bool debuginfod_find(struct debuginfod *debuginfod, enum debuginfod_kind kind,
		     const struct build_id *id, const char *name, struct strbuf *ret)
{
	const struct debuginfod_file *file;

	if (!debuginfod || !id->size)
		return false;
	file = known_file(debuginfod, kind, id, name);
	if (!file)
		file = new_file(debuginfod, kind, id, name);
	strbuf_reset(ret);
	if (file && file->path)
		strbuf_addstr(ret, file->path);
	return file && file->path && !ret->failed;
}
