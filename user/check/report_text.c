// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "check/report.h"
#include "lib/color.h"

/* The width that is shown of a long line, and how much of that lies before the place. */
#define EXCERPT_WIDTH 76
#define EXCERPT_BEFORE 40

static const enum color_role level_colors[] = {
	[LEVEL_ERROR] = COLOR_ERROR, [LEVEL_WARNING] = COLOR_WARNING, [LEVEL_NOTE] = COLOR_NOTE,
};

/* Print the line of the format with a caret under the place. */
static void print_place(FILE *out, const char *text, size_t place)
{
	size_t begin = place, end = place, cut_left, cut_right;

	while (begin && text[begin - 1] != '\n')
		begin--;
	while (text[end] && text[end] != '\n')
		end++;
	while (begin < place && isspace((unsigned char)text[begin]))
		begin++;
	cut_left = place - begin > EXCERPT_BEFORE && end - begin > EXCERPT_WIDTH ?
		place - EXCERPT_BEFORE : begin;
	cut_right = end - cut_left > EXCERPT_WIDTH ? cut_left + EXCERPT_WIDTH : end;
	fprintf(out, "    %s", cut_left > begin ? "..." : "");
	for (size_t i = cut_left; i < cut_right; i++)
		fputc(isprint((unsigned char)text[i]) ? text[i] : ' ', out);
	fprintf(out, "%s\n    %*s%s^%s\n", cut_right < end ? "..." : "",
		(int)(place - cut_left) + (cut_left > begin ? 3 : 0), "", color_on(COLOR_MATCH),
		color_off(COLOR_MATCH));
}

static void print_finding(FILE *out, const struct result *result, const struct finding *finding,
			  bool *explained)
{
	const struct rule *rule = &rules[finding->rule];
	enum color_role color = level_colors[rule->level];

	fprintf(out, "%s%s:%s:%s %s%s:%s %s [%s]\n", color_on(COLOR_HEADING), result->system,
		result->name, color_off(COLOR_HEADING), color_on(color),
		rule_level_name(rule->level), color_off(color), finding->message, rule->name);
	if (finding->place != NO_PLACE)
		print_place(out, result->text, finding->place);
	report_lines(out, finding->detail, "    ");
	if (result->source)
		fprintf(out, "    Source: %s:%zu\n", result->source, result->line);
	if (!explained[finding->rule])
		fprintf(out, "    Why: %s\n", rule->why);
	if (finding->instead || !explained[finding->rule])
		fprintf(out, "    Instead: %s.\n",
			finding->instead ? finding->instead : rule->instead);
	explained[finding->rule] = true;
}

struct error *report_text(FILE *out, const struct results *results)
{
	bool explained[RULES_NR] = { false };
	size_t levels[3] = { 0 }, events = 0;

	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = results->items[i];

		events += result->nr != 0;
		for (size_t j = 0; j < result->nr; j++) {
			print_finding(out, result, &result->items[j], explained);
			levels[rules[result->items[j].rule].level]++;
		}
	}
	report_lines(out, strbuf_str(&results->notes), "");
	fprintf(out, "%zu event%s checked", results->nr, results->nr == 1 ? "" : "s");
	if (results->compared)
		fprintf(out, ", %zu of them against BTF", results->compared);
	fprintf(out, ": ");
	if (!events)
		fprintf(out, "no findings\n");
	else
		fprintf(out, "%zu error%s, %zu warning%s, %zu note%s in %zu of them\n",
			levels[0], levels[0] == 1 ? "" : "s", levels[1], levels[1] == 1 ? "" : "s",
			levels[2], levels[2] == 1 ? "" : "s", events);
	return NULL;
}

void report_rules(FILE *out)
{
	for (size_t i = 0; i < RULES_NR; i++) {
		const struct rule *rule = &rules[i];
		enum color_role color = level_colors[rule->level];

		fprintf(out, "%s%s%s%s (%s%s%s): %s\n    Why: %s\n    Instead: %s.\n",
			i ? "\n" : "", color_on(COLOR_HEADING), rule->name,
			color_off(COLOR_HEADING), color_on(color), rule_level_name(rule->level),
			color_off(color), rule->finds, rule->why, rule->instead);
	}
}
