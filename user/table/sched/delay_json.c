// SPDX-License-Identifier: GPL-2.0
#include "table/sched/delay_json.h"

#include <inttypes.h>
#include <stdio.h>

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
