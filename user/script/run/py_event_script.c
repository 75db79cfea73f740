// SPDX-License-Identifier: GPL-2.0
#include "script/run/py_event_script.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "lib/array.h"
#include "lib/log.h"
#include "script/columns/py_on_batch.h"
#include "script/objects/py_object.h"
#include "script/objects/py_record_object.h"
#include "script/python/py_function.h"

#define NSEC_PER_MSEC 1000000ull

/* How many tracebacks of a script's functions are printed. */
#define SHOWN_FAILURES 10

/* The function that is called for the samples of one event. */
struct target {
	struct py_function function;
	bool unwanted;
	bool asks;		/* options->accepts() is called for each sample */
};

struct py_event_script {
	struct session_consumer consumer;
	PyObject *globals, *kinds;
	PyObject *event;		/* lent to the script; NULL: the last one was kept */
	struct py_function sample;	/* __sample__ */
	struct py_function record;	/* __record__ */
	const struct event_script_options *options;
	volatile int *stop;
	struct py_on_batch *on_batch;
	struct target **items;		/* by event->index */
	size_t nr, alloc;
	uint64_t samples, failures, last_time, next_interval;
	struct sigaction old_usr2, old_alarm;
};

static volatile sig_atomic_t interval_due, stat_due;

static void on_alarm(int signal)
{
	interval_due = 1;
}

static void on_usr2(int signal)
{
	stat_due = 1;
}

/* ---- calls --------------------------------------------------------------- */

/* Report a function that has raised an exception, and go on; SystemExit ends the run. */
static struct error *function_failed(struct py_event_script *script, const char *function)
{
	if (PyErr_ExceptionMatches(PyExc_SystemExit) ||
	    PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ||
	    PyErr_ExceptionMatches(PyExc_BrokenPipeError))
		return py_error_take(function, NULL);
	script->failures++;
	if (script->failures <= SHOWN_FAILURES)
		PyErr_Print();
	else
		PyErr_Clear();
	if (script->failures == SHOWN_FAILURES)
		log_warning("The script has failed %d times; further failures are only counted.",
			    SHOWN_FAILURES);
	return NULL;
}

/* Steals @args.  If it is NULL, an exception is set. */
static struct error *call_script_function(struct py_event_script *script, const char *name,
					  PyObject *args)
{
	PyObject *function = PyDict_GetItemString(script->globals, name), *result = NULL;

	if (!function || !PyCallable_Check(function)) {
		Py_XDECREF(args);
		return NULL;
	}
	Py_INCREF(function);
	if (args)
		result = PyObject_CallObject(function, args);
	Py_DECREF(function);
	Py_XDECREF(args);
	if (!result)
		return function_failed(script, name);
	Py_DECREF(result);
	return NULL;
}

struct error *py_event_script_poll(struct py_event_script *script)
{
	struct error *err = NULL;

	if (stat_due) {
		stat_due = 0;
		fprintf(stderr, "live_events: %llu\n", (unsigned long long)script->samples);
		err = call_script_function(script, "__print_stat__", Py_BuildValue("(i)", 0));
	}
	if (!err && interval_due) {
		interval_due = 0;
		err = call_script_function(script, "__interval__", PyTuple_New(0));
	}
	return err;
}

/* Call __interval__() as often as intervals have passed by the times of samples. */
static struct error *pass_intervals(struct py_event_script *script, uint64_t time)
{
	uint64_t interval = script->options->interval_ms * NSEC_PER_MSEC;
	struct error *err = NULL;

	if (!interval || script->options->by_wall_clock || !time)
		return NULL;
	if (!script->next_interval)
		script->next_interval = time + interval;
	for (; !err && time >= script->next_interval; script->next_interval += interval)
		err = call_script_function(script, "__interval__", PyTuple_New(0));
	return err;
}

/* ---- samples ------------------------------------------------------------- */

/* "sched:sched_wakeup" becomes sched__sched_wakeup, "page-faults" page_faults. */
static PyObject *make_function_name(const char *name)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	bool first = true;

	for (; *name; name++) {
		if (*name == ':' && first) {
			strbuf_addstr(&text, "__");
			first = false;
		} else {
			strbuf_addch(&text, strchr("-.:", *name) ? '_' : *name);
		}
	}
	return PyUnicode_FromString(strbuf_str(&text));
}

static struct target *find_target(struct py_event_script *script, const struct event *event)
{
	const struct event_script_options *options = script->options;
	struct target *target;
	const char *name;

	if (!array_at(script, event->index, 0)) {
		PyErr_NoMemory();
		return NULL;
	}
	target = script->items[event->index];
	if (target)
		return target;
	target = calloc(1, sizeof(*target));
	if (!target) {
		PyErr_NoMemory();
		return NULL;
	}
	name = options->name ? options->name(options->data, event) : event->name;
	target->unwanted = !name;
	target->asks = options->accepts &&
		       (!options->takes_all || !options->takes_all(options->data, event));
	script->items[event->index] = target;
	if (py_function_init(&target->function, make_function_name(name ? name : "")) < 0)
		return NULL;
	return target;
}

/* Look up the handler: the script may add and remove functions at any time. */
static PyObject *find_event_function(struct py_event_script *script, struct target *target)
{
	PyObject *function = py_function_find(&target->function, script->globals);

	return function ? function : py_function_find(&script->sample, script->globals);
}

static struct error *deliver_sample(struct py_event_script *script, struct target *target,
				    const struct session_record *r)
{
	PyObject *function = find_event_function(script, target), *result = NULL;
	struct error *err = NULL;

	script->samples++;
	if (function) {
		Py_INCREF(function);
		if (py_object_lend(&script->event, script->kinds, r) == 0)
			result = PyObject_CallOneArg(function, script->event);
		Py_DECREF(function);
		Py_XDECREF(result);
		if (!result)
			err = function_failed(script, PyUnicode_AsUTF8(target->function.name));
		if (py_object_take_back(&script->event) < 0 && !err)
			err = function_failed(script, PyUnicode_AsUTF8(target->function.name));
	}
	if (script->options->max_samples && script->samples >= script->options->max_samples)
		*script->stop = 1;
	return err;
}

static struct error *event_script_sample(struct session_consumer *consumer,
					 const struct session_record *r)
{
	struct py_event_script *script = container_of(consumer, struct py_event_script, consumer);
	const struct event_script_options *options = script->options;
	struct target *target;
	struct error *err;

	if (!r->event || (r->event->attr.type == PERF_TYPE_TRACEPOINT && !r->format))
		return NULL;
	target = find_target(script, r->event);
	if (!target)
		return function_failed(script, "__sample__");
	if (target->unwanted || (target->asks && !options->accepts(options->data, r)))
		return NULL;
	err = interval_due || stat_due ? py_event_script_poll(script) : NULL;
	if (!err)
		err = pass_intervals(script, r->sample.time);
	if (!err)
		err = py_on_batch_sample(script->on_batch, r);
	if (!err)
		err = deliver_sample(script, target, r);
	script->last_time = r->sample.time;
	return err;
}

/* Pass a record that is not a sample to __record__(), if the script has it. */
static struct error *deliver_record(struct py_event_script *script, const struct session_record *r)
{
	PyObject *function = py_function_find(&script->record, script->globals);
	PyObject *record = function ? py_record_object(r) : NULL, *result;

	if (!record)
		return PyErr_Occurred() ? function_failed(script, "__record__") : NULL;
	Py_INCREF(function);
	result = PyObject_CallOneArg(function, record);
	Py_DECREF(function);
	Py_DECREF(record);
	Py_XDECREF(result);
	return result ? NULL : function_failed(script, "__record__");
}

static struct error *event_script_other(struct session_consumer *consumer,
					const struct session_record *r)
{
	struct py_event_script *script = container_of(consumer, struct py_event_script, consumer);
	struct error *err = interval_due || stat_due ? py_event_script_poll(script) : NULL;

	if (err)
		return err;
	if (r->record.header->type == PERF_RECORD_LOST)
		err = call_script_function(script, "__lost__",
					   Py_BuildValue("(KK)",
							 (unsigned long long)script->last_time,
							 (unsigned long long)r->sample.time));
	return err ? err : deliver_record(script, r);
}

/* ---- begin and end ------------------------------------------------------- */

/* The signal ends a wait for data, so that __interval__() is also called without samples. */
static void take_signals(struct py_event_script *script)
{
	struct sigaction alarm = { .sa_handler = on_alarm }, usr2 = { .sa_handler = on_usr2 };
	unsigned int ms = script->options->interval_ms;
	struct itimerval timer = {
		.it_interval = { ms / 1000, ms % 1000 * 1000 },
		.it_value = { ms / 1000, ms % 1000 * 1000 },
	};

	interval_due = stat_due = 0;
	sigaction(SIGUSR2, &usr2, &script->old_usr2);
	sigaction(SIGALRM, &alarm, &script->old_alarm);
	if (ms && script->options->by_wall_clock)
		setitimer(ITIMER_REAL, &timer, NULL);
}

static void give_signals_back(struct py_event_script *script)
{
	const struct itimerval off = { 0 };

	if (script->options->interval_ms && script->options->by_wall_clock)
		setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGUSR2, &script->old_usr2, NULL);
	sigaction(SIGALRM, &script->old_alarm, NULL);
}

int py_event_script_create(PyObject *globals, const struct event_script_options *options,
			   volatile int *stop, struct py_event_script **ret)
{
	struct py_kinds_config config = {
		.alias = options->name, .max_stack = options->max_stack, .data = options->data,
		.has_wall_offset = options->has_wall_offset, .wall_offset = options->wall_offset,
		.hide_kernel = options->hide_kernel, .hide_user = options->hide_user,
	};
	struct py_event_script *script = calloc(1, sizeof(*script));

	if (!script) {
		PyErr_NoMemory();
		return -1;
	}
	*ret = script;
	script->consumer = (struct session_consumer){ .sample = event_script_sample,
						      .other = event_script_other };
	script->globals = globals;
	script->options = options;
	script->stop = stop;
	take_signals(script);
	script->kinds = py_kinds_new(&config, NULL);
	if (!script->kinds)
		return -1;
	if (py_function_init(&script->record, PyUnicode_FromString("__record__")) < 0)
		return -1;
	return py_function_init(&script->sample, PyUnicode_FromString("__sample__"));
}

void py_event_script_set_on_batch(struct py_event_script *script, struct py_on_batch *on_batch)
{
	script->on_batch = on_batch;
}

void py_event_script_destroy(struct py_event_script *script)
{
	if (!script)
		return;
	give_signals_back(script);
	for (size_t i = 0; i < script->nr; i++) {
		if (script->items[i])
			py_function_deinit(&script->items[i]->function);
		free(script->items[i]);
	}
	free(script->items);
	Py_XDECREF(script->kinds);
	Py_XDECREF(script->event);
	py_function_deinit(&script->sample);
	py_function_deinit(&script->record);
	free(script);
}

struct session_consumer *py_event_script_consumer(struct py_event_script *script)
{
	return &script->consumer;
}

/* A module object has an __init__() of its type, so look only into the script's own dict. */
struct error *py_event_script_begin(struct py_event_script *script)
{
	PyObject *function = PyDict_GetItemString(script->globals, "__init__"), *result;

	if (!function || !PyCallable_Check(function))
		return NULL;
	result = PyObject_CallNoArgs(function);
	if (!result)
		return py_error_take("in __init__()", NULL);
	Py_DECREF(result);
	return NULL;
}

struct error *py_event_script_end(struct py_event_script *script)
{
	return call_script_function(script, "__exit__", PyTuple_New(0));
}

bool py_event_script_failed(const struct py_event_script *script)
{
	return script->failures;
}
