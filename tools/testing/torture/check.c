// SPDX-License-Identifier: GPL-2.0
/*
 * The accounts. "submitted" and "completed" are figures of the pool, the others are counted here. A
 * submit is counted as begun before the call and as accepted or refused after it, so at any moment
 *
 *   accepted - again - in_caller <= submitted <= begun - refused
 *
 * "again" are submits of tasks that had not ended: the pool may count them later, or never if they
 * are taken back. "in_caller" are tasks that the submitter ran under the policy "run". Functions
 * are counted when they start, so completed <= runs - in_caller. When a pool has been destroyed and
 * all calls are accounted for, completed == runs - in_caller, and accepted == runs + taken_back.
 */
#include <linux/cpumask.h>
#include <linux/wpool_stats.h>

#include "torture.h"

void tpool_check_figures(const char *name, const struct wpool_stats *s)
{
	torture_check(s->workers == s->idle + s->searching + s->busy,
		      "%s: %u workers, %u idle, %u searching, %u busy",
		      name, s->workers, s->idle, s->searching, s->busy);
	torture_check(s->blocked <= s->busy, "%s: %u blocked of %u busy",
		      name, s->blocked, s->busy);
	torture_check(s->submitted == s->completed + s->failed + s->cancelled + s->overdue +
		      s->outstanding,
		      "%s: %llu submitted, %llu completed, %llu failed, %llu cancelled, %llu outstanding",
		      name, s->submitted, s->completed, s->failed, s->cancelled,
		      s->outstanding);
	torture_check(s->outstanding <= s->submitted && s->completed <= s->submitted &&
		      s->cancelled <= s->submitted,
		      "%s: %llu submitted, %llu completed, %llu cancelled, %llu outstanding",
		      name, s->submitted, s->completed, s->cancelled, s->outstanding);
	torture_check(!s->failed && !s->faults, "%s: %llu failed, %llu faults",
		      name, s->failed, s->faults);
	torture_check(s->expired <= s->spawned, "%s: %llu expired of %llu",
		      name, s->expired, s->spawned);
}

void tpool_check(struct tpool *tp)
{
	s64 least, most, refused, accepted;
	struct wpool_stats s;

	accepted = atomic64_read(&tp->accepted);
	refused = atomic64_read(&tp->refused);
	/* read @accepted and @refused before the figures; pairs with tpool_end() */
	smp_mb();
	wpool_get_stats(tp->pool, &s);
	/* read the other accounts after the figures; pairs with tpool_begin() and tpool_end() */
	smp_mb();
	tpool_check_figures(tp->name, &s);
	if (tp->shared)
		return;
	most = atomic64_read(&tp->begun) - refused;
	torture_check(s.submitted <= most, "%s: %llu submitted, by our account at most %lld",
		      tp->name, s.submitted, most);
	if (tp->by_run)
		return;
	least = accepted - atomic64_read(&tp->again);
	torture_check((s64)s.submitted >= least, "%s: %llu submitted, by our account at least %lld",
		      tp->name, s.submitted, least);
	if (tp->volume)
		return;
	most = atomic64_read(&tp->runs);
	torture_check(s.completed <= most, "%s: %llu completed, by our account at most %lld",
		      tp->name, s.completed, most);
}

void tpool_check_final(struct tpool *tp)
{
	s64 runs = atomic64_read(&tp->runs) - atomic64_read(&tp->in_caller);
	s64 accepted = atomic64_read(&tp->accepted) - atomic64_read(&tp->in_caller);
	s64 taken_back = atomic64_read(&tp->taken_back);
	s64 again = atomic64_read(&tp->again);
	s64 fn_lost = atomic64_read(&tp->fn_accepted) - atomic64_read(&tp->fn_runs);
	struct wpool_stats s;

	wpool_get_stats(tp->pool, &s);
	tpool_check_figures(tp->name, &s);
	torture_check(s.state == WPOOL_DESTROYED && !s.outstanding && !s.queued &&
		      !s.waiting && !s.workers,
		      "%s: destroyed, and state %d, %llu outstanding, %u queued, %u waiting, %u workers",
		      tp->name, s.state, s.outstanding, s.queued, s.waiting, s.workers);
	torture_check(atomic64_read(&tp->begun) ==
		      atomic64_read(&tp->accepted) + atomic64_read(&tp->refused),
		      "%s: our own account is wrong: %lld begun", tp->name,
		      atomic64_read(&tp->begun));
	torture_check(!atomic_read(&tp->inside), "%s: %d still inside", tp->name,
		      atomic_read(&tp->inside));
	torture_check(s.completed == runs, "%s: %llu completed, by our account %lld",
		      tp->name, s.completed, runs);
	/* WPOOL_RELEASE_CANCEL drops functions, and this module is not told */
	torture_check(!fn_lost || (fn_lost > 0 && READ_ONCE(tp->may_drop)),
		      "%s: %lld functions never ran", tp->name, fn_lost);
	taken_back += fn_lost;
	torture_check(accepted == runs + taken_back,
		      "%s: %lld accepted, %lld ran, %lld were taken back",
		      tp->name, accepted, runs, taken_back);
	/* the pool does not count each cancel of a task that runs, in a worker or its submitter */
	torture_check(s.cancelled <= taken_back &&
		      (tp->by_run || s.cancelled + again >= taken_back),
		      "%s: %llu cancelled, by our account %lld, %lld of them perhaps not counted",
		      tp->name, s.cancelled, taken_back, again);
}

bool tpool_is_quiet(struct tpool *tp)
{
	s64 in_caller = atomic64_read(&tp->in_caller);
	s64 runs = atomic64_read(&tp->runs) - in_caller;
	s64 accepted = atomic64_read(&tp->accepted) - in_caller;
	s64 taken_back = atomic64_read(&tp->taken_back) +
			 atomic64_read(&tp->fn_accepted) - atomic64_read(&tp->fn_runs);
	struct wpool_attrs attrs;
	struct wpool_stats s;
	u32 may_stay;

	wpool_get_stats(tp->pool, &s);
	wpool_get_attrs(tp->pool, &attrs, NULL);
	tpool_check_figures(tp->name, &s);
	may_stay = s.state == WPOOL_CLOSED || s.state == WPOOL_DESTROYED ? 0 :
		   attrs.prealloc || !attrs.expiry_ms ? attrs.capacity :
		   min(attrs.min_workers, attrs.capacity);
	if (s.outstanding || s.queued || s.waiting || s.workers != s.idle ||
	    s.workers > may_stay || atomic_read(&tp->inside))
		return false;
	return tp->shared || (s.completed == runs && accepted == runs + taken_back);
}

void tpool_show(struct tpool *tp)
{
	struct wpool_cpu_stats c;
	struct wpool_stats s;
	int cpu;

	wpool_get_stats(tp->pool, &s);
	pr_err("%s: state %d capacity %u limit %u depth %u policy %d: %u workers %u idle %u searching %u busy %u blocked %u waiting %u queued %u free, %llu submitted %llu completed %llu cancelled %llu outstanding, %llu spawned %llu expired\n",
	       tp->name, s.state, tp->attrs.capacity, tp->limit, tp->attrs.queue_depth,
	       tp->attrs.policy, s.workers, s.idle, s.searching, s.busy, s.blocked,
	       s.waiting, s.queued, s.free, s.submitted, s.completed, s.cancelled,
	       s.outstanding, s.spawned, s.expired);
	pr_err("%s: ours: %lld begun %lld accepted %lld refused %lld again %lld runs %lld ends %lld in caller %lld taken back, %d inside\n",
	       tp->name, atomic64_read(&tp->begun), atomic64_read(&tp->accepted),
	       atomic64_read(&tp->refused), atomic64_read(&tp->again),
	       atomic64_read(&tp->runs), atomic64_read(&tp->ends),
	       atomic64_read(&tp->in_caller), atomic64_read(&tp->taken_back),
	       atomic_read(&tp->inside));
	for_each_online_cpu(cpu) {
		wpool_get_cpu_stats(tp->pool, cpu, &c);
		pr_err("%s: CPU %d: %u workers %u idle %u queued\n", tp->name, cpu,
		       c.workers, c.idle, c.queued);
	}
}
