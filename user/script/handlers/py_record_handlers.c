// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers of records other than samples.  Each gets the members of the record by
 * position, as perf passes them.
 */
#include <stddef.h>
#include <string.h>

#include "lib/array.h"
#include "record/body.h"
#include "record/device_lost.h"
#include "record/ledger.h"
#include "script/handlers/py_record_handlers.h"

#define HOST_MACHINE (-1)
#define NO_VCPU (-1)

static PyObject *throttle_args(const struct session_record *r)
{
	const struct body_throttle *body = body_of(r->record.header, struct body_throttle);

	if (!body)
		return NULL;
	return Py_BuildValue("(KKKiii)", (unsigned long long)body->time,
			     (unsigned long long)body->id, (unsigned long long)body->stream_id,
			     r->sample.cpu, r->sample.pid, r->sample.tid);
}

static PyObject *switch_args(const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct body_switch *body = body_of(header, struct body_switch);
	bool out = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = out && header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	int pid = -1, tid = -1;

	if (header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		if (!body)
			return NULL;
		pid = body->other_pid;
		tid = body->other_tid;
	}
	return Py_BuildValue("(KiiiiiiOOii)", (unsigned long long)r->sample.time, r->sample.cpu,
			     r->sample.pid, r->sample.tid, pid, tid, HOST_MACHINE,
			     out ? Py_True : Py_False, preempt ? Py_True : Py_False, 0, NO_VCPU);
}

static PyObject *auxtrace_error_args(const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct body_auxtrace_error *body =
		body_of_size(header, offsetof(struct body_auxtrace_error, machine_pid));
	bool has_machine;

	if (!body)
		return NULL;
	has_machine = body->fmt >= 2 && body_of(header, struct body_auxtrace_error);
	return Py_BuildValue("(IIiiiKKNiii)", body->type, body->code, (int)body->cpu,
			     (int)body->pid, (int)body->tid, (unsigned long long)body->ip,
			     (unsigned long long)(body->fmt ? body->time : 0),
			     py_text(body->msg, strnlen(body->msg, sizeof(body->msg))),
			     header->misc & PERF_RECORD_MISC_CPUMODE_MASK,
			     has_machine ? (int)body->machine_pid : 0,
			     has_machine ? (int)body->vcpu : NO_VCPU);
}

static PyObject *number_or_none(uint64_t number)
{
	return number ? PyLong_FromUnsignedLong(number) : Py_NewRef(Py_None);
}

static PyObject *lost_reason(uint64_t reason)
{
	return PyUnicode_FromString(ledger_reason_text(ledger_reason_of_device(reason)));
}

static PyObject *lost_args(const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct body_lost *lost = body_of(header, struct body_lost);
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);
	bool is_lost = header->type == PERF_RECORD_LOST;
	const struct body_device_lost *placed = NULL;

	if (is_lost ? !lost : !samples)
		return NULL;
	if (is_lost)
		placed = device_lost_body(r->event, header);
	return Py_BuildValue("({sKsisNsKsNsNsN})",
			     "time", (unsigned long long)r->sample.time,
			     "cpu", r->sample.cpu,
			     "event", r->event ? py_text(r->event->name, strlen(r->event->name))
					       : Py_NewRef(Py_None),
			     "lost", (unsigned long long)(is_lost ? lost->lost : samples->lost),
			     "reason", placed ? lost_reason(placed->reason)
					      : Py_NewRef(Py_None),
			     "first", number_or_none(placed ? placed->first : 0),
			     "last", number_or_none(placed ? placed->last : 0));
}

static const struct record_handler {
	uint32_t type;
	const char *function;
	PyObject *(*args)(const struct session_record *r);	/* NULL: also if cut short */
} handlers[] = {
	{ PERF_RECORD_LOST, "trace_lost", lost_args },
	{ PERF_RECORD_LOST_SAMPLES, "trace_lost", lost_args },
	{ PERF_RECORD_THROTTLE, "throttle", throttle_args },
	{ PERF_RECORD_UNTHROTTLE, "unthrottle", throttle_args },
	{ PERF_RECORD_SWITCH, "context_switch", switch_args },
	{ PERF_RECORD_SWITCH_CPU_WIDE, "context_switch", switch_args },
	{ RECORD_AUXTRACE_ERROR, "auxtrace_error", auxtrace_error_args },
};

/* A function of the script is looked up when it is needed, as handlers are. */
static struct error *call_record_handler(PyObject *globals, const struct record_handler *handler,
					 const struct session_record *r)
{
	PyObject *function = PyDict_GetItemString(globals, handler->function);
	PyObject *args, *result;
	char what[64];

	if (!function || !PyCallable_Check(function))
		return NULL;
	args = handler->args(r);
	if (!args && !PyErr_Occurred())
		return NULL;
	Py_INCREF(function);
	result = args ? PyObject_CallObject(function, args) : NULL;
	Py_DECREF(function);
	Py_XDECREF(args);
	if (!result) {
		snprintf(what, sizeof(what), "in %s()", handler->function);
		return py_error_take(what, r);
	}
	Py_DECREF(result);
	return NULL;
}

struct error *py_record_handlers_call(PyObject *globals, const struct session_record *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++)
		if (handlers[i].type == r->record.header->type)
			return call_record_handler(globals, &handlers[i], r);
	return NULL;
}
