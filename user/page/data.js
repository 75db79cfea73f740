// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the data of output/page/page_data.c. All large data is in typed arrays.
 */
const KIND_USER = 0, KIND_KERNEL = 1, KIND_INLINED = 2, KIND_UNKNOWN = 3, KIND_ALL = 4, KIND_REST = 5;
const KIND_JIT = 6;	// in page_data.c: a user's function, in code generated at run time
const KIND_WORDS = ['', 'kernel', 'inlined', 'no symbol', '', '', 'JIT'];
const KIND_LEGEND = ['program or library', 'kernel', 'inlined', 'no symbol', 'all samples', 'too small to show', 'made at run time (JIT)'];
const JIT_BINARY = /^(perf-\d+\.map|jitted-\d+-\d+\.so)$/;

function bytesOf(base64) {
	const text = atob(base64), bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	return bytes;
}

// Numbers of seven bits a byte, as in lib/varint.h.
class Numbers {
	constructor(base64) {
		this.bytes = bytesOf(base64);
		this.at = 0;
	}

	get more() {
		return this.at < this.bytes.length;
	}

	next() {
		const byte = this.bytes[this.at++];
		return byte < 128 ? byte : this.continue(byte);
	}

	// Not with shifts, whose results have 32 bits.
	continue(byte) {
		let value = byte & 127, factor = 128;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte & 128);
		return value;
	}
}

// Exponential Golomb codes.
class Codes {
	constructor(base64) {
		this.bytes = bytesOf(base64);
		this.at = 0;	// the next bit
	}

	// The next 25 bits, or a few more, as the highest ones of 32.
	peek() {
		const { bytes } = this, at = this.at >>> 3;
		return (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) << (this.at & 7);
	}

	take(bits) {
		let value = 0;
		for (; bits > 24; bits -= 24, this.at += 24)
			value = value * 2 ** 24 + (this.peek() >>> 8);
		if (bits) {
			value = value * 2 ** bits + (this.peek() >>> 32 - bits);
			this.at += bits;
		}
		return value;
	}

	next(order) {
		const word = this.peek(), zeros = Math.clz32(word), length = zeros + 1 + order;
		if (zeros + length <= 25) {
			this.at += zeros + length;
			return (word << zeros >>> 32 - length) - 2 ** order;
		}
		let more = 0;
		while (!this.take(1))
			more++;
		return 2 ** (more + order) + this.take(more + order) - 2 ** order;
	}
}

function readFunctions(json) {
	const numbers = new Numbers(json.functions), list = [];
	while (numbers.more) {
		const name = json.strings[numbers.next()], binary = json.strings[numbers.next()];
		const word = numbers.next();
		let kind = word >>> 1;
		if (kind === KIND_USER && JIT_BINARY.test(binary))
			kind = KIND_JIT;
		list.push({ name: kind === KIND_ALL ? 'all' : kind === KIND_REST ? '(too small to show)' : name,
			binary, kind, isOwn: word % 2 === 1 });
	}
	return list;
}

// Nodes are in the order of a walk, so that a parent always has a lower number than its children;
// the nodes below node i have numbers up to, but not including, end[i].
function readNodes(json, list) {
	const numbers = new Numbers(json.nodes), parents = [0], functions = [numbers.next()];
	let depth = 0;
	const path = [0];
	while (numbers.more) {
		depth += 1 - numbers.next();
		parents.push(path[depth - 1]);
		path[depth] = functions.length;
		functions.push(numbers.next());
	}
	// By node, the innermost function of its chain that is the program's own, + 1; 0: there is none.
	const own = new Uint32Array(parents.length);
	for (let i = 1; i < own.length; i++)
		own[i] = list[functions[i]].isOwn ? functions[i] + 1 : own[parents[i]];
	const end = Uint32Array.from(parents, (_, i) => i + 1);
	for (let i = end.length - 1; i > 0; i--)
		end[parents[i]] = Math.max(end[parents[i]], end[i]);
	return { parent: Uint32Array.from(parents), functionOf: Uint32Array.from(functions), end, own };
}

// Samples are columns; those of lane i begin at lanes[i].first, in the order of their times, which
// are ns since the first sample. If the recording has too many, an entry of the columns is the
// sum of a node's samples in a stretch of time, with the beginning of the stretch.
function makeSamples(json) {
	const count = json.lanes.reduce((sum, lane) => sum + lane.cells, 0);
	let at = 0;
	for (const lane of json.lanes) {
		lane.first = at;
		at += lane.cells;
	}
	return { count, time: new Float64Array(count), node: new Uint32Array(count),
		samples: new Uint32Array(count), period: new Float64Array(count) };
}

// Nodes by their number of samples, the most first.
function rankedNodes(json) {
	const numbers = new Numbers(json.counts), counts = [];
	while (numbers.more)
		counts.push(numbers.next());
	return Uint32Array.from(counts, (_, i) => i).sort((a, b) => counts[b] - counts[a] || a - b);
}

function readSamples(json) {
	const numbers = new Codes(json.samples), list = makeSamples(json), nodes = rankedNodes(json);
	for (const lane of json.lanes) {
		const { each, codes: [ofTime, ofNode, ofPeriod] } = json.events[lane.event], end = lane.first + lane.cells;
		let time = 0, step = 0;
		for (let at = lane.first; at < end; at++) {
			const word = numbers.next(ofTime);
			step += word % 2 ? -(word + 1) / 2 : word / 2;
			list.time[at] = (time += step) * json.tick;
			list.node[at] = nodes[numbers.next(ofNode)];
			list.period[at] = each || numbers.next(ofPeriod);
		}
	}
	list.samples.fill(1);
	return list;
}

function readCells(json) {
	const numbers = new Numbers(json.cells), cells = makeSamples(json), { width } = json.time;
	for (const lane of json.lanes) {
		const { each } = json.events[lane.event], end = lane.first + lane.cells;
		let stretch = 0, at = lane.first;
		while (at < end) {
			stretch += numbers.next();
			let node = 0;
			for (let left = numbers.next(); left > 0; left--, at++) {
				const word = numbers.next();
				node += word >>> 1;
				cells.time[at] = stretch * width;
				cells.node[at] = node;
				cells.samples[at] = word % 2 ? numbers.next() : 1;
				cells.period[at] = each ? cells.samples[at] * each : numbers.next();
				// A continuation without a sample of its own may be equal in several stretches.
				for (let more = cells.samples[at] ? 1 : numbers.next(); more > 1; more--) {
					at++;
					cells.time[at] = ++stretch * width;
					cells.node[at] = node;
					cells.period[at] = cells.period[at - 1];
				}
			}
		}
	}
	return cells;
}

// The runs of tasks: columns, and for each CPU the range of its runs.
function readRuns(json) {
	const numbers = new Numbers(json.runs), cpus = [], since = [], until = [], task = [];
	let cpu = 0, last = 0;
	while (numbers.more) {
		const more = numbers.next();
		if (more || !cpus.length) {
			cpu += more;
			last = 0;
			cpus.push({ cpu, first: since.length, end: 0 });
		}
		since.push(last += numbers.next());
		until.push(last += numbers.next());
		task.push(numbers.next() - 1);
		cpus[cpus.length - 1].end = since.length;
	}
	return { cpus, since: Float64Array.from(since), until: Float64Array.from(until), task: Int32Array.from(task) };
}

// State intervals: columns, and for each task the range of its intervals. mixed has the shares of
// states in intervals with several.
const STATE_RUNNING = 0, STATE_RUNNABLE = 1, STATE_BLOCKED = 2, STATE_MIXED = 3;

function readStates(json) {
	const numbers = new Numbers(json.states), tasks = [], since = [], until = [], kind = [], mixed = new Map();
	while (numbers.more) {
		const task = numbers.next(), first = since.length;
		let last = 0;
		for (let left = numbers.next(); left > 0; left--) {
			const word = numbers.next();
			last += Math.floor(word / 4);
			since.push(last);
			until.push(last += numbers.next());
			kind.push(word % 4);
			if (word % 4 === STATE_MIXED)
				mixed.set(since.length - 1, [numbers.next(), numbers.next(), numbers.next()]);
		}
		tasks.push({ task, first, end: since.length });
	}
	return { tasks, mixed, since: Float64Array.from(since), until: Float64Array.from(until), kind: Uint8Array.from(kind) };
}

function readWakes(json) {
	const numbers = new Numbers(json.wakes), list = [];
	while (numbers.more) {
		const woken = numbers.next(), wait = numbers.next();
		list.push({ woken, wait, waker: numbers.next() - 1, task: numbers.next() });
	}
	return list;
}

// Single events, by time.
function readRows(json) {
	const numbers = new Numbers(json.rows), list = [];
	let time = 0;
	while (numbers.more) {
		time += numbers.next();
		const lane = numbers.next(), node = numbers.next(), text = numbers.next();
		list.push({ time, lane: json.lanes[lane], node, text: text ? json.strings[text - 1] : '' });
	}
	return list;
}

function readDiff(json) {
	const named = (row) => ({ ...row, name: json.strings[row.name], binary: json.strings[row.binary] });
	return json.diff && { ...json.diff, events: json.diff.events.map((event) => ({ ...event, functions: event.functions.map(named) })) };
}

function readData(text) {
	const json = JSON.parse(text), isExact = json.samples !== '', functions = readFunctions(json);
	return {
		view: json.view, recording: json.recording, time: json.time, lost: json.lost,
		events: json.events.map((event) => ({ ...event, unit: unitOfEvent(event) })), losses: json.losses, notes: json.notes, unknown: json.unknown, smallest: json.smallest, lanes: json.lanes,
		tasks: json.tasks.map((task) => ({ ...task, comm: json.strings[task.comm] })),
		functions, nodes: readNodes(json, functions), samples: isExact ? readSamples(json) : readCells(json), isExact, tick: json.tick,
		runs: readRuns(json), wakes: readWakes(json), joined: json.joined, states: readStates(json), joinedStays: json.joinedStays, code: json.code,
		diff: readDiff(json), rows: readRows(json),
	};
}
