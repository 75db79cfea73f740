/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Colours of what the tool prints, by the part that a text plays.
 *
 * Text for standard output is often made of what a recording holds, in buffers, and only
 * escaped when it is written (escape_stdout()).  So color_on() and color_off() do not return
 * control sequences of the terminal but marks, which are replaced at the same place.  A mark
 * holds a random number, so no recording can contain one.
 *
 * Nothing is coloured unless standard output is a terminal, TERM names one that is not dumb,
 * NO_COLOR is empty or not set, and the pager shows colours; or --color=always says so.
 */
#ifndef KTRACE_LIB_COLOR_H
#define KTRACE_LIB_COLOR_H

#include <stdbool.h>
#include <stddef.h>

enum color_role {
	COLOR_NONE = 0,
	COLOR_ERROR,	/* an error, or lost data */
	COLOR_WARNING,
	COLOR_NOTE,
	COLOR_GOOD,	/* it is as it should be */
	COLOR_HOT,	/* a large share of the whole */
	COLOR_WARM,	/* a share that is worth a look */
	COLOR_EVENT,	/* the name of an event */
	COLOR_TIME,
	COLOR_HEADING,
	COLOR_MATCH,	/* what was searched for, or the place that is meant */
	COLOR_FAINT,	/* what a reader skips */
	COLOR_ROLES_NR
};

enum color_mode { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS };

extern enum color_mode color_mode;

/* Set the mode from the argument of --color; NULL: always.  Returns false for another word. */
bool color_mode_set(const char *word);

/* From now on, standard output goes to a terminal through a pager. */
void color_begin_pager(bool shows_colors);

/*
 * What begins and ends a coloured part of standard output: a mark, or "" without colours.
 * Marks take no columns, but bytes: pad a text before you enclose it.
 */
const char *color_on(enum color_role role);
const char *color_off(enum color_role role);

/* The role of a share of the whole, by perf's limits. */
enum color_role color_of_percent(double percent);

/* The same for messages, which log_error() and its like print on standard error. */
const char *color_message_on(enum color_role role);
const char *color_message_off(enum color_role role);

/* The first byte of each mark. */
#define COLOR_MARK	'\1'

/* The number of bytes of a mark. */
#define COLOR_MARK_SIZE	18

/*
 * Find what is to be written for the mark that begins at @text: *ret is "" if the pager shows
 * no colours.  Returns the size of the mark, 0 if @len is too short to tell, or -1 if it is
 * none.
 */
int color_mark_read(const char *text, size_t len, const char **ret);

#endif
