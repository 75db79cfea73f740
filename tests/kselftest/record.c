// SPDX-License-Identifier: GPL-2.0
/* The bytes of the records: every member, the event's own data and the common fields. */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "selftest.h"
#include "ktrace_test_values.h"

/* Except for fields that need a PMU, which counters.c tests. */
#define ALL_FIELDS (((1ULL << KTRACE_FIELD_NR_STORED) - 1) & \
		    ~(1ULL << KTRACE_FIELD_CYCLES | 1ULL << KTRACE_FIELD_INSTRUCTIONS))

FIXTURE(record) {
	struct session s;
	unsigned int cpu;
	struct ring *ring;
	uint64_t pos;
};

FIXTURE_SETUP(record)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 64;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	self->ring = &self->s.ring[self->cpu];
	pin_to(_metadata, self->cpu);
}

FIXTURE_TEARDOWN(record)
{
	session_close(&self->s);
}

/* The next record, which has to be a sample. */
static const struct sample *next_sample(struct __test_metadata *_metadata,
					FIXTURE_DATA(record) *self)
{
	const struct perf_event_header *header;

	header = ring_next(_metadata, self->ring, &self->pos, ring_head(self->ring));
	if (header)
		ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
	return (const void *)header;
}

static uint32_t padded(uint32_t size)
{
	return (size + 4 + 7) / 8 * 8 - 4;
}

/* The size of a ktrace_test:seq.  Its u64s align its end, too. */
#define SEQ_SIZE 32

TEST_F(record, every_member)
{
	struct field seq, ctx, id;
	const struct sample *sample;
	uint64_t before, after, last = 0, ip = 0;
	unsigned int n;
	int config = event_id("ktrace_test/seq");

	NEED_KTEST();
	seq = event_field(_metadata, "ktrace_test/seq", "seq");
	ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	id = event_field(_metadata, "ktrace_test/seq", "id");
	session_add(_metadata, &self->s, "ktrace_test/seq", 42, 0);
	session_start(_metadata, &self->s);
	before = session_time(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100 self 1000"));
	after = session_time(_metadata, &self->s);
	session_stop(_metadata, &self->s);

	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		ASSERT_EQ(PERF_RECORD_MISC_KERNEL, sample->header.misc);
		ASSERT_EQ(KTRACE_SAMPLE_RAW_OFFSET + sample->raw_size, sample->header.size);
		ASSERT_EQ(KTRACE_ID_BASE + 42, sample->id);
		ASSERT_EQ(getpid(), sample->pid);
		ASSERT_EQ(getpid(), sample->tid);
		ASSERT_LE(before, sample->time);
		ASSERT_GE(after, sample->time);
		ASSERT_LE(last, sample->time);
		last = sample->time;
		ASSERT_EQ(self->cpu, sample->cpu);
		ASSERT_EQ(0, sample->zero);
		ASSERT_EQ(1, sample->period);
		ASSERT_EQ(padded(SEQ_SIZE), sample->raw_size);
		/* All samples fired in one function of the kernel. */
		ASSERT_GT(0, (int64_t)sample->ip);
		ASSERT_TRUE(!ip || ip == sample->ip);
		ip = sample->ip;

		/* First common_type and common_pid, then the event's own fields. */
		ASSERT_EQ(config, *(uint16_t *)sample->raw);
		ASSERT_EQ(getpid(), *(int32_t *)(sample->raw + 4));
		ASSERT_EQ(self->cpu, load_number(sample, id));
		ASSERT_EQ(1000 + n, load_number(sample, seq));
		ASSERT_EQ(0, load_number(sample, ctx));
	}
	EXPECT_EQ(100, n);
	EXPECT_EQ(100, session_stats(_metadata, &self->s, 0, self->cpu).recorded);
}

/* The chain is between the period and the size of raw; all else is as without a chain. */
TEST_F_TIMEOUT(record, call_chains, 120)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq", "irq_work", "nmi" };
	struct ktrace_event_add add = event_add_init(event_id("ktrace_test/seq"), 0);
	const uint64_t fields = 1ULL << KTRACE_FIELD_TGID | 1ULL << KTRACE_FIELD_SEQ;
	struct field seq = event_field(_metadata, "ktrace_test/seq", "seq");
	const struct sample *sample;
	uint64_t expected[8] = { 0 };
	unsigned int i, n, users = 0;

	NEED_KTEST();
	fire_reset(_metadata);
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	add.fields = fields;
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		int err = fire("seq %s 40 %u", contexts[i], self->cpu);

		ASSERT_TRUE(!err || err == -EOPNOTSUPP);
	}
	session_stop(_metadata, &self->s);
	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		const uint64_t *chain = (const void *)&sample->raw_size, *ips = chain + 1;
		const uint8_t *raw = (const void *)(ips + chain[0]);
		uint64_t at, ctx, user = 0;

		ASSERT_LT(1, chain[0]);
		ASSERT_LE(chain[0], 129);
		ASSERT_EQ(PERF_CONTEXT_KERNEL, ips[0]);
		ASSERT_EQ(sample->ip, ips[1]);
		for (at = 1; at < chain[0]; at++) {
			if (ips[at] == PERF_CONTEXT_USER) {
				ASSERT_EQ(0, user);
				user = at;
			} else {
				ASSERT_EQ(!user, (int64_t)ips[at] < 0) {
					TH_LOG("frame %llu is %llx", (unsigned long long)at,
					       (unsigned long long)ips[at]);
				}
				if (user)
					break;
			}
		}
		users += !!user;
		ASSERT_EQ(padded(SEQ_SIZE) + 16, *(const uint32_t *)raw);
		ASSERT_EQ(sample->header.size,
			  (const char *)raw + 4 + padded(SEQ_SIZE) + 16 - (const char *)sample);
		raw += 4;
		ctx = *(const uint32_t *)(raw + seq.offset + 8);
		ASSERT_LT(ctx, 8);
		ASSERT_EQ(expected[ctx]++, *(const uint64_t *)(raw + seq.offset));
		ASSERT_EQ(n, *(const uint64_t *)(raw + padded(SEQ_SIZE) + 8));
	}
	EXPECT_EQ(emitted(_metadata, "seq", self->cpu, NULL), n);
	EXPECT_EQ(n, session_stats(_metadata, &self->s, 0, self->cpu).recorded);
	EXPECT_EQ(40, expected[0]);
	/* NMIs and timers also interrupt other processes than this one. */
	EXPECT_LE(users, n);
}

/* A thread has a tid of its own. */
static void *fire_in_thread(void *tid)
{
	*(pid_t *)tid = syscall(SYS_gettid);
	return (void *)(long)fire("seq task 1");
}

TEST_F(record, pid_and_tid)
{
	const struct sample *sample;
	pthread_t thread;
	void *err;
	pid_t tid;

	NEED_KTEST();
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, pthread_create(&thread, NULL, fire_in_thread, &tid));
	ASSERT_EQ(0, pthread_join(thread, &err));
	ASSERT_EQ(NULL, err);
	session_stop(_metadata, &self->s);
	sample = next_sample(_metadata, self);
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(getpid(), sample->pid);
	EXPECT_EQ(tid, sample->tid);
}

/*
 * An event with a __perf_count() leaves one sample for each firing, with that count as its
 * period.
 */
TEST_F(record, period)
{
	const struct sample *sample;
	struct field seq;
	unsigned int n;

	NEED_KTEST();
	seq = event_field(_metadata, "ktrace_test/counted", "seq");
	session_add(_metadata, &self->s, "ktrace_test/counted", 0, 0);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("counted task 50 self 0"));
	session_stop(_metadata, &self->s);
	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		ASSERT_EQ(n, load_number(sample, seq));
		ASSERT_EQ(ktest_period(n), sample->period);
	}
	EXPECT_EQ(50, n);
}

/* Data of every length modulo 8, and the bytes behind it. */
TEST_F(record, dynamic_sizes)
{
	const struct sample *sample;
	struct field seq, bytes, longs;
	uint32_t size;
	unsigned int n, i;

	NEED_KTEST();
	seq = event_field(_metadata, "ktrace_test/dyn", "seq");
	bytes = event_field(_metadata, "ktrace_test/dyn", "bytes");
	longs = event_field(_metadata, "ktrace_test/dyn", "longs");
	session_add(_metadata, &self->s, "ktrace_test/dyn", 0, 0);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("dyn task 400 self 0"));
	session_stop(_metadata, &self->s);
	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		uint32_t at = load_number(sample, bytes), last = load_number(sample, longs);

		ASSERT_EQ(n, load_number(sample, seq));
		ASSERT_EQ(ktest_len_dyn_bytes(n), at >> 16);
		/* `longs` is the last array. */
		size = (last & 0xffff) + (last >> 16);
		ASSERT_EQ(padded(size), sample->raw_size);
		for (i = size; i < sample->raw_size; i++)
			ASSERT_EQ(0, sample->raw[i]);
		for (i = 0; i < at >> 16; i++) {
			unsigned int from = ktest_slice_start(n, 1) + i;
			uint64_t word = ktest_mix(from / 8);

			ASSERT_EQ(((uint8_t *)&word)[from % 8], sample->raw[(at & 0xffff) + i]);
		}
	}
	EXPECT_EQ(400, n);
}

/* The data is larger than the limit for copies word by word. */
TEST_F(record, big)
{
	const struct sample *sample;
	struct field bytes;
	unsigned int n, i;

	NEED_KTEST();
	bytes = event_field(_metadata, "ktrace_test/big", "bytes");
	session_add(_metadata, &self->s, "ktrace_test/big", 0, 1ULL << KTRACE_FIELD_SEQ);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("big task 40 self 0"));
	session_stop(_metadata, &self->s);
	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		uint32_t at = load_number(sample, bytes);

		ASSERT_EQ(ktest_len_big(n), at >> 16);
		for (i = 0; i < at >> 16; i++) {
			unsigned int from = ktest_slice_start(n, 1) + i;
			uint64_t word = ktest_mix(from / 8);

			ASSERT_EQ(((uint8_t *)&word)[from % 8], sample->raw[(at & 0xffff) + i]);
		}
		ASSERT_EQ(n, trailer_u64(sample, 1ULL << KTRACE_FIELD_SEQ, KTRACE_FIELD_SEQ));
	}
	EXPECT_EQ(40, n);
}

/* Events of system calls come with the registers of user space. */
TEST_F(record, syscalls)
{
	const struct sample *sample;
	struct field nr;
	unsigned int n = 0;
	int i;

	if (event_id("syscalls/sys_enter_getppid") < 0)
		SKIP(return, "this kernel has no syscalls:sys_enter_getppid");
	nr = event_field(_metadata, "syscalls/sys_enter_getppid", "__syscall_nr");
	session_add(_metadata, &self->s, "syscalls/sys_enter_getppid", 0, 0);
	session_add(_metadata, &self->s, "syscalls/sys_exit_getppid", 1, 0);
	session_start(_metadata, &self->s);
	for (i = 0; i < 20; i++)
		syscall(SYS_getppid);
	session_stop(_metadata, &self->s);
	while ((sample = next_sample(_metadata, self))) {
		if (sample->pid != getpid())
			continue;
		ASSERT_EQ(KTRACE_ID_BASE + n % 2, sample->id);
		ASSERT_EQ(PERF_RECORD_MISC_USER, sample->header.misc);
		ASSERT_LT(0, (int64_t)sample->ip);
		ASSERT_EQ(SYS_getppid, load_number(sample, nr));
		n++;
	}
	EXPECT_EQ(40, n);
}

/* ---- common fields ---------------------------------------------------------- */

/* A child runs @prepare and fires once.  Returns that sample. */
static const struct sample *sample_of_child(struct __test_metadata *_metadata,
					    FIXTURE_DATA(record) *self,
					    int (*prepare)(void), pid_t *pid)
{
	int status, order;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, ALL_FIELDS);
	session_start(_metadata, &self->s);
	order = open(KTEST "/fire", O_WRONLY);
	ASSERT_GE(order, 0);
	*pid = fork();
	ASSERT_GE(*pid, 0);
	if (!*pid) {
		if (prepare && prepare())
			_exit(1);
		_exit(write(order, "seq task 1", 10) != 10);
	}
	ASSERT_EQ(*pid, waitpid(*pid, &status, 0));
	ASSERT_EQ(0, status);
	session_stop(_metadata, &self->s);
	return next_sample(_metadata, self);
}

static int be_called_odd(void)
{
	return prctl(PR_SET_NAME, "odd name\xff 123456");
}

TEST_F(record, comm_field)
{
	const struct sample *sample;
	pid_t pid;

	NEED_KTEST();
	sample = sample_of_child(_metadata, self, be_called_odd, &pid);
	ASSERT_NE(NULL, sample);
	EXPECT_STREQ("odd name\xff 12345", trailer_slot(sample, ALL_FIELDS, KTRACE_FIELD_COMM));
}

/* Each sample has the name at the instant when the event fired, not the first or last one. */
TEST_F(record, comm_field_follows)
{
	const struct sample *sample;
	char name[16];
	int i;

	NEED_KTEST();
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 1ULL << KTRACE_FIELD_COMM);
	session_start(_metadata, &self->s);
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		ASSERT_EQ(0, prctl(PR_SET_NAME, name));
		ASSERT_EQ(0, fire("seq task 1"));
	}
	session_stop(_metadata, &self->s);
	for (i = 0; (sample = next_sample(_metadata, self)); i++) {
		snprintf(name, sizeof(name), "name %d", i);
		ASSERT_STREQ(name, trailer_slot(sample, 1ULL << KTRACE_FIELD_COMM,
						KTRACE_FIELD_COMM));
	}
	EXPECT_EQ(20, i);
}

TEST_F(record, tgid_and_ppid_fields)
{
	const struct sample *sample;
	pid_t pid;

	NEED_KTEST();
	sample = sample_of_child(_metadata, self, NULL, &pid);
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(pid, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_TGID));
	EXPECT_EQ(getpid(), trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_PPID));
}

static int be_somebody_else(void)
{
	return setresuid(12345, 12346, 0);
}

TEST_F(record, uid_field)
{
	const struct sample *sample;
	pid_t pid;

	NEED_KTEST();
	sample = sample_of_child(_metadata, self, be_somebody_else, &pid);
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(12345, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_UID));
}

static int be_nice(void)
{
	return setpriority(PRIO_PROCESS, 0, 5);
}

TEST_F(record, nice_and_prio_fields)
{
	const struct sample *sample;
	pid_t pid;

	NEED_KTEST();
	sample = sample_of_child(_metadata, self, be_nice, &pid);
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(5, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_NICE));
	EXPECT_EQ(125, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_PRIO));
}

static int be_urgent(void)
{
	const struct sched_param param = { .sched_priority = 10 };

	return sched_setscheduler(0, SCHED_FIFO, &param);
}

TEST_F(record, prio_field_of_real_time)
{
	const struct sample *sample;
	pid_t pid;

	NEED_KTEST();
	sample = sample_of_child(_metadata, self, be_urgent, &pid);
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(99 - 10, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_PRIO));
}

/* A child's report of its namespaces. */
static struct namespaces {
	uint64_t pid, net, user;
} *namespaces;

static uint64_t namespace_of_self(const char *kind)
{
	char path[64], text[64] = "";
	uint64_t inode = 0;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	if (readlink(path, text, sizeof(text) - 1) > 0 && strchr(text, '['))
		inode = strtoull(strchr(text, '[') + 1, NULL, 10);
	return inode;
}

static int be_elsewhere(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	namespaces->pid = namespace_of_self("pid");
	namespaces->net = namespace_of_self("net");
	namespaces->user = namespace_of_self("user");
	return 0;
}

TEST_F(record, fields_of_namespaces)
{
	const struct sample *sample;
	pid_t pid;

	NEED_KTEST();
	if (!namespace_of_self("pid") || !namespace_of_self("net") || !namespace_of_self("user"))
		SKIP(return, "this kernel lacks namespaces of pids, networks or users");
	namespaces = mmap(NULL, sizeof(*namespaces), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, namespaces);
	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	sample = sample_of_child(_metadata, self, be_elsewhere, &pid);
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(pid, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_TGID));
	EXPECT_EQ(1, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_VPID));
	EXPECT_EQ(1, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_VTID));
	EXPECT_NE(namespace_of_self("pid"), namespaces->pid);
	EXPECT_EQ(namespaces->pid, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_PID_NS));
	EXPECT_NE(namespace_of_self("net"), namespaces->net);
	EXPECT_EQ(namespaces->net, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_NET_NS));
	EXPECT_NE(namespace_of_self("user"), namespaces->user);
	EXPECT_EQ(namespaces->user, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_USER_NS));
}

TEST_F(record, fields_of_the_stack)
{
	static const char *const contexts[] = { "task", "hardirq", "nmi" };
	const struct sample *sample;
	unsigned int i, n, tasks = 0;
	struct field ctx;

	NEED_KTEST();
	ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, ALL_FIELDS);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		fire("seq %s 20 %u", contexts[i], self->cpu);
	session_stop(_metadata, &self->s);
	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		uint64_t depth = trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_STACK_DEPTH);

		/* Another test has found that these are equal to perf's. */
		ASSERT_EQ(sample->raw[3] & 15,
			  trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_PREEMPT_COUNT));
		ASSERT_EQ(sample->raw[3] >> 4,
			  trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_MIGRATE_DISABLE));
		if (load_number(sample, ctx)) {
			/* Not all machines have stacks for interrupts. */
			ASSERT_LT(depth, 64 << 10);
			continue;
		}
		ASSERT_LT(100, depth);
		ASSERT_LT(depth, 64 << 10);
		tasks++;
	}
	EXPECT_EQ(20, tasks);
}

/* Is a sample of sched_switch of a task that sleeps, rather than of a preempted one? */
static bool is_sleeping(const struct sample *sample)
{
	uint64_t state;

	/* prev_state is behind the common fields, prev_comm, prev_pid and prev_prio. */
	memcpy(&state, sample->raw + 8 + 16 + 4 + 4, sizeof(state));
	return state & 3;
}

/*
 * Deeper calls in the kernel have more of the stack in use; filters see this, too.  Counters use
 * some of it themselves, and not the same amount for each event.  A task that is preempted on its
 * way back to user space is not deep in the kernel.  Each system call begins at another depth
 * (randomize_kstack_offset), so the two events have to belong to the same one.
 */
TEST_F(record, stack_depth)
{
	const uint64_t fields = 1ULL << KTRACE_FIELD_STACK_DEPTH;
	struct ktrace_filter_insn more = {
		.op = KTRACE_FILTER_GT, .src = KTRACE_FILTER_SRC_FIELD,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
		.offset = KTRACE_FIELD_STACK_DEPTH, .width = 8, .value = 1,
	};
	uint64_t entered = 0, shallow = 0, deep = 0, filtered = 0;
	struct ktrace_event_add add;
	const struct sample *sample;

	session_add(_metadata, &self->s, "raw_syscalls/sys_enter", 0, fields);
	session_add(_metadata, &self->s, "sched/sched_switch", 1, fields);
	add = event_add_init(event_id("sched/sched_switch"), 2);
	add.filter = (uintptr_t)&more;
	add.filter_insns = 1;
	ASSERT_EQ(0, event_add(self->s.fd, "sched/sched_switch", &add));
	more.value = 1 << 20;
	add.id = KTRACE_ID_BASE + 3;
	ASSERT_EQ(0, event_add(self->s.fd, "sched/sched_switch", &add));
	session_start(_metadata, &self->s);
	sleep_ms(10);
	session_stop(_metadata, &self->s);
	while ((sample = next_sample(_metadata, self))) {
		uint64_t depth = sample->id < KTRACE_ID_BASE + 2 ?
				 trailer_u64(sample, fields, KTRACE_FIELD_STACK_DEPTH) : 0;

		if ((pid_t)sample->tid != getpid())
			continue;
		ASSERT_NE(KTRACE_ID_BASE + 3, sample->id);
		if (sample->id == KTRACE_ID_BASE)
			entered = depth;
		else if (sample->id == KTRACE_ID_BASE + 2)
			filtered++;
		if (sample->id != KTRACE_ID_BASE + 1 || !is_sleeping(sample))
			continue;
		shallow = entered;
		deep = depth;
	}
	EXPECT_LT(0, shallow);
	if (wants_templates())
		EXPECT_LT(shallow, deep);
	EXPECT_LT(0, deep);
	EXPECT_LT(0, filtered);
}

TEST_F(record, start_time_field)
{
	unsigned long long ticks, ns = 1000000000 / sysconf(_SC_CLK_TCK);
	const struct sample *sample;
	char text[1024], *p;
	uint64_t start;
	int i;

	NEED_KTEST();
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, ALL_FIELDS);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1"));
	session_stop(_metadata, &self->s);
	sample = next_sample(_metadata, self);
	ASSERT_NE(NULL, sample);
	start = trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_START_TIME);

	/* starttime is the 22nd field of stat, 20 fields after the comm. */
	ASSERT_GT(read_file("/proc/self/stat", text, sizeof(text)), 0);
	p = strrchr(text, ')');
	ASSERT_NE(NULL, p);
	for (i = 0; i < 20; i++)
		p = strchr(p + 1, ' ');
	ticks = strtoull(p, NULL, 10);
	EXPECT_LE(ticks * ns, start);
	EXPECT_GT((ticks + 1) * ns, start);
}

#define CGROUP "/sys/fs/cgroup/ktrace_selftest"

static int be_in_a_cgroup(void)
{
	return write_file(CGROUP "/cgroup.procs", "0");
}

TEST_F(record, cgroup_field)
{
	const struct sample *sample;
	struct stat st;
	pid_t pid;

	NEED_KTEST();
	if (access("/sys/fs/cgroup/cgroup.procs", W_OK))
		SKIP(return, "no cgroup v2 is mounted");
	ASSERT_TRUE(!mkdir(CGROUP, 0755) || errno == EEXIST);
	ASSERT_EQ(0, stat(CGROUP, &st));
	sample = sample_of_child(_metadata, self, be_in_a_cgroup, &pid);
	rmdir(CGROUP);
	ASSERT_NE(NULL, sample);
	/* The id of a cgroup is the number of its inode. */
	EXPECT_EQ(st.st_ino, trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_CGROUP));
}

TEST_F(record, context_field)
{
	static const struct {
		const char *name;
		uint64_t context, mask;
	} contexts[] = {
		{ "task", 0, 0xf },
		{ "softirq", KTRACE_CONTEXT_SOFTIRQ, 0x7 },
		{ "hardirq", KTRACE_CONTEXT_HARDIRQ | KTRACE_CONTEXT_IRQS_OFF, 0xe },
		{ "irq_work", KTRACE_CONTEXT_HARDIRQ | KTRACE_CONTEXT_IRQS_OFF, 0xe },
		{ "nmi", KTRACE_CONTEXT_NMI | KTRACE_CONTEXT_IRQS_OFF, 0xc },
	};
	const struct sample *sample;
	struct field ctx;
	unsigned int seen[5] = { 0 }, i;

	NEED_KTEST();
	ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, ALL_FIELDS);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		int err = fire("seq %s 20 %u", contexts[i].name, self->cpu);

		ASSERT_TRUE(!err || (i == 4 && err == -EOPNOTSUPP));
	}
	session_stop(_metadata, &self->s);
	while ((sample = next_sample(_metadata, self))) {
		uint64_t context = trailer_u64(sample, ALL_FIELDS, KTRACE_FIELD_CONTEXT);

		i = load_number(sample, ctx);
		ASSERT_LT(i, ARRAY_SIZE(contexts));
		ASSERT_EQ(contexts[i].context, context & contexts[i].mask) {
			TH_LOG("fired in %s", contexts[i].name);
		}
		ASSERT_EQ(0, context & ~0xfULL);
		seen[i]++;
	}
	for (i = 0; i < 4; i++)
		ASSERT_EQ(20, seen[i]);
}

/* The fields up to seq, the last of all slots, and the rarer ones with higher numbers. */
#define OLD_FIELDS ((2ULL << KTRACE_FIELD_SEQ) - 1)
#define RARE_FIELDS (ALL_FIELDS & ~OLD_FIELDS)

/* The old fields in every combination, without and with all rare ones, then each rare one alone. */
static uint64_t combination(uint64_t n)
{
	uint64_t rest = RARE_FIELDS;

	if (n <= OLD_FIELDS)
		return n;
	n -= OLD_FIELDS + 1;
	if (n <= OLD_FIELDS)
		return n | RARE_FIELDS;
	n -= OLD_FIELDS + 1;
	while (n--)
		rest &= rest - 1;
	return rest & -rest;
}

/* For any fields, the slots are at the offsets of the header, and end with raw. */
TEST_F(record, combinations_of_fields)
{
	const uint64_t nr = 2 * (OLD_FIELDS + 1) + __builtin_popcountll(RARE_FIELDS);
	const struct sample *sample;
	char comm[16] = { 0 };
	uint64_t fields;
	uint64_t n;

	NEED_KTEST();
	for (n = 0; n < nr; n++)
		session_add(_metadata, &self->s, "ktrace_test/seq", n, combination(n));
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1"));
	session_stop(_metadata, &self->s);
	for (n = 0; (sample = next_sample(_metadata, self)); n++) {
		const uint8_t *end;

		fields = combination(sample->id - KTRACE_ID_BASE);
		end = trailer_slot(sample, fields, 0);
		ASSERT_EQ(padded(SEQ_SIZE), end - sample->raw);
		if (fields & 1ULL << KTRACE_FIELD_TGID)
			ASSERT_EQ(getpid(), trailer_u64(sample, fields, KTRACE_FIELD_TGID));
		if (fields & 1ULL << KTRACE_FIELD_COMM)
			ASSERT_EQ(0, memcmp(comm, trailer_slot(sample, fields, KTRACE_FIELD_COMM),
					    sizeof(comm)));
		if (fields & 1ULL << KTRACE_FIELD_PPID)
			ASSERT_EQ(getppid(), trailer_u64(sample, fields, KTRACE_FIELD_PPID));
		if (fields & 1ULL << KTRACE_FIELD_SEQ)
			ASSERT_EQ(n, trailer_u64(sample, fields, KTRACE_FIELD_SEQ));
		if (fields & 1ULL << KTRACE_FIELD_VTID)
			ASSERT_EQ(getpid(), trailer_u64(sample, fields, KTRACE_FIELD_VTID));
		if (fields & 1ULL << KTRACE_FIELD_USER_NS && namespace_of_self("user"))
			ASSERT_EQ(namespace_of_self("user"),
				  trailer_u64(sample, fields, KTRACE_FIELD_USER_NS));
	}
	EXPECT_EQ(nr, n);
}

static void *do_nothing(void *arg)
{
	return NULL;
}

/*
 * A thread's last schedule() comes after it was unhashed.  Its pid and tid are then -1, as
 * perf's are, and nothing is read through its pointers to other tasks.
 */
TEST_F(record, dying_tasks)
{
	uint64_t fields = ALL_FIELDS;
	const struct sample *sample;
	unsigned int dead = 0, i;
	struct field prev_pid;
	pthread_t thread;
	uint64_t tgid;

	prev_pid = event_field(_metadata, "sched/sched_switch", "prev_pid");
	session_add(_metadata, &self->s, "sched/sched_switch", 0, fields);
	session_start(_metadata, &self->s);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, do_nothing, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
	}
	session_stop(_metadata, &self->s);
	while ((sample = next_sample(_metadata, self))) {
		if (sample->tid != -1) {
			ASSERT_EQ(load_number(sample, prev_pid), sample->tid);
			ASSERT_NE(UINT64_MAX, trailer_u64(sample, fields, KTRACE_FIELD_PPID));
			continue;
		}
		/* Another process or a thread of the kernel may die meanwhile. */
		tgid = trailer_u64(sample, fields, KTRACE_FIELD_TGID);
		ASSERT_LT(0, (pid_t)tgid);
		dead += getpid() == (pid_t)tgid;
		ASSERT_EQ(-1, sample->pid);
		ASSERT_EQ(UINT64_MAX, trailer_u64(sample, fields, KTRACE_FIELD_PPID));
		ASSERT_EQ(UINT64_MAX, trailer_u64(sample, fields, KTRACE_FIELD_START_TIME));
	}
	EXPECT_LT(0, dead);
}

/* The time of the records is that of the requested clock. */
TEST(clocks)
{
	static const clockid_t ids[] = {
		CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME,
	};
	const struct sample *sample;
	unsigned int i;

	NEED_KTEST();
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		struct ktrace_setup setup = SETUP_INIT;
		struct timespec before, after;
		struct session s;
		uint64_t pos = 0;
		int n = 0;

		setup.flags = KTRACE_SETUP_TRACE_SELF;
		setup.clockid = ids[i];
		session_open(_metadata, &s, &setup);
		pin_to(_metadata, 0);
		session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
		session_start(_metadata, &s);
		clock_gettime(ids[i], &before);
		ASSERT_EQ(0, fire("seq task 5"));
		clock_gettime(ids[i], &after);
		session_stop(_metadata, &s);
		while ((sample = (void *)ring_next(_metadata, &s.ring[0], &pos,
						   ring_head(&s.ring[0])))) {
			ASSERT_LE(before.tv_sec * 1000000000ULL + before.tv_nsec, sample->time);
			ASSERT_GE(after.tv_sec * 1000000000ULL + after.tv_nsec, sample->time);
			n++;
		}
		ASSERT_EQ(5, n);
		session_close(&s);
	}
}

TEST_HARNESS_MAIN
