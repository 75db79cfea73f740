/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why virtual machines of KVM leave the guest, and how long the host takes until the guest runs
 * again.  Rows are by the reason of the exit, or by the accessed address, port or register.
 */
#ifndef KTRACE_TABLE_KVM_VM_EVENTS_H
#define KTRACE_TABLE_KVM_VM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "session/session.h"

/* The measured kind of events. */
enum vm_event_class {
	VM_EXITS,	/* from kvm_exit to kvm_entry */
	VM_MMIO,	/* reads: from kvm_exit to kvm_mmio; writes: from kvm_mmio to kvm_entry */
	VM_PORTS,	/* from kvm_pio to kvm_entry */
	VM_MSRS,	/* from kvm_msr to kvm_entry */
};

#define VM_EVENT_CLASSES	4

enum vm_event_key { VM_BY_SAMPLES, VM_BY_MEAN };

/* A row of counted events; times are in ns. */
struct vm_event_row {
	uint64_t key;		/* the reason, the guest's physical address, the port, the MSR */
	uint64_t info;		/* MMIO: 1 read, 2 write; ports and MSRs: 1 write; exits: VM_TRAP */
	const char *name;	/* of a reason, from the event's format; NULL: it has none */
	uint64_t count, total, min, max;
	double mean, squares;	/* the sum of squared distances from the mean */
	size_t position;	/* the first seen has 0 */
};

#define VM_MMIO_READ	1
#define VM_MMIO_WRITE	2

/* info of an exit of arm64 that was a trap, whose key is the class of the exception. */
#define VM_TRAP		1

#define VM_ALL_VCPUS	(-1)

/* Gets events that took longer than the options' slower_than. */
struct vm_event_listener {
	void (*slow)(struct vm_event_listener *listener, const struct session_record *end,
		     int32_t vcpu, const struct vm_event_row *row, uint64_t ns);
};

struct vm_events_options {
	enum vm_event_class class;
	int32_t vcpu;		/* only this one, as kvm_entry numbers them; or VM_ALL_VCPUS */
	uint64_t slower_than;	/* ns; 0: the listener gets no events */
	struct vm_event_listener *listener;
};

struct vm_events {
	struct session_consumer consumer;	/* of the session */
	const struct vm_events_options *options;
	ARRAY_OF(struct vm_event_row) rows;	/* some may have no count */
	uint64_t count, total;	/* of all rows; total is in ns */
	struct vm_event_state *state;
};

/* The values of --event: "vmexit". */
extern const char *const vm_event_class_names[VM_EVENT_CLASSES];

/* ENODATA: the recording lacks an event that the class needs. */
struct error *vm_events_check(enum vm_event_class class, const struct event_list *events);

/* @options is borrowed. */
struct error *vm_events_create(const struct vm_events_options *options, struct vm_events **ret);
void vm_events_destroy(struct vm_events *events);
DEFINE_CLEANUP_PTR(vm_events, struct vm_events, vm_events_destroy)

/*
 * Set @ret, which has as many elements as there are rows, to the rows with a count, the largest
 * first.  Returns their number.  Equal ones are in perf's order.
 */
size_t vm_events_sort(const struct vm_events *events, enum vm_event_key key,
		      const struct vm_event_row **ret);

/* The standard error of the mean, in percent of the mean. */
double vm_event_row_deviation(const struct vm_event_row *row);

/* Begin to count anew; events in progress are kept. */
void vm_events_reset(struct vm_events *events);

#endif
