/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The listener that a recorder connects to.  What it sends is read instead of standard input,
 * which "-" names.
 */
#ifndef KTRACE_PERFDATA_LISTENER_H
#define KTRACE_PERFDATA_LISTENER_H

#include "lib/error.h"

/* What --listen and --token say; NULL: not given.  Borrowed strings. */
extern const char *listener_address, *listener_token_file;

/*
 * Give a descriptor of what "-" names: standard input, or with --listen the connection of a
 * recorder, for which this waits.  Recorders that greet wrongly are told of and sent away.  Once
 * one is accepted, nothing listens any more.  A signal ends the wait, and then this process unless
 * the signal is handled.
 */
struct error *listener_open_input(int *ret);

/* What "-" names, for messages. */
const char *listener_input_name(void);

#endif
