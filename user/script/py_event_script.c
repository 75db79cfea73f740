// SPDX-License-Identifier: GPL-2.0
#include "script/py_event_script.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "lib/array.h"
#include "lib/log.h"
#include "script/python/py_function.h"
#include "script/objects/py_object.h"
#include "script/columns/py_on_batch.h"
#include "script/objects/py_record_object.h"

#define NSEC_PER_MSEC 1000000ull

/* How many tracebacks of a script's functions are printed. */
#define SHOWN_FAILURES 10

/* The function that is called for the samples of one event. */
struct target {
	struct py_function function;
	bool unwanted;
	bool asks;		/* options->accepts() is called for each sample */
};

struct py_handlers {
	struct session_consumer consumer;
	PyObject *globals, *kinds;
	PyObject *event;		/* lent to the handlers; NULL: the last one was kept */
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
static struct error *failed(struct py_handlers *handlers, const char *function)
{
	if (PyErr_ExceptionMatches(PyExc_SystemExit) ||
	    PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ||
	    PyErr_ExceptionMatches(PyExc_BrokenPipeError))
		return py_error_take(function, NULL);
	handlers->failures++;
	if (handlers->failures <= SHOWN_FAILURES)
		PyErr_Print();
	else
		PyErr_Clear();
	if (handlers->failures == SHOWN_FAILURES)
		log_warning("The script has failed %d times; what follows is only counted.",
			    SHOWN_FAILURES);
	return NULL;
}

/* Steals @args.  If it is NULL, an exception is set. */
static struct error *call(struct py_handlers *handlers, const char *name, PyObject *args)
{
	PyObject *function = PyDict_GetItemString(handlers->globals, name), *result = NULL;

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
		return failed(handlers, name);
	Py_DECREF(result);
	return NULL;
}

struct error *py_handlers_poll(struct py_handlers *handlers)
{
	struct error *err = NULL;

	if (stat_due) {
		stat_due = 0;
		fprintf(stderr, "live_events: %llu\n", (unsigned long long)handlers->samples);
		err = call(handlers, "__print_stat__", Py_BuildValue("(i)", 0));
	}
	if (!err && interval_due) {
		interval_due = 0;
		err = call(handlers, "__interval__", PyTuple_New(0));
	}
	return err;
}

/* Call __interval__() as often as intervals have passed by the times of samples. */
static struct error *pass_intervals(struct py_handlers *handlers, uint64_t time)
{
	uint64_t interval = handlers->options->interval_ms * NSEC_PER_MSEC;
	struct error *err = NULL;

	if (!interval || handlers->options->by_wall_clock || !time)
		return NULL;
	if (!handlers->next_interval)
		handlers->next_interval = time + interval;
	for (; !err && time >= handlers->next_interval; handlers->next_interval += interval)
		err = call(handlers, "__interval__", PyTuple_New(0));
	return err;
}

/* ---- samples ------------------------------------------------------------- */

/* "sched:sched_wakeup" becomes sched__sched_wakeup, "page-faults" page_faults. */
static PyObject *function_name(const char *name)
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

static struct target *find_target(struct py_handlers *handlers, const struct event *event)
{
	const struct event_script_options *options = handlers->options;
	struct target *target;
	const char *name;

	while (handlers->nr <= event->index) {
		if (!array_push(handlers, NULL)) {
			PyErr_NoMemory();
			return NULL;
		}
	}
	target = handlers->items[event->index];
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
	handlers->items[event->index] = target;
	return py_function_init(&target->function, function_name(name ? name : "")) < 0 ? NULL :
	       target;
}

/* Look up the handler: the script may add and remove functions at any time. */
static PyObject *find_function(struct py_handlers *handlers, struct target *target)
{
	PyObject *function = py_function_find(&target->function, handlers->globals);

	return function ? function : py_function_find(&handlers->sample, handlers->globals);
}

static struct error *deliver(struct py_handlers *handlers, struct target *target,
			     const struct session_record *r)
{
	PyObject *function = find_function(handlers, target), *result = NULL;
	struct error *err = NULL;

	handlers->samples++;
	if (function) {
		Py_INCREF(function);
		if (py_object_lend(&handlers->event, handlers->kinds, r) == 0)
			result = PyObject_CallOneArg(function, handlers->event);
		Py_DECREF(function);
		Py_XDECREF(result);
		if (!result)
			err = failed(handlers, PyUnicode_AsUTF8(target->function.name));
		if (py_object_take_back(&handlers->event) < 0 && !err)
			err = failed(handlers, PyUnicode_AsUTF8(target->function.name));
	}
	if (handlers->options->max_samples && handlers->samples >= handlers->options->max_samples)
		*handlers->stop = 1;
	return err;
}

static struct error *on_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct py_handlers *handlers = container_of(consumer, struct py_handlers, consumer);
	const struct event_script_options *options = handlers->options;
	struct target *target;
	struct error *err;

	if (!r->event || (r->event->attr.type == PERF_TYPE_TRACEPOINT && !r->format))
		return NULL;
	target = find_target(handlers, r->event);
	if (!target)
		return failed(handlers, "__sample__");
	if (target->unwanted || (target->asks && !options->accepts(options->data, r)))
		return NULL;
	err = interval_due || stat_due ? py_handlers_poll(handlers) : NULL;
	if (!err)
		err = pass_intervals(handlers, r->sample.time);
	if (!err)
		err = py_on_batch_sample(handlers->on_batch, r);
	if (!err)
		err = deliver(handlers, target, r);
	handlers->last_time = r->sample.time;
	return err;
}

/* Pass a record that is not a sample to __record__(), if the script has it. */
static struct error *deliver_record(struct py_handlers *handlers, const struct session_record *r)
{
	PyObject *function = py_function_find(&handlers->record, handlers->globals);
	PyObject *record = function ? py_other_record(r) : NULL, *result;

	if (!record)
		return PyErr_Occurred() ? failed(handlers, "__record__") : NULL;
	Py_INCREF(function);
	result = PyObject_CallOneArg(function, record);
	Py_DECREF(function);
	Py_DECREF(record);
	Py_XDECREF(result);
	return result ? NULL : failed(handlers, "__record__");
}

static struct error *on_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct py_handlers *handlers = container_of(consumer, struct py_handlers, consumer);
	struct error *err = interval_due || stat_due ? py_handlers_poll(handlers) : NULL;

	if (err)
		return err;
	if (r->record.header->type == PERF_RECORD_LOST)
		err = call(handlers, "__lost__",
			   Py_BuildValue("(KK)", (unsigned long long)handlers->last_time,
					 (unsigned long long)r->sample.time));
	return err ? err : deliver_record(handlers, r);
}

/* ---- begin and end ------------------------------------------------------- */

/* The signal ends a wait for data, so that __interval__() is also called without samples. */
static void take_signals(struct py_handlers *handlers)
{
	struct sigaction alarm = { .sa_handler = on_alarm }, usr2 = { .sa_handler = on_usr2 };
	unsigned int ms = handlers->options->interval_ms;
	struct itimerval timer = {
		.it_interval = { ms / 1000, ms % 1000 * 1000 },
		.it_value = { ms / 1000, ms % 1000 * 1000 },
	};

	interval_due = stat_due = 0;
	sigaction(SIGUSR2, &usr2, &handlers->old_usr2);
	sigaction(SIGALRM, &alarm, &handlers->old_alarm);
	if (ms && handlers->options->by_wall_clock)
		setitimer(ITIMER_REAL, &timer, NULL);
}

static void give_signals_back(struct py_handlers *handlers)
{
	const struct itimerval off = { 0 };

	if (handlers->options->interval_ms && handlers->options->by_wall_clock)
		setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGUSR2, &handlers->old_usr2, NULL);
	sigaction(SIGALRM, &handlers->old_alarm, NULL);
}

int py_handlers_create(PyObject *globals, const struct event_script_options *options,
		       volatile int *stop, struct py_handlers **ret)
{
	struct py_kinds_config config = {
		.alias = options->name, .max_stack = options->max_stack, .data = options->data,
		.has_wall_offset = options->has_wall_offset, .wall_offset = options->wall_offset,
		.hide_kernel = options->hide_kernel, .hide_user = options->hide_user,
	};
	struct py_handlers *handlers = calloc(1, sizeof(*handlers));

	if (!handlers) {
		PyErr_NoMemory();
		return -1;
	}
	*ret = handlers;
	handlers->consumer = (struct session_consumer){ .sample = on_sample, .other = on_other };
	handlers->globals = globals;
	handlers->options = options;
	handlers->stop = stop;
	take_signals(handlers);
	handlers->kinds = py_kinds_new(&config, NULL);
	if (!handlers->kinds)
		return -1;
	if (py_function_init(&handlers->record, PyUnicode_FromString("__record__")) < 0)
		return -1;
	return py_function_init(&handlers->sample, PyUnicode_FromString("__sample__"));
}

void py_handlers_set_on_batch(struct py_handlers *handlers, struct py_on_batch *on_batch)
{
	handlers->on_batch = on_batch;
}

void py_handlers_destroy(struct py_handlers *handlers)
{
	if (!handlers)
		return;
	give_signals_back(handlers);
	for (size_t i = 0; i < handlers->nr; i++) {
		if (handlers->items[i])
			py_function_deinit(&handlers->items[i]->function);
		free(handlers->items[i]);
	}
	free(handlers->items);
	Py_XDECREF(handlers->kinds);
	Py_XDECREF(handlers->event);
	py_function_deinit(&handlers->sample);
	py_function_deinit(&handlers->record);
	free(handlers);
}

struct session_consumer *py_handlers_consumer(struct py_handlers *handlers)
{
	return &handlers->consumer;
}

/* A module object has an __init__() of its type, so look only into the script's own dict. */
struct error *py_handlers_begin(struct py_handlers *handlers)
{
	PyObject *function = PyDict_GetItemString(handlers->globals, "__init__"), *result;

	if (!function || !PyCallable_Check(function))
		return NULL;
	result = PyObject_CallNoArgs(function);
	if (!result)
		return py_error_take("in __init__()", NULL);
	Py_DECREF(result);
	return NULL;
}

struct error *py_handlers_end(struct py_handlers *handlers)
{
	return call(handlers, "__exit__", PyTuple_New(0));
}

bool py_handlers_failed(const struct py_handlers *handlers)
{
	return handlers->failures;
}
