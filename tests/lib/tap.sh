# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# TAP for shell tests. Source it, check things, end with done_testing:
#
#	. tests/lib/tap.sh
#	run build/bin/ktrace record -e nosuch:event
#	is "$status" 1 "an unknown event is refused"
#	like "$output" "*nosuch:event*" "and named"
#	ok "the file is there" test -e perf.data
#	done_testing
#
# Nothing here returns failure, so that tests may use `set -eu`: a check that
# fails is counted, the next one runs.
#
# With KTRACE_TEST_ONLY (tests/run --only) all commands run, but only checks that
# have this text in their names, or whose whole names match this pattern, count.

tap_count=0
tap_failed=0
tap_subject=

# about SUBJECT: the subject of the checks from here on, in front of their names. Without SUBJECT,
# there is none.
about()
{
	tap_subject=${1:+$1: }
}

# tap_chosen NAME: whether this check counts
tap_chosen()
{
	# shellcheck disable=SC2254 # a pattern
	case ${KTRACE_TEST_ONLY-} in
	'')	return 0 ;;
	*[*?[]*)
		case $tap_subject$1 in $KTRACE_TEST_ONLY) return 0 ;; esac ;;
	*)	case $tap_subject$1 in *"$KTRACE_TEST_ONLY"*) return 0 ;; esac ;;
	esac
	return 1
}

# diag TEXT: prints lines for the reader
diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# tap_explain NAME LINE...: why this check fails
tap_explain()
{
	tap_chosen "$1" || return 0
	shift
	for tap_line; do
		diag "$tap_line"
	done
}

pass()
{
	tap_chosen "$1" || return 0
	tap_count=$((tap_count + 1))
	# The shell's echo may take a backslash in a name for the beginning of an escape.
	printf '%s\n' "ok $tap_count - $tap_subject$1"
}

fail()
{
	tap_chosen "$1" || return 0
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	printf '%s\n' "not ok $tap_count - $tap_subject$1"
}

# ok NAME COMMAND...: the command succeeds.  If it fails, its output is shown.
ok()
{
	tap_name=$1
	shift
	if tap_output=$("$@" 2>&1); then
		pass "$tap_name"
	else
		tap_explain "$tap_name" "'$*' failed with status $?" "$tap_output"
		fail "$tap_name"
	fi
}

# not_ok NAME COMMAND...: the command fails
not_ok()
{
	tap_name=$1
	shift
	if tap_output=$("$@" 2>&1); then
		tap_explain "$tap_name" "'$*' succeeded" "$tap_output"
		fail "$tap_name"
	else
		pass "$tap_name"
	fi
}

# is GOT WANT NAME: both texts are the same
is()
{
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		tap_explain "$3" "got:  $1" "want: $2"
		fail "$3"
	fi
}

# like GOT PATTERN NAME: GOT matches the shell pattern as a whole
like()
{
	# shellcheck disable=SC2254 # $2 is a pattern
	case $1 in
	$2)
		pass "$3"
		;;
	*)
		tap_explain "$3" "got:  $1" "like: $2"
		fail "$3"
		;;
	esac
}

# unlike GOT PATTERN NAME: GOT does not match the shell pattern
unlike()
{
	# shellcheck disable=SC2254
	case $1 in
	$2)
		tap_explain "$3" "got:    $1" "unlike: $2"
		fail "$3"
		;;
	*)
		pass "$3"
		;;
	esac
}

# skip REASON NAME: counts the check as skipped
skip()
{
	tap_chosen "$2" || return 0
	tap_count=$((tap_count + 1))
	printf '%s\n' "ok $tap_count - $tap_subject$2 # SKIP $1"
}

# skip_all REASON: skips the whole test and ends it
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# run COMMAND...: leaves the exit status in $status and all output in $output
run()
{
	status=0
	output=$("$@" 2>&1) || status=$?
}

# retell NAME FILE [STATUS]: the results in a file that a program has written, as ours, named NAME:
# ..., and whether it came to its end: its status agrees with them, and none is missing.
retell()
{
	tap_planned="nothing" tap_came=0 tap_broken=
	while IFS= read -r tap_line; do
		tap_what="$1: ${tap_line#*ok * - }"
		case $tap_line in
		"ok "*|"not ok "*)	tap_came=$((tap_came + 1)) ;;
		esac
		case $tap_line in
		"ok "*"# SKIP "*)	skip "${tap_line#*# SKIP }" "${tap_what%% # SKIP *}" ;;
		"ok "*)			pass "$tap_what" ;;
		"not ok "*)		tap_broken=y; fail "$tap_what" ;;
		1..*)			tap_planned=${tap_line#1..} ;;
		*)			printf '%s\n' "$tap_line" ;;
		esac
	done <"$2"
	if [ "$tap_planned" != "$tap_came" ] || { [ "${3:-0}" != 0 ] && [ -z "$tap_broken" ]; }; then
		tap_explain "$1: ended as planned" \
			"status ${3:-0}, $tap_planned planned, $tap_came came"
		fail "$1: ended as planned"
	else
		pass "$1: ended as planned"
	fi
}

# shellcheck disable=SC2034 # tests read them
output=
# shellcheck disable=SC2034
status=

done_testing()
{
	echo "1..$tap_count"
	[ "$tap_failed" = 0 ] || exit 1
	exit 0
}
