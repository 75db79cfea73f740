// SPDX-License-Identifier: GPL-2.0
#include "check/report.h"

#include <json-c/json.h>
#include <stdlib.h>

static void add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, json_object_new_string(text));
}

static void add_number(struct json_object *object, const char *name, size_t number)
{
	json_object_object_add(object, name, json_object_new_uint64(number));
}

static struct error *print(FILE *out, struct json_object *root)
{
	const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_SPACED |
							  JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(root);
	return text ? NULL : &error_no_memory;
}

static struct json_object *make_finding(const struct result *result,
					const struct finding *finding)
{
	const struct rule *rule = &rules[finding->rule];
	struct json_object *object = json_object_new_object();
	size_t line, column;

	add_text(object, "rule", rule->name);
	add_text(object, "level", rule_level_name(rule->level));
	if (finding->field)
		add_text(object, "field", finding->field);
	add_text(object, "message", finding->message);
	if (finding->detail)
		add_text(object, "detail", finding->detail);
	add_text(object, "why", rule->why);
	add_text(object, "instead", finding->instead ? finding->instead : rule->instead);
	if (finding->place != NO_PLACE) {
		place_find(result->text, finding->place, &line, &column);
		add_number(object, "line", line);
		add_number(object, "column", column);
	}
	return object;
}

static void add_cost(struct json_object *object, const char *name, const struct cost *cost)
{
	struct json_object *value = json_object_new_object();

	json_object_object_add(value, "ns", cost->is_known ? json_object_new_double(cost->ns) : NULL);
	json_object_object_add(value, "noise", json_object_new_double(cost->noise));
	json_object_object_add(object, name, value);
}

static struct json_object *make_costs(const struct costs *costs)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < costs->nr; i++) {
		const struct cost_row *row = &costs->items[i];
		struct json_object *object = json_object_new_object();

		add_text(object, "event", row->event);
		add_text(object, "way", row->way);
		if (row->why) {
			add_text(object, "unknown", row->why);
		} else {
			json_object_object_add(object, "firings",
					       json_object_new_double(row->firings));
			add_cost(object, "recorded", &row->recorded);
			add_cost(object, "rejected", &row->rejected);
			json_object_object_add(object, "bytes",
					       json_object_new_double(row->bytes));
		}
		json_object_array_add(array, object);
	}
	return array;
}

struct error *report_json(FILE *out, const struct results *results)
{
	struct json_object *root = json_object_new_object();
	struct json_object *events = json_object_new_array();

	add_number(root, "findings", results_count(results));
	json_object_object_add(root, "events", events);
	if (results->costs.nr)
		json_object_object_add(root, "costs", make_costs(&results->costs));
	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = results->items[i];
		struct json_object *event = json_object_new_object();
		struct json_object *findings = json_object_new_array();

		add_text(event, "system", result->system);
		add_text(event, "name", result->name);
		add_text(event, "format", result->path);
		if (result->source) {
			add_text(event, "source", result->source);
			add_number(event, "line", result->line);
		}
		for (size_t j = 0; j < result->nr; j++)
			json_object_array_add(findings, make_finding(result, &result->items[j]));
		json_object_object_add(event, "findings", findings);
		json_object_array_add(events, event);
	}
	return print(out, root);
}

/* Add a { "text": ... }, into which SARIF wraps every text. */
static void add_message(struct json_object *object, const char *name, const char *text)
{
	struct json_object *message = json_object_new_object();

	add_text(message, "text", text);
	json_object_object_add(object, name, message);
}

static struct json_object *make_rule(const struct rule *rule)
{
	struct json_object *object = json_object_new_object();
	struct json_object *configuration = json_object_new_object();

	add_text(object, "id", rule->name);
	add_message(object, "shortDescription", rule->finds);
	add_message(object, "fullDescription", rule->why);
	add_message(object, "help", rule->instead);
	add_text(configuration, "level", rule_level_name(rule->level));
	json_object_object_add(object, "defaultConfiguration", configuration);
	return object;
}

/*
 * Make the place that tools annotate: the line that defines the event, else the place in its
 * format.
 */
static struct json_object *make_physical(const struct result *result,
					 const struct finding *finding)
{
	struct json_object *physical = json_object_new_object();
	struct json_object *artifact = json_object_new_object();
	struct json_object *region = json_object_new_object();
	size_t line, column;

	add_text(artifact, "uri", result->source ? result->source : result->path);
	if (result->source)
		add_text(artifact, "uriBaseId", "SRCROOT");
	json_object_object_add(physical, "artifactLocation", artifact);
	if (result->source) {
		add_number(region, "startLine", result->line);
	} else if (finding->place != NO_PLACE) {
		place_find(result->text, finding->place, &line, &column);
		add_number(region, "startLine", line);
		add_number(region, "startColumn", column);
	}
	if (json_object_object_length(region))
		json_object_object_add(physical, "region", region);
	else
		json_object_put(region);
	return physical;
}

static struct json_object *make_location(const struct result *result,
					 const struct finding *finding)
{
	struct json_object *location = json_object_new_object();
	struct json_object *logical = json_object_new_object();
	struct json_object *logicals = json_object_new_array();
	_cleanup_free_ char *name = result_name(result);

	json_object_object_add(location, "physicalLocation", make_physical(result, finding));
	add_text(logical, "fullyQualifiedName", name ? name : result->name);
	add_text(logical, "kind", "event");
	json_object_array_add(logicals, logical);
	json_object_object_add(location, "logicalLocations", logicals);
	return location;
}

static struct json_object *make_result(const struct result *result,
				       const struct finding *finding)
{
	struct json_object *object = json_object_new_object();
	struct json_object *locations = json_object_new_array();
	_cleanup_free_ char *text = NULL;

	add_text(object, "ruleId", rules[finding->rule].name);
	add_number(object, "ruleIndex", finding->rule);
	add_text(object, "level", rule_level_name(rules[finding->rule].level));
	if (finding->detail && asprintf(&text, "%s\n%s", finding->message, finding->detail) < 0)
		text = NULL;
	add_message(object, "message", text ? text : finding->message);
	json_object_array_add(locations, make_location(result, finding));
	json_object_object_add(object, "locations", locations);
	return object;
}

static struct json_object *make_root(const char *folder)
{
	struct json_object *bases = json_object_new_object();
	struct json_object *base = json_object_new_object();
	_cleanup_(strbuf) struct strbuf uri = STRBUF_INIT;

	strbuf_addf(&uri, "file://%s/", folder);
	add_text(base, "uri", strbuf_str(&uri));
	json_object_object_add(bases, "SRCROOT", base);
	return bases;
}

struct error *report_sarif(FILE *out, const struct results *results)
{
	struct json_object *root = json_object_new_object();
	struct json_object *runs = json_object_new_array();
	struct json_object *run = json_object_new_object();
	struct json_object *tool = json_object_new_object();
	struct json_object *driver = json_object_new_object();
	struct json_object *described = json_object_new_array();
	struct json_object *found = json_object_new_array();

	add_text(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	add_text(root, "version", "2.1.0");
	add_text(driver, "name", "ktrace check");
	add_text(driver, "version", KTRACE_VERSION);
	for (size_t i = 0; i < RULES_NR; i++)
		json_object_array_add(described, make_rule(&rules[i]));
	json_object_object_add(driver, "rules", described);
	json_object_object_add(tool, "driver", driver);
	json_object_object_add(run, "tool", tool);
	if (results->source_root)
		json_object_object_add(run, "originalUriBaseIds", make_root(results->source_root));
	for (size_t i = 0; i < results->nr; i++)
		for (size_t j = 0; j < results->items[i]->nr; j++)
			json_object_array_add(found, make_result(results->items[i],
								 &results->items[i]->items[j]));
	json_object_object_add(run, "results", found);
	json_object_array_add(runs, run);
	json_object_object_add(root, "runs", runs);
	return print(out, root);
}
