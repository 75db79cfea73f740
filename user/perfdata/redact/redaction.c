// SPDX-License-Identifier: GPL-2.0
#include "perfdata/redact/redaction.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/log.h"
#include "perfdata/feature_string.h"
#include "perfdata/reader_state.h"
#include "perfdata/redact/redaction_state.h"
#include "perfdata/tracing_data.h"
#include "record/body.h"

/* Features whose only texts describe the hardware, the kernel's version and events. */
static bool is_harmless(unsigned int bit)
{
	switch (bit) {
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_NRCPUS:
	case FEATURE_CPUDESC:
	case FEATURE_CPUID:
	case FEATURE_TOTAL_MEM:
	case FEATURE_EVENT_DESC:
	case FEATURE_CPU_TOPOLOGY:
	case FEATURE_NUMA_TOPOLOGY:
	case FEATURE_BRANCH_STACK:
	case FEATURE_PMU_MAPPINGS:
	case FEATURE_GROUP_DESC:
	case FEATURE_STAT:
	case FEATURE_CACHE:
	case FEATURE_SAMPLE_TIME:
	case FEATURE_MEM_TOPOLOGY:
	case FEATURE_CLOCKID:
	case FEATURE_COMPRESSED:
	case FEATURE_CPU_PMU_CAPS:
	case FEATURE_CLOCK_DATA:
	case FEATURE_HYBRID_TOPOLOGY:
	case FEATURE_PMU_CAPS:
	case FEATURE_CPU_DOMAIN_INFO:
		return true;
	default:
		return false;
	}
}

/* Take a string of a feature, and append it, redacted. */
static struct error *redact_string(struct redaction *redaction, unsigned int what,
				   struct bytes *from, struct strbuf *to)
{
	_cleanup_free_ char *text = bytes_take_string(from);
	struct error *err;

	if (!text)
		return from->ok ? &error_no_memory :
				  error_new(EBADMSG, "The header of the recording is damaged");
	err = redaction_replace(redaction, what, NULL, NULL, text, strlen(text));
	if (!err)
		feature_add_string(to, text);
	return err;
}

/* The host's name is one string; the command line is a count and that many strings. */
static struct error *redact_strings(struct redaction *redaction, unsigned int what,
				    struct strbuf *feature)
{
	struct bytes from = bytes_of(strbuf_str(feature), feature->len);
	_cleanup_(strbuf) struct strbuf to = STRBUF_INIT;
	struct error *err = NULL;
	uint32_t nr = 1;

	if (!feature->len)
		return NULL;
	if (what == REDACT_CMDLINE) {
		nr = bytes_take_u32(&from);
		bytes_add_u32(&to, nr);
	}
	while (!err && nr--)
		err = redact_string(redaction, what, &from, &to);
	strbuf_reset(feature);
	strbuf_add(feature, strbuf_str(&to), to.len);
	return err ? err : to.failed || feature->failed ? &error_no_memory : NULL;
}

/* For the table and for records: the name fills the rest of the entry. */
static struct error *redact_build_id(struct redaction *redaction, struct perf_event_header *entry)
{
	struct body_build_id *body = (void *)(entry + 1);

	if (!body_of(entry, struct body_build_id))
		return NULL;
	return redaction_replace_binary(redaction, entry->misc, body->filename,
					body_left(entry, body->filename));
}

struct error *redaction_build_ids(struct redaction *redaction, struct strbuf *table)
{
	struct error *err = NULL;
	size_t at = 0;

	while (!err && table->len - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header *entry = (void *)(table->data + at);

		if (entry->size < sizeof(*entry) || entry->size % 4 ||
		    entry->size > table->len - at)
			break;
		err = redact_build_id(redaction, entry);
		at += entry->size;
	}
	/* Bytes that are no entry have no known meaning. */
	if (table->len > at) {
		table->len = at;
		table->data[at] = '\0';
	}
	return err;
}

/* Only the rule "all" also removes the kernel's strings to which fields of events point. */
static bool hides_kernel_texts(const struct redaction *redaction)
{
	return array_any(&redaction->rules, it, it->what & REDACT_KERNEL &&
						it->what & REDACT_FIELDS);
}

static struct error *redact_features(struct redaction *redaction, struct description *description)
{
	struct error *err = NULL;

	for (unsigned int bit = 0; bit < FEATURES_MAX && !err; bit++) {
		struct strbuf *feature = &description->features[bit];

		if (!feature->len || is_harmless(bit))
			continue;
		if (bit == FEATURE_HOSTNAME) {
			err = redact_strings(redaction, REDACT_HOST, feature);
		} else if (bit == FEATURE_CMDLINE) {
			err = redact_strings(redaction, REDACT_CMDLINE, feature);
		} else if (bit == FEATURE_BUILD_ID) {
			err = redaction_build_ids(redaction, feature);
		} else if (bit == FEATURE_TRACING_DATA) {
			err = tracing_data_strip(feature, hides_kernel_texts(redaction));
		} else {
			strbuf_reset(feature);
			redaction->no_features = true;
		}
	}
	return err;
}

/* Whether the recording has a field that matches a rule; names of events match, too. */
static bool has_field(const struct redaction *redaction, const struct redaction_rule *rule)
{
	const struct redaction one = { .rules = { (struct redaction_rule *)rule, 1, 1 } };

	for (size_t i = 0; i < redaction->events->nr; i++) {
		const struct event *event = redaction->events->items[i];
		const struct event_format *format = event->attr.type == PERF_TYPE_TRACEPOINT ?
			formats_find(redaction->formats, event->attr.config) : NULL;

		for (size_t j = 0; format && j < format->nr_fields; j++)
			if (format->fields[j].kind != FIELD_INTEGER &&
			    redaction_wants_field(&one, format, &format->fields[j]))
				return true;
	}
	return false;
}

static struct error *check_rules(const struct redaction *redaction)
{
	for (size_t i = 0; i < redaction->rules.nr; i++) {
		const struct redaction_rule *rule = &redaction->rules.items[i];

		if (rule->fields && !has_field(redaction, rule))
			return error_hint(error_new(EINVAL, "The events of the recording have no "
						    "text or array of bytes for --redact %s",
						    rule->text),
					  "A field is named as in "
					  "sched:sched_process_exec.filename; numbers are "
					  "never changed");
	}
	return NULL;
}

static struct error *refuse_traces(const struct description *description)
{
	const struct event_list *events = reader_events(description->reader);

	if (description->features[FEATURE_AUXTRACE].len ||
	    event_list_has(events, PERF_SAMPLE_AUX))
		return error_hint(error_new(ENOTSUP, "The recording holds a trace of the "
					    "processor, which cannot be decoded"),
				  "Record without it");
	return NULL;
}

/* Embedded names and source may be sensitive. */
static void drop_embedded(struct reader *reader)
{
	if (reader->header.embedded_size)
		log_notice("The symbols and code embedded in the recording are left out of the "
			   "copy.");
	reader->header.embedded_size = 0;
}

static void drop_filters(struct redaction *redaction, struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		redaction->no_filters |= events->items[i]->filter != NULL;
		free(events->items[i]->filter);
		events->items[i]->filter = NULL;
	}
}

/* Names of cgroups become numbers, because events are distinguished by their cgroups. */
static struct error *number_cgroups(struct event_list *events)
{
	/*
	 * From the last one to the first, because the first event with a name determines its
	 * number.
	 */
	for (size_t i = events->nr; i-- > 0;) {
		char *name = events->items[i]->cgroup, *number;
		size_t first = 0;

		if (!name || !*name)
			continue;
		while (!events->items[first]->cgroup || strcmp(events->items[first]->cgroup, name))
			first++;
		if (asprintf(&number, "cgroup%zu", first) < 0)
			return &error_no_memory;
		free(name);
		events->items[i]->cgroup = number;
	}
	return NULL;
}

struct error *redaction_begin(struct redaction *redaction, const char *path,
			      struct description *description)
{
	struct error *err;

	redaction->events = reader_events(description->reader);
	redaction->formats = reader_formats(description->reader);
	err = refuse_traces(description);
	if (!err)
		err = check_rules(redaction);
	if (!err)
		err = redaction_learn_code(redaction, path);
	if (!err)
		err = redact_features(redaction, description);
	if (!err)
		err = redaction_end(redaction, description);
	return err;
}

struct error *redaction_end(struct redaction *redaction, struct description *description)
{
	drop_embedded(description->reader);
	drop_filters(redaction, reader_events(description->reader));
	return number_cgroups(reader_events(description->reader));
}

/*
 * The room for the text at @at: up to the end of the record, without the data behind its padding.
 */
static size_t text_room(const struct perf_event_header *header, const char *at)
{
	size_t room = body_left(header, at), before = at - (const char *)header;
	size_t padded = ((before + strnlen(at, room) + 1 + 7) & ~(size_t)7) - before;

	return padded < room ? padded : room;
}

/* Redact a record whose text begins at the offset of a member. */
#define replace_text(redaction, what, header, type, member) ({				\
	type *body_ = (type *)((header) + 1);						\
	body_of(header, type) ?								\
	redaction_replace(redaction, what, NULL, NULL, body_->member,			\
			  text_room(header, body_->member)) : NULL;			\
})
#define replace_binary(redaction, header, type) ({					\
	type *body_ = (type *)((header) + 1);						\
	body_of(header, type) ?								\
	redaction_replace_binary(redaction, (header)->misc, body_->filename,		\
				 text_room(header, body_->filename)) : NULL;		\
})

static struct error *redact_threads(struct redaction *redaction, struct perf_event_header *header)
{
	struct body_thread_map *body = (void *)(header + 1);
	struct error *err = NULL;
	size_t nr;

	if (!body_of(header, struct body_thread_map))
		return NULL;
	nr = body_items(header, body->items, body->nr, sizeof(body->items[0]));
	for (size_t i = 0; i < nr && !err; i++)
		err = redaction_replace(redaction, REDACT_COMM, NULL, NULL, body->items[i].comm,
					sizeof(body->items[i].comm));
	return err;
}

static void redact_deferred(struct redaction *redaction, struct perf_event_header *header)
{
	struct body_callchain_deferred *body = (void *)(header + 1);

	if (body_of(header, struct body_callchain_deferred))
		redaction_blank_frames(redaction, body->ips,
				       body_items(header, body->ips, body->nr,
						  sizeof(body->ips[0])));
}

/* Records of types that are not listed may contain any text. */
static struct error *redact_record(struct redaction *redaction, struct perf_event_header *header,
				   bool *known)
{
	*known = true;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return redaction_sample(redaction, header, known);
	case PERF_RECORD_COMM:
		/* A COMM record begins with its subject, and its text follows. */
		return body_of(header, struct body_subject) ?
		       redaction_replace(redaction, REDACT_COMM, NULL, NULL,
					 (char *)(header + 1) + sizeof(struct body_subject),
					 text_room(header, (char *)(header + 1) +
						   sizeof(struct body_subject))) : NULL;
	case PERF_RECORD_MMAP:
		return replace_binary(redaction, header, struct body_mmap);
	case PERF_RECORD_MMAP2:
		return replace_binary(redaction, header, struct body_mmap2);
	case PERF_RECORD_CGROUP:
		return replace_text(redaction, REDACT_PATH, header, struct body_cgroup, path);
	case PERF_RECORD_KSYMBOL:
		return replace_text(redaction, REDACT_KERNEL, header, struct body_ksymbol, name);
	case RECORD_BUILD_ID:
		return redact_build_id(redaction, header);
	case RECORD_THREAD_MAP:
		return redact_threads(redaction, header);
	case RECORD_CALLCHAIN_DEFERRED:
		redact_deferred(redaction, header);
		return NULL;
	case PERF_RECORD_LOST:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_FORK:
	case PERF_RECORD_READ:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_BPF_EVENT:
	case RECORD_FINISHED_ROUND:
	case RECORD_FINISHED_INIT:
	case RECORD_ID_INDEX:
	case RECORD_CPU_MAP:
	case RECORD_STAT_CONFIG:
	case RECORD_STAT:
	case RECORD_STAT_ROUND:
	case RECORD_SCHEDSTAT_CPU:
	case RECORD_SCHEDSTAT_DOMAIN:
	case RECORD_TIME_CONV:
	case RECORD_EVENT_UPDATE:
		return NULL;
	default:
		*known = false;
		return NULL;
	}
}

struct error *redaction_take(struct redaction *redaction, const struct perf_event_header *header,
			     const struct perf_event_header **ret)
{
	struct perf_event_header *copy = (void *)redaction->record;
	struct error *err;
	bool known;

	memcpy(copy, header, header->size);
	err = redact_record(redaction, copy, &known);
	redaction->dropped += !known;
	*ret = known ? copy : NULL;
	return err;
}

void redaction_tell(const struct redaction *redaction)
{
	log_notice("%zu texts and parts of paths became pseudonyms.",
		   pseudonyms_count(redaction->pseudonyms));
	if (redaction->no_filters)
		log_notice("The texts of filters were left out.");
	if (redaction->no_features)
		log_notice("Parts of the header whose texts are not known were left out, such as "
			   "images of BPF programs.");
	if (redaction->stacks || redaction->registers || redaction->unknown_raw)
		log_notice("Data that cannot be decoded was blanked: the copied stack of %" PRIu64
			   " samples, the registers of %" PRIu64 ", raw data without a format of %"
			   PRIu64 ".", redaction->stacks, redaction->registers,
			   redaction->unknown_raw);
	if (redaction->frames)
		log_notice("Frames of %" PRIu64 " call chains were blanked: they are outside of "
			   "mapped code, so they may be data from the stack.", redaction->frames);
	if (redaction->dropped)
		log_notice("%" PRIu64 " records that are damaged or of an unknown kind were left out.",
			   redaction->dropped);
}
