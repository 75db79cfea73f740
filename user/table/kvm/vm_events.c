// SPDX-License-Identifier: GPL-2.0
#include "table/kvm/vm_events.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "states/known_events.h"

#define VM_NO_ROW	SIZE_MAX

/* perf keeps rows in so many lists. */
#define VM_PERF_LISTS	4096

/* arm64's ARM_EXCEPTION_TRAP, in its kvm_exit's "ret". */
#define VM_EXIT_IS_TRAP	2

enum vm_event_kind { VM_ENTRY = 1, VM_EXIT, VM_ACCESS_MMIO, VM_ACCESS_PORT, VM_ACCESS_MSR };

/* x86 has exit_reason; arm64 has ret, and the class of a trap's exception. */
enum { VM_EXIT_REASON, VM_EXIT_RET, VM_EXIT_CLASS };
enum { VM_ACCESS_KEY, VM_ACCESS_INFO };

static const struct known_row vm_event_rows[] = {
	{ "kvm", "kvm_entry", VM_ENTRY, { "?vcpu_id" } },
	{ "kvm", "kvm_exit", VM_EXIT, { "?exit_reason", "?ret", "?esr_ec" } },
	{ "kvm", "kvm_mmio", VM_ACCESS_MMIO, { "gpa", "type" } },
	{ "kvm", "kvm_pio", VM_ACCESS_PORT, { "port", "rw" } },
	{ "kvm", "kvm_msr", VM_ACCESS_MSR, { "ecx", "write" } },
	{ 0 },
};

/* A thread that runs a virtual CPU. */
struct vm_vcpu {
	int32_t tid, id;
	bool began;		/* at this time, ... */
	uint64_t since;		/* ns */
	size_t row;		/* ... which it is counted as; VM_NO_ROW: that is not known yet */
};

struct vm_event_state {
	struct known_events known;
	struct hash_table rows_index, vcpus_index;
	ARRAY_OF(struct vm_vcpu) vcpus;
};

static const char *vm_event_class_lacks(enum vm_event_class class, const struct event_list *events)
{
	static const char *const names[VM_EVENT_CLASSES] = {
		[VM_EXITS] = "kvm_exit", [VM_MMIO] = "kvm_mmio", [VM_PORTS] = "kvm_pio",
		[VM_MSRS] = "kvm_msr",
	};

	if (!event_is_recorded(events, "kvm", "kvm_entry"))
		return "kvm_entry";
	if (class == VM_MMIO && !event_is_recorded(events, "kvm", "kvm_exit"))
		return "kvm_exit";
	return event_is_recorded(events, "kvm", names[class]) ? NULL : names[class];
}

const char *const vm_event_class_names[VM_EVENT_CLASSES] = {
	[VM_EXITS] = "vmexit", [VM_MMIO] = "mmio", [VM_PORTS] = "ioport", [VM_MSRS] = "msr",
};

struct error *vm_events_check(enum vm_event_class class, const struct event_list *events)
{
	const char *lacks = vm_event_class_lacks(class, events);

	return !lacks ? NULL :
	       error_hint(error_new(ENODATA, "The recording has no event kvm:%s, which --event %s "
				    "needs", lacks, vm_event_class_names[class]),
			  "'ktrace kvm stat record' records the kernel's events of KVM");
}

static struct error *vm_vcpu_find(struct vm_events *events, const struct session_record *r,
				  const struct known_event *e, struct vm_vcpu **ret)
{
	struct vm_event_state *state = events->state;
	struct vm_vcpu added = { .tid = r->sample.tid, .row = VM_NO_ROW };
	uint64_t hash = hash_key_number((uint32_t)added.tid);

	hash_table_each(&state->vcpus_index, hash, n) {
		*ret = &state->vcpus.items[n];
		if ((*ret)->tid == added.tid)
			return NULL;
	}
	*ret = NULL;
	/* As in perf, the first entry shows that a thread runs a virtual CPU, and which one. */
	if (e->kind != VM_ENTRY)
		return NULL;
	added.id = e->values[0];
	if (!array_push(&state->vcpus, added) ||
	    !hash_table_add(&state->vcpus_index, hash, state->vcpus.nr - 1))
		return &error_no_memory;
	*ret = &state->vcpus.items[state->vcpus.nr - 1];
	return NULL;
}

/* The key under which an event is counted. */
struct vm_event_what {
	uint64_t key, info;
	const char *name;
};

static const char *vm_event_name(const struct session_record *r, const struct field *field)
{
	return field && r->format ? event_format_symbol(r->format, field, r->sample.raw,
							r->sample.raw_size) : NULL;
}

static struct vm_event_what vm_exit_what(const struct known_event *e, size_t *ret_field)
{
	struct vm_event_what what = { .key = e->values[VM_EXIT_REASON] };

	*ret_field = VM_EXIT_REASON;
	if (e->fields[VM_EXIT_REASON])
		return what;
	*ret_field = VM_EXIT_RET;
	what.key = e->values[VM_EXIT_RET];
	if (what.key != VM_EXIT_IS_TRAP || !e->fields[VM_EXIT_CLASS])
		return what;
	*ret_field = VM_EXIT_CLASS;
	return (struct vm_event_what){ .key = e->values[VM_EXIT_CLASS], .info = VM_TRAP };
}

static struct error *vm_row_find(struct vm_events *events, const struct session_record *r,
				 const struct known_event *e, size_t *ret)
{
	struct vm_event_row added = { .min = UINT64_MAX, .position = events->rows.nr };
	struct hash_table *index = &events->state->rows_index;
	size_t field = VM_EXIT_REASON;
	struct vm_event_what what;
	uint64_t hash;

	if (e->kind == VM_EXIT)
		what = vm_exit_what(e, &field);
	else
		what = (struct vm_event_what){
			e->values[VM_ACCESS_KEY], e->values[VM_ACCESS_INFO], NULL,
		};
	hash = hash_key_join(hash_key_number(what.key), what.info);
	hash_table_each(index, hash, n) {
		*ret = n;
		if (events->rows.items[*ret].key == what.key &&
		    events->rows.items[*ret].info == what.info)
			return NULL;
	}
	added.key = what.key;
	added.info = what.info;
	if (e->kind == VM_EXIT)
		added.name = vm_event_name(r, e->fields[field]);
	*ret = events->rows.nr;
	if (!array_push(&events->rows, added) || !hash_table_add(index, hash, *ret))
		return &error_no_memory;
	return NULL;
}

static void vm_row_add(struct vm_events *events, struct vm_event_row *row, uint64_t ns)
{
	double distance = ns - row->mean;

	row->count++;
	row->total += ns;
	/* Welford's algorithm, which is exact for a large mean, too. */
	row->mean += distance / row->count;
	row->squares += distance * (ns - row->mean);
	if (ns < row->min)
		row->min = ns;
	if (ns > row->max)
		row->max = ns;
	events->count++;
	events->total += ns;
}

static struct error *vm_begin(struct vm_events *events, struct vm_vcpu *vcpu,
			      const struct session_record *r, const struct known_event *e)
{
	vcpu->began = true;
	vcpu->since = r->sample.time;
	vcpu->row = VM_NO_ROW;
	/* kvm_mmio has the address that an exit accesses. */
	if (events->options->class == VM_MMIO && e->kind == VM_EXIT)
		return NULL;
	return vm_row_find(events, r, e, &vcpu->row);
}

static struct error *vm_end(struct vm_events *events, struct vm_vcpu *vcpu,
			    const struct session_record *r, const struct known_event *e)
{
	const struct vm_events_options *o = events->options;
	struct vm_event_row *row;
	uint64_t ns;

	if (!vcpu->began)
		return NULL;
	if (vcpu->row == VM_NO_ROW) {
		struct error *err;

		/* An exit that accessed nothing: the next one replaces it. */
		if (e->kind == VM_ENTRY)
			return NULL;
		err = vm_row_find(events, r, e, &vcpu->row);
		if (err)
			return err;
	}
	row = &events->rows.items[vcpu->row];
	vcpu->began = false;
	vcpu->row = VM_NO_ROW;
	if (r->sample.time < vcpu->since)
		return NULL;
	ns = r->sample.time - vcpu->since;
	if (o->slower_than && ns > o->slower_than && o->listener)
		o->listener->slow(o->listener, r, vcpu->id, row, ns);
	vm_row_add(events, row, ns);
	return NULL;
}

enum vm_event_step { VM_NEITHER, VM_BEGINS, VM_ENDS };

static enum vm_event_step vm_event_step(enum vm_event_class class, const struct known_event *e)
{
	if (e->kind == VM_ENTRY)
		return VM_ENDS;
	switch (class) {
	case VM_EXITS:
		return e->kind == VM_EXIT ? VM_BEGINS : VM_NEITHER;
	case VM_MMIO:
		if (e->kind == VM_EXIT)
			return VM_BEGINS;
		if (e->kind != VM_ACCESS_MMIO)
			return VM_NEITHER;
		return e->values[VM_ACCESS_INFO] == VM_MMIO_WRITE ? VM_BEGINS :
		       e->values[VM_ACCESS_INFO] == VM_MMIO_READ ? VM_ENDS : VM_NEITHER;
	case VM_PORTS:
		return e->kind == VM_ACCESS_PORT ? VM_BEGINS : VM_NEITHER;
	case VM_MSRS:
		return e->kind == VM_ACCESS_MSR ? VM_BEGINS : VM_NEITHER;
	}
	return VM_NEITHER;
}

static struct error *vm_events_sample(struct session_consumer *consumer,
				      const struct session_record *r)
{
	struct vm_events *events = container_of(consumer, struct vm_events, consumer);
	const struct vm_events_options *o = events->options;
	struct vm_vcpu *vcpu = NULL;
	struct known_event e;
	struct error *err = known_event_read(&events->state->known, r, &e);

	if (!err && e.kind)
		err = vm_vcpu_find(events, r, &e, &vcpu);
	if (err || !vcpu || (o->vcpu != VM_ALL_VCPUS && o->vcpu != vcpu->id))
		return err;
	switch (vm_event_step(o->class, &e)) {
	case VM_BEGINS:
		return vm_begin(events, vcpu, r, &e);
	case VM_ENDS:
		return vm_end(events, vcpu, r, &e);
	case VM_NEITHER:
		break;
	}
	return NULL;
}

struct error *vm_events_create(const struct vm_events_options *options, struct vm_events **ret)
{
	struct vm_events *events = calloc(1, sizeof(*events));

	if (events)
		events->state = calloc(1, sizeof(*events->state));
	if (!events || !events->state) {
		free(events);
		return &error_no_memory;
	}
	events->options = options;
	events->state->known.rows = vm_event_rows;
	events->consumer = (struct session_consumer){ .sample = vm_events_sample };
	*ret = events;
	return NULL;
}

void vm_events_destroy(struct vm_events *events)
{
	if (!events)
		return;
	known_events_deinit(&events->state->known);
	hash_table_deinit(&events->state->rows_index);
	hash_table_deinit(&events->state->vcpus_index);
	free(events->state->vcpus.items);
	free(events->state);
	free(events->rows.items);
	free(events);
}

static int vm_row_compare(const void *a, const void *b, void *data)
{
	const struct vm_event_row *x = *(const struct vm_event_row *const *)a;
	const struct vm_event_row *y = *(const struct vm_event_row *const *)b;
	const enum vm_event_key *key = data;
	int result = *key == VM_BY_SAMPLES ? array_descending(x->count, y->count) :
		array_descending((uint64_t)x->mean, (uint64_t)y->mean);

	if (!result)
		result = array_descending(y->key % VM_PERF_LISTS, x->key % VM_PERF_LISTS);
	return result ? result : array_descending(x->position, y->position);
}

size_t vm_events_sort(const struct vm_events *events, enum vm_event_key key,
		      const struct vm_event_row **ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < events->rows.nr; i++)
		if (events->rows.items[i].count)
			ret[nr++] = &events->rows.items[i];
	if (nr)
		qsort_r(ret, nr, sizeof(*ret), vm_row_compare, &key);
	return nr;
}

double vm_event_row_deviation(const struct vm_event_row *row)
{
	if (row->count < 2 || row->mean <= 0)
		return 0;
	return 100.0 * sqrt(row->squares / (row->count - 1) / row->count) / row->mean;
}

void vm_events_reset(struct vm_events *events)
{
	for (size_t i = 0; i < events->rows.nr; i++) {
		struct vm_event_row *row = &events->rows.items[i];

		*row = (struct vm_event_row){
			.key = row->key, .info = row->info, .name = row->name,
			.min = UINT64_MAX, .position = row->position,
		};
	}
	events->count = events->total = 0;
}
