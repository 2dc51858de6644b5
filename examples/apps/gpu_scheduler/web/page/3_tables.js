// Tenants, the queue, and the chart of the last day.
function quotaOf(tenant, product) {
  const quota = (tenant.quotas || []).find(q => q.product === product);
  return quota ? there([number(quota.gpus), quota.limit === null ? "" : `limit ${number(quota.limit)}`]).join(", ") : "0";
}
const tables = {
  shown: 100,

  drawTenants() {
    const rows = [];
    for (const t of store.tenants) {
      const ready = (t.status.conditions || []).find(c => c.type === "Ready");
      (t.status.quotas || []).forEach((q, i) => rows.push(el("tr", {}, el("th", {scope: "row"}, ...i ? [] : [swatch(t.name), t.name]), el("td", {}, q.product === "*" ? "any" : q.product), el("td", {class: "n"}, quotaOf(t, q.product)),
        ...[q.fairShare, q.allocated, q.requested, q.borrowed].map(x => el("td", {class: "n"}, number(gpus(x)))),
        el("td", {class: "n"}, i ? "" : String(t.status.pending || 0)), el("td", {}, i || !ready || ready.status === "True" ? "" : el("b", {class: "bad"}, `${ready.reason}: ${ready.message}`)))));
    }
    $("tenant-rows").replaceChildren(...rows);
    show($("no-tenants"), !rows.length);
    const names = [...new Set([...store.tenants.map(t => t.name), ...store.looks.keys()])], select = $("of-tenant");
    if (select.options.length !== names.length + 1) {
      const was = select.value;
      select.replaceChildren(el("option", {value: ""}, "all"), ...names.map(n => el("option", {value: n}, n)));
      select.value = names.includes(was) ? was : "";
    }
  },
  drawQueue() {
    const words = $("filter").value.trim().toLowerCase(), tenant = $("of-tenant").value;
    const all = store.pending.filter(p => (!tenant || p.tenant === tenant) && (!words || `${p.pod} ${p.gang || ""} ${p.reason}`.toLowerCase().includes(words)));
    $("queue-rows").replaceChildren(...all.slice(0, this.shown).map(p => el("tr", {}, el("td", {class: "n"}, String(p.place)), el("td", {}, p.pod, p.gang ? el("span", {class: "would"}, `gang ${p.gang}`) : null),
      el("td", {}, swatch(p.tenant), p.tenant), el("td", {}, shortTime(p.since)), el("td", {}, p.reason || "It was not tried yet.", ...p.would.map(w => el("span", {class: "would"}, w))))));
    show($("no-queue"), !all.length);
    put($("no-queue"), store.pending.length ? "No pod that waits is like that." : "No pod waits.");
    show($("more"), all.length > this.shown);
    put($("more"), `Show ${number(Math.min(HUNDRED, all.length - this.shown))} more of ${number(all.length)}`);
  },
};

const WIDE = 1440, HIGH = 100, DAY = 86400;
const chart = {
  at: null,
  lines: [["GPUs", 1, "k-gpus dash"], ["allocated", 2, "k-allocated"], ["of no use", 3, "k-unusable"], ["pods that wait", 4, "k-pending dash"]],

  start() {
    const svg = $("chart");
    svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.onpointermove = e => {
      const box = svg.getBoundingClientRect(), time = this.end() - DAY * (1 - (e.clientX - box.left) / box.width), all = store.past.points;
      this.read(all.reduce((best, p, i) => best === null || Math.abs(p[0] - time) < Math.abs(all[best][0] - time) ? i : best, null));
    };
    svg.onpointerleave = svg.onblur = () => this.read(null);
    svg.onkeydown = e => {
      const last = store.past.points.length - 1, at = this.at ?? last, to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last}[e.key];
      if (to === undefined || last < 0) return;
      e.preventDefault();
      this.read(Math.min(last, Math.max(0, to)));
    };
  },
  end: () => store.past.points.at(-1)?.[0] ?? 0,
  x(time) { return ((1 - (this.end() - time) / DAY) * WIDE).toFixed(1); },
  words(p) {
    const tenants = store.past.tenants.map((name, i) => [name, p[5][i] || 0]).filter(([, held]) => held > 0).map(([name, held]) => `${name} ${number(held)}`);
    return `${clock(new Date(p[0] * 1000))}: ${this.lines.map(([name, i]) => `${name} ${number(p[i])}`).join(", ")}${tenants.length ? ` (${tenants.join(", ")})` : ""}`;
  },
  read(i) {
    this.at = i;
    const p = i === null ? null : store.past.points[i];
    put($("past-at"), p ? this.words(p) : "");
    $("chart").querySelector(".cursor")?.setAttribute("d", p ? `M${this.x(p[0])},0V${HIGH}` : "");
  },
  draw() {
    const points = store.past.points, top = Math.max(1, ...points.map(p => Math.max(p[1], p[2], p[4]))) * 1.05;
    const before = this.at === null ? null : points[this.at]?.[0];
    const path = i => {
      let d = "", last = null;
      for (const p of points) {
        const y = (HIGH - 1 - p[i] / top * (HIGH - 2)).toFixed(1);
        d += last !== null && p[0] - last <= 180 ? `H${this.x(p[0])}V${y}` : `M${this.x(p[0])},${y}h.5`;
        last = p[0];
      }
      return d;
    };
    $("chart").replaceChildren(...this.lines.map(([, i, kind]) => draw("path", {class: kind, d: path(i)})), draw("path", {class: "cursor", d: ""}));
    $("chart").setAttribute("aria-label", points.length ? `The last day; now ${this.words(points.at(-1))}` : "nothing known yet");
    const same = points.findIndex(p => p[0] === before);
    this.read(same < 0 ? null : same);
  },
};
