// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/cpu_shares_text.h"

#include <stddef.h>

#include "lib/array.h"

#define CPU_BAR_WIDTH	30

static void share_get_cpu(const struct table_cell *cell, struct table_value *ret)
{
	const struct cpu_share *share = cell->row;

	ret->missing = share->cpu < 0;
	ret->integer = share->cpu;
}

static const struct table_column share_columns[] = {
	{ .name = "tid", .type = TABLE_SIGNED, TABLE_MEMBER(struct cpu_share, tid), .heading = "PID",
	  .width = 7 },
	{ .name = "cpu", .type = TABLE_SIGNED, .value = share_get_cpu, .data_only = true },
	{ .name = "cpu", .unit = TABLE_PERCENT, .type = TABLE_FLOAT,
	  TABLE_MEMBER(struct cpu_share, percent), .heading = "%CPU", .width = 6, .decimals = 2 },
	{ .name = "runtime", .unit = TABLE_NS, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct cpu_share, runtime), .heading = "RUNTIME", .width = 16,
	  .behind = " ms", .divisor = 1e6, .decimals = 3 },
	{ .name = "comm", TABLE_MEMBER(struct cpu_share, comm), .heading = "COMMAND",
	  .width = -16 },
};

static double share_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void share_add_bar(const struct cpu_time *cpu, struct strbuf *out)
{
	double percent = share_percent(cpu->load, cpu->total);
	size_t end;

	strbuf_addf(out, "%%Cpu%-4d[", cpu->cpu);
	end = out->len + CPU_BAR_WIDTH;
	strbuf_pad(out, out->len + (size_t)(CPU_BAR_WIDTH * percent / 100), '|');
	strbuf_pad(out, end, ' ');
	strbuf_addf(out, " %6.2f%%]\n", percent);
}

static void share_add_cpus(const struct cpu_share_table *table, struct strbuf *out)
{
	struct cpu_time all = { 0 };

	for (size_t i = 0; i < table->cpus.nr; i++) {
		const struct cpu_time *cpu = &table->cpus.items[i];

		all.total += cpu->total;
		all.idle += cpu->idle;
		all.hardirq += cpu->hardirq;
		all.softirq += cpu->softirq;
	}
	strbuf_addf(out, "\nTotal  : %10.3f ms, %zu cpus\n", all.total / 1e6, table->cpus.nr);
	strbuf_addf(out, "%%Cpu(s): %6.2f%% id, %6.2f%% hi, %6.2f%% si\n",
		    share_percent(all.idle, all.total), share_percent(all.hardirq, all.total),
		    share_percent(all.softirq, all.total));
	for (size_t i = 0; i < table->cpus.nr; i++)
		share_add_bar(&table->cpus.items[i], out);
	strbuf_addch(out, '\n');
}

void cpu_shares_add(const struct cpu_share_table *shares, const struct table_output *output,
		    struct strbuf *out)
{
	const struct table table = {
		.name = "kwork_top", .columns = share_columns, .nr = ARRAY_SIZE(share_columns),
		.left = "  ", .between = "  ",
	};
	struct table_printer printer;

	if (output->format == TABLE_AS_TEXT)
		share_add_cpus(shares, out);
	table_begin(&printer, &table, output, out);
	table_add_rule(output, "  ", 52, out);
	for (size_t i = 0; i < shares->nr; i++)
		table_add_row(&printer, &shares->items[i]);
	table_end(&printer);
	if (output->format == TABLE_AS_TEXT)
		strbuf_addch(out, '\n');
}
