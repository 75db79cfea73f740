// SPDX-License-Identifier: GPL-2.0
#include "table/sched/timehist_summary.h"

#include <inttypes.h>
#include <math.h>

#include "lib/escape.h"
#include "lib/number.h"

void timehist_add_ms(struct strbuf *sb, uint64_t ns, unsigned int width)
{
	number_add_unsigned(sb, ns / 1000000, width, ' ');
	strbuf_addch(sb, '.');
	number_add_digits(sb, ns / 1000 % 1000, 3);
	strbuf_addch(sb, ' ');
}

void timehist_name_make(struct strbuf *sb, const struct timehist_name *name)
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

void timehist_summary_add(const struct timehist_text_options *o, unsigned int width,
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
