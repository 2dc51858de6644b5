// Cases, policies and phases, read again and again; the case that is chosen has its name in the address.
const view = {cases: [], policies: [], phases: [], older: 0, leader: "", trouble: "", read: false, states: new Map()};
const KINDS = {NeedsHuman: "bad", Held: "amber", Suspected: "amber", Quarantined: "amber", Draining: "calm", Repairing: "calm", Verifying: "calm", Released: "ok"};
const hold = c => c.open && c.phase === "Cancelled";  // ended by a person, and the taint is left
const badge = c => el("span", {class: `badge ${hold(c) ? "amber" : KINDS[c.phase] || "soft"}`}, hold(c) ? "Taint left" : c.phase || "New");
const address = c => "#" + encodeURIComponent(c.name);
const here = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch { return ""; }  // a broken escape
};
const chosen = () => view.cases.find(c => c.name === here());
const cell = (name, ...inside) => el("td", {"data-name": name}, ...inside);
const open = () => view.cases.filter(c => c.open);
const humans = () => view.cases.filter(c => c.phase === "NeedsHuman");

// Texts of a shell: names are plain, but a page believes nobody.
const quoted = text => /^[\w.:=\/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
const P = "healing.kcontrol.dev";
const COMMANDS = {
  look: c => ["The case, with its Events", `kubectl describe noderepair ${quoted(c.name)}`],
  pods: c => ["Pods on the node", `kubectl get pods --all-namespaces --field-selector spec.nodeName=${quoted(c.node)}`],
  hold: c => ["Stop here, keep the taint", `kubectl annotate node ${quoted(c.node)} ${P}/hold=REASON`],
  resume: c => ["End the hold", `kubectl annotate node ${quoted(c.node)} ${P}/hold-`],
  exempt: c => ["No case for this node any more", `kubectl annotate node ${quoted(c.node)} ${P}/exempt=true`],
  remove: c => ["End the case, remove the taint", `kubectl delete noderepair ${quoted(c.name)}`],
  reset: p => [`${p.name}: admit ${many(p.limit, "node")} more`, `kubectl annotate healingpolicy ${quoted(p.name)} ${P}/reset-breaker=yes`],
};
function command(name, of) {
  const [does, text] = COMMANDS[name](of), code = el("code", {}, text);
  return el("li", {}, el("span", {}, does), code, copyButton(`Copy: ${text}`, text, code));
}
const commandsOf = c => hold(c) ? ["look", "resume", "remove"] : c.open ? ["look", "pods", "hold", "exempt", "remove"] : ["look"];

// Draws anew only what has changed, so that the focus and a selection stay.
function fill(id, of, make) {
  const text = JSON.stringify(of);
  if ($(id).drawn === text) return;
  $(id).drawn = text;
  const at = document.activeElement, focus = $(id).contains(at) ? at.getAttribute("href") || at.getAttribute("aria-label") || at.textContent : null;
  $(id).replaceChildren(...make(of));
  if (focus) [...$(id).querySelectorAll("a, button")].find(e => [e.getAttribute("href"), e.getAttribute("aria-label"), e.textContent].includes(focus))?.focus();
}
const row = c => el("tr", {"aria-current": String(c === chosen())}, el("td", {}, el("a", {href: address(c)}, c.node)), el("td", {}, badge(c)),
    cell("reason", c.reason), cell("policy", c.policy), cell("step", c.step && `${c.step}, attempt ${c.attempt}`), cell("since", shortTime(c.since)),
    cell("opened", shortTime(c.created)));
function drawList() {
  const words = $("filter").value.trim().toLowerCase(), phase = $("of-phase").value, policy = $("of-policy").value, only = $("only").value;
  const shown = view.cases.filter(c => [c.name, c.node, c.policy, c.reason].some(text => text.toLowerCase().includes(words)) &&
      (!phase || c.phase === phase) && (!policy || c.policy === policy) && (!only || c.open === (only === "open")));
  fill("rows", [shown, location.hash], ([all]) => all.map(row));
  show($("empty"), view.read && !shown.length);
  put($("empty"), view.cases.length ? "No case matches." : "There is no case.");
  show($("older"), view.older > 0 && only !== "open");
  put($("older"), `${many(view.older, "older case")} not shown: kubectl get noderepairs lists all.`);
}
function choices(id, names) {
  const was = $(id).value;
  fill(id, names, all => [el("option", {value: ""}, "all"), ...all.map(n => el("option", {value: n}, n))]);
  $(id).value = names.includes(was) ? was : "";
}
const human = c => el("li", {}, el("p", {}, el("a", {href: address(c)}, c.node), " ", el("b", {}, c.reason), " ", el("span", {class: "soft"}, "since "), shortTime(c.since)),
    el("p", {}, c.message), el("p", {}, `${c.advice} The case goes on once the node has become healthy.`),
    el("ul", {class: "commands"}, ...["pods", "remove"].map(name => command(name, c))));
function policyState(p) {
  if (p.invalid) return ["Invalid", "bad", `${p.invalid}: it opens no case`];
  if (p.breakerOpen) return ["Breaker open", "bad", p.held.length ? `held: ${p.held.join(", ")}` : "no node is held"];
  return p.dryRun ? ["Dry run", "calm", "nothing but cases is written"] : ["Acts", "ok", ""];
}
function policyRow(p) {
  const [word, kind, why] = policyState(p);
  return el("tr", {}, el("td", {}, p.name), el("td", {}, el("span", {class: `badge ${kind}`}, word), " ", p.since ? shortTime(p.since) : "", " ", el("span", {class: "soft"}, why)),
      ...[p.selected, p.ill, p.tainted, p.limit].map(n => el("td", {class: "n"}, String(n))));
}
function phaseRow([p, nodes]) {
  const pick = el("button", {type: "button"}, p.phase);
  pick.onclick = () => {
    $("of-phase").value = p.phase;
    $("only").value = "open";
    drawList();
    $("list").focus();
  };
  return el("tr", {}, el("td", {}, pick), el("td", {class: "n"}, String(nodes)),
      ...[p.p50, p.p99].map(t => el("td", {class: "n"}, t === null ? "–" : span(t))), el("td", {class: "n"}, String(p.passed)));
}
// In one sentence. That all is well is said only where all of it is known to be.
function summary() {
  if (!view.read) return "";
  const n = open().length, ill = view.policies.reduce((sum, p) => sum + p.ill, 0), bad = view.policies.filter(p => policyState(p)[1] === "bad");
  if (!n && !ill && view.policies.length && !bad.length) return link.since ? "" : `No node has a case. ${view.leader ? `${view.leader} decides.` : ""}`;
  return there([many(new Set(open().map(c => c.node)).size, "node") + " with a case", humans().length && `${many(humans().length, "needs", "need")} a human`,
    ill && `${many(ill, "node")} ill`, bad.length && `${policyState(bad[0])[0].toLowerCase()}: ${bad.map(p => p.name).join(", ")}`,
    view.leader && `${view.leader} decides`]).filter(Boolean).join(" · ");
}
function drawAll() {
  put($("sum"), summary());
  show($("humans"), humans().length > 0);
  fill("human-rows", humans(), all => all.map(human));
  fill("phase-rows", view.phases.map(p => [p, new Set(open().filter(c => c.phase === p.phase).map(c => c.node)).size]), all => all.map(phaseRow));
  fill("policy-rows", view.policies, all => all.map(policyRow));
  fill("policy-commands", view.policies.filter(p => p.breakerOpen), all => all.map(p => command("reset", p)));
  show($("no-policies"), view.read && !view.policies.length);
  choices("of-phase", [...view.phases.map(p => p.phase), "Released", "Cancelled"]);
  choices("of-policy", [...new Set([...view.policies, ...view.cases].map(x => x.policy ?? x.name))].sort());
  drawList();
  drawOne();
}
function drawOne() {
  const c = chosen();
  show($("one"), c !== undefined);
  if (!c) return;
  put($("one-name"), `${c.node} (${c.name})`);
  fill("one-what", [c.phase, c.open, c.reason, c.fault, c.taint, c.dryRun], () => there([badge(c), ` ${there([c.reason, c.fault || "a person asked for it", c.taint, c.dryRun ? "dry run" : ""]).join(" · ")}`]));
  put($("one-message"), there([c.message, c.advice]).join(" "));
  fill("timeline", [c.name, c.timeline], () => c.timeline.map(t => el("li", {}, shortTime(t.time), el("span", {}, t.what))));
  fill("commands", [c.name, commandsOf(c)], ([, names]) => names.map(name => command(name, c)));
}
// For those who hear the page: what changed in phase.
function announce() {
  const news = [];
  for (const c of view.cases) {
    const before = view.states.get(c.name);
    if (view.read && before !== c.phase) news.push(`${c.node}: ${c.phase}`);
    view.states.set(c.name, c.phase);
  }
  if (news.length) put($("live"), news.join(". ") + ".");
}
async function read() {
  const told = await get("/api/v1/overview");
  Object.assign(view, told);
  announce();
  view.read = true;
  if (view.trouble) throw new Error(view.trouble);
}
const poll = polling("GPU healer", read, drawAll, () => {
  const wait = humans().length, broken = view.policies.some(p => p.breakerOpen);
  return wait ? `${wait} ${wait === 1 ? "needs" : "need"} a human` : broken ? "Breaker open" : "";
});

startTheme();
$("filter").oninput = $("of-phase").oninput = $("of-policy").oninput = $("only").oninput = drawList;
addEventListener("hashchange", () => {
  drawList();
  drawOne();
  if (chosen()) $("one").focus();
});
addEventListener("keydown", e => {
  if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
    e.preventDefault();
    $("filter").focus();
  } else if (e.key === "Escape" && chosen()) {
    const was = location.hash;
    history.pushState(null, "", location.pathname);
    drawList();
    drawOne();
    [...$("rows").querySelectorAll("a")].find(a => a.getAttribute("href") === was)?.focus();
  }
});
poll();
