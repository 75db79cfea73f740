// SPDX-License-Identifier: GPL-2.0
/*
 * Events that recording itself fires: by an assignment that fires another event, by walking a user
 * stack that is not in memory, and by the interrupt that wakes the reader.  Their number is
 * bounded, and each is counted.  Of the firings that the module saw
 *
 *	occurrences = recorded + filtered + out of scope + lost
 *
 * where firings during the building of a sample in the same context are lost with
 * KTRACE_LOST_RECURSION.
 */
#include "selftest.h"

#define FAULT		"exceptions/page_fault_kernel"
#define FUNCTION	"ftrace/function"
#define NR		20
/* How many events the test itself may fire besides the NR. */
#define SOME		100

FIXTURE(recursion) {
	struct session s, other;
	unsigned int cpus[2];
	char *hole;		/* pages that cannot be read */
	bool hidden;		/* there are such pages, on which walking the stack faults */
	char *fresh;		/* pages that nobody has touched */
	size_t used;
};

static void open_for_self(struct __test_metadata *_metadata, struct session *s)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 256;
	session_open(_metadata, s, &setup);
	ASSERT_EQ(0, CALL(s->fd, TASK_ADD, &task));
}

/*
 * Hides these pages so that walking the stack faults.  On x86-64 a missing page does not fault,
 * because the walk checks this first.  A page that a protection key forbids to read does.
 */
static bool hide(char *pages, size_t size)
{
#if defined(__x86_64__)
	int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);

	memset(pages, 1, size);
	return key >= 0 && !pkey_mprotect(pages, size, PROT_READ | PROT_WRITE, key);
#else
	return !mprotect(pages, size, PROT_NONE);
#endif
}

FIXTURE_SETUP(recursion)
{
	NEED_KTEST();
	open_for_self(_metadata, &self->s);
	open_for_self(_metadata, &self->other);
	two_cpus(&self->s, self->cpus);
	pin_to(_metadata, self->cpus[0]);
	fire_reset(_metadata);
	self->hole = mmap(NULL, 4 * self->s.page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	self->fresh = mmap(NULL, 4 * NR * self->s.page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->hole);
	self->hidden = hide(self->hole, 4 * self->s.page);
	ASSERT_NE(MAP_FAILED, self->fresh);
	self->used = 0;
}

FIXTURE_TEARDOWN(recursion)
{
	session_close(&self->s);
	session_close(&self->other);
}

/* Makes a system call while the frame pointer leads to @frame. */
static long call(long nr, long a, long b, long c, void *frame)
{
	long ret;

#if defined(__x86_64__)
	asm volatile("mov %%rbp, %%r12\n\tmov %[frame], %%rbp\n\tsyscall\n\tmov %%r12, %%rbp"
		     : "=a" (ret)
		     : "a" (nr), "D" (a), "S" (b), "d" (c), [frame] "r" (frame)
		     : "rcx", "r11", "r12", "memory");
#else
	ret = syscall(nr, a, b, c);
#endif
	return ret;
}

/* Makes the kernel write to NR pages that are not there yet. */
static void fault(struct __test_metadata *_metadata, FIXTURE_DATA(recursion) *self)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < NR; i++, self->used += self->s.page)
		ASSERT_EQ(1, call(SYS_read, fd, (long)(self->fresh + self->used), 1, self->hole));
	close(fd);
}

/* The same once in another task, which is in the scope of no session. */
static void fault_elsewhere(struct __test_metadata *_metadata, FIXTURE_DATA(recursion) *self)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	ASSERT_GE(fd, 0);
	/* It has the same memory, so that nothing of ours is copied when it is written later. */
	pid = vfork();
	if (!pid) {
		syscall(SYS_read, fd, self->fresh + self->used, 1);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	self->used += self->s.page;
	close(fd);
}

static unsigned int add(struct __test_metadata *_metadata, struct session *s, const char *event,
			unsigned int id, enum ktrace_path path, bool chain)
{
	struct ktrace_event_add add = event_add_init(event_id(event), id);
	char name[300];

	event_name(name, sizeof(name), event);
	add.name = (uintptr_t)name;
	add.path = path;
	if (chain)
		add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, CALL(s->fd, EVENT_ADD, &add)) {
		TH_LOG("%s", event);
	}
	return add.index;
}

/* Other tasks fault, too, also when one of two sessions has begun and the other one has not. */
static uint64_t seen_in_scope(const struct ktrace_stats *stats)
{
	return stats->recorded + stats->filtered + stats_lost(stats);
}

static uint64_t seen(const struct ktrace_stats *stats)
{
	return seen_in_scope(stats) + stats->out_of_scope;
}

#define NEED_FAULTS()							\
	do {								\
		if (event_id(FAULT) < 0)				\
			SKIP(return, "this processor has no " FAULT);	\
		if (!self->hidden)					\
			SKIP(return, "no protection keys hide pages here");	\
	} while (0)

#define NEED_TEMPLATES()						\
	do {								\
		if (!wants_templates())					\
			SKIP(return, "it is about template probes");	\
	} while (0)

/* Walking the user stack for the chain faults, which fires the same event again. */
TEST_F(recursion, chain_of_a_fault_that_faults)
{
	struct ktrace_stats chains, plain;

	NEED_FAULTS();
	add(_metadata, &self->s, FAULT, 0, path_wanted(), true);
	add(_metadata, &self->other, FAULT, 1, path_wanted(), false);
	session_start(_metadata, &self->s);
	fault_elsewhere(_metadata, self);
	session_start(_metadata, &self->other);
	fault(_metadata, self);
	session_stop(_metadata, &self->other);
	session_stop(_metadata, &self->s);

	chains = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	plain = session_stats(_metadata, &self->other, 0, self->cpus[0]);
	EXPECT_LE(NR, chains.recorded);
	EXPECT_GE(NR + SOME, chains.recorded);
	/*
	 * Counters never see these events: perf drops them itself, and the numbers are only
	 * bounds.
	 */
	if (wants_templates()) {
		EXPECT_LE(NR, chains.lost[KTRACE_LOST_RECURSION]);
		EXPECT_GE(4 * (NR + SOME), chains.lost[KTRACE_LOST_RECURSION]);
		EXPECT_EQ(0, chains.flags & KTRACE_STATS_BOUNDED);
	} else {
		EXPECT_EQ(KTRACE_STATS_BOUNDED, chains.flags);
	}
	EXPECT_EQ(stats_lost(&chains), chains.lost[KTRACE_LOST_RECURSION]);
	/*
	 * The other session does not record more of the faults of the first one's chains than the
	 * first one itself.  Only that one had begun when another task faulted.
	 */
	if (wants_templates())
		EXPECT_LT(seen(&plain), seen(&chains));
	EXPECT_EQ(seen_in_scope(&chains), seen_in_scope(&plain));
	EXPECT_EQ(chains.recorded, plain.recorded);
	EXPECT_EQ(stats_lost(&plain), plain.lost[KTRACE_LOST_RECURSION]);
}

/* One session records by counter, the other by template.  Each fires the other's events. */
TEST_F(recursion, counters_and_templates_at_once)
{
	struct ktrace_stats counter, template;

	NEED_FAULTS();
	NEED_TEMPLATES();
	add(_metadata, &self->s, FAULT, 0, KTRACE_PATH_COUNTER, true);
	add(_metadata, &self->other, FAULT, 1, KTRACE_PATH_TEMPLATE, true);
	session_start(_metadata, &self->s);
	session_start(_metadata, &self->other);
	fault(_metadata, self);
	session_stop(_metadata, &self->other);
	session_stop(_metadata, &self->s);

	counter = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	template = session_stats(_metadata, &self->other, 0, self->cpus[0]);
	EXPECT_LE(NR, counter.recorded);
	EXPECT_GE(NR + SOME, counter.recorded);
	EXPECT_LE(NR, template.recorded);
	EXPECT_GE(NR + SOME, template.recorded);
	EXPECT_LE(NR, template.lost[KTRACE_LOST_RECURSION]);
	EXPECT_GE(8 * (NR + SOME), template.lost[KTRACE_LOST_RECURSION]);
}

/*
 * The chain for an event of a system call faults, too.  That fault is not caused by the
 * program.
 */
TEST_F(recursion, chain_of_a_system_call_that_faults)
{
	struct ktrace_stats calls, faults;
	int i;

	NEED_FAULTS();
	NEED_TEMPLATES();
	add(_metadata, &self->s, "syscalls/sys_enter_getpgid", 0, KTRACE_PATH_TEMPLATE, true);
	add(_metadata, &self->s, FAULT, 1, KTRACE_PATH_TEMPLATE, false);
	session_start(_metadata, &self->s);
	for (i = 0; i < NR; i++)
		call(SYS_getpgid, 0, 0, 0, self->hole);
	session_stop(_metadata, &self->s);

	calls = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	faults = session_stats(_metadata, &self->s, 1, self->cpus[0]);
	EXPECT_EQ(NR, calls.recorded);
	EXPECT_EQ(0, stats_lost(&calls));
	EXPECT_GE(SOME, faults.recorded);
	EXPECT_LE(NR, faults.lost[KTRACE_LOST_RECURSION]);
	EXPECT_EQ(stats_lost(&faults), faults.lost[KTRACE_LOST_RECURSION]);
}

/* An event that an assignment fires is counted, both in its own session and in others. */
TEST_F(recursion, event_that_an_assignment_fires)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq", "irq_work" };
	struct ktrace_stats outer, inner, elsewhere;
	unsigned int i;

	add(_metadata, &self->s, "ktrace_test/nest_outer", 0, path_wanted(), false);
	add(_metadata, &self->s, "ktrace_test/nest_inner", 1, path_wanted(), false);
	add(_metadata, &self->other, "ktrace_test/nest_inner", 2, path_wanted(), false);
	session_start(_metadata, &self->other);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		ASSERT_EQ(0, fire("nest_outer %s 10", contexts[i]));
	ASSERT_EQ(0, fire("nest_inner task 7"));
	session_stop(_metadata, &self->s);
	session_stop(_metadata, &self->other);

	outer = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	inner = session_stats(_metadata, &self->s, 1, self->cpus[0]);
	elsewhere = session_stats(_metadata, &self->other, 0, self->cpus[0]);
	EXPECT_EQ(emitted(_metadata, "nest_outer", self->cpus[0], NULL), seen(&outer));
	EXPECT_EQ(0, stats_lost(&outer));
	EXPECT_EQ(7, inner.recorded + inner.out_of_scope);
	EXPECT_EQ(seen(&inner), seen(&elsewhere));
	if (wants_templates()) {
		EXPECT_EQ(emitted(_metadata, "nest_inner", self->cpus[0], NULL), seen(&inner));
		EXPECT_LT(0, inner.lost[KTRACE_LOST_RECURSION]);
		EXPECT_EQ(stats_lost(&inner), inner.lost[KTRACE_LOST_RECURSION]);
	}
}

/*
 * The interrupt that wakes the reader after a trigger fires events itself.  Events that are
 * marked to forbid this (TRACE_EVENT_PERF_PERM) are refused as triggers.
 */
TEST_F(recursion, trigger_by_what_wakes_the_reader)
{
	static const struct {
		const char *event;
		bool refused;
	} events[] = {
		{ "irq_vectors/irq_work_entry", false }, { "irq_vectors/irq_work_exit", true },
		{ "ipi/ipi_entry", false }, { "ipi/ipi_exit", false },
	};
	struct ktrace_setup setup = SETUP_INIT;
	/* Every processor may have the events of ipi; those with irq_vectors never fire them. */
	bool has_vectors = (int)event_id("irq_vectors/irq_work_exit") > 0;
	unsigned int i, cpu, tried = 0;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		struct ktrace_event_add add = event_add_init(event_id(events[i].event), 0);
		struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
		uint64_t recorded = 0;
		struct session s;
		int err;

		if ((int)add.config < 0 || (has_vectors && !strncmp(events[i].event, "ipi/", 4)))
			continue;
		session_open(_metadata, &s, &setup);
		add.flags = KTRACE_EVENT_TRIGGER;
		err = event_add(s.fd, events[i].event, &add);
		EXPECT_EQ(events[i].refused ? -ENODEV : 0, err) {
			TH_LOG("%s", events[i].event);
		}
		/* Where they do not trigger, templates capture them like any other event. */
		if (events[i].refused && wants_templates()) {
			add.flags = 0;
			err = event_add(s.fd, events[i].event, &add);
			EXPECT_EQ(0, err);
		}
		if (err) {
			session_close(&s);
			continue;
		}
		session_start(_metadata, &s);
		ASSERT_EQ(0, fire("seq irq_work 3"));
		ASSERT_EQ(0, CALL(s.fd, SNAPSHOT, &snapshot));
		ASSERT_EQ(0, fire("seq irq_work 3"));
		session_stop(_metadata, &s);
		for (cpu = 0; cpu < s.nr_cpus; cpu++)
			if (s.ring[cpu].data)
				recorded += session_stats(_metadata, &s, 0, cpu).recorded;
		EXPECT_LT(0, recorded);
		EXPECT_GT(10000, recorded);
		session_close(&s);
		tried++;
	}
	if (!tried && !has_vectors)
		SKIP(return, "this processor has none of the events");
}

/* ---- every event there is ---------------------------------------------------- */

struct every {
	struct __test_metadata *_metadata;
	struct session *s;
	unsigned int flags;
	uint64_t sample_type;
	unsigned int added, refused;
};

static void add_every(void *data, const char *event)
{
	struct every *every = data;
	struct __test_metadata *_metadata = every->_metadata;
	struct ktrace_event_add add = event_add_init(event_id(event), every->added);
	int err;

	/*
	 * printk:console warns of itself when it fires in idle.  ftrace:function fires for
	 * each function of the kernel, so that all later events take minutes;
	 * every_function_with_its_call_chain is about it.
	 */
	if (!strcmp(event, "printk/console") || !strcmp(event, FUNCTION))
		return;
	add.flags = every->flags;
	add.sample_type |= every->sample_type;
	err = event_add(every->s->fd, event, &add);
	ASSERT_TRUE(!err || err == -ENODEV) {
		TH_LOG("%s: %d", event, err);
	}
	every->added += !err;
	every->refused += !!err;
}

static void some_work(struct __test_metadata *_metadata)
{
	char text[4096];
	int i, status;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_LT(0, read_file("/proc/meminfo", text, sizeof(text)));
		sleep_ms(1);
	}
}

static void with_every_event(struct __test_metadata *_metadata, unsigned int flags,
			     uint64_t sample_type)
{
	struct ktrace_task_add task = {
		.size = sizeof(task), .pid = getpid(), .flags = KTRACE_TASK_INHERIT,
	};
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	uint64_t recorded = 0, recursion = 0;
	struct session s;
	struct every every = {
		._metadata = _metadata, .s = &s, .flags = flags, .sample_type = sample_type,
	};
	unsigned int cpu, i;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1024;
	session_open(_metadata, &s, &setup);
	ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
	for_each_event(add_every, &every);
	TH_LOG("%u events are added, %u are refused", every.added, every.refused);
	session_start(_metadata, &s);
	TH_LOG("all of them are enabled");
	some_work(_metadata);
	ASSERT_EQ(0, CALL(s.fd, SNAPSHOT, &snapshot));
	some_work(_metadata);
	session_stop(_metadata, &s);
	TH_LOG("none of them is enabled any more");
	for (cpu = 0; cpu < s.nr_cpus; cpu++) {
		uint64_t pos = 0;

		if (!s.ring[cpu].data)
			continue;
		while (ring_next(_metadata, &s.ring[cpu], &pos, ring_head(&s.ring[cpu])))
			;
		for (i = 0; i < every.added; i++) {
			struct ktrace_stats stats = session_stats(_metadata, &s, i, cpu);

			recorded += stats.recorded;
			recursion += stats.lost[KTRACE_LOST_RECURSION];
		}
	}
	TH_LOG("%llu records, %llu lost by recursion", (unsigned long long)recorded,
	       (unsigned long long)recursion);
	EXPECT_LT(100, every.added);
	EXPECT_LT(1000, recorded);
	session_close(&s);
}

/* This takes minutes in an emulator. */
#define NEED_TIME()							\
	do {								\
		if (!getenv("KTRACE_TORTURE"))				\
			SKIP(return, "only in make torture");		\
	} while (0)

TEST_F_TIMEOUT(recursion, every_event_with_its_call_chain, 3600)
{
	NEED_TIME();
	with_every_event(_metadata, 0, PERF_SAMPLE_CALLCHAIN);
}

TEST_F_TIMEOUT(recursion, every_event_with_a_trigger, 3600)
{
	NEED_TIME();
	with_every_event(_metadata, KTRACE_EVENT_TRIGGER, 0);
}

/* Makes @effort->many system calls after a byte in @go. */
static pid_t fork_caller(struct effort *effort, int go[2])
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	if (read(go[0], &c, 1) != 1)
		_exit(1);
	for (; effort->done < effort->many; effort->done++)
		syscall(SYS_getppid);
	_exit(0);
}

/*
 * The functions that unwind a stack fire this event, too.  Functions that the recording of one
 * function calls are not recorded.  The ring is small, because a loss takes less time.
 *
 * In an emulator that gets little of its processor, the next timer interrupt is due before all
 * functions of one are recorded, and the interrupted task hardly goes on.  So another process ends
 * the session when the time is up.
 */
TEST_F_TIMEOUT(recursion, every_function_with_its_call_chain, 3600)
{
	struct ktrace_task_add task = { .size = sizeof(task) };
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_stats stats;
	struct effort *effort;
	struct session s;
	int go[2], status;

	NEED_TIME();
	if (event_id(FUNCTION) < 0)
		SKIP(return, "this kernel has no " FUNCTION);
	effort = mmap(NULL, sizeof(*effort), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, effort);
	*effort = effort_begin(NR, NR);
	ASSERT_EQ(0, pipe(go));
	task.pid = fork_caller(effort, go);
	ASSERT_LT(0, task.pid);
	pin_to(_metadata, self->cpus[1]);
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 4;
	session_open(_metadata, &s, &setup);
	ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
	add(_metadata, &s, FUNCTION, 0, KTRACE_PATH_COUNTER, true);
	session_start(_metadata, &s);
	ASSERT_EQ(1, write(go[1], "g", 1));
	while (effort->done < effort->many && seconds_now() < effort->end)
		sleep_ms(10);
	LOG_EFFORT(effort);
	session_stop(_metadata, &s);
	ASSERT_EQ(task.pid, waitpid(task.pid, &status, 0));
	EXPECT_EQ(0, status);

	stats = session_stats(_metadata, &s, 0, self->cpus[0]);
	TH_LOG("%llu records, %llu lost", (unsigned long long)stats.recorded,
	       (unsigned long long)stats_lost(&stats));
	EXPECT_LT(0, stats.recorded);
	EXPECT_LE(effort->many, seen(&stats));
	EXPECT_EQ(stats_lost(&stats), stats.lost[KTRACE_LOST_FULL]);
	EXPECT_EQ(KTRACE_STATS_BOUNDED, stats.flags);
	session_close(&s);
	munmap(effort, sizeof(*effort));
	close(go[0]);
	close(go[1]);
}

/* The next events, in the order of for_each_event(), until the time is up. */
struct turn {
	struct every every;
	struct effort effort;
	unsigned int nr, first, end;
};

static void count_event(void *data, const char *event)
{
	++*(unsigned int *)data;
}

static void trigger_alone(void *data, const char *event)
{
	struct turn *turn = data;
	struct every *every = &turn->every;
	struct __test_metadata *_metadata = every->_metadata;
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int before, nr = turn->nr++;
	struct session s;

	if (nr < turn->first || nr >= turn->end || !effort_next(&turn->effort))
		return;
	setup.pages = 4;
	session_open(_metadata, &s, &setup);
	every->s = &s;
	before = every->added;
	add_every(every, event);
	if (every->added > before) {
		session_start(_metadata, &s);
		sleep_ms(2);
		session_stop(_metadata, &s);
	}
	session_close(&s);
}

/*
 * With one event at a time, no other event can hide a storm.  It takes a second for each event
 * where a grace period is slow, so the first one is another one each time.
 */
TEST_F_TIMEOUT(recursion, each_event_alone_with_a_trigger, 3600)
{
	struct turn turn = { .every = { ._metadata = _metadata, .flags = KTRACE_EVENT_TRIGGER } };
	unsigned int all = 0;

	if (!getenv("KTRACE_TORTURE") || !wants_templates())
		SKIP(return, "with templates, in make torture");
	for_each_event(count_event, &all);
	ASSERT_LT(100, all);
	srandom(time(NULL));
	turn.first = random() % all;
	turn.end = all;
	TH_LOG("%u events, from number %u on", all, turn.first);
	turn.effort = effort_begin(40, all);
	for_each_event(trigger_alone, &turn);
	turn.end = turn.first;
	turn.nr = turn.first = 0;
	for_each_event(trigger_alone, &turn);
	LOG_EFFORT(&turn.effort);
	EXPECT_LT(10, turn.every.added);
}

TEST_HARNESS_MAIN
