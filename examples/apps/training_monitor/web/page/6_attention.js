// What needs attention. The monitor says what (/api/v1/attention); who looks at it marks it as seen, or mutes a job. These
// marks are kept in this browser.
const DAY = 24 * 3600e3;
const SEEN_FOR = DAY, MARKS_FOR = 30 * DAY;
const LISTED_NEEDS = 6, LISTED_NARROW = 3;

// A job that is muted is so for good; one that was seen is news again once its concern changes, or after a day.
const marks = {
  all: new Map(),  // cluster and uid → {mark, concern, at}
  id: need => `${need.cluster}/${need.uid}`,
  read() {
    try {
      this.all = new Map(Object.entries(JSON.parse(kept.get("marks") || "{}")));
    } catch { this.all = new Map(); }
    for (const [id, m] of this.all)
      if (!(Date.now() - m?.at < MARKS_FOR)) this.all.delete(id);
  },
  here(need) {
    const m = this.all.get(this.id(need));
    if (!m) return "";
    if (m.mark === "muted") return "muted";
    return m.concern === need.concern && Date.now() - m.at < SEEN_FOR ? "seen" : "";
  },
  of(need) { return this.here(need) || (need.acknowledged ? "acknowledged" : ""); },
  set(need, mark) {
    this.read();  // another tab may have marked something meanwhile
    if (mark) this.all.set(this.id(need), {mark, concern: need.concern, at: Date.now()});
    else this.all.delete(this.id(need));
    kept.set("marks", JSON.stringify(Object.fromEntries(this.all)));
  },
};

const attention = {
  needs: null,  // null: not told yet, or this monitor does not tell
  more: 0,      // beyond those that are told
  source: "",   // where clusters come from
  offers: [],   // what else this monitor answers
  wanted: false,
  askedAt: -Infinity,
  showMarked: false,
  showAll: false,
  rows: new Map(),

  open() { return groups.fold((this.needs || []).filter(need => !marks.of(need))); },
  async refresh() {
    this.askedAt = performance.now();
    this.wanted = false;
    const told = await extras.get("/api/v1/attention");
    if (!told) return;
    this.needs = told.items || [];
    groups.take(told.groups);
    this.more = told.remaining || 0;
    this.source = told.clusters?.source || "";
    this.offers = told.offers || [];
    for (const name of ["notices", "fleet"])
      if (told.offers && !told.offers.includes(name))
        for (const path of [`/api/v1/${name}`, `/api/v1/${name}?look=false`]) extras.absent.add(path);
    dirty.clusters = true;
    dirty.attention = true;
    plan();
  },
  // Whatever changes may have become a need, or be one no more. Asked for at most once a second.
  watch() {
    if (this.wanted && everReady && link.is === "live" && performance.now() - this.askedAt > 1000) this.refresh();
  },
};

const STUCK = {
  ImagePull: "can't pull an image",
  Configuration: "can't start a container",
  Volume: "can't mount a volume",
  Quota: "over quota",
  LimitRange: "refused by a LimitRange",
  Webhook: "refused by a webhook",
  Unschedulable: "pods unschedulable"
};
function needText(need) {
  const since = (Date.now() - Date.parse(need.since)) / 1000;
  switch (need.concern) {
    case "unreadable":
      return `can't be read for ${about(since)}`;
    case "crash-loop":
      return `crash looping, ${many(need.restarts, "restart")}`;
    case "holding-gpus":
      return `failed, holds ${many(need.gpusHeld, "GPU")}`;
    case "stuck":
      return `${STUCK[need.blockedBy] || "stuck"} for ${about(since)}`;
    case "unknown":
      return `state unknown for ${about(since)}`;
    case "failed":
      return `failed ${about(since)} ago`;
    case "restarting":
      return need.restarts > 1 ? `restarted ${need.restarts} times in 10 minutes` : `restarting for ${about(since)}`;
    case "incomplete":
      return `lacks pods, running for ${about(since)}`;
    case "idle":
      return `all its GPUs idle for ${about(since)}`;
    default:
      return `waiting for ${about(since)}`;
  }
}
// A cluster that can't be read is listed like a job.
const isCluster = need => need.kind === "Cluster";
function makeNeed(need) {
  const link = el("a", {href: isCluster(need) ? addressOf({cluster: [need.cluster]}) : jobAddress(need)}, need.name);
  link.onclick = e => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    if (isCluster(need)) go({cluster: [need.cluster]});
    else goJob(need);
  };
  const state = el("span"), since = el("span", {class: "since"}), because = el("span", {class: "because"}), repair = el("span", {class: "repair soft"});
  const seen = el("button", {type: "button"}), mute = el("button", {type: "button"}, "Mute");
  const take = el("button", {type: "button"}, "Acknowledge");
  const row = el("li", {}, state, el("span", {class: "what"}, link, el("span", {class: "soft where"})), since, because,
      el("span", {class: "marks"}, seen, mute, take), repair);
  const mark = (button, to) => button.onclick = () => markNeed(row, to());
  mark(seen, () => (marks.here(row.need) ? "" : "seen"));
  take.onclick = () => (row.need.acknowledged ? care.send(row, null) : care.ask(row));
  mark(mute, () => "muted");
  Object.assign(row, {state, since, because, repair, seen, mute, take, where: row.querySelector(".where")});
  return row;
}
function fillNeed(row, need) {
  row.need = need;
  const state = store.jobs.get(keyOf(need))?.state || need.state, mark = marks.of(need);
  if (row.shown !== state) {
    row.shown = state;
    row.state.replaceChildren(isCluster(need) ? clusterBadge(state) : badge(state));
  }
  put(row.where, isCluster(need) ? "cluster" : `${need.namespace} · ${need.cluster}`);
  put(row.since, mark ? `${needText(need)} (${mark})` : needText(need));
  const because = there([need.acknowledged && care.text(need.acknowledged), need.why || need.reason]).join(" · ");
  put(row.because, because);
  row.because.title = because;
  const r = need.repair;
  show(row.repair, r !== undefined);
  if (r && row.repair.drawn !== JSON.stringify(r)) row.repair.drawn = JSON.stringify(r), row.repair.replaceChildren(repairWords(r), ...repairLinks(r));
  const here = marks.here(need) ? "Unmark" : "Seen", taken = need.acknowledged ? "Withdraw" : "Acknowledge";
  put(row.seen, here);
  row.seen.setAttribute("aria-label", `${here}: ${need.name}`);
  put(row.take, taken);
  row.take.setAttribute("aria-label", `${taken}: ${need.name}`);
  show(row.take, care.offered() && !isCluster(need));
  row.mute.setAttribute("aria-label", `Mute: ${need.name}`);
  show(row.mute, mark !== "muted");
  row.classList.toggle("marked", mark !== "");
}
// The focus goes on to what stands there next: who marks one after another keeps the key pressed.
function markNeed(row, mark) {
  const rows = [...$("needs").children], at = rows.indexOf(row);
  const next = rows[at + 1] || rows[at - 1];
  // Of a group that is folded, each of its jobs.
  const g = groups.of(row.need), folded = g && !groups.isOpen(g);
  for (const need of folded ? groups.with(row.need, attention.needs) : [row.need]) marks.set(need, mark);
  put($("live"), `${row.need.name} ${mark ? "is marked as " + mark : "is not marked any more"}`);
  drawAttention();
  drawIcon();
  if (row.isConnected) row.seen.focus();
  else (next?.isConnected ? next.seen : $("marked").hidden ? $("h-attention") : $("marked")).focus();
}
function drawAttention() {
  dirty.attention = false;
  const needs = attention.needs;
  show($("attention"), needs !== null);
  if (needs === null) return;
  // What is gone, or has succeeded meanwhile, needs nobody; the monitor is asked again, but that takes a moment.
  const there = needs.filter(need => {
    if (isCluster(need)) return isUnreadable(store.clusters.get(need.cluster) || {});
    const j = store.jobs.get(keyOf(need));
    return j && j.state !== "Succeeded" && j.state !== "Suspended";
  });
  const unmarked = there.filter(need => !marks.of(need)), marked = there.length - unmarked.length;
  const few = NARROW.matches ? LISTED_NARROW : LISTED_NEEDS;
  const wanted = attention.showMarked ? there : unmarked, listed = groups.fold(wanted);
  const open = groups.fold(unmarked).length;
  const shown = attention.showAll ? listed : listed.slice(0, few);
  const rows = new Map();
  for (const need of shown) {
    const id = marks.id(need), row = attention.rows.get(id) || makeNeed(need);
    fillNeed(row, need);
    fillGroup(row, need, wanted);
    rows.set(id, row);
  }
  attention.rows = rows;
  arrange($("needs"), [...rows.values()]);
  put($("needs-sum"), open ? (open + attention.more).toLocaleString("en") : "");
  const health = fleetHealth();
  $("attention").classList.toggle("calm-now", !unmarked.length && health.complete);
  show($("no-need"), !unmarked.length);
  put($("no-need"), health.complete ? "All clear: no failures in the last 24 h" : health.text);
  put($("marked"), attention.showMarked ? "Hide what is marked" : `${marked.toLocaleString("en")} ${care.offered() ? "seen, muted or acknowledged" : "seen or muted"}`);
  show($("marked"), marked > 0);
  $("marked").setAttribute("aria-pressed", String(attention.showMarked));
  const rest = listed.length - shown.length + (attention.showAll ? 0 : attention.more);
  put($("all-needs"), attention.showAll ? "Show fewer" : `${rest.toLocaleString("en")} more`);
  show($("all-needs"), attention.showAll ? listed.length > few : rest > 0);
}

// The tab's sign says how it is: a number of rows that need attention; a question mark where clusters can't be read; a
// ring is not up to date.
function drawIcon() {
  const n = attention.open().length, known = everReady && attention.needs !== null;
  const lost = link.since !== null, doubt = !fleetHealth().complete;
  const key = lost ? "lost" : known ? `${Math.min(n, 10)} ${doubt}` : "loading";
  if (drawIcon.shown === key) return;
  drawIcon.shown = key;
  const colour = lost || !known ? "#6b7683" : n ? "#c93c3c" : doubt ? "#8a6100" : "#2da44e";
  const sign = n > 9 ? "9+" : n ? String(n) : doubt ? "?" : "";
  const inside = lost || !known ? `<circle cx="8" cy="8" r="5.5" fill="none" stroke="${colour}" stroke-width="3"/>`
                                    : `<circle cx="8" cy="8" r="8" fill="${colour}"/>` +
          (sign ? `<text x="8" y="12" font-size="${n > 9 ? 9 : 11}" font-family="sans-serif" font-weight="bold" ` +
                      `text-anchor="middle" fill="#fff">${sign}</text>`
                : "");
  $("icon").href =
      "data:image/svg+xml," + encodeURIComponent(`<svg xmlns="${SVG}" viewBox="0 0 16 16">${inside}</svg>`);
}
function startAttention() {
  marks.read();
  $("marked").onclick = () => {
    attention.showMarked = !attention.showMarked;
    drawAttention();
  };
  $("all-needs").onclick = () => {
    attention.showAll = !attention.showAll;
    drawAttention();
  };
  addEventListener("storage", e => {
    if (e.key !== "marks") return;
    marks.read();
    dirty.attention = true;
    plan();
  });
}
