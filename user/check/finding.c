// SPDX-License-Identifier: GPL-2.0
#include "check/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "terminal/word_list.h"

const struct rule rules[RULES_NR] = {
#define RULE(id, name, level, finds, why, instead) \
	[RULE_##id] = { name, LEVEL_##level, finds, why, instead },
#include "check/rules.def"
#undef RULE
};

const char *rule_level_name(enum rule_level level)
{
	static const char *const names[] = {
		[LEVEL_ERROR] = "error", [LEVEL_WARNING] = "warning", [LEVEL_NOTE] = "note",
		[LEVEL_REMARK] = "remark",
	};

	return names[level];
}

void rules_add_names(struct strbuf *out)
{
	word_add_names(WORDS(rules), ", ", out);
}

static struct error *suppress(struct suppressed *suppressed, const char *name)
{
	unsigned int row = word_find(WORDS(rules), name);
	const char *near = word_nearest(WORDS(rules), name);
	struct error *err;

	if (row != WORD_NONE) {
		suppressed->rule[row] = true;
		return NULL;
	}
	err = error_new(EINVAL, "'%s' is not a rule of check", name);
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace check --rules' lists them",
				  near);
	return error_hint(err, "'ktrace check --rules' lists them");
}

struct error *suppressed_add(struct suppressed *suppressed, const char *list)
{
	struct error *err = NULL;

	while (!err) {
		size_t len = strcspn(list, ",");
		_cleanup_free_ char *name = strndup(list, len);

		if (!name)
			return &error_no_memory;
		err = suppress(suppressed, name);
		if (!list[len])
			break;
		list += len + 1;
	}
	return err;
}

static void finding_deinit(struct finding *finding)
{
	free(finding->field);
	free(finding->message);
	free(finding->instead);
	free(finding->detail);
	free(finding->excerpt);
}

static void result_destroy(struct result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->nr; i++)
		finding_deinit(&result->items[i]);
	free(result->items);
	free(result->system);
	free(result->name);
	free(result->text);
	free(result->path);
	free(result->source);
	free(result);
}

void results_deinit(struct results *results)
{
	for (size_t i = 0; i < results->nr; i++)
		result_destroy(results->items[i]);
	free(results->items);
	free(results->source_root);
	strbuf_deinit(&results->notes);
	costs_deinit(&results->costs);
	*results = (struct results){ 0 };
}

size_t result_count(const struct result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < result->nr; i++)
		count += rules[result->items[i].rule].level != LEVEL_REMARK;
	return count;
}

size_t results_count(const struct results *results)
{
	size_t count = 0;

	for (size_t i = 0; i < results->nr; i++)
		count += result_count(results->items[i]);
	return count;
}

struct result *results_add(struct results *results, const char *system, const char *name,
			   const char *path, const char *text, size_t len)
{
	struct result *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	result->system = strdup(system);
	result->name = strdup(name);
	result->path = strdup(path);
	result->text = strndup(text, len);
	if (!result->system || !result->name || !result->path || !result->text ||
	    !array_push(results, result)) {
		result_destroy(result);
		return NULL;
	}
	return result;
}

char *result_name(const struct result *result)
{
	char *name;

	return asprintf(&name, "%s:%s", result->system, result->name) < 0 ? NULL : name;
}

void finding_add(struct results *results, struct result *result, enum rule_id rule,
		 const char *field, size_t place, const char *fmt, ...)
{
	struct finding finding = { .rule = rule, .place = place };
	va_list ap;

	result->met[rule] = true;
	if (results->suppressed.rule[rule])
		return;
	va_start(ap, fmt);
	if (vasprintf(&finding.message, fmt, ap) < 0)
		finding.message = NULL;
	va_end(ap);
	finding.field = field ? strdup(field) : NULL;
	if (!finding.message || !array_push(result, finding)) {
		free(finding.message);
		free(finding.field);
		results->failed = true;
	}
}

void findings_remove(struct result *result, enum rule_id rule)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->nr; i++) {
		if (result->items[i].rule == rule)
			finding_deinit(&result->items[i]);
		else
			result->items[kept++] = result->items[i];
	}
	result->nr = kept;
}

/* The finding of @rule that was added last; NULL: it was suppressed. */
static struct finding *last_of(struct result *result, enum rule_id rule)
{
	struct finding *last = result->nr ? &result->items[result->nr - 1] : NULL;

	return last && last->rule == rule ? last : NULL;
}

void finding_detail(struct result *result, enum rule_id rule, const char *detail)
{
	struct finding *last = last_of(result, rule);

	if (last && !last->detail)
		last->detail = strdup(detail);
}

void finding_source(struct results *results, struct result *result, enum rule_id rule, size_t line,
		    const char *excerpt)
{
	struct finding *last = last_of(result, rule);

	if (!last || last->line)
		return;
	last->line = line;
	last->excerpt = strdup(excerpt);
	results->failed |= !last->excerpt;
}

void finding_cause(struct result *result, enum rule_id rule, const char *cause)
{
	struct finding *last = last_of(result, rule);

	if (last)
		last->cause = cause;
}

void finding_saves(struct result *result, enum rule_id rule, size_t bytes)
{
	struct finding *last = last_of(result, rule);

	if (last)
		last->saves = bytes;
}

void finding_add_rate(struct results *results, struct result *result, double per_second)
{
	for (size_t i = 0; i < result->nr; i++) {
		struct finding *finding = &result->items[i];
		char *message;

		if (!finding->saves)
			continue;
		if (asprintf(&message, "%s; it saves %.1f kB/s at the %.0f records a second of "
			     "this command", finding->message, finding->saves * per_second / 1000,
			     per_second) < 0) {
			results->failed = true;
			return;
		}
		free(finding->message);
		finding->message = message;
		finding->saves = 0;
	}
}

void finding_instead(struct result *result, enum rule_id rule, const char *fmt, ...)
{
	struct finding *last = last_of(result, rule);
	va_list ap;

	if (!last || last->instead)
		return;
	va_start(ap, fmt);
	if (vasprintf(&last->instead, fmt, ap) < 0)
		last->instead = NULL;
	va_end(ap);
}

void place_find(const char *text, size_t place, size_t *ret_line, size_t *ret_column)
{
	*ret_line = *ret_column = 1;
	for (size_t i = 0; i < place && text[i]; i++) {
		++*ret_column;
		if (text[i] == '\n') {
			++*ret_line;
			*ret_column = 1;
		}
	}
}
