// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd/event_words.h"
#include "cmd/kvm/kvm.h"
#include "cmd/live_run.h"
#include "cmd/record_options.h"
#include "format/tracefs.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "output/rendering.h"
#include "table/kvm/kvm_text.h"
#include "terminal/word_list.h"

/* Interval between marks, after which records are counted. */
#define KVM_ROUND_MS	100

/* perf's: 2 MiB for each CPU. */
#define KVM_PAGES	512

struct kvm_live {
	struct kvm_options *options;
	struct record_options record;
	unsigned int display;	/* seconds */
	unsigned int slower_than;	/* us; 0: no message */
	struct vm_event_listener listener;
	struct live_run run;
	struct vm_events *events;
	uint64_t show_at;	/* ms */
};

static void kvm_live_deinit(struct kvm_live *k)
{
	vm_events_destroy(k->events);
	live_run_deinit(&k->run);
	record_options_deinit(&k->record);
}

DEFINE_CLEANUP(kvm_live, struct kvm_live, kvm_live_deinit)

/* An idle guest halts, for any length of time. */
static bool kvm_is_halt(const struct vm_event_row *row)
{
	return row->name && (!strcmp(row->name, "HLT") || !strcmp(row->name, "hlt") ||
			     !strcmp(row->name, "WFx"));
}

static void kvm_tell_slow(struct vm_event_listener *listener, const struct session_record *end,
			  int32_t vcpu, const struct vm_event_row *row, uint64_t ns)
{
	struct kvm_live *k = container_of(listener, struct kvm_live, listener);
	_cleanup_(strbuf) struct strbuf what = STRBUF_INIT;

	if (kvm_is_halt(row))
		return;
	kvm_text_add_what(k->options->events.class, row, &what);
	printf("%" PRIu64 " VM %" PRId32 ", vcpu %" PRId32 ": %s event took %" PRIu64 "usec\n",
	       end->sample.time, end->sample.pid, vcpu, strbuf_str(&what), ns / 1000);
	fflush(stdout);
}

static void kvm_add_clock(struct strbuf *out)
{
	struct timespec now;
	struct tm tm;
	char text[16];

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm) || !strftime(text, sizeof(text), "%H:%M:%S", &tm))
		return;
	strbuf_addf(out, "%s.%06ld", text, now.tv_nsec / 1000);
}

static struct error *kvm_live_show(struct kvm_live *k)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	k->show_at = monotonic_ms() + k->display * 1000ULL;
	if (isatty(STDOUT_FILENO))
		strbuf_addstr(&text, "\033[H\033[2J");
	kvm_add_clock(&text);
	kvm_table_add(k->events, k->options->sort, k->options->pids, &(struct table_output){ 0 },
		      &text);
	vm_events_reset(k->events);
	err = rendering_print(stdout, &text);
	/* A pipe or a file gets each table when it is complete. */
	fflush(stdout);
	return err;
}

static struct error *kvm_live_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct kvm_live *k = container_of(consumer, struct kvm_live, run.live.consumer);
	struct error *err = live_run_take(&k->run, &k->events->consumer, NULL);

	if (!err && monotonic_ms() >= k->show_at)
		err = kvm_live_show(k);
	*ret_end = ferror(stdout);
	return err;
}

static struct error *kvm_add_event(struct kvm_live *k, const char *name, bool needed)
{
	_cleanup_free_ char *text = NULL;
	uint64_t id;
	struct error *err = tracefs_event_id("kvm", name, &id);

	if (err) {
		/* An error of permission already has a next step. */
		if (needed && err->code == EACCES)
			return err;
		if (needed)
			return error_hint(err, "Guests of KVM run where the module kvm is loaded");
		error_free(err);
		return NULL;
	}
	if (asprintf(&text, "kvm:%s", name) < 0)
		return &error_no_memory;
	return event_words_add(&k->record.specs, text);
}

static struct error *kvm_add_needed(void *data, const char *name)
{
	return kvm_add_event(data, name, true);
}

static struct error *kvm_add_if_there(void *data, const char *name)
{
	return kvm_add_event(data, name, false);
}

static struct error *kvm_add_events(struct kvm_live *k)
{
	struct error *err = word_list_each(kvm_events->always, " ", kvm_add_needed, k);

	return err ? err : word_list_each(kvm_events->if_there, " ", kvm_add_if_there, k);
}

static struct error *kvm_live_open(struct kvm_live *k)
{
	const struct workload_options no_command = { 0 };
	struct error *err = kvm_add_events(k);

	if (!err)
		err = plan_init(&k->record.plan, &k->run.plan);
	if (!err)
		err = recorder_open(&k->run.plan, &no_command, &k->run.recorder);
	if (!err)
		err = live_run_add_formats(&k->run, "kvm:*");
	if (!err)
		err = vm_events_create(&k->options->events, &k->events);
	return err ? err : live_run_begin(&k->run, NULL);
}

static struct error *kvm_live_run(struct kvm_live *k)
{
	struct live_run *run = &k->run;
	struct error *err;

	run->live.consumer.turn = kvm_live_turn;
	run->recorder.loop.latency_ms = KVM_ROUND_MS;
	k->show_at = monotonic_ms() + k->display * 1000ULL;
	err = recorder_start(&run->recorder);
	if (!err)
		err = live_run_loop(run);
	if (!err)
		err = live_run_take(run, &k->events->consumer, NULL);
	if (!err)
		err = kvm_live_show(k);
	if (!err)
		live_run_tell_lost(run, "events", "helps");
	return err;
}

static struct error *kvm_live_check(struct kvm_live *k)
{
	struct target_options *target = &k->record.plan.target;
	struct error *err = kvm_options_resolve(k->options);

	if (!err && !k->display)
		err = error_new(EINVAL, "-d takes a number of seconds, not 0");
	if (!err && target->all_cpus && k->options->pids)
		err = error_hint(error_new(EINVAL, "kvm stat live -a and -p are different targets"),
				 "Without both, all virtual machines are measured");
	target->pids = k->options->pids;
	target->all_cpus = !target->pids;
	k->options->events.slower_than = k->slower_than * 1000ULL;
	k->options->events.listener = &k->listener;
	return err;
}

static struct error *kvm_live_measure(void *data)
{
	struct kvm_live *k = data;
	struct error *err = kvm_live_check(k);

	if (err)
		return err;
	interrupt_begin();
	err = kvm_live_open(k);
	if (!err)
		err = kvm_live_run(k);
	event_words_end();
	return interrupt_quit(err);
}

struct error *kvm_live(struct subcommand_call *call, struct kvm_options *o)
{
	_cleanup_(kvm_live) struct kvm_live k = {
		.options = o, .display = 1, .listener.slow = kvm_tell_slow,
		.record.plan = {
			.clockid = -1, .period = 1, .pages = KVM_PAGES, .sample_cpu = true,
		},
		.run.info = { .argc = call->argc, .argv = call->argv },
	};
	const struct option_spec options[] = {
		KVM_TABLE_OPTIONS(o),
		OPT_FLAG("all-cpus", &k.record.plan.target.all_cpus),
		OPT_STRING("pid", &o->pids),
		OPT_UINT("display", &k.display),
		OPT_UINT("duration", &k.slower_than),
		OPT_CALL("mmap-pages", &k.record.plan.pages, record_parse_pages),
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};

	k.record.plan.specs = &k.record.specs;
	call->data = &k;
	return subcommand_do(call, options, kvm_live_measure);
}
