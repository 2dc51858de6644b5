// Around the list: counts by state, clusters, filters, the latest changes.
function makeTiles() {
  for (const state of STATES) {
    const tile =
        el("button", {type: "button", class: "tile " + stateClass(state), "data-state": state, "aria-pressed": "false"},
            el("span", {class: "word"}, icon(state), state), el("b"));
    tile.onclick = () =>
        go({state: view.state.includes(state) ? view.state.filter(s => s !== state) : [...view.state, state]});
    $("tiles").append(tile);
  }
  $("tiles").append(el("div", {class: "tile gpus"}, el("span", {class: "word"}, "GPUs"),
      el("b", {id: "gpus"}), el("span", {class: "meter", "aria-hidden": "true"}, el("i", {id: "gpu-meter"}))));
}
function drawTiles() {
  const health = fleetHealth();
  for (const tile of $("tiles").querySelectorAll("[data-state]")) {
    const state = tile.dataset.state, n = store.counts.get(state) || 0, on = view.state.includes(state);
    put(tile.querySelector("b"), everReady || n ? countText(n, health) : "");
    tile.classList.toggle("none", n === 0 && !on && health.complete);
    tile.classList.toggle("loading", !everReady && n === 0);
    tile.setAttribute("aria-pressed", String(on));
  }
  if (everReady || store.requested)
    put($("gpus"), `${countText(store.running, health)} of ${countText(store.requested, health)} running`);
  $("gpu-meter").style.width = `${store.requested ? 100 * store.running / store.requested : 0}%`;
  drawTitle();
}
function drawTitle() {
  if (view.job) return drawJobTitle();
  const [running, failed] = [store.counts.get("Running") || 0, store.counts.get("Failed") || 0];
  drawIcon();
  const health = fleetHealth();
  const counts = health.total ? `${countText(running, health)} running, ${countText(failed, health)} failed · `
                              : "No clusters · ";
  const title = (link.since ? "Disconnected · " : "") + (everReady ? counts : "") + "Training jobs";
  if (document.title !== title) document.title = title;
}

// Clusters with troubles come first: that is what somebody looks for.
const CLUSTER_ORDER = ["failed", "unreachable", "degraded", "connecting", "live"];
const CLUSTER_LOOK = {
  live: ["Succeeded", "ok"],
  degraded: ["warn", "amber"],
  connecting: ["Pending", "calm"],
  unreachable: ["Failed", "bad"],
  failed: ["Failed", "bad"]
};
function clusterBadge(state) {
  const [sign, look] = CLUSTER_LOOK[state] || CLUSTER_LOOK.connecting;
  return el("span", {class: "badge " + look}, icon(sign), state);
}
const KIND_LOOK = {
  live: "ok",
  listing: "calm",
  idle: "soft",
  paused: "amber",
  "not-installed": "soft",
  forbidden: "bad",
  failed: "bad"
};
const clusterRows = new Map(), CHIPS = 8;
// A chip: the state's sign, the name, how many jobs. Opened it has the width of the page, and says more.
function makeCluster(name) {
  const health = el("span", {class: "health"}), counts = el("span", {class: "counts soft"});
  const only = el("a", {class: "only", href: addressOf({cluster: [name]})}, "Only its jobs");
  only.onclick = e => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    go({cluster: [name]});
  };
  const reason = el("p", {class: "reason"}), more = el("div");
  const row = el("details", {class: "cluster"}, el("summary", {}, health, el("strong", {}, name), counts),
      el("div", {class: "inside"}, reason, more));
  row.addEventListener("toggle", () => {
    drawCluster(store.clusters.get(name));
  });
  return Object.assign(row, {health, counts, reason, more, only});
}
function drawCluster(c) {
  if (!c) return;
  let row = clusterRows.get(c.name);
  if (!row) clusterRows.set(c.name, row = makeCluster(c.name));
  const [sign, look] = CLUSTER_LOOK[c.state] || CLUSTER_LOOK.connecting;
  if (row.shown !== c.state) {
    row.shown = c.state;
    row.health.className = "health " + look;
    row.health.replaceChildren(icon(sign), el("span", {class: c.state === "live" ? "unseen" : null}, c.state));
  }
  const n = store.perCluster.get(c.name) || {jobs: 0, running: 0, failed: 0, gpus: 0};
  const synced = Date.parse(c.lastSync || "");
  put(row.counts, n.jobs.toLocaleString("en"));
  row.counts.title = many(n.jobs, "job");
  put(row.reason, c.reason || "");
  row.reason.className = "reason " + look;
  if (!row.open) return;
  const table = el("table", {},
      el("thead", {},
          el("tr", {},
              ...["Kind", "State", "Objects", "Lists", "Watches"].map(
                  (t, i) => el("th", {scope: "col", class: i > 1 ? "n" : null}, t)))));
  const body = el("tbody");
  for (const k of c.kinds || []) {
    body.append(el("tr", {}, el("th", {scope: "row"}, k.kind, el("div", {class: "soft"}, k.apiVersion)),
        el("td", {}, el("span", {class: KIND_LOOK[k.state] || "soft"}, k.state), el("div", {class: "soft"}, k.reason)),
        ...[k.objects, k.lists, k.watches].map(v => el("td", {class: "n"}, String(v)))));
  }
  table.append(body);
  const told = [
    `${n.running} running`, n.failed ? `${n.failed} failed` : "", n.gpus ? many(n.gpus, "GPU") : "",
    synced ? `synced ${ago(synced)}, ${fullTime(c.lastSync)}` : "never synced", c.server || "no server known",
    `configuration ${c.generation}`
  ];
  row.more.replaceChildren(el("p", {class: "soft"}, told.filter(Boolean).join(" · ")), table, el("p", {}, row.only, " · ", queues.link({cluster: c.name}, "Its queues (Kueue)")));
}
let allChips = false;
function drawClusters() {
  const rank = c => {
    const at = CLUSTER_ORDER.indexOf(c.state);
    return at < 0 ? 3 : at;
  };
  const all = [...store.clusters.values()].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  for (const [name, row] of clusterRows)
    if (!store.clusters.has(name)) {
      row.remove();
      clusterRows.delete(name);
    }
  all.forEach(drawCluster);
  // Those with troubles, and those that are open, are always there.
  const listed = all.filter((c, i) => allChips || i < CHIPS || isUnreadable(c) || clusterRows.get(c.name).open);
  arrange($("clusters"), listed.map(c => clusterRows.get(c.name)));
  put($("all-clusters"), allChips ? "Fewer clusters" : `${many(all.length - listed.length, "more cluster")}`);
  show($("all-clusters"), allChips || listed.length < all.length);
  const bad = all.filter(c => c.state !== "live").length;
  put($("clusters-sum"), all.length ? `${all.length - bad} of ${all.length} live` : everReady ? fleetHealth().text : "");
}
// Elements that stay where they are are not touched: moving one would take its focus.
function arrange(parent, elements) {
  const keep = new Set(elements);
  for (const e of [...parent.children])
    if (!keep.has(e)) e.remove();
  let at = parent.firstChild;
  for (const e of elements) {
    if (e === at) at = at.nextSibling;
    else parent.insertBefore(e, at);
  }
}

// The choices are what there is; what the address asks for stays even if it is gone.
let choicesAt = 0;
function drawFilters() {
  if ($("search").value !== view.q && document.activeElement !== $("search")) $("search").value = view.q;
  if (performance.now() - choicesAt < 1000 && !layoutNow && !dirty.route) return;
  choicesAt = performance.now();
  const namespaces = new Set(), kinds = new Set();
  store.jobs.forEach(j => {
    namespaces.add(j.namespace);
    kinds.add(j.kind);
  });
  const choose = (name, all, values) => {
    const select = $("by-" + name), on = view[name];
    const listed = [...new Set([...values, ...on])].sort();
    const signature = JSON.stringify([listed, on]);
    if (select.signature === signature) return;
    select.signature = signature;
    select.replaceChildren(el("option", {value: ""}, all), ...listed.map(v => el("option", {}, v)));
    if (on.length > 1) select.prepend(el("option", {value: "several", disabled: ""}, on.join(", ")));
    select.value = on.length > 1 ? "several" : on[0] || "";
    select.classList.toggle("on", on.length > 0);
  };
  choose("cluster", "All clusters", store.clusters.keys());
  choose("namespace", "All namespaces", namespaces);
  choose("kind", "All kinds", kinds);
}

// The latest changes, for the eye; and the same, seldom and in sum, for who listens. Those before the page was opened
// are the monitor's to tell.
const LISTED = 30, changes = [];
let toSay = [], sayTimer = 0, changesDirty = true;
function note(sign, text, j, spoken) {
  changes.unshift({sign, text, j, at: new Date()});
  if (changes.length > LISTED) changes.length = LISTED;
  changesDirty = true;
  toSay.push({text: spoken || text, sign});
  sayTimer ||= setTimeout(speak, 1500);
  plan();
}
async function tellChangesBefore() {
  const opened = new Date(), told = await extras.get("/api/v1/changes");
  if (!told) return;
  for (const c of told.items) {
    if (changes.length >= LISTED) break;
    const at = new Date(Date.parse(c.at));
    if (at < opened) changes.push({sign: c.to, text: `${c.from} → ${c.to}`, j: c, at});
  }
  changesDirty = true;
  plan();
}
function noteJob(j, was) {
  note(j.state, was ? `${was} → ${j.state}` : `created, ${j.state}`, j, `${j.name} in ${j.cluster} is ${j.state}`);
}
function noteGone(j) { note("gone", `deleted (was ${j.state})`, j, `${j.name} in ${j.cluster} was deleted`); }
function noteCluster(c, before) {
  if (!before) note("Created", `cluster ${c.name} joined`, null);
  else if (before.state !== c.state)
    note(c.state === "live" ? "Succeeded" : "warn",
        `cluster ${c.name}: ${before.state} → ${c.state}${c.reason ? ": " + c.reason : ""}`, null);
  else if (before.generation !== c.generation) note("Restarting", `cluster ${c.name} has a new configuration`, null);
}
function speak() {
  sayTimer = 0;
  if (!toSay.length) return;
  const by = new Map();
  for (const s of toSay) by.set(s.sign, (by.get(s.sign) || 0) + 1);
  const text = toSay.length <= 3 ? toSay.map(s => s.text).join(". ")
                                 : `${toSay.length} changes: ` +
          [...by].map(([sign, n]) => `${n} ${sign === "warn" ? "about clusters" : sign}`).join(", ");
  toSay = [];
  $("live").textContent = text;
  sayTimer = setTimeout(speak, 5000);  // no more often than that
}
const changeTime = at => at.toDateString() === new Date().toDateString()
    ? el("time", {title: fullTime(at.toISOString())}, clock(at))
    : el("time", {title: fullTime(at.toISOString())}, at.toLocaleDateString([], {month: "short", day: "numeric"}));
function drawChanges() {
  changesDirty = false;
  const last = changes[0];
  put($("changes-sum"), last ? there([last.j?.name, last.text]).join(" ") : "");
  $("changes").replaceChildren(...changes.map(c => {
    const what = c.j ? el("a", {href: jobAddress(c.j)}, c.j.name) : null;
    if (what)
      what.onclick = e => {
        if (!e.metaKey && !e.ctrlKey) {
          e.preventDefault();
          goJob(c.j);
        }
      };
    return el("li", {}, changeTime(c.at), el("span", {class: stateClass(c.sign)}, icon(c.sign)),
        el("div", {}, what,
            what ? el("div", {}, c.text,
                       el("span", {class: "soft where", title: `${c.j.cluster}, ${c.j.namespace}`}, c.j.cluster))
                 : c.text));
  }));
  if (!changes.length)
    $("changes").append(el("li", {class: "soft"}, everReady ? "Nothing has changed yet." : "Loading …"));
}
