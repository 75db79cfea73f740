/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/**
 * DOC: The text that ktrace.ko prints when the kernel panics
 *
 * With the module's parameter dump_on_panic=N, a panic prints the newest N records of each session
 * into the kernel's log, and so to the console and to pstore.  `ktrace recover --console` converts
 * the text into recordings.  Each line begins with KTRACE_DUMP_PREFIX, and the kernel may have put
 * its own time and the like in front of that.  The lines are::
 *
 *	begin VERSION RELEASE
 *	session S pid PID clock CLOCKID records NR of HELD
 *	event S ID config CONFIG type SAMPLE_TYPE fields FIELDS strings STRINGS NAME
 *	S [CPU] SECONDS.NS PID NAME BYTES#SUM
 *	+ BYTES#SUM
 *	session ..., event ...
 *	end VERSION RELEASE
 *
 * VERSION is KTRACE_DUMP_VERSION.  It changes when an older reader would misread the text.
 * RELEASE is the kernel's, as uname -r prints it.  S is the number of a session, from 0 on.  The
 * session's rings hold HELD records.  The newest NR of them follow, in the order of their times.
 * The lines of the session and its events are repeated behind them, for a log that has lost its
 * beginning.  ID, CONFIG, SAMPLE_TYPE and FIELDS are those of EVENT_ADD, in hexadecimal; STRINGS is
 * its user_strings.  NAME is the name in EVENT_ADD, "SYSTEM:EVENT", or "-".
 *
 * The line of a record begins with the parts for human readers.  BYTES has the record itself, as
 * <linux/ktrace.h> describes it, in base64.  A line holds at most KTRACE_DUMP_BYTES of the record;
 * the rest follows in lines that begin with "+".  SUM is a checksum of the letters of BYTES alone.
 * It begins with 0; for each letter it is multiplied by 31 and the letter is added.  Its lower 16
 * bits are printed as four hexadecimal digits.  If lines of a record are damaged or missing, only
 * this record is lost.
 */
#ifndef _UAPI_LINUX_KTRACE_DUMP_H
#define _UAPI_LINUX_KTRACE_DUMP_H

#define KTRACE_DUMP_PREFIX	"ktrace-dump: "
#define KTRACE_DUMP_VERSION	1
#define KTRACE_DUMP_BYTES	384	/* of a record in one line, a multiple of 3 */

#endif /* _UAPI_LINUX_KTRACE_DUMP_H */
