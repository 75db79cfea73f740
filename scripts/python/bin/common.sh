# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the files of this folder share.  KTRACE is the tool that runs them, $here
# the folder.

# record OPTIONS... [COMMAND]
record() {
	exec "${KTRACE:-ktrace}" record "$@"
}

# report SCRIPT [ARGS OF IT...] [OPTIONS OF ktrace script...]
report() {
	local script=$1 args=()

	shift
	while [ $# -gt 0 ] && [[ $1 != -* ]]; do
		args+=("$1")
		shift
	done
	# shellcheck disable=SC2154 # of who sources this
	exec "${KTRACE:-ktrace}" script "$@" -s "$here/../$script" "${args[@]}"
}
