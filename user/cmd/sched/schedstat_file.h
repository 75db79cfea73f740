/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records two readings of /proc/schedstat, as perf 7 does.
 */
#ifndef KTRACE_CMD_SCHED_SCHEDSTAT_FILE_H
#define KTRACE_CMD_SCHED_SCHEDSTAT_FILE_H

#include "lib/error.h"

struct schedstat_recording {
	const char *path;		/* of the recording */
	const char *before, *after;	/* copies of /proc/schedstat; NULL: read the file itself */
	int line_argc;			/* the whole command line, for the header */
	char **line_argv;
	int argc;
	char **argv;			/* the command that runs meanwhile; argc 0: until ^C */
};

/*
 * Read, run the command, read again and write the recording.  Statistics that the kernel does not
 * count by default are enabled meanwhile.  *@ret_status is the exit status of the command.
 */
struct error *schedstat_record(const struct schedstat_recording *recording, int *ret_status);

#endif
