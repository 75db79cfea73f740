// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the samples of each event in one pass, without making Python objects for them.
 */
#include "module/module.h"

#include <string.h>

#include "lib/array.h"

struct counts {
	struct session_consumer consumer;
	uint64_t *items;	/* by event->index */
	size_t nr, alloc;
};

static struct error *counts_sample(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct counts *counts = container_of(consumer, struct counts, consumer);

	if (!r->event)
		return NULL;
	while (counts->nr <= r->event->index)
		if (!array_push(counts, 0))
			return &error_no_memory;
	counts->items[r->event->index]++;
	return NULL;
}

PyObject *py_counts(struct py_source *source)
{
	struct counts counts = { .consumer.sample = counts_sample };
	const struct event_list *list = reader_events(source->input->reader);
	struct session session;
	struct error *err = py_source_run(source, NULL, &counts.consumer, &session);
	PyObject *dict = err || PyErr_Occurred() ? NULL : PyDict_New();

	for (size_t i = 0; dict && i < list->nr; i++) {
		PyObject *number;

		if (event_is_dummy(list->items[i]))
			continue;
		number = PyLong_FromUnsignedLongLong(i < counts.nr ? counts.items[i] : 0);
		if (!number || PyDict_SetItemString(dict, list->items[i]->name, number) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(number);
	}
	free(counts.items);
	return err ? py_error_raise(err) : dict;
}
