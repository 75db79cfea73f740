// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the header, the events, their formats and the features, which a reader knows before it
 * gives records.  They come from the start and end of a file, or from records of a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/log.h"
#include "perfdata/event_name.h"
#include "perfdata/features.h"
#include "perfdata/layout.h"
#include "perfdata/listener.h"
#include "perfdata/own_sections.h"
#include "perfdata/reader_state.h"
#include "perfdata/swap.h"
#include "perfdata/tracing_data.h"

/* The largest feature or tracing data that we accept; real files are much smaller. */
#define FEATURE_MAX	(1ULL << 30)

/* The most events that we accept, more than any kernel has tracepoints. */
#define EVENTS_MAX	(1U << 20)

static struct error *foreign(const struct reader *reader)
{
	struct error *err = error_new(EBADMSG, "%s is not a perf.data file", reader->name);

	return error_hint(err, "ktrace record and perf record make such files");
}

struct error *reader_damaged(const struct reader *reader, const char *fmt, ...)
{
	_cleanup_free_ char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		what = NULL;
	va_end(ap);
	return what ? error_new(EBADMSG, "%s is damaged: %s", reader->name, what) :
		      &error_no_memory;
}

static bool lies_in_file(const struct reader *reader, struct perfdata_section section)
{
	return section.size <= FEATURE_MAX && section.offset <= reader->file_size &&
	       section.size <= reader->file_size - section.offset;
}

struct error *reader_read_section(struct reader *reader, struct perfdata_section section,
				  char **ret)
{
	_cleanup_free_ char *data = NULL;
	ssize_t n;

	if (!lies_in_file(reader, section))
		return reader_damaged(reader, "a section of its header is outside the file");
	data = malloc(section.size + 1);
	if (!data)
		return &error_no_memory;
	n = fd_pread_all(reader->fd, data, section.size, section.offset);
	if (n < 0)
		return error_errno(-n, "Cannot read %s", reader->name);
	if ((uint64_t)n != section.size)
		return reader_damaged(reader, "it became shorter while it was read");
	data[n] = '\0';
	*ret = take_ptr(data);
	return NULL;
}

/*
 * Copy an attr of any version: members that ours lacks are dropped, and its missing ones
 * are 0.
 */
static struct perf_event_attr load_attr(const char *from, size_t size)
{
	struct perf_event_attr attr = { 0 };

	memcpy(&attr, from, size < sizeof(attr) ? size : sizeof(attr));
	return attr;
}

size_t reader_attr_size(const char *from, size_t available)
{
	uint32_t size;

	memcpy(&size, from + offsetof(struct perf_event_attr, size), sizeof(size));
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	return size <= available ? size : available;
}

struct error *reader_add_event(struct reader *reader, const char *attr_data, size_t attr_size,
			       const char *ids, size_t nr_ids)
{
	struct perf_event_attr attr = load_attr(attr_data, attr_size);
	struct event *event;
	struct error *err;

	if (reader->events.nr >= EVENTS_MAX)
		return reader_damaged(reader, "it claims more events than there can be");
	if (attr.use_clockid)
		reader->header.clockid = attr.clockid;
	reader->unnamed = true;
	/* The name comes later: from a feature, or from the formats. */
	err = event_list_add(&reader->events, &attr, "", &event);
	for (size_t i = 0; i < nr_ids && !err; i++) {
		uint64_t id;

		memcpy(&id, ids + i * 8, 8);
		err = event_add_id(event, id);
	}
	return err;
}

struct error *reader_name_events(struct reader *reader)
{
	for (size_t i = 0; i < reader->events.nr; i++) {
		struct event *event = reader->events.items[i];
		struct error *err;
		char *name;

		if (*event->name)
			continue;
		err = event_name_derive(&event->attr, reader->formats, &name);
		if (err)
			return err;
		err = event_name_set(event, name, strlen(name));
		free(name);
		if (err)
			return err;
	}
	reader->unnamed = false;
	return NULL;
}

static struct error *read_attrs(struct reader *reader, const struct perfdata_header *header)
{
	uint64_t entry = header->attr_size, ids_left = reader->file_size;
	_cleanup_free_ char *data = NULL;
	struct error *err;

	if (entry < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) || entry > 65536 ||
	    header->attrs.size % entry)
		return reader_damaged(reader, "its table of events has an impossible size");
	err = reader_read_section(reader, header->attrs, &data);
	if (err)
		return err;
	for (uint64_t at = 0; at < header->attrs.size; at += entry) {
		size_t available = entry - sizeof(struct perfdata_section), size;
		_cleanup_free_ char *ids = NULL;
		struct perfdata_section section;

		if (reader->swapped)
			swap_attr(data + at, available);
		size = reader_attr_size(data + at, available);
		memcpy(&section, data + at + size, sizeof(section));
		if (reader->swapped)
			swap_words(&section, 2);
		/*
		 * If several events claim the same bytes as their ids, the sum exceeds
		 * the file.
		 */
		if (section.size > ids_left)
			return reader_damaged(reader, "its events claim more ids than fit into it");
		ids_left -= section.size;
		err = reader_read_section(reader, section, &ids);
		if (!err && reader->swapped)
			swap_words(ids, section.size / 8);
		if (!err)
			err = reader_add_event(reader, data + at, size, ids, section.size / 8);
		if (err)
			return err;
	}
	/* perf sched stats records no events. */
	if (!reader->events.nr && !(header->features[FEATURE_CPU_DOMAIN_INFO / 64] &
				    1ULL << FEATURE_CPU_DOMAIN_INFO % 64))
		return reader_damaged(reader, "it holds no events");
	return NULL;
}

struct error *reader_take_tracing_data(struct reader *reader, const void *data, size_t size)
{
	struct error *err;
	size_t skipped;

	err = tracing_data_parse(reader->formats, data, size, &skipped);
	if (err)
		return error_prefix(err, "%s", reader->name);
	if (skipped)
		log_warning("%s: %zu event formats cannot be parsed; their samples are shown "
			    "without fields.", reader->name, skipped);
	return NULL;
}

/* If perf's feature has no wall clock, a clock pair of ours provides it. */
static void reader_note_wall_time(struct reader *reader)
{
	struct header *header = &reader->header;

	for (size_t i = 0; !header->clock_time && i < reader->clocks.nr; i++) {
		const struct clock_pair *pair = &reader->clocks.items[i];

		if (!pair->trace || !pair->realtime)
			continue;
		header->wall_time = pair->realtime;
		header->clock_time = pair->trace;
	}
}

struct error *reader_take_feature(struct reader *reader, unsigned int bit,
				  const void *data, size_t size)
{
	struct error *err;

	switch (bit) {
	case FEATURE_TRACING_DATA:
		return reader_take_tracing_data(reader, data, size);
	case FEATURE_KTRACE:
		/* Recordings of other tools only have data that was embedded in them later. */
		if (!extension_is_embedded(data, size, reader->swapped))
			reader->of_ktrace = true;
		err = extension_parse(data, size, reader->swapped, &reader->events,
				      &reader->ledger, &reader->clocks, &reader->header);
		reader_note_wall_time(reader);
		return error_prefix(err, "%s", reader->name);
	default:
		return feature_parse(bit, data, size, reader->swapped, &reader->header,
				     &reader->events);
	}
}

/* The file was cut inside its features; the records are all there. */
static void lack_features(struct reader *reader)
{
	if (!reader->header.is_truncated)
		log_warning("%s was cut off behind its records: some event formats and names are "
			    "missing.", reader->name);
	reader->header.is_truncated = true;
}

/* Take the rest of a section that was cut; its formats are complete up to the cut. */
static void read_cut_section(struct reader *reader, unsigned int bit,
			     struct perfdata_section section)
{
	_cleanup_free_ char *data = NULL;
	struct error *err;
	size_t skipped;

	if (bit != FEATURE_TRACING_DATA || section.offset >= reader->file_size)
		return;
	section.size = reader->file_size - section.offset;
	err = reader_read_section(reader, section, &data);
	if (!err)
		err = tracing_data_parse(reader->formats, data, section.size, &skipped);
	error_free(err);
}

static struct error *read_features(struct reader *reader, const struct perfdata_header *header)
{
	uint64_t at = header->data.offset + header->data.size;

	for (unsigned int bit = 0; bit < FEATURES_MAX; bit++) {
		struct perfdata_section section;
		_cleanup_free_ char *data = NULL;
		struct error *err = NULL;

		if (!(header->features[bit / 64] & (1ULL << (bit % 64))))
			continue;
		if (fd_pread_all(reader->fd, &section, sizeof(section), at) != sizeof(section)) {
			lack_features(reader);
			return NULL;
		}
		if (reader->swapped)
			swap_words(&section, 2);
		at += sizeof(section);
		if (section.size <= FEATURE_MAX && section.offset <= UINT64_MAX - section.size &&
		    section.offset + section.size > reader->file_size) {
			lack_features(reader);
			read_cut_section(reader, bit, section);
			continue;
		}
		/* A recording can be read without its index. */
		if (bit == FEATURE_KTRACE_INDEX && !lies_in_file(reader, section))
			continue;
		/* The index is read only when it is needed. */
		if (bit != FEATURE_KTRACE_INDEX)
			err = reader_read_section(reader, section, &data);
		if (!err && data)
			err = reader_take_feature(reader, bit, data, section.size);
		if (err)
			return err;
		reader->sections[bit] = section;
	}
	return NULL;
}

/*
 * Read the extension.  Old files have it among the features, where it was read already.
 * @at is the offset behind the table of perf's features.
 */
static struct error *read_own(struct reader *reader, uint64_t at)
{
	struct perfdata_section *section = &reader->sections[FEATURE_KTRACE];
	_cleanup_free_ char *data = NULL;
	struct error *err;

	if (section->offset)
		return NULL;
	own_sections_read(reader->fd, reader->file_size, reader->swapped, at, reader->sections);
	if (!section->offset)
		return NULL;
	err = reader_read_section(reader, *section, &data);
	return err ? err : reader_take_feature(reader, FEATURE_KTRACE, data, section->size);
}

/*
 * A recorder that was killed leaves a header without the size of the data and without
 * features.  A copy that broke off leaves less data than the header says.
 */
static struct error *check_data(struct reader *reader, struct perfdata_header *header)
{
	struct perfdata_section *data = &header->data;

	if (data->offset > reader->file_size || data->offset < header->size)
		return reader_damaged(reader, "its data is outside the file");
	if (!data->size) {
		data->size = reader->file_size - data->offset;
		memset(header->features, 0, sizeof(header->features));
		if (data->size) {
			reader->header.is_truncated = true;
			log_warning("%s was not completed (its recorder was killed?): event formats "
				    "and names are missing.", reader->name);
		}
	} else if (data->size > reader->file_size - data->offset) {
		data->size = reader->file_size - data->offset;
		memset(header->features, 0, sizeof(header->features));
		reader->header.is_truncated = true;
		log_warning("%s was cut off: it is read up to its end, without event formats and "
			    "names.", reader->name);
	}
	return NULL;
}

/*
 * perf keeps the feature bits in an array of longs.  If the recording machine's longs
 * have 4 bytes, we have swapped twice as much at once as we should.  We notice that
 * because every recorder stores the host's name.
 */
static void swap_features(uint64_t *features)
{
	swap_words(features, FEATURE_WORDS);
	if (features[0] & 1ULL << FEATURE_HOSTNAME)
		return;
	for (int i = 0; i < FEATURE_WORDS; i++)
		features[i] = features[i] << 32 | features[i] >> 32;
}

static struct error *read_file_header(struct reader *reader, struct perfdata_header *header)
{
	const size_t fixed = offsetof(struct perfdata_header, features);
	ssize_t n;

	memset(header, 0, sizeof(*header));
	n = fd_pread_all(reader->fd, header, sizeof(*header), 0);
	if (n < 0)
		return error_errno(-n, "Cannot read %s", reader->name);
	if ((size_t)n >= fixed && reader->swapped) {
		swap_words(&header->size, fixed / 8 - 1);
		swap_features(header->features);
	}
	/* The headers of the oldest files have no feature bits. */
	if ((size_t)n >= fixed && header->size == fixed)
		memset(header->features, 0, sizeof(header->features));
	else if ((size_t)n < sizeof(*header))
		return reader_damaged(reader, "it ends inside its header");
	else if (header->size != sizeof(*header))
		return reader_damaged(reader, "its header has an unknown size");
	return NULL;
}

static struct error *open_file(struct reader *reader)
{
	struct perfdata_header header;
	uint64_t table_size = 0;
	struct error *err;

	err = read_file_header(reader, &header);
	if (err)
		return err;
	err = check_data(reader, &header);
	if (!err)
		err = read_attrs(reader, &header);
	if (!err)
		err = read_features(reader, &header);
	for (size_t i = 0; i < FEATURE_WORDS; i++)
		table_size += __builtin_popcountll(header.features[i]) *
			      sizeof(struct perfdata_section);
	if (!err)
		err = read_own(reader, header.data.offset + header.data.size + table_size);
	if (!err)
		err = reader_name_events(reader);
	if (!err)
		err = event_list_index(&reader->events);
	if (err)
		return err;
	for (unsigned int bit = 0; bit < FEATURES_MAX; bit++)
		if (reader->sections[bit].offset)
			reader->header.features[bit / 64] |= 1ULL << bit % 64;
	reader->file_header = header;
	reader->header.data_offset = header.data.offset;
	reader->header.data_size = header.data.size;
	input_seek(&reader->input, header.data.offset, header.data.offset + header.data.size);
	return NULL;
}

/*
 * The magic gives the byte order.  Before Linux 3.2 it was a text, so there the size
 * gives it.
 */
static struct error *check_magic(struct reader *reader, const struct perfdata_pipe_header *start)
{
	switch (start->magic) {
	case PERFDATA_MAGIC:
		return NULL;
	case PERFDATA_MAGIC_SWAPPED:
		reader->swapped = true;
		return NULL;
	case PERFDATA_MAGIC_OLD:
		reader->swapped = start->size > UINT32_MAX;
		return NULL;
	default:
		return foreign(reader);
	}
}

/* A pipe or a link in somebody else's folder must not make us wait or lead us elsewhere. */
static int open_in_folder(int folder, const char *name, uint64_t *ret_size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EBADMSG;
	}
	*ret_size = st.st_size;
	return fd;
}

/* perf record --threads writes data.0, data.1 ..., which hold nothing but records. */
static struct error *add_parts(struct reader *reader, int folder)
{
	for (unsigned int i = 0;; i++) {
		struct error *err;
		uint64_t size;
		char name[32];
		int fd;

		snprintf(name, sizeof(name), "data.%u", i);
		fd = open_in_folder(folder, name, &size);
		if (fd == -ENOENT)
			return NULL;
		if (fd < 0)
			return error_errno(-fd, "Cannot read %s/%s", reader->name, name);
		err = input_add_part(&reader->input, fd, size);
		if (err)
			return err;
		if (reader->sections[FEATURE_COMPRESSED].offset)
			return error_hint(error_new(ENOTSUP, "%s is a folder with compressed "
						    "parts, which ktrace cannot read yet",
						    reader->name),
					  "Read it with perf script");
	}
}

static struct error *open_data(struct reader *reader);

/* perf record creates two kinds of folders.  In both, the file `data` has the header. */
static struct error *open_folder(struct reader *reader)
{
	_cleanup_close_ int folder = reader->fd;
	struct error *err;
	uint64_t size;

	reader->fd = open_in_folder(folder, "data", &size);
	if (reader->fd < 0)
		return error_hint(error_errno(-reader->fd, "%s is a folder, and %s/data cannot be "
					      "read", reader->name, reader->name),
				  "perf record --threads and --kcore make such folders");
	if (!faccessat(folder, "kcore_dir/kallsyms", R_OK, 0) &&
	    asprintf(&reader->header.kallsyms, "%s/kcore_dir/kallsyms", reader->name) < 0) {
		reader->header.kallsyms = NULL;
		return &error_no_memory;
	}
	err = open_data(reader);
	/* As for perf, other files belong to the recording only if it says so. */
	if (err || !reader->sections[FEATURE_DIR_FORMAT].offset)
		return err;
	return add_parts(reader, folder);
}

static struct error *open_data(struct reader *reader)
{
	const struct perfdata_pipe_header *start;
	struct perfdata_pipe_header copy;
	struct error *err;
	struct stat st;
	size_t len;

	if (fstat(reader->fd, &st))
		return error_errno(errno, "Cannot read %s", reader->name);
	if (S_ISREG(st.st_mode) && !st.st_size)
		return error_hint(error_new(EBADMSG, "%s is empty", reader->name),
				  "Nothing was recorded into it; record it again");
	reader->file_size = S_ISREG(st.st_mode) ? st.st_size : 0;
	reader->header.written = st.st_mtime;
	input_init(&reader->input, reader->fd, !S_ISREG(st.st_mode));
	/* For now read only the start of a file; its header gives the offset of the records. */
	if (reader->file_size)
		input_seek(&reader->input, 0, sizeof(*start));
	err = input_peek(&reader->input, sizeof(*start), (const void **)&start, &len);
	if (err)
		return error_prefix(err, "%s", reader->name);
	if (len < sizeof(*start))
		return len ? foreign(reader) :
			error_hint(error_new(EBADMSG, "%s is empty", reader->name),
				   "The recorder on the other end of the pipe wrote nothing");
	memcpy(&copy, start, sizeof(copy));
	err = check_magic(reader, &copy);
	if (err)
		return err;
	if (reader->swapped)
		swap_words(&copy.size, 1);
	/* This is a pipe, or a file that holds the bytes of one: only records follow. */
	if (copy.size == sizeof(copy)) {
		reader->header.is_pipe = true;
		reader->input.end = UINT64_MAX;
		input_advance(&reader->input, sizeof(copy));
		return NULL;
	}
	if (!reader->file_size)
		return error_hint(error_new(ESPIPE, "%s comes through a pipe, but was written as "
					    "a file", reader->name),
				  "Give the file itself with -i FILE, or record with -o -");
	return open_file(reader);
}

struct error *reader_open_input(struct reader *reader, const char *path)
{
	struct stat st;

	if (reader->is_stdin) {
		struct error *err = listener_open_input(&reader->fd);

		if (err)
			return err;
	} else {
		reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (reader->fd < 0)
		return error_errno(errno, "Cannot open %s", reader->name);
	if (fstat(reader->fd, &st))
		return error_errno(errno, "Cannot read %s", reader->name);
	return S_ISDIR(st.st_mode) ? open_folder(reader) : open_data(reader);
}
