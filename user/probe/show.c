// SPDX-License-Identifier: GPL-2.0
#include "probe/show.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "probe/kernel_symbols.h"
#include "probe/sdt.h"
#include "symbol/demangle.h"

struct show_names {
	char **items;
	size_t nr, alloc;
	const char *filter;
	bool demangle, failed;
	bool any;	/* there was a name, whether it passed or not */
};

bool show_passes(const char *filter, const char *name)
{
	while (filter && *filter) {
		size_t len = strcspn(filter, "&");
		const char *start = filter + strspn(filter, " ");
		bool negated = *start == '!';
		char glob[256];
		size_t end = len;

		while (end && filter[end - 1] == ' ')
			end--;
		start += negated;
		snprintf(glob, sizeof(glob), "%.*s", (int)(filter + end > start ?
							   filter + end - start : 0), start);
		if (fnmatch(glob, name, 0) != (negated ? FNM_NOMATCH : 0))
			return false;
		filter += len + (filter[len] == '&');
	}
	return true;
}

static void show_add_name(void *context, const char *name)
{
	struct show_names *names = context;
	char *copy;

	names->any = true;
	if (!show_passes(names->filter, name))
		return;
	copy = strdup(name);
	if (copy && array_push(names, copy))
		return;
	free(copy);
	names->failed = true;
}

static void show_add_symbol(struct show_names *names, const char *name)
{
	_cleanup_free_ char *text = names->demangle ? demangle(name) : NULL;

	show_add_name(names, text ? text : name);
}

static bool show_file_symbol(void *context, const char *name, uint64_t address, uint64_t size)
{
	show_add_symbol(context, name);
	return true;
}

static bool show_kernel_symbol(void *context, const char *name, uint64_t address)
{
	show_add_symbol(context, name);
	return true;
}

struct error *show_functions(const struct probe_binary *binary, const char *filter, bool demangle,
			     struct strbuf *out)
{
	struct show_names names = { .filter = filter, .demangle = demangle };
	struct error *err = NULL;

	if (filter && *filter == '%')
		sdt_list(binary, show_add_name, &names);
	else if (binary->file)
		probe_binary_symbols(binary, show_file_symbol, &names);
	else
		err = kernel_symbols(binary->module, show_kernel_symbol, &names);
	array_sort(&names, array_compare_texts);
	for (size_t i = 0; i < names.nr; i++)
		if (!i || strcmp(names.items[i], names.items[i - 1]))
			strbuf_addf(out, "%s\n", names.items[i]);
	array_free_each(&names);
	if (err)
		return err;
	if (names.failed || out->failed)
		return &error_no_memory;
	if (!out->len && names.any && filter && *filter == '!')
		return error_hint(error_new(ENOENT, "%s has only functions that the filter '%s' leaves out",
					    probe_binary_title(binary), filter),
				  "--filter '*' lists them; a program that was stripped has few");
	if (!out->len && !names.any && binary->file && (!filter || *filter != '%'))
		return error_hint(error_new(ENOENT, "%s has no symbols of functions",
					    probe_binary_title(binary)),
				  "It was stripped; its addresses can be probed, as in 0x1234");
	return out->len ? NULL : error_hint(error_new(ENOENT, "%s has no function that matches '%s'",
						      probe_binary_title(binary), filter ? filter : "*"),
					    "'ktrace probe -F' without a pattern lists all");
}
