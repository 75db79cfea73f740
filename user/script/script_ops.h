/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A script language's implementation for script.c, which has the functions of script.h,
 * event_script.h and script_lint.h.  It is the one symbol that a plugin exports (lib/plugin.h).
 * Only the plugin needs the interpreter's library.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_OPS_H
#define KTRACE_SCRIPT_SCRIPT_OPS_H

#include "script/event_script.h"
#include "script/script.h"
#include "script/script_lint.h"

/* Each does the work of the public function that calls it.  @path is a readable file. */
struct script_ops {
	struct error *(*open)(const char *path, int argc, char **argv, struct script **ret);
	struct error *(*open_events)(const char *module, int argc, char **argv,
				     const struct event_script_options *options,
				     struct script **ret);
	volatile int *(*stop)(struct script *script);
	struct error *(*begin)(struct script *script);
	void (*keep_going)(struct script *script);
	struct session_consumer *(*consumer)(struct script *script);
	void (*tell_uncalled)(struct script *script, const struct formats *formats,
			      const struct event_list *events);
	/* @script may be NULL. */
	struct error *(*close)(struct script *script, struct error *run, int *ret_status);
	struct error *(*lint)(const char *path, const struct script_lint_formats *formats,
			      FILE *out, struct script_lint_counts *ret);
};

extern const struct script_ops script_python;

#endif
