// SPDX-License-Identifier: GPL-2.0
#include "check/lint/class_layout.h"

#include "lib/library.h"

#ifdef HAVE_BPF

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "lib/array.h"

#define PREFIX "trace_event_raw_"

/* The kernel's headers declare such a typedef, a pointer to the probe, for each tracepoint. */
#define TRACEPOINT_PREFIX "btf_trace_"

/* One struct trace_event_raw_<class>. */
struct class {
	const char *name;	/* the part behind the prefix; belongs to the BTF */
	const struct btf *btf;
	const struct btf_type *type;
};

struct class_layout {
	ARRAY_OF(struct btf *) btfs;
	ARRAY_OF(struct class) classes;	/* by name */
	/* Names of tracepoints that take a va_list; they belong to the BTF. */
	ARRAY_OF(const char *) va_lists;
};

void class_layout_close(struct class_layout *layout)
{
	if (!layout)
		return;
	/*
	 * The BTF of modules refers to the kernel's, which is the first, so it is freed last.
	 */
	while (layout->btfs.nr)
		btf__free(layout->btfs.items[--layout->btfs.nr]);
	free(layout->btfs.items);
	free(layout->classes.items);
	free(layout->va_lists.items);
	free(layout);
}

static const struct btf_type *skip_qualifiers(const struct btf *btf, unsigned int id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && btf_is_mod(type))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* Where a va_list is an array, it is passed as a pointer to the structure in it. */
static bool is_va_list(const struct btf *btf, unsigned int id)
{
	const struct btf_type *type = skip_qualifiers(btf, id);
	const char *name = "va_list";

	if (type && btf_is_ptr(type)) {
		type = skip_qualifiers(btf, type->type);
		name = "__va_list_tag";
	}
	return type && !strcmp(btf__name_by_offset(btf, type->name_off), name);
}

static bool takes_va_list(const struct btf *btf, const struct btf_type *type)
{
	type = btf__type_by_id(btf, type->type);
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	/* The first argument is the probe's data. */
	for (int i = 1; type && btf_is_func_proto(type) && i < btf_vlen(type); i++)
		if (is_va_list(btf, btf_params(type)[i].type))
			return true;
	return false;
}

/* Returns the rest of @name behind @prefix; NULL: it has another beginning. */
static const char *behind(const char *name, const char *prefix)
{
	return name && !strncmp(name, prefix, strlen(prefix)) ? name + strlen(prefix) : NULL;
}

/* Add the types of @btf from type @first on; the layout owns @btf from now on. */
static struct error *add_btf(struct class_layout *layout, struct btf *btf, unsigned int first)
{
	if (!array_push(&layout->btfs, btf)) {
		btf__free(btf);
		return &error_no_memory;
	}
	for (unsigned int id = first; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf__name_by_offset(btf, type->name_off);
		struct class class = { behind(name, PREFIX), btf, type };
		const char *tracepoint = behind(name, TRACEPOINT_PREFIX);

		if (btf_is_struct(type) && class.name && !array_push(&layout->classes, class))
			return &error_no_memory;
		if (btf_is_typedef(type) && tracepoint && takes_va_list(btf, type) &&
		    !array_push(&layout->va_lists, tracepoint))
			return &error_no_memory;
	}
	return NULL;
}

static int no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static struct error *add_modules(struct class_layout *layout)
{
	struct btf *kernel = layout->btfs.items[0];
	DIR *dir = opendir("/sys/kernel/btf");
	struct error *err = NULL;
	struct dirent *entry;

	while (dir && !err && (entry = readdir(dir))) {
		struct btf *btf;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		btf = btf__load_module_btf(entry->d_name, kernel);
		if (btf)
			err = add_btf(layout, btf, btf__type_cnt(kernel));
	}
	if (dir)
		closedir(dir);
	return err;
}

DEFINE_COMPARISON(compare_classes, struct class, strcmp(x->name, y->name))

struct error *class_layout_open(const char *path, struct class_layout **ret)
{
	_cleanup_(class_layout) struct class_layout *layout = calloc(1, sizeof(*layout));
	struct error *err;
	struct btf *btf;

	if (!layout)
		return &error_no_memory;
	libbpf_set_print(no_print);
	btf = path ? btf__parse(path, NULL) : btf__load_vmlinux_btf();
	if (!btf && path)
		return error_errno(errno, "Cannot read the BTF in %s", path);
	if (!btf)
		return error_errno(ENOENT, "This kernel has no BTF");
	err = add_btf(layout, btf, 1);
	if (!err && !path)
		err = add_modules(layout);
	if (err)
		return err;
	if (layout->classes.nr)
		qsort(layout->classes.items, layout->classes.nr, sizeof(struct class),
		      compare_classes);
	*ret = take_ptr(layout);
	return NULL;
}

/*
 * Find the member for @field; those of dynamic fields are named after their location; NULL:
 * none.
 */
static const struct btf_member *find_member(const struct class *class, const struct field *field)
{
	static const char *const prefixes[] = { "", "__data_loc_", "__rel_loc_" };
	const char *prefix = prefixes[field->kind >= FIELD_REL_STRING ? 2 :
				      field->kind >= FIELD_DYNAMIC_STRING ? 1 : 0];
	size_t len = strlen(prefix);

	for (int i = 0; i < btf_vlen(class->type); i++) {
		const struct btf_member *member = btf_members(class->type) + i;
		const char *name = btf__name_by_offset(class->btf, member->name_off);

		if (!strncmp(name, prefix, len) && !strcmp(name + len, field->name))
			return member;
	}
	return NULL;
}

/* Count the members that are fields: all but the common ones and the dynamic data. */
static size_t count_members(const struct class *class)
{
	size_t nr = 0;

	for (int i = 0; i < btf_vlen(class->type); i++) {
		const char *name = btf__name_by_offset(class->btf,
						       btf_members(class->type)[i].name_off);

		nr += strcmp(name, "ent") && strcmp(name, "__data");
	}
	return nr;
}

static bool has_same_names(const struct class *class, const struct event_format *format)
{
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		if (!find_member(class, &format->fields[i]))
			return false;
	return count_members(class) == format->nr_fields - format->nr_common;
}

static uint32_t member_offset(const struct btf_member *member)
{
	return BTF_MEMBER_BIT_OFFSET(member->offset) / 8;
}

static bool is_same_member(const struct class *class, const struct field *field)
{
	const struct btf_member *member = find_member(class, field);

	return member && member_offset(member) == field->offset &&
		btf__resolve_size(class->btf, member->type) == field->size;
}

static bool is_layout_of(const struct class *class, const struct event_format *format)
{
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		if (!is_same_member(class, &format->fields[i]))
			return false;
	return true;
}

/* Find the class of a format; NULL: it is not known. */
static const struct class *find_class(const struct class_layout *layout,
				      const struct event_format *format)
{
	const struct class *named = NULL;

	for (size_t i = 0; i < layout->classes.nr; i++) {
		const struct class *class = &layout->classes.items[i];
		bool is_named = !strcmp(class->name, format->name);

		if ((is_named || has_same_names(class, format)) && is_layout_of(class, format))
			return class;
		if (is_named)
			named = class;
	}
	/* Any other class that differs belongs to other events. */
	return named;
}

/* An event is called like its tracepoint. */
static void check_arguments(const struct class_layout *layout, struct subject *s)
{
	for (size_t i = 0; i < layout->va_lists.nr; i++)
		if (!strcmp(layout->va_lists.items[i], s->format->name)) {
			find_at(s, RULE_VA_LIST_ARGUMENT, NULL, NO_PLACE,
				"TP_PROTO() has a va_list: on x86-64 and others, only the first "
				"capture of a firing can read it");
			return;
		}
}

void class_layout_check(const struct class_layout *layout, struct subject *s)
{
	const struct class *class;

	if (!s->format || s->is_generated)
		return;
	check_arguments(layout, s);
	if (s->format->nr_fields == s->format->nr_common)
		return;
	class = find_class(layout, s->format);
	s->results->compared += class != NULL;
	for (size_t i = s->format->nr_common; class && i < s->format->nr_fields; i++) {
		const struct field *field = &s->format->fields[i];
		const struct btf_member *member;

		if (is_same_member(class, field))
			continue;
		member = find_member(class, field);
		if (!member)
			find_field(s, RULE_LAYOUT_DIFFERS, field,
				   "%s is no member of struct " PREFIX "%s", field->name,
				   class->name);
		else
			find_field(s, RULE_LAYOUT_DIFFERS, field,
				   "%s has %u bytes at offset %u in the format, %lld at %u in "
				   "struct " PREFIX "%s", field->name, field->size, field->offset,
				   (long long)btf__resolve_size(class->btf, member->type),
				   member_offset(member), class->name);
	}
}

#else /* !HAVE_BPF: nothing but open() is ever called */

struct error *class_layout_open(const char *path, struct class_layout **ret)
{
	return library_missing(LIBRARY_BPF);
}

void class_layout_close(struct class_layout *layout)
{
}

void class_layout_check(const struct class_layout *layout, struct subject *subject)
{
}

#endif
