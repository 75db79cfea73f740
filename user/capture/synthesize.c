// SPDX-License-Identifier: GPL-2.0
#include "capture/synthesize.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/cgroup.h"
#include "capture/task_events.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "record/body.h"
#include "record/sample.h"
#include "symbol/elf/elf_file.h"
#include "symbol/module_paths.h"
#include "symbol/task_files.h"

/* Records are gathered up to about this size before they go to the sink. */
#define BATCH_SIZE 65536

/* TASK_COMM_LEN without its NUL. */
#define COMM_LEN 15

struct known_id {
	struct file_numbers numbers;
	struct build_id id;	/* size 0: it has none, or cannot be read */
};

struct synthesis {
	struct record_sink *sink;
	size_t id_size;		/* bytes of the sample_id, all zero */
	bool maps;		/* also maps of tasks */
	bool data;		/* also maps of data */
	bool build_ids;		/* maps have build ids */
	bool namespaces;	/* also the namespaces of tasks */
	struct strbuf batch;
	struct {
		struct known_id *items;
		size_t nr, alloc;
		struct hash_table table;	/* positions in items */
	} known;		/* mapped files, which thus keep their numbers */
};

static void synthesis_deinit(struct synthesis *s)
{
	strbuf_deinit(&s->batch);
	free(s->known.items);
	hash_table_deinit(&s->known.table);
}
DEFINE_CLEANUP(synthesis, struct synthesis, synthesis_deinit)

/* Id 0 means the first event, so the records have the layout of its sample_ids. */
static size_t synthesize_sample_id_size(const struct event_list *events)
{
	return events->nr ? sample_id_size(&events->items[0]->attr) : 0;
}

static struct error *synthesize_flush(struct synthesis *s)
{
	struct record_span span = {
		.data = s->batch.data, .size = s->batch.len, .cpu = UINT32_MAX,
	};
	struct error *err;

	if (s->batch.failed)
		return &error_no_memory;
	if (!span.size)
		return NULL;
	err = record_sink_write(s->sink, &span);
	strbuf_reset(&s->batch);
	return err;
}

/*
 * Write a record: @body, then @name with its NUL padded to 8 bytes (NULL: none), then the
 * sample_id.
 */
static struct error *emit(struct synthesis *s, uint32_t type, uint16_t misc, const void *body,
			  size_t size, const char *name)
{
	static const char zeros[64];
	size_t name_size = name ? strnlen(name, PATH_MAX - 1) : 0;
	size_t padded = name ? (name_size + 8) & ~7UL : 0;
	struct perf_event_header header = {
		.type = type, .misc = misc, .size = sizeof(header) + size + padded + s->id_size,
	};

	strbuf_add(&s->batch, &header, sizeof(header));
	strbuf_add(&s->batch, body, size);
	if (name)
		strbuf_add(&s->batch, name, name_size);
	strbuf_add(&s->batch, zeros, padded - name_size);
	strbuf_add(&s->batch, zeros, s->id_size);
	return s->batch.len > BATCH_SIZE ? synthesize_flush(s) : NULL;
}

static struct error *emit_comm(struct synthesis *s, uint32_t pid, uint32_t tid, const char *comm)
{
	struct body_comm body = { pid, tid };

	return emit(s, PERF_RECORD_COMM, 0, &body, sizeof(body), comm);
}

static struct error *emit_fork(struct synthesis *s, uint32_t pid, uint32_t tid, uint32_t ppid,
			       uint32_t ptid)
{
	struct body_task body = { pid, ppid, tid, ptid, 0 };

	/* The flag marks a process with its own maps, as after an exec, not those of its parent. */
	return emit(s, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, &body, sizeof(body), NULL);
}

/* The kernel's order of namespaces in NAMESPACES records. */
static const char *const namespace_names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };

static struct error *emit_namespaces(struct synthesis *s, pid_t pid, pid_t tid)
{
	struct {
		struct body_namespaces body;
		uint64_t links[ARRAY_SIZE(namespace_names)][2];
	} all = { .body = { pid, tid, ARRAY_SIZE(namespace_names) } };
	char path[64];
	struct stat st;

	if (!s->namespaces)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(namespace_names); i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", tid, namespace_names[i]);
		if (stat(path, &st))
			continue;
		all.links[i][0] = st.st_dev;
		all.links[i][1] = st.st_ino;
	}
	return emit(s, PERF_RECORD_NAMESPACES, 0, &all, sizeof(all), NULL);
}

static struct error *emit_kernel_map(struct synthesis *s, uint64_t addr, uint64_t len,
				     uint64_t pgoff, const char *name)
{
	struct body_mmap body = { -1, 0, addr, len, pgoff };

	return emit(s, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &body, sizeof(body), name);
}

static bool read_id(const char *path, const struct file_numbers *numbers, struct build_id *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	*ret = (struct build_id){ .size = 0 };
	if (!elf_file_open(&file, path) || file_match(file.fd, numbers) != FILE_SAME)
		return false;
	elf_file_build_id(&file, ret);
	return true;
}

/* Find the build id of the file that a task has mapped, once for each file. */
static void find_mapped_id(struct synthesis *s, const struct task_map *map, const char *name,
			   const struct file_numbers *numbers, struct build_id *ret)
{
	uint64_t hash = hash_key_join(hash_key_number(numbers->inode), numbers->device);
	struct known_id known = { .numbers = *numbers };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	bool found = false;

	hash_table_each(&s->known.table, hash, n) {
		const struct known_id *k = &s->known.items[n];

		if (k->numbers.inode == numbers->inode && k->numbers.device == numbers->device) {
			*ret = k->id;
			return;
		}
	}
	found = read_id(name, numbers, ret);
	for (unsigned int i = 0; i < TASK_MAP_PATHS && !found; i++)
		found = task_map_path(map, name, i, &path) && read_id(path.data, numbers, ret);
	known.id = *ret;
	if (array_push(&s->known, known))
		hash_table_add(&s->known.table, hash, s->known.nr - 1);
}

/*
 * The kernel stores the build id in place of the numbers of device and inode.  Without a build id,
 * it stores these numbers.
 */
static uint16_t set_build_id(struct synthesis *s, const char *name, struct body_mmap2 *body)
{
	struct file_numbers numbers = { body->inode, (uint64_t)body->major << 32 | body->minor };
	struct task_map map = { body->pid, body->addr, body->addr + body->len };
	struct build_id id = { .size = 0 };

	if (s->build_ids && *name == '/' && body->inode)
		find_mapped_id(s, &map, name, &numbers, &id);
	if (!id.size)
		return 0;
	body->major = body->minor = 0;
	body->inode = body->generation = 0;
	body->build_id_size = id.size;
	memcpy(body->build_id, id.bytes, id.size);
	return PERF_RECORD_MISC_MMAP_BUILD_ID;
}

static struct error *emit_user_map(struct synthesis *s, pid_t pid, const char *line)
{
	struct body_mmap2 body = { .pid = pid, .tid = pid };
	unsigned long long start, end, pgoff, inode;
	unsigned int major, minor;
	uint16_t misc;
	char prot[5];
	int at;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, prot, &pgoff,
		   &major, &minor, &inode, &at) != 7 ||
	    (prot[2] != 'x' && (!s->data || prot[0] != 'r')))
		return NULL;
	body.addr = start;
	body.len = end - start;
	body.pgoff = pgoff;
	body.major = major;
	body.minor = minor;
	body.inode = inode;
	body.prot = (prot[2] == 'x' ? PROT_EXEC : 0) | (prot[0] == 'r' ? PROT_READ : 0) |
		    (prot[1] == 'w' ? PROT_WRITE : 0);
	body.flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	misc = PERF_RECORD_MISC_USER | (prot[2] == 'x' ? 0 : PERF_RECORD_MISC_MMAP_DATA) |
	       set_build_id(s, line + at, &body);
	return emit(s, PERF_RECORD_MMAP2, misc, &body, sizeof(body), line[at] ? line + at : "//anon");
}

static struct error *emit_user_maps(struct synthesis *s, pid_t pid)
{
	_cleanup_free_ char *text = NULL;
	struct error *err = NULL;
	char path[64], *line, *next;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	error_free(file_read(path, &text, NULL));
	for (line = text; !err && line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		err = emit_user_map(s, pid, line);
	}
	return err;
}

/* Returns the number behind "@key:\t" in a /proc status text, or 0 if it is not there. */
static pid_t status_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

static struct error *emit_thread(struct synthesis *s, pid_t pid, pid_t tid)
{
	_cleanup_free_ char *status = NULL, *comm = NULL;
	struct error *err;
	char path[64];
	pid_t ppid;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	error_free(file_read(path, &status, NULL));
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	error_free(file_read_text(path, &comm));
	if (!status || !comm)
		return NULL;
	/* For a kworker, proc appends its current work; a comm is never longer than this. */
	if (strlen(comm) > COMM_LEN)
		comm[COMM_LEN] = '\0';
	ppid = pid == tid ? status_number(status, "\nPPid:") : pid;
	err = emit_fork(s, pid, tid, ppid, ppid);
	if (!err)
		err = emit_namespaces(s, pid, tid);
	return err ? err : emit_comm(s, pid, tid, comm);
}

static struct error *emit_process(struct synthesis *s, pid_t pid)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct error *err;
	char path[64];
	pid_t tid;

	/* The leader comes first, because the rest are its threads. */
	err = emit_thread(s, pid, pid);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (!err && (tid = dir_next_number(dir)))
		if (tid != pid)
			err = emit_thread(s, pid, tid);
	return err || !s->maps ? err : emit_user_maps(s, pid);
}

static struct error *emit_all(struct synthesis *s)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc");
	struct error *err = NULL;
	pid_t pid;

	if (!dir)
		return error_errno(errno, "Cannot list the tasks in /proc");
	while (!err && (pid = dir_next_number(dir)))
		err = emit_process(s, pid);
	return err;
}

/* Returns the process of a thread, or 0 if it has ended. */
static pid_t process_of(pid_t tid)
{
	_cleanup_free_ char *status = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	error_free(file_read(path, &status, NULL));
	return status ? status_number(status, "\nTgid:") : 0;
}

struct error *synthesize_tasks(const struct event_list *events, const pid_t *tasks,
			       size_t nr_tasks, bool maps, struct record_sink *sink)
{
	_cleanup_(synthesis) struct synthesis s = {
		.sink = sink, .id_size = synthesize_sample_id_size(events),
		.maps = maps, .data = task_events_need_data(events),
		.build_ids = task_events_have_build_ids(events),
		.namespaces = task_events_have_namespaces(events),
	};
	struct error *err = NULL;
	pid_t last = 0;

	if (!tasks)
		err = emit_all(&s);
	for (size_t i = 0; tasks && !err && i < nr_tasks; i++) {
		pid_t pid = process_of(tasks[i]);

		/* The threads of a process are adjacent. */
		if (pid && pid != last)
			err = emit_process(&s, pid);
		last = pid;
	}
	if (!err)
		err = synthesize_flush(&s);
	return err;
}

struct error *synthesize_comm(const struct event_list *events, pid_t pid, const char *comm,
			      struct record_sink *sink)
{
	_cleanup_(synthesis) struct synthesis s = {
		.sink = sink, .id_size = synthesize_sample_id_size(events),
		.namespaces = task_events_have_namespaces(events),
	};
	struct error *err;

	err = emit_comm(&s, pid, pid, comm);
	if (!err)
		err = emit_namespaces(&s, pid, pid);
	if (!err)
		err = synthesize_flush(&s);
	return err;
}

static struct error *emit_cgroup(void *data, uint64_t id, const char *path)
{
	struct body_cgroup body = { id };

	return emit(data, PERF_RECORD_CGROUP, 0, &body, sizeof(body), path);
}

struct error *synthesize_cgroups(const struct event_list *events, struct record_sink *sink)
{
	_cleanup_(synthesis) struct synthesis s = {
		.sink = sink, .id_size = synthesize_sample_id_size(events),
	};
	struct error *err;

	if (!task_events_have_cgroups(events))
		return NULL;
	err = cgroup_walk(emit_cgroup, &s);
	if (err && err->code == ENOENT) {
		log_notice("Only cgroups that are created while recording have paths: no cgroups "
			   "are mounted here.");
		error_free(take_ptr(err));
	}
	if (!err)
		err = synthesize_flush(&s);
	return err;
}

/* Find the beginning and end of the kernel's text.  Returns false if /proc/kallsyms hides it. */
static bool kernel_text(uint64_t *start, uint64_t *end)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long addr;
	char name[256], kind;

	*start = *end = 0;
	while (file && (!*start || !*end) &&
	       fscanf(file, "%llx %c %255s%*[^\n]", &addr, &kind, name) == 3) {
		if (!strcmp(name, "_text"))
			*start = addr;
		else if (!strcmp(name, "_etext"))
			*end = addr;
	}
	return *start && *end > *start;
}

static struct error *emit_modules(struct synthesis *s)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
	_cleanup_(module_paths) struct module_paths paths = { .dep = NULL };
	unsigned long long size, addr;
	struct error *err = NULL;
	char name[128];

	if (!file)
		return NULL;
	module_paths_read(&paths);
	while (!err && fscanf(file, "%127s %llu %*s %*s %*s %llx%*[^\n]", name, &size, &addr) == 3) {
		_cleanup_free_ char *full = module_paths_find(&paths, name);

		if (!full)
			return &error_no_memory;
		if (addr)
			err = emit_kernel_map(s, addr, size, 0, full);
	}
	return err;
}

struct error *synthesize_kernel(const struct event_list *events, struct record_sink *sink)
{
	_cleanup_(synthesis) struct synthesis s = {
		.sink = sink, .id_size = synthesize_sample_id_size(events),
	};
	struct error *err = NULL;
	uint64_t start, end;

	/* perf reads pgoff as the address of the symbol in the name. */
	if (kernel_text(&start, &end))
		err = emit_kernel_map(&s, start, end - start, start, "[kernel.kallsyms]_text");
	if (!err)
		err = emit_modules(&s);
	if (!err)
		err = synthesize_flush(&s);
	return err;
}
