/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The text that ktrace.ko prints when the kernel dies
 * ===================================================
 *
 * With the module's parameter dump_on_panic=N, a panic prints the newest N records of each session
 * into the kernel's log, from where they come to the console and to pstore.  `ktrace recover
 * --console` makes recordings of them.  These are the lines; each begins with KTRACE_DUMP_PREFIX,
 * and the kernel may have put its own time and the like in front of that:
 *
 *	begin VERSION RELEASE
 *	session S pid PID clock CLOCKID records NR of HELD
 *	event S ID config CONFIG type SAMPLE_TYPE fields FIELDS strings STRINGS NAME
 *	S [CPU] SECONDS.NS PID NAME BYTES#SUM
 *	+ BYTES#SUM
 *	session ..., event ...
 *	end VERSION RELEASE
 *
 * VERSION is KTRACE_DUMP_VERSION, and changes when an older reader would go wrong.  RELEASE is
 * that of the kernel, as uname -r prints it.  S is the number of a session, from 0 on.  Of the HELD
 * records in its rings, the newest NR follow, in the order of their times.  The lines of the
 * session and its events come again behind them, for a log that has lost its beginning.  ID,
 * CONFIG, SAMPLE_TYPE and FIELDS are hexadecimal, and those of EVENT_ADD; STRINGS is its
 * user_strings.  NAME is the name that EVENT_ADD was given, "SYSTEM:EVENT", or "-".
 *
 * The line of a record begins with what a human looks for.  BYTES has the record itself, as
 * <linux/ktrace.h> describes it, in base64: KTRACE_DUMP_BYTES of it at most; the rest follows in
 * lines that begin with "+".  SUM is of the letters of BYTES alone: beginning with 0, it is
 * multiplied by 31 and the letter is added, for each letter; its lower 16 bits are printed as four
 * hexadecimal digits.  A record whose lines are damaged or not complete is lost, and no other one.
 */
#ifndef _UAPI_LINUX_KTRACE_DUMP_H
#define _UAPI_LINUX_KTRACE_DUMP_H

#define KTRACE_DUMP_PREFIX	"ktrace-dump: "
#define KTRACE_DUMP_VERSION	1
#define KTRACE_DUMP_BYTES	384	/* of a record in one line, a multiple of 3 */

#endif /* _UAPI_LINUX_KTRACE_DUMP_H */
