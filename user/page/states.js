// SPDX-License-Identifier: GPL-2.0
/*
 * The states of threads, for lanes: a row for each thread, the busiest first.
 */
const MAX_STATE_ROWS = 200, STATE_WORDS = ['running', 'waiting for a CPU', 'blocked'];
const STATE_COLORS = ['--running', '--runnable', '--blocked'];

class States {
	constructor(selection) {
		this.selection = selection;
		this.rows = [];
	}

	// How long the thread of a row was in each state within a time.
	sums({ first, end }, from, to) {
		const { since, until } = this.selection.data.states, sums = [0, 0, 0];
		for (let i = firstAt(first, end, (at) => until[at] < from); i < end && since[i] < to; i++) {
			const part = Math.min(until[i], to) - Math.max(since[i], from), all = until[i] - since[i];
			this.addTimes(sums, i, all ? part / all : 0);
		}
		return sums;
	}

	// Add a share of the times of timesOf(), for very many state intervals.
	addTimes(sums, i, share) {
		const { kind, since, until, mixed } = this.selection.data.states;
		if (kind[i] !== STATE_MIXED) {
			sums[kind[i]] += share * (until[i] - since[i]);
			return;
		}
		const times = mixed.get(i);
		sums[0] += share * times[0];
		sums[1] += share * times[1];
		sums[2] += share * times[2];
	}

	// By state, how long a stay was in it.
	timesOf(i) {
		const { kind, since, until, mixed } = this.selection.data.states;
		return mixed.get(i) || [0, 1, 2].map((state) => kind[i] === state ? until[i] - since[i] : 0);
	}

	// Choose the rows of the selection; returns all threads with their sums.
	choose(from, to) {
		const { tasks, states } = this.selection.data;
		const all = states.tasks.filter(({ task }) => this.selection.hasTask(tasks[task]))
			.map((row) => ({ ...row, sums: this.sums(row, from, to) }))
			.sort((a, b) => b.sums[0] - a.sums[0] || b.sums[1] - a.sums[1]);
		this.rows = all.slice(0, MAX_STATE_ROWS);
		this.rowOfTid = new Map(this.rows.map(({ task }, row) => [tasks[task].tid, row]));
		return all;
	}

	// Paint a row; intervals narrower than a pixel are added up, and painted as shares of its height.
	paintRow(lanes, { task, first, end }, top, height) {
		const { context } = lanes, { since, until, kind } = this.selection.data.states;
		const { comm, tid } = this.selection.data.tasks[task], small = [0, 0, 0];
		context.fillStyle = cssColor('--text');
		context.fillText(clipText(plainText(`${comm} ${tid}`), lanes.names - 6, lanes.character), 3, top + height / 2);
		let pixel = -1;
		const paint = (times, left, width) => {
			const all = times[0] + times[1] + times[2];
			let bottom = top + height - 2;
			times.forEach((time, state) => {
				const tall = all ? time / all * (height - 4) : 0;
				context.fillStyle = this.colors[state];
				if (tall && state === STATE_BLOCKED && time === all)
					context.fillRect(left, top + height / 2 - 1, width, 2);
				else if (tall)
					context.fillRect(left, bottom - tall, width, tall);
				bottom -= tall;
			});
		};
		const flush = () => {
			if (pixel >= 0)
				paint(small, pixel, 1);
			small.fill(0);
		};
		for (let i = firstAt(first, end, (at) => until[at] < lanes.from); i < end && since[i] < lanes.to; i++) {
			const left = Math.max(lanes.placeOf(since[i]), lanes.names), right = lanes.placeOf(until[i]);
			if (right - left < 1) {
				if (Math.floor(left) !== pixel) {
					flush();
					pixel = Math.floor(left);
				}
				this.addTimes(small, i, 1);
				continue;
			}
			flush();
			pixel = -1;
			paint(kind[i] === STATE_MIXED ? this.timesOf(i) : [0, 1, 2].map((state) => kind[i] === state ? 1 : 0), left, right - left);
		}
		flush();
	}

	describe(row, time) {
		const { tasks, states } = this.selection.data, { task, first, end } = this.rows[row];
		const at = firstAt(first, end, (i) => states.until[i] < time);
		const found = at < end && states.since[at] <= time, length = found && states.until[at] - states.since[at];
		const words = !found ? this.selection.data.unknown.length ? 'not known, or records were lost' : 'not known' : states.kind[at] !== STATE_MIXED ? `${STATE_WORDS[states.kind[at]]}, for ${wordsOfNs(length)}` :
			`in ${wordsOfNs(length)} ` + this.timesOf(at).map((part, state) => `${wordsOfShare(part, length)} ${STATE_WORDS[state]}`).join(', ');
		return `${plainText(tasks[task].comm)} ${tasks[task].tid} at ${wordsOfSince(time)}\n${words}`;
	}
}
