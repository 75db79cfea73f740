// SPDX-License-Identifier: GPL-2.0
/*
 * The user's selection, and the resulting weights of the nodes. Every view is drawn from
 * the same selection.
 */
// The first position from low on, and below high, that is not before; positions are sorted.
function firstAt(low, high, isBefore) {
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBefore(middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

class Selection {
	constructor(data) {
		this.data = data;
		this.event = Math.max(0, data.events.findIndex((event) => event.samples));
		this.measure = 'period';
		this.views = [];
		this.processes = processesOf(data);
		this.own = new Set(this.processes.filter((process) => process.isOwn).map((process) => process.pid));
		this.clear();
	}

	clear() {
		this.task = this.cpu = null;
		this.from = 0;
		this.to = this.data.time.stretches;
		this.search = '';
		this.weights = null;
	}

	// Set the given members, and draw all views again. A search changes no weights.
	set(changes) {
		Object.assign(this, changes);
		if (Object.keys(changes).some((key) => key !== 'search'))
			this.weights = null;
		for (const view of this.views)
			view();
	}

	get isWhole() {
		return this.from === 0 && this.to === this.data.time.stretches;
	}

	get unit() {
		return this.measure === 'samples' ? 'samples' : this.data.events[this.event].unit;
	}

	// task is null, 'command', 'pid NUMBER', 'comm NAME' or 'tid NUMBER'.
	hasTask(task) {
		return this.task === null || (this.task === 'command' && this.own.has(task.pid)) || this.task === `pid ${task.pid}` || this.task === `comm ${task.comm}` || this.task === `tid ${task.tid}`;
	}

	*lanes(event = this.event) {
		for (const lane of this.data.lanes)
			if (lane.event === event && (this.cpu === null || lane.cpu === this.cpu) &&
			    this.hasTask(this.data.tasks[lane.task]))
				yield lane;
	}

	get column() {
		return this.data.samples[this.measure];
	}

	// The selected time, ns since the first sample, without `until` itself.
	get since() {
		return Math.round(this.from * this.data.time.width);
	}

	get until() {
		return Math.round(this.to * this.data.time.width);
	}

	// Select the times from one to another; where the page has sums, whole ones of these.
	chooseTime(since, until) {
		const { width, stretches } = this.data.time, { isExact, tick } = this.data;
		const least = isExact ? tick / width : 1;
		const [low, high] = isExact ? [since / width, until / width] : [Math.floor(since / width), Math.ceil(until / width)];
		const from = Math.max(0, Math.min(low, stretches - least));
		this.set({ from, to: Math.max(from + least, Math.min(high, stretches)) });
	}

	// The positions of the samples of a lane whose times are selected.
	rangeOf(lane) {
		const { time } = this.data.samples, { since, until } = this, end = lane.first + lane.cells;
		const isBefore = (limit) => (at) => time[at] < limit;
		return this.isWhole ? [lane.first, end] :
			[firstAt(lane.first, end, isBefore(since)), firstAt(lane.first, end, isBefore(until))];
	}

	// The number of selected samples of an event.
	count(event) {
		const { samples } = this.data.samples;
		let sum = 0;
		for (const lane of this.lanes(event)) {
			const [first, end] = this.rangeOf(lane);
			for (let i = first; i < end; i++)
				sum += samples[i];
		}
		return sum;
	}

	// Samples of this event represent a time, and parts of it may be selected.
	get isTimed() {
		return this.data.isExact && this.data.events[this.event].timed;
	}

	// Add the selected part of the times of a lane's samples to each node; returns the sum.
	weighTimes(lane, self) {
		const { time, node, period } = this.data.samples, { since, until } = this;
		let all = 0;
		for (let i = lane.first; i < lane.first + lane.cells; i++) {
			const part = Math.min(time[i] + period[i], until) - Math.max(time[i], since);
			if (part > 0) {
				self[node[i]] += part;
				all += part;
			}
		}
		return all;
	}

	// The weight that ends in each node, by number of the node; and the number of samples.
	weigh() {
		if (this.weights)
			return this.weights;
		const { nodes } = this.data, { node } = this.data.samples;
		const self = new Float64Array(nodes.parent.length), column = this.column;
		const byParts = this.isTimed && this.measure === 'period' && !this.isWhole;
		let all = 0;
		for (const lane of this.lanes()) {
			if (byParts) {
				all += this.weighTimes(lane, self);
				continue;
			}
			const [first, end] = this.rangeOf(lane);
			for (let i = first; i < end; i++) {
				self[node[i]] += column[i];
				all += column[i];
			}
		}
		this.weights = { self, samples: this.count(this.event), all };
		return this.weights;
	}

	// A function of names; null: no search.
	get matcher() {
		const text = this.search.trim();
		if (!text)
			return null;
		const regex = /^\/(.+)\/(i?)$/.exec(text);
		if (regex)
			try {
				const expression = new RegExp(regex[1], regex[2]);
				return (name) => expression.test(name);
			} catch {
				return () => false;
			}
		const lower = text.toLowerCase();
		return (name) => name.toLowerCase().includes(lower);
	}

	// By number of the function, 1 if the search finds it; null: no search.
	findFunctions() {
		const matches = this.matcher;
		return matches && Uint8Array.from(this.data.functions, (f) => matches(f.name) || matches(f.binary));
	}
}
