// SPDX-License-Identifier: GPL-2.0
/*
 * Values of fields.  Comms and short texts repeat from sample to sample.  So their last objects are
 * cached: most samples need no new object, and dicts of the script find them by identity.
 */
#include <string.h>

#include "script/python/py.h"

#define TEXT_MAX 24	/* a comm with its NUL, and most names */
#define TEXT_SLOTS 1024	/* a power of two */

static struct text_slot {
	char text[TEXT_MAX];	/* zero-padded */
	size_t len;
	PyObject *object;
} text_slots[TEXT_SLOTS];

static PyObject *decode_text(const char *text, size_t len)
{
	return PyUnicode_DecodeUTF8(text, len, "surrogateescape");
}

PyObject *py_text(const char *text, size_t len)
{
	uint64_t words[TEXT_MAX / 8] = { 0 }, hash;
	struct text_slot *slot;
	PyObject *object;

	if (len > TEXT_MAX)
		return decode_text(text, len);
	memcpy(words, text, len);
	hash = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull ^ words[2] * 0xc2b2ae3d27d4eb4full) *
	       0x9e3779b97f4a7c15ull;
	slot = &text_slots[hash >> 54 & (TEXT_SLOTS - 1)];
	if (slot->object && slot->len == len && !memcmp(slot->text, words, TEXT_MAX))
		return Py_NewRef(slot->object);

	object = decode_text(text, len);
	if (!object)
		return NULL;
	memcpy(slot->text, words, TEXT_MAX);
	slot->len = len;
	Py_XSETREF(slot->object, Py_NewRef(object));
	return object;
}

void py_text_forget(void)
{
	for (size_t i = 0; i < TEXT_SLOTS; i++)
		Py_CLEAR(text_slots[i].object);
}

PyObject *py_field_value(const struct field *field, const void *raw, size_t raw_size)
{
	const char *bytes;
	size_t len = 0;

	switch (field->kind) {
	case FIELD_INTEGER:
		if (field->is_signed)
			return PyLong_FromLong((long)field_u64(field, raw, raw_size));
		return PyLong_FromUnsignedLong(field_u64(field, raw, raw_size));
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
	case FIELD_REL_STRING:
		bytes = field_bytes(field, raw, raw_size, &len);
		return bytes ? py_text(bytes, len) : py_text("", 0);
	default:
		bytes = field_bytes(field, raw, raw_size, &len);
		return PyByteArray_FromStringAndSize(bytes, bytes ? len : 0);
	}
}

PyObject *py_common_field(const struct session_record *r, const struct common_slot *slot)
{
	const void *bytes = common_slot_bytes(r->event, &r->sample, slot);

	if (!bytes)
		return NULL;
	switch (slot->type) {
	case COMMON_TEXT:
		return py_text(bytes, strnlen(bytes, slot->size));
	case COMMON_SIGNED:
		return PyLong_FromLong((long)common_slot_number(bytes));
	default:
		return PyLong_FromUnsignedLong(common_slot_number(bytes));
	}
}

PyObject *py_common_fields(const struct session_record *r)
{
	PyObject *dict;

	if (!r->event || !r->event->common.nr)
		return NULL;
	dict = PyDict_New();
	for (size_t i = 0; dict && i < r->event->common.nr; i++) {
		const struct common_slot *slot = &r->event->common.items[i];
		PyObject *value = py_common_field(r, slot);

		if (value && PyDict_SetItemString(dict, slot->name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	if (dict && PyErr_Occurred())
		Py_CLEAR(dict);
	return dict;
}

int py_dict_set(PyObject *dict, PyObject **key, const char *name, PyObject *value)
{
	int result = -1;

	if (!*key)
		*key = PyUnicode_InternFromString(name);
	if (value && *key)
		result = PyDict_SetItem(dict, *key, value);
	Py_XDECREF(value);
	return result;
}
