/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record that is no sample as an object: what became of a task, what it mapped,
 * losses and switches.
 */
#ifndef KTRACE_SCRIPT_PY_OTHER_RECORD_H
#define KTRACE_SCRIPT_PY_OTHER_RECORD_H

#include "script/py.h"

/*
 * With type ("comm", "fork", "exit", "mmap", "lost", "switch"), time, cpu and what
 * the type has; NULL without an exception: of no use to scripts.
 */
PyObject *py_other_record(const struct session_record *r);

#endif
