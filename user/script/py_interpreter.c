// SPDX-License-Identifier: GPL-2.0
/*
 * The embedded interpreter and the life of a script in it.
 */
#include "script/py.h"		/* Python.h wants to come first */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "script/py_events.h"
#include "script/script.h"

#define VERSION_DIGITS Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION)

/* The python3 whose library is linked in: where its modules are looked for. */
#ifndef KTRACE_PYTHON
#define KTRACE_PYTHON "/usr/bin/python" VERSION_DIGITS
#endif

struct script {
	struct py_context context;
	PyObject *capsule, *globals;
	struct py_events *events;
	volatile int stop;
	struct sigaction old_interrupt;
};

/* There is one interpreter in a process: who has it, or NULL. */
static struct script *running;
static PyThreadState *waiting;
static bool in_events;		/* session_run() is between script_begin() and script_close() */

static void on_interrupt(int signal)
{
	(void)signal;
	if (running && in_events && !running->stop) {
		running->stop = 1;
		return;
	}
	PyErr_SetInterrupt();
}

/* Other threads of the script run while we wait for data. */
static void wait_begin(void)
{
	waiting = PyEval_SaveThread();
}

static void wait_end(void)
{
	PyEval_RestoreThread(waiting);
}

static bool wait_interrupted(void)
{
	return running->stop;
}

/*
 * Python's own handler for SIGINT stays what a second interrupt, or one
 * outside of events, comes to; a script that sets one of its own replaces us.
 */
static void take_interrupts(struct script *script)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &script->old_interrupt);
}

/*
 * The interpreter of an active virtual environment, if it is one of ours, or
 * that of the system; never another python3 that is first in PATH, whose
 * modules were made for another version.
 */
static void find_program(char *path, size_t size)
{
	const char *environment = getenv("VIRTUAL_ENV");
	int len;

	if (environment) {
		len = snprintf(path, size, "%s/lib/python" VERSION_DIGITS, environment);
		if (len < (int)size && access(path, X_OK) == 0) {
			len = snprintf(path, size, "%s/bin/python3", environment);
			if (len < (int)size && access(path, X_OK) == 0)
				return;
		}
	}
	snprintf(path, size, "%s", KTRACE_PYTHON);
	if (access(path, X_OK) != 0)
		path[0] = '\0';
}

static struct error *status_error(PyStatus status)
{
	return error_hint(error_new(0, "Cannot start Python: %s",
				    status.err_msg ? status.err_msg : "unknown reason"),
			  "Check PYTHONHOME and PYTHONPATH, and that libpython"
			  VERSION_DIGITS "-stdlib is installed");
}

static struct error *start_python(int argc, char **argv)
{
	char program[PATH_MAX];
	PyConfig config;
	PyStatus status;

	PyConfig_InitPythonConfig(&config);
	config.parse_argv = 0;
	find_program(program, sizeof(program));
	status = PyConfig_SetBytesArgv(&config, argc, argv);
	if (!PyStatus_Exception(status) && program[0])
		status = PyConfig_SetBytesString(&config, &config.program_name, program);
	/* Comms and file names are any bytes; they must come out as they came in. */
	if (!PyStatus_Exception(status))
		status = PyConfig_SetBytesString(&config, &config.stdio_errors, "surrogateescape");
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	return PyStatus_Exception(status) ? status_error(status) : NULL;
}

/* sys.path[0]: the script's folder, absolute. */
static int add_script_folder(const char *path)
{
	PyObject *list = PySys_GetObject("path"), *folder;
	char absolute[PATH_MAX];
	char *slash;
	int result;

	if (!realpath(path, absolute) || !list)
		return 0;
	slash = strrchr(absolute, '/');
	*(slash == absolute ? slash + 1 : slash) = '\0';
	folder = PyUnicode_DecodeFSDefault(absolute);
	result = folder ? PyList_Insert(list, 0, folder) : -1;
	Py_XDECREF(folder);
	return result;
}

/* __main__, with the module scripts import from us already there. */
static int prepare_main(struct script *script, const char *path)
{
	PyObject *main_module = PyImport_AddModule("__main__"), *module, *file;
	int result = -1;

	if (!main_module)
		return -1;
	script->globals = Py_NewRef(PyModule_GetDict(main_module));
	script->capsule = py_context_capsule(&script->context);
	module = py_context_module();
	file = PyUnicode_DecodeFSDefault(path);
	if (script->capsule && module && file &&
	    PyDict_SetItemString(PyImport_GetModuleDict(), "perf_trace_context", module) == 0 &&
	    PyDict_SetItemString(script->globals, "__file__", file) == 0 &&
	    add_script_folder(path) == 0)
		result = 0;
	Py_XDECREF(module);
	Py_XDECREF(file);
	return result;
}

static struct error *run_body(struct script *script, const char *path)
{
	PyObject *result;
	FILE *file;

	file = fopen(path, "re");
	if (!file)
		return error_errno(errno, "Cannot open the script '%s'", path);
	result = PyRun_FileEx(file, path, Py_file_input, script->globals, script->globals, 1);
	if (!result)
		return py_error_take("while it was loaded", NULL);
	Py_DECREF(result);
	return NULL;
}

/* Scripts find the cookie of trace_begin() in both places. */
static int publish_context(struct script *script)
{
	PyObject *module = PyImport_AddModule("perf_trace_context");

	if (!module || PyObject_SetAttrString(module, "perf_script_context", script->capsule) < 0)
		return -1;
	return PyDict_SetItemString(script->globals, "perf_script_context", script->capsule);
}

static struct error *destroy(struct script *script)
{
	struct error *err;

	err = py_error_flush();
	py_events_destroy(script->events);
	py_text_forget();
	py_sample_dict_forget();
	Py_XDECREF(script->globals);
	Py_XDECREF(script->capsule);
	sigaction(SIGINT, &script->old_interrupt, NULL);
	fd_wait = (struct fd_wait){ 0 };
	running = NULL;
	Py_FinalizeEx();
	free(script->context.itrace_options);
	free(script);
	return err;
}

static struct error *open_script(struct script *script, const char *path)
{
	struct error *err;

	if (prepare_main(script, path) < 0)
		return py_error_take("before it ran", NULL);
	err = run_body(script, path);
	if (err)
		return err;
	if (publish_context(script) < 0 ||
	    py_events_create(script->globals, &script->context, script->capsule,
			     &script->events) < 0)
		return py_error_take("before it ran", NULL);
	return NULL;
}

static void set_environment(void)
{
	char path[PATH_MAX];
	const char *home = getenv("HOME");

	script_exec_path();
	snprintf(path, sizeof(path), "%s/.debug", home ? home : "");
	setenv("PERF_BUILDID_DIR", path, 0);
}

struct error *script_open(const char *spec, int argc, char **argv, struct script **ret)
{
	_cleanup_free_ char *path = NULL;
	struct script *script;
	struct error *err;

	err = script_find(spec, &path);
	if (err)
		return err;
	if (access(path, R_OK) != 0)
		return error_errno(errno, "Cannot open the script '%s'", path);
	set_environment();

	script = calloc(1, sizeof(*script));
	if (!script)
		return &error_no_memory;
	err = start_python(argc, argv);
	if (err) {
		free(script);
		return err;
	}
	running = script;
	in_events = false;
	take_interrupts(script);
	fd_wait = (struct fd_wait){ wait_begin, wait_end, wait_interrupted };
	err = open_script(script, path);
	if (err) {
		error_free(destroy(script));
		return err;
	}
	*ret = script;
	return NULL;
}

volatile int *script_stop(struct script *script)
{
	return &script->stop;
}

struct error *script_begin(struct script *script)
{
	struct error *err = py_events_call(script->globals, "trace_begin");

	in_events = !err;
	return err;
}

struct session_consumer *script_consumer(struct script *script)
{
	return py_events_consumer(script->events);
}

struct error *script_close(struct script *script, struct error *run, int *ret_status)
{
	struct error *flushed;

	*ret_status = 0;
	in_events = false;
	if (script && !run)
		run = py_events_call(script->globals, "trace_end");
	if (script) {
		flushed = destroy(script);
		if (run)
			error_free(flushed);
		else
			run = flushed;
	}
	if (py_error_is_exit(run, ret_status)) {
		error_free(run);
		return NULL;
	}
	return run;
}
