// SPDX-License-Identifier: GPL-2.0
/*
 * The dict that process_event() gets, and that tracepoint handlers get as
 * perf_sample_dict.
 */
#include "lib/strbuf.h"
#include "record/registers.h"
#include "script/handlers/py_sample_dict.h"

/* The value that perf uses if no data source was sampled: all parts are N/A. */
/* Keys of the dicts; their objects are created once. */
enum key {
	KEY_EV_NAME, KEY_ATTR, KEY_SAMPLE, KEY_RAW_BUF, KEY_COMM, KEY_CALLCHAIN, KEY_BRSTACK,
	KEY_BRSTACKSYM, KEY_IREGS, KEY_UREGS, KEY_COMMON,
	KEY_PID, KEY_TID, KEY_CPU, KEY_IP, KEY_TIME, KEY_PERIOD, KEY_PHYS_ADDR, KEY_ADDR,
	KEY_VALUES, KEY_TIME_ENABLED, KEY_TIME_RUNNING, KEY_WEIGHT, KEY_TRANSACTION,
	KEY_DATASRC, KEY_DATASRC_DECODE, KEY_CPUMODE, KEY_ID, KEY_STREAM_ID, KEY_INS_LAT,
	KEY_NR,
};

static const char *const key_names[KEY_NR] = {
	[KEY_EV_NAME] = "ev_name", [KEY_ATTR] = "attr", [KEY_SAMPLE] = "sample",
	[KEY_RAW_BUF] = "raw_buf", [KEY_COMM] = "comm", [KEY_CALLCHAIN] = "callchain",
	[KEY_BRSTACK] = "brstack", [KEY_BRSTACKSYM] = "brstacksym", [KEY_IREGS] = "iregs",
	[KEY_UREGS] = "uregs", [KEY_COMMON] = "common", [KEY_PID] = "pid", [KEY_TID] = "tid",
	[KEY_CPU] = "cpu", [KEY_IP] = "ip", [KEY_TIME] = "time", [KEY_PERIOD] = "period",
	[KEY_PHYS_ADDR] = "phys_addr", [KEY_ADDR] = "addr", [KEY_VALUES] = "values",
	[KEY_TIME_ENABLED] = "time_enabled", [KEY_TIME_RUNNING] = "time_running",
	[KEY_WEIGHT] = "weight", [KEY_TRANSACTION] = "transaction", [KEY_DATASRC] = "datasrc",
	[KEY_DATASRC_DECODE] = "datasrc_decode", [KEY_CPUMODE] = "cpumode",
	[KEY_ID] = "id", [KEY_STREAM_ID] = "stream_id", [KEY_INS_LAT] = "ins_lat",
};

static PyObject *keys[KEY_NR];

/* Cache of the values that are the same in all dicts of an event. */
#define CACHED_EVENTS 64

static struct cached_event {
	const struct event *event;
	PyObject *name, *attr;
} cached_events[CACHED_EVENTS];

/* The text of the last data source, as most samples have the same. */
static struct {
	uint64_t data_src;
	PyObject *text;
} cached_data_src;

void py_sample_dict_forget(void)
{
	for (size_t i = 0; i < KEY_NR; i++)
		Py_CLEAR(keys[i]);
	for (size_t i = 0; i < CACHED_EVENTS; i++) {
		cached_events[i].event = NULL;
		Py_CLEAR(cached_events[i].name);
		Py_CLEAR(cached_events[i].attr);
	}
	Py_CLEAR(cached_data_src.text);
	py_place_forget();
}

/* Steals @value. */
static int put_sample(PyObject *dict, enum key key, PyObject *value)
{
	return py_dict_set(dict, &keys[key], key_names[key], value);
}

static int set_cached(PyObject *dict, const struct event *event)
{
	struct cached_event *cached = &cached_events[event->index % CACHED_EVENTS];

	if (cached->event != event) {
		cached->event = event;
		Py_XSETREF(cached->name, py_text(event->name, strlen(event->name)));
		Py_XSETREF(cached->attr, PyBytes_FromStringAndSize((const char *)&event->attr,
						event_attr_known_size(&event->attr)));
	}
	if (put_sample(dict, KEY_EV_NAME, Py_XNewRef(cached->name)) < 0)
		return -1;
	return put_sample(dict, KEY_ATTR, Py_XNewRef(cached->attr));
}

static PyObject *value_tuple(const struct sample_value *value)
{
	PyObject *tuple = PyTuple_New(3);

	if (!tuple)
		return NULL;
	PyTuple_SET_ITEM(tuple, 0, py_number(value->id));
	PyTuple_SET_ITEM(tuple, 1, py_number(value->value));
	PyTuple_SET_ITEM(tuple, 2, py_number(value->lost));
	if (PyErr_Occurred())
		Py_CLEAR(tuple);
	return tuple;
}

#define MAX_VALUES 512

static PyObject *values_list(const struct session_record *r, uint64_t *enabled, uint64_t *running)
{
	struct sample_value values[MAX_VALUES];
	size_t nr = 1;
	PyObject *list;

	*enabled = *running = 0;
	if (r->event->attr.sample_type & PERF_SAMPLE_READ)
		nr = sample_values(r->event, &r->sample, values, MAX_VALUES, enabled, running);
	else
		values[0] = (struct sample_value){ 0 };
	list = PyList_New(nr);
	for (size_t i = 0; list && i < nr; i++) {
		PyObject *item = value_tuple(&values[i]);

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

	if (put_sample(dict, KEY_VALUES, values_list(r, &enabled, &running)) < 0)
		return -1;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED &&
	    put_sample(dict, KEY_TIME_ENABLED, py_number(enabled)) < 0)
		return -1;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING &&
	    put_sample(dict, KEY_TIME_RUNNING, py_number(running)) < 0)
		return -1;
	return 0;
}

static PyObject *data_source_object(uint64_t data_src)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (!cached_data_src.text || cached_data_src.data_src != data_src) {
		data_source_text(data_src, &text);
		cached_data_src.data_src = data_src;
		Py_XSETREF(cached_data_src.text, PyUnicode_FromString(strbuf_str(&text)));
	}
	return Py_XNewRef(cached_data_src.text);
}

static PyObject *sample_part(const struct session_record *r)
{
	const struct sample *s = &r->sample;
	bool has_data_src = r->event->attr.sample_type & PERF_SAMPLE_DATA_SRC;
	uint64_t data_src = has_data_src ? s->data_src : DATA_SRC_NONE;
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	/* pid, tid and cpu are unsigned in the dict: 4294967295 if they were not sampled. */
	if (put_sample(dict, KEY_PID, py_number((uint32_t)s->pid)) < 0 ||
	    put_sample(dict, KEY_TID, py_number((uint32_t)s->tid)) < 0 ||
	    put_sample(dict, KEY_CPU, py_number((uint32_t)s->cpu)) < 0 ||
	    put_sample(dict, KEY_IP, py_number(s->ip)) < 0 ||
	    put_sample(dict, KEY_TIME, py_number(s->time)) < 0 ||
	    put_sample(dict, KEY_PERIOD, py_number(s->period)) < 0 ||
	    put_sample(dict, KEY_PHYS_ADDR, py_number(s->phys_addr)) < 0 ||
	    put_sample(dict, KEY_ADDR, py_number(s->addr)) < 0 ||
	    set_values(dict, r) < 0 ||
	    put_sample(dict, KEY_WEIGHT, py_number(s->weight)) < 0 ||
	    put_sample(dict, KEY_TRANSACTION, py_number(s->transaction)) < 0 ||
	    put_sample(dict, KEY_DATASRC, py_number(data_src)) < 0 ||
	    put_sample(dict, KEY_DATASRC_DECODE, data_source_object(data_src)) < 0 ||
	    put_sample(dict, KEY_CPUMODE, py_number(s->cpumode)) < 0 ||
	    put_sample(dict, KEY_ID, py_number(s->id)) < 0 ||
	    put_sample(dict, KEY_STREAM_ID, py_number(s->stream_id)) < 0 ||
	    put_sample(dict, KEY_INS_LAT, py_number(s->ins_lat)) < 0)
		Py_CLEAR(dict);
	return dict;
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
	return put_sample(dict, KEY_COMMON, fields);
}

/* Set the location of the sample and, for events with the address of data, that of the data. */
static int set_places(PyObject *dict, PyObject *sample, const struct session_record *r)
{
	const struct perf_event_attr *attr = &r->event->attr;
	struct place place;

	if (!r->machine)
		return 0;
	machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
	if (py_place_set(dict, &place, false) < 0)
		return -1;
	if (!(attr->sample_type & PERF_SAMPLE_ADDR) || !event_tells_data(r->event))
		return 0;
	machine_find_data(r->machine, r->maps, r->sample.cpumode, r->sample.addr, &place);
	return py_place_set(sample, &place, true);
}

PyObject *py_sample_dict(const struct session_record *r, PyObject *callchain)
{
	const struct perf_event_attr *attr = &r->event->attr;
	const struct sample *s = &r->sample;
	PyObject *dict = PyDict_New(), *sample;

	if (!dict)
		return NULL;
	sample = sample_part(r);
	if (set_cached(dict, r->event) < 0 || put_sample(dict, KEY_SAMPLE, sample) < 0 ||
	    set_places(dict, sample, r) < 0 ||
	    put_sample(dict, KEY_RAW_BUF,
		       PyBytes_FromStringAndSize(s->raw, s->raw ? s->raw_size : 0)) < 0 ||
	    put_sample(dict, KEY_COMM, py_text(r->comm, strlen(r->comm))) < 0 ||
	    put_sample(dict, KEY_CALLCHAIN,
		       callchain ? Py_NewRef(callchain) : py_callchain(r)) < 0 ||
	    put_sample(dict, KEY_BRSTACK, py_branches(r)) < 0 ||
	    put_sample(dict, KEY_BRSTACKSYM, py_branch_symbols(r)) < 0 ||
	    put_sample(dict, KEY_IREGS, register_text(s->intr_regs, attr->sample_regs_intr)) < 0 ||
	    put_sample(dict, KEY_UREGS, register_text(s->user_regs, attr->sample_regs_user)) < 0 ||
	    set_common(dict, r) < 0)
		Py_CLEAR(dict);
	return dict;
}
