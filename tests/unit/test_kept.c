// SPDX-License-Identifier: GPL-2.0
/* Sessions that another program has set up: their descriptions, without the device. */
#include <linux/ktrace.h>
#include <stdlib.h>

#include "capture/ktrace/kept.h"
#include "tap.h"

/* Events have their places in any order of their ids: they are all counted. */
static void test_order(const uint64_t *ids, size_t nr, const char *want)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	_cleanup_(kept_session) struct kept_session session = KEPT_SESSION_INIT;
	struct event_list events;
	struct capture *capture = NULL;
	struct error *err;

	event_list_init(&events);
	for (size_t i = 0; i < nr; i++) {
		struct event *event;

		if (event_list_add(&events, &attr, "test:event", &event) ||
		    event_add_id(event, ids[i]))
			exit(1);
	}
	session.nr_events = nr + 1;
	err = kept_capture(&session, capture_backend_find("ktrace"), &events, false, &capture);
	is_error(err, want, "the description is refused");
	event_list_deinit(&events);
}

int main(void)
{
	static const uint64_t up[] = { KTRACE_ID_BASE, KTRACE_ID_BASE + 1 };
	static const uint64_t down[] = { KTRACE_ID_BASE + 1, KTRACE_ID_BASE };
	static const uint64_t gap[] = { KTRACE_ID_BASE + 7, KTRACE_ID_BASE, KTRACE_ID_BASE + 3 };
	static const uint64_t foreign[] = { KTRACE_ID_BASE, 5 };

	about("ascending ids");
	test_order(up, 2, "The session has 3 events, but its description has 2");
	about("descending ids");
	test_order(down, 2, "The session has 3 events, but its description has 2");
	about("ids with gaps");
	test_order(gap, 3, "The session has 4 events, but its description has 3");
	about("an id of another module");
	test_order(foreign, 2, "The session has an event test:event that the ktrace module cannot have "
		   "recorded");
	return tap_done();
}
