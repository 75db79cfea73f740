// SPDX-License-Identifier: GPL-2.0
#include "perfdata/features.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/bytes.h"
#include "lib/file.h"
#include "perfdata/event_name.h"
#include "perfdata/feature_string.h"
#include "perfdata/swap.h"
#include "perfdata/topology.h"
#include "symbol/vdso.h"

/* The name that perf gives to the image of the running kernel. */
static const char kernel_name[] = "[kernel.kallsyms]";

/*
 * Store the value of the first "KEY : value" line of a file in /proc; NULL: there is none.  free()
 * it.
 */
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

static void build_uname(enum feature feature, struct strbuf *ret)
{
	struct utsname uts;

	if (uname(&uts))
		return;
	feature_add_string(ret, feature == FEATURE_HOSTNAME ? uts.nodename :
			feature == FEATURE_OSRELEASE ? uts.release : uts.machine);
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
		feature_add_string(ret, value);
		return;
	}
}

/* Append the CPU's id: on x86 "vendor,family,model,stepping", on arm64 the MIDR. */
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
			feature_add_string(ret, text.data);
		return;
	}
	error_free(file_read_text("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				  &midr));
	if (midr)
		feature_add_string(ret, midr);
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
	feature_add_string(ret, "ktrace");
	for (int i = 0; i < info->argc; i++)
		feature_add_string(ret, info->argv[i]);
}

size_t feature_attr_size(const struct event_list *events)
{
	size_t largest = PERF_ATTR_SIZE_VER7;

	for (size_t i = 0; i < events->nr; i++) {
		size_t size = event_attr_known_size(&events->items[i]->attr);

		largest = size > largest ? size : largest;
	}
	return largest;
}

static void build_event_desc(const struct event_list *events, struct strbuf *ret)
{
	size_t size = feature_attr_size(events);

	bytes_add_u32(ret, events->nr);
	bytes_add_u32(ret, size);
	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		strbuf_add(ret, &event->attr, size);
		bytes_add_u32(ret, event->nr_ids);
		feature_add_string(ret, event->name);
		strbuf_add(ret, event->ids, event->nr_ids * sizeof(*event->ids));
	}
}

/*
 * Append the build ids of the kernel, since every trace has addresses in it, and of the mapped
 * binaries.  The vDSO is no file, so its id is nowhere else.
 */
static void build_build_ids(const struct feature_source *source, struct strbuf *ret)
{
	struct build_id id;

	if (build_id_of_kernel(&id))
		binaries_add_entry(kernel_name, PERF_RECORD_MISC_KERNEL, &id, ret);
	if (!source->info->all_build_ids && !binaries_matter(source->events))
		return;
	if (vdso_build_id(&id))
		binaries_add_entry("[vdso]", PERF_RECORD_MISC_USER, &id, ret);
	if (source->binaries)
		binaries_add_build_ids(source->binaries, ret);
}

/* Append the PMUs of sysfs, which give the meaning of an attr's type on this machine. */
static void build_pmus(struct strbuf *ret)
{
	static const char root[] = "/sys/bus/event_source/devices";
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	DIR *dir = opendir(root);
	struct dirent *entry;
	uint32_t nr = 0;

	while (dir && (entry = readdir(dir))) {
		_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
		_cleanup_free_ char *type = NULL;
		struct error *err;

		if (entry->d_name[0] == '.')
			continue;
		strbuf_addf(&path, "%s/%s/type", root, entry->d_name);
		err = file_read_text(strbuf_str(&path), &type);
		error_free(err);
		if (err)
			continue;
		bytes_add_u32(&body, strtoul(type, NULL, 10));
		feature_add_string(&body, entry->d_name);
		nr++;
	}
	if (dir)
		closedir(dir);
	if (!nr || body.failed)
		return;
	bytes_add_u32(ret, nr);
	strbuf_add(ret, body.data, body.len);
}

static struct error *build_group_desc(const struct event_list *events, struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	uint32_t groups = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *leader = events->items[i];
		uint32_t members = 1;

		if (!leader->group || (i && events->items[i - 1]->group == leader->group))
			continue;
		while (i + members < events->nr &&
		       events->items[i + members]->group == leader->group)
			members++;
		feature_add_string(&body, "{anon_group}");
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

/* Append one reading of the wall clock and of the clock that the recording uses. */
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

struct error *feature_build(enum feature feature, const struct feature_source *source,
			    struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf version = STRBUF_INIT;
	struct error *err = NULL;

	switch (feature) {
	case FEATURE_BUILD_ID:
		build_build_ids(source, ret);
		break;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_ARCH:
		build_uname(feature, ret);
		break;
	case FEATURE_VERSION:
		strbuf_addf(&version, "ktrace %s", source->info->version);
		feature_add_string(ret, strbuf_str(&version));
		break;
	case FEATURE_NRCPUS:
		build_nrcpus(ret);
		break;
	case FEATURE_CPUDESC:
		build_cpu_desc(ret);
		break;
	case FEATURE_CPUID:
		build_cpu_id(ret);
		break;
	case FEATURE_TOTAL_MEM:
		build_total_mem(ret);
		break;
	case FEATURE_CMDLINE:
		build_cmdline(source->info, ret);
		break;
	case FEATURE_CPU_TOPOLOGY:
		topology_build_cpus(ret);
		break;
	case FEATURE_NUMA_TOPOLOGY:
		topology_build_nodes(ret);
		break;
	case FEATURE_MEM_TOPOLOGY:
		topology_build_memory(ret);
		break;
	case FEATURE_EVENT_DESC:
		build_event_desc(source->events, ret);
		break;
	case FEATURE_PMU_MAPPINGS:
		build_pmus(ret);
		break;
	case FEATURE_GROUP_DESC:
		err = build_group_desc(source->events, ret);
		break;
	case FEATURE_SAMPLE_TIME:
		if (source->last_sample_time) {
			bytes_add_u64(ret, source->first_sample_time);
			bytes_add_u64(ret, source->last_sample_time);
		}
		break;
	case FEATURE_STAT:
		/* perf only checks that it is there. */
		if (source->info->counts)
			bytes_add_u64(ret, 0);
		break;
	case FEATURE_CPU_DOMAIN_INFO:
		if (source->info->sched_domains)
			strbuf_add(ret, source->info->sched_domains->data,
				   source->info->sched_domains->len);
		break;
	case FEATURE_CLOCKID:
		build_clockid(source->info, ret);
		break;
	case FEATURE_CLOCK_DATA:
		build_clock_data(source, ret);
		break;
	default:
		break;
	}
	return !err && ret->failed ? &error_no_memory : err;
}

/* The lists of cores and threads, as texts, precede the core and the socket of each CPU. */
static struct error *parse_cpu_topology(struct bytes *b, struct header *header)
{
	header->sockets.nr = header->cores.nr = 0;
	for (int list = 0; list < 2; list++)
		for (uint32_t nr = bytes_take_u32(b); nr; nr--)
			if ((size_t)(b->end - b->p) < 4 || !bytes_take(b, bytes_take_u32(b)))
				return NULL;
	for (uint32_t cpu = 0; cpu < header->nr_cpus_available && b->end - b->p >= 8; cpu++) {
		if (!array_push(&header->cores, (int32_t)bytes_take_u32(b)) ||
		    !array_push(&header->sockets, (int32_t)bytes_take_u32(b)))
			return &error_no_memory;
	}
	return NULL;
}

/* Remember that the CPUs of a list, such as "0-3,8", belong to a node. */
static struct error *parse_node_cpus(const char *list, uint32_t node, struct header *header)
{
	const char *at = list;

	while (*at >= '0' && *at <= '9') {
		char *end;
		unsigned long first = strtoul(at, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && first < HEADER_CPUS_MAX; first++) {
			while (header->cpu_nodes.nr <= first)
				if (!array_push(&header->cpu_nodes, -1))
					return &error_no_memory;
			header->cpu_nodes.items[first] = node;
		}
		at = end + (*end == ',');
	}
	return NULL;
}

static struct error *parse_numa_topology(struct bytes *b, struct header *header)
{
	struct error *err = NULL;

	header->cpu_nodes.nr = 0;
	for (uint32_t nr = bytes_take_u32(b); nr && b->ok && !err; nr--) {
		uint32_t node = bytes_take_u32(b);
		_cleanup_free_ char *cpus = NULL;

		bytes_take(b, 2 * sizeof(uint64_t));	/* the total and the free memory */
		cpus = bytes_take_string(b);
		if (cpus && node < HEADER_CPUS_MAX)
			err = parse_node_cpus(cpus, node, header);
	}
	return err;
}

/* A machine has a few ranges; only a damaged header has more than this. */
#define MEMORY_RANGES_MAX	4096

/* Add a block of memory, which extends the one before it if they are adjacent. */
static bool add_memory_block(struct header *header, uint64_t node, uint64_t start, uint64_t size)
{
	struct header_memory *last = header->memory.nr ?
				     &header->memory.items[header->memory.nr - 1] : NULL;
	const struct header_memory added = { start, start + size, node };

	if (last && last->node == node && last->end == start) {
		last->end += size;
		return true;
	}
	if (header->memory.nr == MEMORY_RANGES_MAX)
		return true;
	return array_push(&header->memory, added);
}

/* The blocks of each node are a bitmap, whose number of bits is in front of it. */
static struct error *parse_memory_topology(struct bytes *b, struct header *header)
{
	uint64_t size, nr;

	header->memory.nr = 0;
	bytes_take_u64(b);	/* the version of the format, which is 1 */
	size = bytes_take_u64(b);
	for (nr = bytes_take_u64(b); nr && b->ok; nr--) {
		uint64_t node = bytes_take_u64(b), bits;

		bytes_take_u64(b);
		bits = bytes_take_u64(b);
		for (uint64_t from = 0; from < bits && b->ok; from += 64) {
			uint64_t word = bytes_take_u64(b);

			for (unsigned int bit = 0; bit < 64 && word >> bit; bit++)
				if (word >> bit & 1 && node < HEADER_CPUS_MAX &&
				    !add_memory_block(header, node, (from + bit) * size, size))
					return &error_no_memory;
		}
	}
	return NULL;
}

static void parse_text_feature(struct bytes *b, char **ret)
{
	free(*ret);
	*ret = bytes_take_string(b);
}

static struct error *parse_cmdline(struct bytes *b, struct header *header)
{
	uint32_t nr = bytes_take_u32(b);
	char **words;

	if (header->cmdline || nr > (size_t)(b->end - b->p) / 4)
		return NULL;
	words = calloc(nr + 1, sizeof(*words));
	if (!words)
		return &error_no_memory;
	for (uint32_t i = 0; i < nr; i++) {
		words[i] = bytes_take_string(b);
		if (!words[i])
			break;
	}
	header->cmdline = words;
	return NULL;
}

/* Only the names are taken: attrs and ids come from the attrs section, as in perf. */
static struct error *parse_event_desc(struct bytes *b, struct event_list *events)
{
	uint32_t nr = bytes_take_u32(b);
	uint32_t attr_size = bytes_take_u32(b);

	for (uint32_t i = 0; i < nr && b->ok; i++) {
		struct error *err = NULL;
		uint32_t nr_ids;
		char *name;

		bytes_take(b, attr_size);
		nr_ids = bytes_take_u32(b);
		name = bytes_take_string(b);
		bytes_take(b, nr_ids * 8ULL);
		if (!name)
			break;
		if (i < events->nr && *name)
			err = event_name_set(events->items[i], name, strlen(name));
		free(name);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * Whether the entry is for the kernel itself and not for a module.  The names of modules are in
 * brackets or end in .ko.
 */
static bool is_kernel_entry(const struct perfdata_build_id *entry, const char *name)
{
	return (entry->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL &&
	       (!strcmp(name, kernel_name) || (*name != '[' && !strstr(name, ".ko")));
}

static struct error *parse_build_ids(struct bytes *b, struct header *header)
{
	struct perfdata_build_id entry;

	while ((size_t)(b->end - b->p) >= sizeof(entry)) {
		const char *at = b->p, *name = at + sizeof(entry);
		struct header_build_id found = { .name = NULL };
		size_t name_size;
		uint8_t size;

		memcpy(&entry, at, sizeof(entry));
		if (b->swapped)
			swap_header(&entry.header);
		if (entry.header.size <= sizeof(entry) || !bytes_take(b, entry.header.size))
			return NULL;
		name_size = entry.header.size - sizeof(entry);
		size = entry.header.misc & BODY_MISC_BUILD_ID_SIZE ?
			entry.body.build_id_size : BUILD_ID_BYTES;
		found.of_kernel = (entry.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				  PERF_RECORD_MISC_KERNEL;
		found.id.size = size <= BUILD_ID_BYTES ? size : BUILD_ID_BYTES;
		memcpy(found.id.bytes, entry.body.build_id, BUILD_ID_BYTES);
		found.name = strndup(name, name_size);
		if (!found.name || !array_push(&header->build_ids, found)) {
			free(found.name);
			return &error_no_memory;
		}
		if (is_kernel_entry(&entry, found.name) && !header->kernel_name) {
			header->kernel = found.id;
			header->kernel_name = strdup(found.name);
		}
	}
	return NULL;
}

static struct error *parse_pmus(struct bytes *b, struct header *header)
{
	uint32_t nr = bytes_take_u32(b);

	if (header->pmus.nr)
		return NULL;
	while (nr-- && b->ok) {
		struct header_pmu pmu = { .type = bytes_take_u32(b) };

		pmu.name = bytes_take_string(b);
		if (!pmu.name)
			break;
		if (!array_push(&header->pmus, pmu)) {
			free(pmu.name);
			return &error_no_memory;
		}
	}
	return NULL;
}

static void parse_group_desc(struct bytes *b, struct event_list *events)
{
	uint32_t nr = bytes_take_u32(b);
	size_t left = events->nr;

	for (uint32_t i = 0; i < nr && b->ok; i++) {
		char *name = bytes_take_string(b);
		uint32_t leader = bytes_take_u32(b), members = bytes_take_u32(b);

		if (name && strcmp(name, "{anon_group}") && leader < events->nr &&
		    !events->items[leader]->group_name)
			events->items[leader]->group_name = take_ptr(name);
		free(name);
		/* No event may be in two groups, even if the file says so. */
		for (; members-- && left && leader < events->nr; left--)
			events->items[leader++]->group = i + 1;
	}
}

/* Add a detail; the header owns @name and @text. */
static struct error *add_detail(struct header *header, enum feature feature, char *name, char *text)
{
	struct header_detail detail = { .feature = feature, .name = name, .text = text };

	if (name && text && array_push(&header->details, detail))
		return NULL;
	free(name);
	free(text);
	return &error_no_memory;
}

/*
 * Parse capabilities into "branches=32, max_precise=3".  The PMU's name follows in the
 * content, unless the caller knows it: @pmu.
 */
static struct error *parse_caps(struct bytes *b, struct header *header, enum feature feature,
				const char *pmu)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	uint32_t nr = bytes_take_u32(b);
	char *name;

	strbuf_addstr(&text, nr ? "" : "not available");
	for (uint32_t i = 0; i < nr && b->ok; i++) {
		_cleanup_free_ char *cap = bytes_take_string(b);
		_cleanup_free_ char *value = bytes_take_string(b);

		if (cap && value)
			strbuf_addf(&text, "%s%s=%s", i ? ", " : "", cap, value);
	}
	name = pmu ? strdup(pmu) : bytes_take_string(b);
	if (!name && !pmu)
		return NULL;
	return add_detail(header, feature, name, strdup(strbuf_str(&text)));
}

static struct error *parse_all_caps(struct bytes *b, struct header *header)
{
	uint32_t nr = bytes_take_u32(b);
	struct error *err = NULL;

	while (nr-- && b->ok && !err)
		err = parse_caps(b, header, FEATURE_PMU_CAPS, NULL);
	return err;
}

/* Domains have names from this version on. */
#define SCHEDSTAT_NAMED	17

/* Take a domain of @cpu, and append its lines as perf prints them. */
static struct error *parse_sched_domain(struct bytes *b, struct header *header, uint32_t cpu,
					struct strbuf *text)
{
	struct header_sched_domain domain = { .cpu = cpu, .number = bytes_take_u32(b) };

	if (header->sched_domains.version >= SCHEDSTAT_NAMED)
		domain.name = bytes_take_string(b);
	domain.mask = bytes_take_string(b);
	domain.cpus = bytes_take_string(b);
	if (!domain.mask || !domain.cpus || !array_push(&header->sched_domains, domain)) {
		free(domain.name);
		free(domain.mask);
		free(domain.cpus);
		return b->ok ? &error_no_memory : NULL;
	}
	strbuf_addf(text, "Domain           : %" PRIu32 "\n", domain.number);
	if (domain.name)
		strbuf_addf(text, "Domain name      : %s\n", domain.name);
	strbuf_addf(text, "Domain cpu map   : %s\nDomain cpu list  : %s\n", domain.mask, domain.cpus);
	return NULL;
}

static struct error *parse_sched_domains(struct bytes *b, struct header *header)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;

	if (header->sched_domains.nr)
		return NULL;
	header->sched_domains.version = bytes_take_u32(b);
	strbuf_addf(&text, "schedstat version : %" PRIu32 "\n", header->sched_domains.version);
	strbuf_addf(&text, "Maximum sched domains : %" PRIu32 "\n", bytes_take_u32(b));
	while (!err && b->ok && b->p < b->end) {
		uint32_t cpu = bytes_take_u32(b), nr = bytes_take_u32(b);

		strbuf_addf(&text, "cpu : %" PRIu32 "\nnr_domains : %" PRIu32 "\n", cpu, nr);
		while (nr-- && b->ok && !err)
			err = parse_sched_domain(b, header, cpu, &text);
	}
	return err ? err : add_detail(header, FEATURE_CPU_DOMAIN_INFO, strdup(""),
				      strdup(strbuf_str(&text)));
}

static struct error *add_detail_id(struct header *header, enum feature feature, uint32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, id);
	return add_detail(header, feature, strdup(text), strdup(""));
}

/* Each program is a struct bpf_prog_info, which begins with its type and id, and its arrays. */
static struct error *parse_bpf_programs(struct bytes *b, struct header *header)
{
	uint32_t nr = bytes_take_u32(b);
	struct error *err = NULL;

	while (nr-- && b->ok && !err) {
		uint32_t info = bytes_take_u32(b), data = bytes_take_u32(b), id;

		bytes_take_u64(b);
		bytes_take_u32(b);
		id = bytes_take_u32(b);
		if (info < 2 * sizeof(uint32_t) ||
		    !bytes_take(b, info - 2 * sizeof(uint32_t) + (uint64_t)data))
			return NULL;
		err = add_detail_id(header, FEATURE_BPF_PROG_INFO, id);
	}
	return err;
}

static struct error *parse_bpf_btf(struct bytes *b, struct header *header)
{
	uint32_t nr = bytes_take_u32(b);
	struct error *err = NULL;

	while (nr-- && b->ok && !err) {
		uint32_t id = bytes_take_u32(b), size = bytes_take_u32(b);

		if (!bytes_take(b, size))
			return NULL;
		err = add_detail_id(header, FEATURE_BPF_BTF, id);
	}
	return err;
}

/* Keep the lines of a feature that is only shown. */
static struct error *parse_topology(struct bytes b, struct header *header, enum feature feature)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (!topology_text_add(&text, feature, &b, header->nr_cpus_available))
		return NULL;
	return add_detail(header, feature, strdup(""), strdup(strbuf_str(&text)));
}

static uint32_t take_cpu_number(struct bytes *b)
{
	uint32_t nr = bytes_take_u32(b);

	return nr > HEADER_CPUS_MAX ? 0 : nr;
}

struct error *feature_parse(enum feature feature, const void *data, size_t size, bool swapped,
			    struct header *header, struct event_list *events)
{
	struct bytes b = bytes_of(data, size);
	struct error *err;

	b.swapped = swapped;
	err = parse_topology(b, header, feature);
	if (err)
		return err;
	switch (feature) {
	case FEATURE_HOSTNAME:
		parse_text_feature(&b, &header->hostname);
		break;
	case FEATURE_OSRELEASE:
		parse_text_feature(&b, &header->os_release);
		break;
	case FEATURE_VERSION:
		parse_text_feature(&b, &header->version);
		break;
	case FEATURE_ARCH:
		parse_text_feature(&b, &header->arch);
		break;
	case FEATURE_NRCPUS:
		header->nr_cpus_available = take_cpu_number(&b);
		header->nr_cpus_online = take_cpu_number(&b);
		break;
	case FEATURE_CPU_TOPOLOGY:
		return parse_cpu_topology(&b, header);
	case FEATURE_NUMA_TOPOLOGY:
		return parse_numa_topology(&b, header);
	case FEATURE_MEM_TOPOLOGY:
		return parse_memory_topology(&b, header);
	case FEATURE_CPUDESC:
		parse_text_feature(&b, &header->cpu_desc);
		break;
	case FEATURE_CPUID:
		parse_text_feature(&b, &header->cpu_id);
		break;
	case FEATURE_TOTAL_MEM:
		header->total_memory_kb = bytes_take_u64(&b);
		break;
	case FEATURE_CMDLINE:
		return parse_cmdline(&b, header);
	case FEATURE_EVENT_DESC:
		return parse_event_desc(&b, events);
	case FEATURE_BUILD_ID:
		return parse_build_ids(&b, header);
	case FEATURE_PMU_MAPPINGS:
		return parse_pmus(&b, header);
	case FEATURE_CLOCKID:
		header->clock_resolution = bytes_take_u64(&b);
		break;
	case FEATURE_CLOCK_DATA:
		bytes_take_u32(&b);
		header->clockid = bytes_take_u32(&b);
		header->wall_time = bytes_take_u64(&b);
		header->clock_time = bytes_take_u64(&b);
		break;
	case FEATURE_COMPRESSED:
		bytes_take_u32(&b);
		header->compression_type = bytes_take_u32(&b);
		header->compression_level = bytes_take_u32(&b);
		header->compression_ratio = bytes_take_u32(&b);
		break;
	case FEATURE_GROUP_DESC:
		parse_group_desc(&b, events);
		break;
	case FEATURE_DIR_FORMAT:
		header->dir_version = bytes_take_u64(&b);
		break;
	case FEATURE_CPU_PMU_CAPS:
		return parse_caps(&b, header, feature, "cpu");
	case FEATURE_PMU_CAPS:
		return parse_all_caps(&b, header);
	case FEATURE_BPF_PROG_INFO:
		return parse_bpf_programs(&b, header);
	case FEATURE_BPF_BTF:
		return parse_bpf_btf(&b, header);
	case FEATURE_CPU_DOMAIN_INFO:
		return parse_sched_domains(&b, header);
	case FEATURE_SAMPLE_TIME:
		header->first_sample_time = bytes_take_u64(&b);
		header->last_sample_time = bytes_take_u64(&b);
		break;
	default:
		break;
	}
	return NULL;
}
