// SPDX-License-Identifier: GPL-2.0
/*
 * Trees for display, built from the nodes of the data and their weights.  The children of
 * a node are created at the first access, so that the cost of a tree is that of its visible part.
 */
class Tree {
	// step(node, places, weights, add) adds the successors of the places of the data that a node
	// stands for: add(function, place, weight).
	constructor(functionOf, places, weights, step) {
		this.step = step;
		this.parent = [0];
		this.functionOf = [functionOf];
		this.total = [weights.reduce((a, b) => a + b, 0)];
		this.places = [places];
		this.weights = [weights];
		this.children = [];
	}

	// The heaviest first.
	childrenOf(node) {
		return this.children[node] = this.children[node] || this.expand(node);
	}

	expand(node) {
		const { parent, functionOf, total, places, weights } = this, made = new Map(), children = [];
		this.step(node, places[node], weights[node], (f, place, weight) => {
			let child = made.get(f);
			if (child === undefined) {
				child = parent.length;
				made.set(f, child);
				children.push(child);
				parent.push(node);
				functionOf.push(f);
				total.push(0);
				places.push([]);
				weights.push([]);
			}
			total[child] += weight;
			places[child].push(place);
			weights[child].push(weight);
		});
		places[node] = weights[node] = null;
		return children.sort((a, b) => total[b] - total[a] || a - b);
	}

	// The weight outside of the children.
	selfOf(node) {
		return this.childrenOf(node).reduce((rest, child) => rest - this.total[child], this.total[node]);
	}

	pathOf(node) {
		const path = [];
		for (; node; node = this.parent[node])
			path.push(node);
		return path.reverse();
	}
}

function totalsOf(nodes, self) {
	const totals = Float64Array.from(self), { parent } = nodes;
	for (let i = totals.length - 1; i > 0; i--)
		totals[parent[i]] += totals[i];
	return totals;
}

// The callees of the places.  join: a function that calls itself is one node.
function calleesStep(nodes, totals, join) {
	const { end, functionOf } = nodes;
	return function addCallees(node, places, weights, add) {
		const self = this.functionOf[node];
		const follow = (place) => {
			for (let at = place + 1; at < end[place]; at = end[at]) {
				if (!totals[at])
					continue;
				if (join && node && functionOf[at] === self)
					follow(at);
				else
					add(functionOf[at], at, totals[at]);
			}
		};
		places.forEach(follow);
	};
}

// The callers of the places; a place of a node is the next caller already.
function callersStep(nodes, join) {
	const { parent, functionOf } = nodes;
	return function addCallers(node, places, weights, add) {
		const self = this.functionOf[node];
		for (let i = 0; i < places.length; i++) {
			let place = places[i];
			while (join && node && place && functionOf[place] === self)
				place = parent[place];
			if (place)
				add(functionOf[place], parent[place], weights[i]);
		}
	};
}

// From the outermost functions on.
function makeTree(nodes, self, join) {
	const totals = totalsOf(nodes, self);
	return new Tree(nodes.functionOf[0], [0], [totals[0]], calleesStep(nodes, totals, join));
}

// From the functions that were sampled on, with their callers below them.
function makeInvertedTree(nodes, self, join) {
	const places = [], weights = [];
	for (let i = 0; i < self.length; i++)
		if (self[i]) {
			places.push(i);
			weights.push(self[i]);
		}
	return new Tree(nodes.functionOf[0], places, weights, callersStep(nodes, join));
}

// All calls of a function: its callers, and its callees. Calls inside of calls count once.
function makeSandwich(nodes, self, wanted) {
	const totals = totalsOf(nodes, self), calls = [], above = [], weights = [];
	for (let i = 1; i < totals.length;) {
		if (nodes.functionOf[i] !== wanted) {
			i++;
			continue;
		}
		if (totals[i]) {
			calls.push(i);
			above.push(nodes.parent[i]);
			weights.push(totals[i]);
		}
		i = nodes.end[i];
	}
	return {
		callers: new Tree(wanted, above, weights, callersStep(nodes, false)),
		callees: new Tree(wanted, calls, weights, calleesStep(nodes, totals, false)),
	};
}

// By function, its own samples, and those with its callees, each sample once.
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
