// SPDX-License-Identifier: GPL-2.0
#include "lib/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/progress.h"

bool log_quiet;
int log_verbosity;

static void log_line(const char *kind, const char *fmt, va_list ap)
{
	/* Keep the order of results and messages when both go to one place. */
	fflush(stdout);
	progress_hide();
	flockfile(stderr);
	fprintf(stderr, "ktrace: %s", kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line("", fmt, ap);
	va_end(ap);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	if (log_quiet)
		return;
	va_start(ap, fmt);
	log_line("warning: ", fmt, ap);
	va_end(ap);
}

void log_notice(const char *fmt, ...)
{
	va_list ap;

	if (log_quiet)
		return;
	va_start(ap, fmt);
	log_line("", fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	if (log_verbosity < 1)
		return;
	va_start(ap, fmt);
	log_line("", fmt, ap);
	va_end(ap);
}
