// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_text.h"

#include <inttypes.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "table/lock/lock_types.h"

static const struct {
	const char *heading;
	int width;
} lock_columns[LOCK_KEYS] = {
	[LOCK_ACQUIRED] = { "acquired", 10 }, [LOCK_CONTENDED] = { "contended", 10 },
	[LOCK_AVG_WAIT] = { "avg wait", 12 }, [LOCK_WAIT_TOTAL] = { "total wait", 12 },
	[LOCK_WAIT_MAX] = { "max wait", 12 }, [LOCK_WAIT_MIN] = { "min wait", 12 },
};

/* As perf prints times, whose numbers have the precision of a float. */
static void lock_add_time(uint64_t ns, int width, struct strbuf *out)
{
	static const struct {
		float ns;
		const char *name;
	} units[] = {
		{ 3600e9, "h " }, { 60e9, "m " }, { 1e9, "s " }, { 1e6, "ms" }, { 1e3, "us" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ns < units[i].ns)
			continue;
		strbuf_addf(out, "%*.2f %s", width - 3, (double)(ns / units[i].ns), units[i].name);
		return;
	}
	strbuf_addf(out, "%*" PRIu64 " ns", width - 3, ns);
}

static void lock_add_columns(const struct lock_text *text, const struct lock_row *row,
			     struct strbuf *out)
{
	for (size_t i = 0; i < text->nr_keys; i++) {
		enum lock_key key = text->keys[i];
		int width = lock_columns[key].width;

		if (!row)
			strbuf_addf(out, "%*s", width, lock_columns[key].heading);
		else if (key == LOCK_ACQUIRED || key == LOCK_CONTENDED)
			strbuf_addf(out, "%*" PRIu64, width, lock_row_value(row, key));
		else
			lock_add_time(lock_row_value(row, key), width, out);
		strbuf_addch(out, ' ');
	}
}

static void lock_add_name(const char *name, struct strbuf *out)
{
	size_t begin = out->len;

	strbuf_addstr(out, name);
	escape_line_ends(out, begin);
}

static void lock_add_stack(const struct lock_text *text, const struct lock_row *row,
			   struct strbuf *out)
{
	for (size_t i = 0; i < row->nr_frames; i++) {
		uint64_t ip = text->locks->frames.items[row->first_frame + i];
		struct place place;

		strbuf_addf(out, "\t\t\t%#" PRIx64 "  ", ip);
		machine_find(text->stacks, NULL, PERF_RECORD_MISC_KERNEL, ip, &place);
		if (place.symbol) {
			lock_add_name(place.symbol->name, out);
			if (place.offset)
				strbuf_addf(out, "+%#" PRIx64, place.offset);
		}
		strbuf_addch(out, '\n');
	}
}

static void lock_add_contention(const struct lock_text *text, const struct lock_row *row,
				struct strbuf *out)
{
	lock_add_columns(text, row, out);
	if (text->by == LOCK_BY_TASK || text->by == LOCK_BY_OWNER)
		strbuf_addf(out, "  %10" PRId32 "   ", (int32_t)row->key);
	else if (text->by == LOCK_BY_CALLER)
		strbuf_addf(out, "  %10s   ", lock_type(row->flags, false));
	else
		strbuf_addf(out, "  %016" PRIx64 "   ", row->key);
	lock_add_name(row->name, out);
	if (text->by == LOCK_BY_ADDRESS)
		strbuf_addf(out, " (%s)", lock_type(row->flags, true));
	strbuf_addch(out, '\n');
	if ((text->by == LOCK_BY_CALLER || text->by == LOCK_BY_OWNER) && text->stacks)
		lock_add_stack(text, row, out);
}

void lock_contention_text_add(const struct lock_text *text, struct strbuf *out)
{
	static const char *const headings[] = {
		[LOCK_BY_CALLER] = "        type   caller", [LOCK_BY_TASK] = "         pid   comm",
		[LOCK_BY_ADDRESS] = "           address   symbol",
		[LOCK_BY_OWNER] = "         pid   owner",
	};
	size_t shown = 0;

	lock_add_columns(text, NULL, out);
	strbuf_addf(out, "%s\n\n", headings[text->by]);
	for (size_t i = 0; i < text->locks->rows.nr && shown < text->entries; i++) {
		const struct lock_row *row = &text->locks->rows.items[i];

		if (!row->total)
			continue;
		lock_add_contention(text, row, out);
		shown++;
	}
}

void lock_report_text_add(const struct lock_text *text, struct strbuf *out)
{
	size_t shown = 0;

	strbuf_addf(out, "%20s ", "Name");
	lock_add_columns(text, NULL, out);
	strbuf_addstr(out, "\n\n");
	for (size_t i = 0; i < text->locks->rows.nr && shown < text->entries; i++) {
		const struct lock_row *row = &text->locks->rows.items[i];
		size_t begin = out->len;

		if (!row->acquired)
			continue;
		if (strlen(row->name) < 20)
			strbuf_addf(out, "%20s", row->name);
		else
			strbuf_addf(out, " %.16s...", row->name);
		escape_line_ends(out, begin);
		strbuf_addch(out, ' ');
		lock_add_columns(text, row, out);
		strbuf_addch(out, '\n');
		shown++;
	}
}

void lock_threads_text_add(const struct lock_contention *locks, struct strbuf *out)
{
	strbuf_addf(out, "%10s: comm\n", "Thread ID");
	for (size_t i = 0; i < locks->tasks.nr; i++) {
		strbuf_addf(out, "%10" PRId32 ": ", locks->tasks.items[i].tid);
		lock_add_name(locks->tasks.items[i].comm, out);
		strbuf_addch(out, '\n');
	}
}

void lock_map_text_add(const struct lock_contention *locks, struct strbuf *out)
{
	strbuf_addstr(out, "Address of instance: name of class\n");
	for (size_t i = 0; i < locks->rows.nr; i++) {
		strbuf_addf(out, " %#" PRIx64 ": ", locks->rows.items[i].key);
		lock_add_name(locks->rows.items[i].name, out);
		strbuf_addch(out, '\n');
	}
}
