// SPDX-License-Identifier: GPL-2.0
#include "perfdata/tracing_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/file.h"

/* Without the NUL of a string. */
static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* Split "system:name", perhaps followed by modifiers, in two; false: the text has another form. */
static bool split_name(const char *text, struct tracepoint_name *ret)
{
	const char *colon = strchr(text, ':');

	if (!colon)
		return false;
	ret->system = strndup(text, colon - text);
	ret->name = strndup(colon + 1, strcspn(colon + 1, ":"));
	return ret->system && ret->name;
}

static struct error *find_by_id(uint64_t id, struct tracepoint_name *ret)
{
	_cleanup_(tracepoint_names) struct tracepoint_names all = { 0 };
	struct error *err;

	err = tracefs_find("*", "*", &all);
	if (err)
		return err;
	for (size_t i = 0; i < all.nr; i++) {
		uint64_t found;

		err = tracefs_event_id(all.items[i].system, all.items[i].name, &found);
		error_free(err);
		if (err || found != id)
			continue;
		*ret = all.items[i];
		all.items[i] = (struct tracepoint_name){ 0 };
		return NULL;
	}
	return error_new(ENOENT, "tracefs has no event with the id %llu",
			 (unsigned long long)id);
}

/* Store the name that tracefs has for a tracepoint, independent of the event's name. */
static struct error *tracefs_name(const struct event *event, struct tracepoint_name *ret)
{
	struct tracepoint_name name = { 0 };
	struct error *err = NULL;
	uint64_t id = 0;

	if (split_name(event->name, &name)) {
		err = tracefs_event_id(name.system, name.name, &id);
		if (!err && id == event->attr.config) {
			*ret = name;
			return NULL;
		}
		error_free(err);
	}
	free(name.system);
	free(name.name);
	return find_by_id(event->attr.config, ret);
}

/* Tracepoints to describe. */
struct tracepoints {
	struct tracepoint {
		struct tracepoint_name name;	/* owned */
		const char *format;		/* of the event; NULL: to be read */
	} *items;
	size_t nr, alloc;
};

static void tracepoint_deinit(struct tracepoint *tracepoint)
{
	free(tracepoint->name.system);
	free(tracepoint->name.name);
}

static void tracepoints_deinit(struct tracepoints *tracepoints)
{
	for (size_t i = 0; i < tracepoints->nr; i++)
		tracepoint_deinit(&tracepoints->items[i]);
	free(tracepoints->items);
}

DEFINE_CLEANUP(tracepoints, struct tracepoints, tracepoints_deinit)

DEFINE_COMPARISON(compare_names, struct tracepoint, strcmp(x->name.system, y->name.system) ?:
		  strcmp(x->name.name, y->name.name))

/* Of two equal names, the one whose event has its format comes first. */
DEFINE_COMPARISON(compare_tracepoints, struct tracepoint, compare_names(x, y) ?:
		  !x->format - !y->format)

/* Collect the tracepoints, sorted, each once. */
static struct error *collect_tracepoints(const struct event_list *events, struct tracepoints *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];
		struct tracepoint added = { .format = event->format_text };
		struct error *err;

		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		err = tracefs_name(event, &added.name);
		if (err)
			return error_prefix(err, "The format of %s", event->name);
		if (!array_push(ret, added)) {
			tracepoint_deinit(&added);
			return &error_no_memory;
		}
	}
	if (!ret->nr)
		return NULL;
	array_sort(ret, compare_tracepoints);
	for (size_t i = 0; i < ret->nr; i++) {
		if (kept && !compare_names(&ret->items[kept - 1], &ret->items[i]))
			tracepoint_deinit(&ret->items[i]);
		else
			ret->items[kept++] = ret->items[i];
	}
	ret->nr = kept;
	return NULL;
}

static struct error *add_tracefs_file(const char *name, struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	struct error *err;
	const char *root;
	size_t len;

	err = tracefs_path(&root);
	if (err)
		return err;
	strbuf_addf(&path, "%s/events/%s", root, name);
	if (path.failed)
		return &error_no_memory;
	err = file_read(path.data, &text, &len);
	if (err)
		return err;
	strbuf_add(ret, name, strlen(name) + 1);
	bytes_add_u64(ret, len);
	strbuf_add(ret, text, len);
	return NULL;
}

static struct error *add_format(const struct tracepoint *tracepoint, struct strbuf *ret)
{
	_cleanup_free_ char *text = NULL;
	const char *format = tracepoint->format;
	struct error *err = NULL;
	size_t len;

	if (format)
		len = strlen(format);
	else
		err = tracefs_event_format(tracepoint->name.system, tracepoint->name.name, &text,
					   &len);
	if (err)
		return err;
	bytes_add_u64(ret, len);
	strbuf_add(ret, format ? format : text, len);
	return NULL;
}

static struct error *add_systems(const struct tracepoints *all, struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	uint32_t systems = 0;
	size_t i = 0;

	while (i < all->nr) {
		const char *system = all->items[i].name.system;
		size_t end = i;

		while (end < all->nr && !strcmp(all->items[end].name.system, system))
			end++;
		strbuf_add(&body, system, strlen(system) + 1);
		bytes_add_u32(&body, end - i);
		for (; i < end; i++) {
			struct error *err = add_format(&all->items[i], &body);

			if (err)
				return err;
		}
		systems++;
	}
	bytes_add_u32(ret, systems);
	strbuf_add(ret, strbuf_str(&body), body.len);
	return body.failed ? &error_no_memory : NULL;
}

static void add_printk_formats(struct strbuf *ret)
{
	_cleanup_free_ char *text = NULL;
	char path[64];
	const char *root;
	size_t len = 0;
	struct error *err;

	/* Without them, %s of a kernel string merely shows an address. */
	err = tracefs_path(&root);
	if (!err) {
		snprintf(path, sizeof(path), "%s/printk_formats", root);
		err = file_read(path, &text, &len);
	}
	error_free(err);
	bytes_add_u32(ret, len);
	strbuf_add(ret, text ? text : "", len);
}

/* Append the start of the data, up to header_page. */
static void add_start(struct strbuf *ret)
{
	strbuf_add(ret, magic, sizeof(magic));
	strbuf_add(ret, "0.6", 4);
	strbuf_addch(ret, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	strbuf_addch(ret, sizeof(long));
	bytes_add_u32(ret, sysconf(_SC_PAGESIZE));
}

struct error *tracing_data_build(const struct event_list *events, struct strbuf *ret)
{
	_cleanup_(tracepoints) struct tracepoints tracepoints = { 0 };
	struct error *err;

	err = collect_tracepoints(events, &tracepoints);
	if (err || !tracepoints.nr)
		return err;

	add_start(ret);
	err = add_tracefs_file("header_page", ret);
	if (!err)
		err = add_tracefs_file("header_event", ret);
	if (err)
		return err;
	bytes_add_u32(ret, 0);
	err = add_systems(&tracepoints, ret);
	if (err)
		return err;
	bytes_add_u32(ret, 0);
	add_printk_formats(ret);
	bytes_add_u64(ret, 0);
	return ret->failed ? &error_no_memory : NULL;
}

DEFINE_COMPARISON(compare_ids, uint64_t, array_order(*x, *y))

/* Collect the ids of tracepoints, each once. */
static struct error *collect_ids(const struct event_list *events, uint64_t **ret, size_t *ret_nr)
{
	uint64_t *ids = calloc(events->nr + 1, sizeof(*ids));
	size_t nr = 0, kept = 0;

	if (!ids)
		return &error_no_memory;
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.type == PERF_TYPE_TRACEPOINT)
			ids[nr++] = events->items[i]->attr.config;
	qsort(ids, nr, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < nr; i++)
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	*ret = ids;
	*ret_nr = kept;
	return NULL;
}

/* The header page of ftrace's ring: perf requires one, and uses nothing from it. */
static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static void add_text(const char *name, const char *text, struct strbuf *ret)
{
	strbuf_add(ret, name, strlen(name) + 1);
	bytes_add_u64(ret, strlen(text));
	strbuf_addstr(ret, text);
}

struct error *tracing_data_build_empty(const struct event_list *events, struct strbuf *ret)
{
	_cleanup_free_ uint64_t *ids = NULL;
	struct error *err;
	size_t nr = 0;

	err = collect_ids(events, &ids, &nr);
	if (err || !nr)
		return err;
	add_start(ret);
	add_text("header_page", header_page, ret);
	add_text("header_event", "", ret);
	bytes_add_u32(ret, 0);
	bytes_add_u32(ret, 1);
	strbuf_add(ret, "lost", sizeof("lost"));
	bytes_add_u32(ret, nr);
	for (size_t i = 0; i < nr; i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "name: tracepoint_%" PRIu64 "\nID: %" PRIu64 "\nformat:\n"
			    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			    "\n\nprint fmt: \"its event format was lost\"\n", ids[i], ids[i]);
		bytes_add_u64(ret, text.len);
		strbuf_add(ret, strbuf_str(&text), text.len);
	}
	bytes_add_u32(ret, 0);
	bytes_add_u32(ret, 0);
	bytes_add_u64(ret, 0);
	return ret->failed ? &error_no_memory : NULL;
}

/* Skip formats: a count, then a size and a text for each. */
static void skip_formats(struct bytes *b)
{
	for (uint32_t count = bytes_take_u32(b); b->ok && count--; )
		bytes_take(b, bytes_take_u64(b));
}

/* Skip all formats; returns the address of the number of systems. */
static const char *skip_systems(struct bytes *b)
{
	const char *number;
	uint32_t systems;

	bytes_take(b, sizeof(magic));
	bytes_take_word(b);
	bytes_take(b, 2 * sizeof(uint8_t) + sizeof(uint32_t));
	for (int i = 0; i < 2; i++) {
		bytes_take_word(b);
		bytes_take(b, bytes_take_u64(b));
	}
	skip_formats(b);
	number = b->p;
	for (systems = bytes_take_u32(b); b->ok && systems--; ) {
		bytes_take_word(b);
		skip_formats(b);
	}
	return number;
}

static struct error *formats_end_early(void)
{
	return error_new(EBADMSG, "The event formats end too early");
}

struct error *tracing_data_add(struct strbuf *data, const char *system, const char *format)
{
	struct bytes b = bytes_of(strbuf_str(data), data->len);
	_cleanup_(strbuf) struct strbuf longer = STRBUF_INIT;
	const char *number = skip_systems(&b);
	uint32_t systems;

	if (!b.ok)
		return formats_end_early();
	memcpy(&systems, number, sizeof(systems));
	strbuf_add(&longer, data->data, number - data->data);
	bytes_add_u32(&longer, systems + 1);
	number += sizeof(systems);
	strbuf_add(&longer, number, b.p - number);
	strbuf_add(&longer, system, strlen(system) + 1);
	bytes_add_u32(&longer, 1);
	bytes_add_u64(&longer, strlen(format));
	strbuf_addstr(&longer, format);
	strbuf_add(&longer, b.p, data->data + data->len - b.p);
	strbuf_reset(data);
	strbuf_add(data, strbuf_str(&longer), longer.len);
	return longer.failed || data->failed ? &error_no_memory : NULL;
}

struct error *tracing_data_strip(struct strbuf *data, bool texts)
{
	struct bytes b = bytes_of(strbuf_str(data), data->len);
	_cleanup_(strbuf) struct strbuf kept = STRBUF_INIT;
	const char *formats_end, *printk;

	skip_systems(&b);
	formats_end = b.p;
	bytes_take(&b, bytes_take_u32(&b));
	printk = b.p;
	bytes_take(&b, bytes_take_u32(&b));
	if (!b.ok)
		return formats_end_early();
	strbuf_add(&kept, data->data, formats_end - data->data);
	bytes_add_u32(&kept, 0);
	if (texts)
		bytes_add_u32(&kept, 0);
	else
		strbuf_add(&kept, printk, b.p - printk);
	bytes_add_u64(&kept, 0);
	strbuf_reset(data);
	strbuf_add(data, strbuf_str(&kept), kept.len);
	return kept.failed || data->failed ? &error_no_memory : NULL;
}

static void parse_formats(struct bytes *b, struct formats *formats, const char *system,
			  size_t *skipped)
{
	uint32_t count = bytes_take_u32(b);

	while (b->ok && count--) {
		uint64_t size = bytes_take_u64(b);
		const char *text = bytes_take(b, size);
		struct error *err;

		if (!text)
			return;
		err = formats_add(formats, system, text, size);
		if (err)
			++*skipped;
		error_free(err);
	}
}

struct error *tracing_data_parse(struct formats *formats, const void *data, size_t size,
				 size_t *ret_skipped)
{
	struct bytes b = bytes_of(data, size);
	_cleanup_free_ char *kallsyms = NULL, *printk = NULL;
	bool big_endian;
	uint8_t long_size;
	const char *at;
	uint32_t page_size, systems;

	*ret_skipped = 0;
	at = bytes_take(&b, sizeof(magic));
	if (!at || memcmp(at, magic, sizeof(magic)))
		return error_new(EBADMSG, "The event formats do not begin with their magic number");
	bytes_take_word(&b);
	big_endian = bytes_take_u8(&b);
	long_size = bytes_take_u8(&b);
	b.swapped = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	page_size = bytes_take_u32(&b);
	if (b.ok && long_size != 4 && long_size != 8)
		return error_new(EBADMSG, "The event formats are from a machine whose long has "
				 "%u bytes",
				 long_size);
	if (b.ok) {
		formats_set_target(formats, big_endian, long_size);
		formats_set_page_size(formats, page_size);
	}

	/*
	 * Skip header_page and header_event: they describe ftrace's ring, which is not in the
	 * recording.
	 */
	for (int i = 0; i < 2; i++) {
		bytes_take_word(&b);
		bytes_take(&b, bytes_take_u64(&b));
	}
	parse_formats(&b, formats, "ftrace", ret_skipped);
	systems = bytes_take_u32(&b);
	while (b.ok && systems--) {
		const char *system = bytes_take_word(&b);

		parse_formats(&b, formats, system, ret_skipped);
	}
	if (!b.ok)
		return error_new(EBADMSG, "The event formats end too early");
	kallsyms = bytes_take_string(&b);
	if (kallsyms && *kallsyms)
		error_free(formats_add_kallsyms(formats, kallsyms));
	printk = bytes_take_string(&b);
	if (printk && *printk)
		error_free(formats_add_printk(formats, printk));
	return NULL;
}
