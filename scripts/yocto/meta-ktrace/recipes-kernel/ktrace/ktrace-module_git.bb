# SPDX-License-Identifier: GPL-2.0
SUMMARY = "Tracer for Linux kernel events, the modules"
DESCRIPTION = "ktrace.ko captures tracepoints, filters them inside the kernel and counts every lost \
record; ktrace_probes.ko makes capturing an event cheap. They are meant for test kernels."
SECTION = "kernel"
require ktrace.inc

inherit module

do_compile() {
    unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
    oe_runmake -C ${STAGING_KERNEL_BUILDDIR} M=${S} cmd_checkdoc= \
        'CC=${KERNEL_CC}' 'LD=${KERNEL_LD}' 'AR=${KERNEL_AR}' modules
}

do_install() {
    unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
    oe_runmake -C ${STAGING_KERNEL_BUILDDIR} M=${S} DEPMOD=echo INSTALL_MOD_PATH=${D} \
        'CC=${KERNEL_CC}' 'LD=${KERNEL_LD}' modules_install
}

RPROVIDES:${PN} += "kernel-module-ktrace kernel-module-ktrace-probes"
