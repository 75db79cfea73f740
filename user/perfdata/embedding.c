// SPDX-License-Identifier: GPL-2.0
#include "perfdata/embedding.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib/bytes.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "perfdata/extension.h"
#include "perfdata/layout.h"
#include "perfdata/own_sections.h"
#include "perfdata/reader.h"
#include "perfdata/reader_state.h"

/* The offset of struct perfdata_own_sections: behind the table of perf's features. */
static uint64_t own_sections_place(const struct reader *reader)
{
	const struct perfdata_header *header = &reader->file_header;
	uint64_t at = header->data.offset + header->data.size;

	for (size_t i = 0; i < FEATURE_WORDS; i++)
		at += __builtin_popcountll(header->features[i]) * sizeof(struct perfdata_section);
	return at;
}

static struct error *copy_extension(const struct reader *reader, struct strbuf *ret)
{
	const struct perfdata_section *section = &reader->sections[FEATURE_KTRACE];
	_cleanup_free_ char *data = malloc(section->size + 1);

	if (!data)
		return &error_no_memory;
	if (!section->offset)
		return NULL;
	if (fd_pread_all(reader->fd, data, section->size, section->offset) !=
	    (ssize_t)section->size)
		return error_new(EIO, "%s cannot be read", reader->name);
	extension_without_embedded(data, section->size, ret);
	return NULL;
}

static struct error *embedding_write(const char *path, int fd, const struct reader *reader,
				     const struct strbuf *extension)
{
	struct perfdata_section sections[FEATURES_MAX];
	_cleanup_(strbuf) struct strbuf own = STRBUF_INIT;
	struct perfdata_section *section = &sections[FEATURE_KTRACE];
	uint64_t size = reader->file_size;
	int code;

	memcpy(sections, reader->sections, sizeof(sections));
	section->offset = (size + 7) & ~7ULL;
	section->size = extension->len;
	own_sections_build(sections, false, &own);
	if (own.failed)
		return &error_no_memory;
	code = lseek(fd, section->offset, SEEK_SET) < 0 ? -errno :
		fd_write_all(fd, extension->data, extension->len);
	if (!code && pwrite(fd, own.data, own.len, own_sections_place(reader)) !=
	    (ssize_t)own.len)
		code = -errno;
	if (!code)
		return NULL;
	if (ftruncate(fd, size))
		return error_errno(-code, "%s cannot be written, and its earlier content cannot be "
				   "restored", path);
	return error_errno(-code, "%s cannot be written", path);
}

struct error *embedding_store(const char *path, const struct strbuf *packed)
{
	_cleanup_(strbuf) struct strbuf extension = STRBUF_INIT;
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_close_ int fd = -1;
	uint64_t magic = 0;
	struct error *err;

	err = reader_open(path, &reader);
	if (err)
		return err;
	if (reader->joined || reader->swapped || reader->header.is_pipe ||
	    fd_pread_all(reader->fd, &magic, sizeof(magic), own_sections_place(reader)) !=
	    sizeof(magic) || magic != PERFDATA_OWN_MAGIC)
		return error_hint(error_new(ENOTSUP, "Nothing can be embedded in %s, because "
					    "ktrace did not record it", path),
				  "'ktrace inject --embed -i %s -o FILE' writes a copy with the "
				  "embedded data", path);
	err = copy_extension(reader, &extension);
	if (err)
		return err;
	extension_add_embedded(packed->data, packed->len, &extension);
	if (extension.failed)
		return &error_no_memory;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "%s cannot be written", path);
	return embedding_write(path, fd, reader, &extension);
}
