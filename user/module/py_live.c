// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include <string.h>

/* Add an argument to the command line of the recorder. */
static int add(PyObject *words, const char *text)
{
	PyObject *word = PyUnicode_DecodeFSDefault(text);
	int result = word ? PyList_Append(words, word) : -1;

	Py_XDECREF(word);
	return result;
}

static int add_option(PyObject *words, const char *option, PyObject *value)
{
	PyObject *text = PyObject_Str(value);
	int result = text ? add(words, option) : -1;

	if (result == 0)
		result = PyList_Append(words, text);
	Py_XDECREF(text);
	return result;
}

/* @event is "event" or ("event", "filter"). */
static int add_event(PyObject *words, PyObject *event)
{
	PyObject *filter = NULL;

	if (PyTuple_Check(event) && PyTuple_GET_SIZE(event) == 2) {
		filter = PyTuple_GET_ITEM(event, 1);
		event = PyTuple_GET_ITEM(event, 0);
	}
	if (!PyUnicode_Check(event)) {
		PyErr_SetString(PyExc_TypeError, "an event is a name, or a tuple of a name and a "
				"filter");
		return -1;
	}
	if (add_option(words, "-e", event) < 0)
		return -1;
	if (!filter || filter == Py_None)
		return 0;
	return add_option(words, "--filter", filter);
}

static int add_events(PyObject *words, PyObject *events)
{
	PyObject *list;
	int result = 0;

	if (PyUnicode_Check(events))
		return add_event(words, events);
	if (PyDict_Check(events))
		list = PyDict_Items(events);
	else
		list = PySequence_List(events);
	for (Py_ssize_t i = 0; list && result == 0 && i < PyList_GET_SIZE(list); i++)
		result = add_event(words, PyList_GET_ITEM(list, i));
	Py_XDECREF(list);
	return list ? result : -1;
}

/* @value is "0-3", 5, or [1, 2]. */
static int add_list(PyObject *words, const char *option, PyObject *value)
{
	PyObject *fast, *text = NULL, *comma;
	int result = -1;

	if (value == Py_None)
		return 0;
	if (PyUnicode_Check(value) || PyLong_Check(value))
		return add_option(words, option, value);
	fast = PySequence_List(value);
	for (Py_ssize_t i = 0; fast && i < PyList_GET_SIZE(fast); i++) {
		PyObject *item = PyObject_Str(PyList_GET_ITEM(fast, i));

		if (!item || PyList_SetItem(fast, i, item) < 0)
			Py_CLEAR(fast);
	}
	comma = PyUnicode_FromString(",");
	if (fast && comma)
		text = PyUnicode_Join(comma, fast);
	if (text)
		result = add_option(words, option, text);
	Py_XDECREF(comma);
	Py_XDECREF(text);
	Py_XDECREF(fast);
	return result;
}

static int add_command(PyObject *words, PyObject *command)
{
	PyObject *list;
	int result;

	if (command == Py_None)
		return 0;
	list = PyUnicode_Check(command) ? NULL : PySequence_List(command);
	if (!list) {
		PyErr_SetString(PyExc_TypeError, "command is a list of words");
		return -1;
	}
	result = add(words, "--");
	if (result == 0)
		result = PyList_SetSlice(words, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, list);
	Py_DECREF(list);
	return result;
}

static PyObject *start(PyObject *words)
{
	Py_ssize_t nr = PyList_GET_SIZE(words);
	PyObject *bytes = PyList_New(nr), *source = NULL;
	char **argv = PyMem_Calloc(nr + 1, sizeof(*argv));

	for (Py_ssize_t i = 0; bytes && argv && i < nr; i++) {
		PyObject *word = PyUnicode_EncodeFSDefault(PyList_GET_ITEM(words, i));

		if (!word) {
			Py_CLEAR(bytes);
			break;
		}
		PyList_SET_ITEM(bytes, i, word);
		argv[i] = PyBytes_AS_STRING(word);
	}
	if (bytes && argv)
		source = py_source_start(argv);
	PyMem_Free(argv);
	Py_XDECREF(bytes);
	return source;
}

const char py_live_doc[] =
"live(events, *, cpus=None, pids=None, tids=None, command=None, callchain=False,\n"
"     switches=False, fields=None, pages=None, options=()) -> Recording\n"
"\n"
"Record now.  events: a name as 'sched:sched_switch', several, or names with\n"
"filters, as {'sched:sched_wakeup': 'pid > 1'}.  On all CPUs unless cpus ('0-3' or\n"
"a list), pids, tids or a command (a list of words, whose output goes to standard\n"
"error) say otherwise.  fields: common fields of the ktrace module to store;\n"
"pages: of each CPU's ring; options: others of ktrace record.  Times are\n"
"CLOCK_MONOTONIC, as of time.monotonic_ns(); records come within about 100 ms.";

PyObject *py_live(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "events", "cpus", "pids", "tids", "command", "callchain",
				 "switches", "fields", "pages", "options", NULL };
	static const char *const head[] = { "ktrace", "record", "-q", "-o", "-", "-k", "monotonic",
					    "--latency", "20" };
	PyObject *events, *cpus = Py_None, *pids = Py_None, *tids = Py_None, *command = Py_None;
	PyObject *fields = Py_None, *pages = Py_None, *options = NULL;
	PyObject *words, *source = NULL, *made;
	int callchain = 0, switches = 0, result = 0;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OOOOppOOO:live", names, &events, &cpus,
					 &pids, &tids, &command, &callchain, &switches, &fields,
					 &pages, &options))
		return NULL;
	words = PyList_New(0);
	for (size_t i = 0; words && result == 0 && i < sizeof(head) / sizeof(head[0]); i++)
		result = add(words, head[i]);
	if (!words || result < 0 || add_events(words, events) < 0 ||
	    add_list(words, "-C", cpus) < 0 || add_list(words, "-p", pids) < 0 ||
	    add_list(words, "-t", tids) < 0 || (callchain && add(words, "-g") < 0) ||
	    (switches && add(words, "--switch-events") < 0) ||
	    add_list(words, "--fields", fields) < 0 || add_list(words, "-m", pages) < 0 ||
	    (options && PyList_SetSlice(words, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, options) < 0) ||
	    (command == Py_None && cpus == Py_None && pids == Py_None && tids == Py_None &&
	     add(words, "-a") < 0) ||
	    add_command(words, command) < 0)
		result = -1;
	if (result == 0)
		source = start(words);
	Py_XDECREF(words);
	made = source ? py_recording_live(source) : NULL;
	Py_XDECREF(source);
	return made;
}
