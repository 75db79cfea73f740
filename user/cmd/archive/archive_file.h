/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An archive of binaries in the layout of perf's cache, so that it can be unpacked there: by
 * ktrace, by tar, by whoever reads tar files.
 */
#ifndef KTRACE_CMD_ARCHIVE_ARCHIVE_FILE_H
#define KTRACE_CMD_ARCHIVE_ARCHIVE_FILE_H

#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/binary_files.h"

struct archive_file;

/*
 * Begin an archive.  The end of @path says how it is compressed: .tar, .tar.bz2, .tar.gz,
 * .tar.xz or .tar.zst.  It gets its name when it is complete.
 */
struct error *archive_file_create(const char *path, struct archive_file **ret);

/* Drop it; the file exists only after archive_file_finish(). */
void archive_file_destroy(struct archive_file *file);
DEFINE_CLEANUP_PTR(archive_file, struct archive_file, archive_file_destroy)

/* Add a binary: its files, and the link by which its build id is found. */
struct error *archive_file_add_binary(struct archive_file *file, const char *name,
				      const struct build_id *id,
				      const struct binary_files *files);

/* Add the regular file @path under the name @name. */
struct error *archive_file_add(struct archive_file *file, const char *name, const char *path);

struct error *archive_file_finish(struct archive_file *file);

/* What archive_file_unpack() unpacked. */
struct archive_contents {
	size_t binaries, recordings;	/* also binaries that the cache has already */
};

/*
 * Unpack an archive: binaries into the folder @cache, which is made if it is missing, and its
 * recording into the current folder, where it replaces nothing.  Entries that would leave these
 * folders are refused; what is beside the recording is left out, with a warning.
 */
struct error *archive_file_unpack(const char *path, const char *cache,
				  struct archive_contents *ret);

#endif
