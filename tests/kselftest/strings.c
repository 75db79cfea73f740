// SPDX-License-Identifier: GPL-2.0
/* Strings of system calls: samples store the strings that an event's arguments point to. */
#include "selftest.h"

#define EVENT		"syscalls/sys_enter_openat"
#define RENAME		"syscalls/sys_enter_renameat2"
#define PATH_ARG	(1U << 1)

FIXTURE(strings) {
	struct session s;
	struct ring *ring;
	uint64_t pos;
	unsigned int fixed;	/* where the fields of the strings begin */
	char *page;		/* a page that can be read, before one that cannot */
};

static bool kernel_stores_strings(void)
{
	char text[8192];

	return read_file(TRACING "/events/" EVENT "/format", text, sizeof(text)) > 0 &&
	       strstr(text, "__filename_val");
}

#define NEED_KERNEL_WITHOUT_STRINGS()					\
	do {								\
		if (kernel_stores_strings())				\
			SKIP(return, "this kernel stores strings by itself"); \
	} while (0)

static int add(struct session *s, const char *event, uint64_t id, uint32_t strings,
	       enum ktrace_path path)
{
	struct ktrace_event_add add = event_add_init(event_id(event), id);
	char name[300];

	event_name(name, sizeof(name), event);
	add.name = (uintptr_t)name;
	add.path = path;
	add.user_strings = strings;
	return CALL(s->fd, EVENT_ADD, &add);
}

FIXTURE_SETUP(strings)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];
	size_t page;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 512;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->ring = &self->s.ring[cpus[0]];
	pin_to(_metadata, cpus[0]);
	self->fixed = event_fixed_size(_metadata, EVENT);
	page = sysconf(_SC_PAGESIZE);
	self->page = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	memset(self->page, 'p', page);
	ASSERT_EQ(0, munmap(self->page + page, page));
}

FIXTURE_TEARDOWN(strings)
{
	session_close(&self->s);
}

static const struct sample *next_own(struct __test_metadata *_metadata,
				     FIXTURE_DATA(strings) *self)
{
	const struct sample *sample;

	do
		sample = (const void *)ring_next(_metadata, self->ring, &self->pos,
						 ring_head(self->ring));
	while (sample && (sample->header.type != PERF_RECORD_SAMPLE ||
			  sample->pid != getpid()));
	return sample;
}

/* Expects the string of number @nr in a sample to be @want, @size bytes; 0: not stored. */
static void expect_string(struct __test_metadata *_metadata, const struct sample *sample,
			  unsigned int fixed, unsigned int nr, const char *want, size_t size)
{
	uint32_t word;

	ASSERT_NE(NULL, sample);
	memcpy(&word, sample->raw + fixed + 4 * nr, sizeof(word));
	EXPECT_EQ(size, word >> 16);
	ASSERT_LE((word & 0xffff) + (word >> 16), sample->raw_size);
	ASSERT_GE(word & 0xffff, fixed + 4);
	if (size == word >> 16) {
		EXPECT_EQ(0, memcmp(want, sample->raw + (word & 0xffff), size)) {
			TH_LOG("'%.*s'", (int)size, sample->raw + (word & 0xffff));
		}
	}
}

static void open_path(const void *path)
{
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
}

TEST_F(strings, of_every_length)
{
	static const unsigned int lengths[] = {
		0, 1, 2, 62, 63, 64, 65, 127, 128, 129, 163, 164, 165, 166, 167, 200, 4000,
	};
	char path[4001], want[KTRACE_MAX_USER_STRING + 4];
	unsigned int i;

	NEED_KERNEL_WITHOUT_STRINGS();
	ASSERT_EQ(0, add(&self->s, EVENT, 0, PATH_ARG, KTRACE_PATH_AUTO));
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(path, 'a' + i, sizeof(path));
		path[lengths[i]] = '\0';
		open_path(path);
	}
	session_stop(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		bool cut = lengths[i] > KTRACE_MAX_USER_STRING;
		unsigned int length = cut ? KTRACE_MAX_USER_STRING : lengths[i];

		memset(want, 'a' + i, length);
		strcpy(want + length, cut ? "..." : "");
		expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, want,
			      strlen(want) + 1);
	}
}

/*
 * A string may end with its page, but a string that is not in memory is not stored, not even a
 * part.
 */
TEST_F(strings, at_the_end_of_memory)
{
	char *end = self->page + sysconf(_SC_PAGESIZE);
	const void *nowhere[] = {
		NULL, (void *)16, end, end + 100, (void *)-4096UL, (void *)(1UL << 63),
	};
	unsigned int i, n;

	NEED_KERNEL_WITHOUT_STRINGS();
	ASSERT_EQ(0, add(&self->s, EVENT, 0, PATH_ARG, KTRACE_PATH_AUTO));
	session_start(_metadata, &self->s);
	for (n = 0; n < 100; n += 33) {
		memset(end - 200, 'p', 200);
		end[-1] = '\0';
		open_path(end - 1 - n);
		end[-1] = 'p';
		open_path(end - 1 - n);
	}
	for (i = 0; i < ARRAY_SIZE(nowhere); i++)
		open_path(nowhere[i]);
	session_stop(_metadata, &self->s);

	end[-1] = '\0';
	for (n = 0; n < 100; n += 33) {
		expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, end - 1 - n,
			      n + 1);
		expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, "", 0);
	}
	for (i = 0; i < ARRAY_SIZE(nowhere); i++)
		expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, "", 0);
	EXPECT_EQ(NULL, next_own(_metadata, self));
}

TEST_F(strings, of_two_arguments)
{
	const struct sample *sample;
	unsigned int fixed = event_fixed_size(_metadata, RENAME);

	NEED_KERNEL_WITHOUT_STRINGS();
	ASSERT_EQ(0, add(&self->s, RENAME, 0, 1U << 1 | 1U << 3, KTRACE_PATH_AUTO));
	session_start(_metadata, &self->s);
	syscall(SYS_renameat2, AT_FDCWD, "/no such file", AT_FDCWD, "", 0);
	syscall(SYS_renameat2, AT_FDCWD, NULL, AT_FDCWD, "/another name", 0);
	session_stop(_metadata, &self->s);
	sample = next_own(_metadata, self);
	expect_string(_metadata, sample, fixed, 0, "/no such file", 14);
	expect_string(_metadata, sample, fixed, 1, "", 1);
	sample = next_own(_metadata, self);
	expect_string(_metadata, sample, fixed, 0, "", 0);
	expect_string(_metadata, sample, fixed, 1, "/another name", 14);
}

/* A page that is mapped, but was never touched, is not brought in for us. */
TEST_F(strings, that_are_not_in_memory_yet)
{
	char *fresh = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED_KERNEL_WITHOUT_STRINGS();
	ASSERT_NE(MAP_FAILED, fresh);
	ASSERT_EQ(0, add(&self->s, EVENT, 0, PATH_ARG, KTRACE_PATH_AUTO));
	session_start(_metadata, &self->s);
	open_path(fresh);
	open_path(fresh);
	session_stop(_metadata, &self->s);
	expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, "", 0);
	expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, "", 1);
}

/* A filter reads the string like any other. */
TEST_F(strings, filtered)
{
	static const char pattern[] = "/etc/*";
	struct ktrace_filter_insn begins = {
		.op = KTRACE_FILTER_GLOB, .src = KTRACE_FILTER_SRC_DATA_LOC,
		.offset = self->fixed, .width = 4, .value = sizeof(pattern) - 1,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
	};
	struct ktrace_event_add add = event_add_init(event_id(EVENT), 0);

	NEED_KERNEL_WITHOUT_STRINGS();
	add.name = (uintptr_t)"syscalls:sys_enter_openat";
	add.user_strings = PATH_ARG;
	add.filter = (uintptr_t)&begins;
	add.filter_insns = 1;
	add.pool = (uintptr_t)pattern;
	add.pool_bytes = sizeof(pattern) - 1;
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_ADD, &add));
	session_start(_metadata, &self->s);
	open_path("/etc/shadow");
	open_path("/tmp/shadow");
	open_path(NULL);
	open_path("/etc/");
	session_stop(_metadata, &self->s);
	expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, "/etc/shadow", 12);
	expect_string(_metadata, next_own(_metadata, self), self->fixed, 0, "/etc/", 6);
	EXPECT_EQ(NULL, next_own(_metadata, self));
}

TEST_F(strings, refused)
{
	static const struct {
		const char *event;
		uint32_t strings;
		enum ktrace_path path;
	} wrong[] = {
		{ EVENT, 1U << 4, KTRACE_PATH_AUTO },
		{ EVENT, 1U << 31, KTRACE_PATH_AUTO },
		{ EVENT, 15, KTRACE_PATH_AUTO },
		{ EVENT, PATH_ARG, KTRACE_PATH_COUNTER },
		{ "syscalls/sys_exit_openat", 1, KTRACE_PATH_AUTO },
		{ "raw_syscalls/sys_enter", PATH_ARG, KTRACE_PATH_AUTO },
		{ "sched/sched_switch", 1, KTRACE_PATH_AUTO },
	};
	unsigned int i;

	NEED_KERNEL_WITHOUT_STRINGS();
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_EQ(-ENODEV, add(&self->s, wrong[i].event, i, wrong[i].strings,
				       wrong[i].path)) {
			TH_LOG("%u", i);
		}
	EXPECT_EQ(0, add(&self->s, EVENT, 0, 7, KTRACE_PATH_TEMPLATE));
	EXPECT_EQ(0, add(&self->s, EVENT, 1, 0, KTRACE_PATH_TEMPLATE));
}

/* The same event with and without strings. */
TEST_F(strings, only_where_they_are_wanted)
{
	const struct sample *sample;
	unsigned int with = 0, without = 0;

	NEED_KERNEL_WITHOUT_STRINGS();
	ASSERT_EQ(0, add(&self->s, EVENT, 0, PATH_ARG, KTRACE_PATH_AUTO));
	ASSERT_EQ(0, add(&self->s, EVENT, 1, 0, KTRACE_PATH_AUTO));
	session_start(_metadata, &self->s);
	open_path("/a path");
	session_stop(_metadata, &self->s);
	while ((sample = next_own(_metadata, self))) {
		if (sample->id == KTRACE_ID_BASE) {
			expect_string(_metadata, sample, self->fixed, 0, "/a path", 8);
			with++;
		} else {
			EXPECT_LT(sample->raw_size, self->fixed + 8);
			without++;
		}
	}
	EXPECT_EQ(1, with);
	EXPECT_EQ(1, without);
}

TEST(refused_where_the_kernel_stores_them)
{
	struct session s;

	if (!kernel_stores_strings())
		SKIP(return, "this kernel stores no strings by itself");
	session_open(_metadata, &s, NULL);
	EXPECT_EQ(-ENODEV, add(&s, EVENT, 0, PATH_ARG, KTRACE_PATH_AUTO));
	session_close(&s);
}

TEST_HARNESS_MAIN
