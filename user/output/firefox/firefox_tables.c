// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "output/firefox/firefox.h"

/* The number of bytes of a build id that Breakpad uses. */
#define BREAKPAD_BYTES	16

struct firefox_frame {
	uint64_t address;	/* in the binary; 0: unknown */
	int32_t function;	/* a number in functions */
	enum firefox_category category;
	bool inlined;
};

/* A function is another one in another binary. */
struct firefox_function {
	int32_t name;		/* a text */
	int32_t binary;		/* a number in binaries; -1: not known */
};

struct firefox_tables {
	struct firefox_file *file;
	struct sample_stacks *stacks;
	ARRAY_OF(struct firefox_frame) frames;
	ARRAY_OF(uint32_t) by_place;	/* by number of a place: its frame + 1; 0: none yet */
	struct dictionary *functions;	/* of struct firefox_function */
	struct dictionary *binaries;	/* of const struct dso * */
	ARRAY_OF(int32_t) names;	/* by binary: a text */
};

static struct error *find_table_number(struct dictionary *dictionary, const void *key, size_t size,
				       int32_t *ret)
{
	*ret = dictionary_number(dictionary, key, size);
	return *ret < 0 ? &error_no_memory : NULL;
}

static struct error *find_firefox_binary(struct firefox_tables *t, const struct dso *dso,
					 int32_t *ret)
{
	struct error *err;
	int32_t name;

	*ret = -1;
	if (!dso)
		return NULL;
	err = find_table_number(t->binaries, &dso, sizeof(dso), ret);
	if (err || (size_t)*ret < t->names.nr)
		return err;
	err = firefox_find_text(t->file, dso->short_name, strlen(dso->short_name), &name);
	if (!err && !array_push(&t->names, name))
		err = &error_no_memory;
	return err;
}

static struct error *add_firefox_frame(struct firefox_tables *t, uint32_t stack)
{
	struct firefox_function function;
	struct firefox_frame frame;
	struct stack_frame found;
	struct error *err;

	sample_stacks_frame(t->stacks, stack, &found);
	frame = (struct firefox_frame){
		.address = found.unknown ? found.address : 0, .inlined = found.inlined,
		.category = found.kernel ? FIREFOX_KERNEL : FIREFOX_USER,
	};
	err = find_firefox_binary(t, found.dso, &function.binary);
	if (!err)
		err = firefox_find_text(t->file, found.name, strlen(found.name), &function.name);
	if (!err)
		err = find_table_number(t->functions, &function, sizeof(function), &frame.function);
	if (!err && !array_push(&t->frames, frame))
		err = &error_no_memory;
	return err;
}

static struct error *add_firefox_frames(struct firefox_tables *t)
{
	struct error *err = NULL;

	for (uint32_t i = 1; !err && i < sample_stacks_end(t->stacks); i++) {
		uint32_t place = sample_stacks_place(t->stacks, i);

		if (!array_at(&t->by_place, place, 0))
			return &error_no_memory;
		if (t->by_place.items[place])
			continue;
		err = add_firefox_frame(t, i);
		t->by_place.items[place] = t->frames.nr;
	}
	return err;
}

static struct firefox_function function_at(const struct firefox_tables *t, int32_t number)
{
	struct firefox_function function;
	size_t len;

	memcpy(&function, dictionary_text(t->functions, number, &len), sizeof(function));
	return function;
}

static const struct dso *binary_at(const struct firefox_tables *t, int32_t number)
{
	const struct dso *dso;
	size_t len;

	memcpy(&dso, dictionary_text(t->binaries, number, &len), sizeof(dso));
	return dso;
}

/*
 * Breakpad reads the id as a number of 32 bits, two of 16 and bytes, which it prints, and a 0 for
 * the age.  Without an id all are 0.
 */
static void add_breakpad_id(struct json_writer *json, const struct build_id *id)
{
	static const uint8_t order[BREAKPAD_BYTES] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15,
	};
	char text[2 * BREAKPAD_BYTES + 2];

	for (size_t i = 0; i < BREAKPAD_BYTES; i++)
		snprintf(text + 2 * i, 4, "%02X0", order[i] < id->size ? id->bytes[order[i]] : 0);
	json_add_text(json, "breakpadId", text);
}

static void write_firefox_binaries(struct firefox_tables *t, const char *arch)
{
	struct json_writer *json = &t->file->json;
	char code_id[BUILD_ID_TEXT];

	json_begin_array(json, "libs");
	for (size_t i = 0; i < dictionary_nr(t->binaries); i++) {
		const struct dso *dso = binary_at(t, i);

		build_id_text(&dso->id, code_id);
		json_begin_row(json, NULL);
		json_add_text(json, "arch", arch ? arch : "");
		json_add_text(json, "name", dso->short_name);
		json_add_text(json, "path", dso->name);
		json_add_text(json, "debugName", dso->short_name);
		json_add_text(json, "debugPath", dso->name);
		add_breakpad_id(json, &dso->id);
		json_add_text(json, "codeId", dso->id.size ? code_id : NULL);
		json_end_object(json);
	}
	json_end_array(json);
}

static struct error *write_string_array(struct firefox_tables *t)
{
	struct json_writer *json = &t->file->json;
	struct error *err = NULL;

	json_begin_array(json, "stringArray");
	for (size_t i = 0; !err && i < dictionary_nr(t->file->strings); i++) {
		size_t len;
		const char *text = dictionary_text(t->file->strings, i, &len);

		json_add_bytes(json, NULL, text, len);
		err = stream_write(&t->file->stream);
	}
	json_end_array(json);
	return err;
}

static struct error *write_stack_table(struct firefox_tables *t)
{
	struct json_writer *json = &t->file->json;
	uint32_t end = sample_stacks_end(t->stacks);
	struct error *err = NULL;

	json_begin_row(json, "stackTable");
	json_add_unsigned(json, "length", end - 1);
	json_begin_array(json, "frame");
	for (uint32_t i = 1; !err && i < end; i++) {
		uint32_t place = sample_stacks_place(t->stacks, i);

		json_add_unsigned(json, NULL, t->by_place.items[place] - 1);
		err = stream_write(&t->file->stream);
	}
	json_end_array(json);
	json_begin_array(json, "prefix");
	for (uint32_t i = 1; !err && i < end; i++) {
		uint32_t caller = sample_stacks_caller(t->stacks, i);

		if (caller == SAMPLE_STACK_NONE)
			json_add_null(json, NULL);
		else
			json_add_unsigned(json, NULL, caller - 1);
		err = stream_write(&t->file->stream);
	}
	json_end_array(json);
	json_end_object(json);
	return err;
}

/* A column whose values are all the same, or not known. */
static void add_nulls(struct json_writer *json, const char *name, size_t nr)
{
	json_begin_array(json, name);
	while (nr--)
		json_add_null(json, NULL);
	json_end_array(json);
}

static void add_equal_numbers(struct json_writer *json, const char *name, size_t nr,
			      uint64_t number)
{
	json_begin_array(json, name);
	while (nr--)
		json_add_unsigned(json, NULL, number);
	json_end_array(json);
}

static void add_falses(struct json_writer *json, const char *name, size_t nr)
{
	json_begin_array(json, name);
	while (nr--)
		json_add_bool(json, NULL, false);
	json_end_array(json);
}

/* A column of integers; in @number, i is the row. */
#define ADD_COLUMN(json, name, nr, number)			\
	do {							\
		json_begin_array(json, name);			\
		for (size_t i = 0; i < (nr); i++)		\
			json_add_signed(json, NULL, number);	\
		json_end_array(json);				\
	} while (0)

static void write_frame_table(struct firefox_tables *t)
{
	struct json_writer *json = &t->file->json;
	size_t nr = t->frames.nr;

	json_begin_row(json, "frameTable");
	json_add_unsigned(json, "length", nr);
	json_begin_array(json, "address");
	for (size_t i = 0; i < nr; i++)
		if (t->frames.items[i].address)
			json_add_unsigned(json, NULL, t->frames.items[i].address);
		else
			json_add_signed(json, NULL, -1);
	json_end_array(json);
	ADD_COLUMN(json, "inlineDepth", nr, t->frames.items[i].inlined);
	ADD_COLUMN(json, "category", nr, t->frames.items[i].category);
	add_equal_numbers(json, "subcategory", nr, 0);
	ADD_COLUMN(json, "func", nr, t->frames.items[i].function);
	add_nulls(json, "nativeSymbol", nr);
	add_nulls(json, "innerWindowID", nr);
	add_nulls(json, "line", nr);
	add_nulls(json, "column", nr);
	json_end_object(json);
}

static void write_function_table(struct firefox_tables *t)
{
	struct json_writer *json = &t->file->json;
	size_t nr = dictionary_nr(t->functions);

	json_begin_row(json, "funcTable");
	json_add_unsigned(json, "length", nr);
	ADD_COLUMN(json, "name", nr, function_at(t, i).name);
	add_falses(json, "isJS", nr);
	add_falses(json, "relevantForJS", nr);
	ADD_COLUMN(json, "resource", nr, function_at(t, i).binary);
	add_nulls(json, "source", nr);
	add_nulls(json, "lineNumber", nr);
	add_nulls(json, "columnNumber", nr);
	json_end_object(json);
}

/* Each binary is a resource of type 1, a library, of the same number. */
static void write_resource_table(struct firefox_tables *t)
{
	struct json_writer *json = &t->file->json;

	json_begin_row(json, "resourceTable");
	json_add_unsigned(json, "length", t->names.nr);
	ADD_COLUMN(json, "lib", t->names.nr, i);
	ADD_COLUMN(json, "name", t->names.nr, t->names.items[i]);
	add_nulls(json, "host", t->names.nr);
	add_equal_numbers(json, "type", t->names.nr, 1);
	json_end_object(json);
}

/* Names are known already, and source files are not looked up. */
static void write_empty_table(struct json_writer *json, const char *name,
			      const char *const *columns)
{
	json_begin_row(json, name);
	json_add_unsigned(json, "length", 0);
	for (; *columns; columns++) {
		json_begin_array(json, *columns);
		json_end_array(json);
	}
	json_end_object(json);
}

static struct error *write_shared_tables(struct firefox_tables *t, const char *arch)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize", NULL };
	static const char *const sources[] = { "uuid", "filename", NULL };
	struct json_writer *json = &t->file->json;
	struct error *err;

	write_firefox_binaries(t, arch);
	json_begin_object(json, "shared");
	err = write_string_array(t);
	if (!err)
		err = write_stack_table(t);
	write_frame_table(t);
	write_function_table(t);
	write_resource_table(t);
	write_empty_table(json, "nativeSymbols", symbols);
	write_empty_table(json, "sources", sources);
	json_end_object(json);
	return err ? err : stream_write(&t->file->stream);
}

struct error *firefox_tables_write(struct firefox_file *file, struct sample_stacks *stacks,
				   const char *arch)
{
	struct firefox_tables t = { .file = file, .stacks = stacks };
	struct error *err = dictionary_create(&t.functions);

	if (!err)
		err = dictionary_create(&t.binaries);
	if (!err)
		err = add_firefox_frames(&t);
	if (!err)
		err = write_shared_tables(&t, arch);
	dictionary_destroy(t.functions);
	dictionary_destroy(t.binaries);
	free(t.frames.items);
	free(t.by_place.items);
	free(t.names.items);
	return err;
}
