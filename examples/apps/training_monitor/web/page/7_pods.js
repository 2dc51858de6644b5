// What is known of a job beyond its object: its pods, events about it, and the last lines of a log.
const ageOf = time => {
  const at = Date.parse(time || "");
  return Number.isNaN(at) ? "" : span(Math.max(0, (Date.now() - at) / 1000));
};
const podPhase = p => p.deleted ? el("span", {}, "deleted at ", shortTime(p.deleted), `, was ${p.phase}`)
    : p.terminating             ? `${p.phase}, terminating`
                                : p.phase;
const exitText = p => (p.exitCode === null ? "" : `${p.exitCode}${p.restartedSince ? " (previous run)" : ""}`);
const podWhy = p => [p.exitMeaning, p.reason === "Error" || p.reason === "Completed" ? "" : p.reason, p.message]
                        .filter(Boolean)
                        .join(": ");
// Those that need a look first, and no more than a page can bear.
const PODS_SHOWN = 500;
const podRank = p => (p.exitCode || p.phase === "Failed"   ? 0
        : p.phase === "Running" || p.phase === "Succeeded" ? 2
                                                           : 1);
function podPanel(pods, cluster) {
  const sorted = [...pods].sort((a, b) => podRank(a) - podRank(b)).slice(0, PODS_SHOWN);
  const rows =
      sorted.map(p => [p.rank === null ? `${p.type}${p.index === null ? "" : " " + p.index}` : `${p.rank} (${p.type})`,
                     p.name, node.link(cluster, p.node), podPhase(p), String(p.restarts),
                     exitText(p), podWhy(p), ageOf(p.created)]);
  const rest = pods.length - sorted.length;
  return panel("Pods",
      el("div", {class: "scroll-x stacks"},
          table("Pods, failed and waiting ones first",
              ["Rank", "Pod", "Node", "Phase", "Restarts", "Exit code", "Why", "Age"], rows, [4, 5])),
      rest > 0 ? el("p", {class: "soft"}, `and ${rest} more`) : "");
}
function eventPanel(events) {
  const rows = events.map(e => [`${e.kind} ${e.name}`, [e.reason, e.message].filter(Boolean).join(": "),
                              String(e.count), shortTime(e.lastSeen)]);
  return panel("Events",
      el("div", {class: "scroll-x stacks"},
          table("Events, the latest first", ["About", "What", "Times", "Last"], rows, [2])));
}

// Made once for a job: what was read there outlives changes of the job. Nothing is read before somebody asks.
const logs = {
  of: "",
  box: null,
  select: null
};
function logPanel(j, data) {
  if (logs.of !== keyOf(j)) {
    logs.of = keyOf(j);
    logs.select = el("select", {id: "log-pod"});
    const button = el("button", {type: "button", id: "log-read"}, "Show the last lines");
    const out = el("div", {id: "log-lines", role: "status"});
    button.onclick = async () => {
      put(button, "Reading …");
      try {
        const pod = encodeURIComponent(logs.select.value);
        const answer = await fetch(`/api/v1/jobs/${pathOf(j)}/logs?pod=${pod}`, {cache: "no-store"});
        const read = await answer.json();
        const what = `${read.container ? read.container + ", " : ""}${
            read.previous ? "the run before this one" : "this run"}${read.cut ? ", cut" : ""}`;
        out.replaceChildren(...(answer.ok ? [
          el("p", {class: "soft"}, what),
          el("pre", {class: "log", tabindex: "0"}, read.lines.join("\n") || "It has written nothing.")
        ]
                                          : [el("p", {}, `It could not be read: ${read.error}`)]));
      } catch (failure) { out.replaceChildren(el("p", {}, `It could not be read: ${failure.message}`)); }
      put(button, "Show the last lines");
    };
    logs.box = panel("Log", el("label", {class: "field"}, "Pod", logs.select), button, out);
  }
  const names = data.pods.slice(0, PODS_SHOWN).map(p => p.name);
  const first = data.cause?.pod && names.includes(data.cause.pod) ? data.cause.pod : names[0];
  if (JSON.stringify(names) !== JSON.stringify([...logs.select.options].map(o => o.value))) {
    const chosen = logs.select.value;
    logs.select.replaceChildren(...names.map(n => el("option", {value: n}, n)));
    logs.select.value = names.includes(chosen) ? chosen : first;
  }
  return logs.box;
}
function knownParts(j, data) {
  const parts = [];
  if (data?.pods?.length) parts.push(podPanel(data.pods, j.cluster));
  if (data?.logs && data.pods?.length) parts.push(logPanel(j, data));
  if (data?.events?.length) parts.push(eventPanel(data.events));
  if (data?.missingRights?.length)
    parts.push(panel("Missing rights", el("p", {}, "The monitor lacks rights in this cluster:"),
        el("ul", {}, ...data.missingRights.map(r => el("li", {}, r)))));
  return parts;
}
