/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording's description of itself: the machine, the command, the times. perfdata/ fills it, and
 * output/ shows it.
 */
#ifndef KTRACE_RECORD_HEADER_H
#define KTRACE_RECORD_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/error.h"

/* The parts of a header, by perf's numbers; the last ones are ktrace's own. */
#define FEATURE_WORDS	4
#define FEATURES_MAX	(FEATURE_WORDS * 64)

enum feature {
	FEATURE_TRACING_DATA	= 1,
	FEATURE_BUILD_ID	= 2,
	FEATURE_HOSTNAME	= 3,
	FEATURE_OSRELEASE	= 4,
	FEATURE_VERSION	= 5,
	FEATURE_ARCH		= 6,
	FEATURE_NRCPUS		= 7,
	FEATURE_CPUDESC	= 8,
	FEATURE_CPUID		= 9,
	FEATURE_TOTAL_MEM	= 10,
	FEATURE_CMDLINE	= 11,
	FEATURE_EVENT_DESC	= 12,
	FEATURE_CPU_TOPOLOGY	= 13,
	FEATURE_NUMA_TOPOLOGY	= 14,
	FEATURE_BRANCH_STACK	= 15,
	FEATURE_PMU_MAPPINGS	= 16,
	FEATURE_GROUP_DESC	= 17,
	FEATURE_AUXTRACE	= 18,
	FEATURE_STAT		= 19,
	FEATURE_CACHE		= 20,
	FEATURE_SAMPLE_TIME	= 21,
	FEATURE_MEM_TOPOLOGY	= 22,
	FEATURE_CLOCKID	= 23,
	FEATURE_DIR_FORMAT	= 24,
	FEATURE_BPF_PROG_INFO	= 25,
	FEATURE_BPF_BTF	= 26,
	FEATURE_COMPRESSED	= 27,
	FEATURE_CPU_PMU_CAPS	= 28,
	FEATURE_CLOCK_DATA	= 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS	= 31,
	FEATURE_CPU_DOMAIN_INFO	= 32,
	/* Bits that only old files of ktrace have; see struct perfdata_own_sections. */
	FEATURE_KTRACE	= 200,
	FEATURE_KTRACE_INDEX	= 201,
};

struct header_pmu {
	char *name;
	uint32_t type;
};

/* A line of a feature that describes several things in the same form, or all of its lines. */
struct header_detail {
	enum feature feature;
	char *name;		/* of the thing described: a PMU, the id of a BPF program; "" */
	char *text;		/* the description; without a name it ends with a line end */
};

/* A text of the recorder about the recording: a line of the header. */
struct header_note {
	char *name, *text;	/* "recorder", "0.24 s CPU, ..."; owned */
};

/* The CPUs among which a CPU balances its load: those of a core, a cache, a socket ... */
struct header_sched_domain {
	uint32_t cpu, number;
	char *name;		/* "MC"; NULL before version 17 of /proc/schedstat */
	char *mask, *cpus;	/* as in /proc/schedstat, and as a list; owned */
};

struct header_build_id {
	struct build_id id;
	char *name;		/* of the binary, as its map records have it */
	bool of_kernel;		/* the kernel or a module; old tables lack it for modules */
};

/*
 * The largest number of CPUs for which a kernel can be configured.  A recording with a larger
 * number is not believed, and the CPU of a record is unknown if its number is not below this one.
 */
#define HEADER_CPUS_MAX 8192

/* Physical memory of one NUMA node. */
struct header_memory {
	uint64_t start, end;	/* physical addresses; @end is behind it */
	uint64_t node;
};

/* NULL, 0 or nr 0 means that the recording does not have the information. */
struct header {
	char *hostname, *os_release, *version, *arch, *cpu_desc, *cpu_id;
	uint32_t nr_cpus_online, nr_cpus_available;
	/* the number of a core is that on its socket; by CPU; -1: it was offline */
	ARRAY_OF(int32_t) sockets, cores;
	ARRAY_OF(int32_t) cpu_nodes;	/* by CPU; -1: unknown */
	ARRAY_OF(struct header_memory) memory;	/* in no order */
	uint64_t total_memory_kb;
	char **cmdline;			/* NULL-terminated */
	ARRAY_OF(struct header_pmu) pmus;
	uint64_t first_sample_time, last_sample_time;
	struct build_id kernel;		/* the running image */
	char *kallsyms;			/* path of a copy of /proc/kallsyms beside the records */
	char *kernel_name;		/* "[kernel.kallsyms]", or the path of its vmlinux */
	ARRAY_OF(struct header_build_id) build_ids;	/* of binaries with samples */
	ARRAY_OF(struct header_detail) details;	/* of CPU_PMU_CAPS, PMU_CAPS, BPF_*, topologies */
	struct {
		struct header_sched_domain *items;
		size_t nr, alloc;
		uint32_t version;	/* of /proc/schedstat */
	} sched_domains;
	uint64_t dir_version;		/* of the format of a directory */
	int32_t clockid;		/* -1: perf's clock */
	uint64_t clock_resolution;	/* ns */
	uint64_t wall_time, clock_time;	/* the same instant by the wall clock and by clockid, ns */
	uint32_t compression_type, compression_level, compression_ratio;

	ARRAY_OF(struct header_note) notes;

	char *embedded;			/* embedded data of the binaries (symbol/embedded.h) */
	size_t embedded_size;

	/* About the file itself. */
	bool is_pipe, is_truncated;
	time_t written;
	uint64_t data_offset, data_size;
	uint64_t features[FEATURE_WORDS];	/* bit n of word n / 64: feature n exists */
};

void header_deinit(struct header *header);

/* Append a note with copies of @name and of the first @size bytes of @text. */
struct error *header_add_note(struct header *header, const char *name, const char *text,
			      size_t size);

/* Describe this machine at this time, for records that are read while they are recorded. */
struct error *header_init_local(struct header *header);

/* Whether the header says that the recording was made on this host. */
bool header_is_local(const struct header *header);

static inline bool header_has(const struct header *header, enum feature feature)
{
	return header->features[feature / 64] >> feature % 64 & 1;
}

#endif
