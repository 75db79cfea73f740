/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of a sample's members, which are decoded when they are asked for.
 */
#ifndef KTRACE_SCRIPT_PY_MEMBER_H
#define KTRACE_SCRIPT_PY_MEMBER_H

#include "script/objects/py_object_state.h"

PyObject *py_member_value(const struct py_object *self, struct py_entry *entry);

/* The frames of the call chain as a list, the value of _callchain. */
PyObject *py_member_frames(const struct py_object *self);

#endif
