/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_DEVICE_H
#define KTRACE_DEVICE_H

int ktrace_device_init(void);
void ktrace_device_exit(void);

#endif
