/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The delays of `ktrace why` as text of at most 80 columns: each with its critical path.
 */
#ifndef KTRACE_TABLE_SCHED_DELAY_TEXT_H
#define KTRACE_TABLE_SCHED_DELAY_TEXT_H

#include "lib/json.h"
#include "lib/strbuf.h"
#include "states/delay_path.h"
#include "states/delays.h"

struct delay_text_options {
	unsigned int max_stack;		/* functions of a call chain; 0: none */
};

/*
 * Append the delay with the number @number, and its path.  Passing the same @uses for all delays
 * saves time.  The only error is a lack of memory.
 */
struct error *delay_text_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path,
			     const struct delay_text_options *options, size_t number,
			     struct cpu_uses *uses, struct strbuf *out);

/*
 * The delays of `ktrace why` as JSON; ktrace-why.1.rst describes it.
 */

/*
 * Add one delay to an array.  Passing the same @uses for all delays saves time.  The only error is
 * a lack of memory.
 */
struct error *delay_json_add(const struct task_stays *stays, const struct delay *delay,
			     const struct delay_path *path, struct cpu_uses *uses,
			     struct json_writer *json);

#endif
