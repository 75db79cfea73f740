/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler finds this empty file before the kernel's own one.  Trace headers declare some of
 * their helpers only where CREATE_TRACE_POINTS is defined, so ktrace/templates.h defines it.  At
 * their end they then include this file, in order to define the events, which the kernel already
 * does.
 */
