// SPDX-License-Identifier: GPL-2.0
#include "recorder/chains/chains.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/log.h"
#include "record/sample.h"

/*
 * The number and the period of samples for a decision.  They must be large enough that the
 * beginning of a program has little weight.  With a longer period, fewer samples are enough.
 */
#define TRIED_SAMPLES	200
#define TRIED_NS	250000000ULL
#define FEW_SAMPLES	50
#define FEW_NS		2000000000ULL

/* The limit of records of tasks and maps for the verdict. */
#define KNOWN_MAX	(8u << 20)

enum chain_step {
	CHAIN_TRIED = 0,
	CHAIN_ASKED,		/* a process computes the verdict */
	CHAIN_OVERLAPS,		/* both events are enabled */
	CHAIN_DONE,
};

/* An event that is tried, and the events that can replace it. */
struct chain_trial {
	struct event *tried, *pointers, *wide;
	enum chain_step step;
	struct strbuf samples;	/* the kept samples of the event, whole */
	size_t nr;		/* their number: between 200 and 400 after thinning */
	uint64_t seen, every;	/* one of `every` samples is kept */
	uint64_t first, last;	/* times of the samples, ns */
	struct chain_verdict verdict;
};

struct chain_choice {
	struct plan *plan;
	struct record_sink sink, *next;
	struct strbuf out;	/* the records of a span for the next sink */
	struct strbuf known;	/* records of tasks and maps */
	size_t nr_undecided;
	uint32_t *merged;	/* by event: its index in plan->merged */
	size_t nr_merged;
	ARRAY_OF(struct chain_trial) trials;
	pid_t maker;		/* of the verdict of `asked`; 0: none */
	int verdict;		/* its pipe */
	struct timeval cpu;	/* of ended processes */
	struct chain_trial *asked;
};

static struct chain_trial *trial_of(const struct chain_choice *choice, const struct event *event)
{
	return array_find(&choice->trials, it, it->tried == event);
}

/* Drop every second sample. */
static void trial_thin(struct chain_trial *trial)
{
	size_t to = 0, nr = 0;

	for (size_t at = 0; at < trial->samples.len; nr++) {
		const struct perf_event_header *header = (const void *)(trial->samples.data + at);
		size_t size = header->size;

		if (nr % 2 == 0) {
			memmove(trial->samples.data + to, header, size);
			to += size;
		}
		at += size;
	}
	trial->samples.len = to;
	trial->nr = (nr + 1) / 2;
	trial->every *= 2;
}

static void trial_keep(struct chain_trial *trial, const struct perf_event_header *header)
{
	struct sample sample;

	if (!sample_decode(trial->tried, header, &sample) || !sample.user_stack_size)
		return;
	if (!trial->first)
		trial->first = sample.time;
	trial->last = sample.time;
	if (trial->seen++ % trial->every)
		return;
	chain_records_add(&trial->samples, trial->tried, header, true);
	if (++trial->nr == 2 * TRIED_SAMPLES)
		trial_thin(trial);
}

/* Whether a record maps code. */
static bool tells_code(const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return !(header->misc & PERF_RECORD_MISC_MMAP_DATA);
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		return true;
	}
	return false;
}

static void choice_take(struct chain_choice *choice, const struct perf_event_header *header)
{
	const struct event *event = NULL;
	struct chain_trial *trial;

	if (header->type == PERF_RECORD_SAMPLE)
		event = event_list_find_record(&choice->plan->events, header);
	else if (choice->nr_undecided && tells_code(header) && choice->known.len < KNOWN_MAX)
		strbuf_add(&choice->known, header, header->size);
	if (!event || !(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)) {
		strbuf_add(&choice->out, header, header->size);
		return;
	}
	trial = event->is_tried ? trial_of(choice, event) : NULL;
	if (trial && trial->step == CHAIN_TRIED)
		trial_keep(trial, header);
	chain_records_add(&choice->out, event, header, false);
}

static struct error *choice_flush(struct chain_choice *choice, uint32_t cpu)
{
	struct record_span span = { choice->out.data, choice->out.len, cpu };
	struct error *err = NULL;

	if (choice->out.failed)
		return &error_no_memory;
	if (span.size)
		err = record_sink_write(choice->next, &span);
	strbuf_reset(&choice->out);
	return err;
}

static struct error *choice_write(struct record_sink *sink, const struct record_span *span)
{
	struct chain_choice *choice = container_of(sink, struct chain_choice, sink);
	const struct perf_event_header *header;
	struct error *err = NULL;

	for (size_t at = 0; at < span->size && !err; at += header->size) {
		header = (const void *)((const char *)span->data + at);
		choice_take(choice, header);
		if (choice->out.len % 8)
			err = choice_flush(choice, span->cpu);
	}
	return err ? err : choice_flush(choice, span->cpu);
}

static struct error *choice_round(struct record_sink *sink, uint64_t mark)
{
	return record_sink_round(container_of(sink, struct chain_choice, sink)->next, mark);
}

static const struct record_sink_ops choice_ops = { .write = choice_write, .round = choice_round };

struct record_sink *chain_choice_sink(struct chain_choice *choice, struct record_sink *sink)
{
	choice->next = sink;
	return &choice->sink;
}

/* Add an event to plan->merged, or its ids to those of the event that it replaces. */
static struct error *choice_merge(struct chain_choice *choice, const struct event *event)
{
	struct event_list *merged = &choice->plan->merged;
	struct error *err = NULL;
	struct event *to;

	if (event->replaces) {
		choice->merged[event->index] = choice->merged[event->replaces->index];
		to = merged->items[choice->merged[event->index]];
	} else {
		choice->merged[event->index] = merged->nr;
		err = event_list_add_copy(merged, event, &to);
		if (!err)
			to->group = event->group;
	}
	for (size_t i = 0; i < event->nr_ids && !err; i++)
		err = event_add_id(to, event->ids[i]);
	return err;
}

static struct error *choice_add_trial(struct chain_choice *choice, struct event *tried)
{
	const struct event_list *events = &choice->plan->events;
	struct chain_trial trial = { .tried = tried, .every = 1 };

	for (size_t i = 0; i < events->nr; i++) {
		struct event *event = events->items[i];

		if (event->replaces != tried)
			continue;
		if (event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			trial.wide = event;
		else
			trial.pointers = event;
	}
	return array_push(&choice->trials, trial) ? NULL : &error_no_memory;
}

struct error *chain_choice_create(struct plan *plan, struct chain_choice **ret)
{
	const struct event_list *events = &plan->events;
	struct chain_choice *choice;
	struct error *err = NULL;
	bool tries = false;

	*ret = NULL;
	for (size_t i = 0; i < events->nr; i++)
		tries |= events->items[i]->is_tried;
	if (!tries)
		return NULL;
	choice = calloc(1, sizeof(*choice));
	if (!choice)
		return &error_no_memory;
	*ret = choice;
	choice->plan = plan;
	choice->sink.ops = &choice_ops;
	choice->merged = calloc(events->nr, sizeof(*choice->merged));
	if (!choice->merged)
		return &error_no_memory;
	choice->nr_merged = events->nr;
	for (size_t i = 0; i < events->nr && !err; i++) {
		if (events->items[i]->is_tried)
			err = choice_add_trial(choice, events->items[i]);
		if (!err)
			err = choice_merge(choice, events->items[i]);
	}
	choice->nr_undecided = choice->trials.nr;
	return err ? err : event_list_index(&plan->merged);
}

static void choice_end_maker(struct chain_choice *choice)
{
	struct rusage usage = { 0 };

	if (!choice->maker)
		return;
	kill(choice->maker, SIGKILL);
	close(choice->verdict);
	while (wait4(choice->maker, NULL, 0, &usage) < 0 && errno == EINTR)
		;
	choice->maker = 0;
	timeradd(&choice->cpu, &usage.ru_utime, &choice->cpu);
	timeradd(&choice->cpu, &usage.ru_stime, &choice->cpu);
}

struct timeval chain_choice_cpu(const struct chain_choice *choice)
{
	return choice ? choice->cpu : (struct timeval){ 0 };
}

void chain_choice_destroy(struct chain_choice *choice)
{
	if (!choice)
		return;
	choice_end_maker(choice);
	for (size_t i = 0; i < choice->trials.nr; i++)
		strbuf_deinit(&choice->trials.items[i].samples);
	strbuf_deinit(&choice->out);
	strbuf_deinit(&choice->known);
	free(choice->trials.items);
	free(choice->merged);
	free(choice);
}

static bool trial_is_ready(const struct chain_trial *trial)
{
	uint64_t ns = trial->last - trial->first;

	return trial->step == CHAIN_TRIED && !trial->samples.failed &&
	       ((trial->nr >= TRIED_SAMPLES && ns >= TRIED_NS) ||
		(trial->nr >= FEW_SAMPLES && ns >= FEW_NS));
}

static void trial_finish(struct chain_choice *choice, struct chain_trial *trial)
{
	trial->step = CHAIN_DONE;
	strbuf_deinit(&trial->samples);
	choice->nr_undecided--;
	if (!choice->nr_undecided)
		strbuf_deinit(&choice->known);
}

/*
 * The verdict is computed in a process, because unwinding can take a second and the rings must be
 * drained meanwhile.
 */
static void choice_ask(struct chain_choice *choice, struct chain_trial *trial)
{
	struct chain_verdict verdict;
	struct error *err;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return trial_finish(choice, trial);
	choice->maker = fork();
	if (!choice->maker) {
		log_quiet = true;
		err = chain_verdict_make(&choice->plan->events, &choice->known, &trial->samples,
					 &verdict);
		_exit(err || write(fds[1], &verdict, sizeof(verdict)) != sizeof(verdict));
	}
	close(fds[1]);
	choice->verdict = fds[0];
	if (choice->maker < 0) {
		choice->maker = 0;
		close(fds[0]);
		return trial_finish(choice, trial);
	}
	choice->asked = trial;
	trial->step = CHAIN_ASKED;
}

static struct event *trial_chosen(const struct chain_trial *trial)
{
	switch (trial->verdict.way) {
	case CHAINS_FRAME_POINTERS:
		return trial->pointers;
	case CHAINS_WIDE_STACKS:
		return trial->wide;
	default:
		return NULL;
	}
}

/* Read the verdict, if it is ready; without a verdict, the current event is kept. */
static bool choice_answered(struct chain_choice *choice)
{
	struct chain_verdict *verdict = &choice->asked->verdict;
	ssize_t n = read(choice->verdict, verdict, sizeof(*verdict));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n != sizeof(*verdict))
		*verdict = (struct chain_verdict){ 0 };
	choice_end_maker(choice);
	return true;
}

struct error *chain_choice_turn(struct chain_choice *choice,
				struct error *(*hold)(void *data, struct event *event, bool held),
				void *data)
{
	struct error *err = NULL;

	for (size_t i = 0; i < choice->trials.nr && !err && choice->nr_undecided; i++) {
		struct chain_trial *trial = &choice->trials.items[i];
		struct event *chosen;

		if (!choice->maker && trial_is_ready(trial)) {
			choice_ask(choice, trial);
			continue;
		}
		/*
		 * No firing is lost between the two events: firings that began before have ended.
		 */
		if (trial->step == CHAIN_OVERLAPS) {
			err = hold(data, trial->tried, true);
			trial_finish(choice, trial);
			continue;
		}
		if (trial->step != CHAIN_ASKED || !choice_answered(choice))
			continue;
		chosen = trial_chosen(trial);
		if (chosen && trial->tried->attr.type == PERF_TYPE_TRACEPOINT) {
			err = hold(data, chosen, false);
			trial->step = CHAIN_OVERLAPS;
			continue;
		}
		if (chosen)
			err = hold(data, trial->tried, true);
		if (chosen && !err)
			err = hold(data, chosen, false);
		trial_finish(choice, trial);
	}
	return err;
}

void chain_choice_join(const struct chain_choice *choice, struct ledger *ledger, size_t first)
{
	for (size_t i = first; i < ledger->nr; i++)
		if (ledger->items[i].event < choice->nr_merged)
			ledger->items[i].event = choice->merged[ledger->items[i].event];
	ledger_join(ledger, first);
}

static void trial_tell(const struct chain_trial *trial, struct strbuf *ret)
{
	const struct chain_verdict *v = &trial->verdict;
	const char *bytes = v->way == CHAINS_WIDE_STACKS ? "32" : "8";

	switch (v->way) {
	case CHAINS_FRAME_POINTERS:
		strbuf_addf(ret, "frame pointers, which agree with unwound chains in %u of %u samples that "
			    "were tried, of %u binar%s", v->samples - v->differ, v->samples,
			    v->binaries, v->binaries == 1 ? "y" : "ies");
		return;
	case CHAINS_UNDECIDED:
		strbuf_addf(ret, "copied stacks of 8 KiB, because %s", v->samples || trial->seen ?
			    "there were too few samples of user space to tell whether frame pointers do" :
			    "no sample had frames of user space to tell whether frame pointers do");
		return;
	default:
		strbuf_addf(ret, "copied stacks of %s KiB, because functions of %s lose their callers by "
			    "frame pointers in %u of %u samples that were tried", bytes, v->names,
			    v->differ, v->samples);
	}
}

/* The number of events whose stacks are copied without a choice. */
static size_t count_untried(const struct plan *plan)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct event *event = plan->events.items[i];

		nr += event->attr.sample_type & PERF_SAMPLE_STACK_USER && !event->is_tried &&
		      !event->replaces;
	}
	return nr;
}

void chain_choice_tell(const struct chain_choice *choice, const struct plan *plan,
		       struct strbuf *ret)
{
	size_t untried = plan->tries_chains ? count_untried(plan) : 0;

	if (!choice && plan->chains_told)
		strbuf_addf(ret, "Call chains: %s.\n", plan->chains_told);
	else if (untried)
		strbuf_addf(ret, "Call chains of %zu event%s: copied stacks of 8 KiB, because events of "
			    "groups and globs, and events about two tasks, are not tried; "
			    "--call-graph fp copies none.\n",
			    untried, untried == 1 ? "" : "s");
	for (size_t i = 0; choice && i < choice->trials.nr; i++) {
		const struct chain_trial *trial = &choice->trials.items[i];

		strbuf_addstr(ret, "Call chains");
		if (choice->trials.nr > 1)
			strbuf_addf(ret, " of %s", trial->tried->name);
		strbuf_addstr(ret, ": ");
		trial_tell(trial, ret);
		strbuf_addstr(ret, ".\n");
	}
}
