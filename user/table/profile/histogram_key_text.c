// SPDX-License-Identifier: GPL-2.0
#include "table/profile/histogram_key_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/escape.h"
#include "symbol/dso.h"
#include "terminal/terminal.h"

/* The suffix of the names of inlined functions. */
#define INLINED	" (inlined)"

/* The width of a column for binaries if an address in it has no name. */
#define UNKNOWN_WIDTH	16

/* The width of times and weights. */
#define NUMBER_WIDTH	12

/* Titles, the least widths, and whether values are aligned to the right. */
static const struct {
	const char *title;
	uint8_t width;
	bool right;
} key_columns[HISTOGRAM_KEYS] = {
	[KEY_COMM] = { "Command" }, [KEY_DSO] = { "Shared Object" }, [KEY_SYMBOL] = { "Symbol" },
	[KEY_PID] = { "    Pid:Command" }, [KEY_CPU] = { "CPU" }, [KEY_TIME] = { "Time" },
	[KEY_TRACE] = { "Trace output" },
	[KEY_FIELD] = { "", NUMBER_WIDTH }, [KEY_WEIGHT] = { "Weight", NUMBER_WIDTH },
	[KEY_LOCAL_WEIGHT] = { "Local Weight", NUMBER_WIDTH },
	[KEY_INS_LAT] = { "INSTR Latency" }, [KEY_LOCAL_INS_LAT] = { "Local INSTR Latency" },
	[KEY_PARENT] = { "Parent symbol" }, [KEY_SOCKET] = { "Socket", .right = true },
	[KEY_WAKER] = { "Woken by" }, [KEY_ORIGIN] = { "Origin" },
	[KEY_TASK_STATE] = { "Task state" },
	[KEY_PARALLELISM] = { "Parallelism", .right = true }, [KEY_CGROUP] = { "Cgroup" },
	[KEY_TRANSACTION] = { "Transaction", 27 },
	[KEY_CODE_PAGE_SIZE] = { "Code Page Size" }, [KEY_SRCLINE] = { "Source:Line" },
	[KEY_SRCFILE] = { "Source File" }, [KEY_TYPE] = { "Data Type" },
	[KEY_TYPEOFF] = { "Data Type Offset" }, [KEY_TYPECLN] = { "Data Type Cacheline" },
	[KEY_SYMOFF] = { "Symbol Offset", ADDRESS_WIDTH },
	[KEY_ADDR] = { "Address", UNKNOWN_WIDTH + 2 },
	[KEY_SYMBOL_SIZE] = { "Symbol size", .right = true },
	[KEY_DSO_SIZE] = { "DSO size", .right = true },
	[KEY_MEM] = { "Memory access", 24 }, [KEY_SNOOP] = { "Snoop", 12 },
	[KEY_TLB] = { "TLB access", 22 }, [KEY_LOCKED] = { "Locked" },
	[KEY_BLOCKED] = { "Blocked", 10 }, [KEY_SYMBOL_DADDR] = { "Data Symbol", ADDRESS_WIDTH },
	[KEY_DSO_DADDR] = { "Data Object" }, [KEY_SYMBOL_IADDR] = { "Code Symbol", ADDRESS_WIDTH },
	[KEY_PHYS_DADDR] = { "Data Physical Address", ADDRESS_WIDTH },
	[KEY_DCACHELINE] = { "Data Cacheline", ADDRESS_WIDTH },
	[KEY_DATA_PAGE_SIZE] = { "Data Page Size", ADDRESS_WIDTH },
	[KEY_DSO_FROM] = { "Source Shared Object" }, [KEY_DSO_TO] = { "Target Shared Object" },
	[KEY_SYMBOL_FROM] = { "Source Symbol" }, [KEY_SYMBOL_TO] = { "Target Symbol" },
	[KEY_ADDR_FROM] = { "Source Address", ADDRESS_WIDTH },
	[KEY_ADDR_TO] = { "Target Address", ADDRESS_WIDTH },
	[KEY_SRCLINE_FROM] = { "From Source:Line" }, [KEY_SRCLINE_TO] = { "To Source:Line" },
	[KEY_MISPREDICT] = { "Branch Mispredicted" },
	[KEY_IN_TX] = { "Branch in transaction" }, [KEY_ABORT] = { "Transaction abort" },
	[KEY_CYCLES] = { "Basic Block Cycles" },
};

/* The text in front of the level of a symbol: an address, and a letter between blanks. */
#define ORIGIN_WIDTH	(ADDRESS_WIDTH - 4 + 3)

static const char *entry_dso_text(const struct histogram_options *options,
				  const struct histogram_entry *entry)
{
	if (!entry->dso)
		return "[unknown]";
	return options->verbose ? entry->dso->name : entry->dso->short_name;
}

static size_t symbol_prefix(const struct histogram_options *options)
{
	return strlen("[.] ") + (options->verbose ? ORIGIN_WIDTH : 0);
}

size_t histogram_key_text_least(enum histogram_key key)
{
	size_t title = strlen(key_columns[key].title);

	return title > key_columns[key].width ? title : key_columns[key].width;
}

/* As in perf, behind a name there is room for an address. */
static size_t named_address_width(enum histogram_key key, const struct histogram_value *value)
{
	const char *text = value ? value->text : "";
	size_t level = strlen("[.] ");

	if (strlen(text) <= level || !strncmp(text + level, "0x", 2))
		return ADDRESS_WIDTH;
	return strcspn(text, "+") + UNKNOWN_WIDTH + 2 + (key == KEY_DCACHELINE);
}

size_t histogram_key_text_width(const struct histogram_options *options, size_t position,
				const struct histogram_entry *entry)
{
	const struct histogram_value *value = entry->extra ? &entry->extra[position] : NULL;
	size_t len;

	switch (options->keys[position]) {
	case KEY_COMM:
		return strlen(entry->comm);
	case KEY_PID:
		return strlen(entry->task) + 8;
	case KEY_DSO:
		len = strlen(entry_dso_text(options, entry));
		return !entry->symbol && (!entry->dso || entry->address) && len < UNKNOWN_WIDTH ?
			       UNKNOWN_WIDTH : len;
	case KEY_SYMBOL:
		/* As in perf, the column has no room for INLINED. */
		return symbol_prefix(options) + (entry->symbol ? strlen(entry->symbol->name) :
								 ADDRESS_WIDTH - 4);
	case KEY_CPU:
		return 3;
	case KEY_TIME:
		return options->nanoseconds ? NUMBER_WIDTH + 4 : NUMBER_WIDTH;
	case KEY_DSO_DADDR:
		return value && value->text && strcmp(value->text, "[unknown]") ?
			       strlen(value->text) : UNKNOWN_WIDTH;
	case KEY_SYMBOL_DADDR:
	case KEY_SYMBOL_IADDR:
	case KEY_DCACHELINE:
		return named_address_width(options->keys[position], value);
	default:
		return value && value->text ? strlen(value->text) :
					      histogram_key_text_least(options->keys[position]);
	}
}

static void histogram_key_text_add_name(struct strbuf *ret, const char *text,
				 const struct histogram_cell *cell)
{
	size_t from = ret->len;

	if (cell->cut_end)
		terminal_add_beginning(ret, text, cell->width);
	else
		terminal_add_cut(ret, text, cell->width);
	escape_line_ends(ret, from);
}

void histogram_key_text_add_left(struct strbuf *ret, const char *text,
				 const struct histogram_cell *cell)
{
	size_t len = strlen(text);

	histogram_key_text_add_name(ret, text, cell);
	strbuf_add_spaces(ret, len < cell->width ? cell->width - len : 0);
}

static void add_symbol_name(struct strbuf *ret, const struct symbol *symbol,
			    const struct histogram_cell *cell)
{
	size_t mark = symbol->inlined ? strlen(INLINED) : 0;
	struct histogram_cell shorter = { cell->width - mark, cell->cut_end };

	if (strlen(symbol->name) <= cell->width || cell->width < mark)
		histogram_key_text_add_name(ret, symbol->name, cell);
	else
		histogram_key_text_add_name(ret, symbol->name, &shorter);
	if (mark)
		strbuf_addstr(ret, INLINED);
}

void histogram_key_text_add_right(struct strbuf *ret, const char *text,
				  const struct histogram_cell *cell)
{
	size_t len = strlen(text);

	strbuf_add_spaces(ret, len < cell->width ? cell->width - len : 0);
	histogram_key_text_add_name(ret, text, cell);
}

static void add_extra(struct strbuf *ret, const struct histogram_options *options,
		      const struct histogram_cell *cell, const struct histogram_entry *entry,
		      size_t position)
{
	enum histogram_key key = options->keys[position];
	const struct histogram_value *value = entry->extra ? &entry->extra[position] : NULL;
	uint64_t number = value ? value->number : 0;
	const char *shown;
	char text[32];

	if (key == KEY_WEIGHT || key == KEY_INS_LAT)
		number *= entry->samples;
	if (key == KEY_TIME && options->nanoseconds)
		snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, number / 1000000000,
			 number % 1000000000);
	else if (key == KEY_TIME)
		snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, number / 1000000000,
			 number % 1000000000 / 1000);
	else
		snprintf(text, sizeof(text), "%" PRIu64, number);
	shown = value && value->text ? value->text : key == KEY_FIELD ? "" : text;
	if (key == KEY_FIELD || key_columns[key].right)
		histogram_key_text_add_right(ret, shown, cell);
	else
		histogram_key_text_add_left(ret, shown, cell);
}

void histogram_key_text_add(struct strbuf *ret, const struct histogram_options *options,
			    size_t position, const struct histogram_cell *cell,
			    const struct histogram_entry *entry)
{
	/* The text in front of names of tasks and symbols. */
	const struct histogram_cell task = { cell->width - 8, cell->cut_end };
	const struct histogram_cell symbol = { cell->width - symbol_prefix(options),
					       cell->cut_end };

	switch (options->keys[position]) {
	case KEY_COMM:
		histogram_key_text_add_left(ret, entry->comm, cell);
		break;
	case KEY_PID:
		strbuf_addf(ret, "%7d:", entry->tid);
		histogram_key_text_add_left(ret, entry->task, &task);
		break;
	case KEY_DSO:
		histogram_key_text_add_left(ret, entry_dso_text(options, entry), cell);
		break;
	case KEY_SYMBOL:
		if (options->verbose)
			strbuf_addf(ret, "%-#*" PRIx64 " %c ", ADDRESS_WIDTH - 4,
				    entry->first_address,
				    entry->dso ? dso_symbol_origin(entry->dso) : '!');
		strbuf_addf(ret, "[%c] ", entry->level);
		if (entry->symbol)
			add_symbol_name(ret, entry->symbol, &symbol);
		else
			strbuf_addf(ret, "%#.16" PRIx64, entry->address);
		break;
	case KEY_CPU:
		strbuf_addf(ret, "%.3d", entry->cpu);
		break;
	default:
		add_extra(ret, options, cell, entry, position);
		break;
	}
}

const char *histogram_key_text_title(const struct histogram_options *options, size_t position)
{
	return options->keys[position] == KEY_FIELD ? options->fields[position].name :
						      key_columns[options->keys[position]].title;
}

void histogram_key_text_add_whole(struct strbuf *ret, const struct histogram_options *options,
				  size_t position, const struct histogram_entry *entry)
{
	const struct histogram_cell cell = {
		histogram_key_text_width(options, position, entry), false,
	};

	histogram_key_text_add(ret, options, position, &cell, entry);
}

void histogram_key_text_pad(struct strbuf *ret, size_t from, size_t width)
{
	size_t taken = ret->failed ? width : terminal_width(strbuf_str(ret) + from);

	strbuf_add_spaces(ret, taken < width ? width - taken : 0);
}
