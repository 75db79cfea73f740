// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
#include "check/compare.h"
#include "cmd/check/check_nest.h"
#include "cmd/check/check_recording.h"
#include "cmd/recording.h"
#include "format/tep_texts.h"
#include "format/trace_instance.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/ending.h"
#include "lib/log.h"

enum { BY_COUNTER, BY_TEMPLATE, BY_PERF, WAYS_NR };

static const struct {
	const char *name;
	const char *via, *path;
} ways[WAYS_NR] = {
	[BY_COUNTER] = { "ktrace by counters", "ktrace", "counter" },
	[BY_TEMPLATE] = { "ktrace by template", "ktrace", "template" },
	[BY_PERF] = { "perf_event", "perf", NULL },
};

struct comparison {
	struct results *results;
	bool *has_template;		/* by event */
	size_t nr_templates;
	struct nest nest;
	struct trace_instance instance;	/* captures each firing before perf and the module */
	struct trace_instance last;	/* captures it after them */
	struct reader *reader;		/* of perf's recording, for formats and symbols */
	struct machine *machine;
	struct check_types types;
	struct task_tree tasks;
	const char *paths[WAYS_NR];	/* of the recordings; NULL: the method is not used */
	struct captured captured[WAYS_NR], tracefs, tracefs_last;
	struct bracket bracket;		/* of captured[BY_PERF] */
	ARRAY_OF(char *) kernel_texts;	/* by index of tracefs */
};

static void comparison_deinit(struct comparison *c)
{
	array_free_each(&c->kernel_texts);
	for (size_t i = 0; i < WAYS_NR; i++)
		captured_deinit(&c->captured[i]);
	captured_deinit(&c->tracefs);
	captured_deinit(&c->tracefs_last);
	bracket_deinit(&c->bracket);
	task_tree_deinit(&c->tasks);
	check_types_deinit(&c->types);
	machine_destroy(c->machine);
	reader_close(c->reader);
	trace_instance_destroy(&c->instance);
	trace_instance_destroy(&c->last);
	nest_deinit(&c->nest);
	free(c->has_template);
}
DEFINE_CLEANUP(comparison, struct comparison, comparison_deinit)

/* Events without a template. */
struct without {
	struct strbuf names;
	size_t nr;
	const char *why;		/* reason for the first; static */
};

enum { NAMES_SHOWN = 4 };

static struct error *look_at_event(struct comparison *c, int fd, size_t event,
				   struct without *without)
{
	const struct result *result = c->results->items[event];
	_cleanup_free_ char *name = result_name(result);
	struct error *err;
	const char *why;
	uint64_t id;

	if (!name)
		return &error_no_memory;
	err = tracefs_event_id(result->system, result->name, &id);
	if (err)
		return err;
	why = device_why_no_template(fd, id, name);
	c->has_template[event] = !why;
	c->nr_templates += !why;
	if (!why)
		return NULL;
	if (!without->nr++)
		without->why = why;
	if (without->nr <= NAMES_SHOWN)
		strbuf_addf(&without->names, "%s%s", without->nr > 1 ? ", " : "", name);
	else if (without->nr == NAMES_SHOWN + 1)
		strbuf_addstr(&without->names, " and others");
	return without->names.failed ? &error_no_memory : NULL;
}

/* Find the events that have a template.  *ret_there is false if the module is not loaded. */
static struct error *look_at_device(struct comparison *c, bool *ret_there)
{
	struct without without = { .names = STRBUF_INIT };
	_cleanup_close_ int fd = -1;
	struct ktrace_info info;
	struct error *err;

	*ret_there = false;
	err = device_open(&fd, &info);
	if (err) {
		log_notice("%s: perf_event and tracefs are compared with each other alone.",
			   err->message);
		error_free(err);
		return NULL;
	}
	*ret_there = true;
	for (size_t i = 0; !err && i < c->results->nr; i++)
		err = look_at_event(c, fd, i, &without);
	if (!err && without.nr)
		log_notice("%s%s: %s.", strbuf_str(&without.names),
			   without.nr > 1 ? " are not captured by template" :
					    " is not captured by template", without.why);
	strbuf_deinit(&without.names);
	return err;
}

static struct error *choose_ways(struct comparison *c)
{
	struct error *err;
	bool device;

	c->has_template = calloc(c->results->nr + 1, sizeof(bool));
	if (!c->has_template)
		return &error_no_memory;
	err = look_at_device(c, &device);
	if (!err)
		err = nest_init(&c->nest);
	for (size_t i = 0; !err && i < WAYS_NR; i++) {
		if (!device && i != BY_PERF)
			continue;
		if (i == BY_TEMPLATE && !c->nr_templates)
			continue;
		err = nest_add(&c->nest, ways[i].via, ways[i].path);
		if (!err)
			c->paths[i] = c->nest.recorders[c->nest.nr - 1].path;
	}
	return err;
}

/*
 * Run @command while all methods record it.  A tracepoint calls its probes in the order in
 * which they came, so the events of c->last are enabled when all recorders record.
 */
static struct error *record(struct comparison *c, char **command, const char *pages,
			    unsigned int kilobytes)
{
	_cleanup_(strbuf) struct strbuf events = STRBUF_INIT;
	struct error *err;

	err = trace_instance_create(&c->instance, kilobytes);
	if (!err)
		err = trace_instance_create(&c->last, kilobytes);
	for (size_t i = 0; !err && i < c->results->nr; i++)
		err = trace_instance_enable(&c->instance, c->results->items[i]->system,
					    c->results->items[i]->name);
	if (!err)
		err = check_event_words(c->results, &events);
	if (!err)
		err = trace_instance_switch(&c->instance, true);
	if (!err)
		err = trace_instance_switch(&c->last, true);
	if (!err)
		err = nest_run(&c->nest, events.data, pages, c->last.folder.path, command);
	if (!err)
		err = trace_instance_switch(&c->last, false);
	if (!err)
		err = trace_instance_switch(&c->instance, false);
	return err ? err : nest_tasks(&c->nest, &c->tasks);
}

static struct error *were_lost(const char *name, uint64_t lost)
{
	if (!lost)
		return NULL;
	return error_hint(error_new(0, "%s lost %llu records, so the captures cannot be compared",
				    name,
				    (unsigned long long)lost),
			  "Use a larger ring (-m 16M), fewer events or a shorter command");
}

static struct error *read_recordings(struct comparison *c)
{
	static const struct symbol_options options = { 0 };
	struct error *err;
	size_t alive;

	err = reader_open(c->paths[BY_PERF], &c->reader);
	if (!err)
		err = recording_machine(c->reader, &options, &c->machine);
	if (!err)
		err = check_types_init(&c->types, c->results, reader_formats(c->reader));
	if (!err)
		err = check_recording_tasks(c->paths[BY_PERF], &c->tasks);
	if (err)
		return err;
	alive = task_tree_alive(&c->tasks);
	if (alive)
		log_notice("%zu tasks of the command had not ended, so their records are left out.",
			   alive);
	for (size_t i = 0; !err && i < WAYS_NR; i++) {
		uint64_t lost;

		c->captured[i].name = ways[i].name;
		if (!c->paths[i])
			continue;
		err = check_recording_records(c->paths[i], &c->types, &c->tasks, &c->captured[i],
					      &lost, NULL);
		if (!err)
			err = were_lost(ways[i].name, lost);
		captured_sort(&c->captured[i]);
	}
	return err;
}

/* A record of one CPU's buffer. */
struct traced {
	size_t event;
	size_t index;		/* in c->tracefs; SIZE_MAX: it is not compared */
};

struct cpu_buffer {
	struct comparison *c;
	unsigned int cpu;
	ARRAY_OF(struct traced) records;
};

static struct error *take_traced(void *context, uint64_t time, const void *raw, size_t size)
{
	struct cpu_buffer *buffer = context;
	struct comparison *c = buffer->c;
	struct traced traced = { check_types_find(&c->types, raw, size), SIZE_MAX };
	size_t nr = c->tracefs.nr;
	struct error *err;

	err = check_record_add(&c->tracefs, &c->types, &c->tasks, raw, size, time, buffer->cpu);
	if (err)
		return err;
	if (ending_signal())
		return ending_error();
	if (c->tracefs.nr != nr) {
		traced.index = nr;
		if (!array_push(&c->kernel_texts, (char *)NULL))
			return &error_no_memory;
	}
	return array_push(&buffer->records, traced) ? NULL : &error_no_memory;
}

/*
 * Whether @text begins as the kernel's text of the event does; *ret_len is the length of that
 * beginning.
 */
static bool text_begins(const struct comparison *c, size_t event, const char *text, size_t *ret_len)
{
	const struct result *result = event == SIZE_MAX ? NULL : c->results->items[event];
	const char *name = result ? result->name : "";
	size_t len;

	if (!result)
		return false;
	if (!strcmp(result->system, "syscalls") && !strncmp(name, "sys_e", 5)) {
		name = strchr(name + 5, '_');
		len = name ? strlen(name) : 0;
		*ret_len = 3 + len;
		return name && !strncmp(text, "sys", 3) && !strncmp(text + 3, name, len) &&
			(text[3 + len] == '(' || text[3 + len] == ' ');
	}
	len = strlen(name);
	*ret_len = len + 2;
	return !strncmp(text, name, len) && text[len] == ':' && text[len + 1] == ' ';
}

/* Returns the end of the text of the record before @event; a text may have several lines. */
static const char *text_end(const struct comparison *c, const char *text, size_t event, bool last)
{
	size_t len;

	for (const char *end = strchr(text, '\n'); end; end = strchr(end + 1, '\n'))
		if (!last && text_begins(c, event, end + 1, &len))
			return end;
	return last ? text + strlen(text) : NULL;
}

/* Split the text of one CPU's buffer among its records.  Returns false if it does not fit them. */
static bool part_text(struct comparison *c, const struct cpu_buffer *buffer, const char *text)
{
	while (*text == '#')
		text += strcspn(text, "\n") + 1;
	for (size_t i = 0; i < buffer->records.nr; i++) {
		const struct traced *r = &buffer->records.items[i];
		bool last = i + 1 == buffer->records.nr;
		const char *end;
		size_t len;

		if (!text_begins(c, r->event, text, &len))
			return false;
		end = text_end(c, text, last ? SIZE_MAX : r[1].event, last);
		if (!end)
			return false;
		if (r->index != SIZE_MAX)
			c->kernel_texts.items[r->index] = strndup(text + len, end - text - len);
		text = *end ? end + 1 : end;
	}
	return true;
}

static struct error *read_cpu(struct comparison *c, unsigned int cpu)
{
	struct cpu_buffer buffer = { .c = c, .cpu = cpu };
	_cleanup_free_ char *text = NULL;
	struct error *err;

	err = trace_instance_text(&c->instance, cpu, &text);
	if (!err)
		err = trace_instance_read(&c->instance, cpu, take_traced, &buffer);
	if (!err && !part_text(c, &buffer, text))
		log_warning("The lines that the kernel printed for CPU %u do not belong to "
			    "single records, so they are not compared.",
			    cpu);
	free(buffer.records.items);
	return err;
}

/* A record of c->last. */
static struct error *take_last(void *context, uint64_t time, const void *raw, size_t size)
{
	struct cpu_buffer *buffer = context;
	struct comparison *c = buffer->c;

	return ending_signal() ? ending_error() :
		check_record_add(&c->tracefs_last, &c->types, &c->tasks, raw, size, time,
				 buffer->cpu);
}

static struct error *read_last_cpu(struct comparison *c, unsigned int cpu)
{
	struct cpu_buffer buffer = { .c = c, .cpu = cpu };

	return trace_instance_read(&c->last, cpu, take_last, &buffer);
}

/* Read all CPUs of a tracefs instance; @read reads one of them. */
static struct error *read_instance(struct comparison *c, struct trace_instance *instance,
				   struct captured *captured,
				   struct error *(*read)(struct comparison *c, unsigned int cpu))
{
	struct error *err;
	uint64_t lost;

	captured->name = "tracefs";
	err = trace_instance_lost(instance, &lost);
	if (!err)
		err = were_lost(captured->name, lost);
	for (long cpu = 0, end = sysconf(_SC_NPROCESSORS_CONF); !err && cpu < end; cpu++) {
		err = read(c, cpu);
		/* This CPU does not exist. */
		if (err && err->code == ENOENT) {
			error_free(err);
			err = NULL;
		}
	}
	captured_sort(captured);
	return err;
}

/* A thread of process 1, or an idle task: process 1 has forked these, except that of CPU 0. */
struct hidden_thread {
	int32_t tid;
	uint32_t cpu;			/* of an idle task; else 0 */
	bool is_captured;		/* by perf_event */
};

struct hidden_threads {
	struct hidden_thread *items;
	size_t nr, alloc;
};

DEFINE_COMPARISON(order_hidden_threads, struct hidden_thread, array_order(x->tid, y->tid) ?:
		  array_order(x->cpu, y->cpu))

static struct hidden_thread *hidden_thread_find(const struct hidden_threads *threads,
						const struct captured_record *record)
{
	const struct hidden_thread key = { record->tid, record->tid ? 0 : record->cpu, false };

	return threads->nr ? bsearch(&key, threads->items, threads->nr, sizeof(key),
				     order_hidden_threads) : NULL;
}

/* Find these tasks, and which of them perf_event has captured. */
static bool hidden_threads_find(struct hidden_threads *threads, const struct captured *perf)
{
	DIR *folder = opendir("/proc/1/task");
	struct dirent *entry;
	bool ok = true;

	while (folder && ok && (entry = readdir(folder)) != NULL) {
		const struct hidden_thread thread = { .tid = strtol(entry->d_name, NULL, 10) };

		ok = !thread.tid || array_push(threads, thread);
	}
	if (folder)
		closedir(folder);
	for (long cpu = 1, end = sysconf(_SC_NPROCESSORS_CONF); ok && cpu < end; cpu++)
		ok = array_push(threads, ((struct hidden_thread){ .cpu = cpu }));
	array_sort(threads, order_hidden_threads);
	for (size_t i = 0; i < perf->nr; i++) {
		struct hidden_thread *thread = hidden_thread_find(threads, &perf->items[i]);

		if (thread)
			thread->is_captured = true;
	}
	return ok;
}

/* Remove the firings of these threads, unless perf_event has captured some of them. */
static size_t remove_hidden(struct captured *captured, const struct hidden_threads *threads)
{
	size_t nr = 0, removed;

	for (size_t i = 0; i < captured->nr; i++) {
		const struct captured_record record = captured->items[i];
		const struct hidden_thread *thread = hidden_thread_find(threads, &record);

		if (!thread || thread->is_captured)
			captured->items[nr++] = record;
	}
	removed = captured->nr - nr;
	captured->nr = nr;
	return removed;
}

/* Some kernels hide process 1 from perf_event, which is not a difference of the events. */
static struct error *leave_out_hidden(struct comparison *c)
{
	struct hidden_threads threads = { 0 };
	bool ok = hidden_threads_find(&threads, &c->captured[BY_PERF]);
	size_t removed = ok ? remove_hidden(&c->tracefs, &threads) : 0;

	if (ok)
		remove_hidden(&c->tracefs_last, &threads);
	free(threads.items);
	if (removed)
		log_notice("perf_event captured nothing of some threads of process 1 or idle "
			   "tasks, so the %zu records that tracefs has of them are left out.", removed);
	return ok ? NULL : &error_no_memory;
}

static struct error *compare_captures(struct comparison *c)
{
	_cleanup_free_ const struct event_format **formats =
		calloc(c->results->nr + 1, sizeof(*formats));
	const struct captured *perf = &c->captured[BY_PERF];
	struct error *err;

	if (!formats)
		return &error_no_memory;
	err = bracket_init(&c->bracket, c->results, c->types.formats, perf, &c->tracefs,
			   &c->tracefs_last);
	if (!err)
		err = compare_captured(c->results, c->types.formats, perf, &c->tracefs,
				       &c->bracket, true);
	if (!err && c->paths[BY_COUNTER])
		err = compare_captured(c->results, c->types.formats, perf,
				       &c->captured[BY_COUNTER], &c->bracket, false);
	for (size_t i = 0; i < c->results->nr; i++)
		formats[i] = c->has_template[i] ? c->types.formats[i] : NULL;
	if (!err && c->paths[BY_TEMPLATE])
		err = compare_captured(c->results, formats, perf, &c->captured[BY_TEMPLATE],
				       &c->bracket, false);
	return err;
}

/* @texts has the order of c->tracefs.  After a crash we continue with the next event. */
static struct error *make_tep_texts(struct comparison *c, char **texts)
{
	_cleanup_free_ struct tep_text_format *formats =
		calloc(c->results->nr + 1, sizeof(*formats));
	_cleanup_free_ struct tep_bytes *records = calloc(c->tracefs.nr + 1, sizeof(*records));
	const struct captured_record *items = c->tracefs.items;
	struct error *err = NULL;
	size_t done;

	if (!formats || !records)
		return &error_no_memory;
	for (size_t i = 0; i < c->results->nr; i++)
		formats[i] = (struct tep_text_format){ c->results->items[i]->system,
						       c->results->items[i]->text };
	for (size_t i = 0; i < c->tracefs.nr; i++)
		records[i] = (struct tep_bytes){ captured_raw(&c->tracefs, &items[i]),
						 items[i].size };
	for (size_t at = 0; !err && at < c->tracefs.nr; at += done) {
		err = tep_texts_make(formats, c->results->nr, records + at, c->tracefs.nr - at,
				     texts + at, &done);
		if (err || at + done == c->tracefs.nr)
			break;
		finding_add(c->results, c->results->items[items[at + done].event],
			    RULE_TEXT_DIFFERS, NULL, NO_PLACE,
			    "libtraceevent ends the program that prints a record");
		do
			done++;
		while (at + done < c->tracefs.nr &&
		       items[at + done].event == items[at + done - 1].event);
	}
	return err;
}

static struct error *compare_texts(struct comparison *c)
{
	_cleanup_free_ char **kernel = calloc(c->tracefs.nr + 1, sizeof(*kernel));
	_cleanup_free_ char **tep = calloc(c->tracefs.nr + 1, sizeof(*tep));
	struct error *err;

	if (!kernel || !tep)
		return &error_no_memory;
	for (size_t i = 0; i < c->tracefs.nr; i++)
		kernel[i] = c->kernel_texts.items[c->tracefs.items[i].index];
	err = make_tep_texts(c, tep);
	if (!err)
		compare_text(c->results, c->types.formats, &c->tracefs,
			     &(struct compare_texts){ kernel, tep });
	for (size_t i = 0; i < c->tracefs.nr; i++)
		free(tep[i]);
	return err;
}

static void tell_comparison(struct comparison *c)
{
	strbuf_addf(&c->results->notes, "%zu firings compared: perf_event, tracefs",
		    c->captured[BY_PERF].nr);
	if (c->paths[BY_COUNTER])
		strbuf_addf(&c->results->notes, ", %s", ways[BY_COUNTER].name);
	if (c->paths[BY_TEMPLATE])
		strbuf_addf(&c->results->notes, ", %s (%zu of %zu events)", ways[BY_TEMPLATE].name,
			    c->nr_templates, c->results->nr);
	strbuf_addch(&c->results->notes, '\n');
}

static void find_silent(struct comparison *c)
{
	size_t at = 0;

	for (size_t event = 0; event < c->results->nr; event++) {
		size_t from = at;

		while (at < c->tracefs.nr && c->tracefs.items[at].event == event)
			at++;
		if (at == from)
			finding_add(c->results, c->results->items[event], RULE_EVENT_NOT_FIRED,
				    NULL, NO_PLACE, "The event did not fire");
	}
}

struct error *check_compare_run(struct results *results, char **command, const char *pages,
				unsigned int kilobytes)
{
	_cleanup_(comparison) struct comparison c = { .results = results };
	struct error *err;

	err = choose_ways(&c);
	if (!err)
		err = ending_error();
	if (!err)
		err = record(&c, command, pages, kilobytes);
	if (!err)
		err = read_recordings(&c);
	if (!err)
		err = read_instance(&c, &c.instance, &c.tracefs, read_cpu);
	if (!err)
		err = read_instance(&c, &c.last, &c.tracefs_last, read_last_cpu);
	if (!err)
		err = leave_out_hidden(&c);
	if (!err)
		err = compare_captures(&c);
	if (!err)
		err = compare_texts(&c);
	if (err)
		return err;
	find_silent(&c);
	tell_comparison(&c);
	return NULL;
}
