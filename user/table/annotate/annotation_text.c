// SPDX-License-Identifier: GPL-2.0
#include "table/annotate/annotation_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"

/* Lines of source with a smaller percentage are left out of the summary, as in perf. */
#define SUMMARY_MIN	0.5

/* So many bytes of an instruction are shown in a column; longer ones move the text. */
#define RAW_BYTES	8

struct annotation_text {
	const struct annotation *a;
	const struct sample_count *totals;
	const struct annotation_text_options *options;
	const char *file;	/* of the function's own source; NULL: unknown */
	int address_width;
	struct strbuf *out;
};

static size_t column_width(const struct annotation_text *t)
{
	return t->options->number == ANNOTATION_PERIOD ? 12 : 8;
}

static double percent_of(const struct annotation_text *t, const struct sample_count *counts,
			 size_t column)
{
	return annotation_percent(&t->options->percent, &counts[column], &t->a->totals[column],
				  &t->totals[column]);
}

static void add_sample_numbers(const struct annotation_text *t, const struct sample_count *counts)
{
	for (size_t i = 0; i < t->a->columns; i++) {
		double percent = percent_of(t, counts, i);
		enum color_role role = color_of_percent(percent);

		strbuf_addstr(t->out, color_on(role));
		if (t->options->number == ANNOTATION_PERIOD)
			strbuf_addf(t->out, " %11" PRIu64, counts[i].period);
		else if (t->options->number == ANNOTATION_SAMPLES)
			strbuf_addf(t->out, " %7" PRIu64, counts[i].samples);
		else
			strbuf_addf(t->out, " %7.2f", percent);
		strbuf_addstr(t->out, color_off(role));
	}
}

static const char *shown_path(const struct annotation_text *t, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !t->options->full_paths ? slash + 1 : path;
}

/* Append foreign text, escaped so that it stays on its line. */
static void annotation_text_add_name(const struct annotation_text *t, const char *text)
{
	size_t from = t->out->len;

	strbuf_addstr(t->out, text);
	escape_line_ends(t->out, from);
}

static void add_repeated_dash(struct strbuf *out, size_t nr)
{
	while (nr--)
		strbuf_addch(out, '-');
	strbuf_addch(out, '\n');
}

static void annotation_text_add_head(const struct annotation_text *t, const char *events)
{
	static const char *const titles[] = {
		[ANNOTATION_PERCENT] = " Percent", [ANNOTATION_SAMPLES] = " Samples",
		[ANNOTATION_PERIOD] = " Event count",
	};
	size_t from = t->out->len, width = column_width(t) * t->a->columns;
	uint64_t samples = 0;

	for (size_t i = 0; i < t->a->columns; i++)
		samples += t->a->totals[i].samples;
	strbuf_addf(t->out, "%-*s |\tSource code & Disassembly of ", (int)width,
		    titles[t->options->number]);
	annotation_text_add_name(t, shown_path(t, t->a->function->dso->name));
	strbuf_addstr(t->out, " for ");
	annotation_text_add_name(t, events);
	strbuf_addf(t->out, " (%" PRIu64 " samples, percent: %s)\n", samples,
		    percent_type_name(&t->options->percent));
	add_repeated_dash(t->out, t->out->len - from + 4);
	strbuf_addf(t->out, "%*s : %016" PRIx64 " <", (int)width, "", t->a->code.address);
	annotation_text_add_name(t, t->a->function->symbol->name);
	strbuf_addstr(t->out, ">:\n");
}

/* The columns left of the addresses, in which arrows lead from jumps to where they go. */
static size_t arrows_width(const struct annotation_text *t)
{
	return t->options->jumps && t->a->lanes ? 2 * t->a->lanes + 1 : 0;
}

static void draw_end(char *row, size_t at, size_t width, char corner, char tip)
{
	row[at] = corner;
	for (size_t i = at + 1; i < width; i++)
		if (row[i] == ' ')
			row[i] = '-';
	row[width - 1] = tip;
}

static void add_arrows(const struct annotation_text *t, size_t line)
{
	char row[2 * sizeof(unsigned int) * 8 + 2];
	size_t width = arrows_width(t);

	if (!width || width >= sizeof(row))
		return;
	memset(row, ' ', width);
	for (size_t i = 0; i < t->a->jumps.nr; i++) {
		const struct annotation_jump *j = &t->a->jumps.items[i];
		size_t first = j->from < j->to ? j->from : j->to;
		size_t last = j->from < j->to ? j->to : j->from;

		if (line > first && line < last)
			row[2 * (t->a->lanes - 1 - j->lane)] = '|';
	}
	for (size_t i = 0; i < t->a->jumps.nr; i++) {
		const struct annotation_jump *j = &t->a->jumps.items[i];
		size_t at = 2 * (t->a->lanes - 1 - j->lane);

		if (line == j->to)
			draw_end(row, at, width, j->from < j->to ? '\\' : '/', '>');
		else if (line == j->from)
			draw_end(row, at, width, j->from < j->to ? '/' : '\\', '-');
	}
	strbuf_add(t->out, row, width);
}

static void add_raw(const struct annotation_text *t, const struct annotation_line *line)
{
	for (size_t i = 0; i < line->size || i < RAW_BYTES; i++) {
		if (i < line->size)
			strbuf_addf(t->out, "%02x ", line->bytes[i]);
		else
			strbuf_addstr(t->out, "   ");
	}
	strbuf_addch(t->out, ' ');
}

static void add_instruction_line(const struct annotation_text *t, size_t position,
				 const struct annotation_line *place)
{
	const struct annotation_line *line = &t->a->lines.items[position];
	size_t arrows = arrows_width(t);

	add_sample_numbers(t, line->counts);
	strbuf_addstr(t->out, arrows ? " : " : " :   ");
	add_arrows(t, position);
	strbuf_addf(t->out, "%*" PRIx64 ":   ", arrows ? 1 : t->address_width, line->address);
	if (t->options->raw)
		add_raw(t, line);
	annotation_text_add_name(t, line->text);
	if (t->options->print_lines && line->file && line->line &&
	    (!place || place->line != line->line || strcmp(place->file, line->file))) {
		strbuf_addstr(t->out, " // ");
		annotation_text_add_name(t, shown_path(t, line->file));
		strbuf_addf(t->out, ":%u", line->line);
	}
	strbuf_addch(t->out, '\n');
}

static void add_text_line(const struct annotation_text *t, size_t position)
{
	const struct annotation_line *line = &t->a->lines.items[position];
	const char *text = line->text;

	strbuf_add_spaces(t->out, column_width(t) * t->a->columns);
	strbuf_addstr(t->out, " : ");
	add_arrows(t, position);
	strbuf_addstr(t->out, color_on(line->kind == ANNOTATION_HEADING ? COLOR_HEADING :
				       COLOR_FAINT));
	if (line->kind == ANNOTATION_HEADING) {
		strbuf_addstr(t->out, "     ");
		annotation_text_add_name(t, text);
		strbuf_addstr(t->out, "()");
		if (line->file && t->file && strcmp(line->file, t->file)) {
			strbuf_addstr(t->out, " in ");
			annotation_text_add_name(t, shown_path(t, line->file));
		}
		strbuf_addch(t->out, ':');
	} else {
		strbuf_addf(t->out, "%-4u ", line->line);
		if (!text) {
			annotation_text_add_name(t, shown_path(t, line->file));
			strbuf_addf(t->out, ":%u", line->line);
		}
		while (text && isspace((unsigned char)*text))
			text++;
		if (text)
			annotation_text_add_name(t, text);
	}
	strbuf_addstr(t->out, color_off(line->kind == ANNOTATION_HEADING ? COLOR_HEADING :
					COLOR_FAINT));
	strbuf_addch(t->out, '\n');
}

static void annotation_text_add_summary(const struct annotation_text *t)
{
	bool any = false;

	strbuf_addstr(t->out, "\nSorted summary for file ");
	annotation_text_add_name(t, t->a->function->dso->name);
	strbuf_addstr(t->out, "\n----------------------------------------------\n\n");
	for (size_t i = 0; i < t->a->places.nr; i++) {
		const struct annotation_place *place = &t->a->places.items[i];
		double highest = 0;

		for (size_t column = 0; column < t->a->columns; column++) {
			double percent = percent_of(t, place->counts, column);

			highest = percent > highest ? percent : highest;
		}
		if (highest <= SUMMARY_MIN)
			continue;
		any = true;
		add_sample_numbers(t, place->counts);
		strbuf_addch(t->out, ' ');
		annotation_text_add_name(t, shown_path(t, place->file));
		strbuf_addf(t->out, ":%u\n", place->line);
	}
	if (!any)
		strbuf_addstr(t->out, " Nothing higher than 0.5%\n");
}

static struct annotation_text annotation_text_begin(const struct annotation *annotation,
						    const struct sample_count *totals,
						    const struct annotation_text_options *options,
						    struct strbuf *out)
{
	struct annotation_text t = { annotation, totals, options, NULL, 0, out };
	char number[24];

	t.address_width = snprintf(number, sizeof(number), "%" PRIx64, annotation->code.address +
				   annotation->code.size);
	if (annotation->lines.nr && annotation->lines.items[0].kind == ANNOTATION_HEADING)
		t.file = annotation->lines.items[0].file;
	return t;
}

void annotation_text_add_line(const struct annotation *annotation, size_t position,
			      const struct sample_count *totals,
			      const struct annotation_text_options *options, struct strbuf *ret)
{
	struct annotation_text t = annotation_text_begin(annotation, totals, options, ret);

	if (annotation->lines.items[position].kind == ANNOTATION_INSTRUCTION)
		add_instruction_line(&t, position, NULL);
	else
		add_text_line(&t, position);
}

size_t annotation_text_numbers_width(const struct annotation *annotation,
				     const struct annotation_text_options *options)
{
	const struct annotation_text t = { .a = annotation, .options = options };

	return column_width(&t) * annotation->columns;
}

void annotation_text_add(const struct annotation *annotation, const char *events,
			 const struct sample_count *totals,
			 const struct annotation_text_options *options, struct strbuf *ret)
{
	struct annotation_text t = annotation_text_begin(annotation, totals, options, ret);
	const struct annotation_line *place = NULL;

	if (options->print_lines)
		annotation_text_add_summary(&t);
	annotation_text_add_head(&t, events);
	for (size_t i = 0; i < annotation->lines.nr; i++) {
		const struct annotation_line *line = &annotation->lines.items[i];

		if (line->kind != ANNOTATION_INSTRUCTION) {
			add_text_line(&t, i);
			continue;
		}
		add_instruction_line(&t, i, place);
		if (line->file && line->line)
			place = line;
	}
	strbuf_addch(ret, '\n');
}
