// SPDX-License-Identifier: GPL-2.0
/*
 * perf_config_get(): values from the user's configuration of perf.  Scripts of perf ask
 * for their settings this way.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/file.h"
#include "script/handlers/py_context.h"

#define SYSTEM_CONFIG "/etc/perfconfig"

static char *strip(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); )
		*--end = '\0';
	return text;
}

/* Remove quotes, and everything after a # or ; that is not quoted. */
static char *take_config_value(char *text)
{
	bool quoted = false;
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (*from == '#' || *from == ';'))
			break;
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return strip(text);
}

/*
 * Whether @line, the text after "[", begins the section of @name: "[annotate]" for
 * "annotate.objdump".
 */
static bool is_section(char *line, const char *name)
{
	size_t len = strcspn(line, "]");

	if (line[len] != ']')
		return false;
	line[len] = '\0';
	line = strip(line);
	len = strlen(line);
	return !strncasecmp(line, name, len) && name[len] == '.' && !strchr(name + len + 1, '.');
}

/* The last value of @name in the configuration @text, which is modified.  NULL: none. */
static const char *find_config_value(char *text, const char *name)
{
	const char *key = strrchr(name, '.'), *found = NULL;
	bool here = false;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); key && line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *equals;

		line = strip(line);
		if (*line == '[') {
			here = is_section(line + 1, name);
			continue;
		}
		equals = strchr(line, '=');
		if (!here || !equals || *line == '#' || *line == ';')
			continue;
		*equals = '\0';
		if (!strcasecmp(strip(line), key + 1))
			found = take_config_value(strip(equals + 1));
	}
	return found;
}

/* NULL without an exception: there is no such file, or it does not have the value. */
static PyObject *value_in(const char *path, const char *name)
{
	_cleanup_free_ char *text = NULL;
	const char *value = NULL;
	size_t len;

	error_free(file_read(path, &text, &len));
	if (text)
		value = find_config_value(text, name);
	return value ? PyUnicode_DecodeUTF8(value, strlen(value), "surrogateescape") : NULL;
}

PyObject *py_config_get(PyObject *self, PyObject *argument)
{
	const char *name = PyUnicode_Check(argument) ? PyUnicode_AsUTF8(argument) : NULL;
	const char *only = getenv("PERF_CONFIG"), *home = getenv("HOME");
	_cleanup_free_ char *own = NULL;
	PyObject *value;

	if (!name)
		return PyErr_Occurred() ? NULL :
		       PyErr_Format(PyExc_TypeError, "perf_config_get() takes a name as "
				    "'annotate.objdump'");
	if (asprintf(&own, "%s/.perfconfig", home ? home : "") < 0)
		return PyErr_NoMemory();
	value = value_in(only ? only : own, name);
	if (!value && !only && !PyErr_Occurred())
		value = value_in(SYSTEM_CONFIG, name);
	return value || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}
