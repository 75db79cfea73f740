// SPDX-License-Identifier: GPL-2.0
#include "capture/ledger.h"

#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/layout.h"
#include "count/counting.h"
#include "filter/scope.h"
#include "lib/clock.h"
#include "machine/judge.h"
#include "ring/ring.h"
#include "ring/ring_reserve.h"

static __always_inline void note_loss(struct ktrace_capture_loss *loss, u64 now)
{
	local_inc(&loss->lost);
	/*
	 * A nested writer that comes anywhere here may lose samples or report losses itself.  That
	 * shifts these times by no more than the time it runs.
	 */
	if (!local_read(&loss->unplaced))
		WRITE_ONCE(loss->first, now);
	WRITE_ONCE(loss->last, now);
	if (local_inc_return(&loss->unplaced) == 1)
		WRITE_ONCE(loss->first, now);
}

noinline notrace void ktrace_ledger_lose(struct ktrace_event_cpu *ec, enum ktrace_lost reason)
{
	struct ktrace_capture_loss *loss = &ec->loss[reason];
	u64 now = ktrace_clock_read(ec->probe.ring->clockid);

	note_loss(loss, now);
	/*
	 * In this order: if a nested writer reports all losses in between, it permits plain samples
	 * again, and nobody else would.
	 */
	WRITE_ONCE(ec->max_plain, 0);
	barrier();
	WRITE_ONCE(ec->has_unplaced, true);
}

noinline notrace void ktrace_ledger_miss(const struct ktrace_event *event,
					 struct ktrace_event_cpu *ec, enum ktrace_lost reason)
{
	ktrace_ledger_lose(ec, reason);
	if (event->taps)
		ktrace_judge_miss(event->taps, ktrace_clock_read(ec->probe.ring->clockid));
}

noinline notrace void ktrace_ledger_shut_out(const struct ktrace_event *event,
					     struct ktrace_event_cpu *ec)
{
	if (!ec->probe.ring)
		return;
	/* The machines have missed nothing: they end where the session was frozen. */
	if (ktrace_scope_covers(event->probe.scope))
		note_loss(&ec->frozen, ktrace_clock_read(ec->probe.ring->clockid));
	else
		local_inc(&ec->probe.out_of_scope);
}

/* Losses that a writer has claimed from the ledger, to report them before its sample. */
struct claim {
	u64 lost, first, last;
};

/*
 * A context that is interrupted after it has read the clock, but before ktrace_ledger_lose() has
 * stored the time, stores an older time than the context that interrupted it.
 */
static __always_inline void order_times(u64 *first, u64 *last)
{
	if (unlikely(*last < *first))
		swap(*first, *last);
}

static notrace u32 claim_losses(struct ktrace_event_cpu *ec, struct claim *claims)
{
	struct ktrace_capture_loss *loss;
	u32 i, nr = 0;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		loss = &ec->loss[i];
		claims[i].first = READ_ONCE(loss->first);
		claims[i].last = READ_ONCE(loss->last);
		order_times(&claims[i].first, &claims[i].last);
		claims[i].lost = local_xchg(&loss->unplaced, 0);
		nr += !!claims[i].lost;
	}
	return nr;
}

static notrace void return_losses(struct ktrace_event_cpu *ec, const struct claim *claims)
{
	u32 i;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		if (!claims[i].lost)
			continue;
		WRITE_ONCE(ec->loss[i].first, claims[i].first);
		local_add(claims[i].lost, &ec->loss[i].unplaced);
	}
}

static notrace bool has_losses(const struct ktrace_event_cpu *ec)
{
	u32 i;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		if (local_read(&ec->loss[i].unplaced))
			return true;
	return false;
}

/* Fills in the members of a PERF_RECORD_LOST behind its time. */
static notrace void write_lost_end(const struct ktrace_event *event, const struct ktrace_ring *ring,
				   struct ktrace_layout_lost *lost)
{
	u64 *compact_id = (void *)lost + KTRACE_LOST_TIME_OFFSET + sizeof(u64);

	lost->header.size = event->lost_size;
	if (!event->compact) {
		lost->header.misc = 0;
		lost->cpu = ring->cpu;
		lost->reserved = 0;
		lost->sample_id = event->id;
		return;
	}
	lost->header.misc = ktrace_layout_misc_with_cpu(0, ring);
	if (event->has_ids)
		*compact_id = event->id;
}

static notrace void *write_losses(const struct ktrace_event *event, const struct ktrace_ring *ring,
				  const struct claim *claims, u64 time, void *to)
{
	struct ktrace_layout_lost *lost = to;
	u32 i;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		if (!claims[i].lost)
			continue;
		lost->header.type = PERF_RECORD_LOST;
		lost->id = event->id;
		lost->lost = claims[i].lost;
		lost->reason = i;
		lost->first = claims[i].first;
		lost->last = claims[i].last;
		ktrace_layout_read_ids(&lost->pid, &lost->tid);
		lost->time = time;
		write_lost_end(event, ring, lost);
		lost = (void *)lost + event->lost_size;
	}
	return lost;
}

/* There is no room.  If the ring overwrites, we make some. */
noinline notrace void *ktrace_ledger_make_room(struct ktrace_event_cpu *ec, u32 size,
					       enum ktrace_lost reason)
{
	struct ktrace_ring *ring = ec->probe.ring;
	void *sample;
	u64 time;

	if (reason == KTRACE_LOST_FULL && ring->overwrites) {
		sample = ktrace_ring_reserve_overwriting(ring, size, &time, &reason);
		if (sample) {
			*ktrace_layout_time_of(ring, sample) = time;
			return sample;
		}
	}
	ktrace_ledger_lose(ec, reason);
	return NULL;
}

/* Reserves for a sample that has to report losses first. */
noinline notrace void *ktrace_ledger_reserve_after_loss(const struct ktrace_event *event,
							struct ktrace_event_cpu *ec, u32 size)
{
	struct claim claims[KTRACE_CAPTURE_NR_LOST];
	struct ktrace_ring *ring = ec->probe.ring;
	enum ktrace_lost reason;
	void *record, *sample;
	u64 time;
	u32 nr;

	/*
	 * We may have interrupted a writer that has claimed the losses and not reported them yet.
	 * Then our sample would be in the ring before the PERF_RECORD_LOST that reports them.
	 */
	if (READ_ONCE(ec->placing)) {
		ktrace_ledger_lose(ec, KTRACE_LOST_NESTED);
		return NULL;
	}
	/* Without room, the losses need not be claimed and returned. */
	if (!ktrace_ring_has_room(ring, size + KTRACE_LOST_SIZE)) {
		ktrace_ledger_lose(ec, KTRACE_LOST_FULL);
		return NULL;
	}

	WRITE_ONCE(ec->placing, true);
	barrier();
	nr = claim_losses(ec, claims);
	size += nr * event->lost_size;
	record = ring->overwrites ? ktrace_ring_reserve_overwriting(ring, size, &time, &reason) :
				    ktrace_ring_reserve(ring, size, &time, &reason);
	if (record) {
		sample = write_losses(event, ring, claims, time, record);
		*ktrace_layout_time_of(ring, sample) = time;
		/*
		 * A loss before this write is found by has_losses(); a later loss sets the flag
		 * again.
		 */
		WRITE_ONCE(ec->has_unplaced, false);
		barrier();
		if (has_losses(ec))
			WRITE_ONCE(ec->has_unplaced, true);
	} else {
		sample = NULL;
		return_losses(ec, claims);
		ktrace_ledger_lose(ec, reason);
	}
	barrier();
	WRITE_ONCE(ec->placing, false);
	barrier();
	while (!READ_ONCE(ec->attention)) {
		WRITE_ONCE(ec->max_plain, ec->max_without_loss);
		barrier();
		/* A nested writer's loss has cleared it before our write: clear it again. */
		if (!READ_ONCE(ec->attention))
			break;
		WRITE_ONCE(ec->max_plain, 0);
		/* Another nested writer may have reported all losses since: check again. */
		barrier();
	}
	return sample;
}

void ktrace_ledger_keep(struct ktrace_event *event, unsigned int cpu)
{
	struct ktrace_event_cpu *ec = ktrace_event_on_cpu(event, cpu);
	u32 i;

	ec->snapshot.recorded = local_read(&ec->recorded);
	ec->snapshot.filtered = local_read(&ec->probe.filtered);
	ec->snapshot.out_of_scope = local_read(&ec->probe.out_of_scope);
	ec->snapshot.frozen = local_read(&ec->frozen.lost);
	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		ec->snapshot.lost[i] = local_read(&ec->loss[i].lost);
}

void ktrace_ledger_read_kept(const struct ktrace_event *event, unsigned int cpu,
			     struct ktrace_stats *stats)
{
	const struct ktrace_capture_counts *counts = &ktrace_event_on_cpu(event, cpu)->snapshot;
	u32 i;

	stats->recorded = counts->recorded;
	stats->filtered = counts->filtered;
	stats->out_of_scope = counts->out_of_scope;
	stats->lost[KTRACE_LOST_FROZEN] = counts->frozen;
	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		stats->lost[i] = counts->lost[i];
}

static void read_loss(const struct ktrace_capture_loss *loss, enum ktrace_lost reason,
		      struct ktrace_stats *stats)
{
	u64 first, last;

	stats->lost[reason] = local_read(&loss->lost);
	stats->unplaced[reason] = local_read(&loss->unplaced);
	if (!stats->unplaced[reason])
		return;
	first = READ_ONCE(loss->first);
	last = READ_ONCE(loss->last);
	order_times(&first, &last);
	if (!stats->first_lost || first < stats->first_lost)
		stats->first_lost = first;
	stats->last_lost = max(stats->last_lost, last);
}

void ktrace_ledger_read(const struct ktrace_event *event, unsigned int cpu,
			struct ktrace_stats *stats)
{
	const struct ktrace_event_cpu *ec = ktrace_event_on_cpu(event, cpu);
	u32 i;

	stats->recorded = local_read(&ec->recorded);
	stats->filtered = local_read(&ec->probe.filtered);
	stats->out_of_scope = local_read(&ec->probe.out_of_scope);
	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		read_loss(&ec->loss[i], i, stats);
	read_loss(&ec->frozen, KTRACE_LOST_FROZEN, stats);
	if (event->counting)
		ktrace_counting_add_lost(event->counting, cpu, stats->lost);
}
