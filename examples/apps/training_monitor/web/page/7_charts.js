// The fleet over a day: unfinished jobs by state, GPUs requested and running. From /api/v1/totals, and the last point
// from what is shown now.
const STACK = ["Running", "Restarting", "Pending", "Queued", "Created", "Suspended", "Unknown"];
const totals = {
  points: null,
  absent: false,
  at: 0,
  busy: false
};
async function fetchTotals() {
  if (totals.absent || totals.busy || Date.now() - totals.at < 20000) return;
  totals.busy = true;
  totals.at = Date.now();
  try {
    const last = totals.points?.at(-1);
    const answer =
        await fetch("/api/v1/totals" + (last ? "?since=" + encodeURIComponent(last.time) : ""), {cache: "no-store"});
    if (answer.status === 404) totals.absent = true;
    if (answer.ok) {
      const items = (await answer.json()).items;
      const before = (totals.points || []).filter(p => !items.length || p.time < items[0].time);
      totals.points = [...before, ...items].slice(-1440);
      dirty.totals = true;
      plan();
    }
  } catch { /* the stream says that the monitor is away */
  }
  totals.busy = false;
}

// The points without the pauses in which no monitor ran: nobody knows what was then.
const PAUSE = 300000;
function unbroken(points) {
  const runs = [];
  for (const p of points) {
    if (p.at - (runs.at(-1)?.at(-1).at ?? -Infinity) > PAUSE) runs.push([]);
    runs.at(-1).push(p);
  }
  return runs;
}
function chart(title, series, points, label) {
  const width = Math.max(200, $("charts").clientWidth), height = 96, left = 38, top = 8, bottom = 16;
  const x0 = points[0].at, x1 = Math.max(points.at(-1).at, x0 + 60000);
  let high = 1;
  for (const p of points) high = Math.max(high, label.sum(p));
  const step = 10 ** Math.floor(Math.log10(high));
  high = Math.ceil(high / step) * step;
  const x = at => left + (at - x0) / (x1 - x0) * (width - left - 1);
  const y = v => top + (1 - v / high) * (height - bottom - top);
  const svg = draw("svg", {
    class: "chart",
    width,
    height,
    role: "img",
    tabindex: "0",
    "aria-label": `${title}. ${label.read(points.at(-1))}`
  });
  for (const v of [0, high / 2, high]) {
    svg.append(draw("line", {class: "grid", x1: left, x2: width, y1: y(v), y2: y(v)}));
    if (v !== high / 2 || high >= 2)
      svg.append(draw("text", {x: left - 5, y: y(v) + 4, "text-anchor": "end"}, Math.round(v).toLocaleString("en")));
  }
  const hours = (x1 - x0) / 3600000;
  for (const [at, anchor] of [[x0, "start"], [x1, "end"]]) {
    const text = at === x1 ? "now"
        : hours > 1        ? `${Math.round(hours)} h ago`
                           : `${Math.max(1, Math.round(hours * 60))} min ago`;
    svg.append(draw("text", {x: x(at), y: height - 3, "text-anchor": anchor}, text));
  }
  for (const s of series) {
    for (const run of unbroken(points)) {
      const up = run.map(p => `${x(p.at).toFixed(1)},${y(s.to(p)).toFixed(1)}`);
      if (s.line) {
        svg.append(draw("polyline", {class: "line " + s.look, points: up.join(" ")}));
        continue;
      }
      const down = run.map(p => `${x(p.at).toFixed(1)},${y(s.from(p)).toFixed(1)}`).reverse();
      svg.append(draw("polygon", {class: "area " + s.look, points: [...up, ...down].join(" ")}));
    }
  }
  const cursor = draw("line", {class: "cursor", y1: 0, y2: height - bottom, x1: -9, x2: -9});
  svg.append(cursor);
  const readout = el("output", {class: "unseen"}, label.read(points.at(-1)));
  const caption = el("span", {class: "soft"}, label.brief(points.at(-1)));
  let at = points.length - 1;
  const point = i => {
    at = Math.max(0, Math.min(points.length - 1, i));
    cursor.setAttribute("x1", x(points[at].at));
    cursor.setAttribute("x2", x(points[at].at));
    put(readout, `${clock(new Date(points[at].at))}: ${label.read(points[at])}`);
    put(caption, `${label.brief(points[at])}, at ${clock(new Date(points[at].at))}`);
    label.legend?.(points[at]);
  };
  svg.onpointermove = e => {
    const t = x0 + (e.offsetX - left) / (width - left) * (x1 - x0);
    let best = 0;
    points.forEach((p, i) => {
      if (Math.abs(p.at - t) < Math.abs(points[best].at - t)) best = i;
    });
    point(best);
  };
  svg.onpointerleave = svg.onblur = () => {
    cursor.setAttribute("x1", -9);
    cursor.setAttribute("x2", -9);
    put(readout, label.read(points.at(-1)));
    put(caption, label.brief(points.at(-1)));
    label.legend?.(points.at(-1));
  };
  svg.onkeydown = e => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    point(at + by * Math.max(1, Math.round(points.length / 60)));
  };
  return el("figure", {}, el("figcaption", {}, el("strong", {}, title), " ", caption, readout), svg);
}

let chartsAt = 0;
function drawCharts() {
  if (!$("fold-totals").open) return;
  fetchTotals();
  const box = $("charts");
  if (box.contains(document.activeElement) || box.matches(":hover")) return;
  if (performance.now() - chartsAt < 1000) return;
  chartsAt = performance.now();
  const now = {
    time: new Date().toISOString(),
    states: Object.fromEntries(store.counts),
    gpus: {requested: store.requested, running: store.running}
  };
  const points = [...(totals.points || []), ...(everReady ? [now] : [])].map(p => ({...p, at: Date.parse(p.time)}));
  if (points.length < 2) {
    box.replaceChildren(el("p", {class: "soft"},
        totals.absent ? "This monitor keeps no totals." : "The first points come within two minutes."));
    return;
  }
  const count = (p, s) => p.states[s] || 0;
  const below = (p, i) => STACK.slice(0, i).reduce((sum, s) => sum + count(p, s), 0);
  const seen = STACK.filter(s => points.some(p => count(p, s)));
  const number = n => n.toLocaleString("en");
  const legend = seen.map(s => ({s, n: el("b", {}, number(count(points.at(-1), s)))}));
  box.replaceChildren(
    chart("Jobs", STACK.map((s, i) => ({look: "f-" + s, from: p => below(p, i), to: p => below(p, i + 1)})), points, {
      sum: p => below(p, STACK.length),
      read: p => seen.map(s => `${count(p, s)} ${s}`).join(", ") || "none unfinished",
      brief: p => `${number(below(p, STACK.length))} unfinished`,
      legend: p => legend.forEach(({s, n}) => put(n, number(count(p, s)))),
    }),
    el("p", {class: "legend"}, ...legend.map(({s, n}) => el("span", {class: stateClass(s)}, el("i", {class: "swatch b-" + s}), s, n))),
    chart("GPUs", [{look: "f-Running", from: () => 0, to: p => p.gpus.running}, {line: true, look: "requested", to: p => p.gpus.requested}], points, {
      sum: p => Math.max(p.gpus.requested, p.gpus.running),
      read: p => `${p.gpus.running} in use, ${p.gpus.requested} wanted`,
      brief: p => `${number(p.gpus.running)} in use of ${number(p.gpus.requested)} wanted (line)`,
    }));
}
