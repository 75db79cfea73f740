// SPDX-License-Identifier: GPL-2.0
/*
 * The browser without a terminal: which rows and lines are shown for which keys, in screens of
 * all sizes, with hostile names.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser/browser.h"
#include "browser/cells.h"
#include "lib/array.h"
#include "profile/histogram/histogram.h"
#include "session/callchain.h"
#include "tap.h"

#define ESC	BROWSER_ESCAPE

/* Two events, three tasks, and chains of functions that have no names. */
struct fixture {
	struct event_list events;
	struct report_options report;
	struct histograms *histograms;
	struct browser browser;
	struct browser_picture picture;
	size_t lines, cells;
};

static void add_sample(struct fixture *f, size_t event, const char *comm, uint64_t period,
		       const uint64_t *chain, size_t nr)
{
	struct session_consumer *consumer = histograms_consumer(f->histograms);
	const struct session_record r = {
		.event = f->events.items[event], .pid = 7, .tid = 7, .comm = comm,
		.sample = {
			.ip = chain[0], .tid = 7, .period = period,
			.cpumode = PERF_RECORD_MISC_USER, .callchain = chain, .nr_callchain = nr,
		},
	};

	if (consumer->sample(consumer, &r))
		abort();
}

static void add_event(struct fixture *f, const char *name)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	};
	struct event *event;

	if (event_list_add(&f->events, &attr, name, &event))
		abort();
	event_finish(event);
}

static void fixture_init_as(struct fixture *f, const char *keys, bool hierarchy)
{
	const uint64_t main_a[] = { 0xa0, 0x10 }, main_b[] = { 0xb0, 0x10 },
		       main_c_a[] = { 0xa0, 0xc0, 0x10 }, alone[] = { 0xd0 };

	*f = (struct fixture){ .lines = 12, .cells = 80 };
	event_list_init(&f->events);
	add_event(f, "first");
	add_event(f, "second");
	add_event(f, "third");
	f->report.histogram.max_stack = CALLCHAIN_DEPTH;
	f->report.histogram.children = !hierarchy;
	f->report.hierarchy = hierarchy;
	if (call_graph_options_parse(&f->report.histogram.graph, NULL) ||
	    histogram_keys_parse(&f->report.histogram, keys) ||
	    histograms_create(&f->report.histogram, &f->histograms))
		abort();
	add_sample(f, 0, "one", 50, main_a, 2);
	add_sample(f, 0, "one", 20, main_b, 2);
	add_sample(f, 0, "one", 10, main_c_a, 3);
	add_sample(f, 0, "two", 15, alone, 1);
	add_sample(f, 0, "\x1b[2J\nx\xff\xe6\xbc\xa2", 5, alone, 1);
	add_sample(f, 2, "two", 9, alone, 1);
	browser_init(&f->browser, &f->report, &f->events, f->histograms);
	/* Of several events, one is chosen first. */
	if (browser_refresh(&f->browser) || browser_take_key(&f->browser, BROWSER_ENTER))
		abort();
}

static void fixture_init(struct fixture *f, const char *keys)
{
	fixture_init_as(f, keys, false);
}

static void fixture_deinit(struct fixture *f)
{
	browser_picture_deinit(&f->picture);
	browser_deinit(&f->browser);
	histograms_destroy(f->histograms);
	event_list_deinit(&f->events);
}

static const char *paint(struct fixture *f, size_t line)
{
	if (browser_paint(&f->browser, f->lines, f->cells, &f->picture))
		abort();
	return line < f->picture.nr ? strbuf_str(&f->picture.items[line].text) : NULL;
}

static void press(struct fixture *f, int key)
{
	browser_tell_error(&f->browser, browser_take_key(&f->browser, key));
	paint(f, 0);
}

static void type(struct fixture *f, const char *text)
{
	for (; *text; text++)
		press(f, *text);
}

/* Compare a line without the blanks at its end. */
static void is_line(struct fixture *f, size_t line, const char *want, const char *name)
{
	_cleanup_free_ char *text = strdup(paint(f, line));
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	text[len] = '\0';
	is_str(text, want, name);
}

static const char *last_line(struct fixture *f)
{
	return paint(f, f->lines - 1);
}

static void test_cells(void)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

	is_u64(cells_width("abc"), 3, "a letter takes a cell");
	is_u64(cells_width("\xe6\xbc\xa2"), 2, "a wide character takes two cells");
	is_u64(cells_width("e\xcc\x81"), 1, "a combining character takes no cell");
	cells_add_name(&out, "a\x1b[2Jb\n", 40, false);
	is_str(strbuf_str(&out), "a\\x1b[2Jb\\n", "control characters of names are escaped");
	strbuf_reset(&out);
	cells_add_name(&out, "abcdefghij", 7, true);
	is_str(strbuf_str(&out), "abc..ij", "the middle of a name that is too long is left out");
	strbuf_reset(&out);
	cells_add_name(&out, "abc", 6, true);
	is_str(strbuf_str(&out), "abc   ", "a short name is padded");
	strbuf_reset(&out);
	cells_add_name(&out, "abc", 1, true);
	is_str(strbuf_str(&out), ".", "one cell has room for a dot");
	strbuf_reset(&out);
	cells_add_window(&out, "\xe6\xbc\xa2\xe6\xbc\xa2", 1, 2);
	is_str(strbuf_str(&out), "  ", "halves of wide characters are seen as blanks");
	strbuf_reset(&out);
	cells_add_window(&out, "a\xe6\xbc\xa2z", 0, 3);
	is_str(strbuf_str(&out), "a\xe6\xbc\xa2", "a whole wide character is seen");
	strbuf_reset(&out);
	cells_add_window(&out, "abc", 2, 4);
	is_str(strbuf_str(&out), "c   ", "a window is filled with blanks");
}

static void test_rows(void)
{
	struct fixture f;

	fixture_init(&f, "comm,sym");
	about("the rows");
	is_line(&f, 0, "Samples: 5 of event 'first', event count (approx.): 100",
		"the title says how much the event has");
	is_line(&f, 1, "  Children      Self  Command           Symbol", "the columns have titles");
	is_line(&f, 2, "+   80.00%     0.00%  one               [.] 0x0000000000000010",
		"the largest entry is the first");
	is_line(&f, 3, "+   60.00%    60.00%  one               [.] 0x00000000000000a0",
		"the second largest is the next");
	is_line(&f, 7, "+    5.00%     5.00%  \\x1b[2J\\nx\\xff\xe6\xbc\xa2  [.] 0x00000000000000d0",
		"hostile names are escaped");
	press(&f, '+');
	is_line(&f, 3, "     - 80.00% 0x10", "an entry shows the chains that go through it");
	is_line(&f, 4, "          50.00% 0xa0", "branches come in the order of their shares");
	is_u64(f.browser.rows.nr, 10, "only one level is expanded");
	press(&f, '+');
	is_u64(f.browser.rows.nr, 6, "the same key collapses it");
	press(&f, 'e');
	is_u64(f.browser.rows.nr, 11, "e expands all chains of the entry");
	press(&f, BROWSER_DOWN);
	press(&f, BROWSER_DOWN);
	is_line(&f, 4, "          50.00% 0xa0", "a branch without more below it has no sign");
	press(&f, 'e');
	is_u64(f.browser.rows.nr, 6, "e on a chain collapses its entry");
	is_u64(f.browser.place.cursor, 0, "the cursor goes to the entry");
	press(&f, 'E');
	ok(f.browser.rows.nr > 10, "E expands all chains of all entries");
	press(&f, 'C');
	is_u64(f.browser.rows.nr, 6, "C collapses everything");
	fixture_deinit(&f);
	about_nothing();
}

static void test_hierarchy(void)
{
	struct fixture f;

	fixture_init_as(&f, "comm,dso,sym", true);
	about("a hierarchy");
	is_line(&f, 1, "  Overhead  Command / Shared Object / Symbol", "the title has the levels");
	is_u64(f.browser.rows.nr, 3, "only the first level is shown at first");
	is_line(&f, 2, "+   80.00%  one", "a level has the sum of those below it");
	is_line(&f, 3, "+   15.00%  two", "the next is smaller");
	is_line(&f, 4, "+    5.00%  \\x1b[2J\\nx\\xff\xe6\xbc\xa2", "hostile names are escaped");
	press(&f, '+');
	is_u64(f.browser.rows.nr, 4, "a level is expanded by itself");
	is_line(&f, 3, "    +   80.00%  [unknown]", "the next level is indented");
	press(&f, BROWSER_DOWN);
	press(&f, BROWSER_ENTER);
	is_line(&f, 4, "        +   60.00%  [.] 0x00000000000000a0", "Enter expands a level, too");
	is_line(&f, 5, "        +   20.00%  [.] 0x00000000000000b0", "the largest row comes first");
	press(&f, BROWSER_DOWN);
	press(&f, '+');
	is_line(&f, 5, "             - 60.00% 0xa0", "the last level has the chains");
	press(&f, BROWSER_ENTER);
	ok(f.browser.mode == BROWSER_MENU, "Enter on the last level opens its menu");
	press(&f, ESC);
	press(&f, BROWSER_HOME);
	press(&f, 'd');
	is_u64(f.browser.nr_zooms, 0, "a task has no binary to zoom into");
	press(&f, BROWSER_ENTER);
	is_u64(f.browser.rows.nr, 3, "Enter collapses a level with all below it");
	press(&f, 'e');
	ok(f.browser.rows.nr > 8, "e expands everything below the row");
	press(&f, 'e');
	is_u64(f.browser.rows.nr, 3, "the same key collapses all of it");
	press(&f, 'E');
	ok(f.browser.rows.nr > 12, "E expands all levels and chains");
	press(&f, BROWSER_DOWN);
	press(&f, BROWSER_DOWN);
	press(&f, 'C');
	is_u64(f.browser.rows.nr, 3, "C collapses all levels");
	is_u64(f.browser.place.cursor, 0, "the cursor goes to the first level");
	press(&f, 't');
	is_u64(f.browser.rows.nr, 1, "the task of a row is zoomed into");
	press(&f, ESC);
	is_u64(f.browser.rows.nr, 3, "zooming out brings the others back");
	fixture_deinit(&f);
	about_nothing();
}

static void test_moving(void)
{
	struct fixture f;

	fixture_init(&f, "comm,sym");
	about("moving");
	f.lines = 6;
	press(&f, BROWSER_UP);
	is_u64(f.browser.place.cursor, 0, "nothing is above the first row");
	press(&f, BROWSER_PAGE_DOWN);
	is_u64(f.browser.place.cursor, 3, "a page is the part that fits on the screen");
	press(&f, BROWSER_END);
	is_u64(f.browser.place.cursor, 5, "End goes to the last row");
	press(&f, BROWSER_DOWN);
	is_u64(f.browser.place.cursor, 5, "nothing is below the last row");
	is_u64(f.browser.place.top, 3, "the last row is the last that is seen");
	ok(strstr(last_line(&f), " 6/6"), "the last line says where the cursor is");
	press(&f, BROWSER_HOME);
	is_u64(f.browser.place.top, 0, "Home shows the first row");
	press(&f, BROWSER_DOWN);
	if (browser_refresh(&f.browser))
		abort();
	is_u64(f.browser.place.cursor, 1, "the cursor stays on its row when the rows are refreshed");
	f.cells = 30;
	paint(&f, 0);
	press(&f, ']');
	is_u64(f.browser.place.left, 8, "] scrolls a narrow screen");
	press(&f, '[');
	is_u64(f.browser.place.left, 0, "[ scrolls back");
	f.cells = 80;
	press(&f, ']');
	is_u64(f.browser.place.left, 0, "a wide screen is not scrolled");
	fixture_deinit(&f);
	about_nothing();
}

static void test_zooming(void)
{
	struct fixture f;

	fixture_init(&f, "comm,sym");
	about("zooming");
	press(&f, ESC);
	is_line(&f, 0, "Available samples: 2 of 3 events have some",
		"at first there is nothing to leave but the event");
	is_line(&f, 3, "         1  third", "each event has the number of its samples");
	press(&f, ESC);
	press(&f, BROWSER_ENTER);
	press(&f, 't');
	is_u64(f.browser.rows.nr, 4, "t shows the entries of one command");
	ok(strstr(paint(&f, 0), "command: one"), "the title names the command");
	is_line(&f, 2, "+   80.00%     0.00%  one      [.] 0x0000000000000010",
		"percentages stay those of everything");
	press(&f, 'F');
	is_line(&f, 2, "+  100.00%     0.00%  one      [.] 0x0000000000000010",
		"F makes them those of what is shown");
	press(&f, 'F');
	press(&f, ESC);
	is_u64(f.browser.rows.nr, 6, "Esc zooms out");
	press(&f, 't');
	press(&f, 't');
	is_u64(f.browser.rows.nr, 6, "the same key zooms out, too");
	press(&f, 'd');
	ok(strstr(last_line(&f), "nothing to zoom into"), "an unknown binary cannot be zoomed into");
	press(&f, '/');
	type(&f, "nowhere");
	ok(strstr(last_line(&f), "contains: nowhere"), "a prompt shows the typed text");
	press(&f, BROWSER_ENTER);
	is_u64(f.browser.rows.nr, 0, "a text that no function contains leaves nothing");
	is_line(&f, 2, "Nothing passes the filters.  Esc removes one.", "that is said");
	press(&f, ESC);
	is_u64(f.browser.rows.nr, 6, "Esc removes the text");
	press(&f, 'L');
	type(&f, "20x");
	press(&f, BROWSER_BACKSPACE);
	press(&f, BROWSER_ENTER);
	is_u64(f.browser.rows.nr, 3, "a limit leaves out smaller entries");
	press(&f, 'L');
	type(&f, "-1");
	press(&f, BROWSER_ENTER);
	ok(strstr(last_line(&f), "from 0 to 100, not '-1'"), "a wrong limit is an error");
	is_u64(f.browser.rows.nr, 3, "the limit before it stays");
	press(&f, 'L');
	press(&f, ESC);
	is_u64(f.browser.mode, BROWSER_LIST, "Esc leaves a prompt");
	fixture_deinit(&f);
	about_nothing();
}

static void test_menus(void)
{
	struct fixture f;

	fixture_init(&f, "comm,sym");
	about("the menu");
	f.lines = 20;
	press(&f, BROWSER_ENTER);
	is_u64(f.browser.mode, BROWSER_MENU, "Enter opens it on an entry");
	is_line(&f, f.lines - f.browser.menu.nr - 1,
		" Expand or collapse one  [.] 0x0000000000000010", "an item names the row");
	press(&f, BROWSER_DOWN);
	press(&f, BROWSER_DOWN);
	press(&f, BROWSER_ENTER);
	ok(strstr(paint(&f, 0), "command: one"), "an item zooms into the command");
	press(&f, 'm');
	press(&f, BROWSER_DOWN);
	press(&f, BROWSER_ENTER);
	ok(strstr(last_line(&f), "no code to show"), "the missing part is named");
	press(&f, 'm');
	press(&f, BROWSER_UP);
	press(&f, BROWSER_ENTER);
	ok(f.browser.ended, "the last item quits");
	fixture_deinit(&f);
	about_nothing();
}

static void test_events(void)
{
	struct fixture f;

	fixture_init(&f, "comm,sym");
	about("events");
	press(&f, BROWSER_TAB);
	ok(strstr(paint(&f, 0), "'third'"), "Tab skips events without samples");
	press(&f, BROWSER_BACK_TAB);
	ok(strstr(paint(&f, 0), "'first'"), "Shift-Tab goes back");
	about_nothing();
	press(&f, '?');
	is_line(&f, 1, "Up, Down           move by a line", "the help lists the keys");
	press(&f, BROWSER_END);
	is_line(&f, f.lines - 2, "Ctrl-C             quit", "the help can be scrolled to its end");
	press(&f, 'q');
	is_u64(f.browser.mode, BROWSER_LIST, "q leaves the help");
	press(&f, 'n');
	is_line(&f, 1, "  Children      Self     Samples  Command           Symbol",
		"n shows a column of samples");
	press(&f, 'x');
	ok(strstr(last_line(&f), "The key x does nothing"), "a key without meaning is reported");
	for (const char *key = "iTzfw"; *key; key++) {
		press(&f, *key);
		ok(strstr(last_line(&f), " ") != last_line(&f) && f.browser.message.len &&
		   f.browser.mode == BROWSER_LIST, "%c without its hook is reported", *key);
	}
	f.browser.lost = 1234;
	ok(!strncmp(paint(&f, 0), "LOST 1K ", 8), "losses stand before everything else");
	press(&f, 'q');
	ok(f.browser.ended, "q quits");
	fixture_deinit(&f);
}

static struct error *show_text(void *data, struct strbuf *ret)
{
	strbuf_addstr(ret, "one\n\x1b]0;x\x07\nthird");
	return NULL;
}

static struct error *fail_slice(void *data, const char *times)
{
	return error_hint(error_new(EINVAL, "There is no time '%s'", times), "Give another");
}

static void test_hooks(void)
{
	struct fixture f;

	fixture_init(&f, "comm,sym");
	f.browser.hooks = (struct browser_hooks){ .header = show_text, .slice = fail_slice };
	press(&f, 'i');
	is_line(&f, 1, "one", "the header is a page");
	is_line(&f, 2, "\\x1b]0;x\\x07", "pages are escaped");
	press(&f, ESC);
	press(&f, 'T');
	type(&f, "x");
	press(&f, BROWSER_ENTER);
	ok(!strncmp(last_line(&f), "There is no time 'x'. Give another.", 35),
	   "the error of a hook is shown with its hint");
	fixture_deinit(&f);
}

/* Whether every line has exactly the cells of the screen and no control characters. */
static bool picture_fits(struct fixture *f)
{
	paint(f, 0);
	if (f->picture.nr != f->lines)
		return false;
	for (size_t i = 0; i < f->lines; i++) {
		const struct browser_line *line = &f->picture.items[i];

		if (cells_width(strbuf_str(&line->text)) != f->cells)
			return false;
		if (line->part.from + line->part.len > line->text.len)
			return false;
		for (const char *c = strbuf_str(&line->text); *c; c++)
			if ((unsigned char)*c < ' ')
				return false;
	}
	return true;
}

static void test_any_keys(void)
{
	static const int keys[] = {
		BROWSER_UP, BROWSER_DOWN, BROWSER_LEFT, BROWSER_RIGHT, BROWSER_PAGE_UP,
		BROWSER_PAGE_DOWN, BROWSER_HOME, BROWSER_END, BROWSER_BACK_TAB,
		BROWSER_BACKSPACE, BROWSER_F1, BROWSER_RESIZED, BROWSER_ENTER, BROWSER_TAB, ESC,
		'+', 'e', 'E', 'C', 'a', 'd', 't', 'k', '/', 'L', 'T', 'F', 'n', 'H', 'i', 'm',
		'h', '[', ']', '1', '.', 0x6f22, 0x1f600, 'z', 'f', 'w', 'q',
	};
	size_t bad_pictures = 0, bad_cursors = 0;
	struct fixture f;

	fixture_init(&f, "pid,comm,dso,sym");
	f.browser.hooks = (struct browser_hooks){ .header = show_text, .slice = fail_slice };
	srand(1);
	for (size_t i = 0; i < 30000; i++) {
		if (rand() % 10 == 0) {
			f.lines = 1 + rand() % 30;
			f.cells = 1 + rand() % 100;
		}
		if (rand() % 50 == 0 && browser_refresh(&f.browser))
			abort();
		browser_tell_error(&f.browser, browser_take_key(&f.browser,
								keys[rand() % ARRAY_SIZE(keys)]));
		f.browser.ended = false;
		bad_pictures += !picture_fits(&f);
		bad_cursors += f.browser.rows.nr && (f.browser.place.cursor >= f.browser.rows.nr ||
						     f.browser.place.top > f.browser.place.cursor);
	}
	is_u64(bad_pictures, 0, "with every input, the lines fill screens of all sizes");
	is_u64(bad_cursors, 0, "with every input, the cursor is on a visible row");
	fixture_deinit(&f);
}

int main(void)
{
	char folder[] = "/tmp/ktrace-browser-XXXXXX", command[64];

	/* Keys may write tables. */
	if (!mkdtemp(folder) || chdir(folder))
		abort();
	cells_begin();
	test_cells();
	test_rows();
	test_hierarchy();
	test_moving();
	test_zooming();
	test_menus();
	test_events();
	test_hooks();
	test_any_keys();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ok(!system(command), "the tables that were written are removed");
	return tap_done();
}
