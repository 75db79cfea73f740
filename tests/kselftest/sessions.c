// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of any events, functions and returns, with any filters, scopes and tables, live and end
 * beside each other in any way: stopped, closed, kept, killed, with invented tails, and with
 * allocations that fail.  Nothing happens to the kernel, and the next session works.
 *
 * Unlike the calls of fuzz.c, these are mostly right.
 */
#include "selftest.h"

enum { NR_PROCESSES = 3, MAX_ADDED = 12, NR_KEPT = 5 };

static const char * const events[] = {
	"raw_syscalls/sys_enter", "raw_syscalls/sys_exit", "sched/sched_switch",
	"sched/sched_wakeup", "sched/sched_process_exit", "sched/sched_process_fork",
	"exceptions/page_fault_user", "exceptions/page_fault_kernel",
	"irq_vectors/local_timer_entry", "irq_vectors/irq_work_entry", "irq/softirq_entry",
	"timer/hrtimer_start", "kmem/kmalloc", "kmem/kfree", "kmem/mm_page_alloc",
	"rcu/rcu_utilization", "workqueue/workqueue_execute_start", "signal/signal_deliver",
	"syscalls/sys_enter_getppid", "syscalls/sys_exit_getppid", "syscalls/sys_enter_openat",
	"task/task_newtask", "tlb/tlb_flush", "printk/console", "lock/contention_begin",
	"lock/contention_end", "ktrace_test/seq",
};

/* Some of them are called during recording, or may not be traced. */
static const char * const functions[] = {
	"vfs_read", "vfs_write", "vfs_open", "do_sys_openat2", "__x64_sys_getppid", "schedule",
	"do_exit", "wake_up_new_task", "kfree", "__kmalloc", "copy_from_kernel_nofault",
	"mutex_lock", "mutex_unlock", "handle_mm_fault", "try_to_wake_up", "hrtimer_interrupt",
	"__rcu_read_unlock", "irq_work_queue", "ktime_get", "update_process_times", "strscpy",
	"lock_acquire", "lock_release", "rb_erase", "up_read", "down_read", "dput",
};

static int ids[ARRAY_SIZE(events)];
static uint64_t addresses[ARRAY_SIZE(functions)];
static unsigned int seed;

static unsigned int below(unsigned int n)
{
	return rand_r(&seed) % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

/* Returns how many instructions there are. */
static unsigned int any_filter(struct ktrace_filter_insn *insn, struct ktrace_event_add *add)
{
	static const char pool[] = "*o*";

	*insn = (struct ktrace_filter_insn){
		.op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_RECORD,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
		.offset = 8, .width = 4, .value = below(200),
	};
	switch (below(5)) {
	case 0:
		return 1;
	case 1:
		insn->op = KTRACE_FILTER_GLOB;
		insn->src = KTRACE_FILTER_SRC_FIELD;
		insn->offset = KTRACE_FIELD_COMM;
		insn->width = 16;
		insn->value = add->pool_bytes = strlen(pool);
		add->pool = (uintptr_t)pool;
		return 1;
	case 2:
		insn->op = KTRACE_FILTER_GT;
		insn->src = KTRACE_FILTER_SRC_FIELD;
		insn->offset = KTRACE_FIELD_TID;
		insn->width = 8;
		insn->value = below(3000);
		return 1;
	default:
		return 0;
	}
}

/* The event's index; negative: it could not be added. */
static int add_any(int fd, unsigned int id, bool compact)
{
	static const struct ktrace_function_arg args[] = {
		{ .reg = 5, .size = 8 },
		{ .reg = 4, .size = 4, .nr_loads = 2, .offsets = { 0, 8 } },
		{ .reg = 7, .size = 8, .nr_loads = 1 },
	};
	struct ktrace_event_add add = event_add_init(60000, id);
	struct ktrace_filter_insn insn;
	unsigned int which;
	char name[64];
	int err;

	if (compact)
		add.sample_type = KTRACE_SAMPLE_TYPE_COMPACT;
	if (one_in(3))
		add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (one_in(3))
		add.fields = below(1 << 20);
	add.flags = one_in(10) ? KTRACE_EVENT_TRIGGER : 0;
	add.filter_insns = any_filter(&insn, &add);
	add.filter = add.filter_insns ? (uintptr_t)&insn : 0;
	if (one_in(3)) {
		add.address = addresses[below(ARRAY_SIZE(functions))];
		add.flags = KTRACE_EVENT_FUNCTION | (one_in(2) ? KTRACE_EVENT_RETURN : 0);
		if (one_in(2)) {
			add.args = (uintptr_t)args;
			add.nr_args = 1 + below(ARRAY_SIZE(args));
		}
	} else {
		which = below(ARRAY_SIZE(events));
		event_name(name, sizeof(name), events[which]);
		add.config = ids[which];
		add.name = (uintptr_t)name;
		add.path = below(3);
	}
	err = CALL(fd, EVENT_ADD, &add);
	return err ?: (int)add.index;
}

static void count_any(int fd, unsigned int index, unsigned int start)
{
	static const struct ktrace_count_part parts[] = {
		{ .src = KTRACE_COUNT_SRC_FIELD, .form = KTRACE_COUNT_NUMBER,
		  .offset = KTRACE_FIELD_TID, .width = 8 },
		{ .src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_LOG2, .offset = 8,
		  .width = 8 },
		{ .src = KTRACE_COUNT_SRC_FIELD, .form = KTRACE_COUNT_TEXT,
		  .offset = KTRACE_FIELD_COMM, .width = 16 },
	};
	struct ktrace_count_add add = {
		.size = sizeof(add), .index = index, .role = below(3), .entries = 1 << below(12),
		.nr_parts = 1, .parts = (uintptr_t)parts,
	};

	if (add.role != KTRACE_COUNT_START)
		add.nr_parts = 2 + below(2);
	if (add.role == KTRACE_COUNT_END) {
		add.nr_pair = 1;
		add.start = start;
	}
	CALL(fd, COUNT_ADD, &add);
}

static void limit_any(int fd)
{
	struct ktrace_task_add task = { .size = sizeof(task), .flags = below(8) };
	struct ktrace_scope_add scope = { .size = sizeof(scope), .kind = KTRACE_SCOPE_COMM };

	if (one_in(3)) {
		task.pid = getppid();
		CALL(fd, TASK_ADD, &task);
	}
	if (one_in(4)) {
		strcpy(scope.comm, "sessions");
		CALL(fd, SCOPE_ADD, &scope);
	}
	if (one_in(4)) {
		memset(scope.comm, 0, sizeof(scope.comm));
		scope.kind = KTRACE_SCOPE_CGROUP;
		scope.cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		CALL(fd, SCOPE_ADD, &scope);
		close(scope.cgroup);
	}
}

static void keep_any(int fd)
{
	struct ktrace_keep keep = { .size = sizeof(keep) };

	sprintf(keep.name, "kept%u", below(NR_KEPT));
	CALL(fd, KEEP, &keep);
}

static void open_any_kept(int fd)
{
	struct ktrace_kept_open kept = { .size = sizeof(kept) };

	sprintf(kept.name, "kept%u", below(NR_KEPT));
	fd = ioctl(fd, KTRACE_IOC_KEPT_OPEN, &kept);
	if (fd < 0)
		return;
	if (one_in(2))
		CALL(fd, FORGET, 0);
	close(fd);
}

static void make_calls(unsigned int nr)
{
	while (nr--)
		syscall(SYS_getppid);
}

static void use(int fd, struct ktrace_ring_tail *tail, unsigned int nr_events)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid(), .flags = below(8) };
	struct ktrace_mark mark = { .size = sizeof(mark) };
	struct ktrace_stats stats = STATS_INIT;
	pid_t pid;

	switch (below(8)) {
	case 0:
		CALL(fd, SNAPSHOT, &snapshot);
		break;
	case 1:
		CALL(fd, MARK, &mark);
		break;
	case 2:
		if (tail)
			__atomic_store_n(&tail->data_tail, (uint64_t)rand_r(&seed) << below(40),
					 __ATOMIC_RELEASE);
		break;
	case 3:
		CALL(fd, TASK_ADD, &task);
		break;
	case 4:
		open_any_kept(fd);
		break;
	case 5:
		pid = fork();
		if (!pid) {
			make_calls(20);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		break;
	case 6:
		stats.index = below(nr_events + 1);
		CALL(fd, STATS, &stats);
		break;
	default:
		make_calls(300);
	}
}

static void live(void)
{
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC), index, first = -1;
	unsigned int want = 1 + below(MAX_ADDED), nr = 0, i, turn;
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_ring_tail *tail;
	bool compact = one_in(6);

	setup.flags = below(8);
	setup.pages = 1 << below(6);
	if (fd < 0 || CALL(fd, SETUP, &setup)) {
		close(fd);
		return;
	}
	for (i = 0; i < want; i++) {
		index = add_any(fd, i, compact);
		if (index < 0)
			continue;
		first = first < 0 ? index : first;
		nr++;
		if (one_in(4)) {
			struct ktrace_sample sample = {
				.size = sizeof(sample), .index = index,
				.every = one_in(2) ? below(100) : 0,
				.max_rate = one_in(2) ? 100 : 0,
			};

			CALL(fd, SAMPLE, &sample);
		}
		if (one_in(3))
			count_any(fd, index, first);
	}
	limit_any(fd);
	if (one_in(6))
		keep_any(fd);
	tail = map(fd, 0, KTRACE_MMAP_TAIL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		   MAP_SHARED);
	for (turn = 1 + below(3); turn-- && !CALL(fd, START, 0);) {
		for (i = below(6); i--;)
			use(fd, tail, nr);
		if (one_in(2))
			CALL(fd, STOP, 0);
		if (one_in(8))
			_exit(0);
	}
	if (one_in(5))
		CALL(fd, FORGET, 0);
	if (tail)
		munmap(tail, sysconf(_SC_PAGESIZE));
	close(fd);
}

/* Processes that each have some sessions; one in three is killed meanwhile. */
static void live_together(struct __test_metadata *_metadata, struct effort *effort, bool fails)
{
	pid_t pids[NR_PROCESSES];
	unsigned int i, k;

	while (effort_next(effort)) {
		for (i = 0; i < NR_PROCESSES; i++) {
			pids[i] = fork();
			ASSERT_GE(pids[i], 0);
			if (pids[i])
				continue;
			seed = effort->done * 7919 + i;
			if (fails)
				write_file("/proc/self/make-it-fail", "1");
			for (k = 0; k < 4; k++)
				live();
			_exit(0);
		}
		if (one_in(3)) {
			sleep_ms(below(50));
			kill(pids[0], SIGKILL);
		}
		for (i = 0; i < NR_PROCESSES; i++)
			ASSERT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	}
	LOG_EFFORT(effort);
}

FIXTURE(sessions) {
	int unused;
};

FIXTURE_SETUP(sessions)
{
	unsigned int i;

	NEED_KTEST();
	for (i = 0; i < ARRAY_SIZE(events); i++)
		ids[i] = event_id(events[i]);
	addresses_of(functions, ARRAY_SIZE(functions), addresses);
	seed = 1;
}

FIXTURE_TEARDOWN(sessions)
{
}

TEST_F_TIMEOUT(sessions, of_any_kind_end_in_any_way, 1200)
{
	struct effort effort = effort_begin(3, 2000);

	if (getenv("KTRACE_TEST_SHORT"))
		SKIP(return, "it takes long: not in the short form");
	live_together(_metadata, &effort, false);
	sessions_forget(_metadata);
	check_new_session(_metadata);
}

#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define FAIL_PAGE	"/sys/kernel/debug/fail_page_alloc/"

/* Three per cent of the allocations of the processes fail. */
static int fail_allocations(const char *probability)
{
	static const char * const settings[][2] = {
		{ "task-filter", "Y" }, { "times", "-1" }, { "interval", "1" }, { "verbose", "0" },
	};
	char path[64];
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), FAILSLAB "%s", settings[i][0]);
		err = err ?: write_file(path, settings[i][1]);
		snprintf(path, sizeof(path), FAIL_PAGE "%s", settings[i][0]);
		err = err ?: write_file(path, settings[i][1]);
	}
	err = err ?: write_file(FAILSLAB "probability", probability);
	return err ?: write_file(FAIL_PAGE "probability", probability);
}

TEST_F_TIMEOUT(sessions, whose_allocations_fail, 1200)
{
	struct effort effort = effort_begin(2, 2000);

	if (fail_allocations("3"))
		SKIP(return, "this kernel has no CONFIG_FAULT_INJECTION");
	live_together(_metadata, &effort, true);
	EXPECT_EQ(0, fail_allocations("0"));
	sessions_forget(_metadata);
	check_new_session(_metadata);
}

TEST_HARNESS_MAIN
