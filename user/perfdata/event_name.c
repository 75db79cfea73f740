// SPDX-License-Identifier: GPL-2.0
#include "perfdata/event_name.h"

#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/strbuf.h"
#include "spec/event_names.h"

/* Append ":u", ":kpp", ":G" ...: the modes, the precision and the guests of an attr. */
static void add_modifiers(const struct perf_event_attr *attr, struct strbuf *sb)
{
	/*
	 * By default perf excludes guests from an attr without modes or precision, and names
	 * the modes only if the attr differs from that.
	 */
	bool guests_left_out = true;
	char text[16] = "";

	if (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv) {
		strcat(text, attr->exclude_kernel ? "" : "k");
		strcat(text, attr->exclude_user ? "" : "u");
		strcat(text, attr->exclude_hv ? "" : "h");
		guests_left_out = false;
	}
	if (attr->precise_ip) {
		strcat(text, "ppp" + 3 - attr->precise_ip);
		guests_left_out = false;
	}
	if (attr->exclude_host || attr->exclude_guest != guests_left_out) {
		strcat(text, attr->exclude_host ? "" : "H");
		strcat(text, attr->exclude_guest ? "" : "G");
	}
	if (*text)
		strbuf_addf(sb, ":%s", text);
}

/* The bits of a generic event's config; above them is the PMU of a hybrid machine. */
#define GENERIC_CONFIG	0xffffffffULL

/* These events have two names; for them perf lists the alias. */
static bool goes_by_alias(const struct event_name *n)
{
	return n->type == PERF_TYPE_HARDWARE && (n->config == PERF_COUNT_HW_CPU_CYCLES ||
						 n->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

static const char *numbered_name(const struct perf_event_attr *attr)
{
	for (const struct event_name *n = event_names; n->name; n++)
		if (n->type == attr->type && n->config == (attr->config & GENERIC_CONFIG))
			return goes_by_alias(n) ? n->alias : n->name;
	return attr->type == PERF_TYPE_HARDWARE ? "unknown-hardware" : "unknown-software";
}

static void add_cache_name(uint64_t config, struct strbuf *sb)
{
	char name[128];
	uint64_t found;

	for (size_t i = 0; event_names_cache_at(i, name, sizeof(name)); i++) {
		if (event_names_find_cache(name, &found) && found == config) {
			strbuf_addstr(sb, name);
			return;
		}
	}
	strbuf_addstr(sb, "unknown-ext-hardware-cache-type");
}

static void add_breakpoint_name(const struct perf_event_attr *attr, struct strbuf *sb)
{
	strbuf_addf(sb, "mem:0x%llx:%s%s%s", (unsigned long long)attr->bp_addr,
		    attr->bp_type & 1 ? "r" : "", attr->bp_type & 2 ? "w" : "",
		    attr->bp_type & 4 ? "x" : "");
}

struct error *event_name_derive(const struct perf_event_attr *attr,
				const struct formats *formats, char **ret)
{
	_cleanup_(strbuf) struct strbuf sb = STRBUF_INIT;
	const struct event_format *format;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_SOFTWARE:
		strbuf_addstr(&sb, numbered_name(attr));
		add_modifiers(attr, &sb);
		break;
	case PERF_TYPE_HW_CACHE:
		add_cache_name(attr->config & GENERIC_CONFIG, &sb);
		add_modifiers(attr, &sb);
		break;
	case PERF_TYPE_TRACEPOINT:
		format = formats_find(formats, attr->config);
		if (format)
			strbuf_addf(&sb, "%s:%s", format->system, format->name);
		else
			strbuf_addstr(&sb, "unknown tracepoint");
		break;
	case PERF_TYPE_BREAKPOINT:
		add_breakpoint_name(attr, &sb);
		add_modifiers(attr, &sb);
		break;
	case PERF_TYPE_RAW:
		strbuf_addf(&sb, "raw 0x%llx", (unsigned long long)attr->config);
		add_modifiers(attr, &sb);
		break;
	default:
		strbuf_addf(&sb, "unknown attr type: %u", attr->type);
		break;
	}
	if (sb.failed)
		return &error_no_memory;
	*ret = take_ptr(sb.data);
	return NULL;
}

struct error *event_name_set(struct event *event, const char *text, size_t len)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	char *copy;

	strbuf_add(&name, text, strnlen(text, len));
	escape_controls(&name, 0);
	copy = name.failed ? NULL : strdup(strbuf_str(&name));
	if (!copy)
		return &error_no_memory;
	free(event->name);
	event->name = copy;
	return NULL;
}
