// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/recording.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/own_path.h"
#include "machine/action.h"
#include "machine/judge.h"
#include "machine/live_judge.h"
#include "machine/model.h"
#include "output/rendering.h"
#include "recorder/workload.h"
#include "table/check/monitor_text.h"
#include "terminal/word_list.h"

struct monitoring {
	const struct monitor_options *options;
	struct strbuf folder;		/* of the shipped models */
	struct models models;		/* that --monitor names */
	struct judges judges;		/* of the models, in their order */
	struct recording in;
	struct table_output output;
	struct formats *formats;	/* of the running kernel; NULL: not read yet */
	struct live_judge *live;	/* NULL: a recording is judged */
};

static void monitoring_deinit(struct monitoring *m)
{
	live_judge_close(m->live);
	judges_deinit(&m->judges);
	models_deinit(&m->models);
	recording_end(&m->in);
	formats_destroy(m->formats);
	strbuf_deinit(&m->folder);
}
DEFINE_CLEANUP(monitoring, struct monitoring, monitoring_deinit)

static struct error *monitoring_add(void *data, const char *word)
{
	struct monitoring *m = data;
	struct model model = { 0 };
	struct error *err;

	for (size_t i = 0; i < m->models.nr; i++)
		if (!strcmp(m->models.items[i].name, word))
			return NULL;
	err = model_read(m->folder.data, word, &model);
	if (!err && !model.automaton)
		err = error_hint(error_new(ENOENT, "The model %s has a binding, but no automaton",
					   word),
				 "Name the .dot file of its automaton: "
				 "tools/verification/models/.../%s.dot in Linux's sources", word);
	if (!err && array_push(&m->models, model))
		return NULL;
	model_deinit(&model);
	return err ? err : &error_no_memory;
}

static struct error *monitoring_begin(struct monitoring *m)
{
	strbuf_addf(&m->folder, "%s/scripts/monitors", own_path());
	return m->folder.failed ? &error_no_memory : NULL;
}

/* ---- --dot --------------------------------------------------------------------- */

static struct error *monitoring_write_dot(struct monitoring *m, const char *path)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;
	int code;

	if (m->models.nr != 1)
		return error_new(EINVAL, "--dot writes one model, and --monitor names %zu", m->models.nr);
	automaton_add_dot(m->models.items[0].automaton, &text);
	if (text.failed)
		return &error_no_memory;
	if (!strcmp(path, "-"))
		return rendering_print(stdout, &text);
	err = new_file_create(&file, path);
	if (!err)
		err = new_file_share(&file);
	if (err)
		return err;
	code = fd_write_all(file.fd, text.data, text.len);
	return code ? error_errno(-code, "Cannot write %s", path) : new_file_commit(&file);
}

/* ---- running the machines ---------------------------------------------------------- */

/* A tracepoint of the running kernel. */
static const struct event_format *monitoring_find_own(void *data, const char *system,
						      const char *event)
{
	struct monitoring *m = data;
	const struct event_format *known = formats_find_name(m->formats, system, event);
	_cleanup_free_ char *text = NULL;
	size_t len;
	struct error *err = known ? NULL : tracefs_event_format(system, event, &text, &len);

	if (!err && !known)
		err = formats_add(m->formats, system, text, len);
	error_free(err);
	return formats_find_name(m->formats, system, event);
}

/* Append why a model does not run; nothing: it does. */
static struct error *monitoring_add_reason(const struct model *model,
					   const struct monitor_formats *formats,
					   struct strbuf *out)
{
	struct monitor *monitor = NULL;
	struct error *err;

	monitor_add_missing(model->binding, formats, out);
	if (out->len || !model->automaton)
		return out->failed ? &error_no_memory : NULL;
	/* The tracepoint may have had other fields. */
	err = monitor_compile(model->name, model->automaton, model->binding, formats, &monitor);
	if (!err) {
		monitor_destroy(monitor);
		return NULL;
	}
	if (err->code != EINVAL)
		return err;
	strbuf_add(out, err->message, strcspn(err->message, "\n"));
	error_free(err);
	return out->failed ? &error_no_memory : NULL;
}

static struct error *monitoring_print_list(const struct monitoring *m, const struct models *models,
					   const struct monitor_formats *formats)
{
	_cleanup_free_ struct monitor_row *rows = calloc(models->nr + 1, sizeof(*rows));
	_cleanup_free_ struct strbuf *reasons = calloc(models->nr + 1, sizeof(*reasons));
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = rows && reasons ? NULL : &error_no_memory;

	for (size_t i = 0; !err && i < models->nr; i++) {
		const struct model *model = &models->items[i];

		err = monitoring_add_reason(model, formats, &reasons[i]);
		rows[i] = (struct monitor_row){
			model->name, model->binding->description ?: "", strbuf_str(&reasons[i]),
		};
	}
	if (!err) {
		monitor_list_add(rows, models->nr, &m->options->output, &text);
		err = rendering_print(stdout, &text);
	}
	for (size_t i = 0; reasons && i < models->nr; i++)
		strbuf_deinit(&reasons[i]);
	return err;
}

static struct error *monitoring_list(struct monitoring *m)
{
	static const struct selection_words all;
	_cleanup_(models) struct models models = { 0 };
	struct monitor_formats formats = { monitoring_find_own, m };
	struct judge_formats recorded;
	const char *tracefs;
	struct error *err = models_read(m->folder.data, &models);

	if (!err && m->options->input) {
		err = recording_begin(&m->in, m->options->input, &all, NULL);
		if (err)
			return err;
		recorded = (struct judge_formats){
			reader_events(m->in.reader), reader_formats(m->in.reader),
		};
		formats = (struct monitor_formats){ judge_find_format, &recorded };
	} else if (!err) {
		err = tracefs_path(&tracefs);
		if (!err)
			err = formats_create(&m->formats);
	}
	return err ? err : monitoring_print_list(m, &models, &formats);
}

/* ---- judging --------------------------------------------------------------------- */

static struct error *monitoring_compile(struct monitoring *m)
{
	const struct judges_source source = {
		reader_events(m->in.reader), reader_formats(m->in.reader),
		reader_header(m->in.reader)->nr_cpus_online,
	};
	struct error *err = NULL;

	for (size_t i = 0; !err && i < m->models.nr; i++) {
		const struct model *model = &m->models.items[i];

		err = judges_add(&m->judges, model->name, model->automaton, model->binding,
				 &source);
		if (err && err->code == ENODATA)
			err = error_hint(err, "'ktrace check --monitor list' says which models run on this "
					 "kernel");
	}
	return err;
}

/* Where not even the losses are known, nothing is. */
static struct error *monitoring_distrust(struct monitoring *m)
{
	_cleanup_(strbuf) struct strbuf told = STRBUF_INIT;
	struct error *err = judges_distrust(&m->judges, m->output.damaged,
					    reader_ledger(m->in.reader), &told);
	char *save = NULL;

	if (!err && told.failed)
		return &error_no_memory;
	for (char *line = err || !told.len ? NULL : strtok_r(told.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		log_warning("%s", line);
	return err;
}

/*
 * 1: a key violated a model.  2: nothing was judged, or a violation may have been missed.  Keys
 * that never reached a known state are no failure as long as other keys did.
 */
static int monitoring_status(const struct monitor_counts *counts, size_t nr)
{
	bool unknown = false;

	for (size_t i = 0; i < nr; i++) {
		const struct key_counts *c = &counts[i].counts;

		if (c->violations)
			return CHECK_FINDINGS;
		unknown |= !c->ok || c->lost || c->unordered || c->refused;
	}
	return unknown ? CHECK_NOT_CHECKED : 0;
}

/* Tables for programs have no place for it. */
static void monitoring_report_actions(const struct monitoring *m, struct strbuf *text)
{
	_cleanup_(strbuf) struct strbuf lines = STRBUF_INIT;
	struct action_sums sums;
	char *save = NULL;

	live_judge_sum_actions(m->live, &sums);
	action_add_report(m->options->actions, &sums, &lines);
	if (text) {
		strbuf_addf(text, "%s%s", lines.len ? "\n" : "", strbuf_str(&lines));
		return;
	}
	for (char *line = lines.len ? strtok_r(lines.data, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		log_notice("%s", line);
}

static struct error *monitoring_print(struct monitoring *m, int *ret_status)
{
	_cleanup_free_ struct monitor_counts *counts = calloc(m->judges.list.nr, sizeof(*counts));
	_cleanup_free_ struct judges_violation *violations = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	bool both = m->output.format == TABLE_AS_TEXT;
	size_t nr = 0;
	struct error *err;

	if (!counts)
		return &error_no_memory;
	for (size_t i = 0; i < m->judges.list.nr; i++) {
		counts[i].name = m->judges.list.items[i].monitor->name;
		if (m->live)
			live_judge_count(m->live, i, &counts[i].counts);
		else
			key_table_count(judge_keys(m->judges.list.items[i].judge),
					&counts[i].counts);
	}
	err = m->live ? live_judge_violations(m->live, &violations, &nr) :
			judges_violations(&m->judges, &violations, &nr);
	if (err)
		return err;
	if (!m->options->counts && (nr || !both))
		monitor_violations_add(violations, nr, &m->output, &text);
	if (!m->options->counts && nr && both)
		strbuf_addch(&text, '\n');
	if (m->options->counts || both)
		monitor_counts_add(counts, m->judges.list.nr, &m->output, &text);
	if (both)
		strbuf_addf(&text, "\nJudged %s.\n", m->live ? "in the kernel" : "from the recording");
	if (m->live)
		monitoring_report_actions(m, both ? &text : NULL);
	*ret_status = monitoring_status(counts, m->judges.list.nr);
	return text.failed ? &error_no_memory : rendering_print(stdout, &text);
}

/*
 * perf drops an event that fires while it handles another one of that context, and counts none.
 */
static void monitoring_tell_proof(const struct monitoring *m)
{
	const struct ledger *ledger = reader_ledger(m->in.reader);

	for (size_t i = 0; i < m->judges.list.nr; i++) {
		const struct judges_item *j = &m->judges.list.items[i];

		for (size_t e = 0; e < j->monitor->events.nr; e++) {
			const struct event *event = judge_event(j->judge, e);
			struct ledger_row sum = { .proof = LEDGER_UNKNOWN };

			if (!event)
				continue;
			if (ledger && ledger->nr)
				sum = ledger_sum(ledger, event->index);
			if (sum.proof == LEDGER_EXACT && event->source == EVENT_SOURCE_DEVICE)
				continue;
			log_notice("%s was captured by perf, which may drop a firing inside of another one "
				   "without counting it.", event->name);
			return;
		}
	}
}

static struct error *monitoring_judge(struct monitoring *m, int *ret_status)
{
	static const struct selection_words all;
	struct error *err;

	err = recording_begin(&m->in, m->options->input, &all, NULL);
	if (!err)
		err = monitoring_compile(m);
	if (err)
		return err;
	err = recording_sum_up(&m->in, &m->judges.consumer, &m->output);
	if (!err)
		err = monitoring_distrust(m);
	if (err)
		return err;
	monitoring_tell_proof(m);
	return monitoring_print(m, ret_status);
}

/* ---- live ------------------------------------------------------------------------ */

/* Compile a model for this kernel; its item has no judge of its own. */
static struct error *monitoring_add_live(struct monitoring *m, const struct model *model)
{
	const struct monitor_formats formats = { monitoring_find_own, m };
	struct monitor *monitor;
	struct error *err = monitor_compile(model->name, model->automaton, model->binding, &formats,
					    &monitor);

	if (err && err->code == ENODATA)
		return error_hint(err, "'ktrace check --monitor list' says which models run on this "
				  "kernel");
	if (err)
		return err;
	if (!array_push(&m->judges.list, ((struct judges_item){ .monitor = monitor }))) {
		monitor_destroy(monitor);
		return &error_no_memory;
	}
	err = action_check(m->options->actions, monitor);
	if (err || m->options->all_tasks ||
	    (monitor->view.head->key == MACHINE_KEY_TASK && !monitor->of_others))
		return err;
	return error_hint(error_new(EINVAL, "The model %s also judges events of tasks besides the "
				    "command",
				    model->name),
			  "Judge all tasks: ktrace check --monitor=%s -a -- COMMAND", model->name);
}

static struct error *monitoring_compile_live(struct monitoring *m)
{
	const char *tracefs;
	struct error *err = tracefs_path(&tracefs);

	if (!err)
		err = formats_create(&m->formats);
	for (size_t i = 0; !err && i < m->models.nr; i++)
		err = monitoring_add_live(m, &m->models.items[i]);
	return err;
}

static struct error *monitoring_open_live(struct monitoring *m, pid_t pid)
{
	const struct live_actions actions = {
		action_mask(m->options->actions), m->options->actions->max_rate,
	};
	struct error *err = live_judge_open(&m->judges, m->options->all_tasks ? 0 : pid, &actions,
					    &m->live);

	if (err && err->code == ENOENT)
		err = error_hint(error_prefix(err, "Only the module judges while a command runs"),
				 "Or judge a recording: 'ktrace record -a -e EVENTS -- COMMAND', then "
				 "'ktrace check --monitor'");
	return err;
}

static void monitoring_act(void *data, const struct judges_violation *row, uint64_t boottime)
{
	const struct monitoring *m = data;

	action_take(m->options->actions, row, boottime);
}

/*
 * Until the command ends or, without one, a signal comes, or until the action "stop".  Violations
 * that the module did not wake us for, because of --action-rate, are read after a second.
 */
static struct error *monitoring_wait(struct monitoring *m, struct workload *workload)
{
	struct action_list *actions = m->options->actions;
	struct pollfd fd = { .fd = live_judge_fd(m->live), .events = POLLPRI };
	struct error *err = workload->pid ? workload_exec(workload) : NULL;

	while (!err && !actions->stops && !interrupt_signal() &&
	       !(workload->pid && workload_ended(workload))) {
		interrupt_poll(&fd, 1, 1000);
		if (actions->nr)
			err = live_judge_read(m->live, monitoring_act, m);
		action_reap(actions);
	}
	return err;
}

/* Act on the last violations, and wait for commands of actions until a signal comes. */
static struct error *monitoring_finish_actions(struct monitoring *m)
{
	struct action_list *actions = m->options->actions;
	struct error *err = actions->nr ? live_judge_read(m->live, monitoring_act, m) : NULL;

	while (!err && action_reap(actions) && !interrupt_signal())
		interrupt_poll(NULL, 0, 1000);
	return err;
}

static struct error *monitoring_run_live(struct monitoring *m, struct workload *workload)
{
	struct error *err = monitoring_open_live(m, workload->pid);

	if (!err)
		err = live_judge_start(m->live);
	if (!err)
		err = monitoring_wait(m, workload);
	if (!err)
		err = live_judge_stop(m->live);
	return err ? err : monitoring_finish_actions(m);
}

static struct error *monitoring_live(struct monitoring *m, int *ret_status)
{
	const struct workload_options options = { .argv = m->options->command, .unblocked = true };
	struct workload workload = { 0 };
	struct error *err = monitoring_compile_live(m);

	if (err)
		return err;
	interrupt_begin();
	interrupt_block();
	if (options.argv)
		err = workload_fork(&options, &workload);
	if (!err)
		err = monitoring_run_live(m, &workload);
	workload_finish(&workload);
	if (!err)
		err = monitoring_print(m, ret_status);
	interrupt_end();
	if (!err && workload.pid && workload_status(&workload)) {
		log_warning("The command ended with the status %d.", workload_status(&workload));
		*ret_status = *ret_status ?: CHECK_NOT_CHECKED;
	}
	return err;
}

void check_monitor_add_names(struct strbuf *out)
{
	_cleanup_(monitoring) struct monitoring m = { .folder = STRBUF_INIT };
	_cleanup_(models) struct models models = { 0 };
	struct error *err = monitoring_begin(&m);

	if (!err)
		err = models_read(m.folder.data, &models);
	strbuf_addstr(out, "list");
	for (size_t i = 0; !err && i < models.nr; i++)
		strbuf_addf(out, ", %s", models.items[i].name);
	error_free(err);
}

struct error *check_monitor_run(const struct monitor_options *options, int *ret_status)
{
	_cleanup_(monitoring) struct monitoring m = {
		.options = options, .output = options->output,
	};
	struct error *err;

	judges_init(&m.judges);
	err = monitoring_begin(&m);
	if (err)
		return err;
	if (!strcmp(options->models, "list"))
		return options->dot ? error_new(EINVAL, "--dot writes a model, not the list of them") :
				      monitoring_list(&m);
	err = word_list_each(options->models, ",", monitoring_add, &m);
	if (!err && !m.models.nr)
		err = error_new(EINVAL, "--monitor needs the name of a model");
	if (!err && options->dot)
		return monitoring_write_dot(&m, options->dot);
	if (!err && (options->command || options->all_tasks))
		return monitoring_live(&m, ret_status);
	return err ? err : monitoring_judge(&m, ret_status);
}
