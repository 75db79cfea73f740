/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up every address in samples, as the commands that show them do.  Afterwards the machine has
 * all symbols and lines that they need.
 */
#ifndef KTRACE_PROFILE_ASKED_PLACES_H
#define KTRACE_PROFILE_ASKED_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "profile/function_counts.h"
#include "session/callchain.h"
#include "session/session.h"

/* An address whose unwind tables were needed. */
struct unwound_address {
	const struct dso *dso;		/* borrowed */
	uint64_t offset;		/* as in dso_find() */
};

struct asked_places {
	struct session_consumer consumer;	/* for a session that has a machine */
	struct function_counts *counts;		/* the functions that can be annotated; owned */
	ARRAY_OF(struct unwound_address) unwound;	/* each once */
	struct hash_table table;		/* positions in unwound */
	struct callchain chain;
	struct strbuf text;
};

/* @ret has to be released also on error. */
struct error *asked_places_init(struct asked_places *ret);
void asked_places_deinit(struct asked_places *places);

#endif
