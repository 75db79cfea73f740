/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event formats describe the bytes of a tracepoint's RAW payload.  libtraceevent parses them from
 * format files (of tracefs, or of the tracing data of a recording).  The fields of records are then
 * read with our own getters, which are prepared once per event.
 */
#ifndef KTRACE_FORMAT_EVENT_FORMAT_H
#define KTRACE_FORMAT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/error.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"

struct formats;

/* The encoding of a field. */
enum field_kind {
	FIELD_INTEGER = 0,	/* 1, 2, 4 or 8 bytes; also pointers, enums and bool */
	FIELD_STRING,		/* char x[N]; also unsigned char, as in the kernel's filters */
	FIELD_ARRAY,		/* any other array; bytes */
	FIELD_DYNAMIC_STRING,	/* __data_loc char[] */
	FIELD_DYNAMIC_ARRAY,	/* __data_loc of anything else, also bitmasks and cpumasks */
	FIELD_REL_STRING,	/* __rel_loc char[] */
	FIELD_REL_ARRAY,
};

/* A named value, from __print_flags or __print_symbolic. */
struct field_name {
	uint64_t value;
	const char *name;
};

struct field {
	const char *name;	/* as in the format file */
	const char *type;	/* "unsigned long", "__data_loc char[]" */
	uint32_t offset;	/* bytes from the start of the record */
	uint32_t size;		/* bytes at offset (4 for dynamic ones) */
	uint32_t element_size;	/* of arrays; 0 if not known */
	enum field_kind kind;
	bool is_signed;
	bool is_pointer;
	bool is_common;		/* common_type, common_flags ... */
	bool is_swapped;	/* recorded in the other byte order */

	/* Set if the print fmt shows the field with __print_flags or __print_symbolic. */
	bool is_flags, is_symbolic;
	const char *flag_delimiter;
	const struct field_name *names;
	size_t nr_names;

	/*
	 * The kernel declares arguments of system calls as unsigned and as large as registers,
	 * with any type.  If the type is signed, this is the value: the bytes that the
	 * type has, with their sign.  NULL: the field itself is the value.  Owned.
	 */
	struct field *argument;
};

/* The field as data shows it.  Texts and filters use the field itself, as the kernel does. */
static inline const struct field *field_of_data(const struct field *field)
{
	return field->argument ? field->argument : field;
}

struct event_format {
	uint64_t id;		/* common_type, the tracefs id */
	const char *system, *name;
	struct field *fields;	/* common ones first, then in format order */
	size_t nr_fields, nr_common;
	uint32_t record_size;	/* end of the last fixed field */
	bool print_ok;		/* the print fmt can be evaluated */
	bool print_alone;	/* the text depends on the record alone, not on symbols */
	void *private;		/* of event_format.c */
};

/* Create an empty collection of formats, for a recording or for this machine. */
struct error *formats_create(struct formats **ret);
void formats_destroy(struct formats *formats);
DEFINE_CLEANUP_PTR(formats, struct formats, formats_destroy)

/*
 * Set the byte order and the size of a long of the recording machine.  Call it before
 * formats_add().
 */
void formats_set_target(struct formats *formats, bool big_endian, unsigned int long_size);

/* The page size of the recording machine, bytes; if it is not set, that of this machine. */
void formats_set_page_size(struct formats *formats, uint32_t page_size);
uint32_t formats_page_size(const struct formats *formats);

/* Add the text of one format file.  It is an error if the text cannot be parsed. */
struct error *formats_add(struct formats *formats, const char *system,
			  const char *text, size_t len);

/*
 * Add the texts of kallsyms and printk_formats, which resolve %pS and %s of print fmts.
 * Kallsyms are used only without a resolver.  The text of kallsyms is modified.
 */
struct error *formats_add_kallsyms(struct formats *formats, char *text);
struct error *formats_add_printk(struct formats *formats, const char *text);

/*
 * A resolver of kernel addresses for %pS and similar formats.  It returns the symbol's name and
 * sets *start to the symbol's address.  If it returns NULL, the address is printed as a number.
 * Names must live as long as the collection.
 */
typedef const char *(*formats_resolve_fn)(void *context, uint64_t address, uint64_t *start);
void formats_set_resolver(struct formats *formats, formats_resolve_fn resolve, void *context);

/*
 * Find a format by id or by name.  They return NULL if it is not in the collection.  The
 * result lives as long as the collection.
 */
const struct event_format *formats_find(const struct formats *formats, uint64_t id);
const struct event_format *formats_find_name(const struct formats *formats,
					     const char *system, const char *name);

/* Iterate over all formats, ascending by id. */
size_t formats_count(const struct formats *formats);
const struct event_format *formats_at(const struct formats *formats, size_t index);

/* Find a field by name.  Returns NULL if the event has no such field. */
const struct field *event_format_field(const struct event_format *format, const char *name);

/*
 * Getters for the values of fields.  @raw is the RAW payload of @raw_size bytes.  A field beyond it
 * reads as 0 or as empty, so a hostile file cannot cause a fault.
 */
uint64_t field_u64(const struct field *field, const void *raw, size_t raw_size);

/*
 * Returns the bytes of an array or string, and their number in *ret_len.  NULL: they are outside of
 * the record.  A string ends before its first NUL.
 */
const void *field_bytes(const struct field *field, const void *raw,
			size_t raw_size, size_t *ret_len);

/* Append " name=value ..." for all fields, without the print fmt. */
void event_format_print_fields(const struct event_format *format, const void *raw,
			       size_t raw_size, struct strbuf *out);

/*
 * Append the value of field number @field, without its name, as event_format_print_fields() does.
 */
void event_format_print_field(const struct event_format *format, size_t field, const void *raw,
			      size_t raw_size, struct strbuf *out);

/*
 * The name that __print_symbolic() of the print fmt has for the value of @field in this record, in
 * the branch of "a ? b : c" that applies to the record.  It lives as long as the format.  NULL:
 * there is none.  This is slow: keep the result.
 */
const char *event_format_symbol(const struct event_format *format, const struct field *field,
				const void *raw, size_t raw_size);

/*
 * Append the event's text as perf script prints it: the print fmt applied to the record, or
 * "name=value" pairs if the print fmt cannot be evaluated.  For formats with print_alone,
 * several threads may call this at once, also while formats are added.
 */
void event_format_print(const struct event_format *format, const void *raw,
			size_t raw_size, int cpu, struct strbuf *out);

#endif
