/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of a tracepoint's sample as members of a JSON object: numbers, texts, and the bytes
 * of arrays as hexadecimal digits.
 */
#ifndef KTRACE_OUTPUT_VALUE_JSON_H
#define KTRACE_OUTPUT_VALUE_JSON_H

#include "columns/event_values.h"
#include "lib/json.h"

/* All values of a sample. */
void value_json_add_all(struct json_writer *json, const struct session_record *r);

#endif
