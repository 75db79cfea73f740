// SPDX-License-Identifier: GPL-2.0
#include "machine/live_judge.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
#include "capture/ring.h"
#include "lib/array.h"
#include "lib/cpumap.h"

/* The rings only contain violations. */
#define LIVE_PAGES	64
/* Without CAP_IPC_LOCK, a monitor may get less memory, but at least for this many keys. */
#define LIVE_KEYS_MIN	1024
/* The common_type of violations, which no event has in its format. */
#define LIVE_TYPE	0

struct live_monitor {
	const struct monitor *monitor;
	struct ktrace_machine_read sums;
};

struct live_violation {
	struct key_violation violation;
	uint32_t machine;
};

struct live_ring {
	const struct ktrace_ring_meta *meta;
	struct ktrace_ring_tail *tail;
	const char *data;
	struct ring ring;
};

struct live_judge {
	int fd;
	struct cpumap cpus;
	uint32_t told;			/* the index of the violations' event */
	uint32_t nr_events;
	struct live_monitor *monitors;
	size_t nr;
	struct live_actions actions;
	ARRAY_OF(struct live_ring) rings;
	struct record_sink sink;	/* takes the records of the rings */
	ARRAY_OF(struct live_violation) violations;
	size_t taken;			/* violations before this were passed on */
};

static size_t live_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

static void live_unmap(const void *at, size_t size)
{
	if (at && at != MAP_FAILED)
		munmap((void *)at, size);
}

void live_judge_close(struct live_judge *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->rings.nr; i++) {
		live_unmap(j->rings.items[i].meta, live_page());
		live_unmap(j->rings.items[i].tail, live_page());
		live_unmap(j->rings.items[i].data, LIVE_PAGES * live_page());
	}
	free(j->rings.items);
	free(j->violations.items);
	free(j->monitors);
	cpumap_deinit(&j->cpus);
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

static struct error *live_judge_event(struct live_judge *j, uint64_t config, const char *name,
				    uint32_t flags, struct ktrace_event_add *ret)
{
	*ret = (struct ktrace_event_add){
		.size = sizeof(*ret), .flags = flags, .type = PERF_TYPE_TRACEPOINT,
		.config = config, .id = KTRACE_ID_BASE + j->nr_events,
		.sample_type = KTRACE_SAMPLE_TYPE, .name = (uintptr_t)name,
	};
	if (ioctl(j->fd, KTRACE_IOC_EVENT_ADD, ret))
		return error_errno(errno, "The ktrace module cannot judge %s", name);
	j->nr_events++;
	return NULL;
}

static struct error *live_add_tracepoint(struct live_judge *j, const struct monitor *m,
					 const struct event_format *format, uint32_t *ret)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct ktrace_event_add add;
	struct error *err;

	strbuf_addf(&name, "%s:%s", format->system, format->name);
	if (name.failed)
		return &error_no_memory;
	err = live_judge_event(j, format->id, name.data, 0, &add);
	if (err)
		return err;
	*ret = add.index;
	if (add.path != KTRACE_PATH_COUNTER)
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "%s cannot be judged in the kernel, because it is captured "
				    "by a counter, which may drop a firing without counting it: %s",
				    name.data,
				    device_why_no_template(j->fd, format->id, name.data) ?:
				    "there is no template"),
			  "Record it and judge the recording: 'ktrace record -a', then 'ktrace check "
			  "--monitor=%s'", m->name);
}

static struct error *live_refused(const struct monitor *m, int code)
{
	switch (code) {
	case ENOSPC:
		return error_new(code, "The filters of %s would cost too much where its events fire",
				 m->name);
	case EPERM:
		return error_hint(error_new(code, "The keys of %s need more locked memory than is allowed",
					    m->name), "Run ktrace as root, or raise 'ulimit -l'");
	default:
		return error_errno(code, "The ktrace module does not accept the model %s", m->name);
	}
}

/* Names of models are names of files, and the module accepts fewer characters. */
static void live_set_name(const char *name, char ret[KTRACE_MACHINE_NAME])
{
	name += strspn(name, ".-");
	for (size_t i = 0; i < KTRACE_MACHINE_NAME - 1 && name[i]; i++)
		ret[i] = isalnum((unsigned char)name[i]) || strchr("_-.", name[i]) ? name[i] : '_';
}

static struct error *live_add_machine(struct live_judge *j, const struct monitor *m)
{
	_cleanup_free_ struct ktrace_machine *program = malloc(m->program->size);
	struct ktrace_machine_source *sources;
	struct ktrace_machine_add add = {
		.size = sizeof(add), .flags = KTRACE_MACHINE_ONLY, .program = (uintptr_t)program,
		.program_bytes = m->program->size, .violations = j->told,
		.actions = j->actions.mask, .max_rate = j->actions.max_rate,
	};
	struct error *err = NULL;

	if (!program)
		return &error_no_memory;
	memcpy(program, m->program, m->program->size);
	sources = (struct ktrace_machine_source *)((struct ktrace_machine_state *)(program + 1) +
						   program->nr_states);
	for (uint32_t i = 0, index = 0; !err && i < program->nr_sources; i++) {
		uint32_t number = m->view.sources[i].event;

		if (!i || m->view.sources[i - 1].event != number)
			err = live_add_tracepoint(j, m, m->events.items[number], &index);
		sources[i].event = index;
	}
	live_set_name(m->name, add.name);
	while (!err && ioctl(j->fd, KTRACE_IOC_MACHINE_ADD, &add)) {
		if (errno != EPERM || program->max_keys <= LIVE_KEYS_MIN)
			return live_refused(m, errno);
		program->max_keys /= 2;
	}
	return err;
}

static struct error *live_set_up(struct live_judge *j)
{
	struct ktrace_setup setup = {
		.size = sizeof(setup), .flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_HOTPLUG,
		.pages = LIVE_PAGES, .clockid = KTRACE_CLOCK_PERF,
	};
	struct ktrace_event_add told;
	struct ktrace_info info;
	struct error *err = device_open(&j->fd, &info);

	if (err)
		return err;
	if (!(info.features & KTRACE_FEATURE_MACHINE))
		return error_hint(error_new(EOPNOTSUPP, "The ktrace module that is loaded is too old to "
					    "judge events"),
				  "Load the module that came with this ktrace");
	if (j->actions.mask && !(info.features & KTRACE_FEATURE_ACTIONS))
		return error_hint(error_new(EOPNOTSUPP, "The ktrace module that is loaded is too old for "
					    "actions"),
				  "Load the module that came with this ktrace");
	if (ioctl(j->fd, KTRACE_IOC_SETUP, &setup))
		return error_errno(errno, "The ktrace module cannot set up rings of %d pages",
				   LIVE_PAGES);
	err = live_judge_event(j, LIVE_TYPE, "ktrace:violation", KTRACE_EVENT_VIOLATION, &told);
	j->told = told.index;
	return err;
}

static struct error *live_limit(struct live_judge *j, pid_t pid)
{
	struct ktrace_task_add add = {
		.size = sizeof(add), .pid = pid, .flags = KTRACE_TASK_INHERIT | KTRACE_TASK_ON_EXEC,
	};

	if (!pid || !ioctl(j->fd, KTRACE_IOC_TASK_ADD, &add))
		return NULL;
	return error_errno(errno, "The ktrace module cannot follow the command");
}

/*
 * Store the violation of a sample.  It is at the end of the raw data, as the sizes of the common
 * fields are unknown.
 */
static bool live_take(struct live_judge *j, const struct perf_event_header *header)
{
	const char *at = (const char *)header;
	uint32_t raw_size;
	struct ktrace_violation v;
	struct live_violation row;

	if (header->type != PERF_RECORD_SAMPLE ||
	    header->size < KTRACE_SAMPLE_RAW_OFFSET + sizeof(v))
		return true;
	memcpy(&raw_size, at + KTRACE_SAMPLE_RAW_OFFSET - sizeof(raw_size), sizeof(raw_size));
	raw_size &= ~7U;
	memcpy(&v, at + KTRACE_SAMPLE_RAW_OFFSET + raw_size - sizeof(v), sizeof(v));
	if (v.machine >= j->nr)
		return true;
	row = (struct live_violation){
		.violation = {
			.time = v.when, .age = v.age, .source = v.source, .state = v.state,
		},
		.machine = v.machine,
	};
	memcpy(row.violation.key, v.key, sizeof(row.violation.key));
	return array_push(&j->violations, row);
}

static struct error *live_write(struct record_sink *sink, const struct record_span *span)
{
	struct live_judge *j = container_of(sink, struct live_judge, sink);
	const char *p = span->data, *end = p + span->size;

	for (; p < end; p += ((const struct perf_event_header *)p)->size)
		if (!live_take(j, (const void *)p))
			return &error_no_memory;
	return NULL;
}

static const struct record_sink_ops live_ops = { .write = live_write };

static struct error *live_map(struct live_judge *j, uint32_t cpu)
{
	struct live_ring ring = {
		.meta = mmap(NULL, live_page(), PROT_READ, MAP_SHARED, j->fd,
			     KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_META)),
		.tail = mmap(NULL, live_page(), PROT_READ | PROT_WRITE, MAP_SHARED, j->fd,
			     KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_TAIL)),
		.data = mmap(NULL, LIVE_PAGES * live_page(), PROT_READ, MAP_SHARED, j->fd,
			     KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_DATA)),
	};
	int code = errno;

	if (!array_push(&j->rings, ring))
		return &error_no_memory;
	if (ring.meta == MAP_FAILED || ring.tail == MAP_FAILED || ring.data == MAP_FAILED)
		return error_errno(code, "Cannot read the ring of CPU %u", cpu);
	j->rings.items[j->rings.nr - 1].ring = (struct ring){
		.head = (const uint64_t *)&ring.meta->data_head,
		.tail = (uint64_t *)&ring.tail->data_tail,
		.data = ring.data, .size = LIVE_PAGES * live_page(), .cpu = cpu,
	};
	return NULL;
}

struct error *live_judge_open(const struct judges *judges, pid_t pid,
			      const struct live_actions *actions, struct live_judge **ret)
{
	_cleanup_(live_judge) struct live_judge *j = calloc(1, sizeof(*j));
	struct error *err;

	if (!j)
		return &error_no_memory;
	j->fd = -1;
	j->sink.ops = &live_ops;
	j->actions = *actions;
	j->nr = judges->list.nr;
	j->monitors = calloc(j->nr, sizeof(*j->monitors));
	if (!j->monitors)
		return &error_no_memory;
	err = cpumap_present(&j->cpus);
	if (!err)
		err = live_set_up(j);
	for (size_t i = 0; !err && i < j->cpus.nr; i++)
		err = live_map(j, j->cpus.cpus[i]);
	if (!err)
		err = live_limit(j, pid);
	for (size_t i = 0; !err && i < j->nr; i++) {
		j->monitors[i].monitor = judges->list.items[i].monitor;
		err = live_add_machine(j, j->monitors[i].monitor);
	}
	if (err)
		return err;
	*ret = take_ptr(j);
	return NULL;
}

struct error *live_judge_start(struct live_judge *j)
{
	return ioctl(j->fd, KTRACE_IOC_START) ?
	       error_errno(errno, "The ktrace module cannot begin to judge") : NULL;
}

DEFINE_COMPARISON(live_compare, struct live_violation,
		  array_order(x->violation.time, y->violation.time) ?:
		  array_order(x->machine, y->machine))

static struct error *live_read_sums(struct live_judge *j, struct live_monitor *m, uint32_t number)
{
	m->sums = (struct ktrace_machine_read){ .size = sizeof(m->sums), .number = number };
	if (ioctl(j->fd, KTRACE_IOC_MACHINE_READ, &m->sums))
		return error_errno(errno, "Cannot read the outcomes of the keys");
	return NULL;
}

static struct error *live_read_rings(struct live_judge *j)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->rings.nr; i++)
		err = ring_drain(&j->rings.items[i].ring, NULL, &j->sink);
	return err;
}

int live_judge_fd(const struct live_judge *j)
{
	return j->fd;
}

struct error *live_judge_read(struct live_judge *j,
			      void (*take)(void *data, const struct judges_violation *row,
					   uint64_t boottime), void *data)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	struct ktrace_clock clock = { .size = sizeof(clock) };
	struct error *err = NULL;

	/* It ends POLLPRI.  A violation that comes later wakes again. */
	if (ioctl(j->fd, KTRACE_IOC_SNAPSHOT, &snapshot) && errno != EINTR)
		return error_errno(errno, "The ktrace module reports no violations");
	err = live_read_rings(j);
	if (!err && ioctl(j->fd, KTRACE_IOC_CLOCK, &clock))
		err = error_errno(errno, "The ktrace module does not report its clocks");
	if (err)
		return err;
	qsort(j->violations.items + j->taken, j->violations.nr - j->taken,
	      sizeof(*j->violations.items), live_compare);
	for (; j->taken < j->violations.nr; j->taken++) {
		const struct live_violation *v = &j->violations.items[j->taken];
		const struct judges_violation row = {
			j->monitors[v->machine].monitor, &v->violation,
		};

		take(data, &row, clock.boottime - (clock.trace - v->violation.time));
	}
	return NULL;
}

struct error *live_judge_stop(struct live_judge *j)
{
	struct error *err = ioctl(j->fd, KTRACE_IOC_STOP) ?
			    error_errno(errno, "The ktrace module cannot end judging") : NULL;

	if (!err)
		err = live_read_rings(j);
	for (size_t i = 0; !err && i < j->nr; i++)
		err = live_read_sums(j, &j->monitors[i], i);
	return err;
}

void live_judge_count(const struct live_judge *j, size_t number, struct key_counts *ret)
{
	const struct ktrace_machine_read *sums = &j->monitors[number].sums;

	*ret = (struct key_counts){
		.keys = sums->keys, .ok = sums->ok, .violated = sums->violated,
		.not_started = sums->not_started, .lost = sums->lost,
		.unordered = sums->unordered, .violations = sums->violations,
		.refused = sums->refused,
	};
}

void live_judge_sum_actions(const struct live_judge *j, struct action_sums *ret)
{
	*ret = (struct action_sums){ 0 };
	for (size_t i = 0; i < j->nr; i++) {
		ret->froze += j->monitors[i].sums.froze;
		ret->revoked += j->monitors[i].sums.revoked;
		ret->acted += j->monitors[i].sums.acted;
		ret->withheld += j->monitors[i].sums.withheld;
	}
}

struct error *live_judge_violations(struct live_judge *j, struct judges_violation **ret,
				    size_t *ret_nr)
{
	struct judges_violation *rows = calloc(j->violations.nr + 1, sizeof(*rows));

	if (!rows)
		return &error_no_memory;
	array_sort(&j->violations, live_compare);
	for (size_t i = 0; i < j->violations.nr; i++) {
		const struct live_violation *row = &j->violations.items[i];

		rows[i] = (struct judges_violation){
			j->monitors[row->machine].monitor, &row->violation,
		};
	}
	*ret = rows;
	*ret_nr = j->violations.nr;
	return NULL;
}
