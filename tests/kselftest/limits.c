// SPDX-License-Identifier: GPL-2.0
/*
 * Filters, functions, counting and sessions with all their limits reached.  No CPU may be kept from
 * its other tasks for long: neither by recording, nor by the start and the end of a session.
 *
 * With KTRACE_STALL_MS, a test fails where that took longer.  Such a number is meaningful only
 * where time is instructions (scripts/guest --icount); elsewhere the machine's other work counts,
 * too.
 */
#include "selftest.h"

#include <sys/resource.h>

#define CALLS		"__x64_sys_getpgid"
#define MANY_SESSIONS	100
#define LARGE_RING	(128u << 20)
#define ARRAY_OF_DI	0x70	/* struct pt_regs of a system call: its first argument */
#define REG_DI		5	/* as enum perf_event_x86_regs numbers it */

struct watch {
	pthread_t thread;
	volatile bool quit;
	uint64_t longest;	/* ns */
	uint64_t began;
};

FIXTURE(limits)
{
	struct session s;
	struct ktrace_info info;
	struct field seq;
	struct watch watch;
	unsigned int cpu;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Wakes each ms, before all other work except the kernel's watchdogs. */
static void *watch_thread(void *arg)
{
	struct watch *w = arg;

	while (!w->quit) {
		uint64_t from = now_ns(), took;

		sleep_ms(1);
		took = now_ns() - from;
		if (took > w->longest)
			w->longest = took;
	}
	return NULL;
}

static void watch_begin(struct __test_metadata *_metadata, struct watch *w)
{
	struct sched_param priority = { .sched_priority = 90 };

	w->quit = false;
	w->longest = 0;
	ASSERT_EQ(0, pthread_create(&w->thread, NULL, watch_thread, w));
	ASSERT_EQ(0, pthread_setschedparam(w->thread, SCHED_FIFO, &priority));
	w->began = now_ns();
}

static void watch_end(struct __test_metadata *_metadata, struct watch *w, const char *what)
{
	uint64_t took = now_ns() - w->began;
	const char *limit = getenv("KTRACE_STALL_MS");

	w->quit = true;
	pthread_join(w->thread, NULL);
	TH_LOG("%s: %.3f s, no other task for %.3f s of them", what, took / 1e9,
	       w->longest / 1e9);
	if (limit)
		EXPECT_GE(strtoull(limit, NULL, 10) * 1000000, w->longest) {
			TH_LOG("%s keeps its CPU for too long", what);
		}
}

#define WATCHED(what, ...)						\
	do {								\
		watch_begin(_metadata, &self->watch);			\
		__VA_ARGS__;						\
		watch_end(_metadata, &self->watch, what);		\
	} while (0)

static void open_with(struct __test_metadata *_metadata, FIXTURE_DATA(limits) *self,
		      unsigned int pages)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE;
	setup.pages = pages;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	pin_to(_metadata, self->cpu);
}

FIXTURE_SETUP(limits)
{
	struct rlimit files = { 4096, 4096 };

	NEED_KTEST();
	setrlimit(RLIMIT_NOFILE, &files);
	self->info = (struct ktrace_info)INFO_INIT;
	open_with(_metadata, self, 16);
	ASSERT_EQ(0, CALL(self->s.fd, INFO, &self->info));
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(limits)
{
	session_close(&self->s);
}

#define NEED_FUNCTIONS()						\
	do {								\
		if (!(self->info.features & KTRACE_FEATURE_FUNCTION_ARGS)) \
			SKIP(return, "this kernel has no probes of functions by ftrace"); \
	} while (0)

/* ---- filters ---------------------------------------------------------------- */

/* Instructions that all fail; the last one rejects: all are executed. */
static void long_filter(struct ktrace_filter_insn *insns, unsigned int nr, struct field seq)
{
	static const uint8_t ops[] = { KTRACE_FILTER_EQ, KTRACE_FILTER_GT, KTRACE_FILTER_LT };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		uint8_t op = ops[i % ARRAY_SIZE(ops)];

		insns[i] = (struct ktrace_filter_insn){
			.op = op, .src = KTRACE_FILTER_SRC_RECORD,
			.flags = KTRACE_FILTER_SIGNED,
			.jt = KTRACE_FILTER_ACCEPT,
			.jf = i + 1 < nr ? i + 1 : KTRACE_FILTER_REJECT,
			.offset = seq.offset, .width = 8,
			.value = op == KTRACE_FILTER_LT ? -1ULL << 63 : ~0ULL >> 1,
		};
	}
}

TEST_F_TIMEOUT(limits, longest_filter, 600)
{
	struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS];
	struct ktrace_stats stats;

	long_filter(insns, ARRAY_SIZE(insns), self->seq);
	session_add_filtered(_metadata, &self->s, "ktrace_test/seq", 0, insns, ARRAY_SIZE(insns),
			     NULL, 0);
	session_start(_metadata, &self->s);
	WATCHED("10,000 firings", ASSERT_EQ(0, fire("seq task 10000 self 0")));
	WATCHED("10,000 in interrupts", ASSERT_EQ(0, fire("seq hardirq 10000 self 0")));
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, 0, self->cpu);
	EXPECT_EQ(20000, stats.filtered);
}

/* As many of them at one tracepoint as a session may have. */
TEST_F_TIMEOUT(limits, filters_of_most_events, 600)
{
	struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_COST / KTRACE_MAX_EVENTS / 16];
	struct ktrace_event_add add;
	struct ktrace_stats stats;
	unsigned int i;

	long_filter(insns, ARRAY_SIZE(insns), self->seq);
	WATCHED("adding most events", for (i = 0; i < KTRACE_MAX_EVENTS; i++)
		session_add_filtered(_metadata, &self->s, "ktrace_test/seq", i, insns,
				     ARRAY_SIZE(insns), NULL, 0));
	add = event_add_init(event_id("ktrace_test/seq"), i);
	EXPECT_EQ(-E2BIG, event_add(self->s.fd, "ktrace_test/seq", &add));
	WATCHED("starting them", session_start(_metadata, &self->s));
	WATCHED("100 firings of all", ASSERT_EQ(0, fire("seq task 100 self 0")));
	WATCHED("stopping them", session_stop(_metadata, &self->s));
	stats = session_stats(_metadata, &self->s, KTRACE_MAX_EVENTS - 1, self->cpu);
	EXPECT_EQ(100, stats.filtered);
}

#define TEXT_BYTES	256	/* of a function's arguments */

/*
 * Patterns that read every byte of a text of 'a' as often as possible, and do not match: as many as
 * a filter's cost limit permits.
 */
static unsigned int costly_filter(struct ktrace_filter_insn *insns, char *pool, unsigned int offset)
{
	uint64_t cost = 0;
	unsigned int i = 0;

	memset(pool, 'a', TEXT_BYTES / 2);
	pool[0] = pool[TEXT_BYTES / 2 - 1] = '*';
	pool[TEXT_BYTES / 2 - 2] = 'b';
	for (;; i++) {
		insns[i] = (struct ktrace_filter_insn){
			.op = KTRACE_FILTER_GLOB, .src = KTRACE_FILTER_SRC_RECORD,
			.jt = KTRACE_FILTER_ACCEPT, .jf = i + 1, .offset = offset,
			.width = TEXT_BYTES, .value = TEXT_BYTES / 2,
		};
		cost += ktrace_filter_cost(&insns[i], pool);
		if (cost > KTRACE_FILTER_MAX_COST || i == KTRACE_FILTER_MAX_INSNS)
			break;
	}
	insns[i - 1].jf = KTRACE_FILTER_REJECT;
	return i;
}

/* A call whose arguments are all 'a'. */
static void call_with_text(void)
{
	syscall(SYS_getpgid, 0x6161616161616161);
}

/* Adds an entry of CALLS with as much text as its arguments can have. */
static int add_costly(FIXTURE_DATA(limits) *self, uint64_t address, unsigned int nr)
{
	struct ktrace_function_arg args[KTRACE_MAX_FUNCTION_ARGS];
	struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS + 1];
	struct ktrace_event_add add = event_add_init(60000 + nr % 5000, nr);
	char pool[TEXT_BYTES];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = (struct ktrace_function_arg){
			.reg = REG_DI, .size = 8, .nr_loads = 1, .offsets = { ARRAY_OF_DI },
		};
	add.flags = KTRACE_EVENT_FUNCTION;
	add.address = address;
	add.args = (uintptr_t)args;
	add.nr_args = ARRAY_SIZE(args);
	add.filter = (uintptr_t)insns;
	add.filter_insns = costly_filter(insns, pool, 16);
	add.pool = (uintptr_t)pool;
	add.pool_bytes = TEXT_BYTES / 2;
	return CALL(self->s.fd, EVENT_ADD, &add);
}

TEST_F_TIMEOUT(limits, costliest_filter, 600)
{
	uint64_t address = address_of(CALLS);
	struct ktrace_task_add task = { .size = sizeof(task), .pid = gettid() };
	unsigned int nr = 0;
	int err = 0;

	NEED_FUNCTIONS();
	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	ASSERT_EQ(0, add_costly(self, address, nr++));
	/* All filters of a function run when it is called, by any names of the events. */
	while (nr < 64 && !(err = add_costly(self, address, nr)))
		nr++;
	EXPECT_EQ(-ENOSPC, err) {
		TH_LOG("%u filters of %u", nr, KTRACE_FILTER_MAX_COST);
	}
	session_start(_metadata, &self->s);
	WATCHED("a call", call_with_text());
	session_stop(_metadata, &self->s);
	EXPECT_EQ(1, session_stats(_metadata, &self->s, 0, self->cpu).filtered);
}

/* Each kind as often as it may be, none of them met. */
TEST_F_TIMEOUT(limits, most_conditions, 600)
{
	struct ktrace_scope_add scope = { .size = sizeof(scope), .kind = KTRACE_SCOPE_COMM };
	struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS];
	struct ktrace_stats stats;
	unsigned int i;
	char path[64];
	int dir;

	for (i = 0; i < KTRACE_SCOPE_MAX; i++) {
		snprintf(scope.comm, sizeof(scope.comm), "another-task-%02u", i);
		ASSERT_EQ(0, CALL(self->s.fd, SCOPE_ADD, &scope));
	}
	EXPECT_EQ(-E2BIG, CALL(self->s.fd, SCOPE_ADD, &scope));
	memset(scope.comm, 0, sizeof(scope.comm));
	scope.kind = KTRACE_SCOPE_CGROUP;
	for (i = 0; i < KTRACE_SCOPE_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/ktrace-limits-%u", i);
		mkdir(path, 0755);
		dir = open(path, O_RDONLY | O_DIRECTORY);
		ASSERT_LE(0, dir);
		scope.cgroup = dir;
		ASSERT_EQ(0, CALL(self->s.fd, SCOPE_ADD, &scope));
		close(dir);
		rmdir(path);
	}
	long_filter(insns, ARRAY_SIZE(insns), self->seq);
	session_add_filtered(_metadata, &self->s, "ktrace_test/seq", 0, insns, ARRAY_SIZE(insns),
			     NULL, 0);
	session_start(_metadata, &self->s);
	WATCHED("10,000 firings", ASSERT_EQ(0, fire("seq task 10000 self 0")));
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, 0, self->cpu);
	EXPECT_EQ(10000, stats.out_of_scope);
}

/* ---- functions -------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The addresses of @max functions that ftrace knows, from all over the kernel. */
static unsigned int functions_of(uint64_t *addresses, unsigned int max)
{
	static char *names[100000];
	unsigned int nr_names = 0, nr = 0, i, step;
	char line[256], type, *name = line;
	unsigned long long at;
	FILE *f;

	f = fopen(TRACING "/available_filter_functions", "r");
	while (f && nr_names < ARRAY_SIZE(names) && fscanf(f, "%255s%*[^\n]", line) == 1)
		names[nr_names++] = strdup(line);
	if (f)
		fclose(f);
	step = nr_names / max + 1;
	for (i = 0; i * step < nr_names; i++)
		names[i] = names[i * step];
	nr_names = i;
	qsort(names, nr_names, sizeof(*names), compare_names);
	f = fopen("/proc/kallsyms", "r");
	while (f && nr < max && fscanf(f, "%llx %c %255s%*[^\n]", &at, &type, line) == 3)
		if (strchr("tT", type) &&
		    bsearch(&name, names, nr_names, sizeof(*names), compare_names))
			addresses[nr++] = at;
	if (f)
		fclose(f);
	return nr;
}

/* Adds those with the numbers from @first to @end. */
static unsigned int add_functions(FIXTURE_DATA(limits) *self, const uint64_t *addresses,
				  unsigned int first, unsigned int end, unsigned int flags)
{
	unsigned int i, added = 0;

	for (i = first; i < end; i++) {
		struct ktrace_event_add add = event_add_init(60000 + i % 5000, i);

		add.flags = KTRACE_EVENT_FUNCTION | flags;
		add.address = addresses[i];
		added += !CALL(self->s.fd, EVENT_ADD, &add);
	}
	return added;
}

/* Typical work for the kernel. */
static void work(void)
{
	char text[4096] = "";
	int pipes[2];

	if (!pipe(pipes)) {
		if (write(pipes[1], text, 100) == 100 && read(pipes[0], text, 100) == 100)
			sched_yield();
		close(pipes[0]);
		close(pipes[1]);
	}
	if (!fork())
		_exit(0);
	wait(NULL);
	read_file("/proc/self/status", text, sizeof(text));
	sleep_ms(1);
}

/*
 * The kernel's work for a function depends on its address, so the same ones are added alone and
 * behind all others.
 */
static void most_functions(struct __test_metadata *_metadata, FIXTURE_DATA(limits) *self,
			   unsigned int flags)
{
	static uint64_t addresses[KTRACE_MAX_EVENTS];
	unsigned int nr = functions_of(addresses, ARRAY_SIZE(addresses)), few = 64, added = 0;
	uint64_t alone = now_ns(), behind;

	add_functions(self, addresses, 0, few, flags);
	alone = now_ns() - alone;
	session_close(&self->s);
	open_with(_metadata, self, 16);
	WATCHED("adding most functions",
		added = add_functions(self, addresses, few, nr, flags));
	behind = now_ns();
	added += add_functions(self, addresses, 0, few, flags);
	behind = now_ns() - behind;
	TH_LOG("%u functions of %u; the last %u took %.3f ms, alone %.3f ms", added, nr,
	       few, behind / 1e6, alone / 1e6);
	EXPECT_LT(KTRACE_MAX_EVENTS * 3 / 4, added);
	if (getenv("KTRACE_STALL_MS"))
		EXPECT_GE(alone * 105 / 100, behind) {
			TH_LOG("a function costs more, the more the session has");
		}
	WATCHED("starting them", session_start(_metadata, &self->s));
	WATCHED("calls of them", for (int i = 0; i < 20; i++) work());
	WATCHED("stopping them", session_stop(_metadata, &self->s));
	WATCHED("closing them", session_close(&self->s));
	session_open(_metadata, &self->s, NULL);
}

TEST_F_TIMEOUT(limits, most_functions, 900)
{
	NEED_FUNCTIONS();
	most_functions(_metadata, self, 0);
}

TEST_F_TIMEOUT(limits, most_returns, 900)
{
	NEED_FUNCTIONS();
	most_functions(_metadata, self, KTRACE_EVENT_RETURN);
}

/* One function is all events that a session may have, with all arguments, each by all loads. */
TEST_F_TIMEOUT(limits, most_arguments, 900)
{
	struct ktrace_function_arg args[KTRACE_MAX_FUNCTION_ARGS];
	struct ktrace_task_add task = { .size = sizeof(task), .pid = gettid() };
	uint64_t address = address_of(CALLS);
	struct ktrace_stats stats;
	unsigned int i;

	NEED_FUNCTIONS();
	for (i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = (struct ktrace_function_arg){
			.reg = REG_DI, .size = 8, .nr_loads = KTRACE_MAX_ARG_LOADS,
			.offsets = { ARRAY_OF_DI },
		};
	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	WATCHED("adding most events", for (i = 0; i < KTRACE_MAX_EVENTS; i++) {
		struct ktrace_event_add add = event_add_init(60000 + i % 5000, i);

		add.flags = KTRACE_EVENT_FUNCTION;
		add.address = address;
		add.args = (uintptr_t)args;
		add.nr_args = ARRAY_SIZE(args);
		ASSERT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
	});
	session_start(_metadata, &self->s);
	WATCHED("10 calls", for (i = 0; i < 10; i++) call_with_text());
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, KTRACE_MAX_EVENTS - 1, self->cpu);
	EXPECT_EQ(10, stats.recorded + stats_lost(&stats));
}

/* ---- counting --------------------------------------------------------------- */

static struct ktrace_count_part seq_part(FIXTURE_DATA(limits) *self)
{
	return (struct ktrace_count_part){
		.src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_NUMBER,
		.offset = self->seq.offset, .width = self->seq.size,
	};
}

/* Fills a table, fires twice as much as it holds, and reads it. */
static void full_table(struct __test_metadata *_metadata, FIXTURE_DATA(limits) *self,
		       struct ktrace_count_part *parts, unsigned int nr_parts, unsigned int entries)
{
	struct ktrace_count_add add = {
		.size = sizeof(add), .entries = entries, .nr_parts = nr_parts,
		.parts = (uintptr_t)parts,
	};
	struct ktrace_count_read r = { .size = sizeof(r), .cpu = self->cpu };
	struct ktrace_stats stats;
	void *room;
	int err = 0;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	WATCHED("making the table", err = CALL(self->s.fd, COUNT_ADD, &add));
	ASSERT_EQ(0, err);
	session_start(_metadata, &self->s);
	WATCHED("filling it", ASSERT_EQ(0, fire("seq task %u self 0", entries)));
	WATCHED("firing what has no room", ASSERT_EQ(0, fire("seq task 100000 self %u", entries)));
	WATCHED("firing that in interrupts",
		ASSERT_EQ(0, fire("seq hardirq 10000 self %u", entries)));
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, 0, self->cpu);
	EXPECT_EQ(entries + 110000, stats.recorded + stats_lost(&stats));
	EXPECT_LE(110000, stats.lost[KTRACE_LOST_NO_SLOT]);
	r.room = entries * (sizeof(struct ktrace_count_entry) + add.key_bytes);
	room = malloc(r.room);
	ASSERT_NE(NULL, room);
	r.entries = (uintptr_t)room;
	WATCHED("reading it", err = CALL(self->s.fd, COUNT_READ, &r));
	EXPECT_EQ(0, err);
	EXPECT_EQ(stats.recorded, r.nr);
	free(room);
	WATCHED("closing it", session_close(&self->s));
	session_open(_metadata, &self->s, NULL);
}

TEST_F_TIMEOUT(limits, full_table_of_most_entries, 900)
{
	struct ktrace_count_part part = seq_part(self);

	full_table(_metadata, self, &part, 1, KTRACE_COUNT_MAX_ENTRIES);
}

TEST_F_TIMEOUT(limits, full_table_of_longest_keys, 900)
{
	struct ktrace_count_part parts[KTRACE_COUNT_MAX_PARTS];
	unsigned int i;

	parts[0] = seq_part(self);
	for (i = 1; i < ARRAY_SIZE(parts); i++)
		parts[i] = (struct ktrace_count_part){
			.src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_TEXT,
			.offset = self->seq.offset, .width = i == 1 ? 24 : 16,
		};
	full_table(_metadata, self, parts, ARRAY_SIZE(parts), 1 << 17);
}

TEST_F_TIMEOUT(limits, full_table_of_starts, 900)
{
	struct ktrace_count_part pair = {
		.src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_NUMBER,
	};
	struct ktrace_count_add start = {
		.size = sizeof(start), .role = KTRACE_COUNT_START,
		.entries = KTRACE_COUNT_MAX_ENTRIES, .nr_parts = 1, .parts = (uintptr_t)&pair,
	}, end = start;
	struct field field = event_field(_metadata, "ktrace_test/class_a", "seq");
	struct ktrace_stats stats;
	int err = 0;

	pair.offset = field.offset;
	pair.width = field.size;
	end.role = KTRACE_COUNT_END;
	end.index = 1;
	end.entries = 1;
	end.nr_pair = 1;
	session_add(_metadata, &self->s, "ktrace_test/class_a", 0, 0);
	session_add(_metadata, &self->s, "ktrace_test/class_b", 1, 0);
	WATCHED("making the table", err = CALL(self->s.fd, COUNT_ADD, &start));
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &end));
	session_start(_metadata, &self->s);
	WATCHED("starting more than there is room for",
		ASSERT_EQ(0, fire("class_a task %u self 0", KTRACE_COUNT_MAX_ENTRIES * 3 / 2)));
	WATCHED("starting in interrupts", ASSERT_EQ(0, fire("class_a hardirq 10000 self 0")));
	WATCHED("ending some", ASSERT_EQ(0, fire("class_b task 100000 self 0")));
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, 0, self->cpu);
	EXPECT_LT(0, stats.lost[KTRACE_LOST_NO_SLOT]);
	EXPECT_EQ(KTRACE_COUNT_MAX_ENTRIES * 3 / 2 + 10000,
		  stats.recorded + stats_lost(&stats));
	WATCHED("closing it", session_close(&self->s));
	session_open(_metadata, &self->s, NULL);
}

/* ---- rings ------------------------------------------------------------------ */

/*
 * Not with the most pages: the emulator clears a page byte by byte, so that a GiB takes minutes.
 * The work for each page is the same.
 */
TEST_F_TIMEOUT(limits, large_rings, 900)
{
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_stats stats;
	struct session s;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = LARGE_RING / sysconf(_SC_PAGESIZE);
	WATCHED("making and mapping large rings", session_open(_metadata, &s, &setup));
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &s);
	ASSERT_EQ(0, fire("seq task 10000 self 0"));
	session_stop(_metadata, &s);
	stats = session_stats(_metadata, &s, 0, self->cpu);
	EXPECT_EQ(10000, stats.recorded);
	WATCHED("closing them", session_close(&s));
	/* Rings may take half of the memory, thousands of times this. */
	if (getenv("KTRACE_STALL_MS"))
		EXPECT_GE(10000000, self->watch.longest);
}

/* ---- sessions --------------------------------------------------------------- */

TEST_F_TIMEOUT(limits, many_sessions, 900)
{
	static struct session sessions[MANY_SESSIONS];
	struct ktrace_setup setup = SETUP_INIT;
	uint64_t address = address_of(CALLS);
	struct ktrace_stats stats;
	unsigned int i;
	uint64_t took;

	NEED_FUNCTIONS();
	setup.pages = 1;
	setup.flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE;
	WATCHED("opening many sessions", for (i = 0; i < MANY_SESSIONS; i++) {
		struct ktrace_event_add add = event_add_init(60000, 3);

		session_open(_metadata, &sessions[i], &setup);
		session_add(_metadata, &sessions[i], "ktrace_test/seq", 0, 0);
		session_add(_metadata, &sessions[i], "ktrace_test/class_a", 1, 0);
		session_add(_metadata, &sessions[i], "ktrace_test/class_b", 2, 0);
		add.flags = KTRACE_EVENT_FUNCTION;
		add.address = address;
		ASSERT_EQ(0, CALL(sessions[i].fd, EVENT_ADD, &add));
	});
	WATCHED("starting them", for (i = 0; i < MANY_SESSIONS; i++)
		session_start(_metadata, &sessions[i]));
	WATCHED("10,000 firings", ASSERT_EQ(0, fire("seq task 10000 self 0")));
	WATCHED("1,000 calls", for (i = 0; i < 1000; i++) syscall(SYS_getpgid, 0));
	WATCHED("stopping them", took = now_ns(); for (i = 0; i < MANY_SESSIONS; i++)
		session_stop(_metadata, &sessions[i]); took = now_ns() - took);
	/* It was a tenth of a second for each, when ftrace waited for all CPUs several times. */
	if (getenv("KTRACE_STALL_MS"))
		EXPECT_GT(MANY_SESSIONS * 50000000ULL, took);
	for (i = 0; i < MANY_SESSIONS; i++) {
		stats = session_stats(_metadata, &sessions[i], 0, self->cpu);
		EXPECT_EQ(10000, stats.recorded + stats_lost(&stats));
	}
	WATCHED("closing them", for (i = 0; i < MANY_SESSIONS; i++) session_close(&sessions[i]));
}

TEST_HARNESS_MAIN
