// SPDX-License-Identifier: GPL-2.0
#include "symbol/code/disassembly.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

void disassembly_deinit(struct disassembly *disassembly)
{
	array_free_each(disassembly, .text);
	*disassembly = (struct disassembly){ .nr = 0 };
}

bool disassembly_add(struct disassembly *disassembly, uint64_t address, size_t size,
		     const char *text)
{
	struct instruction i = { .address = address, .size = size, .text = strdup(text) };

	if (i.text && array_push(disassembly, i))
		return true;
	free(i.text);
	return false;
}

size_t disassembly_find(const struct disassembly *d, uint64_t address)
{
	const size_t nr = array_count_until(d, address, address);
	const struct instruction *last = nr ? &d->items[nr - 1] : NULL;

	return last && address - last->address < last->size ? nr - 1 : SIZE_MAX;
}
