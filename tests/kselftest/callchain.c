// SPDX-License-Identifier: GPL-2.0
/*
 * The frames of user space in call chains: they are the addresses that the program's
 * functions return to, and those that perf finds.  Where return addresses are signed (pointer
 * authentication), they are without their signature.  The frames of the kernel, where chains
 * come again and again, are followed instead of unwound, and are the same.
 */
#include "selftest.h"

#define EVENT	"syscalls/sys_enter_getpgid"
#define ALONE	__attribute__((noinline, noclone))

/* Where the functions below return to, the innermost first. */
static uint64_t returns[3];
/* Return addresses on the stack carry a signature. */
static bool is_signed;

ALONE static void call_innermost(void)
{
	const uint64_t *frame = __builtin_frame_address(0);

	returns[0] = (uintptr_t)__builtin_return_address(0);
	is_signed = frame[1] != returns[0];
	syscall(SYS_getpgid, 0);
	/* Nothing is a jump that ought to be a call. */
	asm volatile("" : : : "memory");
}

ALONE static void call_middle(void)
{
	returns[1] = (uintptr_t)__builtin_return_address(0);
	call_innermost();
	asm volatile("" : : : "memory");
}

ALONE static void call_outermost(void)
{
	returns[2] = (uintptr_t)__builtin_return_address(0);
	call_middle();
	asm volatile("" : : : "memory");
}

FIXTURE(callchain) {
	struct session s;
	struct perf perf;
	unsigned int cpu;
};

/* Makes one event fire, which the session and perf both record. */
FIXTURE_SETUP(callchain)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
	struct ktrace_event_add add = event_add_init(event_id(EVENT), 0);
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	pin_to(_metadata, self->cpu);
	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, event_add(self->s.fd, EVENT, &add));
	perf_open_as(_metadata, &self->perf, event_id(EVENT), 0, self->cpu, add.sample_type);
	session_start(_metadata, &self->s);
	call_outermost();
	session_stop(_metadata, &self->s);
}

FIXTURE_TEARDOWN(callchain)
{
	perf_close(&self->perf);
	session_close(&self->s);
}

struct chain {
	uint64_t nr;
	const uint64_t *ips;
};

/* The part of a sample's call chain that is of user space. */
static struct chain user_part(struct __test_metadata *_metadata, const struct sample *sample)
{
	/* The chain is where the size of raw would be. */
	const uint64_t *nr = (const void *)&sample->raw_size;
	struct chain chain = { *nr, nr + 1 };

	while (chain.nr && *chain.ips != PERF_CONTEXT_USER) {
		chain.nr--;
		chain.ips++;
	}
	ASSERT_LT(1, chain.nr);
	return (struct chain){ chain.nr - 1, chain.ips + 1 };
}

static struct chain recorded_chain(struct __test_metadata *_metadata, FIXTURE_DATA(callchain) *self)
{
	const struct ring *ring = &self->s.ring[self->cpu];
	uint64_t pos = 0;
	const void *sample = ring_next(_metadata, ring, &pos, ring_head(ring));

	ASSERT_NE(NULL, sample);
	return user_part(_metadata, sample);
}

static void log_chain(struct __test_metadata *_metadata, struct chain chain)
{
	uint64_t i;

	for (i = 0; i < chain.nr; i++)
		TH_LOG("frame %llu is %llx", (unsigned long long)i,
		       (unsigned long long)chain.ips[i]);
}

TEST_F(callchain, user_frames_are_where_functions_return_to)
{
	struct chain chain = recorded_chain(_metadata, self);
	uint64_t i = 0;

	while (i < chain.nr && chain.ips[i] != returns[0])
		i++;
	EXPECT_LE(i + ARRAY_SIZE(returns), chain.nr) {
		TH_LOG("%llx is not among the frames, or too few come after it",
		       (unsigned long long)returns[0]);
		log_chain(_metadata, chain);
	}
	if (i + ARRAY_SIZE(returns) > chain.nr)
		return;
	EXPECT_EQ(returns[1], chain.ips[i + 1]);
	EXPECT_EQ(returns[2], chain.ips[i + 2]);
}

TEST_F(callchain, user_frames_are_those_of_perf)
{
	struct chain ours = recorded_chain(_metadata, self), theirs;
	const struct sample *sample = perf_next(_metadata, &self->perf);

	ASSERT_NE(NULL, sample);
	theirs = user_part(_metadata, sample);
	EXPECT_TRUE(ours.nr == theirs.nr &&
		    !memcmp(ours.ips, theirs.ips, ours.nr * sizeof(*ours.ips))) {
		TH_LOG("ours:");
		log_chain(_metadata, ours);
		TH_LOG("those of perf:");
		log_chain(_metadata, theirs);
	}
}

/* Where this is skipped, the others do not show that signatures are removed. */
TEST_F(callchain, return_addresses_carry_signatures)
{
	if (!is_signed)
		SKIP(return, "this processor or this program signs no return addresses");
}

#define PARAMETER	"/sys/module/ktrace/parameters/callchain_"

struct counts {
	unsigned long followed, unwound, checked;
};

static struct counts read_counts(struct __test_metadata *_metadata)
{
	struct counts counts = { 0 };
	FILE *file = fopen(PARAMETER "counts", "r");

	ASSERT_NE(NULL, file);
	ASSERT_EQ(3, fscanf(file, "followed %lu unwound %lu checked %lu", &counts.followed,
			    &counts.unwound, &counts.checked));
	fclose(file);
	return counts;
}

/* If a chain that was followed is not the one that is unwound, the kernel complains. */
TEST(chains_that_come_again_are_followed)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
	struct ktrace_event_add add = event_add_init(event_id("raw_syscalls/sys_enter"), 0);
	struct ktrace_setup setup = SETUP_INIT;
	struct counts before, after;
	unsigned int i, cpus[2];
	struct session s;
	int check;

	check = open(PARAMETER "check", O_WRONLY);
	if (check < 0)
		SKIP(return, "there is no cache of call chains on this machine");
	ASSERT_EQ(1, write(check, "1", 1));
	close(check);
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 256;
	session_open(_metadata, &s, &setup);
	two_cpus(&s, cpus);
	pin_to(_metadata, cpus[0]);
	ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, event_add(s.fd, "raw_syscalls/sys_enter", &add));
	before = read_counts(_metadata);
	session_start(_metadata, &s);
	for (i = 0; i < 1000; i++)
		syscall(SYS_getpgid, 0);
	session_stop(_metadata, &s);
	after = read_counts(_metadata);
	session_close(&s);
	EXPECT_LE(1000, after.followed + after.unwound - before.followed - before.unwound);
	EXPECT_LE(800, after.followed - before.followed);
	EXPECT_LE(800, after.checked - before.checked);
}

TEST_HARNESS_MAIN
