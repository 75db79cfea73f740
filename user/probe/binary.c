// SPDX-License-Identifier: GPL-2.0
#include "probe/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/file.h"
#include "lib/log.h"
#include "probe/kernel_symbols.h"
#include "symbol/elf/elf_expand.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/go_table.h"
#include "symbol/elf/module_file.h"

/*
 * The module's data is the descriptor of its debug information, if that was uncompressed. libdw
 * would silently ask the servers of $DEBUGINFOD_URLS and wait for their answers.  It has no other
 * switch against that.
 */
static int find_debuginfo_here(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			       const char *file_name, const char *link, GElf_Word crc, char **ret)
{
	const char *value = getenv("DEBUGINFOD_URLS");
	_cleanup_free_ char *urls = value ? strdup(value) : NULL;
	int fd;

	if (*data)
		return dup(*(int *)*data);
	if (value && !urls)
		return -1;
	unsetenv("DEBUGINFOD_URLS");
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file_name, link, crc, ret);
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, 1);
	return fd;
}

static const Dwfl_Callbacks binary_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo_here,
	.section_address = dwfl_offline_section_address,
};

void probe_binary_close(struct probe_binary *binary)
{
	if (binary->dwfl)
		dwfl_end(binary->dwfl);
	free(binary->path);
	free(binary->module);
	symbols_deinit(&binary->go);
	*binary = (struct probe_binary){ 0 };
}

const char *probe_binary_title(const struct probe_binary *binary)
{
	static char title[PATH_MAX];

	if (binary->kind == PROBE_PROGRAM || binary->named)
		return binary->path;
	if (binary->kind == PROBE_KERNEL)
		return "the kernel";
	snprintf(title, sizeof(title), "module %s", binary->module);
	return title;
}

/*
 * Let libdw read the binary.  @main and @debug are expanded copies of its file and of its debug
 * information; -1: the files themselves are read.  @main is closed.
 */
static struct error *binary_begin(struct probe_binary *binary, int main, int *debug)
{
	void **data;

	if (binary->dwfl)
		dwfl_end(binary->dwfl);
	binary->dwfl = dwfl_begin(&binary_callbacks);
	if (binary->dwfl) {
		dwfl_report_begin(binary->dwfl);
		binary->file = dwfl_report_offline(binary->dwfl, "", binary->path, main);
		dwfl_report_end(binary->dwfl, NULL, NULL);
	}
	if (main >= 0 && (!binary->dwfl || !binary->file))
		close(main);
	if (!binary->dwfl)
		return &error_no_memory;
	if (!binary->file)
		return error_new(0, "%s cannot be read: %s", binary->path, dwfl_errmsg(-1));
	dwfl_module_info(binary->file, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = *debug < 0 ? NULL : debug;
	binary->dwarf = dwfl_module_getdwarf(binary->file, &binary->bias);
	*data = NULL;
	if (binary->dwarf && !elf_debug_strings_end(dwarf_getelf(binary->dwarf))) {
		log_notice("The debug information of %s is damaged and is not read.", binary->path);
		binary->dwarf = NULL;
	}
	return NULL;
}

/* Uncompress the debug information of another file; -1: not necessary. */
static int binary_expand_debug(const struct probe_binary *binary)
{
	const char *path;
	int fd, ret;

	dwfl_module_info(binary->file, NULL, NULL, NULL, NULL, NULL, NULL, &path);
	fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return -1;
	ret = elf_expand(fd);
	close(fd);
	return ret;
}

/*
 * The copy of @elf that libdw reads: it unpacks neither all sections nor all files itself; -1: it
 * can read the file at @path.
 */
static int binary_copy(const struct elf_file *elf, const char *path)
{
	int copy = elf_expand(elf->fd);

	return copy < 0 && strstr(path, ".ko.") ? dup(elf->fd) : copy;
}

/* Read the file at binary->path; errors contain @name. */
static struct error *binary_read(struct probe_binary *binary)
{
	_cleanup_(elf_file) struct elf_file elf = { .fd = -1 };
	struct error *err;
	int debug = -1;

	if (!elf_file_open(&elf, binary->path))
		return error_hint(error_new(0, "%s is not an ELF file that can be read", binary->path),
				  "Name a program, a library, or with -m the .ko file of a "
				  "module");
	binary->header = elf.header;
	err = binary_begin(binary, binary_copy(&elf, binary->path), &debug);
	if (!err && (debug = binary_expand_debug(binary)) >= 0) {
		err = binary_begin(binary, binary_copy(&elf, binary->path), &debug);
		close(debug);
	}
	if (!err && !binary->dwarf) {
		GElf_Addr bias = 0;

		dwfl_module_getelf(binary->file, &bias);
		binary->bias = bias;
	}
	binary->is_go = is_go_program(&elf);
	return err ? err : go_table_add(&elf, &binary->go);
}

/* Find a program that was named without a folder, as execvp() does. */
static char *binary_in_path(const char *name)
{
	const char *path = getenv("PATH");
	size_t len;

	for (; path && *path; path += len + (path[len] == ':')) {
		char *file = NULL;

		len = strcspn(path, ":");
		if (asprintf(&file, "%.*s/%s", (int)len, path, name) < 0)
			return NULL;
		if (!access(file, X_OK))
			return file;
		free(file);
	}
	return NULL;
}

static struct error *binary_open_program(const struct probe_binary_options *options,
					 struct probe_binary *binary)
{
	_cleanup_free_ char *inside = NULL, *found = NULL;
	const char *path = options->program;

	binary->kind = PROBE_PROGRAM;
	if (!strchr(path, '/') && access(path, F_OK) && (found = binary_in_path(path)))
		path = found;
	if (options->pid && *path != '/')
		return error_hint(error_new(EINVAL, "--target-ns needs a whole path, not '%s'", path),
				  "Name the file as the process sees it, as in -x /usr/bin/ls");
	if (options->pid && asprintf(&inside, "/proc/%u/root%s", options->pid, path) < 0) {
		inside = NULL;
		return &error_no_memory;
	}
	/* The links of /proc/PID/root must not be followed: they lead out of the namespace. */
	binary->path = inside ? strdup(inside) : realpath(path, NULL);
	if (!binary->path)
		return error_errno(errno, "Cannot find the program %s", path);
	if (access(binary->path, R_OK))
		return error_errno(errno, "Cannot read %s", binary->path);
	return binary_read(binary);
}

/* Whether @path is the file of the running kernel, or of the module that is loaded. */
static bool binary_is_running(const char *path, const char *module)
{
	_cleanup_(elf_file) struct elf_file elf = { .fd = -1 };
	struct build_id running, id;

	return elf_file_open(&elf, path) &&
	       (module ? build_id_of_module(module, &running) : build_id_of_kernel(&running)) &&
	       elf_file_build_id(&elf, &id) && build_id_equal(&running, &id);
}

static bool binary_is_loaded(const char *module)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

static struct error *binary_open_kernel(const struct probe_binary_options *options,
					struct probe_binary *binary)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux",
	};
	struct utsname uts;
	char path[256];

	binary->kind = PROBE_KERNEL;
	if (options->vmlinux) {
		binary->named = binary->offline = !binary_is_running(options->vmlinux, NULL);
		binary->path = strdup(options->vmlinux);
		return binary->path ? binary_read(binary) : &error_no_memory;
	}
	if (uname(&uts))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), places[i], uts.release);
#pragma GCC diagnostic pop
		if (!binary_is_running(path, NULL))
			continue;
		binary->path = strdup(path);
		return binary->path ? binary_read(binary) : &error_no_memory;
	}
	return NULL;
}

/* Whether a file "ext4.ko" or "snd-timer.ko" belongs to a module, whose name has no '-'. */
static bool binary_is_module_file(const char *file, const char *module)
{
	static const char *const ends[] = { ".ko", ".ko.debug", ".ko.xz", ".ko.zst", ".ko.gz" };

	for (; *module; file++, module++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(file, ends[i]))
			return true;
	return false;
}

/* Find the file of a module below @folder; NULL: there is none. */
static char *binary_find_module(const char *folder, const char *module)
{
	char *const roots[] = { (char *)folder, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (tree && !found && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_F && binary_is_module_file(entry->fts_name, module))
			found = strdup(entry->fts_path);
	if (tree)
		fts_close(tree);
	return found;
}

static struct error *binary_open_module_file(const char *path, struct probe_binary *binary)
{
	_cleanup_(module_file) struct module_file file = { 0 };
	struct error *err;

	binary->named = true;
	err = module_file_read(path, &file);
	if (err)
		return err;
	binary->module = take_ptr(file.name);
	binary->unloaded = !binary_is_loaded(binary->module);
	binary->offline = !binary->unloaded && !binary_is_running(path, binary->module);
	binary->path = strdup(path);
	return binary->path ? binary_read(binary) : &error_no_memory;
}

static struct error *binary_open_module(const struct probe_binary_options *options,
					struct probe_binary *binary)
{
	static const char *const folders[] = { "/usr/lib/debug/lib/modules/%s", "/lib/modules/%s" };
	struct utsname uts;
	char folder[256];

	binary->kind = PROBE_MODULE;
	if (strchr(options->module, '/') || strstr(options->module, ".ko"))
		return binary_open_module_file(options->module, binary);
	binary->module = strdup(options->module);
	if (!binary->module)
		return &error_no_memory;
	for (char *c = binary->module; *c; c++)
		*c = *c == '-' ? '_' : *c;
	binary->unloaded = !binary_is_loaded(binary->module);
	for (size_t i = 0; !uname(&uts) && i < ARRAY_SIZE(folders) && !binary->path; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(folder, sizeof(folder), folders[i], uts.release);
#pragma GCC diagnostic pop
		binary->path = binary_find_module(folder, binary->module);
	}
	return binary->path ? binary_read(binary) : NULL;
}

struct error *probe_binary_open(const struct probe_binary_options *options,
				struct probe_binary *ret)
{
	struct error *err;

	*ret = (struct probe_binary){ 0 };
	if (options->program)
		err = binary_open_program(options, ret);
	else if (options->module)
		err = binary_open_module(options, ret);
	else
		err = binary_open_kernel(options, ret);
	if (err)
		probe_binary_close(ret);
	return err;
}

/*
 * Find the segment that has @value, an offset in the file or else an address of the debug
 * information.  *bias is added to the addresses of segments for that.
 */
static bool binary_segment(const struct probe_binary *binary, bool by_offset, uint64_t value,
			   GElf_Phdr *ret, uint64_t *bias)
{
	GElf_Addr loaded;
	Elf *elf = dwfl_module_getelf(binary->file, &loaded);
	size_t nr;

	if (!elf || elf_getphdrnum(elf, &nr))
		return false;
	*bias = loaded - binary->bias;
	if (!by_offset)
		value -= *bias;
	for (size_t i = 0; i < nr; i++) {
		uint64_t start;

		if (!gelf_getphdr(elf, i, ret) || ret->p_type != PT_LOAD)
			continue;
		start = by_offset ? ret->p_offset : ret->p_vaddr;
		if (value >= start && value - start < ret->p_filesz)
			return true;
	}
	return false;
}

bool probe_binary_offset(const struct probe_binary *binary, uint64_t address, uint64_t *ret)
{
	GElf_Phdr segment;
	uint64_t bias;

	if (!binary_segment(binary, false, address, &segment, &bias))
		return false;
	*ret = address - bias - segment.p_vaddr + segment.p_offset;
	return true;
}

bool probe_binary_address(const struct probe_binary *binary, uint64_t offset, uint64_t *ret)
{
	GElf_Phdr segment;
	uint64_t bias;

	if (!binary_segment(binary, true, offset, &segment, &bias))
		return false;
	*ret = offset - segment.p_offset + segment.p_vaddr + bias;
	return true;
}

const char *probe_binary_symbol(const struct probe_binary *binary, uint64_t address,
				uint64_t *ret_start)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(binary->file, address + binary->bias, &offset,
						&symbol, NULL, NULL, NULL);

	if (name)
		*ret_start = address - offset;
	return name;
}

void probe_binary_symbols(const struct probe_binary *binary, probe_symbol_fn function,
			  void *context)
{
	int nr = binary->file ? dwfl_module_getsymtab(binary->file) : 0;
	bool any = false;

	for (int i = 1; i < nr; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym_info(binary->file, i, &symbol, &address,
							   &section, NULL, NULL);

		if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    section == SHN_UNDEF)
			continue;
		any = true;
		if (!function(context, name, address - binary->bias, symbol.st_size))
			return;
	}
	for (size_t i = 0; !any && i < binary->go.nr; i++) {
		const struct symbol *symbol = &binary->go.items[i];
		uint64_t address;

		if (probe_binary_address(binary, symbol->start, &address) &&
		    !function(context, symbol->name, address, symbol->end - symbol->start))
			return;
	}
}

struct error *probe_binary_no_debug(const struct probe_binary *binary)
{
	struct error *err = error_new(0, "%s has no debug information (DWARF)",
				      probe_binary_title(binary));

	if (binary->kind == PROBE_PROGRAM)
		return error_hint(err, "Compile it with -g, or install its package of debug symbols; "
				  "functions can be probed without, and registers be read (%%di)");
	return error_hint(err, "Install the kernel's debug symbols, or name its vmlinux with -k; "
			  "functions and, where the kernel has BTF, their arguments can be probed "
			  "without");
}

struct error *probe_binary_no_function(const struct probe_binary *binary, const char *function,
				       const char *near, struct error *err)
{
	_cleanup_free_ char *module = binary->kind == PROBE_KERNEL && !binary->offline ?
				      kernel_symbols_module_of(function) : NULL;

	if (module)
		return error_hint(err, "The module %s has it: 'ktrace probe -m %s %s' or, in one go, "
				  "'ktrace record -e k:%s:%s'", module, module, function, module,
				  function);
	if (near)
		return error_hint(err, "Did you mean %s? 'ktrace probe -F' lists the functions", near);
	return error_hint(err, "'ktrace probe -F' lists the functions");
}
