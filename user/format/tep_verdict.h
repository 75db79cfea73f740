/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether libtraceevent understands a print fmt.  trace-cmd, rasdaemon and other programs read
 * events with it; ktrace itself prints with its own parser.
 */
#ifndef KTRACE_FORMAT_TEP_VERDICT_H
#define KTRACE_FORMAT_TEP_VERDICT_H

#include <stddef.h>

enum tep_verdict {
	TEP_ACCEPTS,
	TEP_REFUSES,
	TEP_CRASHES,		/* libtraceevent ends the program that parses it */
	TEP_UNKNOWN,		/* it could not be tried */
};

/* @text is the whole format file.  It is parsed in a child process. */
enum tep_verdict tep_verdict_of(const char *system, const char *text, size_t len);

#endif
