// SPDX-License-Identifier: GPL-2.0
#include "cmd/test/test_workload.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "terminal/word_list.h"

/* CPU time of the workload that only computes. */
#define SPIN_NS 100000000L

static struct error *test_set_names(void)
{
	char name[16];

	for (int i = 0; i < TEST_TIMES; i++) {
		snprintf(name, sizeof(name), "step-%02d", i);
		if (prctl(PR_SET_NAME, name))
			return error_errno(errno, "Cannot set the name of this task");
	}
	return NULL;
}

static struct error *test_get_priorities(void)
{
	/* Most of these processes do not exist: only the call counts. */
	for (int i = 0; i < TEST_TIMES; i++)
		getpriority(PRIO_PROCESS, i);
	return NULL;
}

static struct error *test_touch_pages(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = TEST_TIMES * page;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return error_errno(errno, "Cannot map %zu bytes", size);
	/* A huge page would be one fault. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page)
		((volatile char *)memory)[at] = 1;
	munmap(memory, size);
	return NULL;
}

static struct error *test_spin(void)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (!now.tv_sec && now.tv_nsec < SPIN_NS);
	return NULL;
}

static const struct {
	const char *name;
	struct error *(*run)(void);
} workloads[] = {
	{ "names", test_set_names },
	{ "priorities", test_get_priorities },
	{ "pages", test_touch_pages },
	{ "spin", test_spin },
};

struct error *test_workload_run(const char *name)
{
	unsigned int row;
	struct error *err = word_parse(WORDS(workloads), "There is no workload", name, &row);

	return err ? err : workloads[row].run();
}

void test_workload_add_names(struct strbuf *out)
{
	word_add_names(WORDS(workloads), ", ", out);
}
