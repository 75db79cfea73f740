// SPDX-License-Identifier: GPL-2.0
/*
 * The promises of every capture backend, for each row of backends.def that can be used here. The
 * rows themselves have the differences between backends, so that a new row needs nothing here.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/backend.h"
#include "capture/event_attr.h"
#include "capture/backend_fake.h"
#include "record/sample.h"
#include "spec/event_spec.h"
#include "tap.h"

#define TRACEPOINT "syscalls:sys_enter_getpriority"
#define FIRINGS 1000

/* The records of a capture. */
struct collector {
	struct record_sink sink;
	const struct event_list *events;
	uint64_t samples, lost, comms, foreign, rounds;
	uint64_t last[4096];	/* time, by CPU */
	bool disorder, misaligned;
};

static void take(struct collector *c, const struct perf_event_header *header, uint32_t cpu)
{
	const struct event *event = event_list_find_record(c->events, header);
	struct sample sample;

	if (header->type == PERF_RECORD_LOST)
		c->lost += ((const uint64_t *)header)[2];
	if (header->type == PERF_RECORD_COMM)
		c->comms++;
	if (header->type != PERF_RECORD_SAMPLE)
		return;
	if (!event || !sample_decode(event, header, &sample)) {
		c->foreign++;
		return;
	}
	c->samples++;
	if (sample.cpu >= 0 && (uint32_t)sample.cpu != cpu)
		c->foreign++;
	if (cpu < 4096 && sample.time < c->last[cpu])
		c->disorder = true;
	if (cpu < 4096)
		c->last[cpu] = sample.time;
}

static struct error *collect(struct record_sink *sink, const struct record_span *span)
{
	struct collector *c = container_of(sink, struct collector, sink);
	const char *p = span->data, *end = p + span->size;

	if ((uintptr_t)p % 8 || span->size % 8)
		c->misaligned = true;
	while (p < end) {
		const struct perf_event_header *header = (const void *)p;

		if (header->size < 8 || header->size > end - p) {
			c->misaligned = true;
			break;
		}
		take(c, header, span->cpu);
		p += header->size;
	}
	return NULL;
}

static const struct record_sink_ops collector_ops = { .write = collect };

static void fire(const struct cpumap *cpus)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpus->cpus[i], &set);
		sched_setaffinity(0, sizeof(set), &set);
		for (int n = 0; n < FIRINGS; n++)
			syscall(SYS_getpriority, 0, 0);
	}
}

static bool is_made_up(const struct capture_backend *backend)
{
	return backend->can & CAPTURE_MADE_UP;
}

/* Fire in a child where the process that opened the capture is not recorded. */
static void fire_recorded(const struct capture_backend *backend, const struct cpumap *cpus)
{
	pid_t child;

	if (!(backend->can & CAPTURE_NOT_SELF)) {
		fire(cpus);
		return;
	}
	child = fork();
	if (!child) {
		fire(cpus);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void add_event(const struct capture_backend *backend, struct event_list *events)
{
	struct event_specs specs = { 0 };
	struct event_attr_options options = { .clockid = -1, .system_wide = true, .leader = true };
	struct perf_event_attr attr;
	struct event *event;

	/* Records that are made up need no tracefs. */
	no_error(event_specs_add(&specs, is_made_up(backend) ? "cpu-clock" : TRACEPOINT),
		 named("the word of event %zu is taken", events->nr));
	if (!specs.nr)
		return;
	backend->init_attr(&specs.items[0], &options, &attr);
	no_error(event_list_add(events, &attr, specs.items[0].text, &event),
		 named("event %zu is added", events->nr));
	capture_backend_take(backend, event);
	event_specs_deinit(&specs);
}

/* -F is for events without a period or rate of their own. */
static void test_own_period(const struct capture_backend *backend)
{
	struct event_attr_options options = {
		.clockid = -1, .system_wide = true, .leader = true, .freq = 99,
	};
	struct event_specs specs = { 0 };
	struct perf_event_attr attr;

	for (size_t i = 0; i < 3; i++)
		no_error(event_specs_add(&specs, TRACEPOINT), named("event %zu is taken", i));
	if (specs.nr != 3)
		return;
	specs.items[1].period = 7;
	specs.items[2].freq = 50;
	backend->init_attr(&specs.items[0], &options, &attr);
	ok(attr.freq && attr.sample_freq == 99, "an event without a period has the rate of all");
	backend->init_attr(&specs.items[1], &options, &attr);
	ok(!attr.freq && attr.sample_period == 7, "an event's own period comes before the rate");
	backend->init_attr(&specs.items[2], &options, &attr);
	ok(attr.freq && attr.sample_freq == 50, "an event's own rate comes before that of all");
	event_specs_deinit(&specs);
}

static void test_backend(const struct capture_backend *backend)
{
	struct event_list events = { 0 };
	struct cpumap cpus = { 0 };
	pid_t self = getpid();
	struct capture_config config = {
		.target = { .cpus = &cpus, .tasks = &self, .nr_tasks = 1 }, .clockid = -1,
	};
	struct collector c = { .sink = { &collector_ops }, .events = &events };
	struct ledger ledger = { 0 };
	struct capture_clock clock = { 0 };
	struct capture *capture = NULL;
	struct ledger_row sum;
	struct pollfd pfd = { .events = POLLIN };
	uint64_t mark = 0, before, want;
	bool ids = true;
	size_t nr;

	about("%s", backend->name);
	if (backend->can & CAPTURE_NOT_SELF)
		config.target.tasks = NULL;
	no_error(cpumap_online(&cpus), "the CPUs are known");
	add_event(backend, &events);
	if (!no_error(backend->open(&events, &config, &capture), "a capture opens"))
		goto out;
	no_error(event_list_index(&events), "ids can be looked up");
	ok(capture->backend == backend, "a capture knows its backend");
	for (size_t i = 0; i < events.items[0]->nr_ids; i++)
		ids &= event_list_find_id(&events, events.items[0]->ids[i]) == events.items[0];
	ok(events.items[0]->nr_ids && ids, "events get ids");
	ok(events.items[0]->attr.sample_type & PERF_SAMPLE_IDENTIFIER &&
	   events.items[0]->attr.sample_id_all,
	   "every record names its event");
	ok(capture_backend_of(events.items[0]) == backend,
	   "an event's backend is found by its number");
	if (backend->path)
		ok(backend->path(capture, events.items[0]), "the path of an event has a name");

	no_error(backend->drain(capture, &c.sink), "a capture drains before the start");
	is_u64(c.samples, 0, "nothing comes before the start");
	nr = backend->poll_fds(capture, &pfd.fd, 1);
	ok(nr >= 1 && poll(&pfd, 1, 0) >= 0, "a capture has a descriptor to poll");

	no_error(backend->start(capture), "a capture starts");
	fire_recorded(backend, &cpus);
	if (backend->mark)
		no_error(backend->mark(capture, &mark), "a capture marks");
	if (backend->clock) {
		no_error(backend->clock(capture, &clock), "a capture reads its clock");
		ok(!clock.trace || clock.trace >= mark, "the clock goes forward");
	}
	no_error(backend->drain(capture, &c.sink), "a capture drains while it runs");
	/* Marked after the last firing: nothing of it may come later. */
	before = c.samples;
	want = is_made_up(backend) ? before : FIRINGS * cpus.nr;
	if (backend->mark)
		ok(before >= want, "all that was marked has come: %llu of %llu",
		   (unsigned long long)before, (unsigned long long)want);
	no_error(backend->stop(capture), "a capture stops");
	fire(&cpus);
	no_error(backend->drain(capture, &c.sink), "a capture drains after the stop");
	before = c.samples;
	no_error(backend->drain(capture, &c.sink), "a capture drains after the stop again");
	is_u64(c.samples, before, "nothing new comes after the stop");
	no_error(backend->ledger(capture, &c.sink, &ledger), "a capture has a ledger");
	sum = ledger_sum(&ledger, 0);
	is_u64(sum.recorded, c.samples, "the ledger's recorded is the number of samples");
	is_u64(ledger_row_lost(&sum), c.lost, "the ledger's lost is the sum of LOST records");
	if (!is_made_up(backend))
		ok(sum.recorded + ledger_row_lost(&sum) >= want && sum.recorded <= want + 10,
		   "recorded and lost add up to the firings");
	ok(!c.misaligned, "spans hold whole records");
	ok(!c.disorder, "rings are in the order of time");
	is_u64(c.foreign, 0, "no record is foreign");
out:
	if (capture)
		backend->close(capture);
	ledger_deinit(&ledger);
	event_list_deinit(&events);
	cpumap_deinit(&cpus);
}

/* Returns the sum of the event's counts over all places; @when is for the check's name. */
static struct capture_count count_of(struct counting *counting, const struct event *event,
				     size_t nr_places, const char *when)
{
	struct capture_count sum = { .is_counted = true };
	struct error *err = NULL;

	for (size_t place = 0; !err && place < nr_places; place++) {
		struct capture_count count = { 0 };

		err = counting->ops->read(counting, event, place, &count);
		sum.is_counted &= count.is_counted;
		sum.value += count.value;
		sum.enabled += count.enabled;
		sum.running += count.running;
	}
	no_error(err, named("a count can be read %s", when));
	return sum;
}

/* Count FIRINGS on each CPU, by one task or by whole CPUs. */
static void test_counting(const struct capture_backend *backend, bool whole_cpus)
{
	pid_t self = getpid();
	struct cpumap cpus = { 0 };
	struct capture_target target = { .cpus = &cpus };
	struct event_list events = { 0 };
	struct counting *counting = NULL;
	struct capture_count count;
	size_t nr_places;
	uint64_t want;

	about("%s counts %s", backend->name, whole_cpus ? "whole CPUs" : "one task");
	no_error(cpumap_online(&cpus), "the CPUs are known");
	if (!whole_cpus) {
		target.tasks = &self;
		target.nr_tasks = 1;
	}
	nr_places = whole_cpus ? cpus.nr : 1;
	want = FIRINGS * cpus.nr;
	add_event(backend, &events);
	if (!no_error(backend->counting->open(&events, &target, &counting), "counters open"))
		goto out;
	fire_recorded(backend, &cpus);
	count = count_of(counting, events.items[0], nr_places, "before the start");
	is_u64(count.value, 0, "nothing is counted before the start");

	no_error(counting->ops->start(counting), "counting starts");
	fire_recorded(backend, &cpus);
	count = count_of(counting, events.items[0], nr_places, "while it counts");
	ok(count.is_counted, "the event is counted in each place");
	/* Other tasks of whole CPUs may fire, too, but hardly ever do. */
	ok(whole_cpus ? count.value >= want : count.value == want,
	   "all firings are counted: %llu of %llu", (unsigned long long)count.value,
	   (unsigned long long)want);
	ok(count.running && count.running <= count.enabled, "the times say that it was counted");

	no_error(counting->ops->stop(counting), "counting stops");
	count = count_of(counting, events.items[0], nr_places, "after the stop");
	want = count.value;
	fire_recorded(backend, &cpus);
	count = count_of(counting, events.items[0], nr_places, "long after the stop");
	is_u64(count.value, want, "nothing is counted after the stop");
out:
	if (counting)
		counting->ops->close(counting);
	event_list_deinit(&events);
	cpumap_deinit(&cpus);
}

/*
 * Count two events of a task and its child as a group. Only the leader is enabled.
 */
static void test_counting_group(const struct capture_backend *backend)
{
	pid_t self = getpid(), child;
	struct cpumap cpus = { 0 };
	struct capture_target target = {
		.cpus = &cpus, .tasks = &self, .nr_tasks = 1, .inherit = true,
	};
	struct event_list events = { 0 };
	struct counting *counting = NULL;
	struct capture_count leader, member;

	about("%s counts a group", backend->name);
	no_error(cpumap_online(&cpus), "the CPUs are known");
	add_event(backend, &events);
	add_event(backend, &events);
	if (events.nr < 2)
		goto out;
	for (size_t i = 0; i < events.nr; i++) {
		events.items[i]->group = 1;
		events.items[i]->attr.inherit = 1;
		events.items[i]->attr.disabled = i == 0;
	}
	if (!no_error(backend->counting->open(&events, &target, &counting), "counters open"))
		goto out;
	fire(&cpus);
	no_error(counting->ops->start(counting), "counting starts");
	fire(&cpus);
	child = fork();
	if (!child) {
		fire(&cpus);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	no_error(counting->ops->stop(counting), "counting stops");
	leader = count_of(counting, events.items[0], 1, "of the leader");
	member = count_of(counting, events.items[1], 1, "of the member");
	is_u64(leader.value, 2 * FIRINGS * cpus.nr, "the leader counts the task and its child");
	is_u64(member.value, leader.value, "the member counts as long as its leader");
out:
	if (counting)
		counting->ops->close(counting);
	event_list_deinit(&events);
	cpumap_deinit(&cpus);
}

/* An event that cannot be counted is an error, unless it is one of many that a glob names. */
static void test_counting_refused(const struct capture_backend *backend)
{
	const struct perf_event_attr attr = { .type = UINT32_MAX - 1 };
	pid_t self = getpid();
	struct cpumap cpus = { 0 };
	struct capture_target target = { .cpus = &cpus, .tasks = &self, .nr_tasks = 1 };
	struct event_list events = { 0 };
	struct counting *counting = NULL;
	struct capture_count count;
	struct event *event;
	struct error *err;

	about("%s counts an event that does not exist", backend->name);
	no_error(cpumap_online(&cpus), "the CPUs are known");
	no_error(event_list_add(&events, &attr, "no-such-event", &event), "an event is added");
	capture_backend_take(backend, event);
	err = backend->counting->open(&events, &target, &counting);
	ok(err && !counting && !strstr(err->message, "no counter"),
	   "that is refused, and not as one of the hardware: %s", err ? err->message : "");
	error_free(err);
	event->optional = true;
	no_error(backend->counting->open(&events, &target, &counting),
		 "if the event is optional, it is not refused");
	if (counting) {
		count = count_of(counting, event, 1, "of what has no counter");
		ok(!count.is_counted && !count.value, "if the event is optional, it is not counted");
		counting->ops->close(counting);
	}
	event_list_deinit(&events);
	cpumap_deinit(&cpus);
}

static void test_fake_bytes(void)
{
	uint32_t cpu_numbers[] = { 0, 5 };
	struct cpumap cpus = { cpu_numbers, 2 };
	struct capture_config config = { .target = { .cpus = &cpus }, .clockid = -1 };
	struct event_list events = { 0 };
	struct collector c = { .sink = { &collector_ops }, .events = &events };
	struct ledger ledger = { 0 };
	struct capture *capture;
	const struct capture_backend *fake = capture_backend_find("fake");
	struct ledger_row sum;
	struct error *err = NULL;

	about("fake, first event");
	add_event(fake, &events);
	about("fake, second event");
	add_event(fake, &events);
	about("fake, two events");
	no_error(fake->open(&events, &config, &capture), "two CPUs are opened");
	no_error(event_list_index(&events), "ids can be looked up");
	no_error(fake->start(capture), "a capture starts");
	for (int i = 0; i < 7 && !err; i++)
		err = fake->drain(capture, &c.sink);
	no_error(err, "a capture drains seven times");
	no_error(fake->stop(capture), "a capture stops");
	no_error(fake->ledger(capture, &c.sink, &ledger), "a capture has a ledger");
	is_u64(c.samples, 4 * 60, "six of seven of 70 occurrences of each event come");
	is_u64(c.lost, 4 * 10, "the seventh is lost, the last loss is reported at the end");
	sum = ledger_sum(&ledger, UINT32_MAX);
	is_u64(sum.lost[LEDGER_LOST_FULL], 4 * 10, "the ledger has the losses");
	is_u64(c.last[5], FAKE_TIME_BASE + 68 * FAKE_TIME_STEP + 5 + 1, "records have the times promised");
	fake->close(capture);
	ledger_deinit(&ledger);
	event_list_deinit(&events);
}

/* Users and recordings name backends, so the names and numbers must be unique. */
static void test_table(void)
{
	const struct capture_backend *last = capture_backends[CAPTURE_NR_BACKENDS - 1];

	about("the table of backends");
	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++) {
		const struct capture_backend *backend = capture_backends[i];
		struct event event = { .source = backend->source };

		ok(capture_backend_find(backend->name) == backend &&
		   strcmp(backend->name, "auto"), "%s: no other backend has its name",
		   backend->name);
		ok(capture_backend_of(&event) == backend, "%s: no other backend has its number",
		   backend->name);
		ok(backend->title && (!backend->automatic || backend->remark),
		   "%s: has a title, and a remark if help names it", backend->name);
	}
	ok(!capture_backends[CAPTURE_NR_BACKENDS], "the table ends with NULL");
	ok(!capture_backend_of(&(struct event){ .source = UINT32_MAX }),
	   "a number that no row has belongs to no backend");
	ok(last->automatic && last->can & CAPTURE_ANY_EVENT && last->can & CAPTURE_TASK_RECORDS,
	   "the last backend captures events that no other one can, and the records of tasks");
}

int main(void)
{
	test_table();
	for (const struct capture_backend *const *b = capture_backends; *b; b++) {
		struct error *err = (*b)->available();

		about_nothing();
		if (err || (!is_made_up(*b) && geteuid())) {
			ok(true, "%s # SKIP %s", (*b)->name, err ? err->message : "needs root");
			error_free(err);
			continue;
		}
		ok(true, "%s can be used", (*b)->name);
		test_backend(*b);
		if (!is_made_up(*b))
			test_own_period(*b);
		if (!(*b)->counting)
			continue;
		test_counting(*b, false);
		test_counting(*b, true);
		if ((*b)->can & CAPTURE_GROUPS && !((*b)->can & CAPTURE_NOT_SELF))
			test_counting_group(*b);
		test_counting_refused(*b);
	}
	test_fake_bytes();
	return tap_done();
}
