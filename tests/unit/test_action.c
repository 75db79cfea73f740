// SPDX-License-Identifier: GPL-2.0
/* Actions on violations: their texts, and those of this process; 65-monitor-live has the rest. */
#include <linux/ktrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/file.h"
#include "machine/action.h"
#include "tap.h"

static struct ktrace_machine head = { .key = KTRACE_MACHINE_KEY_TASK, .nr_parts = 1 };
static const struct ktrace_machine_source source;
static char name[] = "turns", state[] = "begun", event[] = "odd";
static char *states[] = { state }, *sources[] = { event };
static const struct monitor monitor = {
	.name = name, .view = { .head = &head, .sources = &source },
	.states = { .items = states, .nr = 1 }, .sources = { .items = sources, .nr = 1 },
};

static void fails(const char *text, const char *message)
{
	struct action_list list = { 0 };

	is_error(action_add(&list, text), message, *text ? text : "(empty)");
	is_u64(list.nr, 0, named("%s is not added", *text ? text : "(empty)"));
	action_list_deinit(&list);
}

static void test_errors(void)
{
	fails("", "'' is no action");
	fails("freezer", "'freezer' is no action");
	fails("signal:", "'' in --action=signal: is no signal");
	fails("signal:0", "'0' in --action=signal:0 is no signal");
	fails("signal:USR1:", "'' in --action=signal:USR1: is no number of a process");
	fails("signal:USR1:-1", "'-1' in --action=signal:USR1:-1 is no number of a process");
	fails("signal:USR1:0", "--action=signal:USR1:0 cannot signal 0: No such process");
	fails("signal:USR1:1", "--action=signal:USR1:1 would signal process 1, which ktrace never does");
	fails("exec: ", "--action=exec:  names no command");
}

static void test_texts(void)
{
	struct action_list list = { 0 };

	is_u64(action_mask(&list), 0, "without actions the module has none");
	no_error(action_add(&list, "freeze"), "freeze is an action");
	is_u64(action_mask(&list), KTRACE_ACTION_FREEZE, "freezing wakes nobody");
	no_error(action_add(&list, "printk"), "printk is an action");
	no_error(action_check(&list, &monitor), "these two fit each model");
	no_error(action_add(&list, "signal:sigusr1"), "a signal has its long name, too");
	is_u64(list.items[2].signal, SIGUSR1, "its number is that of SIGUSR1");
	is_u64(action_mask(&list), KTRACE_ACTION_ALL, "a signal of this process wakes it");
	no_error(action_check(&list, &monitor), "the key of a task can be signalled");
	head.key = KTRACE_MACHINE_KEY_CPU;
	is_error(action_check(&list, &monitor), "--action=signal:sigusr1 signals the task of the key, and "
		 "the keys of the model turns are no tasks",
		 "a CPU cannot be signalled");
	head.key = KTRACE_MACHINE_KEY_TASK;
	action_list_deinit(&list);
}

static void take(struct action_list *list, uint64_t key, uint64_t boottime)
{
	const struct key_violation v = { .time = 17, .age = 4, .key = { key } };
	const struct judges_violation row = { &monitor, &v };

	action_take(list, &row, boottime);
}

static void reports(const struct action_list *list, const char *want, const char *check)
{
	const struct action_sums sums = { .froze = 2, .revoked = 1, .acted = 3, .withheld = 4 };
	struct strbuf text = STRBUF_INIT;

	action_add_report(list, &sums, &text);
	is_str(strbuf_str(&text), want, check);
	strbuf_deinit(&text);
}

static void test_signal(void)
{
	struct action_list list = { .max_rate = 100 };
	pid_t child = fork();
	int status;

	if (!child)
		for (;;)
			pause();
	no_error(action_add(&list, "signal:USR1:key"), "the task of the key is named");
	take(&list, 1, UINT64_MAX);
	reports(&list, "signal:USR1:key: sent 0, failed 1 (it is process 1, of the kernel, or of another "
		"user)\n", "process 1 gets no signal");
	take(&list, 0, UINT64_MAX);
	take(&list, UINT64_MAX, UINT64_MAX);
	is_u64(list.items[0].failed, 3, "neither do idle tasks and impossible numbers");
	/* Before the child began, its number was another task's. */
	take(&list, child, 0);
	reports(&list, "signal:USR1:key: sent 0, failed 4 (the process had ended)\n",
		"a task that began after the violation gets no signal");
	is_u64(waitpid(child, &status, WNOHANG), 0, "it still runs");
	take(&list, child, UINT64_MAX);
	reports(&list, "signal:USR1:key: sent 1, failed 4 (the process had ended)\n",
		"the task of the key gets it");
	is_u64(waitpid(child, &status, 0), child, "the child ends");
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1, "it was ended by that signal");
	take(&list, child, UINT64_MAX);
	is_u64(list.items[0].failed, 5, "a task that has ended gets none");
	action_list_deinit(&list);
}

static void test_rate(void)
{
	struct action_list list = { .max_rate = 1 };

	no_error(action_add(&list, "signal:WINCH:key"), "a signal without effect");
	for (int i = 0; i < 100; i++)
		take(&list, getpid(), UINT64_MAX);
	is_u64(list.items[0].done + list.items[0].withheld, 100, "each violation is counted");
	ok(list.items[0].done && list.items[0].withheld, "at most one in a second has its action");
	action_list_deinit(&list);
}

/* A script that waits for a line in a pipe, and then writes its environment. */
static const char script[] = "#!/bin/sh\nread line <\"$1/pipe\"\n"
	"echo \"$KTRACE_MONITOR $KTRACE_KEY $KTRACE_STATE $KTRACE_EVENT $KTRACE_TIME $KTRACE_AGE\" "
	">\"$1/out\"\nexit $line\n";

static void test_exec(void)
{
	char folder[] = "/tmp/ktrace-test-action-XXXXXX", path[100], text[200];
	struct action_list list = { .max_rate = 100 };
	char *out = NULL;
	FILE *file;

	ok(mkdtemp(folder), "there is a folder");
	snprintf(path, sizeof(path), "%s/script", folder);
	file = fopen(path, "w");
	ok(file && fputs(script, file) >= 0 && !fclose(file) && !chmod(path, 0755), "there is a script");
	snprintf(path, sizeof(path), "%s/pipe", folder);
	ok(!mkfifo(path, 0600), "there is a pipe");
	snprintf(text, sizeof(text), "exec:%s/script  %s", folder, folder);
	no_error(action_add(&list, text), "a command with an argument is an action");
	take(&list, 7, UINT64_MAX);
	take(&list, 8, UINT64_MAX);
	is_u64(list.items[0].busy, 1, "while it runs, it is not run again");
	ok(action_reap(&list), "it runs");
	file = fopen(path, "w");
	ok(file && fputs("3\n", file) >= 0 && !fclose(file), "it is let go");
	while (action_reap(&list))
		usleep(1000);
	is_u64(list.items[0].failed, 1, "its status is a failure");
	is_str(list.items[0].why, "the last one with status 3", "the report has the status");
	snprintf(path, sizeof(path), "%s/out", folder);
	no_error(file_read_text(path, &out), "it has written a file");
	is_str(out, "turns 7 begun odd 17 4", "the violation is in its environment");
	free(out);
	action_list_deinit(&list);
	snprintf(text, sizeof(text), "rm -r %s", folder);
	ok(!system(text), "the folder is removed");
}

static void test_report(void)
{
	struct action_list list = { 0 };

	no_error(action_add(&list, "freeze"), "freeze is added again");
	no_error(action_add(&list, "printk"), "printk is added again");
	no_error(action_add(&list, "stop"), "stop is an action");
	reports(&list, "freeze: froze 2 sessions, 1 times for a violation that an earlier event has revoked\n"
		"printk: printed 3, withheld 4\nstop: there was no violation\n",
		"the module's counts are in the report");
	take(&list, 7, UINT64_MAX);
	ok(list.stops, "a violation stops");
	action_list_deinit(&list);
}

int main(void)
{
	test_errors();
	test_texts();
	test_signal();
	test_rate();
	test_exec();
	test_report();
	return tap_done();
}
