// SPDX-License-Identifier: GPL-2.0
#include "probe/operand.h"

bool operand_follow(struct operand *operand, long offset)
{
	if (operand->nr == OPERAND_MAX_STEPS)
		return false;
	if (operand->is_sum)
		offset = (unsigned long)operand->addend + (unsigned long)offset;
	operand->is_sum = false;
	operand->offsets[operand->nr++] = offset;
	return true;
}

void operand_move(struct operand *operand, long offset)
{
	/* Offsets of hostile files may overflow; the kernel refuses the result. */
	operand->offsets[operand->nr - 1] = (unsigned long)operand->offsets[operand->nr - 1] +
					    (unsigned long)offset;
}

void operand_add(const struct operand *operand, struct strbuf *out)
{
	/* The first memory behind a symbol is that of the symbol itself. */
	size_t first = *operand->base == '@' && operand->nr ? 1 : 0;

	for (size_t i = operand->nr; i > first; i--) {
		long offset = operand->offsets[i - 1];

		strbuf_addf(out, "%c%s%lu(", offset < 0 ? '-' : '+', operand->user ? "u" : "",
			    offset < 0 ? -(unsigned long)offset : (unsigned long)offset);
	}
	strbuf_addstr(out, operand->base);
	if (first)
		strbuf_addf(out, "%+ld", operand->offsets[0]);
	for (size_t i = operand->nr; i > first; i--)
		strbuf_addch(out, ')');
}
