// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_map and thread_map: which CPUs and tasks events are opened on.
 */
#include "module/perf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cpumap.h"
#include "lib/file.h"

static int map_assign(struct perf_map *map, int32_t *items, size_t nr)
{
	free(map->items);
	map->items = items;
	map->nr = nr;
	return 0;
}

static int map_assign_one(struct perf_map *map, int32_t number)
{
	int32_t *items = malloc(sizeof(*items));

	if (!items) {
		PyErr_NoMemory();
		return -1;
	}
	*items = number;
	return map_assign(map, items, 1);
}

struct perf_map *perf_map_any(PyTypeObject *type)
{
	struct perf_map *map = (struct perf_map *)type->tp_alloc(type, 0);

	if (map && map_assign_one(map, -1) < 0)
		Py_CLEAR(map);
	return map;
}

ssize_t perf_map_find(const struct perf_map *map, int32_t number)
{
	for (size_t i = 0; i < map->nr; i++)
		if (map->items[i] == number)
			return i;
	return -1;
}

bool perf_map_equal(const struct perf_map *a, const struct perf_map *b)
{
	return a->nr == b->nr && (!a->nr || !memcmp(a->items, b->items, a->nr * sizeof(*a->items)));
}

/* The descriptors of an open event are indexed by its maps, so they are filled only once. */
static int map_check_empty(const struct perf_map *map)
{
	if (!map->items)
		return 0;
	PyErr_SetString(PyExc_ValueError, "__init__() is called once for a map; make another one");
	return -1;
}

static int cpu_map_init(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "cpustr", NULL };
	struct cpumap cpus = { 0 };
	const char *text = NULL;
	struct error *err;
	int32_t *items;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|z:cpu_map", names, &text) ||
	    map_check_empty((struct perf_map *)object) < 0)
		return -1;
	err = cpumap_select(text, &cpus);
	if (err) {
		py_error_raise(err);
		return -1;
	}
	items = calloc(cpus.nr, sizeof(*items));
	for (size_t i = 0; items && i < cpus.nr; i++)
		items[i] = cpus.cpus[i];
	if (items)
		map_assign((struct perf_map *)object, items, cpus.nr);
	else
		PyErr_NoMemory();
	cpumap_deinit(&cpus);
	return items ? 0 : -1;
}

static int thread_map_gone(int pid)
{
	py_error_raise(error_hint(error_new(ESRCH, "There is no task %d", pid),
				  "'ps -eL' lists the tasks; thread_map() without a number takes all"));
	return -1;
}

/* The threads that the process has now. */
static int thread_map_read(struct perf_map *map, int pid)
{
	ARRAY_OF(int32_t) list = { 0 };
	_cleanup_closedir_ DIR *dir = NULL;
	char path[64];
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while ((tid = dir_next_number(dir))) {
		if (array_push(&list, tid))
			continue;
		free(list.items);
		PyErr_NoMemory();
		return -1;
	}
	return list.nr ? map_assign(map, list.items, list.nr) : thread_map_gone(pid);
}

static int thread_map_init(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "pid", "tid", NULL };
	struct perf_map *map = (struct perf_map *)object;
	int pid = -1, tid = -1;
	char path[64];

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|ii:thread_map", names, &pid, &tid) ||
	    map_check_empty(map) < 0)
		return -1;
	if (pid != -1)
		return pid > 0 ? thread_map_read(map, pid) : thread_map_gone(pid);
	if (tid == -1)
		return map_assign_one(map, -1);
	snprintf(path, sizeof(path), "/proc/%d", tid);
	return tid > 0 && !access(path, F_OK) ? map_assign_one(map, tid) : thread_map_gone(tid);
}

static void map_dealloc(PyObject *object)
{
	free(((struct perf_map *)object)->items);
	Py_TYPE(object)->tp_free(object);
}

static Py_ssize_t map_length(PyObject *object)
{
	return ((struct perf_map *)object)->nr;
}

static PyObject *map_item(PyObject *object, Py_ssize_t i)
{
	const struct perf_map *map = (struct perf_map *)object;

	if (i >= 0 && i < (Py_ssize_t)map->nr)
		return PyLong_FromLong(map->items[i]);
	PyErr_SetString(PyExc_IndexError, "the map has no such place");
	return NULL;
}

static PyObject *map_repr(PyObject *object)
{
	PyObject *list = PySequence_List(object), *text = NULL;

	if (list)
		text = PyUnicode_FromFormat("%s(%R)", strrchr(Py_TYPE(object)->tp_name, '.') ?
					    strrchr(Py_TYPE(object)->tp_name, '.') + 1 :
					    Py_TYPE(object)->tp_name, list);
	Py_XDECREF(list);
	return text;
}

static PySequenceMethods map_sequence = { .sq_length = map_length, .sq_item = map_item };

PyTypeObject perf_cpu_map_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.cpu_map",
	.tp_basicsize = sizeof(struct perf_map),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "cpu_map(cpustr=None)\n\nNumbers of CPUs: '0-3,7', or all that are online.",
	.tp_new = PyType_GenericNew,
	.tp_init = cpu_map_init,
	.tp_dealloc = map_dealloc,
	.tp_repr = map_repr,
	.tp_as_sequence = &map_sequence,
};

PyTypeObject perf_thread_map_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.thread_map",
	.tp_basicsize = sizeof(struct perf_map),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "thread_map(pid=-1, tid=-1)\n\n"
		  "Numbers of tasks: the threads of a process, one thread, or -1 for all tasks.",
	.tp_new = PyType_GenericNew,
	.tp_init = thread_map_init,
	.tp_dealloc = map_dealloc,
	.tp_repr = map_repr,
	.tp_as_sequence = &map_sequence,
};
