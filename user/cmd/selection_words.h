/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the user says of the samples to select, as words; commands that read
 * recordings share it.
 */
#ifndef KTRACE_CMD_SELECTION_WORDS_H
#define KTRACE_CMD_SELECTION_WORDS_H

#include "lib/cpumap.h"
#include "lib/error.h"
#include "record/header.h"
#include "session/selection.h"

/* The arguments of -C, --pid, --tid and --time; NULL: not given; borrowed. */
struct selection_words {
	const char *cpus, *pids, *tids, *times;
};

/*
 * Put them into @ret; its cpus are then @cpus, which the caller owns.  @header
 * has the times that shares of the time are of.
 */
struct error *selection_words_parse(const struct selection_words *words,
				    const struct header *header, struct cpumap *cpus,
				    struct selection *ret);

#endif
