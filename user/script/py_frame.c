// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of event objects, innermost frame first.
 */
#include "script/py.h"

static PyObject *frame(uint64_t addr, bool kernel)
{
	return Py_BuildValue("{sKsssisOss}", "addr", (unsigned long long)addr,
			     "symbol", "Unknown", "offset", 0, "kernel",
			     kernel ? Py_True : Py_False,
			     "dso", kernel ? "[kernel.kallsyms]" : "Unknown");
}

PyObject *py_frames(const struct sample *sample)
{
	PyObject *list = PyList_New(0);
	bool kernel = true;

	for (uint64_t i = 0; list && i < sample->nr_callchain; i++) {
		uint64_t ip = sample->callchain[i];
		PyObject *item;

		if (ip >= PERF_CONTEXT_MAX) {
			kernel = ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_GUEST_KERNEL;
			continue;
		}
		item = frame(ip, kernel);
		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}
