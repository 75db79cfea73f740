// SPDX-License-Identifier: GPL-2.0
#include "table/profile/wall_costs_text.h"

#include <string.h>

#include "lib/array.h"

#define MOST	3

/* Longer commands are not repeated, in bytes. */
#define LONGEST_COMMAND	48

/* A cost with a smaller percentage is not listed. */
#define LEAST	0.5

static void wall_get_kind(const struct table_cell *cell, struct table_value *ret)
{
	strbuf_addstr(ret->text, wall_kind_text(((const struct wall_cost *)cell->row)->kind));
}

static double wall_percent(const struct wall_summary *summary, uint64_t ns)
{
	return summary->all_ns ? 100.0 * ns / summary->all_ns : 0;
}

static void wall_get_percent(const struct table_cell *cell, struct table_value *ret)
{
	ret->real = wall_percent(cell->table->data, ((const struct wall_cost *)cell->row)->ns);
}

static void wall_get_error(const struct table_cell *cell, struct table_value *ret)
{
	ret->real = wall_percent(cell->table->data,
				 ((const struct wall_cost *)cell->row)->error_ns);
}

static void wall_get_waits(const struct table_cell *cell, struct table_value *ret)
{
	ret->number = wall_kind_waits(((const struct wall_cost *)cell->row)->kind);
}

#define WALL_TEXT(column_name, member, title, least) \
	{ .name = column_name, TABLE_MEMBER(struct wall_cost, member), .heading = title, \
	  .width = -(least) }
#define WALL_SHARE(column_name, get, title) \
	{ .name = column_name, .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = get, \
	  .heading = title, .width = 7, .decimals = 2 }
#define WALL_DATA(column_name, of_unit, member) \
	{ .name = column_name, .unit = of_unit, .type = TABLE_UNSIGNED, .data_only = true, \
	  TABLE_MEMBER(struct wall_cost, member) }

void wall_costs_add_table(const struct wall_summary *summary, const struct table_output *output,
			  struct strbuf *out)
{
	static const struct table_column columns[] = {
		WALL_SHARE("share", wall_get_percent, "Share %"),
		WALL_SHARE("error", wall_get_error, "+- %"),
		{ .name = "state", .value = wall_get_kind, .heading = "State", .width = -36 },
		WALL_TEXT("function", function, "Function", 28),
		WALL_TEXT("through", through, "Through", 20),
		WALL_TEXT("binary", binary, "Binary", 0),
		WALL_DATA("time", TABLE_NS, ns),
		WALL_DATA("through_time", TABLE_NS, through_ns),
		WALL_DATA("samples", TABLE_COUNT, samples),
		{ .name = "asked_for", .type = TABLE_UNSIGNED, .data_only = true,
		  .value = wall_get_waits },
	};
	const struct table table = {
		.name = "wall_costs", .columns = columns, .nr = ARRAY_SIZE(columns),
		.data = summary,
	};

	table_add_all(&table, output, summary->items, summary->nr, sizeof(*summary->items), out);
}

/* The words of the command behind "--"; a placeholder if there are none, or if the line is long. */
static void add_workload(const struct header *header, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	char *const *words = header ? header->cmdline : NULL;

	while (words && *words && strcmp(*words, "--"))
		words++;
	while (words && *words && *++words)
		strbuf_addf(&text, strpbrk(*words, " '\"$\\*?;&|<>()") ? " '%s'" : " %s", *words);
	if (!text.len || text.len > LONGEST_COMMAND || strpbrk(strbuf_str(&text), "\t\n\r"))
		strbuf_addstr(out, " COMMAND");
	else
		strbuf_addstr(out, strbuf_str(&text));
}

static void add_cost(const struct wall_summary *summary, const struct wall_cost *cost,
		     uint64_t lost, struct strbuf *out)
{
	double percent = wall_percent(summary, cost->ns);

	strbuf_addf(out, "%5.*f %%", percent < 1 ? 2 : 1, percent);
	if (cost->error_ns)
		strbuf_addf(out, " (+- %.1f)", wall_percent(summary, cost->error_ns));
	else if (lost)
		strbuf_addstr(out, " (at least)");
	strbuf_addf(out, " %s", wall_kind_text(cost->kind));
	if (cost->function || cost->binary)
		strbuf_addf(out, " in %s", cost->function ? cost->function : cost->binary);
	if (cost->through && cost->through_ns * 2 > cost->ns)
		strbuf_addf(out, cost->binary ? ", which calls %s" : ", most of it in %s",
			    cost->through);
}

static void add_waits(const struct wall_summary *summary, struct strbuf *out)
{
	uint64_t of_kind[WALL_KINDS] = { 0 }, all = 0;
	const char *between = "";

	for (size_t i = 0; i < summary->nr; i++) {
		const struct wall_cost *cost = &summary->items[i];

		if (!wall_kind_waits(cost->kind))
			continue;
		of_kind[cost->kind] += cost->ns;
		all += cost->ns;
	}
	if (wall_percent(summary, all) < LEAST)
		return;
	strbuf_addf(out, "\n  %5.1f %% is no cost, as the program asked for it: ",
		    wall_percent(summary, all));
	for (int kind = 0; kind < WALL_KINDS; kind++)
		if (wall_percent(summary, of_kind[kind]) >= LEAST) {
			strbuf_addf(out, "%s%s %.1f %%", between, wall_kind_text(kind),
				    wall_percent(summary, of_kind[kind]));
			between = ", ";
		}
	strbuf_addch(out, '.');
}

static uint64_t all_that_costs(const struct wall_summary *summary)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < summary->nr; i++)
		if (!wall_kind_waits(summary->items[i].kind))
			ns += summary->items[i].ns;
	return ns;
}

void wall_costs_add_words(const struct wall_summary *summary, uint64_t lost,
			  const struct header *header, struct strbuf *out)
{
	double least = all_that_costs(summary) * LEAST / 100;	/* ns */
	const char *command = NULL;	/* of the cost before */
	size_t nr = 0;

	for (size_t i = 0; i < summary->nr && nr < MOST; i++) {
		const struct wall_cost *cost = &summary->items[i];

		if (wall_kind_waits(cost->kind) || cost->ns < least)
			continue;
		if (!nr++)
			strbuf_addf(out, "The largest costs in these %.3f s of all threads, by "
				    "function of the program:", summary->all_ns / 1e9);
		strbuf_addf(out, "\n  %zu. ", nr);
		add_cost(summary, cost, lost, out);
		if (command && !strcmp(command, wall_kind_command(cost->kind)))
			continue;
		command = wall_kind_command(cost->kind);
		strbuf_addf(out, "\n     more by: ktrace %s --", command);
		add_workload(header, out);
	}
	if (nr)
		add_waits(summary, out);
}
