// SPDX-License-Identifier: GPL-2.0
#include "machine/live_judge.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
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

struct live_judge {
	int fd;
	struct cpumap cpus;
	uint32_t told;			/* the index of the violations' event */
	uint32_t nr_events;
	struct live_monitor *monitors;
	size_t nr;
	ARRAY_OF(struct live_violation) violations;
};

void live_judge_close(struct live_judge *j)
{
	if (!j)
		return;
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

static struct error *live_add_machine(struct live_judge *j, const struct monitor *m)
{
	_cleanup_free_ struct ktrace_machine *program = malloc(m->program->size);
	struct ktrace_machine_source *sources;
	struct ktrace_machine_add add = {
		.size = sizeof(add), .flags = KTRACE_MACHINE_ONLY, .program = (uintptr_t)program,
		.program_bytes = m->program->size, .violations = j->told,
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

struct error *live_judge_open(const struct judges *judges, pid_t pid, struct live_judge **ret)
{
	_cleanup_(live_judge) struct live_judge *j = calloc(1, sizeof(*j));
	struct error *err;

	if (!j)
		return &error_no_memory;
	j->fd = -1;
	j->nr = judges->list.nr;
	j->monitors = calloc(j->nr, sizeof(*j->monitors));
	if (!j->monitors)
		return &error_no_memory;
	err = cpumap_present(&j->cpus);
	if (!err)
		err = live_set_up(j);
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

/* The ring has no other reader, and it does not overwrite, so no record wraps. */
static struct error *live_read_ring(struct live_judge *j, uint32_t cpu)
{
	size_t page = sysconf(_SC_PAGESIZE), size = LIVE_PAGES * page;
	const struct ktrace_ring_meta *meta = mmap(NULL, page, PROT_READ, MAP_SHARED, j->fd,
						   KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_META));
	const char *data = mmap(NULL, size, PROT_READ, MAP_SHARED, j->fd,
				KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_DATA));
	struct error *err = NULL;

	if (meta == MAP_FAILED || data == MAP_FAILED)
		err = error_errno(errno, "Cannot read the ring of CPU %u", cpu);
	for (uint64_t pos = 0; !err && pos < meta->data_head;) {
		const struct perf_event_header *header = (const void *)(data + pos);

		if (!live_take(j, header))
			err = &error_no_memory;
		pos += header->size;
	}
	if (meta != MAP_FAILED)
		munmap((void *)meta, page);
	if (data != MAP_FAILED)
		munmap((void *)data, size);
	return err;
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

struct error *live_judge_stop(struct live_judge *j)
{
	struct error *err = ioctl(j->fd, KTRACE_IOC_STOP) ?
			    error_errno(errno, "The ktrace module cannot end judging") : NULL;

	for (size_t i = 0; !err && i < j->cpus.nr; i++)
		err = live_read_ring(j, j->cpus.cpus[i]);
	for (size_t i = 0; !err && i < j->nr; i++)
		err = live_read_sums(j, &j->monitors[i], i);
	if (!err)
		array_sort(&j->violations, live_compare);
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

struct error *live_judge_violations(const struct live_judge *j, struct judges_violation **ret,
				    size_t *ret_nr)
{
	struct judges_violation *rows = calloc(j->violations.nr + 1, sizeof(*rows));

	if (!rows)
		return &error_no_memory;
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
