// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger beside the program's own count.  Threads on all CPUs make system calls, and so do
 * handlers of signals that interrupt them.  Each call is recorded, counted or lost, on every path
 * of capture.
 */
#include <sys/time.h>

#include "selftest.h"

enum { MAX_THREADS = 8 };

#ifdef __aarch64__
#define CALLED	"__arm64_sys_getppid"
#else
#define CALLED	"__x64_sys_getppid"
#endif

/* ---- system calls, and how many there were ---------------------------------- */

struct load {
	unsigned int nr_threads, calls;	/* of each thread */
	uint64_t emitted;		/* by all of them, handlers of signals included */
	uint64_t handled;		/* signals */
};

static struct load *load;		/* shared with the calling child */

static void handle(int signal)
{
	syscall(SYS_getppid);
	__atomic_fetch_add(&load->emitted, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&load->handled, 1, __ATOMIC_RELAXED);
}

static void *make_calls(void *number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((uintptr_t)number % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (unsigned int i = 0; i < load->calls; i++)
		syscall(SYS_getppid);
	__atomic_fetch_add(&load->emitted, load->calls, __ATOMIC_RELAXED);
	return NULL;
}

/* The child's work, once it may begin. */
static int make_all_calls(int go)
{
	static const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never;
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	pthread_t threads[MAX_THREADS];
	uintptr_t i;
	char c;

	if (read(go, &c, 1) != 1 || sigaction(SIGALRM, &action, NULL) ||
	    setitimer(ITIMER_REAL, &often, NULL))
		return 1;
	for (i = 0; i < load->nr_threads; i++)
		if (pthread_create(&threads[i], NULL, make_calls, (void *)i))
			return 1;
	for (i = 0; i < load->nr_threads; i++)
		pthread_join(threads[i], NULL);
	return !!setitimer(ITIMER_REAL, &never, NULL);
}

/* Frees the contents of the rings now and then. */
static void *free_rings(void *arg)
{
	struct session *s = arg;

	for (;;) {
		sleep_ms(1);
		for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++)
			if (s->ring[cpu].data)
				ring_consume(&s->ring[cpu], ring_head(&s->ring[cpu]));
	}
	return NULL;
}

/* Records all calls of a child, from its first one to its end, while @reader runs, if any. */
static void run(struct __test_metadata *_metadata, struct session *s, void *(*reader)(void *))
{
	struct ktrace_task_add task = { .size = sizeof(task), .flags = KTRACE_TASK_INHERIT };
	pthread_t thread;
	int status, go[2];

	ASSERT_EQ(0, pipe(go));
	task.pid = fork();
	ASSERT_GE(task.pid, 0);
	if (!task.pid)
		_exit(make_all_calls(go[0]));
	ASSERT_EQ(0, CALL(s->fd, TASK_ADD, &task));
	if (reader)
		ASSERT_EQ(0, pthread_create(&thread, NULL, reader, s));
	session_start(_metadata, s);
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(task.pid, waitpid(task.pid, &status, 0));
	session_stop(_metadata, s);
	if (reader) {
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	ASSERT_EQ(0, status);
	close(go[0]);
	close(go[1]);
}

static void load_init(struct __test_metadata *_metadata)
{
	load = mmap(NULL, sizeof(*load), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	ASSERT_NE(MAP_FAILED, load);
	load->nr_threads = 2;
	load->calls = scale(3000, 400000);
}

/* The sum over all CPUs. */
static struct ktrace_stats stats_of(struct __test_metadata *_metadata, struct session *s,
				    unsigned int index)
{
	struct ktrace_stats all = { 0 }, one;

	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (!s->ring[cpu].data)
			continue;
		one = session_stats(_metadata, s, index, cpu);
		all.recorded += one.recorded;
		for (unsigned int i = 0; i < KTRACE_LOST_NR; i++)
			all.lost[i] += one.lost[i];
	}
	return all;
}

static struct ktrace_stats check_sum(struct __test_metadata *_metadata, struct session *s,
				     unsigned int index)
{
	struct ktrace_stats all = stats_of(_metadata, s, index);

	EXPECT_EQ(load->emitted, all.recorded + stats_lost(&all)) {
		TH_LOG("%llu recorded, lost %llu full, %llu nested, %llu too big, %llu recursive, %llu no slot, %llu no start; %llu signals",
		       all.recorded, all.lost[KTRACE_LOST_FULL], all.lost[KTRACE_LOST_NESTED],
		       all.lost[KTRACE_LOST_TOO_BIG], all.lost[KTRACE_LOST_RECURSION],
		       all.lost[KTRACE_LOST_NO_SLOT], all.lost[KTRACE_LOST_NO_START],
		       (unsigned long long)load->handled);
	}
	return all;
}

/* ---- recorded --------------------------------------------------------------- */

#define PROBE "ktrace_ledger/getppid"

FIXTURE(ledger) {
	struct session s;
	bool has_probe;
};

FIXTURE_VARIANT(ledger) {
	const char *event;	/* NULL: the function */
	unsigned int flags;
	bool is_filtered;
};

FIXTURE_VARIANT_ADD(ledger, all_calls_filtered) {
	.event = "raw_syscalls/sys_enter", .is_filtered = true,
};
FIXTURE_VARIANT_ADD(ledger, one_system_call) { .event = "syscalls/sys_enter_getppid" };
FIXTURE_VARIANT_ADD(ledger, dynamic_event) { .event = PROBE };
FIXTURE_VARIANT_ADD(ledger, function) { .flags = KTRACE_EVENT_FUNCTION };
FIXTURE_VARIANT_ADD(ledger, function_return) {
	.flags = KTRACE_EVENT_FUNCTION | KTRACE_EVENT_RETURN,
};

FIXTURE_SETUP(ledger)
{
	load_init(_metadata);
	if (variant->event && !strcmp(variant->event, PROBE))
		self->has_probe = !write_file(TRACING "/kprobe_events", "p:" PROBE " " CALLED "\n");
}

FIXTURE_TEARDOWN(ledger)
{
	if (self->has_probe)
		write_file(TRACING "/kprobe_events", "-:" PROBE "\n");
	munmap(load, sizeof(*load));
}

/* Returns whether this kernel has the event. */
static bool open_and_add(struct __test_metadata *_metadata, FIXTURE_DATA(ledger) *self,
			 const FIXTURE_VARIANT(ledger) *variant, unsigned int pages,
			 uint64_t sample_type, uint64_t fields)
{
	struct ktrace_filter_insn own = {
		.op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_RECORD, .width = 8,
		.value = SYS_getppid, .jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
	};
	struct ktrace_event_add add = event_add_init(60000, 0);
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_info info = INFO_INIT;

	if (variant->event && event_id(variant->event) < 0)
		return false;
	setup.pages = pages;
	session_open(_metadata, &self->s, &setup);
	add.sample_type |= sample_type;
	add.fields = fields;
	if (!variant->event) {
		ASSERT_EQ(0, CALL(self->s.fd, INFO, &info));
		if (!(info.features & KTRACE_FEATURE_FUNCTION)) {
			session_close(&self->s);
			return false;
		}
		add.flags = variant->flags;
		add.address = address_of(CALLED);
		ASSERT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
		return true;
	}
	if (variant->is_filtered) {
		own.offset = event_field(_metadata, variant->event, "id").offset;
		add.filter = (uintptr_t)&own;
		add.filter_insns = 1;
	}
	add.config = event_id(variant->event);
	ASSERT_EQ(0, event_add(self->s.fd, variant->event, &add));
	return true;
}

TEST_F_TIMEOUT(ledger, nobody_reads, 600)
{
	struct ktrace_stats all;

	if (!open_and_add(_metadata, self, variant, 2, 0, 0))
		SKIP(return, "this kernel has no such event");
	run(_metadata, &self->s, NULL);
	all = check_sum(_metadata, &self->s, 0);
	EXPECT_LT(0, all.recorded);
	EXPECT_LT(0, all.lost[KTRACE_LOST_FULL]);
	session_close(&self->s);
}

TEST_F_TIMEOUT(ledger, a_slow_reader, 600)
{
	if (!open_and_add(_metadata, self, variant, 4, 0, 0))
		SKIP(return, "this kernel has no such event");
	run(_metadata, &self->s, free_rings);
	EXPECT_LT(0, check_sum(_metadata, &self->s, 0).recorded);
	session_close(&self->s);
}

TEST_F_TIMEOUT(ledger, call_chains_and_fields, 600)
{
	const uint64_t fields = 1ULL << KTRACE_FIELD_COMM | 1ULL << KTRACE_FIELD_SEQ | 1;

	if (!open_and_add(_metadata, self, variant, 4, PERF_SAMPLE_CALLCHAIN, fields))
		SKIP(return, "this kernel has no such event");
	run(_metadata, &self->s, free_rings);
	EXPECT_LT(0, check_sum(_metadata, &self->s, 0).recorded);
	session_close(&self->s);
}

/* ---- among NMIs -------------------------------------------------------------- */

enum { CALLS, NMIS };

/* The contents of a CPU's ring, by event. */
static struct found {
	uint64_t pos, last_time, next_seq, samples[2], told[2];
	unsigned int early, gaps, misshapen;
} found[MAX_CPUS];

/* Samples end in their numbers, and losses in the times and the ids of samples. */
static void read_ring(const struct ring *ring, struct found *f)
{
	uint64_t head = ring_head(ring), time;
	const struct perf_event_header *header;
	unsigned int event;

	while (f->pos < head) {
		header = (const void *)(ring->data + f->pos % ring->size);
		if (header->size < sizeof(struct sample) || header->size % 8 ||
		    header->size > head - f->pos) {
			f->misshapen++;
			return;
		}
		f->pos += header->size;
		event = ((const struct sample *)header)->id - KTRACE_ID_BASE;
		if (event > NMIS) {
			f->misshapen++;
		} else if (header->type == PERF_RECORD_SAMPLE) {
			time = ((const struct sample *)header)->time;
			f->early += time < f->last_time;
			f->last_time = time;
			time = ((const uint64_t *)header)[header->size / 8 - 1];
			f->gaps += time != f->next_seq;
			f->next_seq = time + 1;
			f->samples[event]++;
		} else {
			time = ((const struct lost *)header)->time;
			f->early += time < f->last_time;
			f->last_time = time;
			f->told[event] += ((const struct lost *)header)->lost;
		}
	}
}

static void read_all(struct session *s)
{
	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (!s->ring[cpu].data)
			continue;
		read_ring(&s->ring[cpu], &found[cpu]);
		ring_consume(&s->ring[cpu], found[cpu].pos);
	}
}

static void *read_rings(void *s)
{
	for (;;) {
		sleep_ms(1);
		read_all(s);
	}
	return NULL;
}

static volatile bool over;

static void *send_nmis(void *unused)
{
	while (!over)
		if (fire("seq nmi 64 all"))
			break;
	return NULL;
}

FIXTURE(nmis) {
	struct session s;
	bool possible;
};

FIXTURE_VARIANT(nmis) {
	uint64_t sample_type;
	bool is_counted;
};

FIXTURE_VARIANT_ADD(nmis, samples) { 0 };
FIXTURE_VARIANT_ADD(nmis, call_chains) { .sample_type = PERF_SAMPLE_CALLCHAIN };
FIXTURE_VARIANT_ADD(nmis, counts) { .is_counted = true };

FIXTURE_SETUP(nmis)
{
	const struct ktrace_count_part part = {
		.src = KTRACE_COUNT_SRC_FIELD, .form = KTRACE_COUNT_NUMBER,
		.offset = KTRACE_FIELD_TID, .width = KTRACE_FIELD_SLOT(KTRACE_FIELD_TID),
	};
	struct ktrace_count_add count = {
		.size = sizeof(count), .index = CALLS, .entries = 16, .nr_parts = 1,
		.parts = (uintptr_t)&part,
	};
	struct ktrace_event_add add;
	struct ktrace_setup setup = SETUP_INIT;

	load_init(_metadata);
	memset(found, 0, sizeof(found));
	setup.pages = 8;
	session_open(_metadata, &self->s, &setup);
	self->possible = !access(KTEST "/fire", W_OK) && event_id("nmi/nmi_handler") >= 0;
	if (!self->possible)
		return;
	for (unsigned int i = CALLS; i <= NMIS; i++) {
		const char *event = i == CALLS ? "syscalls/sys_enter_getppid" : "nmi/nmi_handler";

		add = event_add_init(event_id(event), i);
		add.sample_type |= variant->sample_type;
		if (i == NMIS || !variant->is_counted)
			add.fields = 1ULL << KTRACE_FIELD_SEQ;
		ASSERT_EQ(0, event_add(self->s.fd, event, &add));
	}
	if (variant->is_counted)
		ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &count));
}

FIXTURE_TEARDOWN(nmis)
{
	session_close(&self->s);
	munmap(load, sizeof(*load));
}

/* NMIs interrupt the calls while they are recorded, and are recorded in the same rings. */
TEST_F_TIMEOUT(nmis, ledger_and_ring_agree, 600)
{
	struct ktrace_stats stats;
	uint64_t nmis = 0;
	pthread_t sender;

	if (!self->possible)
		SKIP(return, "no NMIs can be sent and seen here");
	over = false;
	ASSERT_EQ(0, pthread_create(&sender, NULL, send_nmis, NULL));
	run(_metadata, &self->s, read_rings);
	over = true;
	pthread_join(sender, NULL);
	read_all(&self->s);
	EXPECT_LT(0, check_sum(_metadata, &self->s, CALLS).recorded);
	for (unsigned int cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		const struct found *f = &found[cpu];

		if (!self->s.ring[cpu].data)
			continue;
		EXPECT_EQ(0, f->misshapen);
		EXPECT_EQ(0, f->early);
		EXPECT_EQ(0, f->gaps);
		for (unsigned int i = CALLS; i <= NMIS; i++) {
			if (i == CALLS && variant->is_counted)
				continue;
			stats = session_stats(_metadata, &self->s, i, cpu);
			EXPECT_EQ(stats.recorded, f->samples[i]);
			EXPECT_EQ(stats_lost(&stats), f->told[i] + stats_unplaced(&stats));
		}
		nmis += f->samples[NMIS];
	}
	TH_LOG("%llu samples of NMIs", (unsigned long long)nmis);
}

/* ---- counted ---------------------------------------------------------------- */

FIXTURE(counted) {
	struct session s;
};

FIXTURE_VARIANT(counted) {
	unsigned int threads, entries;
	bool is_latency;
};

FIXTURE_VARIANT_ADD(counted, two_threads) { .threads = 2, .entries = 1000 };
FIXTURE_VARIANT_ADD(counted, two_threads_in_one_entry) { .threads = 2, .entries = 1 };
FIXTURE_VARIANT_ADD(counted, eight_threads_in_two_entries) { .threads = 8, .entries = 2 };
FIXTURE_VARIANT_ADD(counted, latencies) { .threads = 8, .entries = 1000, .is_latency = true };
FIXTURE_VARIANT_ADD(counted, latencies_with_one_start) {
	.threads = 8, .entries = 1, .is_latency = true,
};

FIXTURE_SETUP(counted)
{
	load_init(_metadata);
	load->nr_threads = variant->threads;
	load->calls /= 2;
	session_open(_metadata, &self->s, NULL);
}

FIXTURE_TEARDOWN(counted)
{
	session_close(&self->s);
	munmap(load, sizeof(*load));
}

/* The sum of the tables of an event, whose keys have @key_bytes. */
static uint64_t sum_of(struct __test_metadata *_metadata, struct session *s, unsigned int index,
		       unsigned int key_bytes)
{
	unsigned int size = sizeof(struct ktrace_count_entry) + key_bytes;
	static char room[65536];
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct ktrace_count_read r = {
			.size = sizeof(r), .index = index, .cpu = cpu,
			.entries = (uintptr_t)room, .room = sizeof(room),
		};

		while (s->ring[cpu].data && r.position != KTRACE_COUNT_READ_END) {
			ASSERT_EQ(0, CALL(s->fd, COUNT_READ, &r));
			for (unsigned int i = 0; i < r.nr; i++)
				sum += ((struct ktrace_count_entry *)(room + i * size))->count;
		}
	}
	return sum;
}

TEST_F_TIMEOUT(counted, sums_are_those_of_the_ledger, 600)
{
	struct ktrace_count_part parts[] = {
		{ .src = KTRACE_COUNT_SRC_FIELD, .form = KTRACE_COUNT_NUMBER,
		  .offset = KTRACE_FIELD_TID, .width = KTRACE_FIELD_SLOT(KTRACE_FIELD_TID) },
		{ .src = KTRACE_COUNT_SRC_LATENCY, .form = KTRACE_COUNT_LOG2, .width = 8 },
	};
	struct ktrace_count_add add = {
		.size = sizeof(add), .entries = variant->entries, .nr_parts = 1,
		.parts = (uintptr_t)parts,
	};
	struct ktrace_stats all;

	if (event_id("syscalls/sys_exit_getppid") < 0)
		SKIP(return, "this kernel has no events of system calls");
	session_add(_metadata, &self->s, "syscalls/sys_enter_getppid", 0, 0);
	add.role = variant->is_latency ? KTRACE_COUNT_START : KTRACE_COUNT_EACH;
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &add));
	if (variant->is_latency) {
		session_add(_metadata, &self->s, "syscalls/sys_exit_getppid", 1, 0);
		add.index = 1;
		add.role = KTRACE_COUNT_END;
		add.entries = 1000;
		add.nr_pair = 1;
		add.nr_parts = 2;
		add.value = parts[1];
		add.value.form = KTRACE_COUNT_NUMBER;
		ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &add));
	}
	run(_metadata, &self->s, NULL);
	all = check_sum(_metadata, &self->s, 0);
	EXPECT_LT(0, all.recorded);
	if (variant->is_latency) {
		all = check_sum(_metadata, &self->s, 1);
		EXPECT_LT(0, all.recorded);
	}
	EXPECT_EQ(all.recorded, sum_of(_metadata, &self->s, variant->is_latency, add.key_bytes));
}

TEST_HARNESS_MAIN
