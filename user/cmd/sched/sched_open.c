// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched.h"

#include "states/known_events.h"

static struct error *sched_check(void *data)
{
	const struct recording *recording = data;

	return needed_events_check(NEEDED_SWITCHES, reader_events(recording->reader));
}

struct error *sched_open(struct recording *recording, const struct subcommand_input *common,
			 const struct selection_words *words)
{
	recording->check = sched_check;
	recording->data = recording;
	return recording_begin(recording, common->input, words, NULL);
}
