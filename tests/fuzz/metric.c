// SPDX-License-Identifier: GPL-2.0
/* Expressions of metrics, and files of metrics. */
#include "fuzz.h"

#include <math.h>

#include "spec/metric_expr.h"
#include "spec/metrics/metric_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	return 0;
}

static double value_of(void *data, const char *name)
{
	return name[0] == 'x' ? NAN : (double)strlen(name) * 1e18 - 3e18;
}

static bool has_event(void *data, const char *name)
{
	return name[0] == 'x';
}

static struct error *see_name(void *data, const char *name)
{
	size_t *nr = data;

	*nr += strlen(name);
	return NULL;
}

static void evaluate(const char *text)
{
	size_t nr = 0;
	const struct metric_names names = { value_of, value_of, has_event, &nr };
	struct metric_expr *expr = NULL;
	struct error *err = metric_expr_parse(text, &expr);

	if (!err) {
		metric_expr_value(expr, &names);
		err = metric_expr_each_name(expr, &names, see_name);
	}
	error_free(err);
	metric_expr_destroy(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = text_of(data, size);
	_cleanup_(metrics) struct metrics metrics = { 0 };

	evaluate(text);
	error_free(metric_file_parse("the file", text, size, &metrics));
	for (size_t i = 0; i < metrics.nr; i++) {
		if (!metrics.items[i].name || !metrics.items[i].expr)
			continue;
		evaluate(metrics.items[i].expr);
		metric_in_group(&metrics.items[i], "MPKI");
	}
	return 0;
}
