// SPDX-License-Identifier: GPL-2.0
/*
 * Joins the controls and the views to the selection.
 */
const byId = (id) => document.getElementById(id);
const data = readData(byId('data').textContent);
const selection = new Selection(data);

function say(text) {
	byId('status').textContent = text.replaceAll('\n', ', ');
}

// Show a text beside the pointer; null: none.
function tip(text, event) {
	const box = byId('tip');
	box.hidden = !text;
	if (!text)
		return;
	box.textContent = text;
	const right = event.clientX + 14 + box.offsetWidth > innerWidth;
	const below = event.clientY + 18 + box.offsetHeight > innerHeight;
	box.style.left = `${Math.max(0, right ? event.clientX - box.offsetWidth - 8 : event.clientX + 14)}px`;
	box.style.top = `${Math.max(0, below ? event.clientY - box.offsetHeight - 8 : event.clientY + 18)}px`;
}

// Options are [value, text, title of their group]; change() gets their values, and words() of these
// is in an address.
function fillSelect(select, options, change, words = (value) => value === null ? 'all' : String(value)) {
	const groups = new Map();
	select.replaceChildren();
	for (const [, text, label] of options) {
		if (label && !groups.has(label)) {
			groups.set(label, element('optgroup', { label }));
			select.append(groups.get(label));
		}
		(label ? groups.get(label) : select).append(element('option', {}, plainText(text)));
	}
	select.addEventListener('change', () => {
		change(options[select.selectedIndex][0]);
		save();
	});
	select.choose = (value) => select.selectedIndex = Math.max(0, options.findIndex(([v]) => v === value));
	select.entry = {
		get: () => options.length ? words(options[select.selectedIndex][0]) : '',
		set: (word) => {
			const found = options.findIndex(([value]) => words(value) === word);
			if (found < 0)
				return false;
			select.selectedIndex = found;
			change(options[found][0]);
			return true;
		},
	};
}

// The address follows the view; it is set when everything is shown.
let address = null;

function save() {
	if (address)
		address.save();
}

function describeFunction(f) {
	const where = [KIND_WORDS[f.kind], f.binary].filter((word) => word).join(', ');
	return plainText(f.name) + (where ? ` (${plainText(where)})` : '');
}

const views = new Map();	// by id: { title, show(), button }

function openTab(id) {
	for (const [name, view] of views) {
		byId(name).hidden = name !== id;
		view.button.setAttribute('aria-selected', String(name === id));
		view.button.tabIndex = name === id ? 0 : -1;
	}
	views.open = id;
	views.get(id).show();
	save();
}

function addTab(id, title, show) {
	const button = element('button', { type: 'button', role: 'tab', 'aria-controls': id, onclick: () => openTab(id) }, title);
	views.set(id, { show, button });
	byId('tabs').append(button);
	byId(id).setAttribute('aria-label', title);
}

byId('tabs').addEventListener('keydown', (event) => {
	const names = [...views.keys()], by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
	if (by) {
		openTab(names[(names.indexOf(views.open) + by + names.length) % names.length]);
		views.get(views.open).button.focus();
	}
});

// ---- colours

const verdicts = data.diff && new Verdicts(data);
let byVerdict = !!verdicts;

function colorOf(number, f) {
	return byVerdict ? colorOfVerdict(verdicts.rowOf(selection.event, number)) : colorOfFunction(f);
}

function markOf(number) {
	const row = byVerdict && verdicts.rowOf(selection.event, number), mark = row && VERDICTS[row.verdict].mark;
	return mark ? `${mark} ` : '';
}

// The meaning of the colours of functions, in each view that has them.
const kinds = [KIND_USER, KIND_INLINED, KIND_JIT, KIND_KERNEL, KIND_UNKNOWN, KIND_REST]
	.filter((kind) => data.nodes.functionOf.some((f) => data.functions[f].kind === kind));

function showLegend() {
	for (const legend of document.querySelectorAll('.functions-legend'))
		legend.replaceChildren(...(byVerdict ? verdicts.legend(selection.event) : legendOfKinds(kinds)));
}

function makeLegend() {
	const legend = element('ul', { className: 'legend functions-legend' });
	legend.setAttribute('aria-label', 'What the colours mean');
	return legend;
}

// ---- the graph

const graph = new Flame(byId('flame-box'), byId('flame-space'), byId('flame'), {
	tip, say,
	color: (node, f) => colorOf(graph.tree.functionOf[node], f),
	mark: (node) => markOf(graph.tree.functionOf[node]),
	describe: (node) => {
		const { tree } = graph, f = data.functions[tree.functionOf[node]], { unit } = selection;
		const parts = [describeFunction(f), `${wordsOfWeight(tree.total[node], unit)}, ${wordsOfShare(tree.total[node], tree.total[0])} of all`];
		if (!graph.inverted && tree.selfOf(node))
			parts.push(`${wordsOfWeight(tree.selfOf(node), unit)} in itself`);
		if (verdicts && node)
			parts.push(verdicts.describe(verdicts.rowOf(selection.event, tree.functionOf[node])));
		return parts.join('\n');
	},
	zoomed: (node) => {
		const steps = [0, ...graph.tree.pathOf(node)].slice(-4);
		byId('path').replaceChildren(...(node ? steps.map((at) => element('button', { type: 'button', onclick: () => graph.zoom(at) },
			plainText(data.functions[graph.tree.functionOf[at]].name))) : []));
		save();
	},
	follow: (node) => followFunction(graph.tree.functionOf[node]),
});

function showGraph() {
	const { self, all, samples } = selection.weigh(), found = selection.findFunctions();
	const make = graph.inverted ? makeInvertedTree : makeTree, joined = byId('collapse').checked;
	if (graph.madeOf && graph.madeOf.self === self && graph.madeOf.make === make && graph.madeOf.joined === joined) {
		// Only the search has changed, so a function that is shown alone remains so.
		graph.found = found;
		graph.place();
		graph.paint();
	} else {
		graph.madeOf = { self, make, joined };
		graph.show(make(data.nodes, self, joined), data.functions, found);
		graph.callbacks.zoomed(0);
	}
	showLegend();
	byId('flame').setAttribute('aria-label', `Flame graph of ${plural(samples, 'sample', 'samples')}`);
	let words = plural(samples, 'sample', 'samples') + (selection.measure === 'samples' ? '' : `, ${wordsOfWeight(all, selection.unit)}`);
	if (found) {
		const weight = weightOfFound(self, found);
		words += `; ${wordsOfWeight(weight, selection.unit)} (${wordsOfShare(weight, all)}) with what was searched for`;
	}
	say(words);
}

// The weight of all samples with a function that was found, each once.
function weightOfFound(self, found) {
	const inside = new Uint8Array(self.length);
	let sum = 0;
	for (let i = 0; i < self.length; i++) {
		inside[i] = i && inside[data.nodes.parent[i]] | found[data.nodes.functionOf[i]];
		sum += inside[i] ? self[i] : 0;
	}
	return sum;
}

// ---- call chains in the order of time

const stacks = new StackChart(selection, {
	tip, say,
	color: (number) => colorOf(number, data.functions[number]),
	describe: (number) => describeFunction(data.functions[number]),
	follow: followFunction,
});
byId('stacks').append(
	element('p', { className: 'hint' }, 'A click, or Enter, shows the time of a box; dragging, + and -, or the wheel with Ctrl show another time, Escape all of it. ' +
		'Arrow keys move. The secondary mouse button, or c, shows callers and callees.'),
	makeLegend(), stacks.words, stacks.box);

// ---- callers and callees

const callers = { wanted: null };

// A user of the keyboard in another view continues here.
function followFunction(number) {
	callers.wanted = number;
	openTab('callers');
	const { activeElement } = document;
	if (activeElement && activeElement !== document.body && !activeElement.offsetParent)
		callers.below.canvas.focus();
}

function makeHalf(id, rootBelow) {
	const canvas = element('canvas', { tabIndex: 0, role: 'img', id: `${id}-canvas` });
	const space = element('div', { className: 'space' }, canvas), box = element('div', { className: 'half' }, space);
	const half = new Flame(box, space, canvas, {
		tip, say, zoomed: () => {},
		color: (node, f) => colorOf(half.tree.functionOf[node], f),
		mark: (node) => markOf(half.tree.functionOf[node]),
		describe: (node) => `${describeFunction(data.functions[half.tree.functionOf[node]])}\n` +
			`${wordsOfWeight(half.tree.total[node], selection.unit)}, ${wordsOfShare(half.tree.total[node], half.tree.total[0])}`,
		follow: (node) => followFunction(half.tree.functionOf[node]),
	});
	half.rootBelow = rootBelow;
	return half;
}

function showCallers() {
	const { self } = selection.weigh();
	if (callers.wanted === null)
		callers.wanted = heaviestFunction(self);
	const { callers: above, callees: below } = makeSandwich(data.nodes, self, callers.wanted);
	byId('callers-title').textContent = `${describeFunction(data.functions[callers.wanted])}: ` +
		`${wordsOfWeight(below.total[0], selection.unit)}, ${wordsOfShare(below.total[0], selection.weigh().all)} of all`;
	callers.above.show(above, data.functions, null);
	callers.below.show(below, data.functions, null);
	showLegend();
}

// The function of the program with the largest share, including its calls of libraries and the kernel.
// Without such a function, the largest one. Time too small to show belongs to many functions.
function heaviestFunction(self) {
	const { own, functionOf } = data.nodes, weights = new Float64Array(data.functions.length);
	const isOne = ({ kind }) => kind !== KIND_ALL && kind !== KIND_REST;
	if (own.some((f) => f))
		self.forEach((weight, node) => own[node] && (weights[own[node] - 1] += weight));
	else
		self.forEach((weight, node) => weights[functionOf[node]] += isOne(data.functions[functionOf[node]]) ? weight : 0);
	return weights.reduce((best, weight, f) => weight > weights[best] ? f : best, 0);
}

callers.above = makeHalf('above', true);
callers.below = makeHalf('below', false);
byId('callers').append(element('h2', { id: 'callers-title' }),
	makeLegend(), element('p', { className: 'hint' }, 'Above are those that call it, below is what it calls. The secondary mouse button, or c, on a function here or in the graph looks at that one.'),
	callers.above.box, callers.below.box);

// ---- the table of functions

const functionTable = new Table([
	{ title: 'With callees', isNumber: true, value: (row) => row.all, text: (row) => wordsOfWeight(row.all, selection.unit) },
	{ title: '%', isNumber: true, value: (row) => row.all, text: (row) => wordsOfShare(row.all, selection.weigh().all) },
	{ title: 'Itself', isNumber: true, value: (row) => row.own, text: (row) => wordsOfWeight(row.own, selection.unit) },
	{ title: '%', isNumber: true, value: (row) => row.own, text: (row) => wordsOfShare(row.own, selection.weigh().all) },
	{ title: 'Function', value: (row) => row.f.name, click: (row) => followFunction(row.number) },
	{ title: 'Kind', isWord: true, value: (row) => KIND_WORDS[row.f.kind] },
	{ title: 'Binary', isWord: true, value: (row) => row.f.binary },
], 0, (row) => row.found ? 'found' : '');
byId('functions').append(functionTable.box);

function showFunctions() {
	const { self, samples } = selection.weigh(), found = selection.findFunctions();
	const { own, all } = sumFunctions(data.nodes, self, data.functions.length);
	const rows = [];
	data.functions.forEach((f, number) => {
		if (all[number] && (!found || found[number]))
			rows.push({ f, number, own: own[number], all: all[number], found: found && found[number] });
	});
	functionTable.show(rows, `${plural(rows.length, 'function', 'functions')} in ${plural(samples, 'sample', 'samples')}`);
}

// ---- differences from another recording

const diffTable = new Table([
	{ title: 'Verdict', isWord: true, value: (row) => row.verdict, text: (row) => `${VERDICTS[row.verdict].mark} ${row.verdict}` },
	{ title: 'Change', isNumber: true, value: (row) => row.mean ? row.change / row.mean : row.change, text: wordsOfChange },
	{ title: 'Before', isNumber: true, value: (row) => row.before, text: (row) => wordsOfShare(row.before, 1) },
	{ title: 'Now', isNumber: true, value: (row) => row.after, text: (row) => wordsOfShare(row.after, 1) },
	{ title: 'Difference', isNumber: true, value: (row) => Math.abs(row.after - row.before), text: (row) => wordsOfPoints(row.after - row.before) },
	{ title: 'Function', value: (row) => row.name },
	{ title: 'Binary', isWord: true, value: (row) => row.binary },
], 4, (row) => VERDICTS[row.verdict].mark ? '' : 'quiet');
byId('diff').append(diffTable.box);

function showDiff() {
	const event = verdicts.events.get(selection.event), matches = selection.matcher;
	const rows = (event ? event.functions : []).filter((row) => !matches || matches(row.name) || matches(row.binary));
	diffTable.show(rows, verdicts.words(selection.event));
}

// ---- the code of functions

const code = new Code(selection, byId('code'));

// ---- the tasks on each CPU, and the states of threads

const lanes = new Lanes(selection, { tip, say });
const wakeTable = new Table([
	{ title: 'Waited for a CPU', isNumber: true, value: (wake) => wake.wait, text: (wake) => wordsOfNs(wake.wait) },
	{ title: 'Woken at', isNumber: true, value: (wake) => wake.woken, text: (wake) => wordsOfSince(wake.woken) },
	{ title: 'Thread', value: (wake) => wordsOfTask(data.tasks[wake.task]), click: (wake) => lanes.centre(wake) },
	{ title: 'Woken by', value: (wake) => wordsOfWaker(wake.waker) },
], 0);

function wordsOfTask(task) {
	return `${task.comm} ${task.tid}`;
}

function wordsOfWaker(tid) {
	const task = data.tasks.find((t) => t.tid === tid);
	return tid < 0 ? 'unknown' : tid === 0 ? 'an interrupt on an idle CPU' : task ? wordsOfTask(task) : String(tid);
}

const stateTable = new Table([
	{ title: 'Thread', value: (row) => wordsOfTask(data.tasks[row.task]) },
	...STATE_WORDS.map((words, state) => ({ title: words[0].toUpperCase() + words.slice(1), isNumber: true,
		value: (row) => row.sums[state], text: (row) => wordsOfNs(row.sums[state]) })),
], 1);
const laneRows = element('select', { id: 'lane-rows' });
const stateLegend = element('ul', { className: 'legend' }, ...STATE_WORDS.map((words, state) => {
	const swatch = element('span', { className: 'swatch', 'aria-hidden': 'true' });
	swatch.style.background = `var(${STATE_COLORS[state]})`;
	return element('li', {}, swatch, ` ${words}`);
}));

byId('lanes').append(
	element('div', { className: 'bar' }, element('label', {}, 'Rows ', laneRows), stateLegend),
	element('p', { className: 'hint' }, 'Lines lead from where a thread was woken to where it then ran. ' +
		'The wheel, + and - change the time that is shown, arrow keys move it.' +
		(data.joined ? ` On CPUs, runs shorter than ${wordsOfNs(data.joined)} may be one, in grey.` : '') +
		(data.joinedStays ? ` Of threads, states shorter than ${wordsOfNs(data.joinedStays)} may be shown by their shares.` : '')),
	lanes.box, stateTable.box, wakeTable.box);

function showLanes() {
	const { width } = data.time, from = selection.from * width, to = selection.to * width;
	lanes.show(from, to);
	stateLegend.hidden = stateTable.box.hidden = !lanes.byTask;
	wakeTable.box.hidden = lanes.byTask;
	const hidden = lanes.all.length - lanes.states.rows.length;
	stateTable.show(lanes.all, `${plural(lanes.all.length, 'thread', 'threads')} in this time` +
		(hidden ? `; the picture has the ${wordsOfCount(MAX_STATE_ROWS)} that ran longest` : ''));
	if (lanes.byTask)
		return;
	const wakes = data.wakes.filter((wake) => wake.woken < to && wake.woken + wake.wait >= from &&
		selection.hasTask(data.tasks[wake.task]));
	wakeTable.show(wakes, `${plural(wakes.length, 'wakeup', 'wakeups')} in this time`);
}

// ---- single events

const events = new EventList(selection, byId('events'));

// ---- the recording's description of itself

function showInformation() {
	const { recording, time, events } = data, rows = [
		['Recording', recording.file], ['Date', recording.date && wordsOfDate(recording.date)], ['Command', recording.command.words.join(' ')],
		['Host', recording.host], ['Kernel', recording.kernel], ['Machine', recording.machine],
		['Processor', recording.cpu], ['CPUs', recording.cpus],
		['Duration', wordsOfNs(time.end - time.start)],
		['Samples lost while recording', wordsOfCount(data.lost)],
		['Samples in the page', data.isExact ? 'each one' : `sums of ${wordsOfNs(time.width)}: no shorter time can be told apart`],
		['Smallest part of the graph', data.smallest ? `${(100 * data.smallest).toPrecision(2)} % of an event; what is smaller is "(too small to show)"` : 'everything is shown'],
	];
	for (const event of events)
		if (event.samples)
			rows.push([`Event ${event.name}`, `${plural(event.samples, 'sample', 'samples')}, ${wordsOfWeight(event.period, event.unit)}`]);
	byId('information').replaceChildren(element('div', { className: 'scroll' }, element('table', {}, element('tbody', {},
		...rows.filter(([, text]) => text).map(([name, text]) => element('tr', {},
			element('th', { scope: 'row' }, plainText(name)), element('td', { className: 'name' }, ...breakable(plainText(String(text))))))))));
}

// ---- time

const heat = new Heat(selection, byId('heat-box'), byId('heat'), { tip, say });

function showHeat() {
	heat.show();
	byId('range').textContent = heat.wordsOfRange();
	byId('whole').hidden = selection.isWhole;
	byId('detail').hidden = data.isExact || !data.samples.count;
	byId('detail').textContent = `The page has sums of ${wordsOfNs(data.time.width)}, as there are very many samples: what is shorter than that cannot be told apart.`;
}

// ---- controls

function eventOptions() {
	return data.events.map((event, i) => [i, `${event.name}: ${plural(event.samples, 'sample', 'samples')}`])
		.filter(([i]) => data.events[i].samples);
}

function taskOptions() {
	const { processes } = selection, rank = new Map(processes.map(({ pid }, i) => [pid, i]));
	const comms = [...new Set(data.tasks.map((task) => task.comm))].sort();
	const tids = [...data.tasks].sort((a, b) => rank.get(a.pid) - rank.get(b.pid) || a.tid - b.tid);
	const own = processes.filter((process) => process.isOwn), [first] = own;
	return [[null, 'all'],
		...(own.length > 1 ? [['command', `${first.comm} and the ${plural(own.length - 1, 'process', 'processes')} it made`, 'Processes']] : []),
		...processes.map((process) => [`pid ${process.pid}`, wordsOfProcess(process), process.isKernel ? 'The kernel' : 'Processes']),
		...comms.map((comm) => [`comm ${comm}`, comm, 'Names']),
		...tids.map((task) => [`tid ${task.tid}`, `${task.comm} ${task.tid}`, 'Threads'])];
}

function cpuOptions() {
	const cpus = [...new Set(data.lanes.map((lane) => lane.cpu))].filter((cpu) => cpu >= 0).sort((a, b) => a - b);
	return [[null, 'all'], ...cpus.map((cpu) => [cpu, String(cpu)])];
}

function setUpControls() {
	fillSelect(byId('event'), eventOptions(), (event) => selection.set({ event }), (event) => data.events[event].name);
	fillSelect(byId('task'), taskOptions(), (task) => selection.set({ task }));
	fillSelect(byId('cpu'), cpuOptions(), (cpu) => selection.set({ cpu }));
	fillSelect(byId('measure'), [['period', 'what the event counts'], ['samples', 'samples']], (measure) => selection.set({ measure }));
	fillSelect(byId('rows'), [['all', 'all together'], ['comm', 'by name of the thread'], ['task', 'by thread'], ['cpu', 'by CPU']], (rows) => {
		heat.rowsBy = rows;
		heat.show();
	});
	fillSelect(byId('order'), [[false, 'from callers to callees'], [true, 'from callees to callers']], (inverted) => {
		graph.inverted = inverted;
		showGraph();
	});
	fillSelect(byId('side'), [[true, 'at the bottom'], [false, 'at the top']], (below) => {
		graph.rootBelow = below;
		graph.scrollToRoot();
	});
	fillSelect(laneRows, [[false, 'CPUs'], [true, 'threads']], (byTask) => {
		lanes.byTask = byTask;
		showLanes();
	});
	byId('colors-label').hidden = !verdicts;
	fillSelect(byId('colors'), [[true, 'slower and faster'], [false, 'kinds of functions']], (value) => {
		byVerdict = value;
		showLegend();
		graph.paint();
	});
	byId('collapse').addEventListener('change', () => {
		showGraph();
		save();
	});
	byId('search').addEventListener('focus', () => tip(null));
	byId('search').addEventListener('input', () => selection.set({ search: byId('search').value }));
	byId('search').addEventListener('keydown', (event) => {
		if (event.key === 'Enter' && views.open === 'graph') {
			event.preventDefault();
			graph.showFound(event.shiftKey);
		}
	});
	byId('controls').addEventListener('submit', (event) => event.preventDefault());
	byId('whole').addEventListener('click', () => selection.set({ from: 0, to: data.time.stretches }));
	byId('reset').addEventListener('click', () => {
		selection.clear();
		byId('search').value = '';
		byId('task').choose(null);
		byId('cpu').choose(null);
		selection.set({});
	});
}

// The node of the graph below which functions are called as the numbers say; null: there is none.
function nodeOfPath(path) {
	return path.reduce((node, f) => {
		const found = node === null ? undefined : graph.tree.childrenOf(node).find((child) => graph.tree.functionOf[child] === f);
		return found === undefined ? null : found;
	}, 0);
}

function addressEntries() {
	const seconds = (ns) => String(Math.round(ns) / 1e9);
	const box = (id, change) => ({ get: () => byId(id).checked ? '1' : '', set: (word) => {
		byId(id).checked = word === '1';
		change();
		return word === '1' || word === '';
	} });
	return {
		event: byId('event').entry,
		thread: byId('task').entry,
		cpu: byId('cpu').entry,
		count: byId('measure').entry,
		time: {
			get: () => selection.isWhole ? '' : `${seconds(selection.since)}-${seconds(selection.until)}`,
			set: (word) => {
				const times = word.split('-').map((part) => Math.round(parseFloat(part) * 1e9));
				if (word && (times.length !== 2 || !(times[0] < times[1])))
					return false;
				if (word)
					selection.chooseTime(...times);
				else
					selection.set({ from: 0, to: data.time.stretches });
				return true;
			},
		},
		search: {
			get: () => selection.search,
			set: (search) => {
				byId('search').value = search;
				selection.set({ search });
			},
		},
		rows: byId('rows').entry,
		lanes: laneRows.entry,
		order: byId('order').entry,
		root: byId('side').entry,
		colors: byId('colors').entry,
		joined: box('collapse', showGraph),
		all: box('all-events', () => {}),
		zoom: {
			get: () => graph.zoomed ? graph.tree.pathOf(graph.zoomed).map((node) => graph.tree.functionOf[node]).join('.') : '',
			set: (word) => {
				showGraph();
				const node = nodeOfPath(word ? word.split('.').map(Number) : []);
				if (node !== null)
					graph.zoom(node);
				return node !== null;
			},
		},
		function: {
			get: () => callers.wanted === null ? '' : String(callers.wanted),
			set: (word) => {
				const number = word === '' ? null : Number(word);
				if (number !== null && !data.functions[number])
					return false;
				callers.wanted = number;
				return true;
			},
		},
		tab: { get: () => views.open, set: (id) => views.has(id) && (openTab(id), true) },
	};
}

function showHeader() {
	const name = plainText(titleOf(data)), { host, date } = data.recording, event = data.events[selection.event];
	document.title = `${name} - ktrace`;
	byId('title').textContent = name;
	byId('about').textContent = plainText([...(event ? [event.name, plural(event.samples, 'sample', 'samples')] : []),
		wordsOfNs(data.time.end - data.time.start), host, date && wordsOfDate(date)].filter((word) => word).join(' · '));
	byId('lost').hidden = !data.lost;
	byId('lost').textContent = `${plural(data.lost, 'sample was', 'samples were')} lost while recording: the pictures lack them.`;
	byId('notes').hidden = !data.notes.length;
	byId('notes').textContent = data.notes.map(plainText).join('\n');
}

addTab('graph', 'Flame graph', showGraph);
addTab('stacks', 'Stack chart', () => {
	stacks.show();
	showLegend();
	say(`${plural(selection.count(selection.event), 'sample', 'samples')} of ${plural(stacks.tracks.length, 'thread', 'threads')}`);
});
addTab('callers', 'Callers and callees', showCallers);
if (verdicts)
	addTab('diff', 'Differences', showDiff);
addTab('functions', 'Functions', showFunctions);
if (data.code.length)
	addTab('code', 'Code', () => code.show());
if (data.runs.since.length)
	addTab('lanes', 'CPUs and threads', showLanes);
if (data.rows.length)
	addTab('events', 'Events', () => events.show());
addTab('information', 'Recording', showInformation);
setUpControls();
selection.views.push(showHeat, () => views.get(views.open).show(), save);
selection.event = eventOptions().length ? eventOptions()[0][0] : 0;
if (data.view === 'time') {
	heat.rowsBy = 'task';
	byId('rows').choose('task');
	byId('heat-box').classList.add('large');
}
if (data.view === 'waits' && data.events.some((event) => event.name === 'off-CPU: blocked')) {
	selection.event = data.events.findIndex((event) => event.name === 'off-CPU: blocked');
	byId('event').choose(selection.event);
}
// In a recording of all CPUs, the command's processes are selected at first.
if (isSystemWide(data) && selection.own.size && commOf(commandOf(data)[0]) !== 'sleep')
	selection.task = selection.own.size > 1 ? 'command' : `pid ${[...selection.own][0]}`;
byId('task').choose(selection.task);
showHeader();
showHeat();
openTab('graph');

function showAddress() {
	const refused = address.read();
	if (!refused)
		return;
	views.get(views.open).show();
	if (refused.length)
		say(`The address of this page asks for what is not in it: ${plainText(refused.join(', '))}.`);
}

address = new Address(addressEntries());
showAddress();

addEventListener('hashchange', showAddress);
addEventListener('resize', showHeat);
darkMode.addEventListener('change', () => selection.set({}));
addEventListener('keydown', (event) => {
	if (event.key === '/' && !/INPUT|SELECT/.test(event.target.tagName)) {
		event.preventDefault();
		byId('search').focus();
	}
});
