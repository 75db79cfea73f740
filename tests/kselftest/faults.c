// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation up to the start of a session fails once.  The ioctl then returns
 * ENOMEM or works without the memory, and leaves nothing behind.
 */
#include "selftest.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define FAULTS		"/sys/kernel/debug/"

/* Makes the nth allocation of this task from now on fail; 0: none. */
static void fail_nth(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	write_file(FAIL_NTH, text);
}

/* Has an allocation failed?  From here on none fails. */
static bool has_failed(void)
{
	char text[16] = "";
	bool failed;

	/* The file has the number of allocations up to the failing one: 0 once it has failed. */
	failed = read_file(FAIL_NTH, text, sizeof(text)) > 0 && !atoi(text);
	fail_nth(0);
	return failed;
}

#define EVENT "ktrace_test/seq"

/*
 * Sets a session up until a step fails.  Returns the first error, or 0.  *ret_fd is the opened
 * descriptor, or -1; *ret_path is how the event is captured.
 */
static int set_up(int *ret_fd, int event, int cgroup, uint32_t *ret_path)
{
	static const struct ktrace_filter_insn insns[] = {
		{ KTRACE_FILTER_GT, KTRACE_FILTER_SRC_RECORD, 0, 0, 1, KTRACE_FILTER_REJECT,
		  8, 8, 3 },
		{ KTRACE_FILTER_GLOB, KTRACE_FILTER_SRC_FIELD, 0, 0, KTRACE_FILTER_ACCEPT,
		  KTRACE_FILTER_REJECT, KTRACE_FIELD_COMM, 16, 2 },
	};
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_event_add add = event_add_init(event, 1);
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid(), .flags = 1 };
	struct ktrace_scope_add scope = {
		.size = sizeof(scope), .kind = KTRACE_SCOPE_CGROUP, .cgroup = cgroup,
	};
	int fd, err;
	void *p;

	*ret_fd = -1;
	fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	add.fields = 0xff;
	add.filter = (uintptr_t)insns;
	add.filter_insns = ARRAY_SIZE(insns);
	add.pool = (uintptr_t)"a*";
	add.pool_bytes = 2;
	err = CALL(fd, SETUP, &setup);
	if (!err)
		err = event_add(fd, EVENT, &add);
	*ret_path = add.path;
	if (!err)
		err = CALL(fd, TASK_ADD, &task);
	if (!err && cgroup >= 0)
		err = CALL(fd, SCOPE_ADD, &scope);
	if (!err)
		err = CALL(fd, START, NULL);
	if (!err) {
		p = map(fd, 0, KTRACE_MMAP_DATA, setup.pages * 4096, PROT_READ, MAP_SHARED);
		err = p ? 0 : -errno;
		if (p)
			munmap(p, setup.pages * 4096);
	}
	return err;
}

FIXTURE(faults) {
	int event, cgroup;
};

FIXTURE_SETUP(faults)
{
	NEED_KTEST();
	self->event = event_id(EVENT);
	self->cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Allocations that may wait fail, too. */
	write_file(FAULTS "failslab/ignore-gfp-wait", "N");
	write_file(FAULTS "fail_page_alloc/ignore-gfp-wait", "N");
	write_file(FAULTS "fail_page_alloc/min-order", "0");
	write_file(FAULTS "failslab/verbose", "0");
	write_file(FAULTS "fail_page_alloc/verbose", "0");
}

FIXTURE_TEARDOWN(faults)
{
	write_file(FAULTS "failslab/ignore-gfp-wait", "Y");
	write_file(FAULTS "fail_page_alloc/ignore-gfp-wait", "Y");
}

TEST_F_TIMEOUT(faults, each_allocation_once, 600)
{
	unsigned int n, refused = 0;
	bool failed = true;
	uint32_t path = 0;
	int fd, err = 0;

	if (access(FAIL_NTH, W_OK))
		SKIP(return, "this kernel has no CONFIG_FAULT_INJECTION");
	for (n = 1; failed && n < 5000; n++) {
		fail_nth(n);
		err = set_up(&fd, self->event, self->cgroup, &path);
		failed = has_failed();
		refused += !!err;
		EXPECT_TRUE(!err || err == -ENOMEM || err == -EBADF || err == -ENFILE) {
			TH_LOG("allocation %u: %s", n, strerror(-err));
		}
		if (fd >= 0)
			close(fd);
	}
	TH_LOG("%u allocations, %u of them are indispensable", n - 2, refused);
	EXPECT_FALSE(failed);
	/* In the last round no allocation failed. */
	EXPECT_EQ(0, err);
	EXPECT_TRUE(path == path_wanted() || !path_wanted());
	EXPECT_LT(10, refused);
}

TEST_HARNESS_MAIN
