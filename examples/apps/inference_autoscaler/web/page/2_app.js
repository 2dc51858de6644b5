// The list of scalers, the one that is chosen (its name is in the address), and the link to the server.
const view = {items: [], history: null, asked: "", states: new Map()};
const key = s => `${s.namespace}/${s.name}`;
const chosen = () => view.items.find(s => "#" + key(s) === decodeURIComponent(location.hash));
const condition = (s, type) => s.conditions.find(c => c.type === type);

// What a person needs to know first: [word, class].
function stateOf(s) {
  if (condition(s, "Conflict")?.status === "True") return ["Conflict", "bad"];
  if (condition(s, "Ready")?.status === "False") return [condition(s, "Ready").reason, "bad"];
  if (s.paused) return ["Paused", "calm"];
  if (condition(s, "MetricsKnown")?.status === "False") return [condition(s, "MetricsKnown").reason, "amber"];
  if (condition(s, "Limited")?.status === "True") return ["Limited", "amber"];
  if (s.dryRun) return ["Dry run", "calm"];
  if (s.warming) return ["Warming", "calm"];
  return s.wanted === 0 ? ["At zero", "soft"] : ["Steady", "ok"];
}
function decides(d) {
  if (!d.rule) return d.sentence;
  return known(d.value) ? `${d.rule}: ${number(d.value)} (threshold ${number(d.threshold)})` : d.rule;
}
const badge = ([word, kind]) => el("span", {class: "badge " + kind}, word);
const cell = (name, ...inside) => el("td", {"data-name": name, class: typeof inside[0] === "number" ? "n" : null}, ...inside.map(x => typeof x === "number" ? String(x) : x));

function row(s) {
  return el("tr", {"aria-current": String(s === chosen())},
    el("td", {}, el("a", {href: "#" + key(s)}, key(s)), " ", el("span", {class: "soft"}, s.target)), el("td", {}, badge(stateOf(s))),
    cell("ready", s.ready), cell("warming", s.warming), cell("wanted", s.wanted), cell("limits", `${s.minReplicas}–${s.maxReplicas}`),
    el("td", {}, decides(s.decision)));
}
function drawList() {
  const wanted = $("filter").value.trim().toLowerCase(), shown = view.items.filter(s => key(s).toLowerCase().includes(wanted));
  const focus = document.activeElement?.closest?.("#rows a")?.getAttribute("href");
  const text = JSON.stringify([shown, location.hash]);
  if ($("rows").drawn !== text) {
    $("rows").drawn = text;
    $("rows").replaceChildren(...shown.map(row));
    if (focus) [...$("rows").querySelectorAll("a")].find(a => a.getAttribute("href") === focus)?.focus();
  }
  const sum = name => view.items.reduce((all, s) => all + s[name], 0);
  put($("sum"), `${many(view.items.length, "scaler")} · ${sum("ready")} ready · ${sum("warming")} warming · ${sum("wanted")} wanted`);
  show($("empty"), !shown.length);
  put($("empty"), view.items.length ? "No scaler has that name." : "There is no InferenceScaler yet.");
}
// For those who hear the page: what changed in state.
function announce() {
  const news = [];
  for (const s of view.items) {
    const [word] = stateOf(s), before = view.states.get(key(s));
    if (before && before !== word) news.push(`${key(s)}: ${word}`);
    view.states.set(key(s), word);
  }
  if (news.length) put($("live"), news.join(". ") + ".");
}

const LIMITS = s => [{name: "lower limit", of: () => s.minReplicas, kind: "k-limit", dash: true}, {name: "upper limit", of: () => s.maxReplicas, kind: "k-limit", dash: true}];
const replicas = new Chart($("replicas"), $("replicas-at"), "Replicas", [], true);
const value = new Chart($("value"), $("value-at"), "Value of the deciding rule", [], false);

function drawOne() {
  const s = chosen(), h = view.history;
  show($("one"), s !== undefined);
  if (!s) return;
  put($("one-name"), `${key(s)} (${s.target})`);
  put($("sentence"), s.decision.sentence || "Nothing was decided yet.");
  show($("dry"), s.dryRun);
  put($("dry"), `Dry run: ${s.wanted === s.replicas ? `it would leave ${many(s.replicas, "replica")}` : `it would change ${s.replicas} to ${many(s.wanted, "replica")}`}.`);
  $("conditions").replaceChildren(...s.conditions.map(c => el("li", {}, el("b", {}, `${c.type}: ${c.status}`), ` ${c.reason} ${c.message} `, shortTime(c.since))));
  if (!h || key(h) !== key(s)) return;
  replicas.lines = [{name: "replicas", of: p => p[1], kind: "k-replicas"}, {name: "ready", of: p => p[2], kind: "k-ready"},
    {name: "warming", of: p => p[3], kind: "k-warming"}, {name: "wanted", of: p => p[4], kind: "k-wanted", dash: true}, ...LIMITS(s)];
  value.lines = [{name: "value", of: p => p[6], kind: "k-value"}, {name: "threshold", of: p => p[7], kind: "k-limit", dash: true}];
  const end = Date.parse(s.time) / 1000, changes = h.decisions.map(d => Date.parse(d.time) / 1000);
  replicas.draw(h.points, end, changes);
  value.draw(h.points, end, changes);
  put($("value-of"), s.decision.rule ? `Rule ${s.decision.rule}` : "Value");
  $("decisions").replaceChildren(...[...h.decisions].reverse().map(d => el("tr", {}, el("td", {}, shortTime(d.time)), el("td", {}, `${d.from} → ${d.to}`),
    el("td", {}, d.by), el("td", {class: "n"}, number(d.value)), el("td", {class: "n"}, number(d.threshold)), el("td", {}, d.sentence))));
  show($("no-decisions"), !h.decisions.length);
}

async function read() {
  view.items = (await get("/api/v1/scalers")).items;
  const s = chosen();
  // Points are of minutes; decisions change the scaler.
  const version = s ? JSON.stringify([key(s), s.time.slice(0, 16), s.replicas, s.wanted]) : "";
  if (s && version !== view.asked) {
    view.history = await get(`/api/v1/scalers/${encodeURIComponent(s.namespace)}/${encodeURIComponent(s.name)}/history`);
    view.asked = version;
  }
  announce();
}
const drawAll = () => (drawList(), drawOne());
const poll = polling("Inference autoscaler", read, drawAll, () => {
  const bad = view.items.filter(s => stateOf(s)[1] === "bad").length;
  return bad ? `${bad} in trouble` : "";
});

startTheme();
$("filter").oninput = drawList;
addEventListener("hashchange", async () => {
  drawOne();
  await poll();
  if (chosen()) $("one").focus();
});
addEventListener("keydown", e => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
  if (e.key === "/" && !typing) {
    e.preventDefault();
    $("filter").focus();
  } else if (e.key === "Escape" && chosen()) {
    const was = location.hash;
    history.pushState(null, "", location.pathname);
    drawAll();
    [...$("rows").querySelectorAll("a")].find(a => a.getAttribute("href") === was)?.focus();
  }
});
poll();
