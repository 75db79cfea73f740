/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The delays of `ktrace why` as JSON; ktrace-why.1.rst describes it.
 */
#ifndef KTRACE_TABLE_SCHED_DELAY_JSON_H
#define KTRACE_TABLE_SCHED_DELAY_JSON_H

#include "lib/json.h"
#include "states/delay_path.h"
#include "states/delays.h"

/*
 * Add one delay to an array.  @uses is kept from one delay to the next, which saves time.  The only
 * error is to be out of memory.
 */
struct error *delay_json_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path, struct cpu_uses *uses,
			     struct json_writer *json);

#endif
