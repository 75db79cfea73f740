// SPDX-License-Identifier: GPL-2.0
#include "lib/leftover.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/array.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static struct sigaction before[ARRAY_SIZE(signals)];
static char path[PATH_MAX], journal[PATH_MAX + sizeof("-journal")];
static volatile sig_atomic_t is_there;

/* A signal handler must not use readdir(), which allocates memory. */
static void leftover_remove_files(int folder)
{
	static char entries[32768] __attribute__((aligned(8)));
	long size;

	while ((size = syscall(SYS_getdents64, folder, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size; ) {
			const struct dirent64 *entry = (const void *)(entries + at);

			unlinkat(folder, entry->d_name, 0);
			at += entry->d_reclen;
		}
}

/* The action was reset when the signal came, so the second one ends the process. */
static void leftover_on_signal(int number)
{
	int folder;

	if (is_there) {
		folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder >= 0) {
			leftover_remove_files(folder);
			rmdir(path);
		} else {
			unlink(path);
			unlink(journal);
		}
	}
	raise(number);
}

void leftover_begin(const char *name)
{
	struct sigaction action = { .sa_handler = leftover_on_signal, .sa_flags = SA_RESETHAND };

	snprintf(path, sizeof(path), "%s", name);
	snprintf(journal, sizeof(journal), "%s-journal", name);
	is_there = true;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

void leftover_end(void)
{
	is_there = false;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
}
