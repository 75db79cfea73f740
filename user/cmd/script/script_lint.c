// SPDX-License-Identifier: GPL-2.0
#include "script/script_lint.h"

#include <stdlib.h>

#include "cmd/script/schema_source.h"
#include "cmd/script/script_lint.h"
#include "script/script.h"

#define STATUS_BROKEN 1

static const struct event_format *find_lint_format(const void *data, const char *system,
						   const char *name)
{
	return schema_find(data, system, name);
}

struct error *script_lint_run(const char *spec, const char *input, int *ret_status)
{
	_cleanup_(schema_source) struct schema_source source = { 0 };
	const struct script_lint_formats formats = { find_lint_format, &source.schema };
	_cleanup_free_ char *path = NULL;
	struct error *err;
	size_t broken;

	err = script_find(spec, &path);
	if (!err)
		err = schema_source_open(input ? input : "live", &source);
	if (!err)
		err = script_lint(path, &formats, stdout, &broken);
	if (err)
		return err;
	if (!broken)
		printf("%s: every handler finds its event and its fields\n", path);
	*ret_status = broken ? STATUS_BROKEN : 0;
	return NULL;
}
