/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers that trace headers use without including them, because the few files that include
 * trace headers have included these before.
 */
#ifndef KTRACE_PROBES_PRELUDE_H
#define KTRACE_PROBES_PRELUDE_H

#include <linux/backing-dev.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/clk.h>
#include <linux/clk-provider.h>
#include <linux/cgroup.h>
#include <linux/compaction.h>
#include <linux/device.h>
#include <linux/dma-fence.h>
#if __has_include("linux/filelock.h")
#include <linux/filelock.h>
#endif
#include <linux/fs.h>
#include <linux/fscache.h>
#include <linux/hugetlb.h>
#include <linux/interrupt.h>
#include <linux/iommu.h>
#include <linux/irq.h>
#include <linux/kthread.h>
#include <linux/kvm_host.h>
#include <linux/libata.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/netfs.h>
#include <linux/pagemap.h>
#include <linux/phy.h>
#include <linux/pm_runtime.h>
#include <linux/pm_qos.h>
#include <linux/power_supply.h>
#include <linux/regulator/driver.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/sunrpc/auth_gss.h>
#include <linux/sunrpc/svc_rdma.h>
#undef err_chunk	/* the name of a parameter in net/sctp/structs.h */
#include <linux/swap.h>
#include <linux/swiotlb.h>
#include <linux/thermal.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <linux/writeback.h>
#include <media/v4l2-common.h>
#include <media/v4l2-fh.h>
#include <net/9p/9p.h>
#include <net/9p/client.h>
#include <net/mctp.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <sound/soc.h>

#endif
