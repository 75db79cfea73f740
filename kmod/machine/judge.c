// SPDX-License-Identifier: GPL-2.0
#include "machine/judge.h"

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "filter/filter.h"
#include "filter/gate.h"
#include "filter/scope.h"
#include "lib/memlock.h"
#include "probes/ktrace/probe.h"

/* The most violations that can wait at once. */
#define JUDGE_PENDING	1024
/* Every JUDGE_ROUNDS rounds, we search for tasks whose end nobody reported. */
#define JUDGE_ROUNDS	64
/* This long after its end, a task fires nothing any more. */
#define JUDGE_REST	NSEC_PER_SEC

static DEFINE_PER_CPU(u64, judge_serial);

struct ktrace_judge *ktrace_judge_create(struct ktrace_program *program)
{
	const struct ktrace_machine *h = program->head;
	struct ktrace_judge *judge = kzalloc(sizeof(*judge), GFP_KERNEL_ACCOUNT);
	u32 max = h->max_keys;

	if (!judge) {
		ktrace_program_destroy(program);
		return ERR_PTR(-ENOMEM);
	}
	if (h->key == KTRACE_MACHINE_KEY_NONE)
		max = 1;
	else if (h->key == KTRACE_MACHINE_KEY_CPU)
		max = min(max, nr_cpu_ids);
	judge->program = program;
	judge->bytes = sizeof(*judge) + program->bytes +
		       ktrace_keys_bytes(max, h->nr_parts, h->nr_clocks) +
		       JUDGE_PENDING * (sizeof(*judge->pending) + sizeof(u32));
	judge->lost_before = U64_MAX;
	atomic64_set(&judge->first_lost, U64_MAX);
	judge->pending = kvcalloc(JUDGE_PENDING, sizeof(*judge->pending), KTRACE_MEMLOCK_GFP);
	if (!judge->pending || ktrace_keys_pool_init(&judge->pending_pool, JUDGE_PENDING) ||
	    ktrace_keys_init(&judge->keys, max, h->nr_parts, h->nr_clocks)) {
		ktrace_judge_destroy(judge);
		return ERR_PTR(-ENOMEM);
	}
	return judge;
}

void ktrace_judge_destroy(struct ktrace_judge *judge)
{
	ktrace_keys_deinit(&judge->keys);
	ktrace_keys_pool_deinit(&judge->pending_pool);
	kvfree(judge->pending);
	ktrace_program_destroy((struct ktrace_program *)judge->program);
	kfree(judge);
}

/* ---- losses ------------------------------------------------------------------------ */

static __always_inline void judge_raise(atomic64_t *to, u64 time)
{
	s64 old = atomic64_read(to);

	while ((u64)old < time && !atomic64_try_cmpxchg(to, &old, time))
		;
}

noinline notrace void ktrace_judge_lose(struct ktrace_judge *judge, u64 time)
{
	s64 old = atomic64_read(&judge->first_lost);

	while (time < (u64)old && !atomic64_try_cmpxchg(&judge->first_lost, &old, time))
		;
	judge_raise(&judge->last_lost, time);
	atomic64_inc(&judge->losses);
	/* A reader of the new epoch sees the times; pairs with the acquire in judge_epoch(). */
	smp_mb__before_atomic();
	atomic_inc(&judge->epoch);
}

noinline notrace void ktrace_judge_miss(const struct ktrace_judge_tap *taps, u64 time)
{
	for (; taps; taps = taps->next)
		ktrace_judge_lose(taps->judge, time);
}

static __always_inline u32 judge_epoch(const struct ktrace_judge *j)
{
	return atomic_read_acquire(&j->epoch);
}

/* ---- keys: the callers of all these functions hold the lock of the bucket ---------- */

static __always_inline u64 *judge_clocks(const struct ktrace_judge *j, struct ktrace_keys_entry *e)
{
	return e->words + j->keys.words;
}

static __always_inline bool judge_has_ended(const struct ktrace_keys_entry *e)
{
	return e->status >= KTRACE_KEYS_ENDED;
}

static __always_inline void judge_forget(struct ktrace_keys_entry *e)
{
	if (!judge_has_ended(e))
		WRITE_ONCE(e->status, KTRACE_KEYS_UNKNOWN);
	WRITE_ONCE(e->deadline, U64_MAX);
}

static noinline notrace void judge_doubt(struct ktrace_keys_entry *e, u8 why)
{
	/* A key that no event has made known yet loses nothing. */
	if (e->flags & KTRACE_JUDGE_STARTED)
		e->flags |= why;
	judge_forget(e);
}

static __always_inline struct ktrace_judge_pending *judge_pending(const struct ktrace_judge *j,
								  u32 number)
{
	return &j->pending[number];
}

/* Freezes, and returns whether a session was open.  Only a session's own machines have actions. */
static notrace bool judge_freeze(struct ktrace_judge *j)
{
	u32 nr = j->actions & KTRACE_ACTION_FREEZE ? ktrace_gate_freeze(j->scope->owner) : 0;

	if (nr)
		atomic64_add(nr, &j->froze);
	return nr;
}

/* Drops a violation that is not certain, and will not be. */
static notrace void judge_revoke(struct ktrace_judge *j, const struct ktrace_judge_pending *p)
{
	if (p->froze)
		atomic64_inc(&j->revoked);
}

static notrace void judge_remove_pending(struct ktrace_judge *j, u32 *from)
{
	u32 number = *from;

	WRITE_ONCE(*from, judge_pending(j, number)->next);
	ktrace_keys_pool_give(&j->pending_pool, number);
}

static noinline notrace void judge_violate(struct ktrace_judge *j, struct ktrace_keys_entry *e,
					   u64 time, u32 source)
{
	u32 number = ktrace_keys_pool_take(&j->pending_pool), *from = &e->pending;

	if (number == KTRACE_KEYS_NONE) {
		atomic64_inc(&j->untold);
		judge_doubt(e, KTRACE_JUDGE_LOST);
		return;
	}
	*judge_pending(j, number) = (struct ktrace_judge_pending){
		.time = time, .since = e->since, .epoch = e->epoch, .source = source,
		.next = KTRACE_KEYS_NONE, .state = e->state, .froze = judge_freeze(j),
	};
	while (*from != KTRACE_KEYS_NONE)
		from = &judge_pending(j, *from)->next;
	WRITE_ONCE(*from, number);
	judge_forget(e);
}

/* A firing with this @time has come too late: verdicts from then on may be wrong. */
static noinline notrace void judge_withdraw(struct ktrace_judge *j, struct ktrace_keys_entry *e,
					    u64 time)
{
	u32 *from = &e->pending;

	while (*from != KTRACE_KEYS_NONE) {
		if (judge_pending(j, *from)->time >= time) {
			judge_revoke(j, judge_pending(j, *from));
			judge_remove_pending(j, from);
		} else {
			from = &judge_pending(j, *from)->next;
		}
	}
	judge_doubt(e, KTRACE_JUDGE_UNORDERED);
}

/*
 * A firing was missed since the key was started.  A deadline that had passed by @time was missed
 * all the same if it was before the loss; the next round finds out.
 */
static noinline notrace void judge_lose_key(struct ktrace_judge *j, struct ktrace_keys_entry *e,
					    u64 time)
{
	if (e->deadline <= time)
		judge_violate(j, e, e->deadline, KTRACE_MACHINE_NO_SOURCE);
	else
		judge_doubt(e, KTRACE_JUDGE_LOST);
}

static __always_inline void judge_start(const struct ktrace_judge *j, struct ktrace_keys_entry *e,
					u64 time, u32 epoch)
{
	const struct ktrace_machine *h = j->program->head;
	u64 limit = j->program->states[h->initial].limit;

	e->state = h->initial;
	e->since = time;
	e->clocks_set = 0;
	e->epoch = epoch;
	e->flags |= KTRACE_JUDGE_STARTED;
	WRITE_ONCE(e->deadline, limit && time <= U64_MAX - limit ? time + limit : U64_MAX);
	WRITE_ONCE(e->status, KTRACE_KEYS_KNOWN);
}

static __always_inline bool judge_may_take(const struct ktrace_judge *j,
					   struct ktrace_keys_entry *e,
					   const struct ktrace_machine_transition *t,
					   const void *raw, u32 size, u64 time)
{
	u64 passed;

	if (t->clock != KTRACE_MACHINE_NO_CLOCK && e->clocks_set >> t->clock & 1) {
		passed = time - judge_clocks(j, e)[t->clock];
		if (passed < t->least || passed > t->most)
			return false;
	}
	return t->filter == KTRACE_MACHINE_NO_FILTER ||
	       ktrace_filter_run(j->program->filters[t->filter], raw, size);
}

/* To be called when the state has changed or a clock was set. */
static __always_inline void judge_set_deadline(const struct ktrace_judge *j,
					       struct ktrace_keys_entry *e, u64 time)
{
	const struct ktrace_machine_state *state = &j->program->states[e->state];
	u64 from = time, deadline = U64_MAX;

	if (state->limit) {
		if (e->clocks_set >> state->clock & 1)
			from = judge_clocks(j, e)[state->clock];
		if (check_add_overflow(from, state->limit, &deadline))
			deadline = U64_MAX;
		/* The deadline had passed before the state was entered. */
		deadline = max(deadline, time);
	}
	WRITE_ONCE(e->deadline, deadline);
}

static __always_inline void judge_move(const struct ktrace_judge *j, struct ktrace_keys_entry *e,
				       const struct ktrace_machine_transition *t, u64 time)
{
	u32 i;

	if (t->next == e->state && !t->resets)
		return;
	for (i = 0; t->resets >> i; i++)
		if (t->resets >> i & 1)
			judge_clocks(j, e)[i] = time;
	e->clocks_set |= t->resets;
	if (t->next != e->state)
		e->since = time;
	e->state = t->next;
	judge_set_deadline(j, e, time);
}

static __always_inline void judge_pass(struct ktrace_judge *j, struct ktrace_keys_entry *e,
				       u32 source, const void *raw, u32 size, u64 time, u32 epoch)
{
	const struct ktrace_program *p = j->program;
	const u16 *pair;
	u32 i, end;

	if (unlikely(e->deadline <= time))
		judge_violate(j, e, e->deadline, KTRACE_MACHINE_NO_SOURCE);
	if (e->status != KTRACE_KEYS_KNOWN) {
		/* A missed firing may come after this one. */
		if (p->sources[source].start == KTRACE_MACHINE_STARTS_NONE ||
		    time <= (u64)atomic64_read(&j->last_lost))
			return;
		judge_start(j, e, time, epoch);
		if (p->sources[source].start == KTRACE_MACHINE_STARTS_AFTER)
			return;
	}
	pair = ktrace_program_pair(p, e->state, source);
	for (i = pair[0], end = pair[1]; i < end; i++) {
		if (!judge_may_take(j, e, &p->transitions[i], raw, size, time))
			continue;
		judge_move(j, e, &p->transitions[i], time);
		return;
	}
	judge_violate(j, e, time, source);
}

static __always_inline void judge_apply_to(struct ktrace_judge *j, struct ktrace_keys_entry *e,
					   u32 source, const void *raw, u32 size, u64 time,
					   u64 serial)
{
	u32 epoch = judge_epoch(j);

	if (unlikely(judge_has_ended(e))) {
		if (time <= e->since)
			judge_withdraw(j, e, time);
		return;
	}
	if (unlikely(e->status == KTRACE_KEYS_KNOWN && e->epoch != epoch))
		judge_lose_key(j, e, time);
	if (unlikely(time <= e->last && (!serial || e->serial != serial))) {
		judge_withdraw(j, e, time);
		/* A key that was not started yet loses its start by this. */
		if (j->program->sources[source].start != KTRACE_MACHINE_STARTS_NONE)
			e->flags |= KTRACE_JUDGE_UNORDERED;
		return;
	}
	e->last = time;
	e->serial = serial;
	judge_pass(j, e, source, raw, size, time, epoch);
}

/* ---- firings --------------------------------------------------------------------- */

/* Fields may be unaligned. */
#define JUDGE_LOAD(type, from)						\
({									\
	type __value;							\
									\
	__builtin_memcpy(&__value, from, sizeof(__value));		\
	__value;							\
})

/* The bytes of a number beyond the raw data are zeros. */
static noinline notrace u64 judge_load_short(const struct ktrace_machine_part *part,
					     const void *raw, u32 size)
{
	u8 bytes[8] = { };

	if (part->offset < size)
		memcpy(bytes, raw + part->offset, min_t(u32, part->width, size - part->offset));
	switch (part->width) {
	case 1:
		return *bytes;
	case 2:
		return JUDGE_LOAD(u16, bytes);
	case 4:
		return JUDGE_LOAD(u32, bytes);
	default:
		return JUDGE_LOAD(u64, bytes);
	}
}

static __always_inline u64 judge_load_common(u32 field)
{
	if (field == KTRACE_FIELD_CPU)
		return raw_smp_processor_id();
	/* As in records: the task is being released, and its number may belong to another task. */
	if (unlikely(!pid_alive(current)))
		return U64_MAX;
	return field == KTRACE_FIELD_TID ? current->pid : current->tgid;
}

static __always_inline u64 judge_load(const struct ktrace_machine_part *part, const void *raw,
				      u32 size)
{
	const void *at = raw + part->offset;
	bool is_signed = part->flags & KTRACE_FILTER_SIGNED;
	u64 value;

	if (part->src == KTRACE_FILTER_SRC_FIELD)
		return judge_load_common(part->offset);
	if (unlikely((u64)part->offset + part->width > size)) {
		u32 shift = 64 - 8 * part->width;

		value = judge_load_short(part, raw, size);
		return is_signed ? (s64)(value << shift) >> shift : value;
	}
	switch (part->width) {
	case 4:
		return is_signed ? (u64)JUDGE_LOAD(s32, at) : JUDGE_LOAD(u32, at);
	case 8:
		return JUDGE_LOAD(u64, at);
	case 2:
		return is_signed ? (u64)JUDGE_LOAD(s16, at) : JUDGE_LOAD(u16, at);
	default:
		return is_signed ? (u64)JUDGE_LOAD(s8, at) : JUDGE_LOAD(u8, at);
	}
}

/* All idle tasks have the number 0, so their CPUs distinguish them. */
static __always_inline u64 judge_idle_key(u32 cpu)
{
	return ~(u64)cpu;
}

/* Returns false if the firing has no key, such as that of a task that is gone. */
static __always_inline bool judge_load_key(const struct ktrace_machine *h,
					   const struct ktrace_machine_source *s, const void *raw,
					   u32 size, u64 *key)
{
	u32 i;

	for (i = 0; i < h->nr_parts; i++)
		key[i] = judge_load(&s->parts[i], raw, size);
	if (h->key == KTRACE_MACHINE_KEY_FIELDS || h->key == KTRACE_MACHINE_KEY_NONE)
		return true;
	if (unlikely((s32)key[0] < 0))
		return false;
	if (h->key == KTRACE_MACHINE_KEY_TASK && !key[0])
		key[0] = judge_idle_key(raw_smp_processor_id());
	return true;
}

static noinline notrace void judge_refuse(struct ktrace_judge *j, u64 time)
{
	atomic64_inc(&j->refused);
	/* The key can only start later, as if the firing was lost. */
	judge_raise(&j->last_lost, time);
}

static __always_inline void judge_apply(struct ktrace_judge *j, u32 source, const void *raw,
					u32 size, u64 time, u64 serial)
{
	const struct ktrace_machine_source *s = &j->program->sources[source];
	u64 key[KTRACE_MACHINE_MAX_PARTS], hash;
	struct ktrace_keys_bucket *bucket;
	struct ktrace_keys_entry *e;
	unsigned long flags;

	if (s->filter != KTRACE_MACHINE_NO_FILTER &&
	    !ktrace_filter_run(j->program->filters[s->filter], raw, size))
		return;
	if (unlikely(!judge_load_key(j->program->head, s, raw, size, key)))
		return;
	hash = ktrace_keys_hash(&j->keys, key);
	bucket = ktrace_keys_bucket(&j->keys, hash);
	if (unlikely(!ktrace_keys_lock(bucket, &flags))) {
		ktrace_judge_lose(j, time);
		return;
	}
	e = ktrace_keys_find(&j->keys, bucket, hash, key);
	if (unlikely(!e))
		e = ktrace_keys_add(&j->keys, bucket, hash, key);
	if (likely(e))
		judge_apply_to(j, e, source, raw, size, time, serial);
	else
		judge_refuse(j, time);
	ktrace_keys_unlock(bucket, flags);
}

/* Returns a number that no other firing has, on any CPU. */
static __always_inline u64 judge_new_serial(void)
{
	return this_cpu_inc_return(judge_serial) << 16 | (raw_smp_processor_id() & 0xffff);
}

notrace void ktrace_judge_take(const struct ktrace_judge_tap *taps, const void *raw, u32 size,
			       u64 time)
{
	for (; taps; taps = taps->next) {
		u32 i = taps->first;
		/* Only the sources of one firing may have the same time. */
		u64 serial = taps->end - i > 1 ? judge_new_serial() : 0;

		do
			judge_apply(taps->judge, i, raw, size, time, serial);
		while (++i < taps->end);
	}
}

/* ---- tasks ------------------------------------------------------------------------ */

static notrace void judge_end(struct ktrace_judge *j, struct ktrace_keys_entry *e, u64 time)
{
	/* Tasks end while the gate is closed, too.  A deadline since then was not missed. */
	u64 seen = j->scope ? min(time, ktrace_gate_shut_at(j->scope)) : time;

	if (e->status == KTRACE_KEYS_KNOWN && e->epoch != judge_epoch(j))
		judge_lose_key(j, e, seen);
	if (e->deadline <= seen)
		judge_violate(j, e, e->deadline, KTRACE_MACHINE_NO_SOURCE);
	/* Firings that were judged after its end may belong to the next task. */
	if (time < e->last)
		judge_withdraw(j, e, time);
	judge_forget(e);
	e->since = time;
	WRITE_ONCE(e->status, KTRACE_KEYS_ENDED);
	atomic_dec(&j->keys.live);
}

notrace void ktrace_judge_end_task(struct ktrace_judge *judge, u64 tid, u64 time)
{
	u64 hash = ktrace_keys_hash(&judge->keys, &tid);
	struct ktrace_keys_bucket *bucket = ktrace_keys_bucket(&judge->keys, hash);
	struct ktrace_keys_entry *e;
	unsigned long flags;

	if (!ktrace_keys_lock(bucket, &flags))
		return;
	e = ktrace_keys_find(&judge->keys, bucket, hash, &tid);
	if (e && !judge_has_ended(e))
		judge_end(judge, e, time);
	ktrace_keys_unlock(bucket, flags);
}

notrace void ktrace_judge_begin_task(struct ktrace_judge *judge, u64 tid)
{
	u64 hash = ktrace_keys_hash(&judge->keys, &tid);
	struct ktrace_keys_bucket *bucket = ktrace_keys_bucket(&judge->keys, hash);
	struct ktrace_keys_entry *e;
	unsigned long flags;

	if (!ktrace_keys_lock(bucket, &flags))
		return;
	e = ktrace_keys_find(&judge->keys, bucket, hash, &tid);
	if (e && judge_has_ended(e)) {
		ktrace_keys_unlink(&judge->keys, bucket, e);
		/* The round that counts it frees it. */
		WRITE_ONCE(e->status, KTRACE_KEYS_BURIED);
	}
	ktrace_keys_unlock(bucket, flags);
}

/* Is there a task with this number?  The idle tasks always exist. */
static bool judge_is_alive(u64 tid)
{
	struct pid *pid;
	bool alive;

	if ((s64)tid < 0)
		return true;
	rcu_read_lock();
	pid = find_pid_ns(tid, &init_pid_ns);
	alive = pid && pid_has_task(pid, PIDTYPE_PID);
	rcu_read_unlock();
	return alive;
}

/* ---- rounds ----------------------------------------------------------------------- */

struct judge_round {
	u64 mark;			/* all firings up to it are known */
	u64 certain;			/* verdicts up to it are certain */
	u64 lost;			/* the first missed firing since the last rounds */
	bool looks_for_dead;
};

/* Might a missed firing since the key's start have changed a verdict at @time? */
static bool judge_is_shaken(const struct ktrace_judge *j, const struct judge_round *round,
			    u32 epoch, u64 time)
{
	return epoch != judge_epoch(j) && time >= round->lost;
}

static void judge_add(struct ktrace_judge_sums *sums, u8 flags)
{
	if (flags & KTRACE_JUDGE_VIOLATED)
		sums->violated++;
	else if (flags & KTRACE_JUDGE_LOST)
		sums->lost++;
	else if (flags & KTRACE_JUDGE_UNORDERED)
		sums->unordered++;
	else if (flags & KTRACE_JUDGE_STARTED)
		sums->ok++;
	else
		sums->not_started++;
}

static void judge_describe(const struct ktrace_judge *j, const struct ktrace_keys_entry *e,
			   const struct ktrace_judge_pending *p, struct ktrace_violation *v)
{
	u32 i;

	*v = (struct ktrace_violation){
		.machine = j->number, .source = p->source, .state = p->state,
		.when = p->time, .age = p->time - p->since,
	};
	for (i = 0; i < j->keys.words; i++)
		v->key[i] = e->words[i];
	if (j->program->head->key == KTRACE_MACHINE_KEY_TASK && (s64)v->key[0] < 0) {
		v->key[1] = ~v->key[0] + 1;
		v->key[0] = 0;
	}
}

/* Removes and describes the key's next certain violation.  The bucket's lock is held. */
static bool judge_next_certain(struct ktrace_judge *j, struct ktrace_keys_entry *e,
			       const struct judge_round *round, struct ktrace_violation *v)
{
	bool shaken;

	if (e->status == KTRACE_KEYS_KNOWN) {
		if (e->deadline <= round->mark && !judge_is_shaken(j, round, e->epoch, e->deadline))
			judge_violate(j, e, e->deadline, KTRACE_MACHINE_NO_SOURCE);
		else if (e->epoch != judge_epoch(j))
			judge_doubt(e, KTRACE_JUDGE_LOST);
	}
	while (e->pending != KTRACE_KEYS_NONE) {
		const struct ktrace_judge_pending *p = judge_pending(j, e->pending);

		/* A later round may have forgotten the losses that this one knows. */
		shaken = judge_is_shaken(j, round, p->epoch, p->time);
		if (!shaken && p->time > round->certain)
			return false;
		judge_describe(j, e, p, v);
		if (shaken)
			judge_revoke(j, p);
		judge_remove_pending(j, &e->pending);
		if (!shaken) {
			j->violations++;
			e->flags |= KTRACE_JUDGE_VIOLATED;
			return true;
		}
		e->flags |= KTRACE_JUDGE_LOST;
	}
	return false;
}

static bool judge_is_over(const struct ktrace_keys_entry *e, u64 mark)
{
	return READ_ONCE(e->since) < mark && mark - READ_ONCE(e->since) >= JUDGE_REST;
}

/* Does the remaining work for a key.  The bucket's lock is held. */
static void judge_clean(struct ktrace_judge *j, struct ktrace_keys_bucket *bucket,
			struct ktrace_keys_entry *e, const struct judge_round *round)
{
	if (judge_has_ended(e) && !(e->flags & KTRACE_JUDGE_COUNTED)) {
		if (e->flags & KTRACE_JUDGE_STARTED &&
		    judge_is_shaken(j, round, e->epoch, e->since))
			e->flags |= KTRACE_JUDGE_LOST;
		if (e->since > round->certain || e->pending != KTRACE_KEYS_NONE)
			return;
		judge_add(&j->ended, e->flags);
		e->flags |= KTRACE_JUDGE_COUNTED;
	}
	if (e->status == KTRACE_KEYS_BURIED) {
		ktrace_keys_free(&j->keys, e);
	} else if (e->status == KTRACE_KEYS_ENDED) {
		if (!judge_is_over(e, round->mark) || judge_is_alive(e->words[0]))
			return;
		ktrace_keys_unlink(&j->keys, bucket, e);
		ktrace_keys_free(&j->keys, e);
	} else if (round->looks_for_dead && e->last < round->mark &&
		   round->mark - e->last >= JUDGE_REST && !judge_is_alive(e->words[0])) {
			/* It got another number, like a thread that executes a program. */
		judge_forget(e);
		judge_end(j, e, round->mark);
	}
}

/* Runs within the guard, like events that fire here. */
static void judge_look(struct ktrace_judge *j, struct ktrace_keys_entry *e,
		       const struct judge_round *round)
{
	struct ktrace_keys_bucket *bucket = ktrace_keys_bucket(&j->keys, READ_ONCE(e->hash));
	struct ktrace_violation v;
	unsigned long flags;
	bool found;

	do {
		found = false;
		preempt_disable_notrace();
		if (ktrace_guard_enter()) {
			ktrace_keys_lock(bucket, &flags);
			found = judge_next_certain(j, e, round, &v);
			if (!found)
				judge_clean(j, bucket, e, round);
			ktrace_keys_unlock(bucket, flags);
			if (found && j->tell_to)
				j->tell(j->tell_to, &v);
			ktrace_guard_leave();
		}
		preempt_enable_notrace();
		/* This may fire events, and take a while. */
		if (found && j->act)
			j->act(j->act_to, j, &v);
	} while (found);
}

/* Has the key work to do once all firings up to @mark are known? */
static bool judge_is_due(const struct ktrace_judge *j, const struct ktrace_keys_entry *e, u64 mark)
{
	/* Pairs with the release in ktrace_keys_add(). */
	switch (smp_load_acquire(&e->status)) {
	case KTRACE_KEYS_FREE:
		return false;
	case KTRACE_KEYS_KNOWN:
		return READ_ONCE(e->deadline) <= mark || READ_ONCE(e->epoch) != judge_epoch(j) ||
		       READ_ONCE(e->pending) != KTRACE_KEYS_NONE;
	case KTRACE_KEYS_UNKNOWN:
		return READ_ONCE(e->pending) != KTRACE_KEYS_NONE;
	default:
		return !(READ_ONCE(e->flags) & KTRACE_JUDGE_COUNTED);
	}
}

bool ktrace_judge_wants_round(const struct ktrace_judge *judge, u64 mark)
{
	u32 i, end = ktrace_keys_pool_end(&judge->keys.pool);

	for (i = 0; i < end; i++) {
		if (!(i & 1023))
			cond_resched();
		if (judge_is_due(judge, ktrace_keys_entry(&judge->keys, i), mark))
			return true;
	}
	return judge->program->head->key == KTRACE_MACHINE_KEY_TASK &&
	       !(judge->rounds % JUDGE_ROUNDS);
}

void ktrace_judge_round(struct ktrace_judge *judge, u64 mark, bool all)
{
	u64 lost = atomic64_xchg(&judge->first_lost, U64_MAX);
	struct judge_round round = {
		.mark = mark, .certain = all ? U64_MAX : mark,
		/*
		 * The epoch may have moved on for a loss only after the last round, although the
		 * loss was stored before that round.
		 */
		.lost = min(lost, judge->lost_before),
		.looks_for_dead = judge->program->head->key == KTRACE_MACHINE_KEY_TASK &&
				  !(judge->rounds % JUDGE_ROUNDS),
	};
	u32 i, end = ktrace_keys_pool_end(&judge->keys.pool);
	struct ktrace_keys_entry *e;

	judge->lost_before = lost;
	for (i = 0; i < end; i++) {
		if (!(i & 1023))
			cond_resched();
		e = ktrace_keys_entry(&judge->keys, i);
		/* Pairs with the release in ktrace_keys_add(). */
		if (smp_load_acquire(&e->status) != KTRACE_KEYS_FREE)
			if (judge_is_due(judge, e, mark) || round.looks_for_dead)
				judge_look(judge, e, &round);
	}
}

void ktrace_judge_read(const struct ktrace_judge *judge, struct ktrace_machine_read *read)
{
	struct ktrace_judge_sums sums = judge->ended;
	u32 i, end = ktrace_keys_pool_end(&judge->keys.pool), epoch = judge_epoch(judge);

	for (i = 0; i < end; i++) {
		const struct ktrace_keys_entry *e = ktrace_keys_entry(&judge->keys, i);
		/* Pairs with the release in ktrace_keys_add(). */
		enum ktrace_keys_status status = smp_load_acquire(&e->status);
		u8 flags = READ_ONCE(e->flags);

		if (!(i & 1023))
			cond_resched();
		if (status == KTRACE_KEYS_FREE || flags & KTRACE_JUDGE_COUNTED)
			continue;
		if (status == KTRACE_KEYS_KNOWN && READ_ONCE(e->epoch) != epoch)
			flags |= KTRACE_JUDGE_LOST;
		judge_add(&sums, flags);
	}
	read->ok = sums.ok;
	read->violated = sums.violated;
	read->not_started = sums.not_started;
	read->lost = sums.lost;
	read->unordered = sums.unordered;
	read->keys = sums.ok + sums.violated + sums.not_started + sums.lost + sums.unordered;
	read->violations = judge->violations;
	read->refused = atomic64_read(&judge->refused);
	read->untold = atomic64_read(&judge->untold);
	read->losses = atomic64_read(&judge->losses);
	read->froze = atomic64_read(&judge->froze);
	read->revoked = atomic64_read(&judge->revoked);
	read->acted = judge->acted;
	read->withheld = judge->withheld;
}
