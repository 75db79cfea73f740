// SPDX-License-Identifier: GPL-2.0
#include "format/event_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "format/format_text.h"
#include "format/print.h"
#include "format/print_tree.h"
#include "format/print_value.h"
#include "lib/array.h"
#include "lib/error.h"

/* The kernel strings that fields point to, from tracefs' printk_formats. */

struct printk_formats {
	struct printk_format *items;	/* ascending by address */
	size_t nr, alloc;
};

struct printk_format {
	uint64_t address;
	char *text;
};

static void printk_formats_deinit(struct printk_formats *formats)
{
	array_free_each(formats, .text);
	*formats = (struct printk_formats){ 0 };
}

/* Parse one line up to @end; quotes and a "\n" at its end are not part of the string. */
static struct error *printk_take_line(struct printk_formats *formats, const char *line,
				      const char *end)
{
	struct printk_format item;
	char *colon;

	item.address = strtoull(line, &colon, 16);
	if (colon == line || end - colon < 3 || memcmp(colon, " : ", 3))
		return NULL;
	line = colon + 3;
	if (line < end && *line == '"')
		line++;
	if (line < end && end[-1] == '"')
		end--;
	if (end - line >= 2 && !memcmp(end - 2, "\\n", 2))
		end -= 2;
	item.text = strndup(line, end - line);
	if (!item.text || !array_push(formats, item)) {
		free(item.text);
		return &error_no_memory;
	}
	return NULL;
}

DEFINE_COMPARISON(compare_formats, struct printk_format, array_order(x->address, y->address))

/* Add the lines of the form 'ADDRESS : "TEXT"'; others are ignored. */
static struct error *printk_formats_parse(struct printk_formats *formats, const char *text)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		struct error *err = printk_take_line(formats, text, end);

		if (err)
			return err;
		text = *end ? end + 1 : end;
	}
	array_sort(formats, compare_formats);
	return NULL;
}

/* Returns the string at @address, or NULL if none is known. */
static const char *printk_formats_find(const struct printk_formats *formats, uint64_t address)
{
	const struct printk_format key = { .address = address };
	const struct printk_format *found;

	if (!formats->nr)
		return NULL;
	found = bsearch(&key, formats->items, formats->nr, sizeof(key), compare_formats);
	return found ? found->text : NULL;
}

/* The names in the print fmt for values of fields. */

static struct error *field_take_names(struct field *field, const struct print_name *from)
{
	struct field_name *names = NULL;
	size_t nr = 0, i = 0;

	for (const struct print_name *p = from; p; p = p->next)
		nr++;
	if (!nr || field->names)
		return NULL;
	names = calloc(nr, sizeof(*names));
	if (!names)
		return &error_no_memory;
	for (; from; from = from->next, i++)
		names[i] = (struct field_name){
			from->is_number ? (uint64_t)from->value : UINT64_MAX, from->text,
		};
	field->names = names;
	field->nr_names = nr;
	return NULL;
}

/*
 * Returns the field that an argument of __print_flags or __print_symbolic shows.  For an expression
 * ("REC->prev_state & 0xff") it is the field inside.  NULL: there is none.
 */
static const struct field *shown_field(const struct event_format *format,
				       const struct print_node *node)
{
	const struct field *field = NULL;

	if (!node)
		return NULL;
	switch (node->kind) {
	case PRINT_CAST:
		return shown_field(format, node->a);
	case PRINT_OPERATION:
		field = shown_field(format, node->b);
		return field ? field : shown_field(format, node->a);
	case PRINT_FIELD:
		return event_format_field(format, node->text);
	default:
		return NULL;
	}
}

static struct error *mark(struct event_format *format, const struct print_node *node)
{
	struct error *err = NULL;
	struct field *field;

	if (!node)
		return NULL;
	if (node->kind == PRINT_FLAGS || node->kind == PRINT_SYMBOL) {
		field = (struct field *)shown_field(format, node->a);
		if (!field)
			return NULL;
		if (node->kind == PRINT_FLAGS) {
			field->is_flags = true;
			field->flag_delimiter = node->text;
		} else {
			field->is_symbolic = true;
		}
		return field_take_names(field, node->names);
	}
	err = mark(format, node->a);
	if (!err)
		err = mark(format, node->b);
	return err ? err : mark(format, node->c);
}

/* Fill in the members of the fields from is_flags on.  The strings belong to @tree. */
static struct error *field_names_mark(struct event_format *format, const struct print_tree *tree)
{
	struct error *err = NULL;

	for (const struct print_node *arg = tree->args; arg && !err; arg = arg->next)
		err = mark(format, arg);
	return err;
}

/* The search for a value's name in the tree. */
struct symbol_search {
	const struct print_target *target;
	const struct field *field;
	const struct print_record *record;
};

/* Returns false if the value cannot be computed. */
static bool symbol_evaluate(const struct symbol_search *s, const struct print_node *node,
			    uint64_t *ret)
{
	struct print_value *value = print_value_create(s->target, node);

	if (!value)
		return false;
	*ret = print_value_get(value, s->record);
	print_value_destroy(value);
	return true;
}

static const char *symbol_of(const struct symbol_search *s, const struct print_node *node)
{
	/* A name of -1 matches fields of any size. */
	uint64_t mask = s->field->size < 8 ? (1ULL << 8 * s->field->size) - 1 : UINT64_MAX;
	uint64_t value;

	if (!symbol_evaluate(s, node->a, &value))
		return NULL;
	for (const struct print_name *name = node->names; name; name = name->next)
		if (name->is_number && ((uint64_t)name->value & mask) == (value & mask))
			return name->text;
	return NULL;
}

static const char *symbol_search(const struct symbol_search *s, const struct print_node *node)
{
	const char *found;
	uint64_t chosen;

	if (!node)
		return NULL;
	if (node->kind == PRINT_SYMBOL)
		return shown_field(s->target->format, node->a) == s->field ? symbol_of(s, node) :
			NULL;
	if (node->kind == PRINT_OPERATION && node->op == '?' && node->b) {
		if (!symbol_evaluate(s, node->a, &chosen))
			return NULL;
		return symbol_search(s, chosen ? node->b->a : node->b->b);
	}
	found = symbol_search(s, node->a);
	if (!found)
		found = symbol_search(s, node->b);
	return found ? found : symbol_search(s, node->c);
}

/* As event_format_symbol(). */
static const char *field_symbol_find(const struct print_target *target,
				     const struct print_tree *tree, const struct field *field,
				     const struct print_record *record)
{
	const struct symbol_search s = { target, field, record };
	const char *found = NULL;

	for (const struct print_node *arg = tree->args; arg && !found; arg = arg->next)
		found = symbol_search(&s, arg);
	return found;
}

/* An event_format with its private parts. */
struct format_entry {
	struct event_format format;	/* first: formats_find() returns it */
	struct tep_event *event;
	struct formats *owner;
	struct print_tree *tree;	/* NULL: the print fmt cannot be parsed */
	struct print_program *program;	/* NULL: fields are printed as name=value */
	bool swapped;
};

struct formats {
	struct tep_handle *tep;
	struct format_entry **items;	/* ascending by id */
	size_t nr, alloc;
	struct printk_formats printk;
	bool swapped;
	bool has_kallsyms;
	uint32_t page_size;	/* 0: unknown */
	formats_resolve_fn resolve;
	void *resolve_context;
};

struct error *formats_create(struct formats **ret)
{
	struct formats *formats = calloc(1, sizeof(*formats));

	if (!formats)
		return &error_no_memory;
	formats->tep = tep_alloc();
	if (!formats->tep) {
		free(formats);
		return &error_no_memory;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_local_bigendian(formats->tep, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	formats_set_target(formats, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long));
	*ret = formats;
	return NULL;
}

static void entry_destroy(struct format_entry *entry)
{
	if (!entry)
		return;
	for (size_t i = 0; i < entry->format.nr_fields; i++) {
		free((void *)entry->format.fields[i].names);
		free(entry->format.fields[i].argument);
	}
	free(entry->format.fields);
	print_program_destroy(entry->program);
	print_tree_destroy(entry->tree);
	free(entry);
}

void formats_destroy(struct formats *formats)
{
	if (!formats)
		return;
	for (size_t i = 0; i < formats->nr; i++)
		entry_destroy(formats->items[i]);
	free(formats->items);
	printk_formats_deinit(&formats->printk);
	tep_free(formats->tep);
	free(formats);
}

void formats_set_target(struct formats *formats, bool big_endian, unsigned int long_size)
{
	formats->swapped = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tep_set_file_bigendian(formats->tep, big_endian);
	tep_set_long_size(formats->tep, long_size);
}

void formats_set_page_size(struct formats *formats, uint32_t page_size)
{
	formats->page_size = page_size;
}

uint32_t formats_page_size(const struct formats *formats)
{
	return formats->page_size ? formats->page_size : sysconf(_SC_PAGESIZE);
}

static enum field_kind field_kind_of(const struct tep_format_field *from)
{
	bool is_string = strstr(from->type, "char");

	if (from->flags & TEP_FIELD_IS_DYNAMIC) {
		if (from->flags & TEP_FIELD_IS_RELATIVE)
			return is_string ? FIELD_REL_STRING : FIELD_REL_ARRAY;
		return is_string ? FIELD_DYNAMIC_STRING : FIELD_DYNAMIC_ARRAY;
	}
	if (from->flags & TEP_FIELD_IS_ARRAY)
		return is_string ? FIELD_STRING : FIELD_ARRAY;
	if (from->size != 1 && from->size != 2 && from->size != 4 && from->size != 8)
		return FIELD_ARRAY;
	return FIELD_INTEGER;
}

/* Find the bytes of a system call's argument that are its value, if its type is signed. */
static struct error *field_find_argument(struct field *field, bool big_endian)
{
	static const struct { const char *type; uint32_t size; } types[] = {
		{ "int", 4 }, { "pid_t", 4 }, { "clockid_t", 4 }, { "timer_t", 4 }, { "mqd_t", 4 },
		{ "key_serial_t", 4 }, { "rwf_t", 4 }, { "long", 0 }, { "off_t", 0 },
		{ "loff_t", 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		uint32_t size = types[i].size ? types[i].size : field->size;

		if (strcmp(field->type, types[i].type) || field->kind != FIELD_INTEGER ||
		    field->is_signed || size > field->size)
			continue;
		field->argument = malloc(sizeof(*field));
		if (!field->argument)
			return &error_no_memory;
		*field->argument = *field;
		field->argument->argument = NULL;
		field->argument->is_signed = true;
		field->argument->size = size;
		field->argument->offset += big_endian ? field->size - size : 0;
		break;
	}
	return NULL;
}

static struct error *format_add_fields(struct formats *formats, struct event_format *format,
				       const struct tep_format_field *from, bool is_common)
{
	struct error *err = NULL;

	for (; from; from = from->next) {
		struct field *field;

		if (from->offset < 0 || from->size < 0)
			return error_new(EINVAL, "field %s is outside the record", from->name);
		field = reallocarray(format->fields, format->nr_fields + 1, sizeof(*field));
		if (!field)
			return &error_no_memory;
		format->fields = field;
		field += format->nr_fields++;
		*field = (struct field){
			.name = from->name,
			.type = from->type,
			.offset = from->offset,
			.size = from->size,
			.element_size = from->flags & TEP_FIELD_IS_ARRAY ? from->elementsize : 0,
			.kind = field_kind_of(from),
			.is_signed = from->flags & TEP_FIELD_IS_SIGNED,
			.is_pointer = from->flags & TEP_FIELD_IS_POINTER,
			.is_common = is_common,
			.is_swapped = formats->swapped,
		};
		if (!is_common && !strcmp(format->system, "syscalls"))
			err = field_find_argument(field, tep_is_file_bigendian(formats->tep));
		if (err)
			return err;
		format->nr_common += is_common;
		if (field->offset + field->size > format->record_size)
			format->record_size = field->offset + field->size;
	}
	return NULL;
}

static size_t format_position(const struct formats *formats, uint64_t id)
{
	return array_count_while(formats->nr, i, formats->items[i]->format.id < id);
}

/* Create the program that prints the event; without one, its fields are printed as name=value. */
static struct error *add_program(struct formats *formats, struct format_entry *entry,
				 const char *print_fmt)
{
	const struct print_target target = {
		.format = &entry->format,
		.long_size = tep_get_long_size(formats->tep),
	};
	struct error *err;

	entry->format.print_alone = true;
	entry->tree = print_tree_parse(print_fmt);
	if (!entry->tree)
		return NULL;
	err = field_names_mark(&entry->format, entry->tree);
	if (err)
		return err;
	entry->program = print_program_create(&target, entry->tree);
	entry->format.print_ok = entry->program;
	entry->format.print_alone = !entry->program || print_program_stands_alone(entry->program);
	return NULL;
}

static struct error *create_entry(struct formats *formats, struct tep_event *event,
				  const char *print_fmt, struct format_entry **ret)
{
	struct format_entry *entry = calloc(1, sizeof(*entry));
	struct event_format *format;
	struct error *err;

	if (!entry)
		return &error_no_memory;
	format = &entry->format;
	format->id = event->id;
	format->system = event->system;
	format->name = event->name;
	format->private = entry;
	entry->owner = formats;
	entry->event = event;
	entry->swapped = formats->swapped;
	err = format_add_fields(formats, format, event->format.common_fields, true);
	if (!err)
		err = format_add_fields(formats, format, event->format.fields, false);
	if (!err)
		err = add_program(formats, entry, print_fmt);
	if (err) {
		entry_destroy(entry);
		return err;
	}
	*ret = entry;
	return NULL;
}

static struct error *insert_entry(struct formats *formats, struct format_entry *entry)
{
	size_t at = format_position(formats, entry->format.id);

	if (!array_push(formats, entry))
		return &error_no_memory;
	memmove(&formats->items[at + 1], &formats->items[at],
		(formats->nr - 1 - at) * sizeof(*formats->items));
	formats->items[at] = entry;
	return NULL;
}

/* Returns the format without its print fmt, because libtraceevent must only read the fields. */
static char *fields_text(const char *text, const char *print_fmt)
{
	char *fields;

	return asprintf(&fields, "%.*s\"\"\n", (int)(print_fmt - text), text) < 0 ? NULL : fields;
}

struct error *formats_add(struct formats *formats, const char *system,
			  const char *text, size_t len)
{
	_cleanup_free_ char *copy = NULL, *fields = NULL;
	struct tep_event *event = NULL;
	struct format_entry *entry;
	const char *print_fmt;
	struct error *err;
	uint64_t id;

	copy = strndup(text, len);
	if (!copy)
		return &error_no_memory;
	if (!format_text_is_sound(copy, &id, &print_fmt))
		return error_new(EINVAL, "A format of system %s is damaged", system);
	if (formats_find(formats, id))
		return NULL;
	fields = fields_text(copy, print_fmt);
	if (!fields)
		return &error_no_memory;
	tep_parse_format(formats->tep, &event, fields, strlen(fields), system);
	if (!event || !event->name || (uint64_t)event->id != id)
		return error_new(EINVAL, "The format of the event with id %llu (system %s) "
				 "cannot be parsed", (unsigned long long)id, system);
	err = create_entry(formats, event, print_fmt, &entry);
	if (err)
		return error_prefix(err, "The format of %s:%s", system, event->name);
	err = insert_entry(formats, entry);
	if (err)
		entry_destroy(entry);
	return err;
}

struct error *formats_add_kallsyms(struct formats *formats, char *text)
{
	if (tep_parse_kallsyms(formats->tep, text))
		return error_new(EINVAL, "The list of kernel symbols cannot be parsed");
	formats->has_kallsyms = true;
	return NULL;
}

struct error *formats_add_printk(struct formats *formats, const char *text)
{
	return printk_formats_parse(&formats->printk, text);
}

void formats_set_resolver(struct formats *formats, formats_resolve_fn resolve, void *context)
{
	formats->resolve = resolve;
	formats->resolve_context = context;
}

static const char *format_find_function(void *owner, uint64_t address, uint64_t *start)
{
	struct formats *formats = owner;

	if (formats->resolve)
		return formats->resolve(formats->resolve_context, address, start);
	if (!formats->has_kallsyms)
		return NULL;
	*start = tep_find_function_address(formats->tep, address);
	return tep_find_function(formats->tep, address);
}

static const char *find_text(void *owner, uint64_t address)
{
	struct formats *formats = owner;

	return printk_formats_find(&formats->printk, address);
}

const struct event_format *formats_find(const struct formats *formats, uint64_t id)
{
	size_t at = format_position(formats, id);

	if (at == formats->nr || formats->items[at]->format.id != id)
		return NULL;
	return &formats->items[at]->format;
}

const struct event_format *formats_find_name(const struct formats *formats,
					     const char *system, const char *name)
{
	for (size_t i = 0; i < formats->nr; i++) {
		const struct event_format *format = &formats->items[i]->format;

		if (!strcmp(format->name, name) && !strcmp(format->system, system))
			return format;
	}
	return NULL;
}

size_t formats_count(const struct formats *formats)
{
	return formats->nr;
}

const struct event_format *formats_at(const struct formats *formats, size_t index)
{
	return &formats->items[index]->format;
}

static uint64_t format_load(const void *p, uint32_t size, bool swapped, bool is_signed)
{
	uint64_t value;
	uint32_t word;
	uint16_t half;

	switch (size) {
	case 1:
		return is_signed ? (uint64_t)*(const int8_t *)p : *(const uint8_t *)p;
	case 2:
		memcpy(&half, p, 2);
		if (swapped)
			half = __builtin_bswap16(half);
		return is_signed ? (uint64_t)(int16_t)half : half;
	case 4:
		memcpy(&word, p, 4);
		if (swapped)
			word = __builtin_bswap32(word);
		return is_signed ? (uint64_t)(int32_t)word : word;
	case 8:
		memcpy(&value, p, 8);
		return swapped ? __builtin_bswap64(value) : value;
	default:
		return 0;
	}
}

static bool inside(const struct field *field, size_t raw_size)
{
	return field->size <= raw_size && field->offset <= raw_size - field->size;
}

uint64_t field_u64(const struct field *field, const void *raw, size_t raw_size)
{
	if (!inside(field, raw_size))
		return 0;
	return format_load((const char *)raw + field->offset, field->size, field->is_swapped,
			   field->is_signed && field->kind == FIELD_INTEGER);
}

const void *field_bytes(const struct field *field, const void *raw,
			size_t raw_size, size_t *ret_len)
{
	size_t at = field->offset, len = field->size;
	bool is_string = field->kind == FIELD_STRING;
	uint32_t where;

	*ret_len = 0;
	if (!inside(field, raw_size))
		return NULL;
	if (field->kind >= FIELD_DYNAMIC_STRING) {
		/* A format may claim fewer bytes for the field than the location in it needs. */
		if (raw_size < sizeof(where) || at > raw_size - sizeof(where))
			return NULL;
		where = format_load((const char *)raw + at, 4, field->is_swapped, false);
		is_string = field->kind == FIELD_DYNAMIC_STRING || field->kind == FIELD_REL_STRING;
		if (field->kind >= FIELD_REL_STRING)
			at += 4 + (where & 0xffff);
		else
			at = where & 0xffff;
		len = where >> 16;
		if (at > raw_size || len > raw_size - at)
			return NULL;
	}
	*ret_len = is_string ? strnlen((const char *)raw + at, len) : len;
	return (const char *)raw + at;
}

void event_format_print_fields(const struct event_format *format, const void *raw,
			       size_t raw_size, struct strbuf *out)
{
	const struct format_entry *entry = format->private;
	const struct print_record record = { raw, raw_size, entry->swapped };

	if (!entry->program)
		strbuf_addstr(out, "[FAILED TO PARSE]");
	print_fields_add(entry->event, &record, out);
}

void event_format_print_field(const struct event_format *format, size_t field, const void *raw,
			      size_t raw_size, struct strbuf *out)
{
	const struct format_entry *entry = format->private;
	const struct print_record record = { raw, raw_size, entry->swapped };

	print_fields_add_number(entry->event, field - format->nr_common, &record, out);
}

void event_format_print(const struct event_format *format, const void *raw,
			size_t raw_size, int cpu, struct strbuf *out)
{
	const struct format_entry *entry = format->private;

	const struct print_context context = { format_find_function, find_text, entry->owner };
	const struct print_record record = { raw, raw_size, entry->swapped };

	if (entry->program)
		print_program_run(entry->program, &record, &context, out);
	else
		event_format_print_fields(format, raw, raw_size, out);
}

const char *event_format_symbol(const struct event_format *format, const struct field *field,
				const void *raw, size_t raw_size)
{
	const struct format_entry *entry = format->private;
	const struct print_record record = { raw, raw_size, entry->swapped };
	const struct print_target target = {
		.format = format, .long_size = tep_get_long_size(entry->owner->tep),
	};

	return entry->tree ? field_symbol_find(&target, entry->tree, field, &record) : NULL;
}
