// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of KVM (table/tables.def), without a command line. */
#include "table/kvm/kvm_text.h"
#include "table/print/table_provider.h"

struct kvm_maker {
	struct table_maker maker;
	struct vm_events_options options;
	struct vm_events *events;
};

static struct error *kvm_maker_check(const struct table_provider *provider,
				     const struct event_list *events)
{
	return vm_events_check(provider->key, events);
}

static struct error *kvm_maker_add(struct table_maker *maker, const struct table_output *output,
				   struct strbuf *out)
{
	struct kvm_maker *m = container_of(maker, struct kvm_maker, maker);

	kvm_table_add(m->events, VM_BY_SAMPLES, NULL, output, out);
	return NULL;
}

static void kvm_maker_deinit(struct table_maker *maker)
{
	struct kvm_maker *m = container_of(maker, struct kvm_maker, maker);

	vm_events_destroy(m->events);
}

static struct error *kvm_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct kvm_maker *m = container_of(maker, struct kvm_maker, maker);
	struct error *err;

	m->options = (struct vm_events_options){
		.class = maker->provider->key, .vcpu = VM_ALL_VCPUS,
	};
	err = vm_events_create(&m->options, &m->events);
	if (!err)
		maker->consumer = &m->events->consumer;
	return err;
}

#define KVM_TABLE(name, class) \
	const struct table_provider table_##name = { \
		.key = class, .size = sizeof(struct kvm_maker), .check = kvm_maker_check, \
		.init = kvm_maker_init, .deinit = kvm_maker_deinit, .add = kvm_maker_add, \
	}

KVM_TABLE(kvm_vmexit, VM_EXITS);
KVM_TABLE(kvm_mmio, VM_MMIO);
KVM_TABLE(kvm_ioport, VM_PORTS);
KVM_TABLE(kvm_msr, VM_MSRS);
