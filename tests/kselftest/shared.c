// SPDX-License-Identifier: GPL-2.0
/* The same event in several sessions at once, which share the work where they can. */
#include <stddef.h>

#include "selftest.h"

#define EVENT "ktrace_test/seq"
#define CONTEXTS 8	/* more than the test module has */
#define FIELDS (1ULL << KTRACE_FIELD_COMM | 1ULL << KTRACE_FIELD_SEQ)

/* Each session records the event in its own way; plain ones are between the other kinds. */
enum kind {
	PLAIN, AGAIN, WITH_FIELDS, ODD, BEHIND, BY_CLOCK, BEHIND_CLOCK, OVERWRITING, TINY, NR
};

FIXTURE(shared) {
	struct session s[NR];
	unsigned int cpu;
	struct field seq, ctx;
};

FIXTURE_SETUP(shared)
{
	unsigned int i, cpus[2];

	NEED_KTEST();
	for (i = 0; i < NR; i++) {
		struct ktrace_setup setup = SETUP_INIT;

		setup.flags = KTRACE_SETUP_TRACE_SELF;
		if (i == OVERWRITING)
			setup.flags |= KTRACE_SETUP_OVERWRITE;
		setup.pages = i == OVERWRITING || i == TINY ? 4 : 1024;
		setup.clockid = i == BY_CLOCK ? CLOCK_MONOTONIC : KTRACE_CLOCK_PERF;
		session_open(_metadata, &self->s[i], &setup);
	}
	two_cpus(&self->s[0], cpus);
	self->cpu = cpus[0];
	self->seq = event_field(_metadata, EVENT, "seq");
	self->ctx = event_field(_metadata, EVENT, "ctx");
	/* Numbers begin at 0. */
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(shared)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		session_close(&self->s[i]);
}

static void start_all(struct __test_metadata *_metadata, FIXTURE_DATA(shared) *self)
{
	const struct ktrace_filter_insn odd = {
		.op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		.offset = self->seq.offset, .width = self->seq.size, .value = 1,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
	};
	unsigned int i;

	for (i = 0; i < NR; i++) {
		if (i == ODD)
			session_add_filtered(_metadata, &self->s[i], EVENT, i, &odd, 1, "", 0);
		else
			session_add(_metadata, &self->s[i], EVENT, i,
				    i == WITH_FIELDS ? FIELDS : 0);
	}
	for (i = 0; i < NR; i++)
		session_start(_metadata, &self->s[i]);
}

static void stop_all(struct __test_metadata *_metadata, FIXTURE_DATA(shared) *self)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		session_stop(_metadata, &self->s[i]);
}

/* The ledgers of all sessions together hold each firing in each session. */
static void expect_balance(struct __test_metadata *_metadata, FIXTURE_DATA(shared) *self,
			   uint64_t fired, bool nested)
{
	unsigned int i;

	for (i = 0; i < NR; i++) {
		struct ktrace_stats stats = session_stats(_metadata, &self->s[i], 0, self->cpu);

		EXPECT_EQ(fired, stats.recorded + stats.filtered + stats_lost(&stats)) {
			TH_LOG("session %u", i);
		}
		EXPECT_EQ(i == ODD ? fired / 2 : 0, stats.filtered);
		/*
		 * Nothing is overwritten behind a record that is being written.  While a firing
		 * of thousands interrupts it, the small ring is full.
		 */
		if (i != TINY && !(nested && i == OVERWRITING))
			EXPECT_EQ(0, stats_lost(&stats)) {
				TH_LOG("session %u, full %llu, nested %llu", i,
				       (unsigned long long)stats.lost[KTRACE_LOST_FULL],
				       (unsigned long long)stats.lost[KTRACE_LOST_NESTED]);
			}
	}
	EXPECT_LT(0, session_stats(_metadata, &self->s[TINY], 0,
				   self->cpu).lost[KTRACE_LOST_FULL]);
}

/* Session @i has exactly the records of each context that it is to have, in their order. */
static uint64_t expect_all(struct __test_metadata *_metadata, FIXTURE_DATA(shared) *self,
			   unsigned int i)
{
	struct ring *ring = &self->s[i].ring[self->cpu];
	uint64_t pos = 0, last = 0, nr = 0, next[CONTEXTS] = { 0 };
	const struct sample *sample;
	unsigned int ctx;

	while ((sample = (const void *)ring_next(_metadata, ring, &pos, ring_head(ring)))) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, sample->header.type);
		ASSERT_EQ(KTRACE_ID_BASE + i, sample->id);
		ASSERT_EQ(self->cpu, sample->cpu);
		ASSERT_EQ(1, sample->period);
		ASSERT_LE(last, sample->time);
		last = sample->time;
		ctx = load_number(sample, self->ctx);
		ASSERT_GT(CONTEXTS, ctx);
		next[ctx] |= i == ODD;
		ASSERT_EQ(next[ctx], load_number(sample, self->seq)) {
			TH_LOG("session %u, context %u", i, ctx);
		}
		next[ctx]++;
		if (i == WITH_FIELDS)
			ASSERT_EQ(nr, trailer_u64(sample, FIELDS, KTRACE_FIELD_SEQ));
		nr++;
	}
	EXPECT_EQ(nr, session_stats(_metadata, &self->s[i], 0, self->cpu).recorded);
	return nr;
}

static void expect_all_but_short_ones(struct __test_metadata *_metadata,
				      FIXTURE_DATA(shared) *self)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		if (i != OVERWRITING && i != TINY)
			expect_all(_metadata, self, i);
}

TEST_F_TIMEOUT(shared, each_holds_all, 300)
{
	start_all(_metadata, self);
	ASSERT_EQ(0, fire("seq task 2000 %u", self->cpu));
	stop_all(_metadata, self);
	expect_balance(_metadata, self, 2000, false);
	expect_all_but_short_ones(_metadata, self);
}

TEST_F_TIMEOUT(shared, nested_contexts, 600)
{
	struct background firings[] = {
		{ "task", 10000 }, { "softirq", 4000 }, { "hardirq", 4000 }, { "nmi", 200 },
	};
	uint64_t fired = 0;
	unsigned int i, running = 1;

	start_all(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(firings); i++) {
		snprintf(firings[i].cpu, sizeof(firings[i].cpu), "%u", self->cpu);
		fire_in_background(_metadata, &firings[i]);
	}
	while (running) {
		sleep_ms(1);
		for (i = running = 0; i < ARRAY_SIZE(firings); i++)
			running += is_firing(&firings[i]);
	}
	stop_all(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		fired += firings[i].err ? 0 : firings[i].count;
	expect_balance(_metadata, self, fired, true);
	expect_all_but_short_ones(_metadata, self);
}

/* A session that goes on has each firing once, while other sessions come and go. */
TEST_F_TIMEOUT(shared, sessions_come_and_go, 600)
{
	struct background task = { "task", 30000 };
	struct session *staying = &self->s[AGAIN];
	unsigned int rounds = 0;

	session_add(_metadata, &self->s[PLAIN], EVENT, PLAIN, 0);
	session_add(_metadata, staying, EVENT, AGAIN, 0);
	session_add(_metadata, &self->s[BEHIND], EVENT, BEHIND, 0);
	session_start(_metadata, &self->s[PLAIN]);
	session_start(_metadata, staying);
	snprintf(task.cpu, sizeof(task.cpu), "%u", self->cpu);
	fire_in_background(_metadata, &task);
	for (; is_firing(&task); rounds++) {
		/* One joins at the end, and the first one leaves: then `staying` is the first. */
		session_start(_metadata, &self->s[BEHIND]);
		session_stop(_metadata, &self->s[PLAIN]);
		session_start(_metadata, &self->s[PLAIN]);
		session_stop(_metadata, &self->s[BEHIND]);
	}
	EXPECT_EQ(0, task.err);
	EXPECT_LT(0, rounds);
	session_stop(_metadata, staying);
	EXPECT_EQ(30000, expect_all(_metadata, self, AGAIN));
	EXPECT_EQ(0, session_stats(_metadata, staying, 0, self->cpu).filtered);
}

/*
 * The test module fires where tasks may not migrate, which is no usual context.  System calls are
 * made in a usual one, where a template copies.  A child makes them, and the sessions record only
 * it.
 */
#define CALLS "raw_syscalls/sys_enter"

struct caller {
	pid_t pid;
	int go;
};

static void caller_start(struct __test_metadata *_metadata, FIXTURE_DATA(shared) *self,
			 struct caller *caller, unsigned long nr)
{
	struct ktrace_task_add add = { .size = sizeof(add) };
	enum kind kinds[] = { PLAIN, AGAIN, BEHIND };
	int fds[2];
	unsigned int i;
	char byte;

	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	caller->go = fds[1];
	caller->pid = fork();
	ASSERT_GE(caller->pid, 0);
	if (!caller->pid) {
		unsigned long n;

		pin_to(_metadata, self->cpu);
		if (read(fds[0], &byte, 1) != 1)
			_exit(1);
		for (n = 0; n < nr; n++)
			syscall(SYS_getppid, n);
		_exit(0);
	}
	close(fds[0]);
	add.pid = caller->pid;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		session_add(_metadata, &self->s[kinds[i]], CALLS, kinds[i], 0);
		ASSERT_EQ(0, CALL(self->s[kinds[i]].fd, TASK_ADD, &add));
	}
}

static void caller_go(struct __test_metadata *_metadata, struct caller *caller)
{
	ASSERT_EQ(0, wait_until_asleep(caller->pid));
	ASSERT_EQ(1, write(caller->go, "g", 1));
}

/* The next of its calls in a session; NULL: there is none. */
static const struct sample *next_call(struct __test_metadata *_metadata, struct ring *ring,
				      uint64_t *pos, struct field id)
{
	const struct sample *sample;

	while ((sample = (const void *)ring_next(_metadata, ring, pos, ring_head(ring)))) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, sample->header.type);
		if (load_number(sample, id) == SYS_getppid)
			return sample;
	}
	return NULL;
}

/* All calls of the child, once each, with the bytes of the first session except for the id. */
TEST_F_TIMEOUT(shared, calls_are_copied, 300)
{
	enum { CALLS_NR = 5000 };
	struct ring *rings[2] = { &self->s[PLAIN].ring[self->cpu],
				  &self->s[BEHIND].ring[self->cpu] };
	const unsigned int at = offsetof(struct sample, raw_size);
	/* The offset of common_flags: behind the size, and behind the 16 bits of the type. */
	const unsigned int flags = at + sizeof(uint32_t) + sizeof(uint16_t);
	uint64_t pos[2] = { 0 }, last = 0, n, same_times = 0;
	struct field id = event_field(_metadata, CALLS, "id");
	struct field args = event_field(_metadata, CALLS, "args");
	const struct sample *one, *other;
	struct caller caller;
	char copy[512];
	int status;

	args.size = sizeof(long);
	caller_start(_metadata, self, &caller, CALLS_NR);
	session_start(_metadata, &self->s[PLAIN]);
	session_start(_metadata, &self->s[AGAIN]);
	session_start(_metadata, &self->s[BEHIND]);
	caller_go(_metadata, &caller);
	ASSERT_EQ(caller.pid, waitpid(caller.pid, &status, 0));
	ASSERT_EQ(0, status);
	close(caller.go);
	for (n = 0; (one = next_call(_metadata, rings[0], &pos[0], id)); n++) {
		other = next_call(_metadata, rings[1], &pos[1], id);
		ASSERT_NE(NULL, other);
		ASSERT_EQ(n, load_number(one, args));
		ASSERT_EQ(KTRACE_ID_BASE + PLAIN, one->id);
		ASSERT_EQ(KTRACE_ID_BASE + BEHIND, other->id);
		ASSERT_EQ(one->header.size, other->header.size);
		ASSERT_GE(sizeof(copy), other->header.size);
		ASSERT_EQ(one->header.misc, other->header.misc);
		ASSERT_EQ(one->ip, other->ip);
		ASSERT_EQ(caller.pid, other->tid);
		ASSERT_EQ(self->cpu, other->cpu);
		ASSERT_EQ(1, other->period);
		ASSERT_LE(last, other->time);
		last = other->time;
		same_times += one->time == other->time;
		memcpy(copy, other, other->header.size);
		/* An interrupt of the probe may mark the task for rescheduling. */
		if (one->time != other->time)
			copy[flags] = ((const char *)one)[flags];
		ASSERT_EQ(0, memcmp((char *)one + at, copy + at, one->header.size - at));
	}
	EXPECT_EQ(CALLS_NR, n);
	EXPECT_EQ(NULL, next_call(_metadata, rings[1], &pos[1], id));
	/* The clock is read once, unless something interrupts the probe. */
	if (wants_templates())
		EXPECT_LT(CALLS_NR / 10 * 9, same_times);
}

/* The same while other sessions come and go: first, last, and alone. */
TEST_F_TIMEOUT(shared, calls_while_sessions_come_and_go, 600)
{
	enum { CALLS_NR = 30000 };
	struct session *staying = &self->s[AGAIN];
	struct ring *ring = &staying->ring[self->cpu];
	struct field id = event_field(_metadata, CALLS, "id");
	struct field args = event_field(_metadata, CALLS, "args");
	unsigned int rounds = 0, cpus[2];
	const struct sample *sample;
	struct caller caller;
	uint64_t pos = 0, n;
	int status;

	args.size = sizeof(long);
	two_cpus(staying, cpus);
	pin_to(_metadata, cpus[1]);
	caller_start(_metadata, self, &caller, CALLS_NR);
	session_start(_metadata, &self->s[PLAIN]);
	session_start(_metadata, staying);
	caller_go(_metadata, &caller);
	for (; !waitpid(caller.pid, &status, WNOHANG); rounds++) {
		session_start(_metadata, &self->s[BEHIND]);
		session_stop(_metadata, &self->s[PLAIN]);
		session_start(_metadata, &self->s[PLAIN]);
		session_stop(_metadata, &self->s[BEHIND]);
	}
	ASSERT_EQ(0, status);
	close(caller.go);
	EXPECT_LT(0, rounds);
	for (n = 0; (sample = next_call(_metadata, ring, &pos, id)); n++)
		ASSERT_EQ(n, load_number(sample, args));
	EXPECT_EQ(CALLS_NR, n);
}

TEST_HARNESS_MAIN
