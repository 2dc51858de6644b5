// The node as a whole, the link to the server, the start.
const PATIENCE = 8000, EVERY = 2000;  // milliseconds
const view = {span: 3600, node: null, healths: new Map(), seenAt: null};

const link = {
  is: "connecting",  // connecting live lost
  since: null,       // Date: lost since then
  nextTry: 0,
  tries: 0,
  why: "",
  timer: 0,
  busy: false,

  async poll() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.timer);
    this.nextTry = 0;
    drawLink();
    let pause = document.hidden ? 15000 : EVERY;
    try {
      const answer = await fetch("/api/v1/gpus", {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)});
      if (!answer.ok) throw new Error(answer.status === 401 ? "it asks for a login; reload this page to give it" : `it answers ${answer.status}`);
      const node = await answer.json();
      this.is = "live";
      this.since = null;
      this.tries = 0;
      take(node);
    } catch (failure) {
      this.is = "lost";
      this.since ??= new Date();
      this.why = failure.name === "TimeoutError" ? "nothing came in time" : failure instanceof TypeError ? "it does not answer" : failure.message;
      // 1, 2, 4, 8, 15 s, and not all pages of a team at the same moment.
      pause = Math.min(15000, 1000 * 2 ** this.tries++) * (0.8 + 0.2 * Math.random());
      this.nextTry = performance.now() + pause;
    }
    this.busy = false;
    this.timer = setTimeout(() => this.poll(), pause);
    drawLink();
  },
};
const LINK_TEXT = {connecting: "Connecting", live: "Live", lost: "Disconnected"};
function drawLink() {
  $("link").dataset.is = link.is;
  put($("link-text"), link.is === "live" && view.seenAt ? `Live, measured ${clock(view.seenAt)}` : LINK_TEXT[link.is]);
  document.body.dataset.link = link.is;
  show($("lost"), link.since !== null);
  drawTitle();
  if (!link.since) return;
  put($("lost-since"), view.node ? `Disconnected since ${clock(link.since)}: ${link.why}.` : `The labeler can't be reached since ${clock(link.since)}: ${link.why}.`);
  show($("lost-seen"), view.node !== null);
  const left = Math.ceil((link.nextTry - performance.now()) / 1000);
  put($("lost-next"), link.nextTry && left > 0 ? `Next try in ${left} s.` : "Trying now.");
}

// What changed in health since the last look, for those who hear the page.
function announce(items) {
  const news = [];
  for (const g of items) {
    const before = view.healths.get(g.index);
    if (before !== undefined && before !== g.health) news.push(describe(g));
    view.healths.set(g.index, g.health);
  }
  if (news.length) put($("live"), news.join(". ") + ".");
}

function take(node) {
  // Without a driver nobody lists GPUs: those that were there stay in view, marked as of then.
  const away = node.state !== "ok" && !node.items.length && cards.size > 0;
  const measured = node.time ? Date.parse(node.time) : null;
  view.node = node;
  if (!away) {
    drawCards(node.items);
    announce(node.items);
    view.items = node.items;
    if (measured) view.seenAt = new Date(measured);
  }
  document.body.dataset.away = away;
  drawNode(node, away);
  if (measured && measured !== view.measured) {
    view.measured = measured;
    past.update(measured / 1000, view.span);
  }
}

function drawNode(node, away) {
  put($("title"), node.node ? `GPUs of ${node.node}` : "GPUs");
  const bad = node.state !== "ok";
  show($("state"), bad);
  if (bad) {
    put($("state-word"), STATES[node.state] || node.state);
    put($("state-why"), node.message);
    put($("state-seen"), away && view.seenAt ? `What you see is as of ${clock(view.seenAt)}.` : "");
  }
  const items = view.items || [], count = h => items.filter(g => g.health === h).length;
  const sum = (f, words) => {
    const told = items.map(f).filter(known);
    return told.length ? words(told.reduce((a, b) => a + b, 0)) : "";
  };
  put($("sum"), there([
    many(items.length, "GPU"),
    ...Object.keys(HEALTHS).map(h => count(h) && (h !== "ok" || count(h) < items.length) ? `${count(h)} ${HEALTHS[h]}` : ""),
    sum(g => g.powerW, w => nice.watts(w)), sum(g => g.memory.usedBytes, b => `${nice.bytes(b)} used`),
    node.driverVersion ? `driver ${node.driverVersion}` : "", node.cudaVersion ? `CUDA ${node.cudaVersion}` : ""
  ]).join(" · "));
  const troubled = items.filter(g => g.health !== "ok");
  show($("troubles"), troubled.length > 0);
  const text = JSON.stringify(troubled.map(describe));
  if ($("troubles").text !== text) {
    $("troubles").text = text;
    $("troubles").replaceChildren(...troubled.flatMap(g => [el("a", {href: `#gpu-${g.index}`, class: "h-" + g.health}, icon(g.health), ` ${describe(g)}`)]));
  }
  show($("empty"), !items.length);
  show($("hint"), items.length > 0);
  put($("empty"), node.state === "ok" ? "This node has no GPU." : "There is nothing to show yet.");
}
function drawTitle() {
  const items = view.items || [], bad = items.filter(g => g.health !== "ok").length;
  const name = view.node?.node || "GPUs";
  document.title = link.is === "lost" ? `Disconnected: ${name}`
      : view.node && view.node.state !== "ok" ? `${STATES[view.node.state] || view.node.state} ${name}`
      : bad ? `${bad} of ${items.length} in trouble: ${name}` : name;
}

function setSpan(seconds) {
  view.span = seconds;
  kept.set("span", String(seconds));
  charts.draw();
  if (past.now) past.update(past.now, seconds);
}
function makeSpans() {
  const chosen = Number(kept.get("span"));
  if (SPANS.some(([s]) => s === chosen)) view.span = chosen;
  for (const [seconds, text] of SPANS) {
    const input = el("input", {type: "radio", name: "span", value: String(seconds)});
    input.checked = seconds === view.span;
    input.onchange = () => setSpan(seconds);
    $("spans").append(el("label", {}, input, text));
  }
}

function start() {
  startTheme();
  makeSpans();
  $("try").onclick = () => link.poll();
  addEventListener("online", () => link.poll());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) link.poll();
  });
  setInterval(() => {
    if (link.since) drawLink();
  }, 1000);
  link.poll();
}
start();
