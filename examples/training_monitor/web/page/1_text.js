"use strict";
// Elements, icons and the words for times. Everything from the server is put in as text, never as HTML.
const STATES = ["Running", "Restarting", "Pending", "Queued", "Created", "Suspended", "Unknown", "Failed", "Succeeded"];
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
  return draw("svg", {class: "icon", "aria-hidden": "true"}, draw("use", {href: "#i-" + (ICONS.has(name) ? name : "Unknown")}));
}
// A state as its sign and its word: never by colour alone.
const stateClass = state => (STATES.includes(state) ? "s-" + state : "s-Unknown");
function badge(state) {
  return el("span", {class: "badge " + stateClass(state)}, icon(state), state);
}
function put(e, text) {
  if (e.textContent !== text) e.textContent = text;
}
function show(e, on) {
  if (e.hidden === on) e.hidden = !on;
}

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
const clock = date => date.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit"});
function fullTime(rfc3339) {
  const at = Date.parse(rfc3339 || "");
  return Number.isNaN(at) ? "" : new Date(at).toLocaleString([], {dateStyle: "medium", timeStyle: "medium"});
}
const many = (n, one, more) => `${n.toLocaleString("en")} ${n === 1 ? one : more || one + "s"}`;

// The server's clock decides; ours only ticks on from what it last said, and stands still while it is out of reach.
function tickingSeconds(durationSeconds, seen, goesOn) {
  if (durationSeconds === null || durationSeconds === undefined) return null;
  const until = link.lostAt ?? performance.now();
  return durationSeconds + (goesOn ? Math.max(0, until - seen) / 1000 : 0);
}
const durationOf = j => tickingSeconds(j.durationSeconds, j.seen, !j.completionTime);
const replicaText = j => Object.entries(j.replicas || {}).map(([type, r]) =>
  `${type} ${r.active}/${r.desired}${r.succeeded ? ` ✓${r.succeeded}` : ""}${r.failed ? ` ✗${r.failed}` : ""}`).join("  ");
const why = j => [j.reason, j.message].filter(Boolean).join(": ");
