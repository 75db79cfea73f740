/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bodies of records, which follow the struct perf_event_header.  All code that reads or writes
 * a record uses these declarations.  Only perfdata/swap has a table of its own, with the offsets of
 * the numbers in a body.
 *
 * The kernel writes the records that <linux/perf_event.h> describes.  Each has a sample_id behind
 * it, whose fields attr.sample_type defines.  perf (tools/lib/perf/include/perf/event.h) and ktrace
 * write the other records, which exist in files only.  They also write MMAP, MMAP2, COMM and FORK
 * records of mappings and tasks that existed before the recording began.
 *
 * Numbers are in host byte order.  Times are ns of the recording's clock, addresses and lengths are
 * in bytes.  A pid or tid of -1 stands for a task that was gone, or for any task.  Text ends with a
 * NUL and is padded with NULs to 8 bytes.  A damaged recording can have records that are too short
 * and texts without end, so use body_of() and body_text_length().
 */
#ifndef KTRACE_RECORD_BODY_H
#define KTRACE_RECORD_BODY_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/build_id.h"

/* ---- written by the kernel ---------------------------------------------------- */

/* The beginning of MMAP, MMAP2, COMM and NAMESPACES. */
struct body_subject {
	int32_t pid, tid;
};

/* MMAP: memory that was mapped from a file; it is executable without MISC_MMAP_DATA. */
struct body_mmap {
	int32_t pid, tid;	/* pid -1: the kernel's own mapping */
	uint64_t addr, len;
	uint64_t pgoff;		/* in the file, bytes */
	char filename[];
};

static_assert(sizeof(struct body_mmap) == 32, "layout of MMAP");

/* MMAP2: the same, with the identity of the file.  It begins as MMAP does. */
struct body_mmap2 {
	int32_t pid, tid;
	uint64_t addr, len;
	uint64_t pgoff;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {	/* with MISC_MMAP_BUILD_ID */
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[BUILD_ID_BYTES];
		};
	};
	uint32_t prot, flags;	/* as for mmap(): PROT_*, MAP_* */
	char filename[];
};

static_assert(sizeof(struct body_mmap2) == 64, "layout of MMAP2");
static_assert(offsetof(struct body_mmap2, generation) == 48, "layout of MMAP2");
static_assert(offsetof(struct body_mmap2, build_id) == 36, "layout of MMAP2");
static_assert(offsetof(struct body_mmap2, prot) == 56, "layout of MMAP2");

/*
 * Whether the record has a build id instead of the file's numbers.  MISC_MMAP_BUILD_ID alone does
 * not show it.  While an event of whole CPUs requests build ids, Linux (5.12 to at least 6.18) also
 * sets the mark on the records of all other events, which have the numbers.  The bytes of the id
 * then are these numbers: its size is a part of the device's number, and the bytes behind the id
 * are not zero.
 */
static inline bool body_mmap2_has_build_id(const struct perf_event_header *header,
					   const struct body_mmap2 *mmap2)
{
	const uint8_t *id = mmap2->build_id;
	uint8_t behind = mmap2->reserved[0] | mmap2->reserved[1] | mmap2->reserved[2];

	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || !mmap2->build_id_size ||
	    mmap2->build_id_size > BUILD_ID_BYTES)
		return false;
	for (unsigned int i = mmap2->build_id_size; i < BUILD_ID_BYTES; i++)
		behind |= id[i];
	/* A device's minor number below 65,536 has zeros here. */
	return !behind && (mmap2->build_id_size >= 16 || id[2] || id[3]);
}

/* CALLCHAIN_DEFERRED: the user's part of call chains that hold its number. */
struct body_callchain_deferred {
	uint64_t number, nr;
	uint64_t ips[];
};

static_assert(sizeof(struct body_callchain_deferred) == 16, "layout of CALLCHAIN_DEFERRED");

/* READ: the count of an event in a thread that ended.  Further parts are as in read_format. */
struct body_read {
	int32_t pid, tid;
	uint64_t value;
};

static_assert(sizeof(struct body_read) == 16, "layout of READ");

/* LOST: records that a ring had no room for. */
struct body_lost {
	uint64_t id;		/* of the event whose ring it is */
	uint64_t lost;		/* how many */
};

static_assert(sizeof(struct body_lost) == 16, "layout of LOST");

/*
 * LOST as the device writes it (<linux/ktrace.h>).  It begins as the kernel's does, and has a
 * sample_id behind it, as all records.
 */
struct body_device_lost {
	uint64_t id;		/* of the event whose samples were lost */
	uint64_t lost;
	uint64_t reason;	/* enum ktrace_lost */
	uint64_t first, last;	/* times of the first and the last lost sample; 0: unknown */
};

static_assert(sizeof(struct body_device_lost) == 40, "layout of a device's LOST");

/* COMM: a task's new name, by exec with MISC_COMM_EXEC. */
struct body_comm {
	int32_t pid, tid;
	char comm[];
};

static_assert(sizeof(struct body_comm) == 8, "layout of COMM");

/* FORK and EXIT: of a process if pid == tid, else of a thread. */
struct body_task {
	int32_t pid, ppid;	/* ppid, ptid: the task that called fork(); in EXIT the parent */
	int32_t tid, ptid;
	uint64_t time;
};

static_assert(sizeof(struct body_task) == 24, "layout of FORK and EXIT");
static_assert(offsetof(struct body_task, tid) == 8, "layout of FORK and EXIT");

/* THROTTLE and UNTHROTTLE: the kernel stopped an event that fired too often. */
struct body_throttle {
	uint64_t time;
	uint64_t id, stream_id;
};

static_assert(sizeof(struct body_throttle) == 24, "layout of THROTTLE");

/* AUX: there is new data in the buffer of a hardware trace. */
struct body_aux {
	uint64_t offset, size;
	uint64_t flags;		/* PERF_AUX_FLAG_* */
};

static_assert(sizeof(struct body_aux) == 24, "layout of AUX");

/* LOST_SAMPLES: samples that the hardware could not store. */
struct body_lost_samples {
	uint64_t lost;
};

static_assert(sizeof(struct body_lost_samples) == 8, "layout of LOST_SAMPLES");

/* SWITCH_CPU_WIDE: the next task (MISC_SWITCH_OUT) or the one before.  SWITCH has no body. */
struct body_switch {
	int32_t other_pid, other_tid;
};

static_assert(sizeof(struct body_switch) == 8, "layout of SWITCH_CPU_WIDE");

/* NAMESPACES of a task; each is identified by a file of nsfs. */
struct body_namespaces {
	int32_t pid, tid;
	uint64_t nr;
	struct {
		uint64_t dev, inode;
	} links[];
};

static_assert(sizeof(struct body_namespaces) == 16, "layout of NAMESPACES");

/* KSYMBOL: code that the kernel generated at run time. */
struct body_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t type;		/* PERF_RECORD_KSYMBOL_TYPE_* */
	uint16_t flags;		/* PERF_RECORD_KSYMBOL_FLAGS_* */
	char name[];
};

static_assert(sizeof(struct body_ksymbol) == 16, "layout of KSYMBOL");

/* BPF_EVENT: a BPF program was loaded or unloaded. */
struct body_bpf_event {
	uint16_t type;		/* enum perf_bpf_event_type */
	uint16_t flags;
	uint32_t id;
	/* uint8_t tag[8]: nothing reads it */
};

static_assert(sizeof(struct body_bpf_event) == 8, "layout of BPF_EVENT");

/* TEXT_POKE: the kernel has changed its code. */
struct body_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	uint8_t bytes[];	/* the old ones, then the new ones */
};

static_assert(offsetof(struct body_text_poke, bytes) == 12, "layout of TEXT_POKE");

/* CGROUP: the path of a cgroup in its hierarchy. */
struct body_cgroup {
	uint64_t id;
	char path[];
};

static_assert(sizeof(struct body_cgroup) == 8, "layout of CGROUP");

/* ---- written by perf and ktrace, in files only -------------------------------- */

/* TRACING_DATA: that many bytes with event formats follow the record. */
struct body_tracing_data {
	uint32_t size;
};

static_assert(sizeof(struct body_tracing_data) == 4, "layout of TRACING_DATA");

/* A bit in misc of BUILD_ID: build_id_size is set. */
#define BODY_MISC_BUILD_ID_SIZE	(1U << 15)

/* BUILD_ID: of a binary.  The table in a file's header consists of these records, too. */
struct body_build_id {
	int32_t pid;		/* -1: the host's */
	uint8_t build_id[BUILD_ID_BYTES];
	uint8_t build_id_size;	/* set with BODY_MISC_BUILD_ID_SIZE; otherwise 20 bytes */
	uint8_t reserved[3];
	char filename[];	/* padded to 64 bytes */
};

static_assert(sizeof(struct body_build_id) == 28, "layout of BUILD_ID");

/* FINISHED_ROUND: the rings have been drained once.  perf writes it without a body. */
struct body_finished_round {
	uint64_t mark;		/* all following records have this time or a later one */
};

static_assert(sizeof(struct body_finished_round) == 8, "layout of FINISHED_ROUND");

/* ID_INDEX: where the events with these ids count; -1: anywhere. */
struct body_id_index {
	uint64_t nr;
	struct {
		uint64_t id, idx, cpu, tid;
	} items[];
};

static_assert(sizeof(struct body_id_index) == 8, "layout of ID_INDEX");

/* AUXTRACE_INFO: the kind of hardware trace that the recording has. */
struct body_auxtrace_info {
	uint32_t type, reserved;
};

static_assert(sizeof(struct body_auxtrace_info) == 8, "layout of AUXTRACE_INFO");

/* AUXTRACE: that many bytes of a hardware trace follow the record. */
struct body_auxtrace {
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu, reserved;
};

static_assert(sizeof(struct body_auxtrace) == 40, "layout of AUXTRACE");

/* AUXTRACE_ERROR: an error of a decoder of hardware traces. */
struct body_auxtrace_error {
	uint32_t type, code;
	uint32_t cpu, pid, tid;
	uint32_t fmt;		/* 0: without time; 2: with machine_pid and vcpu */
	uint64_t ip, time;
	char msg[64];
	uint32_t machine_pid, vcpu;
};

static_assert(sizeof(struct body_auxtrace_error) == 112, "layout of AUXTRACE_ERROR");
static_assert(offsetof(struct body_auxtrace_error, msg) == 40, "layout of AUXTRACE_ERROR");

/* THREAD_MAP: the threads that `perf stat record` counted. */
struct body_thread_map {
	uint64_t nr;
	struct {
		uint64_t pid;	/* -1: any */
		char comm[16];
	} items[];
};

static_assert(sizeof(struct body_thread_map) == 8, "layout of THREAD_MAP");

enum body_cpu_map_type {
	BODY_CPU_MAP_LIST	= 0,
	BODY_CPU_MAP_MASK	= 1,
	BODY_CPU_MAP_RANGE	= 2,
};

/* CPU_MAP: the CPUs that `perf stat record` counted on. */
struct body_cpu_map {
	uint16_t type;		/* enum body_cpu_map_type */
	union {
		struct {
			uint16_t nr;
			uint16_t cpus[];	/* 0xffff: any */
		} list;
		struct {
			uint16_t nr;		/* of words */
			uint16_t bytes;		/* in one word: 4 or 8 */
			uint8_t words[];	/* of 8 bytes: they follow after 2 more bytes */
		} mask;
		struct {
			uint8_t any, reserved;	/* any: there are also counts of any CPU */
			uint16_t first, last;
		} range;
	};
};

static_assert(sizeof(struct body_cpu_map) == 8, "layout of CPU_MAP");
static_assert(offsetof(struct body_cpu_map, list.cpus) == 4, "layout of CPU_MAP");
static_assert(offsetof(struct body_cpu_map, mask.words) == 6, "layout of CPU_MAP");
static_assert(offsetof(struct body_cpu_map, range.first) == 4, "layout of CPU_MAP");

/* The tags of STAT_CONFIG. */
enum body_stat_config_tag {
	BODY_STAT_CONFIG_AGGREGATION	= 0,	/* enum body_stat_aggregation */
	BODY_STAT_CONFIG_INTERVAL	= 1,	/* ms; 0: a single round */
	BODY_STAT_CONFIG_SCALE		= 2,	/* 1: counts are to be extrapolated */
};

/* The unit of the shown rows. */
enum body_stat_aggregation {
	BODY_STAT_BY_CPU	= 0,
	BODY_STAT_BY_NOTHING	= 1,
	BODY_STAT_BY_SOCKET	= 2,
	BODY_STAT_BY_DIE	= 3,
	BODY_STAT_BY_CORE	= 4,
	BODY_STAT_BY_THREAD	= 5,
	BODY_STAT_BY_NODE	= 7,
};

/* STAT_CONFIG: the options of `perf stat record`. */
struct body_stat_config {
	uint64_t nr;
	struct {
		uint64_t tag, value;
	} items[];
};

static_assert(sizeof(struct body_stat_config) == 8, "layout of STAT_CONFIG");

/* STAT: the count of an event on a CPU and for a thread since the beginning. */
struct body_stat {
	uint64_t id;
	uint32_t cpu, thread;	/* positions in CPU_MAP (UINT32_MAX: any) and THREAD_MAP */
	uint64_t value;
	uint64_t enabled, running;	/* ns */
};

static_assert(sizeof(struct body_stat) == 40, "layout of STAT");

enum body_stat_round_type {
	BODY_STAT_ROUND_INTERVAL	= 0,
	BODY_STAT_ROUND_FINAL		= 1,
};

/* STAT_ROUND: the end of an interval, or of all. */
struct body_stat_round {
	uint64_t type, time;	/* time: ns since the counting began */
};

static_assert(sizeof(struct body_stat_round) == 16, "layout of STAT_ROUND");

enum body_update_type {
	BODY_UPDATE_UNIT	= 0,
	BODY_UPDATE_SCALE	= 1,
	BODY_UPDATE_NAME	= 2,
	BODY_UPDATE_CPUS	= 3,
};

/* EVENT_UPDATE: a property of an event that its attr does not have. */
struct body_event_update {
	uint64_t type;		/* enum body_update_type */
	uint64_t id;
	char data[];		/* a text, a double or the body of a CPU_MAP */
};

static_assert(sizeof(struct body_event_update) == 16, "layout of EVENT_UPDATE");

/* FEATURE: a part of a file's header, in a pipe. */
struct body_feature {
	uint64_t number;	/* enum feature */
	char data[];
};

static_assert(sizeof(struct body_feature) == 8, "layout of FEATURE");

/* COMPRESSED2: compressed records.  COMPRESSED is the same without the size. */
struct body_compressed2 {
	uint64_t size;		/* of data, without padding */
	char data[];
};

static_assert(sizeof(struct body_compressed2) == 8, "layout of COMPRESSED2");

/* BPF_METADATA: the metadata in a BPF program. */
struct body_bpf_metadata {
	char program[16];
	uint64_t nr;
	struct {
		char key[32], value[256];
	} items[];
};

static_assert(sizeof(struct body_bpf_metadata) == 24, "layout of BPF_METADATA");

/* SCHEDSTAT_CPU: a line of /proc/schedstat about a CPU. */
struct body_schedstat_cpu {
	uint64_t jiffies;
	uint32_t cpu;
	uint16_t version;	/* of /proc/schedstat */
	uint16_t padding;
	uint32_t counts[6];
	uint64_t times[3];	/* ns run and waited, and how many times it ran */
};

static_assert(sizeof(struct body_schedstat_cpu) == 64, "layout of SCHEDSTAT_CPU");

/* The number of values in a line of version 17 about a domain; versions 15 and 16 have 36. */
#define BODY_SCHEDSTAT_COUNTS	45

/* SCHEDSTAT_DOMAIN: a line about one of its domains. */
struct body_schedstat_domain {
	uint64_t jiffies;
	uint32_t cpu;
	uint16_t version, domain;
	uint32_t counts[];
};

static_assert(sizeof(struct body_schedstat_domain) == 16, "layout of SCHEDSTAT_DOMAIN");

/* ---- reading ------------------------------------------------------------------ */

/* Returns the body of @header as a const TYPE *, or NULL if the record is too short for it. */
#define body_of(header, type) ((const type *)body_of_size((header), sizeof(type)))

static inline const void *body_of_size(const struct perf_event_header *header, size_t size)
{
	return header->size >= sizeof(*header) + size ? header + 1 : NULL;
}

/* The bytes from @at, which is inside of the record or at its end, to the record's end. */
static inline size_t body_left(const struct perf_event_header *header, const void *at)
{
	return (const char *)header + header->size - (const char *)at;
}

/* The length of the text at @text, which ends with a NUL or with the record. */
static inline size_t body_text_length(const struct perf_event_header *header, const char *text)
{
	return strnlen(text, body_left(header, text));
}

/* The number of items of @size bytes between @items and the record's end, at most @nr. */
static inline size_t body_items(const struct perf_event_header *header, const void *items,
				uint64_t nr, size_t size)
{
	size_t room = body_left(header, items) / size;

	return nr < room ? nr : room;
}

#endif
