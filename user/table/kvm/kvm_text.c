// SPDX-License-Identifier: GPL-2.0
#include "table/kvm/kvm_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
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

static void kvm_get_what(const struct table_cell *cell, struct table_value *ret)
{
	const struct vm_events *events = cell->table->data;

	kvm_text_add_what(events->options->class, cell->row, ret->text);
}

static void kvm_get_samples_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct vm_events *events = cell->table->data;
	const struct vm_event_row *row = cell->row;

	ret->real = 100.0 * row->count / events->count;
}

static void kvm_get_time_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct vm_events *events = cell->table->data;
	const struct vm_event_row *row = cell->row;

	ret->real = events->total ? 100.0 * row->total / events->total : 0.0;
}

static void kvm_get_average(const struct table_cell *cell, struct table_value *ret)
{
	const struct vm_event_row *row = cell->row;

	ret->real = (double)row->total / row->count;
}

static void kvm_get_deviation(const struct table_cell *cell, struct table_value *ret)
{
	ret->real = vm_event_row_deviation(cell->row);
}

#define KVM_SHARE(id, title, get) \
	{ .name = id, .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = get, \
	  .heading = title, .width = 9, .behind = "%", .decimals = 2 }
#define KVM_US \
	.unit = TABLE_NS, .width = 11, .behind = "us", .divisor = 1e3, .decimals = 2
#define KVM_TIME(id, member) \
	.name = id, .type = TABLE_UNSIGNED, TABLE_MEMBER(struct vm_event_row, member), KVM_US

#define KVM_WHAT	0

/* As in perf, the event's text has one character less than the column. */
static const struct table_column kvm_columns[] = {
	[KVM_WHAT] = { .name = "event", .value = kvm_get_what, .width = KVM_NAME_WIDTH,
		       .cut = KVM_NAME_WIDTH - 1 },
	{ .name = "samples", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct vm_event_row, count), .heading = "Samples", .width = 10 },
	KVM_SHARE("samples", "Samples%", kvm_get_samples_share),
	KVM_SHARE("time", "Time%", kvm_get_time_share),
	{ KVM_TIME("total_time", total), .data_only = true },
	{ KVM_TIME("min_time", min), .heading = "Min Time" },
	{ KVM_TIME("max_time", max), .heading = "Max Time" },
	{ .name = "avg_time", .type = TABLE_FLOAT, .value = kvm_get_average,
	  .heading = "        Avg time", KVM_US },
	{ .name = "avg_time_error", .unit = TABLE_PERCENT, .type = TABLE_FLOAT,
	  .value = kvm_get_deviation, .width = 14, .before = "( +-", .behind = "% )",
	  .decimals = 2 },
};

static void kvm_add_title(const struct vm_events *events, const char *pids, struct strbuf *out)
{
	strbuf_addstr(out, "\n\nAnalyze events for ");
	if (pids)
		strbuf_addf(out, "pid(s) %s, ", pids);
	else
		strbuf_addstr(out, "all VMs, ");
	if (events->options->vcpu == VM_ALL_VCPUS)
		strbuf_addstr(out, "all VCPUs:\n\n");
	else
		strbuf_addf(out, "VCPU %" PRId32 ":\n\n", events->options->vcpu);
}

void kvm_table_add(const struct vm_events *events, enum vm_event_key key, const char *pids,
		   const struct table_output *output, struct strbuf *out)
{
	static const struct {
		const char *name, *title;
	} classes[VM_EVENT_CLASSES] = {
		[VM_EXITS] = { "kvm_vmexit", "VM-EXIT" },
		[VM_MMIO] = { "kvm_mmio", "MMIO Access" },
		[VM_PORTS] = { "kvm_ioport", "IO Port Access" },
		[VM_MSRS] = { "kvm_msr", "MSR Access" },
	};
	_cleanup_free_ const struct vm_event_row **rows = NULL;
	struct table_column columns[ARRAY_SIZE(kvm_columns)];
	const struct table table = {
		.name = classes[events->options->class].name, .columns = columns,
		.nr = ARRAY_SIZE(columns), .data = events, .heading_right = " ",
	};
	bool is_text = output->format == TABLE_AS_TEXT;
	struct table_printer printer;
	size_t nr;

	rows = calloc(events->rows.nr + 1, sizeof(*rows));
	if (!rows) {
		out->failed = true;
		return;
	}
	nr = vm_events_sort(events, key, rows);
	memcpy(columns, kvm_columns, sizeof(columns));
	columns[KVM_WHAT].heading = classes[events->options->class].title;
	if (is_text)
		kvm_add_title(events, pids, out);
	table_begin(&printer, &table, output, out);
	if (is_text)
		strbuf_addch(out, '\n');
	for (size_t i = 0; i < nr; i++)
		table_add_row(&printer, rows[i]);
	table_end(&printer);
	if (is_text)
		strbuf_addf(out, "\nTotal Samples:%" PRIu64 ", Total events handled time:%.2fus.\n\n",
			    events->count, events->total / 1e3);
}
