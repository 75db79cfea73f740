// SPDX-License-Identifier: GPL-2.0
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include "lib/strbuf.h"

/* Names can be as long as a file makes them, and demangling recurses. */
#define LONGEST_NAME	16384

/* A few hundred bytes can stand for gigabytes, since parts of a name repeat others. */
#define LONGEST_TEXT	65536

struct demangling {
	struct strbuf text;
	jmp_buf too_long;
};

static void take(const char *text, size_t len, void *arg)
{
	struct demangling *d = arg;

	/* It cannot be told to stop; all it has lies on the stack. */
	if (d->text.len + len > LONGEST_TEXT)
		longjmp(d->too_long, 1);
	strbuf_add(&d->text, text, len);
}

/* Rust's names first: old ones would pass for C++. */
static bool run(struct demangling *d, const char *name)
{
	if (setjmp(d->too_long))
		return false;
	return rust_demangle_callback(name, DMGL_NO_OPTS, take, d) ||
	       (strbuf_reset(&d->text), cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take, d));
}

char *demangle(const char *name)
{
	struct demangling d = { .text = STRBUF_INIT };

	/* All schemes begin so: _Z, _R, __Z, _GLOBAL_ ...; of others, nothing is made. */
	if (*name != '_' || strnlen(name, LONGEST_NAME) == LONGEST_NAME)
		return NULL;
	if (run(&d, name) && !d.text.failed && d.text.data)
		return d.text.data;
	strbuf_deinit(&d.text);
	return NULL;
}
