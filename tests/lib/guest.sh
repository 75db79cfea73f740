# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The beginning of stages that run the tree's tool in a folder of their own, mostly in guests:
#
#	. tests/lib/guest.sh
#	load ktrace ktrace_probes
#
# It includes tap.sh, and the working folder is removed when the stage ends.
. tests/lib/tap.sh
top=$PWD
ktrace=$top/build/bin/ktrace
modules=${KTRACE_MODULES:-$top/build/modules/$(uname -r)}
debug=/sys/kernel/debug/ktrace_test
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit

# load MODULE...: insert these modules of the tree, in this order
load()
{
	for module; do
		insmod "$modules/$module.ko"
	done
}
