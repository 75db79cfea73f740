// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static struct error *not_loaded(void)
{
	struct utsname uts;
	struct error *err;

	uname(&uts);
	err = error_new(ENOENT, "The ktrace module is not loaded: there is no %s", KTRACE_DEVICE);
	return error_hint(err, "Build and load it: make modules && "
			  "insmod build/modules/%s/ktrace.ko; or record with --via=perf", uts.release);
}

static struct error *device_not_permitted(int code)
{
	_cleanup_free_ char *lockdown = NULL, *paranoid = NULL;
	struct error *err;

	error_free(file_read_text("/sys/kernel/security/lockdown", &lockdown));
	error_free(file_read_text("/proc/sys/kernel/perf_event_paranoid", &paranoid));
	err = error_new(code, "Opening %s is not permitted", KTRACE_DEVICE);
	/* The permissions of the device file can be the reason for EACCES, too. */
	if (code == EACCES && paranoid && atoi(paranoid) > 2 &&
	    !faccessat(AT_FDCWD, KTRACE_DEVICE, R_OK | W_OK, AT_EACCESS))
		return error_hint(err, "kernel.perf_event_paranoid is %d, at which tracing needs "
				  "CAP_SYS_ADMIN: run ktrace as root, or run as root: sysctl "
				  "kernel.perf_event_paranoid=2", atoi(paranoid));
	if (geteuid())
		return error_hint(err, "Run ktrace as root, or with CAP_PERFMON and access to "
				  "the device");
	if (lockdown)
		return error_hint(err, "The module needs CAP_PERFMON in the initial user and pid "
				  "namespaces; kernel lockdown is %s", lockdown);
	return error_hint(err, "The module needs CAP_PERFMON in the initial user and pid "
			  "namespaces");
}

struct error *device_open(int *ret_fd, struct ktrace_info *ret_info)
{
	_cleanup_close_ int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	struct ktrace_info info = { .size = sizeof(info) };

	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		return not_loaded();
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return device_not_permitted(errno);
	if (fd < 0)
		return error_errno(errno, "Cannot open %s", KTRACE_DEVICE);
	if (ioctl(fd, KTRACE_IOC_INFO, &info))
		return error_errno(errno, "%s does not answer like the ktrace module",
				   KTRACE_DEVICE);
	if (info.abi_major != KTRACE_ABI_MAJOR || info.schema != KTRACE_SCHEMA)
		return error_hint(error_new(EPROTO, "The loaded ktrace module %.31s has "
					    "interface %u.%u and record schema %u, but this tool "
					    "needs %u and %u",
					    info.version, info.abi_major, info.abi_minor,
					    info.schema,
					    KTRACE_ABI_MAJOR, KTRACE_SCHEMA),
				  "Load the module that was built with this tool: "
				  "rmmod ktrace, then insmod it");
	*ret_fd = take_fd(fd);
	*ret_info = info;
	return NULL;
}

bool device_has_functions(bool with_args)
{
	const uint64_t wanted = KTRACE_FEATURE_FUNCTION |
				(with_args ? KTRACE_FEATURE_FUNCTION_ARGS : 0);
	struct ktrace_info info;
	int fd;
	struct error *err = device_open(&fd, &info);

	error_free(err);
	if (err)
		return false;
	close(fd);
	return (info.features & wanted) == wanted;
}

static struct ktrace_event_path device_look(int fd, uint64_t id, const char *name)
{
	struct ktrace_event_path path = {
		.size = sizeof(path),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.name = (uintptr_t)name,
	};

	if (ioctl(fd, KTRACE_IOC_EVENT_PATH, &path)) {
		path.path = KTRACE_PATH_COUNTER;
		path.template_state = KTRACE_TEMPLATE_NONE;
	}
	return path;
}

/* path_text() puts this before the reason. */
#define BY_COUNTERS	"by counters: "

static const char *path_text(const struct ktrace_event_path *path)
{
	if (path->path == KTRACE_PATH_TEMPLATE)
		return "by template";
	switch (path->template_state) {
	case KTRACE_TEMPLATE_NO_MODULE:
		return BY_COUNTERS "ktrace_probes.ko is not loaded, which has the templates of the "
			"kernel's own events (templates.rst describes others)";
	case KTRACE_TEMPLATE_LAYOUT:
		return BY_COUNTERS "it has other fields than the template was built for";
	case KTRACE_TEMPLATE_PROTOTYPE:
		return BY_COUNTERS "it has other arguments than the template was built for";
	case KTRACE_TEMPLATE_UNCHECKED:
		return BY_COUNTERS "without BTF it is unknown whether the template was built for "
				   "its arguments";
	default:
		return BY_COUNTERS "no loaded module has a template of it (templates.rst)";
	}
}

const char *device_why_no_template(int fd, uint64_t id, const char *name)
{
	struct ktrace_event_path path = device_look(fd, id, name);

	if (path.path == KTRACE_PATH_TEMPLATE || path.template_state == KTRACE_TEMPLATE_READY)
		return NULL;
	return path_text(&path) + strlen(BY_COUNTERS);
}

const char *device_path_text(int fd, uint64_t id, const char *name)
{
	struct ktrace_event_path path = device_look(fd, id, name);

	return path_text(&path);
}
