// SPDX-License-Identifier: GPL-2.0
#include "recorder/target.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/number.h"
#include "terminal/options.h"

struct task_list {
	pid_t *items;
	size_t nr, alloc;
};

void record_target_deinit(struct record_target *target)
{
	cpumap_deinit(&target->cpus);
	free(target->tasks);
	for (size_t i = 0; i < target->nr_comms; i++)
		free(target->comms[i]);
	free(target->comms);
	*target = (struct record_target){ 0 };
}

static struct error *target_add_threads(pid_t pid, struct task_list *list)
{
	_cleanup_closedir_ DIR *dir = NULL;
	char path[64];
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while ((tid = dir_next_number(dir)))
		if (!array_push(list, tid))
			return &error_no_memory;
	return NULL;
}

/*
 * Parse a list of numbers.  With -p all threads of each process are added, with -t only the number.
 */
static struct error *target_add_list(const char *text, const char *option, bool processes,
				     struct task_list *list)
{
	_cleanup_free_ char *copy = strdup(text);
	char *save, *word;

	if (!copy)
		return &error_no_memory;
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned long long number;
		struct error *err = NULL;
		char path[64];

		if (!parse_u64(word, &number) || !number || number > INT32_MAX)
			return error_new(EINVAL, "%s takes numbers of tasks, not '%s'", option, word);
		snprintf(path, sizeof(path), "/proc/%llu", number);
		if (access(path, F_OK))
			return error_hint(error_new(ESRCH, "There is no task %llu", number),
					  "'ps -eL' lists the tasks");
		if (processes)
			err = target_add_threads(number, list);
		else if (!array_push(list, (pid_t)number))
			err = &error_no_memory;
		if (err)
			return err;
	}
	return NULL;
}

static struct error *target_add_user(const char *user, struct task_list *list)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc");
	const struct passwd *entry = getpwnam(user);
	unsigned long long uid;
	pid_t pid;

	if (entry)
		uid = entry->pw_uid;
	else if (!parse_u64(user, &uid))
		return error_new(EINVAL, "There is no user '%s'", user);
	while ((pid = dir_next_number(dir))) {
		struct error *err;
		struct stat st;
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d", pid);
		if (stat(path, &st) || st.st_uid != uid)
			continue;
		err = target_add_threads(pid, list);
		if (err)
			return err;
	}
	if (!list->nr)
		return error_new(ESRCH, "No task of user '%s' runs", user);
	return NULL;
}

static struct error *target_add_every_thread(struct task_list *list)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc");
	struct error *err = NULL;
	pid_t pid;

	while (!err && (pid = dir_next_number(dir)))
		err = target_add_threads(pid, list);
	return err;
}

static struct error *target_select_tasks(const struct target_options *options,
					 struct task_list *list)
{
	struct error *err = NULL;

	if (options->pids)
		err = target_add_list(options->pids, "-p", true, list);
	if (!err && options->tids)
		err = target_add_list(options->tids, "-t", false, list);
	if (!err && options->user)
		err = target_add_user(options->user, list);
	if (!err && options->every_thread)
		err = target_add_every_thread(list);
	return err;
}

/* The kernel truncates longer names of tasks. */
#define COMM_MAX 15

static struct error *split_comms(const char *list, struct record_target *ret)
{
	ARRAY_OF(char *) names = { 0 };
	struct error *err = NULL;

	for (const char *at = list; !err; at++) {
		size_t len = strcspn(at, ",");
		char *name = strndup(at, len);

		if (!name || !array_push(&names, name)) {
			free(name);
			err = &error_no_memory;
		} else if (!len) {
			err = error_new(EINVAL, "--comm takes names of tasks, not '%s'", list);
		} else if (len > COMM_MAX) {
			err = error_hint(error_new(EINVAL, "No task is named '%s': names have at most "
						   "%d bytes", name, COMM_MAX),
					 "The kernel cuts it to '%.*s'", COMM_MAX, name);
		}
		at += len;
		if (!*at)
			break;
	}
	ret->comms = names.items;
	ret->nr_comms = names.nr;
	return err;
}

bool target_options_whole_cpus(const struct target_options *options)
{
	return options->all_cpus || options->cpus;
}

struct error *record_target_init(const struct target_options *options, struct record_target *ret)
{
	bool some_tasks = options->pids || options->tids || options->user || options->every_thread;
	bool whole_cpus = target_options_whole_cpus(options);
	struct task_list list = { 0 };
	struct error *err;

	if (some_tasks && whole_cpus)
		return error_hint(error_new(EINVAL, "-p, -t and -u select tasks, -a and -C whole CPUs"),
				  "Give either tasks or CPUs");
	err = cpumap_select(options->cpus, &ret->cpus);
	if (!err)
		err = target_select_tasks(options, &list);
	if (err) {
		free(list.items);
		return err;
	}
	/*
	 * As with perf, a command is the target itself unless -p, -a or a similar option selects
	 * others.
	 */
	ret->is_command = options->command && !some_tasks && !whole_cpus;
	if (ret->is_command && !array_push(&list, 0))
		return &error_no_memory;
	ret->tasks = list.items;
	ret->nr_tasks = list.nr;
	return options->comms ? split_comms(options->comms, ret) : NULL;
}
