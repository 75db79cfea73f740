// SPDX-License-Identifier: GPL-2.0
/*
 * The call chains of each thread from left to right, in the order of time. A frame that
 * consecutive samples share is one box.
 */
const STACK_ROW = 17, STACK_TITLE = 20, STACK_AXIS = 18, MAX_TRACKS = 100;

// The samples of lanes in the order of their times, as positions.
function sortedSamples(lanes, { time, node }) {
	const isAfter = (a, b) => time[a] > time[b] || (time[a] === time[b] && node[a] > node[b]);
	let lists = lanes.map((lane) => {
		const list = new Uint32Array(lane.cells);
		for (let i = 0; i < list.length; i++)
			list[i] = lane.first + i;
		return list;
	});
	while (lists.length > 1) {
		const merged = [];
		for (let i = 0; i < lists.length; i += 2)
			merged.push(i + 1 < lists.length ? mergeLists(lists[i], lists[i + 1], isAfter) : lists[i]);
		lists = merged;
	}
	return lists[0];
}

function mergeLists(a, b, isAfter) {
	const all = new Uint32Array(a.length + b.length);
	let i = 0, k = 0;
	for (let at = 0; at < all.length; at++)
		all[at] = k === b.length || (i < a.length && !isAfter(a[i], b[k])) ? a[i++] : b[k++];
	return all;
}

function depthsOf({ parent }) {
	const depths = new Uint16Array(parent.length);
	for (let i = 1; i < parent.length; i++)
		depths[i] = depths[parent[i]] + 1;
	return depths;
}

// The usual distance of samples, in ns: the median of some of the distances of each track.
function usualDistance(tracks, time) {
	const distances = [];
	for (const { order } of tracks)
		for (let i = 1, step = Math.ceil(order.length / 200); i < order.length; i += step)
			distances.push(time[order[i]] - time[order[i - 1]]);
	distances.sort((a, b) => a - b);
	return distances.length ? distances[distances.length >> 1] : 0;
}

// Joins consecutive chains: shared frames continue.
class Joiner {
	constructor({ parent }, depths, gap) {
		Object.assign(this, { parent, depths, gap });
		this.rows = [];
		this.open = [];		// by row: { node, begin, samples before it }
		this.path = [];
		this.samples = 0;
		this.end = -Infinity;
	}

	add(begin, end, node, samples) {
		const { open, path, parent } = this, depth = this.depths[node];
		for (let row = depth, at = node; row > 0; at = parent[at])
			path[--row] = at;
		let same = 0;
		if (begin - this.end <= this.gap)
			while (same < depth && same < open.length && open[same].node === path[same])
				same++;
		this.close(same);
		for (let row = same; row < depth; row++)
			open.push({ node: path[row], begin, before: this.samples });
		this.samples += samples;
		this.end = end;
	}

	close(from) {
		for (let row = from; row < this.open.length; row++) {
			const { node, begin, before } = this.open[row];
			(this.rows[row] = this.rows[row] || []).push({ node, begin, end: this.end, samples: this.samples - before });
		}
		this.open.length = from;
	}
}

class StackChart {
	// callbacks: tip, say, color(function number), describe(function number), follow(function number)
	constructor(selection, callbacks) {
		Object.assign(this, { selection, callbacks });
		this.canvas = element('canvas', { tabIndex: 0, role: 'img', id: 'stacks-canvas' });
		this.canvas.setAttribute('aria-label', 'Call chains of threads in the order of time');
		this.space = element('div', { className: 'space' }, this.canvas);
		this.box = element('div', { id: 'stacks-box' }, this.space);
		this.words = element('p', { className: 'hint', id: 'stacks-words' });
		this.tracks = [];
		this.box.addEventListener('scroll', () => this.paint());
		new ResizeObserver(() => {
			if (this.box.clientWidth !== this.width || this.box.clientHeight !== this.tall)
				this.show();
		}).observe(this.box);
		const { canvas } = this;
		canvas.addEventListener('mousemove', (event) => this.hover(event));
		canvas.addEventListener('mouseleave', () => callbacks.tip(null));
		canvas.addEventListener('mousedown', (event) => this.drag(event));
		canvas.addEventListener('contextmenu', (event) => {
			const found = this.boxAt(event);
			if (found) {
				event.preventDefault();
				callbacks.follow(this.functionOf(found));
			}
		});
		canvas.addEventListener('wheel', (event) => {
			if (!event.ctrlKey)
				return;
			event.preventDefault();
			this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.clientX));
		}, { passive: false });
		canvas.addEventListener('keydown', (event) => this.press(event));
	}

	functionOf({ node }) {
		return this.selection.data.nodes.functionOf[node];
	}

	// The tracks of the selection, for any range: a thread each, in the order of processes.
	collect() {
		const { selection } = this, { data, event, task, cpu } = selection, { samples, nodes } = data;
		const from = JSON.stringify([event, task, cpu]);
		if (from === this.collectedFrom)
			return;
		this.collectedFrom = from;
		this.depths = this.depths || depthsOf(nodes);
		const byTask = new Map(), rank = new Map(selection.processes.map(({ pid }, i) => [pid, i]));
		for (const lane of selection.lanes())
			if (lane.cells)
				byTask.set(lane.task, [...byTask.get(lane.task) || [], lane]);
		const count = (lanes) => lanes.reduce((sum, lane) => sum + lane.cells, 0);
		const all = [...byTask].map(([number, lanes]) => ({ task: data.tasks[number], lanes, count: count(lanes) }))
			.sort((a, b) => rank.get(a.task.pid) - rank.get(b.task.pid) || b.count - a.count);
		this.hidden = Math.max(0, all.length - MAX_TRACKS);
		this.tracks = all.slice(0, MAX_TRACKS);
		let top = STACK_AXIS;
		for (const track of this.tracks) {
			track.order = sortedSamples(track.lanes, samples);
			track.depth = track.order.reduce((most, at) => Math.max(most, this.depths[samples.node[at]]), 1);
			track.top = top;
			top += STACK_TITLE + track.depth * STACK_ROW + 4;
		}
		this.height = top;
		this.usual = usualDistance(this.tracks, samples.time);
		this.current = null;
	}

	show() {
		if (!this.box.clientWidth)
			return;
		this.collect();
		for (const track of this.tracks)
			track.rows = null;
		this.found = this.selection.findFunctions();
		this.space.style.height = `${Math.max(this.height, this.box.clientHeight)}px`;
		this.paint();
	}

	// The least time of a sample, if no other one follows.
	lengthOf(at) {
		const { data, event } = this.selection;
		return data.events[event].unit === 'ns' ? data.samples.period[at] : this.usual;
	}

	// Call add(begin, end, node, samples) for the samples of a track in the range, in order of time.
	samplesOf(track, add) {
		const { selection } = this, { data, since, until } = selection;
		const { time, node, period, samples } = data.samples, { order } = track;
		const first = firstAt(0, order.length, (i) => time[order[i]] < since);
		if (!data.isExact)
			return this.sumsOf(track, Math.max(0, first), add);
		if (data.events[selection.event].timed) {
			for (let i = Math.max(0, first - 1); i < order.length && time[order[i]] < until; i++)
				if (time[order[i]] + period[order[i]] > since)
					add(time[order[i]], time[order[i]] + period[order[i]], node[order[i]], 1);
			return;
		}
		for (let i = Math.max(0, first - 1); i < order.length && time[order[i]] < until; i++) {
			const at = order[i], begin = time[at], length = this.lengthOf(at);
			const next = i + 1 < order.length ? time[order[i + 1]] : Infinity;
			const end = next - begin <= 1.5 * length ? next : begin + length;
			if (end > since || begin === since)
				add(begin, end, node[at], samples[at]);
		}
	}

	// Sums of a stretch are beside each other in their parts of it, in the order of the graph.
	sumsOf({ order }, first, add) {
		const { data, column, unit, until } = this.selection, { time, node, samples } = data.samples, { width } = data.time;
		for (let i = first, next; i < order.length && time[order[i]] < until; i = next) {
			let all = 0, at = time[order[i]];
			for (next = i; next < order.length && time[order[next]] === time[order[i]]; next++)
				all += column[order[next]];
			const room = unit === 'ns' ? Math.min(width, all) : width;
			for (let k = i; k < next; k++) {
				const length = column[order[k]] / all * room;
				add(at, at += length, node[order[k]], samples[order[k]]);
			}
		}
	}

	// Make the boxes of a track. Of samples that are less than a pixel wide, each pixel has the
	// chain that most of its time is in.
	join(track) {
		const { data, since, until } = this.selection, pixel = (until - since) / this.width;
		// A sample of wall time has the time that a thread ran since its last sample, and
		// stands at the end of it.
		const isWall = data.events[this.selection.event].name === 'wall-time';
		const joiner = new Joiner(data.nodes, this.depths, isWall ? Math.max(this.usual, pixel) : pixel / 2);
		const weights = this.weights = this.weights || new Float64Array(data.nodes.parent.length);
		let column = -1, samples = 0, seen = [];
		const flush = () => {
			if (column < 0)
				return;
			const node = seen.reduce((most, one) => weights[one] > weights[most] ? one : most);
			this.most = Math.max(this.most, samples);
			joiner.add(since + column * pixel, since + (column + 1) * pixel, node, samples);
			for (const one of seen)
				weights[one] = 0;
			column = -1;
			samples = 0;
			seen = [];
		};
		this.samplesOf(track, (begin, end, node, count) => {
			if (end - begin >= pixel) {
				flush();
				joiner.add(Math.max(begin, since, joiner.end), Math.min(end, until), node, count);
				return;
			}
			const at = Math.max(0, Math.floor((begin - since) / pixel));
			if (at !== column)
				flush();
			column = at;
			samples += count;
			if (!weights[node])
				seen.push(node);
			weights[node] += Math.max(end - begin, 1);
		});
		flush();
		joiner.close(0);
		track.rows = joiner.rows;
	}

	placeOf(time) {
		const { since, until } = this.selection;
		return (time - since) / (until - since) * this.width;
	}

	timeAt(clientX) {
		const { since, until } = this.selection, place = this.canvas.getBoundingClientRect();
		return since + Math.max(0, Math.min(1, (clientX - place.left) / place.width)) * (until - since);
	}

	paint() {
		const { box } = this, width = this.width = box.clientWidth, tall = this.tall = box.clientHeight;
		if (!width)
			return;
		const context = this.context = fitCanvas(this.canvas, width, tall);
		context.font = BOX_FONT;
		context.textBaseline = 'middle';
		this.character = context.measureText('0').width;
		this.most = 0;
		for (const track of this.tracks) {
			const top = track.top - box.scrollTop;
			if (top > tall || top + STACK_TITLE + track.depth * STACK_ROW < 0)
				continue;
			if (!track.rows)
				this.join(track);
			this.paintTrack(track, top);
		}
		this.paintAxis(width);
		this.tell();
	}

	paintTrack(track, top) {
		const { context, selection } = this, { since, until } = selection, { functions } = selection.data, colors = [];
		const scale = this.width / (until - since);
		context.fillStyle = cssColor('--text');
		context.fillText(plainText(wordsOfTask(track.task)), 3, top + STACK_TITLE / 2);
		const current = this.isFocused() && this.current && this.current.track === track ? this.boxOf(this.current) : null;
		track.rows.forEach((boxes, row) => {
			const y = top + STACK_TITLE + row * STACK_ROW;
			if (y > this.box.clientHeight || y + STACK_ROW < 0)
				return;
			for (const one of boxes) {
				const left = (one.begin - since) * scale, width = Math.max((one.end - one.begin) * scale, 0.7);
				const f = this.functionOf(one);
				paintFunction(context, { left, top: y, width, height: STACK_ROW, text: functions[f].name, character: this.character,
					color: colors[f] = colors[f] || this.callbacks.color(f), found: this.found && !!this.found[f], searched: !!this.found });
				if (one === current)
					outline(context, left, y, width, STACK_ROW);
			}
		});
	}

	// Round times, as far apart as their words need.
	paintAxis(width) {
		const { context } = this, { since, until } = this.selection;
		const least = (until - since) * 110 / width, power = 10 ** Math.floor(Math.log10(least));
		const step = [1, 2, 5, 10].map((times) => times * power).find((times) => times >= least);
		const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step))));
		context.fillStyle = cssColor('--back');
		context.fillRect(0, 0, width, STACK_AXIS);
		context.fillStyle = cssColor('--quiet');
		for (let time = Math.ceil(since / step) * step; time < until; time += step) {
			const x = this.placeOf(time);
			context.fillRect(x, 0, 1, STACK_AXIS - 3);
			context.fillText(`${(time / 1e9).toFixed(digits)} s`, x + 4, STACK_AXIS / 2 - 1);
		}
	}

	tell() {
		const { data, event, unit } = this.selection, { timed } = data.events[event];
		const parts = [];
		if (!data.isExact)
			parts.push(`The page has sums of ${wordsOfNs(data.time.width)}: within each, boxes have the order of the graph, not of time.`);
		else if (!timed)
			parts.push(`A sample stands for the time up to the next one of its thread or, where none follows soon, for ${unit === 'ns' ? 'what it counts' : wordsOfNs(this.usual)}.`);
		if (this.most > 1)
			parts.push(`A pixel is up to ${plural(this.most, 'sample', 'samples')} here and shows the chain of most of its time.`);
		if (this.hidden)
			parts.push(`${plural(this.hidden, 'thread', 'threads')} with the fewest samples are left out.`);
		this.words.textContent = parts.join(' ');
	}

	isFocused() {
		return document.activeElement === this.canvas;
	}

	boxOf({ track, row, time }) {
		const boxes = track.rows && track.rows[row] || [];
		const at = firstAt(0, boxes.length, (i) => boxes[i].end <= time);
		return at < boxes.length && boxes[at].begin <= time ? boxes[at] : null;
	}

	// Where the pointer is: { track, row, time }; null: above no track.
	pointAt(event) {
		const y = event.clientY - this.canvas.getBoundingClientRect().top + this.box.scrollTop;
		const track = [...this.tracks].reverse().find(({ top }) => y >= top);
		return track && { track, row: Math.floor((y - track.top - STACK_TITLE) / STACK_ROW), time: this.timeAt(event.clientX) };
	}

	boxAt(event) {
		const point = this.pointAt(event);
		return point && this.boxOf(point);
	}

	describe(track, one) {
		return `${this.callbacks.describe(this.functionOf(one))}\n${plural(one.samples, 'sample', 'samples')} of ${plainText(wordsOfTask(track.task))}\n` +
			`at ${wordsOfSince(one.begin)}, for ${wordsOfNs(one.end - one.begin)}`;
	}

	hover(event) {
		const point = this.pointAt(event), found = point && this.boxOf(point);
		this.canvas.style.cursor = found ? 'pointer' : 'default';
		this.callbacks.tip(found ? this.describe(point.track, found) : null, event);
	}

	// Dragging selects a time, a click that of a box.
	drag(event) {
		if (event.button)
			return;
		const start = event.clientX, point = this.pointAt(event);
		const end = (to) => {
			removeEventListener('mouseup', end);
			const times = [this.timeAt(start), this.timeAt(to.clientX)].sort((a, b) => a - b);
			if (Math.abs(to.clientX - start) > 3)
				this.selection.chooseTime(...times);
			else if (point)
				this.enter(point);
		};
		addEventListener('mouseup', end);
		event.preventDefault();
		this.canvas.focus();
	}

	enter(point) {
		const found = this.boxOf(point);
		if (!found)
			return;
		this.current = point;
		const words = this.describe(point.track, found);
		this.selection.chooseTime(found.begin, found.end);
		this.callbacks.say(words);
	}

	zoom(factor, time) {
		const { since, until } = this.selection;
		this.selection.chooseTime(time - (time - since) * factor, time + (until - time) * factor);
	}

	// The neighbour of the current box: { track, row, time }; undefined: none.
	neighbour(key) {
		const { track, row, time } = this.current, found = this.boxOf(this.current);
		const middle = (one) => (one.begin + one.end) / 2;
		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			const boxes = track.rows[row] || [], next = boxes[boxes.indexOf(found) + (key === 'ArrowLeft' ? -1 : 1)];
			return next && { track, row, time: middle(next) };
		}
		const to = row + (key === 'ArrowUp' ? -1 : 1), inside = (track.rows[to] || []).find((one) => found && one.begin >= found.begin && one.end <= found.end);
		if (this.boxOf({ track, row: to, time }))
			return { track, row: to, time };
		if (key === 'ArrowDown' && inside)
			return { track, row: to, time: middle(inside) };
		const other = this.tracks[this.tracks.indexOf(track) + (key === 'ArrowUp' ? -1 : 1)];
		return other && this.firstOf(other);
	}

	firstOf(track) {
		if (!track.rows)
			this.join(track);
		const [first] = track.rows[0] || [];
		return first && { track, row: 0, time: (first.begin + first.end) / 2 };
	}

	press(event) {
		const middle = (this.selection.since + this.selection.until) / 2, isSeen = this.current && this.boxOf(this.current);
		if (event.key.startsWith('Arrow')) {
			const next = isSeen ? this.neighbour(event.key) : this.tracks.map((track) => this.firstOf(track)).find((point) => point);
			if (next)
				this.moveTo(next);
		} else if (event.key === '+' || event.key === '-') {
			this.zoom(event.key === '+' ? 0.5 : 2, isSeen ? this.current.time : middle);
		} else if (event.key === 'Escape') {
			this.selection.set({ from: 0, to: this.selection.data.time.stretches });
		} else if (isSeen && (event.key === 'Enter' || event.key === ' ')) {
			this.enter(this.current);
		} else if (isSeen && event.key === 'c') {
			this.callbacks.follow(this.functionOf(isSeen));
		} else {
			return;
		}
		event.preventDefault();
	}

	moveTo(point) {
		this.current = point;
		const top = point.track.top + STACK_TITLE + point.row * STACK_ROW, { box } = this;
		if (top - STACK_TITLE - STACK_AXIS < box.scrollTop)
			box.scrollTop = top - STACK_TITLE - STACK_AXIS;
		else if (top + STACK_ROW > box.scrollTop + box.clientHeight)
			box.scrollTop = top + STACK_ROW - box.clientHeight;
		this.paint();
		this.callbacks.say(this.describe(point.track, this.boxOf(point)));
	}
}
