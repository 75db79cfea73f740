// SPDX-License-Identifier: GPL-2.0
#include "capture/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/event_attr.h"
#include "capture/hidden_tasks.h"
#include "capture/ktrace/device.h"
#include "capture/perf/perf_refusal.h"
#include "capture/pid_namespace.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define CAP_IPC_LOCK_BIT	14
#define CAP_SYS_ADMIN_BIT	21
#define CAP_PERFMON_BIT		38

/* Enough for some hundred events on a large machine. */
#define ENOUGH_FILES 4096

/* The rate of record without -F. */
#define DEFAULT_SAMPLE_RATE EVENT_ATTR_DEFAULT_FREQ

void doctor_result_deinit(struct doctor_result *result)
{
	strbuf_deinit(&result->value);
	strbuf_deinit(&result->next);
}

static bool exists(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return !access(full, F_OK);
}

/* Returns the text of a small file, or NULL; free() it. */
static char *read_text(const char *root, const char *path)
{
	char full[PATH_MAX], *text = NULL;

	snprintf(full, sizeof(full), "%s%s", root, path);
	error_free(file_read_text(full, &text));
	return text;
}

/* Returns the bytes of a file, or NULL; free() it.  *ret_len is their number. */
static char *read_bytes(const char *path, size_t *ret_len)
{
	char *data = NULL;
	struct error *err = file_read(path, &data, ret_len);

	if (!err)
		return data;
	error_free(err);
	return NULL;
}

static long doctor_read_number(const char *root, const char *path, long otherwise)
{
	_cleanup_free_ char *text = read_text(root, path);

	return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static bool has_capability(const char *root, int bit)
{
	_cleanup_free_ char *status = read_text(root, "/proc/self/status");
	const char *at = status ? strstr(status, "CapEff:") : NULL;

	return at && strtoull(at + strlen("CapEff:"), NULL, 16) >> bit & 1;
}

static bool may_perfmon(const char *root)
{
	return has_capability(root, CAP_PERFMON_BIT) || has_capability(root, CAP_SYS_ADMIN_BIT);
}

/* Returns the path of tracefs, or NULL and *code if it is not mounted or not readable. */
static const char *find_tracefs(const char *root, int *code)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	*code = ENOENT;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char full[PATH_MAX];

		snprintf(full, sizeof(full), "%s%s/events", root, places[i]);
		if (!access(full, R_OK | X_OK))
			return places[i];
		if (errno != ENOENT)
			*code = errno;
	}
	return NULL;
}

static void diagnose(struct doctor_result *ret, enum doctor_status status, const char *value,
		     const char *next)
{
	ret->status = status;
	strbuf_addstr(&ret->value, value);
	strbuf_addstr(&ret->next, next);
}

static void doctor_tracefs(const char *root, struct doctor_result *ret)
{
	const char *place;
	int code;

	place = find_tracefs(root, &code);
	if (place)
		diagnose(ret, DOCTOR_OK, place, "");
	else if (code == EACCES)
		diagnose(ret, DOCTOR_BLOCKED, "not readable by this user",
			 "sudo mount -o remount,mode=755 /sys/kernel/tracing");
	else
		diagnose(ret, DOCTOR_BLOCKED, "not mounted",
			 "sudo mount -t tracefs tracefs /sys/kernel/tracing");
}

/*
 * Files do not show everything, so open a minimal event.  False: it works, or permissions are
 * missing.
 */
static bool doctor_is_refused(struct doctor_result *ret)
{
	int code;
	enum perf_refusal refusal = perf_refusal_find(&code);

	if (refusal != PERF_REFUSAL_FILTER && refusal != PERF_REFUSAL_OTHER)
		return false;
	ret->status = DOCTOR_BLOCKED;
	strbuf_addf(&ret->value, refusal == PERF_REFUSAL_FILTER ?
		    "a seccomp filter of this process refuses perf_event_open(): %s" :
		    "the kernel refuses perf_event_open(): %s", strerror(code));
	strbuf_addstr(&ret->next, refusal == PERF_REFUSAL_FILTER ? perf_refusal_filter_hint :
		      "look for the security module's reason in the kernel's log");
	return true;
}

static void doctor_perf_event(const char *root, struct doctor_result *ret)
{
	long paranoid = doctor_read_number(root, "/proc/sys/kernel/perf_event_paranoid", LONG_MIN);

	if (paranoid == LONG_MIN) {
		diagnose(ret, DOCTOR_BLOCKED, "this kernel has no perf_event",
			 "boot a kernel with CONFIG_PERF_EVENTS=y");
		return;
	}
	if (!*root && doctor_is_refused(ret))
		return;
	strbuf_addf(&ret->value, "kernel.perf_event_paranoid is %ld", paranoid);
	/* Only some distributions' perf_event has this level, but the module always respects it. */
	if (paranoid > 2 && has_capability(root, CAP_PERFMON_BIT) &&
	    !has_capability(root, CAP_SYS_ADMIN_BIT)) {
		ret->status = DOCTOR_LIMITED;
		strbuf_addstr(&ret->value, ": without CAP_SYS_ADMIN no ktrace module, and on some "
			      "kernels no perf_event");
		strbuf_addstr(&ret->next, "sudo sysctl kernel.perf_event_paranoid=2");
		return;
	}
	if (may_perfmon(root)) {
		strbuf_addstr(&ret->value, ", which does not bind this user");
		return;
	}
	if (paranoid < 0)
		return;
	ret->status = paranoid > 2 ? DOCTOR_BLOCKED : DOCTOR_LIMITED;
	strbuf_addstr(&ret->value, paranoid > 2 ? ": nothing for users without CAP_PERFMON" :
		      paranoid > 1 ? ": own processes in user space only, no tracepoints" :
		      paranoid > 0 ? ": own processes only, no tracepoints" : ": no tracepoints");
	strbuf_addstr(&ret->next, "sudo sysctl kernel.perf_event_paranoid=-1");
}

static void doctor_privileges(const char *root, struct doctor_result *ret)
{
	if (has_capability(root, CAP_SYS_ADMIN_BIT))
		diagnose(ret, DOCTOR_OK, "CAP_SYS_ADMIN", "");
	else if (has_capability(root, CAP_PERFMON_BIT))
		diagnose(ret, DOCTOR_OK, "CAP_PERFMON", "");
	else
		diagnose(ret, DOCTOR_LIMITED, "neither CAP_PERFMON nor CAP_SYS_ADMIN: no ktrace module",
			 "run ktrace with sudo");
}

/* Whether we are in the folder of ktrace's sources; then modules in its build/ count, too. */
static bool in_sources(const char *root)
{
	return exists(root, *root ? "/kmod/uapi/linux/ktrace.h" : "kmod/uapi/linux/ktrace.h");
}

/* Append the commands to build and load a module; @words are for make: "" or " KVER=..." */
static void add_build(const char *root, const char *words, const char *release, const char *name,
		      struct strbuf *out)
{
	if (in_sources(root))
		strbuf_addf(out, "make modules%s && sudo insmod build/modules/%s/%s.ko", words,
			    release, name);
	else if (exists(root, "/var/lib/dpkg/info/ktrace.list"))
		strbuf_addf(out, "sudo apt-get install ktrace-dkms linux-headers-$(uname -r), then "
			    "sudo modprobe %s", name);
	else
		strbuf_addf(out, "in ktrace's sources: make modules%s && sudo make install; then "
			    "sudo modprobe %s", words, name);
}

/* Append the command to load the module in the file @path, a path below @root. */
static void add_load(const char *path, const char *name, struct strbuf *out)
{
	if (!strncmp(path, "/lib/modules/", strlen("/lib/modules/")))
		strbuf_addf(out, "sudo modprobe %s", name);
	else
		strbuf_addf(out, "sudo insmod %s", path);
}

/* Returns the release that a module file was built for, from its vermagic; free() it. */
static char *module_release(const char *path)
{
	static const char key[] = "vermagic=";
	size_t len;
	_cleanup_free_ char *data = read_bytes(path, &len);
	const char *at;

	if (!data)
		return NULL;
	at = memmem(data, len, key, strlen(key));
	if (!at)
		return NULL;
	at += strlen(key);
	return strndup(at, strcspn(at, " "));
}

/* Returns the file of module @name that would be loaded, or NULL if there is none; free() it. */
static char *find_module(const char *root, const char *release, const char *name)
{
	static const char *const places[] = {
		"/lib/modules/%s/updates/%s.ko%s", "/lib/modules/%s/updates/dkms/%s.ko%s",
		"/lib/modules/%s/extra/%s.ko%s",
	};
	static const char *const packed[] = { "", ".xz", ".zst", ".gz" };
	char *path;

	/* A module that was built here comes first. */
	if (in_sources(root)) {
		if (asprintf(&path, "%s%sbuild/modules/%s/%s.ko", root, *root ? "/" : "", release,
			     name) < 0)
			return NULL;
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(places) * ARRAY_SIZE(packed); i++) {
		char relative[PATH_MAX];

		snprintf(relative, sizeof(relative), places[i / ARRAY_SIZE(packed)], release, name,
			 packed[i % ARRAY_SIZE(packed)]);
		if (!exists(root, relative))
			continue;
		return asprintf(&path, "%s%s", root, relative) < 0 ? NULL : path;
	}
	return NULL;
}

static void doctor_loaded_module(struct doctor_result *ret)
{
	struct ktrace_info info;
	struct error *err;
	int fd;

	err = device_open(&fd, &info);
	if (!err) {
		close(fd);
		strbuf_addf(&ret->value, "%.31s loaded, ABI %u.%u, record schema %u", info.version,
			    info.abi_major, info.abi_minor, info.schema);
		return;
	}
	ret->status = DOCTOR_LIMITED;
	strbuf_addstr(&ret->value, err->message);
	strbuf_addstr(&ret->next, err->hint ? err->hint : "sudo rmmod ktrace, and load it again");
	error_free(err);
}

static void doctor_module(const char *root, struct doctor_result *ret)
{
	_cleanup_free_ char *release = read_text(root, "/proc/sys/kernel/osrelease");
	_cleanup_free_ char *path = release ? find_module(root, release, "ktrace") : NULL;
	_cleanup_free_ char *built_for = path ? module_release(path) : NULL;
	const char *shown = path ? path + strlen(root) : NULL;
	char words[128];

	if (exists(root, "/sys/module/ktrace")) {
		if (!*root)
			doctor_loaded_module(ret);
		else
			diagnose(ret, DOCTOR_OK, "loaded", "");
		return;
	}
	ret->status = DOCTOR_LIMITED;
	if (!exists(root, "/proc/modules")) {
		diagnose(ret, DOCTOR_LIMITED, "this kernel takes no modules: recordings go through perf_event",
			 "boot a kernel with CONFIG_MODULES=y");
	} else if (!path) {
		strbuf_addstr(&ret->value,
			      "not built and not loaded: recordings go through perf_event");
		add_build(root, "", "$(uname -r)", "ktrace", &ret->next);
	/* The contents of a compressed module are not readable directly. */
	} else if (text_ends_with(path, ".ko") && (!built_for || strcmp(built_for, release))) {
		strbuf_addf(&ret->value, "%s was built for kernel %s, this one is %s", shown,
			    built_for ? built_for : "(unknown)", release);
		snprintf(words, sizeof(words), " KVER=%s", release);
		add_build(root, words, release, "ktrace", &ret->next);
	} else {
		strbuf_addstr(&ret->value, "built but not loaded: recordings go through perf_event");
		add_load(shown, "ktrace", &ret->next);
	}
}

/* Append the number of this kernel's events that have a usable template now. */
static void add_template_count(struct doctor_result *ret)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	_cleanup_close_ int fd = -1;
	struct ktrace_info info;
	size_t events = 0, templates = 0;
	struct error *err;

	err = device_open(&fd, &info);
	if (!err)
		err = tracefs_find("*", "*", &names);
	if (err) {
		/* The rows of the module and of tracefs report it. */
		error_free(err);
		return;
	}
	for (size_t i = 0; i < names.nr; i++) {
		const struct tracepoint_name *item = &names.items[i];
		char name[256];
		uint64_t id;

		/* System calls have a path of their own, and events of ftrace cannot be enabled. */
		if (!strcmp(item->system, "syscalls") || !strcmp(item->system, "ftrace"))
			continue;
		err = tracefs_event_id(item->system, item->name, &id);
		if (err) {
			error_free(err);
			continue;
		}
		snprintf(name, sizeof(name), "%s:%s", item->system, item->name);
		templates += !device_why_no_template(fd, id, name);
		events++;
	}
	strbuf_addf(&ret->value, ": %zu of %zu events have one", templates, events);
}

static void doctor_templates(const char *root, struct doctor_result *ret)
{
	_cleanup_free_ char *release = read_text(root, "/proc/sys/kernel/osrelease");
	_cleanup_free_ char *path = release ? find_module(root, release, "ktrace_probes") : NULL;
	_cleanup_free_ char *unchecked =
		read_text(root, "/sys/module/ktrace/parameters/unchecked_templates");
	bool loaded = exists(root, "/sys/module/ktrace_probes");

	if (loaded && unchecked && *unchecked == 'Y') {
		diagnose(ret, DOCTOR_LIMITED, "loaded, and used unchecked: one that was built for other "
			 "arguments crashes the kernel",
			 "echo 0 | sudo tee /sys/module/ktrace/parameters/unchecked_templates");
	} else if (loaded && !exists(root, "/sys/kernel/btf/vmlinux")) {
		diagnose(ret, DOCTOR_LIMITED, "loaded, but this kernel has no BTF: events of modules are "
			 "captured by counters", "boot a kernel with CONFIG_DEBUG_INFO_BTF=y");
	} else if (loaded) {
		diagnose(ret, DOCTOR_OK, "loaded", "");
		if (!*root)
			add_template_count(ret);
	} else if (!exists(root, "/sys/module/ktrace")) {
		diagnose(ret, DOCTOR_OK, "not needed without the module", "");
	} else {
		diagnose(ret, DOCTOR_LIMITED,
			 "not loaded: the module captures by counters, at more than twice the cost", "");
		if (path)
			add_load(path + strlen(root), "ktrace_probes", &ret->next);
		else
			add_build(root, "", "$(uname -r)", "ktrace_probes", &ret->next);
	}
}

static void doctor_headers(const char *root, struct doctor_result *ret)
{
	_cleanup_free_ char *release = read_text(root, "/proc/sys/kernel/osrelease");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", release ? release : "");
	if (exists(root, path)) {
		*strrchr(path, '/') = '\0';
		diagnose(ret, DOCTOR_OK, path, "");
		return;
	}
	ret->status = DOCTOR_LIMITED;
	strbuf_addf(&ret->value, "none for %s: the module cannot be built here", release ? release : "");
	snprintf(path, sizeof(path), "/var/lib/dpkg/info/linux-image-%s.list",
		 release ? release : "");
	if (exists(root, path))
		strbuf_addstr(&ret->next, "sudo apt-get install linux-headers-$(uname -r)");
	else
		strbuf_addstr(&ret->next, "no package has this kernel: build the module in the tree "
			      "it was built in, make modules KDIR=TREE");
}

static void doctor_lockdown(const char *root, struct doctor_result *ret)
{
	_cleanup_free_ char *text = read_text(root, "/sys/kernel/security/lockdown");

	if (!text)
		diagnose(ret, DOCTOR_OK, "this kernel has none", "");
	else if (strstr(text, "[confidentiality]"))
		diagnose(ret, DOCTOR_BLOCKED, "confidentiality: the kernel lets nobody trace it",
			 "boot with lockdown=integrity, or without lockdown=");
	else if (strstr(text, "[integrity]"))
		diagnose(ret, DOCTOR_OK, "integrity", "");
	else
		diagnose(ret, DOCTOR_OK, "none", "");
}

/* Whether the firmware checks signatures at boot: the last byte of the variable is set. */
static bool secure_boot(const char *root)
{
	static const char variable[] =
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	_cleanup_free_ char *data = NULL;
	char path[PATH_MAX];
	size_t len;

	snprintf(path, sizeof(path), "%s%s", root, variable);
	data = read_bytes(path, &len);
	return data && len && data[len - 1] == 1;
}

/* Returns whether the module file @path ends with a signature, by any signer. */
static bool is_signed(const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	size_t len;
	_cleanup_free_ char *data = read_bytes(path, &len);

	return data && len >= strlen(mark) &&
	       !memcmp(data + len - strlen(mark), mark, strlen(mark));
}

static void doctor_signing(const char *root, struct doctor_result *ret)
{
	_cleanup_free_ char *enforce = read_text(root, "/sys/module/module/parameters/sig_enforce");
	_cleanup_free_ char *lockdown = read_text(root, "/sys/kernel/security/lockdown");
	_cleanup_free_ char *release = read_text(root, "/proc/sys/kernel/osrelease");
	_cleanup_free_ char *path = release ? find_module(root, release, "ktrace") : NULL;
	bool enforced = (enforce && *enforce == 'Y') || (lockdown && !strstr(lockdown, "[none]"));

	if (!enforced) {
		diagnose(ret, DOCTOR_OK, "not required", "");
		return;
	}
	strbuf_addf(&ret->value, "%sonly signed modules are loaded",
		    secure_boot(root) ? "Secure Boot is on: " : "");
	if (exists(root, "/sys/module/ktrace"))
		return;
	ret->status = DOCTOR_LIMITED;
	if (path && !text_ends_with(path, ".ko"))
		strbuf_addf(&ret->value, "; %s is compressed, and modinfo ktrace shows whether it "
			    "is signed", path + strlen(root));
	else if (path && is_signed(path))
		strbuf_addf(&ret->value, "; %s has a signature", path + strlen(root));
	else if (path)
		strbuf_addf(&ret->value, "; %s has no signature", path + strlen(root));
	if (exists(root, "/var/lib/dkms/mok.pub"))
		strbuf_addstr(&ret->next, "if the kernel rejects it: sudo mokutil --import "
			      "/var/lib/dkms/mok.pub, then reboot and enroll that key");
	else
		strbuf_addstr(&ret->next, "sign it with a key that is enrolled "
			      "(packages.rst, \"Signed modules\")");
}

static void doctor_namespace(const char *root, struct doctor_result *ret)
{
	if (pid_namespace_is_first(root))
		diagnose(ret, DOCTOR_OK, "the machine's", "");
	else
		diagnose(ret, DOCTOR_LIMITED, "a container's: no ktrace module, and foreign pids",
			 "run ktrace outside of the container");
}

static void doctor_first_process(const char *root, struct doctor_result *ret)
{
	enum hidden_tasks hidden = *root ? HIDDEN_UNKNOWN : hidden_tasks_find();

	if (hidden == HIDDEN_FIRST_PROCESS)
		diagnose(ret, DOCTOR_LIMITED,
			 "hidden by this kernel: its threads leave a CPU without an event",
			 "none: recordings lack its events, and check --expect leaves it out");
	else
		diagnose(ret, DOCTOR_OK, hidden == HIDDEN_NONE ? "fires tracepoints" :
			 "not known: it did not run, or its events may not be counted", "");
}

static void doctor_tracefs_file(const char *root, const char *name, const char *config,
				struct doctor_result *ret)
{
	char path[PATH_MAX];
	const char *place;
	int code;

	place = find_tracefs(root, &code);
	if (!place) {
		diagnose(ret, DOCTOR_LIMITED, "cannot be seen without tracefs", "see tracefs");
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", place, name);
	if (exists(root, path)) {
		diagnose(ret, DOCTOR_OK, "there", "");
		return;
	}
	ret->status = DOCTOR_LIMITED;
	strbuf_addf(&ret->value, "not in this kernel");
	strbuf_addf(&ret->next, "boot a kernel with %s=y", config);
}

static void doctor_kprobes(const char *root, struct doctor_result *ret)
{
	doctor_tracefs_file(root, "kprobe_events", "CONFIG_KPROBE_EVENTS", ret);
}

static void doctor_uprobes(const char *root, struct doctor_result *ret)
{
	doctor_tracefs_file(root, "uprobe_events", "CONFIG_UPROBE_EVENTS", ret);
}

static void doctor_syscalls(const char *root, struct doctor_result *ret)
{
	doctor_tracefs_file(root, "events/syscalls", "CONFIG_FTRACE_SYSCALLS", ret);
}

static void doctor_pmu(const char *root, struct doctor_result *ret)
{
	char path[PATH_MAX];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		/* "cpu", "cpu_core", "armv8_pmuv3_0" ... */
		if (strncmp(entry->d_name, "cpu", 3) && strncmp(entry->d_name, "armv", 4))
			continue;
		diagnose(ret, DOCTOR_OK, entry->d_name, "");
		return;
	}
	diagnose(ret, DOCTOR_LIMITED, "none: no hardware events",
		 "use -e cpu-clock; in a virtual machine, let the host offer a PMU");
}

/* Returns the hard limit of a row of /proc/self/limits; -1: unlimited, 0: not found. */
static long read_limit(const char *root, const char *name)
{
	_cleanup_free_ char *text = read_text(root, "/proc/self/limits");
	const char *at = text ? strstr(text, name) : NULL;
	char soft[32], hard[32];

	if (!at || sscanf(at + strlen(name), "%31s %31s", soft, hard) != 2)
		return 0;
	return strcmp(hard, "unlimited") ? strtol(hard, NULL, 10) : -1;
}

static void doctor_files(const char *root, struct doctor_result *ret)
{
	long limit = read_limit(root, "Max open files");

	if (limit < 0) {
		diagnose(ret, DOCTOR_OK, "unlimited", "");
		return;
	}
	strbuf_addf(&ret->value, "at most %ld", limit);
	if (limit >= ENOUGH_FILES)
		return;
	ret->status = DOCTOR_LIMITED;
	strbuf_addstr(&ret->value, ", and perf_event takes one per event and CPU");
	strbuf_addf(&ret->next, "sudo prlimit --pid $$ --nofile=%d:%d", 65536, 65536);
}

static void doctor_memory(const char *root, struct doctor_result *ret)
{
	long kb = doctor_read_number(root, "/proc/sys/kernel/perf_event_mlock_kb", 0);

	if (has_capability(root, CAP_IPC_LOCK_BIT)) {
		diagnose(ret, DOCTOR_OK, "not limited for this user", "");
		return;
	}
	strbuf_addf(&ret->value, "kernel.perf_event_mlock_kb is %ld", kb);
	if (kb >= 516)
		return;
	ret->status = DOCTOR_LIMITED;
	strbuf_addstr(&ret->next, "sudo sysctl kernel.perf_event_mlock_kb=516");
}

/* The kernel lowers the limit by itself when samples take too long. */
static void doctor_sample_rate(const char *root, struct doctor_result *ret)
{
	long rate = doctor_read_number(root, "/proc/sys/kernel/perf_event_max_sample_rate", -1);

	if (rate < 0) {
		diagnose(ret, DOCTOR_OK, "this kernel names no limit", "");
		return;
	}
	strbuf_addf(&ret->value, "kernel.perf_event_max_sample_rate is %ld", rate);
	if (rate >= DEFAULT_SAMPLE_RATE)
		return;
	ret->status = DOCTOR_LIMITED;
	strbuf_addf(&ret->value, ": fewer samples a second than the %d of the default",
		    DEFAULT_SAMPLE_RATE);
	strbuf_addstr(&ret->next, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
}

static void doctor_symbols(const char *root, struct doctor_result *ret)
{
	long restricted = doctor_read_number(root, "/proc/sys/kernel/kptr_restrict", 0);

	strbuf_addf(&ret->value, "kernel.kptr_restrict is %ld", restricted);
	if (!restricted || (restricted == 1 && may_perfmon(root)))
		return;
	ret->status = DOCTOR_LIMITED;
	strbuf_addstr(&ret->value, ": kernel addresses have no names");
	strbuf_addstr(&ret->next, "sudo sysctl kernel.kptr_restrict=0");
}

static void doctor_jit(const char *root, struct doctor_result *ret)
{
	long enabled = doctor_read_number(root, "/proc/sys/net/core/bpf_jit_enable", -1);

	if (enabled > 0)
		diagnose(ret, DOCTOR_OK, "on", "");
	else if (!enabled)
		diagnose(ret, DOCTOR_LIMITED, "off: the module's filters are interpreted",
			 "sudo sysctl net.core.bpf_jit_enable=1");
	else
		diagnose(ret, DOCTOR_LIMITED, "not in this kernel: the module's filters are interpreted",
			 "boot a kernel with CONFIG_BPF_JIT=y");
}

const struct doctor_check doctor_checks[] = {
	{ "tracefs", doctor_tracefs },
	{ "perf_event", doctor_perf_event },
	{ "lockdown", doctor_lockdown },
	{ "privileges", doctor_privileges },
	{ "pid namespace", doctor_namespace },
	{ "process 1", doctor_first_process },
	{ "ktrace module", doctor_module },
	{ "templates", doctor_templates },
	{ "module signing", doctor_signing },
	{ "kernel headers", doctor_headers },
	{ "filter JIT", doctor_jit },
	{ "syscall events", doctor_syscalls },
	{ "kprobes", doctor_kprobes },
	{ "uprobes", doctor_uprobes },
	{ "PMU", doctor_pmu },
	{ "open files", doctor_files },
	{ "locked memory", doctor_memory },
	{ "sampling rate", doctor_sample_rate },
	{ "kernel symbols", doctor_symbols },
	{ 0 },
};
