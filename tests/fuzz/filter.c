// SPDX-License-Identifier: GPL-2.0
/* Filter expressions, the texts and programs made of them for the kernel, and their matches. */
#include "fuzz.h"

#include "capture/ktrace/filter_encode.h"
#include "capture/perf/filter_match.h"
#include "capture/perf/filter_text.h"
#include "lib/log.h"
#include "spec/filter_expr.h"

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
	"\tfield:unsigned int e;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s\", __print_symbolic(REC->e, { 0, \"HI\" }, { 1, \"TIMER\" })\n";

static const struct event_format *format;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct formats *formats;

	log_quiet = true;
	if (formats_create(&formats) ||
	    formats_add(formats, "sys", format_text, strlen(format_text)))
		return 1;
	format = formats_find(formats, 77);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = text_of(data, size);
	_cleanup_(filter) struct filter_node *tree = NULL;
	_cleanup_(strbuf) struct strbuf words = STRBUF_INIT;
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	/* The record is the end of the text. */
	struct sample sample = {
		.pid = 1, .tid = 2, .cpu = 3, .raw = data + size - (size < 48 ? size : 48),
		.raw_size = size < 48 ? size : 48,
	};
	struct error *err = filter_parse(text, format, &tree);

	if (!err)
		filter_text(tree, &words);
	if (!err && !filter_match_missing(tree))
		filter_match(tree, &sample);
	if (!err)
		err = filter_encode(tree, &program);
	error_free(err);
	return 0;
}
