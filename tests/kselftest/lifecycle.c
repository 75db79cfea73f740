// SPDX-License-Identifier: GPL-2.0
/* Sessions are opened and closed in every way, several at once, and so is the module. */
#include <dirent.h>
#include <pthread.h>

#include "selftest.h"

FIXTURE(lifecycle) {
	int unused;
};

FIXTURE_SETUP(lifecycle)
{
}

FIXTURE_TEARDOWN(lifecycle)
{
}

static volatile bool firing;

static void *fire_until_told(void *arg)
{
	while (firing)
		if (fire("%s", (const char *)arg))
			break;
	return NULL;
}

static void fire_begin(struct __test_metadata *_metadata, pthread_t threads[2])
{
	firing = true;
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, fire_until_told, "seq task 500 all"));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, fire_until_told, "seq hardirq 500 all"));
}

static void fire_end(pthread_t threads[2])
{
	firing = false;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

TEST_F(lifecycle, several_sessions_at_once)
{
	struct ktrace_setup setup = SETUP_INIT;
	static struct session sessions[8];
	struct field seq;
	unsigned int i;

	NEED_KTEST();
	seq = event_field(_metadata, "ktrace_test/seq", "seq");
	pin_to(_metadata, 0);
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	for (i = 0; i < ARRAY_SIZE(sessions); i++) {
		session_open(_metadata, &sessions[i], &setup);
		session_add(_metadata, &sessions[i], "ktrace_test/seq", i, 0);
		session_start(_metadata, &sessions[i]);
	}
	ASSERT_EQ(0, fire("seq task 100 self 0"));
	for (i = 0; i < ARRAY_SIZE(sessions); i++) {
		const struct sample *sample;
		uint64_t pos = 0, n = 0;

		/* Each session stops by itself. */
		session_stop(_metadata, &sessions[i]);
		while ((sample = (const void *)ring_next(_metadata, &sessions[i].ring[0], &pos,
							 ring_head(&sessions[i].ring[0])))) {
			ASSERT_EQ(KTRACE_ID_BASE + i, sample->id);
			ASSERT_EQ(n, load_number(sample, seq));
			n++;
		}
		EXPECT_EQ(100, n);
		session_close(&sessions[i]);
	}
}

/* The memory that the kernel has allocated for itself, without pages of rings, in KB. */
static long kernel_memory(struct __test_metadata *_metadata)
{
	static const char *const names[] = { "SUnreclaim:", "VmallocUsed:" };
	char text[8192], *line;
	long sum = 0, kb;
	size_t i;

	ASSERT_GT(read_file("/proc/meminfo", text, sizeof(text)), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		line = strstr(text, names[i]);
		ASSERT_TRUE(line && sscanf(line + strlen(names[i]), "%ld", &kb) == 1);
		sum += kb;
	}
	return sum;
}

/* Beside its pages, a ring has two pointers for each of them. */
TEST_F_TIMEOUT(lifecycle, lists_of_pages_are_freed, 300)
{
	struct ktrace_info info = INFO_INIT;
	struct ktrace_setup setup = SETUP_INIT;
	long before = 0, bytes = 0, grown;
	int i, fd;

	for (i = 0; i < 64; i++) {
		/* The first sessions allocate memory that stays. */
		if (i == 4)
			before = kernel_memory(_metadata);
		fd = device_open(_metadata);
		ASSERT_EQ(0, CALL(fd, INFO, &info));
		setup.pages = info.max_pages < 4096 ? info.max_pages : 4096;
		ASSERT_EQ(0, CALL(fd, SETUP, &setup));
		close(fd);
		if (i >= 4)
			bytes += sysconf(_SC_NPROCESSORS_ONLN) * setup.pages * 2 * sizeof(void *);
	}
	/* Others allocate, too, and some memory is freed later. */
	for (i = 0; i < 100; i++) {
		grown = kernel_memory(_metadata) - before;
		if (grown < bytes / 1024 / 2)
			break;
		usleep(100000);
	}
	EXPECT_LT(grown, bytes / 1024 / 2);
}

/* A stopped session does not change while events go on firing. */
TEST_F(lifecycle, nothing_appears_after_stop)
{
	struct ktrace_setup setup = SETUP_INIT;
	struct effort effort = effort_begin(20, 20);
	pthread_t threads[2];
	unsigned int cpu;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1024;
	fire_begin(_metadata, threads);
	while (effort_next(&effort)) {
		static uint64_t head[MAX_CPUS];
		struct session s;

		session_open(_metadata, &s, &setup);
		session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
		session_start(_metadata, &s);
		sleep_ms(5);
		session_stop(_metadata, &s);
		for (cpu = 0; cpu < s.nr_cpus; cpu++)
			if (s.ring[cpu].data)
				head[cpu] = ring_head(&s.ring[cpu]);
		sleep_ms(5);
		for (cpu = 0; cpu < s.nr_cpus; cpu++)
			if (s.ring[cpu].data)
				EXPECT_EQ(head[cpu], ring_head(&s.ring[cpu]));
		session_close(&s);
	}
	fire_end(threads);
}

/* The limits of a session.  It is closed while each event that fires checks them. */
enum kind {
	EVERYBODY,
	TASKS,
	INHERITED_TASKS,
	COMM,
	CGROUP,
	COMM_AND_CGROUP_OF_TASKS,
	NOT_THE_RECORDER,
	NR_KINDS,
};

static void limit(struct __test_metadata *_metadata, struct session *s, enum kind kind)
{
	struct ktrace_scope_add comm = { .size = sizeof(comm), .kind = KTRACE_SCOPE_COMM,
					 .comm = "lifecycle" };
	struct ktrace_scope_add cgroup = { .size = sizeof(cgroup), .kind = KTRACE_SCOPE_CGROUP };
	struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid(),
					.flags = KTRACE_TASK_PROCESS };

	if (kind == INHERITED_TASKS)
		task.flags |= KTRACE_TASK_INHERIT;
	if (kind == TASKS || kind == INHERITED_TASKS || kind == COMM_AND_CGROUP_OF_TASKS)
		ASSERT_EQ(0, CALL(s->fd, TASK_ADD, &task));
	if (kind == COMM || kind == COMM_AND_CGROUP_OF_TASKS)
		ASSERT_EQ(0, CALL(s->fd, SCOPE_ADD, &comm));
	if (kind == CGROUP || kind == COMM_AND_CGROUP_OF_TASKS) {
		cgroup.cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* Without cgroup v2, the name is the only condition. */
		if (CALL(s->fd, SCOPE_ADD, &cgroup))
			ASSERT_EQ(0, CALL(s->fd, SCOPE_ADD, &comm));
		if (cgroup.cgroup >= 0)
			close(cgroup.cgroup);
	}
}

TEST_F_TIMEOUT(lifecycle, close_while_running, 600)
{
	struct effort effort = effort_begin(NR_KINDS * 12, NR_KINDS * 200);
	pthread_t threads[2];

	NEED_KTEST();
	fire_begin(_metadata, threads);
	while (effort_next(&effort)) {
		unsigned long round = effort.done - 1;
		struct ktrace_task_add task = { .size = sizeof(task), .pid = 1 };
		struct ktrace_setup setup = SETUP_INIT;
		enum kind kind = round % NR_KINDS;
		struct session s;

		setup.pages = 4;
		setup.flags = kind == NOT_THE_RECORDER ? 0 : KTRACE_SETUP_TRACE_SELF;
		session_open(_metadata, &s, &setup);
		session_add(_metadata, &s, "ktrace_test/seq", 0, 0xff);
		session_add(_metadata, &s, "sched/sched_switch", 1, 0xff);
		limit(_metadata, &s, kind);
		session_start(_metadata, &s);
		/* A session of all tasks becomes one of a single task while it runs. */
		if (kind == EVERYBODY && round % 2)
			ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
		sleep_ms(round % 4);
		session_close(&s);
	}
	LOG_EFFORT(&effort);
	fire_end(threads);
}

TEST_F_TIMEOUT(lifecycle, reader_is_killed, 600)
{
	struct effort effort = effort_begin(20, 300);
	struct ktrace_setup setup = SETUP_INIT;
	pthread_t threads[2];
	int status;
	pid_t pid;

	NEED_KTEST();
	setup.wakeup_bytes = 1;
	fire_begin(_metadata, threads);
	while (effort_next(&effort)) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			struct pollfd poll_fd = { .events = POLLIN };
			struct session s;
			unsigned int cpu;

			session_open(_metadata, &s, &setup);
			session_add(_metadata, &s, "ktrace_test/seq", 0, 0xff);
			session_start(_metadata, &s);
			poll_fd.fd = s.fd;
			while (poll(&poll_fd, 1, -1) >= 0)
				for (cpu = 0; cpu < s.nr_cpus; cpu++)
					if (s.ring[cpu].data)
						ring_consume(&s.ring[cpu],
							     ring_head(&s.ring[cpu]));
			_exit(1);
		}
		sleep_ms(20 + effort.done % 20);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	LOG_EFFORT(&effort);
	fire_end(threads);
}

/* Many threads make ioctls on one descriptor: none of them hangs or crashes. */
struct caller {
	int fd;
	unsigned int nr;
	int config;
};

#define CALLERS_EVENT	"sched/sched_switch"

static void *call_at_random(void *arg)
{
	struct caller *c = arg;
	unsigned int i, seed = c->nr;

	for (i = 0; i < 300; i++) {
		struct ktrace_event_add add = event_add_init(c->config, rand_r(&seed) % 50);
		struct ktrace_task_add task = { .size = sizeof(task), .pid = getpid() };
		struct ktrace_clock clock = { .size = sizeof(clock) };
		struct pollfd poll_fd = { .fd = c->fd, .events = POLLIN };
		struct ktrace_setup setup = SETUP_INIT;
		struct ktrace_stats stats = STATS_INIT;
		void *p;

		switch (rand_r(&seed) % 8) {
		case 0:
			CALL(c->fd, SETUP, &setup);
			break;
		case 1:
			event_add(c->fd, CALLERS_EVENT, &add);
			break;
		case 2:
			CALL(c->fd, START, 0);
			break;
		case 3:
			if (i % 8 == 0)
				CALL(c->fd, STOP, 0);
			break;
		case 4:
			CALL(c->fd, STATS, &stats);
			break;
		case 5:
			p = map(c->fd, 0, KTRACE_MMAP_DATA, 16 * 4096, PROT_READ, MAP_SHARED);
			if (p)
				munmap(p, 16 * 4096);
			break;
		case 6:
			poll(&poll_fd, 1, 1);
			break;
		default:
			CALL(c->fd, CLOCK, &clock);
			if (i % 50 == 0)
				CALL(c->fd, TASK_ADD, &task);
			break;
		}
	}
	return NULL;
}

TEST_F_TIMEOUT(lifecycle, calls_from_many_threads, 600)
{
	struct effort effort = effort_begin(5, 50);
	struct caller callers[6];
	pthread_t threads[6];
	unsigned int i;

	while (effort_next(&effort)) {
		int fd = device_open(_metadata);

		for (i = 0; i < 6; i++) {
			callers[i] = (struct caller){ fd, effort.done * 6 + i,
						      event_id(CALLERS_EVENT) };
			ASSERT_EQ(0, pthread_create(&threads[i], NULL, call_at_random,
						    &callers[i]));
		}
		for (i = 0; i < 6; i++)
			ASSERT_EQ(0, pthread_join(threads[i], NULL));
		close(fd);
	}
	LOG_EFFORT(&effort);
}

/* One session has hundreds of events, of any systems. */
TEST_F_TIMEOUT(lifecycle, many_events, 600)
{
	static const char * const systems[] = { "syscalls", "sched", "irq", "timer", "block",
						"workqueue", "signal", "task", "kmem" };
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int i, added = 0, cpu;
	struct timespec begin, end;
	uint64_t recorded = 0;
	struct session s;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &s, &setup);
	for (i = 0; i < ARRAY_SIZE(systems) && added < 600; i++) {
		char path[256], event[300];
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof(path), TRACING "/events/%s", systems[i]);
		dir = opendir(path);
		if (!dir)
			continue;
		while ((entry = readdir(dir)) && added < 600) {
			struct ktrace_event_add add;

			snprintf(event, sizeof(event), "%s/%s", systems[i], entry->d_name);
			if (event_id(event) < 0)
				continue;
			add = event_add_init(event_id(event), added);
			ASSERT_EQ(0, event_add(s.fd, event, &add)) {
				TH_LOG("%s", event);
			}
			added++;
		}
		closedir(dir);
	}
	ASSERT_LT(50, added);
	session_start(_metadata, &s);
	sleep_ms(100);
	session_stop(_metadata, &s);
	for (i = 0; i < added; i++)
		for (cpu = 0; cpu < s.nr_cpus; cpu++)
			if (s.ring[cpu].data)
				recorded += session_stats(_metadata, &s, i, cpu).recorded;
	EXPECT_LT(0, recorded);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	session_close(&s);
	clock_gettime(CLOCK_MONOTONIC, &end);
	/*
	 * How long this takes depends on the machine.  If each event waited for a grace
	 * period, it would show here.
	 */
	TH_LOG("%u events, closed in %lld ms", added,
	       (end.tv_sec - begin.tv_sec) * 1000LL + (end.tv_nsec - begin.tv_nsec) / 1000000);
}

/* ---- the module ------------------------------------------------------------- */

static int rmmod(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static int insmod(const char *name)
{
	const char *dir = getenv("KTRACE_MODULES");
	/* The test module does not have BTF everywhere. */
	const char *params = strcmp(name, "ktrace") ? "" : "unchecked_templates=1";
	char path[512];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s.ko", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return err;
}

/*
 * Each module is used by those before it.  The template module is not there without its
 * tests.
 */
static const char * const modules[] = { "ktrace_test_probes", "ktrace_probes", "ktrace" };

static unsigned int first_module(void)
{
	return wants_templates() ? 0 : ARRAY_SIZE(modules) - 1;
}

/*
 * Does the module have templates of all the kernel's events?  Loading that one takes a hundred
 * times as long as loading any other module.
 */
static bool is_large(const char *module)
{
	return !strcmp(module, "ktrace_probes");
}

static int unload(void)
{
	unsigned int i;
	int err = 0;

	for (i = first_module(); !err && i < ARRAY_SIZE(modules); i++) {
		err = rmmod(modules[i]);
		if (err == -ENOENT && is_large(modules[i]))
			err = 0;
	}
	return err;
}

static int load(bool large)
{
	unsigned int i;
	int err = 0;

	for (i = ARRAY_SIZE(modules); !err && i-- > first_module();)
		if (large || !is_large(modules[i]))
			err = insmod(modules[i]);
	return err;
}

#define NEED_MODULES()							\
	do {								\
		if (!getenv("KTRACE_MODULES"))				\
			SKIP(return, "KTRACE_MODULES does not say where ktrace.ko is"); \
	} while (0)

TEST_F(lifecycle, rmmod_is_refused_while_open)
{
	int fd;

	NEED_MODULES();
	fd = device_open(_metadata);
	EXPECT_EQ(-EAGAIN, rmmod("ktrace"));
	close(fd);
	EXPECT_EQ(0, unload());
	EXPECT_EQ(-1, access(KTRACE_DEVICE, F_OK));
	EXPECT_EQ(0, load(true));
	EXPECT_EQ(0, access(KTRACE_DEVICE, F_OK));
}

TEST_F(lifecycle, rmmod_is_refused_while_mapped)
{
	struct session s;

	NEED_MODULES();
	session_open(_metadata, &s, NULL);
	close(s.fd);
	EXPECT_EQ(-EAGAIN, rmmod("ktrace"));
	s.fd = -1;
	session_close(&s);
	EXPECT_EQ(0, unload());
	EXPECT_EQ(0, load(true));
}

/* An event holds the module that declares it, and the module whose probe it uses. */
TEST_F(lifecycle, rmmod_of_the_traced_module)
{
	struct session s;

	NEED_KTEST();
	NEED_MODULES();
	session_open(_metadata, &s, NULL);
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
	EXPECT_EQ(-EAGAIN, rmmod("ktrace_test"));
	session_start(_metadata, &s);
	EXPECT_EQ(-EAGAIN, rmmod("ktrace_test"));
	if (wants_templates())
		EXPECT_EQ(-EAGAIN, rmmod("ktrace_test_probes"));
	session_stop(_metadata, &s);
	EXPECT_EQ(-EAGAIN, rmmod("ktrace_test"));
	session_close(&s);
	if (wants_templates())
		EXPECT_EQ(0, rmmod("ktrace_test_probes"));
	EXPECT_EQ(0, rmmod("ktrace_test"));
	EXPECT_EQ(0, insmod("ktrace_test"));
	if (wants_templates())
		EXPECT_EQ(0, insmod("ktrace_test_probes"));
}

static void reload_test_module(struct __test_metadata *_metadata)
{
	if (wants_templates())
		ASSERT_EQ(0, rmmod("ktrace_test_probes"));
	ASSERT_EQ(0, rmmod("ktrace_test"));
	ASSERT_EQ(0, insmod("ktrace_test"));
	if (wants_templates())
		ASSERT_EQ(0, insmod("ktrace_test_probes"));
}

#define TRACED		"fire_write"	/* which each write() calls */

static void call_traced(void)
{
	write_file(KTEST "/fire", "nothing");
}

static int add_traced(struct session *s, unsigned int id, unsigned int flags)
{
	struct ktrace_event_add add = event_add_init(60000, id);

	add.flags = KTRACE_EVENT_FUNCTION | flags;
	add.address = address_of(TRACED);
	return CALL(s->fd, EVENT_ADD, &add);
}

static uint64_t recorded_of(struct __test_metadata *_metadata, struct session *s,
			    unsigned int index)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		if (s->ring[cpu].data)
			sum += session_stats(_metadata, s, index, cpu).recorded;
	return sum;
}

FIXTURE(unloaded) {
	struct session s;
	struct ktrace_info info;
};

FIXTURE_SETUP(unloaded)
{
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &self->s, &setup);
	self->info = (struct ktrace_info)INFO_INIT;
	ASSERT_EQ(0, CALL(self->s.fd, INFO, &self->info));
}

FIXTURE_TEARDOWN(unloaded)
{
	session_close(&self->s);
}

/* Events 0 and 1 are a function of the test module, by its entry and by its return. */
#define ADD_TRACED()							\
	do {								\
		NEED_KTEST();						\
		NEED_MODULES();						\
		if (!(self->info.features & KTRACE_FEATURE_FUNCTION))	\
			SKIP(return, "this kernel has no probes of functions by ftrace"); \
		ASSERT_EQ(0, add_traced(&self->s, 0, 0));		\
		ASSERT_EQ(0, add_traced(&self->s, 1, KTRACE_EVENT_RETURN)); \
	} while (0)

/* Another function may get the address of one whose module was unloaded. */
TEST_F(unloaded, functions_of_an_unloaded_module_are_gone)
{
	uint64_t address = address_of(TRACED);
	unsigned int tries = 0;

	ADD_TRACED();
	session_start(_metadata, &self->s);
	call_traced();
	EXPECT_EQ(1, recorded_of(_metadata, &self->s, 0));
	EXPECT_EQ(1, recorded_of(_metadata, &self->s, 1));
	do {
		reload_test_module(_metadata);
	} while (address_of(TRACED) != address && ++tries < 20);
	if (tries == 20)
		TH_LOG("the kernel gives the address to nobody else");
	call_traced();
	EXPECT_EQ(1, recorded_of(_metadata, &self->s, 0));
	EXPECT_EQ(1, recorded_of(_metadata, &self->s, 1));
	session_stop(_metadata, &self->s);
	/* Nothing is left that could be started. */
	EXPECT_EQ(-ENOENT, CALL(self->s.fd, START, 0));
}

/* The session still may have the new one as another event. */
TEST_F(unloaded, a_function_at_the_address_of_one_that_is_gone)
{
	ADD_TRACED();
	reload_test_module(_metadata);
	ASSERT_EQ(0, add_traced(&self->s, 2, 0));
	ASSERT_EQ(0, add_traced(&self->s, 3, KTRACE_EVENT_RETURN));
	session_start(_metadata, &self->s);
	call_traced();
	session_stop(_metadata, &self->s);
	EXPECT_EQ(0, recorded_of(_metadata, &self->s, 0));
	EXPECT_EQ(0, recorded_of(_metadata, &self->s, 1));
	EXPECT_EQ(1, recorded_of(_metadata, &self->s, 2));
	EXPECT_EQ(1, recorded_of(_metadata, &self->s, 3));
}

TEST_F_TIMEOUT(lifecycle, reload_under_fire, 600)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = 1,
					.flags = KTRACE_TASK_INHERIT };
	pthread_t threads[2];
	struct effort effort;

	NEED_KTEST();
	NEED_MODULES();
	fire_begin(_metadata, threads);
	effort = effort_begin(wants_templates() ? 5 : 50, 1000);
	while (effort_next(&effort)) {
		struct session s;

		ASSERT_EQ(0, unload());
		ASSERT_EQ(0, load(effort.done % 10 == 0));
		if (effort.done % 5)
			continue;
		session_open(_metadata, &s, NULL);
		session_add(_metadata, &s, "sched/sched_switch", 0, 0xff);
		session_add(_metadata, &s, "ktrace_test/seq", 1, 0xff);
		ASSERT_EQ(0, CALL(s.fd, TASK_ADD, &task));
		session_start(_metadata, &s);
		sleep_ms(1);
		session_close(&s);
	}
	LOG_EFFORT(&effort);
	/* The next test needs all of them. */
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load(true));
	fire_end(threads);
}

TEST_HARNESS_MAIN
