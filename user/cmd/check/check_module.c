// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/log.h"
#include "symbol/elf/unpack.h"

static bool is_loaded(const char *name)
{
	_cleanup_free_ char *path = NULL;

	return asprintf(&path, "/sys/module/%s", name) >= 0 && !access(path, F_OK);
}

static struct error *load_checked_module(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(strbuf) struct strbuf image = STRBUF_INIT;
	int code;

	/* Not each kernel unpacks what it loads. */
	if (fd >= 0 && !(unpack_module(path, &image) ?
			 syscall(SYS_init_module, image.data, image.len, "") :
			 syscall(SYS_finit_module, fd, "", 0)))
		return NULL;
	code = errno;
	if (code == ENOSYS)
		return error_hint(error_new(code, "Cannot load %s: this kernel takes no modules",
					    path),
				  "Boot a kernel with CONFIG_MODULES=y; scripts/guest does so in a "
				  "virtual machine");
	if (code == EPERM)
		return error_hint(error_errno(code, "Cannot load %s", path),
				  "Run ktrace as root; under Secure Boot the module has to be "
				  "signed");
	return error_hint(error_errno(code, "Cannot load %s", path),
			  "'dmesg | tail' tells why; load the modules that it needs first");
}

struct error *check_module_open(const char *path, struct check_module *ret)
{
	struct check_module module = { 0 };
	struct error *err;

	err = module_file_read(path, &module.file);
	if (err)
		return err;
	if (!module.file.nr)
		err = error_hint(error_new(ENOENT, "%s has no tracepoints of its own", path),
				 "TRACE_EVENT() defines them, in a header that a file with "
				 "CREATE_TRACE_POINTS includes");
	if (!err && !is_loaded(module.file.name)) {
		err = load_checked_module(path);
		module.loaded = !err;
	}
	if (err) {
		check_module_close(&module);
		return err;
	}
	*ret = module;
	return NULL;
}

void check_module_close(struct check_module *module)
{
	if (module->loaded && syscall(SYS_delete_module, module->file.name, O_NONBLOCK))
		log_warning("Module %s was loaded to be checked and cannot be removed: %m.",
			    module->file.name);
	module_file_deinit(&module->file);
	*module = (struct check_module){ 0 };
}
