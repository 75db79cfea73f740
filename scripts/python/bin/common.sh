# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Functions for the files of this folder.  KTRACE is the tool that runs them, $here is the
# folder.

# record OPTIONS... [COMMAND]
record() {
	exec "${KTRACE:-ktrace}" record "$@"
}

# opened enter|exit: set the array opened to the options that record the paths of files that are opened,
# which kernels before 6.19 do not tell; with exit, also which descriptors they get.
opened() {
	local call events=/sys/kernel/tracing/events/syscalls

	opened=()
	for call in open openat creat; do
		if grep -qs __filename_val "$events/sys_enter_$call/format"; then
			opened+=(-e "syscalls:sys_enter_$call")
			[ "$1" != exit ] || opened+=(-e "syscalls:sys_exit_$call")
		fi
	done
}

# Options of the script that report() runs.  An option that takes a value has "=" at its end.
own=()

# is_own OPTION: whether it is the script's.  takes is set if the next word is its value.
is_own() {
	local option

	takes=
	for option in "${own[@]}"; do
		if [[ $1 == "$option" || ($option == *= && $1 == "$option"*) ]]; then
			return 0
		elif [[ $1= == "$option" ]]; then
			takes=1
			return 0
		fi
	done
	return 1
}

# report SCRIPT [ITS ARGUMENTS...] [OPTIONS, the script's or of ktrace script...] [-- ITS ARGUMENTS...]
report() {
	local script=$1 args=() options=() words=1

	shift
	while [ $# -gt 0 ]; do
		if [[ $1 == -- ]]; then
			shift
			args+=("$@")
			break
		elif is_own "$1"; then
			args+=("$1")
			if [[ $takes && $# -gt 1 ]]; then
				args+=("$2")
				shift
			fi
		elif [[ $words && $1 != -* ]]; then
			args+=("$1")
		else
			# From here on, words are values of these.
			words=
			options+=("$1")
		fi
		shift
	done
	# shellcheck disable=SC2154 # the file that sources this sets it
	exec "${KTRACE:-ktrace}" script "${options[@]}" -s "$here/../$script" -- "${args[@]}"
}

# page NAME [-o FILE] [-f FORMAT] [OPTIONS OF ktrace report...]: write NAME.html, or FILE.  FORMAT is
# html, or one of those of ktrace export.
page() {
	local name=$1 format=html output='' others=()

	shift
	while [ $# -gt 0 ]; do
		case $1 in
		-o|--output)	output=${2-}; shift ;;
		--output=*)	output=${1#*=} ;;
		-f|--format)	format=${2-}; shift ;;
		--format=*)	format=${1#*=} ;;
		*)		others+=("$1") ;;
		esac
		[ $# -eq 0 ] || shift
	done
	: "${output:=$name.$format}"
	if [ "$format" = html ]; then
		exec "${KTRACE:-ktrace}" report --html "$output" "${others[@]}"
	fi
	exec "${KTRACE:-ktrace}" export --to "$format" "${others[@]}" "$output"
}
