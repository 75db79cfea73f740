/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the Python files of this folder share.  All of it needs the GIL.
 *
 * Functions that return PyObject * return a new reference, or NULL with an
 * exception set; py_error_take() is the only place where an exception becomes
 * a struct error.
 */
#ifndef KTRACE_SCRIPT_PY_H
#define KTRACE_SCRIPT_PY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lib/error.h"
#include "record/common_field.h"
#include "session/session.h"

/* What the capsule given to handlers as `context` points to. */
struct py_context {
	const struct session_record *record;	/* NULL: no handler is running */
	char *itrace_options;			/* perf_set_itrace_options(); owned */
};

/*
 * py_error.c.  @what is the part of the script that failed ("in trace_begin()").
 * The traceback is printed; SystemExit becomes an error py_error_is_exit()
 * knows, with its status kept until then.
 */
struct error *py_error_take(const char *what, const struct session_record *r);
bool py_error_is_exit(const struct error *err, int *ret_status);

/*
 * The file whose SyntaxError is set, if it looks like Python 2; free() it.  NULL: it does
 * not, or another exception is set, which stays.
 */
char *py_error_python2_file(void);

/* @err with the advice what to do with @file, which py_error_python2_file() gave. */
struct error *py_error_advise_python2(struct error *err, const char *file);

/* It was asked too early: @err is an exit with @status again. */
void py_error_exit_again(struct error *err, int status);

/* Whether tracebacks are kept quiet. */
void py_error_hide(bool hide);

/*
 * Raise @err, which is freed, as an exception: OSError where it has an errno
 * that says what is wrong with a file, ValueError for EINVAL, else
 * RuntimeError.  Returns NULL.
 */
PyObject *py_error_raise(struct error *err);

/* Flush sys.stdout and sys.stderr; a failure is an error. */
struct error *py_error_flush(void);

/* py_value.c.  Text in the file's bytes; the same object for the same short text. */
PyObject *py_text(const char *text, size_t len);
PyObject *py_field_value(const struct field *field, const void *raw, size_t raw_size);
void py_text_forget(void);

/* Set @dict[@name] and steal @value, which may be NULL; *key keeps the name. */
int py_dict_set(PyObject *dict, PyObject **key, const char *name, PyObject *value);

/* py_context.c: the built-in module perf_trace_context, and a capsule. */
PyObject *py_context_module(void);
PyObject *py_context_capsule(struct py_context *context);

/* A synthesized common field; NULL without an exception: not stored. */
PyObject *py_common_field(const struct session_record *r, const struct common_slot *slot);

/* All that are stored, as a dict; NULL without an exception: none. */
PyObject *py_common_fields(const struct session_record *r);

/* py_frame.c: frames as dicts of addr, symbol, offset, kernel and dso; the innermost. */
PyObject *py_frames(const struct session_record *r, bool hide_kernel, bool hide_user,
		    unsigned int max_frames);

/*
 * py_place.c: the frames of a sample's call chain, and where the sample itself
 * is, as perf puts it into the dict of the sample.
 */
PyObject *py_callchain(const struct session_record *r);
int py_place_set(PyObject *dict, const struct place *place, bool of_data);
void py_place_forget(void);

/* py_config.c: perf_config_get() of perf_trace_context. */
PyObject *py_config_get(PyObject *self, PyObject *argument);

/* py_branches.c: the branch stack as addresses and binaries, and by the names of symbols. */
PyObject *py_branches(const struct session_record *r);
PyObject *py_branch_symbols(const struct session_record *r);

/* py_sample_dict.c */
PyObject *py_sample_dict(const struct session_record *r, PyObject *callchain);
void py_sample_dict_forget(void);

#endif
