// Charts: one for each measurement of each GPU. The picture has a text beside it that says the same.
const WIDE = 300, HIGH = 44;  // of the drawing; it is stretched to the width of its card

class Chart {
  // kind: {metric, title, format(value), limit(gpu): the top of the scale, or null}
  constructor(kind, card) {
    this.kind = kind;
    this.card = card;
    this.value = el("b", {});
    this.of = el("span", {class: "soft"});
    this.when = el("output", {class: "soft when"});
    this.area = draw("path", {class: "area"});
    this.line = draw("path", {class: "stroke-line"});
    this.cursor = draw("line", {class: "cursor", y1: 0, y2: HIGH, x1: -9, x2: -9});
    this.svg = draw("svg", {class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img",
      tabindex: card.charts.length ? "-1" : "0"},
      draw("line", {class: "grid", x1: 0, x2: WIDE, y1: .5, y2: .5}),
      draw("line", {class: "grid", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2}),
      draw("line", {class: "grid", x1: 0, x2: WIDE, y1: HIGH - .5, y2: HIGH - .5}), this.area, this.line, this.cursor);
    this.box = el("figure", {}, el("figcaption", {}, el("span", {class: "what"}, kind.title), el("span", {}, this.value, this.of), this.when), this.svg);
    this.at = null;  // the point that is read
    this.svg.onpointermove = e => {
      const r = this.svg.getBoundingClientRect();
      this.read(this.nearest((e.clientX - r.left) / r.width));
    };
    this.svg.onpointerleave = this.svg.onblur = () => this.read(null);
    this.svg.onkeydown = e => this.key(e);
    this.points = [];
  }
  nearest(share) {
    const t = past.now - view.span * (1 - share);
    let best = null;
    this.points.forEach((p, i) => {
      if (best === null || Math.abs(p[0] - t) < Math.abs(this.points[best][0] - t)) best = i;
    });
    return best;
  }
  key(e) {
    const end = this.points.length - 1, step = Math.max(1, Math.round(end / 60)), at = this.at ?? end;
    if (e.key === "ArrowUp" || e.key === "ArrowDown") {
      const others = this.card.charts, to = others.indexOf(this) + (e.key === "ArrowUp" ? -1 : 1);
      if (!others[to]) return;
      for (const c of others) c.svg.setAttribute("tabindex", c === others[to] ? "0" : "-1");
      others[to].svg.focus();
    } else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(e.key) && end >= 0) {
      this.read({ArrowLeft: Math.max(0, at - step), ArrowRight: Math.min(end, at + step), Home: 0, End: end}[e.key]);
    } else {
      return;
    }
    e.preventDefault();
  }
  // Shows the point of that number instead of the present; null: the present.
  read(i) {
    this.at = i;
    const p = i === null ? null : this.points[i];
    const x = p ? this.x(p[0]) : -9;
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    put(this.when, p ? `${this.kind.format(p[1])} at ${clock(new Date(p[0] * 1000))}` : "");
  }
  x(t) { return (1 - (past.now - t) / view.span) * WIDE; }
  show(gpu) {
    const value = this.kind.value(gpu), limit = this.kind.limit(gpu);
    this.now = known(value) ? this.kind.format(value) : NOT_TOLD;
    put(this.value, this.now);
    put(this.of, known(limit) && this.kind.of ? ` of ${this.kind.format(limit)}` : "");
    if (known(limit)) this.top = limit;  // one that is lost tells none
  }
  draw(uuid) {
    const before = this.at === null ? null : this.points[this.at]?.[0];
    this.points = uuid ? past.of(this.kind.metric, uuid) : [];
    const values = this.points.map(p => p[1]);
    const most = values.reduce((a, b) => Math.max(a, b), 0), least = values.reduce((a, b) => Math.min(a, b), Infinity);
    const top = Math.max(this.top || this.kind.least || 1, most);
    const y = v => HIGH - 1 - v / top * (HIGH - 2);
    let line = "", area = "";
    for (const piece of pieces(this.points)) {
      const dots = thin(piece).map(p => `${this.x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`);
      const x = i => dots.at(i).split(",")[0];
      line += `M${dots.join("L")}` + (dots.length === 1 ? "h.1" : "");
      area += `M${x(0)},${HIGH}L${dots.join("L")}L${x(-1)},${HIGH}Z`;
    }
    this.line.setAttribute("d", line);
    this.area.setAttribute("d", area);
    this.svg.setAttribute("aria-label", `${this.kind.title} of GPU ${this.card.index}, last ${spanWords(view.span)}: ` +
        (values.length ? `now ${this.now}, lowest ${this.kind.format(least)}, highest ${this.kind.format(most)}, ` +
        `mean ${this.kind.format(values.reduce((a, b) => a + b, 0) / values.length)}` : "nothing measured"));
    if (before !== null) {
      const same = this.points.findIndex(p => p[0] === before);
      this.read(same < 0 ? null : same);
    }
  }
}

// No more points than the drawing is wide: means of neighbours.
function thin(points) {
  const each = Math.ceil(points.length / WIDE);
  if (each < 2) return points;
  const out = [];
  for (let i = 0; i < points.length; i += each) {
    const some = points.slice(i, i + each);
    out.push([some[some.length >> 1][0], some.reduce((sum, p) => sum + p[1], 0) / some.length]);
  }
  return out;
}

const spanWords = seconds => ({600: "10 minutes", 3600: "hour", 21600: "6 hours", 86400: "24 hours"})[seconds];
const KINDS = [
  {metric: "utilization", title: "Utilisation", format: nice.percent, value: g => g.utilization.gpu, limit: () => 100},
  {metric: "memoryUsedBytes", title: "Memory", format: nice.bytes, value: g => g.memory.usedBytes, limit: g => g.memory.totalBytes, of: true},
  {metric: "powerW", title: "Power", format: nice.watts, value: g => g.powerW, limit: g => g.powerLimitW, of: true, least: 100},
  {metric: "temperatureC", title: "Temperature", format: nice.celsius, value: g => g.temperatureC, limit: () => 100}
];
const charts = {
  draw() {
    for (const card of cards.values()) card.drawCharts();
  }
};
