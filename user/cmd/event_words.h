/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The argument of -e of commands that open events.  It takes the events of event_specs_add(), and
 * probes that live as long as the command (k:, u:, f:).
 */
#ifndef KTRACE_CMD_EVENT_WORDS_H
#define KTRACE_CMD_EVENT_WORDS_H

#include "spec/event_spec.h"

/* As event_specs_add().  Probes are added to the kernel at once; event_words_end() removes them. */
struct error *event_words_add(struct event_specs *specs, const char *text);

/*
 * The same for events that are recorded and not counted.  The ktrace module records entries and
 * returns of kernel functions by itself if it can; these need no probes.
 */
struct error *event_words_add_recorded(struct event_specs *specs, const char *text);

/*
 * Set the filter of the events of the last -e.  For f:, only the returns of functions that have the
 * filter's fields get it.  It is an error if no function has them.
 */
struct error *event_words_set_filter(struct event_specs *specs, const char *filter);

/* Remove the probes, which must not be recorded any more, and wait until they are gone. */
void event_words_end(void);

#endif
