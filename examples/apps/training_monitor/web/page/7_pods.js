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
                     p.name, nodeLink(cluster, p.node), podPhase(p), String(p.restarts),
                     exitText(p), ageOf(p.created), podWhy(p)]);
  const rest = pods.length - sorted.length;
  return panel("Pods",
      el("div", {class: "scroll-x stacks"},
          table("Pods, failed and waiting ones first",
              ["Rank", "Pod", "Node", "Phase", "Restarts", "Exit code", "Age", "Why"], rows, [4, 5])),
      rest > 0 ? el("p", {class: "soft"}, `and ${rest} more`) : "");
}
function eventPanel(events) {
  const rows = events.map(e => [`${e.kind} ${e.name}`, String(e.count), shortTime(e.lastSeen),
                              [e.reason, e.message].filter(Boolean).join(": ")]);
  return panel("Events",
      el("div", {class: "scroll-x stacks"},
          table("Events, the latest first", ["About", "Times", "Last", "What"], rows, [1])));
}

// Made once for a job: what was read there outlives changes of the job. Nothing is read before somebody asks.
const logs = {
  of: "",
  box: null,
  select: null,
  timer: 0
};
const FOLLOW_PAUSE = 2000;
function makeLogs(j) {
  const key = keyOf(j);
  clearTimeout(logs.timer);
  logs.of = key;
  logs.select = el("select", {id: "log-pod"});
  const most = el("select", {id: "log-most"}, ...["100", "1000"].map(n => el("option", {}, n)));
  const follow = el("input", {type: "checkbox", id: "log-follow"});
  const button = el("button", {type: "button", id: "log-read"}, "Show the last lines");
  // A reader of screens is told what it is, and not all of it again and again.
  const what = el("p", {class: "soft", role: "status"}), lines = el("pre", {class: "log", tabindex: "0"});
  const out = el("div", {id: "log-lines"}, what);
  let shown = "", asked = 0;
  const say = text => {
    put(what, text);
    lines.remove();
  };
  const read = async () => {
    const mine = ++asked;
    clearTimeout(logs.timer);
    if (!follow.checked) put(button, "Reading …");
    try {
      const which = `pod=${encodeURIComponent(logs.select.value)}${most.value === "100" ? "" : `&lines=${most.value}`}`;
      const answer = await fetch(`/api/v1/jobs/${pathOf(j)}/logs?${which}`, {cache: "no-store"});
      const told = await answer.json();
      if (mine !== asked) return;
      if (answer.ok) {
        const run = told.previous ? "the run before this one" : "this run";
        put(what, there([told.container, run, told.cut ? "cut" : ""]).join(", "));
        const atEnd = !lines.isConnected || lines.scrollTop + lines.clientHeight > lines.scrollHeight - 20;
        shown = which;
        put(lines, told.lines.join("\n") || "It has written nothing.");
        if (!lines.isConnected) out.append(lines);
        if (atEnd) lines.scrollTop = lines.scrollHeight;
      } else say(`It could not be read: ${told.error}`);
    } catch (failure) { say(`It could not be read: ${failure.message}`); }
    put(button, "Show the last lines");
    const seen = logs.of === key && view.job && keyOf(view.job) === key;
    if (follow.checked && seen) logs.timer = setTimeout(() => (document.hidden ? again() : read()), FOLLOW_PAUSE);
  };
  const again = () => { logs.timer = setTimeout(() => (document.hidden ? again() : read()), FOLLOW_PAUSE); };
  button.onclick = read;
  follow.onchange = () => (follow.checked ? read() : clearTimeout(logs.timer));
  logs.select.onchange = most.onchange = () => {
    if (shown || follow.checked) read();
  };
  logs.box = panel("Log",
      el("div", {class: "choices"}, el("label", {class: "field"}, "Pod", logs.select),
          el("label", {class: "field"}, "Lines", most),
          el("label", {class: "tick"}, follow, " Follow"), button),
      out);
}
// Ranks in their order, with what failed marked; of a pod that was deleted nothing can be read.
function logPanel(j, data) {
  if (logs.of !== keyOf(j)) makeLogs(j);
  const pods = data.pods.filter(p => !p.deleted).slice(0, PODS_SHOWN);
  pods.sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || (a.name < b.name ? -1 : 1));
  const title = p => there([
    p.rank === null ? p.type : `rank ${p.rank}`, p.name, p.exitCode ? `exit code ${p.exitCode}` : ""
  ]).join(" · ");
  const names = pods.map(p => p.name), titles = pods.map(title);
  if (JSON.stringify(titles) !== JSON.stringify([...logs.select.options].map(o => o.textContent))) {
    const chosen = logs.select.value;
    const first = [data.cause?.pod, pods.find(p => p.exitCode)?.name, names[0]].find(n => names.includes(n));
    logs.select.replaceChildren(...pods.map((p, i) => el("option", {value: p.name}, titles[i])));
    logs.select.value = names.includes(chosen) ? chosen : first;
  }
  return logs.box;
}
function knownParts(j, data) {
  const parts = [];
  if (data?.pods?.length) parts.push(podPanel(data.pods, j.cluster));
  if (data?.logs && data.pods?.some(p => !p.deleted)) parts.push(logPanel(j, data));
  if (data?.events?.length) parts.push(eventPanel(data.events));
  if (data?.missingRights?.length)
    parts.push(panel("Missing rights", el("p", {}, "The monitor lacks rights in this cluster:"),
        el("ul", {}, ...data.missingRights.map(r => el("li", {}, r)))));
  return parts;
}
