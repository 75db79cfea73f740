// SPDX-License-Identifier: GPL-2.0
#include "machine/action.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ktrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/spawn.h"

/* PF_KTHREAD in the flags of /proc/PID/stat. */
#define ACTION_KERNEL_THREAD	0x00200000

_Static_assert(ACTION_RATE_MAX == KTRACE_ACTION_MAX_RATE, "limits of rates differ");

static const char action_help[] = "It is freeze, printk, stop, signal:NAME[:PID|:key] or exec:COMMAND";

static void action_deinit(struct action *a)
{
	free(a->text);
	free(a->words);
	free(a->argv.items);
	if (a->pidfd >= 0)
		close(a->pidfd);
}

void action_list_deinit(struct action_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		action_deinit(&list->items[i]);
	free(list->items);
}

/* ---- processes --------------------------------------------------------------------- */

struct action_task {
	pid_t tgid;
	bool of_kernel;
	uint64_t start;			/* ns since boot, rounded down to a tick */
};

/* Returns 0 or an errno. */
static int action_read_task(pid_t tid, struct action_task *ret)
{
	unsigned long long start;
	unsigned int flags;
	char path[64];
	_cleanup_free_ char *stat = NULL, *status = NULL;
	const char *at;
	struct error *err;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	err = file_read(path, &stat, NULL);
	if (!err) {
		snprintf(path, sizeof(path), "/proc/%d/status", tid);
		err = file_read(path, &status, NULL);
	}
	if (err) {
		error_free(err);
		return ESRCH;
	}
	/* The name may contain anything, even a ')'. */
	at = strrchr(stat, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d "
			  "%*d %*d %*d %*d %llu", &flags, &start) != 2)
		return ESRCH;
	at = strstr(status, "\nTgid:");
	if (!at || sscanf(at + 6, "%d", &ret->tgid) != 1)
		return ESRCH;
	ret->of_kernel = flags & ACTION_KERNEL_THREAD;
	ret->start = start * (1000000000ULL / sysconf(_SC_CLK_TCK));
	return 0;
}

/*
 * Open the process of a task that began before @until.  Returns 0 or an errno.  While the task has
 * its number, so has the process that was opened before.
 */
static int action_open(pid_t tid, uint64_t until, int *ret)
{
	struct action_task task;
	int code, fd;

	/* 0 and negative numbers are groups for kill(2). */
	if (tid < 1)
		return ESRCH;
	code = action_read_task(tid, &task);
	if (code)
		return code;
	fd = syscall(SYS_pidfd_open, task.tgid, 0);
	if (fd < 0)
		return errno;
	code = action_read_task(tid, &task);
	if (!code && task.start > until)
		code = ESRCH;
	else if (!code && (task.tgid == 1 || task.of_kernel))
		code = EPERM;
	if (code) {
		close(fd);
		return code;
	}
	*ret = fd;
	return 0;
}

/* ---- options ----------------------------------------------------------------------- */

static int action_find_signal(const char *name)
{
	unsigned long long number;

	if (parse_u64(name, &number))
		return number > 0 && number < NSIG ? number : 0;
	name += strncasecmp(name, "SIG", 3) ? 0 : 3;
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && !strcasecmp(sigabbrev_np(i), name))
			return i;
	return 0;
}

static struct error *action_parse_pid(struct action *a, const char *text)
{
	unsigned long long pid;
	int code;

	if (!strcmp(text, "key"))
		return NULL;
	if (!parse_u64(text, &pid) || pid > INT32_MAX)
		return error_hint(error_new(EINVAL, "'%s' in --action=%s is no number of a process",
					    text, a->text),
				  "It is a number, or 'key' for the task of the key");
	code = action_open(pid, UINT64_MAX, &a->pidfd);
	if (code == EPERM)
		return error_new(EPERM, "--action=%s would signal %s, which ktrace never does", a->text,
				 pid == 1 ? "process 1" : "a thread of the kernel");
	return code ? error_errno(code, "--action=%s cannot signal %s", a->text, text) : NULL;
}

static struct error *action_parse_signal(struct action *a, const char *text)
{
	size_t len = strcspn(text, ":");
	_cleanup_free_ char *name = strndup(text, len);

	if (!name)
		return &error_no_memory;
	a->kind = ACTION_SIGNAL;
	a->signal = action_find_signal(name);
	if (!a->signal)
		return error_hint(error_new(EINVAL, "'%s' in --action=%s is no signal", name, a->text),
				  "'kill -l' lists the names of signals");
	return text[len] ? action_parse_pid(a, text + len + 1) : NULL;
}

static struct error *action_parse_exec(struct action *a, const char *text)
{
	char *save = NULL;

	a->kind = ACTION_EXEC;
	a->words = strdup(text);
	if (!a->words)
		return &error_no_memory;
	for (char *word = strtok_r(a->words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!array_push(&a->argv, word))
			return &error_no_memory;
	if (!a->argv.nr)
		return error_hint(error_new(EINVAL, "--action=%s names no command", a->text),
				  "As in '--action=exec:./save-state --all'");
	return array_push(&a->argv, NULL) ? NULL : &error_no_memory;
}

static struct error *action_parse(struct action *a)
{
	static const struct { const char *name; enum action_kind kind; } alone[] = {
		{ "freeze", ACTION_FREEZE }, { "printk", ACTION_PRINTK }, { "stop", ACTION_STOP },
	};

	for (size_t i = 0; i < ARRAY_SIZE(alone); i++) {
		if (strcmp(a->text, alone[i].name))
			continue;
		a->kind = alone[i].kind;
		return NULL;
	}
	if (!strncmp(a->text, "signal:", 7))
		return action_parse_signal(a, a->text + 7);
	if (!strncmp(a->text, "exec:", 5))
		return action_parse_exec(a, a->text + 5);
	return error_hint(error_new(EINVAL, "'%s' is no action", a->text), "%s", action_help);
}

struct error *action_add(struct action_list *list, const char *text)
{
	struct action a = { .text = strdup(text), .pidfd = -1 };
	struct error *err = a.text ? action_parse(&a) : &error_no_memory;

	if (!err && array_push(list, a))
		return NULL;
	action_deinit(&a);
	return err ? err : &error_no_memory;
}

struct error *action_check(const struct action_list *list, const struct monitor *monitor)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct action *a = &list->items[i];

		if (a->kind == ACTION_SIGNAL && a->pidfd < 0 &&
		    monitor->view.head->key != MACHINE_KEY_TASK)
			return error_hint(error_new(EINVAL, "--action=%s signals the task of the key, and the "
						    "keys of the model %s are no tasks",
						    a->text, monitor->name),
					  "Name the process: --action=signal:%s:PID",
					  sigabbrev_np(a->signal) ?: "NAME");
	}
	return NULL;
}

uint32_t action_mask(const struct action_list *list)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < list->nr; i++)
		mask |= list->items[i].kind == ACTION_FREEZE ? KTRACE_ACTION_FREEZE :
			list->items[i].kind == ACTION_PRINTK ? KTRACE_ACTION_PRINTK :
			KTRACE_ACTION_WAKE;
	return mask;
}

/* ---- violations -------------------------------------------------------------------- */

static void action_fail(struct action *a, const char *why)
{
	a->failed++;
	snprintf(a->why, sizeof(a->why), "%s", why);
}

static void action_signal(struct action *a, const struct key_violation *v, uint64_t boottime)
{
	int fd = a->pidfd, code = 0;

	/* Idle tasks have the number 0. */
	if (fd < 0)
		code = v->key[0] > INT32_MAX ? ESRCH : action_open(v->key[0], boottime, &fd);
	if (!code && syscall(SYS_pidfd_send_signal, fd, a->signal, NULL, 0))
		code = errno;
	if (fd >= 0 && fd != a->pidfd)
		close(fd);
	if (!code)
		a->done++;
	else
		action_fail(a, code == EPERM ? "it is process 1, of the kernel, or of another user" :
				code == ESRCH ? "the process had ended" : strerror(code));
}

/* The value of an event's variable is empty if there is none: time is up. */
static void action_set_environment(const struct judges_violation *row)
{
	const struct key_violation *v = row->violation;
	_cleanup_(strbuf) struct strbuf key = STRBUF_INIT;
	char number[32];

	monitor_add_key(row->monitor, v->key, &key);
	setenv("KTRACE_MONITOR", row->monitor->name, 1);
	setenv("KTRACE_KEY", strbuf_str(&key), 1);
	setenv("KTRACE_STATE", row->monitor->states.items[v->state], 1);
	setenv("KTRACE_EVENT", v->source == KEY_NO_SOURCE ? "" :
			       row->monitor->sources.items[v->source], 1);
	snprintf(number, sizeof(number), "%" PRIu64, v->time);
	setenv("KTRACE_TIME", number, 1);
	snprintf(number, sizeof(number), "%" PRIu64, v->age);
	setenv("KTRACE_AGE", number, 1);
}

static void action_exec(struct action *a, const struct judges_violation *row)
{
	const struct spawn spawn_it = {
		.program = a->argv.items[0], .argv = a->argv.items, .out_to_errors = true,
		.unblocked = true,
	};
	struct error *err;

	if (a->running) {
		a->busy++;
		return;
	}
	action_set_environment(row);
	err = spawn(&spawn_it, &a->running);
	if (!err)
		return;
	a->running = 0;
	action_fail(a, err->message);
	error_free(err);
}

static bool action_may(struct action_list *list)
{
	uint64_t now = monotonic_ms();

	if (now - list->second >= 1000) {
		list->second = now;
		list->in_second = 0;
	}
	if (list->in_second == (list->max_rate ? list->max_rate : KTRACE_ACTION_RATE))
		return false;
	list->in_second++;
	return true;
}

void action_take(struct action_list *list, const struct judges_violation *row, uint64_t boottime)
{
	bool may = action_may(list);

	action_reap(list);
	for (size_t i = 0; i < list->nr; i++) {
		struct action *a = &list->items[i];

		if (a->kind == ACTION_STOP)
			list->stops = true;
		else if (a->kind != ACTION_SIGNAL && a->kind != ACTION_EXEC)
			continue;
		else if (!may)
			a->withheld++;
		else if (a->kind == ACTION_SIGNAL)
			action_signal(a, row->violation, boottime);
		else
			action_exec(a, row);
	}
}

bool action_reap(struct action_list *list)
{
	bool runs = false;

	for (size_t i = 0; i < list->nr; i++) {
		struct action *a = &list->items[i];
		char why[64];
		int status;

		if (!a->running)
			continue;
		if (waitpid(a->running, &status, WNOHANG) != a->running) {
			runs = true;
			continue;
		}
		a->running = 0;
		if (!spawn_status(status)) {
			a->done++;
			continue;
		}
		snprintf(why, sizeof(why), "the last one with status %d", spawn_status(status));
		action_fail(a, why);
	}
	return runs;
}

/* ---- the report -------------------------------------------------------------------- */

static void action_add_own(const struct action *a, struct strbuf *out)
{
	strbuf_addf(out, "%s %" PRIu64, a->kind == ACTION_EXEC ? "ran" : "sent", a->done);
	if (a->failed)
		strbuf_addf(out, ", failed %" PRIu64 " (%s)", a->failed, a->why);
	if (a->withheld)
		strbuf_addf(out, ", withheld %" PRIu64, a->withheld);
	if (a->busy)
		strbuf_addf(out, ", omitted %" PRIu64 " while it ran", a->busy);
	if (a->running)
		strbuf_addstr(out, ", still runs");
}

void action_add_report(const struct action_list *list, const struct action_sums *sums,
		       struct strbuf *out)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct action *a = &list->items[i];

		strbuf_addf(out, "%s: ", a->text);
		if (a->kind == ACTION_FREEZE) {
			strbuf_addf(out, "froze %" PRIu64 " sessions", sums->froze);
			if (sums->revoked)
				strbuf_addf(out, ", %" PRIu64 " times for a violation that an earlier "
					    "event has revoked", sums->revoked);
		} else if (a->kind == ACTION_PRINTK) {
			strbuf_addf(out, "printed %" PRIu64, sums->acted);
			if (sums->withheld)
				strbuf_addf(out, ", withheld %" PRIu64, sums->withheld);
		} else if (a->kind == ACTION_STOP) {
			strbuf_addstr(out, list->stops ? "judging ended at a violation" :
							 "there was no violation");
		} else {
			action_add_own(a, out);
		}
		strbuf_addch(out, '\n');
	}
}
