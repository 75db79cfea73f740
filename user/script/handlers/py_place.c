// SPDX-License-Identifier: GPL-2.0
/*
 * Locations of addresses in the dicts of samples: that of the sample, and those of the frames of
 * its call chain.
 */
#include "script/handlers/py_sample_dict.h"
#include "session/callchain.h"
#include "symbol/demangle.h"
#include "symbol/elf/dwarf_lines.h"

/* How many functions inlined into each other become frames. */
#define MAX_INLINED 256

enum key {
	KEY_IP, KEY_SYM, KEY_SYM_OFF, KEY_SYM_SRCLINE, KEY_DSO, KEY_START, KEY_END, KEY_BINDING,
	KEY_NAME,
	KEY_DSO_BID, KEY_DSO_MAP_START, KEY_DSO_MAP_END, KEY_MAP_PGOFF, KEY_SYMBOL, KEY_SYMOFF,
	KEY_ADDR_DSO, KEY_ADDR_DSO_BID, KEY_ADDR_DSO_MAP_START, KEY_ADDR_DSO_MAP_END,
	KEY_ADDR_MAP_PGOFF,
	KEY_ADDR_SYMBOL, KEY_ADDR_SYMOFF, KEY_ADDR_CORRELATES_SYM,
	KEY_NR,
};

static const char *const key_names[KEY_NR] = {
	[KEY_IP] = "ip", [KEY_SYM] = "sym", [KEY_SYM_OFF] = "sym_off",
	[KEY_SYM_SRCLINE] = "sym_srcline", [KEY_DSO] = "dso", [KEY_START] = "start", [KEY_END] = "end", [KEY_BINDING] = "binding", [KEY_NAME] = "name",
	[KEY_DSO_BID] = "dso_bid", [KEY_DSO_MAP_START] = "dso_map_start",
	[KEY_DSO_MAP_END] = "dso_map_end", [KEY_SYMBOL] = "symbol", [KEY_SYMOFF] = "symoff",
	[KEY_ADDR_DSO] = "addr_dso", [KEY_ADDR_DSO_BID] = "addr_dso_bid",
	[KEY_ADDR_DSO_MAP_START] = "addr_dso_map_start",
	[KEY_ADDR_DSO_MAP_END] = "addr_dso_map_end", [KEY_ADDR_SYMBOL] = "addr_symbol",
	[KEY_ADDR_SYMOFF] = "addr_symoff", [KEY_ADDR_CORRELATES_SYM] = "addr_correlates_sym",
	[KEY_MAP_PGOFF] = "map_pgoff", [KEY_ADDR_MAP_PGOFF] = "addr_map_pgoff",
};

static PyObject *keys[KEY_NR];

/*
 * Cache of the names of symbols and binaries seen last.  It goes by address, as these
 * texts do not move in memory.
 */
#define NAMES 1024

static struct {
	const char *text;
	PyObject *object;
} names[NAMES];

static struct callchain chain;

void py_place_forget(void)
{
	for (size_t i = 0; i < KEY_NR; i++)
		Py_CLEAR(keys[i]);
	for (size_t i = 0; i < NAMES; i++) {
		names[i].text = NULL;
		Py_CLEAR(names[i].object);
	}
	callchain_deinit(&chain);
}

/* Steals @value. */
static int put_place(PyObject *dict, enum key key, PyObject *value)
{
	return py_dict_set(dict, &keys[key], key_names[key], value);
}

static PyObject *decode_name(const char *text)
{
	return PyUnicode_DecodeUTF8(text, strlen(text), "surrogateescape");
}

static PyObject *name_object(const char *text)
{
	size_t slot = ((uintptr_t)text * 0x9E3779B97F4A7C15ULL) >> 54;

	if (names[slot].text != text) {
		Py_XSETREF(names[slot].object, decode_name(text));
		names[slot].text = names[slot].object ? text : NULL;
	}
	return Py_XNewRef(names[slot].object);
}

static PyObject *symbol_object(const struct place *place, PyObject *name)
{
	const struct symbol *symbol = place->symbol;
	PyObject *dict = PyDict_New();

	if (!dict ||
	    put_place(dict, KEY_START, py_number(place_symbol_address(place, symbol->start))) < 0 ||
	    put_place(dict, KEY_END, py_number(place_symbol_address(place, symbol->end))) < 0 ||
	    put_place(dict, KEY_BINDING, PyLong_FromLong(symbol->binding)) < 0 ||
	    put_place(dict, KEY_NAME, Py_XNewRef(name)) < 0)
		Py_CLEAR(dict);
	return dict;
}

bool py_place_full_source;

/* "file.c:12" */
static PyObject *source_object(const struct source_place *source)
{
	const char *slash = py_place_full_source ? NULL : strrchr(source->file, '/');

	return PyUnicode_FromFormat("%s:%u", slash ? slash + 1 : source->file, source->line);
}

/* @name is that of the function, NULL without a symbol.  @source is NULL if not wanted. */
static int append_frame(PyObject *list, const struct place *place, PyObject *name,
			const struct source_place *source)
{
	PyObject *frame = PyDict_New();
	int result = -1;

	if (frame && put_place(frame, KEY_IP, py_number(place->ip)) == 0 &&
	    (!name || (put_place(frame, KEY_SYM, symbol_object(place, name)) == 0 &&
		       put_place(frame, KEY_SYM_OFF, py_number(place->offset)) == 0)) &&
	    (!source || !source->file ||
	     put_place(frame, KEY_SYM_SRCLINE, source_object(source)) == 0) &&
	    (!place->map || put_place(frame, KEY_DSO, name_object(map_name(place->map))) == 0))
		result = PyList_Append(list, frame);
	Py_XDECREF(frame);
	return result;
}

static PyObject *function_object(const char *function)
{
	char *readable = function ? demangle(function) : NULL;
	PyObject *object = decode_name(readable ? readable : function ? function : "??");

	free(readable);
	return object;
}

static int append_frames(PyObject *list, const struct session_record *r, const struct frame *f)
{
	struct source_place sources[MAX_INLINED];
	struct place place = { .ip = f->ip };
	PyObject *name;
	size_t nr = 0;
	int result = 0;

	if (r->machine)
		machine_find(r->machine, r->maps, f->mode, f->ip, &place);
	if (f->unwound && place.symbol)
		nr = machine_sources(&place, sources, MAX_INLINED);
	if (!place.symbol)
		return append_frame(list, &place, NULL, NULL);
	if (nr && !sources[0].function)
		nr = 0;
	for (size_t i = 0; i < (nr ? nr : 1) && !result; i++) {
		name = nr ? function_object(sources[i].function) : name_object(place.symbol->name);
		result = name ? append_frame(list, &place, name, nr ? &sources[i] : NULL) : -1;
		Py_XDECREF(name);
	}
	return result;
}

PyObject *py_callchain(const struct session_record *r)
{
	PyObject *list = PyList_New(0);

	if (!list || !r->sample.callchain)
		return list;
	if (callchain_read(&chain, r, CALLCHAIN_DEPTH)) {
		Py_DECREF(list);
		return PyErr_NoMemory();
	}
	for (size_t i = 0; i < chain.nr; i++) {
		if (append_frames(list, r, &chain.items[i]) < 0) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

int py_place_set(PyObject *dict, const struct place *place, bool of_data)
{
	/* The keys for data addresses come in the same order, at this distance. */
	enum key first = of_data ? KEY_ADDR_DSO - KEY_DSO_BID + 1 : 0;
	enum key dso = of_data ? KEY_ADDR_DSO : KEY_DSO;
	char id[BUILD_ID_TEXT];

	if (of_data && put_place(dict, KEY_ADDR_CORRELATES_SYM, PyBool_FromLong(1)) < 0)
		return -1;
	if (place->map) {
		build_id_text(&place->map->dso->id, id);
		if (put_place(dict, dso, name_object(map_name(place->map))) < 0 ||
		    put_place(dict, first + KEY_DSO_BID, PyUnicode_FromString(id)) < 0 ||
		    put_place(dict, first + KEY_DSO_MAP_START, py_number(place->map->start)) < 0 ||
		    put_place(dict, first + KEY_DSO_MAP_END, py_number(place->map->end)) < 0 ||
		    put_place(dict, first + KEY_MAP_PGOFF, py_number(place->map->offset)) < 0)
			return -1;
	}
	if (place->symbol &&
	    (put_place(dict, first + KEY_SYMBOL, name_object(place->symbol->name)) < 0 ||
	     put_place(dict, first + KEY_SYMOFF, py_number(place->offset)) < 0))
		return -1;
	return 0;
}
