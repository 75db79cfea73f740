// SPDX-License-Identifier: GPL-2.0
#include "ring/ring.h"

#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "lib/memlock.h"
#include "ring/ring_reserve.h"

static void wake_waiters(struct irq_work *work)
{
	struct ktrace_ring *ring = container_of(work, struct ktrace_ring, wakeup);

	/*
	 * First we disarm.  A reader that arms after this has called poll_wait() before, so it is
	 * in the queue already, is woken, and checks the rings again.
	 */
	WRITE_ONCE(ring->waiters->armed, false);
	wake_up_all(&ring->waiters->queue);
}

static void free_pages_of(struct ktrace_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr_pages; i++) {
		__free_page(ring->pages[i]);
		cond_resched();
	}
	kvfree(ring->pages);
}

static int alloc_pages_of(struct ktrace_ring *ring, unsigned int nr)
{
	/* A CPU that is offline may belong to a node that is offline, too. */
	int node = node_online(cpu_to_node(ring->cpu)) ? cpu_to_node(ring->cpu) : NUMA_NO_NODE;
	struct page *page;

	/* The second half repeats the first, to map the data twice in a row. */
	ring->pages = kvcalloc(nr, 2 * sizeof(*ring->pages), KTRACE_MEMLOCK_GFP);
	if (!ring->pages)
		return -ENOMEM;

	while (ring->nr_pages < nr) {
		if (fatal_signal_pending(current))
			goto err_free_pages;
		page = alloc_pages_node(node, KTRACE_MEMLOCK_GFP, 0);
		if (!page)
			goto err_free_pages;
		ring->pages[ring->nr_pages] = page;
		ring->pages[ring->nr_pages + nr] = page;
		ring->nr_pages++;
		cond_resched();
	}
	return 0;

err_free_pages:
	free_pages_of(ring);
	return -ENOMEM;
}

struct ktrace_ring *ktrace_ring_create(unsigned int cpu, unsigned int nr_pages,
				       u64 wakeup_bytes, int clockid,
				       struct ktrace_ring_waiters *waiters)
{
	struct ktrace_ring *ring;
	int err = -ENOMEM;

	BUILD_BUG_ON(sizeof(struct ktrace_ring_meta) > PAGE_SIZE);

	ring = kzalloc_node(sizeof(*ring), GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));
	if (!ring)
		return ERR_PTR(-ENOMEM);

	ring->cpu = cpu;
	ring->size = (u64)nr_pages << PAGE_SHIFT;
	ring->mask = ring->size - 1;
	ring->wakeup_bytes = wakeup_bytes;
	ring->wake_at = wakeup_bytes;
	ring->clockid = clockid;
	ktrace_ring_lay_out(ring, KTRACE_SAMPLE_TYPE);
	ring->waiters = waiters;
	init_irq_work(&ring->wakeup, wake_waiters);

	err = alloc_pages_of(ring, nr_pages);
	if (err)
		goto err_free_ring;

	err = -ENOMEM;
	ring->data = vmap(ring->pages, 2 * nr_pages, VM_MAP, PAGE_KERNEL);
	if (!ring->data)
		goto err_free_pages;

	ring->meta = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!ring->meta)
		goto err_unmap_data;
	ring->meta->size = sizeof(*ring->meta);
	ring->meta->cpu = cpu;
	ring->meta->data_size = ring->size;

	ring->tail = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!ring->tail)
		goto err_free_meta;
	return ring;

err_free_meta:
	free_page((unsigned long)ring->meta);
err_unmap_data:
	vunmap(ring->data);
err_free_pages:
	free_pages_of(ring);
err_free_ring:
	kfree(ring);
	return ERR_PTR(err);
}

void ktrace_ring_overwrite(struct ktrace_ring *ring)
{
	ring->overwrites = true;
	ring->wakeup_bytes = U64_MAX;
	ring->wake_at = U64_MAX;
}

void ktrace_ring_lay_out(struct ktrace_ring *ring, u64 sample_type)
{
	ring->time_offset = ktrace_sample_time_offset(sample_type);
}

void ktrace_ring_destroy(struct ktrace_ring *ring)
{
	irq_work_sync(&ring->wakeup);
	free_page((unsigned long)ring->tail);
	free_page((unsigned long)ring->meta);
	vunmap(ring->data);
	free_pages_of(ring);
	kfree(ring);
}

int ktrace_ring_mmap(struct ktrace_ring *ring, unsigned int region,
		     struct vm_area_struct *vma)
{
	/* As for perf's mappings.  fork() need not copy them. */
	unsigned long set = VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP;
	unsigned long clear = VM_MAYEXEC;
	struct page **pages, *page;
	unsigned int nr = 1;

	switch (region) {
	case KTRACE_MMAP_META:
		page = virt_to_page(ring->meta);
		pages = &page;
		clear |= VM_MAYWRITE;
		break;
	case KTRACE_MMAP_TAIL:
		page = virt_to_page(ring->tail);
		pages = &page;
		if (ring->overwrites)
			clear |= VM_MAYWRITE;
		break;
	case KTRACE_MMAP_DATA:
		pages = ring->pages;
		nr = ring->nr_pages;
		clear |= VM_MAYWRITE;
		break;
	default:
		return -EINVAL;
	}

	/* A private mapping would stop showing the other side's writes. */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma_pages(vma) != nr)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC ||
	    (vma->vm_flags & VM_WRITE && clear & VM_MAYWRITE))
		return -EPERM;

	vm_flags_mod(vma, set, clear);
	return vm_map_pages_zero(vma, pages, nr);
}

notrace u64 ktrace_ring_held(const struct ktrace_ring *ring)
{
	return READ_ONCE(ring->published) - READ_ONCE(ring->tail->data_tail);
}

notrace bool ktrace_ring_has_room(const struct ktrace_ring *ring, u32 size)
{
	return ring->overwrites || ktrace_ring_fits(ring, local_read(&ring->head),
						    READ_ONCE(ring->tail->data_tail), size);
}

notrace bool ktrace_ring_look_for_room(struct ktrace_ring *ring, u64 head, u32 size)
{
	/*
	 * Pairs with the reader's store-release of the tail, before which it has loaded the records
	 * in the freed bytes.  Everything that is stored below room_end is stored after this load.
	 */
	u64 tail = smp_load_acquire(&ring->tail->data_tail);

	if (!ktrace_ring_fits(ring, head, tail, size))
		return false;
	/* If a nested writer has just found more room, this forgets it until the next check. */
	WRITE_ONCE(ring->room_end, tail + ring->size);
	return true;
}

notrace bool ktrace_ring_make_room(struct ktrace_ring *ring, u64 head, u32 size)
{
	struct ktrace_ring_tail *word = ring->tail;
	u64 tail, next, seen, published, room;

		/* We free a page at once, so that few records have to do this. */
	room = max_t(u64, size, min_t(u64, PAGE_SIZE, ring->size / 4));
	/* Nobody publishes records while our reservation is open. */
	published = READ_ONCE(ring->published);
	tail = READ_ONCE(word->data_tail);
	barrier();
	while (tail != published && !ktrace_ring_fits(ring, head, tail, room)) {
		/*
		 * A writer that interrupts us here and overwrites this header has moved the
		 * tail before.  Then the exchange fails.
		 */
		next = tail + READ_ONCE(((struct perf_event_header *)
					 (ring->data + (tail & (ring->size - 1))))->size);
		barrier();
		seen = cmpxchg64_local(&word->data_tail, tail, next);
		tail = seen == tail ? next : seen;
	}
	/*
	 * Pairs with the reader's barrier between copying records and loading the tail: a
	 * reader that copied bytes that we write after this sees this tail.
	 */
	smp_wmb();
	return ktrace_ring_fits(ring, head, tail, size);
}

notrace void *ktrace_ring_reserve_overwriting(struct ktrace_ring *ring, u32 size, u64 *time,
					      enum ktrace_lost *lost)
{
	return __ktrace_ring_reserve(ring, size, time, lost, true);
}

bool ktrace_ring_snapshot(struct ktrace_ring *ring, void (*look)(void *data), void *data)
{
	u64 head = local_read(&ring->head);

	/* We may have interrupted a writer at any point. */
	if (READ_ONCE(ring->nest) || head != READ_ONCE(ring->published))
		return false;
	barrier();
	look(data);
	barrier();
	if (head != local_read(&ring->head))
		return false;
	WRITE_ONCE(ring->meta->snapshot_head, head);
	return true;
}

notrace void ktrace_ring_trigger(struct ktrace_ring *ring)
{
	/*
	 * Only the first trigger after a snapshot wakes.  The interrupt of the irq_work may
	 * itself fire an event that triggers; if that queued the irq_work again, there
	 * would be no end.
	 */
	if (READ_ONCE(ring->waiters->triggered))
		return;
	/* ktrace_session_poll() reads this after the reader is woken. */
	if (!xchg(&ring->waiters->triggered, true))
		irq_work_queue(&ring->wakeup);
}

/*
 * The outermost writer numbers the samples of nested writers, too, because only it knows the order
 * of their records in the ring.  It also keeps the time from decreasing where the clock does (the
 * fast clocks while they are updated, CLOCK_REALTIME when it is set).
 */
static __always_inline void stamp(struct ktrace_ring *ring, u64 head)
{
	struct perf_event_header *header;
	u64 pos = ring->published;
	u64 *time;
	u32 end;

	do {
		header = ring->data + (pos & (ring->size - 1));
		if (likely(header->type == PERF_RECORD_SAMPLE)) {
			time = (void *)header + ring->time_offset;
			if (header->misc & KTRACE_RING_WANTS_SEQ) {
				end = header->size;
				if (IS_ENABLED(CONFIG_ARM64) && header->misc & KTRACE_RING_HAS_REGS)
					end -= KTRACE_RING_REGS_SIZE;
				header->misc &= ~(KTRACE_RING_WANTS_SEQ | KTRACE_RING_HAS_REGS);
				*(u64 *)((void *)header + end - sizeof(u64)) = ring->samples;
			}
			ring->samples++;
		} else {
			time = (void *)header + KTRACE_LOST_TIME_OFFSET;
		}
		if (unlikely(*time < ring->last_time))
			*time = ring->last_time;
		ring->last_time = *time;
		pos += header->size;
	} while (unlikely(pos != head));
}

/* The same protocol as in perf_output_put_handle(). */
notrace void ktrace_ring_commit(struct ktrace_ring *ring)
{
	u64 head;

again:
	barrier();
	if (unlikely(ring->nest > 1)) {
		WRITE_ONCE(ring->nest, ring->nest - 1);
		return;
	}

	head = local_read(&ring->head);
	/*
	 * A writer that reserves from here on sees nest and leaves publishing to us.  We find its
	 * record when we read head again below.
	 */
	barrier();
	if (likely(head != ring->published)) {
		stamp(ring, head);
		WRITE_ONCE(ring->published, head);
		/* Pairs with the reader's load-acquire of data_head. */
		smp_store_release(&ring->meta->data_head, head);
	}
	barrier();
	WRITE_ONCE(ring->nest, 0);
	barrier();
	if (unlikely(head != local_read(&ring->head))) {
		WRITE_ONCE(ring->nest, 1);
		goto again;
	}

	if (unlikely(head >= READ_ONCE(ring->wake_at)))
		ktrace_ring_wake(ring);
}

notrace void ktrace_ring_publish_rest(struct ktrace_ring *ring)
{
	WRITE_ONCE(ring->nest, 1);
	ktrace_ring_commit(ring);
}

notrace void ktrace_ring_wake(struct ktrace_ring *ring)
{
	u64 tail = READ_ONCE(ring->tail->data_tail);

	if (READ_ONCE(ring->published) - tail < ring->wakeup_bytes) {
		WRITE_ONCE(ring->wake_at, tail + ring->wakeup_bytes);
		return;
	}
	/*
	 * Pairs with the barrier between arming and checking in ktrace_session_poll():
	 * either the reader sees our record, or we see that it has armed.
	 */
	smp_mb();
	if (READ_ONCE(ring->waiters->armed))
		irq_work_queue(&ring->wakeup);
}
