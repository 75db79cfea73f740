// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include "lib/file.h"
#include "module/perf.h"
#include "script/columns/py_columns.h"
#include "script/objects/py_object.h"

/* Other threads of Python run while we wait for data; several threads can wait at once. */
static __thread PyThreadState *waiting;

static void module_wait_begin(void)
{
	waiting = PyEval_SaveThread();
}

static void module_wait_end(void)
{
	PyEval_RestoreThread(waiting);
}

static bool module_wait_interrupted(void)
{
	return PyErr_CheckSignals() < 0;
}

/* A tuple of the rules in a str or a list of them. */
static PyObject *match_of(PyObject *given)
{
	PyObject *tuple;

	if (given == Py_None)
		return Py_NewRef(given);
	tuple = PyUnicode_Check(given) ? PyTuple_Pack(1, given) : PySequence_Tuple(given);
	for (Py_ssize_t i = 0; tuple && i < PyTuple_GET_SIZE(tuple); i++)
		if (!PyUnicode_Check(PyTuple_GET_ITEM(tuple, i))) {
			PyErr_SetString(PyExc_TypeError, "match is a str, or a list of them");
			Py_CLEAR(tuple);
		}
	return tuple;
}

static PyObject *ktrace_open(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "path", "match", NULL };
	PyObject *given = NULL, *rules = Py_None, *match, *recording;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:open", names, &given, &rules))
		return NULL;
	match = match_of(rules);
	recording = match ? py_recording_given(given, match) : NULL;
	Py_XDECREF(match);
	return recording;
}

static PyObject *program(PyObject *module, PyObject *unused)
{
	return PyUnicode_DecodeFSDefault(py_source_program());
}

static PyMethodDef methods[] = {
	{ "open", (PyCFunction)(void (*)(void))ktrace_open, METH_VARARGS | METH_KEYWORDS,
	  "open(path='perf.data', match=None) -> Recording\n\n"
	  "A recording of ktrace or perf; '-' is standard input. A list of paths is read as one; "
	  "match, a str or a list of them, names the messages by which the clocks of their hosts "
	  "are compared, as --match of ktrace script does." },
	{ "live", (PyCFunction)(void (*)(void))py_live, METH_VARARGS | METH_KEYWORDS, py_live_doc },
	{ "tasks", (PyCFunction)(void (*)(void))py_tasks, METH_VARARGS | METH_KEYWORDS,
	  py_tasks_doc },
	{ "differences", (PyCFunction)(void (*)(void))py_differences,
	  METH_VARARGS | METH_KEYWORDS, py_differences_doc },
	{ "program", program, METH_NOARGS, "program() -> str\n\nThe ktrace that live() runs." },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_ktrace",
	.m_doc = "Recordings of kernel events: read, live, and as columns.",
	.m_size = -1,
	.m_methods = methods,
};

static int add_types(PyObject *made)
{
	PyTypeObject *const types[] = {
		&py_recording_type, &py_iterator_type, &py_batches_type, py_batch_type(),
		py_column_type(), py_object_type(),
	};

	if (PyType_Ready(&py_input_type) < 0 || PyType_Ready(&py_source_type) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (PyModule_AddType(made, types[i]) < 0)
			return -1;
	return PyModule_AddStringConstant(made, "__version__", KTRACE_VERSION);
}

static int add_perf(PyObject *made)
{
	PyObject *perf = perf_binding_create();
	int result = perf ? PyModule_AddObjectRef(made, "perf", perf) : -1;

	Py_XDECREF(perf);
	return result;
}

PyMODINIT_FUNC PyInit__ktrace(void);

PyMODINIT_FUNC PyInit__ktrace(void)
{
	PyObject *made;

	if (py_object_init() < 0 || py_columns_init() < 0)
		return NULL;
	made = PyModule_Create(&module);
	if (made && (add_types(made) < 0 || add_perf(made) < 0))
		Py_CLEAR(made);
	/* While a pipe has no data, other threads of Python run, and signal handlers. */
	fd_wait = (struct fd_wait){ module_wait_begin, module_wait_end, module_wait_interrupted };
	return made;
}
