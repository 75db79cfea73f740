/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that the fields of a format file are well formed.  libtraceevent follows NULL
 * pointers when it reads a cut or damaged file, so every file is checked before.  Used only
 * inside format/ and check/.
 */
#ifndef KTRACE_FORMAT_FORMAT_TEXT_H
#define KTRACE_FORMAT_FORMAT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * @text is NUL-terminated.  On success *ret_id is the event's id, and *ret_print_fmt points
 * behind "print fmt: ".
 */
bool format_text_is_sound(const char *text, uint64_t *ret_id, const char **ret_print_fmt);

#endif
