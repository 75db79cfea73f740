// SPDX-License-Identifier: GPL-2.0
#include "output/text/header_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "output/text/attr_text.h"

#define NSEC_PER_SEC	1000000000ULL

/*
 * perf's features by number; @unshown: perf shows it only with -I; @only_some: no other recording
 * lacks it.
 */
static const struct {
	const char *name;
	bool unshown, only_some;
} features[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", false },
	[FEATURE_BUILD_ID] = { "BUILD_ID", false },
	[FEATURE_HOSTNAME] = { "HOSTNAME", false },
	[FEATURE_OSRELEASE] = { "OSRELEASE", false },
	[FEATURE_VERSION] = { "VERSION", false },
	[FEATURE_ARCH] = { "ARCH", false },
	[FEATURE_NRCPUS] = { "NRCPUS", false },
	[FEATURE_CPUDESC] = { "CPUDESC", false },
	[FEATURE_CPUID] = { "CPUID", false },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", false },
	[FEATURE_CMDLINE] = { "CMDLINE", false },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", false },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", false },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", false },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", false },
	[FEATURE_AUXTRACE] = { "AUXTRACE", false },
	[FEATURE_STAT] = { "STAT", false },
	[FEATURE_CACHE] = { "CACHE", true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", false },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", true },
	[FEATURE_CLOCKID] = { "CLOCKID", false },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", false },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", false },
	[FEATURE_BPF_BTF] = { "BPF_BTF", false },
	[FEATURE_COMPRESSED] = { "COMPRESSED", false },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", false },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", false },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", false },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", true, .only_some = true },
};

static void add_line(struct strbuf *out, const char *name, const char *value)
{
	size_t from;

	if (!value)
		return;
	strbuf_addf(out, "# %s : ", name);
	from = out->len;
	strbuf_addstr(out, value);
	escape_controls(out, from);
	strbuf_addch(out, '\n');
}

static void add_cmdline(struct strbuf *out, char *const *words)
{
	size_t from;

	if (!words)
		return;
	strbuf_addstr(out, "# cmdline : ");
	from = out->len;
	for (; *words; words++) {
		for (const char *p = *words; *p; p++) {
			if (*p == '\'')
				strbuf_addch(out, '\\');
			strbuf_addch(out, *p);
		}
		strbuf_addch(out, ' ');
	}
	escape_controls(out, from);
	strbuf_addch(out, '\n');
}

static void header_text_add_events(struct strbuf *out, const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		strbuf_addf(out, "# event : name = %s, ", event->name);
		for (size_t j = 0; j < event->nr_ids; j++)
			strbuf_addf(out, "%s %" PRIu64, j ? "," : ", id = {", event->ids[j]);
		if (event->nr_ids)
			strbuf_addstr(out, " }");
		attr_text_add(out, &event->attr, ", ", ", ", " = ");
		strbuf_addch(out, '\n');
	}
}

static void add_pmus(struct strbuf *out, const struct header *header)
{
	size_t from;

	if (!header->pmus.nr)
		return;
	from = out->len;
	strbuf_addstr(out, "# pmu mappings");
	for (size_t i = 0; i < header->pmus.nr; i++)
		strbuf_addf(out, "%s%s = %" PRIu32, i ? ", " : ": ", header->pmus.items[i].name,
			    header->pmus.items[i].type);
	escape_controls(out, from);
	strbuf_addch(out, '\n');
}

static void header_text_add_groups(struct strbuf *out, const struct event_list *events)
{
	uint32_t group = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		if (group && event->group != group)
			strbuf_addstr(out, "}\n");
		if (event->group)
			strbuf_addf(out, "%s%s", event->group == group ? "," : "# group: {",
				    event->name);
		group = event->group;
	}
	if (group)
		strbuf_addstr(out, "}\n");
}

static void header_text_add_time(struct strbuf *out, const char *name, uint64_t time)
{
	strbuf_addf(out, "# time of %s sample : %llu.%06llu\n", name,
		    time / NSEC_PER_SEC, time % NSEC_PER_SEC / 1000);
}

static void add_sample_times(struct strbuf *out, const struct header *header)
{
	header_text_add_time(out, "first", header->first_sample_time);
	header_text_add_time(out, "last", header->last_sample_time);
	strbuf_addf(out, "# sample duration : %10.3f ms\n",
		    (header->last_sample_time - header->first_sample_time) / 1e6);
}

static const char *clock_name(int32_t clockid)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime", [CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw", [CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return clockid >= 0 && (size_t)clockid < ARRAY_SIZE(names) && names[clockid] ?
		names[clockid] : "(not found)";
}

static void add_clock(struct strbuf *out, const struct header *header)
{
	time_t seconds = header->wall_time / NSEC_PER_SEC;
	uint64_t micros = header->wall_time % NSEC_PER_SEC / 1000;
	const char *name = clock_name(header->clockid);
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%F %T", &tm);
	strbuf_addf(out, "# clockid: %s (%" PRId32 ")\n", name, header->clockid);
	strbuf_addf(out, "# reference time: %s.%06" PRIu64 " = %lld.%06" PRIu64
		    " (TOD) = %llu.%09llu (%s)\n", date, micros, (long long)seconds, micros, header->clock_time / NSEC_PER_SEC,
		    header->clock_time % NSEC_PER_SEC, name);
}

/* Append a line for each detail of @feature: @before, its name, @between, its text. */
static void add_details(struct strbuf *out, const struct header *header, enum feature feature,
			const char *before, const char *between)
{
	for (size_t i = 0; i < header->details.nr; i++) {
		const struct header_detail *detail = &header->details.items[i];

		size_t from = out->len;

		if (detail->feature != feature)
			continue;
		strbuf_addf(out, "# %s%s%s%s", before, detail->name, between, detail->text);
		escape_controls(out, from);
		strbuf_addch(out, '\n');
	}
}

/* Append the lines of a feature that has a detail for all of them. */
static void add_all_lines(struct strbuf *out, const struct header *header, enum feature feature)
{
	for (size_t i = 0; i < header->details.nr; i++) {
		const char *line = header->details.items[i].text, *end;

		if (header->details.items[i].feature != feature)
			continue;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			size_t from = out->len;

			strbuf_addstr(out, "# ");
			strbuf_add(out, line, end - line);
			escape_controls(out, from);
			strbuf_addch(out, '\n');
		}
	}
}

static void add_feature(struct strbuf *out, enum feature feature, const struct header *header,
			const struct event_list *events)
{
	switch (feature) {
	case FEATURE_HOSTNAME:
		add_line(out, "hostname", header->hostname);
		break;
	case FEATURE_OSRELEASE:
		add_line(out, "os release", header->os_release);
		break;
	case FEATURE_VERSION:
		add_line(out, "perf version", header->version);
		break;
	case FEATURE_ARCH:
		add_line(out, "arch", header->arch);
		break;
	case FEATURE_NRCPUS:
		strbuf_addf(out, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n",
			    header->nr_cpus_online, header->nr_cpus_available);
		break;
	case FEATURE_CPUDESC:
		add_line(out, "cpudesc", header->cpu_desc);
		break;
	case FEATURE_CPUID:
		add_line(out, "cpuid", header->cpu_id);
		break;
	case FEATURE_TOTAL_MEM:
		strbuf_addf(out, "# total memory : %" PRIu64 " kB\n", header->total_memory_kb);
		break;
	case FEATURE_CMDLINE:
		add_cmdline(out, header->cmdline);
		break;
	case FEATURE_EVENT_DESC:
		header_text_add_events(out, events);
		break;
	case FEATURE_BRANCH_STACK:
		strbuf_addstr(out, "# contains samples with branch stack\n");
		break;
	case FEATURE_AUXTRACE:
		strbuf_addstr(out, "# contains AUX area data (e.g. instruction trace)\n");
		break;
	case FEATURE_STAT:
		strbuf_addstr(out, "# contains stat data\n");
		break;
	case FEATURE_DIR_FORMAT:
		strbuf_addf(out, "# directory data version : %" PRIu64 "\n", header->dir_version);
		break;
	case FEATURE_CPU_PMU_CAPS:
	case FEATURE_PMU_CAPS:
		add_details(out, header, feature, "", " pmu capabilities: ");
		break;
	case FEATURE_BPF_PROG_INFO:
		add_details(out, header, feature, "bpf_prog_info ", "");
		break;
	case FEATURE_BPF_BTF:
		add_details(out, header, feature, "btf info of id ", "");
		break;
	case FEATURE_PMU_MAPPINGS:
		add_pmus(out, header);
		break;
	case FEATURE_GROUP_DESC:
		header_text_add_groups(out, events);
		break;
	case FEATURE_SAMPLE_TIME:
		add_sample_times(out, header);
		break;
	case FEATURE_CLOCKID:
		strbuf_addf(out, "# clockid frequency: %" PRIu64 " MHz\n",
			    header->clock_resolution ? 1000 / header->clock_resolution : 0);
		break;
	case FEATURE_COMPRESSED:
		strbuf_addf(out, "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
			    header->compression_type == 1 ? "Zstd" : "Unknown",
			    header->compression_level, header->compression_ratio);
		break;
	case FEATURE_CLOCK_DATA:
		add_clock(out, header);
		break;
	default:
		break;
	}
}

static void add_missing(struct strbuf *out, const struct header *header)
{
	strbuf_addstr(out, "# missing features: ");
	for (size_t f = 0; f < ARRAY_SIZE(features); f++)
		if (features[f].name && !features[f].only_some && !header_has(header, f))
			strbuf_addf(out, "%s ", features[f].name);
	strbuf_addch(out, '\n');
}

void header_text_add(struct strbuf *out, const struct header *header,
		     const struct event_list *events, bool full)
{
	char written[64] = "";
	struct tm tm;

	if (localtime_r(&header->written, &tm))
		strftime(written, sizeof(written), "%a %b %e %H:%M:%S %Y", &tm);
	strbuf_addstr(out, "# ========\n");
	strbuf_addf(out, "# captured on    : %s\n", written);
	strbuf_addf(out, "# header version : %d\n", 1);
	strbuf_addf(out, "# data offset    : %" PRIu64 "\n", header->data_offset);
	strbuf_addf(out, "# data size      : %" PRIu64 "\n", header->data_size);
	strbuf_addf(out, "# feat offset    : %" PRIu64 "\n",
		    header->data_offset + header->data_size);
	/* The features of a pipe follow as records. */
	if (header->is_pipe)
		strbuf_addstr(out, "# ========\n#\n");
	for (size_t f = 0; f < ARRAY_SIZE(features); f++) {
		/* For a pipe, the attrs suffice to describe its events. */
		if (!header_has(header, f) && !(header->is_pipe && f == FEATURE_EVENT_DESC))
			continue;
		if (features[f].unshown && full)
			add_all_lines(out, header, f);
		else if (features[f].unshown)
			strbuf_addf(out, "# %s info available, use -I to display\n",
				    features[f].name);
		else
			add_feature(out, f, header, events);
	}
	if (header->is_pipe)
		return;
	for (size_t i = 0; i < header->notes.nr; i++)
		add_line(out, header->notes.items[i].name, header->notes.items[i].text);
	add_missing(out, header);
	strbuf_addstr(out, "# ========\n#\n");
}
