// SPDX-License-Identifier: GPL-2.0
#include "format/trace_instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/kbuffer.h>
#include <unistd.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/file.h"

/* A read returns at most one page of the buffer, which can be larger than a memory page. */
#define PAGE_MAX (64 * 1024)

DEFINE_CLEANUP_PTR(kbuffer, struct kbuffer, kbuffer_free)

static struct error *read_page(struct kbuffer *kbuffer, trace_pages_fn record, void *context)
{
	unsigned long long time;
	struct error *err = NULL;

	for (void *raw = kbuffer_read_event(kbuffer, &time); raw && !err;
	     raw = kbuffer_next_event(kbuffer, &time))
		err = record(context, time, raw, kbuffer_event_size(kbuffer));
	return err;
}

/*
 * Consume all records of a buffer that is no longer written, in their order.  An error of
 * @record ends this and is returned.
 */
static struct error *trace_pages_read(const char *path, trace_pages_fn record, void *context)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_(kbuffer) struct kbuffer *kbuffer =
		kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	_cleanup_free_ char *page = calloc(1, PAGE_MAX);
	struct error *err = NULL;
	ssize_t n;

	if (!kbuffer || !page)
		return &error_no_memory;
	if (fd < 0)
		return error_errno(errno, "Cannot open %s", path);
	while (!err && (n = read(fd, page, PAGE_MAX)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return error_errno(errno, "Cannot read %s", path);
		if (kbuffer_load_subbuffer(kbuffer, page))
			return error_new(EINVAL, "%s has a page that cannot be decoded", path);
		err = read_page(kbuffer, record, context);
	}
	return err;
}

#define PREFIX "ktrace-check"

static struct error *put_file(const char *folder, const char *file, const char *text)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	int code;

	if (asprintf(&path, "%s/%s", folder, file) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	code = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
	return code ? error_errno(-code, "Cannot write '%s' to %s", text, path) : NULL;
}

static struct error *instance_put(const struct trace_instance *instance, const char *file,
				  const char *text)
{
	return put_file(instance->folder.path, file, text);
}

static void remove_instance(const char *path)
{
	error_free(put_file(path, "tracing_on", "0"));
	error_free(put_file(path, "events/enable", "0"));
	rmdir(path);
}

/* Create the instance in tracefs' folder "instances". */
static struct error *create_folder(struct trace_instance *instance)
{
	_cleanup_free_ char *parent = NULL;
	struct error *err;
	const char *root;

	err = tracefs_path(&root);
	if (err)
		return err;
	if (asprintf(&parent, "%s/instances", root) < 0) {
		parent = NULL;
		return &error_no_memory;
	}
	held_folder_sweep(parent, PREFIX, remove_instance);
	err = held_folder_create(&instance->folder, parent, PREFIX);
	return err ? error_hint(err, "Run ktrace as root") : NULL;
}

struct error *trace_instance_create(struct trace_instance *instance, unsigned int kilobytes)
{
	/*
	 * We do not change hash-ptr: if it is off, Linux 6.1 prints the first string of a text as
	 * empty.
	 */
	static const struct { const char *file, *text; } setup[] = {
		{ "tracing_on", "0" },
		{ "trace_clock", "mono" },
		{ "options/context-info", "0" },
	};
	struct error *err;
	char size[32];

	err = create_folder(instance);
	if (err)
		return err;
	for (size_t i = 0; !err && i < ARRAY_SIZE(setup); i++)
		err = instance_put(instance, setup[i].file, setup[i].text);
	snprintf(size, sizeof(size), "%u", kilobytes);
	if (!err)
		err = instance_put(instance, "buffer_size_kb", size);
	if (err)
		trace_instance_destroy(instance);
	return err;
}

void trace_instance_destroy(struct trace_instance *instance)
{
	if (instance->folder.path)
		remove_instance(instance->folder.path);
	held_folder_release(&instance->folder);
}

struct error *trace_instance_enable(const struct trace_instance *instance, const char *system,
				    const char *name)
{
	_cleanup_free_ char *file = NULL;

	if (asprintf(&file, "events/%s/%s/enable", system, name) < 0) {
		file = NULL;
		return &error_no_memory;
	}
	return instance_put(instance, file, "1");
}

struct error *trace_instance_switch(const struct trace_instance *instance, bool on)
{
	return instance_put(instance, "tracing_on", on ? "1" : "0");
}

/* Read a file of @cpu.  ENOENT means that there is no such CPU. */
static struct error *instance_read_cpu(const struct trace_instance *instance, unsigned int cpu,
				       const char *file, char **ret)
{
	_cleanup_free_ char *path = NULL;
	size_t len;

	if (asprintf(&path, "%s/per_cpu/cpu%u/%s", instance->folder.path, cpu, file) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	return file_read(path, ret, &len);
}

/* Returns the number of a line "NAME: 12" of a stats file. */
static uint64_t stat_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

struct error *trace_instance_lost(const struct trace_instance *instance, uint64_t *ret)
{
	uint64_t lost = 0;

	for (unsigned int cpu = 0, end = sysconf(_SC_NPROCESSORS_CONF); cpu < end; cpu++) {
		_cleanup_free_ char *text = NULL;
		struct error *err = instance_read_cpu(instance, cpu, "stats", &text);

		if (err && err->code != ENOENT)
			return err;
		error_free(err);
		if (text)
			lost += stat_of(text, "\noverrun: ") + stat_of(text, "\ncommit overrun: ") +
				stat_of(text, "\ndropped events: ");
	}
	*ret = lost;
	return NULL;
}

struct error *trace_instance_text(const struct trace_instance *instance, unsigned int cpu,
				  char **ret)
{
	return instance_read_cpu(instance, cpu, "trace", ret);
}

struct error *trace_instance_read(const struct trace_instance *instance, unsigned int cpu,
				  trace_pages_fn record, void *context)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/per_cpu/cpu%u/trace_pipe_raw", instance->folder.path, cpu) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	return trace_pages_read(path, record, context);
}
