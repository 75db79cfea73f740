// SPDX-License-Identifier: GPL-2.0
#include "table/trace/trace_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "record/common_field.h"
#include "session/machine.h"

#define FLUSH_BYTES	65536

/* Results begin in this column behind the call's name, as in perf. */
#define RESULT_COLUMN	70

/* The bytes of a comm that are shown, as in perf. */
#define COMM_BYTES	14

/* The text of a call from its begin. */
struct trace_entry {
	struct strbuf text;	/* "close(fd: 3" */
	bool pending;		/* it is still to be printed */
};

struct trace_text {
	struct syscall_listener listener;
	const struct trace_text_options *options;
	struct syscall_words *words;
	struct strbuf buf, escaped;
	ARRAY_OF(struct trace_entry *) entries;	/* by the index of the task */
	struct syscall_task *current;	/* the task that entered a call last; NULL: none yet */
	uint64_t base;			/* ns; 0: not known yet */
	uint64_t printed;		/* events */
};

static struct error *trace_text_write(struct trace_text *t)
{
	const struct strbuf *sb = &t->buf;
	FILE *out = t->options->out;

	if (t->options->terminal) {
		strbuf_reset(&t->escaped);
		escape_terminal(&t->escaped, strbuf_str(sb), sb->len);
		sb = &t->escaped;
	}
	if (t->buf.failed || sb->failed)
		return &error_no_memory;
	fwrite(strbuf_str(sb), 1, sb->len, out);
	strbuf_reset(&t->buf);
	return ferror(out) ? error_errno(errno, "Cannot write the trace") : NULL;
}

struct error *trace_text_flush(struct trace_text *t)
{
	struct error *err = t->buf.len || t->buf.failed ? trace_text_write(t) : NULL;

	if (!err && fflush(t->options->out))
		err = error_errno(errno, "Cannot write the trace");
	return err;
}

static struct error *trace_end_line(struct trace_text *t)
{
	strbuf_addch(&t->buf, '\n');
	return t->buf.len >= FLUSH_BYTES || t->buf.failed ? trace_text_write(t) : NULL;
}

/* "%*.3f" of ns in ms, rounded as printf() rounds the quotient. */
static void trace_add_ms(struct strbuf *sb, uint64_t ns, unsigned int width)
{
	uint64_t us = (ns + 500) / 1000;

	if (ns % 1000 == 500) {
		strbuf_addf(sb, "%*.3f", width, ns / 1e6);
		return;
	}
	number_add_unsigned(sb, us / 1000, width - 4, ' ');
	strbuf_addch(sb, '.');
	number_add_digits(sb, us % 1000, 3);
}

static void trace_add_time(struct trace_text *t, uint64_t time)
{
	uint64_t base = t->options->full_time ? 0 : t->base;

	if (time >= base) {
		trace_add_ms(&t->buf, time - base, 10);
	} else {
		strbuf_addf(&t->buf, "%10.3f", -((base - time) / 1e6));
	}
	strbuf_addch(&t->buf, ' ');
}

static void trace_add_unknown_time(struct trace_text *t)
{
	strbuf_addstr(&t->buf, "         ? ");
}

static void trace_add_duration(struct trace_text *t, uint64_t ns)
{
	enum color_role role = COLOR_NONE;

	if (ns >= 1000000)
		role = COLOR_HOT;
	else if (ns >= 10000)
		role = COLOR_WARM;
	strbuf_addch(&t->buf, '(');
	/* Marks of colours are for standard output alone. */
	if (role && t->options->out == stdout)
		strbuf_addstr(&t->buf, color_on(role));
	trace_add_ms(&t->buf, ns, 6);
	strbuf_addstr(&t->buf, " ms");
	if (role && t->options->out == stdout)
		strbuf_addstr(&t->buf, color_off(role));
	strbuf_addstr(&t->buf, "): ");
}

static void trace_add_unknown_duration(struct trace_text *t)
{
	strbuf_addstr(&t->buf, "(         ): ");
}

static void trace_add_task(struct trace_text *t, const char *comm, int32_t tid)
{
	size_t at = t->buf.len;

	if (!t->options->tasks)
		return;
	if (t->options->comms) {
		strbuf_add(&t->buf, comm, strnlen(comm, COMM_BYTES));
		escape_line_ends(&t->buf, at);
		strbuf_addch(&t->buf, '/');
	}
	number_add_signed(&t->buf, tid, 0, ' ');
	strbuf_addch(&t->buf, ' ');
}

static struct trace_entry *trace_entry_of(struct trace_text *t, const struct syscall_task *task)
{
	struct trace_entry **entry;

	entry = array_at(&t->entries, task->index, 0);
	if (!entry)
		return NULL;
	if (!*entry)
		*entry = calloc(1, sizeof(**entry));
	return *entry;
}

static void trace_fill(struct trace_text *t, size_t from, size_t column)
{
	size_t used = t->buf.len - from;

	strbuf_add_spaces(&t->buf, used < column ? column - used : 1);
}

/* Another event comes before the call of the current task has returned: print its beginning. */
static struct error *trace_print_interrupted(struct trace_text *t)
{
	struct trace_entry *entry;
	size_t from;

	if (t->options->failures || !t->current)
		return NULL;
	entry = trace_entry_of(t, t->current);
	if (!entry || !entry->pending)
		return NULL;
	trace_add_time(t, t->current->entered);
	trace_add_unknown_duration(t);
	trace_add_task(t, t->current->comm, t->current->tid);
	from = t->buf.len;
	strbuf_add(&t->buf, strbuf_str(&entry->text), entry->text.len);
	strbuf_addch(&t->buf, ')');
	if (t->buf.len - from < RESULT_COLUMN - 4)
		trace_fill(t, from, RESULT_COLUMN - 4);
	strbuf_addstr(&t->buf, " ...");
	entry->pending = false;
	t->printed++;
	return trace_end_line(t);
}

static bool trace_never_returns(const struct syscall_info *info)
{
	return !strcmp(info->name, "exit_group") || !strcmp(info->name, "exit");
}

static struct error *trace_enter(struct syscall_listener *listener,
				 const struct syscall_call *call)
{
	struct trace_text *t = container_of(listener, struct trace_text, listener);
	struct trace_entry *entry = trace_entry_of(t, call->task);
	struct error *err = NULL;
	size_t from;

	if (!t->options->lines || trace_text_is_full(t))
		return NULL;
	if (!entry)
		return &error_no_memory;
	if (!t->options->shortest)
		err = trace_print_interrupted(t);
	if (err)
		return err;
	strbuf_reset(&entry->text);
	strbuf_addstr(&entry->text, call->info->name);
	strbuf_addch(&entry->text, '(');
	syscall_words_add_args(t->words, call, &entry->text);
	if (entry->text.failed)
		return &error_no_memory;
	t->current = call->task;
	entry->pending = !trace_never_returns(call->info);
	if (entry->pending || t->options->shortest || t->options->failures)
		return NULL;
	trace_add_time(t, call->time);
	trace_add_unknown_duration(t);
	trace_add_task(t, call->task->comm, call->task->tid);
	from = t->buf.len;
	strbuf_add(&t->buf, strbuf_str(&entry->text), entry->text.len);
	strbuf_addch(&t->buf, ')');
	trace_fill(t, from, RESULT_COLUMN);
	strbuf_addstr(&t->buf, "= ?");
	return trace_end_line(t);
}

static bool trace_is_shown(const struct trace_text *t, const struct syscall_call *call)
{
	if (!t->options->lines || trace_text_is_full(t))
		return false;
	if (t->options->shortest && (!call->began || call->duration < t->options->shortest))
		return false;
	return call->ret < 0 || !t->options->failures;
}

static struct error *trace_exit(struct syscall_listener *listener, const struct syscall_call *call)
{
	struct trace_text *t = container_of(listener, struct trace_text, listener);
	struct trace_entry *entry = trace_entry_of(t, call->task);
	bool pending = entry && entry->pending && call->began;
	size_t from;

	if (!entry)
		return &error_no_memory;
	entry->pending = false;
	if (!trace_is_shown(t, call))
		return NULL;
	if (call->began) {
		trace_add_time(t, call->task->entered);
		trace_add_duration(t, call->duration);
	} else {
		trace_add_unknown_time(t);
		trace_add_unknown_duration(t);
	}
	trace_add_task(t, call->task->comm, call->task->tid);
	from = t->buf.len;
	if (pending) {
		strbuf_add(&t->buf, strbuf_str(&entry->text), entry->text.len);
	} else {
		strbuf_addstr(&t->buf, " ... [continued]: ");
		strbuf_addstr(&t->buf, call->info->name);
		strbuf_addstr(&t->buf, "()");
	}
	strbuf_addch(&t->buf, ')');
	trace_fill(t, from, RESULT_COLUMN);
	strbuf_addstr(&t->buf, "= ");
	syscall_words_add_result(t->words, call, &t->buf);
	t->printed++;
	return trace_end_line(t);
}

struct error *trace_text_create(const struct trace_text_options *options,
				struct syscall_words *words, struct trace_text **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->listener = (struct syscall_listener){ .enter = trace_enter, .exit = trace_exit };
	(*ret)->options = options;
	(*ret)->words = words;
	return NULL;
}

void trace_text_destroy(struct trace_text *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->entries.nr; i++) {
		if (!t->entries.items[i])
			continue;
		strbuf_deinit(&t->entries.items[i]->text);
		free(t->entries.items[i]);
	}
	free(t->entries.items);
	strbuf_deinit(&t->buf);
	strbuf_deinit(&t->escaped);
	free(t);
}

struct syscall_listener *trace_text_listener(struct trace_text *t)
{
	return &t->listener;
}

void trace_text_see(struct trace_text *t, uint64_t time)
{
	if (!t->base)
		t->base = time;
}

bool trace_text_is_full(const struct trace_text *t)
{
	return t->options->most && t->printed >= t->options->most;
}

struct error *trace_text_event(struct trace_text *t, const struct session_record *r)
{
	struct error *err;

	if (!t->options->lines || trace_text_is_full(t))
		return NULL;
	err = trace_print_interrupted(t);
	if (err)
		return err;
	trace_add_time(t, r->sample.time);
	if (t->options->durations)
		trace_add_unknown_duration(t);
	trace_add_task(t, r->comm, r->tid);
	strbuf_addf(&t->buf, "%s(", r->event->name);
	if (r->format && t->options->by_print_fmt)
		event_format_print(r->format, r->sample.raw,
				   common_field_raw_size(r->event, &r->sample), r->sample.cpu,
				   &t->buf);
	else if (r->format)
		syscall_words_add_fields(t->words, r, &t->buf);
	strbuf_addch(&t->buf, ')');
	t->printed++;
	return trace_end_line(t);
}

static void trace_add_place(struct trace_text *t, const struct place *place)
{
	if (place->symbol)
		strbuf_addf(&t->buf, "%s+0x%" PRIx64, place->symbol->name, place->offset);
	else
		strbuf_addf(&t->buf, "0x%" PRIx64, place->map ? place->address : place->ip);
}

struct error *trace_text_fault(struct trace_text *t, const struct session_record *r)
{
	const struct sample *s = &r->sample;
	bool major = r->event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	struct place place = { .ip = s->ip }, data = { .ip = s->addr };
	size_t from;

	if (!t->options->lines || trace_text_is_full(t))
		return NULL;
	if (r->machine) {
		machine_find(r->machine, r->maps, s->cpumode, s->ip, &place);
		machine_find(r->machine, r->maps, s->cpumode, s->addr, &data);
	}
	trace_add_time(t, s->time);
	trace_add_duration(t, 0);
	trace_add_task(t, r->comm, r->tid);
	from = t->buf.len;
	strbuf_addstr(&t->buf, major ? "majfault [" : "minfault [");
	trace_add_place(t, &place);
	strbuf_addstr(&t->buf, "] => ");
	if (data.map)
		strbuf_addf(&t->buf, "%s@0x%" PRIx64, map_name(data.map), data.address);
	else
		strbuf_addf(&t->buf, "0x%" PRIx64, s->addr);
	strbuf_addf(&t->buf, " (%c%c)", data.map ? 'd' : '?',
		    s->cpumode == PERF_RECORD_MISC_KERNEL ? 'k' : '.');
	escape_line_ends(&t->buf, from);
	t->printed++;
	return trace_end_line(t);
}

struct error *trace_text_lost(struct trace_text *t, uint64_t lost)
{
	if (!t->options->lines)
		return NULL;
	strbuf_addf(&t->buf, "LOST %" PRIu64 " events!", lost);
	return trace_end_line(t);
}
