/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of SQLite: those of the library that the tool is linked with.  Files that are
 * compiled once more for the extension use those of the program that loads it.
 */
#ifndef KTRACE_SQL_SQLITE_API_H
#define KTRACE_SQL_SQLITE_API_H

#ifdef KTRACE_SQLITE_EXTENSION
#include <sqlite3ext.h>
/* Defined in extension.c, which SQLite calls first. */
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

#endif
