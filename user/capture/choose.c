// SPDX-License-Identifier: GPL-2.0
#include "capture/choose.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"

/* The last backend captures all events that no other backend can capture. */
#define LAST (CAPTURE_NR_BACKENDS - 1)

static size_t backend_number(const struct capture_backend *backend)
{
	size_t i = 0;

	while (capture_backends[i] != backend)
		i++;
	return i;
}

static void add_choices(struct strbuf *out, const char *before_last, bool remarks)
{
	strbuf_addstr(out, "auto");
	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++) {
		const struct capture_backend *backend = capture_backends[i];

		if (!backend->automatic)
			continue;
		strbuf_addf(out, "%s%s", i == LAST ? before_last : ", ", backend->name);
		if (remarks)
			strbuf_addf(out, " (%s)", backend->remark);
	}
}

void capture_choice_add_names(struct strbuf *out)
{
	add_choices(out, ", ", false);
}

const char *capture_choice_help(void)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	static char help[128];

	add_choices(&text, " or ", true);
	snprintf(help, sizeof(help), "%s", strbuf_str(&text));
	return help;
}

static struct error *unknown_backend(const char *via)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	add_choices(&names, " or ", false);
	return error_hint(error_new(EINVAL, "--via takes %s, not '%s'", strbuf_str(&names), via),
			  "auto uses the ktrace module if it is loaded");
}

struct error *capture_choice_init(struct capture_choice *choice, const char *via)
{
	const struct capture_backend *last = capture_backends[LAST];

	*choice = (struct capture_choice){ .usable[LAST] = true };
	if (via && strcmp(via, "auto")) {
		choice->named = capture_backend_find(via);
		if (!choice->named)
			return unknown_backend(via);
		choice->usable[backend_number(choice->named)] = true;
		return choice->named->available();
	}
	for (size_t i = 0; i < LAST; i++) {
		struct error *err;

		if (!capture_backends[i]->automatic)
			continue;
		err = capture_backends[i]->available();
		choice->usable[i] = !err;
		if (err && err->code != ENOENT)
			log_notice("%s; recording with %s instead.", err->message, last->title);
		error_free(err);
	}
	return NULL;
}

bool capture_choice_can(const struct capture_choice *choice, uint32_t what)
{
	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++)
		if (choice->usable[i] && capture_backends[i]->can & what)
			return true;
	return false;
}

bool capture_can_strings(const char *via)
{
	bool named = via && strcmp(via, "auto");

	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++) {
		const struct capture_backend *backend = capture_backends[i];
		struct error *err;

		if (!backend->check_strings ||
		    !(named ? !strcmp(via, backend->name) : backend->automatic))
			continue;
		err = backend->check_strings();
		if (!err)
			return true;
		log_debug("%s.", err->message);
		error_free(err);
	}
	return false;
}

/* Returns the requirement of a tracepoint that the backend cannot meet, as part of a sentence. */
static const char *missing_in(const struct capture_backend *backend,
			      const struct capture_request *request)
{
	const struct event_attr_options *options = request->options;
	const struct event_spec *spec = request->spec;
	const struct {
		uint32_t can;
		bool asked;
		const char *what;
	} needs[] = {
		{ CAPTURE_STACKS, options->stack_bytes, "copies of stacks (--call-graph dwarf)" },
		{ CAPTURE_GROUPS, spec->group, "groups" },
		{ CAPTURE_LEVELS, *spec->modifiers || options->only_user || options->only_kernel,
		  "the kernel or user space alone" },
		{ CAPTURE_LEVELS, options->kernel_callchains || options->user_callchains,
		  "the kernel's or the user's part of call chains alone" },
		{ CAPTURE_ADDRESSES, options->addr, "addresses (-d)" },
		{ CAPTURE_ADDRESSES, sample_parts_any(&options->parts),
		  "branches, registers, weights, physical addresses or page sizes" },
		{ CAPTURE_ADDRESSES, options->thread_counts, "counts of each thread (-s)" },
		{ CAPTURE_ADDRESSES, options->cgroups, "the cgroup of samples (--all-cgroups)" },
		{ CAPTURE_TAI, options->clockid == CLOCK_TAI, "by the clock tai (-k)" },
		{ CAPTURE_CGROUPS, request->cgroups_differ, "different cgroups (-G)" },
		{ CAPTURE_JUDGED, spec->judged, "events that are read at once (--keep)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].asked && !(backend->can & needs[i].can))
			return needs[i].what;
	return NULL;
}

/* Returns the reason why the backend cannot capture a tracepoint, or NULL if it can. */
static struct error *refuses(const struct capture_backend *backend,
			     const struct capture_request *request, const struct event *event)
{
	const char *what = missing_in(backend, request);

	if (what)
		return error_hint(error_new(EOPNOTSUPP, "The %s does not record %s, which %s needs",
					    backend->title, what, request->spec->text),
				  "Record with --via=%s", capture_backends[LAST]->name);
	return event->filter && backend->check_filter ? backend->check_filter(event) : NULL;
}

struct error *capture_choose(const struct capture_choice *choice,
			     const struct capture_request *request, struct event *event)
{
	for (size_t i = 0; i < LAST; i++) {
		const struct capture_backend *backend = capture_backends[i];
		struct error *err;

		if (!choice->usable[i] || (request->spec->type != PERF_TYPE_TRACEPOINT &&
					   !(backend->can & CAPTURE_ANY_EVENT)))
			continue;
		err = refuses(backend, request, event);
		if (err && (choice->named || err->code != EOPNOTSUPP))
			return err;
		if (!err) {
			capture_backend_take(backend, event);
			return NULL;
		}
		log_debug("%s.", err->message);
		error_free(err);
	}
	capture_backend_take(capture_backends[LAST], event);
	return NULL;
}

const char *capture_only_cgroup(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		if (event->cgroup && !(capture_backend_of(event)->can & CAPTURE_CGROUPS))
			return *event->cgroup ? event->cgroup : NULL;
	}
	return NULL;
}
