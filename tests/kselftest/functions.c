// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel as events: their entries and returns match the calls, and no choice of
 * functions harms the kernel.
 */
#include <stddef.h>

#include "selftest.h"

#define NR		500
#define CALLS		"__x64_sys_getpgid"
#define MAX_FUNCTIONS	(KTRACE_MAX_EVENTS / 2)

/* As the uapi header describes the raw data behind the common fields. */
struct entered {
	uint64_t ip;
};

struct returned {
	uint64_t func, ret_ip, ret;
};

FIXTURE(functions)
{
	struct session s;
	unsigned int cpu, nr_added;
	unsigned int own;	/* where the common fields end, which some kernels have more of */
	bool possible;
};

FIXTURE_SETUP(functions)
{
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_info info = INFO_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 64;
	session_open(_metadata, &self->s, &setup);
	ASSERT_EQ(0, CALL(self->s.fd, INFO, &info));
	self->possible = info.features & KTRACE_FEATURE_FUNCTION;
	self->own = event_field(_metadata, "raw_syscalls/sys_enter", "id").offset;
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	pin_to(_metadata, self->cpu);
}

FIXTURE_TEARDOWN(functions)
{
	session_close(&self->s);
}

#define NEED_FUNCTIONS()						\
	do {								\
		if (!self->possible)					\
			SKIP(return, "this kernel has no probes of functions by ftrace"); \
	} while (0)

static int add_at(FIXTURE_DATA(functions) *self, uint64_t address, unsigned int flags)
{
	struct ktrace_event_add add = event_add_init(60000 + self->nr_added % 5000, self->nr_added);
	int err;

	add.flags = KTRACE_EVENT_FUNCTION | flags;
	add.address = address;
	err = CALL(self->s.fd, EVENT_ADD, &add);
	if (!err && add.path != KTRACE_PATH_FUNCTION)
		return -EPROTO;
	self->nr_added += !err;
	return err;
}

static int add_with(FIXTURE_DATA(functions) *self, uint64_t address, unsigned int flags,
		    const struct ktrace_function_arg *args, unsigned int nr_args)
{
	struct ktrace_event_add add = event_add_init(60000 + self->nr_added, self->nr_added);
	int err;

	add.flags = KTRACE_EVENT_FUNCTION | flags;
	add.address = address;
	add.args = (uintptr_t)args;
	add.nr_args = nr_args;
	err = CALL(self->s.fd, EVENT_ADD, &add);
	self->nr_added += !err;
	return err;
}

static void call(unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		syscall(SYS_getpgid, i % 2 ? 0 : -1);
}

/* The samples of one event, in their order. */
static const struct sample *next_of(struct __test_metadata *_metadata, struct session *s,
				    unsigned int cpu, uint64_t *pos, uint64_t id)
{
	struct ring *r = &s->ring[cpu];
	const struct perf_event_header *header;

	while ((header = ring_next(_metadata, r, pos, ring_head(r)))) {
		const struct sample *sample = (const void *)header;

		if (header->type == PERF_RECORD_SAMPLE && sample->id == KTRACE_ID_BASE + id)
			return sample;
	}
	return NULL;
}

TEST_F(functions, entries_and_returns_are_those_of_the_calls)
{
	uint64_t address = address_of(CALLS), pos = 0;
	const struct sample *sample;
	struct ktrace_stats stats;
	unsigned int nr;

	NEED_FUNCTIONS();
	ASSERT_NE(0, address);
	ASSERT_EQ(0, add_at(self, address, 0));
	ASSERT_EQ(0, add_at(self, address, KTRACE_EVENT_RETURN));
	call(3);
	session_start(_metadata, &self->s);
	call(NR);
	session_stop(_metadata, &self->s);
	call(3);
	for (nr = 0; (sample = next_of(_metadata, &self->s, self->cpu, &pos, 0)); nr++) {
		const struct entered *entered = (const void *)(sample->raw + self->own);
		uint16_t type;

		memcpy(&type, sample->raw, sizeof(type));
		EXPECT_EQ(60000, type);
		EXPECT_EQ(getpid(), sample->pid);
		EXPECT_LE(address, entered->ip);
		EXPECT_GE(address + 4, entered->ip);
		EXPECT_LT(address, sample->ip);
		EXPECT_GE(address + 16, sample->ip);
	}
	EXPECT_EQ(NR, nr);
	pos = 0;
	for (nr = 0; (sample = next_of(_metadata, &self->s, self->cpu, &pos, 1)); nr++) {
		const struct returned *returned = (const void *)(sample->raw + self->own);

		EXPECT_LE(address, returned->func);
		EXPECT_GE(address + 4, returned->func);
		EXPECT_EQ(nr % 2 ? getpgid(0) : -ESRCH, (int64_t)returned->ret);
		EXPECT_EQ(sample->ip, returned->ret_ip);
	}
	EXPECT_EQ(NR, nr);
	for (unsigned int index = 0; index < 2; index++) {
		stats = session_stats(_metadata, &self->s, index, self->cpu);
		EXPECT_EQ(NR, stats.recorded);
		EXPECT_EQ(0, stats_lost(&stats));
	}
}

/* As enum perf_event_x86_regs numbers them, and where they are in struct pt_regs. */
#define AX	0
#define DI	5
#define OF_DI	0x70
#define OF_NUMBER 0x78

TEST_F(functions, arguments_are_registers_and_what_they_lead_to)
{
	static const struct ktrace_function_arg args[] = {
		{ .reg = DI, .size = 8 },
		{ .reg = DI, .size = 4, .nr_loads = 1, .offsets = { OF_DI } },
		{ .reg = DI, .size = 1, .nr_loads = 1, .offsets = { OF_NUMBER } },
		{ .reg = DI, .size = 8, .nr_loads = 2, .offsets = { OF_NUMBER, 8 } },
		{ .reg = DI, .size = 2, .nr_loads = 1, .offsets = { OF_NUMBER } },
	}, back = { .reg = AX, .size = 4 };
	struct __attribute__((packed)) {
		uint64_t ip, regs;
		int32_t pid;
		uint8_t low;
		uint64_t nowhere;
		uint16_t number;
	} entered;
	uint64_t address = address_of(CALLS), pos = 0;
	const struct sample *sample;
	int32_t ret;
	unsigned int nr;

	NEED_FUNCTIONS();
	ASSERT_EQ(0, add_with(self, address, 0, args, ARRAY_SIZE(args)));
	ASSERT_EQ(0, add_with(self, address, KTRACE_EVENT_RETURN, &back, 1));
	session_start(_metadata, &self->s);
	call(NR);
	session_stop(_metadata, &self->s);
	for (nr = 0; (sample = next_of(_metadata, &self->s, self->cpu, &pos, 0)); nr++) {
		memcpy(&entered, sample->raw + self->own, sizeof(entered));
		EXPECT_LE(address, entered.ip);
		EXPECT_LT(1ULL << 63, entered.regs);
		EXPECT_EQ(nr % 2 ? 0 : -1, entered.pid);
		EXPECT_EQ(SYS_getpgid, entered.low);
		EXPECT_EQ(0, entered.nowhere);
		EXPECT_EQ(SYS_getpgid, entered.number);
	}
	EXPECT_EQ(NR, nr);
	pos = 0;
	for (nr = 0; (sample = next_of(_metadata, &self->s, self->cpu, &pos, 1)); nr++) {
		memcpy(&ret, sample->raw + self->own + offsetof(struct returned, ret), sizeof(ret));
		EXPECT_EQ(nr % 2 ? getpgid(0) : -ESRCH, ret);
	}
	EXPECT_EQ(NR, nr);
}

TEST_F(functions, arguments_that_cannot_be_are_refused)
{
	static const struct ktrace_function_arg good = { .reg = DI, .size = 8 }, bad[] = {
		{ .reg = 8, .size = 8 }, { .reg = 9, .size = 8 }, { .reg = 24, .size = 8 },
		{ .reg = 255, .size = 8 }, { .reg = DI, .size = 0 }, { .reg = DI, .size = 3 },
		{ .reg = DI, .size = 16 }, { .reg = DI, .size = 8, .reserved = 1 },
		{ .reg = DI, .size = 8, .nr_loads = KTRACE_MAX_ARG_LOADS + 1 },
		{ .reg = DI, .size = 8, .offsets = { 1 } },
		{ .reg = DI, .size = 8, .nr_loads = 1, .offsets = { 0, 1 } },
	};
	struct ktrace_function_arg many[KTRACE_MAX_FUNCTION_ARGS + 1];
	struct ktrace_event_add add = event_add_init(60000, 0);
	uint64_t address = address_of(CALLS);

	NEED_FUNCTIONS();
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, add_with(self, address, 0, &bad[i], 1));
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = good;
	EXPECT_EQ(-EINVAL, add_with(self, address, 0, many, ARRAY_SIZE(many)));
	EXPECT_EQ(-EINVAL, add_with(self, address, 0, many, ~0U));
	EXPECT_EQ(-EINVAL, add_with(self, address, 0, many, 0));
	EXPECT_EQ(-EFAULT, add_with(self, address, 0, NULL, 1));
	add.args = (uintptr_t)&good;
	add.nr_args = 1;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, EVENT_ADD, &add));
	EXPECT_EQ(0, add_with(self, address, 0, many, KTRACE_MAX_FUNCTION_ARGS));
}

TEST_F(functions, one_function_can_be_several_events_and_start_again)
{
	uint64_t address = address_of(CALLS);
	struct ktrace_stats stats;

	NEED_FUNCTIONS();
	for (unsigned int i = 0; i < 3; i++)
		ASSERT_EQ(0, add_at(self, address, i % 2 ? KTRACE_EVENT_RETURN : 0));
	for (unsigned int round = 1; round < 4; round++) {
		session_start(_metadata, &self->s);
		call(10);
		session_stop(_metadata, &self->s);
		for (unsigned int index = 0; index < 3; index++) {
			stats = session_stats(_metadata, &self->s, index, self->cpu);
			EXPECT_EQ(10 * round, stats.recorded);
		}
	}
}

TEST_F(functions, what_is_no_function_is_refused)
{
	uint64_t address = address_of(CALLS);
	struct ktrace_event_add add = event_add_init(60000, 0);

	NEED_FUNCTIONS();
	EXPECT_EQ(-ENODEV, add_at(self, address + 7, 0));
	EXPECT_EQ(-ENODEV, add_at(self, address + 2, 0));
	EXPECT_EQ(-ENODEV, add_at(self, address + 1, KTRACE_EVENT_RETURN));
	EXPECT_EQ(-ENODEV, add_at(self, 0x1234, 0));
	EXPECT_EQ(-ENODEV, add_at(self, ~0ULL, KTRACE_EVENT_RETURN));
	EXPECT_EQ(-ENODEV, add_at(self, (uintptr_t)&add, 0));
	EXPECT_EQ(-ENODEV, add_at(self, address_of("__x86_return_thunk"), 0));
	EXPECT_EQ(-ENODEV, add_at(self, address_of("native_sched_clock"), KTRACE_EVENT_RETURN));
	EXPECT_EQ(-EINVAL, add_at(self, 0, 0));
	add.address = address;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, EVENT_ADD, &add));
	add.flags = KTRACE_EVENT_RETURN;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, EVENT_ADD, &add));
	add.flags = KTRACE_EVENT_FUNCTION;
	add.config = 65536;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, EVENT_ADD, &add));
	add.config = 60000;
	add.path = KTRACE_PATH_COUNTER;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, EVENT_ADD, &add));
	add.path = KTRACE_PATH_FUNCTION;
	EXPECT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
}

/* How often this task allocates memory, as perf counts it. */
static int count_allocations(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = event_id("kmem/kmalloc"),
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Where returns are awaited, each call takes a node: there are as many as the functions need. */
TEST_F(functions, one_function_takes_few_nodes)
{
	uint64_t allocations;
	int counter;

	NEED_FUNCTIONS();
	ASSERT_EQ(0, add_at(self, address_of("__x64_sys_getpgid"), KTRACE_EVENT_RETURN));
	counter = count_allocations();
	ASSERT_LE(0, counter);
	session_start(_metadata, &self->s);
	ASSERT_EQ(sizeof(allocations), read(counter, &allocations, sizeof(allocations)));
	close(counter);
	/* Newer kernels have all nodes in one piece of memory. */
	EXPECT_LT(0, allocations);
	EXPECT_GT(1000, allocations);
}

/* A recorded call may return after its session has ended. */
TEST_F(functions, a_call_may_return_after_the_session)
{
	uint64_t address = address_of("__x64_sys_nanosleep");
	uint64_t other = address_of("__x64_sys_clock_nanosleep");
	pid_t pid;
	int status;

	NEED_FUNCTIONS();
	ASSERT_EQ(0, add_at(self, address, KTRACE_EVENT_RETURN));
	ASSERT_EQ(0, add_at(self, other, KTRACE_EVENT_RETURN));
	session_start(_metadata, &self->s);
	pid = fork();
	if (!pid) {
		sleep_ms(1500);
		_exit(0);
	}
	sleep_ms(300);
	session_close(&self->s);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	session_open(_metadata, &self->s, NULL);
}

/* The load: typical work of a kernel. */
static void work(void)
{
	char name[] = "/tmp/ktrace-functions-XXXXXX";
	int fd = mkstemp(name), pipes[2];
	char text[4096] = "";

	for (unsigned int i = 0; i < 20; i++)
		if (write(fd, text, sizeof(text)) < 0 || pread(fd, text, sizeof(text), 0) < 0)
			break;
	close(fd);
	unlink(name);
	if (!pipe(pipes)) {
		if (write(pipes[1], text, 100) == 100 && read(pipes[0], text, 100) == 100)
			sched_yield();
		close(pipes[0]);
		close(pipes[1]);
	}
	if (!fork())
		_exit(0);
	wait(NULL);
	sleep_ms(1);
}

struct symbol {
	char name[64];
	uint64_t address;
};

static int compare_symbols(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

/* The functions of the kernel, by name. */
static const struct symbol *symbols(size_t *nr)
{
	static struct symbol *all;
	static size_t count;
	FILE *f = all ? NULL : fopen("/proc/kallsyms", "r");
	struct symbol symbol;
	char type;

	while (f && fscanf(f, "%lx %c %63s%*[^\n]", &symbol.address, &type, symbol.name) == 3) {
		if (!strchr("tTwW", type))
			continue;
		if (count % 4096 == 0)
			all = realloc(all, (count + 4096) * sizeof(*all));
		if (!all)
			abort();
		all[count++] = symbol;
	}
	if (f) {
		fclose(f);
		qsort(all, count, sizeof(*all), compare_symbols);
	}
	*nr = count;
	return all;
}

/* Adds every @step-th function that ftrace knows, from @first on, until there is no more room. */
static unsigned int add_every(FIXTURE_DATA(functions) *self, unsigned int first, unsigned int step)
{
	FILE *f = fopen(TRACING "/available_filter_functions", "r");
	unsigned int nr = 0, added = 0;
	const struct symbol *all, *found;
	struct symbol wanted;
	size_t nr_all;

	all = symbols(&nr_all);
	while (f && fscanf(f, "%63s%*[^\n]", wanted.name) == 1 && added < MAX_FUNCTIONS) {
		if (nr++ % step != first)
			continue;
		found = bsearch(&wanted, all, nr_all, sizeof(*all), compare_symbols);
		if (!found || add_at(self, found->address, 0))
			continue;
		/* Of some that may be traced, the return must not be replaced. */
		if (add_at(self, found->address, KTRACE_EVENT_RETURN) == -E2BIG)
			break;
		added++;
	}
	if (f)
		fclose(f);
	return added;
}

/*
 * Functions that the kernel calls for each return, where it checks locks.  It does not mark that
 * their returns must not be replaced.
 */
TEST_F_TIMEOUT(functions, returns_that_lead_to_themselves, 300)
{
	static const char *const names[] = {
		"rcu_read_lock_any_held", "rcu_read_lock_held_common", "rcu_read_lock_held",
		"rcu_read_lock_sched_held", "rcu_lockdep_current_cpu_online", "rcu_is_watching",
		"debug_lockdep_rcu_enabled", "lock_is_held_type",
	};
	struct ktrace_setup setup = SETUP_INIT;
	uint64_t addresses[ARRAY_SIZE(names)];
	unsigned int set, i, added;

	NEED_FUNCTIONS();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	addresses_of(names, ARRAY_SIZE(names), addresses);
	/* All at once, then each alone. */
	for (set = 0; set <= ARRAY_SIZE(names); set++) {
		session_close(&self->s);
		session_open(_metadata, &self->s, &setup);
		self->nr_added = 0;
		for (i = added = 0; i < ARRAY_SIZE(names); i++) {
			uint64_t address = !set || set == i + 1 ? addresses[i] : 0;

			added += address && !add_at(self, address, KTRACE_EVENT_RETURN);
		}
		if (!added)
			continue;
		session_start(_metadata, &self->s);
		for (i = 0; i < 20; i++)
			call(10);
		sleep_ms(20);
		session_stop(_metadata, &self->s);
		TH_LOG("%s: %u returns", set ? names[set - 1] : "all", added);
	}
	/* Other functions are recorded as before. */
	session_close(&self->s);
	session_open(_metadata, &self->s, &setup);
	self->nr_added = 0;
	ASSERT_EQ(0, add_at(self, address_of(CALLS), KTRACE_EVENT_RETURN));
	session_start(_metadata, &self->s);
	call(10);
	session_stop(_metadata, &self->s);
	EXPECT_LE(10, session_stats(_metadata, &self->s, 0, self->cpu).recorded);
}

/* All functions take their turn, including functions that recording itself calls. */
TEST_F_TIMEOUT(functions, any_choice_of_functions_is_harmless, 3600)
{
	struct ktrace_scope_add comm = { .size = sizeof(comm), .kind = KTRACE_SCOPE_COMM };
	unsigned int step = 96, rounds = 0, added = 0;
	struct effort effort = effort_begin(3, 96);
	struct ktrace_setup setup = SETUP_INIT;

	NEED_FUNCTIONS();
	setup.pages = 64;
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	strcpy(comm.comm, "functions");
	while (effort_next(&effort)) {
		session_close(&self->s);
		session_open(_metadata, &self->s, &setup);
		self->nr_added = 0;
		/* A scope that has to be looked up calls functions, too. */
		if (rounds % 2)
			ASSERT_EQ(0, CALL(self->s.fd, SCOPE_ADD, &comm));
		added = add_every(self, rounds++ % step, step);
		EXPECT_LT(200, added);
		session_start(_metadata, &self->s);
		for (unsigned int i = 0; i < 5; i++)
			work();
		session_stop(_metadata, &self->s);
	}
	TH_LOG("%u rounds, %u functions in the last", rounds, added);
	LOG_EFFORT(&effort);
}

TEST_HARNESS_MAIN
