/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The C names of types, from DWARF, as perf writes them: "struct node*", "long[]".
 */
#ifndef KTRACE_SYMBOL_CODE_TYPE_NAME_H
#define KTRACE_SYMBOL_CODE_TYPE_NAME_H


#include "lib/strbuf.h"
#include "with/libdw.h"

/* Append the name of @type, without its qualifiers. */
void type_name_add(Dwarf_Die *type, struct strbuf *out);

/* Append the name of the type of @die, a variable or a member; "void": it has none. */
void type_name_add_of(Dwarf_Die *die, struct strbuf *out);

#endif
