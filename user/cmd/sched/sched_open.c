// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched.h"

#include <errno.h>

#include "cmd/recording.h"
#include "states/known_events.h"

struct error *sched_open(const struct subcommand_input *common, const char *event,
			 struct reader **ret)
{
	struct error *err = recording_open(common->input, ret);

	if (!err)
		err = reader_read_header(*ret);
	/* The events of a pipe can come later. */
	if (err || reader_header(*ret)->is_pipe ||
	    event_is_recorded(reader_events(*ret), "sched", event))
		return err;
	return error_hint(error_new(ENODATA, "The recording has no event sched:%s", event),
			  "'ktrace sched record' records what 'ktrace sched' reads");
}
