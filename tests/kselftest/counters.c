// SPDX-License-Identifier: GPL-2.0
/*
 * The common fields that a PMU counts, beside perf's counters.  Without a PMU they are refused.
 *
 * Where KTRACE_EXACT is set, there is one CPU, and it takes each instruction for one cycle: there
 * the instructions of a loop are found again to the last one.
 */
#include <sys/prctl.h>

#include "selftest.h"

#define FIELDS (1ULL << KTRACE_FIELD_CYCLES | 1ULL << KTRACE_FIELD_INSTRUCTIONS)
#define EVENT "syscalls/sys_enter_getppid"

static const struct { int field; uint64_t config; } kinds[] = {
	{ KTRACE_FIELD_CYCLES, PERF_COUNT_HW_CPU_CYCLES },
	{ KTRACE_FIELD_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS },
};

/* Two instructions for each round. */
static void spin(unsigned long rounds)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#else
	while (rounds--)
		__asm__ volatile("" : "+r"(rounds));
#endif
}

/* A counter of a CPU (@pid is -1) or of a task. */
static int counter_open(uint64_t config, pid_t pid, int cpu, bool pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.pinned = pinned,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t counter_read(struct __test_metadata *_metadata, int fd)
{
	uint64_t value;

	ASSERT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
	return value;
}

static void fire_here(void)
{
	syscall(SYS_getppid);
}

FIXTURE(counters) {
	struct session s, task;		/* both of them record the event; the second only us */
	uint64_t pos[2][MAX_CPUS];	/* how far their rings were read */
	unsigned int cpus[2];
	uint64_t fields;		/* fields that can be counted here */
};

FIXTURE_SETUP(counters)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int i;
	int fd;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 256;
	session_open(_metadata, &self->s, &setup);
	session_open(_metadata, &self->task, &setup);
	memset(self->pos, 0, sizeof(self->pos));
	two_cpus(&self->s, self->cpus);
	self->fields = 0;
	pin_to(_metadata, self->cpus[0]);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		fd = counter_open(kinds[i].config, -1, self->cpus[0], false);
		if (fd < 0)
			continue;
		self->fields |= 1ULL << kinds[i].field;
		close(fd);
	}
}

FIXTURE_TEARDOWN(counters)
{
	session_close(&self->task);
	session_close(&self->s);
}

/* Adds the event to both sessions, with all that can be counted, and starts them. */
static void start_both(struct __test_metadata *_metadata, FIXTURE_DATA(counters) *self)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };

	session_add(_metadata, &self->s, EVENT, 0, self->fields);
	session_add(_metadata, &self->task, EVENT, 0, self->fields);
	ASSERT_EQ(0, CALL(self->task.fd, TASK_ADD, &task));
	session_start(_metadata, &self->s);
	session_start(_metadata, &self->task);
}

/* The value in the next record of a CPU, which has to be there. */
static uint64_t next_value(struct __test_metadata *_metadata, FIXTURE_DATA(counters) *self,
			   bool of_task, unsigned int cpu, int field)
{
	struct session *s = of_task ? &self->task : &self->s;
	const struct perf_event_header *header;

	header = ring_next(_metadata, &s->ring[cpu], &self->pos[of_task][cpu],
			   ring_head(&s->ring[cpu]));
	ASSERT_NE(NULL, header);
	ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
	return trailer_u64((const void *)header, self->fields, field);
}

/* A field that can be counted everywhere, if there is one. */
static int any_field(const FIXTURE_DATA(counters) *self)
{
	return self->fields & 1ULL << KTRACE_FIELD_INSTRUCTIONS ? KTRACE_FIELD_INSTRUCTIONS :
								  KTRACE_FIELD_CYCLES;
}

#define NEED_COUNTERS()							\
	do {								\
		if (!self->fields)					\
			SKIP(return, "nothing is counted here");	\
	} while (0)
#define NEED_EXACT()							\
	do {								\
		if (!getenv("KTRACE_EXACT"))				\
			SKIP(return, "only where a cycle is an instruction"); \
		ASSERT_EQ(FIELDS, self->fields);			\
	} while (0)

/* A field is there if perf can count the same, and otherwise it is refused, never zero. */
TEST_F(counters, there_or_refused)
{
	struct ktrace_event_add add;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		add = event_add_init(event_id(EVENT), i);
		add.fields = 1ULL << kinds[i].field;
		EXPECT_EQ(self->fields & add.fields ? 0 : -EOPNOTSUPP,
			  event_add(self->s.fd, EVENT, &add));
	}
	add = event_add_init(event_id(EVENT), i);
	add.fields = FIELDS;
	EXPECT_EQ(self->fields == FIELDS ? 0 : -EOPNOTSUPP, event_add(self->s.fd, EVENT, &add));
	/* A session goes on without a refused field. */
	add = event_add_init(event_id(EVENT), i + 1);
	EXPECT_EQ(0, event_add(self->s.fd, EVENT, &add));
	session_start(_metadata, &self->s);
	fire_here();
	session_stop(_metadata, &self->s);
	EXPECT_NE(0, ring_head(&self->s.ring[self->cpus[0]]));
}

/* Counters that others have pinned cannot be had, and are to be had again afterwards. */
TEST_F(counters, refused_while_all_are_taken)
{
	int fds[64], nr, field;
	struct ktrace_event_add add;
	unsigned int i;
	char buf[8];

	NEED_COUNTERS();
	field = any_field(self);
	i = field == KTRACE_FIELD_INSTRUCTIONS;
	/* A counter that has no place is in error, and cannot be read. */
	for (nr = 0; nr < ARRAY_SIZE(fds); nr++) {
		fds[nr] = counter_open(kinds[i].config, -1, self->cpus[0], true);
		ASSERT_GE(fds[nr], 0);
		if (read(fds[nr], buf, sizeof(buf)) != sizeof(buf))
			break;
	}
	ASSERT_GT(ARRAY_SIZE(fds), nr);
	add = event_add_init(event_id(EVENT), 0);
	add.fields = 1ULL << field;
	EXPECT_EQ(-EUSERS, event_add(self->s.fd, EVENT, &add));
	for (; nr >= 0; nr--)
		close(fds[nr]);
	EXPECT_EQ(0, event_add(self->s.fd, EVENT, &add));
}

/* Counted values are known only when the record is stored, too late for a filter. */
TEST_F(counters, not_in_filters)
{
	struct ktrace_event_add add = event_add_init(event_id(EVENT), 0);
	struct ktrace_filter_insn insn = {
		.op = KTRACE_FILTER_GT, .src = KTRACE_FILTER_SRC_FIELD, .width = 8,
		.offset = KTRACE_FIELD_CYCLES, .jt = KTRACE_FILTER_ACCEPT,
		.jf = KTRACE_FILTER_REJECT,
	};

	add.filter = (uintptr_t)&insn;
	add.filter_insns = 1;
	EXPECT_EQ(-EINVAL, event_add(self->s.fd, EVENT, &add));
}

/* The value of a record is perf's count between it and the previous record. */
TEST_F(counters, as_perf_counts)
{
	enum { ROUNDS = 50 };
	uint64_t before[ROUNDS], after[ROUNDS], value;
	unsigned int i, n, of_task;
	int fd;

	NEED_COUNTERS();
	start_both(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!(self->fields & 1ULL << kinds[i].field))
			continue;
		fd = counter_open(kinds[i].config, -1, self->cpus[0], false);
		ASSERT_GE(fd, 0);
		for (n = 0; n < ROUNDS; n++) {
			before[n] = counter_read(_metadata, fd);
			fire_here();
			after[n] = counter_read(_metadata, fd);
			spin(1000);
		}
		close(fd);
		for (n = 0; n < ROUNDS; n++) {
			for (of_task = 0; of_task < 2; of_task++) {
				value = next_value(_metadata, self, of_task, self->cpus[0],
						   kinds[i].field);
				/* The first has none before it. */
				if (!n && !i)
					ASSERT_EQ(KTRACE_COUNT_UNKNOWN, value);
				if (!n)
					continue;
				ASSERT_GE(after[n] - before[n - 1], value);
				/* Of the task, another one's part is missing. */
				if (!of_task)
					ASSERT_LE(before[n] - after[n - 1], value);
				ASSERT_LE(2000, value);
			}
		}
	}
}

/* After STOP, START begins anew. */
TEST_F(counters, each_start_begins_anew)
{
	unsigned int round, of_task;
	int field = any_field(self);
	uint64_t value;

	NEED_COUNTERS();
	start_both(_metadata, self);
	for (round = 0; round < 3; round++) {
		fire_here();
		fire_here();
		session_stop(_metadata, &self->s);
		session_stop(_metadata, &self->task);
		for (of_task = 0; of_task < 2; of_task++) {
			value = next_value(_metadata, self, of_task, self->cpus[0], field);
			EXPECT_EQ(KTRACE_COUNT_UNKNOWN, value);
			value = next_value(_metadata, self, of_task, self->cpus[0], field);
			EXPECT_NE(KTRACE_COUNT_UNKNOWN, value);
			EXPECT_NE(0, value);
		}
		fire_here();
		session_start(_metadata, &self->s);
		session_start(_metadata, &self->task);
	}
}

/* Another thread, which spins on our CPU when we order it, while we wait. */
struct other {
	int ask[2], answer[2];
	pid_t pid;
};

static void other_begin(struct __test_metadata *_metadata, struct other *other,
			unsigned long rounds)
{
	char byte;

	ASSERT_EQ(0, pipe2(other->ask, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(other->answer, O_CLOEXEC));
	other->pid = fork();
	ASSERT_GE(other->pid, 0);
	if (other->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(other->ask[0], &byte, 1) == 1 && byte) {
		spin(rounds);
		if (write(other->answer[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void other_spin(struct __test_metadata *_metadata, struct other *other)
{
	char byte = 1;

	ASSERT_EQ(1, write(other->ask[1], &byte, 1));
	ASSERT_EQ(1, read(other->answer[0], &byte, 1));
}

static void other_end(struct __test_metadata *_metadata, struct other *other)
{
	char byte = 0;

	ASSERT_EQ(1, write(other->ask[1], &byte, 1));
	ASSERT_EQ(other->pid, waitpid(other->pid, NULL, 0));
}

#define OTHER_ROUNDS 3000000UL

#define ROUNDS_MEASURED 41

struct usual {
	uint64_t of_cpu, of_task;
};

static int compare_values(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/*
 * The usual values where somebody spins between two records, and lets somebody else spin there as
 * well if @other.  Now and then the kernel executes a few instructions more or less, and sometimes
 * there is an interrupt.
 */
static struct usual measure(struct __test_metadata *_metadata, FIXTURE_DATA(counters) *self,
			    int field, unsigned long rounds, struct other *other)
{
	uint64_t values[2][ROUNDS_MEASURED];
	unsigned int i, of_task;

	for (i = 0; i < ROUNDS_MEASURED; i++) {
		fire_here();
		spin(rounds);
		if (other)
			other_spin(_metadata, other);
		fire_here();
		for (of_task = 0; of_task < 2; of_task++) {
			next_value(_metadata, self, of_task, self->cpus[0], field);
			values[of_task][i] = next_value(_metadata, self, of_task, self->cpus[0],
							field);
			ASSERT_NE(KTRACE_COUNT_UNKNOWN, values[of_task][i]);
		}
	}
	for (of_task = 0; of_task < 2; of_task++)
		qsort(values[of_task], ROUNDS_MEASURED, sizeof(uint64_t), compare_values);
	return (struct usual){ values[0][ROUNDS_MEASURED / 2], values[1][ROUNDS_MEASURED / 2] };
}

/* Between two records are the instructions of the loop there, and always the same other ones. */
TEST_F(counters, every_instruction)
{
	struct usual few, many;
	unsigned int i;

	NEED_EXACT();
	start_both(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		few = measure(_metadata, self, kinds[i].field, 1000, NULL);
		many = measure(_metadata, self, kinds[i].field, 51000, NULL);
		EXPECT_EQ(2 * 50000, many.of_cpu - few.of_cpu);
		EXPECT_EQ(2 * 50000, many.of_task - few.of_task);
		TH_LOG("kind %u: %llu of the CPU and %llu of the task beside 2000 of the loop", i,
		       (unsigned long long)few.of_cpu - 2000,
		       (unsigned long long)few.of_task - 2000);
		EXPECT_GT(2000 + 20000, few.of_cpu);
	}
}

/* The scheduler's work for a task is not the same number of instructions each time. */
#define SCHEDULER_VARIES 64

/*
 * A task that was away in between has its own instructions alone; the CPU has those of the other
 * one, too.
 */
TEST_F_TIMEOUT(counters, every_instruction_of_a_task, 120)
{
	struct usual few, many;
	struct other other;
	unsigned int i;

	NEED_EXACT();
	other_begin(_metadata, &other, OTHER_ROUNDS);
	start_both(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		few = measure(_metadata, self, kinds[i].field, 1000, &other);
		many = measure(_metadata, self, kinds[i].field, 51000, &other);
		EXPECT_LE(2 * 50000 - SCHEDULER_VARIES, many.of_task - few.of_task);
		EXPECT_GE(2 * 50000 + SCHEDULER_VARIES, many.of_task - few.of_task);
		TH_LOG("kind %u: %llu of the CPU and %llu of the task beside 2000 of the loop", i,
		       (unsigned long long)few.of_cpu - 2000,
		       (unsigned long long)few.of_task - 2000);
		EXPECT_GT(2000 + 100000, few.of_task);
		EXPECT_LT(2 * OTHER_ROUNDS, few.of_cpu);
	}
	other_end(_metadata, &other);
}

/* Being away and coming back, also against one's will, loses nothing: perf counts the same. */
TEST_F_TIMEOUT(counters, of_a_task_as_perf_counts, 120)
{
	uint64_t before, after, value, sum = 0;
	int fd, field = any_field(self);
	unsigned int i, rounds = 50;
	struct other other;

	NEED_COUNTERS();
	other_begin(_metadata, &other, OTHER_ROUNDS / 10);
	start_both(_metadata, self);
	fd = counter_open(kinds[field == KTRACE_FIELD_INSTRUCTIONS].config, 0, -1, false);
	ASSERT_GE(fd, 0);
	fire_here();
	before = counter_read(_metadata, fd);
	for (i = 0; i < rounds; i++) {
		spin(1000 * i + 1);
		other_spin(_metadata, &other);
		fire_here();
	}
	after = counter_read(_metadata, fd);
	close(fd);
	session_stop(_metadata, &self->task);
	EXPECT_EQ(KTRACE_COUNT_UNKNOWN, next_value(_metadata, self, true, self->cpus[0], field));
	for (i = 0; i < rounds; i++) {
		value = next_value(_metadata, self, true, self->cpus[0], field);
		ASSERT_NE(KTRACE_COUNT_UNKNOWN, value);
		sum += value;
	}
	TH_LOG("perf counts %llu, and the records have %llu", (unsigned long long)(after - before),
	       (unsigned long long)sum);
	/* perf counts neither the end of a switch to the task nor all of one away from it. */
	EXPECT_LT((after - before) / 100 * 95, sum);
	EXPECT_GT((after - before) / 100 * 115, sum);
	other_end(_metadata, &other);
}

/* The instructions of a task on two CPUs are added up; each CPU has its own part. */
TEST_F(counters, on_two_cpus)
{
	int field = any_field(self);
	uint64_t value;
	unsigned int i;

	NEED_COUNTERS();
	if (self->cpus[0] == self->cpus[1])
		SKIP(return, "there is one CPU");
	start_both(_metadata, self);
	for (i = 0; i < 10; i++) {
		pin_to(_metadata, self->cpus[0]);
		fire_here();
		spin(500000);
		pin_to(_metadata, self->cpus[1]);
		spin(500000);
		fire_here();
		next_value(_metadata, self, true, self->cpus[0], field);
		value = next_value(_metadata, self, true, self->cpus[1], field);
		ASSERT_NE(KTRACE_COUNT_UNKNOWN, value);
		if (field == KTRACE_FIELD_INSTRUCTIONS)
			EXPECT_LE(4 * 500000, value);
		/* The excess is too small for a part that is counted twice. */
		EXPECT_GT(20 * 500000, value);
		/* The other CPU has a first record of its own. */
		value = next_value(_metadata, self, false, self->cpus[1], field);
		EXPECT_EQ(!i, value == KTRACE_COUNT_UNKNOWN);
		value = next_value(_metadata, self, false, self->cpus[0], field);
		EXPECT_EQ(!i, value == KTRACE_COUNT_UNKNOWN);
	}
}

static int set_cpu_online(unsigned int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return write_file(path, online ? "1" : "0");
}

/* A CPU that was offline begins anew, and counts again after a while. */
TEST_F_TIMEOUT(counters, after_hotplug, 120)
{
	unsigned int cpu = self->cpus[1], i;
	int field = any_field(self);
	uint64_t value;

	NEED_COUNTERS();
	if (cpu == self->cpus[0])
		SKIP(return, "there is one CPU");
	start_both(_metadata, self);
	pin_to(_metadata, cpu);
	fire_here();
	fire_here();
	EXPECT_EQ(KTRACE_COUNT_UNKNOWN, next_value(_metadata, self, false, cpu, field));
	EXPECT_NE(KTRACE_COUNT_UNKNOWN, next_value(_metadata, self, false, cpu, field));
	pin_to(_metadata, self->cpus[0]);
	if (set_cpu_online(cpu, false))
		SKIP(return, "the CPU cannot go offline");
	ASSERT_EQ(0, set_cpu_online(cpu, true));
	pin_to(_metadata, cpu);
	/* Kernel counters of the event come back together with these counters. */
	for (i = 0; i < 500 && ring_head(&self->s.ring[cpu]) == self->pos[0][cpu]; i++) {
		fire_here();
		sleep_ms(10);
	}
	EXPECT_EQ(KTRACE_COUNT_UNKNOWN, next_value(_metadata, self, false, cpu, field));
	for (i = 0, value = KTRACE_COUNT_UNKNOWN; i < 500 && value == KTRACE_COUNT_UNKNOWN; i++) {
		sleep_ms(10);
		fire_here();
		value = next_value(_metadata, self, false, cpu, field);
	}
	EXPECT_NE(KTRACE_COUNT_UNKNOWN, value);
	fire_here();
	EXPECT_NE(KTRACE_COUNT_UNKNOWN, next_value(_metadata, self, false, cpu, field));
}

/* Tasks come and go; each of them has values from its second record on. */
TEST_F_TIMEOUT(counters, many_tasks, 120)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid(),
					.flags = KTRACE_TASK_INHERIT };
	unsigned int i, children = 500;
	int field = any_field(self), status;
	pid_t pid;

	NEED_COUNTERS();
	session_add(_metadata, &self->task, EVENT, 0, self->fields);
	ASSERT_EQ(0, CALL(self->task.fd, TASK_ADD, &task));
	session_start(_metadata, &self->task);
	for (i = 0; i < children; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			fire_here();
			fire_here();
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	}
	session_stop(_metadata, &self->task);
	for (i = 0; i < children; i++) {
		ASSERT_EQ(KTRACE_COUNT_UNKNOWN,
			  next_value(_metadata, self, true, self->cpus[0], field));
		ASSERT_NE(KTRACE_COUNT_UNKNOWN,
			  next_value(_metadata, self, true, self->cpus[0], field));
	}
}

/* Records in every context, with every other feature beside the fields. */
TEST_F(counters, in_every_context)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq", "nmi" };
	const uint64_t fields = self->fields | 1ULL << KTRACE_FIELD_COMM |
				1ULL << KTRACE_FIELD_SEQ | 1ULL << KTRACE_FIELD_USER_NS;
	const struct perf_event_header *header;
	struct ktrace_event_add add;
	unsigned int n, known = 0;
	char comm[16] = { 0 };
	uint64_t pos = 0;

	NEED_KTEST();
	NEED_COUNTERS();
	add = event_add_init(event_id("ktrace_test/seq"), 0);
	add.fields = fields;
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, fields);
	ASSERT_EQ(0, event_add(self->task.fd, "ktrace_test/seq", &add));
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	session_start(_metadata, &self->task);
	session_start(_metadata, &self->s);
	for (n = 0; n < ARRAY_SIZE(contexts); n++)
		if (fire("seq %s 100", contexts[n]))
			TH_LOG("nothing is fired in %s", contexts[n]);
	session_stop(_metadata, &self->s);
	for (n = 0; (header = ring_next(_metadata, &self->s.ring[self->cpus[0]], &pos,
					ring_head(&self->s.ring[self->cpus[0]]))); n++) {
		const struct sample *sample = (const void *)header;

		ASSERT_EQ(n, trailer_u64(sample, fields, KTRACE_FIELD_SEQ));
		if (trailer_u64(sample, fields, any_field(self)) != KTRACE_COUNT_UNKNOWN)
			known++;
	}
	EXPECT_LE(200, n);
	EXPECT_EQ(n - 1, known);
	EXPECT_LT(n * 100, ring_head(&self->task.ring[self->cpus[0]]));
}

TEST_HARNESS_MAIN
