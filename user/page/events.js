// SPDX-License-Identifier: GPL-2.0
/*
 * The events of the selection as a table. Only the rows that can be seen are elements.
 */
const EVENT_ROW = 22, EVENT_MARGIN = 8;
const EVENT_COLUMNS = [['Time', '12ch'], ['CPU', '6ch'], ['Thread', '21ch'], ['Event', '22ch'], ['Function', '22ch'], ['Of the program', '22ch'], ['Fields', '']];

class EventList {
	constructor(selection, box) {
		this.selection = selection;
		this.rows = [];
		this.all = element('input', { type: 'checkbox', id: 'all-events' });
		this.all.addEventListener('change', () => {
			this.show();
			save();
		});
		this.words = element('p', { className: 'hint', id: 'event-words' });
		this.body = element('tbody');
		this.table = element('table', { 'aria-describedby': 'event-words' },
			element('colgroup', {}, ...EVENT_COLUMNS.map(([, width]) => {
				const column = element('col');
				column.style.width = width;
				return column;
			})),
			element('thead', {}, element('tr', { 'aria-rowindex': '1' }, ...EVENT_COLUMNS.map(([title], i) => element('th', { scope: 'col', className: i < 2 ? 'number' : '' }, title)))),
			this.body);
		this.space = element('div', { className: 'rows-space' }, this.table);
		this.box = element('div', { className: 'rows', tabIndex: 0, role: 'region' }, this.space);
		this.box.setAttribute('aria-label', 'Events of the selection');
		this.box.addEventListener('scroll', () => this.fill());
		new ResizeObserver(() => this.fill()).observe(this.box);
		box.append(element('div', { className: 'bar' }, element('label', {}, this.all, ' All events')), this.words, this.box);
	}

	functionOf(row) {
		const { nodes, functions } = this.selection.data;
		return row.node ? functions[nodes.functionOf[row.node]].name : '';
	}

	// Locks and system calls are of libraries: their caller is in the program.
	ownOf(row) {
		const { nodes, functions } = this.selection.data, own = nodes.own[row.node];
		return own ? functions[own - 1].name : '';
	}

	textsOf(row) {
		const { tasks, events } = this.selection.data, { lane } = row, task = tasks[lane.task];
		return [wordsOfSince(row.time), lane.cpu < 0 ? '' : String(lane.cpu), `${task.comm} ${task.tid}`,
			events[lane.event].name, this.functionOf(row), this.ownOf(row), row.text];
	}

	isChosen(row, matches) {
		const { selection } = this, { lane } = row, { width } = selection.data.time;
		return (this.all.checked || lane.event === selection.event) && (selection.cpu === null || lane.cpu === selection.cpu) &&
			row.time >= selection.from * width && row.time < selection.to * width && selection.hasTask(selection.data.tasks[lane.task]) &&
			(!matches || this.textsOf(row).slice(2).some(matches));
	}

	// The number of selected events in the recording, without regard to the search.
	count() {
		const { selection } = this, { events } = selection.data;
		if (!this.all.checked)
			return selection.weigh().samples;
		return events.reduce((sum, event, i) => event.step ? sum + selection.count(i) : sum, 0);
	}

	show() {
		const { selection } = this, { events } = selection.data, matches = selection.matcher;
		this.rows = selection.data.rows.filter((row) => this.isChosen(row, matches));
		const steps = events.filter((event, i) => event.step > 1 && (this.all.checked || i === selection.event));
		const found = `${plural(this.rows.length, 'event', 'events')}${matches ? ' that match' : ''}`;
		this.words.textContent = !this.all.checked && !events[selection.event].step ? 'This event is made of others, so it has no rows; see all events.' :
			!steps.length ? `${found} in the selection` :
			`${found}, of ${wordsOfCount(this.count())} in the selection. The page has one in ` +
			`${steps.map((event) => `${wordsOfCount(event.step)} of ${plainText(event.name)}`).join(', one in ')}; "ktrace script" prints all.`;
		this.table.setAttribute('aria-rowcount', String(this.rows.length + 1));
		this.space.style.height = `${(this.rows.length + 1) * EVENT_ROW}px`;
		this.box.scrollTop = 0;
		this.fill();
	}

	fill() {
		const first = Math.max(0, Math.floor(this.box.scrollTop / EVENT_ROW) - EVENT_MARGIN);
		const last = Math.min(this.rows.length, first + Math.ceil(this.box.clientHeight / EVENT_ROW) + 2 * EVENT_MARGIN);
		this.table.style.top = `${first * EVENT_ROW}px`;
		this.body.replaceChildren(...this.rows.slice(first, last).map((row, i) => this.line(row, first + i)));
	}

	line(row, number) {
		return element('tr', { 'aria-rowindex': String(number + 2) }, ...this.textsOf(row).map((text, i) => {
			const plain = plainText(text);
			return element('td', { className: i < 2 ? 'number' : 'name', title: i < 2 ? '' : plain }, plain);
		}));
	}
}
