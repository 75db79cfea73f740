// SPDX-License-Identifier: GPL-2.0
/*
 * The dict process_event() gets, and tracepoint handlers as perf_sample_dict.
 */
#include "lib/strbuf.h"
#include "script/py.h"
#include "script/registers.h"

/* What perf takes for a data source that was not sampled: all N/A. */
#define DATA_SRC_NONE 0x5080021

/* Steals @value. */
static int set(PyObject *dict, const char *key, PyObject *value)
{
	int result = value ? PyDict_SetItemString(dict, key, value) : -1;

	Py_XDECREF(value);
	return result;
}

static PyObject *u64(uint64_t value)
{
	return PyLong_FromUnsignedLong(value);
}

PyObject *py_callchain(const struct sample *sample)
{
	PyObject *list = PyList_New(0);

	for (uint64_t i = 0; list && i < sample->nr_callchain; i++) {
		uint64_t ip = sample->callchain[i];
		PyObject *frame;

		if (ip >= PERF_CONTEXT_MAX)
			continue;
		frame = PyDict_New();
		if (!frame || set(frame, "ip", u64(ip)) < 0 || PyList_Append(list, frame) < 0)
			Py_CLEAR(list);
		Py_XDECREF(frame);
	}
	return list;
}

#define MAX_VALUES 512

static PyObject *values_list(const struct session_record *r, uint64_t *enabled, uint64_t *running)
{
	struct sample_value values[MAX_VALUES] = { { 0 } };
	size_t nr = 1;
	PyObject *list;

	*enabled = *running = 0;
	if (r->event->attr.sample_type & PERF_SAMPLE_READ)
		nr = sample_values(r->event, &r->sample, values, MAX_VALUES, enabled, running);
	list = PyList_New(nr);
	for (size_t i = 0; list && i < nr; i++) {
		PyObject *item = Py_BuildValue("(KKK)", (unsigned long long)values[i].id,
					       (unsigned long long)values[i].value,
					       (unsigned long long)values[i].lost);

		if (!item)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, item);
	}
	return list;
}

static int set_values(PyObject *dict, const struct session_record *r)
{
	uint64_t format = r->event->attr.read_format, enabled, running;

	if (set(dict, "values", values_list(r, &enabled, &running)) < 0)
		return -1;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED &&
	    set(dict, "time_enabled", u64(enabled)) < 0)
		return -1;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING &&
	    set(dict, "time_running", u64(running)) < 0)
		return -1;
	return 0;
}

static PyObject *data_source_object(uint64_t data_src)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	data_source_text(data_src, &text);
	return PyUnicode_FromString(strbuf_str(&text));
}

static PyObject *sample_part(const struct session_record *r)
{
	const struct sample *s = &r->sample;
	bool has_data_src = r->event->attr.sample_type & PERF_SAMPLE_DATA_SRC;
	uint64_t data_src = has_data_src ? s->data_src : DATA_SRC_NONE;
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	/* pid, tid and cpu are unsigned here: 4294967295 when not sampled. */
	if (set(dict, "pid", u64((uint32_t)s->pid)) < 0 ||
	    set(dict, "tid", u64((uint32_t)s->tid)) < 0 ||
	    set(dict, "cpu", u64((uint32_t)s->cpu)) < 0 ||
	    set(dict, "ip", u64(s->ip)) < 0 ||
	    set(dict, "time", u64(s->time)) < 0 ||
	    set(dict, "period", u64(s->period)) < 0 ||
	    set(dict, "phys_addr", u64(s->phys_addr)) < 0 ||
	    set(dict, "addr", u64(s->addr)) < 0 ||
	    set_values(dict, r) < 0 ||
	    set(dict, "weight", u64(s->weight)) < 0 ||
	    set(dict, "transaction", u64(s->transaction)) < 0 ||
	    set(dict, "datasrc", u64(data_src)) < 0 ||
	    set(dict, "datasrc_decode", data_source_object(data_src)) < 0 ||
	    set(dict, "cpumode", u64(s->cpumode)) < 0)
		Py_CLEAR(dict);
	return dict;
}

static PyObject *branch_list(const struct sample *sample)
{
	const struct perf_branch_entry *entries = sample->branch_stack;
	PyObject *list = PyList_New(0);

	for (uint64_t i = 0; list && i < sample->nr_branches; i++) {
		const struct perf_branch_entry *e = &entries[i];
		PyObject *item;

		item = Py_BuildValue("{sKsKsOsOsOsOsIssss}",
				     "from", (unsigned long long)e->from,
				     "to", (unsigned long long)e->to,
				     "mispred", e->mispred ? Py_True : Py_False,
				     "predicted", e->predicted ? Py_True : Py_False,
				     "in_tx", e->in_tx ? Py_True : Py_False,
				     "abort", e->abort ? Py_True : Py_False,
				     "cycles", (unsigned int)e->cycles,
				     "from_dsoname", "", "to_dsoname", "");
		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *register_text(const uint64_t *registers, uint64_t mask)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (registers)
		registers_text(registers, mask, &text);
	return PyUnicode_FromString(strbuf_str(&text));
}

static int set_common(PyObject *dict, const struct session_record *r)
{
	PyObject *fields = py_common_fields(r);

	if (!fields)
		return PyErr_Occurred() ? -1 : 0;
	return set(dict, "common", fields);
}

PyObject *py_sample_dict(const struct session_record *r, PyObject *callchain)
{
	const struct perf_event_attr *attr = &r->event->attr;
	const struct sample *s = &r->sample;
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	if (set(dict, "ev_name", py_text(r->event->name, strlen(r->event->name))) < 0 ||
	    set(dict, "attr", PyBytes_FromStringAndSize((const char *)attr, sizeof(*attr))) < 0 ||
	    set(dict, "sample", sample_part(r)) < 0 ||
	    set(dict, "raw_buf", PyBytes_FromStringAndSize(s->raw, s->raw ? s->raw_size : 0)) < 0 ||
	    set(dict, "comm", py_text(r->comm, strlen(r->comm))) < 0 ||
	    set(dict, "callchain", callchain ? Py_NewRef(callchain) : py_callchain(s)) < 0 ||
	    set(dict, "brstack", branch_list(s)) < 0 ||
	    set(dict, "brstacksym", PyList_New(0)) < 0 ||
	    set(dict, "iregs", register_text(s->intr_regs, attr->sample_regs_intr)) < 0 ||
	    set(dict, "uregs", register_text(s->user_regs, attr->sample_regs_user)) < 0 ||
	    set_common(dict, r) < 0)
		Py_CLEAR(dict);
	return dict;
}
