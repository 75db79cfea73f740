// SPDX-License-Identifier: GPL-2.0
#include "table/sched/delay_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "table/print/table_print.h"
#include "terminal/terminal.h"

#define DELAY_INDENT	25
#define DELAY_CHAIN_MAX	1024

/* Maximal number of listed uses of a CPU. */
#define DELAY_USES	6

static void delay_add_task(struct strbuf *out, const struct stayed_task *task)
{
	size_t from = out->len;

	strbuf_addstr(out, task->comm);
	escape_line_ends(out, from);
	strbuf_addch(out, ':');
	number_add_signed(out, task->tid, 0, ' ');
}

/* Append @text, broken at blanks, where lines but the first begin with @indent blanks. */
static void delay_add_wrapped(struct strbuf *out, const char *text, size_t indent)
{
	size_t column = indent;

	while (*text) {
		size_t len = strchrnul(text, ' ') - text;
		size_t width = terminal_width_of(text, len);

		if (column > indent && column + 1 + width >= TERMINAL_COLUMNS_MIN) {
			strbuf_addch(out, '\n');
			strbuf_add_spaces(out, indent);
			column = indent;
		}
		if (column > indent) {
			strbuf_addch(out, ' ');
			column++;
		}
		strbuf_add(out, text, len);
		column += width;
		text += len;
		while (*text == ' ')
			text++;
	}
	strbuf_addch(out, '\n');
}

static void delay_add_time(struct strbuf *out, const char *what, uint64_t ns)
{
	strbuf_addstr(out, what);
	number_add_ms(out, ns, 0);
	strbuf_addstr(out, " ms");
}

static void delay_add_use(struct strbuf *out, const struct cpu_use *use)
{
	if (use->task)
		delay_add_task(out, use->task);
	else
		strbuf_addstr(out, use->interrupt ? use->interrupt : "nothing");
	delay_add_time(out, " ", use->ns);
}

/* Append the uses of the CPU; for a task that runs itself, only the interrupts. */
static struct error *delay_add_uses(const struct task_stays *stays, const struct path_step *step,
				    struct cpu_uses *uses, struct strbuf *out)
{
	bool runs = step->state == TASK_RUNNING;
	struct error *err = cpu_uses_find(stays, step->cpu, step->since, step->until,
					  runs ? SIZE_MAX : DELAY_USES, uses);
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < uses->nr; i++) {
		if (runs && !uses->items[i].interrupt)
			continue;
		if (shown == DELAY_USES) {
			left++;
			continue;
		}
		strbuf_addstr(out, shown++ ? ", " : runs ? ", interrupted by " : ", which ran ");
		delay_add_use(out, &uses->items[i]);
	}
	if (left) {
		strbuf_addstr(out, " and ");
		number_add_unsigned(out, left, 0, ' ');
		strbuf_addstr(out, " more");
	}
	return err;
}

static void delay_add_waker(struct strbuf *out, const struct path_step *step)
{
	if (step->waker)
		delay_add_task(out, step->waker);
	else if (step->by_interrupt)
		strbuf_addstr(out, step->interrupt ? step->interrupt : "an interrupt");
	else
		strbuf_addstr(out, "somebody unknown");
}

static bool delay_is_woken(const struct path_step *step)
{
	return step->waker_cpu >= 0 || step->waker || step->by_interrupt;
}

static void delay_add_sleep(struct strbuf *out, const struct path_step *step)
{
	strbuf_addstr(out, " slept");
	if (step->letter)
		strbuf_addf(out, " (%c)", step->letter);
	if (delay_is_woken(step)) {
		strbuf_addstr(out, " until ");
		delay_add_waker(out, step);
		strbuf_addstr(out, " woke it");
		if (step->waker_cpu >= 0)
			strbuf_addf(out, " on CPU %" PRId32, step->waker_cpu);
	} else {
		strbuf_addstr(out, "; no event shows the task that woke it");
	}
	if (step->cut)
		strbuf_addstr(out, "; the path is too long to be followed further");
}

static struct error *delay_add_what(const struct task_stays *stays, const struct path_step *step,
				    struct cpu_uses *uses, struct strbuf *out)
{
	delay_add_task(out, step->task);
	switch (step->state) {
	case TASK_RUNNING:
		strbuf_addf(out, " ran on CPU %" PRId32, step->cpu);
		return delay_add_uses(stays, step, uses, out);
	case TASK_RUNNABLE:
		if (delay_is_woken(step)) {
			strbuf_addstr(out, ", which ");
			delay_add_waker(out, step);
			strbuf_addstr(out, " had woken,");
		} else if (step->letter) {
			strbuf_addstr(out, " was taken from its CPU, and");
		}
		if (step->cpu < 0) {
			strbuf_addstr(out, " waited for a CPU");
			return NULL;
		}
		strbuf_addf(out, " waited for CPU %" PRId32, step->cpu);
		return delay_add_uses(stays, step, uses, out);
	case TASK_BLOCKED:
		delay_add_sleep(out, step);
		return NULL;
	default:
		strbuf_addstr(out, ": its state was not recorded, or lost");
		return NULL;
	}
}

static void delay_add_chain(const struct task_stays *stays, const char *what, uint32_t node,
			    unsigned int max, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	uint32_t nodes[DELAY_CHAIN_MAX];
	size_t nr;

	if (!stays->tree || node == stays->root || !max)
		return;
	nr = call_tree_path(stays->tree, node, nodes, DELAY_CHAIN_MAX);
	if (!nr)
		return;
	strbuf_addstr(&text, what);
	for (size_t i = 0; i < nr && i < max; i++) {
		const struct call_place *place = call_tree_place(
			stays->tree, call_tree_node_place(stays->tree, nodes[nr - 1 - i]));

		strbuf_addstr(&text, i ? " <- " : " ");
		if (place->symbol)
			strbuf_addstr(&text, place->symbol->name);
		else
			strbuf_addf(&text, "0x%" PRIx64, place->ip);
	}
	if (nr > max)
		strbuf_addstr(&text, " ...");
	strbuf_add_spaces(out, DELAY_INDENT);
	delay_add_wrapped(out, strbuf_str(&text), DELAY_INDENT);
	out->failed |= text.failed;
}

static struct error *delay_add_step(const struct task_stays *stays, const struct delay *delay,
				    const struct path_step *step,
				    const struct delay_text_options *options,
				    struct cpu_uses *uses, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	number_add_ms(out, step->since - delay->since, 12);
	strbuf_addch(out, ' ');
	number_add_ms(out, step->until - step->since, 10);
	strbuf_addstr(out, "  ");
	err = delay_add_what(stays, step, uses, &text);
	out->failed |= text.failed;
	delay_add_wrapped(out, strbuf_str(&text), DELAY_INDENT);
	delay_add_chain(stays, "stopped in", step->stopped, options->max_stack, out);
	if (step->state == TASK_BLOCKED)
		delay_add_chain(stays, "woken in", step->woken, options->max_stack, out);
	return err;
}

static void delay_add_head(const struct delay *delay, size_t number, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	uint64_t asleep = delay->runnable - delay->since, waited = delay->until - delay->runnable;

	number_add_unsigned(out, number, 3, ' ');
	strbuf_addstr(out, ". ");
	delay_add_task(&text, delay->task);
	strbuf_addstr(&text, delay->at_least ? " did not run for at least " : " did not run for ");
	number_add_ms(&text, delay->until - delay->since, 0);
	strbuf_addstr(&text, " ms, from ");
	table_add_seconds(delay->since, 0, &text);
	strbuf_addstr(&text, " s on: ");
	if (asleep)
		delay_add_time(&text, "it slept for ", asleep);
	if (asleep && waited)
		strbuf_addstr(&text, ", and then ");
	if (waited)
		delay_add_time(&text, "it waited for a CPU for ", waited);
	if (delay->goes_on)
		strbuf_addstr(&text, ", until the recording ended");
	if (delay->lost)
		strbuf_addstr(&text, ", until records were lost");
	delay_add_wrapped(out, strbuf_str(&text), 5);
	out->failed |= text.failed;
}

struct error *delay_text_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path,
			     const struct delay_text_options *options, size_t number,
			     struct cpu_uses *uses, struct strbuf *out)
{
	struct error *err = NULL;

	delay_add_head(delay, number, out);
	strbuf_addstr(out, "\n       at ms     for ms  where the time went\n");
	for (size_t i = 0; i < path->nr && !err; i++)
		err = delay_add_step(stays, delay, &path->items[i], options, uses, out);
	strbuf_addch(out, '\n');
	return err ? err : out->failed ? &error_no_memory : NULL;
}

#define DELAY_CHAIN_MAX	1024

static const char *const delay_states[TASK_STATES] = {
	[TASK_UNKNOWN] = "unknown", [TASK_RUNNING] = "running", [TASK_RUNNABLE] = "runnable",
	[TASK_BLOCKED] = "blocked", [TASK_DEAD] = "dead",
};

static void delay_json_task(const struct stayed_task *task, struct json_writer *json)
{
	json_add_text(json, "comm", task->comm);
	json_add_signed(json, "pid", task->pid);
	json_add_signed(json, "tid", task->tid);
}

static void delay_json_chain(const struct task_stays *stays, const char *name, uint32_t node,
			     struct json_writer *json)
{
	uint32_t nodes[DELAY_CHAIN_MAX];
	char number[24];
	size_t nr;

	if (!stays->tree || node == stays->root)
		return;
	nr = call_tree_path(stays->tree, node, nodes, DELAY_CHAIN_MAX);
	json_begin_array(json, name);
	for (size_t i = nr; i-- > 0;) {
		const struct call_place *place = call_tree_place(
			stays->tree, call_tree_node_place(stays->tree, nodes[i]));

		snprintf(number, sizeof(number), "0x%" PRIx64, place->ip);
		json_add_text(json, NULL, place->symbol ? place->symbol->name : number);
	}
	json_end_array(json);
}

static struct error *delay_json_uses(const struct task_stays *stays, const struct path_step *step,
				     struct cpu_uses *uses, struct json_writer *json)
{
	struct error *err = cpu_uses_find(stays, step->cpu, step->since, step->until, SIZE_MAX,
					  uses);

	json_begin_array(json, "cpu_ran");
	for (size_t i = 0; i < uses->nr; i++) {
		const struct cpu_use *use = &uses->items[i];

		json_begin_row(json, NULL);
		if (use->task)
			delay_json_task(use->task, json);
		else if (use->interrupt)
			json_add_text(json, "interrupt", use->interrupt);
		else
			json_add_bool(json, "idle", true);
		json_add_unsigned(json, "ns", use->ns);
		json_end_object(json);
	}
	json_end_array(json);
	return err;
}

static void delay_json_waker(const struct path_step *step, struct json_writer *json)
{
	if (!step->waker && !step->by_interrupt && step->waker_cpu < 0)
		return;
	json_begin_row(json, "woken_by");
	if (step->waker)
		delay_json_task(step->waker, json);
	else if (step->by_interrupt)
		json_add_text(json, "interrupt", step->interrupt);
	json_add_signed(json, "cpu", step->waker_cpu);
	json_end_object(json);
}

static struct error *delay_json_step(const struct task_stays *stays, const struct path_step *step,
				     struct cpu_uses *uses, struct json_writer *json)
{
	char letter[2] = { step->letter, '\0' };
	struct error *err = NULL;

	json_begin_object(json, NULL);
	delay_json_task(step->task, json);
	json_add_text(json, "state", delay_states[step->state]);
	json_add_unsigned(json, "since", step->since);
	json_add_unsigned(json, "until", step->until);
	if (step->letter)
		json_add_text(json, "stopped_as", letter);
	delay_json_waker(step, json);
	if (step->state == TASK_RUNNING || step->state == TASK_RUNNABLE) {
		json_add_signed(json, "cpu", step->cpu);
		err = delay_json_uses(stays, step, uses, json);
	}
	if (step->cut)
		json_add_bool(json, "cut", true);
	delay_json_chain(stays, "stopped_in", step->stopped, json);
	if (step->state == TASK_BLOCKED)
		delay_json_chain(stays, "woken_in", step->woken, json);
	json_end_object(json);
	return err;
}

struct error *delay_json_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path, struct cpu_uses *uses,
			     struct json_writer *json)
{
	struct error *err = NULL;

	json_begin_object(json, NULL);
	delay_json_task(delay->task, json);
	json_add_unsigned(json, "since", delay->since);
	json_add_unsigned(json, "runnable", delay->runnable);
	json_add_unsigned(json, "until", delay->until);
	json_add_bool(json, "at_least", delay->at_least);
	json_begin_array(json, "path");
	for (size_t i = 0; i < path->nr && !err; i++)
		err = delay_json_step(stays, &path->items[i], uses, json);
	json_end_array(json);
	json_end_object(json);
	return err ? err : json->out->failed ? &error_no_memory : NULL;
}
