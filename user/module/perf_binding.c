// SPDX-License-Identifier: GPL-2.0
/*
 * The module: its types, its constants, and the functions that find events.
 */
#include "module/perf.h"

static PyObject *binding_tracepoint(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "sys", "name", NULL };
	const char *system, *name;
	struct error *err;
	uint64_t id;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "ss:tracepoint", names, &system, &name))
		return NULL;
	err = perf_tracepoint_id(system, name, &id);
	return err ? py_error_raise(err) : PyLong_FromUnsignedLongLong(id);
}

static PyObject *binding_make_list(const struct event_specs *specs, PyObject *cpus,
				   PyObject *threads)
{
	PyObject *made = perf_evlist_new(cpus == Py_None ? NULL : (void *)cpus,
					 threads == Py_None ? NULL : (void *)threads);

	for (size_t i = 0; made && i < specs->nr; i++) {
		struct perf_evsel *evsel = perf_evsel_new(&specs->items[i]);

		if (!evsel || perf_evlist_add(made, evsel) < 0)
			Py_CLEAR(made);
		Py_XDECREF(evsel);
	}
	return made;
}

static PyObject *binding_parse_events(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "events", "cpus", "threads", NULL };
	PyObject *cpus = Py_None, *threads = Py_None, *made = NULL;
	struct event_specs specs = { 0 };
	struct error *err;
	const char *text;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|OO:parse_events", names, &text, &cpus,
					 &threads))
		return NULL;
	if ((cpus != Py_None && !PyObject_TypeCheck(cpus, &perf_cpu_map_type)) ||
	    (threads != Py_None && !PyObject_TypeCheck(threads, &perf_thread_map_type))) {
		PyErr_SetString(PyExc_TypeError, "parse_events() takes a cpu_map and a thread_map");
		return NULL;
	}
	err = event_specs_add(&specs, text);
	if (err)
		py_error_raise(err);
	else
		made = binding_make_list(&specs, cpus, threads);
	event_specs_deinit(&specs);
	return made;
}

static PyMethodDef binding_functions[] = {
	{ "tracepoint", (PyCFunction)(void (*)(void))binding_tracepoint,
	  METH_VARARGS | METH_KEYWORDS,
	  "tracepoint(sys, name) -> int\n\nThe config of an evsel for this tracepoint." },
	{ "parse_events", (PyCFunction)(void (*)(void))binding_parse_events,
	  METH_VARARGS | METH_KEYWORDS,
	  "parse_events(events, cpus=None, threads=None) -> evlist\n\n"
	  "The events that -e names; None: all CPUs that are online, all tasks." },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef binding = {
	PyModuleDef_HEAD_INIT,
	.m_name = "ktrace._ktrace.perf",
	.m_doc = "Events of perf_event, with the interface of perf's Python binding.",
	.m_size = -1,
	.m_methods = binding_functions,
};

PyObject *perf_binding_create(void)
{
	PyTypeObject *const types[] = {
		&perf_cpu_map_type, &perf_thread_map_type, &perf_evsel_type, &perf_evlist_type,
	};
	PyObject *made = PyModule_Create(&binding);

	for (size_t i = 0; made && i < sizeof(types) / sizeof(types[0]); i++)
		if (PyModule_AddType(made, types[i]) < 0)
			Py_CLEAR(made);
	if (made && (perf_places_add(made) < 0 || perf_records_add(made) < 0 ||
		     perf_counts_add(made) < 0 || perf_session_add(made) < 0 ||
		     perf_constants_add(made) < 0 ||
		     PyModule_AddFunctions(made, perf_name_functions) < 0))
		Py_CLEAR(made);
	return made;
}
