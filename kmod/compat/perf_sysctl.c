// SPDX-License-Identifier: GPL-2.0
/*
 * perf's variables (sysctl_perf_event_paranoid, sysctl_perf_event_mlock) are not exported.  We read
 * their files instead.  We use the kernel's credentials, and a procfs mount of the module's own,
 * because the caller may have mounted anything at /proc.
 */
#include "perf_sysctl.h"

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/string.h>

static struct vfsmount *proc;
static const struct cred *reader;

void ktrace_perf_sysctl_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	if (!type)
		return;
	reader = prepare_kernel_cred(&init_task);
	if (!reader)
		return;
	proc = kern_mount(type);
	if (IS_ERR(proc))
		proc = NULL;
}

void ktrace_perf_sysctl_exit(void)
{
	if (proc)
		kern_unmount(proc);
	if (reader)
		put_cred(reader);
}

/* Returns the number of bytes, or an error. */
static ssize_t read_small(const char *path, char *text, size_t size)
{
	struct file *file;
	loff_t pos = 0;
	ssize_t ret;

	file = file_open_root_mnt(proc, path, O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = kernel_read(file, text, size, &pos);
	filp_close(file, NULL);
	return ret;
}

int ktrace_perf_sysctl(const char *name, int otherwise)
{
	const struct cred *before;
	char path[64], text[32];
	ssize_t length;
	int value;

	if (!proc)
		return otherwise;
	snprintf(path, sizeof(path), "sys/kernel/%s", name);
	before = override_creds(reader);
	length = read_small(path, text, sizeof(text) - 1);
	revert_creds(before);
	if (length <= 0)
		return otherwise;
	text[length] = '\0';
	return kstrtoint(strim(text), 10, &value) ? otherwise : value;
}
