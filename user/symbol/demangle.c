// SPDX-License-Identifier: GPL-2.0
#include "symbol/demangle.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* A file can hold names of any length, and demangling recurses. */
#define LONGEST_NAME	16384

/* A few hundred bytes can stand for gigabytes, since parts of a name repeat others. */
#define LONGEST_TEXT	65536

bool demangle_nothing;

struct demangling {
	struct strbuf text;
	jmp_buf too_long;
};

static void take_demangled(const char *text, size_t len, void *arg)
{
	struct demangling *d = arg;

	/* The demangler has no way to stop it, but everything it has lies on the stack. */
	if (d->text.len + len > LONGEST_TEXT)
		longjmp(d->too_long, 1);
	strbuf_add(&d->text, text, len);
}

/* Rust comes first: old Rust names would pass for C++. */
static bool run_demangler(struct demangling *d, const char *name)
{
	if (setjmp(d->too_long))
		return false;
	return rust_demangle_callback(name, DMGL_NO_OPTS, take_demangled, d) ||
	       (strbuf_reset(&d->text),
		cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_demangled, d));
}

char *demangle(const char *name)
{
	struct demangling d = { .text = STRBUF_INIT };

	/* The names of all schemes begin with '_': _Z, _R, __Z, _GLOBAL_ ... */
	if (demangle_nothing || *name != '_' || strnlen(name, LONGEST_NAME) == LONGEST_NAME)
		return NULL;
	if (run_demangler(&d, name) && !d.text.failed && d.text.data)
		return d.text.data;
	strbuf_deinit(&d.text);
	return NULL;
}

bool demangled_matches(const char *glob, const char *name)
{
	_cleanup_free_ char *text = strstr(glob, "::") ? demangle(name) : NULL;

	return text && !fnmatch(glob, text, 0);
}
