// SPDX-License-Identifier: GPL-2.0
#include "machine/key_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

#define KEY_NEVER	UINT64_MAX
#define KEY_NOWHERE	UINT32_MAX

enum key_status { KEY_UNKNOWN, KEY_KNOWN, KEY_ENDED };

enum {
	KEY_STARTED	= 1 << 0,
	KEY_LOST	= 1 << 1,
	KEY_UNORDERED	= 1 << 2,
};

/* The outcome of a key.  It remains when the key has left the table. */
struct key_outcome {
	uint32_t violations;
	uint32_t flags;
};

struct key_entry {
	uint64_t key[MACHINE_PARTS_MAX];
	uint64_t hash;
	uint64_t last;			/* the latest time of its records */
	uint64_t serial;		/* of the last record that was applied to it */
	uint64_t late;			/* of its last record with an unordered time */
	uint64_t since;			/* when the state was entered */
	uint64_t began;			/* when the key became known */
	uint64_t deadline;		/* KEY_NEVER: none */
	uint64_t clocks[MACHINE_CLOCKS_MAX];
	uint8_t clocks_set;		/* mask */
	uint8_t status;
	uint16_t state;
	uint32_t next;			/* in its bucket; KEY_NOWHERE */
	size_t outcome;
};

/* A key that has ended.  It is kept because losses may be reported later. */
struct key_end {
	uint64_t time, found;	/* as in a violation */
	size_t outcome;
};

struct key_table {
	const struct monitor *monitor;
	const struct machine_view *view;
	uint32_t *first_transition;	/* by state and source, nr_states * nr_sources + 1 */
	uint32_t *first_source;		/* first source by event, events + 1 */
	uint64_t *taken, *trusted;	/* by transition */
	uint64_t trusted_at;		/* when all events were enabled; KEY_NEVER: not yet */
	uint32_t *buckets;
	size_t nr_buckets;		/* a power of two */
	ARRAY_OF(struct key_entry) entries;
	uint32_t free;			/* list of unused entries */
	size_t nr_live;
	ARRAY_OF(struct key_outcome) outcomes;
	ARRAY_OF(struct key_end) ends;	/* in arrival order */
	ARRAY_OF(struct key_violation) violations;
	uint64_t refused, serial, against_time;
	uint64_t lost_until;		/* no firing after this time is known to be missing */
	key_table_comm_fn comm_of;	/* NULL: tasks have no names */
	void *comm_data;
	uint64_t now;			/* the latest known time */
};

void key_table_destroy(struct key_table *t)
{
	if (!t)
		return;
	free(t->first_transition);
	free(t->first_source);
	free(t->taken);
	free(t->trusted);
	free(t->buckets);
	free(t->entries.items);
	free(t->outcomes.items);
	free(t->ends.items);
	free(t->violations.items);
	free(t);
}

static void key_table_index(struct key_table *t)
{
	const struct ktrace_machine *h = t->view->head;
	uint32_t at = 0;

	for (uint32_t i = 0; i < (uint32_t)h->nr_states * h->nr_sources; i++) {
		t->first_transition[i] = at;
		while (at < h->nr_transitions &&
		       (uint32_t)t->view->transitions[at].state * h->nr_sources +
		       t->view->transitions[at].source == i)
			at++;
	}
	t->first_transition[(uint32_t)h->nr_states * h->nr_sources] = at;
	at = 0;
	for (uint32_t i = 0; i < t->monitor->events.nr; i++) {
		t->first_source[i] = at;
		while (at < h->nr_sources && t->view->sources[at].event == i)
			at++;
	}
	t->first_source[t->monitor->events.nr] = at;
}

struct error *key_table_create(const struct monitor *monitor, struct key_table **ret)
{
	_cleanup_(key_table) struct key_table *t = calloc(1, sizeof(*t));
	const struct ktrace_machine *h = monitor->view.head;

	if (!t)
		return &error_no_memory;
	t->monitor = monitor;
	t->view = &monitor->view;
	t->free = KEY_NOWHERE;
	t->nr_buckets = 64;
	t->first_transition = calloc((size_t)h->nr_states * h->nr_sources + 1, sizeof(uint32_t));
	t->first_source = calloc(monitor->events.nr + 1, sizeof(uint32_t));
	t->trusted_at = KEY_NEVER;
	t->taken = calloc(h->nr_transitions + 1, sizeof(*t->taken));
	t->trusted = calloc(h->nr_transitions + 1, sizeof(*t->trusted));
	t->buckets = malloc(t->nr_buckets * sizeof(*t->buckets));
	if (!t->first_transition || !t->first_source || !t->taken || !t->trusted || !t->buckets)
		return &error_no_memory;
	memset(t->buckets, 0xff, t->nr_buckets * sizeof(*t->buckets));
	key_table_index(t);
	*ret = take_ptr(t);
	return NULL;
}

void key_table_name_tasks(struct key_table *t, key_table_comm_fn comm_of, void *data)
{
	t->comm_of = comm_of;
	t->comm_data = data;
}

static uint64_t key_hash(const uint64_t *key)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < MACHINE_PARTS_MAX; i++)
		hash = hash_key_join(hash, key[i]);
	return hash;
}

static struct key_entry *key_find(struct key_table *t, const uint64_t *key)
{
	uint64_t hash = key_hash(key);
	uint32_t at = t->buckets[hash & (t->nr_buckets - 1)];

	while (at != KEY_NOWHERE) {
		struct key_entry *e = &t->entries.items[at];

		if (e->hash == hash && !memcmp(e->key, key, sizeof(e->key)))
			return e;
		at = e->next;
	}
	return NULL;
}

static bool key_grow_buckets(struct key_table *t)
{
	size_t nr = t->nr_buckets * 2;
	uint32_t *buckets = malloc(nr * sizeof(*buckets));

	if (!buckets)
		return false;
	memset(buckets, 0xff, nr * sizeof(*buckets));
	for (size_t b = 0; b < t->nr_buckets; b++) {
		for (uint32_t at = t->buckets[b], next; at != KEY_NOWHERE; at = next) {
			struct key_entry *e = &t->entries.items[at];

			next = e->next;
			e->next = buckets[e->hash & (nr - 1)];
			buckets[e->hash & (nr - 1)] = at;
		}
	}
	free(t->buckets);
	t->buckets = buckets;
	t->nr_buckets = nr;
	return true;
}

static bool key_new_outcome(struct key_table *t, struct key_entry *e)
{
	e->outcome = t->outcomes.nr;
	return array_push(&t->outcomes, ((struct key_outcome){ 0 }));
}

/* NULL: memory is out. */
static struct key_entry *key_add(struct key_table *t, const uint64_t *key)
{
	struct key_entry *e;
	uint32_t *bucket, at = t->free;

	if (t->entries.nr >= t->nr_buckets && !key_grow_buckets(t))
		return NULL;
	if (at == KEY_NOWHERE) {
		at = t->entries.nr;
		if (!array_push(&t->entries, ((struct key_entry){ 0 })))
			return NULL;
	} else {
		t->free = t->entries.items[at].next;
	}
	e = &t->entries.items[at];
	*e = (struct key_entry){ .hash = key_hash(key), .deadline = KEY_NEVER };
	memcpy(e->key, key, sizeof(e->key));
	if (!key_new_outcome(t, e))
		return NULL;
	bucket = &t->buckets[e->hash & (t->nr_buckets - 1)];
	e->next = *bucket;
	*bucket = at;
	t->nr_live++;
	return e;
}

static void key_remove(struct key_table *t, struct key_entry *e)
{
	uint32_t at = e - t->entries.items;
	uint32_t *from = &t->buckets[e->hash & (t->nr_buckets - 1)];

	while (*from != at)
		from = &t->entries.items[*from].next;
	*from = e->next;
	t->nr_live -= e->status != KEY_ENDED;
	e->next = t->free;
	t->free = at;
}

static void key_forget(struct key_entry *e)
{
	e->status = KEY_UNKNOWN;
	e->deadline = KEY_NEVER;
}

static bool key_violate(struct key_table *t, struct key_entry *e, uint64_t time, uint32_t source)
{
	const char *comm = t->comm_of && t->view->head->key == MACHINE_KEY_TASK ?
			   t->comm_of(t->comm_data, e->key[0]) : "";
	struct key_violation v = {
		.time = time, .age = time - e->since, .began = e->began, .found = t->now,
		.outcome = e->outcome, .source = source, .state = e->state,
	};

	memcpy(v.key, e->key, sizeof(v.key));
	snprintf(v.comm, sizeof(v.comm), "%s", comm);
	t->outcomes.items[e->outcome].violations++;
	key_forget(e);
	return array_push(&t->violations, v);
}

/* Report a violation if a deadline has passed by @time. */
static bool key_settle(struct key_table *t, struct key_entry *e, uint64_t time)
{
	if (e->status != KEY_KNOWN || e->deadline > time)
		return true;
	return key_violate(t, e, e->deadline, KEY_NO_SOURCE);
}

/*
 * Times of records can go back a little.  Violations are searched by the time when they were found,
 * which must never go back.
 */
static void key_note_time(struct key_table *t, uint64_t time)
{
	if (t->now < time)
		t->now = time;
}

/* Withdraw the violations of a key that were found at @time or later and happened then. */
static void key_withdraw(struct key_table *t, size_t outcome, uint64_t time)
{
	for (size_t i = t->violations.nr; i-- && t->violations.items[i].found >= time;) {
		struct key_violation *v = &t->violations.items[i];

		if (v->withdrawn || v->time < time || v->outcome != outcome)
			continue;
		v->withdrawn = true;
		t->outcomes.items[outcome].violations--;
	}
}

static void key_start(struct key_table *t, struct key_entry *e, uint64_t time)
{
	const struct ktrace_machine *h = t->view->head;

	e->status = KEY_KNOWN;
	e->state = h->initial;
	e->since = time;
	e->began = time;
	e->clocks_set = 0;
	e->deadline = t->view->states[h->initial].limit ? time + t->view->states[h->initial].limit :
							   KEY_NEVER;
	t->outcomes.items[e->outcome].flags |= KEY_STARTED;
}

static bool key_may_take(const struct key_table *t, const struct key_entry *e,
		       const struct ktrace_machine_transition *tr, const struct machine_record *r)
{
	if (tr->clock != MACHINE_NO_CLOCK && e->clocks_set >> tr->clock & 1) {
		uint64_t passed = r->time - e->clocks[tr->clock];

		if (passed < tr->least || passed > tr->most)
			return false;
	}
	return machine_filter_accepts(t->view, tr->filter, r);
}

static void key_move(struct key_table *t, struct key_entry *e,
		     const struct ktrace_machine_transition *tr, uint64_t time)
{
	const struct ktrace_machine_state *next = &t->view->states[tr->next];
	bool same = tr->next == e->state;

	for (uint32_t i = 0; i < t->view->head->nr_clocks; i++)
		if (tr->resets >> i & 1)
			e->clocks[i] = time;
	e->clocks_set |= tr->resets;
	if (!same)
		e->since = time;
	e->state = tr->next;
	if (same && !tr->resets)
		return;
	e->deadline = KEY_NEVER;
	if (next->limit && __builtin_add_overflow(e->clocks_set >> next->clock & 1 ?
						  e->clocks[next->clock] : time, next->limit,
						  &e->deadline))
		e->deadline = KEY_NEVER;
	/* The deadline was over before the state was entered. */
	if (e->deadline < time)
		e->deadline = time;
}

/* @before: the time of the key's previous record; 0: none. */
static bool key_pass(struct key_table *t, struct key_entry *e, uint32_t source,
		     const struct machine_record *r, uint64_t before)
{
	const struct ktrace_machine_source *s = &t->view->sources[source];
	uint32_t pair;

	if (!key_settle(t, e, r->time))
		return false;
	if (e->status != KEY_KNOWN) {
		/* At the time of a loss, the order of the events is unknown. */
		if (s->start == MACHINE_STARTS_NONE || r->time <= t->lost_until)
			return true;
		key_start(t, e, r->time);
		if (s->start == MACHINE_STARTS_AFTER)
			return true;
	}
	pair = (uint32_t)e->state * t->view->head->nr_sources + source;
	for (uint32_t i = t->first_transition[pair]; i < t->first_transition[pair + 1]; i++) {
		if (!key_may_take(t, e, &t->view->transitions[i], r))
			continue;
		t->taken[i]++;
		t->trusted[i] += before > t->trusted_at;
		key_move(t, e, &t->view->transitions[i], r->time);
		return true;
	}
	return key_violate(t, e, r->time, source);
}

/* false: the record belongs to no key; its task may be gone. */
static bool key_load(const struct key_table *t, const struct ktrace_machine_source *s,
		     const struct machine_record *r, uint64_t *key)
{
	const struct ktrace_machine *h = t->view->head;

	memset(key, 0, MACHINE_PARTS_MAX * sizeof(*key));
	for (uint32_t i = 0; i < h->nr_parts; i++)
		key[i] = machine_load(&s->parts[i], r);
	if (h->key == MACHINE_KEY_TASK && !key[0])
		key[1] = (uint64_t)r->cpu + 1;
	return h->key == MACHINE_KEY_FIELDS || (int32_t)key[0] >= 0;
}

static bool key_apply(struct key_table *t, uint32_t source, const struct machine_record *r)
{
	uint64_t key[MACHINE_PARTS_MAX];
	struct key_entry *e;
	uint64_t before;

	if (!machine_filter_accepts(t->view, t->view->sources[source].filter, r) ||
	    !key_load(t, &t->view->sources[source], r, key))
		return true;
	e = key_find(t, key);
	if (!e && t->nr_live >= t->view->head->max_keys) {
		t->refused++;
		return true;
	}
	if (!e)
		e = key_add(t, key);
	if (!e)
		return false;
	if (e->status == KEY_ENDED)
		return true;
	if (e->late == t->serial)
		return true;
	if (e->serial && e->serial != t->serial && r->time <= e->last) {
		key_forget(e);
		key_withdraw(t, e->outcome, r->time);
		t->against_time++;
		/* A key that was not started yet only loses a start by it. */
		if (t->outcomes.items[e->outcome].flags & KEY_STARTED ||
		    t->view->sources[source].start != MACHINE_STARTS_NONE)
			t->outcomes.items[e->outcome].flags |= KEY_UNORDERED;
		e->late = t->serial;
		return true;
	}
	before = e->last;
	e->last = r->time;
	e->serial = t->serial;
	return key_pass(t, e, source, r, before);
}

bool key_table_take(struct key_table *t, uint32_t event, const struct machine_record *r)
{
	bool done = true;

	t->serial++;
	key_note_time(t, r->time);
	for (uint32_t i = t->first_source[event]; done && i < t->first_source[event + 1]; i++)
		done = key_apply(t, i, r);
	return done;
}

static struct key_entry *key_of_task(struct key_table *t, int32_t tid)
{
	uint64_t key[MACHINE_PARTS_MAX] = { tid };

	return t->view->head->key == MACHINE_KEY_TASK && tid > 0 ? key_find(t, key) : NULL;
}

bool key_table_end_task(struct key_table *t, int32_t tid, uint64_t time)
{
	struct key_entry *e = key_of_task(t, tid);

	if (!e || e->status == KEY_ENDED)
		return true;
	key_note_time(t, time);
	if (!key_settle(t, e, time))
		return false;
	/* Violations after the task's end may belong to the next task with the number. */
	if (time < e->last) {
		key_withdraw(t, e->outcome, time);
		if (t->outcomes.items[e->outcome].flags & KEY_STARTED)
			t->outcomes.items[e->outcome].flags |= KEY_UNORDERED;
	}
	key_forget(e);
	e->status = KEY_ENDED;
	t->nr_live--;
	return array_push(&t->ends, ((struct key_end){ time, t->now, e->outcome }));
}

bool key_table_begin_task(struct key_table *t, int32_t tid, uint64_t time)
{
	struct key_entry *e = key_of_task(t, tid);

	if (!e)
		return true;
	/* The previous task with this number may have ended without a record. */
	if (!key_table_end_task(t, tid, time))
		return false;
	key_remove(t, e);
	return true;
}

/* Withdraw violations after @since of keys that may have missed an event. */
static void key_withdraw_lost(struct key_table *t, int32_t cpu, uint64_t since)
{
	for (size_t i = t->violations.nr; i-- && t->violations.items[i].found > since;) {
		struct key_violation *v = &t->violations.items[i];

		if (v->withdrawn || v->time <= since ||
		    (cpu != KEY_ANY_CPU && v->key[0] != (uint64_t)cpu))
			continue;
		v->withdrawn = true;
		t->outcomes.items[v->outcome].violations--;
		t->outcomes.items[v->outcome].flags |= KEY_LOST;
	}
}

/*
 * A live key may have missed an event after @since.  A deadline that it missed before still counts.
 */
static bool key_lose(struct key_table *t, struct key_entry *e, uint64_t since)
{
	if (!key_settle(t, e, since))
		return false;
	if (e->status == KEY_KNOWN)
		t->outcomes.items[e->outcome].flags |= KEY_LOST;
	key_forget(e);
	return true;
}

bool key_table_lose(struct key_table *t, int32_t cpu, uint64_t since, uint64_t now, bool tasks)
{
	key_note_time(t, now);
	if (t->lost_until < now)
		t->lost_until = now;
	if (t->view->head->key != MACHINE_KEY_CPU)
		cpu = KEY_ANY_CPU;
	for (size_t b = 0; b < t->nr_buckets; b++) {
		for (uint32_t at = t->buckets[b], next; at != KEY_NOWHERE; at = next) {
			struct key_entry *e = &t->entries.items[at];

			next = e->next;
			if (cpu != KEY_ANY_CPU && e->key[0] != (uint64_t)cpu)
				continue;
			if (e->status == KEY_ENDED) {
				/*
				 * The number may belong to another task whose beginning was lost.
				 */
				if (tasks)
					key_remove(t, e);
				continue;
			}
			if (!key_lose(t, e, since))
				return false;
		}
	}
	for (size_t i = t->ends.nr; i-- && t->ends.items[i].found > since;) {
		struct key_outcome *outcome = &t->outcomes.items[t->ends.items[i].outcome];

		if (t->ends.items[i].time > since && outcome->flags & KEY_STARTED)
			outcome->flags |= KEY_LOST;
	}
	key_withdraw_lost(t, cpu, since);
	return true;
}

bool key_table_finish(struct key_table *t, uint64_t end)
{
	bool done = true;

	key_note_time(t, end);
	for (size_t b = 0; b < t->nr_buckets; b++)
		for (uint32_t at = t->buckets[b]; done && at != KEY_NOWHERE;
		     at = t->entries.items[at].next)
			done = key_settle(t, &t->entries.items[at], end);
	key_withdraw_lost(t, KEY_ANY_CPU, end);
	return done;
}

void key_table_count(const struct key_table *t, struct key_counts *ret)
{
	*ret = (struct key_counts){
		.keys = t->outcomes.nr, .refused = t->refused, .against_time = t->against_time,
	};
	for (size_t i = 0; i < t->outcomes.nr; i++) {
		const struct key_outcome *o = &t->outcomes.items[i];

		ret->violations += o->violations;
		if (o->violations)
			ret->violated++;
		else if (o->flags & KEY_LOST)
			ret->lost++;
		else if (o->flags & KEY_UNORDERED)
			ret->unordered++;
		else if (o->flags & KEY_STARTED)
			ret->ok++;
		else
			ret->not_started++;
	}
}

void key_table_trust(struct key_table *t, uint64_t time)
{
	t->trusted_at = time;
}

uint64_t key_table_taken(const struct key_table *t, size_t transition, bool trusted)
{
	return trusted ? t->trusted[transition] : t->taken[transition];
}

DEFINE_COMPARISON(key_compare_violations, struct key_violation, array_order(x->time, y->time) ?:
		  array_order(x->outcome, y->outcome))

const struct key_violation *key_table_violations(struct key_table *t, size_t *ret_nr)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->violations.nr; i++)
		if (!t->violations.items[i].withdrawn)
			t->violations.items[nr++] = t->violations.items[i];
	t->violations.nr = nr;
	if (nr)
		qsort(t->violations.items, nr, sizeof(*t->violations.items),
		      key_compare_violations);
	*ret_nr = nr;
	return t->violations.items;
}
