// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched.h"

#include "table/sched/sched_latency.h"

static struct error *sched_check(void *data)
{
	const struct recording *recording = data;

	return sched_check_event(reader_events(recording->reader), "sched_switch");
}

struct error *sched_open(struct recording *recording, const struct subcommand_input *common,
			 const struct selection_words *words)
{
	recording->check = sched_check;
	recording->data = recording;
	return recording_begin(recording, common->input, words, NULL);
}
