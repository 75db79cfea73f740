// SPDX-License-Identifier: GPL-2.0
#include "recorder/own_cost.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "recorder/chains/chains.h"

static double own_cost_seconds(struct timeval time)
{
	return time.tv_sec + time.tv_usec / 1e6;
}

void own_cost_add(struct captures *captures, struct strbuf *ret)
{
	size_t nr;
	struct capture_ring *rings = captures_rings(captures, &nr);
	struct rusage usage = { 0 };
	uint64_t bytes = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += rings[i].bytes;
	free(rings);
	getrusage(RUSAGE_SELF, &usage);
	strbuf_addf(ret, "%.2f s CPU, %.1f MB memory, %.1f MB of ring buffers",
		    own_cost_seconds(usage.ru_utime) + own_cost_seconds(usage.ru_stime) +
		    own_cost_seconds(chain_choice_cpu(captures->chains)),
		    usage.ru_maxrss / 1024.0, bytes / 1024.0 / 1024.0);
}

struct error *own_cost_note(struct captures *captures, struct writer *writer)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	own_cost_add(captures, &text);
	return text.failed ? &error_no_memory :
			     writer_add_note(writer, "recorder", strbuf_str(&text));
}
