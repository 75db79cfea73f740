// SPDX-License-Identifier: GPL-2.0
/* Prints one test per event, in the format of kselftest and KUnit. */
#include <stdlib.h>

#include "check/report/report.h"

/* Whether the only finding is that the event could not be tried. */
static bool is_skipped(const struct result *result)
{
	return result->nr == 1 && result->items[0].rule == RULE_EVENT_NOT_FIRED;
}

struct error *report_ktap(FILE *out, const struct results *results)
{
	fprintf(out, "KTAP version 1\n1..%zu\n", results->nr);
	report_lines(out, strbuf_str(&results->notes), "# ");
	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = results->items[i];

		for (size_t j = 0; j < result->nr; j++) {
			const struct finding *finding = &result->items[j];

			fprintf(out, "# %s: %s: %s\n", rule_level_name(rules[finding->rule].level),
				rules[finding->rule].name, finding->message);
			report_lines(out, finding->detail, "#   ");
		}
		if (is_skipped(result))
			fprintf(out, "ok %zu %s:%s # SKIP it did not fire\n", i + 1,
				result->system, result->name);
		else
			fprintf(out, "%sok %zu %s:%s\n", result_count(result) ? "not " : "", i + 1,
				result->system, result->name);
	}
	return NULL;
}
