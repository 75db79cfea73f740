// SPDX-License-Identifier: GPL-2.0
#include "counts/key_stacks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

static void key_frame_deinit(struct key_frame *frame)
{
	free((char *)frame->symbol);
	free((char *)frame->binary);
}

void key_stacks_deinit(struct key_stacks *stacks)
{
	for (size_t i = 0; i < stacks->frames.nr; i++)
		key_frame_deinit(&stacks->frames.items[i]);
	for (size_t i = 0; i < stacks->stacks.nr; i++)
		free(stacks->stacks.items[i].frames);
	free(stacks->frames.items);
	free(stacks->stacks.items);
	hash_table_deinit(&stacks->frame_table);
	hash_table_deinit(&stacks->stack_table);
	*stacks = (struct key_stacks){ 0 };
}

const struct key_stack *key_stacks_find(const struct key_stacks *stacks, uint64_t number)
{
	return number && number <= stacks->stacks.nr ? &stacks->stacks.items[number - 1] : NULL;
}

const struct key_frame *key_stacks_frame(const struct key_stacks *stacks, uint32_t number)
{
	return &stacks->frames.items[number];
}

/* Build ids distinguish binaries; without one, names do. */
static uint64_t key_frame_hash(const struct key_frame *frame)
{
	uint64_t hash = hash_key_join(hash_key_number(frame->address), frame->kernel);

	if (frame->id.size)
		return hash_key_join(hash, hash_key_bytes(frame->id.bytes, frame->id.size));
	if (frame->binary)
		return hash_key_join(hash, hash_key_text(frame->binary));
	return hash_key_join(hash, frame->pid);
}

static bool key_frame_equal(const struct key_frame *a, const struct key_frame *b)
{
	if (a->address != b->address || a->kernel != b->kernel || !a->binary != !b->binary)
		return false;
	if (a->id.size || b->id.size)
		return build_id_equal(&a->id, &b->id);
	return a->binary ? !strcmp(a->binary, b->binary) : a->pid == b->pid;
}

static struct error *key_frame_copy(const struct key_frame *frame, struct key_frame *ret)
{
	*ret = *frame;
	ret->symbol = frame->symbol ? strdup(frame->symbol) : NULL;
	ret->binary = frame->binary ? strdup(frame->binary) : NULL;
	if (!ret->symbol == !frame->symbol && !ret->binary == !frame->binary)
		return NULL;
	key_frame_deinit(ret);
	return &error_no_memory;
}

static struct error *key_frames_add(struct key_stacks *stacks, const struct key_frame *frame,
				    uint32_t *ret)
{
	uint64_t hash = key_frame_hash(frame);
	struct key_frame own;
	struct error *err;

	hash_table_each(&stacks->frame_table, hash, n)
		if (key_frame_equal(&stacks->frames.items[n], frame)) {
			*ret = n;
			return NULL;
		}
	err = key_frame_copy(frame, &own);
	if (err)
		return err;
	if (!array_push(&stacks->frames, own)) {
		key_frame_deinit(&own);
		return &error_no_memory;
	}
	*ret = stacks->frames.nr - 1;
	return hash_table_add(&stacks->frame_table, hash, *ret) ? NULL : &error_no_memory;
}

static struct key_frame key_frame_of(struct machine *machine, const struct maps *maps,
				     int32_t pid, uint64_t ip)
{
	struct key_frame frame = { .address = ip, .kernel = !pid, .pid = pid };
	struct place place;

	machine_find(machine, maps, pid ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL, ip,
		     &place);
	if (place.symbol)
		frame.symbol = place.symbol->name;
	if (!place.map)
		return frame;
	frame.binary = place.map->dso->short_name;
	if (pid) {
		frame.address = place.address;
		frame.id = place.map->dso->id;
	}
	return frame;
}

/* Takes the ownership of @frames, also on failure. */
static struct error *key_stacks_push(struct key_stacks *stacks, uint32_t *frames, size_t nr,
				     uint64_t *ret)
{
	uint64_t hash = hash_key_bytes(frames, nr * sizeof(*frames));
	const struct key_stack own = { frames, nr };

	hash_table_each(&stacks->stack_table, hash, n) {
		const struct key_stack *known = &stacks->stacks.items[n];

		if (known->nr == nr && !memcmp(known->frames, frames, nr * sizeof(*frames))) {
			free(frames);
			*ret = n + 1;
			return NULL;
		}
	}
	if (!array_push(&stacks->stacks, own)) {
		free(frames);
		return &error_no_memory;
	}
	*ret = stacks->stacks.nr;
	return hash_table_add(&stacks->stack_table, hash, *ret - 1) ? NULL : &error_no_memory;
}

struct error *key_stacks_add(struct key_stacks *stacks, struct machine *machine,
			     struct processes *processes, int32_t pid, const uint64_t *ips,
			     size_t nr, uint64_t *ret)
{
	const struct maps *maps = pid ? processes_maps(processes, pid, pid) : NULL;
	uint32_t *frames = calloc(nr + 1, sizeof(*frames));
	struct error *err = NULL;

	if (!frames || (pid && !maps)) {
		free(frames);
		return &error_no_memory;
	}
	for (size_t i = 0; !err && i < nr; i++) {
		struct key_frame frame = key_frame_of(machine, maps, pid, ips[i]);

		/* A register that is no frame pointer has led to an address without code. */
		if (pid && i && !frame.binary) {
			nr = i;
			break;
		}
		err = key_frames_add(stacks, &frame, &frames[i]);
	}
	if (err) {
		free(frames);
		return err;
	}
	return key_stacks_push(stacks, frames, nr, ret);
}
