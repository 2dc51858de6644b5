// A chart of the last six hours: lines over time, read with the pointer or the keyboard.
const WIDE = 720, HIGH = 100, HOURS = 6 * 3600;
const known = x => x !== null && x !== undefined;
const number = x => known(x) ? x.toLocaleString("en", {maximumSignificantDigits: 4}) : "–";

class Chart {
  // lines: [{name, of(point): number or null, kind: class, dash}]; step: values hold until the next point.
  constructor(svg, output, title, lines, step) {
    Object.assign(this, {svg, output, title, lines, step, points: [], at: null});
    svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.onpointermove = e => {
      const box = svg.getBoundingClientRect();
      this.read(this.nearest(this.end - HOURS * (1 - (e.clientX - box.left) / box.width)));
    };
    svg.onpointerleave = svg.onblur = () => this.read(null);
    svg.onkeydown = e => {
      const last = this.points.length - 1, at = this.at ?? last;
      const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last}[e.key];
      if (to === undefined || last < 0) return;
      e.preventDefault();
      this.read(Math.min(last, Math.max(0, to)));
    };
  }
  nearest(time) {
    let best = null;
    this.points.forEach((p, i) => {
      if (best === null || Math.abs(p[0] - time) < Math.abs(this.points[best][0] - time)) best = i;
    });
    return best;
  }
  x(time) { return (1 - (this.end - time) / HOURS) * WIDE; }
  words(point) {
    const said = this.lines.map(l => `${l.name} ${number(l.of(point))}`).join(", ");
    return `${clock(new Date(point[0] * 1000))}: ${said}`;
  }
  read(i) {
    this.at = i;
    const point = i === null ? null : this.points[i];
    put(this.output, point ? this.words(point) : "");
    const x = point ? this.x(point[0]) : -9;
    this.svg.querySelector(".cursor")?.setAttribute("d", `M${x},0V${HIGH}`);
  }
  draw(points, end, changes) {
    const before = this.at === null ? null : this.points[this.at]?.[0];
    this.points = points;
    this.end = end;
    const top = Math.max(1e-9, ...points.flatMap(p => this.lines.map(l => l.of(p) ?? 0))) * 1.08;
    const y = v => (HIGH - 1 - Math.max(0, v) / top * (HIGH - 2)).toFixed(1);
    const path = line => {
      let d = "", last = null;
      for (const p of points) {
        const v = line.of(p), x = this.x(p[0]).toFixed(1);
        const joined = last !== null && p[0] - last <= 180;
        if (known(v)) d += joined ? (this.step ? `H${x}V${y(v)}` : `L${x},${y(v)}`) : `M${x},${y(v)}h.5`;
        last = known(v) ? p[0] : null;
      }
      return draw("path", {class: line.kind + (line.dash ? " dash" : ""), d});
    };
    const marks = changes.filter(t => t > end - HOURS).map(t => `M${this.x(t).toFixed(1)},0V${HIGH}`).join("");
    this.svg.replaceChildren(draw("path", {class: "change", d: marks}), ...this.lines.map(path), draw("path", {class: "cursor", d: ""}));
    const now = points.at(-1);
    this.svg.setAttribute("aria-label", `${this.title}, last 6 hours: ${now ? this.words(now) : "nothing known yet"}`);
    const same = points.findIndex(p => p[0] === before);
    this.read(same < 0 ? null : same);
  }
}
