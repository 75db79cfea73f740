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
 * These are report.percent-limit and annotate.x86.objdump.  Case matters only between the first dot
 * and the last.
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
 * The path of a file.  The variable PERF_CONFIG overrides both paths.  ENOENT: the user has no home
 * folder.
 */
struct error *perf_config_path(enum perf_config_file which, char **ret);

/*
 * Add the settings of a file; a setting that exists gets the new value.  A file that does not exist
 * has none.  EBADMSG: a line is malformed, and the error names it; EPERM: the file belongs to
 * neither this user nor root, so that it may be a trap.
 */
struct error *perf_config_read_file(struct perf_config *config, const char *path);

/*
 * Add the settings of both files, the user's last.  As in perf, PERF_CONFIG_NOSYSTEM=1 and
 * PERF_CONFIG_NOGLOBAL=1 leave out the system's and the user's.
 */
struct error *perf_config_read(struct perf_config *config);

/* The value of a setting; NULL: it is not set. */
const char *perf_config_get(const struct perf_config *config, const char *name);

/*
 * Set a value in a file and keep the rest of the file, with its comments.  The file is created if
 * it does not exist.  EINVAL: @name is no name of a setting.  Other errors are those of
 * perf_config_read_file().
 */
struct error *perf_config_set(const char *path, const char *name, const char *value);

void perf_config_deinit(struct perf_config *config);
DEFINE_CLEANUP(perf_config, struct perf_config, perf_config_deinit)

#endif
