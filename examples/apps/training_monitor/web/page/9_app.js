// What else the monitor may serve (it is asked once, and left alone if it does not), the frame, the keys, the start.
const extras = {
  absent: new Set(),
  async get(path) {
    if (this.absent.has(path)) return null;
    try {
      const answer = await fetch(path, {cache: "no-store"});
      if (answer.status === 404) this.absent.add(path);
      return answer.ok ? await answer.json() : null;
    } catch { return null; }
  },
  async refresh() {
    await attention.refresh();  // it says what else is there
    const [gone, notices] = await Promise.all([this.get("/api/v1/gone"), this.get("/api/v1/notices")]);
    if (gone) this.drawGone(gone.items || []);
    if (notices) this.drawNotices(notices);
    if (attention.offers.includes("demo/notices")) this.drawSink(await this.get("/api/v1/demo/notices"));
    gpuBoard.refresh();
    if (!view.job) fleet.refresh();
    gpuHours.refresh();
    if (view.job) fetchJob();
  },
  drawGone(items) {
    const box = $("gone");
    show(box, items.length > 0);
    const text = JSON.stringify(items);
    if (box.text === text) return;
    box.text = text;
    const rows = items.slice(0, 200).map(g => {
      const link = el("a", {href: jobAddress(g)}, g.name);
      link.onclick = e => {
        if (!e.metaKey && !e.ctrlKey) {
          e.preventDefault();
          goJob(g);
        }
      };
      return [
        link, g.namespace, g.cluster, g.kind, badge(g.lastState), shortTime(g.lastSeen),
        g.gone ? el("span", {}, "deleted, noticed ", shortTime(g.gone)) : badge(g.state || "Unknown")
      ];
    });
    const note = items.length > rows.length
        ? el("p", {class: "soft"}, `and ${many(items.length - rows.length, "more job")}`)
        : null;
    const vanished = items.filter(g => g.gone).length, ended = items.length - vanished;
    const open = box.querySelector("details")?.open;
    const list = el("details", {},
        el("summary", {},
            el("h2", {}, "While the monitor or a cluster was away ",
                el("span", {class: "soft"},
                    [ended ? `${many(ended, "job")} ended` : "", vanished ? `${many(vanished, "job")} deleted` : ""]
                        .filter(Boolean)
                        .join(" · ")))),
        scroller("Jobs that ended or were deleted",
            table("Jobs that ended or were deleted",
                ["Name", "Namespace", "Cluster", "Kind", "Was", "Last seen", "Since then"], rows)),
        note);
    list.open = Boolean(open);
    box.replaceChildren(list);
  },
  // What people would have got: the demonstration's notices go nowhere else.
  drawSink(told) {
    const box = $("sink"), text = JSON.stringify(told);
    if (!told || box.text === text) return;
    box.text = text;
    show(box, true);
    const open = box.querySelector("details")?.open, last = told.items[0];
    const list = el("details", {}, el("summary", {}, el("h2", {id: "h-sink"}, "Messages ",
        el("span", {class: "soft"}, last ? `${many(told.items.length, "message")} · ${last.text.split("\n")[0]}` : "none yet"))),
        el("ul", {class: "messages"}, ...told.items.map(m => el("li", {}, shortTime(m.at), el("pre", {}, m.text)))));
    list.open = Boolean(open);
    box.replaceChildren(list);
  },
  drawNotices(n) {
    const box = $("notices"), dead = n.deadLetters || [], text = JSON.stringify(n);
    show(box, true);
    if (box.text === text) return;
    box.text = text;
    const counts = [`${n.sent} sent`, `${n.queued} waiting`, n.coalesced ? `${n.coalesced} coalesced` : ""];
    const rows =
        dead.map(d => [d.receiver, typeof d.job === "string" ? d.job : [d.job?.cluster, d.job?.namespace,
          d.job?.name].filter(Boolean).join("/"),
                     badge(d.state), shortTime(d.at), String(d.attempts), d.error]);
    const open = box.querySelector("details")?.open;
    const head =
        el("h2", {id: "h-notices"}, "Notices ", el("span", {class: "soft"}, counts.filter(Boolean).join(" · ")));
    if (!dead.length) return box.replaceChildren(head);
    const list = el("details", {},
        el("summary", {}, head, " ",
            el("span", {class: "bad"}, icon("warn"), ` ${(n.failed + n.dropped).toLocaleString("en")} not delivered`)),
        scroller("Notices that were not delivered",
            table("Notices that were not delivered", ["Receiver", "Job", "State", "At", "Attempts", "Error"], rows,
                [4])));
    list.open = Boolean(open);
    box.replaceChildren(list);
  },
};

let savedScroll = 0, shownJob = null, goneAt = 0;
function route() {
  const key = view.job ? keyOf(view.job) : null;
  if (key === shownJob) return;
  const before = shownJob;
  shownJob = key;
  if (key && before === null) savedScroll = scrollY;
  show($("overview"), !key);
  show($("job"), Boolean(key));
  if (key) {
    opened.shape = "";
    drawJob();
    scrollTo(0, 0);
    $("job-name")?.focus({preventScroll: true});
  } else {
    layout();
    drawRows();
    scrollTo(0, savedScroll);
    drawRows();
    if (before !== null) {
      const row = current && elements.get(current.key);
      (row || $("rows")).focus({preventScroll: true});
    }
  }
}
function frame() {
  if (dirty.layout) layout();
  if (dirty.route) drawFilters(), route(), node.route(), queues.route();
  if (view.job) {
    if (dirty.jobs.has(keyOf(view.job))) fetchJob();
    drawJob();
  } else {
    drawFilters();
    if (dirty.clusters || dirty.totals) drawClusters(), drawEmpty(), drawLink();
    if (dirty.attention || dirty.totals) drawAttention();
    if (changesDirty) drawChanges();
    if (dirty.totals) drawCharts();
    drawRows();  // last, for what is above decides which are in sight
  }
  if (dirty.totals || dirty.route) drawTiles();
  if (dirty.gone && performance.now() - goneAt > 5000) {
    goneAt = performance.now();
    dirty.gone = false;
    if (everReady) extras.refresh();
  }
  dirty.jobs.clear();
  dirty.clusters = dirty.totals = dirty.route = false;
}
function tick() {
  link.watch();
  attention.watch();
  drawLink();
  if (document.hidden) return drawTitle();  // browsers draw no frames then, but the tab's title is still read
  if (view.job) return tickJob();
  for (const row of elements.values()) tickRow(row, row.job);
  dirty.clusters = dirty.totals = true;
  plan();
}

function key(e) {
  if (e.defaultPrevented || e.metaKey || e.ctrlKey || e.altKey || document.querySelector("dialog[open]")) return;
  const at = document.activeElement, typing = at.matches("input, select, textarea");
  if (e.key === "Escape") {
    if (at === $("search")) at.blur();
    else if (view.job) goBack();
    else return;
  } else if (at === $("search") && (e.key === "ArrowDown" || e.key === "Enter")) {
    focusRow(0);
  } else if (typing) {
    return;
  } else if (e.key === "/") {
    if (view.job) goBack();
    $("search").focus();
    $("search").select();
  } else if (e.key === "?") {
    $("help").showModal();
  } else if (e.key === "x" && !view.job && filtered()) {
    clearFilters();
  } else if (view.job) {
    return;
  } else if (at.job) {
    if (!gridKey(e, at.job.at)) return;
  } else if (at === $("rows") && ["ArrowDown", "Home"].includes(e.key)) {
    focusRow(0);
  } else {
    return;
  }
  e.preventDefault();
}
function clearFilters() {
  $("search").value = "";
  go({cluster: [], namespace: [], kind: [], state: [], q: ""});
}

function start() {
  startTheme();
  startAttention();
  $("keys").onclick = () => $("help").showModal();
  $("try").onclick = () => link.connect();
  $("all-clusters").onclick = () => {
    allChips = !allChips;
    drawClusters();
  };
  // What was unfolded stays so, in this browser. The event "toggle" comes a task after the click: a page that is left
  // in between would lose it, so leaving keeps it, too.
  const folds = ["fold-totals", "fold-changes"];
  const keepFolds = () => folds.forEach(id => kept.set(id, $(id).open ? "open" : ""));
  for (const id of folds) {
    $(id).open = kept.get(id) === "open";
    $(id).ontoggle = () => {
      keepFolds();
      chartsAt = 0;
      dirty.totals = true;
      plan();
    };
  }
  addEventListener("pagehide", keepFolds);
  $("clear").onclick = clearFilters;
  $("fold").onclick = () => go({finished: !view.finished});
  $("home").onclick = e => {
    e.preventDefault();
    if (view.job) goBack();
    else clearFilters();
  };
  $("search").oninput = () => go({q: $("search").value}, view.q !== "");
  for (const name of ["cluster", "namespace", "kind"])
    $("by-" + name).onchange = e => go({[name]: e.target.value ? [e.target.value] : []});
  $("by-sort").onchange = e => go({sort: e.target.value});
  addEventListener("popstate", () => {
    view = readAddress(location.search);
    $("search").value = view.q;
    dirty.route = dirty.layout = layoutNow = true;
    plan();
  });
  addEventListener("scroll", plan, {passive: true});
  $("rows").addEventListener("pointerover", tellInFull);
  addEventListener("resize", () => {
    chartsAt = 0;
    dirty.totals = true;
    plan();
  });
  NARROW.addEventListener("change", plan);
  addEventListener("online", () => {
    if (link.is === "lost") link.connect();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      link.watch();
      plan();
    }
  });
  document.addEventListener("keydown", key);
  document.addEventListener("animationend", e => e.target.classList.remove("news"));
  history.scrollRestoration = "manual";
  view = readAddress(location.search);
  makeHead();
  makeTiles();
  drawTiles();
  drawLink();
  layout();
  drawChanges();
  setInterval(tick, 1000);
  setInterval(() => {
    if (!document.hidden && everReady && link.is === "live") extras.refresh();
  }, 30000);
  link.connect();
  plan();
}
start();
