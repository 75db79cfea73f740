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
	int fd;		/* commands come from here; -1: there is none, or its writers are gone */
	int ack;	/* "ack\n" goes here after each command; -1: nowhere */
	bool owned;	/* they were opened here, not inherited */
};

#define CONTROL_INIT	{ .fd = -1, .ack = -1 }

enum control_word {
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,	/* to be answered alone */
	CONTROL_STOP,	/* end */
	CONTROL_SNAPSHOT,
};

/* What is done for a command; control_read() answers after it. */
typedef struct error *(*control_fn)(void *data, enum control_word word);

/* Open what "fd:CTL[,ACK]" or "fifo:CTL[,ACK]" names: descriptors, or pipes with a name. */
struct error *control_open(const char *text, struct control *ret);
void control_close(struct control *control);
DEFINE_CLEANUP(control, struct control, control_close)

/*
 * Read the commands that are there, and call @function for each of them.  It does not wait.
 * What is no command is said, and not answered.
 */
struct error *control_read(struct control *control, control_fn function, void *data);

#endif
