// SPDX-License-Identifier: GPL-2.0
#include "check/lint/lint.h"

struct error *lint(struct results *results, struct result *result,
		   const struct class_layout *layout)
{
	static void (*const groups[])(struct subject *subject) = {
		lint_print_fmt, lint_pointer, lint_mention, lint_conversion, lint_label,
		lint_symbol, lint_array, lint_parse, lint_record, lint_field,
	};
	struct subject subject;
	struct error *err;

	err = subject_init(&subject, results, result);
	for (size_t i = 0; !err && subject.format && i < sizeof(groups) / sizeof(groups[0]); i++)
		groups[i](&subject);
	if (!err && layout)
		class_layout_check(layout, &subject);
	subject_deinit(&subject);
	return err;
}
