/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of `ktrace sched`, and what they share.
 */
#ifndef KTRACE_CMD_SCHED_SCHED_H
#define KTRACE_CMD_SCHED_SCHED_H

#include "cmd/subcommand.h"
#include "lib/error.h"
#include "perfdata/reader.h"

/* The data of their calls is a struct subcommand_input *. */
struct error *sched_latency(struct subcommand_call *call);
struct error *sched_map(struct subcommand_call *call);
struct error *sched_timehist(struct subcommand_call *call);

/* Open the recording, which must have @event: "sched_switch". */
struct error *sched_open(const struct subcommand_input *common, const char *event,
			 struct reader **ret);

#endif
