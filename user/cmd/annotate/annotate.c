// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser/screen.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "lib/log.h"
#include "lib/number.h"
#include "perfdata/reader.h"
#include "profile/annotation.h"
#include "profile/data_types.h"
#include "profile/function_ranks.h"
#include "session/selection.h"
#include "table/annotate/annotation_text.h"
#include "table/annotate/data_type_text.h"
#include "terminal/options.h"
#include "terminal/pager.h"

/* How many functions without a listing are named, each with its reason. */
#define NAMED_FAILURES	3

struct annotate_command {
	const char *input, *symbol, *percent_type, *limit, *prefix, *strip, *color;
	struct selection_words words;
	bool group, stdio, stdio2, tui, samples, period, source, force, skip_missing, modules;
	bool ignore_vmlinux, demangle, no_jumps;
	double min_percent;
	struct symbol_options symbols;
	struct annotation_options annotation;
	struct annotation_text_options text;
	struct recording in;
	struct function_counts *counts;
	struct source_texts *texts;
	const char *type_name;	/* NULL: all types */
	struct data_types *types;	/* NULL: instructions are shown, not types */
	bool data_type, type_stat, insn_stat;
	size_t listed, failed;
	bool told_lines, told_source;
};

/* Print notes about missing parts of the listing. */
static void tell_listing(struct annotate_command *c, const struct annotation *a)
{
	if (!a->has_lines && !c->told_lines)
		log_notice("There is no debug information of %s here, so no source is shown: compile "
			   "with -g, or install its debug package.", a->code.path);
	c->told_lines |= !a->has_lines;
	if (a->source_is_newer && !c->told_source)
		log_notice("Source files are newer than %s, so their lines may differ from the "
			   "ones that were compiled.", a->code.path);
	c->told_source |= a->source_is_newer;
	if (a->code.cut)
		log_notice("%s is longer than %d KiB, and only its beginning is shown.",
			   a->function->symbol->name, CODE_MAX >> 10);
}

/* Print a function; a missing listing is an error only if the function was asked for. */
static struct error *print_annotation(struct annotate_command *c,
				      const struct event_columns *columns,
				      const struct counted_function *f)
{
	_cleanup_(annotation) struct annotation *annotation = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	err = annotation_create(c->in.machine, f, columns->events, columns->nr, &c->annotation,
				c->texts, &annotation);
	if (err && err->code == ENOENT && !c->symbol) {
		if (!c->skip_missing && c->failed++ < NAMED_FAILURES)
			log_warning("%s cannot be shown: %s.%s%s%s", f->symbol->name, err->message,
				    err->hint ? " " : "", err->hint ? err->hint : "",
				    err->hint ? "." : "");
		error_free(err);
		return NULL;
	}
	if (err)
		return err;
	annotation_text_add(annotation, strbuf_str(&columns->name), columns->totals, &c->text,
			    &text);
	c->listed++;
	tell_listing(c, annotation);
	return rendering_print(stdout, &text);
}

static struct error *print_columns(struct annotate_command *c, const struct event_columns *columns)
{
	_cleanup_(function_ranks) struct function_ranks ranks = { 0 };
	uint64_t total = columns->totals[0].period;
	struct error *err = function_ranks_make(c->counts, columns, c->symbol, &ranks);

	for (size_t i = 0; i < ranks.nr && !err && !ferror(stdout); i++)
		if (!total || 100.0 * ranks.items[i].period / total >= c->min_percent)
			err = print_annotation(c, columns, ranks.items[i].function);
	return err;
}

/* Whether @name is the type on the command line, given as "struct node" or "node". */
static bool is_wanted_type(const struct annotate_command *c, const char *name)
{
	const char *blank = strchr(name, ' ');

	return !c->type_name || !strcmp(name, c->type_name) ||
	       (blank && !strcmp(blank + 1, c->type_name));
}

static struct error *print_type(struct annotate_command *c, const struct event_columns *columns,
				const struct data_type *type)
{
	const struct data_type_columns shown = { columns->events, columns->names, columns->nr };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	data_type_text_add(type, &shown, c->text.number, &text);
	c->listed++;
	return rendering_print(stdout, &text);
}

static struct error *print_type_columns(struct annotate_command *c,
					const struct event_columns *columns)
{
	_cleanup_(ranked_types) struct ranked_types ranked = { 0 };
	uint64_t total = columns->totals[0].period;
	struct error *err = data_types_rank(c->types, columns->events, columns->nr, &ranked);

	for (size_t i = 0; i < ranked.nr && !err && !ferror(stdout); i++)
		if (is_wanted_type(c, ranked.items[i].type->name) &&
		    (!total || 100.0 * ranked.items[i].period / total >= c->min_percent))
			err = print_type(c, columns, ranked.items[i].type);
	return err;
}

static struct error *print_type_stats(const struct annotate_command *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (c->type_stat)
		data_type_text_add_reasons(c->types, &text);
	if (c->insn_stat)
		data_type_text_add_instructions(c->types, &text);
	return text.len || text.failed ? rendering_print(stdout, &text) : NULL;
}

static struct error *no_type_found(const struct annotate_command *c)
{
	const char *near = NULL;
	struct error *err;

	for (size_t i = 0; i < c->types->types.nr; i++)
		near = word_nearer(c->type_name, near, c->types->types.items[i].name);
	err = error_new(ENOENT, "No sample accesses the type '%s'", c->type_name);
	return near ? error_hint(err, "Did you mean '%s'?", near) :
	       error_hint(err, "'ktrace annotate --data-type' without a name shows all types");
}

static struct error *print_listings(struct annotate_command *c)
{
	const struct event_list *events = reader_events(c->in.reader);
	_cleanup_free_ bool *shown = calloc(events->nr + 1, sizeof(*shown));
	struct error *err = NULL;

	if (!shown)
		return &error_no_memory;
	for (size_t i = 0; i < events->nr && !err; i++) {
		_cleanup_(event_columns) struct event_columns columns = { .name = STRBUF_INIT };
		uint64_t samples = 0;

		if (shown[i])
			continue;
		if (c->group && !function_counts_total(c->counts, i).samples)
			continue;
		err = event_columns_make(events, c->counts, i, c->group, &columns);
		if (err)
			return err;
		for (size_t k = 0; k < columns.nr; k++) {
			shown[columns.events[k]] = true;
			samples += columns.totals[k].samples;
		}
		if (samples)
			err = c->types ? print_type_columns(c, &columns) :
					 print_columns(c, &columns);
	}
	return err;
}

/* Whether @name is @symbol in a class or namespace. */
static bool annotate_is_member(const char *name, const char *symbol)
{
	size_t len = strlen(name), own = strlen(symbol);

	return own && len > own + 2 && !strncmp(name + len - own - 2, "::", 2) &&
	       !strcmp(name + len - own, symbol);
}

/* The function with the most samples whose name is similar, or with the most of all. */
static const char *name_instead(const struct annotate_command *c, bool *ret_near)
{
	const struct counted_function *most = NULL;
	const char *near = NULL, *member = NULL;

	for (size_t i = 0; i < function_counts_nr(c->counts); i++) {
		const struct counted_function *f = function_counts_at(c->counts, i);

		near = word_nearer(c->symbol, near, f->symbol->name);
		if (annotate_is_member(f->symbol->name, c->symbol))
			member = f->symbol->name;
		if (!most || f->all.samples > most->all.samples)
			most = f;
	}
	near = member ? member : near;
	*ret_near = near;
	return near ? near : most ? most->symbol->name : NULL;
}

static struct error *annotate_nothing_found(const struct annotate_command *c)
{
	bool near;
	const char *name = name_instead(c, &near);
	struct error *err = error_new(ENOENT, "No sample is in the function '%s'", c->symbol);

	if (name)
		error_hint(err, near ? "Did you mean %s?" :
			   "The function with the most samples is %s; 'ktrace report' shows all", name);
	return err;
}

static struct error *annotate_read(struct annotate_command *c)
{
	struct error *err;

	err = function_counts_create(&c->counts);
	if (!err)
		err = source_texts_create(c->prefix, c->strip ? strtoul(c->strip, NULL, 10) : 0,
					  &c->texts);
	if (!err)
		err = recording_begin(&c->in, c->input, &c->words, &c->symbols);
	return err ? err : recording_run(c->in.reader, c->in.machine, &c->in.selection,
					 function_counts_consumer(c->counts), false, NULL);
}

static struct error *annotate_parse(struct annotate_command *c)
{
	const char *text = c->limit;
	unsigned long long strip;
	char *end = NULL;

	c->min_percent = text ? strtod(text, &end) : 0;
	if (text && (end == text || *end || !(c->min_percent >= 0 && c->min_percent <= 100)))
		return error_new(EINVAL, "--percent-limit takes a number from 0 to 100, not '%s'",
				 text);
	if (c->strip && !parse_u64(c->strip, &strip))
		return error_new(EINVAL, "--prefix-strip takes a number of folders, not '%s'",
				 c->strip);
	if (c->tui && (c->stdio || c->stdio2 || c->data_type))
		return error_hint(error_new(EINVAL, "--tui and %s cannot be combined", c->data_type ?
					    "--data-type" : c->stdio ? "--stdio" : "--stdio2"),
				  c->data_type ? "The key T of the browser shows the types of a "
				  "function" : "Leave out one of them");
	if (c->strip && !c->prefix)
		return error_new(EINVAL, "--prefix-strip needs --prefix, the path to put in front "
				 "instead");
	if ((c->type_stat || c->insn_stat) && !c->data_type)
		return error_new(EINVAL, "%s needs --data-type, because it adds to that output",
				 c->type_stat ? "--type-stat" : "--insn-stat");
	c->text.number = c->period ? ANNOTATION_PERIOD : c->samples ? ANNOTATION_SAMPLES :
			 ANNOTATION_PERCENT;
	c->text.jumps = !c->no_jumps && (c->text.jumps || isatty(STDOUT_FILENO));
	c->symbols.no_vmlinux = c->ignore_vmlinux;
	return c->percent_type ? percent_type_parse(c->percent_type, &c->text.percent) : NULL;
}

/* Find the types, and print the tables that the options select. */
static struct error *annotate_types(struct annotate_command *c)
{
	struct disassembly_options options = { .objdump = c->annotation.disassembly.objdump };
	struct error *err;

	err = data_types_create(c->in.machine, c->counts, reader_events(c->in.reader)->nr,
				c->symbol, &options, &c->types);
	return err ? err : print_type_stats(c);
}

/* As in perf, a browser is used on a terminal, unless text is asked for. */
static bool annotate_wants_browser(const struct annotate_command *c)
{
	if (c->tui || c->stdio || c->stdio2)
		return c->tui;
	return !c->data_type && pager_mode != PAGER_ALWAYS && screen_is_possible();
}

/* The event whose listings are seen first: the first that has samples; SIZE_MAX: none has. */
static size_t annotate_first_event(const struct annotate_command *c)
{
	for (size_t i = 0; i < reader_events(c->in.reader)->nr; i++)
		if (function_counts_total(c->counts, i).samples)
			return i;
	return SIZE_MAX;
}

/* How long to wait for keys. */
#define ANNOTATE_IDLE_MS	500

static struct error *annotate_browse_on(struct annotate_command *c, struct browser *browser,
					struct screen *screen)
{
	struct listings *listings = &browser->listings;
	struct error *err;

	listings->source = (struct listing_source){
		.machine = c->in.machine, .functions = c->counts, .texts = c->texts,
		.events = reader_events(c->in.reader), .options = c->annotation,
	};
	listings->source.options.no_source = false;
	listings->no_source = c->annotation.no_source;
	listings->text = c->text;
	listings->text.jumps = !c->no_jumps;
	listings->all = c->group;
	err = listings_open_hottest(listings, annotate_first_event(c), c->symbol);
	if (err)
		return err;
	c->listed = listings->stack.nr;
	if (!c->listed)
		return NULL;
	browser_show_listing(browser);
	screen_show(screen, browser);
	/* As much as the screen has is known now, so that the hottest line can be in its middle. */
	browser_show_listing(browser);
	while (!browser->ended && !screen_signal()) {
		screen_show(screen, browser);
		screen_wait(screen, ANNOTATE_IDLE_MS);
		screen_take_keys(screen, browser);
	}
	return NULL;
}

/* *ret: whether the browser was there; without one, text is printed. */
static struct error *annotate_browse(struct annotate_command *c, bool *ret)
{
	_cleanup_(screen) struct screen *screen = NULL;
	struct browser browser;
	struct error *err;
	int number;

	*ret = false;
	if (!screen_is_possible())
		return error_hint(error_new(ENOTTY, "The browser needs a terminal as standard input "
					    "and output"), "--stdio prints the listings");
	err = screen_open(true, &screen);
	if (err && !c->tui) {
		log_notice("%s. The listings are printed instead.", err->message);
		error_free(err);
		return NULL;
	}
	if (err)
		return err;
	*ret = true;
	browser_init(&browser, NULL, reader_events(c->in.reader), NULL);
	err = annotate_browse_on(c, &browser, screen);
	browser_deinit(&browser);
	number = screen_signal();
	screen_close(take_ptr(screen));
	/* ^C in a browser is a way to quit. */
	if (!err && number && number != SIGINT)
		raise(number);
	return err;
}

static struct error *run_annotate(struct annotate_command *c)
{
	bool browsed = false;
	struct error *err;

	err = annotate_parse(c);
	if (!err)
		err = annotate_read(c);
	if (!err && c->data_type)
		err = annotate_types(c);
	if (!err && annotate_wants_browser(c) && annotate_first_event(c) != SIZE_MAX)
		err = annotate_browse(c, &browsed);
	if (!err && !browsed)
		err = print_listings(c);
	if (err)
		return err;
	if (c->type_name && !c->listed)
		return no_type_found(c);
	if (c->symbol && !c->listed)
		return annotate_nothing_found(c);
	if (browsed)
		return NULL;
	if (c->failed > NAMED_FAILURES)
		log_warning("%zu more functions cannot be shown.", c->failed - NAMED_FAILURES);
	if (function_counts_unknown(c->counts) && !c->symbol && !c->data_type)
		log_notice("%" PRIu64 " samples are in no known function, and are not shown.",
			   function_counts_unknown(c->counts));
	return NULL;
}

static struct error *set_stdio_color(void *data, const char *argument)
{
	if (!argument || !color_mode_set(argument))
		return error_new(EINVAL, "--stdio-color takes always, never or auto, not '%s'",
				 argument ? argument : "");
	escape_stdout();
	return NULL;
}

static struct error *set_data_type(void *data, const char *argument)
{
	struct annotate_command *c = data;

	c->data_type = true;
	c->type_name = argument;
	return NULL;
}

static struct error *set_no_source(void *data, const char *argument)
{
	struct annotate_command *c = data;

	c->annotation.no_source = true;
	return NULL;
}

#define ANNOTATE_OPTIONS(c) \
	RECORDING_INPUT_OPTION((c).input), \
	OPT_STRING("symbol", &(c).symbol), \
	OPT_STRING("dsos", &(c).in.selection.dsos), \
	SELECTION_WORDS_OPTIONS((c).words), \
	RECORDING_SYMBOL_OPTIONS((c).symbols), \
	RECORDING_DEBUGINFOD_OPTION((c).symbols.debuginfod), \
	OPT_FLAG("ignore-vmlinux", &(c).ignore_vmlinux)

struct error *cmd_annotate(int argc, char **argv, int *ret_status)
{
	static const struct option_values values[] = {
		{ .option = "percent-type", .table = &percent_type_words },
		{ .option = "stdio-color", .words = "always,never,auto" },
		{ .option = "disassembler-style", .words = "att,intel" },
		{ 0 },
	};
	struct annotate_command c = { 0 };
	const struct option_spec options[] = {
		ANNOTATE_OPTIONS(c),
		OPT_FLAG("print-line", &c.text.print_lines),
		OPT_FLAG("full-paths", &c.text.full_paths),
		OPT_FLAG("show-nr-samples", &c.samples),
		OPT_FLAG("show-total-period", &c.period),
		OPT_STRING("percent-type", &c.percent_type),
		OPT_STRING("percent-limit", &c.limit),
		OPT_FLAG("group", &c.group),
		OPT_FLAG("source", &c.source),
		OPT_CALL("no-source", &c, set_no_source),
		OPT_FLAG("asm-raw", &c.text.raw),
		OPT_FLAG("jumps", &c.text.jumps),
		OPT_FLAG("no-jumps", &c.no_jumps),
		OPT_STRING("disassembler-style", &c.annotation.disassembly.style),
		OPT_STRING("objdump", &c.annotation.disassembly.objdump),
		OPT_CALL("data-type", &c, set_data_type),
		OPT_FLAG("type-stat", &c.type_stat),
		OPT_FLAG("insn-stat", &c.insn_stat),
		OPT_STRING("prefix", &c.prefix),
		OPT_STRING("prefix-strip", &c.strip),
		OPT_FLAG("skip-missing", &c.skip_missing),
		OPT_CALL("stdio-color", &c, set_stdio_color),
		OPT_FLAG("stdio", &c.stdio),
		OPT_FLAG("tui", &c.tui),
		OPT_FLAG("stdio2", &c.stdio2),
		RECORDING_QUIET_OPTION,
		OPT_FLAG("modules", &c.modules),
		OPT_FLAG("demangle", &c.demangle),
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "annotate", .synopsis = "[OPTIONS] [FUNCTION]", .options = options,
		.values = values,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0 && index < argc)
		c.symbol = argv[index++];
	if (!err && index >= 0 && index < argc)
		err = error_new(EINVAL, "annotate takes one function, not also '%s'", argv[index]);
	else if (!err && index >= 0)
		err = run_annotate(&c);
	data_types_destroy(c.types);
	source_texts_destroy(c.texts);
	function_counts_destroy(c.counts);
	recording_end(&c.in);
	return err;
}
