// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers of records other than samples.  Each gets the members of the record by
 * position, as perf passes them.
 */
#include <stddef.h>
#include <string.h>

#include "lib/array.h"
#include "record/ledger.h"
#include "script/py_records.h"

/* Written by decoders of hardware traces (tools/lib/perf/include/perf/event.h). */
struct auxtrace_error {
	struct perf_event_header header;
	uint32_t type, code, cpu, pid, tid, fmt;
	uint64_t ip, time;
	char msg[64];
	uint32_t machine_pid, vcpu;
};

struct throttle {
	struct perf_event_header header;
	uint64_t time, id, stream_id;
};

struct switch_cpu_wide {
	struct perf_event_header header;
	uint32_t next_prev_pid, next_prev_tid;
};

/* The last three fields are only in records of the device: see <linux/ktrace.h>. */
struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
	uint64_t reason, first, last;
	uint64_t sample_id[4];
};

#define HOST_MACHINE (-1)
#define NO_VCPU (-1)

static PyObject *throttle_args(const struct session_record *r)
{
	const struct throttle *record = (const void *)r->record.header;

	if (record->header.size < sizeof(*record))
		return NULL;
	return Py_BuildValue("(KKKiii)", (unsigned long long)record->time,
			     (unsigned long long)record->id, (unsigned long long)record->stream_id,
			     r->sample.cpu, r->sample.pid, r->sample.tid);
}

static PyObject *switch_args(const struct session_record *r)
{
	const struct switch_cpu_wide *record = (const void *)r->record.header;
	bool out = record->header.misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = out && record->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	int pid = -1, tid = -1;

	if (record->header.type == PERF_RECORD_SWITCH_CPU_WIDE) {
		if (record->header.size < sizeof(*record))
			return NULL;
		pid = (int)record->next_prev_pid;
		tid = (int)record->next_prev_tid;
	}
	return Py_BuildValue("(KiiiiiiOOii)", (unsigned long long)r->sample.time, r->sample.cpu,
			     r->sample.pid, r->sample.tid, pid, tid, HOST_MACHINE,
			     out ? Py_True : Py_False, preempt ? Py_True : Py_False, 0, NO_VCPU);
}

static PyObject *auxtrace_error_args(const struct session_record *r)
{
	const struct auxtrace_error *record = (const void *)r->record.header;
	bool has_machine;

	if (record->header.size < offsetof(struct auxtrace_error, machine_pid))
		return NULL;
	has_machine = record->fmt >= 2 && record->header.size >= sizeof(*record);
	return Py_BuildValue("(IIiiiKKNiii)", record->type, record->code, (int)record->cpu,
			     (int)record->pid, (int)record->tid, (unsigned long long)record->ip,
			     (unsigned long long)(record->fmt ? record->time : 0),
			     py_text(record->msg, strnlen(record->msg, sizeof(record->msg))),
			     record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
			     has_machine ? (int)record->machine_pid : 0,
			     has_machine ? (int)record->vcpu : NO_VCPU);
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
	const struct lost *record = (const void *)r->record.header;
	bool samples = record->header.type == PERF_RECORD_LOST_SAMPLES;
	bool placed = !samples && r->event && r->event->source == EVENT_SOURCE_DEVICE &&
		      record->header.size >= sizeof(*record);

	if (record->header.size < offsetof(struct lost, reason) - (samples ? 8 : 0))
		return NULL;
	return Py_BuildValue("({sKsisNsKsNsNsN})",
			     "time", (unsigned long long)r->sample.time,
			     "cpu", r->sample.cpu,
			     "event", r->event ? py_text(r->event->name, strlen(r->event->name))
					       : Py_NewRef(Py_None),
			     "lost", (unsigned long long)(samples ? record->id : record->lost),
			     "reason", placed ? lost_reason(record->reason)
					      : Py_NewRef(Py_None),
			     "first", number_or_none(placed ? record->first : 0),
			     "last", number_or_none(placed ? record->last : 0));
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
static struct error *call(PyObject *globals, const struct record_handler *handler,
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

struct error *py_records_call(PyObject *globals, const struct session_record *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++)
		if (handlers[i].type == r->record.header->type)
			return call(globals, &handlers[i], r);
	return NULL;
}
