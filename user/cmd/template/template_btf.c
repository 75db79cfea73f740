// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/module_load.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/spawn.h"
#include "lib/strbuf.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/module_file.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/* A larger file is not a module. */
#define MODULE_BYTES (64 * 1024 * 1024)

static bool is_running(const struct template *template)
{
	struct utsname name;

	return !uname(&name) && !strcmp(name.release, template->release);
}

/* The base of the module's BTF; NULL: there is none here. */
static const char *base_btf(const struct template *template)
{
	return is_running(template) && !access(KERNEL_BTF, R_OK) ? KERNEL_BTF : NULL;
}

/* Whether a module was built for the kernel, and declares events of one of the headers. */
static bool is_of_headers(const struct template *template, const char *path)
{
	_cleanup_(module_file) struct module_file module = { 0 };
	_cleanup_(strbuf) struct strbuf magic = STRBUF_INIT;
	_cleanup_free_ char *bytes = NULL;
	size_t len;

	strbuf_addf(&magic, "vermagic=%s ", template->release);
	error_free(module_file_read(path, &module));
	error_free(file_read_regular(path, &bytes, &len));
	if (!bytes || magic.failed || !memmem(bytes, len, magic.data, magic.len))
		return false;
	for (size_t i = 0; i < module.nr; i++)
		for (size_t j = 0; j < template->headers.nr; j++) {
			const struct trace_header *parsed = template->headers.items[j].parsed;

			for (size_t k = 0; k < parsed->events.nr; k++)
				if (!strcmp(parsed->events.items[k].system, module.items[i]))
					return true;
		}
	return false;
}

static bool has_btf(const char *path)
{
	_cleanup_(elf_file) struct elf_file elf = { .fd = -1 };

	return elf_file_open(&elf, path) && elf_file_section(&elf, ".BTF").scn;
}

/* Copy the module, and run pahole on the copy; false: that failed, and the copy is removed. */
static bool make_copy(const struct template *template, const char *path, const char *copy,
		      const char *base)
{
	char *argv[] = { "pahole", "-J", "--btf_base", (char *)base, (char *)copy, NULL };
	_cleanup_close_ int log = open(template->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				       0666);
	struct spawn pahole = { .program = "pahole", .argv = argv, .out = log, .errors = log };
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *bytes = NULL;
	size_t len;
	pid_t pid;

	error_free(file_read_regular(path, &bytes, &len));
	unlink(copy);
	fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (log < 0 || !bytes || fd < 0 || fd_write_all(fd, bytes, len))
		goto err_unlink;
	close(fd);
	fd = -1;
	error_free(spawn(&pahole, &pid));
	if (!spawn_wait(pid) && has_btf(copy))
		return true;
err_unlink:
	unlink(copy);
	return false;
}

static void add_note(const struct template *template, const char *path, struct strbuf *notes)
{
	const char *base = base_btf(template), *shown = template_shown(template, path);
	_cleanup_free_ char *copy = NULL;

	if (!base) {
		strbuf_addf(notes, "%s has no BTF, without which its templates are not used. "
			    "Run 'ktrace template' where %s runs, which adds it, or 'pahole -J --btf_base "
			    KERNEL_BTF "' there.\n", shown, template->release);
		return;
	}
	if (asprintf(&copy, "%s%s", template->output, strrchr(path, '/')) < 0) {
		notes->failed = true;
		return;
	}
	if (make_copy(template, path, copy, base))
		strbuf_addf(notes, "%s has no BTF, without which its templates are not used. "
			    "Load its copy that has: %s\n", shown, copy);
	else
		strbuf_addf(notes, "%s has no BTF, without which its templates are not used, and "
			    "pahole cannot add it: %s has the reason. It needs the package pahole "
			    "(dwarves), and a module with debug information (make KCFLAGS=-g).\n",
			    shown, template->log);
}

struct error *template_add_btf(const struct template *template, char **ret_notes)
{
	char *roots[2] = { (char *)template->folder, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	_cleanup_(strbuf) struct strbuf notes = STRBUF_INIT;
	FTSENT *entry;

	if (!tree)
		return error_errno(errno, "Cannot read %s", template->folder);
	while ((entry = fts_read(tree))) {
		size_t len = entry->fts_namelen;

		if (entry->fts_info == FTS_D && !strcmp(entry->fts_path, template->output))
			fts_set(tree, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F || entry->fts_statp->st_size > MODULE_BYTES ||
		    len < 4 || strcmp(entry->fts_name + len - 3, ".ko") ||
		    !is_of_headers(template, entry->fts_path) || has_btf(entry->fts_path))
			continue;
		add_note(template, entry->fts_path, &notes);
	}
	fts_close(tree);
	if (notes.failed)
		return &error_no_memory;
	*ret_notes = take_ptr(notes.data);
	return NULL;
}

struct error *template_load(struct template *template)
{
	if (!is_running(template))
		return error_hint(error_new(EINVAL, "The templates are for %s, which is not the "
					    "running kernel",
					    template->release),
				  "Leave out --load, and load them on a machine that runs it");
	for (size_t i = 0; i < template->headers.nr; i++) {
		const struct template_header *header = &template->headers.items[i];
		_cleanup_free_ char *path = NULL, *loaded = NULL;
		struct error *err;

		if (header->failed)
			continue;
		if (asprintf(&path, "%s/%s.ko", template->output, header->object) < 0 ||
		    asprintf(&loaded, "/sys/module/%s", header->object) < 0)
			return &error_no_memory;
		if (!access(loaded, F_OK))
			return error_hint(error_new(EEXIST, "A module %s is loaded already",
						    header->object),
					  "'rmmod %s' removes it, unless a recording uses it",
					  header->object);
		err = module_load(path);
		if (err)
			return err;
	}
	return NULL;
}
