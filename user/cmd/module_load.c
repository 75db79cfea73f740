// SPDX-License-Identifier: GPL-2.0
#include "cmd/module_load.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "symbol/elf/unpack.h"

struct error *module_load(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(strbuf) struct strbuf image = STRBUF_INIT;
	int code;

	/* Some kernels do not decompress modules. */
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
			  "'dmesg | tail' shows the reason; load the modules that it needs first");
}
