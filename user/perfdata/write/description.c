// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/description.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/file.h"
#include "perfdata/binaries.h"
#include "perfdata/own_sections.h"
#include "perfdata/reader_state.h"
#include "record/record.h"

static struct error *description_read(const void *data, size_t size, struct reader **ret)
{
	_cleanup_close_ int fd = memfd_create("description", MFD_CLOEXEC);
	int code = fd < 0 ? -errno : fd_write_all(fd, data, size);
	struct error *err;
	char path[32];

	if (code)
		return error_errno(-code, "Cannot keep the description of a recording");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = reader_open(path, ret);
	if (!err)
		err = reader_read_header(*ret);
	if (!err)
		err = reader_take_failure(*ret);
	return !err && !reader_events(*ret)->nr ? error_new(EBADMSG, "it has no events") : err;
}

/*
 * Keep the contents of features; the reader has accepted their records.  Build ids are left to the
 * callers, which copy the records.
 */
static struct error *keep_features(const char *p, const char *end, struct description *ret)
{
	const struct perfdata_pipe_header *start = (const void *)p;

	for (p += start->size; (size_t)(end - p) >= sizeof(struct perf_event_header); ) {
		struct perf_event_header header;
		const char *body = p + sizeof(header);
		struct strbuf *to = NULL;
		uint64_t number, size;

		/* After a size that is damaged, records are not aligned. */
		memcpy(&header, p, sizeof(header));
		if (header.size < sizeof(header) || header.size > end - p)
			break;
		p += header.size;
		if (p - body < (ptrdiff_t)sizeof(number))
			continue;
		memcpy(&number, body, sizeof(number));
		body += sizeof(number);
		size = p - body;
		if (header.type == RECORD_TRACING_DATA) {
			/* Its data follows the record. */
			body = p;
			size = (uint32_t)number;
			if (size > (uint64_t)(end - p))
				break;
			p += size;
			to = &ret->features[FEATURE_TRACING_DATA];
		} else if (header.type == RECORD_HEADER_FEATURE && number < FEATURES_MAX) {
			to = &ret->features[number];
		}
		if (!to)
			continue;
		strbuf_reset(to);
		strbuf_add(to, body, size);
		if (to->failed)
			return &error_no_memory;
	}
	return NULL;
}

/* The reader starts behind the description, so its build ids are added to the features here. */
static struct error *keep_build_ids(const struct header *header, struct description *ret)
{
	struct strbuf *to = &ret->features[FEATURE_BUILD_ID];

	for (size_t i = 0; i < header->build_ids.nr; i++) {
		const struct header_build_id *told = &header->build_ids.items[i];

		binaries_add_entry(told->name, told->of_kernel ? PERF_RECORD_MISC_KERNEL :
				   PERF_RECORD_MISC_USER, &told->id, to);
	}
	return to->failed ? &error_no_memory : NULL;
}

struct error *description_parse(const void *data, size_t size, struct description *ret)
{
	struct error *err;

	*ret = (struct description){ 0 };
	err = description_read(data, size, &ret->reader);
	if (!err)
		err = keep_features(data, (const char *)data + size, ret);
	return err ? err : keep_build_ids(reader_header(ret->reader), ret);
}

static struct error *keep_pipe(struct reader *reader, struct description *ret)
{
	struct error *err = reader_read_header(reader);
	char *data;

	if (err)
		return err;
	data = mmap(NULL, reader->file_size, PROT_READ, MAP_PRIVATE, reader->fd, 0);
	if (data == MAP_FAILED)
		return error_errno(errno, "Cannot read %s", reader->name);
	err = keep_features(data, data + reader->file_size, ret);
	munmap(data, reader->file_size);
	return err;
}

static struct error *keep_section(const struct reader *reader,
				  const struct perfdata_section *section, struct strbuf *to)
{
	ssize_t n;

	if (section->offset > reader->file_size ||
	    section->size > reader->file_size - section->offset)
		return reader_damaged(reader, "a part of its header is outside the file");
	if (!strbuf_reserve(to, section->size))
		return &error_no_memory;
	n = fd_pread_all(reader->fd, to->data, section->size, section->offset);
	if (n < 0)
		return error_errno(-n, "Cannot read %s", reader->name);
	to->len = n;
	return NULL;
}

struct error *description_of(struct reader *reader, struct description *ret)
{
	struct error *err = NULL;

	*ret = (struct description){ .reader = reader };
	if (reader->joined || reader->input.parts.nr)
		return error_new(ENOTSUP, "%s is no single file", reader->name);
	if (reader->swapped)
		return error_new(ENOTSUP, "%s was recorded in the other byte order", reader->name);
	if (!reader->file_size)
		return error_new(ESPIPE, "%s cannot be read twice", reader->name);
	if (reader->header.is_pipe)
		err = keep_pipe(reader, ret);
	for (unsigned int bit = 0; !reader->header.is_pipe && bit < FEATURES_MAX && !err; bit++)
		if (reader->sections[bit].offset && !own_section_is(bit))
			err = keep_section(reader, &reader->sections[bit], &ret->features[bit]);
	ret->foreign = !reader->of_ktrace;
	return err;
}

const enum feature description_of_machine[] = {
	FEATURE_TRACING_DATA, FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_ARCH, FEATURE_NRCPUS,
	FEATURE_CPUDESC, FEATURE_CPUID, FEATURE_TOTAL_MEM, FEATURE_CPU_TOPOLOGY,
	FEATURE_NUMA_TOPOLOGY, FEATURE_PMU_MAPPINGS, FEATURE_CACHE, 0,
};

/* The build ids of the kernel and its vDSO: other binaries may have changed. */
static struct error *lend_build_ids(const struct header *header, struct strbuf *to)
{
	strbuf_reset(to);
	for (size_t i = 0; i < header->build_ids.nr; i++) {
		const struct header_build_id *told = &header->build_ids.items[i];

		if (told->of_kernel || !strcmp(told->name, "[vdso]"))
			binaries_add_entry(told->name, told->of_kernel ? PERF_RECORD_MISC_KERNEL :
					   PERF_RECORD_MISC_USER, &told->id, to);
	}
	return to->failed ? &error_no_memory : NULL;
}

struct error *description_lend(const struct description *like, struct description *description)
{
	for (const enum feature *bit = description_of_machine; *bit; bit++) {
		const struct strbuf *from = &like->features[*bit];
		struct strbuf *to = &description->features[*bit];

		strbuf_reset(to);
		strbuf_add(to, from->data, from->len);
		if (to->failed)
			return &error_no_memory;
	}
	return lend_build_ids(reader_header(like->reader),
			      &description->features[FEATURE_BUILD_ID]);
}

void description_deinit(struct description *description)
{
	for (size_t i = 0; i < FEATURES_MAX; i++)
		strbuf_deinit(&description->features[i]);
	reader_close(description->reader);
}
