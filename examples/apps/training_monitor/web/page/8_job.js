// A job's own view: what it is, how it got there, and where to look further.
const opened = {
  key: null,
  data: null,
  error: "",
  status: 0,
  seen: 0,
  busy: false,
  again: false,
  shape: "",
  commands: null,
  commandsOf: "",
  askedFor: ""
};

async function fetchJob() {
  if (!view.job) return;
  if (opened.busy) {
    opened.again = true;
    return;
  }
  const key = keyOf(view.job);
  opened.busy = true;
  try {
    const answer = await fetch("/api/v1/jobs/" + pathOf(view.job), {cache: "no-store"});
    const data = await answer.json().catch(() => null);
    if (view.job && keyOf(view.job) === key) {
      Object.assign(opened, {
        key,
        status: answer.status,
        seen: performance.now(),
        error: answer.ok ? "" : data?.error || `status ${answer.status}`,
        data: answer.ok ? data : null
      });
      // That somebody looks has the events asked for: a moment later they are there.
      if (data?.events && opened.askedFor !== key) {
        opened.askedFor = key;
        setTimeout(fetchJob, 2000);
      }
    }
  } catch (failure) {
    if (view.job && keyOf(view.job) === key) Object.assign(opened, {key, error: failure.message, status: 0});
  }
  dirty.route = true;
  plan();
  setTimeout(() => {
    opened.busy = false;
    if (opened.again) {
      opened.again = false;
      fetchJob();
    }
  }, 500);  // no more than two a second
}

function back() {
  const link = el("a", {class: "back", href: addressOf({...view, job: null})}, "← All jobs");
  link.onclick = e => {
    if (!e.metaKey && !e.ctrlKey) {
      e.preventDefault();
      goBack();
    }
  };
  return el("nav", {"aria-label": "Back"}, link, el("span", {class: "soft"}, el("kbd", {}, "Esc")));
}
function facts(pairs) {
  const list = el("dl", {class: "facts"});
  for (const [name, value] of pairs) {
    if (value === "" || value === null || value === undefined) continue;
    list.append(el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  }
  return list;
}
// The roles are said, for on a phone some tables are laid out as something else.
function table(caption, heads, rows, numbers = []) {
  const numeric = i => (numbers.includes(i) ? "n" : null);
  const line = cells => el("tr", {role: "row"}, ...cells);
  return el("table", {role: "table"}, el("caption", {class: "unseen"}, caption),
      el("thead", {role: "rowgroup"},
          line(heads.map((h, i) => el("th", {role: "columnheader", scope: "col", class: numeric(i)}, h)))),
      el("tbody", {role: "rowgroup"},
          ...rows.map(cells => line(cells.map((c, i) => el("td", {role: "cell", class: numeric(i), "data-head": heads[i]}, c))))));
}
const panel = (title, ...inside) => el("section", {class: "panel"}, el("h2", {}, title), ...inside);

// A span's length now: the last one goes on.
const lengthOf = s => (s.to === null ? tickingSeconds(s.durationSeconds, opened.seen, true) : s.durationSeconds);
function timeline(spans) {
  const total = spans.reduce((sum, s) => sum + (lengthOf(s) || 0), 0) || 1;
  const text = spans.map(s => `${s.state} for ${span(lengthOf(s))}`).join(", then ");
  const bar = el("div", {class: "timeline", role: "img", "aria-label": text});
  for (const s of spans) {
    const part = (lengthOf(s) || 0) / total;
    const piece = el("div", {
      class: `piece b-${STATES.includes(s.state) ? s.state : "Unknown"}`,
      title: `${s.state}, ${span(lengthOf(s))}`
    });
    piece.style.flexGrow = Math.max(part * 1000, 1);
    if (part > 0.12) piece.append(icon(s.state), el("span", {}, s.state));
    else if (part > 0.03) piece.append(icon(s.state));
    bar.append(piece);
  }
  const ends = el("div", {class: "ends soft"}, el("span", {}, shortTime(spans[0].from)),
      el("span", {}, spans.at(-1).to === null ? "now" : shortTime(spans.at(-1).to)));
  const rows = [...spans].reverse().map(
      s => [badge(s.state), shortTime(s.from),
          el("span", {class: "ticks"}, span(lengthOf(s)) + (s.to === null ? " so far" : "")), s.explained ? s.message : why(s)]);
  return panel("Timeline", bar, ends,
      el("div", {class: "scroll-x stacks"}, table("States, the latest first", ["State", "From", "For", "Why"], rows)));
}

// For a POSIX shell: names come from clusters and are not to be trusted with one.
const quote = text => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const RESOURCES = {
  PyTorchJob: "pytorchjobs.kubeflow.org",
  MPIJob: "mpijobs.kubeflow.org",
  TrainJob: "trainjobs.trainer.kubeflow.org",
  TrainingJob: "trainingjobs.ai.kcontrol.dev",
  Job: "jobs.batch"
};
const POD_LABEL = {
  Job: "batch.kubernetes.io/job-name",
  TrainJob: "jobset.sigs.k8s.io/jobset-name",
  TrainingJob: "ai.kcontrol.dev/job"
};
function commands(j, context, names) {
  const kubectl = `kubectl ${context ? `--context ${quote(context)} ` : ""}-n ${quote(j.namespace)}`;
  const what = `${names?.resource || RESOURCES[j.kind] || j.kind.toLowerCase()} ${quote(j.name)}`;
  const label = names?.resource ? names.podLabel : POD_LABEL[j.kind] || "training.kubeflow.org/job-name";
  const pods = quote(`${label}=${j.name}`);
  const ofPods = [
    ["Pods", `${kubectl} get pods -o wide -l ${pods}`],
    ["Logs", `${kubectl} logs --all-containers --prefix --tail=100 -l ${pods}`]
  ];
  return [
    ["Describe", `${kubectl} describe ${what}`], ...(label ? ofPods : []),
    [
      "Events",
      `${kubectl} get events --sort-by=.lastTimestamp --field-selector ${quote("involvedObject.name=" + j.name)}`
    ],
    ["Full YAML", `${kubectl} get ${what} -o yaml`]
  ];
}
const contextKey = cluster => "kubectl-context:" + cluster;
function commandPanel(j, names) {
  const input = el("input", {id: "context", autocomplete: "off", spellcheck: "false"});
  input.value = kept.get(contextKey(j.cluster)) ?? j.cluster;
  const list = el("ul", {class: "commands"});
  const fill = () => list.replaceChildren(...commands(j, input.value.trim(), names).map(([title, text]) => {
    // It breaks between words only, where there is room; copied, it is what it was.
    const code =
        el("code", {}, ...text.split(/( )/).map(word => (word === " " ? word : el("span", {class: "word"}, word))));
    return el(
        "li", {}, el("span", {class: "soft"}, title), el("div", {}, code, copyButton(`Copy: ${title}`, text, code)));
  }));
  input.oninput = () => {
    kept.set(contextKey(j.cluster), input.value);
    fill();
  };
  fill();
  return panel(
      "kubectl commands", el("label", {class: "field"}, "Context in your kubeconfig (kept in this browser)", input), list);
}

// One paragraph for chat: what, how big, since when, why, and where to look.
const CHAT_SIGNS = {Failed: "✗", Succeeded: "✓", Running: "▶"};
function chatText(j) {
  const lasted = durationOf(j), ended = j.ended === null ? "" : `, ended ${ago(j.ended)}`;
  const size = there([j.kind, j.gpus ? many(j.gpus, "GPU") : "", j.cluster]).join(", ");
  const reason = why(j);
  return `${CHAT_SIGNS[j.state] || "•"} ${j.namespace}/${j.name} (${size}) is ${j.state}${
      lasted === null ? "" : ` after ${span(lasted)}`}${ended}${reason ? `: ${reason}` : "."} ${location.href}`;
}
function chatButton(j) {
  const shown = el("p", {class: "soft", hidden: ""});
  return [copyButton(`Copy for chat: ${j.name}`, () => chatText(j), shown, "Copy for chat"), shown];
}

// To other programs that know of the job. The monitor made the URLs: http and https only.
function linkPart(links) {
  if (!links?.length) return "";
  return el("p", {class: "links"}, ...links.map(l => el("a", {href: l.url, rel: "noreferrer", target: "_blank"}, `${l.name} ↗`)));
}
// What a TrainingJob says beyond what all jobs do, with its own phase.
function trainingPanel(t) {
  if (!t) return null;
  const p = t.promotion, newest = t.checkpoints.find(c => !c.refused);
  const parts = [facts([
    ["Phase", t.phase && el("span", {}, t.phase, t.phaseTime ? " since " : "", t.phaseTime ? shortTime(t.phaseTime) : "")],
    ["Attempt", t.attempt ? `${t.attempt} of at most ${t.attempts}` : "none yet"], ["Dataset version", t.datasetVersion],
    ["Goes on at", newest ? `step ${newest.step.toLocaleString("en")}` : ""],
    ["Promotion", p && there([`${p.weight} % of the traffic`, `step ${p.step} of ${p.steps}`, p.rolledBack ? "rolled back" : ""]).join(" · ")]
  ])];
  const add = (title, heads, rows, numbers) => rows.length && parts.push(
      el("div", {class: "scroll-x stacks"}, table(title, heads, rows, numbers)));
  add("Gates", ["Gate", "Wanted", "Result", "Value", "Message"],
      t.gates.map(g => [g.name, g.wanted, g.result || "not begun", g.value, g.message]));
  add("Checkpoints, the newest first", ["Step", "Attempt", "Since", "Where"],
      t.checkpoints.map(c => [c.step.toLocaleString("en"), String(c.attempt), shortTime(c.time), c.refused ? `${c.uri} (refused)` : c.uri]),
      [0, 1]);
  return panel("Training", ...parts);
}

function jobParts(j, data, gone) {
  const commandsOf = `${keyOf(j)} ${data?.resource || ""}`;
  if (opened.commandsOf !== commandsOf) {  // made once: what is typed or copied there outlives changes of the job
    opened.commandsOf = commandsOf;
    opened.commands = commandPanel(j, data);
  }
  const spans = data?.timeline || [], conditions = data?.conditions || [], labels = Object.entries(data?.labels || {});
  const replicas = Object.entries(j.replicas || {});
  const parts = [];
  if (replicas.length) {
    parts.push(panel("Replicas",
        el("div", {class: "scroll-x"},
            table("Replicas", ["Type", "Wanted", "Active", "Succeeded", "Failed"],
                replicas.map(([type, r]) => [type, ...[r.desired, r.active, r.succeeded, r.failed].map(String)]),
                [1, 2, 3, 4]))));
  }
  if (conditions.length) {
    parts.push(panel("Conditions",
        el("div", {class: "scroll-x stacks"},
            table("Conditions", ["Type", "Status", "Since", "Why"],
                conditions.map(c => [c.type, c.status, shortTime(c.lastTransitionTime), why(c)])))));
  }
  if (labels.length)
    parts.push(panel(
        "Labels", el("ul", {class: "labels"}, ...labels.map(([k, v]) => el("li", {}, el("code", {}, `${k}=${v}`))))));
  return there([
    trainingPanel(data?.training), spans.length ? timeline(spans) : null, gone ? null : usagePanel(data?.job?.gpuUsage), ...knownParts(j, data),
    el("div", {class: "parts"}, parts.length ? el("div", {class: "stack"}, ...parts) : null,
        el("div", {class: "stack"}, opened.commands)),
    data?.yaml ? yamlPanel(j) : null
  ]);
}

// What has to be scrolled sideways can be, without a mouse, too.
function reachByKeys(box) {
  for (const wide of box.querySelectorAll(".scroll-x")) {
    if (wide.scrollWidth <= wide.clientWidth) continue;
    wide.tabIndex = 0;
    wide.setAttribute("role", "group");
    wide.setAttribute("aria-label", wide.querySelector("caption")?.textContent || "Table");
  }
}

const openedData = () => (opened.key === keyOf(view.job) ? opened.data : null);
const openedGone = () =>
    openedData()?.gone || (everReady && openedData() && !store.jobs.has(keyOf(view.job)) ? "just now" : "");
function drawJobTitle() {
  const j = store.jobs.get(keyOf(view.job)) || openedData()?.job;
  const title = `${view.job.name}${j ? `, ${openedGone() ? "deleted" : j.state}` : ""} · Training jobs`;
  if (document.title !== title) document.title = title;
}
function drawJob() {
  const box = $("job"), key = keyOf(view.job);
  if (opened.key !== key && !opened.busy) fetchJob();
  const data = openedData();
  const j = store.jobs.get(key) || data?.job || null;
  const gone = openedGone();
  const shape = JSON.stringify([key, j?.version, j?.state, data, opened.key === key && opened.error, gone, everReady]);
  if (opened.shape === shape) return tickJob();
  opened.shape = shape;
  drawJobTitle();
  const hadFocus = box.contains(document.activeElement) ? focusNow() : "";
  const heading = el("h1", {tabindex: "-1", id: "job-name"}, view.job.name);
  if (!j) {
    const loading = opened.key !== key || (!opened.error);
    box.replaceChildren(back(), heading,
        loading ? el("p", {class: "soft"}, "Loading …")
                : el("div", {class: "panel"},
                      el("p", {},
                          opened.status === 404
                              ? `There is no ${view.job.kind} ${view.job.namespace}/${view.job.name} in cluster ${
                                    view.job.cluster}, and none is remembered.`
                              : `It could not be read: ${
                                    opened.error}. It is asked for again as soon as the monitor answers.`)));
  } else {
    const reason = why(j);
    box.replaceChildren(...there([
      back(),
      el("div", {class: "headline"}, heading, badge(j.state),
          j.terminating ? el("span", {class: "soft"}, "terminating") : null, ...chatButton(j)),
      gone ? el("p", {class: "gone"}, icon("gone"),
                 gone === "just now"
                     ? "Deleted just now, last known state:"
                     : `Deleted at ${fullTime(gone)}, last known state:`)
                     : null,
      reason ? el("p", {class: "because " + (CALM.has(j.state) ? "soft" : stateClass(j.state))}, reason) : "", facts([
        ["Cluster", j.cluster], ["Namespace", j.namespace], ["Kind", `${j.kind} (${j.apiVersion})`], ...whoIs(j).map(
            ([what, who]) => [what, what === "Queue" && who === j.labels?.[QUEUE_LABEL] ? queues.link({cluster: j.cluster}, who) : who]),
        ["GPUs", String(j.gpus)], ["Started", fullTime(j.startTime) || "not yet"],
        ["Finished", fullTime(j.completionTime)],
        ["Duration", el("span", {id: "job-duration"}, span(durationOf(j)) || "none")], ["UID", j.uid]
      ]),
      linkPart(data?.links), ...jobParts(j, data, gone)
    ]));
    if (data === null && opened.key === key && opened.status === 404)
      box.append(el("p", {class: "soft"}, "This monitor keeps no history of jobs."));
  }
  reachByKeys(box);
  if (hadFocus) box.querySelector(hadFocus)?.focus({preventScroll: true});
  tickJob();
}
function tickJob() {
  const j = store.jobs.get(keyOf(view.job));
  if (j && $("job-duration")) put($("job-duration"), span(durationOf(j)) || "none");
  const last = opened.data?.timeline?.at(-1), ticks = document.querySelector("#job .ticks");
  if (last && last.to === null && ticks) put(ticks, span(lengthOf(last)) + " so far");
}
