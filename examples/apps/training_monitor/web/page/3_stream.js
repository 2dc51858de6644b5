// The event stream: read with fetch rather than EventSource, for that shows no comments, and so no heartbeat; a line
// that went dead would look like a quiet fleet.
const link = {
  is: "connecting",  // connecting catching-up live lost
  since: null,       // Date: lost since then
  lostAt: null,      // performance.now() then: durations stand still
  nextTry: 0,
  tries: 0,
  why: "",
  controller: null,
  lastBytes: 0,
  patience: 40000,  // until the server has told its heartbeat
  timer: 0,
  opened: false,  // it was live once

  say(is) {
    this.is = is;
    dirty.clusters = true;
    drawLink();
    plan();
  },
  async connect() {
    clearTimeout(this.timer);
    this.nextTry = 0;
    this.controller?.abort();
    const mine = this.controller = new AbortController();
    this.lastBytes = performance.now();
    drawLink();
    try {
      const answer = await fetch("/api/v1/events", {signal: mine.signal, cache: "no-store"});
      if (answer.status === 401) throw new Error("the monitor asks for a login again; reload this page to give it");
      if (!answer.ok) throw new Error(`the monitor answers ${answer.status}`);
      stage = everReady || store.jobs.size || store.clusters.size ? {jobs: [], clusters: new Map()} : null;
      this.say("catching-up");
      await this.read(answer.body.pipeThrough(new TextDecoderStream()).getReader(), mine);
      throw new Error("the monitor ended the stream");
    } catch (failure) {
      if (this.controller === mine)
        this.lose(mine.dead                    ? "nothing came, not even a heartbeat"
                : failure instanceof TypeError ? "the monitor does not answer"
                                               : failure.message);  // fetch says no more than that
    }
  },
  async read(reader, mine) {
    let rest = "";
    for (;;) {
      const {value, done} = await reader.read();
      if (done || this.controller !== mine) return;
      this.lastBytes = performance.now();
      rest += value;
      const end = rest.lastIndexOf("\n\n");
      if (end < 0) continue;
      const whole = rest.slice(0, end);
      rest = rest.slice(end + 2);
      for (const block of whole.split("\n\n")) this.take(block);
      plan();
    }
  },
  take(block) {
    let name = "", data = "";
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("heartbeat: ")) this.patience = 2 * Number(line.slice(11)) + 1000;
    }
    if (!Object.hasOwn(events, name)) return;
    try {
      events[name](JSON.parse(data));
    } catch (failure) { console.error("a bad event", name, failure); }
  },
  ready() {
    this.tries = 0;
    this.since = this.lostAt = null;
    this.say("live");
    extras.absent.clear();  // it may be another monitor than before
    extras.refresh();
    if (!this.opened) tellChangesBefore();
    this.opened = true;
  },
  lose(reason) {
    this.why = reason;
    stage = null;
    if (!this.since) {
      this.since = new Date();
      this.lostAt = performance.now();
    }
    // 1, 2, 4, 8, 15 s, and not all pages of a team at the same moment.
    const pause = Math.min(15000, 1000 * 2 ** this.tries++) * (0.8 + 0.2 * Math.random());
    this.nextTry = performance.now() + pause;
    this.timer = setTimeout(() => this.connect(), pause);
    this.say("lost");
  },
  // Half open: the connection stands, but nothing comes through, not even a heartbeat.
  watch() {
    if (this.nextTry || performance.now() - this.lastBytes < this.patience) return;
    this.controller.dead = true;
    this.controller.abort();
  },
};

const LINK_TEXT = {
  connecting: "Connecting",
  "catching-up": "Catching up",
  live: "Live",
  lost: "Disconnected"
};
function drawLink() {
  $("link").dataset.is = link.is;
  // The worst of the connection and the clusters.
  const health = fleetHealth(), live = link.is === "live" && everReady;
  $("link").dataset.clusters = !live || health.complete ? "" : health.unreadable || !health.total ? "bad" : "amber";
  put($("link-text"), live && !health.complete ? health.text : LINK_TEXT[link.is]);
  document.body.dataset.link = link.is;
  show($("lost"), link.since !== null);
  if (!link.since) return;
  put($("lost-since"),
      everReady ? `Disconnected since ${clock(link.since)}: ${link.why}.`
                : `The monitor can't be reached since ${clock(link.since)}: ${link.why}.`);
  show($("lost").querySelector("p > span"), everReady);
  const left = Math.ceil((link.nextTry - performance.now()) / 1000);
  put($("lost-next"), link.nextTry && left > 0 ? `Next try in ${left} s.` : "Trying now.");
}
