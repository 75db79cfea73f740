// SPDX-License-Identifier: GPL-2.0
/* Consoles of kernels that have printed their last records. */
#include "dead.h"

/* Correct the sums behind "#", so that the changed text before them is parsed. */
static void repair_sums(char *text)
{
	for (char *hash = text; (hash = strchr(hash, '#')); hash++) {
		char *from = hash, digits[5];
		unsigned int sum = 0;

		if (strnlen(hash, 5) < 5)
			return;
		while (from > text && from[-1] != ' ')
			from--;
		for (; from < hash; from++)
			sum = sum * 31 + (unsigned char)*from;
		snprintf(digits, sizeof(digits), "%04x", sum & 0xffff);
		memcpy(hash + 1, digits, 4);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = NULL;
	struct dead_input input;

	if (!dead_input_split(data, size, &input))
		return 0;
	text = text_of(input.left, input.nr_left);
	repair_sums(text);
	recover_dead_kernel((char[]){ "--console" }, (const uint8_t *)text, input.nr_left, &input);
	return 0;
}
