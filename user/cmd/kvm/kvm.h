/* SPDX-License-Identifier: GPL-2.0 */
/* Shared code of the commands of `ktrace kvm stat`. */
#ifndef KTRACE_CMD_KVM_KVM_H
#define KTRACE_CMD_KVM_KVM_H

#include "cmd/subcommand.h"
#include "lib/strbuf.h"
#include "table/kvm/vm_events.h"

struct kvm_options {
	const char *event, *key, *vcpu;	/* --event, -k, --vcpu; NULL: not given; borrowed */
	const char *pids;		/* of -p; NULL: all; borrowed */
	struct vm_events_options events;	/* set by kvm_options_resolve() */
	enum vm_event_key sort;			/* the same */
};

/* Rows of an option table, for @o, a struct kvm_options *. */
#define KVM_TABLE_OPTIONS(o) \
	OPT_STRING("event", &(o)->event), \
	OPT_STRING("vcpu", &(o)->vcpu), \
	OPT_STRING("key", &(o)->key)

/* EINVAL: the value of an option is unknown. */
struct error *kvm_options_resolve(struct kvm_options *o);

/* The events of KVM. */
extern const struct subcommand_events kvm_events[];

/* Run `kvm stat live`. */
struct error *kvm_live(struct subcommand_call *call, struct kvm_options *o);

#endif
