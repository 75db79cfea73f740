// SPDX-License-Identifier: GPL-2.0
#include "cmd/table_options.h"

struct error *table_ask_csv(void *data, const char *argument)
{
	struct table_output *output = data;

	(void)argument;
	output->format = TABLE_AS_CSV;
	return NULL;
}

struct error *table_ask_json(void *data, const char *argument)
{
	struct table_output *output = data;

	(void)argument;
	output->format = TABLE_AS_JSON;
	return NULL;
}
