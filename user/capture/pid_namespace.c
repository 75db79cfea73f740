// SPDX-License-Identifier: GPL-2.0
#include "capture/pid_namespace.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernel gives the first pid namespace this fixed inode (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

bool pid_namespace_is_first(const char *root)
{
	char path[PATH_MAX], link[64];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", root);
	len = readlink(path, link, sizeof(link) - 1);
	link[len < 0 ? 0 : len] = '\0';
	return !strcmp(link, FIRST_PID_NAMESPACE);
}
