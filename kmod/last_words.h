/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last words of a kernel that dies: a panic prints the newest records of all sessions, if the
 * module's parameter dump_on_panic asks for it.  <linux/ktrace_dump.h> has the form.
 */
#ifndef KTRACE_LAST_WORDS_H
#define KTRACE_LAST_WORDS_H

int ktrace_last_words_init(void);
void ktrace_last_words_exit(void);

#endif
