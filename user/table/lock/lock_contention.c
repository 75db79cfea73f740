// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_contention.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "session/callchain.h"
#include "states/known_events.h"
#include "states/lost_spans.h"
#include "states/sched_event.h"

#define NO_ROW	SIZE_MAX

enum lock_kind { LOCK_BEGIN = 1, LOCK_END };

enum { LOCK_ADDRESS, LOCK_FLAGS, LOCK_RET = LOCK_FLAGS };

static const struct known_row lock_rows[] = {
	{ "lock", "contention_begin", LOCK_BEGIN, { "lock_addr", "flags" } },
	{ "lock", "contention_end", LOCK_END, { "lock_addr", "?ret" } },
	{ 0 },
};

struct error *lock_contention_check(const struct event_list *events)
{
	struct error *err = needed_events_check(NEEDED_LOCKS, events);

	if (err && event_is_recorded(events, "lock", "lock_acquire")) {
		error_free(err);
		return error_hint(error_new(ENOSYS, "The recording has the events of lockdep, "
					    "which ktrace lock cannot read"),
				  "'ktrace lock record' records lock:contention_begin; "
				  "'perf lock report' reads those of lockdep");
	}
	return err;
}

/* One thread's wait for one lock. */
struct lock_wait {
	int32_t tid;
	uint64_t address, since;
	size_t row;		/* NO_ROW: it does not wait now */
};

struct lock_waits {
	struct known_events events;
	struct sched_events sched_events;
	struct lock_owners owners;
	struct hash_table rows_index, waits_index, tasks_index;
	ARRAY_OF(struct lock_wait) waits;
	struct callchain chain;
	struct processes *processes;
	struct lost_spans lost;
	bool found_texts;
	/* Where the functions of locks and of the scheduler are; the ends are not part of it. */
	uint64_t sched_start, sched_end, lock_start, lock_end;
};

static void lock_find_texts(struct lock_waits *w, struct machine *machine)
{
	if (w->found_texts || !machine)
		return;
	w->found_texts = true;
	w->sched_start = machine_kernel_address(machine, "__sched_text_start");
	w->sched_end = machine_kernel_address(machine, "__sched_text_end");
	w->lock_start = machine_kernel_address(machine, "__lock_text_start");
	w->lock_end = machine_kernel_address(machine, "__lock_text_end");
}

static bool lock_is_function(const struct lock_waits *w, uint64_t ip)
{
	return (ip >= w->sched_start && ip < w->sched_end) ||
	       (ip >= w->lock_start && ip < w->lock_end);
}

/* Whether this frame of a call chain distinguishes callers. */
static bool lock_frame_counts(const struct lock_contention *locks, size_t position, uint64_t ip)
{
	return position >= locks->options->skip && !lock_is_function(locks->waits, ip);
}

static uint64_t lock_chain_hash(const struct lock_contention *locks, const uint64_t *ips, size_t nr)
{
	uint64_t hash = hash_key_number(0);

	for (size_t i = 0; i < nr; i++)
		if (lock_frame_counts(locks, i, ips[i]))
			hash = hash_key_join(hash, ips[i]);
	return hash;
}

static bool lock_chain_next(const struct lock_contention *locks, const uint64_t *ips, size_t nr,
			    size_t *at)
{
	while (*at < nr && !lock_frame_counts(locks, *at, ips[*at]))
		++*at;
	return *at < nr;
}

static bool lock_chain_is(const struct lock_contention *locks, const struct lock_row *row,
			  const uint64_t *ips, size_t nr)
{
	const uint64_t *other = row->nr_frames ? locks->frames.items + row->first_frame : NULL;
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		bool more = lock_chain_next(locks, ips, nr, &i);

		if (more != lock_chain_next(locks, other, row->nr_frames, &k))
			return false;
		if (!more)
			return true;
		if (ips[i] != other[k])
			return false;
	}
}

static char *lock_caller_name(const struct lock_contention *locks, const struct session_record *r)
{
	const struct callchain *chain = &locks->waits->chain;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; r->machine && i < chain->nr; i++) {
		struct place place;

		if (!lock_frame_counts(locks, i, chain->items[i].ip))
			continue;
		machine_find(r->machine, r->maps, chain->items[i].mode, chain->items[i].ip,
			     &place);
		if (!place.symbol)
			continue;
		strbuf_addstr(&name, place.symbol->name);
		if (place.offset)
			strbuf_addf(&name, "+%#" PRIx64, place.offset);
		break;
	}
	if (!name.len)
		strbuf_addstr(&name, "Unknown");
	return name.failed ? NULL : strdup(strbuf_str(&name));
}

static char *lock_address_name(const struct lock_contention *locks, const struct session_record *r,
			       uint64_t address)
{
	struct place place = { 0 };

	if (locks->options->caller_names)
		return lock_caller_name(locks, r);
	if (r->machine)
		machine_find_data(r->machine, NULL, PERF_RECORD_MISC_KERNEL, address, &place);
	return strdup(place.symbol ? place.symbol->name : "");
}

/* Read the call chain of a sample to the end of the frames. */
static struct error *lock_read_chain(struct lock_contention *locks, const struct session_record *r)
{
	struct lock_waits *w = locks->waits;
	struct error *err = callchain_read(&w->chain, r, locks->options->depth);

	for (size_t i = 0; !err && i < w->chain.nr; i++)
		if (!array_push(&locks->frames, w->chain.items[i].ip))
			return &error_no_memory;
	return err;
}

static size_t lock_find_row(const struct lock_contention *locks, uint64_t hash, uint64_t key,
			    const uint64_t *ips, size_t nr)
{
	hash_table_each(&locks->waits->rows_index, hash, found) {
		const struct lock_row *row = &locks->rows.items[found];

		if (locks->options->by == LOCK_BY_CALLER ? lock_chain_is(locks, row, ips, nr) :
		    row->key == key)
			return found;
	}
	return NO_ROW;
}

/* @name is the row's from now on. */
static struct error *lock_add_row(struct lock_contention *locks, char *name, uint32_t flags,
				  uint64_t hash, uint64_t key, size_t first_frame)
{
	struct lock_row row = {
		.key = key, .name = name, .flags = flags, .min = UINT64_MAX,
		.first_frame = first_frame, .nr_frames = locks->frames.nr - first_frame,
	};

	if (!name || !array_push(&locks->rows, row)) {
		free(name);
		return &error_no_memory;
	}
	return hash_table_add(&locks->waits->rows_index, hash, locks->rows.nr - 1) ?
		NULL : &error_no_memory;
}

static char *lock_row_name(const struct lock_contention *locks, const struct session_record *r,
			   const struct known_event *e)
{
	if (locks->options->by == LOCK_BY_CALLER)
		return lock_caller_name(locks, r);
	if (locks->options->by == LOCK_BY_ADDRESS)
		return lock_address_name(locks, r, e->values[LOCK_ADDRESS]);
	return strdup("");
}

static struct error *lock_row_of(struct lock_contention *locks, const struct session_record *r,
				 const struct known_event *e, size_t *ret)
{
	bool by_caller = locks->options->by == LOCK_BY_CALLER;
	uint64_t key = locks->options->by == LOCK_BY_TASK ? (uint64_t)r->sample.tid :
		       by_caller ? 0 : e->values[LOCK_ADDRESS];
	size_t first = locks->frames.nr;
	struct error *err = lock_read_chain(locks, r);
	const uint64_t *ips = locks->frames.items ? locks->frames.items + first : NULL;
	size_t nr = locks->frames.nr - first;
	uint64_t hash;

	if (err)
		return err;
	hash = by_caller ? lock_chain_hash(locks, ips, nr) : hash_key_number(key);
	*ret = lock_find_row(locks, hash, key, ips, nr);
	if (*ret != NO_ROW) {
		locks->frames.nr = first;
		return NULL;
	}
	err = lock_add_row(locks, lock_row_name(locks, r, e), e->values[LOCK_FLAGS], hash, key,
			   first);
	*ret = locks->rows.nr - 1;
	return err;
}

static struct error *lock_wait_of(struct lock_contention *locks, int32_t tid, uint64_t address,
				  bool create, struct lock_wait **ret)
{
	struct lock_waits *w = locks->waits;
	uint64_t hash = hash_key_join(hash_key_number(tid), address);

	*ret = NULL;
	hash_table_each(&w->waits_index, hash, n) {
		struct lock_wait *wait = &w->waits.items[n];

		if (wait->tid == tid && wait->address == address) {
			*ret = wait;
			return NULL;
		}
	}
	if (!create)
		return NULL;
	if (!array_push(&w->waits, ((struct lock_wait){ tid, address, 0, NO_ROW })) ||
	    !hash_table_add(&w->waits_index, hash, w->waits.nr - 1))
		return &error_no_memory;
	*ret = &w->waits.items[w->waits.nr - 1];
	return NULL;
}

static struct error *lock_note_task(struct lock_contention *locks, int32_t tid)
{
	struct hash_table *index = &locks->waits->tasks_index;

	hash_table_each(index, hash_key_number(tid), n)
		if (locks->tasks.items[n].tid == tid)
			return NULL;
	if (!array_push(&locks->tasks, ((struct lock_task){ .tid = tid })) ||
	    !hash_table_add(index, hash_key_number(tid), locks->tasks.nr - 1))
		return &error_no_memory;
	return NULL;
}

static struct error *lock_begin(struct lock_contention *locks, const struct session_record *r,
				const struct known_event *e)
{
	struct lock_wait *wait = NULL;
	struct error *err;
	size_t row;

	lock_find_texts(locks->waits, r->machine);
	err = lock_row_of(locks, r, e, &row);
	if (!err)
		err = lock_note_task(locks, r->sample.tid);
	if (!err)
		err = lock_wait_of(locks, r->sample.tid, e->values[LOCK_ADDRESS], true, &wait);
	/* A mutex reports its wait again when it has given up spinning. */
	if (err || wait->row != NO_ROW)
		return err;
	wait->row = row;
	wait->since = r->sample.time;
	locks->rows.items[row].contended++;
	return NULL;
}

static void lock_row_add(struct lock_row *row, uint64_t length)
{
	row->acquired++;
	row->total += length;
	row->min = length < row->min ? length : row->min;
	row->max = length > row->max ? length : row->max;
}

static struct error *lock_end(struct lock_contention *locks, const struct session_record *r,
			      const struct known_event *e)
{
	struct lock_wait *wait;
	struct lost_span lost;
	struct error *err = lock_wait_of(locks, r->sample.tid, e->values[LOCK_ADDRESS], false,
					 &wait);

	if (err || !wait || wait->row == NO_ROW)
		return err;
	/* Over a loss, it may be the end of a later wait. */
	if (!lost_spans_between(&locks->waits->lost, LOST_SPANS_ANY_CPU, wait->since,
				r->sample.time, &lost))
		lock_row_add(&locks->rows.items[wait->row],
			     r->sample.time > wait->since ? r->sample.time - wait->since : 0);
	wait->row = NO_ROW;
	return NULL;
}

/* @r is the owner's current event; NULL: unknown. */
static struct error *lock_owner_row(struct lock_contention *locks, int32_t owner,
				    const struct session_record *r, size_t *ret)
{
	uint64_t hash = hash_key_number(owner);
	size_t first = locks->frames.nr;
	struct error *err = NULL;

	*ret = lock_find_row(locks, hash, (uint64_t)owner, NULL, 0);
	if (*ret != NO_ROW && (!r || locks->rows.items[*ret].nr_frames))
		return NULL;
	if (r)
		err = lock_read_chain(locks, r);
	if (!err && *ret == NO_ROW) {
		err = lock_add_row(locks, strdup(""), 0, hash, (uint64_t)owner, first);
		*ret = locks->rows.nr - 1;
	} else if (!err) {
		locks->rows.items[*ret].first_frame = first;
		locks->rows.items[*ret].nr_frames = locks->frames.nr - first;
	}
	return err;
}

static struct error *lock_owner_end(struct lock_contention *locks, const struct session_record *r,
				    const struct known_event *e)
{
	struct lock_owners *owners = &locks->waits->owners;
	struct error *err = lock_owners_end(owners, r->sample.tid, e->values[LOCK_ADDRESS],
					    e->values[LOCK_RET] != 0, r->sample.time);

	for (size_t i = 0; !err && i < owners->shares.nr; i++) {
		size_t row;

		err = lock_owner_row(locks, owners->shares.items[i].owner, NULL, &row);
		if (err)
			break;
		locks->rows.items[row].contended++;
		lock_row_add(&locks->rows.items[row], owners->shares.items[i].ns);
	}
	return err;
}

static struct error *lock_owner_wake(struct lock_contention *locks, const struct session_record *r)
{
	struct lock_waits *w = locks->waits;
	struct sched_event e;
	struct error *err = sched_event_read(&w->sched_events, r, &e);
	/* sched_wakeup follows sched_waking, maybe in an interrupt of another CPU. */
	bool wakes = !err && (e.kind == SCHED_EVENT_WAKING || (e.kind == SCHED_EVENT_WAKEUP &&
			      !(w->sched_events.found & 1u << SCHED_EVENT_WAKING)));
	int32_t owner;
	size_t row;

	if (!wakes || !lock_owners_sleeps(&w->owners, e.tid))
		return err;
	w->processes = r->processes;
	owner = e.in_interrupt || r->sample.tid <= 0 ? LOCK_OWNER_UNKNOWN : r->sample.tid;
	if (owner != LOCK_OWNER_UNKNOWN)
		err = lock_owner_row(locks, owner, r, &row);
	return err ? err : lock_owners_wake(&w->owners, e.tid, owner, e.time);
}

static struct error *lock_owner_sample(struct lock_contention *locks,
				       const struct session_record *r, const struct known_event *e)
{
	if (e->kind == LOCK_END)
		return lock_owner_end(locks, r, e);
	return lock_owners_begin(&locks->waits->owners, r->sample.tid, e->values[LOCK_ADDRESS],
				 e->values[LOCK_FLAGS], r->sample.time);
}

/* *@ret is whether the wait that begins here is wanted. */
static struct error *lock_check_wanted(struct lock_contention *locks,
				       const struct session_record *r, const struct known_event *e,
				       bool *ret)
{
	const struct lock_filter *filter = &locks->options->filter;
	struct callchain *chain = &locks->waits->chain;
	struct error *err = NULL;

	if (filter->functions)
		err = callchain_read(chain, r, locks->options->depth);
	*ret = !err && lock_filter_wants(filter, r, e->values[LOCK_ADDRESS],
					 e->values[LOCK_FLAGS], chain);
	return err;
}

static struct error *lock_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct lock_contention *locks = container_of(consumer, struct lock_contention, consumer);
	bool is_wanted = true;
	struct known_event e;
	struct error *err = known_event_read(&locks->waits->events, r, &e);

	if (!err && e.kind == LOCK_BEGIN)
		err = lock_check_wanted(locks, r, &e, &is_wanted);
	if (err || !is_wanted || (!e.kind && locks->options->by != LOCK_BY_OWNER))
		return err;
	if (!e.kind)
		return lock_owner_wake(locks, r);
	locks->waits->processes = r->processes;
	if (locks->options->by == LOCK_BY_OWNER)
		return lock_owner_sample(locks, r, &e);
	return e.kind == LOCK_BEGIN ? lock_begin(locks, r, &e) : lock_end(locks, r, &e);
}

static struct error *lock_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct lock_contention *locks = container_of(consumer, struct lock_contention, consumer);

	return lost_spans_take(&locks->waits->lost, r) ? NULL : &error_no_memory;
}

DEFINE_COMPARISON(lock_compare_task, struct lock_task, array_order(x->tid, y->tid))

static struct error *lock_name_tasks(struct lock_contention *locks, struct processes *processes)
{
	for (size_t i = 0; i < locks->rows.nr; i++) {
		struct lock_row *row = &locks->rows.items[i];
		int32_t tid = row->key;

		free(row->name);
		row->name = strdup(tid == LOCK_OWNER_UNKNOWN ? "Unknown" :
				   processes_comm(processes, -1, tid));
		if (!row->name)
			return &error_no_memory;
	}
	return NULL;
}

/* The names are the session's, which ends now. */
static struct error *lock_finish(struct session_consumer *consumer)
{
	struct lock_contention *locks = container_of(consumer, struct lock_contention, consumer);
	struct processes *processes = locks->waits->processes;
	struct error *err = NULL;

	for (size_t i = 0; i < locks->tasks.nr; i++) {
		struct lock_task *task = &locks->tasks.items[i];

		task->comm = strdup(processes_comm(processes, -1, task->tid));
		if (!task->comm)
			return &error_no_memory;
	}
	if (locks->options->by == LOCK_BY_TASK || locks->options->by == LOCK_BY_OWNER)
		err = lock_name_tasks(locks, processes);
	if (err)
		return err;
	array_sort(&locks->tasks, lock_compare_task);
	for (size_t i = 0; i < locks->waits->waits.nr; i++)
		locks->unended += locks->waits->waits.items[i].row != NO_ROW;
	locks->unended += locks->waits->owners.unended;
	return NULL;
}

struct error *lock_contention_create(const struct lock_contention_options *options,
				     struct lock_contention **ret)
{
	struct lock_contention *locks = calloc(1, sizeof(*locks));

	if (locks)
		locks->waits = calloc(1, sizeof(*locks->waits));
	if (!locks || !locks->waits) {
		free(locks);
		return &error_no_memory;
	}
	locks->options = options;
	locks->waits->events.rows = lock_rows;
	locks->consumer = (struct session_consumer){
		.sample = lock_sample, .other = lock_other, .finish = lock_finish,
	};
	*ret = locks;
	return NULL;
}

void lock_contention_destroy(struct lock_contention *locks)
{
	if (!locks)
		return;
	for (size_t i = 0; i < locks->rows.nr; i++)
		free(locks->rows.items[i].name);
	for (size_t i = 0; i < locks->tasks.nr; i++)
		free(locks->tasks.items[i].comm);
	free(locks->rows.items);
	free(locks->frames.items);
	free(locks->tasks.items);
	known_events_deinit(&locks->waits->events);
	sched_events_deinit(&locks->waits->sched_events);
	lock_owners_deinit(&locks->waits->owners);
	hash_table_deinit(&locks->waits->rows_index);
	hash_table_deinit(&locks->waits->waits_index);
	hash_table_deinit(&locks->waits->tasks_index);
	callchain_deinit(&locks->waits->chain);
	lost_spans_deinit(&locks->waits->lost);
	free(locks->waits->waits.items);
	free(locks->waits);
	free(locks);
}

uint64_t lock_row_value(const struct lock_row *row, enum lock_key key)
{
	switch (key) {
	case LOCK_ACQUIRED:
		return row->acquired;
	case LOCK_CONTENDED:
		return row->contended;
	case LOCK_AVG_WAIT:
		return row->acquired ? row->total / row->acquired : 0;
	case LOCK_WAIT_TOTAL:
		return row->total;
	case LOCK_WAIT_MAX:
		return row->max;
	case LOCK_WAIT_MIN:
		return row->acquired ? row->min : 0;
	}
	return 0;
}

DEFINE_COMPARISON(lock_compare_name, struct lock_row, strcmp(x->name, y->name) ?:
		  array_descending(y->key, x->key))

static int lock_compare(const void *a, const void *b, void *data)
{
	enum lock_key key = *(const enum lock_key *)data;
	int order = array_descending(lock_row_value(a, key), lock_row_value(b, key));

	return order ? order : lock_compare_name(a, b);
}

void lock_contention_sort(struct lock_contention *locks, enum lock_key key)
{
	if (locks->rows.nr)
		qsort_r(locks->rows.items, locks->rows.nr, sizeof(*locks->rows.items), lock_compare,
			&key);
}

void lock_contention_sort_names(struct lock_contention *locks)
{
	array_sort(&locks->rows, lock_compare_name);
}

void lock_contention_join(struct lock_contention *locks)
{
	size_t kept = 0;

	lock_contention_sort_names(locks);
	for (size_t i = 0; i < locks->rows.nr; i++) {
		struct lock_row *row = &locks->rows.items[i];
		struct lock_row *to = kept ? &locks->rows.items[kept - 1] : NULL;

		if (!to || strcmp(to->name, row->name)) {
			locks->rows.items[kept++] = *row;
			continue;
		}
		to->contended += row->contended;
		to->acquired += row->acquired;
		to->total += row->total;
		to->min = row->min < to->min ? row->min : to->min;
		to->max = row->max > to->max ? row->max : to->max;
		free(row->name);
	}
	locks->rows.nr = kept;
}
