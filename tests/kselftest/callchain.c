// SPDX-License-Identifier: GPL-2.0
/*
 * The frames of user space in call chains: they are the addresses that the program's functions
 * return to, and equal to perf's.  Where return addresses are signed (pointer authentication), they
 * are without their signature.  The frames of the kernel, where chains repeat, come from the cache
 * instead of the unwinder, and are the same.
 */
#include <elf.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>

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

/* Where this is skipped, the other tests do not show that signatures are removed. */
TEST_F(callchain, return_addresses_carry_signatures)
{
	if (!is_signed)
		SKIP(return, "this processor or this program signs no return addresses");
}

#ifdef __aarch64__
/* Makes the call in a function without a frame, and returns the return address of that. */
ALONE static uint64_t call_without_frame(void)
{
	uint64_t back;

	asm volatile("bl 2f\n"
		     "1: adr %0, 1b\n"
		     "b 3f\n"
		     "2: mov x8, %1\n"
		     "mov x0, xzr\n"
		     "svc #0\n"
		     "ret\n"
		     "3:" : "=r"(back) : "i"(SYS_getpgid) : "x0", "x8", "x30", "memory");
	return back;
}
#else
static uint64_t call_without_frame(void)
{
	syscall(SYS_getpgid, 0);
	return 0;
}
#endif

/* The user's registers, which end a sample. */
struct user_regs {
	uint64_t abi, lr;
};

#define REGS_FIELDS	(1ULL << KTRACE_FIELD_TGID | 1ULL << KTRACE_FIELD_SEQ)

/* Frame pointers lead past the caller of a function without a frame. */
TEST(link_register)
{
	static const char * const events[] = { EVENT, "sched/sched_switch" };
	unsigned int i, cpus[2], seen[ARRAY_SIZE(events)] = { 0 };
	const struct perf_event_header *header;
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_info info = INFO_INIT;
	uint64_t back, pos = 0, seq = 0;
	struct ktrace_event_add add;
	struct session s;
	bool possible;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &s, &setup);
	ASSERT_EQ(0, CALL(s.fd, INFO, &info));
	possible = info.features & KTRACE_FEATURE_REGS_USER;
	two_cpus(&s, cpus);
	pin_to(_metadata, cpus[0]);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		add = event_add_init(event_id(events[i]), i);
		add.fields = REGS_FIELDS;
		add.sample_type |= PERF_SAMPLE_REGS_USER;
		EXPECT_EQ(-EINVAL, event_add(s.fd, events[i], &add));
		add.sample_type |= PERF_SAMPLE_CALLCHAIN;
		ASSERT_EQ(possible ? 0 : -EINVAL, event_add(s.fd, events[i], &add));
	}
	if (possible) {
		session_start(_metadata, &s);
		back = call_without_frame();
		sleep_ms(1);
		session_stop(_metadata, &s);
	}
	while (possible && (header = ring_next(_metadata, &s.ring[cpus[0]], &pos,
					       ring_head(&s.ring[cpus[0]])))) {
		const struct sample *sample = (const void *)header;
		const struct user_regs *regs = (const void *)header + header->size - sizeof(*regs);
		const uint64_t *slot = (const uint64_t *)regs;

		ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
		EXPECT_EQ(0, header->misc & ~PERF_RECORD_MISC_CPUMODE_MASK);
		/* Other samples have their own registers. */
		if (sample->id == KTRACE_ID_BASE && sample->pid == getpid()) {
			EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, regs->abi);
			EXPECT_EQ(back, regs->lr);
			seen[0]++;
		} else if (!sample->pid) {
			EXPECT_EQ(PERF_SAMPLE_REGS_ABI_NONE, regs->abi);
			EXPECT_EQ(0, regs->lr);
			seen[1]++;
		}
		EXPECT_EQ(seq++, slot[-1]);
		EXPECT_EQ(sample->pid, slot[-2]);
	}
	if (possible) {
		EXPECT_EQ(1, seen[0]);
		EXPECT_LT(0, seen[1]);
	}
	session_close(&s);
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

/* If a chain from the cache differs from the unwound one, the kernel warns. */
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

/* The number of getpgid() in 32-bit programs of both machines. */
#define NARROW_GETPGID	132

#if defined(__x86_64__)
#define NARROW_MACHINE	EM_386
#define NARROW_FLAGS	0
static const uint8_t narrow_code[] = {
	0x31, 0xed,			/* _start:	xor %ebp, %ebp */
	0xe8, 9, 0, 0, 0,		/*		call outer */
	0xb8, 1, 0, 0, 0,		/*		mov $1, %eax: exit */
	0x31, 0xdb,			/*		xor %ebx, %ebx */
	0xcd, 0x80,			/*		int $0x80 */
	0x55, 0x89, 0xe5,		/* outer:	push %ebp; mov %esp, %ebp */
	0xe8, 2, 0, 0, 0,		/*		call inner */
	0x5d, 0xc3,			/*		pop %ebp; ret */
	0x55, 0x89, 0xe5,		/* inner:	push %ebp; mov %esp, %ebp */
	0xb8, NARROW_GETPGID, 0, 0, 0,	/*		mov $132, %eax */
	0x31, 0xdb,			/*		xor %ebx, %ebx */
	0xcd, 0x80,			/*		int $0x80 */
	0x5d, 0xc3,			/*		pop %ebp; ret */
};
static const uint64_t narrow_places[] = { 0x26, 0x18, 7 };
#elif defined(__aarch64__)
#define NARROW_MACHINE	EM_ARM
#define NARROW_FLAGS	EF_ARM_EABI_VER5
static const uint32_t narrow_code[] = {
	0xe3a0b000,			/* _start:	mov fp, #0 */
	0xeb000002,			/*		bl outer */
	0xe3a07001, 0xe3a00000,		/*		mov r7, #1: exit; mov r0, #0 */
	0xef000000,			/*		svc #0 */
	0xe1a0c00d, 0xe92dd800,		/* outer:	mov ip, sp; push {fp, ip, lr, pc} */
	0xe24cb004, 0xeb000000,		/*		sub fp, ip, #4; bl inner */
	0xe91ba800,			/*		ldmdb fp, {fp, sp, pc} */
	0xe1a0c00d, 0xe92dd800,		/* inner:	mov ip, sp; push {fp, ip, lr, pc} */
	0xe24cb004, 0xe3a00000,		/*		sub fp, ip, #4; mov r0, #0 */
	0xe3a07000 | NARROW_GETPGID,	/*		mov r7, #132 */
	0xef000000, 0xe91ba800,		/*		svc #0; ldmdb fp, {fp, sp, pc} */
};
static const uint64_t narrow_places[] = { 0x40, 0x24, 8 };
#endif

#ifdef NARROW_MACHINE

/* A whole 32-bit program. */
struct narrow_program {
	Elf32_Ehdr header;
	Elf32_Phdr segment, stack;
	uint8_t code[sizeof(narrow_code)];
};

#define NARROW_ADDRESS	0x200000
#define NARROW_ENTRY	((uint64_t)NARROW_ADDRESS + offsetof(struct narrow_program, code))

/* The exit status of a process whose kernel runs no 32-bit programs. */
#define NARROW_REFUSED	99

/* Becomes the program when a byte comes from @turn; otherwise ends the process. */
static void exec_narrow_program(int turn)
{
	struct narrow_program program = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = NARROW_MACHINE, .e_version = EV_CURRENT,
			.e_entry = NARROW_ENTRY,
			.e_phoff = offsetof(struct narrow_program, segment),
			.e_flags = NARROW_FLAGS, .e_ehsize = sizeof(program.header),
			.e_phentsize = sizeof(program.segment), .e_phnum = 2,
		},
		.segment = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = NARROW_ADDRESS,
			.p_filesz = sizeof(program), .p_memsz = sizeof(program), .p_align = 0x10000,
		},
		/* Without this the kernel remarks that code on the stack could run. */
		.stack = { .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W },
	};
	int file = memfd_create("narrow", MFD_CLOEXEC);
	char *argv[] = { "narrow", NULL }, *none[] = { NULL }, byte;

	memcpy(program.code, narrow_code, sizeof(narrow_code));
	if (write(file, &program, sizeof(program)) == sizeof(program) && read(turn, &byte, 1) == 1)
		fexecve(file, argv, none);
	_exit(errno == ENOEXEC ? NARROW_REFUSED : 1);
}

/* Whether a sample of raw_syscalls/sys_enter is of the program's getpgid(). */
static bool is_narrow_getpgid(const struct sample *sample)
{
	const uint64_t *nr = (const void *)&sample->raw_size;
	const uint8_t *raw = (const void *)(nr + 1 + *nr);
	uint64_t id;

	/* Behind its size and the common fields. */
	memcpy(&id, raw + sizeof(uint32_t) + 8, sizeof(id));
	return id == NARROW_GETPGID;
}

static void expect_narrow_chain(struct __test_metadata *_metadata, const struct sample *sample)
{
	struct chain chain = user_part(_metadata, sample);
	uint64_t i;

	EXPECT_EQ(ARRAY_SIZE(narrow_places), chain.nr)
		log_chain(_metadata, chain);
	for (i = 0; i < chain.nr && i < ARRAY_SIZE(narrow_places); i++)
		EXPECT_EQ(NARROW_ENTRY + narrow_places[i], chain.ips[i]);
}

TEST(user_frames_of_32_bit_tasks)
{
	struct ktrace_event_add add = event_add_init(event_id("raw_syscalls/sys_enter"), 0);
	struct ktrace_task_add task = { .size = sizeof(task) };
	struct ktrace_setup setup = SETUP_INIT;
	const struct sample *theirs;
	const void *ours;
	unsigned int cpus[2];
	struct session s;
	struct perf perf;
	uint64_t pos = 0;
	int turn[2], status;

	session_open(_metadata, &s, &setup);
	two_cpus(&s, cpus);
	pin_to(_metadata, cpus[0]);
	ASSERT_EQ(0, pipe(turn));
	task.pid = fork();
	ASSERT_LE(0, task.pid);
	if (!task.pid) {
		/* So that it ends if this process does before its turn. */
		close(turn[1]);
		exec_narrow_program(turn[0]);
	}
	ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, event_add(s.fd, "raw_syscalls/sys_enter", &add));
	perf_open_as(_metadata, &perf, add.config, task.pid, cpus[0], add.sample_type);
	session_start(_metadata, &s);
	ASSERT_EQ(1, write(turn[1], "", 1));
	ASSERT_EQ(task.pid, waitpid(task.pid, &status, 0));
	session_stop(_metadata, &s);
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == NARROW_REFUSED) {
		perf_close(&perf);
		session_close(&s);
		SKIP(return, "this kernel or processor runs no 32-bit programs");
	}
	do {
		ours = ring_next(_metadata, &s.ring[cpus[0]], &pos, ring_head(&s.ring[cpus[0]]));
		ASSERT_NE(NULL, ours);
	} while (!is_narrow_getpgid(ours));
	do {
		theirs = perf_next(_metadata, &perf);
		ASSERT_NE(NULL, theirs);
	} while (!is_narrow_getpgid(theirs));
	expect_narrow_chain(_metadata, ours);
	expect_narrow_chain(_metadata, theirs);
	perf_close(&perf);
	session_close(&s);
}

#endif

/* ---- frame pointers into memory that changes --------------------------------- */

enum { HUGE_PAGE = 2 << 20, SMALL_PAGE = 4096 };

/* No address of a kernel is below. */
#define USER_END	(1ULL << 48)

static char *moving;		/* a huge page, or many small ones, or nothing */
static volatile bool walked_enough;

/* getppid() with a frame pointer that leads to any place. */
ALONE static void call_with_frame_pointer(uint64_t at)
{
#if defined(__x86_64__)
	long nr = SYS_getppid;

	asm volatile("mov %%rbp, %%r12; mov %[at], %%rbp; syscall; mov %%r12, %%rbp"
		     : "+a"(nr) : [at] "r"(at) : "rcx", "r11", "r12", "memory");
#elif defined(__aarch64__)
	asm volatile("mov x19, x29; mov x29, %[at]; mov x8, %[nr]; svc #0; mov x29, x19"
		     : : [at] "r"(at), [nr] "i"(SYS_getppid) : "x0", "x8", "x19", "memory");
#else
#error "no call with any frame pointer is known here"
#endif
}

static void *walk(void *unused)
{
	static const uint64_t nowhere[] = {
		0, 1, 8, 0xfff, 0x7fffffffeff0, 0x7fffffffeff8, 0x7ffffffff000, 0x7ffffffff008,
		0x800000000000, 0xffff800000000000, 0xffffffff81000000, 0xffffffffff5fffff,
		0xffffffffff600000, -16ULL, -8ULL, -1ULL,
	};
	uint64_t i = 0, k;

	while (!walked_enough) {
		for (k = 0; k < 64; k++, i++)
			call_with_frame_pointer((uintptr_t)moving +
						(i * 7 * SMALL_PAGE) % HUGE_PAGE + 8 * (i % 256));
		for (k = 0; k < ARRAY_SIZE(nowhere); k++)
			call_with_frame_pointer(nowhere[k]);
	}
	return NULL;
}

static bool map_moving(int prot, int flags)
{
	return mmap(moving, HUGE_PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | flags, -1,
		    0) != MAP_FAILED;
}

/* Fills all of it, or the beginning of each page, with an address of the user. */
static void fill_moving(size_t step, uint64_t address)
{
	for (size_t at = 0; at < HUGE_PAGE; at += step)
		*(uint64_t *)(moving + at) = address;
}

static void change_memory(unsigned int way)
{
	switch (way) {
	case 0:		/* small pages, in which a frame leads to the first one */
		map_moving(PROT_READ | PROT_WRITE, 0);
		madvise(moving, HUGE_PAGE, MADV_NOHUGEPAGE);
		fill_moving(SMALL_PAGE, (uintptr_t)moving);
		break;
	case 1:
		map_moving(PROT_READ | PROT_WRITE, 0);
		madvise(moving, HUGE_PAGE, MADV_HUGEPAGE);
		fill_moving(sizeof(uint64_t), 0x414141414140);
		break;
	case 2:
		madvise(moving, HUGE_PAGE, 25 /* MADV_COLLAPSE */);
		break;
	case 3:
		if (map_moving(PROT_READ | PROT_WRITE, MAP_HUGETLB))
			fill_moving(sizeof(uint64_t), 0x424242424240);
		else
			map_moving(PROT_NONE, 0);
		break;
	case 4:
		map_moving(PROT_NONE, 0);
		break;
	case 5:
		madvise(moving, HUGE_PAGE, MADV_DONTNEED);
		mprotect(moving, HUGE_PAGE, PROT_NONE);
		break;
	default:
		madvise(moving, HUGE_PAGE, MADV_DONTNEED);
		mprotect(moving, HUGE_PAGE, PROT_READ | PROT_WRITE);
	}
}

FIXTURE(walk) {
	struct session s;
	char *room;
};

FIXTURE_SETUP(walk)
{
	struct ktrace_event_add add = event_add_init(event_id("syscalls/sys_enter_getppid"), 0);
	struct ktrace_task_add task = {
		.size = sizeof(task), .pid = getpid(), .flags = KTRACE_TASK_INHERIT,
	};
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE;
	session_open(_metadata, &self->s, &setup);
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, event_add(self->s.fd, "syscalls/sys_enter_getppid", &add));
	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	self->room = mmap(NULL, 2 * HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->room);
	moving = (char *)(((uintptr_t)self->room + HUGE_PAGE - 1) & -HUGE_PAGE);
	write_file("/proc/sys/vm/nr_hugepages", "4");
	session_start(_metadata, &self->s);
}

FIXTURE_TEARDOWN(walk)
{
	munmap(self->room, 2 * HUGE_PAGE);
	write_file("/proc/sys/vm/nr_hugepages", "0");
	session_close(&self->s);
}

TEST_F_TIMEOUT(walk, memory_changes_under_the_walk, 600)
{
	unsigned int seed = 1, samples = 0, frames = 0;
	struct effort effort = effort_begin(200, 200000);
	const struct perf_event_header *header;
	pthread_t thread;

	walked_enough = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, walk, NULL));
	while (effort_next(&effort))
		change_memory(rand_r(&seed) % 7);
	LOG_EFFORT(&effort);
	walked_enough = true;
	pthread_join(thread, NULL);
	session_stop(_metadata, &self->s);
	for (unsigned int cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		const struct ring *ring = &self->s.ring[cpu];
		uint64_t pos = ring->data ? ring->tail->data_tail : 0;

		while (ring->data &&
		       (header = ring_next(_metadata, ring, &pos, ring_head(ring)))) {
			struct chain chain;

			if (header->type != PERF_RECORD_SAMPLE)
				continue;
			chain = user_part(_metadata, (const void *)header);
			samples++;
			for (; chain.nr; chain.nr--, chain.ips++, frames++) {
				/* Nothing else was in memory that the user can read. */
				ASSERT_GT(USER_END, *chain.ips);
			}
		}
	}
	EXPECT_LT(0, samples);
	/* Some of the frame pointers led to memory. */
	EXPECT_LT(samples, frames);
}

TEST_HARNESS_MAIN
