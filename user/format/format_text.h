/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a format file what it should be, as far as its fields?  libtraceevent
 * reads a cut or damaged one through NULL pointers, so that it is looked at
 * before.  Inside format/ and check/ only.
 */
#ifndef KTRACE_FORMAT_FORMAT_TEXT_H
#define KTRACE_FORMAT_FORMAT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * @text is NUL-terminated.  *ret_id is the event's number, *ret_print_fmt
 * points behind "print fmt: ".
 */
bool format_text_is_sound(const char *text, uint64_t *ret_id, const char **ret_print_fmt);

#endif
