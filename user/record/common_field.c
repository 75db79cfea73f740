// SPDX-License-Identifier: GPL-2.0
#include "record/common_field.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "record/common_number.h"
#include "record/event.h"
#include "record/sample.h"

/* A longer text means that the recording is damaged. */
#define MAX_TEXT 4096

#define SIZE_OF_NUMBER	8
#define SIZE_OF_FLAGS	8
#define SIZE_OF_TEXT	16
#define SIZE_OF_COUNT	8
#define TYPE_OF_NUMBER_UNSIGNED	COMMON_NUMBER
#define TYPE_OF_NUMBER_SIGNED	COMMON_SIGNED
#define TYPE_OF_FLAGS_UNSIGNED	COMMON_FLAGS
#define TYPE_OF_TEXT_UNSIGNED	COMMON_TEXT
#define TYPE_OF_COUNT_UNSIGNED	COMMON_NUMBER
#define IS_COUNTED_NUMBER	false
#define IS_COUNTED_FLAGS	false
#define IS_COUNTED_TEXT		false
#define IS_COUNTED_COUNT	true
#define IS_OPERAND	true
#define IS_NO_OPERAND	false

#define ROW(number, name, type, sign, operand, help, stored) \
	{ number, #name, help, TYPE_OF_##type##_##sign, SIZE_OF_##type, stored, IS_##operand, \
	  IS_COUNTED_##type },
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	ROW(number, name, type, sign, operand, help, true)
#define KTRACE_FILTER_FIELD(number, NAME, name, type, sign, operand, help) \
	ROW(number, name, type, sign, operand, help, false)

static const struct common_field_info rows[] = {
#include <linux/ktrace_fields.def>
};

const struct common_field_info *common_field_info(uint32_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

const struct common_field_info *common_field_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

void common_field_add_names(struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].stored)
			strbuf_addf(out, "%s%s", i ? ", " : "", rows[i].name);
}

static uint64_t mask_of_fields(bool counted)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].stored && (counted || !rows[i].counted))
			mask |= 1ULL << rows[i].number;
	return mask;
}

uint64_t common_field_mask(void)
{
	return mask_of_fields(true);
}

uint64_t common_field_uncounted_mask(void)
{
	return mask_of_fields(false);
}

void common_layout_deinit(struct common_layout *layout)
{
	free(layout->items);
	*layout = (struct common_layout){ 0 };
}

static bool common_field_is_shown(const char *name)
{
	size_t len = strnlen(name, COMMON_NAME_SIZE);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return len && len < COMMON_NAME_SIZE;
}

static bool fits_type(const struct common_slot *slot)
{
	switch (slot->type) {
	case COMMON_NUMBER:
	case COMMON_FLAGS:
	case COMMON_SIGNED:
		return slot->size == sizeof(uint64_t);
	case COMMON_TEXT:
		return slot->size && slot->size <= MAX_TEXT;
	}
	return false;
}

struct error *common_layout_add(struct common_layout *layout, const struct common_slot *slot)
{
	if (slot->offset < layout->size || slot->offset > UINT16_MAX || !fits_type(slot) ||
	    !common_field_is_shown(slot->name))
		return error_new(EPROTO, "The recording's description of its common fields is "
				 "damaged: field number %u does not fit behind the other fields",
				 slot->number);
	if (!array_push(layout, *slot))
		return &error_no_memory;
	layout->size = slot->offset + slot->size;
	return NULL;
}

struct error *common_layout_end(struct common_layout *layout, uint32_t size)
{
	if (size < layout->size || size > UINT16_MAX)
		return error_new(EPROTO, "The recording's description of its common fields is "
				 "damaged: a trailer of %u bytes", size);
	layout->size = size;
	return NULL;
}

struct error *common_layout_copy(const struct common_layout *from, struct common_layout *to)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct error *err = common_layout_add(to, &from->items[i]);

		if (err)
			return err;
	}
	return common_layout_end(to, from->size);
}

static struct error *append(struct common_layout *layout, uint32_t number)
{
	const struct common_field_info *info = common_field_info(number);
	struct common_slot slot = { .number = number, .offset = layout->size };

	if (!info || !info->stored)
		return error_hint(error_new(EPROTO, "It was recorded with common field number %u, "
					    "which this ktrace does not know the size of", number),
				  "Read it with the ktrace that recorded it, or with perf script");
	slot.size = info->size;
	slot.type = info->type;
	strcpy(slot.name, info->name);
	return common_layout_add(layout, &slot);
}

struct error *common_layout_set(struct common_layout *layout, uint64_t mask)
{
	const uint64_t seq = 1ULL << COMMON_FIELD_SEQ;
	struct error *err = NULL;

	common_layout_deinit(layout);
	for (uint32_t number = 0; !err && number < 64; number++)
		if ((mask & ~seq) >> number & 1)
			err = append(layout, number);
	if (!err && mask & seq)
		err = append(layout, COMMON_FIELD_SEQ);
	if (err)
		common_layout_deinit(layout);
	return err;
}

uint64_t common_layout_mask(const struct common_layout *layout)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < layout->nr; i++)
		if (layout->items[i].number < 64)
			mask |= 1ULL << layout->items[i].number;
	return mask;
}

const struct common_slot *common_layout_find(const struct common_layout *layout, const char *name)
{
	return array_find(layout, it, !strcmp(it->name, name));
}

const void *common_slot_bytes(const struct event *event, const struct sample *sample,
			      const struct common_slot *slot)
{
	uint32_t trailer = event->common.size;

	if (!sample->raw || trailer > sample->raw_size)
		return NULL;
	/* The trailer ends where RAW ends. */
	return (const char *)sample->raw + sample->raw_size - trailer + slot->offset;
}

uint64_t common_slot_number(const void *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

uint32_t common_field_raw_size(const struct event *event, const struct sample *sample)
{
	uint32_t trailer = event->common.size;

	return trailer > sample->raw_size ? sample->raw_size : sample->raw_size - trailer;
}
