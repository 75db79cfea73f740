// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctls of /dev/ktrace: the states and values with which they work, and how they accept
 * structures of other versions.  permission.c tests which callers may use them.
 */
#include <sys/time.h>

#include "selftest.h"

#define NO_SUCH_ID	65000

FIXTURE(device) {
	int fd;
	int config;		/* an event that every kernel has */
};

FIXTURE_SETUP(device)
{
	self->fd = device_open(_metadata);
	self->config = event_id("sched/sched_switch");
	ASSERT_GT(self->config, 0);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

static void setup(struct __test_metadata *_metadata, int fd)
{
	struct ktrace_setup setup = SETUP_INIT;

	ASSERT_EQ(0, CALL(fd, SETUP, &setup));
}

static int add_event(int fd, struct ktrace_event_add add)
{
	return CALL(fd, EVENT_ADD, &add);
}

/* ---- rules for all ioctls ---------------------------------------------------- */

TEST_F(device, unknown_numbers)
{
	char page[4096] = { 0 };
	unsigned int nr, end = _IOC_NR(KTRACE_IOC_FROZEN) + 1;

	for (nr = end; nr < 256; nr++)
		EXPECT_EQ(-ENOTTY, ioctl(self->fd, _IOWR(KTRACE_IOC_MAGIC, nr, page)) ? -errno : 0);
	for (nr = 0; nr < end; nr++)
		EXPECT_EQ(-ENOTTY, ioctl(self->fd, _IOWR('t', nr, page), page) ? -errno : 0);
}

TEST_F(device, size_and_direction_in_the_number_do_not_matter)
{
	struct ktrace_info info = INFO_INIT;

	EXPECT_EQ(0, ioctl(self->fd, _IO(KTRACE_IOC_MAGIC, 0), &info));
	EXPECT_EQ(KTRACE_ABI_MAJOR, info.abi_major);
	EXPECT_EQ(0, ioctl(self->fd, _IOR(KTRACE_IOC_MAGIC, 0, char[200]), &info));
}

static const struct {
	const char *name;
	unsigned int cmd;
	unsigned int size;
} structs[] = {
	{ "INFO", KTRACE_IOC_INFO, sizeof(struct ktrace_info) },
	{ "SETUP", KTRACE_IOC_SETUP, sizeof(struct ktrace_setup) },
	{ "EVENT_ADD", KTRACE_IOC_EVENT_ADD, sizeof(struct ktrace_event_add) },
	{ "TASK_ADD", KTRACE_IOC_TASK_ADD, sizeof(struct ktrace_task_add) },
	{ "STATS", KTRACE_IOC_STATS, sizeof(struct ktrace_stats) },
	{ "MARK", KTRACE_IOC_MARK, sizeof(struct ktrace_mark) },
	{ "CLOCK", KTRACE_IOC_CLOCK, sizeof(struct ktrace_clock) },
	{ "SNAPSHOT", KTRACE_IOC_SNAPSHOT, sizeof(struct ktrace_snapshot) },
	{ "SNAPSHOT_STATS", KTRACE_IOC_SNAPSHOT_STATS, sizeof(struct ktrace_stats) },
	{ "COUNT_ADD", KTRACE_IOC_COUNT_ADD, sizeof(struct ktrace_count_add) },
	{ "COUNT_READ", KTRACE_IOC_COUNT_READ, sizeof(struct ktrace_count_read) },
	{ "DESCRIBE", KTRACE_IOC_DESCRIBE, sizeof(struct ktrace_describe) },
	{ "KEEP", KTRACE_IOC_KEEP, sizeof(struct ktrace_keep) },
	{ "KEPT_OPEN", KTRACE_IOC_KEPT_OPEN, sizeof(struct ktrace_kept_open) },
	{ "KEPT_INFO", KTRACE_IOC_KEPT_INFO, sizeof(struct ktrace_kept_info) },
	{ "RECALL", KTRACE_IOC_RECALL, sizeof(struct ktrace_recall) },
	{ "EVENT_INFO", KTRACE_IOC_EVENT_INFO, sizeof(struct ktrace_event_info) },
	{ "CHAIN_READ", KTRACE_IOC_CHAIN_READ, sizeof(struct ktrace_chain_read) },
	{ "FROZEN", KTRACE_IOC_FROZEN, sizeof(struct ktrace_frozen) },
};

static int call_bytes(int fd, unsigned int cmd, uint32_t size, void *bytes)
{
	memcpy(bytes, &size, sizeof(size));
	return ioctl(fd, cmd, bytes) ? -errno : 0;
}

TEST_F(device, sizes)
{
	static char bytes[3 * 4096];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(structs); i++) {
		unsigned int cmd = structs[i].cmd, size = structs[i].size;

		memset(bytes, 0, sizeof(bytes));
		EXPECT_EQ(-EINVAL, call_bytes(self->fd, cmd, 0, bytes));
		EXPECT_EQ(-EINVAL, call_bytes(self->fd, cmd, 4, bytes));
		EXPECT_EQ(-EINVAL, call_bytes(self->fd, cmd, size - 1, bytes)) {
			TH_LOG("%s", structs[i].name);
		}
		/*
		 * The structure is of a later version, but requests nothing that this module
		 * does not know.
		 */
		EXPECT_NE(-E2BIG, call_bytes(self->fd, cmd, size + 1, bytes)) {
			TH_LOG("%s", structs[i].name);
		}
		EXPECT_NE(-E2BIG, call_bytes(self->fd, cmd, size + 64, bytes));
		memset(bytes, 0, sizeof(bytes));
		bytes[size] = 1;
		EXPECT_EQ(-E2BIG, call_bytes(self->fd, cmd, size + 1, bytes)) {
			TH_LOG("%s", structs[i].name);
		}
		memset(bytes, 0, sizeof(bytes));
		bytes[size + 63] = 1;
		EXPECT_EQ(-E2BIG, call_bytes(self->fd, cmd, size + 64, bytes));
		EXPECT_EQ(-E2BIG, call_bytes(self->fd, cmd, 2 * 4096, bytes));
		EXPECT_EQ(-E2BIG, call_bytes(self->fd, cmd, UINT32_MAX, bytes));
	}
}

TEST_F(device, bad_pointers)
{
	char *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	unsigned int i;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, munmap(pages + 4096, 4096));
	for (i = 0; i < ARRAY_SIZE(structs); i++) {
		char *end = pages + 4096;

		EXPECT_EQ(-EFAULT, ioctl(self->fd, structs[i].cmd, NULL) ? -errno : 0);
		EXPECT_EQ(-EFAULT, ioctl(self->fd, structs[i].cmd, end - 2) ? -errno : 0);
		EXPECT_EQ(-EFAULT, call_bytes(self->fd, structs[i].cmd, structs[i].size,
					      end - structs[i].size + 4)) {
			TH_LOG("%s", structs[i].name);
		}
	}
}

TEST_F(device, writes_back_only_what_the_caller_has)
{
	struct {
		struct ktrace_info info;
		uint64_t more[4];
	} arg = { .info = INFO_INIT };

	memset(arg.more, 0, sizeof(arg.more));
	arg.info.size = sizeof(arg);
	ASSERT_EQ(0, CALL(self->fd, INFO, &arg));
	EXPECT_EQ(sizeof(arg), arg.info.size);
	EXPECT_EQ(0, arg.more[0] | arg.more[1] | arg.more[2] | arg.more[3]);

	/* Not a byte behind the structure is written. */
	memset(arg.more, 0xee, sizeof(arg.more));
	arg.info.size = sizeof(arg.info);
	ASSERT_EQ(0, CALL(self->fd, INFO, &arg));
	EXPECT_EQ(0xeeeeeeeeeeeeeeeeULL, arg.more[0]);
}

/* ---- INFO ------------------------------------------------------------------- */

TEST_F(device, info)
{
	struct ktrace_info info = INFO_INIT;
	char text[64];

	ASSERT_EQ(0, CALL(self->fd, INFO, &info));
	EXPECT_EQ(KTRACE_ABI_MAJOR, info.abi_major);
	EXPECT_EQ(KTRACE_ABI_MINOR, info.abi_minor);
	EXPECT_EQ(KTRACE_SCHEMA, info.schema);
	EXPECT_TRUE(info.features & KTRACE_FEATURE_COUNTER);
	EXPECT_EQ(0, info.features & ~(KTRACE_FEATURE_COUNTER | KTRACE_FEATURE_TEMPLATE |
					KTRACE_FEATURE_FILTER_JIT | KTRACE_FEATURE_FUNCTION |
					KTRACE_FEATURE_FUNCTION_ARGS |
					KTRACE_FEATURE_COMPACT | KTRACE_FEATURE_REGS_USER |
					KTRACE_FEATURE_MACHINE |
					KTRACE_FEATURE_COUNT_CHAINS | KTRACE_FEATURE_ACTIONS));
	EXPECT_TRUE(info.features & KTRACE_FEATURE_COMPACT);
	EXPECT_EQ(0xfffff, info.fields);
	EXPECT_GE(info.nr_cpu_ids, (unsigned int)sysconf(_SC_NPROCESSORS_CONF));
	EXPECT_GE(info.max_pages, 16);
	EXPECT_EQ(0, info.max_pages & (info.max_pages - 1));
	ASSERT_GT(read_file("/sys/module/ktrace/version", text, sizeof(text)), 1);
	text[strcspn(text, "\n")] = '\0';
	EXPECT_STREQ(text, info.version);
}

TEST_F(device, info_about_compiled_filters)
{
	static const char parameter[] = "/sys/module/ktrace/parameters/filter_jit";
	struct ktrace_info info = INFO_INIT;
	char text[64];

	if (read_file("/proc/sys/net/core/bpf_jit_enable", text, sizeof(text)) < 1 || text[0] == '0')
		SKIP(return, "this kernel compiles no programs");
	ASSERT_EQ(0, CALL(self->fd, INFO, &info));
	EXPECT_TRUE(info.features & KTRACE_FEATURE_FILTER_JIT);
	ASSERT_EQ(0, write_file(parameter, "0"));
	EXPECT_EQ(0, CALL(self->fd, INFO, &info));
	EXPECT_FALSE(info.features & KTRACE_FEATURE_FILTER_JIT);
	ASSERT_EQ(0, write_file(parameter, "1"));
}

/* ---- states ----------------------------------------------------------------- */

TEST_F(device, before_setup)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
	struct ktrace_clock clock = { .size = sizeof(clock) };
	struct ktrace_mark mark = { .size = sizeof(mark) };
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };
	struct ktrace_stats stats = STATS_INIT;

	EXPECT_EQ(-EBUSY, add_event(self->fd, event_add_init(self->config, 0)));
	EXPECT_EQ(-EBUSY, CALL(self->fd, TASK_ADD, &task));
	EXPECT_EQ(-EBUSY, CALL(self->fd, START, 0));
	EXPECT_EQ(-EBUSY, CALL(self->fd, STOP, 0));
	EXPECT_EQ(-EBUSY, CALL(self->fd, STATS, &stats));
	EXPECT_EQ(-EBUSY, CALL(self->fd, MARK, &mark));
	EXPECT_EQ(-EBUSY, CALL(self->fd, CLOCK, &clock));
	EXPECT_EQ(NULL, map(self->fd, 0, KTRACE_MMAP_META, 4096, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ(1, poll(&poll_fd, 1, 1000));
	EXPECT_EQ(POLLERR, poll_fd.revents);
}

TEST_F(device, setup_once)
{
	struct ktrace_setup again = SETUP_INIT;

	setup(_metadata, self->fd);
	EXPECT_EQ(-EBUSY, CALL(self->fd, SETUP, &again));
}

TEST_F(device, start_and_stop)
{
	struct ktrace_info info = INFO_INIT;
	struct ktrace_setup again = SETUP_INIT;

	setup(_metadata, self->fd);
	EXPECT_EQ(0, CALL(self->fd, STOP, 0));
	EXPECT_EQ(0, CALL(self->fd, START, 0));
	EXPECT_EQ(-EBUSY, CALL(self->fd, START, 0));
	EXPECT_EQ(-EBUSY, add_event(self->fd, event_add_init(self->config, 0)));
	EXPECT_EQ(-EBUSY, CALL(self->fd, SETUP, &again));
	EXPECT_EQ(0, CALL(self->fd, INFO, &info));
	EXPECT_EQ(0, CALL(self->fd, STOP, 0));
	EXPECT_EQ(0, CALL(self->fd, STOP, 0));
	EXPECT_EQ(-EBUSY, add_event(self->fd, event_add_init(self->config, 0)));
	EXPECT_EQ(0, CALL(self->fd, START, 0));
	EXPECT_EQ(0, CALL(self->fd, STOP, 0));
}

/* ---- SETUP ------------------------------------------------------------------ */

static int try_setup(struct ktrace_setup setup)
{
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = CALL(fd, SETUP, &setup);
	close(fd);
	return err;
}

#define SETUP(...) ((struct ktrace_setup){ .size = sizeof(struct ktrace_setup), .pages = 16, \
					   .clockid = KTRACE_CLOCK_PERF, __VA_ARGS__ })

#pragma GCC diagnostic ignored "-Woverride-init"

TEST_F(device, setup_values)
{
	struct ktrace_info info = INFO_INIT;
	unsigned int pages;

	ASSERT_EQ(0, CALL(self->fd, INFO, &info));
	for (pages = 1; pages <= 1024; pages *= 2)
		EXPECT_EQ(0, try_setup(SETUP(.pages = pages)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.pages = 0)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.pages = 3)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.pages = 2 * info.max_pages)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.pages = 1U << 31)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.flags = KTRACE_SETUP_ALL + 1)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.flags = 1U << 31)));
	EXPECT_EQ(0, try_setup(SETUP(.flags = KTRACE_SETUP_TRACE_SELF)));
	EXPECT_EQ(0, try_setup(SETUP(.flags = KTRACE_SETUP_OVERWRITE)));
	EXPECT_EQ(0, try_setup(SETUP(.wakeup_bytes = 1)));
	EXPECT_EQ(0, try_setup(SETUP(.wakeup_bytes = 16 * 4096)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.wakeup_bytes = 16 * 4096 + 1)));
}

TEST_F(device, setup_clocks)
{
	EXPECT_EQ(0, try_setup(SETUP(.clockid = CLOCK_MONOTONIC)));
	EXPECT_EQ(0, try_setup(SETUP(.clockid = CLOCK_MONOTONIC_RAW)));
	EXPECT_EQ(0, try_setup(SETUP(.clockid = CLOCK_BOOTTIME)));
	EXPECT_EQ(0, try_setup(SETUP(.clockid = CLOCK_REALTIME)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.clockid = CLOCK_TAI)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.clockid = CLOCK_PROCESS_CPUTIME_ID)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.clockid = -2)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.clockid = 4711)));
}

#define CPUS(mask) SETUP(.cpus = (uintptr_t)(mask), .cpus_bytes = sizeof(mask))

TEST_F(device, setup_cpus)
{
	uint64_t one[1] = { 1 }, none[2] = { 0 }, far[512] = { 0 };

	EXPECT_EQ(0, try_setup(CPUS(one)));
	EXPECT_EQ(-EINVAL, try_setup(CPUS(none)));
	/* CPUs that cannot exist are not online. */
	far[511] = 1ULL << 63;
	EXPECT_EQ(-EINVAL, try_setup(CPUS(far)));
	far[0] = 1;
	EXPECT_EQ(0, try_setup(CPUS(far)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.cpus_bytes = 8)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.cpus = (uintptr_t)one)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.cpus = (uintptr_t)one, .cpus_bytes = 4)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.cpus = (uintptr_t)one, .cpus_bytes = 12)));
	EXPECT_EQ(-EINVAL, try_setup(SETUP(.cpus = (uintptr_t)one, .cpus_bytes = 1 << 20)));
	EXPECT_EQ(-EFAULT, try_setup(SETUP(.cpus = 16, .cpus_bytes = 8)));
}

TEST_F(device, setup_may_be_tried_again)
{
	struct ktrace_setup bad = SETUP(.pages = 3);

	EXPECT_EQ(-EINVAL, CALL(self->fd, SETUP, &bad));
	setup(_metadata, self->fd);
}

TEST_F(device, setup_only_some_cpus)
{
	uint64_t mask[1] = { 1 };
	struct ktrace_setup setup = CPUS(mask);
	struct ktrace_stats stats = STATS_INIT;
	struct ktrace_info info = INFO_INIT;
	unsigned int cpu;

	ASSERT_EQ(0, CALL(self->fd, INFO, &info));
	ASSERT_EQ(0, CALL(self->fd, SETUP, &setup));
	ASSERT_EQ(0, add_event(self->fd, event_add_init(self->config, 0)));
	for (cpu = 0; cpu < info.nr_cpu_ids; cpu++) {
		stats = (struct ktrace_stats)STATS_INIT;
		stats.cpu = cpu;
		EXPECT_EQ(cpu ? -EINVAL : 0, CALL(self->fd, STATS, &stats));
	}
}

/* ---- EVENT_ADD -------------------------------------------------------------- */

TEST_F(device, event_add)
{
	struct ktrace_event_add add = event_add_init(self->config, 0);

	setup(_metadata, self->fd);
	EXPECT_EQ(0, CALL(self->fd, EVENT_ADD, &add));
	EXPECT_EQ(0, add.index);
	EXPECT_EQ(KTRACE_PATH_COUNTER, add.path);
	EXPECT_EQ(-EEXIST, CALL(self->fd, EVENT_ADD, &add));

	/* The same event is added again, with another id. */
	add = event_add_init(self->config, 1);
	add.path = KTRACE_PATH_COUNTER;
	add.fields = 0xff;
	EXPECT_EQ(0, CALL(self->fd, EVENT_ADD, &add));
	EXPECT_EQ(1, add.index);
	EXPECT_EQ(KTRACE_PATH_COUNTER, add.path);
	EXPECT_EQ(KTRACE_ID_BASE + 1, add.id);

	add = event_add_init(self->config, 0);
	add.id = UINT64_MAX;
	EXPECT_EQ(0, CALL(self->fd, EVENT_ADD, &add));
	EXPECT_EQ(2, add.index);
}

TEST_F(device, event_add_failures_leave_nothing)
{
	struct ktrace_event_add add = event_add_init(NO_SUCH_ID, 0);

	setup(_metadata, self->fd);
	EXPECT_EQ(-ENOENT, CALL(self->fd, EVENT_ADD, &add));
	add = event_add_init(self->config, 0);
	EXPECT_EQ(0, CALL(self->fd, EVENT_ADD, &add));
	EXPECT_EQ(0, add.index);
	EXPECT_EQ(0, CALL(self->fd, START, 0));
}

#define EXPECT_ADD(error, ...)						\
	do {								\
		struct ktrace_event_add add = event_add_init(self->config, 5); \
		__VA_ARGS__;						\
		EXPECT_EQ(error, CALL(self->fd, EVENT_ADD, &add)) {	\
			TH_LOG(#__VA_ARGS__);				\
		}							\
	} while (0)

TEST_F(device, event_add_values)
{
	setup(_metadata, self->fd);
	EXPECT_ADD(-EINVAL, add.flags = KTRACE_EVENT_ALL + 1);
	EXPECT_ADD(-ENODEV, add.user_strings = 1);
	EXPECT_ADD(-EINVAL, add.type = PERF_TYPE_HARDWARE);
	EXPECT_ADD(-EINVAL, add.type = PERF_TYPE_RAW);
	EXPECT_ADD(-EINVAL, add.type = 77);
	EXPECT_ADD(-EINVAL, add.path = KTRACE_PATH_MACHINE + 1);
	EXPECT_ADD(-EINVAL, add.path = UINT32_MAX);
	EXPECT_ADD(-ENODEV, add.path = KTRACE_PATH_TEMPLATE);
	EXPECT_ADD(-ENODEV, add.path = KTRACE_PATH_FUNCTION);
	EXPECT_ADD(-ENODEV, add.path = KTRACE_PATH_MACHINE);
	EXPECT_ADD(-EINVAL, add.flags = KTRACE_EVENT_FUNCTION);
	EXPECT_ADD(-EINVAL, add.flags = KTRACE_EVENT_RETURN);
	EXPECT_ADD(-EINVAL, add.address = 1);
	EXPECT_ADD(-EINVAL, add.id = KTRACE_ID_BASE - 1);
	EXPECT_ADD(-EINVAL, add.id = 0);
	EXPECT_ADD(-EINVAL, add.sample_type = 0);
	EXPECT_ADD(-EINVAL, add.sample_type |= PERF_SAMPLE_STACK_USER);
	EXPECT_ADD(-EINVAL, add.sample_type = PERF_SAMPLE_CALLCHAIN);
	EXPECT_ADD(-EINVAL, add.fields = 1ULL << KTRACE_FIELD_NR_STORED);
	EXPECT_ADD(-EINVAL, add.fields = 1ULL << KTRACE_FIELD_CPU);
	EXPECT_ADD(-EINVAL, add.filter_insns = 1);
	EXPECT_ADD(-EINVAL, add.pool_bytes = 1);
	EXPECT_ADD(-EINVAL, add.pool = (uintptr_t)&add);
	EXPECT_ADD(-ENOENT, add.config = NO_SUCH_ID);
	EXPECT_ADD(-ENOENT, add.config = 0);
	EXPECT_ADD(-ENOENT, add.config = UINT64_MAX);
	EXPECT_ADD(0, add.fields = 0);
}

static bool can_perf_open(int id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

TEST_F(device, event_that_no_counter_can_have)
{
	bool has_counter;
	int id;

	if (write_file(TRACING "/synthetic_events", "ktrace_selftest u64 value"))
		SKIP(return, "this kernel has no synthetic events");
	id = event_id("synthetic/ktrace_selftest");
	ASSERT_GT(id, 0);
	has_counter = can_perf_open(id);
	if (!has_counter) {
		setup(_metadata, self->fd);
		EXPECT_EQ(-ENODEV, add_event(self->fd, event_add_init(id, 0)));
	}
	EXPECT_EQ(0, write_file(TRACING "/synthetic_events", "!ktrace_selftest u64 value"));
	if (has_counter)
		SKIP(return, "perf counts synthetic events in this kernel");
}

TEST_F_TIMEOUT(device, too_many_events, 600)
{
	int i, err = 0;

	setup(_metadata, self->fd);
	for (i = 0; i < KTRACE_MAX_EVENTS && !err; i++)
		err = add_event(self->fd, event_add_init(self->config, i));
	ASSERT_EQ(0, err) {
		TH_LOG("after %d events", i);
	}
	EXPECT_EQ(-E2BIG, add_event(self->fd, event_add_init(self->config, i)));
}

/* ---- other ioctls ----------------------------------------------------------- */

TEST_F(device, task_add_values)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };

	setup(_metadata, self->fd);
	EXPECT_EQ(0, CALL(self->fd, TASK_ADD, &task));
	task.flags = KTRACE_TASK_ALL;
	EXPECT_EQ(0, CALL(self->fd, TASK_ADD, &task));
	task.flags = KTRACE_TASK_ALL + 1;
	EXPECT_EQ(-EINVAL, CALL(self->fd, TASK_ADD, &task));
	task.flags = 0;
	task.reserved = 1;
	EXPECT_EQ(-EINVAL, CALL(self->fd, TASK_ADD, &task));
	task.reserved = 0;
	task.pid = 0;
	EXPECT_EQ(-ESRCH, CALL(self->fd, TASK_ADD, &task));
	task.pid = -1;
	EXPECT_EQ(-ESRCH, CALL(self->fd, TASK_ADD, &task));
	/* First PID_MAX_LIMIT, which no task can have, then the largest number. */
	task.pid = 4 * 1024 * 1024;
	EXPECT_EQ(-ESRCH, CALL(self->fd, TASK_ADD, &task));
	task.pid = INT32_MAX;
	EXPECT_EQ(-ESRCH, CALL(self->fd, TASK_ADD, &task));
}

TEST_F(device, stats_values)
{
	struct ktrace_stats stats = STATS_INIT;

	setup(_metadata, self->fd);
	EXPECT_EQ(-EINVAL, CALL(self->fd, STATS, &stats));
	ASSERT_EQ(0, add_event(self->fd, event_add_init(self->config, 0)));
	/* The previous content of members that are only written does not matter. */
	memset(&stats, 0xff, sizeof(stats));
	stats.size = sizeof(stats);
	stats.index = 0;
	stats.cpu = 0;
	ASSERT_EQ(0, CALL(self->fd, STATS, &stats));
	EXPECT_EQ(0, stats.index | stats.cpu);
	EXPECT_EQ(KTRACE_STATS_BOUNDED, stats.flags);
	EXPECT_EQ(0, stats.recorded | stats.filtered | stats.out_of_scope);
	EXPECT_EQ(0, stats_lost(&stats) | stats_unplaced(&stats));
	EXPECT_EQ(0, stats.first_lost | stats.last_lost);
	stats.index = 1;
	EXPECT_EQ(-EINVAL, CALL(self->fd, STATS, &stats));
	stats.index = 0;
	stats.cpu = 100000;
	EXPECT_EQ(-EINVAL, CALL(self->fd, STATS, &stats));
	stats.cpu = UINT32_MAX;
	EXPECT_EQ(-EINVAL, CALL(self->fd, STATS, &stats));
}

TEST_F(device, mark_and_clock_reserved)
{
	struct ktrace_clock clock = { .size = sizeof(clock), .reserved = 1 };
	struct ktrace_mark mark = { .size = sizeof(mark), .reserved = 1 };

	setup(_metadata, self->fd);
	EXPECT_EQ(-EINVAL, CALL(self->fd, CLOCK, &clock));
	EXPECT_EQ(-EINVAL, CALL(self->fd, MARK, &mark));
}

static uint64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void ignore(int sig)
{
}

/* MARK waits for a grace period, which a signal does not cut short. */
TEST_F(device, mark_among_signals)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { { 0 } };
	struct sigaction action = { .sa_handler = ignore };
	struct ktrace_mark mark = { .size = sizeof(mark) };
	int i;

	setup(_metadata, self->fd);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	for (i = 0; i < 20; i++)
		EXPECT_EQ(0, CALL(self->fd, MARK, &mark));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

/* ---- DESCRIBE ----------------------------------------------------------------- */

TEST_F(device, describe)
{
	static char text[3 * 4096 + 8];
	struct ktrace_describe d = {
		.size = sizeof(d), .bytes = sizeof(text), .data = (uintptr_t)text,
	};

	EXPECT_EQ(-EBUSY, CALL(self->fd, DESCRIBE, &d));
	setup(_metadata, self->fd);
	d.reserved = 1;
	EXPECT_EQ(-EINVAL, CALL(self->fd, DESCRIBE, &d));
	d.reserved = 0;
	d.bytes = 0;
	EXPECT_EQ(-EINVAL, CALL(self->fd, DESCRIBE, &d));
	d.bytes = KTRACE_DESCRIBE_MAX + 1;
	EXPECT_EQ(-EINVAL, CALL(self->fd, DESCRIBE, &d));
	d.bytes = sizeof(text);
	d.data = 8;
	EXPECT_EQ(-EFAULT, CALL(self->fd, DESCRIBE, &d));
	/* The failed call left nothing behind. */
	d.data = (uintptr_t)text;
	EXPECT_EQ(0, CALL(self->fd, DESCRIBE, &d));
	EXPECT_EQ(-EEXIST, CALL(self->fd, DESCRIBE, &d));
}

TEST(clock_pairs)
{
	static const clockid_t ids[] = {
		KTRACE_CLOCK_PERF, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
		CLOCK_REALTIME,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		struct ktrace_setup setup = SETUP(.clockid = ids[i]);
		uint64_t before[4] = {
			now(CLOCK_MONOTONIC), now(CLOCK_MONOTONIC_RAW),
			now(CLOCK_BOOTTIME), now(CLOCK_REALTIME),
		};
		struct ktrace_clock clock = { .size = sizeof(clock) };
		int fd = device_open(_metadata);

		ASSERT_EQ(0, CALL(fd, SETUP, &setup));
		ASSERT_EQ(0, CALL(fd, CLOCK, &clock));
		EXPECT_LE(before[0], clock.monotonic);
		EXPECT_LE(before[1], clock.raw);
		EXPECT_LE(before[2], clock.boottime);
		EXPECT_LE(before[3], clock.realtime);
		EXPECT_GE(now(CLOCK_MONOTONIC), clock.monotonic);
		EXPECT_GE(now(CLOCK_MONOTONIC_RAW), clock.raw);
		EXPECT_GE(now(CLOCK_BOOTTIME), clock.boottime);
		EXPECT_GE(now(CLOCK_REALTIME), clock.realtime);

		/* The session's own clock is read first, even if it is in this list. */
		switch (ids[i]) {
		case CLOCK_MONOTONIC:
			EXPECT_LE(clock.trace, clock.monotonic);
			EXPECT_LE(clock.monotonic - clock.trace, 10000000);
			break;
		case CLOCK_MONOTONIC_RAW:
			EXPECT_LE(clock.trace, clock.raw);
			EXPECT_LE(clock.raw - clock.trace, 10000000);
			break;
		case CLOCK_BOOTTIME:
			EXPECT_LE(clock.trace, clock.boottime);
			EXPECT_LE(clock.boottime - clock.trace, 10000000);
			break;
		case CLOCK_REALTIME:
			EXPECT_LE(clock.trace, clock.realtime);
			EXPECT_LE(clock.realtime - clock.trace, 10000000);
			break;
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
