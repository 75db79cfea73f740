# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Functions for the files of this folder.  KTRACE is the tool that runs them, $here is the
# folder.

# record OPTIONS... [COMMAND]
record() {
	exec "${KTRACE:-ktrace}" record "$@"
}

# report SCRIPT [ITS ARGUMENTS...] [OPTIONS OF ktrace script...]
report() {
	local script=$1 args=()

	shift
	while [ $# -gt 0 ] && [[ $1 != -* ]]; do
		args+=("$1")
		shift
	done
	# shellcheck disable=SC2154 # the file that sources this sets it
	exec "${KTRACE:-ktrace}" script "$@" -s "$here/../$script" "${args[@]}"
}
