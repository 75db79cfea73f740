// SPDX-License-Identifier: GPL-2.0
/*
 * The ktrace device as a source.  One descriptor serves all events and CPUs, and each CPU has
 * one ring.  linux/ktrace.h documents the interface.
 */
#include <assert.h>
#include <errno.h>
#include <linux/ktrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/backend.h"
#include "capture/cgroup.h"
#include "capture/event_attr.h"
#include "capture/ktrace/device.h"
#include "capture/ktrace/device_capture.h"
#include "capture/ktrace/device_counts.h"
#include "capture/ktrace/filter_encode.h"
#include "capture/ktrace/kept.h"
#include "capture/perf/perf_open.h"
#include "capture/ring.h"
#include "format/function_events.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "record/body.h"
#include "record/common_field.h"
#include "record/device_lost.h"
#include "terminal/progress.h"

/* Encodes events of kernel functions (format/function_events.h) for the device. */
struct function_encoding {
	struct ktrace_function_arg args[KTRACE_MAX_FUNCTION_ARGS];
};

static_assert(FUNCTION_ARGS_MAX == KTRACE_MAX_FUNCTION_ARGS, "all arguments have room");
static_assert(FUNCTION_ARG_MAX_LOADS == KTRACE_MAX_ARG_LOADS, "all loads have room");

/* Fill @add for the function.  @encoding has to live until @add was passed to the device. */
static void function_encode(const struct function_event *function,
			    struct function_encoding *encoding, struct ktrace_event_add *add)
{
	add->flags |= KTRACE_EVENT_FUNCTION | (function->at_return ? KTRACE_EVENT_RETURN : 0);
	add->address = function->address;
	add->path = KTRACE_PATH_FUNCTION;
	if (!function->nr_args)
		return;
	for (size_t i = 0; i < function->nr_args; i++) {
		const struct function_arg *from = &function->fetched[i];
		struct ktrace_function_arg *to = &encoding->args[i];

		*to = (struct ktrace_function_arg){
			.reg = from->reg, .size = from->size, .nr_loads = from->nr_loads,
		};
		memcpy(to->offsets, from->offsets, sizeof(to->offsets));
	}
	add->args = (uintptr_t)encoding->args;
	add->nr_args = function->nr_args;
}

#define DEFAULT_PAGES 128
/* The pages of a ring besides its data: meta and tail. */
#define RING_OTHER_PAGES 2
/* From this minor version on, the module accepts CPUs that are offline. */
#define HOTPLUG_ABI_MINOR 3

/* ledger_reason_of_device() relies on these numbers. */
_Static_assert(KTRACE_LOST_FULL == 0 && KTRACE_LOST_NESTED == 1 && KTRACE_LOST_TOO_BIG == 2 &&
	       KTRACE_LOST_RECURSION == 3 && KTRACE_LOST_FROZEN == 6, "reasons of loss differ");
/* Readers use these without the device's header. */
_Static_assert(KTRACE_MISC_CPU_SHIFT == EVENT_COMPACT_CPU_SHIFT &&
	       KTRACE_MISC_CPUS == EVENT_COMPACT_CPUS && KTRACE_ID_BASE == EVENT_DEVICE_IDS,
	       "offsets of the CPU or ids differ");

static struct error *device_available(void)
{
	struct ktrace_info info;
	struct error *err;
	int fd;

	err = device_open(&fd, &info);
	if (!err)
		close(fd);
	return err;
}

/* The minor version of the ABI from which on the module stores strings. */
#define ABI_OF_STRINGS	8

static struct error *device_check_strings(void)
{
	struct ktrace_info info;
	struct error *err;
	int fd;

	err = device_open(&fd, &info);
	if (err)
		return err;
	close(fd);
	if (info.abi_minor >= ABI_OF_STRINGS)
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "The ktrace module that is loaded is too old to record "
				    "strings of system calls"),
			  "Load the module that came with this ktrace");
}

static struct error *device_check_filter(const struct event *event)
{
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };

	return filter_encode(event->filter_tree, &program);
}

/*
 * Scheduler events involve a second task.  If the recorder's own events were left out, the traces
 * of other tasks would have gaps.
 */
static bool wants_self(const struct event_list *events)
{
	return array_any(events, it, capture_backend_has(&backend_ktrace, *it) &&
				     !strncmp((*it)->name, "sched:", 6));
}

static struct error *setup(struct device_capture *c, const struct capture_config *config,
			   const struct ktrace_info *info, unsigned int pages)
{
	uint32_t words = 0;
	_cleanup_free_ uint64_t *mask = NULL;
	struct ktrace_setup setup = {
		.size = sizeof(setup),
		.flags = (wants_self(c->events) ? KTRACE_SETUP_TRACE_SELF : 0) |
			 (config->overwrite ? KTRACE_SETUP_OVERWRITE : 0) |
			 (config->freezable ? KTRACE_SETUP_FREEZABLE : 0) |
			 (c->cpus == &c->present ? KTRACE_SETUP_HOTPLUG : 0),
		.pages = pages,
		.clockid = config->clockid < 0 ? KTRACE_CLOCK_PERF : config->clockid,
		.wakeup_bytes = config->wakeup_bytes,
	};

	if (config->freezable && !(info->features & KTRACE_FEATURE_ACTIONS))
		return error_hint(error_new(EOPNOTSUPP, "The ktrace module that is loaded is too old for "
					    "--freezable"), "Load the module that came with this ktrace");
	for (size_t i = 0; i < c->cpus->nr; i++)
		if (c->cpus->cpus[i] / 64 + 1 > words)
			words = c->cpus->cpus[i] / 64 + 1;
	mask = calloc(words, sizeof(*mask));
	if (!mask)
		return &error_no_memory;
	for (size_t i = 0; i < c->cpus->nr; i++)
		mask[c->cpus->cpus[i] / 64] |= 1ULL << c->cpus->cpus[i] % 64;
	setup.cpus_bytes = words * sizeof(*mask);
	setup.cpus = (uintptr_t)mask;

	if (!ioctl(c->fd, KTRACE_IOC_SETUP, &setup))
		return NULL;
	if (errno == EINVAL && pages > info->max_pages)
		return error_hint(error_new(EINVAL, "The ktrace module takes rings of at most %u "
					    "pages, not %u", info->max_pages, pages),
				  "Give it a smaller -m");
	if (errno == EINVAL && config->overwrite && info->abi_minor < 2)
		return error_hint(error_new(EINVAL, "The ktrace module that is loaded is too old for "
					    "--overwrite"), "Load the module that came with this "
							    "ktrace");
	if (errno == E2BIG)
		return error_new(E2BIG, "There are %d recorders with --freezable already",
				 KTRACE_MAX_FREEZABLE);
	if (errno == EPERM)
		return perf_open_locked_memory_error(pages, RING_OTHER_PAGES);
	if (errno == ENOMEM)
		return error_hint(error_new(ENOMEM, "There is not enough memory for rings of %u pages "
					    "on %zu CPUs", pages, c->cpus->nr),
				  "Give it a smaller -m, or fewer CPUs with -C");
	return error_errno(errno, "The ktrace module cannot set up rings of %u pages", pages);
}

static struct error *add_error(const struct event *event, int code)
{
	switch (code) {
	case ENOENT:
		return error_hint(error_new(code, "The ktrace module finds no event %s", event->name),
				  "The module that defines it may have been unloaded meanwhile");
	case ENODEV:
		return error_hint(error_new(code, "The ktrace module cannot capture %s", event->name),
				  "Record it with --via=perf");
	case E2BIG:
		return error_hint(error_new(code, "A recording through the ktrace module holds at most "
					    "%d events", KTRACE_MAX_EVENTS),
				  "Record fewer events at once");
	case ENOSPC:
		return error_hint(error_new(code, "The filters of %s, together with those of other "
					    "recordings, need more work than the ktrace module "
					    "allows for one event", event->name),
				  "Give it one -e with one filter, end other recordings of it, or record "
				  "it with --via=perf");
	case ENOBUFS:
		return error_hint(error_new(code, "%s and the events before it take more memory "
					    "than this user may lock", event->name),
				  "Record fewer events or filters at once, use smaller rings (-m), raise "
				  "ulimit -l, or run ktrace as root");
	case ERANGE:
		return error_hint(error_new(code, "Compact records (--compact) have room for the "
					    "numbers of %d CPUs at most, and this machine may have "
					    "more", KTRACE_MISC_CPUS),
				  "Record without --compact");
	case EPERM:
	case EACCES:
		return error_hint(error_new(code, "Recording %s through the ktrace module is not "
					    "permitted", event->name),
				  "The module needs CAP_PERFMON in the initial user and pid "
				  "namespaces, and a kernel that is not locked down");
	case EINVAL:
		if (event->filter)
			return error_hint(error_new(code, "The ktrace module refuses the filter '%s' "
						    "of %s", event->filter, event->name),
					  "Record it with --via=perf, or with a simpler filter");
		/* fallthrough */
	default:
		return error_errno(code, "The ktrace module cannot add %s", event->name);
	}
}

/* Some events cannot have a kernel counter: synthetic ones, and those of the ftrace system. */
static struct error *leave_to_perf(struct event *event, bool on_exec)
{
	const char *lacks = event->common.nr && event->is_compact ? "--fields and --compact have" :
			    event->common.nr ? "--fields has" : event->is_compact ? "--compact has" : NULL;

	if (lacks)
		log_notice("%s is left to perf_event, as the ktrace module cannot record it: %s no "
			   "effect on it.", event->name, lacks);
	else
		log_debug("The ktrace module cannot capture %s, perf_event records it.", event->name);
	capture_backend_take(&backend_perf, event);
	common_layout_deinit(&event->common);
	event->attr.enable_on_exec = on_exec;
	/* Only the module writes compact records. */
	event->attr.sample_type |= KTRACE_SAMPLE_TYPE;
	event_finish(event);
	return NULL;
}

/* Set up the sampling for -c and -F. */
static struct error *sample(struct device_capture *c, const struct event *event, uint32_t index)
{
	struct ktrace_sample sample = { .size = sizeof(sample), .index = index };

	if (event->attr.freq)
		sample.max_rate = event->attr.sample_freq;
	else if (event->attr.sample_period > 1)
		sample.every = event->attr.sample_period;
	else
		return NULL;
	if (!ioctl(c->fd, KTRACE_IOC_SAMPLE, &sample))
		return NULL;
	if (errno == ENOTTY)
		return error_hint(error_new(ENOTTY, "The ktrace module that is loaded is too old to "
					    "record only some of the events"),
				  "Load the module that came with this ktrace");
	return error_errno(errno, "The ktrace module cannot record only some of %s", event->name);
}

/* The kernel explains a refusal in more detail for a probe. */
static struct error *function_error(const struct event *event,
				    const struct function_event *function)
{
	struct error *err;
	uint64_t id;

	err = function_event_make_probe(function, &id);
	return err ? err : add_error(event, ENODEV);
}

/* Add an event by template if possible; otherwise, or if @path requests it, by counters. */
static int add_by_path(struct device_capture *c, enum capture_path path,
		       struct ktrace_event_add *add, const char **fallback)
{
	*fallback = NULL;
	if (add->flags & KTRACE_EVENT_FUNCTION)
		return ioctl(c->fd, KTRACE_IOC_EVENT_ADD, add) ? errno : 0;
	add->path = path == CAPTURE_PATH_COUNTER ? KTRACE_PATH_COUNTER : KTRACE_PATH_TEMPLATE;
	if (!ioctl(c->fd, KTRACE_IOC_EVENT_ADD, add))
		return 0;
	if (path == CAPTURE_PATH_COUNTER || errno != ENODEV || add->user_strings)
		return errno;
	*fallback = device_why_no_template(c->fd, add->config,
					   (const char *)(uintptr_t)add->name);
	add->path = KTRACE_PATH_COUNTER;
	return ioctl(c->fd, KTRACE_IOC_EVENT_ADD, add) ? errno : 0;
}

static struct error *check_fields(const struct device_capture *c, const struct event *event)
{
	uint64_t unknown = common_layout_mask(&event->common) & ~c->fields;

	if (!unknown)
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "The ktrace module that is loaded does not know the "
				    "field '%s'",
				    common_field_info(__builtin_ctzll(unknown))->name),
			  "Load the module that came with this ktrace, or name other fields with "
			  "--fields");
}

/* An older module refuses them as an unknown option. */
static struct error *check_compact(const struct device_capture *c, const struct event *event)
{
	if (!event->is_compact || c->has_compact)
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "The ktrace module that is loaded is too old for "
				    "--compact"),
			  "Load the module that came with this ktrace");
}

/* The names of the counted fields of @event, for messages. */
static void add_counted_names(const struct event *event, struct strbuf *out)
{
	const struct common_layout *layout = &event->common;
	const char *before = "";

	for (size_t i = 0; i < layout->nr; i++) {
		const struct common_field_info *info = common_field_info(layout->items[i].number);

		if (!info || !info->counted)
			continue;
		strbuf_addf(out, "%s'%s'", before, info->name);
		before = " and ";
	}
}

static struct error *counters_error(const struct event *event, int code)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	add_counted_names(event, &names);
	if (code == EUSERS)
		return error_hint(error_new(code, "The kernel cannot count %s (--fields): others "
					    "use all counters of a CPU's PMU", strbuf_str(&names)),
				  "End the other counters, such as perf stat with pinned events "
				  "(:D), or the NMI watchdog: sysctl kernel.nmi_watchdog=0");
	return error_hint(error_new(code, "The kernel cannot count %s (--fields): a CPU of this machine has "
				    "no PMU for it", strbuf_str(&names)),
			  "Virtual machines often have none: give this one a PMU, or leave these fields "
			  "out");
}

/* Strings are never left out silently: the event would have another format. */
static struct error *strings_error(const struct event *event)
{
	return error_hint(error_new(ENODEV, "The ktrace module cannot record the strings of %s "
				    "(--user-strings)", event->name),
			  "It needs a template for that (--path), and a kernel with "
			  "CONFIG_FTRACE_SYSCALLS");
}

/* Whether an argument of the function is read from kernel memory. */
static bool reads_memory(const struct function_event *function)
{
	for (size_t i = 0; i < function->nr_args; i++)
		if (function->fetched[i].nr_loads)
			return true;
	return false;
}

static struct error *device_add_event(struct device_capture *c, struct event *event,
				      const struct capture_config *config)
{
	bool on_exec = config->target.on_exec;
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	struct ktrace_event_add add = {
		.size = sizeof(add),
		.flags = event->trigger ? KTRACE_EVENT_TRIGGER : 0,
		.type = PERF_TYPE_TRACEPOINT,
		.config = event->attr.config,
		.id = KTRACE_ID_BASE + event->index,
		.sample_type = event->attr.sample_type,
		.fields = common_layout_mask(&event->common),
		.user_strings = event->user_strings,
		.name = (uintptr_t)event->name,
	};
	const struct function_event *function = function_events_find(event->attr.config);
	struct error *err = check_fields(c, event);
	struct function_encoding functions;
	const char *fallback;
	int code;

	if (!err)
		err = check_compact(c, event);
	if (!c->has_regs) {
		event->attr.sample_type = add.sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
		event->attr.sample_regs_user = 0;
	}
	if (function)
		function_encode(function, &functions, &add);
	if (!err && event->filter)
		err = filter_encode(event->filter_tree, &program);
	if (err)
		return err;
	if (event->filter) {
		add.filter = (uintptr_t)program.insns;
		add.filter_insns = program.nr;
		add.pool = (uintptr_t)program.pool.data;
		add.pool_bytes = program.pool.len;
	}
	code = add_by_path(c, config->path, &add, &fallback);
	if (code == EOPNOTSUPP || code == EUSERS)
		return counters_error(event, code);
	if (code && event->user_strings && (code == ENODEV || code == EINVAL))
		return strings_error(event);
	if (code) {
		if (function && code == ENODEV && !event->optional)
			return function_error(event, function);
		if (function && code == EPERM && reads_memory(function))
			return error_hint(error_new(code, "Arguments of %s are read from memory of the "
						    "kernel, which is not permitted", event->name),
					  "Run ktrace as root or with CAP_BPF besides CAP_PERFMON, on a "
					  "kernel that is not locked down; or name only arguments that "
					  "are in registers");
		if (!config->strict && !function &&
		    (code == ENODEV || (code == EINVAL && !event->filter)))
			return leave_to_perf(event, on_exec);
		/*
		 * The kernel refuses some events to everyone, even if other events are permitted.
		 */
		if (event->optional && (code == ENODEV || code == EPERM)) {
			log_debug("%s cannot be recorded.", event->name);
			event_list_remove(c->events, event);
			return NULL;
		}
		return add_error(event, code);
	}
	err = sample(c, event, add.index);
	if (err)
		return err;
	c->device[event->index] = (struct device_event){ add.index, add.path, fallback };
	c->is_alone = !(add.sample_type & PERF_SAMPLE_IDENTIFIER);
	if (event->count)
		err = device_counts_add(c->fd, event, add.index,
					c->device[event->count->start].index);
	return err ? err : event_add_id(event, add.id);
}

static struct error *add_tasks(struct device_capture *c, const struct capture_target *target)
{
	size_t nr = target->tasks ? target->nr_tasks : 0, gone = 0;

	for (size_t i = 0; i < nr; i++) {
		struct ktrace_task_add add = {
			.size = sizeof(add),
			.flags = (target->inherit ? KTRACE_TASK_INHERIT : 0) |
				 (target->on_exec ? KTRACE_TASK_ON_EXEC : 0),
			.pid = target->tasks[i],
		};

		if (!ioctl(c->fd, KTRACE_IOC_TASK_ADD, &add))
			continue;
		/*
		 * It is no error if a thread has ended since it was listed, unless all of them
		 * have.
		 */
		if (errno == EPERM)
			return error_hint(error_new(EPERM, "Recording single tasks takes 2 MB more "
						    "memory than this user may lock"),
					  "Use smaller rings (-m), raise ulimit -l, or record all tasks "
					  "(-a)");
		if (errno != ESRCH)
			return error_errno(errno, "The ktrace module cannot follow task %d", add.pid);
		gone++;
	}
	if (nr && gone == nr)
		return error_new(ESRCH, "The task %d to record does not exist", (int)target->tasks[0]);
	return NULL;
}

static struct error *scope_error(int code, const char *what, const char *name)
{
	if (code == ENOTTY)
		return error_hint(error_new(code, "The ktrace module that is loaded is too old to "
					    "record only %s %s", what, name),
				  "Load the module that came with this ktrace");
	if (code == E2BIG)
		return error_new(code, "The ktrace module takes at most %d names of tasks",
				 KTRACE_SCOPE_MAX);
	return error_errno(code, "The ktrace module cannot record only %s %s", what, name);
}

static struct error *device_add_comm(struct device_capture *c, const char *comm)
{
	struct ktrace_scope_add add = { .size = sizeof(add), .kind = KTRACE_SCOPE_COMM };

	memcpy(add.comm, comm, strnlen(comm, sizeof(add.comm) - 1));
	if (ioctl(c->fd, KTRACE_IOC_SCOPE_ADD, &add))
		return scope_error(errno, "tasks named", comm);
	return NULL;
}

static struct error *device_add_cgroup(struct device_capture *c, const char *name)
{
	struct ktrace_scope_add add = { .size = sizeof(add), .kind = KTRACE_SCOPE_CGROUP };
	_cleanup_close_ int fd = -1;
	struct error *err;

	err = cgroup_open(name, true, &fd);
	if (err)
		return err;
	add.cgroup = fd;
	if (ioctl(c->fd, KTRACE_IOC_SCOPE_ADD, &add))
		return scope_error(errno, "the cgroup", name);
	return NULL;
}

static struct error *add_conditions(struct device_capture *c, const struct capture_target *target)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < target->nr_comms; i++)
		err = device_add_comm(c, target->comms[i]);
	if (!err && target->cgroup)
		err = device_add_cgroup(c, target->cgroup);
	return err;
}

static struct error *device_backend_open(struct event_list *events,
					 const struct capture_config *config, struct capture **ret)
{
	_cleanup_(device) struct device_capture *c = calloc(1, sizeof(*c));
	unsigned int pages = config->pages ? config->pages : DEFAULT_PAGES;
	struct ktrace_info info;
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->base.backend = &backend_ktrace;
	c->events = events;
	c->cpus = config->target.cpus;
	c->fd = -1;
	c->nr_device = events->nr;
	c->device = calloc(c->nr_device + 1, sizeof(*c->device));
	c->overwrite = config->overwrite;
	if (!c->device)
		return &error_no_memory;

	err = device_open(&c->fd, &info);
	c->fields = err ? 0 : info.fields;
	c->has_compact = !err && info.features & KTRACE_FEATURE_COMPACT;
	c->has_regs = !err && info.features & KTRACE_FEATURE_REGS_USER;
	if (!err && config->target.hotplug && info.abi_minor >= HOTPLUG_ABI_MINOR) {
		err = cpumap_present(&c->present);
		c->cpus = &c->present;
	}
	if (!err)
		err = device_alloc_rings(c, pages);
	if (!err)
		err = setup(c, config, &info, pages);
	progress_begin_count("Adding events", events->nr);
	for (size_t i = 0; !err && i < events->nr; ) {
		struct event *event = events->items[i];

		progress_advance(1);
		if (capture_backend_has(&backend_ktrace, event))
			err = device_add_event(c, event, config);
		/* If the event was left out, the next one is at this index now. */
		if (i < events->nr && events->items[i] == event)
			i++;
	}
	progress_end();
	if (!err)
		err = add_tasks(c, &config->target);
	if (!err)
		err = add_conditions(c, &config->target);
	if (!err)
		err = device_map_rings(c, pages);
	if (err)
		return err;
	*ret = &take_ptr(c)->base;
	return NULL;
}

static struct error *device_start(struct capture *base)
{
	if (ioctl(to_device(base)->fd, KTRACE_IOC_START))
		return error_errno(errno, "The ktrace module cannot start the recording");
	return NULL;
}

static struct error *device_pause(struct capture *base, bool paused)
{
	if (ioctl(to_device(base)->fd, paused ? KTRACE_IOC_STOP : KTRACE_IOC_START))
		return error_errno(errno, "The ktrace module cannot %s the recording",
				   paused ? "pause" : "resume");
	return NULL;
}

static struct error *device_stop(struct capture *base)
{
	struct device_capture *c = to_device(base);

	if (c->reading && !c->reading->ends)
		return NULL;
	if (ioctl(c->fd, KTRACE_IOC_STOP))
		return error_errno(errno, "The ktrace module cannot stop the recording");
	c->stopped = true;
	return NULL;
}

static size_t device_poll_fds(struct capture *base, int *fds, size_t max)
{
	if (max)
		fds[0] = to_device(base)->fd;
	return 1;
}

static size_t device_rings(struct capture *base, struct capture_ring *rings, size_t max)
{
	struct device_capture *c = to_device(base);

	for (size_t i = 0; i < c->cpus->nr && i < max; i++) {
		const struct device_ring *ring = &c->rings[i];

		rings[i] = (struct capture_ring){
			.cpu = c->cpus->cpus[i],
			.bytes = ring->data_size + RING_OTHER_PAGES * sysconf(_SC_PAGESIZE),
			.size = c->overwrite ? ring->data_size : 0,
			.written = c->overwrite ? *(const volatile uint64_t *)ring->ring.head : 0,
		};
	}
	return c->cpus->nr;
}

static struct error *device_mark(struct capture *base, uint64_t *ret)
{
	struct ktrace_mark mark = { .size = sizeof(mark) };

	*ret = 0;
	if (!ioctl(to_device(base)->fd, KTRACE_IOC_MARK, &mark))
		*ret = mark.time;
	/* If a signal came, there is no mark this time. */
	else if (errno != EINTR)
		return error_errno(errno, "The ktrace module cannot mark the time");
	return NULL;
}

static struct error *device_clock(struct capture *base, struct capture_clock *ret)
{
	struct ktrace_clock clock = { .size = sizeof(clock) };

	if (ioctl(to_device(base)->fd, KTRACE_IOC_CLOCK, &clock))
		return error_errno(errno, "The ktrace module cannot read its clocks");
	*ret = (struct capture_clock){
		.trace = clock.trace, .monotonic = clock.monotonic, .raw = clock.raw,
		.boottime = clock.boottime, .realtime = clock.realtime,
	};
	return NULL;
}

/* Have the module note the positions of the rings and the sums of each event. */
static struct error *device_take_snapshot(struct device_capture *c)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };

	while (ioctl(c->fd, KTRACE_IOC_SNAPSHOT, &snapshot))
		if (errno != EINTR)
			return error_errno(errno, "The ktrace module cannot take a snapshot");
	return NULL;
}

static struct error *check_copy(const struct device_capture *c, size_t nth, const char *at,
				const char *end)
{
	while (at != end) {
		const struct perf_event_header *header = (const void *)at;
		uint64_t index;

		if ((size_t)(end - at) < sizeof(*header) + sizeof(index) || header->size % 8 ||
		    header->size < sizeof(*header) + sizeof(index) || header->size > end - at)
			return error_new(EIO, "The ring of CPU %u is damaged: a record of %u bytes",
					 c->cpus->cpus[nth], header->size);
		index = device_index_of(c, header);
		if (header->type == PERF_RECORD_SAMPLE && index < c->nr_device)
			c->kept[index * c->cpus->nr + nth]++;
		at += header->size;
	}
	return NULL;
}

/* Write the rest of the snapshot in a ring that may be written meanwhile. */
static struct error *device_drain_newest(struct device_capture *c, size_t nth,
					 struct record_sink *sink)
{
	const struct device_ring *ring = &c->rings[nth];
	const struct ktrace_ring_meta *meta = ring->meta;
	uint64_t head = *(const volatile __u64 *)&meta->snapshot_head;
	uint64_t tail = __atomic_load_n(ring->ring.tail, __ATOMIC_ACQUIRE), now;
	struct record_span span = { .cpu = c->cpus->cpus[nth] };
	struct error *err;

	if (tail >= head)
		return NULL;
	if (head - tail > ring->data_size)
		return error_new(EIO, "The ring of CPU %u is damaged: it ends at %llu and begins at "
				 "%llu", span.cpu, (unsigned long long)head,
				 (unsigned long long)tail);
	memcpy(c->copy, ring->ring.data + (tail & (ring->data_size - 1)), head - tail);
	/*
	 * Pairs with the kernel's barrier between moving the tail and overwriting data before it.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	now = __atomic_load_n(ring->ring.tail, __ATOMIC_RELAXED);
	if (now >= head)
		return NULL;
	span.data = c->copy + (now - tail);
	span.size = head - now;
	err = check_copy(c, nth, span.data, c->copy + (head - tail));
	return err ? err : record_sink_write(sink, &span);
}

static struct error *device_drain(struct capture *base, struct record_sink *sink)
{
	struct device_capture *c = to_device(base);
	struct error *err = NULL;

	for (size_t i = 0; !c->overwrite && !err && i < c->cpus->nr; i++)
		err = ring_drain(&c->rings[i].ring, c->reading ? &c->reading->visitor : NULL,
				 sink);
	return err;
}

/* Report losses that no later record of the event can report. */
static struct error *write_unplaced(const struct event *event, const struct ktrace_stats *stats,
				    uint32_t reason, struct record_sink *sink)
{
	struct device_lost record;
	struct record_span span = { .data = &record, .cpu = stats->cpu };

	_Static_assert(sizeof(record) == KTRACE_LOST_SIZE, "layout of a device's LOST record");
	device_lost_make(event, stats->cpu, reason, stats->unplaced[reason], stats->first_lost,
			 stats->last_lost, &record);
	span.size = record.header.size;
	return record_sink_write(sink, &span);
}

static struct error *ledger_of(struct device_capture *c, const struct event *event, size_t nth,
			       struct record_sink *sink, struct ledger *ledger)
{
	const struct device_event *device = device_of(c, event);
	size_t row_nr = (device - c->device) * c->cpus->nr + nth;
	struct ktrace_stats stats;
	struct ledger_row row;
	struct error *err;

	err = device_read_stats(c, event, nth, &stats, &row);
	if (err)
		return err;
	if (c->overwrite) {
		row.recorded = c->kept[row_nr];
		row.lost[LEDGER_LOST_OVERWRITTEN] = stats.recorded - row.recorded;
	} else if (c->reading) {
		kept_reading_row(c, row_nr, &stats, &row);
	}
	/* While a kept session continues, they are left to its next reader. */
	for (uint32_t reason = 0; !err && reason < KTRACE_LOST_NR; reason++)
		if (stats.unplaced[reason] && (!c->reading || c->reading->ends))
			err = write_unplaced(event, &stats, reason, sink);
	return err ? err : ledger_add(ledger, &row);
}

static struct error *device_ledger(struct capture *base, struct record_sink *sink,
				   struct ledger *ledger)
{
	struct device_capture *c = to_device(base);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->events->nr; i++)
		for (size_t n = 0; !err && n < c->cpus->nr; n++)
			if (capture_backend_has(&backend_ktrace, c->events->items[i]))
				err = ledger_of(c, c->events->items[i], n, sink, ledger);
	return err;
}

static struct error *device_snapshot(struct capture *base, struct record_sink *sink,
				     struct ledger *ledger)
{
	struct device_capture *c = to_device(base);
	struct error *err;

	memset(c->kept, 0, c->nr_device * c->cpus->nr * sizeof(*c->kept));
	err = device_take_snapshot(c);
	for (size_t i = 0; !err && i < c->cpus->nr; i++)
		err = device_drain_newest(c, i, sink);
	return err ? err : device_ledger(base, sink, ledger);
}

static struct error *device_describe(struct capture *base, const void *data, size_t size)
{
	struct ktrace_describe describe = {
		.size = sizeof(describe), .bytes = size, .data = (uintptr_t)data,
	};

	if (size <= KTRACE_DESCRIBE_MAX &&
	    !ioctl(to_device(base)->fd, KTRACE_IOC_DESCRIBE, &describe))
		return NULL;
	/* The recording itself does not need it. */
	log_debug("If this kernel crashes, the records in the rings cannot be recovered: %s.",
		  size > KTRACE_DESCRIBE_MAX ? "there are too many events" :
		  errno == ENOTTY ? "the ktrace module is too old" : strerror(errno));
	return NULL;
}

static const char *device_path(struct capture *base, const struct event *event)
{
	switch (device_of(to_device(base), event)->path) {
	case KTRACE_PATH_COUNTER:
		return "counter";
	case KTRACE_PATH_TEMPLATE:
		return "template";
	case KTRACE_PATH_FUNCTION:
		return "function";
	default:
		return "device";
	}
}

static const char *device_fallback(struct capture *base, const struct event *event)
{
	return device_of(to_device(base), event)->fallback;
}

static struct error *device_read_counts(struct capture *base, const struct event *event,
					counts_entry_fn fn, void *data)
{
	struct device_capture *c = to_device(base);

	return device_counts_read(c->fd, event, device_of(c, event)->index, c->cpus, fn, data);
}

static struct error *device_read_counts_ledger(struct capture *base, const struct event *event,
					       struct counts_ledger *ret)
{
	struct device_capture *c = to_device(base);

	return device_counts_read_ledger(c->fd, event, device_of(c, event)->index, c->cpus, ret);
}

static struct error *device_read_chains(struct capture *base, const struct event *event,
					struct counts_chains *chains, counts_chain_fn fn,
					void *data)
{
	struct device_capture *c = to_device(base);

	return device_counts_read_chains(c->fd, event, device_of(c, event)->index, chains, fn,
					 data);
}

const struct capture_backend backend_ktrace = {
	.name = "ktrace",
	.title = "ktrace module",
	.remark = "the module",
	.source = EVENT_SOURCE_DEVICE,
	.can = CAPTURE_COMMS | CAPTURE_FIELDS | CAPTURE_TRIGGERS | CAPTURE_IN_ORDER |
	       CAPTURE_NOT_SELF | CAPTURE_FUNCTIONS,
	.automatic = true,
	.available = device_available,
	.init_attr = event_attr_init_device,
	.check_filter = device_check_filter,
	.check_strings = device_check_strings,
	.open = device_backend_open,
	.start = device_start,
	.stop = device_stop,
	.pause = device_pause,
	.poll_fds = device_poll_fds,
	.rings = device_rings,
	.mark = device_mark,
	.drain = device_drain,
	.ledger = device_ledger,
	.snapshot = device_snapshot,
	.clock = device_clock,
	.describe = device_describe,
	.keep = kept_keep,
	.path = device_path,
	.fallback = device_fallback,
	.close = device_close,
	.read_counts = device_read_counts,
	.read_counts_ledger = device_read_counts_ledger,
	.read_chains = device_read_chains,
	/* The module counts exactly, but only firings for rings, and no times. */
	.counting = NULL,
};
