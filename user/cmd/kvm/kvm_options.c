// SPDX-License-Identifier: GPL-2.0
#include "cmd/kvm/kvm.h"

#include <errno.h>

#include "lib/number.h"
#include "terminal/word_list.h"

const struct subcommand_events kvm_events[] = {
	{ "kvm", "kvm_entry kvm_exit", "kvm_mmio kvm_pio kvm_msr", 0 },
	{ 0 },
};

static const char *const kvm_keys[] = { [VM_BY_SAMPLES] = "sample", [VM_BY_MEAN] = "time" };

struct error *kvm_options_resolve(struct kvm_options *o)
{
	unsigned long long vcpu;
	struct error *err = NULL;

	o->events.vcpu = VM_ALL_VCPUS;
	if (o->vcpu) {
		if (!parse_u64(o->vcpu, &vcpu) || vcpu > INT32_MAX)
			return error_new(EINVAL, "--vcpu takes the number of a virtual CPU, not "
					 "'%s'", o->vcpu);
		o->events.vcpu = vcpu;
	}
	if (o->key)
		err = word_parse(WORDS(kvm_keys), "kvm stat cannot sort by", o->key, &o->sort);
	if (!err && o->event)
		err = word_parse(WORDS(vm_event_class_names), "kvm stat does not know the event",
				 o->event, &o->events.class);
	return err;
}
