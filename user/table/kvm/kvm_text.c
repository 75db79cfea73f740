// SPDX-License-Identifier: GPL-2.0
#include "table/kvm/kvm_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/escape.h"

#define KVM_NAME_WIDTH	20

void kvm_text_add_what(enum vm_event_class class, const struct vm_event_row *row,
		       struct strbuf *out)
{
	size_t begin = out->len;

	switch (class) {
	case VM_EXITS:
		if (row->name)
			strbuf_addstr(out, row->name);
		else
			strbuf_addf(out, "UNKNOWN:%#" PRIx64, row->key);
		escape_line_ends(out, begin);
		break;
	case VM_MMIO:
		strbuf_addf(out, "%#" PRIx64 ":%s", row->key,
			    row->info == VM_MMIO_WRITE ? "W" : "R");
		break;
	case VM_PORTS:
		strbuf_addf(out, "%#" PRIx64 ":%s", row->key, row->info ? "POUT" : "PIN");
		break;
	case VM_MSRS:
		strbuf_addf(out, "%#" PRIx64 ":%s", row->key, row->info ? "W" : "R");
		break;
	}
}

static void kvm_add_row(const struct vm_events *events, const struct vm_event_row *row,
			struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf what = STRBUF_INIT;

	kvm_text_add_what(events->options->class, row, &what);
	if (what.failed)
		out->failed = true;
	/* As in perf, one character less than the column has. */
	strbuf_addf(out, "%*.*s %10" PRIu64 " ", KVM_NAME_WIDTH, KVM_NAME_WIDTH - 1,
		    strbuf_str(&what), row->count);
	strbuf_addf(out, "%8.2f%% ", 100.0 * row->count / events->count);
	strbuf_addf(out, "%8.2f%% ", events->total ? 100.0 * row->total / events->total : 0.0);
	strbuf_addf(out, "%9.2fus %9.2fus ", row->min / 1e3, row->max / 1e3);
	strbuf_addf(out, "%9.2fus ( +-%7.2f%% )\n", (double)row->total / row->count / 1e3,
		    vm_event_row_deviation(row));
}

void kvm_text_add(const struct vm_events *events, enum vm_event_key key, const char *pids,
		  struct strbuf *out)
{
	static const char *const titles[VM_EVENT_CLASSES] = {
		[VM_EXITS] = "VM-EXIT", [VM_MMIO] = "MMIO Access", [VM_PORTS] = "IO Port Access",
		[VM_MSRS] = "MSR Access",
	};
	_cleanup_free_ const struct vm_event_row **rows = NULL;
	size_t nr;

	rows = calloc(events->rows.nr + 1, sizeof(*rows));
	if (!rows) {
		out->failed = true;
		return;
	}
	nr = vm_events_sort(events, key, rows);
	strbuf_addstr(out, "\n\nAnalyze events for ");
	if (pids)
		strbuf_addf(out, "pid(s) %s, ", pids);
	else
		strbuf_addstr(out, "all VMs, ");
	if (events->options->vcpu == VM_ALL_VCPUS)
		strbuf_addstr(out, "all VCPUs:\n\n");
	else
		strbuf_addf(out, "VCPU %" PRId32 ":\n\n", events->options->vcpu);
	strbuf_addf(out, "%*s %10s %9s %9s %11s %11s %16s \n\n", KVM_NAME_WIDTH,
		    titles[events->options->class], "Samples", "Samples%", "Time%", "Min Time",
		    "Max Time", "Avg time");
	for (size_t i = 0; i < nr; i++)
		kvm_add_row(events, rows[i], out);
	strbuf_addf(out, "\nTotal Samples:%" PRIu64 ", Total events handled time:%.2fus.\n\n",
		    events->count, events->total / 1e3);
}
