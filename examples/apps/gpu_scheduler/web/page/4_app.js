// The link to the scheduler, and what is drawn when. The stream is read with fetch, which shows heartbeats as well.
const PATIENCE = 40000, LATER = 5000;  // milliseconds
const link = {since: null, why: "", controller: null, lastBytes: 0, tries: 0, timer: 0};
const dirty = new Set();
let planned = false;

function plan(...what) {
  what.forEach(w => dirty.add(w));
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    const now = [...dirty];
    dirty.clear();
    if (now.includes("nodes")) cluster.draw();
    if (now.includes("tenants") || now.includes("nodes")) tables.drawTenants();
    if (now.includes("queue")) tables.drawQueue();
    if (now.includes("past")) chart.draw();
    drawSum();
  });
}
function drawSum() {
  let all = 0, free = 0, bad = 0;
  for (const n of store.nodes.values()) {
    for (const g of n.gpus) {
      ++all;
      if (!g.healthy) ++bad;
      else if (!g.holds.length) ++free;
    }
  }
  put($("sum"), there([many(store.nodes.size, "node"), many(all, "GPU"), `${number(free)} free`, bad ? `${number(bad)} unhealthy` : "", `${many(store.waiting, "pod")} wait${store.waiting === 1 ? "s" : ""}`]).join(" · "));
  document.title = link.since ? "Disconnected: GPU scheduler" : store.waiting ? `${number(store.waiting)} wait: GPU scheduler` : "GPU scheduler";
}
function drawLink() {
  const is = link.since ? "lost" : "live";
  document.body.dataset.link = $("link").dataset.is = is;
  put($("link-text"), is === "live" ? "Live" : "Disconnected");
  show($("lost"), is === "lost");
  if (link.since) put($("lost-since"), `Disconnected since ${clock(link.since)}: ${link.why}.`);
  drawSum();
}

async function get(path) {
  const answer = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)});
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}
// Asks for one thing at most every five seconds, however often it is told to.
function asking(path, take) {
  let running = false, again = false, last = -LATER;
  return async function ask() {
    if (running) return void (again = true);
    running = true;
    do {
      again = false;
      const rest = last + LATER - performance.now();
      if (rest > 0) await new Promise(done => setTimeout(done, rest));
      last = performance.now();
      try {
        take(await get(path));
      } catch { /* the stream says what is wrong with the link */
      }
    } while (again);
    running = false;
  };
}
const askQueue = asking("/api/v1/pending", answer => {
  store.pending = answer.items;
  plan("queue");
});
const askPast = asking("/api/v1/history", answer => {
  store.past = answer;
  plan("past");
});

const events = {
  nodes(data) {
    store.nodes = new Map(data.items.map(n => [n.name, n]));
    plan("nodes");
  },
  node(data) {
    store.nodes.set(data.name, data);
    plan("nodes");
  },
  gone(data) {
    store.nodes.delete(data.name);
    plan("nodes");
  },
  tenants(data) {
    store.tenants = data.items;
    store.tenants.forEach(t => lookOf(t.name));
    plan("tenants");
  },
  pending(data) {
    store.waiting = data.pods;
    plan();
    askQueue();
  },
  minute: () => askPast(),
};
function take(block) {
  let name = "", data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (events[name]) events[name](JSON.parse(data));
}
async function connect() {
  clearTimeout(link.timer);
  link.controller?.abort();
  const mine = link.controller = new AbortController();
  link.lastBytes = performance.now();
  try {
    const answer = await fetch("/api/v1/events", {signal: mine.signal, cache: "no-store"});
    if (!answer.ok) throw new Error(answer.status === 401 ? "it asks for a login; reload this page to give it" : answer.status === 503 ? "this replica does not lead" : `it answers ${answer.status}`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    link.since = null;
    link.tries = 0;
    drawLink();
    askPast();
    for (let rest = "";;) {
      const {value, done} = await reader.read();
      if (link.controller !== mine) return;
      if (done) throw new Error("it ended the stream");
      link.lastBytes = performance.now();
      rest += value;
      const end = rest.lastIndexOf("\n\n");
      if (end < 0) continue;
      rest.slice(0, end).split("\n\n").forEach(take);
      rest = rest.slice(end + 2);
    }
  } catch (failure) {
    if (link.controller !== mine) return;
    link.since ??= new Date();
    link.why = mine.dead ? "nothing came, not even a heartbeat" : failure instanceof TypeError ? "it does not answer" : failure.message;
    drawLink();
    link.timer = setTimeout(connect, Math.min(30000, 1000 * 2 ** link.tries++));
  }
}
setInterval(() => {
  if (link.since || performance.now() - link.lastBytes < PATIENCE) return;
  link.controller.dead = true;
  link.controller.abort();
}, 5000);

// "#q=WORDS" in the address fills the filter: a link from elsewhere to a pod or a node.
function readAddress() {
  const words = location.hash.match(/^#q=(.+)/)?.[1];
  if (!words) return;
  try {
    $("filter").value = decodeURIComponent(words);
  } catch { /* a broken escape: no filter */
  }
  plan("nodes", "queue");
}

startTheme();
chart.start();
readAddress();
addEventListener("hashchange", readAddress);
$("filter").oninput = $("of-tenant").oninput = $("only").oninput = () => {
  tables.shown = HUNDRED;
  plan("nodes", "queue");
};
$("more").onclick = () => {
  tables.shown += HUNDRED;
  plan("queue");
};
$("try").onclick = connect;
$("racks").onclick = e => {
  const name = e.target.closest(".node")?.dataset.name;
  if (!name) return;
  cluster.setFocus(name);
  cluster.choose(name);
};
$("racks").onkeydown = e => cluster.key(e);
addEventListener("online", connect);
addEventListener("keydown", e => {
  if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
    e.preventDefault();
    $("filter").focus();
  } else if (e.key === "Escape" && cluster.chosen) {
    cluster.choose(null);
  }
});
connect();
