// SPDX-License-Identifier: GPL-2.0
/* Filters: the programs that the kernel refuses, and the events that accepted ones select. */
#include <sys/prctl.h>

#include "selftest.h"
#include "ktrace_test_values.h"

#define ACCEPT KTRACE_FILTER_ACCEPT
#define REJECT KTRACE_FILTER_REJECT

/* Accepts events for which the comparison holds. */
#define INSN(_op, _src, _offset, _width, _value, ...)			\
	((struct ktrace_filter_insn){					\
		.op = KTRACE_FILTER_##_op, .src = KTRACE_FILTER_SRC_##_src, \
		.offset = (_offset), .width = (_width), .value = (_value), \
		.jt = ACCEPT, .jf = REJECT, ##__VA_ARGS__ })

#define STRING(offset, len) ((uint64_t)(offset) << 32 | (len))

#pragma GCC diagnostic ignored "-Woverride-init"

FIXTURE(filter) {
	struct session s;
	struct ring *ring;
	uint64_t pos;
	uint64_t id;
};

FIXTURE_SETUP(filter)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 256;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->ring = &self->s.ring[cpus[0]];
	pin_to(_metadata, cpus[0]);
}

FIXTURE_TEARDOWN(filter)
{
	session_close(&self->s);
}

/* ---- the verifier ----------------------------------------------------------- */

static int try_program(FIXTURE_DATA(filter) *self, const struct ktrace_filter_insn *insns,
		       unsigned int nr, const char *pool, unsigned int pool_bytes)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), self->id++);

	add.filter = (uintptr_t)insns;
	add.filter_insns = nr;
	add.pool = (uintptr_t)pool;
	add.pool_bytes = pool_bytes;
	return CALL(self->s.fd, EVENT_ADD, &add);
}

#define EXPECT_INSN(error, ...)						\
	do {								\
		struct ktrace_filter_insn insn = __VA_ARGS__;		\
		EXPECT_EQ(error, try_program(self, &insn, 1, pool, sizeof(pool))) { \
			TH_LOG("%s", #__VA_ARGS__);			\
		}							\
	} while (0)

TEST_F(filter, one_instruction)
{
	static const char pool[300] = "text";
	unsigned int width;

	EXPECT_INSN(0, INSN(EQ, RECORD, 8, 4, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .op = 0));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .op = 23));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .op = 255));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .src = 0));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .src = 5));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .src = 7));
	EXPECT_INSN(-EINVAL, INSN(EQ, REGISTER, 0, 8, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, VALUE, 0, 8, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .flags = 2));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8, 4, 1, .reserved = 1));
	EXPECT_INSN(0, INSN(LT, RECORD, 8, 4, 1, .flags = KTRACE_FILTER_SIGNED));
	for (width = 0; width < 20; width++)
		EXPECT_INSN(width == 1 || width == 2 || width == 4 || width == 8 ? 0 : -EINVAL,
			    INSN(GT, RECORD, 8, width, 1));
}

TEST_F(filter, loads_outside_of_any_record)
{
	static const char pool[300] = "text";

	EXPECT_INSN(0, INSN(EQ, RECORD, 8188, 4, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, 8189, 4, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, UINT32_MAX, 4, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, RECORD, UINT32_MAX - 3, 4, 1));
	EXPECT_INSN(0, INSN(STREQ, RECORD, 8, 8184, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 8185, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 0, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, UINT32_MAX, STRING(0, 4)));
	EXPECT_INSN(0, INSN(STREQ, DATA_LOC, 8188, 4, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, DATA_LOC, 8189, 4, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, REL_LOC, UINT32_MAX - 3, 4, STRING(0, 4)));
	EXPECT_INSN(0, INSN(EQ, REL_LOC, 8, 4, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, REL_LOC, 8, 3, 1));
}

TEST_F(filter, strings)
{
	static const char pool[300] = "text";

	EXPECT_INSN(0, INSN(STREQ, RECORD, 8, 16, STRING(0, 300)));
	EXPECT_INSN(0, INSN(STREQ, RECORD, 8, 16, STRING(300, 0)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 16, STRING(0, 301)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 16, STRING(301, 0)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 16, STRING(299, 2)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 16, STRING(UINT32_MAX, 2)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 16, STRING(2, UINT32_MAX)));
	EXPECT_INSN(0, INSN(GLOB, RECORD, 8, 16, STRING(0, KTRACE_FILTER_MAX_GLOB)));
	EXPECT_INSN(-EINVAL, INSN(GLOB, RECORD, 8, 16, STRING(0, KTRACE_FILTER_MAX_GLOB + 1)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, RECORD, 8, 16, STRING(0, 4),
				  .flags = KTRACE_FILTER_SIGNED));
}

TEST_F(filter, fields)
{
	static const char pool[300] = "text";
	unsigned int field;

	for (field = 0; field < 70; field++) {
		bool number = (field < KTRACE_FIELD_CYCLES && field != KTRACE_FIELD_SEQ) ||
			      field == KTRACE_FIELD_STACK_DEPTH || field == KTRACE_FIELD_CPU ||
			      field == KTRACE_FIELD_TID;

		if (field == KTRACE_FIELD_COMM)
			continue;
		EXPECT_INSN(number ? 0 : -EINVAL, INSN(EQ, FIELD, field, 8, 1));
		EXPECT_INSN(-EINVAL, INSN(EQ, FIELD, field, 4, 1));
		EXPECT_INSN(-EINVAL, INSN(STREQ, FIELD, field, 8, STRING(0, 4)));
	}
	EXPECT_INSN(-EINVAL, INSN(EQ, FIELD, UINT32_MAX, 8, 1));
	EXPECT_INSN(0, INSN(STREQ, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 4)));
	EXPECT_INSN(0, INSN(GLOB, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(STREQ, FIELD, KTRACE_FIELD_COMM, 8, STRING(0, 4)));
	EXPECT_INSN(-EINVAL, INSN(EQ, FIELD, KTRACE_FIELD_COMM, 16, 1));
	EXPECT_INSN(-EINVAL, INSN(EQ, FIELD, KTRACE_FIELD_COMM, 8, 1));
}

#define JUMP(t, f) INSN(EQ, RECORD, 8, 4, 1, .jt = (t), .jf = (f))

TEST_F(filter, jumps)
{
	struct {
		int error;
		unsigned int nr;
		struct ktrace_filter_insn insns[4];
	} programs[] = {
		{ 0, 1, { JUMP(ACCEPT, REJECT) } },
		{ 0, 1, { JUMP(REJECT, REJECT) } },
		{ -EINVAL, 1, { JUMP(0, ACCEPT) } },		/* jumps to itself */
		{ -EINVAL, 1, { JUMP(1, ACCEPT) } },		/* jumps past the end */
		{ -EINVAL, 1, { JUMP(ACCEPT, 0xfffd) } },
		{ 0, 2, { JUMP(1, REJECT), JUMP(ACCEPT, REJECT) } },
		{ -EINVAL, 2, { JUMP(1, REJECT), JUMP(ACCEPT, 0) } },	/* jumps back */
		{ -EINVAL, 2, { JUMP(1, REJECT), JUMP(ACCEPT, 1) } },
		{ -EINVAL, 2, { JUMP(ACCEPT, REJECT), JUMP(ACCEPT, REJECT) } }, /* unreachable */
		{ 0, 3, { JUMP(1, 2), JUMP(ACCEPT, 2), JUMP(ACCEPT, REJECT) } },
		{ -EINVAL, 3, { JUMP(2, 2), JUMP(2, ACCEPT), JUMP(ACCEPT, REJECT) } },
		{ -EINVAL, 4, { JUMP(1, REJECT), JUMP(ACCEPT, REJECT), JUMP(3, 3),
				JUMP(ACCEPT, REJECT) } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		EXPECT_EQ(programs[i].error,
			  try_program(self, programs[i].insns, programs[i].nr, NULL, 0)) {
			TH_LOG("program %u", i);
		}
}

#define STEP(op, src, offset, width, value, to, ...) \
	INSN(op, src, offset, width, value, .jt = (to), .jf = (to), ##__VA_ARGS__)
#define LOAD8(to)	STEP(LOAD, RECORD, 8, 4, 0, to)

TEST_F(filter, steps)
{
	struct {
		int error;
		unsigned int nr;
		struct ktrace_filter_insn insns[5];
	} programs[] = {
		{ 0, 1, { LOAD8(ACCEPT) } },
		{ 0, 1, { STEP(LOAD, VALUE, 0, 8, 5, ACCEPT) } },
		{ 0, 1, { STEP(LOAD, FIELD, KTRACE_FIELD_TID, 8, 0, ACCEPT) } },
		{ 0, 1, { STEP(LOAD, DATA_LOC, 8, 4, 0, ACCEPT) } },
		{ 0, 1, { STEP(LOAD, RECORD, 8, 4, 0, ACCEPT, .flags = KTRACE_FILTER_SIGNED) } },
		{ -EINVAL, 1, { STEP(LOAD, RECORD, 8, 4, 0, ACCEPT, .flags = 2) } },
		{ -EINVAL, 1, { STEP(LOAD, RECORD, 8, 4, 0, ACCEPT, .reserved = 1) } },
		{ -EINVAL, 1, { STEP(LOAD, RECORD, 8, 4, 1, ACCEPT) } },	/* a value */
		{ -EINVAL, 1, { STEP(LOAD, RECORD, 8, 3, 0, ACCEPT) } },
		{ -EINVAL, 1, { STEP(LOAD, RECORD, 8189, 4, 0, ACCEPT) } },
		{ -EINVAL, 1, { STEP(LOAD, FIELD, KTRACE_FIELD_COMM, 16, 0, ACCEPT) } },
		{ -EINVAL, 1, { STEP(LOAD, VALUE, 0, 4, 5, ACCEPT) } },
		{ -EINVAL, 1, { STEP(LOAD, VALUE, 1, 8, 5, ACCEPT) } },
		{ -EINVAL, 1, { STEP(LOAD, VALUE, 0, 8, 5, ACCEPT, .flags = 1) } },
		{ -EINVAL, 1, { INSN(LOAD, RECORD, 8, 4, 0) } },		/* two ways */
		/* A register that was not set cannot be read. */
		{ -EINVAL, 1, { STEP(LOAD, REGISTER, 0, 8, 0, ACCEPT) } },
		{ -EINVAL, 1, { STEP(ADD, VALUE, 0, 8, 1, ACCEPT) } },
		{ -EINVAL, 1, { INSN(ACC_EQ, VALUE, 0, 8, 1) } },
		{ -EINVAL, 1, { STEP(STORE, REGISTER, 0, 8, 0, ACCEPT) } },
		{ 0, 2, { LOAD8(1), STEP(STORE, REGISTER, 6, 8, 0, ACCEPT) } },
		{ -EINVAL, 2, { LOAD8(1), STEP(STORE, REGISTER, 7, 8, 0, ACCEPT) } },
		{ -EINVAL, 2, { LOAD8(1), STEP(STORE, REGISTER, 0, 4, 0, ACCEPT) } },
		{ -EINVAL, 2, { LOAD8(1), STEP(STORE, RECORD, 8, 4, 0, ACCEPT) } },
		{ -EINVAL, 2, { LOAD8(1), STEP(STORE, VALUE, 0, 8, 0, ACCEPT) } },
		{ 0, 3, { LOAD8(1), STEP(STORE, REGISTER, 3, 8, 0, 2),
			  INSN(ACC_LT, REGISTER, 3, 8, 0) } },
		{ -EINVAL, 3, { LOAD8(1), STEP(STORE, REGISTER, 3, 8, 0, 2),
				INSN(ACC_LT, REGISTER, 2, 8, 0) } },
		/* Nor can one that was set on one path only. */
		{ -EINVAL, 3, { JUMP(1, 2), LOAD8(2), STEP(ADD, VALUE, 0, 8, 1, ACCEPT) } },
		{ 0, 4, { JUMP(1, 2), LOAD8(3), LOAD8(3), STEP(ADD, VALUE, 0, 8, 1, ACCEPT) } },
		{ -EINVAL, 5, { LOAD8(1), JUMP(2, 3), STEP(STORE, REGISTER, 1, 8, 0, 4),
				STEP(STORE, REGISTER, 2, 8, 0, 4),
				STEP(ADD, REGISTER, 1, 8, 0, ACCEPT) } },
		/* Divisions can have no result, and some operations a sign. */
		{ 0, 2, { LOAD8(1), INSN(DIV, VALUE, 0, 8, 0) } },
		{ 0, 2, { LOAD8(1), INSN(MOD, RECORD, 8, 4, 0, .flags = 3) } },
		{ -EINVAL, 2, { LOAD8(1), INSN(MUL, VALUE, 0, 8, 0) } },
		{ -EINVAL, 2, { LOAD8(1), STEP(MUL, VALUE, 0, 8, 3, ACCEPT, .flags = 2) } },
		{ 0, 2, { LOAD8(1), STEP(SHR, VALUE, 0, 8, 99, ACCEPT, .flags = 2) } },
		{ 0, 2, { LOAD8(1), INSN(ACC_GT, RECORD, 8, 2, 0, .flags = 3) } },
		{ -EINVAL, 2, { LOAD8(1), INSN(ACC_EQ, RECORD, 8, 2, 0, .flags = 2) } },
		{ -EINVAL, 2, { LOAD8(1), LOAD8(0) } },				/* jumps back */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		EXPECT_EQ(programs[i].error,
			  try_program(self, programs[i].insns, programs[i].nr, NULL, 0)) {
			TH_LOG("program %u", i);
		}
}

TEST_F(filter, limits)
{
	static struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS + 1];
	static char pool[KTRACE_FILTER_MAX_POOL + 1];
	unsigned int i;

	for (i = 0; i < KTRACE_FILTER_MAX_INSNS; i++)
		insns[i] = JUMP(ACCEPT, i + 1);
	insns[i - 1].jf = REJECT;
	EXPECT_EQ(0, try_program(self, insns, KTRACE_FILTER_MAX_INSNS, NULL, 0));
	insns[i - 1].jf = i;
	insns[i] = JUMP(ACCEPT, REJECT);
	EXPECT_EQ(-EINVAL, try_program(self, insns, KTRACE_FILTER_MAX_INSNS + 1, NULL, 0));
	EXPECT_EQ(-EINVAL, try_program(self, insns, 0, NULL, 0));
	EXPECT_EQ(-EINVAL, try_program(self, insns, UINT32_MAX, NULL, 0));
	insns[0] = JUMP(ACCEPT, REJECT);
	EXPECT_EQ(0, try_program(self, insns, 1, pool, KTRACE_FILTER_MAX_POOL));
	EXPECT_EQ(-EINVAL, try_program(self, insns, 1, pool, KTRACE_FILTER_MAX_POOL + 1));
	EXPECT_EQ(-EFAULT, try_program(self, (void *)16, 1, NULL, 0));
	EXPECT_EQ(-EFAULT, try_program(self, insns, 1, (void *)16, 8));
}

/* A pattern that nearly matches at every position of a path which begins with many slashes. */
static unsigned int costly_pattern(char *pattern, unsigned int len)
{
	memset(pattern, '/', len);
	pattern[0] = pattern[len - 1] = '*';
	pattern[len - 2] = '!';
	return len;
}

/*
 * As many comparisons with @pattern as the kernel accepts at all.  Each of them has to
 * fail.
 */
static unsigned int costly_program(struct ktrace_filter_insn *insns, unsigned int len,
				   const char *pattern)
{
	unsigned int nr = 0;
	__u64 cost = 0;

	insns[0] = INSN(GLOB, DATA_LOC, 8, 4, STRING(0, len));
	do {
		insns[nr] = insns[0];
		insns[nr].jf = nr + 1;
		cost += ktrace_filter_cost(insns, pattern);
		nr++;
	} while (cost + ktrace_filter_cost(insns, pattern) <= KTRACE_FILTER_MAX_COST &&
		 nr < KTRACE_FILTER_MAX_INSNS);
	insns[nr - 1].jf = REJECT;
	return nr;
}

TEST_F(filter, costs)
{
	static struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS];
	char pattern[KTRACE_FILTER_MAX_GLOB];
	unsigned int len = costly_pattern(pattern, 100), nr;
	struct ktrace_filter_insn cheap = INSN(EQ, RECORD, 8, 4, 1);
	struct ktrace_event_add add;
	struct session other;

	nr = costly_program(insns, len, pattern);
	EXPECT_EQ(1, nr);
	insns[0].jf = 1;
	insns[1] = insns[0];
	insns[1].jf = REJECT;
	EXPECT_EQ(-ENOSPC, try_program(self, insns, 2, pattern, len));
	/*
	 * The costs for one event add up, because the tracepoint runs its filters one after
	 * the other.
	 */
	EXPECT_EQ(0, try_program(self, insns + 1, 1, pattern, len));
	EXPECT_EQ(-ENOSPC, try_program(self, insns + 1, 1, pattern, len));
	EXPECT_EQ(0, try_program(self, &cheap, 1, NULL, 0));
	/* The costs for another event do not count here. */
	add = event_add_init(event_id("sched/sched_waking"), self->id++);
	add.filter = (uintptr_t)(insns + 1);
	add.filter_insns = 1;
	add.pool = (uintptr_t)pattern;
	add.pool_bytes = len;
	EXPECT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
	/* An event that is refused leaves nothing behind. */
	EXPECT_EQ(-ENOSPC, try_program(self, insns + 1, 1, pattern, len));
	/* The filters of all sessions for one event run one after the other, too. */
	session_open(_metadata, &other, NULL);
	EXPECT_EQ(-ENOSPC, CALL(other.fd, EVENT_ADD, &add));
	add.config = event_id("sched/sched_wakeup");
	EXPECT_EQ(0, CALL(other.fd, EVENT_ADD, &add));
	add.id = KTRACE_ID_BASE + self->id++;
	EXPECT_EQ(-ENOSPC, CALL(self->s.fd, EVENT_ADD, &add));
	session_close(&other);
	EXPECT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
}

/* Runs the costliest program that the kernel accepts on events that record a long string. */
TEST_F_TIMEOUT(filter, the_costliest_program_runs, 300)
{
	static struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS];
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_process_exec"), 0);
	static char path[3700];
	char pattern[6];
	unsigned int cpu;
	uint64_t filtered = 0;
	pid_t child;

	memset(path, '/', sizeof(path));
	strcpy(path + sizeof(path) - sizeof("bin/true"), "bin/true");
	add.pool_bytes = costly_pattern(pattern, sizeof(pattern));
	add.pool = (uintptr_t)pattern;
	add.filter_insns = costly_program(insns, sizeof(pattern), pattern);
	add.filter = (uintptr_t)insns;
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
	session_start(_metadata, &self->s);
	child = fork();
	if (!child) {
		execl(path, path, NULL);
		_exit(1);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	session_stop(_metadata, &self->s);
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++)
		if (self->s.ring[cpu].data)
			filtered += session_stats(_metadata, &self->s, 0, cpu).filtered;
	EXPECT_LE(1, filtered);
}

/* Random programs do no harm, and accepted ones run. */
TEST_F_TIMEOUT(filter, random_programs, 600)
{
	static struct ktrace_filter_insn insns[8];
	static char pool[64] = "*a[b-d]?e*\\*[!x]";
	unsigned int i, n, accepted = 0;
	unsigned char *bytes = (void *)insns;

	srandom(4711);
	for (n = 0; n < 3000; n++) {
		unsigned int nr = 1 + random() % ARRAY_SIZE(insns);

		for (i = 0; i < sizeof(insns); i++)
			bytes[i] = random();
		for (i = 0; i < nr; i++) {
			/*
			 * Most values are valid, otherwise hardly any program would be
			 * accepted.
			 */
			if (random() % 16)
				insns[i] = (struct ktrace_filter_insn){
					.op = 1 + random() % 6,
					.src = 1 + random() % 4,
					.flags = random() % 8 == 0,
					.jt = random() % 2 ? ACCEPT : i + 1,
					.jf = random() % 2 ? REJECT : i + 1,
					.offset = random() % 64,
					.width = 1 << random() % 5,
					.value = STRING(random() % 32, random() % 33),
				};
			if (i == nr - 1) {
				insns[i].jt = ACCEPT;
				insns[i].jf = REJECT;
			}
		}
		if (!try_program(self, insns, nr, pool, sizeof(pool)))
			accepted++;
	}
	EXPECT_LT(100, accepted);
	EXPECT_GT(3000, accepted);
	session_start(_metadata, &self->s);
	sleep_ms(200);
	session_stop(_metadata, &self->s);
}

/* ---- selected events --------------------------------------------------------- */

#define NR_SEQS 64

struct row {
	const char *name;
	struct ktrace_filter_insn insns[5];	/* instructions with an op */
	const char *pool;
	bool (*accepts)(uint64_t seq);
};

/*
 * All rows are tested at once, each by an event of its own on the same tracepoint.  We fire seq 0
 * to 63, and compare the recorded samples of each event with the expected ones.
 */
static void run_rows(struct __test_metadata *_metadata, FIXTURE_DATA(filter) *self,
		     const char *name, const struct row *rows, unsigned int nr)
{
	uint64_t seen[64] = { 0 }, should, seq;
	const struct sample *sample;
	char event[64], order[64];
	struct ktrace_stats stats;
	struct field field;
	unsigned int i, n;

	ASSERT_LE(nr, ARRAY_SIZE(seen));
	snprintf(event, sizeof(event), "ktrace_test/%s", name);
	field = event_field(_metadata, event, "seq");
	for (i = 0; i < nr; i++) {
		for (n = 1; n < ARRAY_SIZE(rows[i].insns) && rows[i].insns[n].op; n++)
			;
		session_add_filtered(_metadata, &self->s, event, i, rows[i].insns, n,
				     rows[i].pool, rows[i].pool ? strlen(rows[i].pool) : 0);
	}
	snprintf(order, sizeof(order), "%s task %u self 0", name, NR_SEQS);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("%s", order));
	session_stop(_metadata, &self->s);

	while ((sample = (const void *)ring_next(_metadata, self->ring, &self->pos,
						 ring_head(self->ring)))) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, sample->header.type);
		seq = load_number(sample, field);
		ASSERT_LT(seq, NR_SEQS);
		ASSERT_LT(sample->id - KTRACE_ID_BASE, nr);
		seen[sample->id - KTRACE_ID_BASE] |= 1ULL << seq;
	}
	for (i = 0; i < nr; i++) {
		should = 0;
		for (seq = 0; seq < NR_SEQS; seq++)
			should |= (uint64_t)rows[i].accepts(seq) << seq;
		EXPECT_EQ(should, seen[i]) {
			TH_LOG("%s: %s", name, rows[i].name);
		}
		stats = session_stats(_metadata, &self->s, i, self->ring->meta->cpu);
		EXPECT_EQ(__builtin_popcountll(should), stats.recorded);
		EXPECT_EQ(NR_SEQS - __builtin_popcountll(should), stats.filtered);
		ASSERT_EQ(0, stats.out_of_scope + stats_lost(&stats));
	}
}

static bool always(uint64_t seq) { return true; }
static bool never(uint64_t seq) { return false; }
static bool is_7(uint64_t seq) { return seq == 7; }
static bool below_10(uint64_t seq) { return seq < 10; }
static bool from_10(uint64_t seq) { return seq >= 10; }
static bool above_60(uint64_t seq) { return seq > 60; }
static bool is_odd(uint64_t seq) { return seq & 1; }
static bool from_10_to_20(uint64_t seq) { return seq >= 10 && seq <= 20; }
static bool ends(uint64_t seq) { return seq < 10 || seq > 60; }

TEST_F(filter, numbers)
{
	unsigned int at = event_field(_metadata, "ktrace_test/seq", "seq").offset;
	struct row rows[] = {
		{ "seq == 7", { INSN(EQ, RECORD, at, 8, 7) }, NULL, is_7 },
		{ "seq < 10", { INSN(LT, RECORD, at, 8, 10) }, NULL, below_10 },
		{ "seq >= 10", { INSN(LT, RECORD, at, 8, 10, .jt = REJECT, .jf = ACCEPT) },
		  NULL, from_10 },
		{ "seq > 60", { INSN(GT, RECORD, at, 8, 60) }, NULL, above_60 },
		{ "seq & 1", { INSN(BAND, RECORD, at, 8, 1) }, NULL, is_odd },
		{ "seq & 1, one byte", { INSN(BAND, RECORD, at, 1, 1) }, NULL, is_odd },
		{ "seq & 0", { INSN(BAND, RECORD, at, 8, 0) }, NULL, never },
		{ "10 <= seq && seq <= 20",
		  { INSN(LT, RECORD, at, 8, 10, .jt = REJECT, .jf = 1),
		    INSN(GT, RECORD, at, 8, 20, .jt = REJECT, .jf = ACCEPT) },
		  NULL, from_10_to_20 },
		{ "seq < 10 || seq > 60",
		  { INSN(LT, RECORD, at, 8, 10, .jf = 1), INSN(GT, RECORD, at, 8, 60) },
		  NULL, ends },
		/* Bytes beyond the record are zeros. */
		{ "nothing == 0", { INSN(EQ, RECORD, 4000, 8, 0) }, NULL, always },
		{ "nothing != 0", { INSN(GT, RECORD, 4000, 4, 0) }, NULL, never },
		{ "half of it == 0", { INSN(EQ, RECORD, 26, 8, 0) }, NULL, always },
		{ "an array nowhere == 0", { INSN(EQ, DATA_LOC, 4000, 4, 0) }, NULL, always },
		{ "an array nowhere is empty", { INSN(STREQ, REL_LOC, 4000, 4, STRING(0, 0)) },
		  "x", always },
	};

	NEED_KTEST();
	run_rows(_metadata, self, "seq", rows, ARRAY_SIZE(rows));
}

static bool is_7_or_14(uint64_t seq) { return seq == 7 || seq == 14; }
static bool at_least_8(uint64_t seq) { return seq >= 8; }
static bool divides_60(uint64_t seq) { return seq && 60 % seq == 0; }

/* Steps of arithmetic decide as C does, and without a result nothing passes. */
TEST_F(filter, arithmetic)
{
	unsigned int at = event_field(_metadata, "ktrace_test/seq", "seq").offset;
	struct row rows[] = {
		{ "seq * 3 - 1 == 20",
		  { STEP(LOAD, RECORD, at, 8, 0, 1), STEP(MUL, VALUE, 0, 8, 3, 2),
		    STEP(SUB, VALUE, 0, 8, 1, 3), INSN(ACC_EQ, VALUE, 0, 8, 20) }, NULL, is_7 },
		{ "seq - 10 < 0",
		  { STEP(LOAD, RECORD, at, 8, 0, 1), STEP(SUB, VALUE, 0, 8, 10, 2),
		    INSN(ACC_LT, VALUE, 0, 8, 0, .flags = KTRACE_FILTER_SIGNED_OP) },
		  NULL, below_10 },
		{ "seq - 10 < 0, unsigned",
		  { STEP(LOAD, RECORD, at, 8, 0, 1), STEP(SUB, VALUE, 0, 8, 10, 2),
		    INSN(ACC_LT, VALUE, 0, 8, 0) }, NULL, never },
		{ "(seq - 7) * (seq - 14) == 0",
		  { STEP(LOAD, RECORD, at, 8, 0, 1), STEP(SUB, VALUE, 0, 8, 21, 2),
		    STEP(MUL, RECORD, at, 8, 0, 3), STEP(ADD, VALUE, 0, 8, 98, 4),
		    INSN(ACC_EQ, VALUE, 0, 8, 0) }, NULL, is_7_or_14 },
		{ "seq >> 3", { STEP(LOAD, RECORD, at, 8, 0, 1), STEP(SHR, VALUE, 0, 8, 3, 2),
				INSN(ACC_BAND, VALUE, 0, 8, -1) }, NULL, at_least_8 },
		{ "60 % seq == 0", { STEP(LOAD, VALUE, 0, 8, 60, 1),
				     INSN(MOD, RECORD, at, 8, 0, .jt = 2, .jf = REJECT),
				     INSN(ACC_EQ, VALUE, 0, 8, 0) }, NULL, divides_60 },
		{ "seq == (seq with the register)",
		  { STEP(LOAD, RECORD, at, 8, 0, 1), STEP(STORE, REGISTER, 6, 8, 0, 2),
		    STEP(LOAD, FIELD, KTRACE_FIELD_TID, 8, 0, 3), STEP(LOAD, RECORD, at, 1, 0, 4),
		    INSN(ACC_EQ, REGISTER, 6, 8, 0) }, NULL, always },
		{ "prio and nice, by a call", { STEP(LOAD, FIELD, KTRACE_FIELD_NICE, 8, 0, 1),
						STEP(STORE, REGISTER, 0, 8, 0, 2),
						STEP(LOAD, RECORD, at, 8, 0, 3),
						STEP(ADD, REGISTER, 0, 8, 0, 4),
						INSN(ACC_EQ, VALUE, 0, 8, 7) }, NULL, is_7 },
		/* Bytes beyond the record are zeros: the interpreter divides by them. */
		{ "seq / nothing", { STEP(LOAD, RECORD, at, 8, 0, 1),
				     INSN(DIV, RECORD, 4000, 8, 0, .jt = ACCEPT, .jf = REJECT) },
		  NULL, never },
		{ "seq + nothing == 7", { STEP(LOAD, RECORD, at, 8, 0, 1),
					  STEP(ADD, RECORD, 4000, 8, 0, 2),
					  INSN(ACC_EQ, VALUE, 0, 8, 7) }, NULL, is_7 },
	};

	NEED_KTEST();
	run_rows(_metadata, self, "seq", rows, ARRAY_SIZE(rows));
}

#define BITS(seq, k, w) ktest_bits(seq, KTEST_K(k, 0), w)

static bool u8_above_100(uint64_t seq) { return (uint8_t)BITS(seq, 1, 8) > 100; }
static bool s8_above_100(uint64_t seq) { return (int8_t)BITS(seq, 2, 8) > 100; }
static bool s8_below_0(uint64_t seq) { return (int8_t)BITS(seq, 2, 8) < 0; }
static bool u16_below_32768(uint64_t seq) { return (uint16_t)BITS(seq, 3, 16) < 32768; }
static bool s16_below_m1000(uint64_t seq) { return (int16_t)BITS(seq, 4, 16) < -1000; }
static bool u32_is_max(uint64_t seq) { return (uint32_t)BITS(seq, 5, 32) == UINT32_MAX; }
static bool s32_is_m1(uint64_t seq) { return (int32_t)BITS(seq, 6, 32) == -1; }
static bool s32_is_min(uint64_t seq) { return (int32_t)BITS(seq, 6, 32) == INT32_MIN; }
static bool s32_above_0(uint64_t seq) { return (int32_t)BITS(seq, 6, 32) > 0; }
static bool u64_above_half(uint64_t seq) { return BITS(seq, 7, 64) > INT64_MAX; }
static bool u64_has_top(uint64_t seq) { return BITS(seq, 7, 64) >> 63; }
static bool s64_below_0(uint64_t seq) { return (int64_t)BITS(seq, 8, 64) < 0; }
static bool s64_is_max(uint64_t seq) { return (int64_t)BITS(seq, 8, 64) == INT64_MAX; }

TEST_F(filter, widths_and_signs)
{
#define AT(name) event_field(_metadata, "ktrace_test/ints", name).offset
#define SIGNED .flags = KTRACE_FILTER_SIGNED
	struct row rows[] = {
		{ "u8 > 100", { INSN(GT, RECORD, AT("f_u8"), 1, 100) }, NULL, u8_above_100 },
		{ "s8 > 100", { INSN(GT, RECORD, AT("f_s8"), 1, 100, SIGNED) }, NULL, s8_above_100 },
		{ "s8 < 0", { INSN(LT, RECORD, AT("f_s8"), 1, 0, SIGNED) }, NULL, s8_below_0 },
		{ "u16 < 32768", { INSN(LT, RECORD, AT("f_u16"), 2, 32768) },
		  NULL, u16_below_32768 },
		{ "s16 < -1000", { INSN(LT, RECORD, AT("f_s16"), 2, -1000, SIGNED) },
		  NULL, s16_below_m1000 },
		{ "u32 == max", { INSN(EQ, RECORD, AT("f_u32"), 4, UINT32_MAX) },
		  NULL, u32_is_max },
		{ "s32 == -1", { INSN(EQ, RECORD, AT("f_s32"), 4, -1, SIGNED) }, NULL, s32_is_m1 },
		{ "s32 == min", { INSN(EQ, RECORD, AT("f_s32"), 4, INT32_MIN, SIGNED) },
		  NULL, s32_is_min },
		{ "s32 > 0", { INSN(GT, RECORD, AT("f_s32"), 4, 0, SIGNED) }, NULL, s32_above_0 },
		{ "u64 > half", { INSN(GT, RECORD, AT("f_u64"), 8, INT64_MAX) },
		  NULL, u64_above_half },
		{ "u64 & top", { INSN(BAND, RECORD, AT("f_u64"), 8, 1ULL << 63) },
		  NULL, u64_has_top },
		{ "s64 < 0", { INSN(LT, RECORD, AT("f_s64"), 8, 0, SIGNED) }, NULL, s64_below_0 },
		{ "s64 == max", { INSN(EQ, RECORD, AT("f_s64"), 8, INT64_MAX, SIGNED) },
		  NULL, s64_is_max },
	};

	NEED_KTEST();
	run_rows(_metadata, self, "ints", rows, ARRAY_SIZE(rows));
}

static const char text[] = KTEST_TEXT;

/* The last seq % (length + 1) bytes of the text. */
static const char *tail(uint64_t seq)
{
	return text + strlen(text) - seq % (strlen(text) + 1);
}

static bool has_tail(uint64_t seq, const char *want) { return !strcmp(tail(seq), want); }
static bool tail_is_dog(uint64_t seq) { return has_tail(seq, "dog"); }
static bool tail_is_empty(uint64_t seq) { return has_tail(seq, ""); }
static bool tail_is_all(uint64_t seq) { return has_tail(seq, KTEST_TEXT); }
static bool tail_has_jumps(uint64_t seq) { return strstr(tail(seq), "jumps"); }
static bool tail_is_3_long(uint64_t seq) { return strlen(tail(seq)) == 3; }
static bool tail_ends_in_dog(uint64_t seq) { return strlen(tail(seq)) >= 3; }
static bool tail_begins_in_class(uint64_t seq)
{
	return *tail(seq) >= 'a' && *tail(seq) <= 'f';
}
static bool tail_begins_outside_class(uint64_t seq)
{
	return *tail(seq) && !tail_begins_in_class(seq);
}
static bool tail_is_not_empty(uint64_t seq) { return *tail(seq); }

#define DYN(op, len) INSN(op, DATA_LOC, at, 4, STRING(0, len))

TEST_F(filter, dynamic_strings)
{
	unsigned int at = event_field(_metadata, "ktrace_test/strings", "text").offset;
	struct row rows[] = {
		{ "== dog", { DYN(STREQ, 3) }, "dog", tail_is_dog },
		{ "== ''", { DYN(STREQ, 0) }, "x", tail_is_empty },
		{ "== all of it", { DYN(STREQ, sizeof(text) - 1) }, text, tail_is_all },
		{ "== dog and more", { DYN(STREQ, 4) }, "dogs", never },
		{ "~ dog", { DYN(GLOB, 3) }, "dog", tail_is_dog },
		{ "~ *", { DYN(GLOB, 1) }, "*", always },
		{ "~ ''", { DYN(GLOB, 0) }, "x", tail_is_empty },
		{ "~ ?*", { DYN(GLOB, 2) }, "?*", tail_is_not_empty },
		{ "~ *jumps*", { DYN(GLOB, 7) }, "*jumps*", tail_has_jumps },
		{ "~ *j*u*m*p*s*", { DYN(GLOB, 11) }, "*j*u*m*p*s*", tail_has_jumps },
		{ "~ ???", { DYN(GLOB, 3) }, "???", tail_is_3_long },
		{ "~ *dog", { DYN(GLOB, 4) }, "*dog", tail_ends_in_dog },
		{ "~ ***dog", { DYN(GLOB, 6) }, "***dog", tail_ends_in_dog },
		{ "~ *d?g", { DYN(GLOB, 4) }, "*d?g", tail_ends_in_dog },
		{ "~ *[a-f]og", { DYN(GLOB, 8) }, "*[a-f]og", tail_ends_in_dog },
		{ "~ *[!a-c]og", { DYN(GLOB, 9) }, "*[!a-c]og", tail_ends_in_dog },
		{ "~ *[!d]og", { DYN(GLOB, 7) }, "*[!d]og", never },
		{ "~ [a-f]*", { DYN(GLOB, 6) }, "[a-f]*", tail_begins_in_class },
		{ "~ [!a-f]*", { DYN(GLOB, 7) }, "[!a-f]*", tail_begins_outside_class },
		{ "~ *\\d\\o\\g", { DYN(GLOB, 7) }, "*\\d\\o\\g", tail_ends_in_dog },
		{ "~ *[dog (no end)", { DYN(GLOB, 5) }, "*[dog", never },
		{ "~ dog\\ (nothing quoted)", { DYN(GLOB, 4) }, "dog\\", tail_is_dog },
		/*
		 * The first bytes as a number.  Bytes beyond the end of the string are
		 * zeros.
		 */
		{ "'dog\\0' as a number",
		  { INSN(EQ, DATA_LOC, at, 4, 'd' | 'o' << 8 | 'g' << 16) }, NULL, tail_is_dog },
		{ "'dog\\0\\0..' as a number",
		  { INSN(EQ, DATA_LOC, at, 8, 'd' | 'o' << 8 | 'g' << 16) }, NULL, tail_is_dog },
	};

	NEED_KTEST();
	run_rows(_metadata, self, "strings", rows, ARRAY_SIZE(rows));
}

TEST_F(filter, relative_strings)
{
	unsigned int at = event_field(_metadata, "ktrace_test/rel", "text").offset;
	struct row rows[] = {
		{ "== dog", { INSN(STREQ, REL_LOC, at, 4, STRING(0, 3)) }, "dog", tail_is_dog },
		{ "== ''", { INSN(STREQ, REL_LOC, at, 4, STRING(0, 0)) }, "x", tail_is_empty },
		{ "~ *jumps*", { INSN(GLOB, REL_LOC, at, 4, STRING(0, 7)) }, "*jumps*",
		  tail_has_jumps },
	};

	NEED_KTEST();
	run_rows(_metadata, self, "rel", rows, ARRAY_SIZE(rows));
}

static const char words[KTEST_WORDS][KTEST_WORD_SIZE] = KTEST_WORD_LIST;

static bool word_is_word(uint64_t seq) { return !strcmp(words[seq % KTEST_WORDS], "word"); }
static bool word_has_a(uint64_t seq) { return strchr(words[seq % KTEST_WORDS], 'a'); }
static bool word_is_full(uint64_t seq) { return strlen(words[seq % KTEST_WORDS]) == 15; }
static bool word_has_backslash(uint64_t seq) { return strchr(words[seq % KTEST_WORDS], '\\'); }
static bool word_is_umlaut(uint64_t seq)
{
	return !strcmp(words[seq % KTEST_WORDS], "Gr\xc3\xb6\xc3\x9f""e");
}

TEST_F(filter, fixed_strings)
{
	struct field name = event_field(_metadata, "ktrace_test/arrays", "f_name");
#define FIXED(op, len) INSN(op, RECORD, name.offset, name.size, STRING(0, len))
	struct row rows[] = {
		{ "== word", { FIXED(STREQ, 4) }, "word", word_is_word },
		{ "~ w?rd", { FIXED(GLOB, 4) }, "w?rd", word_is_word },
		{ "~ *a*", { FIXED(GLOB, 3) }, "*a*", word_has_a },
		{ "~ 15 of them", { FIXED(GLOB, 15) }, "???????????????", word_is_full },
		{ "== fifteen letters", { FIXED(STREQ, 15) }, "fifteen letters", word_is_full },
		{ "~ *\\\\*", { FIXED(GLOB, 4) }, "*\\\\*", word_has_backslash },
		{ "== Groesse", { FIXED(STREQ, 7) }, "Gr\xc3\xb6\xc3\x9f""e", word_is_umlaut },
	};

	NEED_KTEST();
	run_rows(_metadata, self, "arrays", rows, ARRAY_SIZE(rows));
}

/* Without a NUL, the string ends where the array does. */
static bool tight_begins_with_a(uint64_t seq) { return 65 + BITS(seq, 2, 8) % 26 == 'A'; }
static bool tight_ends_with_m_or_less(uint64_t seq)
{
	return 65 + ktest_bits(seq, KTEST_K(2, 7), 8) % 26 <= 'M';
}

TEST_F(filter, strings_without_end)
{
	struct field tight = event_field(_metadata, "ktrace_test/strings", "tight");
#define TIGHT(op, len) INSN(op, RECORD, tight.offset, tight.size, STRING(0, len))
	struct row rows[] = {
		{ "~ A*", { TIGHT(GLOB, 2) }, "A*", tight_begins_with_a },
		{ "~ *[A-M]", { TIGHT(GLOB, 6) }, "*[A-M]", tight_ends_with_m_or_less },
		{ "~ eight", { TIGHT(GLOB, 8) }, "????????", always },
		{ "~ nine", { TIGHT(GLOB, 9) }, "?????????", never },
		{ "~ seven", { TIGHT(GLOB, 7) }, "???????", never },
		{ "~ eight and a star", { TIGHT(GLOB, 9) }, "????????*", always },
	};

	NEED_KTEST();
	ASSERT_EQ(8, tight.size);
	run_rows(_metadata, self, "strings", rows, ARRAY_SIZE(rows));
}

TEST_F(filter, common_fields)
{
	struct row rows[] = {
		{ "tid == me", { INSN(EQ, FIELD, KTRACE_FIELD_TID, 8, getpid()) }, NULL, always },
		{ "tid == another", { INSN(EQ, FIELD, KTRACE_FIELD_TID, 8, 1) }, NULL, never },
		{ "tgid == me", { INSN(EQ, FIELD, KTRACE_FIELD_TGID, 8, getpid()) }, NULL, always },
		{ "ppid", { INSN(EQ, FIELD, KTRACE_FIELD_PPID, 8, getppid()) }, NULL, always },
		{ "uid == 0", { INSN(EQ, FIELD, KTRACE_FIELD_UID, 8, 0) }, NULL, always },
		{ "uid > 0", { INSN(GT, FIELD, KTRACE_FIELD_UID, 8, 0) }, NULL, never },
		{ "cpu", { INSN(EQ, FIELD, KTRACE_FIELD_CPU, 8, self->ring->meta->cpu) },
		  NULL, always },
		{ "context & any irq", { INSN(BAND, FIELD, KTRACE_FIELD_CONTEXT, 8, 7) },
		  NULL, never },
		{ "started before now", { INSN(GT, FIELD, KTRACE_FIELD_START_TIME, 8, 0) },
		  NULL, always },
		{ "cgroup", { INSN(GT, FIELD, KTRACE_FIELD_CGROUP, 8, 0) }, NULL, always },
		{ "comm ==", { INSN(STREQ, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 15)) },
		  "filter selftest", always },
		{ "comm == too short", { INSN(STREQ, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 14)) },
		  "filter selftest", never },
		{ "comm ~", { INSN(GLOB, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 6)) },
		  "*self*", always },
		{ "comm ~ how it begins", { INSN(GLOB, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 8)) },
		  "filter *", always },
		{ "comm ~ how it does not", { INSN(GLOB, FIELD, KTRACE_FIELD_COMM, 16, STRING(0, 8)) },
		  "filters*", never },
		{ "comm ~ all of it and more", { INSN(GLOB, FIELD, KTRACE_FIELD_COMM, 16,
						      STRING(0, 16)) },
		  "filter selftest*", always },
	};

	NEED_KTEST();
	ASSERT_EQ(0, prctl(PR_SET_NAME, "filter selftest"));
	run_rows(_metadata, self, "seq", rows, ARRAY_SIZE(rows));
}

TEST_HARNESS_MAIN
