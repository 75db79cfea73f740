// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched.h"

#include "cmd/recording.h"
#include "table/sched/sched_latency.h"

struct error *sched_open(const struct subcommand_input *common, const char *event,
			 struct reader **ret)
{
	struct error *err = recording_open(common->input, ret);

	if (!err)
		err = reader_read_header(*ret);
	/* The events of a pipe can come later. */
	return err || reader_header(*ret)->is_pipe ? err :
	       sched_check_event(reader_events(*ret), event);
}
