/* SPDX-License-Identifier: GPL-2.0 */
/* Follows CPUs that come online while sessions are open. */
#ifndef KTRACE_HOTPLUG_H
#define KTRACE_HOTPLUG_H

int ktrace_hotplug_init(void);
/* To be called when there is no session any more. */
void ktrace_hotplug_exit(void);

#endif
