// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/kmem_stat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/subcommand.h"
#include "cmd/table_options.h"
#include "lib/array.h"
#include "lib/number.h"
#include "output/rendering.h"
#include "table/kmem/page_text.h"
#include "table/kmem/slab_text.h"
#include "terminal/word_list.h"

/* Settings of -s and -l, which in perf apply to the table named before them. */
struct kmem_table {
	bool shown;
	size_t lines;
	struct slab_keys slab;
	struct page_keys page;
};

struct kmem_command {
	struct subcommand_input from;
	struct symbol_options symbols;
	struct selection_words words;
	struct kmem_table caller, alloc;
	struct kmem_table *last;	/* the one of both that was named last */
	bool slab, page, last_page, live, raw_ip;
	struct table_output output;
	struct recording in;
};

static const char *const kmem_slab_keys[SLAB_KEYS] = {
	[SLAB_BY_FRAG] = "frag", [SLAB_BY_HIT] = "hit", [SLAB_BY_BYTES] = "bytes",
	[SLAB_BY_PINGPONG] = "pingpong", [SLAB_BY_PTR] = "ptr", [SLAB_BY_CALLSITE] = "callsite",
};

static const char *const kmem_page_keys[PAGE_KEYS] = {
	[PAGE_BY_BYTES] = "bytes", [PAGE_BY_HIT] = "hit", [PAGE_BY_PAGE] = "page",
	[PAGE_BY_CALLSITE] = "callsite", [PAGE_BY_ORDER] = "order", [PAGE_BY_MIGTYPE] = "migtype",
	[PAGE_BY_GFP] = "gfp",
};

static struct error *kmem_ask_slab(void *data, const char *argument)
{
	struct kmem_command *c = data;

	c->slab = true;
	c->last_page = false;
	return NULL;
}

static struct error *kmem_ask_page(void *data, const char *argument)
{
	struct kmem_command *c = data;

	c->page = c->last_page = true;
	return NULL;
}

static struct error *kmem_ask_caller(void *data, const char *argument)
{
	struct kmem_command *c = data;

	c->last = &c->caller;
	c->caller.shown = true;
	return NULL;
}

static struct error *kmem_ask_alloc(void *data, const char *argument)
{
	struct kmem_command *c = data;

	c->last = &c->alloc;
	c->alloc.shown = true;
	return NULL;
}

static struct error *kmem_set_lines(void *data, const char *argument)
{
	struct kmem_command *c = data;
	unsigned long long lines;

	if (!parse_u64(argument, &lines))
		return error_new(EINVAL, "kmem -l needs a number of lines, not '%s'",
				 argument);
	(c->last ? c->last : &c->alloc)->lines = lines;
	return NULL;
}

static struct error *kmem_set_sort(void *data, const char *argument)
{
	struct kmem_command *c = data;
	struct kmem_table *table = c->last ? c->last : &c->alloc;
	struct error *err;

	if (c->last_page)
		return word_parse_list(WORDS(kmem_page_keys), "kmem cannot sort pages by", argument,
				       table->page.items, &table->page.nr);
	err = word_parse_list(WORDS(kmem_slab_keys), "kmem cannot sort slabs by", argument,
			      table->slab.items, &table->slab.nr);
	return err ? error_hint(err, "%s; those of pages come behind --page", err->hint) : NULL;
}

static void kmem_set_defaults(struct kmem_command *c)
{
	struct kmem_table *tables[] = { &c->caller, &c->alloc };

	c->slab |= !c->page;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (!tables[i]->slab.nr)
			tables[i]->slab = slab_keys_default;
		if (!tables[i]->page.nr)
			tables[i]->page = page_keys_default;
	}
}

static struct error *kmem_check_events(void *data)
{
	const struct kmem_command *c = data;

	return kmem_stat_check(c->slab, c->page, reader_events(c->in.reader));
}

static bool kmem_is_text(const struct kmem_command *c)
{
	return c->output.format == TABLE_AS_TEXT;
}

/* CSV and JSON have one table, which is the one of sums if no other one was asked for. */
static bool kmem_shows_totals(const struct kmem_command *c)
{
	return kmem_is_text(c) || (!c->caller.shown && !c->alloc.shown);
}

static struct error *kmem_check_output(const struct kmem_command *c)
{
	if (kmem_is_text(c))
		return NULL;
	if (c->slab && c->page)
		return error_new(EINVAL, "--csv and --json print one table: choose --slab or "
				 "--page");
	if (c->caller.shown && c->alloc.shown)
		return error_new(EINVAL, "--csv and --json print one table: choose --caller or "
				 "--alloc");
	return NULL;
}

static void kmem_slab_add(const struct kmem_command *c, struct slab_allocations *slabs,
			  struct strbuf *out)
{
	struct machine *machine = c->raw_ip ? NULL : c->in.machine;

	slabs->call_sites.by_call_site = true;
	if (c->caller.shown) {
		slab_table_sort(&slabs->call_sites, &c->caller.slab);
		slab_table_add(&slabs->call_sites, c->caller.lines, machine, &c->output, out);
	}
	if (c->alloc.shown) {
		slab_table_sort(&slabs->pointers, &c->alloc.slab);
		slab_table_add(&slabs->pointers, c->alloc.lines, machine, &c->output, out);
	}
	if (kmem_shows_totals(c))
		slab_totals_add(&slabs->totals, &c->output, out);
}

static struct error *kmem_page_add(const struct kmem_command *c, struct kmem_stat *stat,
				   struct strbuf *out)
{
	struct page_allocations *pages = kmem_stat_pages(stat);
	_cleanup_(page_text) struct page_text text = {
		.pages = pages, .gfp = kmem_stat_gfp_names(stat),
		.machine = c->raw_ip ? NULL : c->in.machine,
		.by_number = kmem_stat_has_page_numbers(stat),
	};
	struct error *err = page_allocations_sort(pages, &c->alloc.page, &c->caller.page);

	if (!err)
		err = page_text_begin(&text);
	if (err)
		return err;
	if (kmem_is_text(c) && (c->caller.shown || c->alloc.shown))
		page_flags_text_add(&text, out);
	if (c->caller.shown)
		page_callers_add(&text, c->caller.lines, &c->output, out);
	if (c->alloc.shown)
		page_pages_add(&text, c->alloc.lines, &c->output, out);
	if (kmem_shows_totals(c))
		page_totals_add(&pages->totals, &c->output, out);
	return NULL;
}

static struct error *kmem_print(const struct kmem_command *c, struct kmem_stat *stat)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	locale_t old, locale = number_locale_begin(kmem_is_text(c), &old);
	struct error *err = NULL;

	if (c->slab)
		kmem_slab_add(c, kmem_stat_slabs(stat), &text);
	if (c->page)
		err = kmem_page_add(c, stat, &text);
	number_locale_end(locale, old);
	if (err)
		return err;
	return rendering_print(stdout, &text);
}

static struct error *kmem_show(void *data)
{
	_cleanup_(kmem_stat) struct kmem_stat *stat = NULL;
	struct kmem_command *c = data;
	struct kmem_stat_options options;
	bool places;
	struct error *err;

	kmem_set_defaults(c);
	err = kmem_check_output(c);
	places = c->caller.shown || (c->alloc.shown && (c->page || !kmem_is_text(c)));
	c->in = (struct recording){ .check = kmem_check_events, .data = c };
	if (!err)
		err = recording_begin(&c->in, c->from.input, &c->words,
				      places ? &c->symbols : NULL);
	if (err)
		return err;
	if (c->slab && !reader_header(c->in.reader)->is_pipe &&
	    !header_is_local(reader_header(c->in.reader)))
		log_notice(KMEM_TELLS_NODES);
	options = (struct kmem_stat_options){
		.slab = c->slab, .page = c->page, .live = c->live,
		.call_sites = c->caller.shown || c->alloc.shown,
		.formats = reader_formats(c->in.reader), .node = kmem_stat_node,
	};
	err = kmem_stat_create(&options, &stat);
	if (!err)
		err = recording_sum_up(&c->in, kmem_stat_consumer(stat), &c->output);
	return err ? err : kmem_print(c, stat);
}

/* As in perf, they may also come before the name of the command of kmem. */
#define KMEM_OPTIONS(c) \
	OPT_CALL("slab", &(c), kmem_ask_slab), \
	OPT_CALL("page", &(c), kmem_ask_page), \
	OPT_CALL("caller", &(c), kmem_ask_caller), \
	OPT_CALL("alloc", &(c), kmem_ask_alloc), \
	OPT_CALL("sort", &(c), kmem_set_sort), \
	OPT_CALL("line", &(c), kmem_set_lines), \
	OPT_FLAG("raw-ip", &(c).raw_ip), \
	OPT_FLAG("live", &(c).live), \
	OPT_STRING("time", &(c).words.times), \
	TABLE_FORMAT_OPTIONS(&(c).output), \
	RECORDING_SYMBOL_OPTIONS((c).symbols), \
	SUBCOMMAND_INPUT_OPTIONS(&(c).from)

static struct error *kmem_stat(struct subcommand_call *call)
{
	struct kmem_command *c = call->data;
	const struct option_spec options[] = {
		KMEM_OPTIONS(*c),
		{ 0 },
	};

	return subcommand_do(call, options, kmem_show);
}

static struct error *kmem_record(struct subcommand_call *call)
{
	enum { SLAB = 1, PAGE = 2 };
	/* Linux 6.0 was the last kernel with the optional events. */
	static const struct subcommand_events events[] = {
		{ "kmem", "kmalloc kfree kmem_cache_alloc kmem_cache_free",
		  "kmalloc_node kmem_cache_alloc_node", SLAB },
		{ "kmem", "mm_page_alloc mm_page_free", NULL, PAGE },
		{ 0 },
	};
	const struct kmem_command *c = call->data;
	const char *const options[] = { "-a", "-c", "1", c->page ? "-g" : NULL, NULL };

	return subcommand_record(call, options, events,
				 (c->slab || !c->page ? SLAB : 0) | (c->page ? PAGE : 0));
}

static const struct subcommand kmem_commands[] = {
	SUBCOMMAND("record", "record allocations of the kernel: slabs or, with --page, pages",
		   kmem_record),
	SUBCOMMAND("stat", "sum up allocations: by call site with --caller, by address with "
		   "--alloc", kmem_stat),
	{ 0 },
};

struct error *cmd_kmem(int argc, char **argv, int *ret_status)
{
	struct kmem_command c = {
		.caller.lines = SIZE_MAX, .alloc.lines = SIZE_MAX,
	};
	const struct option_spec options[] = {
		KMEM_OPTIONS(c),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kmem",
		.details = ". The options may come before 'stat' or behind it, but --slab and "
			   "--page, which also apply to 'record', come before it",
		.options = options,
		.commands = kmem_commands,
	};
	struct error *err = subcommands_run(&usage, &c, argc, argv, ret_status);

	recording_end(&c.in);
	return err;
}
