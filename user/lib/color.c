// SPDX-License-Identifier: GPL-2.0
#include "lib/color.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/array.h"

/* perf's limits, in percent. */
#define HOT	5
#define WARM	0.5

enum color_mode color_mode;

static const char *const sequences[COLOR_ROLES_NR + 1] = {
	[COLOR_NONE] = "",
	[COLOR_ERROR] = "\x1b[1;31m",
	[COLOR_WARNING] = "\x1b[1;33m",
	[COLOR_NOTE] = "\x1b[1;36m",
	[COLOR_GOOD] = "\x1b[32m",
	[COLOR_HOT] = "\x1b[31m",
	[COLOR_WARM] = "\x1b[32m",
	[COLOR_EVENT] = "\x1b[36m",
	[COLOR_TIME] = "\x1b[2m",
	[COLOR_HEADING] = "\x1b[1m",
	[COLOR_MATCH] = "\x1b[1;32m",
	[COLOR_FAINT] = "\x1b[2m",
	[COLOR_ROLES_NR] = "\x1b[m",	/* the end of a part */
};

/* Set by color_begin_pager(). */
static bool is_paged, pager_shows;

/* Each mark is COLOR_MARK, the same 16 random digits, and a letter for the role. */
static char marks[COLOR_ROLES_NR + 1][COLOR_MARK_SIZE + 1];

bool color_mode_set(const char *word)
{
	static const char *const words[] = {
		[COLOR_AUTO] = "auto", [COLOR_NEVER] = "never", [COLOR_ALWAYS] = "always",
	};

	if (!word)
		word = "always";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i])) {
			color_mode = i;
			return true;
		}
	return false;
}

void color_begin_pager(bool shows_colors)
{
	is_paged = true;
	pager_shows = shows_colors;
}

enum color_role color_of_percent(double percent)
{
	return percent >= HOT ? COLOR_HOT : percent >= WARM ? COLOR_WARM : COLOR_NONE;
}

static bool environment_allows_colors(void)
{
	const char *forbidden = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(forbidden && *forbidden) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool is_wanted(bool is_terminal)
{
	if (color_mode != COLOR_AUTO)
		return color_mode == COLOR_ALWAYS;
	return is_terminal && environment_allows_colors() && (!is_paged || pager_shows);
}

static bool make_marks(void)
{
	uint64_t number;

	if (marks[0][0])
		return true;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		snprintf(marks[i], sizeof(marks[i]), "%c%016" PRIx64 "%c", COLOR_MARK, number,
			 (int)('a' + i));
	return true;
}

const char *color_on(enum color_role role)
{
	return role && is_wanted(is_paged || isatty(STDOUT_FILENO)) && make_marks() ? marks[role] : "";
}

const char *color_off(enum color_role role)
{
	return color_on(role ? COLOR_ROLES_NR : COLOR_NONE);
}

int color_mark_read(const char *text, size_t len, const char **ret)
{
	size_t known = len < COLOR_MARK_SIZE - 1 ? len : COLOR_MARK_SIZE - 1;
	size_t role;

	/* No mark exists before the first one is requested. */
	if (!marks[0][0] || memcmp(text, marks[0], known) != 0)
		return -1;
	if (len < COLOR_MARK_SIZE)
		return 0;
	role = (size_t)(unsigned char)text[COLOR_MARK_SIZE - 1] - 'a';
	if (role > COLOR_ROLES_NR)
		return -1;
	/* The pager may have been chosen after the text was created. */
	*ret = is_wanted(true) ? sequences[role] : "";
	return COLOR_MARK_SIZE;
}

const char *color_message_on(enum color_role role)
{
	return role && is_wanted(is_paged || isatty(STDERR_FILENO)) && make_marks() ?
		marks[role] : "";
}

const char *color_message_off(enum color_role role)
{
	return color_message_on(role ? COLOR_ROLES_NR : COLOR_NONE);
}
