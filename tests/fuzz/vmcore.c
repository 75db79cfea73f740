// SPDX-License-Identifier: GPL-2.0
/* Cores of kernels that have died with sessions. */
#include "dead.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dead_input input;

	if (dead_input_split(data, size, &input))
		recover_dead_kernel((char[]){ "--vmcore" }, input.left, input.nr_left, &input);
	return 0;
}
