// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes that share some sessions make ioctls in any order, with arguments that are right,
 * nearly right or wrong.  Only effects that the uapi header describes may happen.  `make torture`
 * uses another seed each time, and KTRACE_SEED repeats its run.
 */
#include "selftest.h"

enum { NR_FILES = 6, NR_SHARED = 2, NR_MAPS = 12 };

struct map {
	void *at;
	size_t size;
	int prot;
	bool is_tail;
	bool is_gone;		/* MADV_DONTNEED or the like took its pages */
};

/* The state of one process. */
struct fuzzer {
	uint64_t rnd;
	int fds[NR_FILES];	/* -1: not open; the first NR_SHARED never close */
	struct map maps[NR_MAPS];
	const char * const *events;	/* as event_id() takes them */
	unsigned int nr_events;
	uint64_t every_function;	/* ftrace:function */
	bool arithmetic;	/* the filter that is made has steps of the accumulator */
	unsigned int unexpected;	/* results that should not have happened */
	unsigned long done[32];		/* successful calls by number */
};

static uint32_t rnd(struct fuzzer *f)
{
	f->rnd ^= f->rnd << 13;
	f->rnd ^= f->rnd >> 7;
	f->rnd ^= f->rnd << 17;
	return f->rnd >> 16;
}

static uint32_t below(struct fuzzer *f, uint32_t n)
{
	return rnd(f) % n;
}

static bool one_in(struct fuzzer *f, uint32_t n)
{
	return !below(f, n);
}

static uint64_t any_number(struct fuzzer *f)
{
	static const uint64_t edges[] = {
		0, 1, 2, 7, 8, 63, 64, 4095, 4096, 0x7fffffff, 0x80000000, 0xffffffff,
		1ULL << 32, 1ULL << 62, 1ULL << 63, UINT64_MAX, UINT64_MAX - 7,
	};

	return one_in(f, 3) ? (uint64_t)rnd(f) << 32 | rnd(f) : edges[below(f, ARRAY_SIZE(edges))];
}

/*
 * The memory that the kernel may write to.  call() changes single bits of arguments, and so also of
 * pointers.  From this address and below ARENA_BYTES, such a pointer leads to other bytes of the
 * arena, or to unmapped memory, but never to a variable or a return address of ours.
 */
#define ARENA		((char *)(1UL << (sizeof(long) == 8 ? 40 : 28)))
#define ARENA_BYTES	(2u << 20)

static bool arena_map(void)
{
	return mmap(ARENA, ARENA_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == ARENA;
}

static int any_file(struct fuzzer *f)
{
	return f->fds[below(f, NR_FILES)];
}

/*
 * Where to put an argument: sometimes at a wrong address, and sometimes where it ends just
 * before unmapped memory.
 */
static void *place(struct fuzzer *f, void *arg, size_t size)
{
	static char *page;

	if (!page) {
		page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(page + 4096, 4096);
	}
	if (one_in(f, 200))
		return (void *)(uintptr_t)any_number(f);
	if (one_in(f, 20) && page != MAP_FAILED) {
		memcpy(page + 4096 - size, arg, size);
		return page + 4096 - size;
	}
	return arg;
}

static void call(struct fuzzer *f, int fd, unsigned int nr, void *arg, size_t size)
{
	static const int known[] = {
		EFAULT, EINVAL, ENOTTY, EBUSY, E2BIG, ENOENT, ENODEV, EEXIST, ESRCH, ENOMEM, EPERM,
		EBADF, EINTR, EOPNOTSUPP, ENOSPC,
	};
	unsigned int i;

	if (arg && one_in(f, 12))
		((uint8_t *)arg)[below(f, size)] ^= 1 << below(f, 8);
	if (!ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, KTRACE_IOC_MAGIC, nr, 0),
		   arg ? place(f, arg, size) : NULL)) {
		f->done[nr % ARRAY_SIZE(f->done)]++;
		return;
	}
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (errno == known[i])
			return;
	f->unexpected++;
	printf("# call %u: %s\n", nr, strerror(errno));
}

#define DO(f, fd, name, arg) call(f, fd, _IOC_NR(KTRACE_IOC_##name), arg, sizeof(*(arg)))

static void do_setup(struct fuzzer *f)
{
	static const int clocks[] = { KTRACE_CLOCK_PERF, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
				      CLOCK_BOOTTIME, CLOCK_REALTIME, 17 };
	uint64_t cpus = any_number(f);
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = below(f, KTRACE_SETUP_ALL + 1);
	setup.pages = one_in(f, 20) ? any_number(f) : 1u << below(f, 6);
	setup.clockid = clocks[below(f, ARRAY_SIZE(clocks))];
	setup.wakeup_bytes = one_in(f, 2) ? 0 : one_in(f, 4) ? any_number(f) : 1 + below(f, 4096);
	if (one_in(f, 3)) {
		setup.cpus = (uintptr_t)&cpus;
		setup.cpus_bytes = one_in(f, 10) ? any_number(f) : sizeof(cpus);
	}
	DO(f, any_file(f), SETUP, &setup);
}

/* A step of the accumulator; the first one sets it. */
static void make_step(struct fuzzer *f, struct ktrace_filter_insn *insn, bool first)
{
	if (ktrace_filter_is_text(insn->op))
		return;
	insn->op = first ? KTRACE_FILTER_LOAD :
		   KTRACE_FILTER_LOAD + below(f, KTRACE_FILTER_ACC_BAND - KTRACE_FILTER_LOAD + 1);
	if (insn->op == KTRACE_FILTER_STORE || one_in(f, 4)) {
		insn->src = insn->op == KTRACE_FILTER_STORE || (one_in(f, 2) && !first) ?
			KTRACE_FILTER_SRC_REGISTER : KTRACE_FILTER_SRC_VALUE;
		insn->offset = 0;
		insn->width = 8;
		insn->flags = 0;
	}
	if (insn->src != KTRACE_FILTER_SRC_VALUE)
		insn->value = 0;
	if (ktrace_filter_can_be_signed(insn->op) && one_in(f, 2))
		insn->flags |= KTRACE_FILTER_SIGNED_OP;
	if (insn->op < KTRACE_FILTER_ACC_EQ)
		insn->jf = insn->jt;
}

static void make_insn(struct fuzzer *f, struct ktrace_filter_insn *insn, unsigned int index,
		      unsigned int nr, unsigned int pool)
{
	static const uint16_t ends[] = { KTRACE_FILTER_ACCEPT, KTRACE_FILTER_REJECT };

	*insn = (struct ktrace_filter_insn){
		.op = 1 + below(f, 6),
		.src = one_in(f, 3) ? 1 + below(f, 4) : KTRACE_FILTER_SRC_RECORD,
		.jt = index + 1 < nr ? index + 1 : ends[below(f, 2)],
		.jf = one_in(f, 3) && index + 1 < nr ? index + 1 + below(f, nr - index - 1) :
			ends[below(f, 2)],
		.offset = below(f, 64),
		.width = 1u << below(f, 4),
		.value = any_number(f),
	};
	if (insn->op >= KTRACE_FILTER_STREQ)
		insn->value = (uint64_t)below(f, pool) << 32 | below(f, 8);
	else
		insn->flags = below(f, 2);
	if (insn->src == KTRACE_FILTER_SRC_FIELD) {
		insn->offset = insn->op >= KTRACE_FILTER_STREQ ? KTRACE_FIELD_COMM :
			one_in(f, 2) ? KTRACE_FIELD_TID : below(f, 40);
		insn->width = KTRACE_FIELD_SLOT(insn->offset);
	}
	if (f->arithmetic && (!index || one_in(f, 2)))
		make_step(f, insn, !index);
	if (one_in(f, 60))
		((uint8_t *)insn)[below(f, sizeof(*insn))] ^= 1 << below(f, 8);
}

static void do_event_add(struct fuzzer *f)
{
	static struct ktrace_filter_insn insns[KTRACE_FILTER_MAX_INSNS];
	static const char pool[64] = "*[a-z]?sh*\\[bash\0ktrace[!x-";
	const char *event = f->events[below(f, f->nr_events)];
	struct ktrace_event_add add = event_add_init(event_id(event), below(f, 40));
	char name[64];
	unsigned int i, nr = one_in(f, 20) ? below(f, KTRACE_FILTER_MAX_INSNS) : 1 + below(f, 6);

	/*
	 * We do not capture every function of the kernel: with several sessions, nothing else would
	 * get done.
	 */
	if (one_in(f, 20))
		add.config = any_number(f);
	if (add.config == f->every_function)
		add.config = 0;
	add.path = one_in(f, 20) ? below(f, 4) : path_wanted();
	/* Mostly the event's own name, sometimes that of another. */
	event_name(name, sizeof(name), one_in(f, 10) ? f->events[below(f, f->nr_events)] : event);
	if (one_in(f, 20))
		name[below(f, sizeof(name))] = below(f, 256);
	if (!one_in(f, 10))
		add.name = (uintptr_t)name;
	add.flags = one_in(f, 4) ? KTRACE_EVENT_TRIGGER : 0;
	if (one_in(f, 2))
		add.fields = below(f, 1 << KTRACE_FIELD_NR_STORED);
	/* Without a PMU these are refused. */
	if (!one_in(f, 4))
		add.fields &= ~(1ULL << KTRACE_FIELD_CYCLES | 1ULL << KTRACE_FIELD_INSTRUCTIONS);
	if (one_in(f, 2)) {
		f->arithmetic = one_in(f, 3);
		for (i = 0; i < nr; i++)
			make_insn(f, &insns[i], i, nr, sizeof(pool) - 8);
		add.filter = (uintptr_t)insns;
		add.filter_insns = nr;
		add.pool = (uintptr_t)pool;
		add.pool_bytes = sizeof(pool);
	}
	DO(f, any_file(f), EVENT_ADD, &add);
}

static void do_sample(struct fuzzer *f)
{
	struct ktrace_sample sample = {
		.size = sizeof(sample), .index = below(f, 4), .every = below(f, 5),
		.max_rate = one_in(f, 2) ? 0 : any_number(f),
	};

	DO(f, any_file(f), SAMPLE, &sample);
}

static struct ktrace_count_part any_part(struct fuzzer *f)
{
	return (struct ktrace_count_part){
		.src = below(f, 10), .form = 1 + below(f, 4), .flags = below(f, 2),
		.offset = below(f, 64), .width = 1 << below(f, 5),
	};
}

static void do_count_add(struct fuzzer *f)
{
	struct ktrace_count_part parts[KTRACE_COUNT_MAX_PARTS];
	struct ktrace_count_add add = {
		.size = sizeof(add), .index = below(f, 4), .role = below(f, 3),
		.entries = one_in(f, 20) ? any_number(f) : 1 + below(f, 100),
		.nr_parts = one_in(f, 20) ? any_number(f) : below(f, 4),
		.parts = (uintptr_t)parts,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		parts[i] = any_part(f);
	if (add.role == KTRACE_COUNT_END)
		add.start = below(f, 4);
	if (add.role == KTRACE_COUNT_END || one_in(f, 2))
		add.nr_pair = below(f, 4);
	if (!add.nr_parts)
		add.parts = 0;
	if (one_in(f, 2)) {
		add.value = any_part(f);
		add.value.form = KTRACE_COUNT_NUMBER;
	}
	DO(f, any_file(f), COUNT_ADD, &add);
}

static void do_count_read(struct fuzzer *f)
{
	struct ktrace_count_read read = {
		.size = sizeof(read), .index = below(f, 4), .cpu = below(f, 2),
		.entries = one_in(f, 20) ? any_number(f) : (uintptr_t)ARENA,
		.room = below(f, 4096),
		.position = one_in(f, 3) ? any_number(f) : 0,
	};

	struct ktrace_chain_read chains = {
		.size = sizeof(chains), .index = read.index, .entries = read.entries,
		.room = read.room, .position = read.position,
	};

	if (one_in(f, 3))
		DO(f, any_file(f), CHAIN_READ, &chains);
	else
		DO(f, any_file(f), COUNT_READ, &read);
}

static void do_describe(struct fuzzer *f)
{
	struct ktrace_describe describe = {
		.size = sizeof(describe), .bytes = below(f, 20000),
		.data = one_in(f, 10) ? any_number(f) : (uintptr_t)ARENA,
	};

	DO(f, any_file(f), DESCRIBE, &describe);
}

/* Opens a kept session in the place of another file. */
static void do_kept_open(struct fuzzer *f, const char *name)
{
	struct ktrace_kept_open open_it = { .size = sizeof(open_it) };
	unsigned int i = NR_SHARED + below(f, NR_FILES - NR_SHARED);
	int fd;

	memcpy(open_it.name, name, sizeof(open_it.name));
	fd = ioctl(any_file(f), KTRACE_IOC_KEPT_OPEN, &open_it);
	if (fd < 0)
		return;
	if (f->fds[i] >= 0)
		close(f->fds[i]);
	f->fds[i] = fd;
	f->done[_IOC_NR(KTRACE_IOC_KEPT_OPEN)]++;
}

static void do_keep(struct fuzzer *f)
{
	struct ktrace_keep keep = { .size = sizeof(keep), .name = "fuzz" };
	struct ktrace_kept_info info = { .size = sizeof(info), .nth = below(f, 4) };
	struct ktrace_event_info event = { .size = sizeof(event), .index = below(f, 4) };
	struct ktrace_recall recall = {
		.size = sizeof(recall), .cpus_bytes = 8 * (one_in(f, 4) ? below(f, 4) : 4),
		.cpus = (uintptr_t)ARENA, .bytes = below(f, 2048),
		.data = (uintptr_t)ARENA + ARENA_BYTES / 2,
	};

	keep.name[4] = '0' + below(f, 4);
	switch (below(f, 6)) {
	case 0:
		DO(f, any_file(f), KEEP, &keep);
		break;
	case 1:
		call(f, any_file(f), _IOC_NR(KTRACE_IOC_FORGET), NULL, 0);
		break;
	case 2:
		do_kept_open(f, keep.name);
		break;
	case 3:
		DO(f, any_file(f), KEPT_INFO, &info);
		break;
	case 4:
		DO(f, any_file(f), EVENT_INFO, &event);
		break;
	default:
		DO(f, any_file(f), RECALL, &recall);
		break;
	}
}

static void do_event_path(struct fuzzer *f)
{
	const char *event = f->events[below(f, f->nr_events)];
	struct ktrace_event_path path = {
		.size = sizeof(path), .type = PERF_TYPE_TRACEPOINT, .config = event_id(event),
	};
	char name[64];

	event_name(name, sizeof(name), event);
	path.name = (uintptr_t)name;
	DO(f, any_file(f), EVENT_PATH, &path);
}

static void do_snapshot(struct fuzzer *f)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	struct ktrace_stats stats = { .size = sizeof(stats), .index = below(f, 4) };

	if (one_in(f, 2))
		DO(f, any_file(f), SNAPSHOT, &snapshot);
	else
		DO(f, any_file(f), SNAPSHOT_STATS, &stats);
}

static void do_scope_add(struct fuzzer *f)
{
	struct ktrace_scope_add add = { .size = sizeof(add), .kind = below(f, 2) };

	if (add.kind == KTRACE_SCOPE_CGROUP) {
		add.cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		DO(f, any_file(f), SCOPE_ADD, &add);
		if (add.cgroup > 2)
			close(add.cgroup);
	} else {
		memcpy(add.comm, "fuzz", 4);
		DO(f, any_file(f), SCOPE_ADD, &add);
	}
}

static void do_task_add(struct fuzzer *f)
{
	struct ktrace_task_add add = {
		.size = sizeof(add), .flags = below(f, 8),
		.pid = one_in(f, 3) ? (int)below(f, 400) : getpid(),
	};

	DO(f, any_file(f), TASK_ADD, &add);
}

/* These are slow, because each waits for a grace period. */
static void do_slow(struct fuzzer *f)
{
	struct ktrace_mark mark = { .size = sizeof(mark) };

	if (one_in(f, 2))
		DO(f, any_file(f), MARK, &mark);
	else
		call(f, any_file(f), _IOC_NR(KTRACE_IOC_STOP), NULL, 0);
}

static void do_open(struct fuzzer *f)
{
	unsigned int i = NR_SHARED + below(f, NR_FILES - NR_SHARED);

	if (f->fds[i] >= 0)
		close(f->fds[i]);
	f->fds[i] = one_in(f, 8) ? -1 :
		open(KTRACE_DEVICE, one_in(f, 8) ? O_RDONLY : O_RDWR | O_NONBLOCK);
}

static void do_map(struct fuzzer *f)
{
	struct map *map = &f->maps[below(f, NR_MAPS)];
	unsigned int region = below(f, 3), cpu = one_in(f, 10) ? below(f, 300) : below(f, 2);
	uint64_t offset = KTRACE_MMAP_OFFSET(cpu, region);
	int flags = one_in(f, 10) ? MAP_PRIVATE : MAP_SHARED;

	if (map->at) {
		munmap(map->at, map->size);
		map->at = NULL;
	}
	if (one_in(f, 10))
		offset = any_number(f) & ~4095ULL;
	map->size = region == KTRACE_MMAP_DATA ? 4096u << below(f, 6) : 4096;
	map->prot = PROT_READ | (region == KTRACE_MMAP_TAIL || one_in(f, 10) ? PROT_WRITE : 0) |
		    (one_in(f, 30) ? PROT_EXEC : 0);
	map->is_tail = offset == KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_TAIL);
	map->at = mmap(NULL, map->size, map->prot, flags, any_file(f), offset);
	if (map->at == MAP_FAILED) {
		map->at = NULL;
		return;
	}
	map->is_gone = false;
	/* Only the tail may be mapped for writing, in any process. */
	if (map->prot & (PROT_EXEC | PROT_WRITE) && !map->is_tail) {
		f->unexpected++;
		printf("# mapped %llx with %x\n", (unsigned long long)offset, map->prot);
	}
	f->done[30]++;
}

static void do_use_map(struct fuzzer *f)
{
	struct map *map = &f->maps[below(f, NR_MAPS)];
	static volatile uint64_t sink;

	if (!map->at)
		return;
	switch (below(f, 4)) {
	case 0:
		if (!mprotect(map->at, map->size, PROT_READ | PROT_WRITE) && !map->is_tail) {
			f->unexpected++;
			printf("# data became writable\n");
		}
		break;
	case 1:
		if (map->is_tail && map->prot & PROT_WRITE && !map->is_gone)
			__atomic_store_n((uint64_t *)map->at,
					 one_in(f, 2) ? any_number(f) : below(f, 65536) * 8ULL,
					 __ATOMIC_RELEASE);
		break;
	case 2:
		if (!map->is_gone)
			sink += ((volatile uint64_t *)map->at)[below(f, map->size / 8)];
		break;
	default:
		if (one_in(f, 10) && !madvise(map->at, map->size, below(f, 24)))
			map->is_gone = true;
		break;
	}
}

static void do_cheap(struct fuzzer *f)
{
	struct ktrace_info info = INFO_INIT;
	struct ktrace_clock clock = { .size = sizeof(clock) };
	struct ktrace_stats stats = STATS_INIT;
	struct pollfd poll_fd = { .fd = any_file(f), .events = below(f, 64) };
	char text[512];

	switch (below(f, 7)) {
	case 0:
		DO(f, any_file(f), INFO, &info);
		break;
	case 1:
		DO(f, any_file(f), CLOCK, &clock);
		break;
	case 2:
		poll(&poll_fd, 1, 0);
		break;
	case 3:
		stats.index = one_in(f, 10) ? any_number(f) : below(f, 4);
		stats.cpu = one_in(f, 10) ? any_number(f) : below(f, 2);
		DO(f, any_file(f), STATS, &stats);
		break;
	case 4:
		memset(text, below(f, 256), sizeof(text));
		*(uint32_t *)text = below(f, sizeof(text));
		call(f, any_file(f), below(f, 256), text, sizeof(text));
		break;
	case 5:
		if (read(any_file(f), text, sizeof(text)) >= 0 ||
		    write(any_file(f), text, sizeof(text)) >= 0)
			f->unexpected++;
		break;
	default:
		fire("%s %s %u", one_in(f, 2) ? "seq" : "strings", one_in(f, 4) ? "hardirq" : "task",
		     1 + below(f, 8));
		break;
	}
}

static void step(struct fuzzer *f)
{
	unsigned int what = below(f, 1000);

	if (what < 3)
		do_open(f);
	else if (what < 5)
		do_slow(f);
	else if (what < 35)
		do_setup(f);
	else if (what < 75)
		do_event_add(f);
	else if (what < 80)
		do_count_add(f);
	else if (what < 90)
		do_task_add(f);
	else if (what < 100)
		do_scope_add(f);
	else if (what < 105)
		do_sample(f);
	else if (what < 110)
		do_event_path(f);
	else if (what < 114)
		do_count_read(f);
	else if (what < 115)
		do_describe(f);
	else if (what < 120)
		call(f, any_file(f), _IOC_NR(KTRACE_IOC_START), NULL, 0);
	else if (what < 125)
		do_snapshot(f);
	else if (what < 135)
		do_keep(f);
	else if (what < 215)
		do_map(f);
	else if (what < 500)
		do_use_map(f);
	else
		do_cheap(f);
}

/* Returns the number of unexpected results. */
static unsigned int fuzz(struct fuzzer *f, struct effort *effort)
{
	unsigned int i;

	for (i = NR_SHARED; i < NR_FILES; i++)
		f->fds[i] = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	while (effort_next(effort))
		step(f);
	printf("# of %lu calls of process %d succeeded:", effort->done, getpid());
	for (i = 0; i < ARRAY_SIZE(f->done); i++)
		if (f->done[i])
			printf(" %u:%lu", i, f->done[i]);
	printf("\n");
	fflush(stdout);
	return f->unexpected;
}

FIXTURE(fuzz) {
	const char *events[8];
	unsigned int nr_events;
};

FIXTURE_SETUP(fuzz)
{
	static const char * const names[] = {
		"ktrace_test/seq", "ktrace_test/strings", "ktrace_test/nest_outer", "ktrace_test/big",
		"sched/sched_switch", "raw_syscalls/sys_enter", "irq/softirq_entry",
		"syscalls/sys_enter_mmap",
	};
	unsigned int i;

	NEED_KTEST();
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (event_id(names[i]) >= 0)
			self->events[self->nr_events++] = names[i];
}

FIXTURE_TEARDOWN(fuzz)
{
}

TEST_F_TIMEOUT(fuzz, any_calls_in_any_order, 600)
{
	struct effort effort = effort_begin(10000, 500000);
	const char *seed_text = getenv("KTRACE_SEED");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) :
		effort.many > effort.few ? time(NULL) * 2654435761u : 0x9e3779b97f4a7c15;
	struct fuzzer f = { .events = self->events, .nr_events = self->nr_events,
			    .every_function = event_id("ftrace/function") };
	unsigned int i, n;
	int status;
	pid_t pid;

	TH_LOG("KTRACE_SEED=%llu", (unsigned long long)seed);
	ASSERT_TRUE(arena_map());
	for (i = 0; i < NR_SHARED; i++)
		f.fds[i] = device_open(_metadata);
	for (n = 0; n < 2; n++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			f.rnd = (seed | 1) + 2 * n;
			_exit(!!fuzz(&f, &effort));
		}
	}
	for (n = 0; n < 2; n++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	/* Of the kept sessions, only these are still open. */
	for (i = 0; i < NR_SHARED; i++) {
		CALL(f.fds[i], FORGET, 0);
		close(f.fds[i]);
	}
	sessions_forget(_metadata);
	check_new_session(_metadata);
}

TEST_HARNESS_MAIN
