// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks that ran on each CPU, or the states of each thread, with lines from wakeups to the
 * following runs.
 */
const LANE_ROW = 26, STATE_ROW = 20, MAX_ARROWS = 100;

class Lanes {
	constructor(selection, callbacks) {
		Object.assign(this, { selection, callbacks });
		this.states = new States(selection);
		this.byTask = false;
		this.width = 0;
		this.canvas = element('canvas', { tabIndex: 0, role: 'img', id: 'lanes-canvas' });
		this.canvas.setAttribute('aria-label', 'What ran on each CPU, or the states of threads; the tables below say it, too');
		this.box = element('div', { id: 'lanes-box' }, this.canvas);
		this.canvas.addEventListener('mousemove', (event) => this.hover(event));
		this.canvas.addEventListener('mouseleave', () => callbacks.tip(null));
		this.canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			const place = this.canvas.getBoundingClientRect();
			this.scale(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.clientX - place.left));
		}, { passive: false });
		this.canvas.addEventListener('keydown', (event) => this.press(event));
		new ResizeObserver(() => this.runs && this.paint()).observe(this.box);
	}

	show(from, to) {
		this.runs = this.selection.data.runs;
		this.whole = [from, to];
		this.all = this.byTask ? this.states.choose(from, to) : [];
		[this.from, this.to] = [from, to];
		this.paint();
	}

	get names() {
		return this.byTask ? Math.min(160, this.width / 4) : 60;
	}

	get height() {
		return this.byTask ? STATE_ROW : LANE_ROW;
	}

	timeAt(x) {
		return this.from + (x - this.names) / (this.width - this.names) * (this.to - this.from);
	}

	placeOf(time) {
		return this.names + (time - this.from) / (this.to - this.from) * (this.width - this.names);
	}

	// Show factor times as much, with the same time at the same place.
	scale(factor, time) {
		const [low, high] = this.whole;
		const length = Math.max(1000, Math.min((this.to - this.from) * factor, high - low));
		const share = (time - this.from) / (this.to - this.from);
		this.from = Math.max(low, Math.min(time - share * length, high - length));
		this.to = this.from + length;
		this.paint();
	}

	centre(wake) {
		const length = Math.max(wake.wait * 4, 20000);
		this.from = Math.max(0, wake.woken + wake.wait / 2 - length / 2);
		this.to = this.from + length;
		this.paint();
		this.callbacks.say(`${wordsOfSince(this.from)} to ${wordsOfSince(this.to)}`);
	}

	press(event) {
		const step = (this.to - this.from) / 4, by = { ArrowLeft: -step, ArrowRight: step }[event.key];
		const factor = { '+': 0.5, '-': 2 }[event.key], [low, high] = this.whole;
		if (factor)
			this.scale(factor, (this.from + this.to) / 2);
		else if (event.key === 'Escape')
			this.show(low, high);
		else if (by && this.from + by >= low && this.to + by <= high)
			[this.from, this.to] = [this.from + by, this.to + by];
		else
			return;
		event.preventDefault();
		this.paint();
		this.callbacks.say(`${wordsOfSince(this.from)} to ${wordsOfSince(this.to)}`);
	}

	paint() {
		const { cpus } = this.runs, width = this.width = this.box.clientWidth;
		const count = this.byTask ? this.states.rows.length : cpus.length;
		this.context = fitCanvas(this.canvas, width, Math.max(count, 1) * this.height + 4);
		this.context.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
		this.context.textBaseline = 'middle';
		this.character = this.context.measureText('0').width;
		this.states.colors = STATE_COLORS.map(cssColor);
		if (this.byTask)
			this.states.rows.forEach((row, i) => this.states.paintRow(this, row, i * STATE_ROW, STATE_ROW));
		else
			cpus.forEach((cpu, row) => this.paintCpu(cpu, row * LANE_ROW));
		this.paintWakes();
	}

	// Runs that end in the same pixel as the one before are not painted again.
	paintCpu({ cpu, first, end }, top) {
		const { context, runs } = this;
		context.fillStyle = cssColor('--text');
		context.fillText(`CPU ${cpu}`, 3, top + LANE_ROW / 2);
		let painted = -1;
		for (let i = firstAt(first, end, (at) => runs.until[at] < this.from); i < end && runs.since[i] < this.to; i++) {
			const left = Math.max(this.placeOf(runs.since[i]), this.names), right = this.placeOf(runs.until[i]);
			if (right < painted + 0.5)
				continue;
			painted = Math.max(right, left + 0.5);
			context.fillStyle = this.colorOf(runs.task[i]);
			context.fillRect(left, top + 3, Math.max(right - left, 0.5), LANE_ROW - 6);
			if (right - left > 30) {
				context.fillStyle = darkMode.matches ? '#fff' : '#111';
				const name = runs.task[i] < 0 ? '' : this.selection.data.tasks[runs.task[i]].comm;
				context.fillText(clipText(plainText(name), right - left - 4, this.character), left + 2, top + LANE_ROW / 2);
			}
		}
		this.paintUnknown(cpu, top);
	}

	// Where a CPU lost records, two lines through its lane.
	paintUnknown(cpu, top) {
		const { context } = this;
		context.fillStyle = cssColor('--warn-text');
		for (const { since, until } of this.unknownOf(cpu)) {
			const left = Math.max(this.placeOf(since), this.names), right = Math.min(this.placeOf(until), this.width);
			if (right > left) {
				context.fillRect(left, top + LANE_ROW / 2 - 3, Math.max(right - left, 0.5), 2);
				context.fillRect(left, top + LANE_ROW / 2 + 1, Math.max(right - left, 0.5), 2);
			}
		}
	}

	unknownOf(cpu) {
		return this.selection.data.unknown.filter((lost) => lost.cpu === cpu || lost.cpu < 0);
	}

	colorOf(task) {
		if (task < 0)
			return darkMode.matches ? '#555' : '#bbb';
		const { comm, tid } = this.selection.data.tasks[task], hash = hashOf(comm);
		const chosen = this.selection.hasTask(this.selection.data.tasks[task]);
		return `hsl(${hash % 360} ${chosen ? 60 : 8}% ${(darkMode.matches ? 34 : 68) + tid % 7}%)`;
	}

	// The CPU and the run of a task that begins at a time; null: it is not known.
	runAt(task, time) {
		const { cpus, since, task: tasks } = this.runs;
		for (let row = 0; row < cpus.length; row++) {
			const at = firstAt(cpus[row].first, cpus[row].end, (i) => since[i] < time);
			if (at < cpus[row].end && since[at] === time && tasks[at] === task)
				return row;
		}
		return null;
	}

	// The CPU that a thread ran on at a time.
	cpuOf(tid, time) {
		const { cpus, since, until, task } = this.runs, { tasks } = this.selection.data;
		for (let row = 0; row < cpus.length; row++) {
			const at = firstAt(cpus[row].first, cpus[row].end, (i) => until[i] < time);
			if (at < cpus[row].end && since[at] <= time && task[at] >= 0 && tasks[task[at]].tid === tid)
				return row;
		}
		return null;
	}

	// The rows of the waker and of the thread that it woke; null: not shown.
	rowsOf(wake) {
		if (!this.byTask)
			return [this.cpuOf(wake.waker, wake.woken), this.runAt(wake.task, wake.woken + wake.wait)];
		const rowOf = (tid) => this.states.rowOfTid.has(tid) ? this.states.rowOfTid.get(tid) : null;
		return [rowOf(wake.waker), rowOf(this.selection.data.tasks[wake.task].tid)];
	}

	paintWakes() {
		const { context } = this;
		let painted = 0;
		context.strokeStyle = cssColor('--text');
		context.lineWidth = 1;
		context.globalAlpha = 0.6;
		for (const wake of this.selection.data.wakes) {
			const runs = wake.woken + wake.wait;
			if (runs < this.from || wake.woken > this.to || this.placeOf(runs) - this.placeOf(wake.woken) < 3)
				continue;
			const [from, to] = this.rowsOf(wake), { height } = this;
			if (to === null || painted++ > MAX_ARROWS)
				continue;
			const start = from === null ? to : from, x = this.placeOf(runs), y = (to + 0.5) * height;
			context.beginPath();
			context.moveTo(Math.max(this.placeOf(wake.woken), this.names), (start + 0.5) * height + (start === to ? height / 2 - 1 : 0));
			context.lineTo(x, y);
			context.lineTo(x - 5, y - 3);
			context.moveTo(x, y);
			context.lineTo(x - 5, y + 3);
			context.stroke();
		}
		context.globalAlpha = 1;
	}

	hover(event) {
		const place = this.canvas.getBoundingClientRect(), { runs } = this;
		const row = Math.floor((event.clientY - place.top) / this.height), inside = event.clientX - place.left >= this.names;
		if (this.byTask)
			return this.callbacks.tip(inside && row >= 0 && row < this.states.rows.length ?
				this.states.describe(row, this.timeAt(event.clientX - place.left)) : null, event);
		const cpu = runs.cpus[row];
		const time = this.timeAt(event.clientX - place.left);
		const at = cpu && firstAt(cpu.first, cpu.end, (i) => runs.until[i] < time);
		if (!cpu || !inside)
			return this.callbacks.tip(null);
		const found = at < cpu.end && runs.since[at] <= time;
		const task = found && runs.task[at] >= 0 && this.selection.data.tasks[runs.task[at]];
		const lost = this.unknownOf(cpu.cpu).find(({ since, until }) => since <= time && time < until);
		const words = lost ? `not known: records were lost for ${wordsOfNs(lost.until - lost.since)}` : !found ? 'idle, or not recorded' : !task ? 'several threads, each for a short time' :
			`${plainText(task.comm)} ${task.tid}, for ${wordsOfNs(runs.until[at] - runs.since[at])}`;
		return this.callbacks.tip(`CPU ${cpu.cpu} at ${wordsOfSince(time)}\n${words}`, event);
	}
}
