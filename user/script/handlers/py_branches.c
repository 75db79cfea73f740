// SPDX-License-Identifier: GPL-2.0
/*
 * Branch stacks in the dicts of samples, in perf's form: once as addresses with their binaries,
 * once as names.
 */
#include "lib/strbuf.h"
#include "script/handlers/py_sample_dict.h"

static void find_branch_place(const struct session_record *r, uint64_t address, struct place *ret)
{
	*ret = (struct place){ .ip = address };
	if (r->machine)
		machine_find_data(r->machine, r->maps, r->sample.cpumode, address, ret);
}

static PyObject *binary_name(const struct session_record *r, uint64_t address)
{
	struct place place;
	const char *name;

	find_branch_place(r, address, &place);
	name = map_name(place.map);
	return py_text(name, strlen(name));
}

static PyObject *branch_numbers(const struct session_record *r, const struct perf_branch_entry *e)
{
	return Py_BuildValue("{sKsKsOsOsOsOsIsNsN}",
			     "from", (unsigned long long)e->from,
			     "to", (unsigned long long)e->to,
			     "mispred", e->mispred ? Py_True : Py_False,
			     "predicted", e->predicted ? Py_True : Py_False,
			     "in_tx", e->in_tx ? Py_True : Py_False,
			     "abort", e->abort ? Py_True : Py_False,
			     "cycles", (unsigned int)e->cycles,
			     "from_dsoname", binary_name(r, e->from),
			     "to_dsoname", binary_name(r, e->to));
}

/* "main+0x12" */
static PyObject *symbol_text(const struct session_record *r, uint64_t address)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct place place;

	find_branch_place(r, address, &place);
	if (place.symbol)
		strbuf_addf(&text, "%s+0x%llx", place.symbol->name,
			    (unsigned long long)place.offset);
	else
		strbuf_addstr(&text, "[unknown]");
	return py_text(strbuf_str(&text), text.len);
}

static PyObject *branch_names(const struct session_record *r, const struct perf_branch_entry *e)
{
	return Py_BuildValue("{sNsNssssss}", "from", symbol_text(r, e->from),
			     "to", symbol_text(r, e->to),
			     "pred", e->mispred ? "M" : e->predicted ? "P" : "-",
			     "in_tx", e->in_tx ? "X" : "-", "abort", e->abort ? "A" : "-");
}

static PyObject *make_branch_list(const struct session_record *r,
				  PyObject *(*make)(const struct session_record *r,
						    const struct perf_branch_entry *e))
{
	const struct perf_branch_entry *entries = r->sample.branch_stack;
	PyObject *list = PyList_New(0);

	for (uint64_t i = 0; list && entries && i < r->sample.nr_branches; i++) {
		PyObject *item = make(r, &entries[i]);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

PyObject *py_branches(const struct session_record *r)
{
	return make_branch_list(r, branch_numbers);
}

PyObject *py_branch_symbols(const struct session_record *r)
{
	return make_branch_list(r, branch_names);
}
