// SPDX-License-Identifier: GPL-2.0
/*
 * Samples at the addresses of a binary, against counting by brute force.  A machine maps one
 * file that is not here, so that addresses are offsets in it.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/address_counts.h"
#include "record/body.h"
#include "record/header.h"
#include "tap.h"

#define MAPPED	0x400000
#define ADDRESSES	64

static struct machine *machine;
static struct maps *maps;

static void map_file(struct processes *processes)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		char name[16];
	} mmap = {
		.header = { PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(mmap) },
		.pid = 7, .tid = 7, .addr = MAPPED, .len = 0x1000, .name = "/not/here",
	};
	struct record record = { .header = &mmap.header };

	if (machine_apply(machine, processes, &record))
		abort();
	maps = processes_maps(processes, 7, 7);
}

int main(void)
{
	static const struct symbol_options symbols;
	static const struct header header;
	uint64_t periods[2][ADDRESSES] = { 0 };
	struct address_counts *counts = NULL;
	struct address_count *found = NULL;
	struct processes *processes = NULL;
	bool right = true;
	size_t nr, seen = 0;
	struct place place;

	if (machine_create(&header, &symbols, &machine) || processes_create(&processes) ||
	    address_counts_create(&counts))
		abort();
	map_file(processes);
	for (int i = 0; i < 5000; i++) {
		struct event event = { .index = rand() % 2 };
		uint64_t address = rand() % (ADDRESSES + 1);
		struct session_record r = {
			.event = &event, .machine = machine, .maps = maps,
			.sample = {
				.cpumode = PERF_RECORD_MISC_USER, .period = 1 + rand() % 9,
				/* Some lie in no binary. */
				.ip = address < ADDRESSES ? MAPPED + address : 16,
			},
		};

		if (address < ADDRESSES)
			periods[event.index][address] += r.sample.period;
		if (address_counts_consumer(counts)->sample(address_counts_consumer(counts), &r))
			abort();
	}
	machine_find(machine, maps, PERF_RECORD_MISC_USER, MAPPED, &place);
	if (address_counts_find(counts, 1, place.map->dso, 10, 20, &found, &nr))
		abort();
	for (size_t i = 0; i < nr; i++) {
		right &= found[i].address >= 10 && found[i].address < 20 &&
			 (!i || found[i].address > found[i - 1].address) &&
			 found[i].period == periods[1][found[i].address];
		seen += found[i].period;
	}
	for (size_t i = 10; i < 20; i++)
		seen -= periods[1][i];
	ok(right && nr && !seen, "the addresses of a function have what a count by hand gives");
	free(found);
	if (address_counts_find(counts, 2, place.map->dso, 0, ADDRESSES, &found, &nr))
		abort();
	ok(!found && !nr, "an event without samples has no addresses");
	address_counts_clear(counts);
	if (address_counts_find(counts, 1, place.map->dso, 0, ADDRESSES, &found, &nr))
		abort();
	ok(!found && !nr, "nothing is left after clearing");
	address_counts_destroy(counts);
	machine_destroy(machine);
	processes_destroy(processes);
	return tap_done();
}
