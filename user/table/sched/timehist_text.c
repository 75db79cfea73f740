// SPDX-License-Identifier: GPL-2.0
#include "table/sched/timehist_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "session/callchain.h"
#include "table/print/table_print.h"

/* Append ns as "%*lu.%03lu ", in ms. */
static void timehist_add_ms(struct strbuf *sb, uint64_t ns, unsigned int width)
{
	number_add_unsigned(sb, ns / 1000000, width, ' ');
	strbuf_addch(sb, '.');
	number_add_digits(sb, ns / 1000 % 1000, 3);
	strbuf_addch(sb, ' ');
}

/* Replace @sb by "COMM[TID/PID]". */
static void timehist_name_make(struct strbuf *sb, const struct timehist_name *name)
{
	strbuf_reset(sb);
	strbuf_addstr(sb, name->comm);
	escape_line_ends(sb, 0);
	if (!name->pid)
		return;
	strbuf_addch(sb, '[');
	number_add_signed(sb, name->tid, 0, ' ');
	if (name->tid != name->pid) {
		strbuf_addch(sb, '/');
		number_add_signed(sb, name->pid, 0, ' ');
	}
	strbuf_addch(sb, ']');
}

/* The deviation of the mean in percent of the mean, as in perf. */
static float timehist_deviation(const struct timehist_sums *s)
{
	double variance;

	if (s->runs < 2 || s->mean == 0.0)
		return 0;
	variance = s->squares / (s->runs - 1);
	return 100.0 * sqrt(variance / s->runs) / s->mean;
}

static void timehist_add_task_row(const struct timehist_task *task, const char *name,
				  unsigned int width, bool state, struct strbuf *out)
{
	const struct timehist_sums *s = &task->sums;

	strbuf_addf(out, "%*s   %5" PRId32 "  %9" PRIu64 " ", width, name, task->parent, s->runs);
	timehist_add_ms(out, s->run, 8);
	if (state) {
		timehist_add_ms(out, s->sleep, 6);
		strbuf_addch(out, ' ');
		timehist_add_ms(out, s->iowait, 6);
		strbuf_addch(out, ' ');
		timehist_add_ms(out, s->preempted, 6);
		strbuf_addch(out, ' ');
		timehist_add_ms(out, s->delay, 6);
		strbuf_addch(out, '\n');
		return;
	}
	timehist_add_ms(out, s->shortest, 6);
	strbuf_addch(out, ' ');
	timehist_add_ms(out, s->mean, 6);
	strbuf_addch(out, ' ');
	timehist_add_ms(out, s->longest, 6);
	strbuf_addf(out, "  %5.2f   %5" PRIu64 "\n", timehist_deviation(s), s->migrations);
}

static void timehist_add_heading(const struct timehist_text_options *o, unsigned int width,
				 struct strbuf *out)
{
	strbuf_addf(out, "\n%s summary\n%*s  parent  %s  ",
		    o->idle ? "Idle-time" : o->state ? "Wait-time" : "Runtime", width, "comm",
		    o->idle ? "sched-out" : " sched-in");
	strbuf_addstr(out, o->idle ?
		      "  idle-time   min-idle    avg-idle    max-idle  stddev  migrations\n" :
		      o->state ? "   run-time      sleep      iowait     preempt       delay\n" :
		      "   run-time    min-run     avg-run     max-run  stddev  migrations\n");
	strbuf_addf(out, "%*s            (count)       (msec)     (msec)      (msec)      (msec)"
		    "       %s\n", width, "", o->state ? "(msec)" : "%");
	for (int i = 0; i < 117; i++)
		strbuf_addch(out, '-');
	strbuf_addch(out, '\n');
}

static void timehist_summary_add_idle(const struct timehist_text_options *o,
			      const struct timehist_summary *s, uint64_t *switches,
			      struct strbuf *out)
{
	static const struct timehist_sums none;
	size_t nr = s->nr_cpus > o->cpus ? s->nr_cpus : o->cpus;

	strbuf_addstr(out, "\nIdle stats:\n");
	for (size_t i = 0; i < nr; i++) {
		const struct timehist_sums *idle = i < s->nr_cpus ? &s->idle[i] : &none;

		if (o->wanted && !cpumap_has(o->wanted, i))
			continue;
		strbuf_addf(out, "    CPU %2zu idle ", i);
		if (!idle->runs) {
			strbuf_addstr(out, "entire time window\n");
			continue;
		}
		*switches += idle->runs;
		strbuf_addstr(out, "for ");
		timehist_add_ms(out, idle->run, 6);
		strbuf_addf(out, " msec  (%6.2f%%)\n", 100.0 * idle->run / s->span);
	}
}

/* @width: of names, so far. */
static void timehist_summary_add(const struct timehist_text_options *o, unsigned int width,
				 const struct timehist_summary *s, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	uint64_t switches = 0, run = 0;

	timehist_add_heading(o, width, out);
	for (size_t i = 0; i < s->nr_tasks; i++) {
		timehist_name_make(&name, &s->tasks[i].name);
		if (name.len > width)
			width = name.len;
		timehist_add_task_row(&s->tasks[i], strbuf_str(&name), width,
				      o->state && !o->idle, out);
		switches += s->tasks[i].sums.runs;
		run += s->tasks[i].sums.run;
	}
	if (!s->nr_tasks)
		strbuf_addstr(out, "<no still running tasks>\n");
	/* With some samples left out, it is not known when CPUs were idle. */
	if (s->incomplete)
		return;
	timehist_summary_add_idle(o, s, &switches, out);
	strbuf_addf(out, "\n    Total number of unique tasks: %zu\n"
		    "Total number of context switches: %" PRIu64 "\n"
		    "           Total run time (msec): ", s->nr_tasks, switches);
	timehist_add_ms(out, run, 2);
	strbuf_addstr(out, "\n    Total scheduling time (msec): ");
	timehist_add_ms(out, s->span, 2);
	strbuf_addf(out, " (x %zu)\n", s->nr_cpus > o->cpus + 1 ? s->nr_cpus - 1 : o->cpus);
	out->failed |= name.failed;
}

#define FLUSH_BYTES	65536

/* Width of the column of times. */
#define TIMEHIST_TIME_WIDTH	15

/* Width of the column of priorities, which is perf's. */
#define PRIO_WIDTH	8

struct timehist_text {
	struct timehist_sink sink;
	const struct timehist_text_options *options;
	struct strbuf buf;
	unsigned int width;	/* of names; grows with the longest one so far */
	uint32_t cpus;		/* that pictures have */
	struct strbuf name;
	struct callchain chain;
	const struct event_format *format;	/* the format of the field next_comm */
	const struct field *next_comm;
};

static void timehist_add_dashes(struct strbuf *sb, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		strbuf_addch(sb, '-');
}

/* Append @text, filled up to @width characters. */
static void timehist_add_left(struct strbuf *sb, const char *text, size_t len, size_t width)
{
	strbuf_add(sb, text, len);
	if (len < width)
		strbuf_add_spaces(sb, width - len);
}

/* Append a time that may be unknown because of lost records. */
static void timehist_add_known(struct strbuf *sb, uint64_t ns, bool known)
{
	if (known)
		timehist_add_ms(sb, ns, 6);
	else
		strbuf_addstr(sb, "   unknown ");
}

/* Format a name; longer ones make the column wider from now on. */
static const struct strbuf *timehist_name(struct timehist_text *t, const struct timehist_name *name)
{
	timehist_name_make(&t->name, name);
	if (t->name.len > t->width)
		t->width = t->name.len;
	return &t->name;
}

static struct error *timehist_text_write(struct timehist_text *t)
{
	FILE *out = t->options->out;

	if (t->buf.failed)
		return &error_no_memory;
	fwrite(strbuf_str(&t->buf), 1, t->buf.len, out);
	strbuf_reset(&t->buf);
	return ferror(out) ? error_errno(errno, "Cannot write the table") : NULL;
}

struct error *timehist_text_flush(struct timehist_text *t)
{
	return t->buf.len || t->buf.failed ? timehist_text_write(t) : NULL;
}

static struct error *timehist_text_end_line(struct timehist_text *t)
{
	strbuf_addch(&t->buf, '\n');
	return t->buf.len >= FLUSH_BYTES || t->buf.failed ? timehist_text_write(t) : NULL;
}

struct error *timehist_text_begin(struct timehist_text *t)
{
	const struct timehist_text_options *o = t->options;
	struct strbuf *sb = &t->buf;

	strbuf_addf(sb, "%15s %6s ", "time", "cpu");
	if (o->picture) {
		strbuf_addch(sb, ' ');
		for (uint32_t i = 0; i < t->cpus; i++)
			strbuf_addf(sb, "%x", i % 16);
		strbuf_addch(sb, ' ');
	}
	strbuf_addf(sb, " %-*s  ", t->width, "task name");
	if (o->prio)
		strbuf_addf(sb, "%-*s  ", PRIO_WIDTH, "prio");
	strbuf_addf(sb, "%9s  %9s  %9s%s\n", "wait time", "sch delay", "run time",
		    o->state ? "  state" : "");
	strbuf_addf(sb, "%15s %-6s ", "", "");
	if (o->picture)
		strbuf_addf(sb, " %*s ", t->cpus, "");
	strbuf_addf(sb, " %-*s  ", t->width, "[tid/pid]");
	if (o->prio)
		strbuf_addf(sb, "%*s  ", PRIO_WIDTH, "");
	strbuf_addf(sb, "%9s  %9s  %9s%s\n", "(msec)", "(msec)", "(msec)",
		    o->state ? "       " : "");
	strbuf_addstr(sb, "--------------- ------ ");
	if (o->picture) {
		strbuf_addch(sb, ' ');
		timehist_add_dashes(sb, t->cpus);
		strbuf_addch(sb, ' ');
	}
	strbuf_addch(sb, ' ');
	timehist_add_dashes(sb, t->width);
	if (o->prio) {
		strbuf_add_spaces(sb, 2);
		timehist_add_dashes(sb, PRIO_WIDTH);
	}
	strbuf_addf(sb, "  ---------  ---------  ---------%s\n", o->state ? "  -----" : "");
	return timehist_text_flush(t);
}

/* Show the CPU by the position of @mark. */
static void timehist_add_picture(struct timehist_text *t, int32_t cpu, char mark)
{
	size_t at;

	/* As in perf, pictures become wider with CPUs that the header does not know. */
	if (cpu >= 0 && (uint32_t)cpu >= t->cpus)
		t->cpus = cpu + 1;
	at = t->buf.len;
	strbuf_add_spaces(&t->buf, t->cpus);
	if (cpu >= 0 && !t->buf.failed)
		t->buf.data[at + cpu] = mark;
}

static void timehist_add_start(struct timehist_text *t, const struct timehist_row *row)
{
	struct strbuf *sb = &t->buf;

	table_add_seconds(row->time, TIMEHIST_TIME_WIDTH, sb);
	strbuf_add(sb, " [", 2);
	number_add_unsigned(sb, row->cpu, 4, '0');
	strbuf_add(sb, "] ", 2);
	if (!t->options->picture)
		return;
	strbuf_add_spaces(sb, row->kind == TIMEHIST_MOVED ? 2 : 1);
	timehist_add_picture(t, row->cpu, row->kind == TIMEHIST_WOKE ? ' ' :
			     row->kind == TIMEHIST_MOVED ? 'm' : row->event->tid ? 's' : 'i');
	strbuf_add_spaces(sb, row->kind == TIMEHIST_MOVED ? 2 : 1);
}

static void timehist_text_add_task(struct timehist_text *t, const struct timehist_name *name)
{
	const struct strbuf *text = timehist_name(t, name);

	strbuf_addch(&t->buf, ' ');
	timehist_add_left(&t->buf, strbuf_str(text), text->len, t->width);
	strbuf_addch(&t->buf, ' ');
}

/* The task that runs next, as perf prints it: in at most 29 characters. */
static void timehist_add_next(struct timehist_text *t, const struct sched_event *e)
{
	const struct sample *s = &e->sample->sample;
	const char *comm = NULL;
	size_t len = 0;
	char text[30];

	if (t->format != e->sample->format) {
		t->format = e->sample->format;
		t->next_comm = event_format_field(t->format, "next_comm");
	}
	if (t->next_comm)
		comm = field_bytes(t->next_comm, s->raw, s->raw_size, &len);
	snprintf(text, sizeof(text), "next: %.*s[%" PRId32 "]", (int)len, comm ? comm : "",
		 e->next_tid);
	strbuf_addch(&t->buf, ' ');
	timehist_add_left(&t->buf, text, strlen(text), t->width);
}

/* Every chain begins with these functions, which are not informative. */
static bool timehist_is_scheduler(const char *name)
{
	return !strcmp(name, "schedule") || !strcmp(name, "__schedule") ||
	       !strcmp(name, "preempt_schedule");
}

static struct error *timehist_add_chain(struct timehist_text *t, const struct session_record *r)
{
	struct error *err = callchain_read(&t->chain, r, t->options->depth + 2);
	bool any = false;

	if (err)
		return err;
	for (size_t i = 0; i < t->chain.nr; i++) {
		const struct frame *frame = &t->chain.items[i];
		const char *name = "[unknown]";
		struct place place;

		machine_find(r->machine, r->maps, frame->mode, frame->ip, &place);
		if (place.symbol)
			name = place.symbol->name;
		if (timehist_is_scheduler(name))
			continue;
		if (any)
			strbuf_add(&t->buf, " <-", 3);
		strbuf_addch(&t->buf, ' ');
		strbuf_addstr(&t->buf, name);
		any = true;
	}
	return NULL;
}

static struct error *timehist_add_run(struct timehist_text *t, const struct timehist_row *row)
{
	const struct timehist_text_options *o = t->options;
	const struct session_record *r = row->event->sample;
	struct strbuf *sb = &t->buf;
	struct error *err = NULL;

	if (o->prio)
		strbuf_addf(sb, " %-*" PRId32 " ", PRIO_WIDTH, sched_event_prio(row->event));
	timehist_add_known(sb, row->wait, !row->lost_off);
	timehist_add_known(sb, row->delay, !row->lost_off);
	timehist_add_known(sb, row->run, !row->lost_run);
	if (o->state) {
		strbuf_add_spaces(sb, 5);
		strbuf_addch(sb, row->event->tid ? row->event->leave.letter : 'I');
		strbuf_addch(sb, ' ');
	}
	if (o->next)
		timehist_add_next(t, row->event);
	else if (o->wakeups)
		strbuf_add_spaces(sb, 2 + t->width);
	if (row->event->tid && o->chains) {
		strbuf_add_spaces(sb, 2);
		if (r->sample.callchain && r->machine)
			err = timehist_add_chain(t, r);
	}
	return err;
}

static struct error *timehist_text_row(struct timehist_sink *sink, const struct timehist_row *row)
{
	struct timehist_text *t = container_of(sink, struct timehist_text, sink);
	const struct timehist_text_options *o = t->options;
	struct strbuf *sb = &t->buf;
	const struct strbuf *other;
	struct error *err = NULL;

	if (!o->lines || (row->kind == TIMEHIST_WOKE && !o->wakeups) ||
	    (row->kind == TIMEHIST_MOVED && !o->migrations))
		return NULL;
	timehist_add_start(t, row);
	timehist_text_add_task(t, &row->task);
	if (row->kind == TIMEHIST_RAN) {
		err = timehist_add_run(t, row);
		return err ? err : timehist_text_end_line(t);
	}
	strbuf_add_spaces(sb, 2 + 9 + 2 + 9 + 2 + 9 + 1);
	strbuf_addstr(sb, row->kind == TIMEHIST_WOKE ? "awakened: " : "migrated: ");
	other = timehist_name(t, &row->other);
	strbuf_add(sb, strbuf_str(other), other->len);
	if (row->kind == TIMEHIST_MOVED)
		strbuf_addf(sb, " cpu %" PRId32 " => %" PRId32, row->event->cpu_from,
			    row->event->cpu_to);
	return timehist_text_end_line(t);
}

static struct error *timehist_text_lost(struct timehist_sink *sink, uint64_t since, uint64_t time,
					int32_t cpu, uint64_t lost)
{
	struct timehist_text *t = container_of(sink, struct timehist_text, sink);

	if (!t->options->lines)
		return NULL;
	table_add_seconds(time, TIMEHIST_TIME_WIDTH, &t->buf);
	strbuf_addf(&t->buf, " lost %" PRIu64 " events on cpu %" PRId32, lost, cpu);
	if (since && since < time) {
		strbuf_addstr(&t->buf, " since ");
		table_add_seconds(since, 0, &t->buf);
	}
	return timehist_text_end_line(t);
}

struct error *timehist_text_create(const struct timehist_text_options *options,
				   struct timehist_text **ret)
{
	struct timehist_text *t = calloc(1, sizeof(*t));

	if (!t)
		return &error_no_memory;
	t->options = options;
	t->width = 30;
	t->cpus = options->cpus + 1;
	t->sink = (struct timehist_sink){ timehist_text_row, timehist_text_lost };
	*ret = t;
	return NULL;
}

void timehist_text_destroy(struct timehist_text *t)
{
	if (!t)
		return;
	strbuf_deinit(&t->buf);
	strbuf_deinit(&t->name);
	callchain_deinit(&t->chain);
	free(t);
}

struct timehist_sink *timehist_text_sink(struct timehist_text *t)
{
	return &t->sink;
}

struct error *timehist_text_end(struct timehist_text *t, const struct timehist_summary *summary)
{
	timehist_summary_add(t->options, t->width, summary, &t->buf);
	return timehist_text_write(t);
}
