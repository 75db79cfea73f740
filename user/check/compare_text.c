// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "check/compare.h"
#include "check/subject.h"

/*
 * Whether readers cannot print the kernel's text: the kernel hashes pointers, and appends the size
 * of a symbol to its name.
 */
static bool is_kernels_alone(struct results *results, struct result *result)
{
	bool alone = subject_is_generated(result);
	struct subject subject;

	error_free(subject_init(&subject, results, result));
	for (size_t i = 0; i < subject.conversions.nr; i++) {
		const struct conversion *c = &subject.conversions.items[i];

		alone |= c->letter == 'p' && (!c->extension_len || strchr("SsFfB", *c->extension));
	}
	subject_deinit(&subject);
	return alone;
}

/* The outcome for the texts of one event. */
struct verdict {
	size_t nr, differ;
	struct strbuf diff;	/* of the first texts that differ */
	char names[64];		/* whose texts differ */
};

/* The length without line ends, which not everybody prints. */
static size_t length(const char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == '\n')
		len--;
	return len;
}

static bool is_equal_text(const char *a, const char *b)
{
	size_t len = length(a);

	return len == length(b) && !memcmp(a, b, len);
}

static void add_marked_line(struct strbuf *out, char mark, const char *text)
{
	strbuf_addch(out, mark);
	for (size_t i = 0, len = length(text); i < len; i++)
		strbuf_addch(out, isprint((unsigned char)text[i]) ? text[i] : '?');
	strbuf_addch(out, '\n');
}

static void diff_texts(struct verdict *v, const char *from_name, const char *from,
		       const char *to_name, const char *to)
{
	strbuf_addf(&v->diff, "--- %s\n+++ %s\n", from_name, to_name);
	add_marked_line(&v->diff, '-', from);
	add_marked_line(&v->diff, '+', to);
	if (!v->names[0])
		snprintf(v->names, sizeof(v->names), "%s and %s", from_name, to_name);
}

static void judge_texts(struct verdict *v, const char *kernel, const char *tep, const char *ours)
{
	bool tep_differs = kernel && tep && !is_equal_text(kernel, tep);
	bool ours_differs = kernel && ours && !is_equal_text(kernel, ours);
	bool they_differ = tep && ours && !is_equal_text(tep, ours);

	v->nr++;
	if (!tep_differs && !ours_differs && !they_differ)
		return;
	if (v->differ++)
		return;
	if (tep_differs && ours_differs && !they_differ) {
		diff_texts(v, "the kernel", kernel, "libtraceevent, ktrace", tep);
		return;
	}
	if (tep_differs)
		diff_texts(v, "the kernel", kernel, "libtraceevent", tep);
	if (ours_differs)
		diff_texts(v, "the kernel", kernel, "ktrace", ours);
	if (!kernel && they_differ)
		diff_texts(v, "libtraceevent", tep, "ktrace", ours);
}

static void report_texts(struct results *results, struct result *result, const struct verdict *v)
{
	if (!v->differ)
		return;
	finding_add(results, result, RULE_TEXT_DIFFERS, NULL, NO_PLACE,
		    "%s print %zu of %zu records differently", v->names, v->differ, v->nr);
	finding_detail(result, RULE_TEXT_DIFFERS, strbuf_str(&v->diff));
}

void compare_text(struct results *results, const struct event_format *const *formats,
		  const struct captured *captured, const struct compare_texts *texts)
{
	size_t i = 0;

	for (size_t event = 0; event < results->nr; event++) {
		struct result *result = results->items[event];
		bool alone = is_kernels_alone(results, result);
		struct verdict v = { 0 };

		for (; i < captured->nr && captured->items[i].event == event; i++) {
			const struct captured_record *r = &captured->items[i];
			_cleanup_(strbuf) struct strbuf ours = STRBUF_INIT;

			if (!formats[event])
				continue;
			if (formats[event]->print_ok)
				event_format_print(formats[event], captured_raw(captured, r),
						   r->size, 0, &ours);
			judge_texts(&v, alone ? NULL : texts->kernel[i], texts->libtraceevent[i],
				    formats[event]->print_ok ? strbuf_str(&ours) : NULL);
		}
		report_texts(results, result, &v);
		if (v.diff.failed)
			results->failed = true;
		strbuf_deinit(&v.diff);
	}
}
