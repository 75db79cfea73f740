// SPDX-License-Identifier: GPL-2.0
/*
 * Machines beside an interpreter of plain C, on random machines and traces.  Firings come against
 * the order of their times, at the same time, and in the name of tasks that end and begin anew;
 * some are missed.  Without losses both have the same verdicts.  With losses, each verdict of the
 * module is true, and the keys of missing verdicts are lost.
 */
#include <kunit/test.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "filter/gate.c"
#include "machine/judge.c"
#include "machine/keys.c"
#include "machine/program.c"

static unsigned int judge_seed;
module_param(judge_seed, uint, 0444);
MODULE_PARM_DESC(judge_seed, "Repeat the random machines of a run that printed this number");

static unsigned int judge_traces = 3000;
module_param(judge_traces, uint, 0444);
MODULE_PARM_DESC(judge_traces, "How many random traces are judged");

enum {
	JK_STATES = 3, JK_SOURCES = 4, JK_CLOCKS = 2, JK_TIDS = 3, JK_STEPS = 120,
	JK_LIVES = JK_STEPS + JK_TIDS, JK_TELLS = 2 * JK_STEPS,
	/* The most by which a firing may be late. */
	JK_LATE = 6,
};

/* The raw data of all events; a source reads `kind`, and transitions read `value`. */
struct jk_raw {
	u64 common;
	u64 tid;
	u32 kind, value;
};

struct jk_program {
	struct ktrace_machine head;
	struct ktrace_machine_state states[JK_STATES];
	struct ktrace_machine_source sources[JK_SOURCES];
	struct ktrace_machine_transition transitions[2 * JK_STATES * JK_SOURCES];
	struct ktrace_machine_filter filters[JK_SOURCES + 1];
	struct ktrace_filter_insn insns[JK_SOURCES + 1];
};

/* A violation that one of the two has found. */
struct jk_told {
	u64 time, age, tid;
	u32 source, state;
	bool withdrawn, matched;
	u32 life;
};

/* A task, as the interpreter knows it. */
struct jk_life {
	u64 tid, last, since, ended, deadline, clocks[JK_CLOCKS], lost;
	u32 state, flags;
	u8 clocks_set;
	bool known, stale, over;
	bool has_last;
};

static struct jk {
	struct rnd_state rnd;
	struct jk_program p;
	u32 nr_transitions;
	struct jk_life lives[JK_LIVES];
	u32 nr_lives, of_tid[JK_TIDS];	/* the last life of each, plus 1 */
	struct jk_told found[JK_TELLS], told[JK_TELLS];
	u32 nr_found, nr_told;
	u64 lost_until;
	/* The only session that can be frozen. */
	struct ktrace_scope scope;
	u64 nr_froze, nr_revoked;
} *jk;

static u32 jk_below(u32 n)
{
	return prandom_u32_state(&jk->rnd) % n;
}

/* ---- the interpreter ----------------------------------------------------------- */

static void jk_find(struct jk_life *life, u64 time, u32 source)
{
	jk->found[jk->nr_found++] = (struct jk_told){
		.time = time, .age = time - life->since, .tid = life->tid, .source = source,
		.state = life->state, .life = life - jk->lives,
	};
	life->known = false;
	life->flags |= KTRACE_JUDGE_VIOLATED;
}

/* Revokes all verdicts about a life from @time on. */
static void jk_withdraw(struct jk_life *life, u64 time, u32 why)
{
	u32 i;

	for (i = 0; i < jk->nr_found; i++)
		if (jk->found[i].life == life - jk->lives && jk->found[i].time >= time)
			jk->found[i].withdrawn = true;
	if (life->flags & KTRACE_JUDGE_STARTED)
		life->flags |= why;
	life->known = false;
}

/* A loss concerns lives that were known then: a deadline before it was missed all the same. */
static void jk_settle(struct jk_life *life, u64 time)
{
	if (!life->known)
		return;
	if (life->deadline <= time && (!life->stale || life->deadline < life->lost))
		jk_find(life, life->deadline, KTRACE_MACHINE_NO_SOURCE);
	else if (life->stale)
		jk_withdraw(life, U64_MAX, KTRACE_JUDGE_LOST);
}

static void jk_lose(u64 time)
{
	u32 i;

	for (i = 0; i < jk->nr_found; i++) {
		struct jk_life *life = &jk->lives[jk->found[i].life];

		if (jk->found[i].time >= time)
			jk_withdraw(life, time, KTRACE_JUDGE_LOST);
	}
	for (i = 0; i < jk->nr_lives; i++) {
		struct jk_life *life = &jk->lives[i];

		if (life->known) {
			life->lost = life->stale ? min(life->lost, time) : time;
			life->stale = true;
		}
		if (life->over && life->ended >= time && life->flags & KTRACE_JUDGE_STARTED)
			life->flags |= KTRACE_JUDGE_LOST;
	}
	jk->lost_until = max(jk->lost_until, time);
}

static struct jk_life *jk_life_of(u64 tid, bool make)
{
	u32 *nr = &jk->of_tid[tid - 1];

	if (!*nr && make) {
		jk->lives[jk->nr_lives] = (struct jk_life){ .tid = tid };
		*nr = ++jk->nr_lives;
	}
	return *nr ? &jk->lives[*nr - 1] : NULL;
}

static void jk_move(struct jk_life *life, const struct ktrace_machine_transition *t, u64 time)
{
	const struct ktrace_machine_state *next = &jk->p.states[t->next];
	bool same = t->next == life->state;
	u32 i;

	for (i = 0; i < JK_CLOCKS; i++)
		if (t->resets & BIT(i))
			life->clocks[i] = time;
	life->clocks_set |= t->resets;
	if (!same)
		life->since = time;
	life->state = t->next;
	if (same && !t->resets)
		return;
	life->deadline = U64_MAX;
	if (next->limit) {
		life->deadline = next->limit + (life->clocks_set & BIT(next->clock) ?
						life->clocks[next->clock] : time);
		life->deadline = max(life->deadline, time);
	}
}

static void jk_apply(const struct jk_raw *raw, u32 source, u64 time, bool first)
{
	const struct ktrace_machine_source *s = &jk->p.sources[source];
	struct jk_life *life = jk_life_of(raw->tid, true);
	u32 i;

	if (life->over) {
		if (time <= life->ended)
			jk_withdraw(life, time, KTRACE_JUDGE_UNORDERED);
		return;
	}
	if (life->stale)
		jk_settle(life, time);
	if (first && life->has_last && time <= life->last) {
		jk_withdraw(life, time, KTRACE_JUDGE_UNORDERED);
		if (s->start)
			life->flags |= KTRACE_JUDGE_UNORDERED;
		return;
	}
	life->last = time;
	life->has_last = true;
	jk_settle(life, time);
	if (!life->known) {
		if (!s->start || time <= jk->lost_until)
			return;
		life->known = true;
		life->stale = false;
		life->state = jk->p.head.initial;
		life->since = time;
		life->clocks_set = 0;
		life->flags |= KTRACE_JUDGE_STARTED;
		life->deadline = jk->p.states[life->state].limit ?
				 time + jk->p.states[life->state].limit : U64_MAX;
		if (s->start == KTRACE_MACHINE_STARTS_AFTER)
			return;
	}
	for (i = 0; i < jk->nr_transitions; i++) {
		const struct ktrace_machine_transition *t = &jk->p.transitions[i];
		u64 passed;

		if (t->state != life->state || t->source != source ||
		    (t->filter != KTRACE_MACHINE_NO_FILTER && !(raw->value & 1)))
			continue;
		passed = t->clock == KTRACE_MACHINE_NO_CLOCK ? 0 : time - life->clocks[t->clock];
		if (t->clock != KTRACE_MACHINE_NO_CLOCK && life->clocks_set & BIT(t->clock) &&
		    (passed < t->least || passed > t->most))
			continue;
		jk_move(life, t, time);
		return;
	}
	jk_find(life, time, source);
}

static void jk_end(u64 tid, u64 time)
{
	struct jk_life *life = jk_life_of(tid, false);

	if (!life || life->over)
		return;
	jk_settle(life, time);
	if (life->has_last && time < life->last)
		jk_withdraw(life, time, KTRACE_JUDGE_UNORDERED);
	life->known = false;
	life->over = true;
	life->ended = time;
}

/* ---- random machines and traces --------------------------------------------------- */

static void jk_add_filter(u32 offset, u32 op, u64 value)
{
	struct ktrace_machine *h = &jk->p.head;

	jk->p.insns[h->nr_insns] = (struct ktrace_filter_insn){
		.op = op, .src = KTRACE_FILTER_SRC_RECORD, .jt = KTRACE_FILTER_ACCEPT,
		.jf = KTRACE_FILTER_REJECT, .offset = offset, .width = 4, .value = value,
	};
	jk->p.filters[h->nr_filters++] = (struct ktrace_machine_filter){ h->nr_insns++, 1 };
}

static void jk_make_program(void)
{
	struct jk_program *p = &jk->p;
	u32 state, source;

	memset(p, 0, sizeof(*p));
	p->head.nr_states = JK_STATES;
	p->head.nr_sources = JK_SOURCES;
	p->head.nr_clocks = JK_CLOCKS;
	p->head.key = KTRACE_MACHINE_KEY_TASK;
	p->head.nr_parts = 1;
	p->head.initial = jk_below(JK_STATES);
	p->head.max_keys = 64;
	for (state = 0; state < JK_STATES; state++) {
		p->states[state].limit = jk_below(2) ? 10 + jk_below(60) : 0;
		p->states[state].clock = p->states[state].limit ? jk_below(JK_CLOCKS) :
								  KTRACE_MACHINE_NO_CLOCK;
	}
	for (source = 0; source < JK_SOURCES; source++) {
		/* The last two are of one firing, in this order. */
		p->sources[source] = (struct ktrace_machine_source){
			.event = min_t(u32, source, JK_SOURCES - 2), .filter = source,
			.start = source ? jk_below(3) : 1 + jk_below(2),
			.parts[0] = {
				.offset = offsetof(struct jk_raw, tid), .width = 8,
				.src = KTRACE_FILTER_SRC_RECORD,
			},
		};
		jk_add_filter(offsetof(struct jk_raw, kind), KTRACE_FILTER_BAND, BIT(source));
	}
	jk_add_filter(offsetof(struct jk_raw, value), KTRACE_FILTER_BAND, 1);
	for (state = 0; state < JK_STATES; state++)
		for (source = 0; source < JK_SOURCES; source++) {
			u32 nr = jk_below(3);

			while (nr--)
				p->transitions[p->head.nr_transitions++] =
					(struct ktrace_machine_transition){
					.state = state, .source = source,
					.next = jk_below(JK_STATES),
					.filter = jk_below(3) ? KTRACE_MACHINE_NO_FILTER :
								JK_SOURCES,
					.clock = jk_below(4) ? KTRACE_MACHINE_NO_CLOCK :
							       jk_below(JK_CLOCKS),
					.resets = jk_below(3) ? 0 : jk_below(1 << JK_CLOCKS),
					.least = jk_below(10), .most = 10 + jk_below(60),
				};
		}
	jk->nr_transitions = p->head.nr_transitions;
}

static void *jk_put(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

static void jk_tell(void *to, const struct ktrace_violation *v)
{
	jk->told[jk->nr_told++] = (struct jk_told){
		.time = v->when, .age = v->age, .tid = v->key[0], .source = v->source,
		.state = v->state,
	};
}

static struct ktrace_judge *jk_create(struct kunit *test)
{
	const struct jk_program *p = &jk->p;
	struct ktrace_program *program;
	struct ktrace_judge *judge;
	void *bytes = kvzalloc(sizeof(*p), GFP_KERNEL), *at = bytes;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	at = jk_put(at, &p->head, sizeof(p->head));
	at = jk_put(at, p->states, sizeof(p->states));
	at = jk_put(at, p->sources, sizeof(p->sources));
	at = jk_put(at, p->transitions, p->head.nr_transitions * sizeof(*p->transitions));
	at = jk_put(at, p->filters, sizeof(p->filters));
	at = jk_put(at, p->insns, sizeof(p->insns));
	((struct ktrace_machine *)bytes)->size = at - bytes;
	program = ktrace_program_create(bytes, at - bytes);
	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	judge = ktrace_judge_create(program);
	KUNIT_ASSERT_FALSE(test, IS_ERR(judge));
	judge->tell = jk_tell;
	judge->tell_to = jk;
	judge->actions = KTRACE_ACTION_FREEZE;
	judge->scope = &jk->scope;
	/* Nobody searches for tasks, because they are not the kernel's. */
	judge->rounds = 1;
	return judge;
}

static void jk_fire(struct ktrace_judge *judge, u64 time)
{
	u32 event = jk_below(JK_SOURCES - 1);
	struct jk_raw raw = {
		.tid = 1 + jk_below(JK_TIDS), .value = jk_below(4),
		.kind = event < JK_SOURCES - 2 ? BIT(event) :
			(1 + jk_below(3)) << (JK_SOURCES - 2),
	};
	struct ktrace_judge_tap tap = {
		.judge = judge, .first = event,
		.end = event < JK_SOURCES - 2 ? event + 1 : JK_SOURCES,
	};
	struct jk_life *life;
	bool late;
	u32 i;

	preempt_disable();
	ktrace_judge_take(&tap, &raw, sizeof(raw), time);
	preempt_enable();
	life = jk_life_of(raw.tid, true);
	late = life->has_last && time <= life->last;
	for (i = tap.first; i < tap.end; i++)
		if (raw.kind & BIT(i))
			jk_apply(&raw, i, time, late || !life->has_last || time != life->last);
}

static void jk_run_round(struct ktrace_judge *judge, u64 mark, bool all)
{
	u32 i;

	ktrace_judge_round(judge, mark, all);
	for (i = 0; i < jk->nr_lives; i++)
		if (!jk->lives[i].over)
			jk_settle(&jk->lives[i], mark);
}

static void jk_run(struct ktrace_judge *judge, bool loses)
{
	u64 base = 1000;
	u32 step;

	for (step = 0; step < JK_STEPS; step++) {
		u64 time = base + jk_below(JK_LATE), tid = 1 + jk_below(JK_TIDS);

		/* Each step may freeze once.  While nothing is frozen, no verdict changes. */
		ktrace_gate_open(&jk->scope);
		switch (jk_below(40)) {
		case 0:
			ktrace_judge_end_task(judge, tid, time);
			jk_end(tid, time);
			break;
		case 1:
			ktrace_judge_begin_task(judge, tid);
			if (jk_life_of(tid, false) && jk_life_of(tid, false)->over)
				jk->of_tid[tid - 1] = 0;
			break;
		case 2:
		case 3:
			/* No later one can follow. */
			jk_run_round(judge, base - 1, false);
			break;
		case 4:
			if (loses && jk_below(3) == 0) {
				ktrace_judge_lose(judge, time);
				jk_lose(time);
				break;
			}
			fallthrough;
		default:
			jk_fire(judge, time);
			break;
		}
		base += jk_below(4);
	}
	jk_run_round(judge, base + JK_LATE, true);
}

/* ---- the verdicts of both ----------------------------------------------------------- */

static bool jk_is_same(const struct jk_told *a, const struct jk_told *b)
{
	return a->time == b->time && a->age == b->age && a->tid == b->tid &&
	       a->source == b->source && a->state == b->state;
}

static struct jk_told *jk_match(const struct jk_told *told)
{
	u32 i;

	for (i = 0; i < jk->nr_found; i++)
		if (!jk->found[i].withdrawn && !jk->found[i].matched &&
		    jk_is_same(&jk->found[i], told))
			return &jk->found[i];
	return NULL;
}

static void jk_sum(struct ktrace_judge_sums *sums)
{
	u32 i, n;

	for (i = 0; i < jk->nr_lives; i++) {
		u32 flags = jk->lives[i].flags & ~KTRACE_JUDGE_VIOLATED;

		for (n = 0; n < jk->nr_found; n++)
			if (jk->found[n].life == i && !jk->found[n].withdrawn)
				flags |= KTRACE_JUDGE_VIOLATED;
		judge_add(sums, flags);
	}
}

static void jk_compare(struct kunit *test, const struct ktrace_judge *judge, bool loses, u32 nr)
{
	struct ktrace_machine_read read = { };
	struct ktrace_judge_sums sums = { };
	u32 i, missing = 0;

	for (i = 0; i < jk->nr_told; i++) {
		struct jk_told *same = jk_match(&jk->told[i]);

		KUNIT_EXPECT_TRUE_MSG(test, same, "trace %u: %llu of %llu is no violation", nr,
				      jk->told[i].time, jk->told[i].tid);
		if (same)
			same->matched = true;
	}
	for (i = 0; i < jk->nr_found; i++)
		missing += !jk->found[i].withdrawn && !jk->found[i].matched;
	jk_sum(&sums);
	ktrace_judge_read(judge, &read);
	KUNIT_EXPECT_EQ_MSG(test, read.keys, jk->nr_lives, "trace %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, read.violations, jk->nr_told, "trace %u", nr);
	/* A violation that has frozen is certain or revoked in the end. */
	KUNIT_EXPECT_LE_MSG(test, read.revoked, read.froze, "trace %u", nr);
	KUNIT_EXPECT_LE_MSG(test, read.froze, read.revoked + jk->nr_told, "trace %u", nr);
	KUNIT_EXPECT_TRUE_MSG(test, read.froze || !jk->nr_told, "trace %u", nr);
	jk->nr_froze += read.froze;
	jk->nr_revoked += read.revoked;
	KUNIT_EXPECT_EQ_MSG(test, read.not_started, sums.not_started, "trace %u", nr);
	if (loses) {
		KUNIT_EXPECT_LE_MSG(test, read.ok, sums.ok, "trace %u", nr);
		KUNIT_EXPECT_TRUE_MSG(test, !missing || read.lost || read.violated, "trace %u", nr);
		return;
	}
	KUNIT_EXPECT_EQ_MSG(test, missing, 0, "trace %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, read.ok, sums.ok, "trace %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, read.violated, sums.violated, "trace %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, read.unordered, sums.unordered, "trace %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, read.lost, 0, "trace %u", nr);
}

static void jk_traces(struct kunit *test, bool loses)
{
	u32 i, violations = 0, failed = 0;

	for (i = 0; i < judge_traces && failed < 3; i++) {
		struct ktrace_judge *judge;

		jk_make_program();
		jk->nr_lives = 0;
		jk->nr_found = 0;
		jk->nr_told = 0;
		jk->lost_until = 0;
		memset(jk->of_tid, 0, sizeof(jk->of_tid));
		judge = jk_create(test);
		jk_run(judge, loses);
		jk_compare(test, judge, loses, i);
		failed += test->status == KUNIT_FAILURE;
		violations += jk->nr_told;
		ktrace_judge_destroy(judge);
		cond_resched();
	}
	kunit_info(test, "%u traces, %u violations\n", i, violations);
	KUNIT_EXPECT_GT(test, violations, judge_traces);
	KUNIT_EXPECT_GT(test, jk->nr_froze, jk->nr_revoked);
	KUNIT_EXPECT_GT(test, jk->nr_revoked, 0);
}

static void as_the_interpreter(struct kunit *test)
{
	jk_traces(test, false);
}

static void with_losses(struct kunit *test)
{
	jk_traces(test, true);
}

/* A pool gives out each number once, and freed numbers in reverse order. */
static void pools(struct kunit *test)
{
	struct ktrace_keys_pool pool;
	u32 i, nr = 10;

	KUNIT_ASSERT_EQ(test, ktrace_keys_pool_init(&pool, nr), 0);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, ktrace_keys_pool_take(&pool), i);
	KUNIT_EXPECT_EQ(test, ktrace_keys_pool_take(&pool), KTRACE_KEYS_NONE);
	ktrace_keys_pool_give(&pool, 3);
	ktrace_keys_pool_give(&pool, 7);
	KUNIT_EXPECT_EQ(test, ktrace_keys_pool_take(&pool), 7);
	KUNIT_EXPECT_EQ(test, ktrace_keys_pool_take(&pool), 3);
	KUNIT_EXPECT_EQ(test, ktrace_keys_pool_take(&pool), KTRACE_KEYS_NONE);
	ktrace_keys_pool_deinit(&pool);
}

static int judge_kunit_init(struct kunit *test)
{
	u32 seed = judge_seed ?: get_random_u32();

	jk = kvzalloc(sizeof(*jk), GFP_KERNEL);
	if (!jk)
		return -ENOMEM;
	kunit_info(test, "judge_seed=%u\n", seed);
	prandom_seed_state(&jk->rnd, seed);
	ktrace_scope_init(&jk->scope, NULL);
	jk->scope.clockid = KTRACE_CLOCK_PERF;
	return ktrace_gate_add(&jk->scope);
}

static void judge_kunit_exit(struct kunit *test)
{
	if (jk)
		ktrace_gate_remove(&jk->scope);
	kvfree(jk);
	jk = NULL;
}

static struct kunit_case judge_cases[] = {
	KUNIT_CASE(pools),
	KUNIT_CASE(as_the_interpreter),
	KUNIT_CASE(with_losses),
	{ }
};

static struct kunit_suite judge_suite = {
	.name = "ktrace_judge",
	.init = judge_kunit_init,
	.exit = judge_kunit_exit,
	.test_cases = judge_cases,
};

kunit_test_suites(&judge_suite);
