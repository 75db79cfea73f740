/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An archive of binaries in the layout of perf's cache.  ktrace, tar and other programs that read
 * tar files can unpack it there.
 */
#ifndef KTRACE_CMD_ARCHIVE_ARCHIVE_FILE_H
#define KTRACE_CMD_ARCHIVE_ARCHIVE_FILE_H

#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/binary_files.h"

struct archive_file;

/*
 * Begin an archive.  The end of @path selects the compression: .tar, .tar.bz2, .tar.gz, .tar.xz or
 * .tar.zst.  The file gets its name when it is complete.
 */
struct error *archive_file_create(const char *path, struct archive_file **ret);

/* Drop it; the file exists only after archive_file_finish(). */
void archive_file_destroy(struct archive_file *file);
DEFINE_CLEANUP_PTR(archive_file, struct archive_file, archive_file_destroy)

/* Add a binary: its files, and the link that leads from its build id to them. */
struct error *archive_file_add_binary(struct archive_file *file, const char *name,
				      const struct build_id *id,
				      const struct binary_files *files);

/* Add the regular file @path under the name @name. */
struct error *archive_file_add(struct archive_file *file, const char *name, const char *path);

struct error *archive_file_finish(struct archive_file *file);

/* The result of archive_file_unpack(). */
struct archive_contents {
	size_t binaries, recordings;	/* binaries also counts files that the cache already has */
};

/*
 * Unpack an archive: binaries into the folder @cache, which is created if it is missing, and its
 * recording into the current folder, where it replaces nothing.  Entries with paths outside of
 * these folders are refused.  Other entries are left out, with a warning.
 */
struct error *archive_file_unpack(const char *path, const char *cache,
				  struct archive_contents *ret);

#endif
