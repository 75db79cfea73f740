// SPDX-License-Identifier: GPL-2.0
/*
 * Template probes: there are many, and their samples are the same as those of counters and
 * of perf.
 */
#include <sys/utsname.h>

#include "selftest.h"

static void session_begin(struct __test_metadata *_metadata, struct session *s)
{
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1024;
	session_open(_metadata, s, &setup);
}

static int add_by(struct session *s, const char *event, unsigned int id, enum ktrace_path path)
{
	struct ktrace_event_add add = event_add_init(event_id(event), id);
	char name[300];
	int err;

	event_name(name, sizeof(name), event);
	add.name = (uintptr_t)name;
	add.path = path;
	err = CALL(s->fd, EVENT_ADD, &add);
	return err ? err : add.path == path ? 0 : -EPROTO;
}

static enum ktrace_template_state look(struct __test_metadata *_metadata, struct session *s,
				       const char *event)
{
	struct ktrace_event_path path = {
		.size = sizeof(path), .type = PERF_TYPE_TRACEPOINT, .config = event_id(event),
	};
	char name[300];

	event_name(name, sizeof(name), event);
	path.name = (uintptr_t)name;
	ASSERT_EQ(0, CALL(s->fd, EVENT_PATH, &path));
	EXPECT_EQ(path.template_state == KTRACE_TEMPLATE_READY ? KTRACE_PATH_TEMPLATE :
		  KTRACE_PATH_COUNTER, path.path) {
		TH_LOG("%s", event);
	}
	return path.template_state;
}

static bool has_templates(struct __test_metadata *_metadata)
{
	struct session s = { .fd = device_open(_metadata) };
	enum ktrace_template_state state = look(_metadata, &s, "sched/sched_switch");

	close(s.fd);
	return state != KTRACE_TEMPLATE_NO_MODULE;
}

#define NEED_TEMPLATES()						\
	do {								\
		if (!has_templates(_metadata))				\
			SKIP(return, "ktrace_probes.ko is not loaded");	\
	} while (0)

/* ---- all there are ---------------------------------------------------------- */

struct count {
	struct __test_metadata *_metadata;
	struct session *s;
	unsigned int events, templates, syscalls, syscall_templates, added;
	unsigned int other_layout, other_prototype;
};

static void count_and_add(void *data, const char *event)
{
	struct count *count = data;
	struct __test_metadata *_metadata = count->_metadata;
	bool syscall = !strncmp(event, "syscalls/", 9);
	enum ktrace_template_state state = look(_metadata, count->s, event);

	count->events += !syscall;
	count->syscalls += syscall;
	count->other_layout += state == KTRACE_TEMPLATE_LAYOUT;
	if (state == KTRACE_TEMPLATE_LAYOUT)
		TH_LOG("%s has another layout than its template", event);
	count->other_prototype += state == KTRACE_TEMPLATE_PROTOTYPE;
	if (state == KTRACE_TEMPLATE_PROTOTYPE)
		TH_LOG("%s has other arguments than its template", event);
	/* printk:console warns of itself when it fires in idle. */
	if (state != KTRACE_TEMPLATE_READY || !strcmp(event, "printk/console"))
		return;
	ASSERT_EQ(0, add_by(count->s, event, count->added, KTRACE_PATH_TEMPLATE)) {
		TH_LOG("%s", event);
	}
	count->added++;
	count->templates += !syscall;
	count->syscall_templates += syscall;
}

FIXTURE(paths) {
	struct session s;
};

FIXTURE_SETUP(paths)
{
	session_begin(_metadata, &self->s);
}

FIXTURE_TEARDOWN(paths)
{
	session_close(&self->s);
}

/* An event that is added without naming a path is captured by template. */
TEST_F(paths, the_default_is_a_template)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);

	NEED_TEMPLATES();
	add.name = (uintptr_t)"sched:sched_switch";
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
	EXPECT_EQ(KTRACE_PATH_TEMPLATE, add.path);
	/* The number alone does not identify the template that the event would need. */
	add = event_add_init(event_id("sched/sched_wakeup"), 1);
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
	EXPECT_EQ(KTRACE_PATH_COUNTER, add.path);
}

TEST_F_TIMEOUT(paths, every_template_attaches, 600)
{
	struct count count = { ._metadata = _metadata, .s = &self->s };
	struct utsname uts;
	uint64_t recorded = 0;
	unsigned int i, cpu;

	NEED_TEMPLATES();
	for_each_event(count_and_add, &count);
	TH_LOG("%u of %u events have templates that attach, and %u of %u system calls",
	       count.templates, count.events, count.syscall_templates, count.syscalls);
	EXPECT_EQ(0, count.other_layout);
	EXPECT_EQ(0, count.other_prototype);
	EXPECT_EQ(count.syscalls, count.syscall_templates);
	ASSERT_EQ(0, uname(&uts));
	/*
	 * This number is that of Debian's own kernel; another kernel may have been built
	 * with fewer headers.
	 */
	if (!strncmp(uts.release, "6.1.", 4) && strstr(uts.release, "-amd64") &&
	    !strstr(uts.release, "-rt-"))
		EXPECT_LE(600, count.templates);

	session_start(_metadata, count.s);
	ASSERT_EQ(0, system("exec >/dev/null 2>&1; ls -lR /proc/self/fd; cat /proc/interrupts;"
			    " (sleep 0.1 & kill $!); echo l >/proc/sysrq-trigger; true"));
	session_stop(_metadata, count.s);
	for (i = 0; i < count.added; i++)
		for (cpu = 0; cpu < count.s->nr_cpus; cpu++)
			if (count.s->ring[cpu].data)
				recorded += session_stats(_metadata, count.s, i, cpu).recorded;
	EXPECT_LT(1000, recorded);
}

TEST(no_template_no_name)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	struct ktrace_event_path path = { .size = sizeof(path), .config = add.config };
	struct session s;

	session_begin(_metadata, &s);
	/* By its number alone an event can only be captured by counter. */
	add.path = KTRACE_PATH_TEMPLATE;
	EXPECT_EQ(-ENODEV, CALL(s.fd, EVENT_ADD, &add));
	EXPECT_EQ(-EINVAL, CALL(s.fd, EVENT_PATH, &path));
	/* The name is none, or that of another event. */
	add.name = (uintptr_t)"sched_switch";
	EXPECT_EQ(-EINVAL, CALL(s.fd, EVENT_ADD, &add));
	add.name = (uintptr_t)"sched:sched_wakeup";
	EXPECT_EQ(-ENODEV, CALL(s.fd, EVENT_ADD, &add));
	add.name = 8;
	EXPECT_EQ(-EFAULT, CALL(s.fd, EVENT_ADD, &add));
	session_close(&s);
}

/* ---- one firing, three records ---------------------------------------------- */

enum { MAX_RECORDS = 20000 };

/* Finds the samples of one id in the ring of a CPU. */
static unsigned int collect(struct __test_metadata *_metadata, struct session *s, unsigned int cpu,
			    unsigned int id, const struct sample **samples)
{
	const struct perf_event_header *header;
	const struct ring *r = &s->ring[cpu];
	unsigned int nr = 0;
	uint64_t pos = 0;

	while (nr < MAX_RECORDS && (header = ring_next(_metadata, r, &pos, ring_head(r)))) {
		const struct sample *sample = (const void *)header;

		ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
		if (sample->id == KTRACE_ID_BASE + id)
			samples[nr++] = sample;
	}
	return nr;
}

static void expect_same(struct __test_metadata *_metadata, const char *event,
			const struct sample *theirs, const struct sample *ours)
{
	ASSERT_EQ(theirs->header.size, ours->header.size);
	ASSERT_EQ(theirs->header.misc, ours->header.misc);
	ASSERT_EQ(theirs->ip, ours->ip) {
		TH_LOG("%s", event);
	}
	ASSERT_EQ(theirs->pid, ours->pid);
	ASSERT_EQ(theirs->tid, ours->tid);
	ASSERT_EQ(theirs->cpu, ours->cpu);
	ASSERT_EQ(theirs->period, ours->period) {
		TH_LOG("%s", event);
	}
	ASSERT_EQ(theirs->raw_size, ours->raw_size);
	expect_same_raw(_metadata, event, theirs->raw, ours->raw, ours->raw_size, true);
}

static void on_signal(int sig)
{
}

static void activity(void)
{
	struct timespec t = { 0, 1000000 };
	int i, fd;

	signal(SIGUSR1, on_signal);

	for (i = 0; i < 20; i++) {
		fd = open("/proc/self/stat", O_RDONLY);
		syscall(SYS_getppid);
		syscall(SYS_lseek, fd, 0, SEEK_CUR);
		close(fd);
		nanosleep(&t, NULL);
		if (!fork())
			_exit(0);
		wait(NULL);
		raise(SIGUSR1);
	}
}

/*
 * In Linux 7.0 and later a task can be preempted between two probes of one firing.  Then other
 * tasks' samples are in between in one ring and not in another.  Those of one task are always in
 * the same order.
 */
static int by_task(const void *a, const void *b)
{
	const struct sample *const *one = a, *const *two = b;

	if ((*one)->tid != (*two)->tid)
		return (*one)->tid < (*two)->tid ? -1 : 1;
	return *one < *two ? -1 : *one > *two;
}

static unsigned int end_of_task(const struct sample **samples, unsigned int nr, unsigned int at)
{
	unsigned int end = at;

	while (end < nr && samples[end]->tid == samples[at]->tid)
		end++;
	return end;
}

static bool is_same(struct __test_metadata *_metadata, const char *event,
		    const struct sample *theirs, const struct sample *ours)
{
	return theirs->header.size == ours->header.size &&
	       theirs->header.misc == ours->header.misc && theirs->ip == ours->ip &&
	       theirs->pid == ours->pid && theirs->tid == ours->tid &&
	       theirs->cpu == ours->cpu && theirs->period == ours->period &&
	       theirs->raw_size == ours->raw_size &&
	       first_difference(_metadata, event, theirs->raw, ours->raw, ours->raw_size,
				true) == ours->raw_size;
}

/*
 * Are these samples a run of those?  They have to be the same in everything, because two
 * firings often differ in nothing but the place or the context that they fired in.
 */
static bool is_run(struct __test_metadata *_metadata, const char *event,
		   const struct sample **theirs, const struct sample **ours, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!is_same(_metadata, event, theirs[i], ours[i]))
			return false;
	return true;
}

/*
 * perf began before us and ended after us: our samples of a task are somewhere among its
 * samples of that task.
 */
static void compare_with_perf(struct __test_metadata *_metadata, const char *event,
			      const struct sample **theirs, unsigned int nr_theirs,
			      const struct sample **ours, unsigned int nr)
{
	unsigned int i, end, first = 0, last, k;

	for (i = 0; i < nr; i = end) {
		end = end_of_task(ours, nr, i);
		while (first < nr_theirs && theirs[first]->tid != ours[i]->tid)
			first++;
		last = end_of_task(theirs, nr_theirs, first);
		ASSERT_LE(end - i, last - first);
		while (first < last - (end - i) &&
		       !is_run(_metadata, event, theirs + first, ours + i, end - i))
			first++;
		for (k = i; k < end; k++)
			expect_same(_metadata, event, theirs[first + k - i], ours[k]);
	}
}

static void compare(struct __test_metadata *_metadata, const char *event)
{
	static const struct sample *template[MAX_RECORDS], *counter[MAX_RECORDS];
	static const struct sample *perfs[MAX_RECORDS];
	unsigned int nr, nr_counter, nr_perf = 0, cpu = 0, i;
	struct session s;
	struct perf perf;

	session_begin(_metadata, &s);
	ASSERT_EQ(0, add_by(&s, event, 0, KTRACE_PATH_TEMPLATE)) {
		TH_LOG("%s", event);
	}
	ASSERT_EQ(0, add_by(&s, event, 1, KTRACE_PATH_COUNTER));
	pin_to(_metadata, cpu);
	perf_open(_metadata, &perf, event_id(event), -1, cpu);
	session_start(_metadata, &s);
	activity();
	session_stop(_metadata, &s);
	ASSERT_EQ(0, ioctl(perf.fd, PERF_EVENT_IOC_DISABLE));

	nr = collect(_metadata, &s, cpu, 0, template);
	nr_counter = collect(_metadata, &s, cpu, 1, counter);
	EXPECT_LT(0, nr) {
		TH_LOG("%s did not fire", event);
	}
	EXPECT_EQ(nr_counter, nr) {
		TH_LOG("%s", event);
	}
	while (nr_perf < MAX_RECORDS && (perfs[nr_perf] = perf_next(_metadata, &perf)))
		nr_perf++;
	qsort(template, nr, sizeof(*template), by_task);
	qsort(counter, nr_counter, sizeof(*counter), by_task);
	qsort(perfs, nr_perf, sizeof(*perfs), by_task);
	for (i = 0; i < nr && i < nr_counter; i++)
		expect_same(_metadata, event, counter[i], template[i]);
	compare_with_perf(_metadata, event, perfs, nr_perf, template, nr);
	perf_close(&perf);
	session_close(&s);
}

static const char * const compared[] = {
	"raw_syscalls/sys_enter", "raw_syscalls/sys_exit", "syscalls/sys_enter_openat",
	"syscalls/sys_exit_openat", "syscalls/sys_enter_getppid", "syscalls/sys_enter_lseek",
	"sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup", "sched/sched_wakeup_new",
	"sched/sched_stat_runtime", "sched/sched_process_fork", "sched/sched_process_exit",
	"task/task_newtask", "signal/signal_generate", "signal/signal_deliver",
};

TEST_F_TIMEOUT(paths, same_as_counter_and_perf, 600)
{
	unsigned int i;

	NEED_TEMPLATES();
	for (i = 0; i < ARRAY_SIZE(compared); i++)
		if (event_id(compared[i]) >= 0)
			compare(_metadata, compared[i]);
}

/* ---- the task that an event is about ----------------------------------------- */

/* A task is woken by others and wakes others: we record as many events of it as perf does. */
static void compare_of_task(struct __test_metadata *_metadata, const char *event, bool must_fire)
{
	static const struct sample *samples[MAX_RECORDS];
	unsigned int nr = 0, cpu, i, theirs = 0;
	struct ktrace_task_add task = { .size = sizeof(task) };
	struct perf perf[MAX_CPUS];
	struct session s;
	int pipes[2], back[2];
	char c;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, pipe(back));
	task.pid = fork();
	if (!task.pid) {
		/*
		 * If a test fails, the other end has no writer left, and the child ends,
		 * too.
		 */
		close(pipes[1]);
		while (read(pipes[0], &c, 1) == 1 && c != 'q')
			ASSERT_EQ(1, write(back[1], "y", 1));
		_exit(0);
	}
	/* From here on, reading from its pipe is all that it sleeps in. */
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	ASSERT_EQ(1, read(back[0], &c, 1));

	session_begin(_metadata, &s);
	ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
	ASSERT_EQ(0, add_by(&s, event, 0, KTRACE_PATH_TEMPLATE));
	/* perf counts an event to the woken task only if it watches the CPU of the waker. */
	for (cpu = 0; cpu < s.nr_cpus; cpu++)
		if (s.ring[cpu].data)
			perf_open(_metadata, &perf[cpu], event_id(event),
				  task.pid, cpu);
	/* Only while it runs could an interrupt fire in its name that one of the two misses. */
	ASSERT_EQ(0, wait_until_asleep(task.pid));
	session_start(_metadata, &s);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(1, write(pipes[1], "x", 1));
		/* The task is asleep by then, or nearly always. */
		ASSERT_EQ(1, read(back[0], &c, 1));
	}
	ASSERT_EQ(0, wait_until_asleep(task.pid));
	session_stop(_metadata, &s);
	for (cpu = 0; cpu < s.nr_cpus; cpu++) {
		if (!s.ring[cpu].data)
			continue;
		nr += collect(_metadata, &s, cpu, 0, samples);
		while (perf_next(_metadata, &perf[cpu]))
			theirs++;
		perf_close(&perf[cpu]);
	}
	if (must_fire)
		EXPECT_LT(0, nr);
	EXPECT_EQ(theirs, nr);
	ASSERT_EQ(1, write(pipes[1], "q", 1));
	waitpid(task.pid, NULL, 0);
	session_close(&s);
}

TEST(wakeups_of_a_task)
{
	NEED_TEMPLATES();
	compare_of_task(_metadata, "sched/sched_wakeup", false);
	compare_of_task(_metadata, "sched/sched_waking", true);
}

TEST_HARNESS_MAIN
