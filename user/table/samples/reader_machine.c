// SPDX-License-Identifier: GPL-2.0
#include "table/samples/reader_machine.h"

#include "perfdata/join/joined.h"

static const char *kernel_symbol_of(void *machine, uint64_t address, uint64_t *start)
{
	return machine_kernel_symbol(machine, address, start);
}

struct error *reader_machine_create(struct reader *reader, const struct symbol_options *options,
				    struct machine **ret)
{
	const struct joined *joined = reader_joined(reader);
	struct error *err = machine_create(reader_header(reader), options, ret);
	struct machine *machine;
	unsigned int hosts = 1;

	if (err)
		return err;
	formats_set_resolver(reader_formats(reader), kernel_symbol_of, *ret);
	for (size_t i = 1; joined && i < joined_count(joined); i++) {
		struct reader *other = joined_reader(joined, i);
		unsigned int host = joined_origin(joined, i)->host;

		machine = machine_of_host(*ret, host);
		if (host == hosts) {
			err = machine_add_host(*ret, reader_header(other), options, &machine);
			hosts++;
		}
		if (err)
			return err;
		formats_set_resolver(reader_formats(other), kernel_symbol_of, machine);
	}
	return NULL;
}
