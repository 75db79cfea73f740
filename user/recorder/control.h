/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands that another program writes to a descriptor while we count or record: perf's --control.
 */
#ifndef KTRACE_RECORDER_CONTROL_H
#define KTRACE_RECORDER_CONTROL_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct control {
	int fd;		/* source of commands; -1: none, or its writers are gone */
	int ack;	/* gets "ack\n" after each command; -1: none */
	bool owned;	/* opened here, not inherited */
};

#define CONTROL_INIT	{ .fd = -1, .ack = -1 }

enum control_word {
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,	/* answer it only */
	CONTROL_STOP,	/* end */
	CONTROL_SNAPSHOT,
};

/* The handler of a command; control_read() answers after it. */
typedef struct error *(*control_fn)(void *data, enum control_word word);

/* Open the descriptors or named pipes of "fd:CTL[,ACK]" or "fifo:CTL[,ACK]". */
struct error *control_open(const char *text, struct control *ret);
void control_close(struct control *control);
DEFINE_CLEANUP(control, struct control, control_close)

/*
 * Read the available commands, and call @function for each of them.  It does not wait.  An unknown
 * command is reported, and not answered.
 */
struct error *control_read(struct control *control, control_fn function, void *data);

#endif
