// SPDX-License-Identifier: GPL-2.0
#include "cmd/kvm/kvm.h"

#include <errno.h>
#include <string.h>

#include "lib/number.h"

const struct subcommand_events kvm_events[] = {
	{ "kvm", "kvm_entry kvm_exit", "kvm_mmio kvm_pio kvm_msr", 0 },
	{ 0 },
};

static struct error *kvm_find_event(struct kvm_options *o)
{
	for (size_t i = 0; i < VM_EVENT_CLASSES; i++)
		if (!strcmp(o->event, vm_event_class_names[i])) {
			o->events.class = i;
			return NULL;
		}
	return error_hint(error_new(EINVAL, "kvm stat does not know the event '%s'", o->event),
			  "There are vmexit, mmio, ioport and msr");
}

struct error *kvm_options_resolve(struct kvm_options *o)
{
	unsigned long long vcpu;

	o->events.vcpu = VM_ALL_VCPUS;
	if (o->vcpu) {
		if (!parse_u64(o->vcpu, &vcpu) || vcpu > INT32_MAX)
			return error_new(EINVAL, "--vcpu takes the number of a virtual CPU, not "
					 "'%s'", o->vcpu);
		o->events.vcpu = vcpu;
	}
	if (o->key && strcmp(o->key, "sample") && strcmp(o->key, "time"))
		return error_hint(error_new(EINVAL, "kvm stat cannot sort by '%s'", o->key),
				  "There are sample and time");
	o->sort = o->key && !strcmp(o->key, "time") ? VM_BY_MEAN : VM_BY_SAMPLES;
	return o->event ? kvm_find_event(o) : NULL;
}
