// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "script/python/py.h"

/* The status that shells report for a program that was ended by SIGINT. */
#define STATUS_INTERRUPTED 130

/* There is only one interpreter, and it exits only once. */
static struct error *exit_error;
static int exit_status;
static bool hidden;

static struct error *exit_with(int status)
{
	exit_status = status;
	exit_error = error_new(ECANCELED, "the script ended itself with status %d", status);
	return exit_error;
}

/* Exit as Python does: None is status 0, a number is the status, anything else is printed. */
static struct error *take_system_exit(void)
{
	PyObject *type, *value, *traceback, *code = NULL;
	int status = 1;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	if (value)
		code = PyObject_GetAttrString(value, "code");
	if (!code || code == Py_None)
		status = code ? 0 : 1;
	else if (PyLong_Check(code))
		status = (int)PyLong_AsLong(code);
	else
		PySys_FormatStderr("%S\n", code);
	PyErr_Clear();
	Py_XDECREF(code);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
	return exit_with(status);
}

/*
 * Python ignores SIGPIPE, so that a script piped into `head` fails in print().  If nobody
 * reads our output any more, end by SIGPIPE, as other programs do.
 */
static void end_if_unread(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	if (!PyErr_ExceptionMatches(PyExc_BrokenPipeError))
		return;
	if (poll(&out, 1, 0) == 1 && out.revents & POLLERR) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
}

static struct error *os_error(void)
{
	PyObject *type, *value, *traceback, *number;
	int code = 0;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	number = value ? PyObject_GetAttrString(value, "errno") : NULL;
	if (number && PyLong_Check(number))
		code = (int)PyLong_AsLong(number);
	PyErr_Clear();
	Py_XDECREF(number);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
	return error_errno(code ? code : EIO, "Cannot write the script's output");
}

struct error *py_error_flush(void)
{
	static const char *const names[] = { "stderr", "stdout" };

	for (size_t i = 0; i < 2; i++) {
		PyObject *file = PySys_GetObject(names[i]), *done;

		if (!file || file == Py_None)
			continue;
		done = PyObject_CallMethod(file, "flush", NULL);
		Py_XDECREF(done);
	}
	if (!PyErr_Occurred())
		return NULL;
	if (PyErr_ExceptionMatches(PyExc_ValueError)) {	/* the script closed it */
		PyErr_Clear();
		return NULL;
	}
	if (!PyErr_ExceptionMatches(PyExc_OSError))
		return py_error_take("while it wrote its output", NULL);
	end_if_unread();
	return os_error();
}

static bool contains_any(const char *text, const char *const *words)
{
	for (; text && *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/*
 * Messages of Python 3 about code that Python 2 accepted.  If the message is only "invalid
 * syntax", the line itself is looked at.
 */
static bool looks_like_python2(const char *message, const char *line)
{
	static const char *const telling[] = {
		"Missing parentheses in call to", "multiple exception types must be parenthesized",
		"leading zeros in decimal integer", "inconsistent use of tabs",
		"invalid decimal literal", NULL,
	};
	static const char *const lines[] = { "<>", "`", "print ", "raise ", "exec ", NULL };

	return contains_any(message, telling) ||
	       (message && strstr(message, "invalid syntax") && contains_any(line, lines));
}

/* The caller frees the result.  NULL: no such attribute, or it is not text. */
static char *text_attribute(PyObject *object, const char *name)
{
	PyObject *value = PyObject_GetAttrString(object, name);
	const char *text = value && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : NULL;
	char *copy = text ? strdup(text) : NULL;

	Py_XDECREF(value);
	PyErr_Clear();
	return copy;
}

char *py_error_python2_file(void)
{
	_cleanup_free_ char *message = NULL, *line = NULL;
	PyObject *type, *value, *traceback;
	char *file = NULL;

	if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_SyntaxError))
		return NULL;
	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	if (value) {
		message = text_attribute(value, "msg");
		line = text_attribute(value, "text");
		if (looks_like_python2(message, line))
			file = text_attribute(value, "filename");
	}
	PyErr_Restore(type, value, traceback);
	return file;
}

struct error *py_error_advise_python2(struct error *err, const char *file)
{
	return error_hint(err, "It seems to be written for Python 2: '2to3 -w %s' (of Debian's "
			  "package 2to3) makes it Python 3", file);
}

struct error *py_error_take(const char *what, const struct session_record *r)
{
	_cleanup_free_ char *python2 = py_error_python2_file();
	struct error *err;
	bool interrupted;

	if (PyErr_ExceptionMatches(PyExc_SystemExit))
		return take_system_exit();
	end_if_unread();
	interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
	if (hidden && !interrupted)
		PyErr_Clear();
	else
		PyErr_Print();
	if (interrupted)
		return exit_with(STATUS_INTERRUPTED);
	if (r)
		err = error_new(0, "The script failed %s, at the event of %" PRIu64 ".%09" PRIu64
				" on CPU %d", what, r->sample.time / 1000000000,
				r->sample.time % 1000000000, r->sample.cpu);
	else
		err = error_new(0, "The script failed %s", what);
	return python2 ? py_error_advise_python2(err, python2) : err;
}

PyObject *py_error_raise(struct error *err)
{
	PyObject *text;

	if (PyErr_Occurred()) {		/* that exception is the cause */
		error_free(err);
		return NULL;
	}
	if (err == &error_no_memory)
		return PyErr_NoMemory();
	text = err->hint ? PyUnicode_FromFormat("%s. %s", err->message, err->hint) :
			   PyUnicode_FromString(err->message);
	if (text && err->code == EINVAL) {
		PyErr_SetObject(PyExc_ValueError, text);
	} else if (text && err->code) {
		PyObject *args = Py_BuildValue("(iO)", err->code, text);

		if (args)
			PyErr_SetObject(PyExc_OSError, args);
		Py_XDECREF(args);
	} else if (text) {
		PyErr_SetObject(PyExc_RuntimeError, text);
	}
	Py_XDECREF(text);
	error_free(err);
	return NULL;
}

bool py_error_is_exit(const struct error *err, int *ret_status)
{
	if (!err || err != exit_error)
		return false;
	*ret_status = exit_status;
	exit_error = NULL;
	return true;
}

void py_error_exit_again(struct error *err, int status)
{
	exit_error = err;
	exit_status = status;
}

void py_error_hide(bool hide)
{
	hidden = hide;
}
