// SPDX-License-Identifier: GPL-2.0
#include "script/handlers/py_form.h"

#include <string.h>

const char *const py_common_names[PY_NR_COMMON] = {
	"event_name", "context", "common_cpu", "common_secs", "common_nsecs", "common_pid",
	"common_comm", "common_callchain",
};

/* Names that scripts use for the same values, with the positions of these. */
static const struct {
	const char *name;
	int place;
} usual_names[] = {
	{ "name", 0 }, { "evname", 0 }, { "event", 0 }, { "ctx", 1 }, { "cpu", 2 },
	{ "secs", 3 }, { "sec", 3 }, { "s", 3 }, { "common_s", 3 },
	{ "nsecs", 4 }, { "nsec", 4 }, { "ns", 4 }, { "common_ns", 4 },
	{ "pid", 5 }, { "tid", 5 }, { "comm", 6 }, { "callchain", 7 }, { "cc", 7 },
};

#define SAMPLE_DICT "perf_sample_dict"

size_t py_form_nr_fields(const struct event_format *format)
{
	return format->nr_fields - format->nr_common;
}

const char *py_parameter_name(const struct py_parameters *parameters, Py_ssize_t index)
{
	const char *name = NULL;

	if (index >= 0 && index < PySequence_Fast_GET_SIZE(parameters->names))
		name = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(parameters->names, index));
	if (!name)
		PyErr_Clear();
	return name ? name : "";
}

const struct field *py_form_field(const struct event_format *format, const char *name)
{
	const struct field *field = event_format_field(format, name);
	size_t len = strlen(name);

	/* The kernel decides which of the two names the number of a system call has. */
	if (!field && !strcmp(name, "nr"))
		field = event_format_field(format, "__syscall_nr");
	if (!field && !strcmp(name, "__syscall_nr"))
		field = event_format_field(format, "nr");
	/* Generated scripts append "_" to names that Python reserves: "from_". */
	for (size_t i = format->nr_common; !field && i < format->nr_fields; i++)
		if (strlen(format->fields[i].name) == len - 1 && len && name[len - 1] == '_' &&
		    !strncmp(format->fields[i].name, name, len - 1))
			field = &format->fields[i];
	return field && !field->is_common ? field : NULL;
}

int py_form_common(const char *name)
{
	for (int i = 0; i < PY_NR_COMMON; i++)
		if (!strcmp(name, py_common_names[i]))
			return i;
	if (!strcmp(name, "common_s"))
		return 3;
	if (!strcmp(name, "common_ns"))
		return 4;
	return -1;
}

bool py_form_knows(const struct event_format *format, const char *name)
{
	return py_form_field(format, name) || py_form_common(name) >= 0 ||
	       !strcmp(name, SAMPLE_DICT) || event_format_field(format, name) ||
	       !strncmp(name, "common_", 7);
}

/* ---- names and positions --------------------------------------------------- */

static bool is_callchain_name(const char *name)
{
	return strstr(name, "chain") || strstr(name, "stack") || !strcmp(name, "cc");
}

/* The position of the common value that scripts usually give this name; -1: none. */
static int usual_place(const char *name)
{
	int place = py_form_common(name);

	for (size_t i = 0; place < 0 && i < sizeof(usual_names) / sizeof(usual_names[0]); i++)
		if (!strcmp(name, usual_names[i].name))
			place = usual_names[i].place;
	return place < 0 && is_callchain_name(name) ? PY_NR_COMMON - 1 : place;
}

static bool is_dict_name(const char *name)
{
	return strstr(name, "sample") || text_ends_with(name, "dict");
}

/* Whether a parameter of this name can be in the position of the common value @place. */
static bool fits_common(const struct event_format *format, const char *name, int place)
{
	int usual = usual_place(name);

	if (usual == place)
		return true;
	return usual < 0 && !py_form_knows(format, name);
}

/* Whether a parameter of this name can be in the position of @field.  Unknown names can. */
static bool fits_field(const struct event_format *format, const char *name,
		       const struct field *field)
{
	const struct field *named = py_form_field(format, name);

	return named == field || (!named && !py_form_knows(format, name));
}

/* The first of the common parameters that has another value's name; -1: none. */
static Py_ssize_t misplaced_common(const struct py_parameters *parameters,
				   const struct event_format *format, size_t nr_common)
{
	for (Py_ssize_t i = 0; i < (Py_ssize_t)nr_common && i < parameters->nr; i++)
		if (!fits_common(format, py_parameter_name(parameters, i), i))
			return i;
	return -1;
}

static bool fits_positions(const struct py_parameters *parameters,
			   const struct event_format *format, size_t nr_common)
{
	size_t nr_fields = py_form_nr_fields(format);

	if (misplaced_common(parameters, format, nr_common) >= 0)
		return false;
	for (size_t i = 0; i < nr_fields && (Py_ssize_t)(nr_common + i) < parameters->nr; i++) {
		const char *name = py_parameter_name(parameters, nr_common + i);

		if (!fits_field(format, name, &format->fields[format->nr_common + i]))
			return false;
		/* This parameter took the dict when the event had one field less. */
		if ((Py_ssize_t)(nr_common + i) == parameters->nr - 1 && is_dict_name(name) &&
		    !py_form_field(format, name))
			return false;
	}
	return true;
}

/* Whether each of the first @nr parameters has the name of a value. */
static bool all_known(const struct py_parameters *parameters, const struct event_format *format,
		      Py_ssize_t nr)
{
	for (Py_ssize_t i = 0; i < nr; i++)
		if (!py_form_knows(format, py_parameter_name(parameters, i)))
			return false;
	return true;
}

/* ---- the forms ----------------------------------------------------------- */

static bool by_positions(const struct py_parameters *parameters,
			 const struct event_format *format, struct py_form *ret)
{
	Py_ssize_t nr = parameters->nr, nr_all = PY_NR_COMMON + py_form_nr_fields(format);

	if (nr != nr_all && nr != nr_all + 1 && !(parameters->varargs && nr < nr_all))
		return false;
	if (!fits_positions(parameters, format, PY_NR_COMMON))
		return false;
	ret->has_dict = nr == nr_all + 1;
	/* The last parameter may have any name but that of a field. */
	return !ret->has_dict || !py_form_field(format, py_parameter_name(parameters, nr - 1));
}

static bool by_positions_2010(const struct py_parameters *parameters,
			      const struct event_format *format)
{
	Py_ssize_t nr_all = PY_NR_COMMON_2010 + py_form_nr_fields(format);

	return parameters->nr == nr_all &&
	       !is_callchain_name(py_parameter_name(parameters, PY_NR_COMMON_2010)) &&
	       fits_positions(parameters, format, PY_NR_COMMON_2010);
}

/* Perf's values go by position, all others by name. */
static void choose_mixed(const struct py_parameters *parameters,
			 const struct event_format *format, struct py_form *ret)
{
	const char *eighth = py_parameter_name(parameters, PY_NR_COMMON_2010);
	bool has_callchain = parameters->nr > PY_NR_COMMON_2010 &&
			     fits_common(format, eighth, PY_NR_COMMON - 1);

	ret->kind = PY_FORM_MIXED;
	ret->nr_common = has_callchain ? PY_NR_COMMON : PY_NR_COMMON_2010;
	ret->wrong = misplaced_common(parameters, format, ret->nr_common);
	if (ret->wrong < 0)
		return;
	ret->kind = PY_FORM_REFUSED;
	ret->place = py_common_names[ret->wrong];
}

void py_form_choose(const struct py_parameters *parameters, const struct event_format *format,
		    struct py_form *ret)
{
	*ret = (struct py_form){ .kind = PY_FORM_NAMES, .wrong = -1 };
	if (!parameters->varargs && all_known(parameters, format, parameters->nr))
		return;
	if (by_positions(parameters, format, ret)) {
		ret->kind = PY_FORM_POSITIONS;
		ret->nr_common = PY_NR_COMMON;
		return;
	}
	ret->has_dict = false;
	if (all_known(parameters, format, parameters->nr_required) ||
	    parameters->nr < PY_NR_COMMON_2010)
		return;
	if (by_positions_2010(parameters, format)) {
		ret->kind = PY_FORM_POSITIONS;
		ret->nr_common = PY_NR_COMMON_2010;
		return;
	}
	choose_mixed(parameters, format, ret);
}
