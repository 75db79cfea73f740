/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of perf as defaults of options.
 */
#ifndef KTRACE_CMD_CONFIG_DEFAULTS_H
#define KTRACE_CMD_CONFIG_DEFAULTS_H

#include <stdbool.h>

#include "lib/error.h"
#include "terminal/words.h"

/*
 * Build the command line of @command, such as "report", with the options that the settings stand
 * for in front.  *@ret_nr is the number of words behind the command's name.  The strings live until
 * the process ends.  EINVAL: a setting is neither yes nor no.
 */
struct error *config_defaults_add(const char *command, int argc, char **argv, struct words *ret,
				  int *ret_nr);

/* Whether a command obeys this setting. */
bool config_is_obeyed(const char *setting);

/*
 * Whether perf or ktrace has a setting of this name.  A newer perf may have settings that are
 * unknown here.
 */
bool config_is_known(const char *setting);

#endif
