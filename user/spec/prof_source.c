// SPDX-License-Identifier: GPL-2.0
#include "spec/prof_source.h"

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

/* The options that profilers have here, by their bits. */
enum {
	OPTION_FREQ = 1, OPTION_PERIOD = 2, OPTION_STACK = 4, OPTION_ALLOC = 8, OPTION_TRIGGER = 16,
};

struct source_options {
	unsigned long long freq, trigger;	/* 0: not given */
	uint64_t period;			/* in ns; 0: not given */
	const char *alloc, *free;			/* NULL: not given */
	bool stack;
};

struct source_kind {
	const char *name;
	unsigned int options;
	/* The tracepoints it takes, up to NULL, or else what makes the event. */
	const char *events[6];
	struct error *(*make)(const struct source_options *o, struct strbuf *event);
};

void prof_source_deinit(struct prof_source *source)
{
	for (size_t i = 0; i < source->events.nr; i++)
		free(source->events.items[i]);
	free(source->events.items);
	*source = (struct prof_source){ 0 };
}

char *prof_unquote(char *text)
{
	size_t len = strlen(text);

	if (len >= 2 && (*text == '"' || *text == '\'') && text[len - 1] == *text) {
		text[len - 1] = '\0';
		return text + 1;
	}
	return text;
}

static struct error *make_timer(const struct source_options *o, struct strbuf *event)
{
	if (o->period)
		strbuf_addf(event, "cpu-clock/period=%" PRIu64 "/", o->period);
	else
		strbuf_addf(event, "cpu-clock/freq=%llu/", o->freq ? o->freq : 4000);
	return NULL;
}

static struct error *make_faults(const struct source_options *o, struct strbuf *event)
{
	(void)o;
	strbuf_addf(event, "page-faults/period=1/");
	return NULL;
}

/*
 * Intel's SQ_MISC.SPLIT_LOCK; AMD's LsLocks, unit mask BusLock.  The numbers are those of the
 * vendors' manuals: they are of these processors only.
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
	return NULL;
}

static const struct source_kind kinds[] = {
	{ .name = "profile", .options = OPTION_FREQ | OPTION_STACK, .make = make_timer },
	{ .name = "hrtimer", .options = OPTION_FREQ | OPTION_PERIOD | OPTION_STACK,
	  .make = make_timer },
	{ .name = "irq-off", .options = OPTION_PERIOD | OPTION_STACK, .make = make_timer },
	{ .name = "page-faults", .options = OPTION_STACK, .make = make_faults },
	{ .name = "split-lock", .options = OPTION_TRIGGER | OPTION_STACK, .make = make_split_lock },
	{ .name = "task-state", .options = OPTION_STACK, .events = {
		"sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new" } },
	{ .name = "rundelay", .options = OPTION_STACK, .events = {
		"sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new" } },
	{ .name = "kvm-exit", .options = OPTION_STACK, .events = {
		"kvm:kvm_exit", "kvm:kvm_entry" } },
	/* Before 6.2, allocations on a node of memory have events of their own. */
	{ .name = "kmemleak", .options = OPTION_ALLOC | OPTION_STACK, .events = {
		"kmem:kmalloc*", "kmem:kmem_cache_alloc*", "kmem:kfree", "kmem:kmem_cache_free" } },
};

static bool parse_period(const char *text, uint64_t *ret)
{
	static const struct time_unit units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	return parse_time_unit(text, units, ARRAY_SIZE(units), ret) && *ret;
}

/* The words of options have spaces between them, which quotes protect. */
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

	say_options(kind->options, &said);
	if (!said.data)
		return &error_no_memory;
	return error_hint(error_new(EINVAL, "%s has no option '%s' here", kind->name, word),
			  "It has %s; each of its events comes to the function, which chooses",
			  said.data);
}

static struct error *parse_option(const struct source_kind *kind, const char *word, char **rest,
				  struct source_options *ret)
{
	char *value;

	if (!strcmp(word, "-g") && kind->options & OPTION_STACK) {
		ret->stack = true;
		return NULL;
	}
	value = next_option_word(rest);
	if (!strcmp(word, "-F") && kind->options & OPTION_FREQ)
		return value && parse_u64(value, &ret->freq) && ret->freq ? NULL :
		       error_new(EINVAL, "-F of %s takes a frequency in Hz", kind->name);
	if (!strcmp(word, "--period") && kind->options & OPTION_PERIOD)
		return value && parse_period(value, &ret->period) ? NULL :
		       error_hint(error_new(EINVAL, "--period of %s takes a time", kind->name),
				  "As in --period 10ms; the units are s, ms, us and ns");
	if (!strcmp(word, "--trigger") && kind->options & OPTION_TRIGGER)
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

/* Parse a breakpoint's ADDR[/LEN][:rwx], which fills the slots of options and attributes. */
static struct error *find_breakpoint(const struct words *words, struct prof_source *ret)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (words->nr < 2 || !*words->items[1])
		return error_hint(error_new(EINVAL, "breakpoint needs an address"),
				  "As in breakpoint/0xffffffff81c0de40/4:w/");
	strbuf_addf(&text, "mem:%s", prof_unquote(words->items[1]));
	ret->name = "breakpoint";
	ret->used = 2;
	/* The length may be a number in a slot of its own. */
	if (words->nr > 2 && words->items[2][0] >= '1' && words->items[2][0] <= '8') {
		strbuf_addf(&text, "/%s", words->items[2]);
		ret->used = 3;
	}
	return text.data ? add_source_event(ret, text.data) : &error_no_memory;
}

struct error *prof_source_find(const struct words *words, struct prof_source *ret)
{
	const char *name = words->items[0];
	struct source_options options = { 0 };
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const struct source_kind *kind;
	struct error *err = NULL;
	unsigned int row;

	if (!strcmp(name, "breakpoint"))
		return find_breakpoint(words, ret);
	row = word_find(WORDS(kinds), name);
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
