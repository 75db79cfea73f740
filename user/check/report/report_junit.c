// SPDX-License-Identifier: GPL-2.0
/* Prints one test case per event, in a format that continuous integration systems read. */
#include "check/report/report.h"

#include "lib/xml.h"

static void print_escaped(FILE *out, const char *text)
{
	_cleanup_(strbuf) struct strbuf escaped = STRBUF_INIT;

	xml_add_text(&escaped, text);
	fputs(strbuf_str(&escaped), out);
}

static void print_failure(FILE *out, const struct finding *finding)
{
	const struct rule *rule = &rules[finding->rule];

	if (rule->level == LEVEL_REMARK)
		return;
	fprintf(out, "      <failure type=\"%s\" message=\"", rule->name);
	print_escaped(out, finding->message);
	fputs("\">", out);
	if (finding->detail)
		print_escaped(out, finding->detail);
	print_escaped(out, rule->why);
	fputs("\nInstead: ", out);
	print_escaped(out, finding->instead ? finding->instead : rule->instead);
	fputs("</failure>\n", out);
}

/* Remarks, which are no failures, are output of the test. */
static void print_remarks(FILE *out, const struct result *result)
{
	if (result_count(result) == result->nr)
		return;
	fputs("      <system-out>", out);
	for (size_t i = 0; i < result->nr; i++) {
		const struct finding *finding = &result->items[i];

		if (rules[finding->rule].level != LEVEL_REMARK)
			continue;
		print_escaped(out, finding->message);
		fputs("\n", out);
		if (finding->detail)
			print_escaped(out, finding->detail);
	}
	fputs("</system-out>\n", out);
}

struct error *report_junit(FILE *out, const struct results *results)
{
	size_t failed = 0;

	for (size_t i = 0; i < results->nr; i++)
		failed += result_count(results->items[i]) != 0;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"  <testsuite name=\"ktrace check\" tests=\"%zu\" failures=\"%zu\">\n",
		results->nr, failed);
	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = results->items[i];

		fputs("    <testcase classname=\"", out);
		print_escaped(out, result->system);
		fputs("\" name=\"", out);
		print_escaped(out, result->name);
		fprintf(out, "\"%s>\n", result->nr ? "" : "/");
		for (size_t j = 0; j < result->nr; j++)
			print_failure(out, &result->items[j]);
		print_remarks(out, result);
		if (result->nr)
			fputs("    </testcase>\n", out);
	}
	fputs("  </testsuite>\n</testsuites>\n", out);
	return NULL;
}
