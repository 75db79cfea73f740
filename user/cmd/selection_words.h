/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options by which users select samples; all commands that read recordings share them.
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
 * Parse the arguments into @ret, whose cpus then point to @cpus, which the caller owns.
 * @header has the times that percentages of --time refer to.
 */
struct error *selection_words_parse(const struct selection_words *words,
				    const struct header *header, struct cpumap *cpus,
				    struct selection *ret);

/* Rows of an option table, for @words, a struct selection_words. */
#define SELECTION_WORDS_OPTIONS(words) \
	OPT_STRING("cpu", &(words).cpus), \
	OPT_STRING("pid", &(words).pids), \
	OPT_STRING("tid", &(words).tids), \
	OPT_STRING("time", &(words).times)

#endif
