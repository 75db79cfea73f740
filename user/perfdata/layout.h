/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of perf.data, and of the data that ktrace adds where perf ignores it.
 *
 * A file:	struct perfdata_header; the ids of all events; one
 *		{ perf_event_attr, section of its ids } per event; the records;
 *		one section per feature bit, ascending; struct
 *		perfdata_own_sections, the extension, the index; the features.
 * A pipe:	struct perfdata_pipe_header, then records alone: HEADER_ATTR,
 *		FEATURE, TRACING_DATA and EVENT_UPDATE take the place of the header.
 *
 * The extension.  In files, struct perfdata_own_sections gives its offset.  That struct is stored
 * behind the table of perf's features, because perf reads only the sections in its table.  The
 * extension has no feature bit: perf inject handles every feature whose bit is set, even an unknown
 * one.  (Older files of ktrace have it as feature FEATURE_KTRACE.)  If a file is cut behind its
 * records, it loses features of perf first, and that is noticed.
 *
 * In pipes, unknown features and record types are fatal to perf, but bytes behind the name in an
 * EVENT_UPDATE record are not.  The extension is stored there, in as many records as needed.  Its
 * form is the same in files and pipes: chunks of
 *
 *	u32 tag; u32 size; payload of size bytes, zero-padded to a multiple of 8
 *
 * in the byte order of the file.  Unknown tags are skipped.  If rows are larger than expected,
 * their ends are ignored.
 *
 *	SCHEMA	u32 schema (PERFDATA_SCHEMA_*), u32 0
 *	FIELDS	u32 index, u32 size of the trailer, u32 bytes per row, u32 0, rows of
 *		struct perfdata_field_row: the layout of the common fields of event `index`
 *	EVENT	u32 index, u32 number of the capture backend (0 perf_event, 1 device, 2 fake;
 *		never reused), u64 mask of common fields, the filter's text; if the event is
 *		limited to a cgroup, a zero and the cgroup's name follow.
 *		FIELDS of the same event, if it has any, precede it
 *	LEDGER	u32 bytes per row, u32 0, rows of struct perfdata_ledger_row
 *	CLOCK	u32 bytes per row, u32 0, rows of struct perfdata_clock_row
 *	NOTE	a name, a zero, and a text to its end: a line that headers show
 *	EMBEDDED  a piece of the data of symbol/embedded.h; pieces follow each other
 *
 * struct perfdata_own_sections also gives the offset of the index (in older files: feature
 * FEATURE_KTRACE_INDEX).  An index can also be in the file PATH.index, behind a struct
 * perfdata_index_file.  It lists the extents of the file with the times, CPUs and events of their
 * samples, and holds copies of all other records, so that only the wanted extents need to be read.
 * It consists of a struct perfdata_index, the entries, and the copies: each a struct
 * perfdata_index_state and the record, padded to 8 bytes.
 *
 * FINISHED_ROUND records of ktrace may have a u64 after the header: the mark, a time before which
 * no record follows any more.
 */
#ifndef KTRACE_PERFDATA_LAYOUT_H
#define KTRACE_PERFDATA_LAYOUT_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "record/body.h"
#include "record/header.h"

#define PERFDATA_MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
#define PERFDATA_MAGIC_SWAPPED	0x50455246494c4532ULL
#define PERFDATA_MAGIC_OLD	0x454c494646524550ULL	/* "PERFFILE", before Linux 3.2 */

struct perfdata_section {
	uint64_t offset, size;
};

struct perfdata_header {
	uint64_t magic;
	uint64_t size;			/* of this header */
	uint64_t attr_size;		/* size of one entry of the attrs section */
	struct perfdata_section attrs, data, event_types;
	uint64_t features[FEATURE_WORDS];	/* bit n of word n / 64 */
};

struct perfdata_own_sections {
	uint64_t magic;
	struct perfdata_section sections[2];	/* the extension, the index; offset 0: none */
};

#define PERFDATA_OWN_MAGIC	0x545845434152544bULL	/* "KTRACEXT" */

struct perfdata_pipe_header {
	uint64_t magic;
	uint64_t size;
};

/* Strings in features are a u32 size, then the text, padded with NULs to that size. */
#define PERFDATA_STRING_ALIGN	64

/* An entry of the table of build ids: a record whose header.type is 0. */
struct perfdata_build_id {
	struct perf_event_header header;
	struct body_build_id body;
};

struct perfdata_finished_round {
	struct perf_event_header header;
	struct body_finished_round body;
};

enum perfdata_chunk {
	PERFDATA_CHUNK_SCHEMA	= 1,
	PERFDATA_CHUNK_EVENT	= 2,
	PERFDATA_CHUNK_LEDGER	= 3,
	PERFDATA_CHUNK_CLOCK	= 4,
	PERFDATA_CHUNK_FIELDS	= 5,
	PERFDATA_CHUNK_EMBEDDED	= 6,
	PERFDATA_CHUNK_NOTE	= 7,
};

/*
 * The schema: a reader that does not know it cannot read the records correctly, and must refuse the
 * recording.  A recording states the smallest number that suffices.
 */
enum {
	PERFDATA_SCHEMA_MASK	= 1,	/* fields 0 to 7: the mask of EVENT implies their layout */
	PERFDATA_SCHEMA_FIELDS	= 2,	/* other fields, too: their layout is only in FIELDS */
	PERFDATA_SCHEMA		= PERFDATA_SCHEMA_FIELDS,	/* the schema of this ktrace */
};

/* One common field in the trailer of an event's records (struct common_slot). */
struct perfdata_field_row {
	uint32_t number, offset, size, type;
	char name[24];			/* ends with a NUL */
};

struct perfdata_chunk_header {
	uint32_t tag, size;
};

struct perfdata_ledger_row {
	uint32_t event, cpu;		/* as in struct ledger_row */
	uint32_t proof, reserved;
	uint64_t recorded, filtered, out_of_scope;
	uint64_t lost[8];		/* enum ledger_reason */
};

struct perfdata_index {
	uint32_t version;		/* PERFDATA_INDEX_VERSION */
	uint32_t entry_size;
	uint64_t nr_entries;
	uint64_t state_bytes;
};

#define PERFDATA_INDEX_VERSION	1

/*
 * An extent: whole records from offset on, size bytes of the file.  In a compressed
 * file they are COMPRESSED records that begin and end a zstd frame.  Bit n % 64 is set
 * for CPU n, and for the event with index n.
 */
struct perfdata_index_entry {
	uint64_t offset, size;
	uint64_t first_time, last_time;	/* of its samples */
	uint64_t cpus, events;
	uint64_t samples;
};

struct perfdata_index_state {
	uint64_t offset;	/* of the record in the file */
	uint64_t time;		/* 0: none */
};

#define PERFDATA_INDEX_MAGIC	0x5845444e4952544bULL	/* "KTRINDEX" */

/* Identifies the recording of an index.  If any of its values differs, the index is not used. */
struct perfdata_index_file {
	uint64_t magic;
	uint64_t file_size;
	uint64_t mtime;			/* ns */
	uint64_t identity;		/* a hash of its first and last bytes */
};

struct perfdata_clock_row {
	uint64_t trace, monotonic, raw, boottime, realtime;
};

#endif
