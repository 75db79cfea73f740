// SPDX-License-Identifier: GPL-2.0
#include "output/text/text_fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "session/cgroups.h"
#include "terminal/word_list.h"

static const struct {
	const char *name;
	uint64_t field;
	uint64_t sample_type;	/* any of these bits makes it available; 0: always */
	const char *way;	/* of recording it */
} names[] = {
	{ "comm", TEXT_COMM, 0, NULL },
	{ "tid", TEXT_TID, PERF_SAMPLE_TID, "an option that samples TID" },
	{ "pid", TEXT_PID, PERF_SAMPLE_TID, "an option that samples TID" },
	{ "time", TEXT_TIME, PERF_SAMPLE_TIME, "an option that samples TIME" },
	{ "cpu", TEXT_CPU, PERF_SAMPLE_CPU, "an option that samples CPU" },
	{ "event", TEXT_EVENT, 0, NULL },
	{ "trace", TEXT_TRACE, 0, NULL },
	{ "ip", TEXT_IP, PERF_SAMPLE_IP, "an option that samples IP" },
	{ "sym", TEXT_SYM, 0, NULL },
	{ "dso", TEXT_DSO, 0, NULL },
	{ "addr", TEXT_ADDR, PERF_SAMPLE_ADDR, "an option that samples ADDR" },
	{ "symoff", TEXT_SYMOFF, 0, NULL },
	{ "srcline", TEXT_SRCLINE, 0, NULL },
	{ "period", TEXT_PERIOD, 0, NULL },
	{ "misc", TEXT_MISC, 0, NULL },
	{ "weight", TEXT_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT,
	  "an option that samples WEIGHT" },
	{ "ins_lat", TEXT_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "an option that samples WEIGHT_STRUCT" },
	{ "data_src", TEXT_DATA_SRC, PERF_SAMPLE_DATA_SRC, "an option that samples DATA_SRC" },
	{ "phys_addr", TEXT_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "an option that samples PHYS_ADDR" },
	{ "data_page_size", TEXT_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE,
	  "an option that samples DATA_PAGE_SIZE" },
	{ "code_page_size", TEXT_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE,
	  "an option that samples CODE_PAGE_SIZE" },
	{ "iregs", TEXT_IREGS, PERF_SAMPLE_REGS_INTR, "an option that samples IREGS" },
	{ "uregs", TEXT_UREGS, PERF_SAMPLE_REGS_USER, "an option that samples UREGS" },
	{ "brstack", TEXT_BRSTACK, PERF_SAMPLE_BRANCH_STACK, "an option that samples BRANCH_STACK" },
	{ "brstacksym", TEXT_BRSTACKSYM, PERF_SAMPLE_BRANCH_STACK, "an option that samples BRANCH_STACK" },
	{ "brstackoff", TEXT_BRSTACKOFF, PERF_SAMPLE_BRANCH_STACK, "an option that samples BRANCH_STACK" },
	{ "flags", TEXT_FLAGS, 0, NULL },
	{ "bpf-output", TEXT_BPF_OUTPUT, 0, NULL },
	{ "tod", TEXT_TOD, PERF_SAMPLE_TIME, "an option that samples TIME" },
	{ "insn", TEXT_INSN, PERF_SAMPLE_IP, "an option that samples IP" },
	{ "insnlen", TEXT_INSNLEN, PERF_SAMPLE_IP, "an option that samples IP" },
	{ "srccode", TEXT_SRCCODE, PERF_SAMPLE_IP, "an option that samples IP" },
	{ "cgroup", TEXT_CGROUP, PERF_SAMPLE_CGROUP, "--fields cgroup or --all-cgroups" },
	{ "common", TEXT_COMMON, 0, NULL },
	{ "origin", TEXT_ORIGIN, 0, NULL },
};

/* Fields of perf that we do not have yet. */
static const char *const later[] = {
	"brstackinsn", "brstackinsnlen", "callindent", "synth", "metric", "ipc", "machine_pid", "vcpu",
};

/* The names before ':' in -F, and the names of the kinds in perf's messages. */
static const struct {
	const char *word, *text;
} kinds[TEXT_KINDS] = {
	[TEXT_HARDWARE] = { "hw", "hardware" },
	[TEXT_SOFTWARE] = { "sw", "software" },
	[TEXT_TRACEPOINT] = { "trace", "tracepoint" },
	[TEXT_HW_CACHE] = { NULL, "hardware-cache" },
	[TEXT_RAW] = { "raw", "raw" },
	[TEXT_BREAKPOINT] = { "break", "breakpoint" },
	[TEXT_OTHER] = { NULL, "other" },
	[TEXT_SYNTH] = { "synth", "synthesized" },
};

#define DEFAULT_LINE	(TEXT_COMM | TEXT_TID | TEXT_CPU | TEXT_TIME | TEXT_EVENT)
#define DEFAULT_PLACE	(TEXT_IP | TEXT_SYM | TEXT_SYMOFF | TEXT_DSO | TEXT_PERIOD)

void text_fields_init(struct text_fields *fields)
{
	*fields = (struct text_fields){ 0 };
	for (int k = 0; k < TEXT_KINDS; k++)
		fields->kinds[k].fields = DEFAULT_LINE | DEFAULT_PLACE;
	fields->kinds[TEXT_TRACEPOINT].fields = DEFAULT_LINE | TEXT_TRACE;
	fields->kinds[TEXT_SOFTWARE].fields |= TEXT_BPF_OUTPUT;
	fields->kinds[TEXT_RAW].fields |= TEXT_ADDR | TEXT_DATA_SRC | TEXT_WEIGHT | TEXT_PHYS_ADDR |
		TEXT_DATA_PAGE_SIZE | TEXT_CODE_PAGE_SIZE | TEXT_INS_LAT;
}

enum text_kind text_kind_of(const struct event *event)
{
	return event->attr.type <= PERF_TYPE_BREAKPOINT ? (enum text_kind)event->attr.type :
							  TEXT_OTHER;
}

static bool is_valid(enum text_kind kind, uint64_t field)
{
	if (kind == TEXT_SOFTWARE)
		return field != TEXT_TRACE;
	return kind == TEXT_TRACEPOINT || !(field & (TEXT_TRACE | TEXT_BPF_OUTPUT));
}

void text_fields_add_names(struct strbuf *out)
{
	word_add_names(WORDS(names), ", ", out);
}

static struct error *unknown_field(const char *word)
{
	struct error *err = error_new(EINVAL, "script -F has no field '%s'", word);
	const char *near = word_nearest(WORDS(names), word);

	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace script --help' lists the fields",
				  near);
	return error_hint(err, "'ktrace script --help' lists the fields");
}

static struct error *find_field(const char *word, uint64_t *ret)
{
	unsigned int row = word_find(WORDS(names), word);

	if (row == WORD_NONE && word_find(WORDS(later), word) != WORD_NONE)
		return error_hint(error_new(ENOSYS, "script -F %s is not built yet", word),
				  "Meanwhile 'perf script' prints it");
	if (row == WORD_NONE)
		return unknown_field(word);
	*ret = names[row].field;
	return NULL;
}

static void change(struct text_columns *columns, uint64_t field, bool remove, bool by_name)
{
	if (remove)
		columns->fields &= ~field;
	else
		columns->fields |= field;
	if (by_name && remove)
		columns->wanted &= ~field;
	else if (by_name)
		columns->wanted |= field;
	columns->set = columns->set_by_all = true;
}

static struct error *apply_word(struct text_fields *fields, int kind, const char *word,
				bool remove)
{
	uint64_t field = 0;
	struct error *err;

	err = find_field(word, &field);
	if (err)
		return err;
	if (kind >= 0) {
		if (!is_valid(kind, field))
			return error_new(EINVAL, "'%s' is not valid for %s events", word,
					 kinds[kind].text);
		/* As with perf, columns that such an event lacks are then left out silently. */
		change(&fields->kinds[kind], field, remove, false);
		return NULL;
	}
	for (int k = 0; k < TEXT_KINDS; k++)
		if (is_valid(k, field))
			change(&fields->kinds[k], field, remove, true);
	return NULL;
}

static bool any_set(const struct text_fields *fields)
{
	for (int k = 0; k < TEXT_KINDS; k++)
		if (fields->kinds[k].set)
			return true;
	return false;
}

/* A list of plain names replaces the selection; one of +names and -names edits it. */
static void clear(struct text_fields *fields, int kind)
{
	if (kind >= 0) {
		if (fields->kinds[kind].set)
			log_warning("Overriding previous field request for %s events.",
				    kinds[kind].text);
		fields->kinds[kind] = (struct text_columns){ .set = true };
		return;
	}
	if (any_set(fields))
		log_warning("Overriding previous field request for all events.");
	for (int k = 0; k < TEXT_KINDS; k++)
		fields->kinds[k] = (struct text_columns){ .set = true, .set_by_all = true };
}

static struct error *split_kind(char *text, int *ret_kind, char **ret_words)
{
	char *colon = strchr(text, ':');
	struct error *err;
	unsigned int kind;

	*ret_kind = -1;
	*ret_words = text;
	if (!colon)
		return NULL;
	*colon = '\0';
	*ret_words = colon + 1;
	err = word_parse(WORDS(kinds), "script -F has no kind of events", text, &kind);
	*ret_kind = kind;
	return err;
}

struct error *text_fields_parse(struct text_fields *fields, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *words, *word, *saved = NULL;
	bool edits, replaces = false;
	struct error *err;
	int kind;

	if (!copy)
		return &error_no_memory;
	err = split_kind(copy, &kind, &words);
	if (err)
		return err;
	if (!*words && kind < 0)
		return error_new(EINVAL, "script -F without fields would print nothing");
	edits = strpbrk(words, "+-");
	/* A name may contain a '-'; it is an edit only if a word begins with '+' or '-'. */
	if (edits) {
		edits = *words == '+' || *words == '-';
		for (char *p = words; *p; p++)
			if (*p == ',' && (p[1] == '+' || p[1] == '-'))
				edits = true;
	}
	if (!edits)
		clear(fields, kind);
	for (word = strtok_r(words, ",", &saved); word; word = strtok_r(NULL, ",", &saved)) {
		bool remove = *word == '-';
		bool edit = remove || *word == '+';

		replaces |= !edit;
		if (replaces && edits)
			return error_hint(error_new(EINVAL, "script -F '%s' mixes +FIELD and "
						    "-FIELD with plain ones", text),
					  "Use two -F: one that sets, one that edits");
		err = apply_word(fields, kind, word + edit, remove);
		if (err)
			return err;
	}
	return NULL;
}

static const struct event *first_of_kind(const struct event_list *events, enum text_kind kind)
{
	for (size_t i = 0; i < events->nr; i++)
		if (text_kind_of(events->items[i]) == kind)
			return events->items[i];
	return NULL;
}

static bool has_column(const struct event *event, size_t i)
{
	/* Beside the module's events there is one that only reports tasks. */
	if (names[i].field == TEXT_CGROUP)
		return event_has_cgroup(event) || event_is_dummy(event);
	return !names[i].sample_type || event_sampled(event) & names[i].sample_type;
}

/* These are perf's texts, by which programs that run perf script recognize the error. */
static struct error *no_such_column(const struct event *event, size_t i)
{
	_cleanup_free_ char *attribute = strdup(names[i].name);

	for (char *c = attribute; c && *c; c++)
		*c = toupper((unsigned char)*c);
	return error_hint(error_new(EINVAL, "Samples for '%s' event do not have %s attribute set. "
				    "Cannot print '%s' field", event->name,
				    attribute ? attribute : names[i].name, names[i].name),
			  "Leave it out of -F, or record with %s", names[i].way);
}

static struct error *check_columns(struct text_columns *columns, const struct event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t field = names[i].field;

		if (!(columns->fields & field) || has_column(event, i))
			continue;
		if (columns->wanted & field)
			return no_such_column(event, i);
		columns->fields &= ~field;
	}
	return NULL;
}

struct error *text_fields_check(struct text_fields *fields, const struct event_list *events,
				bool chains)
{
	for (int k = 0; k < TEXT_KINDS; k++) {
		struct text_columns *columns = &fields->kinds[k];
		const struct event *event = first_of_kind(events, k);
		struct error *err;

		if (!event && columns->set && !columns->set_by_all && k != TEXT_SYNTH)
			return error_hint(error_new(EINVAL, "The recording has no %s events",
						    kinds[k].text),
					  "Leave '-F %s:...' out", kinds[k].word);
		if (!event)
			continue;
		err = check_columns(columns, event);
		if (err)
			return err;
	}
	/* If call chains were recorded, perf also shows the place of tracepoints. */
	if (chains && !fields->kinds[TEXT_TRACEPOINT].set)
		for (size_t i = 0; i < events->nr; i++)
			if (text_kind_of(events->items[i]) == TEXT_TRACEPOINT &&
			    (events->items[i]->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
				fields->kinds[TEXT_TRACEPOINT].fields |=
					TEXT_IP | TEXT_SYM | TEXT_SYMOFF | TEXT_DSO;
	return NULL;
}
