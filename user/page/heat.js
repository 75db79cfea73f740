// SPDX-License-Identifier: GPL-2.0
/*
 * How much was sampled when, in rows of threads or CPUs. Dragging selects a range of time.
 */
const HEAT_ROW = 16, HEAT_NAMES = 150, MAX_HEAT_ROWS = 200, HEAT_PARTS = 1001;

class Heat {
	constructor(selection, box, canvas, callbacks) {
		Object.assign(this, { selection, box, canvas, callbacks });
		this.rowsBy = 'all';
		canvas.addEventListener('mousedown', (event) => this.drag(event));
		canvas.addEventListener('mousemove', (event) => this.hover(event));
		canvas.addEventListener('mouseleave', () => callbacks.tip(null));
		canvas.addEventListener('keydown', (event) => this.press(event));
	}

	nameOf(lane) {
		const task = this.selection.data.tasks[lane.task];
		switch (this.rowsBy) {
		case 'cpu':
			return lane.cpu < 0 ? 'no CPU' : `CPU ${lane.cpu}`;
		case 'comm':
			return task.comm;
		case 'task':
			return `${task.comm} ${task.tid}`;
		default:
			return 'all';
		}
	}

	// How many stretches are one weight of a row: of sums there may be many more than pixels.
	get fold() {
		return Math.ceil(this.selection.data.time.stretches / HEAT_PARTS);
	}

	// The rows of the selected lanes, for any range, the heaviest first.
	collect() {
		const { event, task, cpu, measure } = this.selection, from = JSON.stringify([event, task, cpu, measure, this.rowsBy]);
		if (from === this.collectedFrom)
			return;
		this.collectedFrom = from;
		const { data } = this.selection;
		const rows = new Map();
		this.samples = 0;
		for (const lane of this.selection.lanes()) {
			const name = this.nameOf(lane);
			if (!rows.has(name))
				rows.set(name, { name, cpu: lane.cpu, weights: new Float64Array(Math.ceil(data.time.stretches / this.fold)), all: 0 });
			this.add(rows.get(name), lane);
		}
		this.rows = [...rows.values()].sort((a, b) => this.rowsBy === 'cpu' ? a.cpu - b.cpu : b.all - a.all);
		this.hidden = Math.max(0, this.rows.length - MAX_HEAT_ROWS);
		this.rows.length = Math.min(this.rows.length, MAX_HEAT_ROWS);
	}

	// Add the samples of a lane to a row; one that stands for a time, to all its stretches.
	add(row, lane) {
		const { data, column, measure } = this.selection, { time, samples, period } = data.samples;
		const width = data.time.width * this.fold, parts = row.weights.length, byParts = this.selection.isTimed && measure === 'period';
		for (let i = lane.first; i < lane.first + lane.cells; i++) {
			const first = Math.floor(time[i] / width), end = time[i] + period[i];
			this.samples += samples[i];
			row.all += column[i];
			if (!byParts || end <= (first + 1) * width) {
				row.weights[first] += column[i];
				continue;
			}
			for (let at = first, from = time[i]; at < parts && from < end; at++) {
				const until = Math.min(end, (at + 1) * width);
				row.weights[at] += until - from;
				from = until;
			}
		}
	}

	get names() {
		return this.rowsBy === 'all' ? 0 : Math.min(HEAT_NAMES, this.box.clientWidth / 3);
	}

	show() {
		this.collect();
		this.paint();
	}

	paint() {
		const width = this.box.clientWidth, tall = this.rowsBy === 'all' ? 44 : HEAT_ROW;
		const context = fitCanvas(this.canvas, width, Math.max(1, this.rows.length) * tall + 5);
		const { time } = this.selection.data, step = (width - this.names) / time.stretches;
		this.step = step;
		context.font = '11px "DejaVu Sans", sans-serif';
		context.textBaseline = 'middle';
		for (const row of this.rows)
			row.bars = this.barsOf(row);
		this.most = Math.max(...this.rows.map((row) => Math.max(...row.bars)));
		this.rows.forEach((row, i) => this.paintRow(context, row, i * tall, tall));
		this.paintLosses(context, step, this.rows.length * tall);
		if (!this.selection.isWhole) {
			const left = this.names + this.selection.from * step;
			const right = this.names + this.selection.to * step;
			context.fillStyle = cssColor('--back');
			context.globalAlpha = 0.72;
			context.fillRect(this.names, 0, left - this.names, this.canvas.clientHeight);
			context.fillRect(right, 0, width - right, this.canvas.clientHeight);
			context.globalAlpha = 1;
			context.strokeStyle = cssColor('--mark');
			context.lineWidth = 2;
			context.strokeRect(left, 1, Math.max(right - left, 1), this.canvas.clientHeight - 2);
		}
	}

	// How many weights are one bar: where there are few samples, single ones would be dots.
	get joined() {
		const parts = Math.ceil(this.selection.data.time.stretches / this.fold);
		const bars = Math.min(parts, Math.max(60, this.samples / 8));
		return Math.max(1, Math.ceil(1 / (this.step * this.fold)), Math.ceil(parts / bars));
	}

	barsOf(row) {
		const bars = [];
		for (let i = 0; i < row.weights.length; i += this.joined)
			bars.push(row.weights.subarray(i, i + this.joined).reduce((a, b) => a + b, 0));
		return bars;
	}

	paintRow(context, row, top, tall) {
		const most = this.rowsBy === 'all' ? Math.max(...row.bars) : this.most;
		const wide = this.step * this.fold * this.joined;
		context.fillStyle = cssColor('--text');
		if (this.names)
			context.fillText(plainText(row.name), 3, top + tall / 2, this.names - 8);
		row.bars.forEach((weight, i) => {
			const share = weight / most, left = this.names + i * wide;
			if (!weight)
				return;
			if (this.rowsBy === 'all') {
				context.fillStyle = darkMode.matches ? '#e08a4f' : '#d2601a';
				context.fillRect(left, top + tall - share * (tall - 3), wide, share * (tall - 3));
			} else {
				const light = darkMode.matches ? 22 + 45 * share : 90 - 50 * share;
				context.fillStyle = `hsl(${48 - 40 * share} 85% ${light}%)`;
				context.fillRect(left, top, wide, tall - 1);
			}
		});
	}

	paintLosses(context, step, top) {
		const { data } = this.selection;
		context.fillStyle = '#d00000';
		for (const loss of data.losses)
			if (loss.time >= data.time.start && loss.time <= data.time.end)
				context.fillRect(this.names + (loss.time - data.time.start) / data.time.width * step - 1, top, 3, 5);
	}

	stretchAt(event) {
		const x = event.clientX - this.canvas.getBoundingClientRect().left - this.names;
		return Math.max(0, Math.min(this.selection.data.time.stretches, x / this.step));
	}

	drag(event) {
		const start = this.stretchAt(event);
		const move = (to) => {
			const [low, high] = [start, this.stretchAt(to)].sort((a, b) => a - b);
			this.choose(Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1));
		};
		const end = (to) => {
			removeEventListener('mousemove', move);
			removeEventListener('mouseup', end);
			move(to);
		};
		addEventListener('mousemove', move);
		addEventListener('mouseup', end);
		event.preventDefault();
		this.canvas.focus();
	}

	choose(from, to) {
		const { width } = this.selection.data.time;
		this.selection.chooseTime(from * width, to * width);
		this.callbacks.say(this.wordsOfRange());
	}

	wordsOfRange() {
		const { from, to, data } = this.selection, { width } = data.time;
		const end = Math.min(to * width, data.time.end - data.time.start);
		return `${wordsOfSince(from * width)} to ${wordsOfSince(end)} (${wordsOfNs(end - from * width)})`;
	}

	hover(event) {
		const place = this.canvas.getBoundingClientRect(), { data, unit } = this.selection;
		const tall = this.rowsBy === 'all' ? 44 : HEAT_ROW;
		const row = this.rows[Math.floor((event.clientY - place.top) / tall)];
		const width = data.time.width * this.fold;
		const at = Math.floor(Math.min(this.stretchAt(event), data.time.stretches - 1) / this.fold);
		this.callbacks.tip(row && `${plainText(row.name)}\n${wordsOfSince(at * width)}, for ${wordsOfNs(width)}: ` +
			wordsOfWeight(row.weights[at], unit), event);
	}

	press(event) {
		const { from, to, data } = this.selection, { stretches } = data.time;
		const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
		const step = by * (data.isExact ? (to - from) / 4 : Math.max(1, Math.round((to - from) / 4)));
		if (event.key === 'Escape')
			this.selection.set({ from: 0, to: stretches });
		else if (by && event.shiftKey)
			this.choose(from, to + step);
		else if (by && this.selection.isWhole)
			this.choose(0, Math.ceil(stretches / 10));
		else if (by && from + step >= 0 && to + step <= stretches)
			this.choose(from + step, to + step);
		else if (!by)
			return;
		event.preventDefault();
	}
}
