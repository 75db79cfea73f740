/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Joins samples with user frames that the kernel records later, when the task returns to user space
 * (perf record --call-graph fp,defer; Linux 6.19).  Such a chain ends with a number, which the
 * record of the frames has, too.
 *
 * From a sample that waits for its frames on, all records are held back to keep their order.  If
 * the frames do not come within 64 MiB of records, the sample has only its kernel frames.
 */
#ifndef KTRACE_SESSION_DEFERRED_CHAINS_H
#define KTRACE_SESSION_DEFERRED_CHAINS_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "record/event.h"
#include "record/record.h"

struct deferred_chains;

/* Whether samples of any of these events may have such chains. */
bool deferred_chains_are_in(const struct event_list *events);

/*
 * @input, which gives records in order, is borrowed.  @first is the record that it gave last, which
 * is treated as its next one; NULL: it has given none.
 */
struct error *deferred_chains_create(struct record_source *input, const struct record *first,
				     struct deferred_chains **ret);
void deferred_chains_destroy(struct deferred_chains *chains);

struct record_source *deferred_chains_source(struct deferred_chains *chains);

#endif
