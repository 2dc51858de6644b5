// What the charts draw: points of /api/v1/history, fetched from where the last ones ended.
const METRICS = ["utilization", "memoryUsedBytes", "powerW", "temperatureC"];
const SPANS = [[600, "10 min"], [3600, "1 h"], [21600, "6 h"], [86400, "24 h"]];
const KEPT_SECONDS = 86400;

const past = {
  points: new Map(METRICS.map(m => [m, new Map()])),  // by metric, then by UUID: [[seconds, value], …]
  now: 0,      // the server's time, in seconds, of what is shown
  covers: 0,   // from when on points were asked for
  busy: false,
  again: false,

  // The server measured at `now` (seconds). Fetches what came since, or what a longer span wants.
  async update(now, span) {
    if (now < this.now - 1) this.forget();  // its clock was set back
    this.now = now;
    if (this.busy) return void (this.again = true);
    this.busy = true;
    const longer = now - span < this.covers || this.covers === 0;
    try {
      await Promise.all(METRICS.map(m => this.fetch(m, longer ? now - span : null)));
      if (longer) this.covers = now - span;
    } catch { /* the link says that the server is away; next time the same is asked for */
    }
    this.busy = false;
    charts.draw();
    if (this.again) {
      this.again = false;
      await this.update(this.now, view.span);
    }
  },
  async fetch(metric, from) {
    const all = this.points.get(metric);
    const last = Math.max(0, ...[...all.values()].map(points => points.at(-1)?.[0] ?? 0));
    const since = new Date((from ?? (last || this.covers)) * 1000).toISOString();
    const answer = await fetch(`/api/v1/history?metric=${metric}&since=${since}`, {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)});
    if (!answer.ok) throw new Error(String(answer.status));
    for (const {gpu, points} of (await answer.json()).items) {
      // A server that was started anew knows less than the page does: what the page has from before stays.
      const had = all.get(gpu) || [];
      all.set(gpu, points.length ? [...had.filter(p => p[0] < points[0][0]), ...points] : had);
    }
    for (const [gpu, points] of all) {
      const kept = points.filter(p => p[0] > this.now - KEPT_SECONDS);
      if (kept.length) all.set(gpu, kept);
      else all.delete(gpu);
    }
  },
  forget() {
    for (const all of this.points.values()) all.clear();
    this.covers = 0;
  },
  of(metric, uuid) {
    return (this.points.get(metric).get(uuid) || []).filter(p => p[0] >= this.now - view.span && p[0] <= this.now);
  },
};

// Where nothing was measured for longer than is usual around there, the line is broken.
function pieces(points) {
  const steps = points.slice(1).map((p, i) => p[0] - points[i][0]);
  const median = list => list.length ? list.slice().sort((a, b) => a - b)[list.length >> 1] : 0;
  const out = points.length ? [[points[0]]] : [];
  steps.forEach((step, i) => {
    // Before the first step may have been the minutes of which older points are the means.
    const before = i ? median(steps.slice(Math.max(0, i - 5), i)) : 60;
    const usual = Math.max(before, median(steps.slice(i + 1, i + 6)));
    if (step > 2.5 * usual) out.push([]);
    out.at(-1).push(points[i + 1]);
  });
  return out;
}
