// SPDX-License-Identifier: GPL-2.0
/* Every kind of trace event can be captured, with the bytes that perf has. */
#include "selftest.h"
#include "ktrace_test_values.h"

FIXTURE(events) {
	struct session s;
	struct ring *ring;
	unsigned int cpu;
	uint64_t pos;
};

FIXTURE_SETUP(events)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 512;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	self->ring = &self->s.ring[self->cpu];
	pin_to(_metadata, self->cpu);
}

FIXTURE_TEARDOWN(events)
{
	session_close(&self->s);
}

/* The next sample of this process. */
static const struct sample *next_own(struct __test_metadata *_metadata,
				     FIXTURE_DATA(events) *self)
{
	const struct sample *sample;

	do
		sample = (const void *)ring_next(_metadata, self->ring, &self->pos,
						 ring_head(self->ring));
	while (sample && (sample->header.type != PERF_RECORD_SAMPLE ||
			  sample->pid != getpid()));
	return sample;
}

/* ---- beside perf ------------------------------------------------------------ */

/*
 * perf and we capture the same firing: everything is equal except for the id and the time, which
 * both read separately.
 */
static void compare_with_perf(struct __test_metadata *_metadata, const char *name,
			      const char *context, unsigned int count)
{
	struct ktrace_setup setup = SETUP_INIT;
	const struct sample *ours, *theirs;
	FIXTURE_DATA(events) own = { 0 };
	struct perf perf;
	char event[64];
	unsigned int n;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 512;
	session_open(_metadata, &own.s, &setup);
	own.ring = &own.s.ring[0];
	snprintf(event, sizeof(event), "ktrace_test/%s", name);
	session_add(_metadata, &own.s, event, 0, 0);
	perf_open(_metadata, &perf, event_id(event), -1, 0);
	session_start(_metadata, &own.s);
	ASSERT_EQ(0, fire("%s %s %u 0 0", name, context, count)) {
		TH_LOG("%s", name);
	}
	session_stop(_metadata, &own.s);
	for (n = 0; (theirs = perf_next(_metadata, &perf)); n++) {
		ours = (const void *)ring_next(_metadata, own.ring, &own.pos,
					       ring_head(own.ring));
		ASSERT_NE(NULL, ours);
		ASSERT_EQ(PERF_RECORD_SAMPLE, ours->header.type);
		ASSERT_EQ(theirs->header.size, ours->header.size);
		ASSERT_EQ(theirs->header.misc, ours->header.misc);
		ASSERT_TRUE(theirs->ip == ours->ip || is_in_function_of_perf(theirs->ip)) {
			TH_LOG("%s: ip %llx and %llx", name, (long long)theirs->ip,
			       (long long)ours->ip);
		}
		ASSERT_EQ(theirs->pid, ours->pid);
		ASSERT_EQ(theirs->tid, ours->tid);
		ASSERT_EQ(theirs->cpu, ours->cpu);
		ASSERT_EQ(theirs->period, ours->period);
		ASSERT_EQ(theirs->raw_size, ours->raw_size);
		expect_same_raw(_metadata, event, theirs->raw, ours->raw, ours->raw_size,
				wants_templates());
	}
	ASSERT_LT(0, n) {
		TH_LOG("%s", name);
	}
	ASSERT_EQ(NULL, ring_next(_metadata, own.ring, &own.pos, ring_head(own.ring)));
	perf_close(&perf);
	session_close(&own.s);
}

TEST(the_same_bytes_as_perf)
{
	static char names[4096];
	char *name;

	NEED_KTEST();
	ASSERT_GT(read_file(KTEST "/events", names, sizeof(names)), 0);
	for (name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
		/* perf itself cannot take all of these. */
		if (!strcmp(name, "huge"))
			continue;
		compare_with_perf(_metadata, name, "task",
				  !strcmp(name, "big") ? 100 : 300);
	}
}

TEST(the_same_bytes_as_perf_in_interrupts)
{
	NEED_KTEST();
	compare_with_perf(_metadata, "ints", "softirq", 200);
	compare_with_perf(_metadata, "ints", "hardirq", 200);
	compare_with_perf(_metadata, "ints", "irq_work", 200);
}

/* ---- kinds of events -------------------------------------------------------- */

TEST_F(events, kprobes)
{
	const struct sample *sample;
	struct field arg;
	int fd, n = 0;

	if (write_file(TRACING "/kprobe_events",
		       "p:ktrace_selftest/enter do_sys_openat2 dfd=%di:s32\n"))
		SKIP(return, "this kernel has no kprobe events");
	ASSERT_EQ(0, write_file(TRACING "/kprobe_events",
				"r:ktrace_selftest/leave do_sys_openat2 ret=$retval:s64\n"));
	arg = event_field(_metadata, "ktrace_selftest/leave", "ret");
	session_add(_metadata, &self->s, "ktrace_selftest/enter", 0, 0);
	session_add(_metadata, &self->s, "ktrace_selftest/leave", 1, 0);
	session_start(_metadata, &self->s);
	fd = open("/dev/null", O_RDONLY);
	session_stop(_metadata, &self->s);
	while ((sample = next_own(_metadata, self))) {
		EXPECT_EQ(KTRACE_ID_BASE + n % 2, sample->id);
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, sample->header.misc);
		if (n % 2)
			EXPECT_EQ(fd, (int64_t)load_number(sample, arg));
		n++;
	}
	EXPECT_EQ(2, n);
	close(self->s.fd);
	session_close(&self->s);
	self->s.nr_cpus = 0;
	write_file(TRACING "/kprobe_events", "-:ktrace_selftest/enter\n-:ktrace_selftest/leave\n");
}

__attribute__((noinline, noclone)) static int probed(int n)
{
	__asm__ volatile("" : "+r" (n));
	return n + 1;
}

/* The offset of a function of this program in its file. */
static long file_offset(const void *address)
{
	unsigned long begin, end, offset;
	char line[512], exe[256];
	long found = -1;
	ssize_t n;
	FILE *f;

	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n < 0 ? 0 : n] = '\0';
	f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    (unsigned long)address - begin < end - begin && strstr(line, exe))
			found = (unsigned long)address - begin + offset;
	if (f)
		fclose(f);
	return found;
}

TEST_F(events, uprobes)
{
	const struct sample *sample;
	char order[512], exe[256];
	int i, n = 0;
	ssize_t len;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	ASSERT_GT(len, 0);
	exe[len] = '\0';
	snprintf(order, sizeof(order), "p:ktrace_selftest/probed %s:0x%lx\n", exe,
		 file_offset(probed));
	if (write_file(TRACING "/uprobe_events", order))
		SKIP(return, "this kernel has no uprobe events");
	session_add(_metadata, &self->s, "ktrace_selftest/probed", 0, 0);
	session_start(_metadata, &self->s);
	for (i = 0; i < 10; i++)
		probed(i);
	session_stop(_metadata, &self->s);
	while ((sample = next_own(_metadata, self))) {
		EXPECT_EQ(PERF_RECORD_MISC_USER, sample->header.misc);
		EXPECT_EQ((uintptr_t)probed, sample->ip);
		n++;
	}
	EXPECT_EQ(10, n);
	session_close(&self->s);
	self->s.nr_cpus = 0;
	write_file(TRACING "/uprobe_events", "-:ktrace_selftest/probed\n");
}

/* Captures every function of the kernel, including functions that our own capture calls. */
TEST_F_TIMEOUT(events, every_function, 600)
{
	unsigned int n = 0;

	if (event_id("ftrace/function") < 0)
		SKIP(return, "this kernel has no function tracer");
	if (getenv("KTRACE_TEST_SHORT"))
		SKIP(return, "it takes long: not in the short form");
	session_add(_metadata, &self->s, "ftrace/function", 0, 0xff);
	session_start(_metadata, &self->s);
	syscall(SYS_getppid);
	session_stop(_metadata, &self->s);
	while (next_own(_metadata, self))
		n++;
	EXPECT_LT(5, n);
}

/*
 * Nothing breaks by any event, in any state of the kernel.  printk:console is left out, because it
 * warns of itself when it fires in idle.
 */
TEST_F_TIMEOUT(events, all_events_of_many_systems, 600)
{
	static const char * const systems[] = {
		"sched", "irq", "irq_vectors", "timer", "signal", "task", "raw_syscalls",
		"workqueue", "rcu", "kmem", "exceptions", "nmi", "tlb", "writeback", "skb", "net",
		"block", "power", "cpuhp", "ipi", "lock", "preemptirq", "module", "x86_fpu",
		"msr", "tasks", "maple_tree", "mmap", "page_isolation", "percpu", "filemap", "vmscan",
		"notifier", "csd", "alarmtimer", "clk", "cgroup", "hyperv", "iommu", "oom", "compaction",
	};
	unsigned int i, added = 0, cpu;
	uint64_t recorded = 0;

	for (i = 0; i < ARRAY_SIZE(systems); i++) {
		char command[256], event[256];
		FILE *list;

		snprintf(command, sizeof(command),
			 "cd " TRACING "/events/%s 2>/dev/null && ls -d */ | tr -d /", systems[i]);
		list = popen(command, "r");
		ASSERT_NE(NULL, list);
		while (fgets(event, sizeof(event), list)) {
			struct ktrace_event_add add;
			char name[300];
			int err;

			event[strcspn(event, "\n")] = '\0';
			snprintf(name, sizeof(name), "%s/%s", systems[i], event);
			if (event_id(name) < 0)
				continue;
			add = event_add_init(event_id(name), added);
			add.fields = added % 256;
			err = event_add(self->s.fd, name, &add);
			/*
			 * Some events refuse counters: irq_vectors:irq_work_exit and those
			 * of ftrace.
			 */
			ASSERT_TRUE(!err || err == -ENODEV) {
				TH_LOG("%s: %d", name, err);
			}
			added += !err;
		}
		pclose(list);
	}
	session_start(_metadata, &self->s);
	/* This does a little of everything: files, processes, signals, memory, NMIs. */
	ASSERT_EQ(0, system("exec >/dev/null 2>&1; ls -laR /proc/self; cat /proc/interrupts;"
			    " (sleep 0.1 & kill $!); dd if=/dev/zero of=/tmp/ktrace_selftest bs=64k"
			    " count=64; rm /tmp/ktrace_selftest; echo l >/proc/sysrq-trigger; true"));
	session_stop(_metadata, &self->s);
	for (i = 0; i < added; i++)
		for (cpu = 0; cpu < self->s.nr_cpus; cpu++)
			if (self->s.ring[cpu].data)
				recorded += session_stats(_metadata, &self->s, i, cpu).recorded;
	EXPECT_LT(100, added);
	EXPECT_LT(100, recorded);
}

TEST_HARNESS_MAIN
