// SPDX-License-Identifier: GPL-2.0
/* The reasons of losses, and sums of a ledger's rows. */
#include "record/ledger.h"

#include <string.h>

#include <linux/ktrace.h>

#include "lib/array.h"
#include "tap.h"

/* The module's reasons, which are numbers of its interface, and the ledger's names for them. */
TEST(test_reason_of_device)
{
	static const struct {
		uint64_t device;
		enum ledger_reason reason;
		const char *text;
	} reasons[] = {
		{ KTRACE_LOST_FULL, LEDGER_LOST_FULL, "ring full" },
		{ KTRACE_LOST_NESTED, LEDGER_LOST_NESTED, "contexts nested too deep" },
		{ KTRACE_LOST_TOO_BIG, LEDGER_LOST_TOO_BIG, "record too big" },
		{ KTRACE_LOST_RECURSION, LEDGER_LOST_RECURSION, "fired by recording itself" },
	};
	static const uint64_t newer[] = {
		KTRACE_LOST_RECURSION + 1, KTRACE_LOST_NR, 1ULL << 32, UINT64_MAX,
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		enum ledger_reason reason = ledger_reason_of_device(reasons[i].device);

		ok(reason == reasons[i].reason, "the device's reason %u has its own in the ledger",
		   (unsigned int)reasons[i].device);
		is_str(ledger_reason_text(reason), reasons[i].text,
		       named("the text of the device's reason %u says which it is",
			     (unsigned int)reasons[i].device));
	}
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		ok(ledger_reason_of_device(newer[i]) == LEDGER_LOST_OTHER,
		   "the reason %llu of a newer module is another one",
		   (unsigned long long)newer[i]);
	is_str(ledger_reason_text(LEDGER_LOST_OTHER), "reason not known",
	       "the text of another reason says that it is not known");
}

TEST(test_recursion_is_a_loss)
{
	struct ledger ledger = { 0 };
	struct ledger_row row = { .event = 1, .recorded = 7, .proof = LEDGER_EXACT };

	ok(!ledger_add(&ledger, &row) && ledger_is_complete(&ledger),
	   "a ledger without losses is complete");
	row.lost[ledger_reason_of_device(KTRACE_LOST_RECURSION)] = 2;
	ok(!ledger_add(&ledger, &row) && !ledger_is_complete(&ledger),
	   "a ledger with events that recording fired is not complete");
	row = ledger_sum(&ledger, 1);
	ok(row.recorded == 14 && ledger_row_lost(&row) == 2,
	   "the sum has the events that recording fired");
	ledger_deinit(&ledger);
}

/* Many tasks have rows of the same events: as ledger_sum() says, and not in the square of them. */
TEST(test_sums)
{
	_cleanup_(ledger) struct ledger parts = { 0 }, sums = { 0 };
	bool same = true;

	for (uint32_t i = 0; i < 200000; i++) {
		struct ledger_row row = {
			.event = i % 7 ? 1000 - i % 500 : UINT32_MAX, .source = i, .cpu = i % 3,
			.recorded = i, .filtered = i % 13 ? 1 : LEDGER_NOT_KNOWN,
			.lost[LEDGER_LOST_FULL] = i % 2,
		};

		if (i >= 3000 && row.event == UINT32_MAX)
			continue;
		if (ledger_add(&parts, &row))
			return;
	}
	ok(!ledger_add_sums(&sums, &parts), "they are summed up");
	ok(sums.nr == 500 + 429, "each event has one row, and losses of no event stay");
	ok(sums.items[0].event == UINT32_MAX && sums.items[1].event == 999 &&
	   sums.items[2].event == 998, "rows come in the order in which events first came");
	for (size_t i = 0; i < sums.nr; i++) {
		struct ledger_row want;

		if (sums.items[i].event == UINT32_MAX || i % 50)
			continue;
		want = ledger_sum(&parts, sums.items[i].event);
		same &= !memcmp(&want, &sums.items[i], sizeof(want));
	}
	ok(same, "the sums of events are those of ledger_sum()");
}

TAP_MAIN
