// SPDX-License-Identifier: GPL-2.0
/*
 * Machines that judge the events of the test module while they fire.  Each planted fault is found
 * once.  Where firings were missed, nothing is found.  If two CPUs race for one key, the recording
 * decides which verdicts are true.
 */
#include <linux/capability.h>
#include <poll.h>

#include "selftest.h"
#include "slow_memory.h"

/* The most rows of each kind in the tests' machines. */
enum { MAX = 8 };

struct machine {
	struct ktrace_machine head;
	struct ktrace_machine_state states[MAX];
	struct ktrace_machine_source sources[MAX];
	struct ktrace_machine_transition transitions[MAX];
	struct ktrace_machine_filter filters[MAX];
	struct ktrace_filter_insn insns[MAX];
};

FIXTURE(machine) {
	struct session s;
	struct field seq, ctx;
	unsigned int cpus[2];
	unsigned int seqs, told;	/* indexes */
};

static void session_with(struct __test_metadata *_metadata, struct session *s, unsigned int pages,
			 unsigned int flags)
{
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_HOTPLUG | flags;
	setup.pages = pages;
	session_open(_metadata, s, &setup);
}

static void session_of(struct __test_metadata *_metadata, struct session *s, unsigned int pages)
{
	session_with(_metadata, s, pages, 0);
}

/* An event for violations, whose samples have the common_type 9. */
static unsigned int add_told(struct __test_metadata *_metadata, struct session *s, uint64_t id)
{
	struct ktrace_event_add add = event_add_init(9, id);

	add.flags = KTRACE_EVENT_VIOLATION;
	add.path = KTRACE_PATH_AUTO;
	ASSERT_EQ(0, CALL(s->fd, EVENT_ADD, &add));
	EXPECT_EQ(KTRACE_PATH_MACHINE, add.path);
	return add.index;
}

FIXTURE_SETUP(machine)
{
	struct ktrace_event_info info = { .size = sizeof(info) };

	NEED_KTEST();
	session_of(_metadata, &self->s, 512);
	two_cpus(&self->s, self->cpus);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	self->ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	pin_to(_metadata, self->cpus[0]);
	fire_reset(_metadata);
	self->seqs = session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	self->told = add_told(_metadata, &self->s, 1);
	info.index = self->seqs;
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_INFO, &info));
	if (info.path == KTRACE_PATH_COUNTER)
		SKIP(return, "counters miss firings");
}

FIXTURE_TEARDOWN(machine)
{
	session_close(&self->s);
}

static unsigned int add_filter(struct machine *m, struct ktrace_filter_insn insn)
{
	unsigned int nr = m->head.nr_filters++;

	m->filters[nr] = (struct ktrace_machine_filter){ .first = m->head.nr_insns, .nr = 1 };
	m->insns[m->head.nr_insns++] = insn;
	return nr;
}

/* Is the lowest bit of a field set, or not? */
static unsigned int add_parity(struct machine *m, struct field field, bool odd)
{
	return add_filter(m, (struct ktrace_filter_insn){
		.op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		.jt = odd ? KTRACE_FILTER_ACCEPT : KTRACE_FILTER_REJECT,
		.jf = odd ? KTRACE_FILTER_REJECT : KTRACE_FILTER_ACCEPT,
		.offset = field.offset, .width = field.size, .value = 1,
	});
}

static void add_source(struct machine *m, unsigned int event, unsigned int filter, int start)
{
	struct ktrace_machine_source *s = &m->sources[m->head.nr_sources++];

	*s = (struct ktrace_machine_source){ .event = event, .filter = filter, .start = start };
}

static void add_transition(struct machine *m, int state, int source, int next)
{
	m->transitions[m->head.nr_transitions++] = (struct ktrace_machine_transition){
		.state = state, .source = source, .next = next,
		.filter = KTRACE_MACHINE_NO_FILTER, .clock = KTRACE_MACHINE_NO_CLOCK,
		.most = ~0ULL,
	};
}

static void add_state(struct machine *m, uint64_t limit)
{
	m->states[m->head.nr_states++] = (struct ktrace_machine_state){
		.limit = limit, .clock = limit ? 0 : KTRACE_MACHINE_NO_CLOCK,
	};
}

static void set_key(struct machine *m, int key, struct ktrace_machine_part part)
{
	unsigned int i;

	m->head.key = key;
	m->head.nr_parts = 1;
	for (i = 0; i < m->head.nr_sources; i++)
		m->sources[i].parts[0] = part;
}

static const struct ktrace_machine_part own_tid = {
	.offset = KTRACE_FIELD_TID, .src = KTRACE_FILTER_SRC_FIELD, .width = 8,
};

static void *put(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

/* Writes the program into *program, and its size into its head. */
static void flatten(const struct machine *m, struct ktrace_machine *program)
{
	const struct ktrace_machine *h = &m->head;
	void *at = program + 1;

	*program = *h;
	at = put(at, m->states, h->nr_states * sizeof(*m->states));
	at = put(at, m->sources, h->nr_sources * sizeof(*m->sources));
	at = put(at, m->transitions, h->nr_transitions * sizeof(*m->transitions));
	at = put(at, m->filters, h->nr_filters * sizeof(*m->filters));
	/* The pool is in the rows behind them. */
	at = put(at, m->insns, h->nr_insns * sizeof(*m->insns) + h->pool_bytes);
	program->size = at - (void *)program;
}

static int machine_add_with(struct session *s, const struct machine *m,
			    struct ktrace_machine_add add)
{
	union {
		struct ktrace_machine head;
		char room[sizeof(struct machine)];
	} program;
	int err;

	flatten(m, &program.head);
	add.size = add.size ?: sizeof(add);
	add.program = (uintptr_t)&program;
	add.program_bytes = program.head.size;
	err = CALL(s->fd, MACHINE_ADD, &add);
	return err ? err : (int)add.number;
}

static int machine_add_acting(struct session *s, const struct machine *m, unsigned int told,
			      unsigned int flags, unsigned int actions)
{
	return machine_add_with(s, m, (struct ktrace_machine_add){
		.flags = flags, .violations = told, .actions = actions,
	});
}

static int machine_add(struct session *s, const struct machine *m, unsigned int told,
		       unsigned int flags)
{
	return machine_add_acting(s, m, told, flags, 0);
}

static struct ktrace_machine_read machine_read(struct __test_metadata *_metadata,
					       struct session *s, unsigned int number)
{
	struct ktrace_machine_read read = { .size = sizeof(read), .number = number };

	ASSERT_EQ(0, CALL(s->fd, MACHINE_READ, &read));
	EXPECT_EQ(read.keys, read.ok + read.violated + read.not_started + read.lost +
			     read.unordered);
	return read;
}

/* Even and odd numbers alternate; an even one begins. */
static struct machine alternation(unsigned int event, struct field field)
{
	struct machine m = { .head = { .max_keys = 1000, .nr_clocks = 1 } };

	add_state(&m, 0);
	add_state(&m, 0);
	add_source(&m, event, add_parity(&m, field, false), KTRACE_MACHINE_STARTS_BEFORE);
	add_source(&m, event, add_parity(&m, field, true), KTRACE_MACHINE_STARTS_NONE);
	add_transition(&m, 0, 0, 1);
	add_transition(&m, 1, 1, 0);
	return m;
}

enum { MAX_VIOLATIONS = 4096 };

/* The violations in the rings, by the time of their report. */
static unsigned int read_told(struct __test_metadata *_metadata, struct session *s,
			      unsigned int told, struct ktrace_violation *to)
{
	const struct perf_event_header *header;
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		uint64_t pos = 0, head;

		if (!s->ring[cpu].data)
			continue;
		head = ring_head(&s->ring[cpu]);
		while ((header = ring_next(_metadata, &s->ring[cpu], &pos, head))) {
			const struct sample *sample = (const void *)header;

			if (header->type != PERF_RECORD_SAMPLE ||
			    sample->id != KTRACE_ID_BASE + told)
				continue;
			ASSERT_LT(nr, MAX_VIOLATIONS);
			/* The common fields end at a multiple of 8, and raw[] may be padded. */
			EXPECT_EQ(9, *(uint16_t *)sample->raw);
			memcpy(&to[nr++], sample->raw + (sample->raw_size & ~7U) -
					  sizeof(struct ktrace_violation),
			       sizeof(struct ktrace_violation));
		}
	}
	return nr;
}

static struct ktrace_violation found[MAX_VIOLATIONS];

/* The time of the @nth sample of ktrace_test:seq on a CPU. */
static uint64_t time_of(struct __test_metadata *_metadata, struct session *s, unsigned int cpu,
			unsigned int nth)
{
	const struct perf_event_header *header;
	uint64_t pos = 0;

	while ((header = ring_next(_metadata, &s->ring[cpu], &pos, ring_head(&s->ring[cpu])))) {
		const struct sample *sample = (const void *)header;

		if (header->type == PERF_RECORD_SAMPLE && sample->id == KTRACE_ID_BASE && !nth--)
			return sample->time;
	}
	return 0;
}

TEST_F(machine, order_broken)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read read;
	struct ktrace_stats stats;

	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	/* The eleventh is odd, as the tenth. */
	ASSERT_EQ(0, fire("seq task 10 self 1"));
	session_stop(_metadata, &self->s);
	ASSERT_EQ(1, read_told(_metadata, &self->s, self->told, found));
	EXPECT_EQ(0, found[0].machine);
	EXPECT_EQ(1, found[0].source);
	EXPECT_EQ(0, found[0].state);
	EXPECT_EQ(time_of(_metadata, &self->s, self->cpus[0], 10), found[0].when);
	EXPECT_EQ(found[0].when - time_of(_metadata, &self->s, self->cpus[0], 9), found[0].age);
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(1, read.keys);
	EXPECT_EQ(1, read.violated);
	EXPECT_EQ(1, read.violations);
	EXPECT_EQ(0, read.losses);
	/* The ledger is the same as without a machine. */
	stats = session_stats(_metadata, &self->s, self->seqs, self->cpus[0]);
	EXPECT_EQ(20, emitted(_metadata, "seq", self->cpus[0], NULL));
	EXPECT_EQ(20, stats.recorded);
}

TEST_F(machine, nothing_is_broken)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read read;

	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1000 self 0"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(0, read_told(_metadata, &self->s, self->told, found));
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(1, read.ok);
	EXPECT_EQ(0, read.violations);
}

TEST_F(machine, only_judged)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_stats stats;

	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, KTRACE_MACHINE_ONLY));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	ASSERT_EQ(0, fire("seq hardirq 9 self 1"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(1, read_told(_metadata, &self->s, self->told, found));
	EXPECT_EQ(1, machine_read(_metadata, &self->s, 0).violations);
	EXPECT_EQ(0, time_of(_metadata, &self->s, self->cpus[0], 0));
	stats = session_stats(_metadata, &self->s, self->seqs, self->cpus[0]);
	EXPECT_EQ(19, stats.recorded + stats_lost(&stats));
}

/* A firing that an only source rejects is not even assembled for it, and counted as filtered. */
TEST_F(machine, one_source)
{
	struct machine m = { .head = { .max_keys = 10 } };
	struct ktrace_stats stats;
	struct session other;
	unsigned int told;

	add_state(&m, 0);
	add_source(&m, self->seqs, add_parity(&m, self->seq, true), KTRACE_MACHINE_STARTS_BEFORE);
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, KTRACE_MACHINE_ONLY));
	/* Two machines want other firings, and get them. */
	session_of(_metadata, &other, 8);
	session_add(_metadata, &other, "ktrace_test/seq", 0, 0);
	told = add_told(_metadata, &other, 1);
	ASSERT_EQ(0, machine_add(&other, &m, told, KTRACE_MACHINE_ONLY));
	m = alternation(0, self->seq);
	ASSERT_EQ(1, machine_add(&other, &m, told, KTRACE_MACHINE_ONLY));
	session_start(_metadata, &self->s);
	session_start(_metadata, &other);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	session_stop(_metadata, &self->s);
	session_stop(_metadata, &other);
	stats = session_stats(_metadata, &self->s, self->seqs, self->cpus[0]);
	EXPECT_EQ(5, stats.filtered);
	EXPECT_EQ(5, stats.recorded);
	EXPECT_EQ(5, machine_read(_metadata, &self->s, 0).violations);
	stats = session_stats(_metadata, &other, 0, self->cpus[0]);
	EXPECT_EQ(0, stats.filtered);
	EXPECT_EQ(10, stats.recorded);
	EXPECT_EQ(5, machine_read(_metadata, &other, 0).violations);
	EXPECT_EQ(1, machine_read(_metadata, &other, 1).ok);
	session_close(&other);
}

TEST_F(machine, violations_of_a_full_ring)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read read;
	struct ktrace_stats stats;
	unsigned int i;

	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100000 self 0"));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, fire("seq task 10 self 1"));
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, self->seqs, self->cpus[0]);
	EXPECT_LT(0, stats.lost[KTRACE_LOST_FULL]);
	EXPECT_EQ(100030, stats.recorded + stats_lost(&stats));
	/* The second and third time, there is one more odd number before it begins again. */
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(1, read.violated);
	EXPECT_LE(1, read.violations);
	EXPECT_EQ(0, read.losses);
}

TEST_F(machine, deadline_missed)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read read;
	uint64_t limit = 50000000;

	m.states[1].limit = limit;
	m.states[1].clock = 0;
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1 self 0"));
	/* Nothing fires any more, and the violation is reported while the session runs. */
	do
		sleep_ms(10);
	while (!machine_read(_metadata, &self->s, 0).violations);
	session_stop(_metadata, &self->s);
	ASSERT_EQ(1, read_told(_metadata, &self->s, self->told, found));
	EXPECT_EQ(KTRACE_MACHINE_NO_SOURCE, found[0].source);
	EXPECT_EQ(1, found[0].state);
	EXPECT_EQ(time_of(_metadata, &self->s, self->cpus[0], 0) + limit, found[0].when);
	EXPECT_EQ(limit, found[0].age);
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(1, read.violated);
	EXPECT_EQ(1, read.violations);
}

TEST_F(machine, deadline_kept)
{
	struct machine m = alternation(self->seqs, self->seq);

	m.states[1].limit = 3600000000000ULL;
	m.states[1].clock = 0;
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 11 self 0"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(1, machine_read(_metadata, &self->s, 0).ok);
}

TEST_F(machine, loss_makes_unknown)
{
	struct machine m = { .head = { .max_keys = 1, .nr_clocks = 0 } };
	struct ktrace_machine_read read;
	struct ktrace_stats stats;
	unsigned int inner;

	/* The inner one fires during the assignment of a sample of the outer one. */
	inner = session_add(_metadata, &self->s, "ktrace_test/nest_inner", 2, 0);
	session_add(_metadata, &self->s, "ktrace_test/nest_outer", 3, 0);
	add_state(&m, 0);
	add_source(&m, self->seqs, KTRACE_MACHINE_NO_FILTER, KTRACE_MACHINE_STARTS_AFTER);
	add_source(&m, inner, KTRACE_MACHINE_NO_FILTER, KTRACE_MACHINE_STARTS_NONE);
	add_transition(&m, 0, 1, 0);
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1 self 0"));
	ASSERT_EQ(0, fire("nest_inner task 1 self 0"));
	EXPECT_EQ(1, machine_read(_metadata, &self->s, 0).ok);
	ASSERT_EQ(0, fire("nest_outer task 1 self 0"));
	/* In the state 0, this would be a violation. */
	ASSERT_EQ(0, fire("nest_inner task 1 self 0"));
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, inner, self->cpus[0]);
	ASSERT_LT(0, stats.lost[KTRACE_LOST_RECURSION]);
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(stats.lost[KTRACE_LOST_RECURSION], read.losses);
	EXPECT_EQ(1, read.lost);
	EXPECT_EQ(0, read.violations);
	EXPECT_EQ(0, read.ok);
}

TEST_F(machine, full_table)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read read;

	set_key(&m, KTRACE_MACHINE_KEY_FIELDS, (struct ktrace_machine_part){
		.offset = self->seq.offset, .src = KTRACE_FILTER_SRC_RECORD,
		.width = self->seq.size,
	});
	m.head.max_keys = 10;
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 25 self 0"));
	session_stop(_metadata, &self->s);
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(10, read.keys);
	/* Odd ones never start. */
	EXPECT_EQ(5, read.ok);
	EXPECT_EQ(5, read.not_started);
	EXPECT_EQ(15, read.refused);
}

/* Two machines see one event, and each has its own verdicts. */
TEST_F(machine, two_machines)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct machine other = alternation(self->seqs, self->ctx);

	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	ASSERT_EQ(1, machine_add(&self->s, &other, self->told, KTRACE_MACHINE_ONLY));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 2 self 0"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(0, machine_read(_metadata, &self->s, 0).violations);
	/* The context is the same. */
	EXPECT_EQ(1, machine_read(_metadata, &self->s, 1).violations);
	ASSERT_EQ(1, read_told(_metadata, &self->s, self->told, found));
	EXPECT_EQ(1, found[0].machine);
	EXPECT_EQ(2, session_stats(_metadata, &self->s, self->seqs, self->cpus[0]).recorded);
}

/* Each task is a key, which ends with it. */
TEST_F(machine, tasks)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read read;
	unsigned int i;

	set_key(&m, KTRACE_MACHINE_KEY_TASK, own_tid);
	/* Were the tasks alive, they would miss it. */
	m.states[1].limit = 1000000000;
	m.states[1].clock = 0;
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	for (i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child)
			_exit(fire("seq task 1 self 0") || (i < 5 && fire("seq task 1 self 2")));
		ASSERT_EQ(child, waitpid(child, NULL, 0));
	}
	/* Each task that has ended is counted once. */
	sleep_ms(1500);
	session_stop(_metadata, &self->s);
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(20, read.keys);
	EXPECT_EQ(5, read.violated);
	EXPECT_EQ(15, read.ok);
	EXPECT_EQ(5, read_told(_metadata, &self->s, self->told, found));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(0, found[i].source);
}

TEST_F(machine, refused)
{
	struct machine m = alternation(self->seqs, self->seq), bad;
	struct ktrace_sample sample = { .size = sizeof(sample), .every = 2 };
	struct ktrace_scope_add scope = { .size = sizeof(scope), .comm = "x" };
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
	struct session other;

	/* Events that cannot be judged, or cannot report. */
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &m, 7, 0));
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &m, self->seqs, 0));
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &m, self->told, 2));
	bad = m;
	bad.sources[0].event = bad.sources[1].event = self->told;
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &bad, self->told, 0));
	/* Invalid programs. */
	bad = m;
	bad.transitions[1].next = 2;
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &bad, self->told, 0));
	bad = m;
	bad.insns[1].jt = 0;
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &bad, self->told, 0));
	bad = m;
	bad.filters[1].nr = 2;
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &bad, self->told, 0));
	bad = m;
	bad.head.initial = 2;
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &bad, self->told, 0));
	bad = m;
	bad.head.max_keys = 0;
	EXPECT_EQ(-EINVAL, machine_add(&self->s, &bad, self->told, 0));

	EXPECT_EQ(0, machine_add(&self->s, &m, KTRACE_MACHINE_NO_SOURCE, 0));
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, SAMPLE, &sample));
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, SCOPE_ADD, &scope));
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, TASK_ADD, &task));
	session_start(_metadata, &self->s);
	EXPECT_EQ(-EBUSY, machine_add(&self->s, &m, self->told, 0));

	/* A session that does not record its own process. */
	session_open(_metadata, &other, NULL);
	session_add(_metadata, &other, "ktrace_test/seq", 0, 0);
	EXPECT_EQ(-EINVAL, machine_add(&other, &m, KTRACE_MACHINE_NO_SOURCE, 0));
	session_close(&other);
}

/* Kept memory would outlive the memory control group that is charged for it. */
TEST_F(machine, a_kept_session_gets_no_more)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_keep keep = { .size = sizeof(keep), .name = "machines" };

	EXPECT_LE(0, machine_add(&self->s, &m, KTRACE_MACHINE_NO_SOURCE, 0));
	ASSERT_EQ(0, CALL(self->s.fd, KEEP, &keep));
	EXPECT_EQ(-EBUSY, machine_add(&self->s, &m, KTRACE_MACHINE_NO_SOURCE, 0));
	ASSERT_EQ(0, CALL(self->s.fd, FORGET, 0));
	EXPECT_LE(0, machine_add(&self->s, &m, KTRACE_MACHINE_NO_SOURCE, 0));
}

TEST_F(machine, a_fault_of_one_holds_up_nobody)
{
	struct ktrace_machine_add add = {
		.size = sizeof(add), .program_bytes = sysconf(_SC_PAGESIZE),
		.violations = KTRACE_MACHINE_NO_SOURCE,
	};
	struct slow_memory slow;

	if (!slow_create(&slow))
		SKIP(return, "this kernel has no userfaultfd");
	add.program = (uintptr_t)slow.page;
	others_go_on(_metadata, &self->s, &slow, KTRACE_IOC_MACHINE_ADD, &add, "MACHINE_ADD");
	close(slow.fd);
}

/* The filters of all machines of an event have one budget, with those of its transitions. */
TEST_F(machine, budget)
{
	struct machine m = alternation(self->seqs, self->seq);
	int added = 0, err;

	/* A pattern that is searched everywhere in a long array. */
	m.head.nr_insns = 3;
	m.head.nr_filters = 3;
	m.filters[2] = (struct ktrace_machine_filter){ .first = 2, .nr = 1 };
	m.insns[2] = (struct ktrace_filter_insn){
		.op = KTRACE_FILTER_GLOB, .src = KTRACE_FILTER_SRC_RECORD,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
		.offset = 0, .width = 8192, .value = 23,
	};
	memcpy(&m.insns[3], "*abcdefghijklmnopqrstu*", 24);
	m.head.pool_bytes = 24;
	m.transitions[0].filter = 2;
	do
		err = machine_add(&self->s, &m, KTRACE_MACHINE_NO_SOURCE, 0);
	while (err >= 0 && ++added < KTRACE_MAX_MACHINES);
	EXPECT_EQ(-ENOSPC, err);
	EXPECT_LE(1, added);
}

/* No byte of a program can do harm. */
TEST_F(machine, any_program)
{
	struct machine m = alternation(self->seqs, self->seq);
	union {
		struct ktrace_machine head;
		uint8_t bytes[sizeof(struct machine)];
	} program;
	struct ktrace_machine_add add = {
		.size = sizeof(add), .program = (uintptr_t)&program, .violations = self->told,
	};
	unsigned int i, taken = 0, seed = 1;

	for (i = 0; i < scale(3000, 100000) && taken < KTRACE_MAX_MACHINES; i++) {
		unsigned int at;

		flatten(&m, &program.head);
		at = rand_r(&seed) % program.head.size;
		program.bytes[at] ^= 1 << rand_r(&seed) % 8;
		/* Keys take memory, which this test is not about. */
		if (at >= 28 && at < 32)
			continue;
		add.program_bytes = (i & 7) ? program.head.size : rand_r(&seed) % sizeof(program);
		if (add.program_bytes > sizeof(program))
			continue;
		taken += !CALL(self->s.fd, MACHINE_ADD, &add);
	}
	EXPECT_LT(0, taken);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1000 self 0"));
	ASSERT_EQ(0, fire("seq hardirq 100 self 0"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(1100, emitted(_metadata, "seq", self->cpus[0], NULL));
}

/* A record of two rings, by time. */
struct moment {
	uint64_t time;
	unsigned int odd;
};

static int compare_moments(const void *a, const void *b)
{
	const struct moment *m = a, *n = b;

	return m->time < n->time ? -1 : m->time > n->time;
}

static unsigned int read_moments(struct __test_metadata *_metadata, struct session *s,
				 struct field seq, struct moment *to, unsigned int max)
{
	unsigned int i, nr = 0;

	for (i = 0; i < s->nr_cpus; i++) {
		const struct perf_event_header *header;
		uint64_t pos = 0, head;

		if (!s->ring[i].data)
			continue;
		head = ring_head(&s->ring[i]);
		while ((header = ring_next(_metadata, &s->ring[i], &pos, head))) {
			const struct sample *sample = (const void *)header;

			if (header->type != PERF_RECORD_SAMPLE || sample->id != KTRACE_ID_BASE)
				continue;
			ASSERT_LT(nr, max);
			to[nr++] = (struct moment){ sample->time, load_number(sample, seq) & 1 };
		}
	}
	qsort(to, nr, sizeof(*to), compare_moments);
	return nr;
}

/*
 * All CPUs race for the only key.  A violation means that a number had the parity of its
 * predecessor, and the recording has all of them.
 */
TEST_F(machine, race)
{
	enum { EACH = 10000, ROOM = 200000 };
	struct machine m = alternation(self->seqs, self->seq);
	struct moment *moments = calloc(ROOM, sizeof(*moments));
	unsigned long rounds = scale(3, 50), round, violations = 0;

	ASSERT_NE(NULL, moments);
	/* On an emulator, CPUs may take turns that are longer than a round. */
	for (round = 0; round < rounds || (!violations && round < 100); round++) {
		struct ktrace_machine_read read;
		unsigned int nr, told, i, at;
		struct session s;

		session_of(_metadata, &s, 1024);
		session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
		add_told(_metadata, &s, 1);
		ASSERT_EQ(0, machine_add(&s, &m, 1, 0));
		session_start(_metadata, &s);
		ASSERT_EQ(0, fire("seq task %d all 0", EACH));
		session_stop(_metadata, &s);
		nr = read_moments(_metadata, &s, self->seq, moments, ROOM);
		EXPECT_LE(EACH, nr);
		told = read_told(_metadata, &s, 1, found);
		read = machine_read(_metadata, &s, 0);
		EXPECT_EQ(1, read.keys);
		EXPECT_EQ(read.violations, told);
		for (i = 0; i < told; i++) {
			struct moment key = { found[i].when }, *of;

			of = bsearch(&key, moments, nr, sizeof(*moments), compare_moments);
			ASSERT_NE(NULL, of);
			at = of - moments;
			ASSERT_LT(0, at);
			EXPECT_EQ(moments[at - 1].odd, moments[at].odd) {
				TH_LOG("at %llu", (unsigned long long)found[i].when);
			}
		}
		violations += told;
		session_close(&s);
	}
	if (self->cpus[0] != self->cpus[1])
		EXPECT_LT(0, violations);
	free(moments);
}

/* Interrupts and NMIs judge, too, also while other contexts do. */
TEST_F(machine, any_context)
{
	static const char *const contexts[] = { "softirq", "hardirq", "irq_work", "nmi" };
	struct machine m = alternation(self->seqs, self->seq);
	struct background background = { .context = "task", .count = 200000 };
	struct ktrace_machine_read read;
	struct ktrace_stats stats;
	uint64_t seen = 0, all = 0;
	unsigned int i, cpu;

	set_key(&m, KTRACE_MACHINE_KEY_FIELDS, (struct ktrace_machine_part){
		.offset = self->ctx.offset, .src = KTRACE_FILTER_SRC_RECORD,
		.width = self->ctx.size,
	});
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, KTRACE_MACHINE_ONLY));
	session_start(_metadata, &self->s);
	fire_in_background(_metadata, &background);
	for (i = 0; i < 4; i++) {
		int err = fire("seq %s 1000 %d 0", contexts[i], self->cpus[0]);

		EXPECT_TRUE(!err || err == -EOPNOTSUPP);
	}
	pthread_join(background.thread, NULL);
	EXPECT_EQ(0, background.err);
	session_stop(_metadata, &self->s);
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		if (!self->s.ring[cpu].data)
			continue;
		stats = session_stats(_metadata, &self->s, self->seqs, cpu);
		seen += stats.recorded + stats_lost(&stats);
		all += emitted(_metadata, "seq", cpu, NULL);
	}
	EXPECT_EQ(all, seen);
	/* Each stream alternates, so nothing is violated, even if firings were missed. */
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(0, read.violations);
	EXPECT_LE(4, read.keys);
}

/* A task that ends while nothing is judged has missed no deadline. */
TEST_F(machine, a_task_ends_after_stop)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_read outcome;
	int pipes[2];
	pid_t child;

	set_key(&m, KTRACE_MACHINE_KEY_TASK, own_tid);
	m.states[1].limit = 300000000;
	m.states[1].clock = 0;
	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	ASSERT_EQ(0, pipe(pipes));
	child = fork();
	if (!child) {
		char c;

		/* It ends with the other end of the pipe. */
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1) != 1 || fire("seq task 1 self 0") ||
		      read(pipes[0], &c, 1));
	}
	close(pipes[0]);
	session_start(_metadata, &self->s);
	ASSERT_EQ(1, write(pipes[1], "", 1));
	while (!machine_read(_metadata, &self->s, 0).ok)
		sleep_ms(1);
	session_stop(_metadata, &self->s);
	sleep_ms(400);
	close(pipes[1]);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	session_start(_metadata, &self->s);
	session_stop(_metadata, &self->s);
	outcome = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(0, outcome.violations);
	EXPECT_EQ(1, outcome.keys);
	EXPECT_EQ(0, read_told(_metadata, &self->s, self->told, found));
}

/* ---- actions -------------------------------------------------------------- */

static uint64_t frozen_at(struct __test_metadata *_metadata, struct session *s)
{
	struct ktrace_frozen frozen = { .size = sizeof(frozen) };

	ASSERT_EQ(0, CALL(s->fd, FROZEN, &frozen));
	return frozen.time;
}

/* A session is frozen by its own machine: its ring ends with the firing that violates. */
TEST_F(machine, freeze)
{
	struct machine m = alternation(0, self->seq);
	struct ktrace_machine_read read;
	struct ktrace_stats stats;
	struct session s;
	struct pollfd wait = { .events = POLLIN | POLLPRI };

	session_with(_metadata, &s, 64, KTRACE_SETUP_FREEZABLE);
	wait.fd = s.fd;
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
	add_told(_metadata, &s, 1);
	ASSERT_EQ(0, machine_add_acting(&s, &m, 1, 0, KTRACE_ACTION_FREEZE));
	session_start(_metadata, &s);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	EXPECT_EQ(0, frozen_at(_metadata, &s));
	EXPECT_EQ(0, poll(&wait, 1, 0));
	ASSERT_EQ(0, fire("seq task 10 self 1"));
	EXPECT_LE(time_of(_metadata, &s, self->cpus[0], 10), frozen_at(_metadata, &s));
	stats = session_stats(_metadata, &s, 0, self->cpus[0]);
	EXPECT_EQ(11, stats.recorded);
	EXPECT_EQ(9, stats.lost[KTRACE_LOST_FROZEN]);
	/* The reader is woken, although its ring is almost empty. */
	wait.events = POLLPRI;
	EXPECT_EQ(1, poll(&wait, 1, -1));
	wait.events |= POLLIN;
	EXPECT_EQ(1, poll(&wait, 1, 0));
	EXPECT_EQ(POLLPRI | POLLIN, wait.revents);
	/* The violation is stored all the same, without a STOP. */
	while (!read_told(_metadata, &s, 1, found))
		sleep_ms(1);
	ASSERT_EQ(0, fire("seq task 5 self 0"));
	session_stop(_metadata, &s);
	ASSERT_EQ(1, read_told(_metadata, &s, 1, found));
	EXPECT_EQ(time_of(_metadata, &s, self->cpus[0], 10), found[0].when);
	stats = session_stats(_metadata, &s, 0, self->cpus[0]);
	EXPECT_EQ(25, emitted(_metadata, "seq", self->cpus[0], NULL));
	EXPECT_EQ(11, stats.recorded);
	EXPECT_EQ(14, stats.lost[KTRACE_LOST_FROZEN]);
	EXPECT_EQ(14, stats.unplaced[KTRACE_LOST_FROZEN]);
	EXPECT_EQ(14, stats_lost(&stats));
	EXPECT_LE(frozen_at(_metadata, &s), stats.first_lost);
	EXPECT_LT(stats.first_lost, stats.last_lost);
	read = machine_read(_metadata, &s, 0);
	EXPECT_EQ(1, read.violations);
	EXPECT_EQ(1, read.froze);
	EXPECT_EQ(0, read.revoked);
	EXPECT_EQ(0, read.losses);
	/* It begins anew. */
	session_start(_metadata, &s);
	EXPECT_EQ(0, frozen_at(_metadata, &s));
	ASSERT_EQ(0, fire("seq task 5 self 0"));
	session_stop(_metadata, &s);
	EXPECT_EQ(16, session_stats(_metadata, &s, 0, self->cpus[0]).recorded);
	session_close(&s);
}

/* The sweep finds it, without an event.  Later deadlines of the frozen session are not judged. */
TEST_F(machine, freeze_at_a_deadline)
{
	struct machine m = alternation(0, self->seq);
	struct session s;

	m.states[1].limit = 50000000;
	m.states[1].clock = 0;
	session_with(_metadata, &s, 64, KTRACE_SETUP_FREEZABLE);
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
	add_told(_metadata, &s, 1);
	ASSERT_EQ(0, machine_add_acting(&s, &m, 1, 0, KTRACE_ACTION_FREEZE));
	m.states[1].limit = 3600000000000ULL;
	ASSERT_EQ(1, machine_add_acting(&s, &m, 1, 0, KTRACE_ACTION_FREEZE));
	session_start(_metadata, &s);
	ASSERT_EQ(0, fire("seq task 1 self 0"));
	while (!frozen_at(_metadata, &s))
		sleep_ms(1);
	ASSERT_EQ(0, fire("seq task 3 self 0"));
	session_stop(_metadata, &s);
	ASSERT_EQ(1, read_told(_metadata, &s, 1, found));
	EXPECT_EQ(KTRACE_MACHINE_NO_SOURCE, found[0].source);
	EXPECT_EQ(3, session_stats(_metadata, &s, 0, self->cpus[0]).lost[KTRACE_LOST_FROZEN]);
	EXPECT_EQ(1, machine_read(_metadata, &s, 1).ok);
	session_close(&s);
}

enum victim {
	PLAIN, TRAILER, LATE_FILTER, EARLY_FILTER, SAMPLED, CHAIN, COMPACT, COUNTER, COUNTED,
	NR_VICTIMS,
};

/* A session that can be frozen, with ktrace_test:seq captured in this way. */
static void victim_open(struct __test_metadata *_metadata, struct session *s, enum victim victim,
			struct field seq)
{
	const struct ktrace_filter_insn insns[] = {
		{ .op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		  .jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT, .offset = seq.offset,
		  .width = seq.size, .value = 1 },
		{ .op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_FIELD,
		  .jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
		  .offset = KTRACE_FIELD_TID, .width = 8, .value = getpid() },
	};
	const struct ktrace_count_part part = {
		.src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_NUMBER, .offset = seq.offset,
		.width = seq.size,
	};
	struct ktrace_count_add count = {
		.size = sizeof(count), .entries = 100, .nr_parts = 1, .parts = (uintptr_t)&part,
	};
	struct ktrace_sample sample = { .size = sizeof(sample), .every = 2 };
	struct ktrace_event_add add = event_add_init(event_id("ktrace_test/seq"), 0);

	session_with(_metadata, s, 16, KTRACE_SETUP_FREEZABLE);
	add.name = (uintptr_t)"ktrace_test:seq";
	add.path = victim == COUNTER ? KTRACE_PATH_COUNTER : KTRACE_PATH_AUTO;
	if (victim == TRAILER)
		add.fields = 1ULL << KTRACE_FIELD_SEQ | 1ULL << KTRACE_FIELD_COMM;
	if (victim == LATE_FILTER || victim == EARLY_FILTER) {
		add.filter = (uintptr_t)&insns[victim == EARLY_FILTER];
		add.filter_insns = 1;
	}
	if (victim == CHAIN)
		add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (victim == COMPACT)
		add.sample_type = KTRACE_SAMPLE_TYPE_COMPACT;
	ASSERT_EQ(0, CALL(s->fd, EVENT_ADD, &add));
	if (victim == SAMPLED)
		ASSERT_EQ(0, CALL(s->fd, SAMPLE, &sample));
	if (victim == COUNTED)
		ASSERT_EQ(0, CALL(s->fd, COUNT_ADD, &count));
}

/* Other sessions of the same user, however they capture.  The machine judges on. */
TEST_F(machine, freeze_others)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct session victims[NR_VICTIMS], bystander;
	struct ktrace_machine_read read;
	unsigned int i;

	ASSERT_EQ(0, machine_add_acting(&self->s, &m, self->told, 0, KTRACE_ACTION_FREEZE));
	for (i = 0; i < NR_VICTIMS; i++) {
		victim_open(_metadata, &victims[i], i, self->seq);
		session_start(_metadata, &victims[i]);
	}
	session_of(_metadata, &bystander, 16);
	session_add(_metadata, &bystander, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &bystander);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	ASSERT_EQ(0, fire("seq task 10 self 1"));
	for (i = 0; i < NR_VICTIMS; i++)
		EXPECT_NE(0, frozen_at(_metadata, &victims[i]));
	EXPECT_EQ(0, frozen_at(_metadata, &bystander));
	EXPECT_EQ(0, frozen_at(_metadata, &self->s));
	/* The next violation: an even number where an odd one is due. */
	ASSERT_EQ(0, fire("seq task 1 self 0"));
	ASSERT_EQ(0, fire("seq task 9 self 0"));
	session_stop(_metadata, &self->s);
	for (i = 0; i < NR_VICTIMS; i++) {
		struct ktrace_stats stats;

		session_stop(_metadata, &victims[i]);
		stats = session_stats(_metadata, &victims[i], 0, self->cpus[0]);
		/* Either session may see the firing first that violates. */
		EXPECT_LE(10, stats.recorded + stats.filtered);
		EXPECT_GE(11, stats.recorded + stats.filtered);
		EXPECT_EQ(30, stats.recorded + stats.filtered + stats.lost[KTRACE_LOST_FROZEN]) {
			TH_LOG("victim %u: %llu recorded, %llu filtered, %llu frozen", i,
			       (unsigned long long)stats.recorded,
			       (unsigned long long)stats.filtered,
			       (unsigned long long)stats.lost[KTRACE_LOST_FROZEN]);
		}
		EXPECT_EQ(stats.lost[KTRACE_LOST_FROZEN], stats_lost(&stats));
		session_close(&victims[i]);
	}
	EXPECT_EQ(30, session_stats(_metadata, &bystander, 0, self->cpus[0]).recorded);
	EXPECT_EQ(30, session_stats(_metadata, &self->s, self->seqs, self->cpus[0]).recorded);
	read = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(2, read.violations);
	EXPECT_EQ(NR_VICTIMS, read.froze);
	session_close(&bystander);
}

/* The sessions of another user. */
TEST_F(machine, freeze_others_of_the_user)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct session other;

	ASSERT_EQ(0, machine_add_acting(&self->s, &m, self->told, 0, KTRACE_ACTION_FREEZE));
	ASSERT_EQ(0, setresuid(1234, -1, -1));
	session_with(_metadata, &other, 16, KTRACE_SETUP_FREEZABLE);
	ASSERT_EQ(0, setresuid(0, -1, -1));
	session_add(_metadata, &other, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &other);
	session_start(_metadata, &self->s);
	/* Even, odd, even: and another even one violates. */
	ASSERT_EQ(0, fire("seq task 3 self 0"));
	ASSERT_EQ(0, fire("seq task 1 self 0"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(1, machine_read(_metadata, &self->s, 0).violations);
	EXPECT_EQ(0, machine_read(_metadata, &self->s, 0).froze);
	EXPECT_EQ(0, frozen_at(_metadata, &other));
	session_close(&other);
}

TEST_F(machine, freezable_sessions_are_limited)
{
	struct ktrace_setup setup = SETUP_INIT;
	struct machine m = alternation(self->seqs, self->seq);
	int fds[KTRACE_MAX_FREEZABLE + 1];
	unsigned int i;

	setup.pages = 1;
	setup.flags = KTRACE_SETUP_FREEZABLE;
	for (i = 0; i <= KTRACE_MAX_FREEZABLE; i++) {
		fds[i] = device_open(_metadata);
		EXPECT_EQ(i < KTRACE_MAX_FREEZABLE ? 0 : -E2BIG, CALL(fds[i], SETUP, &setup));
	}
	close(fds[0]);
	EXPECT_EQ(0, CALL(fds[KTRACE_MAX_FREEZABLE], SETUP, &setup));
	for (i = 1; i <= KTRACE_MAX_FREEZABLE; i++)
		close(fds[i]);
	/* Unknown actions. */
	EXPECT_EQ(-EINVAL, machine_add_acting(&self->s, &m, self->told, 0, 1U << 31));
}

/* Each even number is a key that violates. */
static struct machine always_wrong(unsigned int event, struct field field)
{
	struct machine m = { .head = { .max_keys = 1000, .nr_clocks = 0 } };

	add_state(&m, 0);
	add_source(&m, event, add_parity(&m, field, false), KTRACE_MACHINE_STARTS_BEFORE);
	set_key(&m, KTRACE_MACHINE_KEY_FIELDS, (struct ktrace_machine_part){
		.offset = field.offset, .src = KTRACE_FILTER_SRC_RECORD, .width = field.size,
	});
	return m;
}

/* The reader sleeps until a violation, although its ring is almost empty. */
TEST_F(machine, wake)
{
	struct machine m = always_wrong(self->seqs, self->seq);
	struct pollfd wait = { .fd = self->s.fd, .events = POLLIN | POLLPRI };
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	struct ktrace_machine_read outcome;

	ASSERT_EQ(0, machine_add_with(&self->s, &m, (struct ktrace_machine_add){
		.violations = self->told, .actions = KTRACE_ACTION_WAKE, .max_rate = 2,
	}));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1 self 1"));
	EXPECT_EQ(0, poll(&wait, 1, 0));
	ASSERT_EQ(0, fire("seq task 1 self 0"));
	EXPECT_EQ(1, poll(&wait, 1, -1));
	EXPECT_EQ(POLLPRI, wait.revents);
	EXPECT_EQ(1, read_told(_metadata, &self->s, self->told, found));
	ASSERT_EQ(0, CALL(self->s.fd, SNAPSHOT, &snapshot));
	EXPECT_EQ(0, poll(&wait, 1, 0));
	/* All at once. */
	ASSERT_EQ(0, fire("seq task 200 self 0"));
	EXPECT_EQ(1, poll(&wait, 1, -1));
	session_stop(_metadata, &self->s);
	outcome = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(101, outcome.violations);
	EXPECT_EQ(101, outcome.acted + outcome.withheld);
	EXPECT_LE(2, outcome.acted);
	EXPECT_LT(0, outcome.withheld);
	EXPECT_EQ(101, read_told(_metadata, &self->s, self->told, found));
}

/* Without actions nobody is woken. */
TEST_F(machine, wake_nobody)
{
	struct machine m = always_wrong(self->seqs, self->seq);
	struct pollfd wait = { .fd = self->s.fd, .events = POLLIN | POLLPRI };

	ASSERT_EQ(0, machine_add(&self->s, &m, self->told, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	while (machine_read(_metadata, &self->s, 0).violations < 5)
		sleep_ms(1);
	EXPECT_EQ(0, poll(&wait, 1, 0));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(0, machine_read(_metadata, &self->s, 0).acted);
	EXPECT_EQ(0, machine_read(_metadata, &self->s, 0).withheld);
}

/* The lines in the kernel's log from now on that begin with @text. */
static unsigned int count_lines(int log, const char *text)
{
	char line[8192];
	unsigned int nr = 0;
	ssize_t len;

	while ((len = read(log, line, sizeof(line) - 1)) > 0) {
		const char *message;

		line[len] = '\0';
		message = strchr(line, ';');
		nr += message && !strncmp(message + 1, text, strlen(text));
	}
	return nr;
}

TEST_F(machine, print)
{
	struct machine m = always_wrong(self->seqs, self->seq);
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct ktrace_machine_read outcome;

	ASSERT_LE(0, log);
	ASSERT_LE(0, lseek(log, 0, SEEK_END));
	ASSERT_EQ(0, machine_add_with(&self->s, &m, (struct ktrace_machine_add){
		.violations = KTRACE_MACHINE_NO_SOURCE, .actions = KTRACE_ACTION_PRINTK,
		.name = "even-numbers", .max_rate = 3,
	}));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1 self 42"));
	ASSERT_EQ(0, fire("seq task 100 self 100"));
	session_stop(_metadata, &self->s);
	outcome = machine_read(_metadata, &self->s, 0);
	EXPECT_EQ(51, outcome.violations);
	EXPECT_EQ(51, outcome.acted + outcome.withheld);
	EXPECT_LE(3, outcome.acted);
	EXPECT_LT(0, outcome.withheld);
	EXPECT_EQ(outcome.acted,
		  count_lines(log, "ktrace: machine 0 even-numbers: key "));
	close(log);
}

TEST_F(machine, actions_that_are_refused)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct ktrace_machine_add add = {
		.violations = self->told, .actions = KTRACE_ACTION_PRINTK, .name = "x",
	};
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct own[2], less[2];

	/* A name that could end the line or colour it. */
	strcpy(add.name, "a\nb");
	EXPECT_EQ(-EINVAL, machine_add_with(&self->s, &m, add));
	memset(add.name, 'a', sizeof(add.name));
	EXPECT_EQ(-EINVAL, machine_add_with(&self->s, &m, add));
	memset(add.name, 0, sizeof(add.name));
	add.name[5] = 'a';
	EXPECT_EQ(-EINVAL, machine_add_with(&self->s, &m, add));
	add.name[5] = 0;
	add.max_rate = KTRACE_ACTION_MAX_RATE + 1;
	EXPECT_EQ(-EINVAL, machine_add_with(&self->s, &m, add));
	add.max_rate = 0;
	add.reserved = 1;
	EXPECT_EQ(-EINVAL, machine_add_with(&self->s, &m, add));
	add.reserved = 0;
	/* Only who may write to the kernel's log has the kernel write to it. */
	ASSERT_EQ(0, syscall(SYS_capget, &header, own));
	memcpy(less, own, sizeof(less));
	less[CAP_SYS_ADMIN / 32].effective &= ~(1U << CAP_SYS_ADMIN % 32);
	ASSERT_EQ(0, syscall(SYS_capset, &header, less));
	EXPECT_EQ(-EPERM, machine_add_with(&self->s, &m, add));
	add.actions = KTRACE_ACTION_WAKE | KTRACE_ACTION_FREEZE;
	EXPECT_EQ(0, machine_add_with(&self->s, &m, add));
	ASSERT_EQ(0, syscall(SYS_capset, &header, own));
	/* The structure of ABI 1.16. */
	add.size = KTRACE_MACHINE_ADD_SIZE_1_16;
	EXPECT_EQ(1, machine_add_with(&self->s, &m, add));
}

/* Sessions are closed while their machines have much to do. */
TEST_F(machine, closed)
{
	struct machine m = alternation(self->seqs, self->seq);
	struct background background = { .context = "task", .count = 300000, .cpu = "all" };
	unsigned int i;

	m.states[1].limit = 1;
	m.states[1].clock = 0;
	fire_in_background(_metadata, &background);
	for (i = 0; i < scale(5, 100) || is_firing(&background); i++) {
		struct session s;

		session_with(_metadata, &s, 8, i & 4 ? KTRACE_SETUP_FREEZABLE : 0);
		session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
		add_told(_metadata, &s, 1);
		ASSERT_EQ(0, machine_add_acting(&s, &m, 1, i & 1 ? KTRACE_MACHINE_ONLY : 0,
						i & 4 ? KTRACE_ACTION_FREEZE :
						i & 2 ? KTRACE_ACTION_WAKE : 0));
		session_start(_metadata, &s);
		sleep_ms(i % 40);
		if (i & 2)
			session_stop(_metadata, &s);
		session_close(&s);
	}
	if (background.thread)
		pthread_join(background.thread, NULL);
	EXPECT_EQ(0, background.err);
}

TEST_HARNESS_MAIN
