// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that are kept live on when their files are closed, on purpose or by SIGKILL.  The next
 * reader goes on where the last one has stopped: nothing is lost and nothing comes twice.
 */
#include "selftest.h"

FIXTURE(kept) {
	struct session s;
	unsigned int cpu;
	struct field seq;
};

FIXTURE_SETUP(kept)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	NEED_KTEST();
	sessions_forget(_metadata);
	setup.pages = 64;
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	pin_to(_metadata, self->cpu);
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(kept)
{
	session_close(&self->s);
	sessions_forget(_metadata);
}

static int keep(int fd, const char *name)
{
	struct ktrace_keep keep = { .size = sizeof(keep) };

	memcpy(keep.name, name, strnlen(name, sizeof(keep.name)));
	return CALL(fd, KEEP, &keep);
}

/* Returns a descriptor, or a negative error. */
static int kept_open(int fd, const char *name)
{
	struct ktrace_kept_open open_it = { .size = sizeof(open_it) };
	int kept;

	memcpy(open_it.name, name, strnlen(name, sizeof(open_it.name)));
	kept = ioctl(fd, KTRACE_IOC_KEPT_OPEN, &open_it);
	return kept < 0 ? -errno : kept;
}

/* Opens a kept session from a file that is closed again, and maps the ring of @cpu. */
static void session_reopen(struct __test_metadata *_metadata, struct session *s, const char *name,
			   unsigned int cpu)
{
	struct ktrace_info info = INFO_INIT;
	int fd = device_open(_metadata);

	memset(s, 0, sizeof(*s));
	s->page = sysconf(_SC_PAGESIZE);
	s->fd = kept_open(fd, name);
	ASSERT_GE(s->fd, 0) {
		TH_LOG("%s: %s", name, strerror(-s->fd));
	}
	close(fd);
	ASSERT_EQ(0, CALL(s->fd, INFO, &info));
	s->nr_cpus = info.nr_cpu_ids;
	ring_map(_metadata, s, cpu);
}

/* Takes all records of a ring, which are numbers from @next on.  Returns the number behind them. */
static uint64_t take(struct __test_metadata *_metadata, struct ring *ring, struct field seq,
		     uint64_t next)
{
	uint64_t pos = ring->tail->data_tail, head = ring_head(ring);
	const struct perf_event_header *header;

	while ((header = ring_next(_metadata, ring, &pos, head))) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
		ASSERT_EQ(next, load_number((const void *)header, seq));
		next++;
	}
	ring_consume(ring, pos);
	return next;
}

TEST_F(kept, names)
{
	static const char bad[][48] = {
		"", ".", "..", "a/b", "a b", "a\n", "-v", "\xc3\xa4",
		"0123456789012345678901234567890123456789",
	};
	struct ktrace_keep twice = { .size = sizeof(twice), .name = "ok\0x" };
	struct session other;
	unsigned int i;

	session_open(_metadata, &other, NULL);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, keep(other.fd, bad[i])) {
			TH_LOG("%s", bad[i]);
		}
	EXPECT_EQ(-EINVAL, CALL(other.fd, KEEP, &twice));
	EXPECT_EQ(-EINVAL, CALL(other.fd, FORGET, 0));
	EXPECT_EQ(-ENOENT, kept_open(other.fd, "boot"));
	EXPECT_EQ(0, keep(self->s.fd, "boot"));
	EXPECT_EQ(-EBUSY, keep(self->s.fd, "other"));
	EXPECT_EQ(-EEXIST, keep(other.fd, "boot"));
	EXPECT_EQ(0, keep(other.fd, "A-1_b.2"));
	EXPECT_EQ(0, CALL(other.fd, FORGET, 0));
	EXPECT_EQ(-EINVAL, CALL(other.fd, FORGET, 0));
	EXPECT_EQ(0, keep(other.fd, "0123456789012345678901234567890"));
	EXPECT_EQ(0, CALL(other.fd, FORGET, 0));
	session_close(&other);
}

TEST_F(kept, before_setup)
{
	struct ktrace_recall recall = { .size = sizeof(recall) };
	int fd = device_open(_metadata);

	EXPECT_EQ(-EBUSY, keep(fd, "early"));
	EXPECT_EQ(-EBUSY, CALL(fd, RECALL, &recall));
	close(fd);
}

TEST_F(kept, there_is_a_limit)
{
	struct ktrace_setup setup = SETUP_INIT;
	static int fds[KTRACE_KEEP_MAX + 1];
	char name[16];
	unsigned int i;

	setup.pages = 1;
	for (i = 0; i <= KTRACE_KEEP_MAX; i++) {
		fds[i] = device_open(_metadata);
		ASSERT_EQ(0, CALL(fds[i], SETUP, &setup));
		snprintf(name, sizeof(name), "n%u", i);
		EXPECT_EQ(i < KTRACE_KEEP_MAX ? 0 : -ENOSPC, keep(fds[i], name));
	}
	for (i = 0; i <= KTRACE_KEEP_MAX; i++)
		close(fds[i]);
}

/* Closing the file is no end, and events are recorded while nobody has it open. */
TEST_F(kept, readers_follow_each_other)
{
	uint64_t next = 0;
	unsigned int round;

	session_start(_metadata, &self->s);
	ASSERT_EQ(0, keep(self->s.fd, "follow"));
	ASSERT_EQ(0, fire("seq task 100 self 0"));
	next = take(_metadata, &self->s.ring[self->cpu], self->seq, next);
	EXPECT_EQ(100, next);
	for (round = 1; round < 5; round++) {
		session_close(&self->s);
		ASSERT_EQ(0, fire("seq task 100 self %u", 100 * round));
		session_reopen(_metadata, &self->s, "follow", self->cpu);
		next = take(_metadata, &self->s.ring[self->cpu], self->seq, next);
		EXPECT_EQ(100 * (round + 1), next);
	}
	session_stop(_metadata, &self->s);
	EXPECT_EQ(500, session_stats(_metadata, &self->s, 0, self->cpu).recorded);
	EXPECT_EQ(500, emitted(_metadata, "seq", self->cpu, NULL));
}

/* A killed reader leaves the records that it has not consumed. */
TEST_F(kept, a_reader_is_killed)
{
	int ready[2], status;
	uint64_t next;
	pid_t pid;

	session_start(_metadata, &self->s);
	ASSERT_EQ(0, keep(self->s.fd, "killed"));
	session_close(&self->s);
	ASSERT_EQ(0, fire("seq task 300 self 0"));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		const struct perf_event_header *header;
		uint64_t pos = 0;
		int n;

		session_reopen(_metadata, &self->s, "killed", self->cpu);
		for (n = 0; n < 120; n++) {
			header = ring_next(_metadata, &self->s.ring[self->cpu], &pos,
					   ring_head(&self->s.ring[self->cpu]));
			if (!header)
				_exit(1);
		}
		ring_consume(&self->s.ring[self->cpu], pos);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &status, 1));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	session_reopen(_metadata, &self->s, "killed", self->cpu);
	ASSERT_EQ(0, fire("seq task 50 self 300"));
	next = take(_metadata, &self->s.ring[self->cpu], self->seq, 120);
	EXPECT_EQ(350, next);
	close(ready[0]);
	close(ready[1]);
}

TEST_F(kept, one_reader_at_a_time)
{
	struct ktrace_kept_info info = { .size = sizeof(info) };
	int fd = device_open(_metadata), copy;

	ASSERT_EQ(0, keep(self->s.fd, "mine"));
	EXPECT_EQ(-EBUSY, kept_open(fd, "mine"));
	ASSERT_EQ(0, CALL(fd, KEPT_INFO, &info));
	EXPECT_STREQ("mine", info.name);
	EXPECT_EQ(getpid(), info.reader);
	EXPECT_EQ(0, (int)info.flags);
	session_start(_metadata, &self->s);

	/* The file is open until its last descriptor is closed and nothing maps it. */
	copy = dup(self->s.fd);
	session_close(&self->s);
	EXPECT_EQ(-EBUSY, kept_open(fd, "mine"));
	self->s.fd = copy;
	ring_map(_metadata, &self->s, self->cpu);
	close(copy);
	EXPECT_EQ(-EBUSY, kept_open(fd, "mine"));
	self->s.fd = -1;
	session_close(&self->s);

	info = (struct ktrace_kept_info){ .size = sizeof(info) };
	ASSERT_EQ(0, CALL(fd, KEPT_INFO, &info));
	EXPECT_EQ(0, info.reader);
	EXPECT_EQ(KTRACE_KEPT_RUNNING, info.flags);
	EXPECT_EQ(getuid(), info.uid);
	info.nth = 1;
	EXPECT_EQ(-ENOENT, CALL(fd, KEPT_INFO, &info));
	session_reopen(_metadata, &self->s, "mine", self->cpu);
	close(fd);
}

TEST_F(kept, recall)
{
	static char text[5000], back[5000];
	uint64_t cpus[MAX_CPUS / 64] = { 0 };
	struct ktrace_describe describe = {
		.size = sizeof(describe), .bytes = sizeof(text), .data = (uintptr_t)text,
	};
	struct ktrace_recall recall = {
		.size = sizeof(recall), .cpus_bytes = sizeof(cpus), .cpus = (uintptr_t)cpus,
	};
	unsigned int cpu;

	memset(text, 'x', sizeof(text));
	ASSERT_EQ(0, CALL(self->s.fd, RECALL, &recall));
	EXPECT_EQ(0, (int)recall.bytes);
	ASSERT_EQ(0, CALL(self->s.fd, DESCRIBE, &describe));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, CALL(self->s.fd, RECALL, &recall));
	EXPECT_EQ(sizeof(text), recall.bytes);
	EXPECT_EQ(64, recall.pages);
	EXPECT_EQ(KTRACE_CLOCK_PERF, recall.clockid);
	EXPECT_EQ(1, recall.nr_events);
	EXPECT_EQ(KTRACE_RECALL_RUNNING, recall.flags);
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		EXPECT_EQ(cpu < self->s.nr_cpus && self->s.ring[cpu].data,
			  (cpus[cpu / 64] >> cpu % 64 & 1));

	ASSERT_EQ(0, keep(self->s.fd, "recall"));
	EXPECT_EQ(-EBUSY, CALL(self->s.fd, DESCRIBE, &describe));
	recall.data = (uintptr_t)back;
	recall.bytes = sizeof(back) - 1;
	EXPECT_EQ(-ENOSPC, CALL(self->s.fd, RECALL, &recall));
	recall.bytes = sizeof(back);
	EXPECT_EQ(0, CALL(self->s.fd, RECALL, &recall));
	EXPECT_EQ(0, memcmp(text, back, sizeof(text)));
	recall.data = 8;
	EXPECT_EQ(-EFAULT, CALL(self->s.fd, RECALL, &recall));
	recall.cpus_bytes = 0;
	EXPECT_EQ(-ENOSPC, CALL(self->s.fd, RECALL, &recall));
	recall.cpus_bytes = 9;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, RECALL, &recall));
}

TEST_F(kept, event_info)
{
	struct ktrace_event_info info = { .size = sizeof(info), .index = 1 };
	uint64_t fields = 1 << KTRACE_FIELD_COMM | 1 << KTRACE_FIELD_SEQ;
	struct ktrace_event_add add =
		event_add_init(event_id("ktrace_test/seq"), KTRACE_ID_BASE + 7);
	int fd;

	add.fields = fields;
	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	ASSERT_EQ(0, keep(self->s.fd, "info"));
	session_close(&self->s);
	session_reopen(_metadata, &self->s, "info", self->cpu);
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_INFO, &info));
	EXPECT_EQ(1, info.index);
	EXPECT_EQ(PERF_TYPE_TRACEPOINT, info.type);
	EXPECT_EQ(add.path, info.path);
	EXPECT_EQ(add.config, info.config);
	EXPECT_EQ(add.id, info.id);
	EXPECT_EQ(add.sample_type, info.sample_type);
	EXPECT_EQ(fields, info.fields);
	EXPECT_EQ(0, (int)info.user_strings);
	EXPECT_EQ(0, (int)info.flags);
	info.index = 2;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, EVENT_INFO, &info));
	fd = device_open(_metadata);
	EXPECT_EQ(-EBUSY, CALL(fd, EVENT_INFO, &info));
	close(fd);
}

static int references(struct __test_metadata *_metadata)
{
	char text[32];

	ASSERT_GT(read_file("/sys/module/ktrace/refcnt", text, sizeof(text)), 0);
	return atoi(text);
}

/* The module cannot be unloaded under a kept session, and can afterwards. */
TEST_F(kept, holds_the_module)
{
	int before;

	session_close(&self->s);
	before = references(_metadata);
	session_open(_metadata, &self->s, NULL);
	ASSERT_EQ(0, keep(self->s.fd, "module"));
	session_close(&self->s);
	EXPECT_EQ(before + 1, references(_metadata));
	session_reopen(_metadata, &self->s, "module", self->cpu);
	ASSERT_EQ(0, CALL(self->s.fd, FORGET, 0));
	session_close(&self->s);
	EXPECT_EQ(before, references(_metadata));
	self->s.fd = -1;
	self->s.nr_cpus = 0;
}

/* The present reader is not recorded. */
TEST_F(kept, the_reader_is_not_recorded)
{
	struct session s;
	int status;
	pid_t pid;

	session_open(_metadata, &s, NULL);
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &s);
	ASSERT_EQ(0, keep(s.fd, "self"));
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	session_close(&s);
	pid = fork();
	if (!pid) {
		pin_to(_metadata, self->cpu);
		session_reopen(_metadata, &s, "self", self->cpu);
		_exit(fire("seq task 10 self 10") ? 1 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	/* There is no reader now, so nobody is left out. */
	ASSERT_EQ(0, fire("seq task 10 self 20"));
	session_reopen(_metadata, &s, "self", self->cpu);
	ASSERT_EQ(0, fire("seq task 10 self 30"));
	EXPECT_EQ(30, take(_metadata, &s.ring[self->cpu], self->seq, 20));
	session_stop(_metadata, &s);
	EXPECT_EQ(10, session_stats(_metadata, &s, 0, self->cpu).recorded);
	session_close(&s);
}

static int as_user(int fd, const char *name, uid_t uid)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (syscall(SYS_setresuid, uid, uid, 0))
			_exit(255);
		/* CAP_PERFMON was dropped with the uid, which is another reason for EPERM. */
		_exit(-kept_open(fd, name));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST_F(kept, another_user_may_not)
{
	int fd = device_open(_metadata);

	ASSERT_EQ(0, keep(self->s.fd, "root"));
	session_close(&self->s);
	EXPECT_EQ(EPERM, as_user(fd, "root", 65534));
	session_reopen(_metadata, &self->s, "root", self->cpu);
	close(fd);
}

/* Each end of a session meets events that fire on every CPU. */
TEST_F(kept, close_and_forget_while_running)
{
	struct effort effort = effort_begin(20, 500);
	struct background firing = { .context = "hardirq", .count = 2000, .cpu = "all" };

	while (effort_next(&effort)) {
		struct session s;

		if (!is_firing(&firing))
			fire_in_background(_metadata, &firing);
		session_open(_metadata, &s, NULL);
		session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
		session_start(_metadata, &s);
		ASSERT_EQ(0, keep(s.fd, "round"));
		session_close(&s);
		session_reopen(_metadata, &s, "round", self->cpu);
		ASSERT_EQ(0, CALL(s.fd, FORGET, 0));
		session_close(&s);
	}
	while (is_firing(&firing))
		sleep_ms(1);
	LOG_EFFORT(&effort);
}

TEST_HARNESS_MAIN
