// How busy GPUs are, as the labelers of the nodes say it: those of a job, and those of the fleet.
const GIB = 1024 ** 3;
const percent = value => (value === null || value === undefined ? "" : `${Math.round(value)} %`);
const watts = value => (value === null ? "" : `${Math.round(value).toLocaleString("en")} W`);
const xidList = xids => xids.length
    ? el("span", {},
          ...xids.flatMap((x, i) => [`${i ? "; " : ""}${x.xid} on ${x.node} GPU ${x.gpu}`,
                                     ...(x.time ? [", ", shortTime(x.time)] : [])]))
    : "";
function usagePanel(usage) {
  if (!usage) return null;
  const {mean, least} = usage.utilization, {usedBytes, totalBytes} = usage.memory;
  const idle = usage.idleSince ? (Date.now() - Date.parse(usage.idleSince)) / 1000 : null;
  const of = usage.state === "partial" ? ` (of ${usage.measured} of ${usage.gpus} GPUs)` : "";
  return panel("How busy its GPUs are", idle === null ? "" : el("p", {class: "bad"}, icon("warn"),
      ` All its GPUs have been at 0 % for ${about(Math.max(0, idle))}.`),
      facts([
        ["Busy on average", mean === null ? "unknown" : percent(mean) + of],
        ["The least busy", percent(least)],
        ["Memory", usedBytes === null || totalBytes === null
            ? "" : `${(usedBytes / GIB).toFixed(1)} of ${(totalBytes / GIB).toFixed(1)} GiB`],
        ["Power", watts(usage.powerW)], ["XIDs", xidList(usage.xids)], ["Measured", fullTime(usage.at)]
      ]),
      usage.state === "known" ? "" : el("p", {class: "soft"}, usage.reason));
}

// A node is as well as its worst GPU.
const NODES_SHOWN = 500;
const nodeRank = n => n.gpus.some(g => g.health === "failed") ? 0
    : n.gpus.some(g => g.health === "degraded")               ? 1
    : n.state !== "ok"                                        ? 2
                                                              : 3;
function nodeHealth(n) {
  const ill = n.gpus.filter(g => g.health !== "ok");
  if (ill.length)
    return el("span", {class: "bad"}, icon("warn"),
        " " + ill.map(g => `GPU ${g.index} ${g.health}${g.reason ? `: ${g.reason}` : ""}`).join("; "));
  return n.state === "ok" ? "ok" : [n.state.replaceAll("-", " "), n.reason].filter(Boolean).join(": ");
}
function nodeRow(cluster, n) {
  const told = n.gpus.map(g => g.utilization).filter(v => v !== null);
  const hottest = Math.max(...n.gpus.map(g => g.temperatureC ?? -Infinity));
  return [
    n.node, nodeHealth(n), n.gpus.filter(g => g.xid !== null).map(g => `${g.xid} (GPU ${g.index})`).join(", "), cluster,
    [...new Set(n.gpus.map(g => g.product).filter(Boolean))].join(", "), String(n.gpus.length),
    told.length ? percent(told.reduce((a, b) => a + b, 0) / told.length) : "",
    Number.isFinite(hottest) ? `${Math.round(hottest)} °C` : ""
  ];
}
// Labelers of nodes without a job are asked only while somebody looks: while the panel is open.
const fleet = {
  box: null,
  text: "",
  async refresh() {
    const open = Boolean(this.box?.open);
    const answer = await extras.get(open ? "/api/v1/fleet" : "/api/v1/fleet?look=false");
    if (!answer) return;
    this.draw(answer.items || []);
    const loading = open && answer.items?.some(c => c.state === "loading");
    if (loading) setTimeout(() => this.refresh(), 3000);
  },
  draw(items) {
    const panelBox = $("fleet");
    show(panelBox, items.length > 0);
    const open = Boolean(this.box?.open), text = JSON.stringify([items, open]);
    if (this.text === text) return;
    this.text = text;
    if (!this.box) {
      this.box = el("details", {}, el("summary", {}, el("h2", {id: "h-fleet"})), el("div", {class: "inside"}));
      this.box.ontoggle = () => this.refresh();
      panelBox.replaceChildren(this.box);
    }
    const nodes = items.flatMap(c => c.nodes.map(n => ({cluster: c.cluster, n})));
    nodes.sort((a, b) => nodeRank(a.n) - nodeRank(b.n));
    const gpus = nodes.flatMap(({n}) => n.gpus), failed = gpus.filter(g => g.health === "failed").length;
    const sum = nodes.length
        ? [`${many(gpus.length, "GPU")} on ${many(nodes.length, "node")}`, failed ? `${failed} failed` : ""]
        : [open ? "asking the nodes …" : "open to list them"];
    this.box.querySelector("h2").replaceChildren(
        "Nodes ", el("span", {class: "soft"}, sum.filter(Boolean).join(" · ")));
    const notes = items.flatMap(c => [...c.missingRights.map(r => `${c.cluster}: ${r}`),
                                      ...(c.state === "failed" ? [`${c.cluster}: ${c.reason}`] : [])]);
    const rest = nodes.length - NODES_SHOWN;
    if (rest > 0) notes.push(`and ${many(rest, "more node")}`);
    this.box.querySelector(".inside").replaceChildren(...there([
      nodes.length ? scroller("GPUs by node",
                         table("GPUs by node, failed ones first",
                             ["Node", "Health", "Last XID", "Cluster", "Product", "GPUs", "Busy", "Hottest"],
                             nodes.slice(0, NODES_SHOWN).map(({cluster, n}) => nodeRow(cluster, n)), [5, 6, 7]))
                   : null,
      ...notes.map(note => el("p", {class: "soft"}, note))
    ]));
  }
};
