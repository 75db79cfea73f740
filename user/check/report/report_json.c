// SPDX-License-Identifier: GPL-2.0
#include "check/report/report.h"

#include <stdlib.h>

#include "lib/json.h"

/* Write the finished part. */
static void print_made(FILE *out, struct strbuf *text)
{
	fwrite(strbuf_str(text), 1, text->len, out);
	strbuf_reset(text);
}

static void add_finding(struct json_writer *json, const struct result *result,
			const struct finding *finding)
{
	const struct rule *rule = &rules[finding->rule];
	size_t line, column;

	json_begin_object(json, NULL);
	json_add_text(json, "rule", rule->name);
	json_add_text(json, "level", rule_level_name(rule->level));
	if (finding->field)
		json_add_text(json, "field", finding->field);
	json_add_text(json, "message", finding->message);
	if (finding->cause)
		json_add_text(json, "cause", finding->cause);
	if (finding->detail)
		json_add_text(json, "detail", finding->detail);
	json_add_text(json, "why", rule->why);
	json_add_text(json, "instead", finding->instead ? finding->instead : rule->instead);
	if (finding->place != NO_PLACE) {
		place_find(result->text, finding->place, &line, &column);
		json_add_unsigned(json, "line", line);
		json_add_unsigned(json, "column", column);
	}
	if (finding->line)
		json_add_unsigned(json, "source_line", finding->line);
	json_end_object(json);
}

static void add_json_cost(struct json_writer *json, const char *name, const struct cost *cost)
{
	json_begin_object(json, name);
	if (cost->is_known)
		json_add_double(json, "ns", cost->ns);
	else
		json_add_null(json, "ns");
	json_add_double(json, "noise", cost->noise);
	json_end_object(json);
}

static void add_costs(struct json_writer *json, const struct costs *costs)
{
	json_begin_array(json, "costs");
	for (size_t i = 0; i < costs->nr; i++) {
		const struct cost_row *row = &costs->items[i];

		json_begin_object(json, NULL);
		json_add_text(json, "event", row->event);
		json_add_text(json, "way", row->way);
		if (row->why) {
			json_add_text(json, "unknown", row->why);
		} else {
			json_add_double(json, "firings", row->firings);
			add_json_cost(json, "recorded", &row->recorded);
			add_json_cost(json, "rejected", &row->rejected);
			json_add_double(json, "bytes", row->bytes);
		}
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_json_event(struct json_writer *json, const struct result *result)
{
	json_begin_object(json, NULL);
	json_add_text(json, "system", result->system);
	json_add_text(json, "name", result->name);
	json_add_text(json, "format", result->path);
	if (result->source) {
		json_add_text(json, "source", result->source);
		json_add_unsigned(json, "line", result->line);
	}
	json_begin_array(json, "findings");
	for (size_t i = 0; i < result->nr; i++)
		add_finding(json, result, &result->items[i]);
	json_end_array(json);
	json_end_object(json);
}

struct error *report_json(FILE *out, const struct results *results)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };

	json_begin_object(&json, NULL);
	json_add_unsigned(&json, "findings", results_count(results));
	json_begin_array(&json, "events");
	for (size_t i = 0; i < results->nr; i++) {
		add_json_event(&json, results->items[i]);
		print_made(out, &text);
	}
	json_end_array(&json);
	if (results->costs.nr)
		add_costs(&json, &results->costs);
	json_end_object(&json);
	json_end(&json);
	print_made(out, &text);
	return text.failed ? &error_no_memory : NULL;
}

/* Add a { "text": ... }, into which SARIF wraps every text. */
static void add_json_message(struct json_writer *json, const char *name, const char *text)
{
	json_begin_object(json, name);
	json_add_text(json, "text", text);
	json_end_object(json);
}

/* Remarks, which are no failures, have the level "none" there. */
static void add_sarif_level(struct json_writer *json, const struct rule *rule)
{
	json_add_text(json, "level",
		      rule->level == LEVEL_REMARK ? "none" : rule_level_name(rule->level));
}

static void add_rule(struct json_writer *json, const struct rule *rule)
{
	json_begin_object(json, NULL);
	json_add_text(json, "id", rule->name);
	add_json_message(json, "shortDescription", rule->finds);
	add_json_message(json, "fullDescription", rule->why);
	add_json_message(json, "help", rule->instead);
	json_begin_object(json, "defaultConfiguration");
	add_sarif_level(json, rule);
	json_end_object(json);
	json_end_object(json);
}

/*
 * Add the location that tools annotate: the line of the header that the finding is about, else the
 * offset in the format.
 */
static void add_physical_location(struct json_writer *json, const struct result *result,
				  const struct finding *finding)
{
	size_t line, column;

	json_begin_object(json, "physicalLocation");
	json_begin_object(json, "artifactLocation");
	json_add_text(json, "uri", result->source ? result->source : result->path);
	if (result->source)
		json_add_text(json, "uriBaseId", "SRCROOT");
	json_end_object(json);
	if (result->source || finding->place != NO_PLACE) {
		json_begin_object(json, "region");
		if (result->source) {
			json_add_unsigned(json, "startLine",
					  finding->line ? finding->line : result->line);
		} else {
			place_find(result->text, finding->place, &line, &column);
			json_add_unsigned(json, "startLine", line);
			json_add_unsigned(json, "startColumn", column);
		}
		json_end_object(json);
	}
	json_end_object(json);
}

static void add_location(struct json_writer *json, const struct result *result,
			 const struct finding *finding)
{
	_cleanup_free_ char *name = result_name(result);

	json_begin_object(json, NULL);
	add_physical_location(json, result, finding);
	json_begin_array(json, "logicalLocations");
	json_begin_object(json, NULL);
	json_add_text(json, "fullyQualifiedName", name ? name : result->name);
	json_add_text(json, "kind", "event");
	json_end_object(json);
	json_end_array(json);
	json_end_object(json);
}

static void add_sarif_result(struct json_writer *json, const struct result *result,
			     const struct finding *finding)
{
	_cleanup_free_ char *text = NULL;

	if (finding->detail && asprintf(&text, "%s\n%s", finding->message, finding->detail) < 0)
		text = NULL;
	json_begin_object(json, NULL);
	json_add_text(json, "ruleId", rules[finding->rule].name);
	json_add_unsigned(json, "ruleIndex", finding->rule);
	add_sarif_level(json, &rules[finding->rule]);
	if (rules[finding->rule].level == LEVEL_REMARK)
		json_add_text(json, "kind", "informational");
	add_json_message(json, "message", text ? text : finding->message);
	json_begin_array(json, "locations");
	add_location(json, result, finding);
	json_end_array(json);
	json_end_object(json);
}

static void add_tool(struct json_writer *json)
{
	json_begin_object(json, "tool");
	json_begin_object(json, "driver");
	json_add_text(json, "name", "ktrace check");
	json_add_text(json, "version", KTRACE_VERSION);
	json_begin_array(json, "rules");
	for (size_t i = 0; i < RULES_NR; i++)
		add_rule(json, &rules[i]);
	json_end_array(json);
	json_end_object(json);
	json_end_object(json);
}

static void add_source_root(struct json_writer *json, const char *folder)
{
	_cleanup_(strbuf) struct strbuf uri = STRBUF_INIT;

	strbuf_addf(&uri, "file://%s/", folder);
	json_begin_object(json, "originalUriBaseIds");
	json_begin_object(json, "SRCROOT");
	json_add_text(json, "uri", strbuf_str(&uri));
	json_end_object(json);
	json_end_object(json);
}

struct error *report_sarif(FILE *out, const struct results *results)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };

	json_begin_object(&json, NULL);
	json_add_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_add_text(&json, "version", "2.1.0");
	json_begin_array(&json, "runs");
	json_begin_object(&json, NULL);
	add_tool(&json);
	if (results->source_root)
		add_source_root(&json, results->source_root);
	json_begin_array(&json, "results");
	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = results->items[i];

		for (size_t j = 0; j < result->nr; j++)
			add_sarif_result(&json, result, &result->items[j]);
		print_made(out, &text);
	}
	json_end_array(&json);
	json_end_object(&json);
	json_end_array(&json);
	json_end_object(&json);
	json_end(&json);
	print_made(out, &text);
	return text.failed ? &error_no_memory : NULL;
}
