// The list of jobs: only the rows in sight are in the document, and the one that has the focus.
const COLUMNS = [
  ["state", "State"],
  ["name", "Name"],
  ["gpus", "GPUs"],
  [null, "Replicas"],
  ["started", "Started"],
  ["duration", "Duration"],
  [null, "Why"],
];
const CELLS = ["state", "name", "n gpus", "replicas", "n started", "n duration", "why"];
const NARROW = matchMedia("(max-width: 760px)");
const SPARE = 8;             // rows beyond each edge
const elements = new Map();  // key → row
const pool = [];             // rows in the document that show nothing now
let current = null;          // the job with the tab stop
let layoutNow = true, lastLayout = 0, layoutTimer = 0;
const rowHeight = () => (NARROW.matches ? 68 : 36);

function makeHead() {
  for (const [at, [sort, title]] of COLUMNS.entries()) {
    const cell = el("span", {role: "columnheader", class: CELLS[at]});
    if (sort) {
      const button =
          el("button", {type: "button", "data-sort": sort}, title, el("span", {class: "arrow", "aria-hidden": "true"}));
      button.onclick = () => go({
        sort: view.sort === sort                             ? "-" + sort
            : view.sort === "-" + sort                       ? sort
            : ["gpus", "started", "duration"].includes(sort) ? "-" + sort
                                                             : sort
      });
      cell.append(button);
    } else {
      cell.append(title);
    }
    $("head").append(cell);
  }
  for (const [name, [title]] of Object.entries(SORTS)) {
    $("by-sort").append(el("option", {value: name}, title + " ↑"), el("option", {value: "-" + name}, title + " ↓"));
  }
}
function drawHead() {
  const name = view.sort.replace(/^-/, ""), down = view.sort.startsWith("-");
  for (const button of $("head").querySelectorAll("button")) {
    const on = button.dataset.sort === name;
    const cell = button.parentNode;
    if (on) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
    put(button.lastChild, on ? (down ? "\u2009▼" : "\u2009▲") : "");
  }
  $("by-sort").value = view.sort;
}

// Below its name: what it is and where, and whose, unless a namespace says that already.
const placeOf = j => there([j.kind, j.cluster, j.namespace, j.who === j.namespace ? "" : j.who]).join(" · ");
function makeRow() {
  const row = el("div", {role: "row", class: "row", tabindex: "-1"});
  for (const name of CELLS) row.append(el("span", {role: "gridcell", class: name}));
  row.children[1].append(el("a", {tabindex: "-1"}), el("span", {class: "soft place"}));
  row.badge = badge("Unknown");
  row.ending = el("span", {class: "soft"});
  row.children[0].append(row.badge, row.ending);
  row.onclick = e => {
    if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0 || String(getSelection())) return;
    e.preventDefault();
    current = row.job;
    goJob(row.job);
  };
  row.onfocus = () => {
    if (row.job !== current) {
      current = row.job;
      drawRows();
    }
  };
  return row;
}
function fillRow(row, j) {
  const cells = row.children;
  if (row.job !== j || row.version !== j.version) {
    const blink = row.job === j && row.state !== j.state;
    row.job = j;
    row.version = j.version;
    row.state = j.state;
    row.badge.className = "badge " + stateClass(j.state);
    row.badge.firstChild.firstChild.setAttribute("href", "#i-" + (ICONS.has(j.state) ? j.state : "Unknown"));
    if (row.badge.lastChild.data !== j.state) row.badge.lastChild.data = j.state;
    put(row.ending, j.terminating ? " terminating" : "");
    const link = cells[1].firstChild;
    put(link, j.name);
    link.href = jobAddress(j);
    put(cells[1].lastChild, placeOf(j));
    put(cells[2], j.gpus ? String(j.gpus) : "");
    put(cells[3], replicaSum(j));
    put(cells[6], CALM.has(j.state) && !j.why ? "" : why(j));
    if (blink || row.news) row.classList.toggle("news", row.news = blink);
  }
  tickRow(row, j);
}
function tickRow(row, j) {
  put(row.children[4], j.started === null ? "" : ago(j.started));
  put(row.children[5], span(durationOf(j)));
}

// Which rows are in sight, drawn where they belong.
function drawRows() {
  const height = rowHeight(), n = order.length, body = $("rows");
  const total = n * height + "px";
  if (body.style.height !== total) body.style.height = total;
  $("grid").setAttribute("aria-rowcount", n + 1);
  if (view.job) return;
  const top = -body.getBoundingClientRect().top;
  const first = Math.max(0, Math.floor(top / height) - SPARE);
  // The first ones are there even while they are far below: what is above them may shrink at any time.
  const last = Math.min(n, Math.max(0, Math.ceil((top + innerHeight) / height)) + SPARE);
  if (current?.removed || (current && !order[current.at]?.key)) current = null;
  const wanted = new Map();
  for (let i = first; i < last; ++i) wanted.set(order[i].key, i);
  // What has the focus stays, or the keyboard would fall off the list.
  const focused = document.activeElement?.job;
  if (focused && !focused.removed && order[focused.at] === focused) wanted.set(focused.key, focused.at);
  const stop =
      current && order[current.at] === current ? current : order[Math.max(0, Math.min(n - 1, Math.ceil(top / height)))];
  for (const [key, row] of elements) {
    if (wanted.has(key) && row.job === order[wanted.get(key)]) continue;
    elements.delete(key);
    pool.push(row);
  }
  for (const [key, i] of wanted) {
    let row = elements.get(key);
    if (!row) {
      row = pool.pop();
      if (!row) body.append(row = makeRow());
      else if (row.hidden) row.hidden = false;
      elements.set(key, row);
    }
    fillRow(row, order[i]);
    if (row.at !== i || row.height !== height) {
      row.at = i;
      row.height = height;
      row.style.transform = `translateY(${i * height}px)`;
      row.setAttribute("aria-rowindex", i + 2);
    }
    row.tabIndex = order[i] === stop ? 0 : -1;
  }
  // What is not needed for this picture is not shown; few are kept for the next.
  for (const row of pool) {
    row.job = null;
    row.hidden = true;
  }
  while (pool.length > 40) pool.pop().remove();
}

function layout() {
  const busy = store.jobs.size > 2000 && !layoutNow && performance.now() - lastLayout < 250;
  if (busy) {
    layoutTimer ||= setTimeout(() => {
      layoutTimer = 0;
      dirty.layout = true;
      plan();
    }, 250);
    return;
  }
  dirty.layout = layoutNow = false;
  const at = performance.now();
  const had = document.activeElement?.job;
  arrangeJobs();
  order.forEach((j, i) => {
    j.at = i;
  });
  lastLayout = performance.now() + (performance.now() - at) * 4;  // never more than a fifth of the time
  if (had && (had.removed || order[had.at] !== had) && order.length) {
    current = order[Math.min(had.at ?? 0, order.length - 1)];
    requestAnimationFrame(() => focusRow(current.at));
  }
  drawHead();
  drawEmpty();
}
function drawEmpty() {
  const all = store.jobs.size;
  put($("shown"),
      filtered() || folded ? `${order.length.toLocaleString("en")} of ${all.toLocaleString("en")}`
                           : all.toLocaleString("en"));
  show($("clear"), filtered());
  put($("fold"), view.finished ? "Fold what ended long ago" : `${many(folded, "job")} ended long ago: show`);
  show($("fold"), folded > 0 || view.finished);
  show($("empty"), order.length === 0);
  show($("grid"), order.length > 0);
  const text = folded       ? "All jobs that fit ended long ago."
      : all                 ? "No job fits these filters."
      : !everReady          ? (link.since ? "Nothing was loaded yet." : "Loading the jobs …")
      : fleetHealth().complete ? "There are no jobs in these clusters."
                               : `No jobs are known: ${fleetHealth().text}.`;
  put($("empty"), text);
}

function focusRow(i) {
  if (!order.length) return;
  i = Math.max(0, Math.min(order.length - 1, i));
  current = order[i];
  const height = rowHeight(), body = $("rows").getBoundingClientRect();
  const sticky = $("top").offsetHeight + (NARROW.matches ? 0 : $("head").offsetHeight);
  const top = body.top + i * height;
  if (top < sticky) scrollBy(0, top - sticky);
  else if (top + height > innerHeight) scrollBy(0, top + height - innerHeight);
  drawRows();
  elements.get(current.key)?.focus({preventScroll: true});
}
function gridKey(e, i) {
  const page = Math.max(1, Math.floor((innerHeight - 120) / rowHeight()));
  const to =
      {ArrowDown: i + 1, ArrowUp: i - 1, PageDown: i + page, PageUp: i - page, Home: 0, End: order.length - 1}[e.key];
  if (to === undefined) return e.key === "Enter" ? (goJob(order[i]), true) : false;
  if (e.key === "ArrowUp" && i === 0) $("search").focus();
  else focusRow(to);
  return true;
}

// What does not fit is told in full where the pointer rests; made only then, for dates are dear.
function tellInFull(e) {
  const cell = e.target.closest?.(".row > span"), row = cell?.parentNode;
  if (!row?.job) return;
  if (cell === row.children[1]) cell.title = `${row.job.name}\n${placeOf(row.job)}`;
  else if (cell === row.children[4]) cell.title = fullTime(row.job.startTime);
  else if (cell === row.children[3]) cell.title = replicaText(row.job);
  else if (cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent;
  else cell.removeAttribute("title");
}
