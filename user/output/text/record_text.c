// SPDX-License-Identifier: GPL-2.0
#include "output/text/record_text.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "record/body.h"
#include "record/record.h"

/* Appends the content of a record.  It has at least the body size of the table. */
typedef void add_body(struct strbuf *line, const struct perf_event_header *header,
		      const void *body);

static int text_length(const struct perf_event_header *header, const char *text)
{
	return body_text_length(header, text);
}

static void record_text_add_id_index(struct strbuf *line, const struct perf_event_header *header,
				     const void *body)
{
	const struct body_id_index *b = body;
	uint64_t nr = body_items(header, b->items, b->nr, sizeof(b->items[0]));

	strbuf_addf(line, " nr: %lu\n", (unsigned long)b->nr);
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, " ... id: %lu  idx: %lu  cpu: %ld  tid: %ld\n",
			    (unsigned long)b->items[i].id, (unsigned long)b->items[i].idx,
			    (long)b->items[i].cpu, (long)b->items[i].tid);
}

static void record_text_add_thread_map(struct strbuf *line, const struct perf_event_header *header,
				       const void *body)
{
	const struct body_thread_map *b = body;
	uint64_t nr = body_items(header, b->items, b->nr, sizeof(b->items[0]));

	strbuf_addf(line, " nr: %lu thread%s: ", (unsigned long)b->nr, b->nr > 1 ? "s" : "");
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, "%s%d", i ? ", " : "", (int)b->items[i].pid);
	strbuf_addch(line, '\n');
}

/* Append "0-3,7"; -1 stands for any CPU. */
static void record_text_add_cpus(struct strbuf *line, const struct perf_event_header *header,
				 const struct body_cpu_map *b, const char *before)
{
	const uint16_t *cpus = b->list.cpus;
	uint64_t nr = body_items(header, cpus, b->list.nr, sizeof(*cpus));

	if (b->type == BODY_CPU_MAP_RANGE) {
		strbuf_addf(line, "%s%s%u", before, b->range.any ? "-1," : "", b->range.first);
		if (b->range.last != b->range.first)
			strbuf_addf(line, "-%u", b->range.last);
		strbuf_addch(line, '\n');
		return;
	}
	if (b->type != BODY_CPU_MAP_LIST) {
		strbuf_addch(line, '\n');
		return;
	}
	strbuf_addstr(line, before);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t last = i;

		while (last + 1 < nr && cpus[last + 1] == cpus[last] + 1)
			last++;
		strbuf_addf(line, "%s%d", i ? "," : "", (int16_t)cpus[i]);
		if (last > i)
			strbuf_addf(line, "-%d", (int16_t)cpus[last]);
		i = last;
	}
	strbuf_addch(line, '\n');
}

static void record_text_add_cpu_map(struct strbuf *line, const struct perf_event_header *header,
				    const void *body)
{
	record_text_add_cpus(line, header, body, ": ");
}

static void record_text_add_stat_config(struct strbuf *line,
					const struct perf_event_header *header, const void *body)
{
	static const struct {
		uint64_t tag;
		const char *name;
	} shown[] = {
		{ BODY_STAT_CONFIG_AGGREGATION, "aggr_mode" },
		{ BODY_STAT_CONFIG_SCALE, "scale    " },
		{ BODY_STAT_CONFIG_INTERVAL, "interval " },
	};
	const struct body_stat_config *b = body;
	uint64_t nr = body_items(header, b->items, b->nr, sizeof(b->items[0]));

	strbuf_addch(line, '\n');
	for (size_t s = 0; s < ARRAY_SIZE(shown); s++)
		for (uint64_t i = 0; i < nr; i++)
			if (b->items[i].tag == shown[s].tag)
				strbuf_addf(line, "... %s %d\n", shown[s].name,
					    (int)b->items[i].value);
}

static void record_text_add_update(struct strbuf *line, const struct perf_event_header *header,
				   const void *body)
{
	const struct body_event_update *b = body;
	int length = text_length(header, b->data);
	double scale = 0;

	strbuf_addf(line, "\n... id:    %lu\n", (unsigned long)b->id);
	if (b->type == BODY_UPDATE_UNIT)
		strbuf_addf(line, "... unit:  %.*s\n", length, b->data);
	if (b->type == BODY_UPDATE_SCALE && body_left(header, b->data) >= sizeof(scale)) {
		memcpy(&scale, b->data, sizeof(scale));
		strbuf_addf(line, "... scale: %f\n", scale);
	}
	if (b->type == BODY_UPDATE_NAME)
		strbuf_addf(line, "... name:  %.*s\n", length, b->data);
	if (b->type == BODY_UPDATE_CPUS &&
	    body_left(header, b->data) >= sizeof(struct body_cpu_map))
		record_text_add_cpus(line, header, (const struct body_cpu_map *)b->data, "... ");
}

static void record_text_add_task(struct strbuf *line, const struct perf_event_header *header,
				 const void *body)
{
	const struct body_task *b = body;

	strbuf_addf(line, "(%d:%d):(%d:%d)\n", b->pid, b->tid, b->ppid, b->ptid);
}

static void record_text_add_comm(struct strbuf *line, const struct perf_event_header *header,
				 const void *body)
{
	const struct body_comm *b = body;

	strbuf_addf(line, "%s: %.*s:%d/%d\n",
		    header->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "",
		    text_length(header, b->comm), b->comm, b->pid, b->tid);
}

static void record_text_add_mmap(struct strbuf *line, const struct perf_event_header *header,
				 const void *body)
{
	const struct body_mmap *b = body;

	strbuf_addf(line, " %d/%d: [%#lx(%#lx) @ %#lx]: %c %.*s\n", b->pid, b->tid,
		    (unsigned long)b->addr, (unsigned long)b->len, (unsigned long)b->pgoff,
		    header->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x',
		    text_length(header, b->filename), b->filename);
}

static void record_text_add_mmap2(struct strbuf *line, const struct perf_event_header *header,
				  const void *body)
{
	const struct body_mmap2 *b = body;

	strbuf_addf(line, " %d/%d: [%#lx(%#lx) @ %#lx ", b->pid, b->tid,
		    (unsigned long)b->addr, (unsigned long)b->len, (unsigned long)b->pgoff);
	if (body_mmap2_has_build_id(header, b)) {
		strbuf_addch(line, '<');
		for (unsigned int i = 0; i < b->build_id_size; i++)
			strbuf_addf(line, "%02x", b->build_id[i]);
		strbuf_addch(line, '>');
	} else {
		strbuf_addf(line, "%02x:%02x %lu %lu", b->major, b->minor,
			    (unsigned long)b->inode, (unsigned long)b->generation);
	}
	strbuf_addf(line, "]: %c%c%c%c %.*s\n", b->prot & PROT_READ ? 'r' : '-',
		    b->prot & PROT_WRITE ? 'w' : '-', b->prot & PROT_EXEC ? 'x' : '-',
		    b->flags & MAP_SHARED ? 's' : 'p',
		    text_length(header, b->filename), b->filename);
}

static const char *direction(const struct perf_event_header *header)
{
	if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return "IN         ";
	return header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

static void record_text_add_switch(struct strbuf *line, const struct perf_event_header *header,
				   const void *body)
{
	strbuf_addf(line, " %s\n", direction(header));
}

static void record_text_add_cpu_switch(struct strbuf *line,
				       const struct perf_event_header *header, const void *body)
{
	const struct body_switch *b = body;

	strbuf_addf(line, " %s  %s pid/tid: %5d/%-5d\n", direction(header),
		    header->misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev",
		    b->other_pid, b->other_tid);
}

static void record_text_add_namespaces(struct strbuf *line, const struct perf_event_header *header,
				       const void *body)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct body_namespaces *b = body;
	uint64_t nr = body_items(header, b->links, b->nr, sizeof(b->links[0]));

	strbuf_addf(line, " %d/%d - nr_namespaces: %lu\n\t\t[", b->pid, b->tid,
		    (unsigned long)b->nr);
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, "%s%lu/%s: %lu/%#lx%s", i && i % 4 == 0 ? "\n\t\t " : "",
			    (unsigned long)i, i < ARRAY_SIZE(names) ? names[i] : "unknown",
			    (unsigned long)b->links[i].dev, (unsigned long)b->links[i].inode,
			    i + 1 < nr ? ", " : "]\n");
}

static void record_text_add_cgroup(struct strbuf *line, const struct perf_event_header *header,
				   const void *body)
{
	const struct body_cgroup *b = body;

	strbuf_addf(line, " cgroup: %lu %.*s\n", (unsigned long)b->id,
		    text_length(header, b->path), b->path);
}

static void record_text_add_ksymbol(struct strbuf *line, const struct perf_event_header *header,
				    const void *body)
{
	const struct body_ksymbol *b = body;

	strbuf_addf(line, " addr %lx len %u type %u flags 0x%x name %.*s\n",
		    (unsigned long)b->addr, b->len, b->type, b->flags,
		    text_length(header, b->name), b->name);
}

static void record_text_add_bpf_event(struct strbuf *line, const struct perf_event_header *header,
				      const void *body)
{
	const struct body_bpf_event *b = body;

	strbuf_addf(line, " type %u, flags %u, id %u\n", b->type, b->flags, b->id);
}

/* Append one side of a change, as rows of bytes. */
static void add_poked(struct strbuf *line, const char *side, const uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		if (i % 16 == 0)
			strbuf_addf(line, "            %s bytes:", side);
		strbuf_addf(line, " %02x", bytes[i]);
		if (i % 16 == 15 || i + 1 == size)
			strbuf_addch(line, '\n');
	}
}

void record_text_add_poke(struct strbuf *line, const struct perf_event_header *header,
			  const char *symbol)
{
	const struct body_text_poke *b = body_of_size(header,
						      offsetof(struct body_text_poke, bytes));
	uint64_t left, old, new;

	strbuf_addf(line, "PERF_RECORD_%s", record_type_name(header->type));
	if (!b) {
		strbuf_addch(line, '\n');
		return;
	}
	left = body_left(header, b->bytes);
	old = b->old_len < left ? b->old_len : left;
	new = b->new_len < left - old ? b->new_len : left - old;
	strbuf_addf(line, " %lx %s old len %u new len %u\n", (unsigned long)b->addr, symbol,
		    b->old_len, b->new_len);
	add_poked(line, "Old", b->bytes, old);
	add_poked(line, "New", b->bytes + old, new);
}

static void record_text_add_lost(struct strbuf *line, const struct perf_event_header *header,
				 const void *body)
{
	const struct body_lost *b = body;

	strbuf_addf(line, " lost %lu\n", (unsigned long)b->lost);
}

static void record_text_add_deferred(struct strbuf *line, const struct perf_event_header *header,
				     const void *body)
{
	const struct body_callchain_deferred *b = body;
	uint64_t nr = body_items(header, b->ips, b->nr, sizeof(b->ips[0]));

	strbuf_addf(line, " number %#lx nr %lu\n", (unsigned long)b->number, (unsigned long)b->nr);
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, "..... %2lu: %016lx\n", (unsigned long)i,
			    (unsigned long)b->ips[i]);
}

static void record_text_add_bpf_metadata(struct strbuf *line,
					 const struct perf_event_header *header, const void *body)
{
	const struct body_bpf_metadata *b = body;
	uint64_t nr = body_items(header, b->items, b->nr, sizeof(b->items[0]));
	size_t from = line->len;

	strbuf_addf(line, " program %.*s", (int)sizeof(b->program), b->program);
	escape_line_ends(line, from);
	strbuf_addch(line, '\n');
	for (uint64_t i = 0; i < nr; i++) {
		from = line->len;
		strbuf_addf(line, "  entry %lu: %.*s = %.*s", (unsigned long)i,
			    (int)sizeof(b->items[i].key), b->items[i].key,
			    (int)sizeof(b->items[i].value), b->items[i].value);
		escape_line_ends(line, from);
		strbuf_addch(line, '\n');
	}
}

/* As /proc/schedstat has them. */
static void record_text_add_sched_cpu(struct strbuf *line, const struct perf_event_header *header,
				      const void *body)
{
	const struct body_schedstat_cpu *b = body;

	strbuf_addf(line, " version %u jiffies %lu\ncpu%u", b->version, (unsigned long)b->jiffies,
		    b->cpu);
	for (size_t i = 0; i < ARRAY_SIZE(b->counts); i++)
		strbuf_addf(line, " %u", b->counts[i]);
	for (size_t i = 0; i < ARRAY_SIZE(b->times); i++)
		strbuf_addf(line, " %lu", (unsigned long)b->times[i]);
	strbuf_addch(line, '\n');
}

static void record_text_add_sched_domain(struct strbuf *line,
					 const struct perf_event_header *header, const void *body)
{
	const struct body_schedstat_domain *b = body;
	/* Records are padded to 8 bytes: versions before 17 have 36 numbers, and that 45. */
	uint64_t nr = body_items(header, b->counts, b->version < 17 ? 36 : BODY_SCHEDSTAT_COUNTS,
				 sizeof(b->counts[0]));

	strbuf_addf(line, " version %u jiffies %lu\ncpu%u domain%u", b->version,
		    (unsigned long)b->jiffies, b->cpu, b->domain);
	for (uint64_t i = 0; i < nr; i++)
		strbuf_addf(line, " %u", b->counts[i]);
	strbuf_addch(line, '\n');
}

/* For other types, only the name is printed. */
static const struct {
	size_t size;		/* of the body, bytes at least */
	add_body *add;
} bodies[] = {
	[PERF_RECORD_FORK] = { sizeof(struct body_task), record_text_add_task },
	[PERF_RECORD_EXIT] = { sizeof(struct body_task), record_text_add_task },
	[PERF_RECORD_COMM] = { sizeof(struct body_comm), record_text_add_comm },
	[PERF_RECORD_MMAP] = { sizeof(struct body_mmap), record_text_add_mmap },
	[PERF_RECORD_MMAP2] = { sizeof(struct body_mmap2), record_text_add_mmap2 },
	[PERF_RECORD_SWITCH] = { 0, record_text_add_switch },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { sizeof(struct body_switch), record_text_add_cpu_switch },
	[PERF_RECORD_NAMESPACES] = { sizeof(struct body_namespaces), record_text_add_namespaces },
	[PERF_RECORD_CGROUP] = { sizeof(struct body_cgroup), record_text_add_cgroup },
	[PERF_RECORD_KSYMBOL] = { sizeof(struct body_ksymbol), record_text_add_ksymbol },
	[PERF_RECORD_BPF_EVENT] = { sizeof(struct body_bpf_event), record_text_add_bpf_event },
	[PERF_RECORD_LOST] = { sizeof(struct body_lost), record_text_add_lost },
	[RECORD_ID_INDEX] = { sizeof(struct body_id_index), record_text_add_id_index },
	[RECORD_THREAD_MAP] = { sizeof(struct body_thread_map), record_text_add_thread_map },
	[RECORD_CPU_MAP] = { sizeof(struct body_cpu_map), record_text_add_cpu_map },
	[RECORD_STAT_CONFIG] = { sizeof(struct body_stat_config), record_text_add_stat_config },
	[RECORD_EVENT_UPDATE] = { sizeof(struct body_event_update), record_text_add_update },
	[RECORD_CALLCHAIN_DEFERRED] = { sizeof(struct body_callchain_deferred),
					record_text_add_deferred },
	[RECORD_BPF_METADATA] = { sizeof(struct body_bpf_metadata), record_text_add_bpf_metadata },
	[RECORD_SCHEDSTAT_CPU] = { sizeof(struct body_schedstat_cpu), record_text_add_sched_cpu },
	[RECORD_SCHEDSTAT_DOMAIN] = { sizeof(struct body_schedstat_domain),
				      record_text_add_sched_domain },
};

static void record_text_add_record(struct strbuf *line, const struct perf_event_header *header)
{
	const void *body;

	if (header->type == PERF_RECORD_TEXT_POKE) {
		record_text_add_poke(line, header, "");
		return;
	}
	strbuf_addf(line, "PERF_RECORD_%s", record_type_name(header->type));
	if (header->type < ARRAY_SIZE(bodies) && bodies[header->type].add) {
		body = body_of_size(header, bodies[header->type].size);
		if (body) {
			bodies[header->type].add(line, header, body);
			return;
		}
	}
	strbuf_addch(line, '\n');
}

void record_text_add(struct strbuf *line, const struct perf_event_header *header)
{
	size_t from = line->len;

	record_text_add_record(line, header);
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
