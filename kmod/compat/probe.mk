# SPDX-License-Identifier: GPL-2.0
# For Kbuild files: ktrace-src is the path of kmod/.

# Each probe/NAME.c that compiles against this kernel defines KTRACE_HAS_NAME;
# README.rst says how to add one.
ktrace-probe = $(if $(shell $(CC) $(NOSTDINC_FLAGS) $(LINUXINCLUDE) \
	$(KBUILD_CPPFLAGS) $(KBUILD_CFLAGS) $(KBUILD_CFLAGS_MODULE) \
	-DMODULE -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' \
	-Werror -fsyntax-only $(1) >/dev/null 2>&1 && echo y),\
	-DKTRACE_HAS_$(basename $(notdir $(1))))
ccflags-y += $(foreach p,$(sort $(wildcard $(ktrace-src)/compat/probe/*.c)),$(call ktrace-probe,$(p)))

# A symbol that no header of the kernel declares can only be searched among the exports.
ktrace-export = $(if $(shell grep -sw $(1) $(objtree)/Module.symvers),-DKTRACE_EXPORTS_$(1))
ccflags-y += $(call ktrace-export,rcu_expedite_gp) $(call ktrace-export,local_clock)
