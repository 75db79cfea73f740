// SPDX-License-Identifier: GPL-2.0
/* 128ea9f6ccfb ("workqueue: Add system_percpu_wq and system_dfl_wq"), v6.17 */
#include <linux/workqueue.h>

void probe(struct work_struct *work);
void probe(struct work_struct *work)
{
	queue_work(system_percpu_wq, work);
	queue_work(system_dfl_wq, work);
}
