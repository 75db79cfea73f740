// SPDX-License-Identifier: GPL-2.0
/*
 * All of this runs on the only CPU that is still running, with interrupts disabled.  The other CPUs
 * were stopped anywhere, maybe while they held locks.  So nothing here takes a lock or allocates,
 * and nothing writes to the rings.
 */
#include "crash/last_words.h"

#include <linux/cpumask.h>
#include <linux/ktrace.h>
#include <linux/ktrace_dump.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/utsname.h>
#include <linux/xarray.h>

#include "capture/capture.h"
#include "ring/ring.h"

static unsigned int dump_on_panic;
module_param(dump_on_panic, uint, 0644);
MODULE_PARM_DESC(dump_on_panic, "When the kernel panics, print this number of the newest records of each session; 'ktrace recover' reads them (default: 0)");

/* The position up to which a ring was read. */
struct cursor {
	u64 pos, end;
};

/*
 * In an NMI, printed text waits in the log until the console gets it.  Text beyond the size of the
 * log would push the reason of the panic out of it.  So half of the log is left for other messages.
 */
#define LOG_SHARE	((1ULL << CONFIG_LOG_BUF_SHIFT) / 2)
/* The bytes that the log takes for a line, besides the text that is counted. */
#define LINE_BYTES	160

static const struct ktrace_last_words_sessions *sessions;
static struct cursor *cursors;		/* by CPU */
static u64 room;			/* for printed text, in bytes */
static unsigned int nr_sessions;	/* that were printed */

#define say(format, ...) pr_info(KTRACE_DUMP_PREFIX format "\n", ##__VA_ARGS__)

/* Returns the record at the cursor, or NULL: there is none, or it is not a valid record. */
static const struct perf_event_header *record_at(const struct ktrace_ring *ring,
						 const struct cursor *cursor)
{
	const struct perf_event_header *header = ring->data + (cursor->pos & ring->mask);
	u64 left = cursor->end - cursor->pos;

	if (cursor->pos % sizeof(u64) || left < sizeof(*header) || left > ring->size ||
	    header->size % sizeof(u64) || header->size > left)
		return NULL;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return header->size > ring->time_offset + sizeof(u64) ? header : NULL;
	case PERF_RECORD_LOST:
		return header->size >= KTRACE_LOST_TIME_OFFSET + sizeof(u64) ? header : NULL;
	default:
		return NULL;
	}
}

/* Returns the address of the record's time.  The pid and tid are directly in front of it. */
static const u64 *find_time(const struct ktrace_ring *ring, const struct perf_event_header *header)
{
	u32 offset = header->type == PERF_RECORD_SAMPLE ? ring->time_offset :
							  KTRACE_LOST_TIME_OFFSET;

	return (const void *)header + offset;
}

/*
 * Returns the event of a record.  Both kinds of records begin with the id, but samples only in
 * sessions with ids.
 */
static const struct ktrace_event *event_of(const struct ktrace_last_words_view *view,
					   const struct perf_event_header *header)
{
	struct ktrace_event *only = xa_load(view->events, 0);

	return only && !only->has_ids ? only : xa_load(view->ids, *(const u64 *)(header + 1));
}

static void rewind(const struct ktrace_last_words_view *view)
{
	unsigned int cpu;

	for_each_cpu(cpu, view->cpus) {
		const struct ktrace_ring *ring = view->rings[cpu];

		cursors[cpu] = (struct cursor){
			.pos = READ_ONCE(ring->tail->data_tail),
			.end = READ_ONCE(ring->published),
		};
	}
}

static u64 count_records(const struct ktrace_last_words_view *view)
{
	const struct perf_event_header *header;
	unsigned int cpu;
	u64 nr = 0;

	rewind(view);
	for_each_cpu(cpu, view->cpus)
		while ((header = record_at(view->rings[cpu], &cursors[cpu]))) {
			cursors[cpu].pos += header->size;
			nr++;
		}
	rewind(view);
	return nr;
}

/* The bytes that the lines of a record take in the log. */
static u64 text_bytes(const struct perf_event_header *header)
{
	return DIV_ROUND_UP(header->size, KTRACE_DUMP_BYTES) * LINE_BYTES + header->size / 3 * 4;
}

/* Takes the oldest record that is left. */
static const struct perf_event_header *
take_oldest_record(const struct ktrace_last_words_view *view, unsigned int *ret_cpu)
{
	const struct perf_event_header *oldest = NULL, *header;
	u64 time, oldest_time = 0;
	unsigned int cpu;

	for_each_cpu(cpu, view->cpus) {
		header = record_at(view->rings[cpu], &cursors[cpu]);
		if (!header)
			continue;
		time = *find_time(view->rings[cpu], header);
		if (oldest && time >= oldest_time)
			continue;
		oldest = header;
		oldest_time = time;
		*ret_cpu = cpu;
	}
	if (oldest)
		cursors[*ret_cpu].pos += oldest->size;
	return oldest;
}

/* Writes base64, its sum and a NUL. */
static void encode_bytes(char *to, const u8 *bytes, u32 size)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *text = to;
	u32 i, n, word, sum = 0;

	for (i = 0; i < size; i += 3) {
		n = min(size - i, 3U);
		word = bytes[i] << 16 | (n > 1 ? bytes[i + 1] << 8 : 0) |
		       (n > 2 ? bytes[i + 2] : 0);
		*to++ = letters[word >> 18];
		*to++ = letters[word >> 12 & 63];
		*to++ = n > 1 ? letters[word >> 6 & 63] : '=';
		*to++ = n > 2 ? letters[word & 63] : '=';
	}
	while (text < to)
		sum = sum * 31 + *text++;
	sprintf(to, "#%04x", sum & 0xffff);
}

static const char *name_of(const struct ktrace_event *event)
{
	return event && event->name ? event->name : "-";
}

static void print_record(const struct ktrace_last_words_view *view, unsigned int cpu,
			 const struct perf_event_header *header)
{
	static char text[KTRACE_DUMP_BYTES / 3 * 4 + sizeof("#0000")];
	const u8 *bytes = (const u8 *)header;
	const char *name = name_of(event_of(view, header));
	const u64 *found = find_time(view->rings[cpu], header);
	u64 time = *found;
	u32 at, size, ns;

	for (at = 0; at < header->size; at += size) {
		size = min_t(u32, header->size - at, KTRACE_DUMP_BYTES);
		encode_bytes(text, bytes + at, size);
		if (at) {
			say("+ %s", text);
			continue;
		}
		time = div_u64_rem(time, NSEC_PER_SEC, &ns);
		say("%u [%03u] %llu.%09u %d %*pEp %s", nr_sessions, cpu, time, ns,
		    *(const int *)(found - 1), (int)strlen(name), name, text);
	}
}

static void print_event(const struct ktrace_event *event)
{
	const char *name = name_of(event);

	say("event %u %llx config %llx type %llx fields %llx strings %u %*pEp", nr_sessions,
	    event->id, event->config, event->sample_type, event->fields,
	    event->user_strings, (int)strlen(name), name);
}

static void print_head(const struct ktrace_last_words_view *view, u64 nr, u64 held)
{
	struct ktrace_event *event;
	unsigned long index;

	say("session %u pid %d clock %d records %llu of %llu", nr_sessions, view->pid,
	    view->clockid, nr, held);
	xa_for_each(view->events, index, event)
		print_event(event);
}

/* The bytes of the lines before and behind the records. */
static u64 head_bytes(const struct ktrace_last_words_view *view)
{
	struct ktrace_event *event;
	unsigned long index;
	u64 bytes = 2 * LINE_BYTES;

	xa_for_each(view->events, index, event)
		bytes += 2 * LINE_BYTES;
	return bytes;
}

/* How many of the oldest records are skipped, so that the newer ones fit into the room. */
static u64 count_skipped(const struct ktrace_last_words_view *view, u64 held)
{
	u64 skip = held > dump_on_panic ? held - dump_on_panic : 0, bytes = 0, i;
	const struct perf_event_header *header;
	unsigned int cpu;

	for (i = 0; (header = take_oldest_record(view, &cpu)); i++)
		bytes += i >= skip ? text_bytes(header) : 0;
	rewind(view);
	for (i = 0; bytes > room && (header = take_oldest_record(view, &cpu)); i++)
		if (i >= skip) {
			bytes -= text_bytes(header);
			skip++;
		}
	rewind(view);
	room -= bytes;
	return skip;
}

static void print_session(const struct ktrace_last_words_view *view)
{
	const struct perf_event_header *header;
	u64 held = count_records(view), skip, i;
	unsigned int cpu;

	if (head_bytes(view) > room) {
		pr_warn("the log has no room for the records of the session of process %d\n",
			view->pid);
		return;
	}
	room -= head_bytes(view);
	skip = count_skipped(view, held);
	print_head(view, held - skip, held);
	for (i = 0; (header = take_oldest_record(view, &cpu)); i++) {
		/* As other dumps do: serial lines are slow. */
		touch_nmi_watchdog();
		if (i >= skip)
			print_record(view, cpu, header);
	}
	/* If the memory for the console is small, it may have lost the first copy. */
	print_head(view, held - skip, held);
	nr_sessions++;
}

static int panicked(struct notifier_block *notifier, unsigned long action, void *data)
{
	if (!dump_on_panic)
		return NOTIFY_DONE;
	/* Printing fires events, which would overwrite the events that led here. */
	sessions->close_all_gates();
	room = in_nmi() ? LOG_SHARE : U64_MAX;
	say("begin %d %s", KTRACE_DUMP_VERSION, init_utsname()->release);
	sessions->view_all(print_session);
	say("end %d %s", KTRACE_DUMP_VERSION, init_utsname()->release);
	return NOTIFY_DONE;
}

static struct notifier_block panic_block = { .notifier_call = panicked };

int ktrace_last_words_init(const struct ktrace_last_words_sessions *all)
{
	int err;

	sessions = all;
	cursors = kcalloc(nr_cpu_ids, sizeof(*cursors), GFP_KERNEL);
	if (!cursors)
		return -ENOMEM;
	err = atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	if (err)
		kfree(cursors);
	return err;
}

void ktrace_last_words_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	kfree(cursors);
}
