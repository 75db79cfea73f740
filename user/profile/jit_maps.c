// SPDX-License-Identifier: GPL-2.0
#include "profile/jit_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "record/body.h"
#include "record/sample.h"
#include "symbol/jit/jit_image.h"
#include "symbol/jit/jitdump.h"

/* One pass through all dumps. */
struct jit_pass {
	struct jit_maps *maps;
	const struct event *event;	/* the records have its sample_id */
	bool writes;			/* write binaries; else only check dumps */
	const struct jitdump *dump;	/* the current one */
	struct hash_table functions;	/* positions in maps, by the functions' indexes */
};

void jit_maps_deinit(struct jit_maps *maps)
{
	array_free_each(&maps->dumps, .path);
	free(maps->maps.items);
	strbuf_deinit(&maps->records);
}

/* The name of the file of a map record, and its process; NULL: it is no record of code. */
static const char *mapped_name(const struct perf_event_header *header, int32_t *ret_pid)
{
	const struct body_mmap *mmap = body_of(header, struct body_mmap);
	const struct body_mmap2 *mmap2 = body_of(header, struct body_mmap2);
	const char *name = NULL;

	if (header->type == PERF_RECORD_MMAP && mmap)
		name = mmap->filename;
	else if (header->type == PERF_RECORD_MMAP2 && mmap2)
		name = mmap2->filename;
	if (!name || header->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    !memchr(name, '\0', body_left(header, name)))
		return NULL;
	*ret_pid = mmap->pid;
	return name;
}

/* The process in a name like /x/jit-PID.dump; 0: none. */
static int32_t pid_of_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	int32_t pid = 0;
	int end = 0;

	if (!slash || slash[1] != 'j' || slash[5] < '0' || slash[5] > '9' ||
	    sscanf(slash, "/jit-%" SCNd32 ".dump%n", &pid, &end) != 1 || !end || slash[end])
		return 0;
	return pid;
}

struct error *jit_maps_watch(struct jit_maps *maps, const struct perf_event_header *header)
{
	struct jit_dump_file file = { .pid = -1 };
	const char *name = mapped_name(header, &file.pid);
	int32_t pid = name ? pid_of_dump(name) : 0;

	if (!pid)
		return NULL;
	for (size_t i = 0; i < maps->dumps.nr; i++)
		if (!strcmp(maps->dumps.items[i].path, name))
			return NULL;
	if (pid != file.pid) {
		log_warning("%s is left out, because process %d mapped it, whose number is not in its "
			    "name", name, file.pid);
		return NULL;
	}
	file.path = strdup(name);
	if (file.path && array_push(&maps->dumps, file))
		return NULL;
	free(file.path);
	return &error_no_memory;
}

/* The last record is at maps->records.len - its size, and lacks its sample_id. */
static void add_sample_id(struct jit_pass *pass, const struct jitdump_record *function)
{
	static const char zeros[64];
	const struct event *event = pass->event;
	size_t size = sample_id_size(&event->attr);
	char *begin, *end;

	strbuf_add(&pass->maps->records, zeros, size);
	if (pass->maps->records.failed)
		return;
	end = pass->maps->records.data + pass->maps->records.len;
	begin = end - size;
	if (event->attr.sample_type & PERF_SAMPLE_TID) {
		memcpy(begin, &function->pid, sizeof(function->pid));
		memcpy(begin + sizeof(function->pid), &function->tid, sizeof(function->tid));
	}
	memcpy(end - event->time_back, &function->time, sizeof(function->time));
	if (event->id_back >= 0 && event->nr_ids)
		memcpy(end - event->id_back, &event->ids[0], sizeof(event->ids[0]));
}

/* Add a map of @function; @body identifies the binary. */
static struct error *add_map(struct jit_pass *pass, const struct jitdump_record *function,
			     const char *path, struct body_mmap2 *body, const struct build_id *id)
{
	struct strbuf *records = &pass->maps->records;
	size_t length = strlen(path), padded = (length + 8) & ~7UL;
	struct perf_event_header header = {
		.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER,
		.size = sizeof(header) + sizeof(*body) + padded +
			sample_id_size(&pass->event->attr),
	};
	struct jit_map map = { function->time, records->len, function->index, *id };
	static const char zeros[8];

	body->pid = function->pid;
	body->tid = function->tid;
	body->addr = function->address;
	body->len = function->size;
	/* Readers that search the tables in memory find them behind the code. */
	if (function->mapped_size)
		body->len = ((function->size + 7) & ~7ULL) + function->mapped_size;
	body->pgoff = JIT_IMAGE_TEXT;
	body->prot = PROT_READ | PROT_EXEC;
	body->flags = MAP_PRIVATE;
	strbuf_add(records, &header, sizeof(header));
	strbuf_add(records, body, sizeof(*body));
	strbuf_add(records, path, length);
	strbuf_add(records, zeros, padded - length);
	add_sample_id(pass, function);
	if (records->failed || !array_push(&pass->maps->maps, map))
		return &error_no_memory;
	return NULL;
}

/* The position of the last map of a function; maps.nr: it has none. */
static size_t find_jit_function(const struct jit_pass *pass, uint64_t index)
{
	const struct jit_maps *maps = pass->maps;

	hash_table_each(&pass->functions, hash_key_number(index), n)
		if (maps->maps.items[n].index == index)
			return n;
	return maps->maps.nr;
}

static struct error *write_binary(const struct jit_pass *pass,
				  const struct jitdump_record *function, const char *path,
				  struct body_mmap2 *body, struct build_id *ret)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct error *err = new_file_create(&file, path);
	struct jitdump_record copy = *function;
	struct stat st;

	/*
	 * The author of the dump chose the paths of its source, so he becomes the owner of the
	 * binary, whose permissions limit the source that is read.
	 */
	if (!err && !fstat(pass->dump->fd, &st) && st.st_uid != geteuid() &&
	    fchown(file.fd, st.st_uid, -1))
		copy.lines = NULL;
	if (!err)
		err = jit_image_write(file.fd, pass->dump, &copy, ret);
	if (!err && (fchmod(file.fd, 0644) || fstat(file.fd, &st)))
		err = error_errno(errno, "Cannot write %s", path);
	if (!err)
		err = new_file_commit(&file);
	if (err)
		return error_hint(err, "The code is written beside %s", pass->dump->path);
	body->major = major(st.st_dev);
	body->minor = minor(st.st_dev);
	body->inode = st.st_ino;
	log_debug("Wrote %s", path);
	return NULL;
}

static struct error *take_code(struct jit_pass *pass, const struct jitdump_record *function)
{
	_cleanup_free_ char *copy = strdup(pass->dump->path);
	_cleanup_free_ char *path = NULL;
	struct build_id id = { .size = 0 };
	struct body_mmap2 body = { 0 };
	struct error *err = NULL;

	if (!copy || asprintf(&path, "%s/jitted-%d-%" PRIu64 ".so", dirname(copy), function->pid,
			      function->index) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	if (find_jit_function(pass, function->index) != pass->maps->maps.nr)
		return error_new(EBADMSG, "%s is damaged: two functions in it have the number %"
				 PRIu64, pass->dump->path, function->index);
	if (!hash_table_add(&pass->functions, hash_key_number(function->index),
			    pass->maps->maps.nr))
		return &error_no_memory;
	if (pass->writes)
		err = write_binary(pass, function, path, &body, &id);
	return err ? err : add_map(pass, function, path, &body, &id);
}

static struct error *take_code_move(struct jit_pass *pass, const struct jitdump_record *function)
{
	size_t i = find_jit_function(pass, function->index);
	struct build_id none = { .size = 0 };
	_cleanup_free_ char *path = NULL;
	struct body_mmap2 body;

	if (i == pass->maps->maps.nr)
		return error_new(EBADMSG, "%s is damaged: it moves the function with the number %"
				 PRIu64 ", which was not compiled before", pass->dump->path,
				 function->index);
	memcpy(&body, pass->maps->records.data + pass->maps->maps.items[i].at +
	       sizeof(struct perf_event_header), sizeof(body));
	path = strdup(jit_maps_name(pass->maps, &pass->maps->maps.items[i]));
	return path ? add_map(pass, function, path, &body, &none) : &error_no_memory;
}

static struct error *take_function(struct jit_pass *pass, const struct jitdump_record *function)
{
	if (function->pid != pass->dump->pid)
		return error_new(EBADMSG, "%s of process %d has code of another one, %d",
				 pass->dump->path, pass->dump->pid, function->pid);
	return function->is_move ? take_code_move(pass, function) : take_code(pass, function);
}

static struct error *read_dump(struct jit_pass *pass, struct jitdump *dump,
			       struct jit_dump_file *file)
{
	struct error *err = jitdump_open(file->path, dump);
	struct jitdump_record function;

	if (err && err->code == ENOENT) {
		error_free(err);
		if (!pass->writes)
			log_warning("%s is not there any more, so its code remains unknown",
				    file->path);
		file->is_gone = true;
		return NULL;
	}
	if (!err && dump->pid != file->pid)
		err = error_new(EBADMSG, "%s is not of the process in its name, but of %d",
				file->path, dump->pid);
	pass->dump = dump;
	while (!err && jitdump_next(dump, &function, &err))
		err = take_function(pass, &function);
	if (!err && dump->is_cut && !pass->writes)
		log_warning("%s breaks off, so the newest code remains unknown",
			    file->path);
	return err;
}

static struct error *read_dumps(struct jit_pass *pass)
{
	struct jit_maps *maps = pass->maps;
	struct error *err = NULL;

	maps->maps.nr = 0;
	strbuf_reset(&maps->records);
	for (size_t i = 0; i < maps->dumps.nr && !err; i++) {
		_cleanup_(jitdump) struct jitdump dump = JITDUMP_INIT;

		err = read_dump(pass, &dump, &maps->dumps.items[i]);
		hash_table_deinit(&pass->functions);
	}
	return err;
}

static struct error *check_clocks(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->items[i]->attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			return error_hint(error_new(ENOTSUP, "The times in jitdumps are those of "
						    "CLOCK_MONOTONIC, and the recording has another "
						    "clock"),
					  "'ktrace record -k mono' records with that clock");
	}
	if (!events->nr || events->items[0]->time_back < 0)
		return error_new(ENOTSUP, "The records of the recording have no times, so the "
				 "addresses of code are unknown");
	return NULL;
}

DEFINE_COMPARISON(compare_maps, struct jit_map, array_order(x->time, y->time) ?:
		  array_order(x->at, y->at))

struct error *jit_maps_make(struct jit_maps *maps, const struct event_list *events)
{
	struct jit_pass pass = { .maps = maps };
	struct error *err = maps->dumps.nr ? check_clocks(events) : NULL;

	if (err)
		return err;
	if (!maps->dumps.nr) {
		log_warning("The recording has no process that mapped a jit-PID.dump");
		return NULL;
	}
	pass.event = events->items[0];
	err = read_dumps(&pass);
	pass.writes = true;
	if (!err)
		err = read_dumps(&pass);
	if (!err && maps->maps.nr)
		array_sort(&maps->maps, compare_maps);
	return err;
}

const struct perf_event_header *jit_maps_next(struct jit_maps *maps, uint64_t time)
{
	const struct jit_map *map;

	if (maps->next == maps->maps.nr || maps->maps.items[maps->next].time > time)
		return NULL;
	map = &maps->maps.items[maps->next++];
	return (const void *)(maps->records.data + map->at);
}

const char *jit_maps_name(const struct jit_maps *maps, const struct jit_map *map)
{
	return maps->records.data + map->at + sizeof(struct perf_event_header) +
	       sizeof(struct body_mmap2);
}

bool jit_maps_hides(struct jit_maps *maps, const struct perf_event_header *header)
{
	int32_t pid = -1;
	const char *name = mapped_name(header, &pid);

	for (size_t i = 0; name && i < maps->dumps.nr; i++) {
		struct jit_dump_file *dump = &maps->dumps.items[i];

		if (!strcmp(dump->path, name))
			dump->mapped = !dump->is_gone;
		else if (dump->mapped && dump->pid == pid &&
			 (!strncmp(name, "//anon", 6) || !strncmp(name, "/memfd:", 7)))
			return true;
	}
	return false;
}
