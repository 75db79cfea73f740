// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/device_counts.h"

#include <errno.h>
#include <linux/ktrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/cleanup.h"

_Static_assert(COUNT_MAX_PARTS == KTRACE_COUNT_MAX_PARTS &&
	       COUNT_MAX_KEY == KTRACE_COUNT_MAX_KEY &&
	       COUNT_MAX_PAIR == KTRACE_COUNT_MAX_PAIR, "limits of keys differ");

/* Bytes of entries that are read at once. */
#define READ_ROOM	65536

/* ---- setting up ---------------------------------------------------------------- */

static void encode_field(const struct count_part *part, const struct field *field,
			 struct ktrace_count_part *ret)
{
	ret->src = field->kind == FIELD_DYNAMIC_STRING ? KTRACE_COUNT_SRC_DATA_LOC :
		   field->kind == FIELD_REL_STRING ? KTRACE_COUNT_SRC_REL_LOC :
						     KTRACE_COUNT_SRC_RECORD;
	ret->offset = field->offset;
	ret->width = ret->src == KTRACE_COUNT_SRC_RECORD ? field->size : part->size;
}

static struct ktrace_count_part encode_part(const struct count_part *part)
{
	const struct count_source *source = &part->source;
	struct ktrace_count_part ret = {
		.form = source->chain ? KTRACE_COUNT_CHAIN :
			part->is_text ? KTRACE_COUNT_TEXT :
			part->is_step ? KTRACE_COUNT_LOG2 : KTRACE_COUNT_NUMBER,
		.flags = part->is_signed ? KTRACE_COUNT_SIGNED : 0,
	};

	if (source->field) {
		encode_field(part, source->field, &ret);
	} else if (source->common) {
		ret.src = KTRACE_COUNT_SRC_FIELD;
		ret.offset = source->common->number;
		ret.width = source->common->size;
	} else if (source->chain) {
		ret.src = source->chain == COUNT_USER ? KTRACE_COUNT_SRC_USER :
							KTRACE_COUNT_SRC_KERNEL;
		ret.width = sizeof(uint64_t);
	} else {
		ret.src = KTRACE_COUNT_SRC_LATENCY;
		ret.width = sizeof(uint64_t);
	}
	if (source->of_start) {
		ret.src = KTRACE_COUNT_SRC_START;
		ret.offset = source->start_part;
	}
	return ret;
}

/* Whether the loaded module is too old for the keys. */
static bool is_too_old(int fd, const struct count_keys *keys)
{
	struct ktrace_info info = { .size = sizeof(info) };

	return (count_keys_have_chains(keys) || count_keys_have_start(keys)) &&
	       (ioctl(fd, KTRACE_IOC_INFO, &info) ||
		!(info.features & KTRACE_FEATURE_COUNT_CHAINS));
}

static struct error *add_counts_error(int fd, const struct event *event, int code)
{
	if (code == EINVAL && is_too_old(fd, event->count))
		return error_hint(error_new(code, "The ktrace module that is loaded is too old to "
					    "count by call chains and by fields of a start"),
				  "Load the module that came with this ktrace");
	switch (code) {
	case ENOTTY:
		return error_hint(error_new(code, "The ktrace module that is loaded is too old to "
					    "count by fields"),
				  "Load the module that came with this ktrace");
	case EPERM:
		return error_hint(error_new(code, "The table for %u keys of %s is more memory than "
					    "you may lock", event->count->entries, event->name),
				  "Give it a smaller --max-keys, or run ktrace as root");
	case EINVAL:
	case ENOMEM:
		return error_hint(error_new(code, "There is not enough memory to count %s by %u keys "
					    "on each CPU", event->name, event->count->entries),
				  "Give it a smaller --max-keys");
	default:
		return error_errno(code, "The ktrace module cannot count %s", event->name);
	}
}

struct error *device_counts_add(int fd, const struct event *event, uint32_t index,
				uint32_t start)
{
	const struct count_keys *keys = event->count;
	struct ktrace_count_part parts[COUNT_MAX_PARTS];
	struct ktrace_count_add add = {
		.size = sizeof(add),
		.index = index,
		.role = keys->role == COUNT_START ? KTRACE_COUNT_START :
			keys->role == COUNT_END ? KTRACE_COUNT_END : KTRACE_COUNT_EACH,
		.start = keys->role == COUNT_END ? start : 0,
		.entries = keys->entries,
		.nr_pair = keys->nr_pair < keys->nr || keys->role == COUNT_END ? keys->nr_pair : 0,
		.nr_parts = keys->nr,
		.parts = keys->nr ? (uintptr_t)parts : 0,
	};
	uint32_t bytes = keys->key_bytes + (keys->role == COUNT_START ? keys->pair_bytes : 0);

	for (size_t i = 0; i < keys->nr; i++)
		parts[i] = encode_part(&keys->parts[i]);
	if (keys->has_value && keys->role != COUNT_START)
		add.value = encode_part(&keys->value);
	if (ioctl(fd, KTRACE_IOC_COUNT_ADD, &add))
		return add_counts_error(fd, event, errno);
	if (add.key_bytes != bytes)
		return error_new(EPROTO, "The ktrace module makes keys of %u bytes of %s, not of %u",
				 add.key_bytes, event->name, bytes);
	return NULL;
}

/* ---- reading --------------------------------------------------------------------- */

static struct error *pass_entries(const struct ktrace_count_read *read, uint32_t key_bytes,
				  const char *at, counts_entry_fn fn, void *data)
{
	struct error *err = NULL;

	for (uint32_t i = 0; !err && i < read->nr; i++) {
		struct ktrace_count_entry raw;
		struct counts_entry entry;

		memcpy(&raw, at, sizeof(raw));
		entry = (struct counts_entry){
			.count = raw.count, .sum = raw.sum, .min = raw.min, .max = raw.max,
			.key = at + sizeof(raw),
		};
		err = fn(data, &entry);
		at += sizeof(raw) + key_bytes;
	}
	return err;
}

struct error *device_counts_read(int fd, const struct event *event, uint32_t index,
				 const struct cpumap *cpus, counts_entry_fn fn, void *data)
{
	_cleanup_free_ char *room = malloc(READ_ROOM);
	uint32_t bytes = event->count->key_bytes;
	size_t nr_cpus = cpus->nr;
	struct error *err = NULL;

	if (!room)
		return &error_no_memory;
	/* All CPUs have one table of starts. */
	if (event->count->role == COUNT_START) {
		bytes += event->count->pair_bytes;
		nr_cpus = 1;
	}
	for (size_t i = 0; !err && i < nr_cpus; i++) {
		struct ktrace_count_read read = {
			.size = sizeof(read), .index = index, .cpu = cpus->cpus[i],
			.entries = (uintptr_t)room, .room = READ_ROOM,
		};

		while (!err && read.position != KTRACE_COUNT_READ_END) {
			if (ioctl(fd, KTRACE_IOC_COUNT_READ, &read))
				return error_errno(errno, "The ktrace module does not give the counts "
						   "of %s on CPU %u", event->name, read.cpu);
			err = pass_entries(&read, bytes, room, fn, data);
		}
	}
	return err;
}

static struct error *add_ledger(int fd, const struct event *event, uint32_t index, uint32_t cpu,
				struct counts_ledger *ledger)
{
	struct ktrace_stats stats = { .size = sizeof(stats), .index = index, .cpu = cpu };
	struct ktrace_count_read read = {
		.size = sizeof(read), .index = index, .cpu = cpu,
		.position = KTRACE_COUNT_READ_END,
	};

	if (ioctl(fd, KTRACE_IOC_STATS, &stats) || ioctl(fd, KTRACE_IOC_COUNT_READ, &read))
		return error_errno(errno, "The ktrace module gives no statistics of %s on CPU %u",
				   event->name, cpu);
	ledger->counted += stats.recorded;
	ledger->filtered += stats.filtered;
	ledger->out_of_scope += stats.out_of_scope;
	ledger->no_slot += stats.lost[KTRACE_LOST_NO_SLOT];
	ledger->no_start += stats.lost[KTRACE_LOST_NO_START];
	for (uint32_t reason = 0; reason < KTRACE_LOST_NR; reason++)
		if (reason != KTRACE_LOST_NO_SLOT && reason != KTRACE_LOST_NO_START)
			ledger->other += stats.lost[reason];
	ledger->restarted += read.restarted;
	ledger->bounded |= stats.flags & KTRACE_STATS_BOUNDED;
	return NULL;
}

struct error *device_counts_read_ledger(int fd, const struct event *event, uint32_t index,
					const struct cpumap *cpus, struct counts_ledger *ret)
{
	struct error *err = NULL;

	*ret = (struct counts_ledger){ 0 };
	for (size_t i = 0; !err && i < cpus->nr; i++)
		err = add_ledger(fd, event, index, cpus->cpus[i], ret);
	return err;
}

static struct error *pass_chains(const struct ktrace_chain_read *read, const char *at,
				 counts_chain_fn fn, void *data)
{
	struct error *err = NULL;

	for (uint32_t i = 0; !err && i < read->nr; i++) {
		/* All are multiples of 8 bytes. */
		const struct ktrace_chain_entry *entry = (const void *)at;
		const struct counts_chain chain = {
			.number = entry->number, .time = entry->time, .pid = entry->tgid,
			.ips = (const uint64_t *)(entry + 1), .nr = entry->nr,
		};

		err = fn(data, &chain);
		at += sizeof(*entry) + entry->nr * sizeof(uint64_t);
	}
	return err;
}

struct error *device_counts_read_chains(int fd, const struct event *event, uint32_t index,
					struct counts_chains *chains, counts_chain_fn fn,
					void *data)
{
	_cleanup_free_ char *room = malloc(READ_ROOM);
	struct ktrace_chain_read read = {
		.size = sizeof(read), .index = index, .position = chains->position,
		.entries = (uintptr_t)room, .room = READ_ROOM,
	};
	struct error *err = NULL;

	if (!room)
		return &error_no_memory;
	do {
		if (ioctl(fd, KTRACE_IOC_CHAIN_READ, &read))
			return error_errno(errno, "The ktrace module does not give the call chains of "
					   "%s", event->name);
		err = pass_chains(&read, room, fn, data);
	} while (!err && read.nr);
	*chains = (struct counts_chains){ read.position, read.used, read.dropped };
	return err;
}
