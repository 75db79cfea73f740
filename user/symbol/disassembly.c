// SPDX-License-Identifier: GPL-2.0
#include "symbol/disassembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/plugin.h"

void disassembly_deinit(struct disassembly *disassembly)
{
	for (size_t i = 0; i < disassembly->nr; i++)
		free(disassembly->items[i].text);
	free(disassembly->items);
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

typedef struct error *(*disassemble_fn)(const struct code *code,
					const struct disassembly_options *options,
					struct disassembly *ret);

static struct error *by_llvm(const struct code *code, const struct disassembly_options *options,
			     struct disassembly *ret)
{
	struct error *err;
	void *symbol;

	err = plugin_find("llvm", "llvm_disassemble", &symbol);
	return err ? err : ((disassemble_fn)symbol)(code, options, ret);
}

size_t disassembly_find(const struct disassembly *d, uint64_t address)
{
	const size_t nr = array_count_until(d, address, address);
	const struct instruction *last = nr ? &d->items[nr - 1] : NULL;

	return last && address - last->address < last->size ? nr - 1 : SIZE_MAX;
}

/* Whether only objdump can do what is asked for. */
static bool needs_objdump(const struct disassembly_options *options)
{
	return options->objdump || (options->style && strcmp(options->style, "intel") &&
				    strcmp(options->style, "att"));
}

struct error *disassemble(const struct code *code, const struct disassembly_options *options,
			  struct disassembly *ret)
{
	_cleanup_error_ struct error *first = NULL;
	struct error *err;

	if (needs_objdump(options))
		return objdump_disassemble(code, options, ret);
	first = by_llvm(code, options, ret);
	if (!first || first == &error_no_memory)
		return take_ptr(first);
	err = objdump_disassemble(code, options, ret);
	if (!err || err->code != ENOENT)
		return err;
	return error_prefix(err, "%s", first->message);
}
