// SPDX-License-Identifier: GPL-2.0
/*
 * Automata in .dot files and their bindings, one text behind the other after a line "===". Models
 * that compile judge made-up records.  A text that begins with "MCHN" is a program, as an ioctl
 * would get it.
 */
#include "fuzz.h"

#include "lib/error.h"
#include "machine/key_table.h"

static char format_text[] =
	"name: ev\n"
	"ID: 77\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:s8 a;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield:u64 b;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char c[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] d;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s\", REC->c\n";

static const struct event_format *format;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct formats *formats;

	if (formats_create(&formats) ||
	    formats_add(formats, "sys", format_text, strlen(format_text)))
		return 1;
	format = formats_find(formats, 77);
	return 0;
}

static const struct event_format *find_format(void *data, const char *system, const char *event)
{
	return format;
}

/* Feed records, ends and losses, whose order and values are made of @seed. */
static void judge(const struct monitor *monitor, const uint8_t *seed, size_t size)
{
	_cleanup_(key_table) struct key_table *table = NULL;
	unsigned char raw[48] = { 77 };
	struct key_counts counts;
	size_t nr;

	if (key_table_create(monitor, &table))
		abort();
	for (size_t i = 0; i < size && i < 200; i++) {
		const struct machine_record record = {
			.raw = raw, .raw_size = seed[i] % 49, .swapped = seed[i] & 64,
			.cpu = seed[i] % 3 - 1, .tid = seed[i] % 4 - 1, .tgid = seed[i] % 4 - 1,
			.time = i * 10 - seed[i] % 16 + 100,
		};

		raw[8 + seed[i] % 40] = seed[i];
		switch (seed[i] % 11) {
		case 0:
			key_table_lose(table, seed[i] % 3 - 1, i * 9, record.time, seed[i] & 32);
			break;
		case 1:
			key_table_end_task(table, seed[i] % 4, record.time);
			break;
		case 2:
			key_table_begin_task(table, seed[i] % 4, record.time);
			break;
		default:
			key_table_take(table, seed[i] % monitor->events.nr, &record);
			break;
		}
	}
	key_table_finish(table, size * 10 + 1000);
	key_table_count(table, &counts);
	key_table_violations(table, &nr);
	if (nr != counts.violations ||
	    counts.keys != counts.ok + counts.violated + counts.not_started + counts.lost +
			   counts.unordered)
		abort();
}

/* A written automaton must be the same when it is read. */
static void write_again(const struct automaton *automaton)
{
	_cleanup_(strbuf) struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;
	_cleanup_(automaton) struct automaton *again = NULL;

	automaton_add_dot(automaton, &one);
	if (automaton_parse("again.dot", one.data, one.len, &again))
		abort();
	automaton_add_dot(again, &two);
	if (strcmp(one.data, two.data)) {
		fprintf(stderr, "%s%s", one.data, two.data);
		abort();
	}
}

static void run_program(const uint8_t *data, size_t size)
{
	/* Aligned, as a program has to be. */
	_cleanup_free_ void *bytes = malloc(size);
	struct monitor monitor = { .name = "fuzz" };

	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	if (!machine_verify(bytes, size, &monitor.view))
		return;
	monitor.events.nr = 1;
	judge(&monitor, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct monitor_formats formats = { find_format, NULL };
	_cleanup_free_ char *text = text_of(data, size);
	_cleanup_(automaton) struct automaton *automaton = NULL;
	_cleanup_(binding) struct binding *binding = NULL;
	_cleanup_(monitor) struct monitor *monitor = NULL;
	char *rest = strstr(text, "\n===\n");
	size_t len = rest ? (size_t)(rest - text) : size;

	if (size > 4 && !memcmp(data, "MCHN", 4)) {
		run_program(data + 4, size - 4);
		return 0;
	}
	error_free(automaton_parse("a.dot", text, len, &automaton));
	if (rest)
		error_free(binding_parse("a.binding", rest + 5, size - len - 5, &binding));
	if (automaton)
		write_again(automaton);
	if (!automaton || !binding)
		return 0;
	error_free(monitor_compile("a", automaton, binding, &formats, &monitor));
	if (monitor)
		judge(monitor, data, size);
	return 0;
}
