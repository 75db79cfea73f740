/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts in XML.
 */
#ifndef KTRACE_LIB_XML_H
#define KTRACE_LIB_XML_H

#include "lib/strbuf.h"

/*
 * Append @text in a form that is valid between tags and in a quoted attribute of a document in
 * UTF-8.  Line ends are kept.  Characters that XML 1.0 does not allow become "?": other control
 * characters and bytes that are no UTF-8.
 */
void xml_add_text(struct strbuf *out, const char *text);

#endif
