// SPDX-License-Identifier: GPL-2.0
/*
 * What belongs to which row, and in which order rows come, is perf's choice.
 */
#include "script/py_export.h"

#include <stdarg.h>
#include <string.h>

#include "lib/array.h"
#include "session/callchain.h"

/* The only machine there is, the host. */
#define MACHINE_ID 1
#define HOST (-1)

#define DATA_SRC_NONE 0x5080021

struct thread {
	int32_t pid, tid;
	uint64_t id;		/* 0: no row yet */
	char comm[32];
	uint64_t comm_time;
	bool comm_exec;
	uint64_t comm_id;	/* 0: no row yet */
	uint64_t linked;	/* comm_id that a comm_thread row names it with */
};

struct py_export {
	PyObject *globals;
	bool callchains;
	bool machine_told;
	PyObject *evsels, *dsos, *symbols, *paths;	/* dicts: what identifies it -> id */
	PyObject *thread_numbers;			/* dict: tid -> index in threads */
	struct {
		struct thread *items;
		size_t nr, alloc;
	} threads;
	uint64_t nr_samples, nr_switches, nr_comms, nr_comm_threads, nr_threads;
};

DEFINE_CLEANUP(callchain, struct callchain, callchain_deinit)

/* Flag bits of samples of branches, and what they are called. */
static const struct {
	uint32_t flags;
	const char *name;
} branch_types[] = {
	{ 0, "no branch" }, { 3, "call" }, { 5, "return" }, { 9, "conditional jump" },
	{ 1, "unconditional jump" }, { 67, "software interrupt" },
	{ 69, "return from interrupt" }, { 19, "system call" },
	{ 21, "return from system call" }, { 33, "asynchronous branch" },
	{ 99, "hardware interrupt" }, { 129, "transaction abort" }, { 257, "trace begin" },
	{ 513, "trace end" }, { 2051, "vm entry" }, { 4099, "vm exit" },
};

#define FIRST_TRACE_NAMES 1	/* branches that tracing can begin and end with */
#define TRACE_BEGIN 256
#define TRACE_END 512

static PyObject *hook(const struct py_export *export, const char *name)
{
	PyObject *function = PyDict_GetItemString(export->globals, name);

	return function && PyCallable_Check(function) ? function : NULL;
}

/* Call @name with a tuple of @format, if the script has it; 0, or -1 with an exception. */
static int row(struct py_export *export, const char *name, const char *format, ...)
{
	PyObject *function = hook(export, name), *args, *result = NULL;
	va_list ap;

	/* Addresses are signed numbers, as in the databases they go to. */
	if (!function)
		return 0;
	va_start(ap, format);
	args = Py_VaBuildValue(format, ap);
	va_end(ap);
	Py_INCREF(function);
	if (args)
		result = PyObject_CallObject(function, args);
	Py_DECREF(function);
	Py_XDECREF(args);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int branch_rows(struct py_export *export)
{
	char name[64];
	int result = 0;

	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(branch_types); i++)
		result = row(export, "branch_type_table", "(Is)", branch_types[i].flags,
			     branch_types[i].name);
	if (result == 0)
		result = row(export, "branch_type_table", "(Is)", TRACE_BEGIN,
			     "trace begin / no branch");
	if (result == 0)
		result = row(export, "branch_type_table", "(Is)", TRACE_END,
			     "no branch / trace end");
	for (size_t i = FIRST_TRACE_NAMES; result == 0 && i < ARRAY_SIZE(branch_types); i++) {
		uint32_t flags = branch_types[i].flags;

		if (flags == 1 || flags == (TRACE_BEGIN | 1) || flags == (TRACE_END | 1))
			continue;
		snprintf(name, sizeof(name), "trace begin / %s", branch_types[i].name);
		result = row(export, "branch_type_table", "(Is)", flags | TRACE_BEGIN, name);
		snprintf(name, sizeof(name), "%s / trace end", branch_types[i].name);
		if (result == 0)
			result = row(export, "branch_type_table", "(Is)", flags | TRACE_END, name);
	}
	return result;
}

/* ---- ids ----------------------------------------------------------------- */

/*
 * The id of @key, which is taken, in @ids; 0 with *ret_new: it is the given
 * one, and needs a row.  -1: exception.
 */
static int64_t find_id(PyObject *ids, PyObject *key, bool *ret_new)
{
	PyObject *known = key ? PyDict_GetItemWithError(ids, key) : NULL, *number;
	int64_t id = -1;

	*ret_new = false;
	if (known) {
		id = PyLong_AsLong(known);
	} else if (key && !PyErr_Occurred()) {
		id = PyDict_GET_SIZE(ids) + 1;
		number = PyLong_FromLong(id);
		if (!number || PyDict_SetItem(ids, key, number) < 0)
			id = -1;
		Py_XDECREF(number);
		*ret_new = id > 0;
	}
	Py_XDECREF(key);
	return id;
}

static int64_t evsel_id(struct py_export *export, const struct event *event)
{
	bool new;
	int64_t id = find_id(export->evsels, PyLong_FromSize_t(event->index), &new);

	return new && row(export, "evsel_table", "(Ks)", (unsigned long long)id,
			  event->name) < 0 ? -1 : id;
}

static int machine_row(struct py_export *export)
{
	if (export->machine_told)
		return 0;
	export->machine_told = true;
	return row(export, "machine_table", "(iis)", MACHINE_ID, HOST, "");
}

static int64_t dso_id(struct py_export *export, const struct dso *dso)
{
	char build_id[BUILD_ID_TEXT];
	bool new;
	int64_t id = find_id(export->dsos, PyLong_FromVoidPtr((void *)dso), &new);

	if (!new)
		return id;
	build_id_text(&dso->id, build_id);
	return row(export, "dso_table", "(Kisss)", (unsigned long long)id, MACHINE_ID,
		   dso->short_name, dso->path && dso->kind == DSO_FILE ? dso->path : dso->name,
		   build_id) < 0 ? -1 : id;
}

/* Of a place in a dso; what has no symbol becomes one at @address. */
static int64_t symbol_id(struct py_export *export, const struct place *place, int64_t dso,
			 uint64_t address)
{
	const struct symbol *symbol = place->symbol;
	uint64_t start = symbol ? symbol->start : address;
	bool new;
	int64_t id = find_id(export->symbols, Py_BuildValue("(LKs)", (long long)dso,
							    (unsigned long long)start,
							    symbol ? symbol->name : "unknown"),
			     &new);

	if (!new)
		return id;
	return row(export, "symbol_table", "(KKLLis)", (unsigned long long)id,
		   (unsigned long long)dso, (long long)start,
		   (long long)(symbol ? symbol->end : address), symbol ? symbol->binding : 0,
		   symbol ? symbol->name : "unknown") < 0 ? -1 : id;
}

/* ---- threads and comms --------------------------------------------------- */

/* NULL: exception. */
static struct thread *find_thread(struct py_export *export, int32_t pid, int32_t tid)
{
	PyObject *key = PyLong_FromLong(tid), *number;
	struct thread thread = { .pid = pid, .tid = tid };
	size_t index = export->threads.nr;
	int result;

	if (!key)
		return NULL;
	number = PyDict_GetItemWithError(export->thread_numbers, key);
	if (number) {
		Py_DECREF(key);
		return &export->threads.items[PyLong_AsSize_t(number)];
	}
	snprintf(thread.comm, sizeof(thread.comm), tid ? ":%d" : "swapper", tid);
	number = PyLong_FromSize_t(index);
	result = number ? PyDict_SetItem(export->thread_numbers, key, number) : -1;
	Py_XDECREF(number);
	Py_DECREF(key);
	if (result < 0)
		return NULL;
	if (!array_push(&export->threads, thread)) {
		PyErr_NoMemory();
		return NULL;
	}
	return &export->threads.items[index];
}

static void name_thread(struct thread *thread, const char *comm, uint64_t time, bool exec)
{
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
	thread->comm_time = time;
	thread->comm_exec = exec;
	thread->comm_id = 0;
}

static int thread_row(struct py_export *export, struct thread *thread, uint64_t main_id)
{
	if (thread->id)
		return 0;
	thread->id = ++export->nr_threads;
	return row(export, "thread_table", "(KiKii)", (unsigned long long)thread->id, MACHINE_ID,
		   (unsigned long long)(main_id ? main_id : thread->id), thread->pid, thread->tid);
}

static int comm_thread_row(struct py_export *export, struct thread *thread, uint64_t comm_id)
{
	if (thread->linked == comm_id)
		return 0;
	thread->linked = comm_id;
	return row(export, "comm_thread_table", "(KKK)",
		   (unsigned long long)++export->nr_comm_threads, (unsigned long long)comm_id,
		   (unsigned long long)thread->id);
}

static int comm_row(struct py_export *export, struct thread *thread)
{
	if (thread->comm_id)
		return 0;
	thread->comm_id = ++export->nr_comms;
	return row(export, "comm_table", "(KNKKi)", (unsigned long long)thread->comm_id,
		   py_text(thread->comm, strlen(thread->comm)), (unsigned long long)thread->id,
		   (unsigned long long)thread->comm_time, (int)thread->comm_exec);
}

/* The comm of a process is its main thread's. */
static int thread_rows(struct py_export *export, int32_t pid, int32_t tid, uint64_t *ret_thread,
		       uint64_t *ret_comm)
{
	struct thread *main = find_thread(export, pid, pid < 0 ? tid : pid), *thread;

	*ret_thread = *ret_comm = 0;
	if (!main || machine_row(export) < 0 || thread_row(export, main, 0) < 0 ||
	    comm_row(export, main) < 0 || comm_thread_row(export, main, main->comm_id) < 0)
		return -1;
	*ret_thread = main->id;
	*ret_comm = main->comm_id;
	if (main->tid == tid)
		return 0;
	thread = find_thread(export, pid, tid);		/* may move what main points to */
	if (!thread || thread_row(export, thread, *ret_thread) < 0 ||
	    comm_thread_row(export, thread, *ret_comm) < 0 || comm_row(export, thread) < 0)
		return -1;
	*ret_thread = thread->id;
	return 0;
}

/* ---- samples ------------------------------------------------------------- */

static int place_ids(struct py_export *export, const struct place *place, uint64_t address,
		     int64_t *ret_dso, int64_t *ret_symbol)
{
	*ret_dso = *ret_symbol = 0;
	if (!place->map)
		return 0;
	*ret_dso = dso_id(export, place->map->dso);
	if (*ret_dso > 0)
		*ret_symbol = symbol_id(export, place, *ret_dso, address);
	return *ret_dso < 0 || *ret_symbol < 0 ? -1 : 0;
}

/* Whether a sample at @place without a symbol has made one there. */
static bool has_unknown(struct py_export *export, const struct place *place)
{
	PyObject *dso = place->map ? PyLong_FromVoidPtr((void *)place->map->dso) : NULL;
	PyObject *id = dso ? PyDict_GetItemWithError(export->dsos, dso) : NULL, *key = NULL;
	bool found = false;

	if (id)
		key = Py_BuildValue("(OKs)", id, (unsigned long long)place->address, "unknown");
	if (key)
		found = PyDict_Contains(export->symbols, key) > 0;
	Py_XDECREF(key);
	Py_XDECREF(dso);
	return found;
}

static int64_t path_id(struct py_export *export, int64_t parent, int64_t symbol, uint64_t ip)
{
	bool new;
	int64_t id = find_id(export->paths, Py_BuildValue("(LLK)", (long long)parent,
							  (long long)symbol,
							  (unsigned long long)ip), &new);

	return new && row(export, "call_path_table", "(KKKL)", (unsigned long long)id,
			  (unsigned long long)parent, (unsigned long long)symbol,
			  (long long)ip) < 0 ? -1 : id;
}

/* From the outermost frame inwards; each process has a root of its own. */
static int64_t call_path_id(struct py_export *export, const struct session_record *r)
{
	_cleanup_(callchain) struct callchain chain = { 0 };
	_cleanup_free_ int64_t *symbols = NULL;
	struct error *err = callchain_read(&chain, r, CALLCHAIN_DEPTH);
	int64_t id, dso;

	if (err) {
		py_error_raise(err);
		return -1;
	}
	symbols = calloc(chain.nr + 1, sizeof(*symbols));
	if (!symbols) {
		PyErr_NoMemory();
		return -1;
	}
	if (!chain.nr)
		return 0;
	for (size_t i = chain.nr; i--; ) {
		struct place place = { .ip = chain.items[i].ip };

		if (r->machine)
			machine_find(r->machine, r->maps, chain.items[i].mode, chain.items[i].ip,
				     &place);
		if (place_ids(export, &place, has_unknown(export, &place) ? place.address :
			      chain.items[i].ip, &dso, &symbols[i]) < 0)
			return -1;
	}
	id = path_id(export, 0, 0, 0);
	for (size_t i = chain.nr; id > 0 && i--; )
		id = path_id(export, id, symbols[i], symbols[i] ? 0 : chain.items[i].ip);
	return id;
}

struct error *py_export_sample(struct py_export *export, const struct session_record *r)
{
	const struct sample *s = &r->sample;
	bool has_data_src = r->event->attr.sample_type & PERF_SAMPLE_DATA_SRC;
	int64_t evsel = evsel_id(export, r->event), dso, symbol, path = 0;
	struct place place = { .ip = s->ip };
	uint64_t thread, comm;

	if (evsel < 0 || thread_rows(export, s->pid, s->tid, &thread, &comm) < 0)
		return py_error_take("in a table's function", r);
	if (r->machine)
		machine_find(r->machine, r->maps, s->cpumode, s->ip, &place);
	if (place_ids(export, &place, place.address, &dso, &symbol) < 0)
		return py_error_take("in a table's function", r);
	if (export->callchains)
		path = call_path_id(export, r);
	if (path < 0 ||
	    row(export, "sample_table", "(KLiKKLLKLKiiiiLKKKKiiLKKI)",
		(unsigned long long)++export->nr_samples, (long long)evsel, MACHINE_ID,
		(unsigned long long)thread, (unsigned long long)comm, (long long)dso,
		(long long)symbol, (unsigned long long)(place.symbol ? place.offset : 0),
		(long long)s->ip, (unsigned long long)s->time, s->cpu, 0, 0, 0,
		(long long)s->addr, (unsigned long long)s->period,
		(unsigned long long)s->weight, (unsigned long long)s->transaction,
		(unsigned long long)(has_data_src ? s->data_src : DATA_SRC_NONE), 0, 0,
		(long long)path, 0ull, 0ull, 0) < 0)
		return py_error_take("in a table's function", r);
	return NULL;
}

/* ---- other records ------------------------------------------------------- */

/* The rows of a thread some record has told of; others get none. */
static int known_thread_rows(struct py_export *export, int32_t pid, int32_t tid,
			     uint64_t *ret_thread, uint64_t *ret_comm)
{
	PyObject *key = PyLong_FromLong(tid);
	int known = key ? PyDict_Contains(export->thread_numbers, key) : -1;

	Py_XDECREF(key);
	*ret_thread = *ret_comm = 0;
	return known > 0 ? thread_rows(export, pid, tid, ret_thread, ret_comm) : known;
}

static int switch_row(struct py_export *export, const struct session_record *r)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, tid;
	} *wide = (const void *)r->record.header;
	bool out = wide->header.misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = out && wide->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	uint64_t thread, comm, other = 0, other_comm = 0;

	if (machine_row(export) < 0 ||
	    known_thread_rows(export, r->sample.pid, r->sample.tid, &thread, &comm) < 0)
		return -1;
	if (wide->header.type == PERF_RECORD_SWITCH_CPU_WIDE &&
	    wide->header.size >= sizeof(*wide) &&
	    known_thread_rows(export, wide->pid, wide->tid, &other, &other_comm) < 0)
		return -1;
	/* Each switch is told by who goes; who comes tells it again when nobody went. */
	return row(export, "context_switch_table", "(KiKiKKKKi)",
		   (unsigned long long)++export->nr_switches, MACHINE_ID,
		   (unsigned long long)r->sample.time, r->sample.cpu,
		   (unsigned long long)(out ? thread : other),
		   (unsigned long long)(out ? comm : other_comm),
		   (unsigned long long)(out ? other : thread),
		   (unsigned long long)(out ? other_comm : comm), out + 2 * preempt);
}

static int take_comm(struct py_export *export, const struct session_record *r)
{
	struct thread *thread = find_thread(export, r->pid, r->tid);

	if (!thread)
		return -1;
	name_thread(thread, r->comm, r->sample.time,
		    r->record.header->misc & PERF_RECORD_MISC_COMM_EXEC);
	return 0;
}

static int take_fork(struct py_export *export, const struct session_record *r)
{
	struct thread *thread = find_thread(export, r->pid, r->tid);

	if (!thread)
		return -1;
	*thread = (struct thread){ .pid = r->pid, .tid = r->tid };
	name_thread(thread, r->comm, r->sample.time, false);
	return 0;
}

struct error *py_export_other(struct py_export *export, const struct session_record *r,
			      bool *ret_taken)
{
	int result = 0;

	*ret_taken = false;
	switch (r->record.header->type) {
	case PERF_RECORD_COMM:
		result = take_comm(export, r);
		break;
	case PERF_RECORD_FORK:
		result = take_fork(export, r);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		*ret_taken = true;
		result = switch_row(export, r);
		break;
	}
	return result < 0 ? py_error_take("in a table's function", r) : NULL;
}

/* ---- its life ------------------------------------------------------------ */

static bool is_set(PyObject *globals, const char *name)
{
	PyObject *value = PyDict_GetItemString(globals, name);

	return value && PyObject_IsTrue(value) > 0;
}

struct error *py_export_create(PyObject *globals, struct py_export **ret)
{
	struct py_export *export;

	*ret = NULL;
	if (!is_set(globals, "perf_db_export_mode"))
		return NULL;
	export = calloc(1, sizeof(*export));
	if (!export)
		return &error_no_memory;
	*ret = export;
	export->globals = globals;
	export->callchains = is_set(globals, "perf_db_export_callchains");
	export->evsels = PyDict_New();
	export->dsos = PyDict_New();
	export->symbols = PyDict_New();
	export->paths = PyDict_New();
	export->thread_numbers = PyDict_New();
	if (!export->evsels || !export->dsos || !export->symbols || !export->paths ||
	    !export->thread_numbers || branch_rows(export) < 0)
		return py_error_take("in branch_type_table()", NULL);
	return NULL;
}

void py_export_destroy(struct py_export *export)
{
	if (!export)
		return;
	Py_XDECREF(export->evsels);
	Py_XDECREF(export->dsos);
	Py_XDECREF(export->symbols);
	Py_XDECREF(export->paths);
	Py_XDECREF(export->thread_numbers);
	free(export->threads.items);
	free(export);
}
