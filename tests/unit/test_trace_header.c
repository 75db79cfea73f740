// SPDX-License-Identifier: GPL-2.0
/* Events and their parts, found in the text of trace headers. */
#include <stdlib.h>

#include "header/trace_header.h"
#include "lib/strbuf.h"
#include "tap.h"

static const char text[] =
	"#undef TRACE_SYSTEM\n"
	"#define TRACE_SYSTEM mydrv\n"
	"/* TRACE_EVENT(commented, */ // TRACE_EVENT(also,\n"
	"#define show_state(s) \\\n"
	"\t__print_symbolic(s, { 1, \")\" })\n"
	"#define DEFINE_ONE(of, name) \\\n"
	"DEFINE_EVENT(mydrv_class, name, TP_PROTO(int a), TP_ARGS(a))\n"
	"DECLARE_EVENT_CLASS(mydrv_class,\n"
	"\tTP_PROTO(int a), TP_ARGS(a),\n"
	"\tTP_STRUCT__entry(__field(int, a)),\n"
	"\tTP_fast_assign(__entry->a = a;),\n"
	"\tTP_printk(\"a (%s\",   show_state(__entry->a)));\n"
	"DEFINE_ONE(whatever, begin);\n"
	"DEFINE_EVENT_PRINT(mydrv_class, end, TP_PROTO(int a), TP_ARGS(a),\n"
	"\tTP_printk(\"other\"));\n"
	"TRACE_EVENT_FLAGS(end, 1)\n"
	"TRACE_EVENT_FN(\n"
	"\topened, TP_PROTO(void));\n"
	"TRACE_EVENT(cut,\n";

static struct trace_header *read_text(void)
{
	struct trace_header *header = NULL;

	if (trace_header_create(text, &header))
		abort();
	return header;
}

TEST(test_events)
{
	_cleanup_(trace_header) struct trace_header *header = read_text();
	_cleanup_(strbuf) struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < header->events.nr; i++) {
		const struct header_event *event = &header->events.items[i];

		strbuf_addf(&all, "%s%s:%s %s %zu-%zu", i ? ", " : "", event->system, event->name,
			    event->is_class ? "class" : event->class_name, event->line,
			    event->last_line);
	}
	is_str(strbuf_str(&all), "mydrv:mydrv_class class 8-12, mydrv:begin mydrv_class 13-13, "
	       "mydrv:end mydrv_class 14-15, mydrv:opened opened 17-18, mydrv:cut cut 19-19",
	       "events, classes, their lines");
}

static char *part_of(const struct trace_header *header, size_t event, enum header_part_kind kind)
{
	const struct header_event *of = &header->events.items[event];
	const struct header_part *part = trace_header_part(header, of, kind);

	return part ? strndup(header->text + part->place, part->len) : NULL;
}

TEST(test_parts)
{
	_cleanup_(trace_header) struct trace_header *header = read_text();
	_cleanup_free_ char *of_class = part_of(header, 1, PART_PRINT);
	_cleanup_free_ char *own = part_of(header, 2, PART_PRINT);
	_cleanup_free_ char *none = part_of(header, 3, PART_ASSIGN);
	_cleanup_free_ char *excerpt = trace_header_excerpt(header, 12);
	_cleanup_free_ char *expanded = NULL;
	const struct header_event *event = &header->events.items[1];
	const struct header_part *part = trace_header_part(header, event, PART_PRINT);

	is_str(of_class, "\"a (%s\",   show_state(__entry->a)", "an event has the parts of its class");
	is_str(own, "\"other\"", "unless it has its own");
	is_str(none, NULL, "a part that neither has");
	is_str(excerpt, "TP_printk(\"a (%s\", show_state(__entry->a)));", "a line");
	if (part)
		expanded = trace_header_expand(header, part);
	ok(expanded && strstr(expanded, "{ 1, \")\" }"), "a macro that a part names is followed");
}

/* Cut and altered headers: nothing crashes. */
TEST(test_hostile_headers)
{
	size_t tried = 0;

	for (size_t at = 0; at < sizeof(text) - 1; at++) {
		static const char letters[] = "\"(,)#\\'/";
		_cleanup_free_ char *altered = strdup(text);

		for (int cut = 0; cut < 2; cut++) {
			_cleanup_(trace_header) struct trace_header *header = NULL;

			altered[at] = cut ? '\0' : letters[at % (sizeof(letters) - 1)];
			error_free(trace_header_create(altered, &header));
			for (size_t i = 0; header && i < header->events.nr; i++) {
				const struct header_part *part = trace_header_part(header,
					&header->events.items[i], PART_PRINT);

				free(part ? trace_header_expand(header, part) : NULL);
				free(trace_header_excerpt(header, header->events.items[i].line));
			}
			tried += header != NULL;
		}
	}
	is_u64(tried, 2 * (sizeof(text) - 1), "altered headers are read");
}

TAP_MAIN
