/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The delays of `ktrace why` as JSON; ktrace-why.1.rst describes it.
 */
#ifndef KTRACE_OUTPUT_DELAY_JSON_H
#define KTRACE_OUTPUT_DELAY_JSON_H

#include "analysis/delay_path.h"
#include "analysis/delays.h"
#include "lib/json.h"

/* Add one delay to an array.  The only error is to be out of memory. */
struct error *delay_json_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path, struct json_writer *json);

#endif
