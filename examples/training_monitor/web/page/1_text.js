"use strict";
// Elements, icons and the words for times. Everything from the server is put in as text, never as HTML.
const STATES = ["Running", "Restarting", "Pending", "Queued", "Created", "Suspended", "Unknown", "Failed", "Succeeded"];
const CALM = new Set(["Running", "Succeeded", "Created"]);  // nobody asks why
const FINAL = new Set(["Failed", "Succeeded"]);
const $ = id => document.getElementById(id);

// Without what is not there.
const there = parts => parts.filter(x => x !== null && x !== undefined && x !== "");
// el("a", {class: "x", href: "…"}, "text", child…)
function el(tag, attributes, ...inside) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) e.setAttribute(name, value);
  }
  e.append(...there(inside));
  return e;
}
const SVG = document.querySelector("svg").namespaceURI;
function draw(tag, attributes, ...inside) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...inside);
  return e;
}
const ICONS = new Set([...STATES, "warn", "gone"]);
function icon(name) {
  return draw(
      "svg", {class: "icon", "aria-hidden": "true"}, draw("use", {href: "#i-" + (ICONS.has(name) ? name : "Unknown")}));
}
// A state as its sign and its word: never by colour alone.
const stateClass = state => (STATES.includes(state) ? "s-" + state : "s-Unknown");
function badge(state) { return el("span", {class: "badge " + stateClass(state)}, icon(state), state); }
function put(e, text) {
  if (e.textContent !== text) e.textContent = text;
}
function show(e, on) {
  if (e.hidden === on) e.hidden = !on;
}

// What this browser keeps for the next time. Where it keeps nothing (cookies blocked), the page works all the same.
const kept = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch { return null; }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch { /* then it holds until the page is closed */
    }
  },
};

function span(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "";
  seconds = Math.max(0, Math.floor(seconds));
  const d = Math.floor(seconds / 86400), h = Math.floor(seconds / 3600) % 24, m = Math.floor(seconds / 60) % 60;
  const s = seconds % 60;
  return d ? `${d}d ${h}h` : h ? `${h}h ${m}m` : m ? `${m}m ${s}s` : `${s}s`;
}
// A span without its smaller unit, for what is long ago.
const about = seconds => span(seconds).split(" ")[0];
const ago = milliseconds => `${about((Date.now() - milliseconds) / 1000)} ago`;
const clock = date =>
    date.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23"});
function fullTime(rfc3339) {
  const at = Date.parse(rfc3339 || "");
  return Number.isNaN(at)
      ? ""
      : new Date(at).toLocaleString([], {dateStyle: "medium", timeStyle: "medium", hourCycle: "h23"});
}
// The same as short as it is clear: today's without the date. In full where the pointer rests.
function shortTime(rfc3339) {
  const at = new Date(Date.parse(rfc3339 || "")), now = new Date();
  if (Number.isNaN(at.getTime())) return "";
  const text = at.toDateString() === now.toDateString() ? clock(at) : at.toLocaleString([], {
    month: "short",
    day: "numeric",
    year: at.getFullYear() === now.getFullYear() ? undefined : "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  });
  return el("time", {datetime: rfc3339, title: fullTime(rfc3339)}, text);
}
const many = (n, one, more) => `${n.toLocaleString("en")} ${n === 1 ? one : more || one + "s"}`;

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
const why = j => [j.reason, j.message].filter(Boolean).join(": ");
