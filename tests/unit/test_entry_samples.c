// SPDX-License-Identifier: GPL-2.0
/* Which samples of an entry are kept. */
#include "profile/histogram/entry_samples.h"

#include <stdlib.h>

#include "tap.h"

#define SAMPLES	1000
#define KEPT	10
#define RUNS	500

int main(void)
{
	struct entry_samples kept = { 0 }, more = { 0 };
	struct event event = { .index = 0 };
	uint64_t thirds[3] = { 0 };

	for (unsigned int run = 0; run < RUNS; run++) {
		kept.nr = 0;
		for (uint64_t i = 0; i < SAMPLES; i++) {
			const struct sample sample = { .time = run * 100003ULL + i, .tid = i };

			if (!entry_samples_add(&kept, KEPT, i + 1, &event, &sample))
				abort();
		}
		for (size_t i = 0; i < kept.nr; i++)
			thirds[kept.items[i].tid * 3 / SAMPLES]++;
	}
	is_u64(kept.nr, KEPT, "as many samples are kept as were asked for");
	for (int i = 0; i < 3; i++)
		ok(thirds[i] > RUNS * KEPT / 3 - 200 && thirds[i] < RUNS * KEPT / 3 + 200,
		   "part %d of all samples has a third of the kept ones", i);
	entry_samples_sort(&kept);
	for (size_t i = 1; i < kept.nr; i++)
		if (kept.items[i - 1].time > kept.items[i].time)
			abort();
	if (!entry_samples_merge(&more, KEPT / 2, &kept) ||
	    !entry_samples_merge(&more, KEPT / 2 + 2, &kept))
		abort();
	is_u64(more.nr, KEPT / 2 + 2, "samples of another entry are taken while there is room");
	free(kept.items);
	free(more.items);
	return tap_done();
}
