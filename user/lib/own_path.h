/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The location of the tool's own files: scripts, models, metrics.
 */
#ifndef KTRACE_LIB_OWN_PATH_H
#define KTRACE_LIB_OWN_PATH_H

/*
 * Returns the folder that contains our scripts/: the source tree if the program runs from there,
 * else the folder of the installation.  It is derived from the path of the program.  Inside another
 * program, it is derived from the path of the library that contains this function.  The string is
 * static.
 */
const char *own_path(void);

#endif
