/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts in XML.
 */
#ifndef KTRACE_LIB_XML_H
#define KTRACE_LIB_XML_H

#include "lib/strbuf.h"

/*
 * Append @text so that it can stand between tags and in a quoted attribute of a document in
 * UTF-8.  Line ends stay; "?" takes the place of what XML 1.0 does not allow: other control
 * characters and bytes that are no UTF-8.
 */
void xml_add_text(struct strbuf *out, const char *text);

#endif
