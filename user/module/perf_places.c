// SPDX-License-Identifier: GPL-2.0
/*
 * The code and data of a recorded sample: functions, binaries, call chains and branches.  They are
 * looked up at each access, in the maps at the time of the sample.
 */
#include "module/perf.h"

#include <structseq.h>
#include <string.h>

#include "lib/build_id.h"
#include "session/callchain.h"
#include "symbol/elf/dwarf_lines.h"

DEFINE_CLEANUP(callchain, struct callchain, callchain_deinit)

static PyStructSequence_Field node_fields[] = {
	{ "ip", "address" },
	{ "symbol", "name of the function, or [unknown]" },
	{ "dso", "name of the binary, or [unknown]" },
	{ "sym_offset", "of the address in the function; None: it is not known" },
	{ NULL, NULL },
};

static PyStructSequence_Desc node_desc = {
	.name = "ktrace.perf.callchain_node", .doc = "A frame of a call chain.",
	.fields = node_fields, .n_in_sequence = 4,
};

static PyStructSequence_Field branch_fields[] = {
	{ "from_ip", "where it began" }, { "to_ip", "where it ended" },
	{ "mispred", "whether it was predicted wrongly" }, { "predicted", "whether it was predicted" },
	{ "in_tx", "whether it was in a transaction" }, { "abort", "whether it ended a transaction" },
	{ "cycles", "since the branch before; 0: not known" }, { "type", "PERF_BR_*" },
	{ NULL, NULL },
};

static PyStructSequence_Desc branch_desc = {
	.name = "ktrace.perf.branch_entry", .doc = "A branch that was taken.",
	.fields = branch_fields, .n_in_sequence = 8,
};

static PyTypeObject *node_type, *branch_type;

/* Steals @values. Any of them may be NULL. */
static PyObject *places_sequence(PyTypeObject *type, PyObject *const *values, int nr)
{
	PyObject *made = PyStructSequence_New(type);

	for (int i = 0; i < nr; i++) {
		if (made && values[i])
			PyStructSequence_SET_ITEM(made, i, values[i]);
		else
			Py_XDECREF(values[i]);
		if (!values[i])
			Py_CLEAR(made);
	}
	return made;
}

static PyObject *places_text(const char *text)
{
	return py_text(text, strlen(text));
}

static const struct maps *record_maps(const struct perf_record *self)
{
	return self->held.users ? &self->held : NULL;
}

static void record_find(const struct perf_record *self, uint8_t mode, uint64_t ip, bool of_data,
			struct place *ret)
{
	*ret = (struct place){ .ip = ip };
	if (self->machine && of_data)
		machine_find_data(self->machine, record_maps(self), mode, ip, ret);
	else if (self->machine)
		machine_find(self->machine, record_maps(self), mode, ip, ret);
}

enum place_member {
	PLACE_DSO, PLACE_DSO_PATH, PLACE_BUILD_ID, PLACE_MAP_START, PLACE_MAP_END, PLACE_MAP_OFFSET,
	PLACE_SYMBOL, PLACE_SYMBOL_START, PLACE_SYMBOL_END, PLACE_SYMBOL_OFFSET,
	PLACE_OF_DATA = 16,
};

static PyObject *place_of_map(const struct map *map, enum place_member member)
{
	char id[BUILD_ID_TEXT];

	switch (member) {
	case PLACE_DSO:
		return places_text(map_name(map));
	case PLACE_DSO_PATH:
		return places_text(map_path(map));
	case PLACE_BUILD_ID:
		build_id_text(&map->dso->id, id);
		return PyUnicode_FromString(id);
	case PLACE_MAP_START:
		return py_number(map->start);
	case PLACE_MAP_END:
		return py_number(map->end);
	default:
		return py_number(map->offset);
	}
}

static PyObject *place_of_symbol(const struct place *place, enum place_member member)
{
	switch (member) {
	case PLACE_SYMBOL:
		return places_text(place->symbol->name);
	case PLACE_SYMBOL_START:
		return py_number(place_symbol_address(place, place->symbol->start));
	case PLACE_SYMBOL_END:
		return py_number(place_symbol_address(place, place->symbol->end));
	default:
		return py_number(place->offset);
	}
}

static PyObject *place_get(PyObject *object, void *closure)
{
	const struct perf_record *self = (struct perf_record *)object;
	unsigned int which = (uintptr_t)closure, member = which % PLACE_OF_DATA;
	bool of_data = which >= PLACE_OF_DATA;
	const struct sample *s = &self->sample;
	struct place place;

	record_find(self, s->cpumode, of_data ? s->addr : s->ip, of_data, &place);
	if (member < PLACE_SYMBOL && place.map)
		return place_of_map(place.map, member);
	if (member >= PLACE_SYMBOL && place.symbol)
		return place_of_symbol(&place, member);
	Py_RETURN_NONE;
}

static PyObject *place_frame(const struct perf_record *self, const struct frame *frame)
{
	struct place place;

	record_find(self, frame->mode, frame->ip, false, &place);
	return places_sequence(node_type, (PyObject *[]){
		py_number(frame->ip),
		places_text(place.symbol ? place.symbol->name : "[unknown]"),
		places_text(place.map ? map_path(place.map) : "[unknown]"),
		place.symbol ? py_number(place.offset) : Py_NewRef(Py_None) }, 4);
}

static PyObject *place_callchain(PyObject *object, void *unused)
{
	const struct perf_record *self = (struct perf_record *)object;
	const struct session_record r = {
		.record = { .header = self->header, .event = self->evsel->event,
			    .time = self->sample.time },
		.sample = self->sample, .event = self->evsel->event, .format = self->evsel->format,
		.pid = self->sample.pid, .tid = self->sample.tid, .comm = "",
		.machine = self->machine, .maps = record_maps(self),
	};
	_cleanup_(callchain) struct callchain chain = { 0 };
	struct error *err;
	PyObject *tuple;

	if (!self->sample.callchain)
		Py_RETURN_NONE;
	err = callchain_read(&chain, &r, CALLCHAIN_DEPTH);
	if (err)
		return py_error_raise(err);
	tuple = PyTuple_New(chain.nr);
	for (size_t i = 0; tuple && i < chain.nr; i++) {
		PyObject *frame = place_frame(self, &chain.items[i]);

		if (frame)
			PyTuple_SET_ITEM(tuple, i, frame);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *place_branches(PyObject *object, void *unused)
{
	const struct sample *s = &((struct perf_record *)object)->sample;
	const struct perf_branch_entry *branches = s->branch_stack;
	PyObject *tuple;

	if (!branches)
		Py_RETURN_NONE;
	tuple = PyTuple_New(s->nr_branches);
	for (size_t i = 0; tuple && i < s->nr_branches; i++) {
		const struct perf_branch_entry *b = &branches[i];
		PyObject *entry = places_sequence(branch_type, (PyObject *[]){
			py_number(b->from), py_number(b->to), PyBool_FromLong(b->mispred),
			PyBool_FromLong(b->predicted), PyBool_FromLong(b->in_tx),
			PyBool_FromLong(b->abort), py_number(b->cycles), py_number(b->type) }, 8);

		if (entry)
			PyTuple_SET_ITEM(tuple, i, entry);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

PyObject *perf_place_source(PyObject *object, PyObject *args)
{
	const struct perf_record *self = (struct perf_record *)object;
	unsigned long long ip = self->sample.ip;
	struct source_place source;
	PyObject *lines, *text;
	struct place place;

	if (!PyArg_ParseTuple(args, "|K:srccode", &ip))
		return NULL;
	record_find(self, self->sample.cpumode, ip, false, &place);
	if (!place.map || !machine_sources(&place, &source, 1) || !source.file)
		return Py_BuildValue("(sIs)", NULL, 0, NULL);
	lines = PyImport_ImportModule("linecache");
	text = lines ? PyObject_CallMethod(lines, "getline", "sI", source.file, source.line) : NULL;
	Py_XDECREF(lines);
	if (!text)
		return NULL;
	Py_SETREF(text, PyObject_CallMethod(text, "rstrip", "s", "\n"));
	return text ? Py_BuildValue("(sIN)", source.file, source.line, text) : NULL;
}

#define PLACE(name, which, doc) { #name, place_get, NULL, doc, (void *)(uintptr_t)(which) }
PyGetSetDef perf_place_members[] = {
	PLACE(dso, PLACE_DSO, "the binary, or None: so with all of these"),
	PLACE(dso_long_name, PLACE_DSO_PATH, "its path"),
	PLACE(dso_bid, PLACE_BUILD_ID, "its build id, in hexadecimal digits"),
	PLACE(map_start, PLACE_MAP_START, "start of its map"),
	PLACE(map_end, PLACE_MAP_END, "end of its map"),
	PLACE(map_pgoff, PLACE_MAP_OFFSET, "offset of its map in the file, bytes"),
	PLACE(symbol, PLACE_SYMBOL, "the function"),
	PLACE(sym_start, PLACE_SYMBOL_START, "its start, in the binary"),
	PLACE(sym_end, PLACE_SYMBOL_END, "its end, in the binary"),
	PLACE(sym_offset, PLACE_SYMBOL_OFFSET, "of the address in it"),
	PLACE(addr_dso, PLACE_OF_DATA + PLACE_DSO, "the binary of the data"),
	PLACE(addr_symbol, PLACE_OF_DATA + PLACE_SYMBOL, "the name of the data"),
	PLACE(addr_sym_offset, PLACE_OF_DATA + PLACE_SYMBOL_OFFSET, "of the address in it"),
	{ "callchain", place_callchain, NULL,
	  "a tuple of callchain_node, innermost first; None: not recorded", NULL },
	{ "brstack", place_branches, NULL, "a tuple of branch_entry; None: not recorded", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

int perf_places_add(PyObject *module)
{
	if (!node_type)
		node_type = PyStructSequence_NewType(&node_desc);
	if (!branch_type)
		branch_type = PyStructSequence_NewType(&branch_desc);
	if (!node_type || !branch_type)
		return -1;
	if (PyModule_AddObjectRef(module, "callchain_node", (PyObject *)node_type) < 0 ||
	    PyModule_AddObjectRef(module, "branch_entry", (PyObject *)branch_type) < 0)
		return -1;
	return 0;
}
