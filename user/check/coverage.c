// SPDX-License-Identifier: GPL-2.0
#include "check/coverage_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "format/print_value.h"
#include "lib/array.h"
#include "lib/hash.h"
#include "lib/strbuf.h"

/* With fewer records, a value that is always the same means nothing. */
#define CONSTANT_MIN 10
/* How many names are shown of a long list. */
#define NAMES_SHOWN 6

static void event_deinit(struct event_coverage *event)
{
	const struct event_format *format = event->subject.format;

	for (size_t i = 0; event->fields && i < format->nr_fields; i++)
		free(event->fields[i].seen);
	free(event->fields);
	for (size_t i = 0; i < event->branches.nr; i++)
		print_value_destroy(event->branches.items[i].condition);
	free(event->branches.items);
	subject_deinit(&event->subject);
}

void coverage_destroy(struct coverage *coverage)
{
	if (!coverage)
		return;
	for (size_t i = 0; coverage->events && i < coverage->results->nr; i++)
		event_deinit(&coverage->events[i]);
	free(coverage->events);
	free(coverage);
}

/* Collect the branches; those with conditions that cannot be evaluated are left out. */
static bool take_branches(struct event_coverage *event, const struct argument *argument,
			  const struct print_node *node)
{
	const struct print_target target = {
		.format = event->subject.format, .long_size = sizeof(long),
	};
	struct branch branch = { .place = argument->place };

	if (!node)
		return true;
	if (node->kind == PRINT_OPERATION && node->op == '?') {
		branch.condition = print_value_create(&target, node->a);
		if (branch.condition && !array_push(&event->branches, branch)) {
			print_value_destroy(branch.condition);
			return false;
		}
	}
	return take_branches(event, argument, node->a) && take_branches(event, argument, node->b) &&
		take_branches(event, argument, node->c);
}

static struct error *event_init(struct event_coverage *event, struct results *results,
				struct result *result)
{
	const struct event_format *format;
	struct error *err;

	err = subject_init(&event->subject, results, result);
	format = event->subject.format;
	if (err || !format)
		return err;
	event->fields = calloc(format->nr_fields + 1, sizeof(*event->fields));
	if (!event->fields)
		return &error_no_memory;
	for (size_t i = 0; i < format->nr_fields; i++) {
		event->fields[i].seen = calloc(format->fields[i].nr_names + 1, sizeof(bool));
		if (!event->fields[i].seen)
			return &error_no_memory;
	}
	for (size_t i = 0; i < event->subject.arguments.nr; i++) {
		const struct argument *argument = &event->subject.arguments.items[i];

		if (!take_branches(event, argument, argument->node))
			return &error_no_memory;
	}
	return NULL;
}

struct error *coverage_create(struct results *results, struct coverage **ret)
{
	_cleanup_(coverage) struct coverage *coverage = calloc(1, sizeof(*coverage));
	struct error *err = NULL;

	if (!coverage)
		return &error_no_memory;
	coverage->results = results;
	coverage->events = calloc(results->nr + 1, sizeof(*coverage->events));
	if (!coverage->events)
		return &error_no_memory;
	for (size_t i = 0; !err && i < results->nr; i++)
		err = event_init(&coverage->events[i], results, results->items[i]);
	if (err)
		return err;
	*ret = take_ptr(coverage);
	return NULL;
}

size_t coverage_find(const struct coverage *coverage, const char *system, const char *name)
{
	for (size_t i = 0; i < coverage->results->nr; i++)
		if (!strcmp(coverage->results->items[i]->name, name) &&
		    !strcmp(coverage->results->items[i]->system, system))
			return i;
	return SIZE_MAX;
}

/*
 * An empty string has its NUL: a string without any byte could not be read.  Some kernels store a
 * text for that.
 */
static bool is_faulted(const struct field *field, const void *raw, size_t size)
{
	static const char fault[] = "(fault)";
	struct field bytes = *field;
	const char *text;
	size_t len;

	bytes.kind = FIELD_DYNAMIC_ARRAY;
	text = field->kind == FIELD_DYNAMIC_STRING ? field_bytes(&bytes, raw, size, &len) : NULL;
	return text && (!len || (len == sizeof(fault) && !memcmp(text, fault, len)));
}

static void cover_field(struct field_coverage *f, const struct field *field, bool is_first,
			const void *raw, size_t size)
{
	uint64_t value;
	size_t len;

	if (field->kind == FIELD_INTEGER) {
		value = field_u64(field, raw, size);
		f->nonzero |= value != 0;
	} else {
		const unsigned char *bytes = field_bytes(field, raw, size, &len);

		value = bytes ? hash_bytes(HASH_INIT, bytes, len) : 0;
		for (size_t i = 0; bytes && i < len && !f->nonzero; i++)
			f->nonzero = bytes[i];
	}
	if (is_first)
		f->first = value;
	f->varies |= value != f->first;
	for (size_t i = 0; i < field->nr_names; i++) {
		uint64_t name = field->names[i].value;

		if (field->is_flags ? name && (value & name) == name : value == name)
			f->seen[i] = true;
	}
}

void coverage_add(struct coverage *coverage, size_t index, const void *raw, size_t size)
{
	struct event_coverage *event = &coverage->events[index];
	const struct event_format *format = event->subject.format;
	const struct print_record record = { .data = raw, .size = size };

	if (!format)
		return;
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		cover_field(&event->fields[i], &format->fields[i], !event->records, raw, size);
	for (size_t i = format->nr_common; event->subject.is_probe && i < format->nr_fields; i++)
		event->fields[i].faults += is_faulted(&format->fields[i], raw, size);
	for (size_t i = 0; i < event->branches.nr; i++) {
		struct branch *branch = &event->branches.items[i];

		branch->seen[print_value_get(branch->condition, &record) != 0] = true;
	}
	event->records++;
}

static void report_names(struct subject *s, const struct field *field,
			 const struct field_coverage *f)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	size_t nr = 0;

	/* Values that nobody but the kernel knows are not seen, although they may have come. */
	if (s->result->met[RULE_ENUM_UNRESOLVED])
		return;
	for (size_t i = 0; i < field->nr_names; i++)
		if (!f->seen[i] && nr++ < NAMES_SHOWN)
			strbuf_addf(&names, "%s%s", nr > 1 ? ", " : "", field->names[i].name);
	if (nr > NAMES_SHOWN)
		strbuf_addf(&names, " and %zu more", nr - NAMES_SHOWN);
	if (nr)
		find_field(s, RULE_VALUE_NOT_SEEN, field, "%zu of the %zu names of %s were not "
			   "seen: %s", nr, field->nr_names, field->name, strbuf_str(&names));
}

/* The values of unreadable arguments: an empty text, or the number 0. */
static bool report_argument(struct event_coverage *event, const struct field *field,
			    const struct field_coverage *f)
{
	if (!strncmp(field->name, "__probe_", strlen("__probe_")))
		return true;
	if (f->faults)
		find_field(&event->subject, RULE_PROBE_STRING_FAULTED, field,
			   "The kernel could not read the string %s in %llu of %llu records",
			   field->name, (unsigned long long)f->faults,
			   (unsigned long long)event->records);
	else if (!f->nonzero && event->records >= CONSTANT_MIN)
		find_field(&event->subject, RULE_PROBE_ARGUMENT_ZERO, field,
			   "%s is zero in all of %llu records, which also happens if it cannot be "
			   "read",
			   field->name, (unsigned long long)event->records);
	else
		return false;
	return true;
}

static void report_event(struct event_coverage *event)
{
	struct subject *s = &event->subject;

	if (!event->records) {
		find_at(s, RULE_EVENT_NOT_FIRED, NULL, NO_PLACE, "The event did not fire");
		return;
	}
	for (size_t i = s->format->nr_common; i < s->format->nr_fields; i++) {
		const struct field *field = &s->format->fields[i];
		const struct field_coverage *f = &event->fields[i];

		if (s->is_probe && report_argument(event, field, f))
			continue;
		if (!f->varies && event->records >= CONSTANT_MIN)
			find_field(s, RULE_FIELD_CONSTANT, field, "%s is always %s, in %llu records",
				   field->name, f->nonzero ? "the same" : "zero",
				   (unsigned long long)event->records);
		report_names(s, field, f);
	}
	for (size_t i = 0; i < event->branches.nr; i++) {
		const struct branch *branch = &event->branches.items[i];

		if (!branch->seen[0] || !branch->seen[1])
			find_at(s, RULE_BRANCH_NOT_TAKEN, NULL, branch->place,
				"A condition of the print fmt is always %s",
				branch->seen[0] ? "false" : "true");
	}
}

void coverage_report(struct coverage *coverage)
{
	for (size_t i = 0; i < coverage->results->nr; i++)
		if (coverage->events[i].subject.format)
			report_event(&coverage->events[i]);
}
