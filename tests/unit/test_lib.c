// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/cpumap.h"
#include "lib/escape.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/number.h"
#include "lib/spawn.h"
#include "lib/strbuf.h"
#include "terminal/options.h"
#include "terminal/terminal.h"
#include "terminal/word_list.h"
#include "terminal/words.h"
#include "tap.h"

TEST(test_error)
{
	struct error *err = error_errno(ENOENT, "Cannot open %s", "x");

	is_str(err->message, "Cannot open x: No such file or directory", "errno text is appended");
	is_u64(err->code, ENOENT, "the code is kept");
	err = error_hint(error_prefix(err, "event %d", 3), "Try %s", "y");
	is_str(err->message, "event 3: Cannot open x: No such file or directory", "prefix");
	is_str(err->hint, "Try y", "hint");
	error_hint(err, "Try z");
	is_str(err->hint, "Try z", "a second hint replaces the first");
	error_free(err);

	ok(error_prefix(&error_no_memory, "a") == &error_no_memory, "out of memory is never changed");
	error_free(&error_no_memory);
	is_str(error_no_memory.message, "Out of memory", "out of memory is never freed");
}

TEST(test_strbuf)
{
	_cleanup_(strbuf) struct strbuf sb = STRBUF_INIT;
	char *big = calloc(1, 5001);

	is_str(strbuf_str(&sb), "", "an empty strbuf is an empty string");
	strbuf_addstr(&sb, "ab");
	strbuf_addch(&sb, 'c');
	strbuf_addf(&sb, "%05d", 42);
	is_str(strbuf_str(&sb), "abc00042", "pieces are appended");
	strbuf_reset(&sb);
	is_str(strbuf_str(&sb), "", "reset empties it");
	memset(big, 'x', 5000);
	strbuf_addstr(&sb, big);
	is_u64(sb.len, 5000, "it grows");
	free(big);
}

TEST(test_strbuf_too_large)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 5, SIZE_MAX / 2 + 2,
					SIZE_MAX / 2 + 1, SIZE_MAX / 2 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_(strbuf) struct strbuf sb = STRBUF_INIT;

		strbuf_addstr(&sb, "abcd");
		ok(!strbuf_reserve(&sb, sizes[i]) && sb.failed,
		   "room for %zu bytes is refused", sizes[i]);
		ok(!strcmp(strbuf_str(&sb), "abcd"), "refusing room for %zu bytes keeps the old contents",
		   sizes[i]);
	}
}

TEST(test_array)
{
	struct { int *items; size_t nr, alloc; } numbers = { 0 };
	bool kept = true;

	for (int i = 0; i < 1000; i++)
		kept &= array_push(&numbers, i);
	for (int i = 0; i < 1000; i++)
		kept &= numbers.items[i] == i;
	ok(kept && numbers.nr == 1000, "array_push keeps 1000 items in order");
	free(numbers.items);
}

TEST(test_hash_table)
{
	struct hash_table table = { 0 };
	size_t at, found = 0;
	bool all = true;

	ok(!hash_table_first(&table, 5, &at), "an empty table has nothing");
	for (size_t i = 0; i < 1000; i++)
		all &= hash_table_add(&table, hash_key_number(i), i);
	for (size_t i = 0; i < 1000; i++)
		all &= hash_table_first(&table, hash_key_number(i), &at) &&
		       hash_table_value(&table, at) == i;
	ok(all, "1000 positions are found by their hashes");
	ok(!hash_table_first(&table, hash_key_number(1000), &at), "others are not");
	for (size_t i = 0; i < 5; i++)
		hash_table_add(&table, 77, 2000 + i);
	hash_table_each(&table, 77, n)
		found += n;
	is_u64(found, 5 * 2002, "all that share a hash are found");
	hash_table_deinit(&table);
	ok(hash_key_text("a") != hash_key_text("b") &&
	   hash_key_text("a") == hash_key_bytes("a", 1), "texts are hashed by their bytes");
}

static void check_escape(const char *text, size_t len, const char *controls, const char *terminal)
{
	_cleanup_(strbuf) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	strbuf_add(&a, text, len);
	escape_controls(&a, 0);
	escape_terminal(&b, text, len);
	/* The name of a check ends with its line. */
	about("%.*s", (int)strcspn(controls, "\n"), controls);
	is_str(strbuf_str(&a), controls, "control characters are escaped");
	is_str(strbuf_str(&b), terminal, "bytes that no terminal may get are escaped");
	about_nothing();
}

TEST(test_escape)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;

	check_escape("ab c", 4, "ab c", "ab c");
	check_escape("a\x1b[2J\r\n\tb\x7f\0c", 12, "a\\x1b[2J\\r\\n\\tb\\x7f\\x00c",
		     "a\\x1b[2J\\r\n\tb\\x7f\\x00c");
	check_escape("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", 11, "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
		     "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
	check_escape("\x9b" "1m\xc2\x9b" "1m\xff", 8, "\\x9b1m\\xc2\\x9b1m\\xff",
		     "\\x9b1m\\xc2\\x9b1m\\xff");
	/* The rest of a character may follow. */
	check_escape("a\xe6\x97", 3, "a\\xe6\\x97", "a");
	strbuf_addstr(&line, "ours\n");
	strbuf_addstr(&line, "a\x1b\nb");
	escape_line_ends(&line, 5);
	is_str(strbuf_str(&line), "ours\na\x1b\\nb", "line ends alone");
}

static void check_cpus(const char *text, const char *want)
{
	_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;
	struct cpumap map = { 0 };
	struct error *err = cpumap_parse(text, &map);

	for (size_t i = 0; i < map.nr; i++)
		strbuf_addf(&got, "%s%u", i ? " " : "", map.cpus[i]);
	about("CPUs");
	is_str(err ? "error" : strbuf_str(&got), want, text);
	about_nothing();
	error_free(err);
	cpumap_deinit(&map);
}

TEST(test_cpumap)
{
	struct cpumap map = { 0 };

	check_cpus("0-3,7\n", "0 1 2 3 7");
	check_cpus(" 2 , 1 ", "1 2");
	check_cpus("1,1-2,0", "0 1 2");
	check_cpus("", "error");
	check_cpus("3-1", "error");
	check_cpus("1,", "error");
	check_cpus("0-99999999999", "error");
	check_cpus("-1", "error");
	check_cpus("1x", "error");
	no_error(cpumap_online(&map), "the online CPUs can be read");
	ok(map.nr > 0 && cpumap_has(&map, map.cpus[0]) && !cpumap_has(&map, 65000), "a CPU can be looked up");
	cpumap_deinit(&map);
	is_error(cpumap_select("60000", &map), "CPU 60000 is not online", "an offline CPU is refused");
}

static struct error *take_event(void *data, const char *argument)
{
	*(const char **)data = argument;
	return strcmp(argument, "bad") ? NULL : error_new(EINVAL, "bad event");
}

TEST(test_options)
{
	const char *level = "unset", *script = NULL;
	bool all = false, no_inherit = false;
	unsigned int pages = 0;
	const char *output = NULL, *event = NULL;
	int verbose = 0, index = 0;
	const struct option_spec options[] = {
		OPT_FLAG("all-cpus", &all, .letter = 'a', .help = "all"),
		OPT_COUNT(NULL, &verbose, .letter = 'v', .help = "more"),
		OPT_UINT("mmap-pages", &pages, .letter = 'm', .argument = "PAGES", .help = "pages"),
		OPT_STRING("output", &output, .letter = 'o', .argument = "FILE", .help = "file"),
		OPT_CALL("event", &event, take_event, .letter = 'e', .argument = "EVENT",
			 .help = "event"),
		OPT_STRING("level", &level, .letter = 'z', .argument = "[LEVEL]",
			   .help = "optional"),
		OPT_STRING("script", &script, .letter = 's', .argument = "[LANG:]FILE",
			   .help = "not optional"),
		OPT_FLAG("no-inherit", &no_inherit, .letter = 'i', .help = "negative"),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "test", .synopsis = "", .summary = "", .options = options,
		.stop_at_argument = true,
	};
#define PARSE(...) ({							\
	char *argv[] = { "test", __VA_ARGS__, NULL };			\
	options_parse(&usage, ARRAY_SIZE(argv) - 1, argv, &index);	\
})

	no_error(PARSE("-av", "-vm", "0x10", "--output=f", "-e", "s:e", "cmd", "-a"), "a usual line");
	ok(all && verbose == 2 && pages == 16 && !strcmp(output, "f") && !strcmp(event, "s:e"),
	   "every kind of option is set");
	is_u64(index, 7, "parsing stops at the first argument");
	no_error(PARSE("-z", "-s", "x.py", "cmd"), "arguments that are optional, and that begin so");
	ok(!level && script && !strcmp(script, "x.py") && index == 4, "are distinct");
	no_error(PARSE("-z3", "-s", "py:x"), "an optional argument is attached");
	ok(level && !strcmp(level, "3") && script && !strcmp(script, "py:x"), "an optional argument is taken");
	no_error(PARSE("--mmap", "8", "--", "-x"), "long names may be abbreviated");
	ok(pages == 8 && index == 4, "-- ends the options");
	all = false;
	pages = 4;
	output = NULL;
	no_error(PARSE("-a", "-m8", "-of", "-i", "--no-all-cpus", "--no-mmap-pages", "--no-output",
		       "--inherit", "cmd"), "options may be revoked");
	ok(!all && pages == 4 && !output && !no_inherit && index == 9,
	   "revoked options are as they were before");
	no_error(PARSE("--no-all-cpus", "--inherit", "-ai"), "options may be given again");
	ok(all && no_inherit, "the last one counts");
	no_inherit = false;
	is_error(PARSE("--no-event"), "test has no option '--no-event'", "a callback has no way back");
	is_error(PARSE("--no-all-cpus=1"), "test --no-all-cpus takes no value, but '1' is given",
		 "taking back needs no argument");
	is_error(PARSE("-m", "8x"), "test --mmap-pages takes a number, not '8x'", "not a number");
	is_error(PARSE("-m", "-1"), "test --mmap-pages takes a number, not '-1'", "not negative");
	is_error(PARSE("-o"), "test -o needs an argument", "a missing argument");
	is_error(PARSE("-Z"), "test has no option '-Z'", "an unknown letter");
	is_error(PARSE("--outptu=x"), "test has no option '--outptu=x'", "an unknown word");
	is_error(PARSE("-e", "bad"), "bad event", "an error of a callback");
	struct error *err = PARSE("--outptu=x");

	ok(err && err->hint && strstr(err->hint, "Did you mean --output?"), "the nearest is named");
	error_free(err);
	ok(word_is_near("sched_swich", "sched_switch") && !word_is_near("irq", "sched"),
	   "word_is_near");
}

TEST(test_file)
{
	char *text = NULL;

	is_error(file_read_text("/nonexistent", &text),
		 "Cannot open /nonexistent: No such file or directory", "errors name the path");
	no_error(file_read_text("/proc/self/comm", &text), "proc files are read whole");
	is_str(text, "test_lib", "without the newline");
	free(text);
}

TEST(test_numbers_of_dir)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc/self/task");

	ok(dir_next_number(dir) == getpid() && dir_next_number(dir) == 0,
	   "the one thread of ours, neither . nor ..");
	ok(dir_next_number(NULL) == 0, "a folder that is not there has no numbers in it");
}

static bool prints_as(uint64_t value, unsigned int width)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	char want[512];

	number_add_unsigned(&out, value, width, ' ');
	number_add_unsigned(&out, value, width, '0');
	number_add_signed(&out, value, width, ' ');
	number_add_signed(&out, value, width, '0');
	number_add_hex(&out, value, width, ' ');
	number_add_hex(&out, value, width, '0');
	snprintf(want, sizeof(want), "%*llu%0*llu%*lld%0*lld%*llx%0*llx",
		 width, (unsigned long long)value, width, (unsigned long long)value,
		 width, (long long)value, width, (long long)value,
		 width, (unsigned long long)value, width, (unsigned long long)value);
	if (!strcmp(strbuf_str(&out), want))
		return true;
	printf("# got  %s\n# want %s\n", strbuf_str(&out), want);
	return false;
}

static bool prints_digits(uint64_t value, unsigned int digits)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	char want[32];

	number_add_digits(&out, value, digits);
	snprintf(want, sizeof(want), "%0*llu", digits, (unsigned long long)value);
	return !strcmp(strbuf_str(&out), want);
}

TEST(test_numbers)
{
	bool same = true;

	for (unsigned int width = 1; width <= 24; width += 23) {
		for (uint64_t power = 1, n = 0; n < 20; n++, power *= 10)
			same &= prints_as(power, width) & prints_as(power - 1, width) &
				prints_as(-power, width) & prints_as(9 * power, width);
		for (unsigned int bit = 0; bit < 64; bit++)
			same &= prints_as(1ULL << bit, width) & prints_as((1ULL << bit) - 1, width);
		same &= prints_as(UINT64_MAX, width) & prints_as(INT64_MIN, width);
	}
	for (uint64_t digits = 1, power = 10; digits < 20; digits++, power *= 10)
		same &= prints_digits(0, digits) & prints_digits(power - 1, digits) &
			prints_digits(1234567890123456789ULL % power, digits);
	ok(same, "numbers are printed as printf() does");
}

TEST(test_words)
{
	char *const rest[] = { "x", "", NULL };
	_cleanup_(words) struct words words = { 0 };

	words_add(&words, "a");
	words_add_option(&words, "-o", "file");
	words_add_option(&words, "-p", NULL);
	words_add_all(&words, rest);
	words_add_all(&words, NULL);
	words_addf(&words, "%s:%d", "own", 7);
	is_str(words.items[5], "own:7", "a word can be made");
	words.nr--;
	ok(words_argv(&words) && !words.items[5], "the words end with NULL, which is not counted");
	is_u64(words.nr, 5, "an option without a value adds no words");
	is_str(words.items[2], "file", "an option's value follows it");
	is_str(words.items[4], "", "empty words are kept");
}

TEST(test_word_tables)
{
	static const char *const plain[] = { "avg", "max", NULL, "count" };
	static const struct {
		const char *name;
		int value;
	} rows[] = { { "monotonic|mono", 1 }, { "tai", 2 }, { "tai", 3 } };
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	unsigned int row, found[4];
	size_t nr = 0;

	is_u64(word_find(WORDS(plain), "COUNT"), 3, "a word is found in any case");
	is_u64(word_find(WORDS(plain), ""), WORD_NONE, "a row without a word is none");
	is_u64(word_find(WORDS(rows), "mono"), 0, "a word may have another form");
	is_u64(word_find(WORDS(rows), "monotonic|mono"), WORD_NONE, "both forms are no word");
	word_add_names(WORDS(rows), " and ", &names);
	is_str(strbuf_str(&names), "monotonic and tai", "each word is listed once, by its first form");
	no_error(word_parse_list(WORDS(plain), "no key", "max, avg,max", found, &nr),
		 "a list of words is parsed");
	ok(nr == 2 && found[0] == 1 && found[1] == 0, "each word of a list is there once, in its order");
	is_error(word_parse(WORDS(plain), "no key", "cont", &row), "no key 'cont'",
		 "a word that is not there");
}

/* Run `sh -c @command`, and return the result of spawn_wait(); its output goes to @fd. */
static int status_of(const char *program, const char *command, int fd)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	const struct spawn process = {
		.program = program, .argv = argv, .errors = fd, .out_to_errors = true,
	};
	pid_t pid;

	if (!no_error(spawn(&process, &pid), named("%s -c '%s' starts", program, command)))
		return -1;
	return spawn_wait(pid);
}

TEST(test_spawn)
{
	_cleanup_close_ int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char text[128] = "";

	is_u64(status_of("sh", "exit 7", fd), 7, "the exit status is that of the program");
	is_u64(status_of("sh", "kill -9 $$", fd), 137, "a signal's status is 128 more");
	status_of("sh", "echo out; echo err >&2", fd);
	fd_pread_all(fd, text, sizeof(text) - 1, 0);
	is_str(text, "out\nerr\n", "both outputs go to their files");
	is_u64(status_of("/nonexistent/x", "", fd), 127, "a program that cannot be run is 127");
	fd_pread_all(fd, text, sizeof(text) - 1, 8);
	is_str(text, "ktrace: Cannot run '/nonexistent/x': No such file or directory.\n",
	       "why it cannot be run is printed to its standard error");
}

TEST(test_gate)
{
	char *const argv[] = { "true", NULL };
	struct spawn process = { .program = "true", .argv = argv };
	struct spawn_gate gate;
	pid_t pid = 0;

	no_error(spawn_gated(&process, &pid, &gate), "a gated process starts");
	no_error(spawn_open_gate(&gate, "true"), "it runs the program when the gate opens");
	spawn_close_gate(&gate);
	spawn_close_gate(&gate);
	is_u64(spawn_wait(pid), 0, "the program ends with its own status");
	no_error(spawn_gated(&process, &pid, &gate), "another gated process starts");
	spawn_close_gate(&gate);
	is_u64(spawn_wait(pid), 1, "closing the gate ends it before its program runs");
	process.program = "/";
	no_error(spawn_gated(&process, &pid, &gate), "a command that will fail starts as well");
	is_error(spawn_open_gate(&gate, "/"), "Cannot run '/': Permission denied",
		 "opening the gate says why the program cannot be run");
	spawn_close_gate(&gate);
	is_u64(spawn_wait(pid), 127, "the process of a program that cannot be run ends");
}

TEST(test_colors)
{
	_cleanup_(strbuf) struct strbuf marked = STRBUF_INIT, out = STRBUF_INIT;
	const char *sequence;

	ok(!color_mode_set("blue"), "--color=blue is refused");
	ok(color_mode_set(NULL) && color_mode == COLOR_ALWAYS, "--color alone means always");
	is_u64(color_of_percent(5), COLOR_HOT, "5 percent are hot");
	is_u64(color_of_percent(0.5), COLOR_WARM, "0.5 percent are warm");
	is_u64(color_of_percent(0.49), COLOR_NONE, "less has no colour");
	is_u64(strlen(color_on(COLOR_ERROR)), COLOR_MARK_SIZE, "marks are equally long");
	is_str(color_off(COLOR_NONE), "", "no colour needs no end");

	strbuf_addf(&marked, "%sa\x1b[31m\1%s", color_on(COLOR_HOT), color_off(COLOR_HOT));
	is_u64(escape_terminal(&out, marked.data, marked.len), marked.len, "all of it is taken");
	is_str(strbuf_str(&out), "\x1b[31ma\\x1b[31m\\x01\x1b[m",
	       "marks become sequences, and text that looks like them is escaped");
	is_u64(color_mark_read(marked.data, 5, &sequence), 0, "half a mark waits for the rest");
	ok(color_mark_read("\1" "0000000000000000a", 18, &sequence) < 0, "a guessed mark is none");
	is_u64(terminal_width(strbuf_str(&marked)), 7, "marks take no columns");
	color_mode = COLOR_NEVER;
	is_str(color_on(COLOR_ERROR), "", "--color=never: no marks");
}

TEST(test_widths)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

	ok(!terminal_add_cut(&out, "abcdefgh", 8), "a name that fits is not cut");
	ok(terminal_add_cut(&out, "abcdefgh", 7), "a name that does not fit is cut");
	is_str(strbuf_str(&out), "abcdefghabc..gh", "its middle is missing");
	strbuf_reset(&out);
	terminal_add_cut(&out, "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc", 5);
	is_str(strbuf_str(&out), "\u00fc\u00fc..\u00fc", "characters are cut, not bytes");
	strbuf_reset(&out);
	terminal_add_wrapped(&out, "one two three four", 4, 2, 9);
	is_str(strbuf_str(&out), "one\n  two\n  three\n  four", "words are wrapped at the width");
	strbuf_reset(&out);
	terminal_add_wrapped(&out, "one two three four", 4, 2, 0);
	is_str(strbuf_str(&out), "one two three four", "without a width nothing is wrapped");
}

TEST(test_base64)
{
	static const char *const texts[][2] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
		{ "\xff\xfe\xfd", "//79" },
	};
	static const char *const wrong[] = { "Z", "Zg=", "Z===", "====", "Zm9-", "Zg==Zg==", "Zm 9" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_(strbuf) struct strbuf to = STRBUF_INIT, back = STRBUF_INIT;
		char name[64];

		base64_add(&to, texts[i][0], strlen(texts[i][0]));
		snprintf(name, sizeof(name), "text %zu is written as base64", i);
		is_str(strbuf_str(&to), texts[i][1], name);
		snprintf(name, sizeof(name), "the base64 of text %zu is decoded", i);
		ok(base64_add_decoded(&back, texts[i][1], strlen(texts[i][1])), "%s", name);
		snprintf(name, sizeof(name), "the decoded base64 gives text %zu again", i);
		is_str(strbuf_str(&back), texts[i][0], name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_(strbuf) struct strbuf back = STRBUF_INIT;
		char name[64];

		snprintf(name, sizeof(name), "'%s' is no base64", wrong[i]);
		ok(!base64_add_decoded(&back, wrong[i], strlen(wrong[i])) && !back.len, "%s",
		   name);
	}
}

TAP_MAIN
