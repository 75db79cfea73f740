// SPDX-License-Identifier: GPL-2.0
/* Which processes may open the device, and how much memory their rings may take. */
#include <limits.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "selftest.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define MLOCK_KB	"/proc/sys/kernel/perf_event_mlock_kb"

/* A number in /proc/sys that a test changes and restores. */
struct setting {
	const char *path;
	char before[32];
};

static void set(struct __test_metadata *_metadata, struct setting *setting, int value)
{
	char text[32];

	if (!setting->before[0])
		ASSERT_GT(read_file(setting->path, setting->before, sizeof(setting->before)), 0);
	snprintf(text, sizeof(text), "%d", value);
	ASSERT_EQ(0, write_file(setting->path, text));
}

static void set_back(struct __test_metadata *_metadata, const struct setting *setting)
{
	if (setting->before[0])
		ASSERT_EQ(0, write_file(setting->path, setting->before));
}

static int set_caps(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return syscall(SYS_capset, &header, data);
}

#define CAP_BIT(cap) (1ULL << (cap))
#define FILE_CAP CAP_BIT(CAP_DAC_OVERRIDE)

/* Calls @ask in a child with these capabilities.  Returns its result: 0 or an errno. */
static int ask_with_caps(uint64_t caps, int (*ask)(int fd), int fd)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (set_caps(caps))
			_exit(254);
		_exit(ask(fd));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int ask_to_open(int unused)
{
	return open(KTRACE_DEVICE, O_RDWR) < 0 ? errno : 0;
}

static int open_with_caps(uint64_t caps)
{
	return ask_with_caps(caps, ask_to_open, -1);
}

TEST(node_is_private)
{
	struct stat st;

	ASSERT_EQ(0, stat(KTRACE_DEVICE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600, (int)(st.st_mode & 07777));
	EXPECT_EQ(0, (int)st.st_uid);
}

TEST(open_asks_for_a_capability)
{
	struct setting paranoid = { PARANOID };

	set(_metadata, &paranoid, 2);
	EXPECT_EQ(EPERM, open_with_caps(FILE_CAP));
	EXPECT_EQ(EPERM, open_with_caps(FILE_CAP | CAP_BIT(CAP_BPF) | CAP_BIT(CAP_SYS_PTRACE)));
	EXPECT_EQ(0, open_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON)));
	EXPECT_EQ(0, open_with_caps(FILE_CAP | CAP_BIT(CAP_SYS_ADMIN)));
	set_back(_metadata, &paranoid);
}

static int ask_to_add(int fd)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);

	return -CALL(fd, EVENT_ADD, &add);
}

/* A session that a privileged process has set up and that another one inherits. */
FIXTURE(inherited) {
	struct setting paranoid;
	int fd;
};

FIXTURE_SETUP(inherited)
{
	struct ktrace_setup setup = SETUP_INIT;

	self->paranoid = (struct setting){ PARANOID };
	self->fd = device_open(_metadata);
	ASSERT_EQ(0, CALL(self->fd, SETUP, &setup));
}

FIXTURE_TEARDOWN(inherited)
{
	EXPECT_EQ(0, ask_to_add(self->fd));
	set_back(_metadata, &self->paranoid);
	close(self->fd);
}

TEST_F(inherited, event_add_asks_again)
{
	EXPECT_EQ(EPERM, ask_with_caps(FILE_CAP, ask_to_add, self->fd));
}

/* From level 3 on, kernels that know it allow perf to CAP_SYS_ADMIN only. */
TEST_F(inherited, event_add_with_perf_event_paranoid_3)
{
	set(_metadata, &self->paranoid, 3);
	EXPECT_EQ(EACCES, ask_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON), ask_to_add, self->fd));
}

static struct ktrace_event_add function_to_add;

static int ask_to_add_function(int fd)
{
	return -CALL(fd, EVENT_ADD, &function_to_add);
}

/* An argument that is read from memory can lead anywhere in the kernel. */
TEST_F(inherited, reading_memory_of_the_kernel_takes_more)
{
	struct ktrace_function_arg arg = { .reg = 5 /* PERF_REG_X86_DI */, .size = 8 };
	struct ktrace_info info = INFO_INIT;

	ASSERT_EQ(0, CALL(self->fd, INFO, &info));
	if (!(info.features & KTRACE_FEATURE_FUNCTION_ARGS))
		SKIP(return, "this kernel has no probes of functions by ftrace");
	set(_metadata, &self->paranoid, 2);
	function_to_add = event_add_init(60000, 1);
	function_to_add.flags = KTRACE_EVENT_FUNCTION;
	function_to_add.address = address_of("__x64_sys_getpgid");
	function_to_add.args = (uintptr_t)&arg;
	function_to_add.nr_args = 1;
	EXPECT_EQ(0, ask_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON), ask_to_add_function,
				   self->fd)) {
		TH_LOG("registers");
	}
	arg.nr_loads = 1;
	function_to_add.id++;
	EXPECT_EQ(EPERM, ask_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON), ask_to_add_function,
				       self->fd));
	EXPECT_EQ(EPERM, ask_with_caps(FILE_CAP | CAP_BIT(CAP_BPF), ask_to_add_function,
				       self->fd));
	EXPECT_EQ(0, ask_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON) | CAP_BIT(CAP_BPF),
				   ask_to_add_function, self->fd));
	function_to_add.id++;
	EXPECT_EQ(0, ask_with_caps(FILE_CAP | CAP_BIT(CAP_SYS_ADMIN), ask_to_add_function,
				   self->fd));
}

static int open_in_namespace(int flag)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (unshare(flag))
			_exit(254);
		/* A new pid namespace begins with the next child. */
		pid = fork();
		if (!pid)
			_exit(open(KTRACE_DEVICE, O_RDWR) < 0 ? errno : 0);
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST(open_in_another_pid_namespace)
{
	int err = open_in_namespace(CLONE_NEWPID);

	if (err == 254)
		SKIP(return, "this kernel has no pid namespaces");
	EXPECT_EQ(EPERM, err);
}

TEST(open_in_another_user_namespace)
{
	int err = open_in_namespace(CLONE_NEWUSER);

	if (err == 254)
		SKIP(return, "this kernel has no user namespaces");
	/* EACCES comes if the owner of the device node is not mapped in the namespace. */
	EXPECT_TRUE(err == EPERM || err == EACCES) {
		TH_LOG("error %d", err);
	}
}

/* ---- perf's own rules ------------------------------------------------------- */

/* Opens a tracepoint on a whole CPU by perf, as the device does it. */
static int ask_perf_to_open(int unused)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id("sched/sched_switch"),
		.sample_period = 1,
		.sample_type = KTRACE_SAMPLE_TYPE,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) < 0 ? errno : 0;
}

/* A process that perf refuses on this kernel, as it is configured, is refused here, too. */
TEST(open_is_no_way_around_perfs_rules)
{
	static const uint64_t who[] = { 0, CAP_BIT(CAP_SYS_PTRACE), CAP_BIT(CAP_PERFMON),
					CAP_BIT(CAP_SYS_ADMIN),
					CAP_BIT(CAP_PERFMON) | CAP_BIT(CAP_SYS_ADMIN) };
	struct setting paranoid = { PARANOID };
	unsigned int i;
	int level;

	for (level = -1; level <= 4; level++) {
		set(_metadata, &paranoid, level);
		for (i = 0; i < ARRAY_SIZE(who); i++) {
			int ours = open_with_caps(FILE_CAP | who[i]);
			int perfs = ask_with_caps(FILE_CAP | who[i], ask_perf_to_open, -1);

			EXPECT_TRUE(ours || !perfs) {
				TH_LOG("perf_event_paranoid %d, capabilities %llx: perf says %d",
				       level, (unsigned long long)who[i], perfs);
			}
		}
	}
	set_back(_metadata, &paranoid);
}

/* From level 3 on, kernels that know it allow perf to CAP_SYS_ADMIN only. */
TEST(open_with_perf_event_paranoid_3)
{
	struct setting paranoid = { PARANOID };

	set(_metadata, &paranoid, 2);
	EXPECT_EQ(0, open_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON)));
	set(_metadata, &paranoid, 3);
	EXPECT_EQ(EACCES, open_with_caps(FILE_CAP | CAP_BIT(CAP_PERFMON)));
	EXPECT_EQ(0, open_with_caps(FILE_CAP | CAP_BIT(CAP_SYS_ADMIN)));
	EXPECT_EQ(EPERM, open_with_caps(FILE_CAP));
	set_back(_metadata, &paranoid);
}

/* ---- memory ----------------------------------------------------------------- */

/* Becomes a user to whom no other memory is charged, with CAP_PERFMON and @caps. */
static bool become_user(uid_t uid, uint64_t caps, rlim_t memlock)
{
	struct rlimit limit = { memlock, memlock };

	return !setrlimit(RLIMIT_MEMLOCK, &limit) && !prctl(PR_SET_KEEPCAPS, 1) &&
	       !setresuid(uid, uid, uid) && !set_caps(FILE_CAP | CAP_BIT(CAP_PERFMON) | caps);
}

/* Opens rings on all CPUs.  Returns the descriptor or an error. */
static int open_rings(unsigned int pages)
{
	struct ktrace_setup setup = SETUP_INIT;
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	setup.pages = pages;
	err = CALL(fd, SETUP, &setup);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * Pages of a ring that takes more than half of a CPU's share of perf_event_mlock_kb, and at most
 * all of it.
 */
static unsigned int half_of_allowance(struct __test_metadata *_metadata)
{
	unsigned int pages = 1, allowed;
	char text[32];

	ASSERT_GT(read_file(MLOCK_KB, text, sizeof(text)), 0);
	allowed = atoi(text) * 1024L / sysconf(_SC_PAGESIZE);
	while (2 * pages + 2 <= allowed)
		pages *= 2;
	return pages;
}

/* A child exits with the number of the line where a check failed. */
#define MUST(what)			\
	do {				\
		if (!(what))		\
			_exit(__LINE__ % 251 + 1); \
	} while (0)

/* Runs @test as that user, in a child, at this level of perf_event_paranoid. */
static void run_limited_at(struct __test_metadata *_metadata, int level, uint64_t caps,
			   rlim_t memlock, void (*test)(unsigned int pages))
{
	static uid_t uid = 54321;
	unsigned int pages = half_of_allowance(_metadata);
	struct setting paranoid = { PARANOID };
	int status;
	pid_t pid;

	set(_metadata, &paranoid, level);
	uid++;
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		MUST(become_user(uid, caps, memlock));
		test(pages);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) {
		TH_LOG("line %d modulo 251", WEXITSTATUS(status) - 1);
	}
	set_back(_metadata, &paranoid);
}

/* With CAP_PERFMON alone, perf's rings and ours are allowed only below level 3. */
static void run_limited(struct __test_metadata *_metadata, uint64_t caps, rlim_t memlock,
			void (*test)(unsigned int pages))
{
	run_limited_at(_metadata, 2, caps, memlock, test);
}

static void only_one_fits(unsigned int pages)
{
	int first = open_rings(pages), again;

	MUST(first >= 0);
	MUST(open_rings(pages) == -EPERM);
	MUST(open_rings(1024) == -EPERM);
	/* The refused rings took nothing from the allowance. */
	again = open_rings(1);
	MUST(again >= 0);
	close(again);
	/* Closing gives the memory back. */
	close(first);
	again = open_rings(pages);
	MUST(again >= 0);
	close(again);
}

TEST(rings_beyond_perf_event_mlock_kb_are_refused)
{
	run_limited(_metadata, 0, 0, only_one_fits);
}

static void refused_setup_may_be_tried_again(unsigned int pages)
{
	struct ktrace_setup setup = SETUP_INIT;
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	MUST(fd >= 0);
	setup.pages = 4 * pages;
	MUST(CALL(fd, SETUP, &setup) == -EPERM);
	setup.pages = pages;
	MUST(CALL(fd, SETUP, &setup) == 0);
}

TEST(refused_rings_may_be_smaller_in_the_same_session)
{
	run_limited(_metadata, 0, 0, refused_setup_may_be_tried_again);
}

static void both_fit(unsigned int pages)
{
	MUST(open_rings(pages) >= 0);
	MUST(open_rings(pages) >= 0);
}

/* A number in kB of this process, by its name in /proc/self/status. */
static long status_kb(const char *name)
{
	char text[8192], *at;

	if (read_file("/proc/self/status", text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, name);
	return at ? atol(at + strlen(name)) : -1;
}

static void both_fit_and_are_pinned(unsigned int pages)
{
	int first = open_rings(pages), second = open_rings(pages);
	long kb = sysconf(_SC_NPROCESSORS_ONLN) * (2 * pages + 4) *
		  (sysconf(_SC_PAGESIZE) / 1024);
	char text[32];

	MUST(first >= 0 && second >= 0);
	MUST(read_file(MLOCK_KB, text, sizeof(text)) > 0);
	MUST(status_kb("VmPin:") == kb - sysconf(_SC_NPROCESSORS_ONLN) * atol(text));
	close(first);
	close(second);
	MUST(status_kb("VmPin:") == 0);
}

TEST(rings_beyond_it_count_for_RLIMIT_MEMLOCK)
{
	long page = sysconf(_SC_PAGESIZE);
	long rest = half_of_allowance(_metadata) + 2;

	run_limited(_metadata, 0, rest * page * sysconf(_SC_NPROCESSORS_ONLN),
		    both_fit_and_are_pinned);
	run_limited(_metadata, 0, RLIM_INFINITY, both_fit);
}

TEST(rings_of_who_has_CAP_IPC_LOCK_are_not_limited)
{
	run_limited(_metadata, CAP_BIT(CAP_IPC_LOCK), 0, both_fit);
}

TEST(rings_are_not_limited_where_perfs_are_not)
{
	run_limited_at(_metadata, -1, 0, 0, both_fit);
}

TEST(rings_obey_a_smaller_perf_event_mlock_kb)
{
	struct setting mlock = { MLOCK_KB };

	set(_metadata, &mlock, 16 * sysconf(_SC_PAGESIZE) / 1024);
	run_limited(_metadata, 0, 0, only_one_fits);
	set_back(_metadata, &mlock);
}

/* perf's rings and ours share the allowance of one user. */
static void beside_perf(unsigned int pages)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY };
	long size = (pages + 1) * sysconf(_SC_PAGESIZE), cpu;
	int fd;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
		MUST(fd >= 0);
		MUST(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	}
	MUST(open_rings(pages) == -EPERM);
}

TEST(rings_and_perfs_count_together)
{
	run_limited(_metadata, 0, 0, beside_perf);
}

static int add_to(int fd, const struct ktrace_event_add *event)
{
	struct ktrace_event_add add = *event;

	return CALL(fd, EVENT_ADD, &add);
}

static int count_by_tid(int fd, unsigned int entries)
{
	struct ktrace_count_part part = {
		.src = KTRACE_COUNT_SRC_FIELD, .form = KTRACE_COUNT_NUMBER,
		.offset = KTRACE_FIELD_TID, .width = 8,
	};
	struct ktrace_count_add add = {
		.size = sizeof(add), .entries = entries, .nr_parts = 1, .parts = (uintptr_t)&part,
	};

	return CALL(fd, COUNT_ADD, &add);
}

static int keep_as(int fd, const char *name)
{
	struct ktrace_keep keep = { .size = sizeof(keep) };

	strcpy(keep.name, name);
	return CALL(fd, KEEP, &keep);
}

/* Was the kernel built for so few tasks (CONFIG_BASE_SMALL) that a set of them is small? */
static bool has_few_tasks(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "r");
	long most = 0;

	MUST(f && fscanf(f, "%ld", &most) == 1);
	fclose(f);
	return most < 32768;
}

static void all_that_is_kept_counts(unsigned int pages)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
	int fd = open_rings(1);

	MUST(fd >= 0 && add_to(fd, &add) == 0);
	/* Tables beyond a user's share count for the process, which may end. */
	MUST(count_by_tid(fd, 1 << 16) == 0);
	MUST(keep_as(fd, "tables") == -EPERM);
	close(fd);
	fd = open_rings(1);
	MUST(fd >= 0 && add_to(fd, &add) == 0);
	MUST(keep_as(fd, "kept") == 0);
	MUST(count_by_tid(fd, 16) == -EBUSY);
	add.id++;
	MUST(add_to(fd, &add) == -EBUSY);
	MUST(CALL(fd, TASK_ADD, &task) == (has_few_tasks() ? 0 : -EPERM));
	MUST(CALL(fd, FORGET, 0) == 0);
	MUST(CALL(fd, TASK_ADD, &task) == 0);
	MUST(add_to(fd, &add) == 0);
	MUST(count_by_tid(fd, 16) == 0);
}

TEST(kept_sessions_count_all_their_memory)
{
	struct setting mlock = { MLOCK_KB };

	set(_metadata, &mlock, 64 * sysconf(_SC_PAGESIZE) / 1024);
	run_limited(_metadata, 0, 64 << 20, all_that_is_kept_counts);
	set_back(_metadata, &mlock);
}

/* How many events can be added until the memory is used up; at most @max. */
static unsigned int add_until_full(int fd, struct ktrace_event_add *add, unsigned int max)
{
	unsigned int nr;
	int err = 0;

	for (nr = 0; nr < max; nr++, add->id++) {
		err = add_to(fd, add);
		if (err)
			break;
	}
	MUST(err == -ENOBUFS);
	return nr;
}

static void filters_count(unsigned int pages)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	static struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS];
	unsigned int i, most, nr;
	int fd = open_rings(1);

	for (i = 0; i < ARRAY_SIZE(insns); i++)
		insns[i] = (struct ktrace_filter_insn){
			.op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_RECORD,
			.jt = KTRACE_FILTER_ACCEPT,
			.jf = i + 1 < ARRAY_SIZE(insns) ? i + 1 : KTRACE_FILTER_REJECT,
			.offset = 8, .width = 8, .value = 0x123456789abcULL + i,
		};
	add.filter = (uintptr_t)insns;
	add.filter_insns = ARRAY_SIZE(insns);
	MUST(fd >= 0);
	most = (pages + 2) * 2 * sysconf(_SC_NPROCESSORS_ONLN) * sysconf(_SC_PAGESIZE) /
	       sizeof(insns) + 1;
	nr = add_until_full(fd, &add, 4 * most);
	MUST(nr > 0 && nr <= most);
	/* Closing gives the memory back. */
	close(fd);
	fd = open_rings(1);
	MUST(fd >= 0 && add_until_full(fd, &add, 4 * most) == nr);
}

TEST(filters_count_as_memory)
{
	run_limited(_metadata, 0, 0, filters_count);
}

/* Many functions whose returns are events, of as many sessions as there is memory for. */
static void returns_count(unsigned int pages)
{
	struct ktrace_event_add add = function_to_add;
	unsigned int nr = 0, most = 64 * sysconf(_SC_NPROCESSORS_ONLN);
	int fd, err = 0;

	add.flags |= KTRACE_EVENT_RETURN;
	while (!err && nr < most) {
		fd = open_rings(1);
		err = fd < 0 ? fd : add_to(fd, &add);
		nr += !err;
	}
	MUST(err == -ENOBUFS || err == -EPERM);
	MUST(nr > 0);
}

TEST(returns_count_as_memory)
{
	struct ktrace_info info = INFO_INIT;
	int fd = device_open(_metadata);

	ASSERT_EQ(0, CALL(fd, INFO, &info));
	close(fd);
	if (!(info.features & KTRACE_FEATURE_FUNCTION))
		SKIP(return, "this kernel has no probes of functions by ftrace");
	function_to_add = event_add_init(60000, 0);
	function_to_add.flags = KTRACE_EVENT_FUNCTION;
	function_to_add.address = address_of("__x64_sys_getpgid");
	run_limited(_metadata, 0, 0, returns_count);
}

static long number_of(const char *path, const char *name)
{
	char text[8192], *at;

	if (read_file(path, text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, name);
	return at ? atol(at + strlen(name)) : -1;
}

/*
 * They fail; the kernel kills nobody for them. While the memory is full, other programs cannot read
 * from 9p, which holds the guests' files, so this is no test for every day.
 */
TEST(tables_too_large_for_the_machine)
{
	struct ktrace_count_part part = {
		.src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_TEXT, .offset = 8, .width = 96,
	};
	struct ktrace_count_add count = {
		.size = sizeof(count), .entries = KTRACE_COUNT_MAX_ENTRIES, .nr_parts = 1,
		.parts = (uintptr_t)&part,
	};
	long table = 128L * 2 * KTRACE_COUNT_MAX_ENTRIES / 1024, most, i;
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	int fd, err = 0, status;
	pid_t bystander;

	if (!getenv("KTRACE_TORTURE"))
		SKIP(return, "only in make torture");
	fd = open_rings(1);
	bystander = fork();
	ASSERT_GE(bystander, 0);
	if (!bystander) {
		write_file("/proc/self/oom_score_adj", "1000");
		pause();
		_exit(0);
	}
	most = number_of("/proc/meminfo", "MemTotal:") / table + 2;
	for (i = 0; !err && i < most; i++) {
		ASSERT_EQ(0, add_to(fd, &add));
		add.id++;
		count.index = i;
		err = CALL(fd, COUNT_ADD, &count);
	}
	EXPECT_TRUE(err == -ENOMEM || err == -EINVAL) {
		TH_LOG("error %d after %ld tables", err, i);
	}
	close(fd);
	EXPECT_EQ(0, waitpid(bystander, &status, WNOHANG));
	kill(bystander, SIGKILL);
	waitpid(bystander, &status, 0);
}

#define GROUP "/sys/fs/cgroup/ktrace_permission"

static long group_bytes(void)
{
	char text[32];

	return read_file(GROUP "/memory.current", text, sizeof(text)) > 0 ? atol(text) : -1;
}

TEST(rings_are_charged_to_the_memory_cgroup)
{
	long pages = 1024, before, rings, fd, status;
	char text[32];
	pid_t pid;

	if (write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory") ||
	    mkdir(GROUP, 0755) || access(GROUP "/memory.current", R_OK)) {
		rmdir(GROUP);
		SKIP(return, "no cgroup v2 that accounts for memory");
	}
	rings = pages * sysconf(_SC_PAGESIZE) * sysconf(_SC_NPROCESSORS_ONLN);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		snprintf(text, sizeof(text), "%d", getpid());
		MUST(!write_file(GROUP "/cgroup.procs", text));
		before = group_bytes();
		fd = open_rings(pages);
		MUST(fd >= 0);
		/* Charges are collected on each CPU, some dozens of pages at once. */
		MUST(group_bytes() - before > rings * 9 / 10);
		close(fd);
		MUST(group_bytes() - before < rings / 10);
		/* The allocation fails before it exceeds the limit of the group. */
		snprintf(text, sizeof(text), "%ld", group_bytes() + rings / 2);
		MUST(!write_file(GROUP "/memory.max", text));
		MUST(open_rings(pages) == -ENOMEM);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, (int *)&status, 0));
	EXPECT_EQ(0, (int)status) {
		TH_LOG("line %d modulo 251", WEXITSTATUS((int)status) - 1);
	}
	EXPECT_EQ(0, rmdir(GROUP));
}

TEST_HARNESS_MAIN
