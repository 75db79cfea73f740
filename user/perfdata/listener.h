/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The listener to which a recorder connects.  The recorder's stream is read instead of standard
 * input, under the name "-".
 */
#ifndef KTRACE_PERFDATA_LISTENER_H
#define KTRACE_PERFDATA_LISTENER_H

#include "lib/error.h"

/* The arguments of --listen and --token; NULL: not given.  Borrowed strings. */
extern const char *listener_address, *listener_token_file;

/*
 * Store the descriptor for "-": standard input, or with --listen the connection of a recorder, for
 * which this function waits.  Recorders with a wrong greeting are reported and disconnected.  Once
 * one is accepted, the listening socket is closed.  A signal ends the wait, and then this process
 * unless the signal is handled.
 */
struct error *listener_open_input(int *ret);

/* The name of the input "-" for messages. */
const char *listener_input_name(void);

#endif
