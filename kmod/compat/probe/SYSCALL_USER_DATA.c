// SPDX-License-Identifier: GPL-2.0
/*
 * baa031b7bd2c ("tracing: Allow syscall trace events to read more than one user parameter")
 * and the rest of its series, v6.19
 */
#include <trace/syscall.h>

int probe(const struct syscall_metadata *meta);
int probe(const struct syscall_metadata *meta)
{
	return meta->user_mask + meta->user_arg_size + CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT;
}
