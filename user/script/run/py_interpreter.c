// SPDX-License-Identifier: GPL-2.0
/*
 * The embedded interpreter, and running a script in it from its begin to its end.
 */
#include "script/run/py_interpreter.h"	/* Python.h must be included first */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "lib/strbuf.h"
#include "script/columns/py_on_batch.h"
#include "script/handlers/py_handlers.h"
#include "script/handlers/py_sample_dict.h"
#include "script/objects/py_object.h"
#include "script/python/py_syscall.h"
#include "script/run/py_event_script.h"
#include "script/script.h"
#include "script/script_ops.h"
#include "terminal/word_list.h"

/* How many failures of handlers are reported with --keep-going. */
#define SHOWN_FAILURES 10

#define VERSION_DIGITS Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION)

/* The python3 that belongs to the linked library: its modules are found from there. */
#ifndef KTRACE_PYTHON
#define KTRACE_PYTHON "/usr/bin/python" VERSION_DIGITS
#endif

struct script {
	struct py_context context;
	PyObject *capsule, *globals;
	struct py_handlers *handlers;	/* of a script of perf's form ... */
	struct py_event_script *event_script;	/* ... or of a script that takes event objects */
	struct py_on_batch *on_batch;	/* NULL: the script has no on_batch() */
	bool begun;
	bool keep_going;
	struct session_consumer forgiving, *strict;	/* with --keep-going */
	uint64_t failures;
	struct error *failure;		/* of a function that was called while waiting for data */
	volatile int stop;
	struct sigaction old_interrupt, old_terminate;
};

/* There is one interpreter in a process.  This is the script that it runs, or NULL. */
static struct script *running;
static PyThreadState *waiting;
static bool in_session;		/* from script_begin() until script_close() */

/*
 * One ^C can arrive as several signals: sent to the process, to its process group, and
 * passed on by our parent.
 */
#define BURST_MS 200

static struct {
	volatile uint64_t at;		/* last signal that counted, monotonic ms; 0: none */
	volatile bool ending, spared;	/* end functions are called; one signal was ignored then */
} interrupts;

static void on_interrupt(int signal)
{
	uint64_t time = monotonic_ms();

	if (interrupts.at && time - interrupts.at < BURST_MS)
		return;
	interrupts.at = time;
	if (running && in_session && !running->stop) {
		running->stop = 1;
		return;
	}
	/* The script is ending already, as the first signal requested. */
	if (running && running->stop && interrupts.ending && !interrupts.spared) {
		interrupts.spared = true;
		return;
	}
	PyErr_SetInterrupt();
}

/*
 * The script's end functions are called next: the interrupt that led to this must not
 * break them off.
 */
static void begin_ending(struct script *script)
{
	in_session = false;
	interrupts.ending = true;
	if (script && script->stop && PyErr_CheckSignals() < 0)
		PyErr_Clear();
}

/* Block interrupts while Python loads its own modules, which they would break. */
static void hold_interrupts(sigset_t *ret_old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, ret_old);
}

/* Other threads of the script run while we wait for data. */
static void script_wait_begin(void)
{
	waiting = PyEval_SaveThread();
}

static void script_wait_end(void)
{
	PyEval_RestoreThread(waiting);
}

static bool script_wait_interrupted(void)
{
	if (running->event_script && !running->failure)
		running->failure = py_event_script_poll(running->event_script);
	if (running->failure)
		running->stop = 1;
	return running->stop;
}

/*
 * The first SIGINT while a session runs ends the session.  A second one, or one at another
 * time, is left to Python's own handler.  A script that sets a handler of its own replaces
 * ours.
 */
static void take_interrupts(struct script *script)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &script->old_interrupt);
	sigaction(SIGTERM, NULL, &script->old_terminate);
}

/* SIGTERM ends an event script in the same way as SIGINT. */
static void take_terminations(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
}

/*
 * Find the interpreter of an active virtual environment, if that has our version, or else that of
 * the system.  Another python3 that comes first in PATH is never used, because its modules were
 * built for another version.
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

/*
 * Python creates sys.stdout from the descriptor of stdout; without one, sys.stdout is None.  Our
 * own stream for terminals (escape.h) has no descriptor, so a plain stream replaces it meanwhile.
 * Escape sequences in a script's output are its own business.
 */
static PyStatus initialize(const PyConfig *config)
{
	static FILE *plain;
	FILE *ours = stdout;
	PyStatus status;

	if (fileno(stdout) < 0 && !plain)
		plain = fdopen(STDOUT_FILENO, "w");
	if (fileno(stdout) < 0 && plain)
		stdout = plain;
	status = Py_InitializeFromConfig(config);
	stdout = ours;
	return status;
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
	/* Comms and file names can be any bytes, which must be printed unchanged. */
	if (!PyStatus_Exception(status))
		status = PyConfig_SetBytesString(&config, &config.stdio_errors, "surrogateescape");
	if (!PyStatus_Exception(status))
		status = initialize(&config);
	PyConfig_Clear(&config);
	return PyStatus_Exception(status) ? status_error(status) : NULL;
}

/* Set sys.path[0] to the script's folder, as an absolute path. */
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

/* Prepare __main__, and the built-in module perf_trace_context for scripts to import. */
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

/* Scripts look for the context of trace_begin() in both places. */
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
	py_handlers_destroy(script->handlers);
	py_event_script_destroy(script->event_script);
	py_on_batch_destroy(script->on_batch);
	py_object_forget();
	py_text_forget();
	py_sample_dict_forget();
	Py_XDECREF(script->globals);
	Py_XDECREF(script->capsule);
	sigaction(SIGINT, &script->old_interrupt, NULL);
	sigaction(SIGTERM, &script->old_terminate, NULL);
	fd_wait = (struct fd_wait){ 0 };
	running = NULL;
	Py_FinalizeEx();
	free(script->context.itrace_options);
	error_free(script->failure);
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
	    py_handlers_create(script->globals, &script->context, script->capsule,
			       &script->handlers) < 0)
		return py_error_take("before it ran", NULL);
	return NULL;
}

static void set_perf_environment(void)
{
	char path[PATH_MAX];
	const char *home = getenv("HOME");

	script_exec_path();
	snprintf(path, sizeof(path), "%s/.debug", home ? home : "");
	setenv("PERF_BUILDID_DIR", path, 0);
}

static struct error *start_script(int argc, char **argv, struct script **ret)
{
	struct script *script = calloc(1, sizeof(*script));
	struct error *err;
	sigset_t old;

	if (!script)
		return &error_no_memory;
	py_syscall_arch = script_arch;
	set_perf_environment();
	hold_interrupts(&old);
	err = start_python(argc, argv);
	if (err) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		free(script);
		return err;
	}
	running = script;
	in_session = false;
	memset(&interrupts, 0, sizeof(interrupts));
	take_interrupts(script);
	sigprocmask(SIG_SETMASK, &old, NULL);
	fd_wait = (struct fd_wait){ script_wait_begin, script_wait_end, script_wait_interrupted };
	*ret = script;
	return NULL;
}

/* Finish opening a script; @err is the result of the steps after start_script(). */
static struct error *script_started(struct script *script, struct error *err, struct script **ret)
{
	if (err)
		error_free(destroy(script));
	else
		*ret = script;
	return err;
}

static struct error *py_open(const char *path, int argc, char **argv, struct script **ret)
{
	struct script *script;
	struct error *err;

	py_place_full_source = script_full_source_path;
	err = start_script(argc, argv, &script);
	return err ? err : script_started(script, open_script(script, path), ret);
}

/* Make perf_prof available for import. */
static int add_prof_module(void)
{
	PyObject *module = py_prof_module();
	int result = module ? PyDict_SetItemString(PyImport_GetModuleDict(), "perf_prof", module) :
			      -1;

	Py_XDECREF(module);
	return result;
}

/* Write each line as soon as it is printed, even into a pipe. */
static int buffer_lines(void)
{
	PyObject *out = PySys_GetObject("stdout"), *reconfigure, *options, *nothing, *done = NULL;

	if (!out || out == Py_None)
		return 0;
	reconfigure = PyObject_GetAttrString(out, "reconfigure");
	options = Py_BuildValue("{sO}", "line_buffering", Py_True);
	nothing = PyTuple_New(0);
	if (reconfigure && options && nothing)
		done = PyObject_Call(reconfigure, nothing, options);
	Py_XDECREF(reconfigure);
	Py_XDECREF(options);
	Py_XDECREF(nothing);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

static struct error *open_module(struct script *script, const char *name,
				 const struct event_script_options *options)
{
	PyObject *module;

	take_terminations();
	if (buffer_lines() < 0 || add_prof_module() < 0)
		return py_error_take("before it ran", NULL);
	module = py_module_file_import(name);
	if (!module) {
		struct error *err = py_error_take("while it was loaded", NULL);

		fprintf(stderr, "Failed to load Python module: %s\n", name);
		return err;
	}
	script->globals = Py_NewRef(PyModule_GetDict(module));
	Py_DECREF(module);
	if (py_event_script_create(script->globals, options, &script->stop,
				   &script->event_script) < 0)
		return py_error_take("before it ran", NULL);
	return NULL;
}

static struct error *py_open_events(const char *module, int argc, char **argv,
				   const struct event_script_options *options, struct script **ret)
{
	struct script *script;
	struct error *err = start_script(argc, argv, &script);

	return err ? err : script_started(script, open_module(script, module, options), ret);
}

static volatile int *py_stop(struct script *script)
{
	return &script->stop;
}

static void py_keep_going(struct script *script)
{
	script->keep_going = true;
}

/* Report an error of a handler and go on; an exit is passed on. */
static struct error *forgive(struct script *script, struct error *err)
{
	int status;

	if (!err || py_error_is_exit(err, &status)) {
		if (err)
			py_error_exit_again(err, status);
		return err;
	}
	script->failures++;
	if (script->failures <= SHOWN_FAILURES)
		error_report(err);
	else
		error_free(err);
	if (script->failures == SHOWN_FAILURES)
		py_error_hide(true);
	return NULL;
}

static struct error *forgive_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct script *script = container_of(consumer, struct script, forgiving);

	return forgive(script, script->strict->sample(script->strict, r));
}

static struct error *forgive_other(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct script *script = container_of(consumer, struct script, forgiving);

	return forgive(script, script->strict->other(script->strict, r));
}

static struct error *py_begin(struct script *script)
{
	struct error *err = script->event_script ? py_event_script_begin(script->event_script) :
						   py_handlers_call(script->globals, "trace_begin");

	if (!err && script->handlers)
		err = py_handlers_begin_export(script->handlers);
	if (!err)
		err = py_on_batch_create(script->globals, &script->on_batch);
	if (!err && script->event_script)
		py_event_script_set_on_batch(script->event_script, script->on_batch);
	else if (!err)
		py_handlers_set_on_batch(script->handlers, script->on_batch);
	in_session = script->begun = !err;
	return err;
}

static struct session_consumer *py_consumer(struct script *script)
{
	if (script->event_script)
		return py_event_script_consumer(script->event_script);
	if (!script->keep_going)
		return py_handlers_consumer(script->handlers);
	script->strict = py_handlers_consumer(script->handlers);
	script->forgiving = (struct session_consumer){ .sample = forgive_sample,
						       .other = forgive_other };
	return &script->forgiving;
}

/* The name of an event's handler. */
static void add_event_function(struct strbuf *to, const struct formats *formats,
			     const struct event *event)
{
	const struct event_format *format = event->attr.type == PERF_TYPE_TRACEPOINT ?
					    formats_find(formats, event->attr.config) : NULL;

	strbuf_reset(to);
	if (format)
		strbuf_addf(to, "%s__%s", format->system, format->name);
}

static bool has_handler(const struct script *script, const char *name)
{
	PyObject *function = PyDict_GetItemString(script->globals, name);

	return function && PyCallable_Check(function);
}

/* Warn of @function, unless it is the handler of an event, or like no event's. */
static void tell_uncalled(const struct script *script, const char *function,
			  const struct formats *formats, const struct event_list *events)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT, nearest = STRBUF_INIT;

	for (size_t i = 0; i < events->nr; i++) {
		add_event_function(&name, formats, events->items[i]);
		if (!strcmp(strbuf_str(&name), function))
			return;
		if (has_handler(script, strbuf_str(&name)) ||
		    word_nearer(function, nearest.len ? nearest.data : NULL, strbuf_str(&name)) !=
		    name.data)
			continue;
		strbuf_reset(&nearest);
		strbuf_addstr(&nearest, strbuf_str(&name));
	}
	if (nearest.len)
		log_warning("%s() is not called, since the recording has no event of that name. Did you "
			    "mean %s()?", function, nearest.data);
}

static void py_tell_uncalled(struct script *script, const struct formats *formats,
			     const struct event_list *events)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (PyDict_Next(script->globals, &at, &key, &value)) {
		const char *name = PyFunction_Check(value) ? PyUnicode_AsUTF8(key) : NULL;

		if (name && *name != '_' && strstr(name, "__"))
			tell_uncalled(script, name, formats, events);
	}
	PyErr_Clear();
}

static struct error *py_close(struct script *script, struct error *run, int *ret_status)
{
	struct error *flushed;
	bool failed = script && script->failures;

	*ret_status = 0;
	py_error_hide(false);
	if (failed && script->failures > SHOWN_FAILURES)
		log_warning("The script failed for %llu events.",
			    (unsigned long long)script->failures);
	begin_ending(script);
	if (script && !run)
		run = take_ptr(script->failure);
	if (script && !run && script->begun)
		run = py_on_batch_flush(script->on_batch);
	if (script && script->event_script && script->begun) {
		/* __exit__() is called even if the run has failed. */
		struct error *err = py_event_script_end(script->event_script);

		failed = py_event_script_failed(script->event_script);
		if (run)
			error_free(err);
		else
			run = err;
	} else if (script && !run) {
		run = py_handlers_call(script->globals, "trace_end");
	}
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
	if (!run && failed)
		*ret_status = EXIT_FAILURE;
	return run;
}

const struct script_ops script_python = {
	.open = py_open,
	.open_events = py_open_events,
	.stop = py_stop,
	.begin = py_begin,
	.keep_going = py_keep_going,
	.consumer = py_consumer,
	.tell_uncalled = py_tell_uncalled,
	.close = py_close,
	.lint = py_lint,
};
