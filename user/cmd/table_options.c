// SPDX-License-Identifier: GPL-2.0
#include "cmd/table_options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct error *table_ask_csv(void *data, const char *argument)
{
	struct table_output *output = data;
	const char *separator = argument ? argument : ",";

	if (!strcmp(separator, "\\t"))
		separator = "\t";
	if (!ispunct((unsigned char)*separator) && *separator != '\t')
		separator = "";
	if (strlen(separator) != 1 || strchr("\"'+-._", *separator))
		return error_hint(error_new(EINVAL, "'%s' cannot separate the values of CSV",
					    argument),
				  "Use one character that is in no number and no name: , or ; "
				  "or \\t");
	output->format = TABLE_AS_CSV;
	output->separator = *separator;
	return NULL;
}

struct error *table_ask_json(void *data, const char *argument)
{
	struct table_output *output = data;

	output->format = TABLE_AS_JSON;
	return NULL;
}
