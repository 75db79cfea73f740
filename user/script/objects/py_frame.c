// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of event objects, innermost frame first.
 */
#include <string.h>

#include "script/objects/py_object_state.h"
#include "session/callchain.h"

DEFINE_CLEANUP(callchain, struct callchain, callchain_deinit)

static bool is_kernel_mode(uint8_t mode)
{
	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static PyObject *make_frame(const struct frame *frame, struct machine *machine,
			    const struct maps *maps)
{
	struct place place = { .ip = frame->ip };
	bool kernel = is_kernel_mode(frame->mode);
	const char *dso = kernel ? "[kernel.kallsyms]" : "Unknown";
	const char *symbol = "Unknown";

	if (machine)
		machine_find(machine, maps, frame->mode, frame->ip, &place);
	if (place.map)
		dso = map_name(place.map);
	if (place.symbol)
		symbol = place.symbol->name;
	return Py_BuildValue("{sKsNsKsOsN}", "addr", (unsigned long long)frame->ip,
			     "symbol", py_text(symbol, strlen(symbol)),
			     "offset", (unsigned long long)(place.symbol ? place.offset : 0),
			     "kernel", kernel ? Py_True : Py_False,
			     "dso", py_text(dso, strlen(dso)));
}

PyObject *py_frames(const struct session_record *r, bool hide_kernel, bool hide_user,
		    unsigned int max_frames)
{
	_cleanup_(callchain) struct callchain chain = { 0 };
	struct error *err = callchain_read(&chain, r, CALLCHAIN_DEPTH);
	PyObject *list;

	if (err)
		return py_error_raise(err);
	list = PyList_New(0);
	for (size_t i = 0; list && i < chain.nr && PyList_GET_SIZE(list) < max_frames; i++) {
		PyObject *item;

		if (is_kernel_mode(chain.items[i].mode) ? hide_kernel : hide_user)
			continue;
		item = make_frame(&chain.items[i], r->machine, r->maps);
		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}
