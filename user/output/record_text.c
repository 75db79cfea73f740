// SPDX-License-Identifier: GPL-2.0
#include "output/record_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "record/record.h"

/* The text from @offset to the record's end; bounded, not terminated. */
struct text {
	const char *p;
	int len;
};

static struct text text_at(const struct perf_event_header *header, size_t offset)
{
	const char *p = (const char *)header + offset;

	if (offset >= header->size)
		return (struct text){ "", 0 };
	return (struct text){ p, strnlen(p, header->size - offset) };
}

struct task_record {
	struct perf_event_header header;
	int32_t pid, ppid, tid, ptid;
};

struct comm_record {
	struct perf_event_header header;
	int32_t pid, tid;
	char comm[];
};

struct mmap_record {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t start, len, pgoff;
	char filename[];
};

struct mmap2_record {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t start, len, pgoff;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};

struct switch_record {
	struct perf_event_header header;
	int32_t other_pid, other_tid;
};

struct namespaces_record {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t nr;
	struct {
		uint64_t dev, inode;
	} links[];
};

struct cgroup_record {
	struct perf_event_header header;
	uint64_t id;
	char path[];
};

struct ksymbol_record {
	struct perf_event_header header;
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	char name[];
};

struct bpf_record {
	struct perf_event_header header;
	uint16_t type, flags;
	uint32_t id;
};

/* The layout of LOST; LOST_SAMPLES has no id. */
struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

struct id_index_record {
	struct perf_event_header header;
	uint64_t nr;
	struct {
		uint64_t id, idx, cpu, tid;
	} items[];
};

struct thread_map_record {
	struct perf_event_header header;
	uint64_t nr;
	struct {
		uint64_t pid;
		char comm[16];
	} items[];
};

/* A later property of an event: `type` says which. */
struct event_update_record {
	struct perf_event_header header;
	uint64_t type, id;
	union {
		double scale;
		char text[8];	/* and more */
	};
};

enum event_update_type { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME };

/* A list of CPUs, or a first and a last one; masks are not printed. */
struct cpu_map_record {
	struct perf_event_header header;
	uint16_t type;
	union {
		uint16_t nr;
		uint8_t any;
	};
	uint16_t cpus[];
};

enum cpu_map_type { CPU_MAP_LIST, CPU_MAP_MASK, CPU_MAP_RANGE };

/* How many of @nr items of @size bytes fit between @offset and the record's end. */
static uint64_t fitting(const struct perf_event_header *header, uint64_t nr, size_t offset,
			size_t size)
{
	uint64_t fit = (header->size - offset) / size;

	return nr < fit ? nr : fit;
}

static void add_id_index(struct strbuf *line, const struct id_index_record *r)
{
	uint64_t nr = fitting(&r->header, r->nr, sizeof(*r), sizeof(r->items[0]));

	strbuf_addf(line, " nr: %lu\n", (unsigned long)r->nr);
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, " ... id: %lu  idx: %lu  cpu: %ld  tid: %ld\n",
			    (unsigned long)r->items[i].id, (unsigned long)r->items[i].idx,
			    (long)r->items[i].cpu, (long)r->items[i].tid);
}

static void add_thread_map(struct strbuf *line, const struct thread_map_record *r)
{
	uint64_t nr = fitting(&r->header, r->nr, sizeof(*r), sizeof(r->items[0]));

	strbuf_addf(line, " nr: %lu thread%s: ", (unsigned long)r->nr, r->nr > 1 ? "s" : "");
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, "%s%d", i ? ", " : "", (int)r->items[i].pid);
	strbuf_addch(line, '\n');
}

/* Append "0-3,7"; -1 stands for any CPU. */
static void add_cpu_map(struct strbuf *line, const struct cpu_map_record *r)
{
	uint64_t nr = fitting(&r->header, r->nr, sizeof(*r), sizeof(r->cpus[0]));

	if (r->type == CPU_MAP_RANGE && r->header.size >= sizeof(*r) + 4) {
		strbuf_addf(line, ": %s%u-%u\n", r->any ? "-1," : "", r->cpus[0], r->cpus[1]);
		return;
	}
	if (r->type != CPU_MAP_LIST) {
		strbuf_addch(line, '\n');
		return;
	}
	strbuf_addstr(line, ": ");
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t last = i;

		while (last + 1 < nr && r->cpus[last + 1] == r->cpus[last] + 1)
			last++;
		strbuf_addf(line, "%s%d", i ? "," : "", (int16_t)r->cpus[i]);
		if (last > i)
			strbuf_addf(line, "-%d", (int16_t)r->cpus[last]);
		i = last;
	}
	strbuf_addch(line, '\n');
}

static void add_event_update(struct strbuf *line, const struct event_update_record *r)
{
	struct text text = text_at(&r->header, offsetof(struct event_update_record, text));

	strbuf_addf(line, "\n... id:    %lu\n", (unsigned long)r->id);
	if (r->type == UPDATE_UNIT)
		strbuf_addf(line, "... unit:  %.*s\n", text.len, text.p);
	else if (r->type == UPDATE_SCALE)
		strbuf_addf(line, "... scale: %f\n", r->scale);
	else if (r->type == UPDATE_NAME)
		strbuf_addf(line, "... name:  %.*s\n", text.len, text.p);
}

static void add_task(struct strbuf *line, const struct task_record *r)
{
	strbuf_addf(line, "(%d:%d):(%d:%d)\n", r->pid, r->tid, r->ppid, r->ptid);
}

static void add_comm(struct strbuf *line, const struct comm_record *r)
{
	struct text comm = text_at(&r->header, offsetof(struct comm_record, comm));

	strbuf_addf(line, "%s: %.*s:%d/%d\n",
		    r->header.misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "",
		    comm.len, comm.p, r->pid, r->tid);
}

static void add_mmap(struct strbuf *line, const struct mmap_record *r)
{
	struct text name = text_at(&r->header, offsetof(struct mmap_record, filename));

	strbuf_addf(line, " %d/%d: [%#lx(%#lx) @ %#lx]: %c %.*s\n", r->pid, r->tid,
		    (unsigned long)r->start, (unsigned long)r->len, (unsigned long)r->pgoff,
		    r->header.misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x', name.len, name.p);
}

static void add_mmap2(struct strbuf *line, const struct mmap2_record *r)
{
	struct text name = text_at(&r->header, offsetof(struct mmap2_record, filename));

	strbuf_addf(line, " %d/%d: [%#lx(%#lx) @ %#lx ", r->pid, r->tid,
		    (unsigned long)r->start, (unsigned long)r->len, (unsigned long)r->pgoff);
	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		strbuf_addch(line, '<');
		for (unsigned int i = 0; i < r->build_id_size && i < sizeof(r->build_id); i++)
			strbuf_addf(line, "%02x", r->build_id[i]);
		strbuf_addch(line, '>');
	} else {
		strbuf_addf(line, "%02x:%02x %lu %lu", r->major, r->minor,
			    (unsigned long)r->inode, (unsigned long)r->generation);
	}
	strbuf_addf(line, "]: %c%c%c%c %.*s\n", r->prot & PROT_READ ? 'r' : '-',
		    r->prot & PROT_WRITE ? 'w' : '-', r->prot & PROT_EXEC ? 'x' : '-',
		    r->flags & MAP_SHARED ? 's' : 'p', name.len, name.p);
}

static const char *direction(const struct perf_event_header *header)
{
	if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return "IN         ";
	return header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

static void add_switch_cpu_wide(struct strbuf *line, const struct switch_record *r)
{
	strbuf_addf(line, " %s  %s pid/tid: %5d/%-5d\n", direction(&r->header),
		    r->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev",
		    r->other_pid, r->other_tid);
}

static void add_namespaces(struct strbuf *line, const struct namespaces_record *r)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	uint64_t fit = (r->header.size - sizeof(*r)) / sizeof(r->links[0]);
	uint64_t nr = r->nr < fit ? r->nr : fit;

	strbuf_addf(line, " %d/%d - nr_namespaces: %lu\n\t\t[", r->pid, r->tid,
		    (unsigned long)r->nr);
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, "%s%lu/%s: %lu/%#lx%s", i && i % 4 == 0 ? "\n\t\t " : "",
			    (unsigned long)i, i < ARRAY_SIZE(names) ? names[i] : "unknown",
			    (unsigned long)r->links[i].dev, (unsigned long)r->links[i].inode,
			    i + 1 < nr ? ", " : "]\n");
}

static void add_cgroup(struct strbuf *line, const struct cgroup_record *r)
{
	struct text path = text_at(&r->header, offsetof(struct cgroup_record, path));

	strbuf_addf(line, " cgroup: %lu %.*s\n", (unsigned long)r->id, path.len, path.p);
}

static void add_ksymbol(struct strbuf *line, const struct ksymbol_record *r)
{
	struct text name = text_at(&r->header, offsetof(struct ksymbol_record, name));

	strbuf_addf(line, " addr %lx len %u type %u flags 0x%x name %.*s\n",
		    (unsigned long)r->addr, r->len, r->type, r->flags, name.len, name.p);
}

static void add_bpf(struct strbuf *line, const struct bpf_record *r)
{
	strbuf_addf(line, " type %u, flags %u, id %u\n", r->type, r->flags, r->id);
}

static void add_lost(struct strbuf *line, const struct lost_record *r)
{
	strbuf_addf(line, " lost %lu\n", (unsigned long)r->lost);
}

static void add_record(struct strbuf *line, const struct perf_event_header *header)
{
	size_t size = header->size;
	const void *r = header;

	strbuf_addf(line, "PERF_RECORD_%s", record_type_name(header->type));
	switch (header->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (size >= sizeof(struct task_record))
			return add_task(line, r);
		break;
	case PERF_RECORD_COMM:
		if (size >= sizeof(struct comm_record))
			return add_comm(line, r);
		break;
	case PERF_RECORD_MMAP:
		if (size >= sizeof(struct mmap_record))
			return add_mmap(line, r);
		break;
	case PERF_RECORD_MMAP2:
		if (size >= sizeof(struct mmap2_record))
			return add_mmap2(line, r);
		break;
	case PERF_RECORD_SWITCH:
		strbuf_addf(line, " %s\n", direction(header));
		return;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (size >= sizeof(struct switch_record))
			return add_switch_cpu_wide(line, r);
		break;
	case PERF_RECORD_NAMESPACES:
		if (size >= sizeof(struct namespaces_record))
			return add_namespaces(line, r);
		break;
	case PERF_RECORD_CGROUP:
		if (size >= sizeof(struct cgroup_record))
			return add_cgroup(line, r);
		break;
	case PERF_RECORD_KSYMBOL:
		if (size >= sizeof(struct ksymbol_record))
			return add_ksymbol(line, r);
		break;
	case PERF_RECORD_BPF_EVENT:
		if (size >= sizeof(struct bpf_record))
			return add_bpf(line, r);
		break;
	case PERF_RECORD_LOST:
		if (size >= sizeof(struct lost_record))
			return add_lost(line, r);
		break;
	case RECORD_ID_INDEX:
		if (size >= sizeof(struct id_index_record))
			return add_id_index(line, r);
		break;
	case RECORD_THREAD_MAP:
		if (size >= sizeof(struct thread_map_record))
			return add_thread_map(line, r);
		break;
	case RECORD_CPU_MAP:
		if (size >= sizeof(struct cpu_map_record))
			return add_cpu_map(line, r);
		break;
	case RECORD_EVENT_UPDATE:
		if (size >= sizeof(struct event_update_record))
			return add_event_update(line, r);
		break;
	}
	strbuf_addch(line, '\n');
}

void record_text_add(struct strbuf *line, const struct perf_event_header *header)
{
	size_t from = line->len;

	add_record(line, header);
	switch (header->type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_KSYMBOL:
		/* These records end with a name, and are one line each. */
		if (line->failed || line->len == from)
			return;
		line->len--;
		escape_line_ends(line, from);
		strbuf_addch(line, '\n');
	}
}
