// SPDX-License-Identifier: GPL-2.0
#include "cmd/selection_words.h"

struct error *selection_words_parse(const struct selection_words *words,
				    const struct header *header, struct cpumap *cpus,
				    struct selection *ret)
{
	struct error *err = NULL;

	if (words->cpus) {
		err = cpumap_parse(words->cpus, cpus);
		ret->cpus = cpus;
	}
	if (!err && words->pids)
		err = id_list_parse(&ret->pids, "--pid", words->pids);
	if (!err && words->tids)
		err = id_list_parse(&ret->tids, "--tid", words->tids);
	if (!err && words->times)
		err = time_ranges_parse(&ret->times, words->times, header->first_sample_time,
					header->last_sample_time);
	return err;
}
