// SPDX-License-Identifier: GPL-2.0
/* Which call chains end too early, and in which binary. */
#include "calls/chain_end.h"

#include <linux/perf_event.h>

#include "tap.h"

#define FRAMES_MAX	4

static const struct dso program = { .short_name = "prog", .kind = DSO_FILE };
static const struct dso libc = { .short_name = "libc.so.6", .kind = DSO_FILE };
static const struct dso libm = { .short_name = "libm.so.6", .kind = DSO_FILE };
static const struct dso linker = { .short_name = "ld-linux-x86-64.so.2", .kind = DSO_FILE };
static const struct dso vdso = { .short_name = "[vdso]", .kind = DSO_VDSO };
static const struct symbol start = { .name = "_start" }, inlined = { .name = "f", .inlined = true };

static const struct {
	const char *name;
	struct call_place places[FRAMES_MAX];	/* innermost first */
	const struct dso *cut;			/* the binary that cuts it off; NULL: none */
} rows[] = {
	{ "a chain that never leaves a library", { { .dso = &libc }, { .dso = &libc } }, &libc },
	{ "a single frame of a library", { { .dso = &libm } }, &libm },
	{ "a library called by the program", { { .dso = &libc }, { .dso = &program } }, NULL },
	{ "a library called by a library", { { .dso = &libm }, { .dso = &libc } }, NULL },
	{ "a single frame of the program", { { .dso = &program } }, &program },
	{ "two frames of the program", { { .dso = &program }, { .dso = &program } }, NULL },
	{ "a single frame that the kernel starts", { { .dso = &program, .symbol = &start } }, NULL },
	{ "a single frame of the dynamic linker", { { .dso = &linker } }, NULL },
	{ "a single frame of the vDSO", { { .dso = &vdso } }, NULL },
	{ "an inlined function and its caller",
	  { { .dso = &program, .symbol = &inlined }, { .dso = &program } }, &program },
	{ "frames of the kernel above a library",
	  { { .dso = &vdso, .mode = PERF_RECORD_MISC_KERNEL }, { .dso = &libc } }, &libc },
};

static void test_rows(void)
{
	const struct event event = { .index = 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		_cleanup_(strbuf) struct strbuf words = STRBUF_INIT, wanted = STRBUF_INIT;
		struct chain_ends ends = { .nr = 0 };
		struct chain_end end = { .only = NULL };

		for (size_t j = 0; j < FRAMES_MAX && rows[i].places[j].dso; j++) {
			struct call_place place = rows[i].places[j];

			if (!place.mode)
				place.mode = PERF_RECORD_MISC_USER;
			chain_end_add_place(&ends, &end, &place);
		}
		chain_ends_add(&ends, chain_ends_number(&ends, &event, &end), 1);
		chain_ends_add_words(&ends, &words);
		if (rows[i].cut)
			strbuf_addf(&wanted, "100 %% of the call chains end in %s, which seems to be "
				    "built without frame pointers, so their callers are missing: "
				    "record with --call-graph dwarf.", rows[i].cut->short_name);
		is_str(strbuf_str(&words), strbuf_str(&wanted), rows[i].name);
	}
}

static void test_shares(void)
{
	const struct event event = { .index = 0 };
	_cleanup_(strbuf) struct strbuf words = STRBUF_INIT;
	struct chain_ends ends = { .nr = 0 };
	uint32_t numbers[2];

	for (int i = 0; i < 2; i++) {
		const struct call_place place = { .dso = i ? &libm : &libc,
						  .mode = PERF_RECORD_MISC_USER };
		struct chain_end end = { .only = NULL };

		chain_end_add_place(&ends, &end, &place);
		numbers[i] = chain_ends_number(&ends, &event, &end);
	}
	chain_ends_add(&ends, numbers[0], 19);
	chain_ends_add(&ends, CHAIN_END_WHOLE, 81);
	chain_ends_add_words(&ends, &words);
	is_str(strbuf_str(&words), "", "19 % of all chains are not worth a sentence");
	chain_ends_add(&ends, numbers[1], 30);
	chain_ends_add_words(&ends, &words);
	ok(!strncmp(strbuf_str(&words), "23 % of the call chains end in libm.so.6,", 41),
	   "the binary that cuts off most chains is named: %s", strbuf_str(&words));
	chain_ends_forget_periods(&ends);
	strbuf_reset(&words);
	chain_ends_add_words(&ends, &words);
	is_str(strbuf_str(&words), "", "forgotten periods do not count");
}

static void test_stacks(void)
{
	const struct event event = { .attr.sample_type = PERF_SAMPLE_STACK_USER };
	const struct call_place place = { .dso = &libc, .mode = PERF_RECORD_MISC_USER };
	struct chain_ends ends = { .nr = 0 };
	struct chain_end end = { .only = NULL };

	chain_end_add_place(&ends, &end, &place);
	is_u64(chain_ends_number(&ends, &event, &end), CHAIN_END_NONE,
	       "chains from copied stacks need no frame pointers");
}

int main(void)
{
	test_rows();
	test_shares();
	test_stacks();
	return tap_done();
}
