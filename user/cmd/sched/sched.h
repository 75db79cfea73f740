/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of `ktrace sched`, and their shared code. */
#ifndef KTRACE_CMD_SCHED_SCHED_H
#define KTRACE_CMD_SCHED_SCHED_H

#include "cmd/subcommand.h"
#include "lib/error.h"

/* The data of their calls is a struct subcommand_input *. */
struct error *sched_latency(struct subcommand_call *call);
struct error *sched_map(struct subcommand_call *call);
struct error *sched_timehist(struct subcommand_call *call);
struct error *sched_stats_of(struct subcommand_call *call);
/* The commands of `ktrace sched stats`. */
extern const struct subcommand sched_stats_commands[];

/* Begin a recording, see struct recording, which must have sched:sched_switch; no machine. */
struct error *sched_open(struct recording *recording, const struct subcommand_input *common,
			  const struct selection_words *words);

#endif
