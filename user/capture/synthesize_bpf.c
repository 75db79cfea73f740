// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/synthesize.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "record/body.h"
#include "record/sample.h"

/* Names in /proc/kallsyms are shorter. */
#define FUNCTION_NAME	512
/* The size of the images that the kernel creates for calls between programs. */
#define IMAGE_SIZE	4096

/* The functions of all programs. */
struct bpf_functions {
	struct bpf_function {
		uint64_t address;
		uint32_t size;
		char *name;	/* owned */
	} *items;
	size_t nr, alloc;
	struct strbuf loaded;	/* BPF_EVENT records */
	size_t id_size;		/* of the sample_id in each record */
	bool failed;
};

static void bpf_functions_deinit(struct bpf_functions *functions)
{
	array_free_each(functions, .name);
	strbuf_deinit(&functions->loaded);
}
DEFINE_CLEANUP(bpf_functions, struct bpf_functions, bpf_functions_deinit)

static int bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static bool bpf_read_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr = {
		.info.bpf_fd = fd, .info.info_len = sizeof(*info), .info.info = (uintptr_t)info,
	};

	return !bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static void bpf_add_function(struct bpf_functions *functions, uint64_t address, uint32_t size,
			 const char *name)
{
	struct bpf_function function = { address, size, strdup(name) };

	if (!function.name || !array_push(functions, function)) {
		free(function.name);
		functions->failed = true;
	}
}

static void add_bpf_record(struct strbuf *out, uint32_t type, const void *body, size_t size,
			   const void *rest, size_t rest_size, size_t id_size)
{
	static const char zeros[64];
	size_t padding = -(size + rest_size) & 7;
	struct perf_event_header header = {
		.type = type, .size = sizeof(header) + size + rest_size + padding + id_size,
	};

	strbuf_add(out, &header, sizeof(header));
	strbuf_add(out, body, size);
	strbuf_add(out, rest, rest_size);
	strbuf_add(out, zeros, padding);
	strbuf_add(out, zeros, id_size);
}

/* The name of a program without kallsyms: only the tags distinguish its functions. */
static void name_by_tag(const struct bpf_prog_info *info, const uint8_t *tag, char *name)
{
	int len = sprintf(name, "bpf_prog_");

	for (size_t i = 0; i < BPF_TAG_SIZE; i++)
		len += sprintf(name + len, "%02x", tag[i]);
	if (info->nr_jited_ksyms > 1)
		strcpy(name + len, "_F");
	else if (*info->name)
		sprintf(name + len, "_%.*s", BPF_OBJ_NAME_LEN, info->name);
}

/* Add the functions of a program; none if the kernel interprets it or hides its addresses. */
static void bpf_add_program(struct bpf_functions *functions, int fd)
{
	struct bpf_prog_info info = { 0 };
	_cleanup_free_ uint8_t (*tags)[BPF_TAG_SIZE] = NULL;
	_cleanup_free_ uint64_t *addresses = NULL;
	_cleanup_free_ uint32_t *sizes = NULL;
	struct body_bpf_event loaded = { PERF_BPF_EVENT_PROG_LOAD, 0, 0 };
	char name[FUNCTION_NAME];
	uint32_t nr;

	if (!bpf_read_info(fd, &info) || !info.nr_jited_ksyms)
		return;
	nr = info.nr_jited_ksyms;
	addresses = calloc(nr, sizeof(*addresses));
	sizes = calloc(nr, sizeof(*sizes));
	tags = calloc(nr, sizeof(*tags));
	if (!addresses || !sizes || !tags) {
		functions->failed = true;
		return;
	}
	info = (struct bpf_prog_info){
		.nr_jited_ksyms = nr, .jited_ksyms = (uintptr_t)addresses,
		.nr_jited_func_lens = nr, .jited_func_lens = (uintptr_t)sizes,
		.nr_prog_tags = nr, .prog_tags = (uintptr_t)tags,
	};
	if (!bpf_read_info(fd, &info) || info.nr_jited_ksyms != nr)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		name_by_tag(&info, tags[i], name);
		if (addresses[i] && sizes[i])
			bpf_add_function(functions, addresses[i], sizes[i], name);
	}
	loaded.id = info.id;
	add_bpf_record(&functions->loaded, PERF_RECORD_BPF_EVENT, &loaded, sizeof(loaded), info.tag,
		       BPF_TAG_SIZE, functions->id_size);
}

/* Add all programs; returns 0, or the errno of the refused call. */
static int add_programs(struct bpf_functions *functions)
{
	union bpf_attr next = { .start_id = 0 };

	while (!bpf_call(BPF_PROG_GET_NEXT_ID, &next)) {
		union bpf_attr attr = { .prog_id = next.next_id };
		_cleanup_close_ int fd = bpf_call(BPF_PROG_GET_FD_BY_ID, &attr);

		if (fd >= 0)
			bpf_add_program(functions, fd);
		else if (errno != ENOENT)
			return errno;
		next = (union bpf_attr){ .start_id = next.next_id };
	}
	return errno == ENOENT ? 0 : errno;
}

DEFINE_COMPARISON(compare_bpf_functions, struct bpf_function, array_order(x->address, y->address))

/*
 * Give functions their names in kallsyms, as in the kernel's own KSYMBOL records, and add the
 * images that it has created for calls of programs.
 */
static void name_by_kallsyms(struct bpf_functions *functions)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	size_t alloc = 0, nr = functions->nr;
	_cleanup_free_ char *line = NULL;

	qsort(functions->items, nr, sizeof(*functions->items), compare_bpf_functions);
	while (file && getline(&line, &alloc, file) > 0) {
		struct bpf_function key = { 0 }, *found;
		char name[FUNCTION_NAME];
		unsigned long long address;

		if (!strstr(line, "\t[bpf]") || sscanf(line, "%llx %*c %511s", &address, name) != 2)
			continue;
		key.address = address;
		found = bsearch(&key, functions->items, nr, sizeof(key), compare_bpf_functions);
		if (found) {
			free(found->name);
			found->name = strdup(name);
			functions->failed |= !found->name;
		} else if (address && (!strncmp(name, "bpf_trampoline_", 15) ||
				       !strncmp(name, "bpf_dispatcher_", 15))) {
			bpf_add_function(functions, address, IMAGE_SIZE, name);
		}
	}
}

static bool tells_of_programs(const struct event_list *events)
{
	return array_any(events, it, (*it)->attr.bpf_event);
}

/* Whether samples have addresses of the kernel's code. */
static bool samples_kernel(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->items[i]->attr;

		if (!attr->exclude_kernel && !event_is_dummy(events->items[i]) &&
		    (attr->sample_type & PERF_SAMPLE_CALLCHAIN ||
		     (attr->type != PERF_TYPE_TRACEPOINT && attr->sample_type & PERF_SAMPLE_IP)))
			return true;
	}
	return false;
}

struct error *synthesize_bpf(const struct event_list *events, struct record_sink *sink)
{
	_cleanup_(bpf_functions) struct bpf_functions functions = {
		.loaded = STRBUF_INIT,
		.id_size = events->nr ? sample_id_size(&events->items[0]->attr) : 0,
	};
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	int code;

	if (!tells_of_programs(events))
		return NULL;
	code = add_programs(&functions);
	if ((code == EPERM || code == EACCES) && samples_kernel(events))
		log_notice("BPF programs that are loaded already have no names in this recording: "
			   "listing them takes CAP_SYS_ADMIN.");
	if (functions.nr)
		name_by_kallsyms(&functions);
	for (size_t i = 0; i < functions.nr && !functions.failed; i++) {
		const struct bpf_function *function = &functions.items[i];
		struct body_ksymbol body = {
			.addr = function->address, .len = function->size,
			.type = PERF_RECORD_KSYMBOL_TYPE_BPF,
		};

		add_bpf_record(&out, PERF_RECORD_KSYMBOL, &body, sizeof(body), function->name,
			       strlen(function->name) + 1, functions.id_size);
	}
	strbuf_add(&out, strbuf_str(&functions.loaded), functions.loaded.len);
	if (functions.failed || out.failed || functions.loaded.failed)
		return &error_no_memory;
	return !out.len ? NULL :
	       record_sink_write(sink, &(struct record_span){ out.data, out.len, UINT32_MAX });
}
