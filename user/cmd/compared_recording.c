// SPDX-License-Identifier: GPL-2.0
#include "cmd/compared_recording.h"

#include "cmd/recording.h"
#include "lib/log.h"

struct error *compared_recording_read(const struct compared_recordings *recordings,
				      const char *path, struct comparison *comparison,
				      size_t number)
{
	_cleanup_(selection) struct selection selection = { 0 };
	struct machine *machine = NULL;
	struct reader *reader = NULL;
	struct cpumap cpus = { 0 };
	struct error *err;

	if (recordings->base)
		selection = *recordings->base;
	err = recording_open(path, &reader);
	if (!err)
		err = selection_words_parse(recordings->words, reader_header(reader), &cpus,
					    &selection);
	if (!err)
		err = recording_machine(reader, recordings->symbols, &machine);
	if (!err)
		err = recording_run(reader, machine, &selection,
				    comparison_consumer(comparison, number, reader_events(reader)),
				    false, NULL);
	if (!err)
		err = comparison_end_file(comparison);
	machine_destroy(machine);
	reader_close(reader);
	cpumap_deinit(&cpus);
	return err;
}

static void tell_joined(void *data, const char *old, const char *new, size_t functions)
{
	log_notice("%s is compared with %s: they are in no recording together, and have %zu "
		   "functions in common.", new, old, functions);
}

struct error *compared_recordings_join(struct comparison *comparison)
{
	return comparison_join_binaries(comparison, tell_joined, NULL);
}
