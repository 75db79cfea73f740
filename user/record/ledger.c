// SPDX-License-Identifier: GPL-2.0
#include "record/ledger.h"

#include <stdlib.h>

#include "lib/array.h"

void ledger_deinit(struct ledger *ledger)
{
	free(ledger->items);
	*ledger = (struct ledger){ 0 };
}

struct error *ledger_add(struct ledger *ledger, const struct ledger_row *row)
{
	return array_push(ledger, *row) ? NULL : &error_no_memory;
}

static uint64_t add_known(uint64_t a, uint64_t b)
{
	return a == LEDGER_NOT_KNOWN || b == LEDGER_NOT_KNOWN ? LEDGER_NOT_KNOWN : a + b;
}

static void ledger_row_join(struct ledger_row *sum, const struct ledger_row *row)
{
	if (row->proof > sum->proof)
		sum->proof = row->proof;
	sum->recorded = add_known(sum->recorded, row->recorded);
	sum->filtered = add_known(sum->filtered, row->filtered);
	sum->out_of_scope = add_known(sum->out_of_scope, row->out_of_scope);
	for (int r = 0; r < LEDGER_LOST_NR; r++)
		sum->lost[r] = add_known(sum->lost[r], row->lost[r]);
}

struct ledger_row ledger_sum(const struct ledger *ledger, uint32_t event)
{
	struct ledger_row sum = { .event = event, .cpu = UINT32_MAX };

	for (size_t i = 0; i < ledger->nr; i++)
		if (event == UINT32_MAX || ledger->items[i].event == event)
			ledger_row_join(&sum, &ledger->items[i]);
	return sum;
}

struct error *ledger_add_sums(struct ledger *ledger, const struct ledger *parts)
{
	ARRAY_OF(size_t) sums = { 0 };	/* by event: where its sum is, + 1; 0: nowhere */
	struct error *err = NULL;

	for (size_t i = 0; !err && i < parts->nr; i++) {
		const struct ledger_row *part = &parts->items[i];
		const struct ledger_row none = { .event = part->event, .cpu = UINT32_MAX };

		if (part->event == UINT32_MAX) {
			err = ledger_add(ledger, part);
			continue;
		}
		if (!err && !array_at(&sums, part->event, 0))
			err = &error_no_memory;
		if (!err && !sums.items[part->event]) {
			err = ledger_add(ledger, &none);
			sums.items[part->event] = ledger->nr;
		}
		if (!err)
			ledger_row_join(&ledger->items[sums.items[part->event] - 1], part);
	}
	free(sums.items);
	return err;
}

void ledger_join(struct ledger *ledger, size_t first)
{
	size_t nr = first;

	for (size_t i = first; i < ledger->nr; i++) {
		const struct ledger_row *row = &ledger->items[i];
		size_t same = first;

		while (same < nr && (ledger->items[same].event != row->event ||
				     ledger->items[same].cpu != row->cpu))
			same++;
		if (same < nr)
			ledger_row_join(&ledger->items[same], row);
		else
			ledger->items[nr++] = *row;
	}
	ledger->nr = nr;
}

uint64_t ledger_row_lost(const struct ledger_row *row)
{
	uint64_t lost = 0;

	for (int r = 0; r < LEDGER_LOST_NR; r++)
		lost = add_known(lost, row->lost[r]);
	return lost;
}

bool ledger_is_complete(const struct ledger *ledger)
{
	return !array_any(ledger, it, it->proof == LEDGER_UNKNOWN || ledger_row_lost(it) != 0);
}

enum ledger_reason ledger_reason_of_device(uint64_t reason)
{
	switch (reason) {
	case 0:
		return LEDGER_LOST_FULL;
	case 1:
		return LEDGER_LOST_NESTED;
	case 2:
		return LEDGER_LOST_TOO_BIG;
	case 3:
		return LEDGER_LOST_RECURSION;
	case 6:
		return LEDGER_LOST_FROZEN;
	default:
		return LEDGER_LOST_OTHER;
	}
}

const char *ledger_reason_text(enum ledger_reason reason)
{
	switch (reason) {
	case LEDGER_LOST_FULL:
		return "ring full";
	case LEDGER_LOST_NESTED:
		return "contexts nested too deep";
	case LEDGER_LOST_TOO_BIG:
		return "record too big";
	case LEDGER_LOST_OVERWRITTEN:
		return "overwritten by newer ones";
	case LEDGER_LOST_RECURSION:
		return "fired by recording itself";
	case LEDGER_LOST_FROZEN:
		return "fired after a violation had frozen the session";
	default:
		return "reason not known";
	}
}

const char *ledger_reason_advice(enum ledger_reason reason)
{
	switch (reason) {
	case LEDGER_LOST_FULL:
		return "use larger rings: -m PAGES";
	case LEDGER_LOST_OVERWRITTEN:
		return "larger rings keep more of them: -m PAGES";
	case LEDGER_LOST_TOO_BIG:
		return "larger rings may help: -m PAGES";
	default:
		return NULL;
	}
}

const char *ledger_proof_text(enum ledger_proof proof)
{
	switch (proof) {
	case LEDGER_EXACT:
		return "exact: every event is in one of the numbers";
	case LEDGER_BOUNDED:
		return "bounded: the kernel may drop events before they are counted";
	default:
		return "unknown: the source cannot tell all of these numbers";
	}
}
