// SPDX-License-Identifier: GPL-2.0
/* A command's tasks among all tasks, by records of several CPUs. */
#include "capture/perf/task_records.h"

#include <stdio.h>
#include <unistd.h>

#include "capture/event_attr.h"
#include "record/body.h"
#include "tap.h"

/* Numbers of processes: OTHER is one there is, the rest no kernel gives. */
#define COMMAND 100
#define OTHER 1
#define BASE 0x70000000

static struct event_list events;
static struct task_records records;

/* The records that came out: "COMM 100/100 sh" and so on, with commas between. */
struct collector {
	struct record_sink sink;
	struct strbuf text;
	bool fail;
};

struct body {
	struct perf_event_header header;
	union {
		struct body_task task;
		struct { int32_t pid, tid; char comm[16]; } comm;
	};
	struct {
		int32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t id;
	} id;
};

static uint32_t real(uint32_t number)
{
	return number == OTHER ? (uint32_t)getpid() : BASE + number;
}

static struct error *collect(struct record_sink *sink, const struct record_span *span)
{
	struct collector *c = container_of(sink, struct collector, sink);
	const struct body *b = span->data;

	if (c->fail)
		return error_new(0, "disk full");
	if (c->text.len)
		strbuf_addstr(&c->text, ", ");
	strbuf_addf(&c->text, "%s %u/%u", record_type_name(b->header.type), b->comm.pid - BASE,
		    (b->header.type == PERF_RECORD_COMM ? b->comm.tid : b->task.tid) - BASE);
	if (b->header.size != span->size || b->id.cpu != span->cpu)
		strbuf_addstr(&c->text, " in a wrong span");
	return NULL;
}

static const struct record_sink_ops collector_ops = { .write = collect };

static void add(struct body *b, uint32_t type, uint64_t time, uint32_t pid, uint32_t tid)
{
	b->header.type = type;
	b->header.size = sizeof(*b);
	b->id.pid = real(pid);
	b->id.tid = real(tid);
	b->id.time = time;
	b->id.cpu = time % 4;
	b->id.id = 1;
	task_records_add(&records, &b->header, b->id.cpu);
}

static void comm(uint64_t time, uint32_t pid, uint32_t tid, bool exec)
{
	struct body b = { .comm = { .pid = real(pid), .tid = real(tid), .comm = "x" } };

	b.header.misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	add(&b, PERF_RECORD_COMM, time, pid, tid);
}

static void forks(uint64_t time, uint32_t parent, uint32_t ptid, uint32_t pid, uint32_t tid)
{
	struct body b = { .task = { real(pid), real(parent), real(tid), real(ptid), time } };

	add(&b, PERF_RECORD_FORK, time, parent, ptid);
}

static void exits(uint64_t time, uint32_t pid, uint32_t tid)
{
	struct body b = { .task = { real(pid), 1, real(tid), 1, time } };

	add(&b, PERF_RECORD_EXIT, time, pid, tid);
}

static void gives(uint64_t mark, const char *want, const char *what)
{
	struct collector c = { .sink = { &collector_ops }, .text = STRBUF_INIT };

	about("%s", what);
	no_error(task_records_give(&records, mark, &c.sink), "no error");
	is_str(strbuf_str(&c.text), want, "the records that are given");
	strbuf_deinit(&c.text);
}

static void begin(void)
{
	task_records_deinit(&records);
	task_records_init(&records, events.items[0], real(COMMAND));
	/* We, and who started us. */
	task_records_leave_out_present(&records);
}

static void begin_with_exec(const char *what)
{
	begin();
	comm(1, COMMAND, COMMAND, true);
	gives(2, "COMM 100/100", what);
}

static void test_order(void)
{
	begin();
	comm(1, COMMAND, COMMAND, false);
	forks(2, COMMAND, COMMAND, 90, 90);
	gives(5, "", "nothing from before the command's exec");
	comm(10, COMMAND, COMMAND, true);
	/* The ring of the child's CPU is read before that of its parent's. */
	comm(30, 101, 101, true);
	exits(40, 101, 101);
	forks(35, OTHER, OTHER, 102, 102);
	comm(36, 102, 102, true);
	forks(20, COMMAND, COMMAND, 101, 101);
	gives(10, "", "nothing that is not before the mark");
	gives(36, "COMM 100/100, FORK 101/101, COMM 101/101", "by time, the command's alone");
	gives(UINT64_MAX, "EXIT 101/101", "the rest");
	gives(UINT64_MAX, "", "nothing twice");
}

static void test_threads(void)
{
	begin_with_exec("threads: the command's exec");
	forks(10, COMMAND, COMMAND, COMMAND, 110);
	forks(11, COMMAND, 110, COMMAND, 111);
	forks(12, COMMAND, 111, 112, 112);
	exits(13, COMMAND, COMMAND);
	exits(14, COMMAND, 111);
	/* The thread that is left execs, and has the first one's number then. */
	comm(15, COMMAND, COMMAND, true);
	forks(16, COMMAND, COMMAND, 113, 113);
	exits(17, COMMAND, COMMAND);
	comm(18, 112, 112, false);
	gives(UINT64_MAX, "FORK 100/110, FORK 100/111, FORK 112/112, EXIT 100/100, EXIT 100/111, "
	      "COMM 100/100, FORK 113/113, EXIT 100/100, COMM 112/112", "threads, and one that execs");
}

static void test_numbers(void)
{
	begin_with_exec("numbers: the command's exec");
	forks(10, COMMAND, COMMAND, 120, 120);
	exits(11, 120, 120);
	forks(12, OTHER, OTHER, 120, 120);
	comm(13, 120, 120, true);
	exits(14, 120, 120);
	forks(15, COMMAND, COMMAND, 120, 120);
	comm(16, 120, 120, true);
	gives(UINT64_MAX, "FORK 120/120, EXIT 120/120, FORK 120/120, COMM 120/120",
	      "a number that others had meanwhile");
	/* Its EXIT was not seen. */
	forks(20, OTHER, OTHER, 120, 120);
	comm(21, 120, 120, true);
	gives(UINT64_MAX, "", "what others took over before the command's exec");
}

static void test_ties(void)
{
	begin_with_exec("ties: the command's exec");
	exits(12, 130, 130);
	comm(12, 130, 130, true);
	forks(12, COMMAND, COMMAND, 130, 130);
	gives(UINT64_MAX, "EXIT 130/130, COMM 130/130, FORK 130/130",
	      "all at the same time, by a coarse clock");
}

static void test_unknown(void)
{
	struct collector c = { .sink = { &collector_ops }, .fail = true };

	begin_with_exec("unknown: the command's exec");
	comm(10, 140, 140, true);
	forks(11, 140, 140, 141, 141);
	comm(12, 141, 141, true);
	comm(13, OTHER, OTHER, false);
	gives(UINT64_MAX, "COMM 140/140, FORK 141/141, COMM 141/141",
	      "a task of which nothing is known, and its child");
	forks(20, OTHER, OTHER, 142, 142);
	task_records_lost(&records);
	comm(21, 142, 142, true);
	gives(UINT64_MAX, "FORK 142/142, COMM 142/142", "everybody's after a loss");
	begin();
	task_records_lost(&records);
	comm(30, COMMAND, COMMAND, false);
	gives(UINT64_MAX, "COMM 100/100", "after a loss, what may be of the command's exec");
	comm(40, COMMAND, COMMAND, false);
	is_error(task_records_give(&records, UINT64_MAX, &c.sink), "disk full", "a sink's error");
}

int main(void)
{
	struct event_attr_options options = { .clockid = -1, .inherit = true, .on_exec = true };
	struct perf_event_attr attr;
	struct event *event;

	event_attr_init_side_band(&options, &attr);
	event_list_init(&events);
	no_error(event_list_add(&events, &attr, "dummy:u", &event), "an event");
	event_finish(event);
	test_order();
	test_threads();
	test_numbers();
	test_ties();
	test_unknown();
	task_records_deinit(&records);
	event_list_deinit(&events);
	return tap_done();
}
