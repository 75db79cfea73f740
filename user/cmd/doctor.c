// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/doctor.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "terminal/options.h"
#include "terminal/terminal.h"

static const char *const words[] = {
	[DOCTOR_OK] = "ok", [DOCTOR_LIMITED] = "limited", [DOCTOR_BLOCKED] = "blocked",
};

static const enum color_role colors[] = {
	[DOCTOR_OK] = COLOR_GOOD, [DOCTOR_LIMITED] = COLOR_WARNING, [DOCTOR_BLOCKED] = COLOR_ERROR,
};

static void add_json(struct json_writer *json, const struct doctor_check *check,
		     const struct doctor_result *result)
{
	json_begin_row(json, NULL);
	json_add_text(json, "check", check->name);
	json_add_text(json, "status", words[result->status]);
	json_add_text(json, "value", strbuf_str(&result->value));
	json_add_text(json, "next", result->status == DOCTOR_OK ? NULL : strbuf_str(&result->next));
	json_end_object(json);
}

static void print_text(const struct doctor_check *check, const struct doctor_result *result)
{
	_cleanup_(strbuf) struct strbuf value = STRBUF_INIT, next = STRBUF_INIT;
	enum color_role color = colors[result->status];
	size_t columns = terminal_columns();

	terminal_add_wrapped(&value, strbuf_str(&result->value), 25, 25, columns);
	terminal_add_wrapped(&next, strbuf_str(&result->next), 31, 31, columns);
	printf("%s%-8s%s %-15s %s\n", color_on(color), words[result->status], color_off(color),
	       check->name, strbuf_str(&value));
	if (result->status != DOCTOR_OK)
		printf("%24s next: %s\n", "", strbuf_str(&next));
}

static void print_blocker(const char *name, const struct doctor_result *result)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, next = STRBUF_INIT;
	size_t columns = terminal_columns();

	strbuf_addf(&text, "Blocked by %s: %s", name, strbuf_str(&result->value));
	terminal_add_wrapped(&next, strbuf_str(&text), 0, 0, columns);
	strbuf_addstr(&next, "\n    ");
	terminal_add_wrapped(&next, strbuf_str(&result->next), 4, 4, columns);
	printf("\n%s\n", strbuf_str(&next));
}

struct error *cmd_doctor(int argc, char **argv, int *ret_status)
{
	_cleanup_(doctor_result) struct doctor_result blocker = { 0 };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer writer = { .out = &text };
	const char *root = getenv("KTRACE_DOCTOR_ROOT"), *blocked = NULL;
	bool json = false;
	const struct option_spec options[] = {
		OPT_FLAG("json", &json),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "doctor",
		.synopsis = "[--json]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	err = options_no_argument(&usage, argc, argv, index);
	if (err)
		return err;
	json_begin_array(&writer, NULL);
	for (const struct doctor_check *check = doctor_checks; check->name; check++) {
		struct doctor_result result = { 0 };

		check->run(root ? root : "", &result);
		if (json)
			add_json(&writer, check, &result);
		else
			print_text(check, &result);
		if (result.status == DOCTOR_BLOCKED && !blocked) {
			blocked = check->name;
			blocker = result;
		} else {
			doctor_result_deinit(&result);
		}
	}
	json_end_array(&writer);
	json_end(&writer);
	if (text.failed)
		return &error_no_memory;
	if (json)
		fwrite(text.data, 1, text.len, stdout);
	else if (blocked)
		print_blocker(blocked, &blocker);
	*ret_status = blocked ? EXIT_FAILURE : 0;
	return NULL;
}
