// States, icons, and the words for jobs.
const STATES = ["Running", "Restarting", "Pending", "Queued", "Created", "Suspended", "Unknown", "Failed", "Succeeded"];
const CALM = new Set(["Running", "Succeeded", "Created"]);  // nobody asks why
const FINAL = new Set(["Failed", "Succeeded"]);

const ICONS = new Set([...STATES, "warn", "gone"]);
function icon(name) {
  return draw(
      "svg", {class: "icon", "aria-hidden": "true"}, draw("use", {href: "#i-" + (ICONS.has(name) ? name : "Unknown")}));
}
// A state as its sign and its word: never by colour alone.
const stateClass = state => (STATES.includes(state) ? "s-" + state : "s-Unknown");
function badge(state) { return el("span", {class: "badge " + stateClass(state)}, icon(state), state); }
// The server's clock decides; ours only ticks on from what it last said, and stands still while it is out of reach.
function tickingSeconds(durationSeconds, seen, goesOn) {
  if (durationSeconds === null || durationSeconds === undefined) return null;
  const until = link.lostAt ?? performance.now();
  return durationSeconds + (goesOn ? Math.max(0, until - seen) / 1000 : 0);
}
const durationOf = j => tickingSeconds(j.durationSeconds, j.seen, !j.completionTime);
const replicaText = j =>
    Object.entries(j.replicas || {})
        .map(([type, r]) => `${type}: ${r.active} of ${r.desired} active` +
                `${r.succeeded ? `, ${r.succeeded} succeeded` : ""}${r.failed ? `, ${r.failed} failed` : ""}`)
        .join("; ");
// Whose job it is, as far as its labels say it.
const WHO = [
  ["Team", ["team", "app.kubernetes.io/part-of"]], ["Owner", ["owner", "user"]],
  ["Queue", ["kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "queue"]]
];
const whoIs = j =>
    WHO.map(([what, keys]) => [what, keys.map(key => j.labels?.[key]).find(Boolean) || ""]).filter(([, who]) => who);
// Kueue's own label says a queue that its page has.
const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
const whoText = j => whoIs(j).map(([, who]) => who).join(" · ");
// All types together: 7/8 are active, some succeeded (✓), some failed (✗).
function replicaSum(j) {
  let active = 0, desired = 0, succeeded = 0, failed = 0;
  for (const r of Object.values(j.replicas || {})) {
    active += r.active;
    desired += r.desired;
    succeeded += r.succeeded;
    failed += r.failed;
  }
  return [
    active || !FINAL.has(j.state) ? `${active}/${desired}` : "", succeeded ? `✓${succeeded}` : "",
    failed ? `✗${failed}` : ""
  ].filter(Boolean)
      .join(" ");
}
// What scrolls in a panel, by keys as well.
const scroller = (label, ...inside) =>
    el("div", {class: "scroll-x scroll-y", role: "group", "aria-label": label, tabindex: "0"}, ...inside);
// Our sentence speaks for itself; an operator's needs its reason before it.
const why = j => j.why || [j.reason, j.message].filter(Boolean).join(": ");
