/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the recordings that a comparison is made of, one after the other.
 */
#ifndef KTRACE_CMD_COMPARED_RECORDING_H
#define KTRACE_CMD_COMPARED_RECORDING_H

#include "cmd/selection_words.h"
#include "lib/error.h"
#include "profile/compare/comparison.h"
#include "session/machine.h"
#include "session/selection.h"

/* The data that is read of each recording; all is borrowed. */
struct compared_recordings {
	const struct selection_words *words;
	const struct symbol_options *symbols;
	const struct selection *base;	/* besides @words, without lists; NULL: nothing */
};

/* Pass the samples of the file @path to @comparison, as its recording @number. */
struct error *compared_recording_read(const struct compared_recordings *recordings,
				      const char *path, struct comparison *comparison,
				      size_t number);

/* When all are read: join binaries that only have another name in others, and say so. */
struct error *compared_recordings_join(struct comparison *comparison);

#endif
