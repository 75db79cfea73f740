// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/parallelism.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/array.h"

static struct error *parallelism_begin(struct parallelism *p, int32_t tid)
{
	/* The idle task does not count. */
	if (tid <= 0)
		return NULL;
	for (size_t i = 0; i < p->running.nr; i++)
		if (p->running.items[i] == tid)
			return NULL;
	return array_push(&p->running, tid) ? NULL : &error_no_memory;
}

static void parallelism_end(struct parallelism *p, int32_t tid)
{
	for (size_t i = 0; i < p->running.nr; i++)
		if (p->running.items[i] == tid) {
			p->running.items[i] = p->running.items[--p->running.nr];
			return;
		}
}

struct error *parallelism_other(struct parallelism *p, const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;

	switch (header->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
			return parallelism_begin(p, r->sample.tid);
		parallelism_end(p, r->sample.tid);
		return NULL;
	case PERF_RECORD_EXIT:
		/* A task's events end before its last switch. */
		parallelism_end(p, r->tid);
		return NULL;
	default:
		return NULL;
	}
}

struct error *parallelism_of(struct parallelism *p, const struct session_record *r,
			     unsigned int *ret)
{
	struct error *err = parallelism_begin(p, r->sample.tid);

	*ret = p->running.nr ? p->running.nr : 1;
	return err;
}

void parallelism_deinit(struct parallelism *p)
{
	free(p->running.items);
}
