// SPDX-License-Identifier: GPL-2.0
/* The counts of a descriptor: value, times, and for a group the value of this event. */
#include "module/perf.h"

#include <errno.h>
#include <structseq.h>
#include <unistd.h>

#define WORDS_MAX 1024	/* of a group */

static PyStructSequence_Field counts_fields[] = {
	{ "val", "how often the event happened, or its ns" },
	{ "ena", "ns for which it was enabled; 0 without FORMAT_TOTAL_TIME_ENABLED" },
	{ "run", "ns for which it was counted; 0 without FORMAT_TOTAL_TIME_RUNNING" },
	{ "id", "the kernel's number; 0 without FORMAT_ID" },
	{ "lost", "samples that found no room; 0 without FORMAT_LOST" },
	{ NULL, NULL },
};

static PyStructSequence_Desc counts_desc = {
	.name = "ktrace.perf.counts_values",
	.doc = "The result of evsel.read().",
	.fields = counts_fields,
	.n_in_sequence = 5,
};

static PyTypeObject *counts_type;

int perf_counts_add(PyObject *module)
{
	if (!counts_type)
		counts_type = PyStructSequence_NewType(&counts_desc);
	return counts_type ? PyModule_AddObjectRef(module, "counts_values",
						   (PyObject *)counts_type) : -1;
}

/* The words of one read, consumed from the front. */
struct counts_words {
	uint64_t items[WORDS_MAX];
	size_t nr, at;
};

static uint64_t counts_next(struct counts_words *words, bool there)
{
	return there && words->at < words->nr ? words->items[words->at++] : 0;
}

/* val, ena, run, id and lost of the event with this id. */
static void counts_decode(struct counts_words *words, uint64_t format, uint64_t id, uint64_t *ret)
{
	bool group = format & PERF_FORMAT_GROUP;
	uint64_t members = counts_next(words, group);

	if (!group) {
		ret[0] = counts_next(words, true);
		members = 0;
	}
	ret[1] = counts_next(words, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	ret[2] = counts_next(words, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (!group) {
		ret[3] = counts_next(words, format & PERF_FORMAT_ID);
		ret[4] = counts_next(words, format & PERF_FORMAT_LOST);
	}
	for (uint64_t i = 0; i < members && words->at < words->nr; i++) {
		uint64_t value = counts_next(words, true);
		uint64_t its_id = counts_next(words, format & PERF_FORMAT_ID);
		uint64_t lost = counts_next(words, format & PERF_FORMAT_LOST);

		if (members > 1 && its_id != id)
			continue;
		ret[0] = value;
		ret[3] = its_id;
		ret[4] = lost;
	}
}

PyObject *perf_counts_read(const struct perf_evsel *evsel, const struct perf_place *place)
{
	uint64_t format = evsel->event->attr.read_format, values[5] = { 0 };
	struct counts_words words;
	PyObject *made;
	ssize_t n = 0;

	if (place->fd >= 0)
		n = read(place->fd, words.items, sizeof(words.items));
	if (n < 0)
		return py_error_raise(error_errno(errno, "Cannot read the count of %s",
						  evsel->event->name));
	if (!n && place->fd >= 0)
		return py_error_raise(error_hint(
			error_new(EBUSY, "%s is pinned and found no free counter",
				  evsel->event->name), "Open it without pinned, or fewer events"));
	words.nr = n / sizeof(words.items[0]);
	words.at = 0;
	if (n && (format & PERF_FORMAT_GROUP) && words.items[0] > 1 && !(format & PERF_FORMAT_ID)) {
		PyErr_Format(PyExc_ValueError, "the counts of a group cannot be told apart; add "
			     "perf.FORMAT_ID to read_format of %s", evsel->event->name);
		return NULL;
	}
	counts_decode(&words, format, place->id, values);
	made = PyStructSequence_New(counts_type);
	for (int i = 0; made && i < 5; i++) {
		PyObject *number = PyLong_FromUnsignedLongLong(values[i]);

		if (number)
			PyStructSequence_SET_ITEM(made, i, number);
		else
			Py_CLEAR(made);
	}
	return made;
}
