// SPDX-License-Identifier: GPL-2.0
#include "cmd/kernel_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/strbuf.h"
#include "lib/build_id.h"

#define RUNNING_KERNEL	"/proc/kallsyms"

/* Was this kernel recorded?  Without a build id, the release must do. */
static bool is_running_kernel(const struct header *header)
{
	struct build_id running;
	struct utsname uts;

	if (header->kernel.size)
		return build_id_of_kernel(&running) && build_id_equal(&running, &header->kernel);
	return !header->os_release || (!uname(&uts) && !strcmp(uts.release, header->os_release));
}

/* The copy perf keeps of kernels that were recorded here before. */
static void add_cached_path(const struct build_id *id, struct strbuf *path)
{
	const char *folder = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char text[BUILD_ID_TEXT];

	build_id_text(id, text);
	if (folder)
		strbuf_addstr(path, folder);
	else
		strbuf_addf(path, "%s/.debug", home ? home : "");
	strbuf_addf(path, "/.build-id/%.2s/%s/kallsyms", text, text + 2);
}

static struct error *read_symbols(struct kernel_symbols *symbols)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (is_running_kernel(symbols->header))
		return kallsyms_read(RUNNING_KERNEL, &symbols->kallsyms);
	if (!symbols->header->kernel.size)
		return NULL;
	add_cached_path(&symbols->header->kernel, &path);
	if (path.failed)
		return &error_no_memory;
	return access(path.data, R_OK) ? NULL : kallsyms_read(path.data, &symbols->kallsyms);
}

static const char *resolve(void *context, uint64_t address, uint64_t *start)
{
	struct kernel_symbols *symbols = context;
	const struct kallsyms_symbol *found;

	if (!symbols->tried) {
		struct error *err = read_symbols(symbols);

		symbols->tried = true;
		if (err)
			log_warning("Kernel addresses stay numbers: %s.", err->message);
		error_free(err);
	}
	if (!symbols->kallsyms)
		return NULL;
	found = kallsyms_find(symbols->kallsyms, address);
	if (!found)
		return NULL;
	*start = found->start;
	return found->name;
}

void kernel_symbols_attach(struct kernel_symbols *symbols, const struct header *header,
			   struct formats *formats)
{
	symbols->header = header;
	formats_set_resolver(formats, resolve, symbols);
}

void kernel_symbols_deinit(struct kernel_symbols *symbols)
{
	kallsyms_destroy(symbols->kallsyms);
	*symbols = (struct kernel_symbols){ 0 };
}
