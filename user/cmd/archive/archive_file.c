// SPDX-License-Identifier: GPL-2.0
#include "cmd/archive/archive_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "symbol/binary_cache.h"

#define BLOCK_BYTES	(1 << 16)

struct archive_file {
	struct archive *archive;
	struct new_file out;
	const char *path;	/* borrowed */
	bool failed;		/* writing has failed: the rest would fail, too */
};

static struct error *writing_failed(struct archive_file *file)
{
	int code = archive_errno(file->archive);
	const char *why = archive_error_string(file->archive);

	file->failed = true;
	return error_new(code > 0 ? code : EIO, "%s cannot be written: %s", file->path,
			 why ? why : "libarchive gives no reason");
}

/* Choose the compression by the end of the path; "": none, NULL: no archive ends so. */
static const char *choose_filter(const char *path)
{
	static const struct { const char *end, *filter; } filters[] = {
		{ ".tar.bz2", "bzip2" }, { ".tar.gz", "gzip" }, { ".tgz", "gzip" },
		{ ".tar.xz", "xz" }, { ".tar.zst", "zstd" }, { ".tar", "" },
	};
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		size_t end = strlen(filters[i].end);

		if (len > end && !strcmp(path + len - end, filters[i].end))
			return filters[i].filter;
	}
	return NULL;
}

struct error *archive_file_create(const char *path, struct archive_file **ret)
{
	_cleanup_(archive_file) struct archive_file *file = calloc(1, sizeof(*file));
	const char *filter = choose_filter(path);
	struct error *err;

	if (!file)
		return &error_no_memory;
	file->out = (struct new_file)NEW_FILE_INIT;
	file->path = path;
	if (!filter)
		return error_hint(error_new(EINVAL, "The name %s has no ending of a known archive "
					    "format",
					    path),
				  "It can end in .tar, .tar.bz2, .tar.gz, .tar.xz or .tar.zst");
	file->archive = archive_write_new();
	if (!file->archive)
		return &error_no_memory;
	err = new_file_create_unnamed(&file->out, path);
	if (err)
		return err;
	if ((*filter && archive_write_add_filter_by_name(file->archive, filter) < ARCHIVE_WARN) ||
	    archive_write_set_format_pax_restricted(file->archive) != ARCHIVE_OK ||
	    archive_write_open_fd(file->archive, file->out.fd) != ARCHIVE_OK)
		return writing_failed(file);
	*ret = take_ptr(file);
	return NULL;
}

void archive_file_destroy(struct archive_file *file)
{
	if (!file)
		return;
	if (file->archive) {
		archive_write_fail(file->archive);
		archive_write_free(file->archive);
	}
	new_file_deinit(&file->out);
	free(file);
}

/* Write the head of an entry; @size is that of a file, @target that of a link or NULL. */
static struct error *archive_add_entry(struct archive_file *file, const char *name,
				       const char *target, int64_t size)
{
	struct archive_entry *entry = archive_entry_new();
	struct error *err = NULL;

	if (!entry)
		return &error_no_memory;
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, target ? AE_IFLNK : AE_IFREG);
	archive_entry_set_perm(entry, target ? 0777 : 0644);
	archive_entry_set_size(entry, size);
	if (target)
		archive_entry_set_symlink(entry, target);
	if (archive_write_header(file->archive, entry) < ARCHIVE_WARN)
		err = writing_failed(file);
	archive_entry_free(entry);
	return err;
}

static struct error *archive_add_bytes(struct archive_file *file, const void *bytes, size_t size)
{
	return archive_write_data(file->archive, bytes, size) < 0 ? writing_failed(file) : NULL;
}

/* Read a file whose size the kernel does not report, as in /proc, into a temporary one. */
static struct error *copy_unsized(int *fd, const char *path)
{
	_cleanup_free_ char *text = NULL;
	struct error *err;
	int failed;
	size_t len;

	err = file_read(path, &text, &len);
	if (err)
		return err;
	close(*fd);
	*fd = memfd_create("ktrace-archive", MFD_CLOEXEC);
	if (*fd < 0)
		return error_errno(errno, "There is no room for a copy of %s", path);
	failed = fd_write_all(*fd, text, len);
	if (failed || lseek(*fd, 0, SEEK_SET))
		return error_errno(failed ? -failed : errno, "%s cannot be copied", path);
	return NULL;
}

/* The size in the entry's head holds: a file that was cut meanwhile is an error. */
static struct error *archive_add_open_file(struct archive_file *file, int fd,
					   const char *path, int64_t size)
{
	_cleanup_free_ char *block = malloc(BLOCK_BYTES);
	struct error *err = NULL;

	if (!block)
		return &error_no_memory;
	while (size > 0 && !err) {
		size_t want = size < BLOCK_BYTES ? size : BLOCK_BYTES;
		ssize_t got = fd_read_all(fd, block, want);

		if (got < 0)
			return error_errno(-got, "%s cannot be read", path);
		if (!got)
			return error_new(EIO, "%s was cut while it was read", path);
		err = archive_add_bytes(file, block, got);
		size -= got;
	}
	return err;
}

struct error *archive_file_add(struct archive_file *file, const char *name, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct error *err = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return error_errno(errno, "%s cannot be read", path);
	if (!S_ISREG(st.st_mode))
		return error_new(EINVAL, "%s is no regular file", path);
	if (!st.st_size) {
		err = copy_unsized(&fd, path);
		if (!err && fstat(fd, &st))
			err = error_errno(errno, "%s cannot be read", path);
	}
	if (!err)
		err = archive_add_entry(file, name, NULL, st.st_size);
	return err ? err : archive_add_open_file(file, fd, path, st.st_size);
}

struct error *archive_file_add_binary(struct archive_file *file, const char *name,
				      const struct build_id *id,
				      const struct binary_files *files)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT, path = STRBUF_INIT;
	struct error *err = NULL;

	if (!binary_cache_add_path(name, id, &folder))
		return NULL;
	for (size_t i = 0; i < files->nr && !err; i++) {
		const struct binary_file *part = &files->items[i];

		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", strbuf_str(&folder), part->name);
		if (path.failed)
			return &error_no_memory;
		if (part->path) {
			err = archive_file_add(file, path.data, part->path);
			continue;
		}
		err = archive_add_entry(file, path.data, NULL, part->size);
		if (!err)
			err = archive_add_bytes(file, part->image, part->size);
	}
	if (err)
		return err;
	strbuf_reset(&path);
	binary_cache_add_link(id, &path);
	strbuf_reset(&folder);
	strbuf_addstr(&folder, "../../");
	binary_cache_add_path(name, id, &folder);
	if (path.failed || folder.failed)
		return &error_no_memory;
	return archive_add_entry(file, path.data, folder.data, 0);
}

struct error *archive_file_finish(struct archive_file *file)
{
	if (archive_write_close(file->archive) != ARCHIVE_OK)
		return writing_failed(file);
	return new_file_commit(&file->out);
}

/*
 * Whether an entry belongs to the cache.  The paths of its files have folders, recordings have
 * none.
 */
static bool is_of_cache(const char *name)
{
	return strchr(name, '/') != NULL;
}

/* Put an entry where it belongs: below @cache, or into the current folder. */
static struct error *place_entry(struct archive_entry *entry, const char *cache,
				 struct archive_contents *ret)
{
	const char *name = archive_entry_pathname(entry);
	_cleanup_(strbuf) struct strbuf target = STRBUF_INIT;

	while (name && !strncmp(name, "./", 2))
		name += 2;
	if (!name || !*name)
		return error_new(EBADMSG, "the archive has an entry without a name");
	if (!is_of_cache(name)) {
		archive_entry_copy_pathname(entry, name);
		return NULL;
	}
	if (*name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../"))
		return error_new(EBADMSG, "the entry '%s' would be written outside of the cache",
				 name);
	ret->binaries += archive_entry_filetype(entry) == AE_IFREG &&
			 strcmp(strrchr(name, '/'), "/debug") != 0 &&
			 strcmp(strrchr(name, '/'), "/probes") != 0;
	strbuf_addf(&target, "%s/%s", cache, name);
	if (target.failed)
		return &error_no_memory;
	archive_entry_copy_pathname(entry, target.data);
	return NULL;
}

/*
 * The current folder is the user's, so only one recording is unpacked there, under a name that ls
 * shows.  *ret: its first bytes, which were already read.
 */
static bool is_recording(struct archive *from, struct archive_entry *entry,
			 const struct archive_contents *contents, const void **ret,
			 size_t *ret_size)
{
	int64_t offset;

	return !contents->recordings && archive_entry_filetype(entry) == AE_IFREG &&
	       *archive_entry_pathname(entry) != '.' &&
	       archive_read_data_block(from, ret, ret_size, &offset) == ARCHIVE_OK && !offset &&
	       bytes_are_recording(*ret, *ret_size);
}

/* Copy the bytes of an entry. */
static int copy_entry(struct archive *from, struct archive *to)
{
	const void *block;
	int64_t offset;
	size_t size;
	int status;

	while ((status = archive_read_data_block(from, &block, &size, &offset)) == ARCHIVE_OK)
		if (archive_write_data_block(to, block, size, offset) < 0)
			return ARCHIVE_FATAL;
	return status == ARCHIVE_EOF ? ARCHIVE_OK : status;
}

static struct error *unpack_entry(struct archive *from, struct archive *to,
				  struct archive_entry *entry, const char *cache,
				  struct archive_contents *ret)
{
	mode_t type = archive_entry_filetype(entry);
	const void *first = NULL;
	struct error *err;
	size_t size = 0;

	if (type == AE_IFDIR)
		return NULL;
	if ((type != AE_IFREG && type != AE_IFLNK) || archive_entry_hardlink(entry))
		return error_new(EBADMSG, "'%s' is neither a file nor a symbolic link",
				 archive_entry_pathname(entry));
	err = place_entry(entry, cache, ret);
	if (err)
		return err;
	if (!is_of_cache(archive_entry_pathname(entry))) {
		if (!is_recording(from, entry, ret, &first, &size)) {
			log_warning("%s is left out: beside binaries, an archive has one recording",
				    archive_entry_pathname(entry));
			return NULL;
		}
		if (!access(archive_entry_pathname(entry), F_OK))
			return error_hint(error_new(EEXIST, "%s exists already",
						    archive_entry_pathname(entry)),
					  "Move it away, or unpack in another folder");
		ret->recordings++;
	} else if (!faccessat(AT_FDCWD, archive_entry_pathname(entry), F_OK, AT_SYMLINK_NOFOLLOW)) {
		/* Files that the cache already has are kept. */
		return NULL;
	}
	archive_entry_set_perm(entry, 0644);
	if (archive_write_header(to, entry) < ARCHIVE_WARN)
		return error_new(EIO, "%s", archive_error_string(to));
	if ((size && archive_write_data_block(to, first, size, 0) < 0) ||
	    copy_entry(from, to) != ARCHIVE_OK || archive_write_finish_entry(to) < ARCHIVE_WARN)
		return error_new(EIO, "%s", archive_error_string(archive_errno(to) ? to : from));
	return NULL;
}

struct error *archive_file_unpack(const char *path, const char *cache,
				  struct archive_contents *ret)
{
	struct archive *from = archive_read_new(), *to = archive_write_disk_new();
	struct archive_entry *entry;
	struct error *err = NULL;
	int status = ARCHIVE_EOF;

	*ret = (struct archive_contents){ 0, 0 };
	if (!from || !to) {
		err = &error_no_memory;
	} else {
		archive_read_support_filter_all(from);
		archive_read_support_format_tar(from);
		/* No link of an archive may lead its other entries elsewhere. */
		archive_write_disk_set_options(to, ARCHIVE_EXTRACT_SECURE_NODOTDOT |
					       ARCHIVE_EXTRACT_SECURE_SYMLINKS);
		if (archive_read_open_filename(from, path, BLOCK_BYTES) != ARCHIVE_OK)
			err = error_new(EBADMSG, "%s", archive_error_string(from));
	}
	while (!err && (status = archive_read_next_header(from, &entry)) >= ARCHIVE_WARN &&
	       status != ARCHIVE_EOF)
		err = unpack_entry(from, to, entry, cache, ret);
	if (!err && status != ARCHIVE_EOF)
		err = error_new(EBADMSG, "%s", archive_error_string(from));
	if (to)
		archive_write_free(to);
	if (from)
		archive_read_free(from);
	return err ? error_prefix(err, "%s cannot be unpacked", path) : NULL;
}
