/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading JSON by json-c.  For plugins: the tool itself does not use that library.
 */
#ifndef KTRACE_FORMAT_JSON_TEXT_H
#define KTRACE_FORMAT_JSON_TEXT_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/error.h"

/*
 * Parse a text that is one value, perhaps followed by white space and a comment.  *ret is NULL if
 * it is no JSON, or if other text follows; release it with json_object_put().
 * @text ends with a NUL, which @len does not count.  The only possible error is lack of memory.
 */
static inline struct error *json_text_parse(const char *text, size_t len,
					    struct json_object **ret)
{
	struct json_tokener *tokener = json_tokener_new();
	size_t end;

	*ret = NULL;
	if (!tokener)
		return &error_no_memory;
	/* In json-c 0.18, JSON_TOKENER_STRICT refuses all characters beyond ASCII. */
	if (len < INT32_MAX)
		*ret = json_tokener_parse_ex(tokener, text, len + 1);
	/* A comment at the end takes the NUL, too. */
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (end < len && text[end + strspn(text + end, " \t\r\n")]) {
		json_object_put(*ret);
		*ret = NULL;
	}
	return NULL;
}

#endif
