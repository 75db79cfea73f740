// SPDX-License-Identifier: GPL-2.0
/*
 * Trees that are made for display out of the nodes of the data and their weights.
 */
class Tree {
	constructor(size) {
		this.parent = new Uint32Array(size);
		this.functionOf = new Uint32Array(size);
		this.self = new Float64Array(size);
		this.total = new Float64Array(size);
		this.count = 0;
		this.slots = new Uint32Array(1024);
		this.add(0, 0);
	}

	grow() {
		const more = (array) => {
			const grown = new array.constructor(array.length * 2);
			grown.set(array);
			return grown;
		};
		this.parent = more(this.parent);
		this.functionOf = more(this.functionOf);
		this.self = more(this.self);
		this.total = more(this.total);
	}

	slotOf(parent, functionOf) {
		const mask = this.slots.length - 1;
		let at = Math.imul(Math.imul(parent, 0x9e3779b1) ^ functionOf, 0x85ebca6b);
		at = (at ^ at >>> 15) & mask;
		while (this.slots[at] && (this.parent[this.slots[at]] !== parent ||
					  this.functionOf[this.slots[at]] !== functionOf))
			at = (at + 1) & mask;
		return at;
	}

	rehash() {
		this.slots = new Uint32Array(this.slots.length * 2);
		for (let i = 1; i < this.count; i++)
			this.slots[this.slotOf(this.parent[i], this.functionOf[i])] = i;
	}

	add(parent, functionOf) {
		if (this.count === this.parent.length)
			this.grow();
		this.parent[this.count] = parent;
		this.functionOf[this.count] = functionOf;
		return this.count++;
	}

	// Find or add the child of a node.
	child(parent, functionOf) {
		let at = this.slotOf(parent, functionOf);
		if (this.slots[at])
			return this.slots[at];
		if (this.count * 2 > this.slots.length) {
			this.rehash();
			at = this.slotOf(parent, functionOf);
		}
		return this.slots[at] = this.add(parent, functionOf);
	}

	// Sum up, and put the children of each node into order, the heaviest first.
	finish() {
		const { count, parent, self, total } = this;
		for (let i = count - 1; i >= 0; i--) {
			total[i] += self[i];
			if (i)
				total[parent[i]] += total[i];
		}
		this.first = new Uint32Array(count + 2);
		for (let i = 1; i < count; i++)
			this.first[parent[i] + 2]++;
		for (let i = 2; i < count + 2; i++)
			this.first[i] += this.first[i - 1];
		this.children = new Uint32Array(count);
		for (let i = 1; i < count; i++)
			this.children[this.first[parent[i] + 1]++] = i;
		for (let i = 0; i < count; i++)
			if (this.first[i + 1] - this.first[i] > 1)
				this.children.subarray(this.first[i], this.first[i + 1])
					.sort((a, b) => total[b] - total[a] || a - b);
		return this;
	}

	childrenOf(node) {
		return this.children.subarray(this.first[node], this.first[node + 1]);
	}

	pathOf(node) {
		const path = [];
		for (; node; node = this.parent[node])
			path.push(node);
		return path.reverse();
	}
}

// From the outermost functions on. join: a function that calls itself is one node.
function makeTree(nodes, self, join) {
	const tree = new Tree(nodes.parent.length), made = new Uint32Array(nodes.parent.length);
	const used = totalsOf(nodes, self);
	tree.functionOf[0] = nodes.functionOf[0];
	for (let i = 1; i < made.length; i++) {
		if (!used[i])
			continue;
		const parent = made[nodes.parent[i]], f = nodes.functionOf[i];
		made[i] = join && parent && tree.functionOf[parent] === f ? parent : tree.child(parent, f);
	}
	for (let i = 0; i < made.length; i++)
		tree.self[made[i]] += self[i];
	return tree.finish();
}

function totalsOf(nodes, self) {
	const totals = Float64Array.from(self);
	for (let i = totals.length - 1; i > 0; i--)
		totals[nodes.parent[i]] += totals[i];
	return totals;
}

// Add what leads to a node, the innermost first.
function addCallers(tree, nodes, node, weight, join) {
	let at = 0;
	for (let i = node; i; i = nodes.parent[i]) {
		const f = nodes.functionOf[i];
		if (!join || !at || tree.functionOf[at] !== f)
			at = tree.child(at, f);
	}
	tree.self[at] += weight;
}

// From the functions that were sampled on, with their callers below them.
function makeInvertedTree(nodes, self, join) {
	const tree = new Tree(4096);
	tree.functionOf[0] = nodes.functionOf[0];
	for (let i = 0; i < self.length; i++)
		if (self[i])
			addCallers(tree, nodes, i, self[i], join);
	return tree.finish();
}

// Whether a node is in a call of the function already.
function markInside(nodes, wanted) {
	const inside = new Uint8Array(nodes.parent.length);
	for (let i = 1; i < inside.length; i++) {
		const above = nodes.parent[i];
		inside[i] = inside[above] || (above && nodes.functionOf[above] === wanted) ? 1 : 0;
	}
	return inside;
}

// All calls of a function: who calls it, and what it calls. Calls inside of calls count once.
function makeSandwich(nodes, self, wanted) {
	const callers = new Tree(4096), callees = new Tree(4096);
	const inside = markInside(nodes, wanted), totals = totalsOf(nodes, self);
	const made = new Uint32Array(inside.length);
	callers.functionOf[0] = callees.functionOf[0] = wanted;
	for (let i = 1; i < inside.length; i++) {
		if (!totals[i])
			continue;
		const top = !inside[i] && nodes.functionOf[i] === wanted;
		if (top)
			addCallers(callers, nodes, nodes.parent[i], totals[i], false);
		else if (inside[i])
			made[i] = callees.child(made[nodes.parent[i]], nodes.functionOf[i]);
		if (top || inside[i])
			callees.self[made[i]] += self[i];
	}
	return { callers: callers.finish(), callees: callees.finish() };
}

// By function, what it was sampled in itself, and with all that it called, each sample once.
function sumFunctions(nodes, self, count) {
	const own = new Float64Array(count), all = new Float64Array(count);
	const totals = totalsOf(nodes, self), open = new Uint32Array(count), path = [];
	for (let i = 1; i < totals.length; i++) {
		while (path.length && path[path.length - 1] !== nodes.parent[i])
			open[nodes.functionOf[path.pop()]]--;
		const f = nodes.functionOf[i];
		own[f] += self[i];
		if (!open[f]++)
			all[f] += totals[i];
		path.push(i);
	}
	return { own, all };
}
