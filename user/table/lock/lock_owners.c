// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_owners.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

#define NO_MARK	SIZE_MAX

/* An inference about a lock at a time. */
struct lock_mark {
	uint64_t time;
	int32_t owner;
	bool acquired;		/* the owner has it since then; else, it had it until then */
	bool mistaken;		/* a signal or a timer woke */
};

struct lock_line {
	uint64_t address;
	size_t waiting;
	ARRAY_OF(struct lock_mark) marks;	/* since anybody waits */
};

struct lock_turn {
	size_t line;
	uint32_t flags;
	uint64_t since;
	size_t first_mark;	/* those before it are older than this wait */
	size_t woken;		/* the last mark from waking this task; NO_MARK: none */
};

/* A thread, and the locks that it waits for, the innermost last: a lock contains a spinlock. */
struct lock_waiter {
	int32_t tid;
	ARRAY_OF(struct lock_turn) turns;
};

void lock_owners_deinit(struct lock_owners *owners)
{
	for (size_t i = 0; i < owners->lines.nr; i++)
		free(owners->lines.items[i].marks.items);
	for (size_t i = 0; i < owners->waiters.nr; i++)
		free(owners->waiters.items[i].turns.items);
	free(owners->lines.items);
	free(owners->waiters.items);
	free(owners->shares.items);
	hash_table_deinit(&owners->lines_index);
	hash_table_deinit(&owners->waiters_index);
	*owners = (struct lock_owners){ 0 };
}

static struct error *lock_line_of(struct lock_owners *owners, uint64_t address, size_t *ret)
{
	uint64_t hash = hash_key_number(address);

	hash_table_each(&owners->lines_index, hash, n) {
		*ret = n;
		if (owners->lines.items[*ret].address == address)
			return NULL;
	}
	*ret = owners->lines.nr;
	return array_push(&owners->lines, ((struct lock_line){ .address = address })) &&
		hash_table_add(&owners->lines_index, hash, *ret) ? NULL : &error_no_memory;
}

static struct lock_waiter *lock_waiter_find(const struct lock_owners *owners, int32_t tid)
{
	hash_table_each(&owners->waiters_index, hash_key_number(tid), found)
		if (owners->waiters.items[found].tid == tid)
			return &owners->waiters.items[found];
	return NULL;
}

static struct error *lock_waiter_of(struct lock_owners *owners, int32_t tid,
				    struct lock_waiter **ret)
{
	*ret = lock_waiter_find(owners, tid);
	if (*ret)
		return NULL;
	if (!array_push(&owners->waiters, ((struct lock_waiter){ .tid = tid })) ||
	    !hash_table_add(&owners->waiters_index, hash_key_number(tid), owners->waiters.nr - 1))
		return &error_no_memory;
	*ret = &owners->waiters.items[owners->waiters.nr - 1];
	return NULL;
}

static struct lock_turn *lock_turn_find(const struct lock_owners *owners,
					const struct lock_waiter *waiter, uint64_t address)
{
	for (size_t i = waiter ? waiter->turns.nr : 0; i-- > 0;)
		if (owners->lines.items[waiter->turns.items[i].line].address == address)
			return &waiter->turns.items[i];
	return NULL;
}

static bool lock_turn_only_spins(const struct lock_turn *turn)
{
	return (turn->flags & (LOCK_SPIN | LOCK_MUTEX)) == LOCK_SPIN;
}

static bool lock_turn_is_told(const struct lock_turn *turn)
{
	return !lock_turn_only_spins(turn) &&
		(turn->flags & (LOCK_PERCPU | LOCK_WRITE)) != (LOCK_PERCPU | LOCK_WRITE);
}

static void lock_turn_remove(struct lock_owners *owners, struct lock_waiter *waiter, size_t index)
{
	owners->lines.items[waiter->turns.items[index].line].waiting--;
	for (size_t i = index; i + 1 < waiter->turns.nr; i++)
		waiter->turns.items[i] = waiter->turns.items[i + 1];
	waiter->turns.nr--;
}

/* A new wait of a task ends its older ones, except spinning and containing ones. */
static void lock_turns_forget(struct lock_owners *owners, struct lock_waiter *waiter)
{
	for (size_t i = waiter->turns.nr; i-- > 0;)
		if (!lock_turn_only_spins(&waiter->turns.items[i]) &&
		    !(waiter->turns.items[i].flags & LOCK_PERCPU))
			lock_turn_remove(owners, waiter, i);
}

struct error *lock_owners_begin(struct lock_owners *owners, int32_t tid, uint64_t address,
				uint32_t flags, uint64_t time)
{
	struct lock_turn turn = { .flags = flags, .since = time, .woken = NO_MARK };
	struct lock_waiter *waiter;
	struct error *err = lock_waiter_of(owners, tid, &waiter);
	struct lock_line *line;

	if (err || lock_turn_find(owners, waiter, address))
		return err;
	err = lock_line_of(owners, address, &turn.line);
	if (err)
		return err;
	if (!lock_turn_only_spins(&turn))
		lock_turns_forget(owners, waiter);
	line = &owners->lines.items[turn.line];
	if (!line->waiting)
		line->marks.nr = 0;
	turn.first_mark = line->marks.nr;
	if (!array_push(&waiter->turns, turn))
		return &error_no_memory;
	line->waiting++;
	owners->unended++;
	return NULL;
}

/* A thread that sleeps does not spin meanwhile: the end of such a wait has not been seen. */
static struct lock_turn *lock_turn_asleep(const struct lock_owners *owners, int32_t tid)
{
	struct lock_waiter *waiter = lock_waiter_find(owners, tid);

	for (size_t i = waiter ? waiter->turns.nr : 0; i-- > 0;)
		if (!lock_turn_only_spins(&waiter->turns.items[i]))
			return &waiter->turns.items[i];
	return NULL;
}

bool lock_owners_sleeps(struct lock_owners *owners, int32_t tid)
{
	const struct lock_turn *turn = lock_turn_asleep(owners, tid);

	return turn && lock_turn_is_told(turn);
}

struct error *lock_owners_wake(struct lock_owners *owners, int32_t tid, int32_t waker,
			       uint64_t time)
{
	struct lock_turn *turn = lock_turn_asleep(owners, tid);
	struct lock_line *line = &owners->lines.items[turn->line];

	if (!array_push(&line->marks, ((struct lock_mark){ .time = time, .owner = waker })))
		return &error_no_memory;
	turn->woken = line->marks.nr - 1;
	return NULL;
}

static struct error *lock_share_add(struct lock_owners *owners, int32_t owner, uint64_t ns)
{
	for (size_t i = 0; i < owners->shares.nr; i++)
		if (owners->shares.items[i].owner == owner) {
			owners->shares.items[i].ns += ns;
			return NULL;
		}
	return !ns || array_push(&owners->shares, ((struct lock_share){ owner, ns })) ?
		NULL : &error_no_memory;
}

/* A read lock or a semaphore may have other owners beside this one. */
static bool lock_turn_excludes(const struct lock_turn *turn)
{
	return lock_turn_is_told(turn) && turn->flags & ~LOCK_SPIN && !(turn->flags & LOCK_READ);
}

static struct error *lock_share_out(struct lock_owners *owners, const struct lock_turn *turn,
				    uint64_t end)
{
	const struct lock_line *line = &owners->lines.items[turn->line];
	int32_t owner = LOCK_OWNER_UNKNOWN;
	uint64_t begin = turn->since;
	struct error *err = NULL;

	for (size_t i = turn->first_mark; lock_turn_is_told(turn) && i < line->marks.nr; i++) {
		const struct lock_mark *mark = &line->marks.items[i];

		if (mark->mistaken || mark->time < begin || mark->time > end)
			continue;
		if (!mark->acquired)
			owner = mark->owner;
		err = lock_share_add(owners, owner, mark->time - begin);
		if (err)
			return err;
		begin = mark->time;
		owner = mark->owner;
	}
	return lock_share_add(owners, owner, end > begin ? end - begin : 0);
}

struct error *lock_owners_end(struct lock_owners *owners, int32_t tid, uint64_t address,
			      bool failed, uint64_t time)
{
	struct lock_waiter *waiter = lock_waiter_find(owners, tid);
	struct lock_turn *turn = lock_turn_find(owners, waiter, address);
	struct lock_line *line;
	struct error *err;

	owners->shares.nr = 0;
	if (!turn)
		return NULL;
	line = &owners->lines.items[turn->line];
	if (failed && turn->woken != NO_MARK)
		line->marks.items[turn->woken].mistaken = true;
	err = lock_share_out(owners, turn, time);
	if (!err && !failed && lock_turn_excludes(turn) &&
	    !array_push(&line->marks, ((struct lock_mark){ time, tid, .acquired = true })))
		err = &error_no_memory;
	lock_turn_remove(owners, waiter, turn - waiter->turns.items);
	owners->unended--;
	return err;
}
