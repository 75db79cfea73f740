/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a format file what it should be?  libtraceevent reads a cut or damaged
 * one through NULL pointers, so that it is looked at before.  Inside format/
 * only.
 */
#ifndef KTRACE_FORMAT_FORMAT_TEXT_H
#define KTRACE_FORMAT_FORMAT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* @text is NUL-terminated.  The event's number goes to *ret_id. */
bool format_text_is_sound(const char *text, uint64_t *ret_id);

#endif
