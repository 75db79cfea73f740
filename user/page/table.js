// SPDX-License-Identifier: GPL-2.0
/*
 * Elements, and tables whose columns sort.
 */
const FIRST_ROWS = 200;

// Texts of recordings only ever become text, never HTML.
function element(name, attributes, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (key in made && key !== 'role')
			made[key] = value;
		else
			made.setAttribute(key, value);
	made.append(...children);
	return made;
}

// columns: { title, value(row), text(row), isNumber, isWord: never broken, click(row) }
class Table {
	constructor(columns, sortBy, rowClass) {
		Object.assign(this, { columns, sortBy, rowClass });
		this.descending = true;
		this.limit = FIRST_ROWS;
		this.caption = element('caption', { className: 'hint' });
		this.head = element('thead');
		this.body = element('tbody');
		this.more = element('button', { type: 'button', onclick: () => {
			this.limit *= 5;
			this.fill();
		} });
		this.box = element('div', { className: 'scroll', tabIndex: -1 },
			element('table', {}, this.caption, this.head, this.body), this.more);
	}

	show(rows, caption) {
		this.rows = rows;
		this.caption.textContent = caption;
		this.fill();
	}

	fill() {
		const column = this.columns[this.sortBy], sign = this.descending ? -1 : 1;
		const compare = (a, b) => column.value(a) < column.value(b) ? -sign : column.value(a) > column.value(b) ? sign : 0;
		this.rows.sort(compare);
		this.head.replaceChildren(element('tr', {}, ...this.columns.map((c, i) => this.heading(c, i))));
		this.body.replaceChildren(...this.rows.slice(0, this.limit).map((row) => this.line(row)));
		this.more.hidden = this.rows.length <= this.limit;
		this.more.textContent = `Show more of ${wordsOfCount(this.rows.length)}`;
	}

	heading(column, i) {
		const sorted = i === this.sortBy ? this.descending ? 'descending' : 'ascending' : 'none';
		const arrow = { descending: ' ▼', ascending: ' ▲', none: '' }[sorted];
		const click = () => {
			this.descending = i === this.sortBy ? !this.descending : !!column.isNumber;
			this.sortBy = i;
			this.fill();
		};
		return element('th', { scope: 'col', 'aria-sort': sorted, className: column.isNumber ? 'number' : '' },
			element('button', { type: 'button', onclick: click }, column.title + arrow));
	}

	line(row) {
		return element('tr', { className: this.rowClass ? this.rowClass(row) : '' }, ...this.columns.map((column) => {
			const text = plainText(column.text ? column.text(row) : String(column.value(row)));
			const parts = column.isNumber || column.isWord ? [text] : breakable(text);
			const children = column.click ? [element('button', { type: 'button', onclick: () => column.click(row) }, ...parts)] : parts;
			return element('td', { className: column.isNumber ? 'number' : column.isWord ? 'name word' : 'name' }, ...children);
		}));
	}
}
