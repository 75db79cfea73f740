// SPDX-License-Identifier: GPL-2.0
#include "browser/browser_keys.h"

static struct error *browser_open_event(struct browser *b)
{
	if (b->events_place.cursor >= b->sampled.nr)
		return NULL;
	if (b->event != b->sampled.items[b->events_place.cursor])
		b->place = (struct browser_place){ 0 };
	b->event = b->sampled.items[b->events_place.cursor];
	b->list = LIST_ROWS;
	return browser_rebuild(b, true);
}

const struct browser_action browser_event_actions[] = {
	BROWSER_MOVES,
	{ { BROWSER_ENTER, BROWSER_RIGHT, '\r' }, "Enter, Right", "show the entries of the event",
	  NULL, browser_open_event },
	{ { 'h', '?', BROWSER_F1 }, "h, ?, F1", "this help", NULL, browser_show_help },
	{ { 'q' }, "q", "quit", NULL, browser_quit },
	BROWSER_LAST_KEYS
};
