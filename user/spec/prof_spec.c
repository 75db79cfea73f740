// SPDX-License-Identifier: GPL-2.0
#include "spec/prof_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "terminal/options.h"
#include "terminal/word_list.h"
#include "terminal/words.h"

struct prof_source {
	/* Tracepoints in the syntax of -e, or an event in the syntax of record -e; owned. */
	ARRAY_OF(char *) events;
	const char *name;	/* of the profiler */
	bool tracepoints;
	bool stack;		/* -g */
	bool addr;		/* its samples have addresses */
	const char *cpus;	/* -C; NULL: all */
	size_t used;		/* number of parsed words; the rest are attributes */
};

/* The supported options of profilers, by their bits. */
enum {
	OPTION_FREQ = 1, OPTION_PERIOD = 2, OPTION_STACK = 4, OPTION_ALLOC = 8, OPTION_TRIGGER = 16,
	OPTION_MODE = 32, OPTION_CPUS = 64,
	/* The options of all profilers, and of all profilers that sample. */
	OPTIONS_ANY = OPTION_STACK | OPTION_CPUS, OPTIONS_SAMPLES = OPTIONS_ANY | OPTION_MODE,
};

/* Options, attributes and profilers that only perf-prof has (perf_prof.def), by kind. */
static const struct prof_refusal {
	const char *name, *instead;
} other_profilers[] = {
#define PROFILER(name, instead) { name, instead },
#include "spec/perf_prof.def"
}, other_options[] = {
#define OPTION(name, instead) { name, instead },
#include "spec/perf_prof.def"
}, other_attributes[] = {
#define ATTRIBUTE(name, instead) { name, instead },
#include "spec/perf_prof.def"
};

/* The advice for the first @len letters of @name; NULL: unknown. */
static const char *prof_instead(const struct prof_refusal *rows, size_t nr, const char *name,
				size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(rows[i].name) == len && !strncmp(rows[i].name, name, len))
			return rows[i].instead;
	return NULL;
}

#define INSTEAD(rows, name, len) prof_instead(rows, ARRAY_SIZE(rows), name, len)

struct source_options {
	unsigned long long freq, trigger;	/* 0: not given */
	uint64_t period;			/* in ns; 0: not given */
	const char *alloc, *free;			/* NULL: not given */
	const char *cpus;				/* NULL: not given */
	bool stack, no_user, no_kernel;
};

struct source_kind {
	const char *name;
	unsigned int options;
	/* The profiler's tracepoints, ended by NULL, or else the function that builds its event. */
	const char *events[6];
	struct error *(*make)(const struct source_options *o, struct strbuf *event);
};

static void prof_source_deinit(struct prof_source *source)
{
	array_free_each(&source->events);
	*source = (struct prof_source){ 0 };
}

DEFINE_CLEANUP(prof_source, struct prof_source, prof_source_deinit)

/* Remove the quotes around @text, which is modified.  Returns the new beginning. */
static char *prof_unquote(char *text)
{
	size_t len = strlen(text);

	if (len >= 2 && (*text == '"' || *text == '\'') && text[len - 1] == *text) {
		text[len - 1] = '\0';
		return text + 1;
	}
	return text;
}

static void add_mode(const struct source_options *o, struct strbuf *event)
{
	strbuf_addf(event, "%s", o->no_user ? "k" : o->no_kernel ? "u" : "");
}

static struct error *make_timer(const struct source_options *o, struct strbuf *event)
{
	if (o->period)
		strbuf_addf(event, "cpu-clock/period=%" PRIu64 "/", o->period);
	else
		strbuf_addf(event, "cpu-clock/freq=%llu/", o->freq ? o->freq : 4000);
	add_mode(o, event);
	return NULL;
}

static struct error *make_faults(const struct source_options *o, struct strbuf *event)
{
	strbuf_addf(event, "page-faults/period=1/");
	add_mode(o, event);
	return NULL;
}

/*
 * Intel's SQ_MISC.SPLIT_LOCK; AMD's LsLocks, unit mask BusLock.  The numbers are from the vendors'
 * manuals, and only valid on these processors.
 */
static struct error *make_split_lock(const struct source_options *o, struct strbuf *event)
{
	const char *number = NULL;

#ifdef __x86_64__
	__builtin_cpu_init();
	number = __builtin_cpu_is("intel") ? "r10f4" : __builtin_cpu_is("amd") ? "r125" : NULL;
#endif
	if (!number)
		return error_new(EINVAL, "split-lock exists only on processors of Intel and AMD");
	strbuf_addf(event, "%s/period=%llu/", number, o->trigger ? o->trigger : 1000);
	add_mode(o, event);
	return NULL;
}

static const struct source_kind kinds[] = {
	{ .name = "profile", .options = OPTION_FREQ | OPTIONS_SAMPLES, .make = make_timer },
	{ .name = "hrtimer", .options = OPTION_FREQ | OPTION_PERIOD | OPTIONS_SAMPLES,
	  .make = make_timer },
	{ .name = "irq-off", .options = OPTION_PERIOD | OPTIONS_SAMPLES, .make = make_timer },
	{ .name = "page-faults", .options = OPTIONS_SAMPLES, .make = make_faults },
	{ .name = "split-lock", .options = OPTION_TRIGGER | OPTIONS_SAMPLES,
	  .make = make_split_lock },
	{ .name = "task-state", .options = OPTIONS_ANY, .events = {
		"sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new" } },
	{ .name = "rundelay", .options = OPTIONS_ANY, .events = {
		"sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new" } },
	{ .name = "kvm-exit", .options = OPTIONS_ANY, .events = {
		"kvm:kvm_exit", "kvm:kvm_entry" } },
	/* Before Linux 6.2, allocations on a NUMA node have events of their own. */
	{ .name = "kmemleak", .options = OPTION_ALLOC | OPTIONS_ANY, .events = {
		"kmem:kmalloc*", "kmem:kmem_cache_alloc*", "kmem:kfree", "kmem:kmem_cache_free" } },
};

static bool parse_period(const char *text, uint64_t *ret)
{
	static const struct time_unit units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	return parse_time_unit(text, units, ARRAY_SIZE(units), ret) && *ret;
}

/* The words of options are separated by spaces, which quotes protect. */
static char *next_option_word(char **text)
{
	char *start = *text + strspn(*text, " "), *p = start, quote = 0;

	if (!*start)
		return NULL;
	for (; *p && (quote || *p != ' '); p++)
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? 0 : *p;
	*text = *p ? p + 1 : p;
	*p = '\0';
	return prof_unquote(start);
}

static void say_options(unsigned int options, struct strbuf *to)
{
	static const char *const names[] = {
		"-F HZ", "--period NS", "-g", "--alloc EVENT --free EVENT", "--trigger N",
		"--exclude-user or --exclude-kernel", "-C LIST",
	};
	unsigned int nr = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(options & 1U << i))
			continue;
		strbuf_addf(to, "%s%s", !nr++ ? "" : options >> (i + 1) ? ", " : " and ", names[i]);
	}
}

static struct error *no_such_option(const struct source_kind *kind, const char *word)
{
	_cleanup_(strbuf) struct strbuf said = STRBUF_INIT;
	const char *instead = INSTEAD(other_options, word, strcspn(word, "="));

	if (instead)
		return error_hint(error_new(EINVAL, "perf-prof's option '%s' is not an option of "
					    "%s for a script",
					    word, kind->name), "Instead, %s", instead);
	say_options(kind->options, &said);
	if (!said.data)
		return &error_no_memory;
	return error_hint(error_new(EINVAL, "%s has no option '%s' here", kind->name, word),
			  "It has %s; the function gets each of its events and chooses",
			  said.data);
}

static struct error *parse_option(const struct source_kind *kind, const char *word, char **rest,
				  struct source_options *ret)
{
	bool of_mode = !strcmp(word, "--exclude-user") || !strcmp(word, "--exclude-kernel");
	char *value;

	if ((!strcmp(word, "-g") || !strcmp(word, "--call-graph")) && kind->options & OPTION_STACK) {
		ret->stack = true;
		return NULL;
	}
	if (of_mode && kind->options & OPTION_MODE) {
		*(!strcmp(word, "--exclude-user") ? &ret->no_user : &ret->no_kernel) = true;
		return ret->no_user && ret->no_kernel ?
		       error_new(EINVAL, "%s samples nothing without user space and the kernel",
				 kind->name) : NULL;
	}
	value = next_option_word(rest);
	if ((!strcmp(word, "-C") || !strcmp(word, "--cpus")) && kind->options & OPTION_CPUS) {
		ret->cpus = value;
		return value && *value ? NULL : error_new(EINVAL, "%s of %s takes a list of CPUs", word,
							  kind->name);
	}
	if ((!strcmp(word, "-F") || !strcmp(word, "--freq")) && kind->options & OPTION_FREQ)
		return value && parse_u64(value, &ret->freq) && ret->freq ? NULL :
		       error_new(EINVAL, "-F of %s takes a frequency in Hz", kind->name);
	if (!strcmp(word, "--period") && kind->options & OPTION_PERIOD)
		return value && parse_period(value, &ret->period) ? NULL :
		       error_hint(error_new(EINVAL, "--period of %s takes a time", kind->name),
				  "As in --period 10ms; the units are s, ms, us and ns");
	if ((!strcmp(word, "--trigger") || !strcmp(word, "-T")) && kind->options & OPTION_TRIGGER)
		return value && parse_u64(value, &ret->trigger) && ret->trigger ? NULL :
		       error_new(EINVAL, "--trigger of %s takes a number of events", kind->name);
	if (!strcmp(word, "--alloc") && kind->options & OPTION_ALLOC)
		ret->alloc = value;
	else if (!strcmp(word, "--free") && kind->options & OPTION_ALLOC)
		ret->free = value;
	else
		return no_such_option(kind, word);
	return value && strchr(value, ':') ? NULL :
	       error_hint(error_new(EINVAL, "%s of %s takes a tracepoint", word, kind->name),
			  "As in 'kmemleak/--alloc \"kmem:kmalloc//stack/\" --free kmem:kfree/'");
}

static struct error *add_source_event(struct prof_source *source, const char *event)
{
	char *copy = strdup(event);

	if (copy && array_push(&source->events, copy))
		return NULL;
	free(copy);
	return &error_no_memory;
}

static struct error *make_source_events(const struct source_kind *kind,
					const struct source_options *o, struct prof_source *ret)
{
	_cleanup_(strbuf) struct strbuf event = STRBUF_INIT;
	struct error *err = NULL;

	ret->name = kind->name;
	ret->stack = o->stack;
	ret->cpus = o->cpus;
	ret->addr = kind->make == make_faults;
	ret->tracepoints = !kind->make;
	if (kind->make) {
		err = kind->make(o, &event);
		if (!err && !event.data)
			err = &error_no_memory;
		return err ? err : add_source_event(ret, event.data);
	}
	if (!o->alloc != !o->free)
		return error_new(EINVAL, "%s takes both of --alloc and --free, or none", kind->name);
	if (o->alloc) {
		err = add_source_event(ret, o->alloc);
		return err ? err : add_source_event(ret, o->free);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kind->events) && kind->events[i] && !err; i++)
		err = add_source_event(ret, kind->events[i]);
	return err;
}

/* Parse a breakpoint's ADDR[/LEN][:rwx], which takes the place of options and attributes. */
static struct error *find_breakpoint(const struct words *words, struct prof_source *ret)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (words->nr < 2 || !*words->items[1])
		return error_hint(error_new(EINVAL, "breakpoint needs an address"),
				  "As in breakpoint/0xffffffff81c0de40/4:w/");
	strbuf_addf(&text, "mem:%s", prof_unquote(words->items[1]));
	ret->name = "breakpoint";
	ret->used = 2;
	/* The length may be a number between slashes of its own. */
	if (words->nr > 2 && words->items[2][0] >= '1' && words->items[2][0] <= '8') {
		strbuf_addf(&text, "/%s", words->items[2]);
		ret->used = 3;
	}
	return text.data ? add_source_event(ret, text.data) : &error_no_memory;
}

/*
 * Find the profiler of NAME[/OPTIONS/ATTRIBUTE...], whose parts are @words; they are modified.
 * Errors are EINVAL and ENOMEM; the caller also releases @ret on error.
 */
static struct error *prof_source_find(const struct words *words, struct prof_source *ret)
{
	const char *name = words->items[0];
	struct source_options options = { 0 };
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const struct source_kind *kind;
	struct error *err = NULL;
	const char *instead;
	unsigned int row;

	if (!strcmp(name, "breakpoint"))
		return find_breakpoint(words, ret);
	row = word_find(WORDS(kinds), name);
	instead = INSTEAD(other_profilers, name, strlen(name));
	if (row == WORD_NONE && instead)
		return error_hint(error_new(EINVAL, "perf-prof's profiler '%s' prints a table of its own, "
					    "which is not an event for a script", name),
				  "Instead, %s", instead);
	if (row == WORD_NONE) {
		word_add_names(WORDS(kinds), " and ", &names);
		return error_hint(error_new(EINVAL, "'%s' is not an event that scripts can record",
					    name),
				  "Scripts can record tracepoints (system:name), breakpoint, %s",
				  strbuf_str(&names));
	}
	kind = &kinds[row];
	ret->used = words->nr > 1 ? 2 : 1;
	if (words->nr > 1) {
		char *rest = prof_unquote(words->items[1]), *word;

		while (!err && (word = next_option_word(&rest)))
			err = parse_option(kind, word, &rest, &options);
	}
	if (!err && options.freq && options.period)
		err = error_new(EINVAL, "%s takes one of -F and --period", name);
	return err ? err : make_source_events(kind, &options, ret);
}

static void prof_spec_deinit(struct prof_spec *spec)
{
	free(spec->event);
	free(spec->name);
	free(spec->filter);
	free(spec->cpus);
}

void prof_specs_deinit(struct prof_specs *specs)
{
	for (size_t i = 0; i < specs->nr; i++)
		prof_spec_deinit(&specs->items[i]);
	free(specs->items);
	free(specs->given);
	*specs = (struct prof_specs){ 0 };
}

DEFINE_CLEANUP(spec, struct prof_spec, prof_spec_deinit)

/* Add the parts between unprotected separators; @text is modified. */
static struct error *prof_split(char *text, char separator, struct words *ret)
{
	int depth = 0;
	char quote = 0, *start = text, *p;

	for (p = text; *p; p++) {
		if (quote) {
			if (*p == quote)
				quote = 0;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (*p == '(') {
			depth++;
		} else if (*p == ')') {
			depth--;
		} else if (*p == separator && depth <= 0) {
			*p = '\0';
			words_add(ret, start);
			start = p + 1;
		}
	}
	if (quote || depth > 0)
		return error_new(EINVAL, "A %s is not closed in '%s'", quote ? "quote" : "parenthesis",
				 start);
	words_add(ret, start);
	return ret->failed ? &error_no_memory : NULL;
}

static bool prof_set(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to;
}

static struct error *set_alias(struct prof_spec *spec, const char *alias)
{
	_cleanup_free_ char *old = spec->name;
	char *colon = strchr(old, ':');

	spec->name = NULL;
	if (asprintf(&spec->name, "%.*s%s", colon ? (int)(colon + 1 - old) : 0, old, alias) < 0)
		return &error_no_memory;
	spec->has_alias = true;
	return NULL;
}

static struct error *set_max_stack(struct prof_spec *spec, const char *value)
{
	unsigned long frames;
	char *end;

	frames = strtoul(value, &end, 10);
	if (*end || !frames || frames > UINT16_MAX)
		return error_hint(error_new(EINVAL, "'max-stack=%s' is not a number of frames",
					    value),
				  "As in 'sched:sched_wakeup//max-stack=5/'");
	spec->stack = true;
	spec->max_stack = frames;
	return NULL;
}

/* Each event of a profiler gets the same @given, so it is not modified. */
static struct error *add_attribute(struct prof_spec *spec, const char *given)
{
	_cleanup_free_ char *text = strdup(given);
	char *value = text ? strchr(text, '=') : NULL;
	const char *instead;

	if (!text)
		return &error_no_memory;
	if (value) {
		*value++ = '\0';
		value = prof_unquote(value);
	}
	if (!strcmp(text, "stack") && !value) {
		spec->stack = true;
		return NULL;
	}
	if (!strcmp(text, "max-stack") && value)
		return set_max_stack(spec, value);
	if (!strcmp(text, "alias") && value && *value)
		return set_alias(spec, value);
	if (!strcmp(text, "cpus") && value)
		return prof_set(&spec->cpus, value) ? NULL : &error_no_memory;
	instead = INSTEAD(other_attributes, text, strlen(text));
	if (instead)
		return error_hint(error_new(EINVAL, "perf-prof's attribute '%s' has no effect on a "
					    "script", text), "Instead, %s", instead);
	return error_hint(error_new(EINVAL, "'%s' is not an attribute of an event for a script",
				    text),
			  "The attributes are stack, max-stack=N, alias=NAME and cpus=LIST");
}

static struct error *prof_push(struct prof_specs *specs, struct prof_spec *spec)
{
	if (!array_push(specs, *spec))
		return &error_no_memory;
	*spec = (struct prof_spec){ 0 };
	return NULL;
}

static struct error *add_attributes(struct prof_spec *spec, const struct words *words, size_t from)
{
	struct error *err = NULL;

	for (size_t i = from; !err && i < words->nr; i++)
		if (*words->items[i])
			err = add_attribute(spec, words->items[i]);
	return err;
}

/* @parts: the parts of a tracepoint between slashes: its name, its filter and its attributes. */
static struct error *prof_set_event(struct prof_spec *spec, const char *event,
				    const struct words *parts)
{
	if (!prof_set(&spec->event, event) || !prof_set(&spec->name, event))
		return &error_no_memory;
	if (parts->nr > 1 && *parts->items[1] &&
	    !prof_set(&spec->filter, prof_unquote(parts->items[1])))
		return &error_no_memory;
	return add_attributes(spec, parts, 2);
}

static struct error *prof_add_tracepoint(struct prof_specs *specs, const struct words *words)
{
	_cleanup_(spec) struct prof_spec spec = { .tracepoint = true };
	struct error *err = prof_set_event(&spec, words->items[0], words);

	return err ? err : prof_push(specs, &spec);
}

/* Add the events of a profiler, with its name and the attributes behind its options. */
static struct error *prof_add_events_of(struct prof_specs *specs, const struct words *words)
{
	_cleanup_(prof_source) struct prof_source source = { 0 };
	struct error *err = prof_source_find(words, &source);

	for (size_t i = 0; i < source.events.nr && !err; i++) {
		_cleanup_(words) struct words parts = { 0 };
		_cleanup_(spec) struct prof_spec spec = { .tracepoint = source.tracepoints,
							  .addr = source.addr };
		char *event = source.events.items[i];

		if (source.tracepoints)
			err = prof_split(event, '/', &parts);
		if (!err)
			err = prof_set_event(&spec, parts.nr ? parts.items[0] : event, &parts);
		if (!err && !prof_set(&spec.name, source.name))
			err = &error_no_memory;
		spec.has_alias = true;
		spec.stack |= source.stack;
		if (!err && source.cpus && !prof_set(&spec.cpus, source.cpus))
			err = &error_no_memory;
		if (!err)
			err = add_attributes(&spec, words, source.used);
		if (!err)
			err = prof_push(specs, &spec);
	}
	return err;
}

static bool is_probe(const char *text)
{
	static const char *const kinds[] = { "kprobe:", "kretprobe:", "uprobe:", "uretprobe:" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(text, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

static struct error *prof_add_word(struct prof_specs *specs, char *text)
{
	_cleanup_(words) struct words words = { 0 };
	size_t len = strlen(text);
	struct error *err;

	if (!len)
		return error_new(EINVAL, "An event has no name");
	if (is_probe(text))
		return error_hint(error_new(EINVAL, "'%s' would create a probe, which ktrace "
					    "does not do for scripts", text),
				  "Create the probe in tracefs, and name it here as system:name");
	if (strchr(text, '/') && text[len - 1] != '/')
		return error_hint(error_new(EINVAL, "'%s' does not end with '/'", text),
				  "As in 'sched:sched_wakeup/pid>1000/' or 'sched:sched_wakeup//stack/'");
	err = prof_split(text, '/', &words);
	if (err)
		return err;
	return strchr(words.items[0], ':') ? prof_add_tracepoint(specs, &words) :
					     prof_add_events_of(specs, &words);
}

struct error *prof_specs_add(struct prof_specs *specs, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	_cleanup_(words) struct words words = { 0 };
	struct error *err = copy ? prof_split(copy, ',', &words) : &error_no_memory;
	char *given = NULL;

	for (size_t i = 0; !err && i < words.nr; i++)
		err = prof_add_word(specs, words.items[i]);
	if (!err && asprintf(&given, "%s%s%s", specs->given ? specs->given : "",
			     specs->given ? "," : "", text) < 0)
		return &error_no_memory;
	if (given) {
		free(specs->given);
		specs->given = given;
	}
	return err;
}
