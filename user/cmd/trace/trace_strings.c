// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace_strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/choose.h"
#include "format/format_files.h"
#include "format/syscall_strings.h"
#include "lib/array.h"
#include "lib/log.h"

/* Whether the event's call is traced.  The kernel's names of calls may differ: "newstat". */
static bool trace_strings_wanted(struct syscalls *syscalls, const bool *wanted, const char *event)
{
	bool calls[SYSCALL_NUMBERS] = { false };

	if (!wanted)
		return true;
	syscalls_match(syscalls, event + strlen("sys_enter_"), calls);
	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		if (calls[i] && wanted[i])
			return true;
	return false;
}

struct error *trace_strings_find(struct syscalls *syscalls, const bool *wanted, const char *via,
				 struct trace_strings *ret)
{
	bool can_ask = capture_can_strings(via), missing = false;
	_cleanup_(format_files) struct format_files files = { 0 };
	struct error *err;

	err = format_files_read(NULL, (char *[]){ "syscalls:sys_enter_*", NULL }, &files);
	if (err) {
		/* The kernel was built without these events. */
		log_debug("%s.", err->message);
		error_free(err);
		return NULL;
	}
	for (size_t i = 0; i < files.nr; i++) {
		bool stored = syscall_strings_stored(files.items[i].text);
		uint32_t args;
		char *event;

		if (!trace_strings_wanted(syscalls, wanted, files.items[i].name))
			continue;
		err = syscall_strings_add(files.items[i].name, &files.items[i].text, &args);
		if (err)
			return err;
		missing |= args && !can_ask;
		if (!stored && !(args && can_ask))
			continue;
		ret->ask |= args;
		if (asprintf(&event, "syscalls:%s", files.items[i].name) < 0)
			return &error_no_memory;
		if (!array_push(ret, event)) {
			free(event);
			return &error_no_memory;
		}
	}
	if (missing)
		log_notice("Strings are shown as their addresses: reading them needs the ktrace module, or "
			   "Linux 6.19.");
	return NULL;
}

void trace_strings_deinit(struct trace_strings *strings)
{
	array_free_each(strings);
	*strings = (struct trace_strings){ 0 };
}
