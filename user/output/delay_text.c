// SPDX-License-Identifier: GPL-2.0
#include "output/delay_text.h"

#include <inttypes.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/terminal.h"
#include "output/sched_latency_text.h"

#define NS_PER_MS	1000000.0
#define DELAY_INDENT	25
#define DELAY_CHAIN_MAX	1024

/* Of what a CPU did meanwhile, no more than this is told. */
#define DELAY_USES	6

static void delay_add_task(struct strbuf *out, const struct stayed_task *task)
{
	size_t from = out->len;

	strbuf_addf(out, "%s:%" PRId32, task->comm, task->tid);
	escape_line_ends(out, from);
}

/* Append @text, broken at blanks, where lines but the first begin with @indent blanks. */
static void delay_add_wrapped(struct strbuf *out, const char *text, size_t indent)
{
	size_t column = indent;

	while (*text) {
		size_t len = strcspn(text, " ");
		char word[256];
		size_t width;

		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		width = terminal_width(word);
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
		text += strspn(text, " ");
	}
	strbuf_addch(out, '\n');
}

static void delay_add_use(struct strbuf *out, const struct cpu_use *use)
{
	if (use->task)
		delay_add_task(out, use->task);
	else
		strbuf_addstr(out, use->interrupt ? use->interrupt : "nothing");
	strbuf_addf(out, " %.3f ms", use->ns / NS_PER_MS);
}

/* Append what the CPU did, of a task that runs itself only the interrupts. */
static struct error *delay_add_uses(const struct task_stays *stays, const struct path_step *step,
				    struct strbuf *out)
{
	_cleanup_(cpu_uses) struct cpu_uses uses = { 0 };
	bool runs = step->state == TASK_RUNNING;
	struct error *err = cpu_uses_find(stays, step->cpu, step->since, step->until, &uses);
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < uses.nr; i++) {
		if (runs && !uses.items[i].interrupt)
			continue;
		if (shown == DELAY_USES) {
			left++;
			continue;
		}
		strbuf_addstr(out, shown++ ? ", " : runs ? ", interrupted by " : ", which ran ");
		delay_add_use(out, &uses.items[i]);
	}
	if (left)
		strbuf_addf(out, " and %zu more", left);
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
		strbuf_addstr(out, "; no event says who woke it");
	}
	if (step->cut)
		strbuf_addstr(out, "; the path is too long to be followed further");
}

static struct error *delay_add_what(const struct task_stays *stays, const struct path_step *step,
				    struct strbuf *out)
{
	delay_add_task(out, step->task);
	switch (step->state) {
	case TASK_RUNNING:
		strbuf_addf(out, " ran on CPU %" PRId32, step->cpu);
		return delay_add_uses(stays, step, out);
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
		return delay_add_uses(stays, step, out);
	case TASK_BLOCKED:
		delay_add_sleep(out, step);
		return NULL;
	default:
		strbuf_addstr(out, ": what it did was not recorded");
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
				    const struct delay_text_options *options, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	strbuf_addf(out, "%12.3f %10.3f  ", (step->since - delay->since) / NS_PER_MS,
		    (step->until - step->since) / NS_PER_MS);
	err = delay_add_what(stays, step, &text);
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

	strbuf_addf(out, "%3zu. ", number);
	delay_add_task(&text, delay->task);
	strbuf_addf(&text, " did not run for %s%.3f ms, from ", delay->at_least ? "at least " : "",
		    (delay->until - delay->since) / NS_PER_MS);
	sched_time_add(delay->since, &text, 0);
	strbuf_addstr(&text, " s on: ");
	if (asleep)
		strbuf_addf(&text, "it slept for %.3f ms", asleep / NS_PER_MS);
	if (asleep && waited)
		strbuf_addstr(&text, ", and then ");
	if (waited)
		strbuf_addf(&text, "it waited for a CPU for %.3f ms", waited / NS_PER_MS);
	if (delay->goes_on)
		strbuf_addstr(&text, ", until the recording ended");
	delay_add_wrapped(out, strbuf_str(&text), 5);
	out->failed |= text.failed;
}

struct error *delay_text_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path,
			     const struct delay_text_options *options, size_t number,
			     struct strbuf *out)
{
	struct error *err = NULL;

	delay_add_head(delay, number, out);
	strbuf_addf(out, "\n%12s %10s  %s\n", "at ms", "for ms", "where the time went");
	for (size_t i = 0; i < path->nr && !err; i++)
		err = delay_add_step(stays, delay, &path->items[i], options, out);
	strbuf_addch(out, '\n');
	return err ? err : out->failed ? &error_no_memory : NULL;
}
