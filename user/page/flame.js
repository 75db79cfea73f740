// SPDX-License-Identifier: GPL-2.0
/*
 * A tree as rows of boxes, whose width is their weight. Only visible boxes are painted, so the size
 * of the tree does not matter.
 */
const ROW = 19, BOX_FONT = '12px ui-monospace, "DejaVu Sans Mono", monospace';

class Flame {
	// callbacks: describe(node) gives a text, mark(node) one to put before the name,
	// follow(node) is called with the entered node.
	constructor(box, space, canvas, callbacks) {
		Object.assign(this, { box, space, canvas, callbacks });
		this.zoomed = this.current = 0;
		this.rootBelow = true;
		this.boxes = [];
		box.addEventListener('scroll', () => this.paint());
		new ResizeObserver(() => {
			this.place();
			this.scrollToRoot();
		}).observe(box);
		canvas.addEventListener('mousemove', (event) => this.hover(event));
		canvas.addEventListener('mouseleave', () => this.callbacks.tip(null));
		canvas.addEventListener('click', (event) => {
			const found = this.nodeAt(event);
			if (found !== null)
				this.zoom(found);
		});
		canvas.addEventListener('contextmenu', (event) => {
			const found = this.nodeAt(event);
			if (found) {
				event.preventDefault();
				this.callbacks.follow(found);
			}
		});
		canvas.addEventListener('keydown', (event) => this.press(event));
	}

	show(tree, functions, found) {
		Object.assign(this, { tree, functions, found });
		this.zoomed = this.current = 0;
		this.pointsAt = null;
		this.place();
		this.scrollToRoot();
	}

	scrollToRoot() {
		this.box.scrollTop = this.rootBelow ? this.box.scrollHeight : 0;
		this.paint();
	}

	// Find the boxes: [node, left, width, row], in pixels.
	place() {
		const { tree } = this, width = this.box.clientWidth;
		this.boxes = [];
		this.rows = 0;
		if (!tree || !tree.total[0] || !width)
			return this.resize(width);
		const path = [0, ...tree.pathOf(this.zoomed)];
		path.forEach((node, row) => this.boxes.push([node, 0, width, row]));
		const todo = [[this.zoomed, 0, width, path.length]];
		while (todo.length) {
			const [node, left, space, row] = todo.pop();
			let at = left;
			this.rows = Math.max(this.rows, row);
			for (const child of tree.childrenOf(node)) {
				const wide = tree.total[child] / tree.total[node] * space;
				if (wide < 0.4)
					break;
				this.boxes.push([child, at, wide, row]);
				todo.push([child, at, wide, row + 1]);
				at += wide;
			}
		}
		this.resize(width);
	}

	resize(width) {
		this.height = Math.max(this.rows * ROW, ROW);
		this.space.style.height = `${Math.max(this.height, this.box.clientHeight)}px`;
		this.context = fitCanvas(this.canvas, width, Math.max(this.box.clientHeight, ROW));
		this.context.font = BOX_FONT;
		this.character = this.context.measureText('0').width;
		this.byRow = [];
		for (const box of this.boxes)
			(this.byRow[box[3]] = this.byRow[box[3]] || []).push(box);
	}

	// The upper edge of a row on the canvas.
	top(row) {
		const above = this.rootBelow ? Math.max(this.height, this.box.clientHeight) - (row + 1) * ROW : row * ROW;
		return above - this.box.scrollTop;
	}

	paint() {
		const { context, canvas } = this, height = canvas.clientHeight;
		if (!context)
			return;
		context.clearRect(0, 0, canvas.clientWidth, height);
		context.textBaseline = 'middle';
		this.isFocused = document.activeElement === canvas;
		this.colors = [];
		for (let row = 0; row < this.byRow.length; row++) {
			const top = this.top(row);
			if (top > -ROW && top < height)
				for (const box of this.byRow[row] || [])
					this.paintBox(box, top);
		}
	}

	paintBox([node, left, width], top) {
		const { context, tree, colors } = this, number = tree.functionOf[node], f = this.functions[number];
		colors[number] = colors[number] || this.callbacks.color(node, f);
		paintFunction(context, { left, top, width, height: ROW, text: this.callbacks.mark(node) + f.name, character: this.character,
			color: colors[number], found: this.found && !!this.found[number], searched: !!this.found });
		if (node === this.current && (this.isFocused || node === this.pointsAt))
			outline(context, left, top, width, ROW);
	}

	boxAt(event) {
		const place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.left, y = event.clientY - place.top;
		const row = this.byRow.findIndex((boxes, i) => boxes && y >= this.top(i) && y < this.top(i) + ROW);
		return row < 0 ? null : this.byRow[row].find(([, left, width]) => x >= left && x < left + width) || null;
	}

	nodeAt(event) {
		const box = this.boxAt(event);
		return box && box[0];
	}

	hover(event) {
		const node = this.nodeAt(event);
		this.canvas.style.cursor = node === null ? 'default' : 'pointer';
		this.callbacks.tip(node === null ? null : this.callbacks.describe(node), event);
	}

	zoom(node) {
		this.zoomed = this.current = node;
		this.place();
		this.scrollToRoot();
		this.callbacks.zoomed(node);
		this.callbacks.say(this.callbacks.describe(node));
	}

	// The box beside the current one in its row, or the widest one above or below it.
	neighbour(key) {
		const at = this.boxes.findIndex(([node]) => node === this.current);
		const [, left, width, row] = this.boxes[at < 0 ? 0 : at];
		const towardsRoot = key === (this.rootBelow ? 'ArrowDown' : 'ArrowUp');
		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			const boxes = [...this.byRow[row]].sort((a, b) => a[1] - b[1]);
			const next = boxes.findIndex(([node]) => node === this.current) + (key === 'ArrowLeft' ? -1 : 1);
			return boxes[next];
		}
		const boxes = this.byRow[row + (towardsRoot ? -1 : 1)] || [];
		if (towardsRoot)
			return boxes.find((box) => box[1] <= left && box[1] + box[2] >= left + width * 0.99);
		return boxes.find((box) => this.tree.parent[box[0]] === this.current);
	}

	// Go to the next box that a search has found, from the root on, or to the one before.
	showFound(back) {
		const { tree, found } = this;
		const boxes = found ? this.boxes.filter(([node]) => found[tree.functionOf[node]]) : [];
		if (!boxes.length)
			return this.callbacks.say(found ? 'No box that is wide enough to be seen has been found.' : 'Nothing is searched for.');
		boxes.sort((a, b) => a[3] - b[3] || a[1] - b[1]);
		const last = boxes.findIndex(([node]) => node === this.current);
		const next = last < 0 ? (back ? boxes.length - 1 : 0) : (last + (back ? boxes.length - 1 : 1)) % boxes.length;
		this.current = boxes[next][0];
		this.pointsAt = this.current;
		this.reveal(boxes[next][3]);
		this.pointTo(boxes[next]);
		this.callbacks.say(`${next + 1} of ${boxes.length}: ${this.callbacks.describe(this.current)}`);
		this.paint();
	}

	// Describe a box beside it, as if the pointer were there.
	pointTo([node, left, width, row]) {
		const place = this.canvas.getBoundingClientRect();
		this.callbacks.tip(this.callbacks.describe(node), {
			clientX: place.left + left + width / 2, clientY: place.top + this.top(row) + ROW / 2,
		});
	}

	press(event) {
		if (!this.boxes || !this.boxes.length)
			return;
		if (event.key.startsWith('Arrow')) {
			const box = this.neighbour(event.key);
			if (box) {
				this.current = box[0];
				this.reveal(box[3]);
				this.callbacks.say(this.callbacks.describe(box[0]));
			}
		} else if (event.key === 'Enter' || event.key === ' ') {
			this.zoom(this.current);
		} else if (event.key === 'Escape') {
			this.zoom(0);
		} else if (event.key === 'c') {
			this.callbacks.follow(this.current);
		} else {
			return;
		}
		event.preventDefault();
		this.paint();
	}

	reveal(row) {
		const top = this.top(row);
		if (top < 0)
			this.box.scrollTop += top;
		else if (top + ROW > this.box.clientHeight)
			this.box.scrollTop += top + ROW - this.box.clientHeight;
	}
}
