// SPDX-License-Identifier: GPL-2.0
/* Who may open the device. */
#include <linux/capability.h>

#include "selftest.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* A number in /proc/sys for the time of a test. */
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

/* In a child: what opening gives with these capabilities, 0 or the error. */
static int open_with_caps(uint64_t caps)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (set_caps(caps))
			_exit(254);
		_exit(open(KTRACE_DEVICE, O_RDWR) < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
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

TEST(event_add_asks_again)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	struct ktrace_setup setup = SETUP_INIT;
	int fd = device_open(_metadata), status;
	pid_t pid;

	ASSERT_EQ(0, CALL(fd, SETUP, &setup));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (set_caps(CAP_BIT(CAP_DAC_OVERRIDE)))
			_exit(254);
		_exit(-CALL(fd, EVENT_ADD, &add));
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(EPERM, WEXITSTATUS(status));
	EXPECT_EQ(0, CALL(fd, EVENT_ADD, &add));
	close(fd);
}

static int open_in_namespace(int flag)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (unshare(flag))
			_exit(254);
		/* A new pid namespace begins with a child. */
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
	/* EACCES if the node's owner is nobody there. */
	EXPECT_TRUE(err == EPERM || err == EACCES) {
		TH_LOG("error %d", err);
	}
}

/* ---- perf's own rules ------------------------------------------------------- */

/* In a child: what perf says of a tracepoint on a whole CPU, as the device has them. */
static int perf_with_caps(uint64_t caps)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id("sched/sched_switch"),
		.sample_period = 1,
		.sample_type = KTRACE_SAMPLE_TYPE,
	};
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (set_caps(caps))
			_exit(254);
		_exit(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Whom perf refuses on this kernel, as configured, is refused. */
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
			int perfs = perf_with_caps(FILE_CAP | who[i]);

			EXPECT_TRUE(ours || !perfs) {
				TH_LOG("perf_event_paranoid %d, capabilities %llx: perf says %d",
				       level, (unsigned long long)who[i], perfs);
			}
		}
	}
	set_back(_metadata, &paranoid);
}

/* From 3 on, perf is for CAP_SYS_ADMIN alone on kernels that know this level. */
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

TEST(event_add_with_perf_event_paranoid_3)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	struct ktrace_setup setup = SETUP_INIT;
	struct setting paranoid = { PARANOID };
	int fd = device_open(_metadata), status;
	pid_t pid;

	ASSERT_EQ(0, CALL(fd, SETUP, &setup));
	set(_metadata, &paranoid, 3);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (set_caps(FILE_CAP | CAP_BIT(CAP_PERFMON)))
			_exit(254);
		_exit(-CALL(fd, EVENT_ADD, &add));
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(EACCES, WEXITSTATUS(status));
	EXPECT_EQ(0, CALL(fd, EVENT_ADD, &add));
	set_back(_metadata, &paranoid);
	close(fd);
}

TEST_HARNESS_MAIN
