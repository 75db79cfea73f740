// SPDX-License-Identifier: GPL-2.0
/* The file operations of /dev/ktrace.  session.c implements the ioctls. */
#include "session/device.h"

#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/ktrace.h>

#include "lib/permission.h"
#include "session/kept.h"
#include "session/session.h"

/* Every argument structure of an ioctl begins with its size. */
union call_arg {
	u32 size;
	struct ktrace_info info;
	struct ktrace_setup setup;
	struct ktrace_event_add event_add;
	struct ktrace_task_add task_add;
	struct ktrace_stats stats;
	struct ktrace_mark mark;
	struct ktrace_clock clock;
	struct ktrace_scope_add scope_add;
	struct ktrace_sample sample;
	struct ktrace_event_path event_path;
	struct ktrace_snapshot snapshot;
	struct ktrace_count_add count_add;
	struct ktrace_count_read count_read;
	struct ktrace_describe describe;
	struct ktrace_keep keep;
	struct ktrace_kept_open kept_open;
	struct ktrace_kept_info kept_info;
	struct ktrace_recall recall;
	struct ktrace_event_info event_info;
	struct ktrace_machine_add machine_add;
	struct ktrace_machine_read machine_read;
	struct ktrace_chain_read chain_read;
	struct ktrace_frozen frozen;
};

struct call {
	u32 size;			/* of the structure; 0: the ioctl takes none */
	int (*run)(struct ktrace_session *session, union call_arg *arg);
	u32 min_size;			/* size in ABI 1.0; 0: it has not grown since */
	bool gives_fd;			/* run() returns a descriptor or an error */
};

static int call_info(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_info(session, &arg->info);
}

static int call_setup(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_setup(session, &arg->setup);
}

static int call_event_add(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_event_add(session, &arg->event_add);
}

static int call_task_add(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_task_add(session, &arg->task_add);
}

static int call_start(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_start(session);
}

static int call_stop(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_stop(session);
}

static int call_stats(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_stats(session, &arg->stats);
}

static int call_mark(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_mark(session, &arg->mark);
}

static int call_clock(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_clock(session, &arg->clock);
}

static int call_scope_add(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_scope_add(session, &arg->scope_add);
}

static int call_sample(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_sample(session, &arg->sample);
}

static int call_event_path(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_event_path(session, &arg->event_path);
}

static int call_snapshot(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_snapshot(session, &arg->snapshot);
}

static int call_snapshot_stats(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_snapshot_stats(session, &arg->stats);
}

static int call_count_add(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_count_add(session, &arg->count_add);
}

static int call_count_read(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_count_read(session, &arg->count_read);
}

static int call_describe(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_describe(session, &arg->describe);
}

static int call_keep(struct ktrace_session *session, union call_arg *arg)
{
	int err;

	/* The file may have been passed on to a process that may not record. */
	err = ktrace_permission_check();
	return err ?: ktrace_kept_add(session, &arg->keep);
}

static const struct file_operations device_fops;

/* Creates a file of @session.  Takes over the caller's reference, even on failure. */
static struct file *open_session(struct ktrace_session *session)
{
	struct file *file = anon_inode_getfile("[ktrace]", &device_fops, session, O_RDWR);

	if (IS_ERR(file)) {
		ktrace_kept_leave(session);
		ktrace_session_put(session);
		return file;
	}
	nonseekable_open(file_inode(file), file);
	return file;
}

static int call_kept_open(struct ktrace_session *ignored, union call_arg *arg)
{
	struct ktrace_session *session;
	struct file *file;
	int err, fd;

	err = ktrace_permission_check();
	if (err)
		return err;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	session = ktrace_kept_take(&arg->kept_open);
	if (IS_ERR(session)) {
		err = PTR_ERR(session);
		goto err_put_fd;
	}
	ktrace_session_change_reader(session);
	file = open_session(session);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto err_put_fd;
	}
	fd_install(fd, file);
	return fd;

err_put_fd:
	put_unused_fd(fd);
	return err;
}

static int call_kept_info(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_kept_info(&arg->kept_info);
}

static int call_recall(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_recall(session, &arg->recall);
}

static int call_forget(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_kept_forget(session);
}

static int call_event_info(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_event_info(session, &arg->event_info);
}

static int call_machine_add(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_machine_add(session, &arg->machine_add);
}

static int call_machine_read(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_machine_read(session, &arg->machine_read);
}

static int call_frozen(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_frozen(session, &arg->frozen);
}

static int call_chain_read(struct ktrace_session *session, union call_arg *arg)
{
	return ktrace_session_chain_read(session, &arg->chain_read);
}

static const struct call calls[] = {
	[_IOC_NR(KTRACE_IOC_INFO)]	= { sizeof(struct ktrace_info), call_info },
	[_IOC_NR(KTRACE_IOC_SETUP)]	= { sizeof(struct ktrace_setup), call_setup },
	[_IOC_NR(KTRACE_IOC_EVENT_ADD)]	= { sizeof(struct ktrace_event_add), call_event_add,
					    KTRACE_EVENT_ADD_SIZE_1_0 },
	[_IOC_NR(KTRACE_IOC_TASK_ADD)]	= { sizeof(struct ktrace_task_add), call_task_add },
	[_IOC_NR(KTRACE_IOC_START)]	= { 0, call_start },
	[_IOC_NR(KTRACE_IOC_STOP)]	= { 0, call_stop },
	[_IOC_NR(KTRACE_IOC_STATS)]	= { sizeof(struct ktrace_stats), call_stats },
	[_IOC_NR(KTRACE_IOC_MARK)]	= { sizeof(struct ktrace_mark), call_mark },
	[_IOC_NR(KTRACE_IOC_CLOCK)]	= { sizeof(struct ktrace_clock), call_clock },
	[_IOC_NR(KTRACE_IOC_SCOPE_ADD)]	= { sizeof(struct ktrace_scope_add), call_scope_add },
	[_IOC_NR(KTRACE_IOC_SAMPLE)]	= { sizeof(struct ktrace_sample), call_sample },
	[_IOC_NR(KTRACE_IOC_EVENT_PATH)] = { sizeof(struct ktrace_event_path), call_event_path },
	[_IOC_NR(KTRACE_IOC_SNAPSHOT)]	= { sizeof(struct ktrace_snapshot), call_snapshot },
	[_IOC_NR(KTRACE_IOC_SNAPSHOT_STATS)] = { sizeof(struct ktrace_stats), call_snapshot_stats },
	[_IOC_NR(KTRACE_IOC_COUNT_ADD)]	= { sizeof(struct ktrace_count_add), call_count_add },
	[_IOC_NR(KTRACE_IOC_COUNT_READ)] = { sizeof(struct ktrace_count_read), call_count_read },
	[_IOC_NR(KTRACE_IOC_DESCRIBE)]	= { sizeof(struct ktrace_describe), call_describe },
	[_IOC_NR(KTRACE_IOC_KEEP)]	= { sizeof(struct ktrace_keep), call_keep },
	[_IOC_NR(KTRACE_IOC_KEPT_OPEN)]	= { sizeof(struct ktrace_kept_open), call_kept_open,
					    .gives_fd = true },
	[_IOC_NR(KTRACE_IOC_KEPT_INFO)]	= { sizeof(struct ktrace_kept_info), call_kept_info },
	[_IOC_NR(KTRACE_IOC_RECALL)]	= { sizeof(struct ktrace_recall), call_recall },
	[_IOC_NR(KTRACE_IOC_FORGET)]	= { 0, call_forget },
	[_IOC_NR(KTRACE_IOC_EVENT_INFO)] = { sizeof(struct ktrace_event_info), call_event_info },
	[_IOC_NR(KTRACE_IOC_MACHINE_ADD)] = { sizeof(struct ktrace_machine_add),
					      call_machine_add,
					      KTRACE_MACHINE_ADD_SIZE_1_16 },
	[_IOC_NR(KTRACE_IOC_MACHINE_READ)] = { sizeof(struct ktrace_machine_read),
					       call_machine_read,
					       KTRACE_MACHINE_READ_SIZE_1_16 },
	[_IOC_NR(KTRACE_IOC_CHAIN_READ)] = { sizeof(struct ktrace_chain_read), call_chain_read },
	[_IOC_NR(KTRACE_IOC_FROZEN)]	= { sizeof(struct ktrace_frozen), call_frozen },
};

/*
 * Copies the caller's structure, whichever version of the ABI it was compiled for.  Its
 * `size` is returned in @usize and in the copy.
 */
static int get_arg(union call_arg *arg, const struct call *call, const void __user *from,
		   u32 *usize)
{
	u32 ksize = call->size, size;
	int err;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < (call->min_size ?: ksize))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(arg, ksize, from, size);
	if (err)
		return err;
	/* User space may have changed it between the two reads. */
	arg->size = size;
	*usize = size;
	return 0;
}

static int put_arg(const union call_arg *arg, u32 ksize, void __user *to, u32 usize)
{
	return copy_to_user(to, arg, min(ksize, usize)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	void __user *ptr = (void __user *)user;
	unsigned int nr = _IOC_NR(cmd);
	const struct call *call;
	union call_arg arg;
	u32 usize;
	int err;

	/* We compare neither size nor direction, because structures may grow. */
	if (_IOC_TYPE(cmd) != KTRACE_IOC_MAGIC || nr >= ARRAY_SIZE(calls))
		return -ENOTTY;
	call = &calls[array_index_nospec(nr, ARRAY_SIZE(calls))];
	if (!call->run)
		return -ENOTTY;

	if (!call->size)
		return call->run(file->private_data, NULL);

	err = get_arg(&arg, call, ptr, &usize);
	if (err)
		return err;
	err = call->run(file->private_data, &arg);
	if (err || call->gives_fd)
		return err;
	return put_arg(&arg, call->size, ptr, usize);
}

static int device_open(struct inode *inode, struct file *file)
{
	struct ktrace_session *session;
	int err;

	err = ktrace_permission_check();
	if (err)
		return err;
	session = ktrace_session_create();
	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	ktrace_kept_leave(file->private_data);
	ktrace_session_put(file->private_data);
	return 0;
}

static __poll_t device_poll(struct file *file, poll_table *wait)
{
	return ktrace_session_poll(file->private_data, file, wait);
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u32 cpu = offset >> 32;
	u32 region = (u32)offset >> 30;

	if (offset != KTRACE_MMAP_OFFSET(cpu, region))
		return -EINVAL;
	return ktrace_session_mmap(file->private_data, cpu, region, vma);
}

static const struct file_operations device_fops = {
	.owner		= THIS_MODULE,
	.open		= device_open,
	.release	= device_release,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.poll		= device_poll,
	.mmap		= device_mmap,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ktrace",
	.mode	= 0600,
	.fops	= &device_fops,
};

int ktrace_device_init(void)
{
	return misc_register(&device);
}

void ktrace_device_exit(void)
{
	misc_deregister(&device);
}
