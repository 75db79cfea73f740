// SPDX-License-Identifier: GPL-2.0
/*
 * `python -e EVENTS help`: prints a script to start from.
 */
#include <stdio.h>
#include <string.h>

#include "format/tracefs.h"
#include "script/event_script.h"
#include "spec/event_spec.h"

static const char head[] =
"#\n"
"# Each handler gets an event: values are attributes (event._cpu) or items\n"
"# (event['_cpu']); event.get(field, default), field in event, event.keys(),\n"
"# event.to_dict(), event.print(timestamp=True, callchain=True) help.\n"
"#\n"
"# Of every event: _pid, _tid, _time (ns), _cpu, _comm, _realtime (ns since 1970),\n"
"# _callchain (list of dicts: addr, symbol, offset, kernel, dso), _event (its name).\n"
"#\n"
"# import json, time\n"
"# from perf_prof import PerfEvent, syscall_name, errno_name\n"
"\n"
"event_count = 0\n"
"interval_count = 0\n"
"\n"
"\n"
"# [OPTIONAL] before the first event\n"
"def __init__():\n"
"    pass\n"
"\n"
"\n"
"# [OPTIONAL] after the last one\n"
"def __exit__():\n"
"    print('events:', event_count, 'intervals:', interval_count)\n"
"\n"
"\n"
"# [OPTIONAL] every -i milliseconds\n"
"def __interval__():\n"
"    global interval_count\n"
"    interval_count += 1\n"
"\n"
"\n"
"# [OPTIONAL] upon SIGUSR2\n"
"def __print_stat__(indent: int):\n"
"    print(' ' * indent + 'events:', event_count)\n"
"\n"
"\n"
"# [OPTIONAL] events were lost: between these times (ns)\n"
"def __lost__(lost_start: int, lost_end: int):\n"
"    pass\n";

static const char tail[] =
"\n"
"\n"
"# [OPTIONAL] events that have no function of their own\n"
"def __sample__(event):\n"
"    global event_count\n"
"    event_count += 1\n";

static void print_name(const char *name)
{
	bool first = true;

	for (; *name; name++) {
		if (*name == ':' && first) {
			printf("__");
			first = false;
		} else {
			putchar(strchr("-.:", *name) ? '_' : *name);
		}
	}
}

static const char *type_of(const struct field *field)
{
	switch (field->kind) {
	case FIELD_INTEGER:
		return "int";
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
	case FIELD_REL_STRING:
		return "str";
	default:
		return "bytes";
	}
}

static void print_function(const char *name, const struct event_format *format)
{
	printf("\n\ndef ");
	print_name(name);
	printf("(event):\n");
	if (format) {
		printf("    \"\"\"Event-specific fields:\n");
		for (size_t i = format->nr_common; i < format->nr_fields; i++)
			printf("      %s : %s\n", format->fields[i].name, type_of(&format->fields[i]));
		printf("    \"\"\"\n");
	}
	printf("    global event_count\n    event_count += 1\n");
	for (size_t i = format ? format->nr_common : 0; format && i < format->nr_fields; i++)
		printf("    # event.%s\n", format->fields[i].name);
	printf("    # event.print()\n");
}

static struct error *print_tracepoint(const char *system, const char *name, const char *handler)
{
	_cleanup_(formats) struct formats *formats = NULL;
	_cleanup_free_ char *text = NULL;
	struct error *err;
	size_t len;

	err = tracefs_event_format(system, name, &text, &len);
	if (!err)
		err = formats_create(&formats);
	if (!err)
		err = formats_add(formats, system, text, len);
	if (!err)
		print_function(handler, formats_find_name(formats, system, name));
	return err;
}

DEFINE_CLEANUP(event_specs, struct event_specs, event_specs_deinit)

static struct error *print_spec(const struct prof_spec *spec, bool is_shared)
{
	_cleanup_(event_specs) struct event_specs found = { 0 };
	struct error *err = event_specs_add(&found, spec->event);

	/* Events with different fields may share a function. */
	if (!err && spec->has_alias && (is_shared || found.nr > 1)) {
		print_function(spec->name, NULL);
		return NULL;
	}
	for (size_t i = 0; !err && spec->tracepoint && i < found.nr; i++) {
		_cleanup_free_ char *own = NULL;

		if (asprintf(&own, "%s:%s", found.items[i].system, found.items[i].name) < 0)
			return &error_no_memory;
		err = print_tracepoint(found.items[i].system, found.items[i].name,
				       spec->has_alias ? spec->name : own);
	}
	if (!err && !spec->tracepoint)
		print_function(spec->name, NULL);
	return err;
}

/* Print @text quoted for the shell, on one line, because it is part of a comment. */
static void print_word(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text == '\n' ? ' ' : *text);
	}
	putchar('\'');
}

struct error *event_script_template(const char *command, const struct prof_specs *specs)
{
	struct error *err = NULL;

	printf("# %s -e ", command);
	print_word(specs->given ? specs->given : "");
	printf(" script.py\n%s", head);
	for (size_t i = 0; !err && i < specs->nr; i++) {
		size_t first = 0, last = specs->nr - 1;

		while (strcmp(specs->items[first].name, specs->items[i].name))
			first++;
		while (strcmp(specs->items[last].name, specs->items[i].name))
			last--;
		if (first == i || !specs->items[i].has_alias)
			err = print_spec(&specs->items[i], first != last);
	}
	fputs(tail, stdout);
	return err;
}
