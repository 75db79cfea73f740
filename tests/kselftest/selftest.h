/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common parts of the device's tests: sessions, rings, the records in them, and the test
 * module, which fires events and counts them from outside.  Functions that take `_metadata` end the
 * test when something fails that the test is not about.
 */
#ifndef KTRACE_SELFTEST_H
#define KTRACE_SELFTEST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <linux/ktrace.h>

#include "kselftest_harness.h"

#define TRACING		"/sys/kernel/tracing"
#define KTEST		"/sys/kernel/debug/ktrace_test"
#define MAX_CPUS	256

/* ioctl() with errors as negative numbers, which reads well when a check fails. */
#define CALL(fd, name, arg) (ioctl(fd, KTRACE_IOC_##name, arg) ? -errno : 0)

/* The records, as the uapi header describes them. */
struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time;
	uint32_t cpu, zero;
	uint64_t period;
	uint32_t raw_size;
	uint8_t raw[];
};

struct lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
	uint64_t reason;
	uint64_t first, last;
	int32_t pid, tid;
	uint64_t time;
	uint32_t cpu, zero;
	uint64_t sample_id;
};

struct ring {
	const struct ktrace_ring_meta *meta;
	struct ktrace_ring_tail *tail;
	const char *data;	/* mapped twice in a row */
	uint64_t size;
};

struct session {
	int fd;
	unsigned int page;
	unsigned int nr_cpus;	/* CPU numbers are below it */
	bool overwrites;
	struct ring ring[MAX_CPUS];	/* data is NULL: the CPU is not in the session */
};

/*
 * The number of repetitions: @few in `make test`, and in `make torture` as many per cent of @many
 * as KTRACE_TORTURE says.
 */
static inline unsigned long scale(unsigned long few, unsigned long many)
{
	const char *percent = getenv("KTRACE_TORTURE");

	if (percent)
		many = many * strtoul(percent, NULL, 10) / 100;
	return percent && many > few ? many : few;
}

/*
 * A repetition goes on while effort_next() returns true: at least @few times (a quarter of them
 * with KTRACE_TEST_SHORT).  In `make torture` it ends after scale() repetitions, or when
 * KTRACE_TORTURE_SECONDS (60) have passed.  So a slow kernel, such as one with KASAN in an
 * emulator, does less.
 */
struct effort {
	unsigned long few, many;
	volatile unsigned long done;	/* maybe by another process */
	time_t end;			/* CLOCK_MONOTONIC */
};

static inline time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static inline struct effort effort_begin(unsigned long few, unsigned long many)
{
	const char *seconds = getenv("KTRACE_TORTURE_SECONDS");

	if (getenv("KTRACE_TEST_SHORT"))
		few = (few + 3) / 4;
	return (struct effort){
		.few = few, .many = scale(few, many),
		.end = seconds_now() + (seconds ? atoi(seconds) : 60),
	};
}

static inline bool effort_next(struct effort *e)
{
	if (e->done >= e->many || (e->done >= e->few && seconds_now() >= e->end))
		return false;
	e->done++;
	return true;
}

/* Logs if the time did not suffice. */
#define LOG_EFFORT(e)							\
	do {								\
		if ((e)->done < (e)->many)				\
			TH_LOG("%lu of %lu rounds: KTRACE_TORTURE_SECONDS have passed", \
			       (e)->done, (e)->many);			\
	} while (0)

/* ---- files ------------------------------------------------------------------ */

static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	err = n < 0 ? -errno : n == (ssize_t)strlen(text) ? 0 : -EIO;
	close(fd);
	return err;
}

/*
 * Reads a file as text that ends in a NUL.  Returns the number of bytes or a negative
 * error.
 */
static inline int read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, got;

	if (fd < 0)
		return -errno;
	while ((size_t)n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += got;
	close(fd);
	buf[n] = '\0';
	return n;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/*
 * Waits until a thread sleeps and its CPU has switched to another task, so that nothing more fires
 * in its name.  Its state alone changes before the switch.  Returns 0 or a negative error.
 */
static inline int wait_until_asleep(pid_t tid)
{
	char path[64], text[256];
	int n;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	do {
		sleep_ms(1);
		n = read_file(path, text, sizeof(text));
	} while (n > 0 && !strncmp(text, "running", 7));
	return n < 0 ? n : n ? 0 : -ENODATA;
}

/*
 * The addresses of functions of the kernel; 0: there is none.  The kernel takes seconds to print
 * its symbols in an emulated machine, so they are read together.
 */
static inline void addresses_of(const char *const *names, unsigned int nr, uint64_t *ret)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned int left = nr, i;
	char line[700], *word;

	memset(ret, 0, nr * sizeof(*ret));
	/* "ffffffff81000000 T name", and behind a tab perhaps the module. */
	while (f && left && fgets(line, sizeof(line), f)) {
		word = strchr(line, ' ');
		if (!word || (word[1] != 't' && word[1] != 'T'))
			continue;
		word += 3;
		word[strcspn(word, "\t\n")] = '\0';
		for (i = 0; i < nr; i++)
			if (!ret[i] && !strcmp(word, names[i])) {
				ret[i] = strtoull(line, NULL, 16);
				left--;
			}
	}
	if (f)
		fclose(f);
}

static inline uint64_t address_of(const char *name)
{
	uint64_t found;

	addresses_of(&name, 1, &found);
	return found;
}

/* The tracefs id of "system/event"; negative if there is none. */
static inline int event_id(const char *event)
{
	char path[600], text[32];
	int err;

	snprintf(path, sizeof(path), TRACING "/events/%s/id", event);
	err = read_file(path, text, sizeof(text));
	return err < 0 ? err : atoi(text);
}

/* Calls @each for "system/event" of every event that tracefs has. */
static inline void for_each_event(void (*each)(void *data, const char *event), void *data)
{
	DIR *systems = opendir(TRACING "/events"), *events;
	struct dirent *system, *event;
	char path[512];

	while (systems && (system = readdir(systems))) {
		snprintf(path, sizeof(path), TRACING "/events/%s", system->d_name);
		events = system->d_name[0] == '.' ? NULL : opendir(path);
		while (events && (event = readdir(events))) {
			snprintf(path, sizeof(path), "%.255s/%.255s", system->d_name,
				 event->d_name);
			if (event->d_name[0] != '.' && event_id(path) >= 0)
				each(data, path);
		}
		if (events)
			closedir(events);
	}
	if (systems)
		closedir(systems);
}

struct field {
	unsigned int offset, size;
};

/* Finds a field as the format file in tracefs describes it. */
static inline struct field event_field(struct __test_metadata *_metadata,
				       const char *event, const char *name)
{
	struct field field = { 0 };
	char path[512], text[8192], want[64], *line;

	snprintf(path, sizeof(path), TRACING "/events/%s/format", event);
	ASSERT_GT(read_file(path, text, sizeof(text)), 0) {
		TH_LOG("no format of %s", event);
	}
	snprintf(want, sizeof(want), " %s", name);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *end = strchr(line, ';'), *at = strstr(line, want);

		if (!end || !at || at > end)
			continue;
		at += strlen(want);
		if (*at != ';' && *at != '[')
			continue;
		if (sscanf(end, ";\toffset:%u;\tsize:%u", &field.offset, &field.size) == 2)
			return field;
	}
	ASSERT_TRUE(false) {
		TH_LOG("%s has no field %s", event, name);
	}
	return field;
}

/* The offset of the dynamic arrays of an event: behind the last of its fields. */
static inline unsigned int event_fixed_size(struct __test_metadata *_metadata, const char *event)
{
	unsigned int offset, size, end = 0;
	char path[512], text[8192], *line;

	snprintf(path, sizeof(path), TRACING "/events/%s/format", event);
	ASSERT_GT(read_file(path, text, sizeof(text)), 0);
	for (line = strstr(text, "\toffset:"); line; line = strstr(line + 1, "\toffset:"))
		if (sscanf(line, "\toffset:%u;\tsize:%u", &offset, &size) == 2 &&
		    offset + size > end)
			end = offset + size;
	return end;
}

/*
 * Marks the bytes of @raw (@size in all) that belong to a field, dynamic arrays included: one char
 * of
 * @covered for each byte.
 */
static inline void event_coverage(struct __test_metadata *_metadata, const char *event,
				  const uint8_t *raw, unsigned int size, char *covered)
{
	static char last[300], text[16384];
	char path[512], *line;

	if (strcmp(last, event)) {
		snprintf(path, sizeof(path), TRACING "/events/%s/format", event);
		ASSERT_GT(read_file(path, text, sizeof(text)), 0);
		snprintf(last, sizeof(last), "%s", event);
	}
	memset(covered, 0, size);
	for (line = strstr(text, "\tfield:"); line; line = strstr(line + 1, "\tfield:")) {
		unsigned int offset, length, at, word;
		const char *end = strchr(line, ';');

		if (!end || sscanf(end, ";\toffset:%u;\tsize:%u", &offset, &length) != 2)
			continue;
		ASSERT_LE(offset + length, size);
		memset(covered + offset, 1, length);
		memcpy(&word, raw + offset, length < 4 ? length : 4);
		if (!strncmp(line, "\tfield:__data_loc", 17))
			at = word & 0xffff;
		else if (!strncmp(line, "\tfield:__rel_loc", 16))
			at = offset + 4 + (word & 0xffff);
		else
			continue;
		ASSERT_LE(at + (word >> 16), size);
		memset(covered + at, 1, word >> 16);
	}
}

/*
 * In Linux 7.0 and later the function of an event that perf calls may call another one.  That one
 * takes its caller for the location where the event fired.
 */
static inline bool is_in_function_of_perf(uint64_t ip)
{
	static char name[128];
	static uint64_t begin, end;
	unsigned long long at;
	char word[128];
	FILE *f;

	if (ip >= begin && ip < end)
		return !strncmp(name, "perf_trace_", 11);
	f = fopen("/proc/kallsyms", "r");
	if (!f)
		return false;
	for (begin = 0, end = UINT64_MAX; fscanf(f, "%llx %*c %127s%*[^\n]", &at, word) == 2;) {
		if (at <= ip && at >= begin) {
			begin = at;
			strcpy(name, word);
		} else if (at > ip && at < end) {
			end = at;
		}
	}
	fclose(f);
	return !strncmp(name, "perf_trace_", 11);
}

/* The bits NEED_RESCHED_LAZY, NEED_RESCHED and PREEMPT_RESCHED of common_flags. */
#define FLAGS_RESCHED 0x26

/*
 * The first byte of a field that differs; @size: none does.  With @zeros, the other bytes of @ours
 * have to be zero, as a template leaves them.
 */
static inline unsigned int first_difference(struct __test_metadata *_metadata, const char *event,
					    const uint8_t *theirs, const uint8_t *ours,
					    unsigned int size, bool zeros)
{
	static char covered[65536];
	unsigned int i;

	event_coverage(_metadata, event, ours, size, covered);
	for (i = 0; i < size; i++) {
		/* An interrupt between two probes can make the kernel reschedule. */
		if (i == 2 && !((theirs[i] ^ ours[i]) & ~FLAGS_RESCHED))
			continue;
		if (ours[i] != (covered[i] ? theirs[i] : zeros ? 0 : ours[i]))
			break;
	}
	return i;
}

static inline void expect_same_raw(struct __test_metadata *_metadata, const char *event,
				   const uint8_t *theirs, const uint8_t *ours, unsigned int size,
				   bool zeros)
{
	unsigned int i = first_difference(_metadata, event, theirs, ours, size, zeros);

	ASSERT_EQ(size, i) {
		TH_LOG("%s: byte %u of %u is %#x, and should be %#x or, in no field, 0", event, i,
		       size, ours[i], theirs[i]);
	}
}

/* ---- sessions --------------------------------------------------------------- */

#define INFO_INIT	{ .size = sizeof(struct ktrace_info) }
#define SETUP_INIT	{ .size = sizeof(struct ktrace_setup), .pages = 16, \
			  .clockid = KTRACE_CLOCK_PERF }
#define STATS_INIT	{ .size = sizeof(struct ktrace_stats) }

static inline struct ktrace_event_add event_add_init(int config, uint64_t id)
{
	return (struct ktrace_event_add){
		.size = sizeof(struct ktrace_event_add),
		.type = PERF_TYPE_TRACEPOINT,
		.config = config,
		.id = KTRACE_ID_BASE + id,
		.sample_type = KTRACE_SAMPLE_TYPE,
	};
}

static inline bool wants_templates(void)
{
	const char *path = getenv("KTRACE_PATH");

	return path && !strcmp(path, "template");
}

/*
 * The path that the environment's KTRACE_PATH names: "template" or "counter".  Without it
 * the module chooses.
 */
static inline enum ktrace_path path_wanted(void)
{
	const char *path = getenv("KTRACE_PATH");

	if (!path || !*path)
		return KTRACE_PATH_AUTO;
	return wants_templates() ? KTRACE_PATH_TEMPLATE : KTRACE_PATH_COUNTER;
}

/* Turns "system/event" into "system:event", which the module expects. */
static inline void event_name(char *name, size_t size, const char *event)
{
	const char *slash = strchr(event, '/');

	snprintf(name, size, "%.*s:%s", (int)(slash - event), event, slash + 1);
}

/*
 * Adds "system/event" by the path that KTRACE_PATH names.  An event without a template is
 * added by the path that the module chooses.
 */
static inline int event_add(int fd, const char *event, struct ktrace_event_add *add)
{
	char name[300];
	int err;

	event_name(name, sizeof(name), event);
	add->name = (uintptr_t)name;
	add->path = path_wanted();
	err = CALL(fd, EVENT_ADD, add);
	if (err == -ENODEV && add->path == KTRACE_PATH_TEMPLATE) {
		add->path = KTRACE_PATH_AUTO;
		err = CALL(fd, EVENT_ADD, add);
	}
	add->name = 0;
	return err;
}

static inline int device_open(struct __test_metadata *_metadata)
{
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	ASSERT_GE(fd, 0) {
		TH_LOG("cannot open " KTRACE_DEVICE ": %s", strerror(errno));
	}
	return fd;
}

static inline void *map(int fd, unsigned int cpu, int region, size_t size, int prot, int flags)
{
	void *p = mmap(NULL, size, prot, flags, fd, KTRACE_MMAP_OFFSET(cpu, region));

	return p == MAP_FAILED ? NULL : p;
}

static inline void ring_map(struct __test_metadata *_metadata, struct session *s,
			    unsigned int cpu)
{
	struct ring *r = &s->ring[cpu];
	char *base;

	r->meta = map(s->fd, cpu, KTRACE_MMAP_META, s->page, PROT_READ, MAP_SHARED);
	ASSERT_NE(NULL, r->meta);
	r->tail = map(s->fd, cpu, KTRACE_MMAP_TAIL, s->page,
		      s->overwrites ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(NULL, r->tail);
	r->size = r->meta->data_size;
	base = mmap(NULL, 2 * r->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, base);
	ASSERT_EQ(base, mmap(base, r->size, PROT_READ, MAP_SHARED | MAP_FIXED, s->fd,
			     KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_DATA)));
	ASSERT_EQ(base + r->size, mmap(base + r->size, r->size, PROT_READ,
				       MAP_SHARED | MAP_FIXED, s->fd,
				       KTRACE_MMAP_OFFSET(cpu, KTRACE_MMAP_DATA)));
	r->data = base;
}

/* Opens, sets up and maps a session.  If @setup is NULL, the defaults of the tests apply. */
static inline void session_open(struct __test_metadata *_metadata, struct session *s,
				const struct ktrace_setup *setup)
{
	struct ktrace_info info = INFO_INIT;
	struct ktrace_setup defaults = SETUP_INIT, own;
	unsigned int cpu;

	memset(s, 0, sizeof(*s));
	s->page = sysconf(_SC_PAGESIZE);
	s->fd = device_open(_metadata);
	ASSERT_EQ(0, CALL(s->fd, INFO, &info));
	s->nr_cpus = info.nr_cpu_ids;
	ASSERT_LE(s->nr_cpus, MAX_CPUS);
	own = setup ? *setup : defaults;
	s->overwrites = own.flags & KTRACE_SETUP_OVERWRITE;
	ASSERT_EQ(0, CALL(s->fd, SETUP, &own));
	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		void *meta = map(s->fd, cpu, KTRACE_MMAP_META, s->page, PROT_READ, MAP_SHARED);

		if (!meta)
			continue;
		munmap(meta, s->page);
		ring_map(_metadata, s, cpu);
	}
}

static inline void session_close(struct session *s)
{
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (!s->ring[cpu].data)
			continue;
		munmap((void *)s->ring[cpu].meta, s->page);
		munmap(s->ring[cpu].tail, s->page);
		munmap((void *)s->ring[cpu].data, 2 * s->ring[cpu].size);
	}
	close(s->fd);
}

/* Forgets every kept session, also those of a failed test.  No session may have a reader. */
static inline void sessions_forget(struct __test_metadata *_metadata)
{
	struct ktrace_kept_info info = { .size = sizeof(info) };
	struct ktrace_kept_open open_it = { .size = sizeof(open_it) };
	int fd = device_open(_metadata), kept;

	while (!CALL(fd, KEPT_INFO, &info)) {
		memcpy(open_it.name, info.name, sizeof(info.name));
		kept = ioctl(fd, KTRACE_IOC_KEPT_OPEN, &open_it);
		ASSERT_GE(kept, 0) {
			TH_LOG("%s is read by %d", info.name, info.reader);
		}
		ASSERT_EQ(0, CALL(kept, FORGET, 0));
		close(kept);
	}
	close(fd);
}

/* Returns the event's index. */
static inline unsigned int session_add(struct __test_metadata *_metadata, struct session *s,
				       const char *event, uint64_t id, uint64_t fields)
{
	struct ktrace_event_add add = event_add_init(event_id(event), id);

	ASSERT_GE((int)add.config, 0) {
		TH_LOG("there is no event %s", event);
	}
	add.fields = fields;
	ASSERT_EQ(0, event_add(s->fd, event, &add));
	return add.index;
}

static inline void session_add_filtered(struct __test_metadata *_metadata, struct session *s,
					const char *event, uint64_t id,
					const struct ktrace_filter_insn *insns, unsigned int nr,
					const char *pool, size_t pool_bytes)
{
	struct ktrace_event_add add = event_add_init(event_id(event), id);

	add.filter = (uintptr_t)insns;
	add.filter_insns = nr;
	add.pool = (uintptr_t)pool;
	add.pool_bytes = pool_bytes;
	ASSERT_EQ(0, event_add(s->fd, event, &add));
}

static inline void session_start(struct __test_metadata *_metadata, struct session *s)
{
	ASSERT_EQ(0, CALL(s->fd, START, 0));
}

static inline void session_stop(struct __test_metadata *_metadata, struct session *s)
{
	ASSERT_EQ(0, CALL(s->fd, STOP, 0));
}

static inline struct ktrace_stats session_stats(struct __test_metadata *_metadata,
						struct session *s, unsigned int index,
						unsigned int cpu)
{
	struct ktrace_stats stats = STATS_INIT;

	stats.index = index;
	stats.cpu = cpu;
	ASSERT_EQ(0, CALL(s->fd, STATS, &stats));
	return stats;
}

static inline uint64_t stats_lost(const struct ktrace_stats *stats)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		sum += stats->lost[i];
	return sum;
}

/* The time to fill a ring depends on the machine, so a reader that is to be late waits. */
static inline void wait_for_loss(struct __test_metadata *_metadata, struct session *s,
				 unsigned int index, unsigned int cpu)
{
	struct ktrace_stats stats;

	do {
		sleep_ms(1);
		stats = session_stats(_metadata, s, index, cpu);
	} while (!stats_lost(&stats));
}

static inline uint64_t stats_unplaced(const struct ktrace_stats *stats)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		sum += stats->unplaced[i];
	return sum;
}

static inline uint64_t session_time(struct __test_metadata *_metadata, struct session *s)
{
	struct ktrace_clock clock = { .size = sizeof(clock) };

	ASSERT_EQ(0, CALL(s->fd, CLOCK, &clock));
	return clock.trace;
}

/* ---- records ---------------------------------------------------------------- */

static inline uint64_t ring_head(const struct ring *r)
{
	return __atomic_load_n(&r->meta->data_head, __ATOMIC_ACQUIRE);
}

/*
 * Returns the record at *pos, or NULL at @head, and moves *pos behind it.  A record that is
 * not as the uapi header describes it ends the test.
 */
static inline const struct perf_event_header *ring_next(struct __test_metadata *_metadata,
							const struct ring *r, uint64_t *pos,
							uint64_t head)
{
	const struct perf_event_header *header;

	if (*pos == head)
		return NULL;
	header = (const void *)(r->data + *pos % r->size);
	ASSERT_GE(header->size, sizeof(*header)) {
		TH_LOG("type %u at %llu", header->type, (unsigned long long)*pos);
	}
	ASSERT_EQ(0, header->size % 8);
	ASSERT_LE(*pos + header->size, head);
	ASSERT_TRUE(header->type == PERF_RECORD_SAMPLE || header->type == PERF_RECORD_LOST);
	*pos += header->size;
	return header;
}

static inline void ring_consume(struct ring *r, uint64_t pos)
{
	__atomic_store_n(&r->tail->data_tail, pos, __ATOMIC_RELEASE);
}

static inline uint64_t load_number(const struct sample *s, struct field field)
{
	uint64_t value = 0;

	memcpy(&value, s->raw + field.offset, field.size);
	return value;
}

/* The slot of a stored field.  @fields are those given to EVENT_ADD. */
static inline const void *trailer_slot(const struct sample *s, uint64_t fields, int field)
{
	const uint8_t *slot = s->raw + s->raw_size;
	int i;

	/*
	 * We go backwards from the end: first comes the sequence number, then the other
	 * fields by falling numbers.
	 */
	if (fields & 1ULL << KTRACE_FIELD_SEQ)
		slot -= KTRACE_FIELD_SLOT(KTRACE_FIELD_SEQ);
	if (field == KTRACE_FIELD_SEQ)
		return slot;
	for (i = KTRACE_FIELD_NR_STORED - 1; i >= field; i--)
		if (i != KTRACE_FIELD_SEQ && fields & 1ULL << i)
			slot -= KTRACE_FIELD_SLOT(i);
	return slot;
}

static inline uint64_t trailer_u64(const struct sample *s, uint64_t fields, int field)
{
	return *(const uint64_t *)trailer_slot(s, fields, field);
}

/* ---- beside perf ------------------------------------------------------------ */

struct perf {
	int fd;
	struct perf_event_mmap_page *meta;
	const char *data;
	uint64_t size, pos;
};

/*
 * Opens a perf event with these kinds of data: for one task, for one CPU (the other one is
 * -1), or for one task while it is on one CPU.
 */
static inline void perf_open_as(struct __test_metadata *_metadata, struct perf *perf, int config,
				pid_t pid, int cpu, uint64_t sample_type)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1,
		.sample_type = sample_type,
		.disabled = 1,
	};

	memset(perf, 0, sizeof(*perf));
	perf->size = 512 * sysconf(_SC_PAGESIZE);
	perf->fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_GE(perf->fd, 0);
	perf->meta = mmap(NULL, perf->size + sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_SHARED, perf->fd, 0);
	ASSERT_NE(MAP_FAILED, perf->meta);
	perf->data = (char *)perf->meta + sysconf(_SC_PAGESIZE);
	ASSERT_EQ(0, ioctl(perf->fd, PERF_EVENT_IOC_ENABLE));
}

static inline void perf_open(struct __test_metadata *_metadata, struct perf *perf, int config,
			     pid_t pid, int cpu)
{
	perf_open_as(_metadata, perf, config, pid, cpu, KTRACE_SAMPLE_TYPE);
}

/* Records never wrap, because the ring is large enough for a whole test. */
static inline const struct sample *perf_next(struct __test_metadata *_metadata,
					     struct perf *perf)
{
	uint64_t head = __atomic_load_n(&perf->meta->data_head, __ATOMIC_ACQUIRE);
	const struct perf_event_header *header;

	ASSERT_LE(head, perf->size);
	while (perf->pos < head) {
		header = (const void *)(perf->data + perf->pos);
		perf->pos += header->size;
		if (header->type == PERF_RECORD_SAMPLE)
			return (const void *)header;
	}
	return NULL;
}

static inline void perf_close(struct perf *perf)
{
	munmap(perf->meta, perf->size + sysconf(_SC_PAGESIZE));
	close(perf->fd);
}

/* ---- the test module -------------------------------------------------------- */

#define NEED_KTEST()							\
	do {								\
		if (access(KTEST "/fire", W_OK))			\
			SKIP(return, "ktrace_test.ko is not loaded");	\
	} while (0)

/* Writes "EVENT CONTEXT COUNT [CPU [START_SEQ]]" to the test module. */
__attribute__((format(printf, 1, 2)))
static inline int fire(const char *format, ...)
{
	char order[128];
	va_list args;

	va_start(args, format);
	vsnprintf(order, sizeof(order), format, args);
	va_end(args);
	return write_file(KTEST "/fire", order);
}

static inline void fire_reset(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, write_file(KTEST "/reset", "1"));
}

/* How often the event was emitted, by the module's own count. */
static inline uint64_t emitted(struct __test_metadata *_metadata, const char *event,
			       unsigned int cpu, const char *context)
{
	unsigned long long count, last, sum = 0;
	char name[32], where[32], *line;
	static char text[65536];
	unsigned int on;

	ASSERT_GE(read_file(KTEST "/counts", text, sizeof(text)), 0);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "%31s %u %31s %llu %llu", name, &on, where, &count, &last) != 5)
			continue;
		if (!strcmp(name, event) && on == cpu && (!context || !strcmp(context, where)))
			sum += count;
	}
	return sum;
}

/* A thread that fires a stream of ktrace_test:seq. */
struct background {
	const char *context;
	unsigned int count;
	char cpu[12];		/* as `fire` takes it; empty: the CPU of the writer */
	int err;
	pthread_t thread;
};

static inline void *background_thread(void *arg)
{
	struct background *f = arg;

	f->err = fire("seq %s %u %s", f->context, f->count, f->cpu);
	return NULL;
}

static inline void fire_in_background(struct __test_metadata *_metadata, struct background *f)
{
	ASSERT_EQ(0, pthread_create(&f->thread, NULL, background_thread, f));
}

static inline bool is_firing(struct background *f)
{
	if (f->thread && !pthread_tryjoin_np(f->thread, NULL))
		f->thread = 0;
	return f->thread;
}

static inline void pin_to(struct __test_metadata *_metadata, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(set), &set));
}

/* After anything that was done before, a new session works as usual. */
static inline void check_new_session(struct __test_metadata *_metadata)
{
	struct ktrace_setup setup = SETUP_INIT;
	struct session s;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &s, &setup);
	pin_to(_metadata, 0);
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0xff);
	session_start(_metadata, &s);
	ASSERT_EQ(0, fire("seq task 100"));
	session_stop(_metadata, &s);
	EXPECT_EQ(100, session_stats(_metadata, &s, 0, 0).recorded);
	session_close(&s);
}

/*
 * Finds two CPUs that are online.  On a machine with one CPU, the second is the first
 * again.
 */
static inline void two_cpus(const struct session *s, unsigned int cpus[2])
{
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < s->nr_cpus && nr < 2; cpu++)
		if (s->ring[cpu].data)
			cpus[nr++] = cpu;
	for (; nr < 2; nr++)
		cpus[nr] = nr ? cpus[0] : 0;
}

#endif
