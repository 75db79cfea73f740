// SPDX-License-Identifier: GPL-2.0
#include "check/rejecting_filter.h"

#include <string.h>

#include "format/event_format.h"

static const struct field *own_number(const struct event_format *format)
{
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field->kind == FIELD_INTEGER && !field->is_pointer)
			return field;
	}
	return NULL;
}

struct error *rejecting_filter_add(const struct result *result, struct strbuf *ret)
{
	_cleanup_(formats) struct formats *formats = NULL;
	const struct field *field = NULL;
	struct error *err;

	err = formats_create(&formats);
	if (err)
		return err;
	/* A format that cannot be parsed has common fields nevertheless. */
	err = formats_add(formats, result->system, result->text, strlen(result->text));
	if (err)
		error_free(err);
	else if (formats_count(formats))
		field = own_number(formats_at(formats, 0));
	/* Mostly the first comparison decides; both numbers fit into every type. */
	if (field)
		strbuf_addf(ret, "%s == 113 && %s == 114", field->name, field->name);
	else
		/* No task has this number. */
		strbuf_addstr(ret, "common_pid == -1");
	return ret->failed ? &error_no_memory : NULL;
}
