/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removes a half-written file when SIGINT, SIGTERM or SIGHUP ends the process.  It is for commands
 * that need not finish anything else: the signals keep their effect.
 *
 *	leftover_begin(file.temporary);
 *	...		write it
 *	leftover_end();
 *
 * Only one path at a time can be registered.  Signals that were ignored before (by nohup) stay
 * ignored.
 */
#ifndef KTRACE_LIB_LEFTOVER_H
#define KTRACE_LIB_LEFTOVER_H

/* Register @path, which is copied: a file, with "@path-journal" beside it, or a folder of files. */
void leftover_begin(const char *path);

/* From now on no file is removed. */
void leftover_end(void);

#endif
