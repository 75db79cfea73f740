// SPDX-License-Identifier: GPL-2.0
#include "attach/btf.h"

#include <linux/btf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "attach/prototype.h"
#include "compat/compat.h"

/* The most types between an argument and the type that it resolves to. */
#define MAX_DEPTH	32

/* For how long after their last use the kernel's own types are kept in memory. */
#define KEEP_SECONDS	10

/* One file of /sys/kernel/btf. */
struct btf_types {
	const struct btf_types *base;	/* types of the kernel; NULL: these are the kernel's */
	void *file;
	const void *types;
	const char *strings;
	u32 types_len, strings_len;
	u32 first_id, first_string;	/* smaller ones belong to the base */
	u32 nr;
	u32 *offsets;			/* offsets into types, by id - first_id */
	u32 *tracepoints;		/* ids of the typedefs whose names begin with PREFIX */
	u32 nr_tracepoints;
};

/* The kernel's headers declare such a typedef for each tracepoint with an event. */
#define PREFIX	"btf_trace_"

static void forget_kernel(struct work_struct *work);

static DEFINE_MUTEX(kernel_lock);
static struct btf_types *kernel_types;
static DECLARE_DELAYED_WORK(forget_work, forget_kernel);

static const struct btf_type *type_of(const struct btf_types *btf, u32 id)
{
	if (id < btf->first_id)
		return btf->base ? type_of(btf->base, id) : NULL;
	if (id - btf->first_id >= btf->nr)
		return NULL;
	return btf->types + btf->offsets[id - btf->first_id];
}

static const char *string_of(const struct btf_types *btf, u32 offset)
{
	if (offset < btf->first_string)
		return btf->base ? string_of(btf->base, offset) : "";
	/* The strings end in a NUL, as parse_header() has checked. */
	return offset - btf->first_string < btf->strings_len ?
	       btf->strings + offset - btf->first_string : "";
}

/* The bytes that follow a type of this kind.  Negative: the kind is not known. */
static int bytes_behind(const struct btf_type *type)
{
	u32 vlen = btf_type_vlen(type);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	default:
		return -1;
	}
}

static bool is_tracepoint(const struct btf_types *btf, const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info) == BTF_KIND_TYPEDEF &&
	       str_has_prefix(string_of(btf, type->name_off), PREFIX);
}

/* Counts the types and tracepoints.  Where @btf has arrays for them, stores their positions. */
static bool walk(struct btf_types *btf)
{
	const struct btf_type *type;
	u32 at = 0;
	int behind;

	btf->nr = 0;
	btf->nr_tracepoints = 0;
	while (at < btf->types_len) {
		type = btf->types + at;
		if (btf->types_len - at < sizeof(*type))
			return false;
		behind = bytes_behind(type);
		if (behind < 0 || btf->types_len - at - sizeof(*type) < behind)
			return false;
		if (btf->offsets)
			btf->offsets[btf->nr] = at;
		if (is_tracepoint(btf, type)) {
			if (btf->tracepoints)
				btf->tracepoints[btf->nr_tracepoints] = btf->first_id + btf->nr;
			btf->nr_tracepoints++;
		}
		btf->nr++;
		at += sizeof(*type) + behind;
	}
	return true;
}

/*
 * The writer of a file chooses the length of its header.  Newer kernels know a longer header, but
 * their files can have this one, as older programs write them.
 */
#define HEADER_LEN	offsetofend(struct btf_header, str_len)

static bool parse_header(struct btf_types *btf, size_t size)
{
	const struct btf_header *header = btf->file;

	if (size < HEADER_LEN || size > INT_MAX || header->magic != BTF_MAGIC ||
	    header->hdr_len < HEADER_LEN || header->hdr_len > size)
		return false;
	size -= header->hdr_len;
	if (header->type_off % 4 || header->type_off > size ||
	    header->type_len > size - header->type_off || header->str_off > size ||
	    header->str_len > size - header->str_off || !header->str_len)
		return false;
	btf->types = btf->file + header->hdr_len + header->type_off;
	btf->types_len = header->type_len;
	btf->strings = btf->file + header->hdr_len + header->str_off;
	btf->strings_len = header->str_len;
	return !btf->strings[btf->strings_len - 1];
}

static void free_types(struct btf_types *btf)
{
	if (!btf)
		return;
	kvfree(btf->offsets);
	kvfree(btf->tracepoints);
	vfree(btf->file);
	kfree(btf);
}

/* Indexes a file of @size bytes. */
static bool index_types(struct btf_types *btf, size_t size)
{
	btf->first_id = btf->base ? btf->base->first_id + btf->base->nr : 1;
	btf->first_string = btf->base ? btf->base->strings_len : 0;
	if (!parse_header(btf, size) || !walk(btf))
		return false;
	btf->offsets = kvmalloc_array(btf->nr, sizeof(*btf->offsets), GFP_KERNEL);
	btf->tracepoints = kvmalloc_array(btf->nr_tracepoints, sizeof(*btf->tracepoints),
					  GFP_KERNEL);
	if (!btf->offsets || !btf->tracepoints)
		return false;
	walk(btf);
	return true;
}

/*
 * The first process, not init_task: in newer kernels the kernel's own threads see an empty file
 * system, and init_task is the first of them.
 */
static bool root_of_first_process(struct path *ret)
{
	struct task_struct *task;
	bool there;

	rcu_read_lock();
	task = READ_ONCE(init_pid_ns.child_reaper);
	task_lock(task);
	there = task->fs;
	if (there)
		get_fs_root(task->fs, ret);
	task_unlock(task);
	rcu_read_unlock();
	return there;
}

/*
 * Reads a whole file into memory that the caller frees with vfree().  The path is resolved in the
 * view of the first process, because the caller may see another file under this name.
 */
static int read_file(const char *path, void **ret, size_t *ret_size)
{
	ssize_t got = -ENOMEM;
	struct file *file;
	struct path root;
	loff_t size, at;
	void *bytes;

	if (!root_of_first_process(&root))
		return -ENOENT;
	file = file_open_root(&root, path, O_RDONLY, 0);
	path_put(&root);
	if (IS_ERR(file))
		return PTR_ERR(file);

	size = i_size_read(file_inode(file));
	bytes = size > 0 && size < INT_MAX ? vmalloc(size) : NULL;
	for (at = 0; bytes && at < size; ) {
		got = kernel_read(file, bytes + at, size - at, &at);
		if (got <= 0)
			break;
	}
	fput(file);
	if (!bytes || at < size) {
		vfree(bytes);
		return got < 0 ? got : -EIO;
	}
	*ret = bytes;
	*ret_size = size;
	return 0;
}

/* Returns NULL if there are no such types, or if we do not understand them. */
static struct btf_types *read_types(const char *name, const struct btf_types *base)
{
	struct btf_types *btf;
	int err = -ENOMEM;
	size_t size;
	char *path;

	btf = kzalloc(sizeof(*btf), GFP_KERNEL);
	path = kasprintf(GFP_KERNEL, "/sys/kernel/btf/%s", name);
	if (btf && path)
		err = read_file(path, &btf->file, &size);
	kfree(path);
	if (err)
		goto err_free;

	btf->base = base;
	if (!index_types(btf, size))
		goto err_free;
	return btf;

err_free:
	free_types(btf);
	return NULL;
}

static void put_type(struct ktrace_prototype *to, const struct btf_types *btf, u32 id, u32 depth);

static void put_function(struct ktrace_prototype *to, const struct btf_types *btf,
			 const struct btf_type *type, u32 depth)
{
	const struct btf_param *params = (const void *)(type + 1);
	u32 i;

	ktrace_prototype_put(to, "(", 1);
	put_type(to, btf, type->type, depth);
	ktrace_prototype_put(to, ";", 1);
	for (i = 0; i < btf_type_vlen(type); i++) {
		put_type(to, btf, params[i].type, depth);
		ktrace_prototype_put(to, ",", 1);
	}
	ktrace_prototype_put(to, ")", 1);
}

static void put_named(struct ktrace_prototype *to, const char *kind, const char *name)
{
	/* Two types without names could not be distinguished. */
	to->failed |= !*name;
	ktrace_prototype_put(to, kind, strlen(kind));
	ktrace_prototype_put(to, name, strlen(name));
}

static void put_type(struct ktrace_prototype *to, const struct btf_types *btf, u32 id, u32 depth)
{
	const struct btf_type *type;
	const char *name;

	for (; id; id = type->type) {
		type = type_of(btf, id);
		if (!type || ++depth > MAX_DEPTH) {
			to->failed = true;
			return;
		}
		name = string_of(btf, type->name_off);
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			continue;
		case BTF_KIND_PTR:
			ktrace_prototype_put(to, "*", 1);
			continue;
		case BTF_KIND_TYPEDEF:
			put_named(to, "", name);
			return;
		case BTF_KIND_STRUCT:
			put_named(to, "struct ", name);
			return;
		case BTF_KIND_UNION:
			put_named(to, "union ", name);
			return;
		case BTF_KIND_FWD:
			put_named(to, BTF_INFO_KFLAG(type->info) ? "union " : "struct ",
				  name);
			return;
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			put_named(to, "enum ", name);
			return;
		case BTF_KIND_INT:
		case BTF_KIND_FLOAT:
			ktrace_prototype_put_number(to, name, strlen(name));
			return;
		case BTF_KIND_FUNC_PROTO:
			put_function(to, btf, type, depth);
			return;
		default:
			to->failed = true;
			return;
		}
	}
	ktrace_prototype_put(to, "void", 4);
}

/*
 * Puts the arguments of the function that typedef @id points to, except for the first one, which is
 * the probe's data.
 */
static void put_tracepoint(struct ktrace_prototype *to, const struct btf_types *btf, u32 id)
{
	const struct btf_type *type = type_of(btf, id);
	const struct btf_param *params;
	u32 i;

	type = type_of(btf, type->type);
	if (type && BTF_INFO_KIND(type->info) == BTF_KIND_PTR)
		type = type_of(btf, type->type);
	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO) {
		to->failed = true;
		return;
	}
	params = (const void *)(type + 1);
	for (i = 1; i < btf_type_vlen(type); i++) {
		put_type(to, btf, params[i].type, 0);
		ktrace_prototype_put(to, ",", 1);
	}
}

/* Returns the id of the tracepoint's typedef; 0: there is none. */
static u32 find_tracepoint(const struct btf_types *btf, const char *name)
{
	const struct btf_type *type;
	u32 i;

	for (i = 0; i < btf->nr_tracepoints; i++) {
		type = type_of(btf, btf->tracepoints[i]);
		if (!strcmp(string_of(btf, type->name_off) + strlen(PREFIX), name))
			return btf->tracepoints[i];
	}
	return 0;
}

/* Returns the array or the function that typedef @type resolves to; NULL: it is neither. */
static const struct btf_type *passed_by_address(const struct btf_types *btf,
						const struct btf_type *type)
{
	u32 depth;

	for (depth = 0; type && depth < MAX_DEPTH; depth++) {
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
			type = type_of(btf, type->type);
			break;
		case BTF_KIND_ARRAY:
		case BTF_KIND_FUNC_PROTO:
			return type;
		default:
			return NULL;
		}
	}
	return NULL;
}

static bool put_passed(struct ktrace_prototype *to, const char *name, u32 len, const void *types)
{
	const struct btf_types *btf;
	const struct btf_type *type;
	const char *its_name;
	u32 i;

	for (btf = types; btf; btf = btf->base) {
		for (i = 0; i < btf->nr; i++) {
			type = btf->types + btf->offsets[i];
			if (BTF_INFO_KIND(type->info) != BTF_KIND_TYPEDEF)
				continue;
			its_name = string_of(btf, type->name_off);
			if (strncmp(its_name, name, len) || its_name[len])
				continue;
			type = passed_by_address(btf, type);
			if (!type)
				continue;
			ktrace_prototype_put(to, "*", 1);
			if (BTF_INFO_KIND(type->info) == BTF_KIND_ARRAY)
				put_type(to, btf, ((const struct btf_array *)(type + 1))->type, 0);
			else
				ktrace_prototype_put(to, name, len);
			return true;
		}
	}
	return false;
}

/* Are they equal, if @passed resolves typedefs? */
static bool is_same(const struct ktrace_prototype *theirs, struct ktrace_prototype *ours,
		    const char *proto, ktrace_prototype_passed passed, const void *types)
{
	ktrace_prototype_init(ours);
	ktrace_prototype_parse(ours, proto, passed, types);
	return !ours->failed && !strcmp(ours->text, theirs->text);
}

static enum ktrace_btf_answer compare(const struct btf_types *btf, const char *name,
				      const char *proto)
{
	enum ktrace_btf_answer answer = KTRACE_BTF_UNKNOWN;
	struct ktrace_prototype *ours, *theirs;
	u32 id = find_tracepoint(btf, name);

	ours = kmalloc(sizeof(*ours), GFP_KERNEL);
	theirs = kmalloc(sizeof(*theirs), GFP_KERNEL);
	if (id && ours && theirs) {
		ktrace_prototype_init(theirs);
		put_tracepoint(theirs, btf, id);
		/* Searching for typedefs takes long, and hardly any needs it. */
		if (!theirs->failed && (is_same(theirs, ours, proto, NULL, NULL) ||
					is_same(theirs, ours, proto, put_passed, btf)))
			answer = KTRACE_BTF_SAME;
		else if (!theirs->failed && !ours->failed)
			answer = KTRACE_BTF_OTHER;
	}
	kfree(theirs);
	kfree(ours);
	return answer;
}

enum ktrace_btf_answer ktrace_btf_compare(const struct module *module, const char *name,
					  const char *proto)
{
	enum ktrace_btf_answer answer = KTRACE_BTF_UNKNOWN;
	struct btf_types *of_module;

	mutex_lock(&kernel_lock);
	if (!kernel_types)
		kernel_types = read_types("vmlinux", NULL);
	if (kernel_types && module) {
		of_module = read_types(module->name, kernel_types);
		if (of_module)
			answer = compare(of_module, name, proto);
		free_types(of_module);
	} else if (kernel_types) {
		answer = compare(kernel_types, name, proto);
	}
	/*
	 * The types take some MB, but a caller that queries one event is likely to query more.
	 */
	if (kernel_types)
		mod_delayed_work(system_percpu_wq, &forget_work, KEEP_SECONDS * HZ);
	mutex_unlock(&kernel_lock);
	return answer;
}

static void forget_kernel(struct work_struct *work)
{
	mutex_lock(&kernel_lock);
	free_types(kernel_types);
	kernel_types = NULL;
	mutex_unlock(&kernel_lock);
}

void ktrace_btf_exit(void)
{
	cancel_delayed_work_sync(&forget_work);
	free_types(kernel_types);
	kernel_types = NULL;
}
