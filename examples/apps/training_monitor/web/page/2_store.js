// What the monitor told: clusters and jobs, counted as they come. The views ask it; they hold no state of the fleet.
const keyOf = j => [j.cluster, j.namespace, j.kind, j.name].join("\u0001");

class Store {
  jobs = new Map();
  clusters = new Map();
  counts = new Map(STATES.map(s => [s, 0]));
  perCluster = new Map();  // name → {jobs, failed, running, gpus}
  requested = 0;
  running = 0;

  count(j, times) {
    this.counts.set(j.state, (this.counts.get(j.state) || 0) + times);
    const wants = !FINAL.has(j.state) && j.state !== "Suspended", runs = j.state === "Running";
    if (wants) this.requested += times * j.gpus;
    if (runs) this.running += times * j.gpus;
    let c = this.perCluster.get(j.cluster);
    if (!c) this.perCluster.set(j.cluster, c = {jobs: 0, failed: 0, running: 0, gpus: 0});
    c.jobs += times;
    if (j.state === "Failed") c.failed += times;
    if (runs) {
      c.running += times;
      c.gpus += times * j.gpus;
    }
  }
  // Takes a job; returns it, as the one object that stands for this job as long as it is there.
  set(j) {
    j.key = keyOf(j);
    j.seen = performance.now();
    j.started = j.startTime ? Date.parse(j.startTime) : null;
    j.ended = j.completionTime ? Date.parse(j.completionTime) : null;
    const labels = Object.entries(j.labels || {}).map(([name, value]) => `${name}=${value}`).join(" ");
    j.who = whoText(j);
    j.text =
        `${j.name} ${j.namespace} ${j.cluster} ${j.kind} ${j.state} ${j.reason} ${j.why || ""} ${labels}`.toLowerCase();
    const known = this.jobs.get(j.key);
    this.count(j, 1);
    if (!known) {
      j.version = 1;
      this.jobs.set(j.key, j);
      return j;
    }
    this.count(known, -1);
    j.version = known.version + 1;
    return Object.assign(known, j);
  }
  delete(key) {
    const known = this.jobs.get(key);
    if (!known) return null;
    this.jobs.delete(key);
    this.count(known, -1);
    known.removed = true;
    return known;
  }
}

const store = new Store();
// How far the jobs of all clusters are in view. What is not in view is unknown, and never zero.
function fleetHealth() {
  const h = {total: store.clusters.size, unreadable: 0, partial: 0, loading: 0};
  for (const c of store.clusters.values()) {
    if (isUnreadable(c)) ++h.unreadable;
    else if (c.state === "degraded") ++h.partial;
    else if (c.state !== "live") ++h.loading;
  }
  h.complete = h.total > 0 && h.unreadable + h.partial + h.loading === 0;
  const parts = [[h.unreadable, "can't be read"], [h.partial, "can't be read in full"], [h.loading, "not loaded yet"]];
  h.text = parts.filter(([n]) => n)
               .map(([n, what], i) => `${n}${i ? "" : ` of ${many(h.total, "cluster")}`} ${what}`)
               .join(", ");
  if (!h.total) h.text = "No clusters" + (attention.source ? `: ${attention.source} has none` : "");
  return h;
}
const isUnreadable = c => c.state === "unreachable" || c.state === "failed";
// A count of jobs as it is shown: with a question mark where clusters can't be read.
const countText = (n, health) =>
    health.complete ? n.toLocaleString("en") : n ? n.toLocaleString("en") + "?" : "?";
let stage = null;  // the present state while it arrives anew: {jobs, clusters}, until `ready`
let everReady = false;

// What is to be drawn at the next frame.
const dirty = {
  jobs: new Set(),
  layout: true,
  clusters: true,
  totals: true,
  route: true,
  gone: false,
  attention: true
};
let planned = false;
function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    frame();
  });
}

const RELEVANT = ["state", "startTime", "durationSeconds", "gpus", "reason", "why"];
const events = {
  job(j) {
    if (stage) return void stage.jobs.push(j);
    const before = store.jobs.get(keyOf(j));
    if (!before || RELEVANT.some(name => before[name] !== j[name])) dirty.layout = true;
    const was = before ? before.state : null;
    if (was !== j.state) attention.wanted = true;
    const now = store.set(j);
    dirty.jobs.add(now.key);
    dirty.totals = true;
    if (everReady && (j.previousState || !was)) noteJob(now, was || j.previousState || null);
  },
  "job-removed"(j) {
    if (stage) return;
    const gone = store.delete(keyOf(j));
    if (!gone) return;
    dirty.layout = dirty.totals = dirty.gone = attention.wanted = true;
    dirty.jobs.add(gone.key);
    if (everReady) noteGone(gone);
  },
  cluster(c) {
    if (stage) return void stage.clusters.set(c.name, c);
    const before = store.clusters.get(c.name);
    store.clusters.set(c.name, c);
    dirty.clusters = dirty.attention = true;
    if (before?.state !== c.state) attention.wanted = dirty.totals = true;
    if (everReady) noteCluster(c, before);
  },
  "cluster-removed"(c) {
    if (stage) return;
    store.clusters.delete(c.name);
    store.perCluster.delete(c.name);
    dirty.clusters = dirty.attention = dirty.totals = true;
    if (everReady) note("warn", `cluster ${c.name} left`, null);
  },
  // The present state is complete. What it does not name is there no more.
  ready() {
    if (stage) {
      const {jobs, clusters} = stage;
      stage = null;
      for (const name of [...store.clusters.keys()])
        if (!clusters.has(name)) events["cluster-removed"]({name});
      for (const c of clusters.values()) events.cluster(c);
      const present = new Set(jobs.map(keyOf));
      for (const [key, j] of [...store.jobs])
        if (!present.has(key)) events["job-removed"](j);
      for (const j of jobs) {
        const before = store.jobs.get(keyOf(j));
        if (before && before.state !== j.state) j.previousState = before.state;
        events.job(j);
      }
    }
    everReady = true;
    dirty.layout = dirty.clusters = dirty.totals = dirty.route = dirty.gone = true;
    link.ready();
  },
};
