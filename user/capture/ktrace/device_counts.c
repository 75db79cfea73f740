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

/* Room for so many bytes of entries at once. */
#define READ_ROOM	65536

/* ---- how to count -------------------------------------------------------------- */

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
		.form = part->is_text ? KTRACE_COUNT_TEXT :
			part->is_step ? KTRACE_COUNT_LOG2 : KTRACE_COUNT_NUMBER,
		.flags = part->is_signed ? KTRACE_COUNT_SIGNED : 0,
	};

	if (source->field) {
		encode_field(part, source->field, &ret);
	} else if (source->common) {
		ret.src = KTRACE_COUNT_SRC_FIELD;
		ret.offset = source->common->number;
		ret.width = source->common->size;
	} else {
		ret.src = KTRACE_COUNT_SRC_LATENCY;
		ret.width = sizeof(uint64_t);
	}
	return ret;
}

static struct error *add_counts_error(const struct event *event, int code)
{
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
		.nr_pair = keys->role == COUNT_END ? keys->nr_pair : 0,
		.nr_parts = keys->nr,
		.parts = keys->nr ? (uintptr_t)parts : 0,
	};
	uint32_t bytes = keys->role == COUNT_START ? keys->pair_bytes : keys->key_bytes;

	for (size_t i = 0; i < keys->nr; i++)
		parts[i] = encode_part(&keys->parts[i]);
	if (keys->has_value)
		add.value = encode_part(&keys->value);
	if (ioctl(fd, KTRACE_IOC_COUNT_ADD, &add))
		return add_counts_error(event, errno);
	if (add.key_bytes != bytes)
		return error_new(EPROTO, "The ktrace module makes keys of %u bytes of %s, not of %u",
				 add.key_bytes, event->name, bytes);
	return NULL;
}

/* ---- what was counted ------------------------------------------------------------ */

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
	struct error *err = NULL;

	if (!room)
		return &error_no_memory;
	for (size_t i = 0; !err && i < cpus->nr; i++) {
		struct ktrace_count_read read = {
			.size = sizeof(read), .index = index, .cpu = cpus->cpus[i],
			.entries = (uintptr_t)room, .room = READ_ROOM,
		};

		while (!err && read.position != KTRACE_COUNT_READ_END) {
			if (ioctl(fd, KTRACE_IOC_COUNT_READ, &read))
				return error_errno(errno, "The ktrace module does not give the counts "
						   "of %s on CPU %u", event->name, read.cpu);
			err = pass_entries(&read, event->count->key_bytes, room, fn, data);
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
