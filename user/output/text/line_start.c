// SPDX-License-Identifier: GPL-2.0
#include "output/text/text_line.h"

#include <string.h>
#include <time.h>

#include "lib/escape.h"
#include "lib/number.h"
#include "output/text/text_fields.h"

#define NSEC_PER_SEC	1000000000ULL

/* The fields that are kept as text: they are the same for all records of a task on a CPU. */
#define KEPT_FIELDS	(TEXT_COMM | TEXT_PID | TEXT_TID | TEXT_CPU)

static void line_start_add_left(struct strbuf *line, int32_t value, size_t width)
{
	size_t end = line->len + width;

	number_add_signed(line, value, 0, ' ');
	strbuf_pad(line, end, ' ');
}

static void line_start_add_task(struct strbuf *line, uint64_t fields, const struct sample *sample)
{
	if ((fields & TEXT_PID) && (fields & TEXT_TID)) {
		number_add_signed(line, sample->pid, 5, ' ');
		strbuf_addch(line, '/');
		line_start_add_left(line, sample->tid, 5);
		strbuf_addch(line, ' ');
	} else if (fields & (TEXT_PID | TEXT_TID)) {
		number_add_signed(line, fields & TEXT_PID ? sample->pid : sample->tid, 5, ' ');
		strbuf_addch(line, ' ');
	}
}

static void add_cpu(struct strbuf *line, int32_t cpu)
{
	strbuf_addch(line, '[');
	number_add_signed(line, cpu, 3, '0');
	strbuf_add(line, "] ", 2);
}

static void add_plain_cpu(struct strbuf *line, int32_t cpu)
{
	number_add_signed(line, cpu, 3, ' ');
	strbuf_addch(line, ' ');
}

static void add_misc(struct strbuf *line, const struct perf_event_header *header)
{
	static const char modes[] = { [1] = 'K', [2] = 'U', [3] = 'H', [4] = 'G', [5] = 'g' };
	uint16_t misc = header->misc;
	unsigned int mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	char text[8];
	size_t n = 0;

	if (mode && mode < sizeof(modes))
		text[n++] = modes[mode];
	if (header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2) {
		if (misc & PERF_RECORD_MISC_MMAP_DATA)
			text[n++] = 'M';
	} else if (header->type == PERF_RECORD_COMM) {
		if (misc & PERF_RECORD_MISC_COMM_EXEC)
			text[n++] = 'E';
	} else if (header->type == PERF_RECORD_SWITCH ||
		   header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		if (misc & PERF_RECORD_MISC_SWITCH_OUT) {
			text[n++] = 'S';
			if (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
				text[n++] = 'p';
		}
	}
	while (n < 6)
		text[n++] = ' ';
	strbuf_add(line, text, n);
}

static void line_start_add_time(struct line_start *start, struct strbuf *line, uint64_t time,
				bool nanoseconds)
{
	uint64_t second = time / NSEC_PER_SEC;

	if (start->time_on)
		strbuf_addstr(line, start->time_on);
	if (start->second_len && start->second == second) {
		strbuf_add(line, start->second_text, start->second_len);
	} else {
		size_t from = line->len;

		number_add_unsigned(line, second, 5, ' ');
		strbuf_addch(line, '.');
		start->second_len = 0;
		if (line->failed || line->len - from > sizeof(start->second_text))
			return;
		start->second = second;
		start->second_len = line->len - from;
		memcpy(start->second_text, line->data + from, start->second_len);
	}
	if (nanoseconds)
		number_add_digits(line, time % NSEC_PER_SEC, 9);
	else
		number_add_digits(line, time % NSEC_PER_SEC / 1000, 6);
	if (start->time_off)
		strbuf_addstr(line, start->time_off);
	strbuf_add(line, ": ", 2);
}

static void make(struct line_start *start, struct strbuf *line, uint64_t fields,
		 unsigned int comm_width, const struct session_record *r)
{
	size_t from = line->len, len = strlen(r->comm), name;
	bool latency = comm_width == LINE_START_LATENCY;

	if (latency && len > 8)
		len = 8;
	if (latency)
		comm_width = 8;
	if (fields & TEXT_COMM) {
		strbuf_add_spaces(line, comm_width > len ? comm_width - len : 0);
		name = line->len;
		strbuf_add(line, r->comm, len);
		escape_line_ends(line, name);
		strbuf_addch(line, ' ');
	}
	line_start_add_task(line, fields, &r->sample);
	if (fields & TEXT_CPU && latency)
		add_plain_cpu(line, r->sample.cpu);
	else if (fields & TEXT_CPU)
		add_cpu(line, r->sample.cpu);
	start->comm = NULL;
	if (line->failed || line->len - from > sizeof(start->text))
		return;
	start->comm = r->comm;
	start->pid = r->sample.pid;
	start->tid = r->sample.tid;
	start->cpu = r->sample.cpu;
	start->fields = fields & KEPT_FIELDS;
	start->comm_width = latency ? LINE_START_LATENCY : comm_width;
	start->len = line->len - from;
	if (start->len)
		memcpy(start->text, line->data + from, start->len);
}

/* Append the time of day, in the local time zone. */
static void add_time_of_day(struct strbuf *line, const struct header *header, uint64_t time,
			    bool nanoseconds)
{
	uint64_t wall = header->wall_time + (time - header->clock_time);
	time_t seconds = wall / NSEC_PER_SEC;
	struct tm tm;
	char text[40];

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%F %T.", &tm))
		return;
	strbuf_addstr(line, text);
	if (nanoseconds)
		number_add_digits(line, wall % NSEC_PER_SEC, 9);
	else
		number_add_digits(line, wall % NSEC_PER_SEC / 1000, 6);
	strbuf_addch(line, ' ');
}

/* perf treats a time of 0 as a missing time. */
static uint64_t line_start_time(struct line_start *start, uint64_t time)
{
	uint64_t base = start->base;

	if (start->clock == LINE_CLOCK_RECORDING)
		return time;
	if (!base || start->clock == LINE_CLOCK_LAST)
		start->base = time;
	return base ? time - base : 0;
}

void line_start_add(struct line_start *start, struct strbuf *line, uint64_t fields,
		    unsigned int comm_width, bool nanoseconds, const struct session_record *r)
{
	const struct sample *sample = &r->sample;

	if (fields & TEXT_ORIGIN && r->origin) {
		size_t name = line->len;

		strbuf_addstr(line, r->origin);
		escape_line_ends(line, name);
		strbuf_addch(line, ' ');
	}
	/* Equal comms have equal pointers, see processes_comm(). */
	if (start->comm == r->comm && start->tid == sample->tid && start->pid == sample->pid &&
	    start->cpu == sample->cpu && start->fields == (fields & KEPT_FIELDS) &&
	    start->comm_width == comm_width)
		strbuf_add(line, start->text, start->len);
	else
		make(start, line, fields, comm_width, r);
	if (fields & TEXT_MISC)
		add_misc(line, r->record.header);
	if (fields & TEXT_TOD && start->header)
		add_time_of_day(line, start->header, sample->time, nanoseconds);
	if (fields & TEXT_TIME)
		line_start_add_time(start, line, line_start_time(start, sample->time), nanoseconds);
}
