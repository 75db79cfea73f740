/* SPDX-License-Identifier: GPL-2.0 */
/* The source of a record, if several recordings are read as one. */
#ifndef KTRACE_RECORD_ORIGIN_H
#define KTRACE_RECORD_ORIGIN_H

struct origin {
	const char *name;	/* of the host, or of the file if all are of one host */
	unsigned int host;	/* recordings of one boot of one machine share a number, from 0 */
};

#endif
