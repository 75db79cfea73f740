// SPDX-License-Identifier: GPL-2.0
#include "crash/vmcore.h"

#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/ktrace.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "capture/capture.h"
#include "ring/ring.h"

static struct ktrace_vmcore_table *table;
static DEFINE_MUTEX(table_lock);	/* protects the chain of sessions */

/* The physical address of memory of the linear map or of vmalloc(). */
static u64 physical(const void *p)
{
	if (is_vmalloc_addr(p))
		return page_to_phys(vmalloc_to_page(p)) + offset_in_page(p);
	return virt_to_phys((void *)p);
}

static void *at_physical(u64 address)
{
	return address ? phys_to_virt(address) : NULL;
}

int ktrace_vmcore_init(void)
{
	/* Counts may reach into a second page, but not further. */
	BUILD_BUG_ON(sizeof(struct ktrace_event_cpu) > PAGE_SIZE);
	BUILD_BUG_ON(sizeof(local_t) != sizeof(u64));

	table = (void *)get_zeroed_page(GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->version = KTRACE_VMCORE_VERSION;
	table->size = sizeof(*table);
	table->page_size = PAGE_SIZE;
	table->schema = KTRACE_SCHEMA;
	strscpy(table->release, init_utsname()->release, sizeof(table->release));
	table->counts_bytes = sizeof(struct ktrace_event_cpu);
	table->recorded = offsetof(struct ktrace_event_cpu, recorded);
	table->filtered = offsetof(struct ktrace_event_cpu, probe.filtered);
	table->out_of_scope = offsetof(struct ktrace_event_cpu, probe.out_of_scope);
	table->losses = offsetof(struct ktrace_event_cpu, loss);
	table->loss_bytes = sizeof(struct ktrace_capture_loss);
	table->nr_reasons = KTRACE_CAPTURE_NR_LOST;
	table->lost = offsetof(struct ktrace_capture_loss, lost);
	table->unplaced = offsetof(struct ktrace_capture_loss, unplaced);
	table->first = offsetof(struct ktrace_capture_loss, first);
	table->last = offsetof(struct ktrace_capture_loss, last);
	table->self = physical(table);
	/* A reader that finds the magic has to find the rest. */
	smp_wmb();
	memcpy(table->magic, KTRACE_VMCORE_TABLE, sizeof(table->magic));
	return 0;
}

void ktrace_vmcore_exit(void)
{
	/* The page's next owner may not overwrite it. */
	memset(table, 0, sizeof(*table));
	free_page((unsigned long)table);
}

/* The most addresses in one part of a list: a page of them. */
#define LIST_PART	((PAGE_SIZE - sizeof(struct ktrace_vmcore_list)) / sizeof(u64))

static void list_destroy(u64 address)
{
	struct ktrace_vmcore_list *list = at_physical(address);

	while (list) {
		struct ktrace_vmcore_list *next = at_physical(list->next);

		kfree(list);
		list = next;
	}
}

/* Creates a list of @nr addresses; returns the address of its first part, or 0: no memory. */
static u64 list_create(u64 nr, u64 (*address)(void *data, u64 i), void *data)
{
	struct ktrace_vmcore_list *list;
	u64 first = 0, *end = &first, i = 0, n;

	while (i < nr) {
		list = kzalloc(struct_size(list, address, min_t(u64, nr - i, LIST_PART)),
			       GFP_KERNEL_ACCOUNT);
		if (!list) {
			list_destroy(first);
			return 0;
		}
		list->what = KTRACE_VMCORE_LIST;
		list->nr = min_t(u64, nr - i, LIST_PART);
		for (n = 0; n < list->nr; n++)
			list->address[n] = address(data, i++);
		*end = physical(list);
		end = &list->next;
	}
	return first;
}

static u64 page_of_ring(void *data, u64 i)
{
	const struct ktrace_ring *ring = data;

	return page_to_phys(ring->pages[i]);
}

static struct ktrace_vmcore_ring *ring_create(struct ktrace_ring *ring)
{
	struct ktrace_vmcore_ring *shown = kzalloc(sizeof(*shown), GFP_KERNEL_ACCOUNT);

	if (!shown)
		return NULL;
	shown->what = KTRACE_VMCORE_RING;
	shown->size = sizeof(*shown);
	shown->cpu = ring->cpu;
	shown->overwrites = ring->overwrites;
	shown->data_size = ring->size;
	shown->meta = physical(ring->meta);
	shown->tail = physical(ring->tail);
	shown->pages = list_create(ring->nr_pages, page_of_ring, ring);
	if (!shown->pages) {
		kfree(shown);
		return NULL;
	}
	return shown;
}

static void free_shown(struct ktrace_vmcore *vmcore)
{
	struct ktrace_vmcore_session *session = vmcore->shown;
	struct ktrace_vmcore_event *event = at_physical(session->events);
	struct ktrace_vmcore_ring *ring = at_physical(session->rings);

	while (ring) {
		struct ktrace_vmcore_ring *next = at_physical(ring->next);

		list_destroy(ring->pages);
		kfree(ring);
		ring = next;
	}
	while (event) {
		struct ktrace_vmcore_event *next = at_physical(event->next);

		ktrace_vmcore_event_destroy(event);
		event = next;
	}
	list_destroy(session->description);
	vfree(vmcore->description);
	kfree(session);
	*vmcore = (struct ktrace_vmcore){ };
}

int ktrace_vmcore_show(struct ktrace_vmcore *vmcore, struct ktrace_ring **rings,
		       const struct cpumask *cpus, int clockid)
{
	struct ktrace_vmcore_session *session;
	struct ktrace_vmcore_ring *ring;
	unsigned int cpu;
	u64 *end;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	vmcore->shown = session;
	vmcore->end = &session->events;
	session->what = KTRACE_VMCORE_SESSION;
	session->size = sizeof(*session);
	session->pid = task_tgid_nr(current);
	session->clockid = clockid;
	get_task_comm(session->comm, current->group_leader);
	end = &session->rings;
	for_each_cpu(cpu, cpus) {
		ring = ring_create(rings[cpu]);
		if (!ring) {
			free_shown(vmcore);
			return -ENOMEM;
		}
		*end = physical(ring);
		end = &ring->next;
	}

	mutex_lock(&table_lock);
	session->next = table->sessions;
	/* A session is complete before the table points to it, as with all links. */
	smp_store_release(&table->sessions, physical(session));
	mutex_unlock(&table_lock);
	return 0;
}

void ktrace_vmcore_hide(struct ktrace_vmcore *vmcore)
{
	struct ktrace_vmcore_session *session = vmcore->shown;
	u64 *link = &table->sessions;

	if (!session)
		return;
	mutex_lock(&table_lock);
	while (*link != physical(session))
		link = &((struct ktrace_vmcore_session *)at_physical(*link))->next;
	WRITE_ONCE(*link, session->next);
	mutex_unlock(&table_lock);
	/* The link has to be gone before anything behind it is freed and reused. */
	smp_wmb();
	free_shown(vmcore);
}

struct counts_of_cpus {
	const struct ktrace_event *event;
	const struct cpumask *cpus;
	unsigned int cpu;		/* the CPU whose addresses come next */
};

static u64 counts_address(void *data, u64 i)
{
	struct counts_of_cpus *of = data;
	const char *begin, *last;

	if (i % 2 == 0) {
		of->cpu = i ? cpumask_next(of->cpu, of->cpus) : cpumask_first(of->cpus);
		return physical(per_cpu_ptr(of->event->probe.cpu, of->cpu));
	}
	begin = (const char *)per_cpu_ptr(of->event->probe.cpu, of->cpu);
	last = begin + sizeof(struct ktrace_event_cpu) - 1;
	return offset_in_page(last) < offset_in_page(begin) ?
		physical((const void *)((unsigned long)last & PAGE_MASK)) : 0;
}

void ktrace_vmcore_event_destroy(struct ktrace_vmcore_event *shown)
{
	if (!shown)
		return;
	list_destroy(shown->counts);
	kfree(shown);
}

struct ktrace_vmcore_event *ktrace_vmcore_event_create(const struct ktrace_event *event,
						       const struct cpumask *cpus)
{
	struct counts_of_cpus of = { event, cpus };
	struct ktrace_vmcore_event *shown = kzalloc(sizeof(*shown), GFP_KERNEL_ACCOUNT);

	if (!shown)
		return NULL;
	shown->what = KTRACE_VMCORE_EVENT;
	shown->size = sizeof(*shown);
	shown->id = event->id;
	shown->index = event->index;
	shown->config = event->config;
	shown->sample_type = event->sample_type;
	shown->fields = event->fields;
	shown->user_strings = event->user_strings;
	if (event->name)
		strscpy(shown->name, event->name, sizeof(shown->name));
	shown->counts = list_create(2ULL * cpumask_weight(cpus), counts_address, &of);
	if (!shown->counts) {
		kfree(shown);
		return NULL;
	}
	return shown;
}

void ktrace_vmcore_event_add(struct ktrace_vmcore *vmcore, struct ktrace_vmcore_event *shown,
			     u32 stats_flags)
{
	shown->flags = stats_flags;
	/* The event is complete before the session points to it. */
	smp_store_release(vmcore->end, physical(shown));
	vmcore->end = &shown->next;
}

static u64 page_of_description(void *data, u64 i)
{
	return physical(data + (i << PAGE_SHIFT));
}

int ktrace_vmcore_describe(struct ktrace_vmcore *vmcore, void *copy, u32 bytes)
{
	u64 list;

	if (vmcore->description)
		return -EEXIST;
	list = list_create(DIV_ROUND_UP(bytes, PAGE_SIZE), page_of_description, copy);
	if (!list)
		return -ENOMEM;
	vmcore->description = copy;
	vmcore->shown->description_bytes = bytes;
	/* A reader that finds the list has to find the whole description. */
	smp_store_release(&vmcore->shown->description, list);
	return 0;
}

const void *ktrace_vmcore_description(const struct ktrace_vmcore *vmcore, u32 *bytes)
{
	*bytes = vmcore->description ? vmcore->shown->description_bytes : 0;
	return vmcore->description;
}
