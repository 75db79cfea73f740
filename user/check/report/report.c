// SPDX-License-Identifier: GPL-2.0
#include "check/report/report.h"

const struct report_format report_formats[] = {
	{ "text", report_text },
	{ "ktap", report_ktap },
	{ "junit", report_junit },
	{ "sarif", report_sarif },
	{ "json", report_json },
	{ 0 },
};
