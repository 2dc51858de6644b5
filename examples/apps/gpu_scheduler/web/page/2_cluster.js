// Nodes by rack. A GPU is a cell; what is held of it fills it from below, in proportion to memory.
const SIDE = 12, STEP = 13.5;

function cell(gpu, i, tenant) {
  const x = i * STEP + .5, parts = [draw("rect", {class: "cell", x, y: .5, width: SIDE - 1, height: SIDE - 1})];
  let from = SIDE - .5;
  for (const held of gpu.holds) {
    const high = gpu.memoryMiB ? Math.max(1, (SIDE - 1) * held.memoryMiB / gpu.memoryMiB) : SIDE - 1, look = lookOf(held.tenant);
    from = Math.max(.5, from - high);
    const rect = draw("rect", {class: look.colour + (tenant && tenant !== held.tenant ? " dim" : ""), x, y: from, width: SIDE - 1, height: high});
    parts.push(rect);
  }
  // One letter: of the tenant that has most of it.
  const most = gpu.holds.reduce((best, h) => !best || h.memoryMiB > best.memoryMiB ? h : best, null);
  if (most) parts.push(draw("text", {class: "letter", x: x + 5.5, y: 8.7}, lookOf(most.tenant).letter));
  if (!gpu.healthy) parts.push(draw("path", {class: "cross", d: `M${x + 1.5} 2L${x + 9.5} 10M${x + 9.5} 2L${x + 1.5} 10`}));
  return parts;
}
const cluster = {
  items: new Map(),  // by name: {li, button, drawn}
  order: [],         // names as they are shown
  focus: null,       // the one that Tab leads to
  chosen: null,
  shape: "",

  nodeElement(n) {
    const svg = draw("svg", {viewBox: `0 0 ${n.gpus.length * STEP - 1} ${SIDE}`, "aria-hidden": "true"});
    const button = el("button", {class: "node", type: "button", tabindex: "-1", "aria-pressed": "false", "data-name": n.name}, svg, el("span", {}, n.name));
    return {li: el("li", {}, button), button, svg, drawn: ""};
  },
  drawNode(n) {
    const tenant = $("of-tenant").value, text = tenant + JSON.stringify(n);
    let item = this.items.get(n.name);
    if (!item) this.items.set(n.name, item = this.nodeElement(n));
    if (item.drawn === text) return item;
    item.drawn = text;
    item.svg.setAttribute("viewBox", `0 0 ${n.gpus.length * STEP - 1} ${SIDE}`);
    item.svg.replaceChildren(...n.gpus.flatMap((g, i) => cell(g, i, tenant)));
    item.button.setAttribute("aria-label", wordsOf(n));
    item.button.title = wordsOf(n);
    item.button.dataset.state = n.state;
    return item;
  },
  draw() {
    const byRack = new Map(), shown = [...store.nodes.values()].filter(matches);
    const order = new Intl.Collator("en", {numeric: true}).compare;
    shown.sort((a, b) => order(a.rack || "￿", b.rack || "￿") || order(a.name, b.name));
    for (const n of shown) (byRack.get(n.rack) || byRack.set(n.rack, []).get(n.rack)).push(n);
    this.order = shown.map(n => n.name);
    const shape = JSON.stringify(shown.map(n => [n.rack, n.name]));
    for (const n of shown) this.drawNode(n);
    if (shape !== this.shape) {
      this.shape = shape;
      const focused = document.activeElement?.dataset?.name;
      $("racks").replaceChildren(...[...byRack].map(([rack, nodes]) => el("div", {class: nodes.length > 24 ? "rack" : "rack narrow"},
        el("h2", {}, rack || (byRack.size > 1 ? "no rack" : "Nodes"), " ", el("span", {class: "soft"}, many(nodes.length, "node"))),
        el("ul", {}, ...nodes.map(n => this.items.get(n.name).li)))));
      $("racks").classList.toggle("dense", shown.length > 60);
      if (focused && this.order.includes(focused)) this.items.get(focused).button.focus();
    }
    if (!this.order.includes(this.focus)) this.setFocus(this.order[0]);
    show($("empty"), !shown.length);
    put($("empty"), store.nodes.size ? "No node is like that." : "There is no node with GPUs yet.");
    show($("hint"), shown.length > 0);
    this.drawOne();
  },
  setFocus(name) {
    if (this.focus) this.items.get(this.focus)?.button.setAttribute("tabindex", "-1");
    this.focus = name ?? null;
    if (name) this.items.get(name).button.setAttribute("tabindex", "0");
  },
  // The node above or below the middle of this one.
  beside(name, down) {
    const at = this.items.get(name).button.getBoundingClientRect(), x = at.left + at.width / 2;
    let best = null, least = Infinity;
    for (const other of this.order) {
      const r = this.items.get(other).button.getBoundingClientRect();
      const away = down ? r.top - at.bottom : at.top - r.bottom;
      if (away < -1) continue;
      const far = away * 20 + Math.abs(r.left + r.width / 2 - x);
      if (far < least) [best, least] = [other, far];
    }
    return best;
  },
  key(e) {
    const name = e.target.dataset?.name, i = this.order.indexOf(name);
    if (i < 0) return;
    const to = {ArrowRight: () => this.order[i + 1], ArrowLeft: () => this.order[i - 1], Home: () => this.order[0], End: () => this.order.at(-1),
      ArrowDown: () => this.beside(name, true), ArrowUp: () => this.beside(name, false)}[e.key]?.();
    if (to === undefined && !/^(Arrow|Home|End)/.test(e.key)) return;
    e.preventDefault();
    if (!to) return;
    this.setFocus(to);
    this.items.get(to).button.focus();
  },
  choose(name) {
    this.items.get(this.chosen)?.button.setAttribute("aria-pressed", "false");
    const closed = this.chosen === name || !name ? this.chosen : null;
    this.chosen = closed ? null : name;
    this.drawOne();
    if (closed) this.items.get(closed)?.button.focus();
    else $("one").focus();
  },
  drawOne() {
    const n = store.nodes.get(this.chosen);
    show($("one"), n !== undefined);
    if (!n) return;
    this.items.get(n.name)?.button.setAttribute("aria-pressed", "true");
    put($("one-name"), n.name);
    put($("one-what"), there([n.product, n.rack && `rack ${n.rack}`, n.state, n.forecast && "the kubelet chooses: which GPU a pod has is a forecast"]).join(" · "));
    $("one-gpus").replaceChildren(...n.gpus.map(g => el("tr", {}, el("td", {title: g.uuid}, `${g.index}`, g.healthy ? null : el("b", {class: "bad"}, " unhealthy")),
      el("td", {class: "n"}, `${number(g.freeMiB)} / ${number(g.memoryMiB)}`), el("td", {}, ...heldBy(g)))));
  },
};
function heldBy(g) {
  if (!g.holds.length) return [el("span", {class: "soft"}, "free")];
  return g.holds.map(h => {
    const slice = g.slices.find(s => s.pod === h.pod);
    const part = slice ? ` ${slice.profile} at ${slice.start}` : h.memoryMiB < g.memoryMiB ? ` ${number(h.memoryMiB)} MiB` : "";
    return el("div", {}, swatch(h.tenant), `${h.pod}${part}`, el("span", {class: "soft"}, ` ${h.tenant}`));
  });
}
function swatch(tenant) {
  const look = lookOf(tenant);
  return draw("svg", {class: "swatch", viewBox: "0 0 12 12", "aria-hidden": "true"}, draw("rect", {class: look.colour, x: .5, y: .5, width: 11, height: 11}),
    draw("text", {class: "letter", x: 6, y: 8.7}, look.letter));
}
