// SPDX-License-Identifier: GPL-2.0
#include "format/prof_spec.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "lib/options.h"
#include "lib/strbuf.h"
#include "lib/words.h"

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

static char *unquote(char *text)
{
	size_t len = strlen(text);

	if (len >= 2 && (*text == '"' || *text == '\'') && text[len - 1] == *text) {
		text[len - 1] = '\0';
		return text + 1;
	}
	return text;
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

/* Attributes of perf-prof's other profilers, which have no effect here. */
static const char *const without_meaning[] = {
	"key", "printkey", "top-by", "top-add", "comm", "ptr", "size", "num", "role", "untraced",
	"trigger", "index",
};

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

static struct error *add_attribute(struct prof_spec *spec, char *text)
{
	char *value = strchr(text, '=');

	if (value) {
		*value++ = '\0';
		value = unquote(value);
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
	for (size_t i = 0; i < ARRAY_SIZE(without_meaning); i++)
		if (!strcmp(text, without_meaning[i]))
			return NULL;
	return error_hint(error_new(EINVAL, "'%s' is not an attribute of an event for a script",
				    text),
			  "The attributes are stack, max-stack=N, alias=NAME and cpus=LIST");
}

/* The options of a source ("-F 997 -g"), as perf-prof's profiler of that name takes them. */
struct source_options {
	unsigned long long freq;
	bool stack;
};

static struct error *parse_source_options(char *text, const char *source,
					  struct source_options *ret)
{
	char *save, *word;

	for (word = strtok_r(unquote(text), " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strcmp(word, "-F")) {
			word = strtok_r(NULL, " ", &save);
			if (!word || !parse_u64(word, &ret->freq) || !ret->freq)
				return error_new(EINVAL, "-F of %s takes a frequency in Hz", source);
		} else if (!strcmp(word, "-g")) {
			ret->stack = true;
		} else {
			return error_hint(error_new(EINVAL, "%s has no option '%s' here", source, word),
					  "Its options are -F HZ and -g");
		}
	}
	return NULL;
}

static struct error *prof_push(struct prof_specs *specs, struct prof_spec *spec)
{
	if (!array_push(specs, *spec))
		return &error_no_memory;
	*spec = (struct prof_spec){ 0 };
	return NULL;
}

static bool is_source(const char *name, const char *source)
{
	return !strcmp(name, source);
}

/* Parse a breakpoint's ADDR[/LEN][:rwx], which fills the slots of options and attributes. */
static struct error *make_breakpoint(const struct words *words, char **ret, size_t *ret_used)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t used = 1;

	if (words->nr < 2 || !*words->items[1])
		return error_hint(error_new(EINVAL, "breakpoint needs an address"),
				  "As in breakpoint/0xffffffff81c0de40/4:w/");
	strbuf_addf(&text, "mem:%s", unquote(words->items[1]));
	used = 2;
	/* The length may be a number in a slot of its own. */
	if (words->nr > 2 && words->items[2][0] >= '1' && words->items[2][0] <= '8') {
		strbuf_addf(&text, "/%s", words->items[2]);
		used = 3;
	}
	*ret = take_ptr(text.data);
	*ret_used = used;
	return *ret ? NULL : &error_no_memory;
}

static struct error *add_attributes(struct prof_spec *spec, const struct words *words, size_t from)
{
	struct error *err = NULL;

	for (size_t i = from; !err && i < words->nr; i++)
		if (*words->items[i])
			err = add_attribute(spec, words->items[i]);
	return err;
}

static const char *const task_state_events[] = {
	"sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new",
};

static struct error *add_task_state(struct prof_specs *specs, const struct words *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(task_state_events); i++) {
		_cleanup_(spec) struct prof_spec spec = { .tracepoint = true, .has_alias = true };
		struct error *err;

		if (!prof_set(&spec.event, task_state_events[i]) || !prof_set(&spec.name, "task-state"))
			return &error_no_memory;
		err = add_attributes(&spec, words, 2);
		if (!err)
			err = prof_push(specs, &spec);
		if (err)
			return err;
	}
	return NULL;
}

/* What perf-prof takes as an event, too, and how to have it here. */
static const struct {
	const char *name, *instead;
} other_sources[] = {
	{ "rundelay", "task-state has the events, 'ktrace sched latency' and 'ktrace why' the delays" },
	{ "kvm-exit", "kvm:kvm_exit and kvm:kvm_entry are the events, 'ktrace kvm stat' has the times" },
	{ "irq-off", "preemptirq:irq_disable and preemptirq:irq_enable are the events, where the "
		     "kernel has them" },
	{ "hrtimer", "profile takes samples by a timer; timer:hrtimer_expire_entry and "
		     "timer:hrtimer_expire_exit are the kernel's own timers" },
	{ "kmemleak", "kmem:kmalloc//stack/ and kmem:kfree// are the events, 'ktrace kmem stat' has "
		      "what was not freed" },
	{ "split-lock", "only PMUs of some processors count them: ktrace stat -e, with the event's "
			"number" },
};

static struct error *no_such_source(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_sources); i++)
		if (is_source(name, other_sources[i].name))
			return error_hint(error_new(EINVAL, "Scripts cannot record perf-prof's %s",
						    other_sources[i].name),
					  "Instead: %s", other_sources[i].instead);
	return error_hint(error_new(EINVAL, "'%s' is not an event that scripts can record", name),
			  "Scripts can record tracepoints (system:name), profile, page-faults, "
			  "breakpoint and task-state");
}

static struct error *prof_add_source(struct prof_specs *specs, const struct words *words)
{
	_cleanup_(spec) struct prof_spec spec = { .has_alias = true };
	struct source_options options = { 0 };
	const char *name = words->items[0];
	size_t used = words->nr > 1 ? 2 : 1;
	struct error *err = NULL;
	int made = 0;

	if (is_source(name, "task-state"))
		return add_task_state(specs, words);
	if (is_source(name, "breakpoint")) {
		err = make_breakpoint(words, &spec.event, &used);
	} else if (is_source(name, "profile")) {
		if (words->nr > 1)
			err = parse_source_options(words->items[1], name, &options);
		made = asprintf(&spec.event, "cpu-clock/freq=%llu/",
				options.freq ? options.freq : 4000);
	} else if (is_source(name, "page-faults")) {
		if (words->nr > 1)
			err = parse_source_options(words->items[1], name, &options);
		made = asprintf(&spec.event, "page-faults/period=1/");
		spec.addr = true;
	} else {
		return no_such_source(name);
	}
	spec.stack = options.stack;
	if (!err && (made < 0 || !prof_set(&spec.name, name)))
		err = &error_no_memory;
	if (!err)
		err = add_attributes(&spec, words, used);
	return err ? err : prof_push(specs, &spec);
}

static struct error *prof_add_tracepoint(struct prof_specs *specs, const struct words *words)
{
	_cleanup_(spec) struct prof_spec spec = { .tracepoint = true };
	struct error *err;

	if (!prof_set(&spec.event, words->items[0]) || !prof_set(&spec.name, words->items[0]))
		return &error_no_memory;
	if (words->nr > 1 && *words->items[1] && !prof_set(&spec.filter, unquote(words->items[1])))
		return &error_no_memory;
	err = add_attributes(&spec, words, 2);
	return err ? err : prof_push(specs, &spec);
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
					     prof_add_source(specs, &words);
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
