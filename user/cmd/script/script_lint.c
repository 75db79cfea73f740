// SPDX-License-Identifier: GPL-2.0
#include "script/script_lint.h"

#include <stdlib.h>

#include "cmd/script/schema_source.h"
#include "cmd/script/script_lint.h"
#include "script/script.h"
#include "terminal/word_list.h"

#define STATUS_BROKEN 1

static const struct event_format *find_lint_format(const void *data, const char *system,
						   const char *name)
{
	return schema_find(data, system, name);
}

static const struct event_format *find_lint_near(const void *data, const char *handler)
{
	_cleanup_(strbuf) struct strbuf best = STRBUF_INIT, name = STRBUF_INIT;
	const struct event_format *found = NULL;
	const struct schema *schema = data;

	for (size_t i = 0; i < schema->nr; i++) {
		const struct event_format *format = schema->items[i].format;
		struct strbuf nearer;

		name.len = 0;
		strbuf_addf(&name, "%s__%s", format->system, format->name);
		if (name.failed || word_nearer(handler, best.data, name.data) != name.data)
			continue;
		found = format;
		nearer = name;
		name = best;
		best = nearer;
	}
	return found;
}

struct error *script_lint_run(const char *spec, const char *input, int *ret_status)
{
	_cleanup_(schema_source) struct schema_source source = { 0 };
	const struct script_lint_formats formats = { find_lint_format, find_lint_near,
						     &source.schema };
	_cleanup_free_ char *path = NULL;
	struct script_lint_counts counts;
	struct error *err;

	err = script_find(spec, &path);
	if (!err)
		err = schema_source_open(input ? input : "live", &source);
	if (!err)
		err = script_lint(path, &formats, stdout, &counts);
	if (err)
		return err;
	if (!counts.handlers)
		printf("%s has no handlers\n", path);
	else if (!counts.broken)
		printf("%s: every handler finds its event and its fields\n", path);
	*ret_status = counts.broken ? STATUS_BROKEN : 0;
	return NULL;
}
