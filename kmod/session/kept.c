// SPDX-License-Identifier: GPL-2.0
#include "session/kept.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "session/session.h"

struct kept {
	struct list_head node;
	struct ktrace_session *session;	/* a reference */
	char name[KTRACE_KEEP_NAME];
	kuid_t owner;
	pid_t reader;			/* the process that has its file open; 0: nobody */
	u64 since;
};

static LIST_HEAD(all);			/* in the order in which they were kept */
static unsigned int nr_all;
static DEFINE_MUTEX(lock);		/* protects both */

bool ktrace_kept_is_name(const char *name)
{
	size_t length = strnlen(name, KTRACE_KEEP_NAME), i;

	if (!length || length == KTRACE_KEEP_NAME || name[0] == '.' || name[0] == '-')
		return false;
	for (i = 0; i < length; i++)
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("_-.", name[i])))
			return false;
	/* Bytes behind the name are reserved for later versions. */
	return !memchr_inv(name + length, 0, KTRACE_KEEP_NAME - length);
}

static struct kept *find_name(const char *name)
{
	struct kept *kept;

	lockdep_assert_held(&lock);
	list_for_each_entry(kept, &all, node)
		if (!strcmp(kept->name, name))
			return kept;
	return NULL;
}

static struct kept *find_session(const struct ktrace_session *session)
{
	struct kept *kept;

	lockdep_assert_held(&lock);
	list_for_each_entry(kept, &all, node)
		if (kept->session == session)
			return kept;
	return NULL;
}

static int check_add(const char *name)
{
	lockdep_assert_held(&lock);
	if (find_name(name))
		return -EEXIST;
	return nr_all < KTRACE_KEEP_MAX ? 0 : -ENOSPC;
}

int ktrace_kept_add(struct ktrace_session *session, const struct ktrace_keep *keep)
{
	struct kept *kept;
	int err;

	if (keep->reserved || !ktrace_kept_is_name(keep->name))
		return -EINVAL;
	kept = kzalloc(sizeof(*kept), GFP_KERNEL_ACCOUNT);
	if (!kept)
		return -ENOMEM;
	err = ktrace_session_keep(session);
	if (err) {
		kfree(kept);
		return err;
	}
	memcpy(kept->name, keep->name, sizeof(kept->name));
	kept->owner = current_euid();
	kept->reader = task_tgid_nr(current);
	kept->since = ktime_get_boottime_ns();

	mutex_lock(&lock);
	err = check_add(kept->name);
	if (!err) {
		kept->session = ktrace_session_get(session);
		__module_get(THIS_MODULE);
		list_add_tail(&kept->node, &all);
		nr_all++;
	}
	mutex_unlock(&lock);
	if (err) {
		ktrace_session_unkeep(session);
		kfree(kept);
	}
	return err;
}

struct ktrace_session *ktrace_kept_take(const struct ktrace_kept_open *open)
{
	struct ktrace_session *session;
	struct kept *kept;

	if (open->reserved || !ktrace_kept_is_name(open->name))
		return ERR_PTR(-EINVAL);
	mutex_lock(&lock);
	kept = find_name(open->name);
	if (!kept) {
		session = ERR_PTR(-ENOENT);
	} else if (!uid_eq(kept->owner, current_euid()) && !capable(CAP_SYS_ADMIN)) {
		session = ERR_PTR(-EPERM);
	} else if (kept->reader) {
		session = ERR_PTR(-EBUSY);
	} else {
		session = ktrace_session_get(kept->session);
		kept->reader = task_tgid_nr(current);
	}
	mutex_unlock(&lock);
	return session;
}

void ktrace_kept_leave(struct ktrace_session *session)
{
	struct kept *kept;

	mutex_lock(&lock);
	kept = find_session(session);
	if (kept)
		kept->reader = 0;
	mutex_unlock(&lock);
}

int ktrace_kept_info(struct ktrace_kept_info *info)
{
	u32 size = info->size, nth = info->nth;
	struct kept *kept;
	int err = -ENOENT;

	if (info->reserved)
		return -EINVAL;
	mutex_lock(&lock);
	list_for_each_entry(kept, &all, node) {
		if (nth--)
			continue;
		*info = (struct ktrace_kept_info){
			.size = size,
			.nth = info->nth,
			.uid = from_kuid_munged(&init_user_ns, kept->owner),
			.flags = ktrace_session_is_running(kept->session) ? KTRACE_KEPT_RUNNING : 0,
			.reader = kept->reader,
			.since = kept->since,
		};
		memcpy(info->name, kept->name, sizeof(info->name));
		err = 0;
		break;
	}
	mutex_unlock(&lock);
	return err;
}

int ktrace_kept_forget(struct ktrace_session *session)
{
	struct kept *kept;

	mutex_lock(&lock);
	kept = find_session(session);
	if (kept) {
		list_del(&kept->node);
		nr_all--;
	}
	mutex_unlock(&lock);
	if (!kept)
		return -EINVAL;
	ktrace_session_unkeep(session);
	/* The caller's file still holds the session, and the module. */
	ktrace_session_put(kept->session);
	kfree(kept);
	module_put(THIS_MODULE);
	return 0;
}
