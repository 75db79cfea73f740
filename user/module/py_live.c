// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include "lib/array.h"
#include "terminal/words.h"

/* The arguments of live() as a command of the recorder. */
struct live {
	struct recorder_command command;
	ARRAY_OF(struct recorder_event) events;
	struct words others, words;	/* further options, and the command line */
	PyObject *kept;			/* list of the bytes objects that strings point into */
};

static void live_deinit(struct live *live)
{
	free(live->events.items);
	words_deinit(&live->others);
	words_deinit(&live->words);
	Py_XDECREF(live->kept);
}

/* Returns the bytes of a str, which live as long as @live, or NULL with an exception set. */
static const char *live_keep(struct live *live, PyObject *text)
{
	PyObject *bytes = text ? PyUnicode_EncodeFSDefault(text) : NULL;
	bool kept = bytes && PyList_Append(live->kept, bytes) == 0;

	Py_XDECREF(bytes);
	return kept ? PyBytes_AS_STRING(bytes) : NULL;
}

/* The same of str(value). */
static const char *live_keep_value(struct live *live, PyObject *value)
{
	PyObject *text = PyObject_Str(value);
	const char *kept = live_keep(live, text);

	Py_XDECREF(text);
	return kept;
}

/* @event is "event" or ("event", "filter"). */
static int live_add_event(struct live *live, PyObject *event)
{
	struct recorder_event added = { 0 };
	PyObject *filter = Py_None;

	if (PyTuple_Check(event) && PyTuple_GET_SIZE(event) == 2) {
		filter = PyTuple_GET_ITEM(event, 1);
		event = PyTuple_GET_ITEM(event, 0);
	}
	if (!PyUnicode_Check(event)) {
		PyErr_SetString(PyExc_TypeError, "an event is a name, or a tuple of a name and a "
				"filter");
		return -1;
	}
	added.event = live_keep(live, event);
	if (added.event && filter != Py_None)
		added.filter = live_keep_value(live, filter);
	if (PyErr_Occurred())
		return -1;
	if (array_push(&live->events, added))
		return 0;
	PyErr_NoMemory();
	return -1;
}

static int live_add_events(struct live *live, PyObject *events)
{
	PyObject *list;
	int result = 0;

	if (PyUnicode_Check(events))
		return live_add_event(live, events);
	if (PyDict_Check(events))
		list = PyDict_Items(events);
	else
		list = PySequence_List(events);
	for (Py_ssize_t i = 0; list && result == 0 && i < PyList_GET_SIZE(list); i++)
		result = live_add_event(live, PyList_GET_ITEM(list, i));
	Py_XDECREF(list);
	return list ? result : -1;
}

PyObject *py_list_text(PyObject *value)
{
	PyObject *fast, *text = NULL, *comma;

	if (PyUnicode_Check(value) || PyLong_Check(value))
		return PyObject_Str(value);
	fast = PySequence_List(value);
	for (Py_ssize_t i = 0; fast && i < PyList_GET_SIZE(fast); i++) {
		PyObject *item = PyObject_Str(PyList_GET_ITEM(fast, i));

		if (!item || PyList_SetItem(fast, i, item) < 0)
			Py_CLEAR(fast);
	}
	comma = PyUnicode_FromString(",");
	if (fast && comma)
		text = PyUnicode_Join(comma, fast);
	Py_XDECREF(comma);
	Py_XDECREF(fast);
	return text;
}

/* Set *ret to "0-3", 5, or [1, 2] in the form of record's options. */
static int live_set_list(struct live *live, PyObject *value, const char **ret)
{
	PyObject *text = value == Py_None ? NULL : py_list_text(value);

	if (value == Py_None)
		return 0;
	*ret = text ? live_keep(live, text) : NULL;
	Py_XDECREF(text);
	return *ret ? 0 : -1;
}

/* Add each str of @list. */
static int live_add_words(struct live *live, PyObject *list, struct words *ret)
{
	PyObject *fast = PySequence_List(list);
	const char *word = "";

	for (Py_ssize_t i = 0; fast && word && i < PyList_GET_SIZE(fast); i++) {
		word = live_keep(live, PyList_GET_ITEM(fast, i));
		if (word)
			words_add(ret, word);
	}
	Py_XDECREF(fast);
	if (fast && word && words_argv(ret))
		return 0;
	if (fast && word)
		PyErr_NoMemory();
	return -1;
}

static int live_set_command(struct live *live, PyObject *command)
{
	PyObject *list;
	int result;

	if (command == Py_None)
		return 0;
	list = PyUnicode_Check(command) ? NULL : PySequence_List(command);
	if (!list) {
		PyErr_SetString(PyExc_TypeError, "command is a list of arguments");
		return -1;
	}
	result = live_add_words(live, list, &live->words);
	live->command.command = live->words.items;
	Py_DECREF(list);
	return result;
}

const char py_live_doc[] =
"live(events, *, cpus=None, pids=None, tids=None, command=None, callchain=False,\n"
"     switches=False, fields=None, pages=None, options=()) -> Recording\n\n"
"Record now.  events: a name as 'sched:sched_switch', several, or names with\n"
"filters, as {'sched:sched_wakeup': 'pid > 1'}.  On all CPUs unless cpus ('0-3' or\n"
"a list), pids, tids or a command (a list of arguments, whose output goes to standard\n"
"error) select tasks or CPUs.  fields: common fields of the ktrace module to store;\n"
"pages: of each CPU's ring; options: others of ktrace record.  Times are\n"
"CLOCK_MONOTONIC, as of time.monotonic_ns(); records come within about 100 ms.";

PyObject *py_live(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "events", "cpus", "pids", "tids", "command", "callchain",
				 "switches", "fields", "pages", "options", NULL };
	PyObject *events, *cpus = Py_None, *pids = Py_None, *tids = Py_None, *command = Py_None;
	PyObject *fields = Py_None, *pages = Py_None, *options = NULL;
	struct live live = { .command = { .clock = "monotonic", .latency = "20" } };
	struct recorder_command *c = &live.command;
	PyObject *source = NULL, *made;
	int callchain = 0, switches = 0;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OOOOppOOO:live", names, &events, &cpus,
					 &pids, &tids, &command, &callchain, &switches, &fields,
					 &pages, &options))
		return NULL;
	live.kept = PyList_New(0);
	if (live.kept && live_add_events(&live, events) == 0 &&
	    live_set_list(&live, cpus, &c->cpus) == 0 &&
	    live_set_list(&live, pids, &c->pids) == 0 &&
	    live_set_list(&live, tids, &c->tids) == 0 &&
	    live_set_list(&live, fields, &c->fields) == 0 &&
	    live_set_list(&live, pages, &c->pages) == 0 &&
	    (!options || live_add_words(&live, options, &live.others) == 0) &&
	    live_set_command(&live, command) == 0) {
		c->events = live.events.items;
		c->nr_events = live.events.nr;
		c->callchain = callchain;
		c->switches = switches;
		c->others = live.others.items;
		c->all_cpus = !c->cpus && !c->pids && !c->tids && !c->command;
		source = py_source_start(c);
	}
	live_deinit(&live);
	made = source ? py_recording_live(source) : NULL;
	Py_XDECREF(source);
	return made;
}
