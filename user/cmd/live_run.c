// SPDX-License-Identifier: GPL-2.0
#include "cmd/live_run.h"

#include <inttypes.h>

#include "format/format_files.h"
#include "lib/log.h"

struct error *live_run_add_formats(struct live_run *run, const char *glob)
{
	_cleanup_(format_files) struct format_files files = { 0 };
	struct error *err = run->formats ? NULL : formats_create(&run->formats);

	if (!err)
		err = format_files_read(NULL, (char *[]){ (char *)glob, NULL }, &files);
	for (size_t i = 0; i < files.nr && !err; i++)
		if (!formats_find_name(run->formats, files.items[i].system, files.items[i].name))
			err = formats_add(run->formats, files.items[i].system, files.items[i].text,
					  files.items[i].len);
	return err;
}

struct error *live_run_begin(struct live_run *run, const struct symbol_options *symbols)
{
	struct error *err = symbols ? header_init_local(&run->header) : NULL;

	if (!err && symbols)
		err = machine_create(&run->header, symbols, &run->machine);
	run->info.version = KTRACE_VERSION;
	run->info.clockid = -1;
	if (!err)
		err = live_records_init(&run->plan, &run->recorder.captures, &run->info,
					&run->live);
	if (err)
		return err;
	run->session = (struct session){
		.source = &run->live.source, .events = plan_seen(&run->plan),
		.formats = run->formats ? run->formats : run->plan.filters.formats,
		.machine = run->machine,
	};
	return session_start(&run->session);
}

struct error *live_run_take(struct live_run *run, struct session_consumer *consumer,
			    const volatile int *stop)
{
	struct error *err = NULL;
	bool more = true;

	while (more && !err && !(stop && *stop))
		err = session_step(&run->session, consumer, &more);
	return err;
}

struct error *live_run_loop(struct live_run *run)
{
	struct error *err = recorder_run(&run->recorder, &run->live.consumer);

	if (!err)
		err = recorder_ledger(&run->recorder, &run->live.consumer);
	run->live.ended = true;
	return err;
}

void live_run_tell_lost(const struct live_run *run, const char *what, const char *advice)
{
	struct ledger_row sum = ledger_sum(&run->recorder.ledger, UINT32_MAX);

	if (ledger_row_lost(&sum))
		log_warning("%" PRIu64 " %s were lost: a larger ring (-m) %s.",
			    ledger_row_lost(&sum), what, advice);
}

void live_run_deinit(struct live_run *run)
{
	session_finish(&run->session);
	machine_destroy(run->machine);
	formats_destroy(run->formats);
	header_deinit(&run->header);
	live_records_deinit(&run->live);
	recorder_close(&run->recorder);
	plan_deinit(&run->plan);
}
