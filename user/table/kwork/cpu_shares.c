// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/cpu_shares.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "states/known_events.h"

enum share_kind {
	SHARE_TASK, SHARE_HARDIRQ, SHARE_SOFTIRQ, SHARE_KINDS,
	SHARE_SWITCH = SHARE_KINDS, SHARE_LEAVE = 8,
};

/* A softirq may interrupt a task, a hard interrupt that, and another one of a driver this one. */
#define SHARE_DEPTH	8

static const struct known_row share_rows[] = {
	{ "sched", "sched_switch", SHARE_SWITCH, { "prev_pid", "next_pid", "?prev_comm" } },
	{ "irq", "irq_handler_entry", SHARE_HARDIRQ, { "irq" } },
	{ "irq", "irq_handler_exit", SHARE_HARDIRQ | SHARE_LEAVE, { "irq" } },
	{ "irq", "softirq_entry", SHARE_SOFTIRQ, { "vec" } },
	{ "irq", "softirq_exit", SHARE_SOFTIRQ | SHARE_LEAVE, { "vec" } },
	{ 0 },
};

/* A CPU now. */
struct share_cpu {
	bool known;			/* it has switched since it began or lost records */
	uint64_t since;			/* up to when @pending counts; ns */
	uint64_t pending[SHARE_KINDS];	/* since the last switch */
	uint64_t times[SHARE_KINDS];
	enum share_kind open[SHARE_DEPTH];	/* interrupts and softirqs above the task */
	unsigned int depth;
};

/* A task on one CPU. */
struct share_stay {
	int32_t tid, cpu;
	uint64_t runtime;
	char *comm;
};

struct cpu_shares {
	struct session_consumer consumer;
	struct known_events known;
	ARRAY_OF(struct share_cpu) cpus;
	ARRAY_OF(struct share_stay) stays;
	struct hash_table index;	/* of stays */
};

static struct error *share_cpu_of(struct cpu_shares *shares, int32_t cpu, struct share_cpu **ret)
{
	*ret = array_at(&shares->cpus, cpu, 0);
	if (!*ret)
		return &error_no_memory;
	return NULL;
}

static void share_charge(struct share_cpu *cpu, uint64_t time)
{
	enum share_kind kind = cpu->depth ? cpu->open[cpu->depth - 1] : SHARE_TASK;

	if (cpu->known && time > cpu->since)
		cpu->pending[kind] += time - cpu->since;
	if (time > cpu->since)
		cpu->since = time;
}

static struct error *share_stay_of(struct cpu_shares *shares, int32_t tid, int32_t cpu,
				   struct share_stay **ret)
{
	uint64_t hash = hash_key_join(hash_key_number(cpu), tid);

	hash_table_each(&shares->index, hash, n) {
		if (shares->stays.items[n].tid != tid || shares->stays.items[n].cpu != cpu)
			continue;
		*ret = &shares->stays.items[n];
		return NULL;
	}
	if (!array_push(&shares->stays, ((struct share_stay){ .tid = tid, .cpu = cpu })) ||
	    !hash_table_add(&shares->index, hash, shares->stays.nr - 1))
		return &error_no_memory;
	*ret = &shares->stays.items[shares->stays.nr - 1];
	return NULL;
}

static struct error *share_switch(struct cpu_shares *shares, struct share_cpu *cpu,
				  const struct known_event *e, const struct session_record *r)
{
	struct share_stay *stay;
	struct error *err = NULL;
	const char *comm;
	size_t len;

	if (cpu->known) {
		err = share_stay_of(shares, e->values[0], r->sample.cpu, &stay);
		if (err)
			return err;
		comm = known_event_text(e, 2, r, &len);
		if (len && (!stay->comm || strlen(stay->comm) != len ||
			    memcmp(stay->comm, comm, len) != 0)) {
			free(stay->comm);
			stay->comm = strndup(comm, len);
			if (!stay->comm)
				return &error_no_memory;
		}
		stay->runtime += cpu->pending[SHARE_TASK];
		for (size_t i = 0; i < SHARE_KINDS; i++)
			cpu->times[i] += cpu->pending[i];
	}
	memset(cpu->pending, 0, sizeof(cpu->pending));
	cpu->known = true;
	cpu->depth = 0;
	return NULL;
}

/* Time in an entry before the recording does not count. */
static void share_leave(struct share_cpu *cpu, enum share_kind kind)
{
	if (cpu->depth && cpu->open[cpu->depth - 1] == kind)
		cpu->depth--;
}

static struct error *share_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct cpu_shares *shares = container_of(consumer, struct cpu_shares, consumer);
	struct known_event e;
	struct share_cpu *cpu;
	struct error *err = known_event_read(&shares->known, r, &e);

	if (err || !e.kind || r->sample.cpu < 0)
		return err;
	err = share_cpu_of(shares, r->sample.cpu, &cpu);
	if (err)
		return err;
	share_charge(cpu, r->sample.time);
	if (e.kind == SHARE_SWITCH)
		return share_switch(shares, cpu, &e, r);
	if (e.kind & SHARE_LEAVE)
		share_leave(cpu, e.kind & ~SHARE_LEAVE);
	else if (cpu->depth < SHARE_DEPTH)
		cpu->open[cpu->depth++] = e.kind;
	return NULL;
}

static struct error *share_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct cpu_shares *shares = container_of(consumer, struct cpu_shares, consumer);

	if (r->record.header->type != PERF_RECORD_LOST)
		return NULL;
	for (size_t i = 0; i < shares->cpus.nr; i++)
		if (r->sample.cpu < 0 || (size_t)r->sample.cpu == i)
			shares->cpus.items[i].known = false;
	return NULL;
}

struct error *cpu_shares_create(struct cpu_shares **ret)
{
	struct cpu_shares *shares = calloc(1, sizeof(*shares));

	if (!shares)
		return &error_no_memory;
	shares->known.rows = share_rows;
	shares->consumer = (struct session_consumer){
		.sample = share_sample, .other = share_other,
	};
	*ret = shares;
	return NULL;
}

void cpu_shares_destroy(struct cpu_shares *shares)
{
	if (!shares)
		return;
	array_free_each(&shares->stays, .comm);
	free(shares->cpus.items);
	known_events_deinit(&shares->known);
	hash_table_deinit(&shares->index);
	free(shares);
}

struct session_consumer *cpu_shares_consumer(struct cpu_shares *shares)
{
	return &shares->consumer;
}

void cpu_share_table_deinit(struct cpu_share_table *table)
{
	free(table->items);
	free(table->cpus.items);
}

static uint64_t share_cpu_total(const struct share_cpu *cpu)
{
	return cpu->times[SHARE_TASK] + cpu->times[SHARE_HARDIRQ] + cpu->times[SHARE_SOFTIRQ];
}

/* Tasks first by their number, so that those of all CPUs are neighbours. */
DEFINE_COMPARISON(share_compare_task, struct cpu_share, array_order(x->tid, y->tid) ?:
		  array_order(x->cpu, y->cpu))

struct share_order {
	const enum cpu_share_key *keys;
	size_t nr;
};

static int share_compare(const void *a, const void *b, void *data)
{
	const struct share_order *order = data;
	const struct cpu_share *x = a, *y = b;
	int result = 0;

	for (size_t i = 0; i < order->nr && !result; i++) {
		if (order->keys[i] == CPU_SHARE_RATE)
			result = x->percent < y->percent ? 1 : x->percent > y->percent ? -1 : 0;
		else if (order->keys[i] == CPU_SHARE_RUNTIME)
			result = array_descending(x->runtime, y->runtime);
		else
			result = share_compare_task(x, y);
	}
	return result ? result : share_compare_task(x, y);
}

static struct error *share_make_cpus(const struct cpu_shares *shares, struct cpu_share_table *ret)
{
	for (size_t i = 0; i < shares->cpus.nr; i++) {
		const struct share_cpu *cpu = &shares->cpus.items[i];
		struct cpu_time row = {
			.cpu = i, .total = share_cpu_total(cpu),
			.hardirq = cpu->times[SHARE_HARDIRQ],
			.softirq = cpu->times[SHARE_SOFTIRQ],
		};

		for (size_t k = 0; k < shares->stays.nr; k++) {
			const struct share_stay *stay = &shares->stays.items[k];

			if (stay->cpu != row.cpu)
				continue;
			if (stay->tid)
				row.load += stay->runtime;
			else
				row.idle += stay->runtime;
		}
		if (row.total && !array_push(&ret->cpus, row))
			return &error_no_memory;
	}
	return NULL;
}

static struct error *share_make_rows(const struct cpu_shares *shares, const char *name,
				     struct cpu_share_table *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < shares->stays.nr; i++) {
		const struct share_stay *stay = &shares->stays.items[i];
		struct cpu_share row = {
			.tid = stay->tid, .cpu = stay->cpu, .runtime = stay->runtime,
			.comm = stay->comm ? stay->comm : "",
		};

		if (!stay->runtime || (name && strcmp(name, row.comm) != 0))
			continue;
		row.percent = 100.0 * row.runtime / share_cpu_total(&shares->cpus.items[stay->cpu]);
		if (!array_push(ret, row))
			return &error_no_memory;
	}
	array_sort(ret, share_compare_task);
	for (size_t i = 0; i < ret->nr; i++) {
		struct cpu_share *row = &ret->items[i];

		if (row->tid)
			row->cpu = -1;
		if (kept && row->tid && ret->items[kept - 1].tid == row->tid) {
			ret->items[kept - 1].runtime += row->runtime;
			ret->items[kept - 1].percent += row->percent;
		} else {
			ret->items[kept++] = *row;
		}
	}
	ret->nr = kept;
	return NULL;
}

struct error *cpu_shares_make(const struct cpu_shares *shares, const char *name,
			      const enum cpu_share_key *keys, size_t nr,
			      struct cpu_share_table *ret)
{
	struct share_order order = { keys, nr };
	struct error *err = share_make_cpus(shares, ret);

	if (!err)
		err = share_make_rows(shares, name, ret);
	if (!err && ret->nr)
		qsort_r(ret->items, ret->nr, sizeof(*ret->items), share_compare, &order);
	return err;
}

bool cpu_shares_have_interrupts(const struct event_list *events)
{
	for (const struct known_row *row = share_rows; row->name; row++)
		if (row->kind != SHARE_SWITCH && event_is_recorded(events, row->system, row->name))
			return true;
	return false;
}

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
