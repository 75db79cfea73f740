/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the tool's own files are: scripts, models, metrics.
 */
#ifndef KTRACE_LIB_OWN_PATH_H
#define KTRACE_LIB_OWN_PATH_H

/*
 * The folder that holds our scripts/: the source tree if we run from there, else where the tool was
 * installed.  That is found from the program, or in a program of others from the library that this
 * is linked into.  The string is static.
 */
const char *own_path(void);

#endif
