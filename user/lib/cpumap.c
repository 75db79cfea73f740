// SPDX-License-Identifier: GPL-2.0
#include "lib/cpumap.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/strbuf.h"

/* This is far above any NR_CPUS, and bounds the allocation for "0-4000000000". */
#define CPUMAP_MAX 65536

DEFINE_COMPARISON(compare_cpu, uint32_t, array_order(*x, *y))

void cpumap_deinit(struct cpumap *map)
{
	free(map->cpus);
	*map = (struct cpumap){ 0 };
}

static bool parse_number(const char **p, unsigned long *ret)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*ret = strtoul(*p, &end, 10);
	*p = end;
	return !errno && *ret < CPUMAP_MAX;
}

struct error *cpumap_parse(const char *text, struct cpumap *ret)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t nr = 0, alloc = 0, unique = 0;
	const char *p = text;

	for (;;) {
		unsigned long first, last;

		while (isspace((unsigned char)*p))
			p++;
		if (!parse_number(&p, &first))
			goto err_syntax;
		last = first;
		if (*p == '-') {
			p++;
			if (!parse_number(&p, &last) || last < first)
				goto err_syntax;
		}
		if (nr + last - first + 1 > alloc) {
			uint32_t *grown;

			alloc = (nr + last - first + 1) * 2;
			grown = reallocarray(cpus, alloc, sizeof(*cpus));
			if (!grown)
				return &error_no_memory;
			cpus = grown;
		}
		for (; first <= last; first++)
			cpus[nr++] = first;
		while (isspace((unsigned char)*p))
			p++;
		if (!*p)
			break;
		if (*p++ != ',')
			goto err_syntax;
	}
	qsort(cpus, nr, sizeof(*cpus), compare_cpu);
	for (size_t i = 0; i < nr; i++)
		if (!unique || cpus[unique - 1] != cpus[i])
			cpus[unique++] = cpus[i];
	ret->cpus = take_ptr(cpus);
	ret->nr = unique;
	return NULL;

err_syntax:
	return error_hint(error_new(EINVAL, "'%s' is not a list of CPUs", text),
			  "Write numbers and ranges, as in 0-3,7");
}

static struct error *read_map(const char *path, struct cpumap *ret)
{
	_cleanup_free_ char *text = NULL;
	struct error *err;

	err = file_read_text(path, &text);
	if (err)
		return err;
	return cpumap_parse(text, ret);
}

/* Read the online CPUs from /proc/stat, which has a line for each. */
static struct error *read_stat(struct cpumap *ret)
{
	_cleanup_(strbuf) struct strbuf list = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	struct error *err = file_read("/proc/stat", &text, NULL);

	for (const char *line = text; line; line = strchr(line + 1, '\n')) {
		const char *cpu = line + (*line == '\n');

		if (!strncmp(cpu, "cpu", 3) && isdigit((unsigned char)cpu[3]))
			strbuf_addf(&list, "%s%lu", list.len ? "," : "", strtoul(cpu + 3, NULL, 10));
	}
	if (!err && !list.len)
		err = error_new(ENOENT, "/proc/stat has no CPUs");
	return err ? err : list.failed ? &error_no_memory : cpumap_parse(list.data, ret);
}

/* Sandboxes may have no /sys. */
static struct error *read_map_or_stat(const char *path, struct cpumap *ret)
{
	struct error *err = read_map(path, ret), *other;

	if (!err || err->code != ENOENT)
		return err;
	other = read_stat(ret);
	if (other) {
		error_free(other);
		return err;
	}
	error_free(err);
	return NULL;
}

struct error *cpumap_online(struct cpumap *ret)
{
	return read_map_or_stat("/sys/devices/system/cpu/online", ret);
}

struct error *cpumap_present(struct cpumap *ret)
{
	return read_map_or_stat("/sys/devices/system/cpu/present", ret);
}

struct error *cpumap_select(const char *list, struct cpumap *ret)
{
	struct cpumap online, wanted;
	struct error *err;

	err = cpumap_online(&online);
	if (err || !list) {
		if (!err)
			*ret = online;
		return err;
	}
	err = cpumap_parse(list, &wanted);
	if (err) {
		cpumap_deinit(&online);
		return err;
	}
	for (size_t i = 0; i < wanted.nr; i++) {
		if (!cpumap_has(&online, wanted.cpus[i])) {
			err = error_hint(error_new(ENODEV, "CPU %u is not online",
						   wanted.cpus[i]),
					 "cat /sys/devices/system/cpu/online lists the online "
					 "CPUs");
			break;
		}
	}
	cpumap_deinit(&online);
	if (err) {
		cpumap_deinit(&wanted);
		return err;
	}
	*ret = wanted;
	return NULL;
}

bool cpumap_has(const struct cpumap *map, uint32_t cpu)
{
	return map->nr && bsearch(&cpu, map->cpus, map->nr, sizeof(cpu), compare_cpu);
}

unsigned int cpumap_usable(void)
{
	size_t size = CPU_ALLOC_SIZE(CPUMAP_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUMAP_MAX);
	int nr = 0;

	if (set && !sched_getaffinity(0, size, set))
		nr = CPU_COUNT_S(size, set);
	CPU_FREE(set);
	return nr > 0 ? nr : 1;
}
