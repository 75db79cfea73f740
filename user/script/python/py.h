/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors and values, for all files that use Python.  The caller of any of these functions
 * must hold the GIL.
 *
 * Functions that return PyObject * return a new reference, or NULL with an exception set.
 * Only py_error_take() turns an exception into a struct error.
 */
#ifndef KTRACE_SCRIPT_PYTHON_PY_H
#define KTRACE_SCRIPT_PYTHON_PY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lib/error.h"
#include "record/common_field.h"
#include "session/session.h"

/*
 * py_error.c.  Take the exception that is set and return it as an error.  @what is the part of the
 * script that failed ("in trace_begin()").  The traceback is printed.  SystemExit and
 * KeyboardInterrupt become an exit. py_error_is_exit() recognises it once and returns its status.
 */
struct error *py_error_take(const char *what, const struct session_record *r);
bool py_error_is_exit(const struct error *err, int *ret_status);

/*
 * The path of a file that looks like Python 2 and has raised the SyntaxError that is set;
 * the caller frees it.  NULL: there is no such exception.  The exception stays set in both
 * cases.
 */
char *py_error_python2_file(void);

/* Add advice about @file, which py_error_python2_file() returned, to @err. */
struct error *py_error_advise_python2(struct error *err, const char *file);

/* Undo a py_error_is_exit() that came too early: @err is an exit with @status again. */
void py_error_exit_again(struct error *err, int status);

/* Do not print tracebacks from now on, or print them again. */
void py_error_hide(bool hide);

/*
 * Raise @err as an exception and free it.  It becomes a ValueError if its code is EINVAL, an
 * OSError if it has another errno, a MemoryError if memory ran out, else a RuntimeError.  An
 * exception that is already set is kept instead.  Returns NULL.
 */
PyObject *py_error_raise(struct error *err);

/*
 * Flush sys.stdout and sys.stderr.  A failed write is an error; a stream that the script has closed
 * is not.
 */
struct error *py_error_flush(void);

/* py_value.c.  Bytes of a recording as str; the same short text gives the same object. */
PyObject *py_text(const char *text, size_t len);
PyObject *py_field_value(const struct field *field, const void *raw, size_t raw_size);
void py_text_forget(void);

static inline PyObject *py_number(uint64_t value)
{
	return PyLong_FromUnsignedLong(value);
}

/*
 * Set @dict[@name] to @value, whose reference is stolen and which may be NULL.  *@key
 * caches the name.
 */
int py_dict_set(PyObject *dict, PyObject **key, const char *name, PyObject *value);

/* The value of a common field.  NULL without an exception: the sample does not have it. */
PyObject *py_common_field(const struct session_record *r, const struct common_slot *slot);

/* All common fields of the sample as a dict.  NULL without an exception: it has none. */
PyObject *py_common_fields(const struct session_record *r);

#endif
