// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/doctor.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/options.h"

static const char *const words[] = {
	[CHECK_OK] = "ok", [CHECK_LIMITED] = "limited", [CHECK_BLOCKED] = "blocked",
};

static const enum color_role colors[] = {
	[CHECK_OK] = COLOR_GOOD, [CHECK_LIMITED] = COLOR_WARNING, [CHECK_BLOCKED] = COLOR_ERROR,
};

static void print_json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_json(const struct check *check, const struct check_result *result)
{
	printf("%s\n  {\"check\": ", check == checks ? "[" : ",");
	print_json_string(check->name);
	printf(", \"status\": \"%s\", \"value\": ", words[result->status]);
	print_json_string(strbuf_str(&result->value));
	printf(", \"next\": ");
	if (result->status == CHECK_OK)
		printf("null");
	else
		print_json_string(strbuf_str(&result->next));
	putchar('}');
}

static void print_text(const struct check *check, const struct check_result *result)
{
	enum color_role color = colors[result->status];

	printf("%s%-8s%s %-15s %s\n", color_on(color), words[result->status], color_off(color),
	       check->name, strbuf_str(&result->value));
	if (result->status != CHECK_OK)
		printf("%24s next: %s\n", "", strbuf_str(&result->next));
}

struct error *cmd_doctor(int argc, char **argv, int *ret_status)
{
	_cleanup_(check_result) struct check_result blocker = { 0 };
	const char *root = getenv("KTRACE_DOCTOR_ROOT"), *blocked = NULL;
	bool json = false;
	const struct option_spec options[] = {
		{ OPTION_FLAG, 0, "json", NULL, "print a JSON array", &json, 0 },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "doctor",
		.synopsis = "[--json]",
		.summary = "Check what can be traced here, and what to do about the rest",
		.options = options,
	};
	struct error *err;
	int index;

	err = options_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	err = options_no_argument(&usage, argc, argv, index);
	if (err)
		return err;
	for (const struct check *check = checks; check->name; check++) {
		struct check_result result = { 0 };

		check->run(root ? root : "", &result);
		if (json)
			print_json(check, &result);
		else
			print_text(check, &result);
		if (result.status == CHECK_BLOCKED && !blocked) {
			blocked = check->name;
			blocker = result;
		} else {
			check_result_deinit(&result);
		}
	}
	if (json)
		printf("\n]\n");
	else if (blocked)
		printf("\nBlocked by %s: %s\n    %s\n", blocked, strbuf_str(&blocker.value),
		       strbuf_str(&blocker.next));
	*ret_status = blocked ? EXIT_FAILURE : 0;
	return NULL;
}
