// SPDX-License-Identifier: GPL-2.0
#include "format/print.h"

#include <stdlib.h>
#include <string.h>
#include <traceevent/trace-seq.h>

#include "lib/array.h"

void print_program_destroy(struct print_program *program)
{
	free(program);
}

/* Names the kernel leaves in print fmts as macros, with their values. */
static const struct {
	const char *name;
	uint64_t value;
} macros[] = {
	{ "HI_SOFTIRQ", 0 },
	{ "TIMER_SOFTIRQ", 1 },
	{ "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 },
	{ "IRQ_POLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 },
	{ "RCU_SOFTIRQ", 9 },
	{ "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 },
};

uint64_t print_flag_value(const char *text)
{
	/* "-1" too: the parser keeps negative numbers as text. */
	if ((text[0] >= '0' && text[0] <= '9') || text[0] == '-')
		return strtoull(text, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		if (!strcmp(macros[i].name, text))
			return macros[i].value;
	return 0;
}

void print_event(const struct print_program *program, struct tep_event *event,
		 const void *raw, size_t raw_size, int cpu, struct strbuf *out)
{
	struct tep_record record = {
		.cpu = cpu,
		.size = raw_size,
		.data = (void *)raw,
	};
	struct trace_seq seq;

	(void)program;
	trace_seq_init(&seq);
	tep_print_event(event->tep, &seq, &record, "%s", TEP_PRINT_INFO);
	strbuf_add(out, seq.buffer, seq.len);
	trace_seq_destroy(&seq);
}
