// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "capture/cgroup.h"
#include "capture/feature.h"
#include "capture/perf/perf_refusal.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"

/* Descriptors for other purposes: files, pipes, libraries. */
#define SPARE_FDS 64

/* The limits of each ring, and of all rings, in bytes; see perf_open_stack_pages(). */
#define STACK_RING	(8UL << 20)
#define STACK_RINGS	(64UL << 20)

static long perf_read_number(const char *path, long otherwise)
{
	_cleanup_free_ char *text = NULL;
	struct error *err = file_read_text(path, &text);

	if (err) {
		error_free(err);
		return otherwise;
	}
	return strtol(text, NULL, 10);
}

static struct error *perf_not_permitted(const struct event *event, pid_t pid, int code)
{
	long paranoid = perf_read_number("/proc/sys/kernel/perf_event_paranoid", 2);
	bool tracepoint = event->attr.type == PERF_TYPE_TRACEPOINT;
	const char *capability = perf_refusal_capability();
	struct error *err;

	if (capability)
		return error_hint(error_errno(code, "The kernel refuses %s, although this process "
					      "has %s", event->name, capability),
				  "A security module may refuse it: see 'ktrace doctor' and the "
				  "kernel's log");
	err = error_new(code, "Opening %s%s is not permitted: kernel.perf_event_paranoid is %ld "
			"and this process has no CAP_PERFMON", event->name,
			pid < 0 ? " on whole CPUs" : "", paranoid);
	return error_hint(err, "Run ktrace as root, or run as root: sysctl "
			  "kernel.perf_event_paranoid=%d",
			  tracepoint || pid < 0 ? -1 : 1);
}

static struct error *too_many_files(const struct event *event)
{
	struct rlimit limit = { 0 };
	struct error *err;

	getrlimit(RLIMIT_NOFILE, &limit);
	err = error_new(EMFILE, "No file descriptor is left for %s: the limit of this process is %llu, "
			"and every event needs one per CPU and task", event->name,
			(unsigned long long)limit.rlim_cur);
	return error_hint(err, "Give fewer events or CPUs (-C), or raise the limit: "
			  "ulimit -n %llu", (unsigned long long)limit.rlim_cur * 4);
}

/* Only a PMU samples branches, and not for every event. */
static struct error *no_branches(const struct event *event, int code)
{
	if (feature_perf(FEATURE_PERF_CYCLES))
		return error_hint(error_new(code, "Samples of %s cannot hold branches on this machine "
					    "(-b, -j, --call-graph lbr)", event->name),
				  "Events of the CPU's PMU can, if it records branches, as in "
				  "-e cycles");
	return error_hint(error_new(code, "Samples of %s cannot hold branches (-b, -j, --call-graph "
				    "lbr): this machine has no PMU, which would record them",
				    event->name),
			  "For call chains, use -g or --call-graph dwarf");
}

static struct error *no_such_event(const struct event *event, int code)
{
	struct error *err;

	if (code == EOPNOTSUPP && event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return no_branches(event, code);
	if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE ||
	    event->attr.type == PERF_TYPE_RAW) {
		err = error_new(code, "This machine has no counter for %s", event->name);
		return error_hint(err, feature_perf(FEATURE_PERF_CYCLES) ?
				  "'ktrace doctor' shows the features of its PMU" :
				  "It has no PMU, or a virtual machine hides it; cpu-clock works everywhere");
	}
	return error_hint(error_errno(code, "The kernel does not allow %s to be recorded",
				      event->name),
			  "'ktrace list' lists the events");
}

/*
 * Whether the kernel may have refused the clock: it accepts only clocks that can be read in an NMI,
 * unless the event never fires in one.
 */
static bool is_clock_refused(const struct event *event)
{
	return event->attr.use_clockid && event->attr.clockid != CLOCK_MONOTONIC &&
	       event->attr.clockid != CLOCK_MONOTONIC_RAW;
}

static bool is_refused_by_filter(int code)
{
	int least;

	return (code == EPERM || code == EACCES || code == ENOSYS) &&
	       perf_refusal_find(&least) == PERF_REFUSAL_FILTER;
}

static struct error *open_error(const struct event *event, pid_t pid, int cpu, int code)
{
	/* Not ENOSYS, which would mean that this machine does not have the event. */
	if (is_refused_by_filter(code))
		return error_hint(error_new(EPERM, "%s cannot be opened: a seccomp filter of this "
					    "process refuses perf_event_open()", event->name),
				  "%s", perf_refusal_filter_hint);
	switch (code) {
	case EACCES:
	case EPERM:
		return perf_not_permitted(event, pid, code);
	case EMFILE:
		return too_many_files(event);
	case ENFILE:
		return error_hint(error_new(code, "No file descriptor is left in the system for %s",
					    event->name),
				  "Raise the limit: sysctl fs.file-max");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return no_such_event(event, code);
	case EBUSY:
		return error_hint(error_new(code, "The counter for %s is in use", event->name),
				  "Another profiler may hold it, or the NMI watchdog: "
				  "sysctl kernel.nmi_watchdog=0");
	case ENOSPC:
		return error_hint(error_new(code, "No debug register is left for %s", event->name),
				  "A CPU has four of them, which debuggers use as well");
	case EINVAL:
		if (event->attr.freq && event->attr.sample_freq > feature_perf_max_rate())
			return error_hint(error_new(EAGAIN, "The kernel has just lowered "
						    "kernel.perf_event_max_sample_rate to %llu, less "
						    "than the rate of %s",
						    (unsigned long long)feature_perf_max_rate(),
						    event->name),
					  "Record again: ktrace then uses the new limit");
		if (is_clock_refused(event))
			return error_hint(error_new(EOPNOTSUPP, "perf_event cannot stamp %s with this clock",
						    event->name),
					  "perf_event takes -k monotonic and monotonic_raw; the "
					  "ktrace module takes all but tai");
		/* fallthrough */
	default:
		return error_hint(error_errno(code, "Cannot open %s on CPU %d", event->name, cpu),
				  "'ktrace doctor' checks which events can be recorded here");
	}
}

/* EINVAL of the kernel does not mean a wrong command line, so it must not be reported as one. */
static struct error *no_usage(struct error *err)
{
	if (err->code == EINVAL)
		err->code = EIO;
	return err;
}

struct error *perf_open(const struct event *event, pid_t pid, int cpu, int group_fd, int *ret)
{
	struct perf_event_attr attr = event->attr;
	_cleanup_close_ int cgroup = -1;
	int fd;

	if (event->cgroup && *event->cgroup) {
		struct error *err = cgroup_open(event->cgroup, false, &cgroup);

		if (err)
			return err;
		pid = cgroup;
	}
	fd = feature_perf_event_open(&attr, pid, cpu, group_fd,
				     cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
	if (fd == -ESRCH) {
		*ret = -1;
		return NULL;
	}
	if (fd < 0)
		return no_usage(open_error(event, pid, cpu, -fd));
	*ret = fd;
	return NULL;
}

static bool leave_out_kernel(struct event *event)
{
	static bool told;
	char *name;

	if (event->attr.exclude_kernel || event->attr.type == PERF_TYPE_TRACEPOINT)
		return false;
	if (asprintf(&name, "%s%s", event->name, strchr(event->name, ':') ? "u" : ":u") < 0)
		return false;
	if (!told)
		log_notice("The kernel's part is left out, as with the modifier u, because "
			   "kernel.perf_event_paranoid does not allow this user to observe the "
			   "kernel.");
	told = true;
	free(event->name);
	event->name = name;
	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	return true;
}

struct error *perf_open_permitted(struct event *event, pid_t pid, int cpu, int group_fd, int *ret)
{
	struct error *err = perf_open(event, pid, cpu, group_fd, ret);

	if (!err || err->code != EACCES || pid < 0 || !leave_out_kernel(event))
		return err;
	error_free(err);
	return perf_open(event, pid, cpu, group_fd, ret);
}

struct error *perf_open_reserve(size_t nr_events, size_t per_event, size_t more)
{
	size_t nr = nr_events * per_event + more + SPARE_FDS;
	struct rlimit limit, wanted = { .rlim_cur = nr, .rlim_max = nr };
	struct error *err;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= nr)
		return NULL;
	if (limit.rlim_max >= nr)
		wanted.rlim_max = limit.rlim_max;
	/* Only privileged users may raise the hard limit. */
	if (!setrlimit(RLIMIT_NOFILE, &wanted)) {
		log_debug("File descriptor limit raised to %zu.", nr);
		return NULL;
	}
	err = error_new(EMFILE, "Opening %zu events through perf_event takes %zu file descriptors, "
			"one per event, CPU and task, besides %zu of ktrace itself, and this process "
			"may have %llu", nr_events, nr_events * per_event, nr - nr_events * per_event,
			(unsigned long long)limit.rlim_max);
	return error_hint(err, "Give fewer events or CPUs (-C), or raise the limit: "
			  "sudo prlimit --pid $$ --nofile=%zu:%zu; the ktrace module takes one for all",
			  nr, nr);
}

unsigned int perf_open_default_pages(void)
{
	long kb = perf_read_number("/proc/sys/kernel/perf_event_mlock_kb", 516);
	long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	unsigned int pages = 1;

	/* perf_event needs one more page itself. */
	while ((pages * 2L + 1) * page_kb <= kb && pages < 1024)
		pages *= 2;
	return pages;
}

unsigned int perf_open_stack_pages(size_t nr_rings)
{
	size_t each = STACK_RINGS / (nr_rings ? nr_rings : 1);
	unsigned int least = perf_open_default_pages(), pages = 1;

	if (each > STACK_RING)
		each = STACK_RING;
	while (pages * 2 * (size_t)sysconf(_SC_PAGESIZE) <= each)
		pages *= 2;
	return pages > least ? pages : least;
}

struct error *perf_open_locked_memory_error(unsigned int pages, unsigned int more)
{
	long kb = perf_read_number("/proc/sys/kernel/perf_event_mlock_kb", 516);
	long needed = ((long)pages + more) * (sysconf(_SC_PAGESIZE) / 1024);
	struct rlimit limit = { 0 };
	struct error *err;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	err = error_new(EPERM, "Rings of %u pages lock more memory than this user may: "
			"kernel.perf_event_mlock_kb is %ld for each CPU, for all rings of the user, "
			"and ulimit -l is %llu", pages, kb,
			(unsigned long long)limit.rlim_cur / 1024);
	return error_hint(err, "Use smaller rings (-m), raise ulimit -l, or run as root: sysctl "
			  "kernel.perf_event_mlock_kb=%ld", kb + needed);
}

struct error *perf_open_map_error(int code, unsigned int pages, uint32_t cpu)
{
	if (code != EPERM && cpu == UINT32_MAX)
		return error_errno(code, "Cannot map a ring of %u pages for a task", pages);
	if (code != EPERM)
		return error_errno(code, "Cannot map a ring of %u pages for CPU %u", pages, cpu);
	/* perf_event needs one more page itself. */
	return perf_open_locked_memory_error(pages, 1);
}
