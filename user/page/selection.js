// SPDX-License-Identifier: GPL-2.0
/*
 * What the user has chosen, and the weights of the nodes that result. Every view is drawn from
 * the same selection.
 */
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

	// Take over what is given, and draw all views again. A search changes no weights.
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
		return this.measure === 'samples' ? '' : this.data.events[this.event].unit;
	}

	// task is null, 'command', 'pid NUMBER', 'comm NAME' or 'tid NUMBER'.
	hasTask(task) {
		return this.task === null || (this.task === 'command' && this.own.has(task.pid)) || this.task === `pid ${task.pid}` || this.task === `comm ${task.comm}` || this.task === `tid ${task.tid}`;
	}

	*lanes() {
		for (const lane of this.data.lanes)
			if (lane.event === this.event && (this.cpu === null || lane.cpu === this.cpu) &&
			    this.hasTask(this.data.tasks[lane.task]))
				yield lane;
	}

	get column() {
		return this.data.cells[this.measure];
	}

	// What ends in each node, by number of the node; and the number of samples.
	weigh() {
		if (this.weights)
			return this.weights;
		const { cells, nodes } = this.data, { stretch, node, samples } = cells;
		const self = new Float64Array(nodes.parent.length), column = this.column;
		let count = 0, all = 0;
		for (const lane of this.lanes())
			for (let i = lane.first; i < lane.first + lane.cells; i++)
				if (stretch[i] >= this.from && stretch[i] < this.to) {
					self[node[i]] += column[i];
					count += samples[i];
					all += column[i];
				}
		this.weights = { self, samples: count, all };
		return this.weights;
	}

	// A function of names; null: nothing is searched for.
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

	// By number of the function, 1 for those that the search finds; null: nothing is searched for.
	findFunctions() {
		const matches = this.matcher;
		return matches && Uint8Array.from(this.data.functions, (f) => matches(f.name) || matches(f.binary));
	}
}
