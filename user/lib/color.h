/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Colours of the tool's output, by the role of a text.
 *
 * Text for standard output often contains names from a recording.  It is collected in buffers and
 * escaped only when it is written (escape_stdout()).  So color_on() and color_off() do not return
 * control sequences of the terminal.  They return marks, which are replaced when the text is
 * escaped.  A mark holds a random number, so no recording can contain one.
 *
 * By default, output is coloured only if standard output is a terminal, TERM names a terminal that
 * is not dumb, NO_COLOR is empty or not set, and the pager shows colours.  --color=always colours
 * it in any case.
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
	COLOR_GOOD,	/* as expected */
	COLOR_HOT,	/* a large share of the whole */
	COLOR_WARM,	/* a share that is worth a look */
	COLOR_EVENT,	/* the name of an event */
	COLOR_TIME,
	COLOR_HEADING,
	COLOR_MATCH,	/* text that matches a search, or the marked location */
	COLOR_FAINT,	/* text of little interest */
	COLOR_ROLES_NR
};

enum color_mode { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS };

extern enum color_mode color_mode;

/* Set the mode from the argument of --color; NULL: always.  Returns false if @word is no mode. */
bool color_mode_set(const char *word);

/* From now on, standard output goes to a terminal through a pager. */
void color_begin_pager(bool shows_colors);

/*
 * The beginning and the end of a coloured part of standard output: a mark, or "" without colours.
 * A mark takes bytes but no columns, so pad a text before you enclose it.
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
 * Find the control sequence for the mark that begins at @text.  *ret is "" if the pager shows no
 * colours.  Returns the size of the mark, 0 if @len is too short to decide, or -1 if it is no mark.
 */
int color_mark_read(const char *text, size_t len, const char **ret);

#endif
