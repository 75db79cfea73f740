// SPDX-License-Identifier: GPL-2.0
#include "perfdata/features.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "perfdata/bytes.h"
#include "symbol/build_id.h"

/* What perf calls the running kernel's image. */
static const char kernel_name[] = "[kernel.kallsyms]";

static void add_string(struct strbuf *sb, const char *text)
{
	size_t len = strlen(text) + 1;
	size_t padded = (len + PERFDATA_STRING_ALIGN - 1) & ~(size_t)(PERFDATA_STRING_ALIGN - 1);

	bytes_add_u32(sb, padded);
	strbuf_add(sb, text, len);
	bytes_add_zeros(sb, padded - len);
}

/* The value of the first "KEY : value" line of a file in proc; NULL: none.  free() it. */
static char *proc_value(const char *path, const char *key)
{
	_cleanup_free_ char *text = NULL;
	size_t key_len = strlen(key);
	struct error *err;

	err = file_read(path, &text, NULL);
	if (err) {
		error_free(err);
		return NULL;
	}
	for (char *line = text; line; line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		if (strncmp(line, key, key_len))
			continue;
		value = line + key_len + strspn(line + key_len, " \t");
		if (*value++ != ':')
			continue;
		value += strspn(value, " \t");
		return strndup(value, strcspn(value, "\n"));
	}
	return NULL;
}

static void build_uname(enum perfdata_feature feature, struct strbuf *ret)
{
	struct utsname uts;

	if (uname(&uts))
		return;
	add_string(ret, feature == PERFDATA_HOSTNAME ? uts.nodename :
			feature == PERFDATA_OSRELEASE ? uts.release : uts.machine);
}

static void build_nrcpus(struct strbuf *ret)
{
	bytes_add_u32(ret, sysconf(_SC_NPROCESSORS_CONF));
	bytes_add_u32(ret, sysconf(_SC_NPROCESSORS_ONLN));
}

static void build_cpu_desc(struct strbuf *ret)
{
	static const char *const keys[] = { "model name", "Processor", "cpu", "CPU part" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		_cleanup_free_ char *value = proc_value("/proc/cpuinfo", keys[i]);

		if (!value)
			continue;
		add_string(ret, value);
		return;
	}
}

/* x86: "vendor,family,model,stepping"; arm64: the MIDR. */
static void build_cpu_id(struct strbuf *ret)
{
	_cleanup_free_ char *vendor = proc_value("/proc/cpuinfo", "vendor_id");
	_cleanup_free_ char *family = proc_value("/proc/cpuinfo", "cpu family");
	_cleanup_free_ char *model = proc_value("/proc/cpuinfo", "model");
	_cleanup_free_ char *stepping = proc_value("/proc/cpuinfo", "stepping");
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *midr = NULL;

	if (vendor && family && model && stepping) {
		strbuf_addf(&text, "%s,%s,%s,%s", vendor, family, model, stepping);
		if (!text.failed)
			add_string(ret, text.data);
		return;
	}
	error_free(file_read_text("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				  &midr));
	if (midr)
		add_string(ret, midr);
}

static void build_total_mem(struct strbuf *ret)
{
	_cleanup_free_ char *value = proc_value("/proc/meminfo", "MemTotal");

	if (value)
		bytes_add_u64(ret, strtoull(value, NULL, 10));
}

static void build_cmdline(const struct writer_info *info, struct strbuf *ret)
{
	if (!info->argc)
		return;
	bytes_add_u32(ret, info->argc + 1);
	add_string(ret, "ktrace");
	for (int i = 0; i < info->argc; i++)
		add_string(ret, info->argv[i]);
}

static void build_event_desc(const struct event_list *events, struct strbuf *ret)
{
	bytes_add_u32(ret, events->nr);
	bytes_add_u32(ret, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		strbuf_add(ret, &event->attr, sizeof(event->attr));
		bytes_add_u32(ret, event->nr_ids);
		add_string(ret, event->name);
		strbuf_add(ret, event->ids, event->nr_ids * sizeof(*event->ids));
	}
}

/* Of the kernel alone: it is what the addresses in a trace are of. */
static void build_build_id(struct strbuf *ret)
{
	struct perfdata_build_id entry = {
		.header.misc = PERF_RECORD_MISC_KERNEL | PERFDATA_MISC_BUILD_ID_SIZE,
		.header.size = sizeof(entry) + PERFDATA_STRING_ALIGN,
		.pid = -1,
	};
	struct build_id id;

	if (!build_id_of_kernel(&id))
		return;
	memcpy(entry.build_id, id.bytes, id.size);
	entry.build_id[BUILD_ID_BYTES] = id.size;
	strbuf_add(ret, &entry, sizeof(entry));
	strbuf_add(ret, kernel_name, sizeof(kernel_name));
	bytes_add_zeros(ret, PERFDATA_STRING_ALIGN - sizeof(kernel_name));
}

static struct error *build_group_desc(const struct event_list *events, struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	uint32_t groups = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *leader = events->items[i];
		uint32_t members = 0;

		if (!leader->group || (i && events->items[i - 1]->group == leader->group))
			continue;
		while (i + members < events->nr && events->items[i + members]->group == leader->group)
			members++;
		add_string(&body, "{anon_group}");
		bytes_add_u32(&body, i);
		bytes_add_u32(&body, members);
		groups++;
	}
	if (!groups)
		return NULL;
	bytes_add_u32(ret, groups);
	strbuf_add(ret, strbuf_str(&body), body.len);
	return body.failed ? &error_no_memory : NULL;
}

/* One reading of the wall clock and of the clock the recording uses. */
static void build_clock_data(const struct feature_source *source, struct strbuf *ret)
{
	const struct clock_pair *clock = source->clock;

	if (source->info->clockid < 0 || !clock || !clock->realtime)
		return;
	bytes_add_u32(ret, 1);
	bytes_add_u32(ret, source->info->clockid);
	bytes_add_u64(ret, clock->realtime);
	bytes_add_u64(ret, clock->trace);
}

static void build_clockid(const struct writer_info *info, struct strbuf *ret)
{
	struct timespec resolution;

	if (info->clockid < 0 || clock_getres(info->clockid, &resolution))
		return;
	bytes_add_u64(ret, resolution.tv_sec * 1000000000ULL + resolution.tv_nsec);
}

struct error *feature_build(enum perfdata_feature feature, const struct feature_source *source,
			    struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf version = STRBUF_INIT;
	struct error *err = NULL;

	switch (feature) {
	case PERFDATA_BUILD_ID:
		build_build_id(ret);
		break;
	case PERFDATA_HOSTNAME:
	case PERFDATA_OSRELEASE:
	case PERFDATA_ARCH:
		build_uname(feature, ret);
		break;
	case PERFDATA_VERSION:
		strbuf_addf(&version, "ktrace %s", source->info->version);
		add_string(ret, strbuf_str(&version));
		break;
	case PERFDATA_NRCPUS:
		build_nrcpus(ret);
		break;
	case PERFDATA_CPUDESC:
		build_cpu_desc(ret);
		break;
	case PERFDATA_CPUID:
		build_cpu_id(ret);
		break;
	case PERFDATA_TOTAL_MEM:
		build_total_mem(ret);
		break;
	case PERFDATA_CMDLINE:
		build_cmdline(source->info, ret);
		break;
	case PERFDATA_EVENT_DESC:
		build_event_desc(source->events, ret);
		break;
	case PERFDATA_GROUP_DESC:
		err = build_group_desc(source->events, ret);
		break;
	case PERFDATA_SAMPLE_TIME:
		if (source->last_sample_time) {
			bytes_add_u64(ret, source->first_sample_time);
			bytes_add_u64(ret, source->last_sample_time);
		}
		break;
	case PERFDATA_CLOCKID:
		build_clockid(source->info, ret);
		break;
	case PERFDATA_CLOCK_DATA:
		build_clock_data(source, ret);
		break;
	default:
		break;
	}
	return !err && ret->failed ? &error_no_memory : err;
}

static void parse_string(struct bytes *b, char **ret)
{
	free(*ret);
	*ret = bytes_take_string(b);
}

static void free_words(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

static struct error *parse_cmdline(struct bytes *b, struct reader_info *info)
{
	uint32_t nr = bytes_take_u32(b);
	char **words;

	if (nr > (size_t)(b->end - b->p) / 4)
		return NULL;
	words = calloc(nr + 1, sizeof(*words));
	if (!words)
		return &error_no_memory;
	for (uint32_t i = 0; i < nr; i++) {
		words[i] = bytes_take_string(b);
		if (!words[i])
			break;
	}
	free_words(info->cmdline);
	info->cmdline = words;
	return NULL;
}

/* Names alone: attrs and ids come from the attrs section, as in perf. */
static struct error *parse_event_desc(struct bytes *b, struct event_list *events)
{
	uint32_t nr = bytes_take_u32(b);
	uint32_t attr_size = bytes_take_u32(b);

	for (uint32_t i = 0; i < nr && b->p < b->end; i++) {
		uint32_t nr_ids;
		char *name;

		bytes_take(b, attr_size);
		nr_ids = bytes_take_u32(b);
		name = bytes_take_string(b);
		bytes_take(b, nr_ids * 8ULL);
		if (!name)
			break;
		if (i < events->nr && *name) {
			free(events->items[i]->name);
			events->items[i]->name = name;
		} else {
			free(name);
		}
	}
	return NULL;
}

static void parse_build_ids(struct bytes *b, struct reader_info *info)
{
	struct perfdata_build_id entry;

	while ((size_t)(b->end - b->p) >= sizeof(entry)) {
		const char *at = b->p, *name = at + sizeof(entry);
		uint8_t size;

		memcpy(&entry, at, sizeof(entry));
		if (entry.header.size <= sizeof(entry) || !bytes_take(b, entry.header.size))
			return;
		if (strncmp(name, kernel_name, entry.header.size - sizeof(entry)))
			continue;
		size = entry.header.misc & PERFDATA_MISC_BUILD_ID_SIZE ?
			entry.build_id[BUILD_ID_BYTES] : BUILD_ID_BYTES;
		info->kernel.size = size <= BUILD_ID_BYTES ? size : BUILD_ID_BYTES;
		memcpy(info->kernel.bytes, entry.build_id, BUILD_ID_BYTES);
	}
}

static void parse_group_desc(struct bytes *b, struct event_list *events)
{
	uint32_t nr = bytes_take_u32(b);

	for (uint32_t i = 0; i < nr && b->p < b->end; i++) {
		uint32_t leader, members;

		free(bytes_take_string(b));
		leader = bytes_take_u32(b);
		members = bytes_take_u32(b);
		for (uint32_t m = 0; m < members && (uint64_t)leader + m < events->nr; m++)
			events->items[leader + m]->group = i + 1;
	}
}

struct error *feature_parse(enum perfdata_feature feature, const void *data, size_t size,
			    struct reader_info *info, struct event_list *events)
{
	struct bytes b = bytes_of(data, size);

	switch (feature) {
	case PERFDATA_HOSTNAME:
		parse_string(&b, &info->hostname);
		break;
	case PERFDATA_OSRELEASE:
		parse_string(&b, &info->os_release);
		break;
	case PERFDATA_VERSION:
		parse_string(&b, &info->version);
		break;
	case PERFDATA_ARCH:
		parse_string(&b, &info->arch);
		break;
	case PERFDATA_NRCPUS:
		info->nr_cpus_available = bytes_take_u32(&b);
		info->nr_cpus_online = bytes_take_u32(&b);
		break;
	case PERFDATA_CPUDESC:
		parse_string(&b, &info->cpu_desc);
		break;
	case PERFDATA_CPUID:
		parse_string(&b, &info->cpu_id);
		break;
	case PERFDATA_TOTAL_MEM:
		info->total_memory_kb = bytes_take_u64(&b);
		break;
	case PERFDATA_CMDLINE:
		return parse_cmdline(&b, info);
	case PERFDATA_EVENT_DESC:
		return parse_event_desc(&b, events);
	case PERFDATA_BUILD_ID:
		parse_build_ids(&b, info);
		break;
	case PERFDATA_GROUP_DESC:
		parse_group_desc(&b, events);
		break;
	case PERFDATA_SAMPLE_TIME:
		info->first_sample_time = bytes_take_u64(&b);
		info->last_sample_time = bytes_take_u64(&b);
		break;
	default:
		break;
	}
	return NULL;
}

void reader_info_deinit(struct reader_info *info)
{
	free(info->hostname);
	free(info->os_release);
	free(info->version);
	free(info->arch);
	free(info->cpu_desc);
	free(info->cpu_id);
	free_words(info->cmdline);
}
