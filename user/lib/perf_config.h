/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of perf, as `perf config` reads and writes them: files with lines NAME = VALUE in
 * sections.
 *
 *	[report]
 *		percent-limit = 2	# a comment
 *	[annotate "x86"]
 *		objdump = "/opt/bin/objdump -w"
 *
 * These are report.percent-limit and annotate.x86.objdump.  Upper and lower case differ only in
 * what is between the first dot and the last.
 */
#ifndef KTRACE_LIB_PERF_CONFIG_H
#define KTRACE_LIB_PERF_CONFIG_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct perf_setting {
	char *name;	/* "report.percent-limit" */
	char *value;
};

/* Each name once, in the order of the files. */
struct perf_config {
	struct perf_setting *items;
	size_t nr, alloc;
};

enum perf_config_file {
	PERF_CONFIG_SYSTEM,	/* /etc/perfconfig */
	PERF_CONFIG_USER,	/* ~/.perfconfig */
};

/*
 * The path of a file; the variable PERF_CONFIG names another one, in place of both.  ENOENT: the
 * user has no home folder.
 */
struct error *perf_config_path(enum perf_config_file which, char **ret);

/*
 * Add the settings of a file; one that is there already gets the new value.  A file that does not
 * exist has none.  EBADMSG: a line is not as it should be, and the error names it; EPERM: the file
 * belongs to neither this user nor root, so that it may be a trap.
 */
struct error *perf_config_read_file(struct perf_config *config, const char *path);

/*
 * Add those of both files that hold, the user's last.  As in perf, PERF_CONFIG_NOSYSTEM=1 and
 * PERF_CONFIG_NOGLOBAL=1 leave out the system's and the user's.
 */
struct error *perf_config_read(struct perf_config *config);

/* The value of a setting; NULL: it is not set. */
const char *perf_config_get(const struct perf_config *config, const char *name);

/*
 * Set a value in a file, of which all else stays as it is, comments, too.  The file is made if
 * there is none.  EINVAL: @name is no name of a setting.  Other errors are those of
 * perf_config_read_file().
 */
struct error *perf_config_set(const char *path, const char *name, const char *value);

void perf_config_deinit(struct perf_config *config);
DEFINE_CLEANUP(perf_config, struct perf_config, perf_config_deinit)

#endif
