// What is looked at, as the address says it: shareable, and the back button goes through it.
//   /?cluster=&namespace=&kind=&state=&q=&sort=     names as in /api/v1/jobs; repeated for several
//   /?finished=1                                    with what ended long ago
//   /?job=CLUSTER/NAMESPACE/KIND/NAME               each part percent-encoded
//   /?node=CLUSTER/NODE                             likewise; beside the others
//   /?queues=CLUSTER                                likewise
const SORTS = {
  started: ["Started", (j, down) => j.started ?? (down ? -Infinity : Infinity)],  // what has not started comes last
  state: ["State", j => STATES.indexOf(j.state)],
  name: ["Name", j => j.name],
  namespace: ["Namespace", j => j.namespace],
  cluster: ["Cluster", j => j.cluster],
  kind: ["Kind", j => j.kind],
  who: ["Team", j => j.who],
  gpus: ["GPUs", j => j.gpus],
  duration: ["Duration", j => durationOf(j) ?? -1],
};
const FILTERS = ["cluster", "namespace", "kind", "state"];
const DEFAULT_SORT = "-started";
const SHEETS = {node: ["cluster", "name"], queues: ["cluster"]};
let view = {job: null, node: null, queues: null, cluster: [], namespace: [], kind: [], state: [], q: "", sort: DEFAULT_SORT, finished: false};

function readAddress(search) {
  const from = new URLSearchParams(search);
  const out = {
    job: null,
    node: null,
    queues: null,
    q: from.get("q") || "",
    sort: from.get("sort") || DEFAULT_SORT,
    finished: from.get("finished") === "1"
  };
  for (const name of FILTERS) out[name] = from.getAll(name).flatMap(v => v.split(",")).filter(Boolean);
  if (!Object.hasOwn(SORTS, out.sort.replace(/^-/, ""))) out.sort = DEFAULT_SORT;
  if (from.has("job")) {
    try {
      const parts = from.get("job").split("/").map(decodeURIComponent);
      if (parts.length === 4) { out.job = {cluster: parts[0], namespace: parts[1], kind: parts[2], name: parts[3]}; }
    } catch { /* a broken address is the overview */
    }
  }
  for (const [sheet, names] of Object.entries(SHEETS)) {
    try {
      const parts = (from.get(sheet) || "").split("/").map(decodeURIComponent);
      if (parts.length === names.length && parts.every(Boolean))
        out[sheet] = Object.fromEntries(names.map((name, i) => [name, parts[i]]));
    } catch { /* likewise */
    }
  }
  return out;
}
function addressOf(v) {
  const to = new URLSearchParams();
  if (v.job) to.set("job", pathOf(v.job));
  for (const [sheet, names] of Object.entries(SHEETS))
    if (v[sheet]) to.set(sheet, names.map(name => encodeURIComponent(v[sheet][name])).join("/"));
  for (const name of FILTERS)
    for (const value of v[name] || []) to.append(name, value);
  if (v.q) to.set("q", v.q);
  if (v.sort && v.sort !== DEFAULT_SORT) to.set("sort", v.sort);
  if (v.finished) to.set("finished", "1");
  const text = to.toString();
  return text ? "?" + text : location.pathname;
}
const pathOf = j => [j.cluster, j.namespace, j.kind, j.name].map(encodeURIComponent).join("/");
const jobAddress = j => addressOf({job: j});

// Shows something else. `replace`: as if it had been so before (typing).
function go(change, replace) {
  view = {...view, ...change};
  history[replace ? "replaceState" : "pushState"]({from: "here"}, "", addressOf(view));
  dirty.route = dirty.layout = layoutNow = true;
  plan();
}
function goJob(j) { go({job: {cluster: j.cluster, namespace: j.namespace, kind: j.kind, name: j.name}}); }
function goBack() {
  if (history.state?.from === "here") history.back();
  else go({job: null});
}
const filtered = () => Boolean(view.q || FILTERS.some(name => view[name].length));

// What ended long ago is folded away, unless somebody looks for a state or a word.
const FOLDED_AFTER = {
  Succeeded: 3600e3,
  Failed: 24 * 3600e3
};
const foldsNow = () => !view.finished && !view.q && !view.state.length;
const isOver = (j, now) => FINAL.has(j.state) && j.ended !== null && now - j.ended > FOLDED_AFTER[j.state];

// The jobs that pass, in order. The last order is where it begins: nearly sorted lists sort fast.
let order = [], folded = 0;
function arrangeJobs() {
  const wants = name => (view[name].length ? new Set(view[name]) : null);
  const [cluster, namespace, kind, state] = FILTERS.map(wants);
  const words = view.q.toLowerCase().split(/\s+/).filter(Boolean);
  const passes = j => (!cluster || cluster.has(j.cluster)) && (!namespace || namespace.has(j.namespace)) &&
      (!kind || kind.has(j.kind)) && (!state || state.has(j.state)) && words.every(w => j.text.includes(w));
  const down = view.sort.startsWith("-");
  const rank = SORTS[view.sort.replace(/^-/, "")][1];
  const listed = new Set(), next = [], folds = foldsNow(), now = Date.now();
  folded = 0;
  const add = j => {
    if (j.removed || listed.has(j) || !passes(j)) return;
    listed.add(j);
    if (folds && isOver(j, now)) return void ++folded;
    j.rank = rank(j, down);
    next.push(j);
  };
  order.forEach(add);
  store.jobs.forEach(add);
  const sign = down ? -1 : 1;
  next.sort((a, b) => (a.rank < b.rank ? -sign : a.rank > b.rank ? sign : a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  order = next;
}
