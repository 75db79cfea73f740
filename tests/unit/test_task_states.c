// SPDX-License-Identifier: GPL-2.0
/*
 * The states of tasks on made-up machines: tasks run, wait and sleep at random and fire events. The
 * listener must get the states that the tasks had.
 */
#include <stdlib.h>

#include "states/task_states.h"
#include "tap.h"

#define CPUS	3
#define TASKS	8
#define STEPS	4000

/* The true states of each task: ns in each one, and how often it ended. */
struct made_up_task {
	enum task_state state;
	uint64_t since, spent[TASK_STATES], stays[TASK_STATES];
	int32_t waker;
	bool seen;		/* an event has named the task */
};

struct tally {
	struct task_listener listener;
	uint64_t spent[TASKS + 1][TASK_STATES], stays[TASKS + 1][TASK_STATES];
	uint64_t wrong_wakers, open, open_at_least;
	const struct made_up_task *tasks;
};

static struct made_up_task tasks[TASKS + 1];
static int32_t running[CPUS];	/* tid; 0: idle */
static struct processes *processes;
static struct task_states states;
static struct tally tally;
static uint64_t now;

static struct error *tally_stay(struct task_listener *listener, const struct sched_task *task,
				uint64_t until, enum task_state next,
				const struct sched_event *event)
{
	struct tally *t = container_of(listener, struct tally, listener);

	if (!event) {
		t->open++;
		t->open_at_least += task->at_least;
	}
	t->spent[task->tid][task->state] += until - task->since;
	if (event)
		t->stays[task->tid][task->state]++;
	if (event && task->state == TASK_RUNNABLE && task->woken == task->since &&
	    task->waker != t->tasks[task->tid].waker)
		t->wrong_wakers++;
	return NULL;
}

static void made_up_enter(struct made_up_task *task, enum task_state next)
{
	/* Before its first event, a task is in its state since the first event of all. */
	task->spent[task->state] += now - task->since;
	task->stays[task->state]++;
	task->state = next;
	task->since = now;
	task->seen = true;
}

static void give(struct sched_event *event, int32_t by)
{
	struct session_record r = { .sample.tid = by, .processes = processes };

	event->time = now;
	event->sample = &r;
	if (task_states_apply(&states, event))
		abort();
}

static void switch_to(int cpu, int32_t next, struct sched_leave leave)
{
	int32_t prev = running[cpu];
	struct sched_event event = {
		.kind = SCHED_EVENT_SWITCH, .cpu = cpu, .tid = prev, .next_tid = next,
		.leave = leave,
	};

	if (prev)
		made_up_enter(&tasks[prev], leave.runnable ? TASK_RUNNABLE : TASK_BLOCKED);
	if (next)
		made_up_enter(&tasks[next], TASK_RUNNING);
	running[cpu] = next;
	give(&event, prev);
}

static int32_t pick(enum task_state state)
{
	int32_t from = rand() % TASKS;

	for (int32_t i = 0; i < TASKS; i++) {
		int32_t tid = 1 + (from + i) % TASKS;

		if (tasks[tid].state == state)
			return tid;
	}
	return 0;
}

static void wake_one(int cpu)
{
	int32_t tid = rand() % 4 ? pick(TASK_BLOCKED) : 1 + rand() % TASKS;
	struct sched_event event = { .kind = SCHED_EVENT_WAKING, .cpu = cpu, .tid = tid };

	if (!tid)
		return;
	if (tasks[tid].state == TASK_BLOCKED) {
		made_up_enter(&tasks[tid], TASK_RUNNABLE);
		tasks[tid].waker = running[cpu];
	}
	give(&event, running[cpu]);
}

static void step_machine(void)
{
	static const struct sched_leave leaves[] = {
		{ .letter = 'R', .runnable = true }, { .letter = 'S', .bits = 1 },
		{ .letter = 'D', .bits = 2 },
	};
	int cpu = rand() % CPUS;
	int32_t next = pick(TASK_RUNNABLE);

	now += 1 + rand() % 1000;
	if (rand() % 2)
		wake_one(cpu);
	else if (running[cpu] || next)
		switch_to(cpu, next, leaves[rand() % 3]);
}

static void compare_tallies(void)
{
	bool times = true, counts = true;

	for (int32_t tid = 1; tid <= TASKS; tid++)
		for (int state = 0; state < TASK_STATES; state++) {
			times &= tally.spent[tid][state] == tasks[tid].spent[state];
			counts &= tally.stays[tid][state] == tasks[tid].stays[state];
		}
	ok(times, "tasks are as long in each state as they were");
	ok(counts, "tasks enter each state as often as they did");
}

static void test_random_machine(void)
{
	tally = (struct tally){ .listener.stay = tally_stay, .tasks = tasks };
	states = (struct task_states){ .listener = &tally.listener };
	now = 1000;
	for (int32_t tid = 1; tid <= TASKS; tid++)
		tasks[tid] = (struct made_up_task){ .state = TASK_BLOCKED, .since = now };
	/* All other tasks sleep since the first event. */
	tasks[1].state = TASK_RUNNING;
	running[0] = 1;
	switch_to(0, 0, (struct sched_leave){ .letter = 'S' });
	for (int i = 0; i < STEPS; i++)
		step_machine();
	for (int32_t tid = 1; tid <= TASKS; tid++)
		if (tasks[tid].seen) {
			tasks[tid].spent[tasks[tid].state] += states.end - tasks[tid].since;
		}
	if (task_states_finish(&states, processes))
		abort();
	about("%d tasks on %d CPUs", TASKS, CPUS);
	compare_tallies();
	ok(!tally.wrong_wakers, "the task that was running wakes them");
	ok(tally.open == states.tasks.nr, "a state that has not ended is given at the end");
	ok(!states.strangers, "no CPU runs a task that nobody switched to");
	task_states_deinit(&states);
}

static void one_event(struct sched_event event, uint64_t time)
{
	now = time;
	give(&event, 9);
}

static void test_edges(void)
{
	struct sched_task *task;

	tally = (struct tally){ .listener.stay = tally_stay, .tasks = tasks };
	states = (struct task_states){ .listener = &tally.listener };
	about("edges");
	one_event((struct sched_event){ .kind = SCHED_EVENT_SWITCH, .tid = 0, .next_tid = 0 }, 100);
	ok(!states.tasks.nr, "idle tasks are no tasks");
	ok(states.strangers == 0, "the first switch of a CPU is no surprise");
	one_event((struct sched_event){ .kind = SCHED_EVENT_WAKING, .tid = 3 }, 150);
	ok(tally.spent[3][TASK_BLOCKED] == 50, "a task that is woken was blocked from the start");
	one_event((struct sched_event){ .kind = SCHED_EVENT_SWITCH, .tid = 5, .next_tid = 3 }, 160);
	ok(states.strangers == 1, "a switch away from a task on an idle CPU is counted");
	one_event((struct sched_event){ .kind = SCHED_EVENT_SWITCH, .tid = 6, .next_tid = 0,
					.leave = { .letter = 'X', .dead = true } }, 170);
	ok(states.strangers == 2, "a switch away from a task that did not run is counted");
	task = task_states_find(&states, 6);
	ok(task->state == TASK_DEAD && task->comm, "a dead task has its name");
	one_event((struct sched_event){ .kind = SCHED_EVENT_WAKEUP_NEW, .tid = 6 }, 180);
	ok(task_states_find(&states, 6) != task, "a new task with the number of a dead one is another");
	ok(!task_states_find(&states, 6)->at_least, "a new task was nothing before");
	one_event((struct sched_event){ .kind = SCHED_EVENT_SWITCH, .cpu = 1 << 30, .tid = 4,
					.next_tid = 7 }, 190);
	ok(states.cpus.nr < 10, "a number that no CPU has takes no memory");
	if (task_states_finish(&states, processes))
		abort();
	ok(tally.open == states.tasks.nr && tally.open_at_least == 0,
	   "all tasks that are left are given at the end");
	task_states_deinit(&states);
}

/* A record of losses on a CPU, of the event with this name. */
static void lose(const char *system, const char *name, int32_t cpu)
{
	const struct perf_event_header header = { .type = PERF_RECORD_LOST };
	const struct event_list events = { .nr = 0 };
	const struct event_format format = { .system = (char *)system, .name = (char *)name };
	const struct session_record r = {
		.record.header = &header, .sample.cpu = cpu, .sample.time = now,
		.loss.of_event = true, .format = &format, .events = &events,
	};

	if (task_states_other(&states, &r))
		abort();
}

static void test_losses(void)
{
	tally = (struct tally){ .listener.stay = tally_stay, .tasks = tasks };
	states = (struct task_states){ .listener = &tally.listener };
	about("losses");
	one_event((struct sched_event){ .kind = SCHED_EVENT_SWITCH, .tid = 2, .next_tid = 3 }, 100);
	lose("irq", "softirq_entry", 0);
	is_u64(states.cpus.items[0], 3, "lost records of other events leave the task of a CPU known");
	lose("sched", "sched_switch", 1);
	is_u64(states.cpus.items[0], 3, "lost switches of another CPU do, too");
	lose("sched", "sched_switch", 0);
	is_u64(states.cpus.items[0], -1, "after lost switches, the task of a CPU is unknown");
	task_states_deinit(&states);
}

int main(void)
{
	srand(1);
	if (processes_create(&processes))
		abort();
	test_random_machine();
	test_edges();
	test_losses();
	processes_destroy(processes);
	return tap_done();
}
