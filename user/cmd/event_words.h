/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The argument of -e of commands that open events: what event_specs_add() takes, and probes
 * that live as long as the command (k:, u:, f:).
 */
#ifndef KTRACE_CMD_EVENT_WORDS_H
#define KTRACE_CMD_EVENT_WORDS_H

#include "spec/event_spec.h"

/* As event_specs_add().  Probes are added to the kernel at once, and removed when we end. */
struct error *event_words_add(struct event_specs *specs, const char *text);

/*
 * The same for events that are recorded and not counted: where functions of the kernel are entered
 * and where they return is recorded by the module itself, if it can, and needs no probes.
 */
struct error *event_words_add_recorded(struct event_specs *specs, const char *text);

/*
 * Give the events of the last word a filter.  Of those of f:, only the ends of functions get it
 * that have its fields; if none has them, it is an error.
 */
struct error *event_words_set_filter(struct event_specs *specs, const char *filter);

/* Remove the probes, which nobody records any more, and wait until they are gone. */
void event_words_end(void);

#endif
