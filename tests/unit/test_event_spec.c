// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "format/tracefs.h"
#include "lib/cleanup.h"
#include "spec/event_names.h"
#include "spec/event_spec.h"
#include "spec/event_terms.h"
#include "tap.h"

DEFINE_CLEANUP(event_specs, struct event_specs, event_specs_deinit)

static void test_one(const char *text, uint32_t type, uint64_t config, const char *modifiers)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 };

	about("%s", text);
	if (!no_error(event_specs_add(&specs, text), "it is taken"))
		return;
	is_u64(specs.nr, 1, "it is one event");
	is_u64(specs.items[0].type, type, "its type");
	is_u64(specs.items[0].config, config, "its number");
	is_str(specs.items[0].modifiers, modifiers, "its modifiers");
	is_str(specs.items[0].text, text, "its text");
	about_nothing();
}

TEST(test_words)
{
	test_one("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "");
	test_one("cpu-cycles:uH", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "uH");
	test_one("branches:ppp", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "ppp");
	test_one("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "");
	test_one("cgroup-switches", PERF_TYPE_SOFTWARE, 11, "");
	test_one("r1a8", PERF_TYPE_RAW, 0x1a8, "");
	test_one("rFFFFFFFFFFFFFFFF:k", PERF_TYPE_RAW, UINT64_MAX, "k");
	test_one("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, "");
	test_one("LLC-stores", PERF_TYPE_HW_CACHE, 0x102, "");
	test_one("dTLB-prefetch-misses:u", PERF_TYPE_HW_CACHE, 0x10203, "u");
	test_one("branch-loads", PERF_TYPE_HW_CACHE, 5, "");
	test_one("node", PERF_TYPE_HW_CACHE, 6, "");
}

/* The names that perf 6.1 lists, and their numbers. */
TEST(test_cache_names)
{
	size_t nr = 0;
	bool found = true;
	uint64_t config;
	char name[64];

	while (event_names_cache_at(nr, name, sizeof(name))) {
		found &= event_names_find_cache(name, &config);
		nr++;
	}
	ok(found && nr == 32, "every listed cache event can be given");
	event_names_cache_at(1, name, sizeof(name));
	is_str(name, "L1-dcache-load-misses", "a cache event is spelled as perf does");
	ok(!event_names_find_cache("L1-icache-stores", &config), "instructions are not stored");
	ok(!event_names_find_cache("LLC-", &config), "a '-' needs a word behind it");
	ok(!event_names_find_cache("LLC-loads-stores", &config), "two operations are too many");
}

TEST(test_breakpoints)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 };

	no_error(event_specs_add(&specs, "mem:0x1000,mem:4096/8:w,mem:0x2000:x:u,mem:0x10/1:u"),
		 "breakpoints");
	is_u64(specs.nr, 4, "four breakpoints are four events");
	is_u64(specs.items[0].bp_addr, 0x1000, "the address of a breakpoint");
	is_u64(specs.items[0].bp_type, HW_BREAKPOINT_RW, "a breakpoint is for reads and writes by default");
	is_u64(specs.items[0].bp_len, 4, "a breakpoint is of four bytes by default");
	is_u64(specs.items[1].bp_addr, 4096, "a decimal address of a breakpoint");
	is_u64(specs.items[1].bp_len, 8, "a length of a breakpoint");
	is_u64(specs.items[1].bp_type, HW_BREAKPOINT_W, "an access of a breakpoint");
	is_u64(specs.items[2].bp_type, HW_BREAKPOINT_X, "a breakpoint for execution");
	is_u64(specs.items[2].bp_len, sizeof(long), "a breakpoint for execution has the size of a long");
	is_str(specs.items[2].modifiers, "u", "a breakpoint with access and modifier");
	is_str(specs.items[3].modifiers, "u", "a breakpoint with a modifier in place of an access");
}

TEST(test_groups)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 };

	no_error(event_specs_add(&specs, "cs, {faults,cpu-clock:u}:S ,{ task-clock }"), "groups");
	is_u64(specs.nr, 4, "groups are four events");
	is_u64(specs.items[0].group, 0, "an event in no group");
	ok(specs.items[1].group && specs.items[1].group == specs.items[2].group, "two events in one group");
	ok(specs.items[3].group != specs.items[2].group, "an event in another group");
	is_str(specs.items[1].modifiers, "S", "modifiers of the group");
	is_str(specs.items[2].modifiers, "uS", "modifiers of the group go behind those of the event");
	no_error(event_specs_add(&specs, "{cs}"), "a further -e is taken");
	ok(specs.items[4].group > specs.items[3].group, "a further -e has groups of its own");
	is_u64(specs.last_first, 4, "a filter goes to a further -e");
}

TEST(test_errors)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "An event is missing:\n    \n    ^ here" },
		{ "cs,", "An event is missing:\n    cs,\n       ^ here" },
		{ "cs,,faults", "An event is missing:\n    cs,,faults\n       ^ here" },
		{ "cs:x", "'x' is not an event modifier:\n    cs:x\n       ^ here" },
		{ "cs:uku", "The event modifier 'u' is given too often:\n    cs:uku\n       ^ here" },
		{ "cs:pppp", "The event modifier 'p' is given too often:\n    cs:pppp\n          ^ here" },
		{ "{cs,faults", "The group is not closed by a '}':\n    {cs,faults\n    ^ here" },
		{ "{cs}faults", "A ',' is missing between events:\n    {cs}faults\n        ^ here" },
		{ "{cs}:z", "'z' is not an event modifier:\n    {cs}:z\n         ^ here" },
		{ "mem:", "The breakpoint needs an address:\n    mem:\n        ^ here" },
		{ "mem:1/3", "A breakpoint is 1, 2, 4 or 8 bytes long:\n    mem:1/3\n          ^ here" },
		{ "mem:1z", "This is no part of a breakpoint:\n    mem:1z\n         ^ here" },
		{ "nosuch/event=1/", "There is no PMU 'nosuch' in this machine:\n"
		  "    nosuch/event=1/\n    ^ here" },
		{ "cs,faults/period=9", "The terms do not end with a '/':\n"
		  "    cs,faults/period=9\n                      ^ here" },
		{ "cs/period=x/", "The term 'period' takes a number:\n"
		  "    cs/period=x/\n       ^ here" },
		{ "cs/period=1,umask=3/", "There is no term 'umask':\n"
		  "    cs/period=1,umask=3/\n                ^ here" },
		{ "cs/period=1/z", "'z' is not an event modifier:\n"
		  "    cs/period=1/z\n                ^ here" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_(event_specs) struct event_specs specs = { 0 };

		about("'%s'", cases[i].text);
		is_error(event_specs_add(&specs, cases[i].text), cases[i].message, "it is refused");
		is_u64(specs.nr, 0, "it leaves nothing behind");
	}
	about_nothing();
}

TEST(test_filter_rules)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 };

	is_error(event_specs_set_filter(&specs, "a==1"), "--filter comes before any event",
		 "a filter needs an event");
	no_error(event_specs_add(&specs, "cs"), "a software event");
	is_error(event_specs_set_filter(&specs, "a==1"),
		 "--filter needs a tracepoint, but 'cs' is not one", "a software event takes no filter");
}

TEST(test_cgroups)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 };

	no_error(event_specs_add(&specs, "cs,faults,cpu-clock"), "three events");
	no_error(event_specs_set_cgroups(&specs, "a,"), "two cgroups, one of them empty, are taken");
	is_str(specs.items[0].cgroup, "a", "the first event is in the first cgroup");
	is_str(specs.items[1].cgroup, "", "the second event is in any cgroup");
	is_str(specs.items[2].cgroup, NULL, "the third event has no cgroup yet");
	no_error(event_specs_add(&specs, "cs"), "another event is added");
	no_error(event_specs_set_cgroups(&specs, "b"), "one cgroup is taken");
	is_str(specs.items[2].cgroup, "b", "one cgroup is for all events that have none");
	is_str(specs.items[3].cgroup, "b", "one cgroup is for the last event, too");
	is_str(specs.items[0].cgroup, "a", "one cgroup is not for events that have another");
}

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", event_terms_root, folder);
	mkdir(path, 0777);
	strcat(strcat(path, "/"), name);
	file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* The counts of a PMU's events: units, scales and CPUs. */
static void test_pmu_counts(void)
{
	struct cpumap cpus = { 0 };
	char unit[4];
	double scale;

	event_terms_unit("package/joules/u", unit, sizeof(unit), &scale);
	is_str(unit, "Jou", "the unit of an event, up to the room for it");
	ok(scale == 0.25, "the scale of an event");
	event_terms_unit("cpu/loop/", unit, sizeof(unit), &scale);
	ok(!*unit && scale == 1, "an event without a unit counts by ones");
	event_terms_unit("cycles", unit, sizeof(unit), &scale);
	ok(!*unit && scale == 1, "an event of no PMU counts by ones");
	ok(!event_terms_cpus("cpu/loop/", &cpus), "a PMU that counts on each CPU");
	ok(!event_terms_cpus("../x/", &cpus) && !event_terms_cpus("nosuch/x/", &cpus),
	   "a PMU that is not there has no CPUs");
	ok(event_terms_cpus("package/x/", &cpus) && cpus.nr == 3 && cpus.cpus[2] == 5,
	   "the CPUs on which a PMU counts for others");
	cpumap_deinit(&cpus);
}

/* A PMU as sysfs describes one. */
TEST(test_pmu)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 };
	char root[] = "/tmp/ktrace-pmu-XXXXXX", command[100];
	struct error *err;

	event_terms_root = mkdtemp(root);
	write_text("cpu", "type", "42\n");
	write_text("cpu/format", "event", "config:0-7,32-35\n");
	write_text("cpu/format", "umask", "config:8-15\n");
	write_text("cpu/format", "edge", "config:18\n");
	write_text("cpu/format", "ldlat", "config1:0-15\n");
	write_text("cpu/events", "cycles-t", "event=0x3c,umask=2\n");
	write_text("cpu/events", "loop", "loop\n");

	write_text("package", "cpumask", "0,4-5\n");
	write_text("package/events", "joules.unit", "Joules\n");
	write_text("package/events", "joules.scale", "0.25\n");
	test_pmu_counts();

	no_error(event_specs_add(&specs, "cpu/event=0xabc,umask=0x12,edge,ldlat=3/ppu"), "a PMU event");
	is_u64(specs.items[0].type, 42, "a PMU event has the PMU's type");
	is_u64(specs.items[0].config, 0xa000412bc, "terms put bits in their places");
	is_u64(specs.items[0].config1, 3, "a term of config1");
	is_str(specs.items[0].modifiers, "ppu", "modifiers of a PMU event");
	is_str(specs.items[0].text, "cpu/event=0xabc,umask=0x12,edge,ldlat=3/ppu", "a PMU event has its text for a name");
	no_error(event_specs_add(&specs, "cpu/cycles-t,umask=4,period=1000,name=mine/,cs"), "an alias");
	is_u64(specs.items[1].config, 0x43c, "terms that follow an alias win");
	is_u64(specs.items[1].period, 1000, "a term for the period");
	is_str(specs.items[1].text, "mine", "a term for the name");
	is_u64(specs.nr, 3, "commas inside slashes belong to the event");
	no_error(event_specs_add(&specs, "cpu/config=5,config2=7,freq=99/,cs/period=3/u"), "plain ones");
	is_u64(specs.items[3].config, 5, "config is a term");
	is_u64(specs.items[3].config2, 7, "config2 is a term");
	is_u64(specs.items[3].freq, 99, "freq is a term");
	is_u64(specs.items[4].period, 3, "a named event takes terms");
	is_u64(specs.items[4].config, PERF_COUNT_SW_CONTEXT_SWITCHES, "a named event with terms keeps its number");

	is_error(event_specs_add(&specs, "cpu/umask=256/"), "The term 'umask' has no room for this "
		 "value:\n    cpu/umask=256/\n        ^ here", "too large a value");
	is_error(event_specs_add(&specs, "cpu/loop/"),
		 "The PMU cpu has no term 'loop':\n    cpu/loop/\n        ^ here", "an endless alias");
	err = event_specs_add(&specs, "cpu/nosuch=1/");
	is_str(err->hint, "The terms are: config, config1, config2, period, freq, name, edge, "
	       "event, ldlat, umask, cycles-t, loop", "the terms are listed");
	error_free(err);
	is_error(event_specs_add(&specs, "../event=1/"), "There is no PMU '..' in this machine:\n"
		 "    ../event=1/\n    ^ here", "no way out of the folder");
	snprintf(command, sizeof(command), "rm -r %s", root);
	ok(!system(command), "cleaned up");
}

TEST(test_tracepoints)
{
	_cleanup_(event_specs) struct event_specs specs = { 0 }, all = { 0 };
	const char *root;
	struct error *err = tracefs_path(&root);
	bool functions = false;

	if (err) {
		error_free(err);
		ok(true, "tracepoints # SKIP tracefs cannot be read");
		return;
	}
	no_error(event_specs_add(&specs, "sched:sched_switch:k,sched:sched_process_*"), "tracepoints");
	ok(specs.nr > 4, "globs are expanded");
	no_error(event_specs_add(&all, "*:*"), "all of them");
	for (size_t i = 0; i < all.nr; i++)
		functions |= !strcmp(all.items[i].system, "ftrace");
	ok(all.nr > 100 && !functions, "all tracepoints are the ones that can be enabled, not each function");
	is_str(specs.items[0].text, "sched:sched_switch", "perf's name of a tracepoint has no modifiers");
	is_str(specs.items[0].modifiers, "k", "modifiers of a tracepoint are kept");
	is_u64(specs.items[0].type, PERF_TYPE_TRACEPOINT, "the type of a tracepoint");
	ok(specs.items[0].config > 0, "the id of a tracepoint");
	no_error(event_specs_set_filter(&specs, "prio > 1"), "a tracepoint takes a filter");
	no_error(event_specs_set_filter(&specs, "prio < 9"), "a tracepoint takes a second filter");
	is_str(specs.items[1].filter, "(prio > 1) && (prio < 9)", "two filters narrow each other");

	is_error(event_specs_add(&specs, "cs,sched:sched_swich"),
		 "There is no event 'sched:sched_swich' in this kernel:\n"
		 "    cs,sched:sched_swich\n             ^ here", "an unknown name has its caret");
	is_error(event_specs_add(&specs, "schad:*"),
		 "There is no event 'schad:*' in this kernel:\n    schad:*\n    ^ here",
		 "an unknown system too");
	err = event_specs_add(&specs, "sched_switch");
	is_str(err->hint, "Did you mean 'sched:sched_switch'? 'ktrace list' lists the events",
	       "a name without its system is found");
	is_u64(err->code, ENOENT, "a system without events is no error of usage");
	error_free(err);
}

TAP_MAIN
