/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that takes as long as a test likes, and whether it holds up other calls of the session.
 * User space decides how long a fault takes, so no fault may happen under a lock.
 */
#ifndef KTRACE_SELFTEST_SLOW_MEMORY_H
#define KTRACE_SELFTEST_SLOW_MEMORY_H

#include <linux/userfaultfd.h>

#include "selftest.h"

/* Memory whose page another thread provides, when it likes: here, at the end. */
struct slow_memory {
	int fd;
	void *page;
};

static inline bool slow_create(struct slow_memory *slow)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	size_t size = sysconf(_SC_PAGESIZE);

	slow->page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	slow->fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)slow->page;
	range.range.len = size;
	return slow->fd >= 0 && !ioctl(slow->fd, UFFDIO_API, &api) &&
	       !ioctl(slow->fd, UFFDIO_REGISTER, &range);
}

/* Waits until somebody needs the page. */
static inline void slow_wait(struct __test_metadata *_metadata, const struct slow_memory *slow)
{
	struct uffd_msg message;

	ASSERT_EQ(sizeof(message), read(slow->fd, &message, sizeof(message)));
	ASSERT_EQ(UFFD_EVENT_PAGEFAULT, message.event);
}

/* Brings it, and takes it away for the next one. */
static inline void slow_bring(struct __test_metadata *_metadata, const struct slow_memory *slow,
			      pthread_t reader)
{
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)slow->page, sysconf(_SC_PAGESIZE) },
	};

	ASSERT_EQ(0, ioctl(slow->fd, UFFDIO_ZEROPAGE, &zero));
	pthread_join(reader, NULL);
	madvise(slow->page, zero.range.len, MADV_DONTNEED);
}

struct request {
	int fd;
	unsigned long number;
	void *arg;
	int pipe[2];
	volatile pid_t tid;
};

static inline void *call_thread(void *data)
{
	struct request *r = data;
	char byte;

	r->tid = gettid();
	ioctl(r->fd, r->number, r->arg);
	if (r->pipe[0] && read(r->pipe[0], &byte, 1) != 1)
		return NULL;
	return NULL;
}

/* Does another call of the session come back, while one waits for the memory? */
static inline void others_go_on(struct __test_metadata *_metadata, struct session *s,
				const struct slow_memory *slow, unsigned long number, void *arg,
				const char *what)
{
	struct ktrace_event_info info = { .size = sizeof(info) };
	struct request slow_one = { s->fd, number, arg };
	struct request other = { s->fd, KTRACE_IOC_EVENT_INFO, &info };
	pthread_t threads[2];
	char path[64], text[256];

	ASSERT_EQ(0, pipe(other.pipe));
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, call_thread, &slow_one));
	slow_wait(_metadata, slow);
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, call_thread, &other));
	while (!other.tid)
		sleep_ms(1);
	/* It sleeps in read() if its call came back, and otherwise in the call. */
	ASSERT_EQ(0, wait_until_asleep(other.tid));
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", other.tid);
	ASSERT_LT(0, read_file(path, text, sizeof(text)));
	EXPECT_EQ(SYS_read, atoi(text)) {
		TH_LOG("%s holds up the other calls of the session", what);
	}
	slow_bring(_metadata, slow, threads[0]);
	ASSERT_EQ(1, write(other.pipe[1], "", 1));
	pthread_join(threads[1], NULL);
	close(other.pipe[0]);
	close(other.pipe[1]);
}

#endif
