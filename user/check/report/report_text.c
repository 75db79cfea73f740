// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "check/report/report.h"
#include "lib/color.h"
#include "terminal/terminal.h"

void report_lines(FILE *out, const char *text, const char *before)
{
	for (size_t len; text && *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, "\n");
		fprintf(out, "%s%.*s\n", before, (int)len, text);
	}
}

/* The shown width of a long line, and the part of it before the offset. */
#define EXCERPT_WIDTH 76
#define EXCERPT_BEFORE 40

/* The columns beside the excerpt: where it is indented, and "..." on both sides. */
#define EXCERPT_MARGINS 10

static const enum color_role level_colors[] = {
	[LEVEL_ERROR] = COLOR_ERROR, [LEVEL_WARNING] = COLOR_WARNING, [LEVEL_NOTE] = COLOR_NOTE,
	[LEVEL_REMARK] = COLOR_NOTE,
};

/* Print the line of the format with a caret under the offset. */
static void print_place(FILE *out, const char *text, size_t place)
{
	size_t begin = place, end = place, cut_left, cut_right, columns = terminal_columns();
	size_t width = columns && columns < EXCERPT_WIDTH + EXCERPT_MARGINS ?
		columns - EXCERPT_MARGINS : EXCERPT_WIDTH;

	while (begin && text[begin - 1] != '\n')
		begin--;
	while (text[end] && text[end] != '\n')
		end++;
	while (begin < place && isspace((unsigned char)text[begin]))
		begin++;
	cut_left = place - begin > EXCERPT_BEFORE && end - begin > width ?
		place - EXCERPT_BEFORE : begin;
	cut_right = end - cut_left > width ? cut_left + width : end;
	fprintf(out, "    %s", cut_left > begin ? "..." : "");
	for (size_t i = cut_left; i < cut_right; i++)
		fputc(isprint((unsigned char)text[i]) ? text[i] : ' ', out);
	fprintf(out, "%s\n    %*s%s^%s\n", cut_right < end ? "..." : "",
		(int)(place - cut_left) + (cut_left > begin ? 3 : 0), "", color_on(COLOR_MATCH),
		color_off(COLOR_MATCH));
}

/* Print a line that is broken between words on a terminal. */
static void print_sentence(FILE *out, const char *before, const char *text, const char *after)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT, whole = STRBUF_INIT;

	strbuf_addf(&line, "%s%s", text, after);
	terminal_add_wrapped(&whole, strbuf_str(&line), terminal_width(before), 4,
			     terminal_columns());
	fprintf(out, "%s%s\n", before, strbuf_str(&whole));
}

/* Print the header and the line that a finding is about, cut to the terminal. */
static void report_source(FILE *out, const struct result *result, const struct finding *finding)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t columns = terminal_columns();

	strbuf_addf(&text, "    Source: %s:%zu", result->source,
		    finding->line ? finding->line : result->line);
	if (finding->excerpt && *finding->excerpt)
		strbuf_addf(&text, ": %s", finding->excerpt);
	fprintf(out, "%.*s%s\n", columns && text.len > columns ? (int)columns - 3 : (int)text.len,
		strbuf_str(&text), columns && text.len > columns ? "..." : "");
}

static void print_finding(FILE *out, const struct result *result, const struct finding *finding,
			  bool *explained)
{
	_cleanup_(strbuf) struct strbuf head = STRBUF_INIT, name = STRBUF_INIT;
	const struct rule *rule = &rules[finding->rule];
	enum color_role color = level_colors[rule->level];

	strbuf_addf(&head, "%s%s:%s:%s %s%s:%s ", color_on(COLOR_HEADING), result->system,
		    result->name, color_off(COLOR_HEADING), color_on(color),
		    rule_level_name(rule->level), color_off(color));
	strbuf_addf(&name, " [%s]", rule->name);
	print_sentence(out, strbuf_str(&head), finding->message, strbuf_str(&name));
	if (finding->place != NO_PLACE)
		print_place(out, result->text, finding->place);
	report_lines(out, finding->detail, "    ");
	if (result->source)
		report_source(out, result, finding);
	if (!explained[finding->rule])
		print_sentence(out, "    Why: ", rule->why, "");
	if (finding->instead || !explained[finding->rule])
		print_sentence(out, "    Instead: ",
			       finding->instead ? finding->instead : rule->instead, ".");
	explained[finding->rule] = true;
}

struct error *report_text(FILE *out, const struct results *results)
{
	bool explained[RULES_NR] = { false };
	_cleanup_(strbuf) struct strbuf sum = STRBUF_INIT;
	size_t levels[LEVELS_NR] = { 0 }, events = 0;

	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = results->items[i];

		events += result_count(result) != 0;
		for (size_t j = 0; j < result->nr; j++) {
			print_finding(out, result, &result->items[j], explained);
			levels[rules[result->items[j].rule].level]++;
		}
	}
	report_lines(out, strbuf_str(&results->notes), "");
	strbuf_addf(&sum, "%zu event%s checked", results->nr, results->nr == 1 ? "" : "s");
	if (results->compared)
		strbuf_addf(&sum, ", %zu of them against BTF", results->compared);
	if (!events)
		strbuf_addstr(&sum, ": no findings");
	else
		strbuf_addf(&sum, ": %zu error%s, %zu warning%s, %zu note%s in %zu of them",
			    levels[0], levels[0] == 1 ? "" : "s", levels[1],
			    levels[1] == 1 ? "" : "s", levels[2], levels[2] == 1 ? "" : "s",
			    events);
	if (levels[LEVEL_REMARK])
		strbuf_addf(&sum, ", %zu remark%s", levels[LEVEL_REMARK],
			    levels[LEVEL_REMARK] == 1 ? "" : "s");
	print_sentence(out, "", strbuf_str(&sum), "");
	return NULL;
}

void report_rules(FILE *out)
{
	for (size_t i = 0; i < RULES_NR; i++) {
		const struct rule *rule = &rules[i];
		enum color_role color = level_colors[rule->level];

		_cleanup_(strbuf) struct strbuf head = STRBUF_INIT;

		strbuf_addf(&head, "%s%s%s (%s%s%s): ", color_on(COLOR_HEADING), rule->name,
			    color_off(COLOR_HEADING), color_on(color),
			    rule_level_name(rule->level), color_off(color));
		if (i)
			fputc('\n', out);
		print_sentence(out, strbuf_str(&head), rule->finds, "");
		print_sentence(out, "    Why: ", rule->why, "");
		print_sentence(out, "    Instead: ", rule->instead, ".");
	}
}
