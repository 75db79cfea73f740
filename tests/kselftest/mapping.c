// SPDX-License-Identifier: GPL-2.0
/* The three mapped regions of a CPU: which mappings are allowed. */
#include "selftest.h"

FIXTURE(mapping) {
	struct session s;
	unsigned int cpu;
	size_t page, data;
};

FIXTURE_SETUP(mapping)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	self->page = self->s.page;
	self->data = self->s.ring[self->cpu].size;
	ASSERT_EQ(16 * self->page, self->data);
}

FIXTURE_TEARDOWN(mapping)
{
	session_close(&self->s);
}

static int map_error(int fd, unsigned long long offset, size_t size, int prot, int flags)
{
	void *p = mmap(NULL, size, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

#define MAP(region, size, prot, flags) \
	map_error(self->s.fd, KTRACE_MMAP_OFFSET(self->cpu, region), size, prot, flags)
#define RW (PROT_READ | PROT_WRITE)

TEST_F(mapping, meta_page)
{
	const struct ktrace_ring_meta *meta = self->s.ring[self->cpu].meta;
	const char *bytes = (const char *)meta;
	size_t i;

	EXPECT_EQ(sizeof(*meta), meta->size);
	EXPECT_EQ(self->cpu, meta->cpu);
	EXPECT_EQ(self->data, meta->data_size);
	EXPECT_EQ(0, meta->data_head);
	/* Nothing else of the kernel's memory is in it. */
	for (i = sizeof(*meta); i < self->page; i++)
		EXPECT_EQ(0, bytes[i]);
}

TEST_F(mapping, lengths)
{
	EXPECT_EQ(0, MAP(KTRACE_MMAP_META, self->page, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_META, 2 * self->page, PROT_READ, MAP_SHARED));
	EXPECT_EQ(0, MAP(KTRACE_MMAP_TAIL, self->page, RW, MAP_SHARED));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_TAIL, 2 * self->page, RW, MAP_SHARED));
	EXPECT_EQ(0, MAP(KTRACE_MMAP_DATA, self->data, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_DATA, self->data / 2, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_DATA, self->data - self->page, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_DATA, 2 * self->data, PROT_READ, MAP_SHARED));
}

TEST_F(mapping, offsets)
{
	unsigned long long data = KTRACE_MMAP_OFFSET(self->cpu, KTRACE_MMAP_DATA);
	int fd = self->s.fd;

	EXPECT_EQ(-EINVAL, map_error(fd, data + self->page, self->data, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, map_error(fd, data + self->page, self->page, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, map_error(fd, KTRACE_MMAP_OFFSET(self->cpu, 3), self->page, PROT_READ,
				     MAP_SHARED));
	EXPECT_EQ(-EINVAL, map_error(fd, KTRACE_MMAP_OFFSET(self->s.nr_cpus, 0), self->page,
				     PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, map_error(fd, KTRACE_MMAP_OFFSET(0x7fffffff, 0), self->page,
				     PROT_READ, MAP_SHARED));
}

TEST_F(mapping, write_is_refused)
{
	EXPECT_EQ(-EPERM, MAP(KTRACE_MMAP_META, self->page, RW, MAP_SHARED));
	EXPECT_EQ(-EPERM, MAP(KTRACE_MMAP_META, self->page, PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(-EPERM, MAP(KTRACE_MMAP_DATA, self->data, RW, MAP_SHARED));
	EXPECT_EQ(-EPERM, MAP(KTRACE_MMAP_DATA, self->data, PROT_WRITE, MAP_SHARED));
}

TEST_F(mapping, nothing_is_executable)
{
	int region;

	for (region = KTRACE_MMAP_META; region <= KTRACE_MMAP_DATA; region++) {
		size_t size = region == KTRACE_MMAP_DATA ? self->data : self->page;
		void *p;

		EXPECT_EQ(-EPERM, MAP(region, size, PROT_READ | PROT_EXEC, MAP_SHARED));
		p = map(self->s.fd, self->cpu, region, size, PROT_READ, MAP_SHARED);
		ASSERT_NE(NULL, p);
		EXPECT_EQ(-1, mprotect(p, size, PROT_READ | PROT_EXEC));
		EXPECT_EQ(EACCES, errno);
	}
}

TEST_F(mapping, mprotect_cannot_add_write)
{
	struct ring *r = &self->s.ring[self->cpu];

	EXPECT_EQ(-1, mprotect((void *)r->meta, self->page, RW));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)r->data, self->data, RW));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)r->data, self->page, PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	/* The tail was mapped for writing, so its protection may be changed back and forth. */
	EXPECT_EQ(0, mprotect(r->tail, self->page, PROT_READ));
	EXPECT_EQ(0, mprotect(r->tail, self->page, RW));
}

TEST_F(mapping, private_is_refused)
{
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_META, self->page, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_TAIL, self->page, RW, MAP_PRIVATE));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_DATA, self->data, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(-EINVAL, MAP(KTRACE_MMAP_DATA, self->data, RW, MAP_PRIVATE));
}

TEST_F(mapping, a_file_opened_for_reading_maps_nothing_writable)
{
	struct ktrace_setup setup = SETUP_INIT;
	int fd = open(KTRACE_DEVICE, O_RDONLY | O_CLOEXEC);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, CALL(fd, SETUP, &setup));
	EXPECT_EQ(-EACCES, map_error(fd, KTRACE_MMAP_OFFSET(self->cpu, KTRACE_MMAP_TAIL),
				     self->page, RW, MAP_SHARED));
	EXPECT_EQ(0, map_error(fd, KTRACE_MMAP_OFFSET(self->cpu, KTRACE_MMAP_DATA),
			       self->data, PROT_READ, MAP_SHARED));
	close(fd);
}

TEST_F(mapping, tail_is_one_page_for_all)
{
	struct ktrace_ring_tail *other;

	other = map(self->s.fd, self->cpu, KTRACE_MMAP_TAIL, self->page, RW, MAP_SHARED);
	ASSERT_NE(NULL, other);
	self->s.ring[self->cpu].tail->data_tail = 0x1234567890;
	EXPECT_EQ(0x1234567890, other->data_tail);
}

TEST_F_SIGNAL(mapping, store_to_data, SIGSEGV)
{
	*(volatile char *)self->s.ring[self->cpu].data = 1;
}

TEST_F_SIGNAL(mapping, store_to_meta, SIGSEGV)
{
	((volatile struct ktrace_ring_meta *)self->s.ring[self->cpu].meta)->data_head = 1;
}

TEST_F(mapping, mremap_cannot_grow)
{
	struct ring *r = &self->s.ring[self->cpu];

	EXPECT_EQ(MAP_FAILED, mremap((void *)r->meta, self->page, 2 * self->page, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(r->tail, self->page, 2 * self->page, MREMAP_MAYMOVE));
}

static void fire_here(struct __test_metadata *_metadata)
{
	if (!access(KTEST "/fire", W_OK))
		ASSERT_EQ(0, fire("seq task 10"));
	sched_yield();
}

TEST_F(mapping, outlives_the_descriptor)
{
	const struct ring *r = &self->s.ring[self->cpu];
	uint64_t before;

	NEED_KTEST();
	pin_to(_metadata, self->cpu);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	close(self->s.fd);
	before = ring_head(r);
	fire_here(_metadata);
	EXPECT_LT(before, ring_head(r));
	self->s.fd = -1;
}

/* As with perf's rings, fork() does not copy mappings that the child has no use for. */
TEST_F(mapping, a_forked_child_has_none_of_it)
{
	const struct ring *r = &self->s.ring[self->cpu];
	const void *regions[] = { r->meta, r->tail, r->data, r->data + r->size };
	unsigned char resident;
	unsigned int i;
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		for (i = 0; i < ARRAY_SIZE(regions); i++)
			if (!mincore((void *)regions[i], self->page, &resident) ||
			    errno != ENOMEM)
				_exit(1 + i);
		/* A process that has the descriptor can map the regions again. */
		_exit(MAP(KTRACE_MMAP_META, self->page, PROT_READ, MAP_SHARED) ? 10 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_F(mapping, data_twice_in_a_row)
{
	const struct ring *r = &self->s.ring[self->cpu];

	NEED_KTEST();
	pin_to(_metadata, self->cpu);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	fire_here(_metadata);
	session_stop(_metadata, &self->s);
	EXPECT_LT(0, ring_head(r));
	EXPECT_EQ(0, memcmp(r->data, r->data + r->size, r->size));
}

TEST_HARNESS_MAIN
