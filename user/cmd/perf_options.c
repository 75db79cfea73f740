// SPDX-License-Identifier: GPL-2.0
#include "cmd/perf_options.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

static const struct {
	const char *command;
	struct option_refusal refusal;
} perf_options[] = {
#define PERF_OPTION(command, letter, name, why, instead) \
	{ #command, { letter, name, why, instead } },
#include "cmd/perf_options.def"
#undef PERF_OPTION
};

struct error *perf_options_refused(const char *command, struct option_refusal **ret)
{
	size_t nr = 0;

	*ret = calloc(ARRAY_SIZE(perf_options) + 1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	for (size_t i = 0; i < ARRAY_SIZE(perf_options); i++)
		if (!strcmp(perf_options[i].command, command))
			(*ret)[nr++] = perf_options[i].refusal;
	return NULL;
}
