// One node: how it is, its GPUs, and the jobs that have pods there. It stands above what is looked at otherwise.
const node = {
  box: null,
  shown: "",
  asked: 0,

  // A pod's node, as a link.
  link(cluster, name) {
    if (!name) return "none";
    const link = el("a", {href: addressOf({...view, node: {cluster, name}})}, name);
    link.onclick = e => {
      if (e.metaKey || e.ctrlKey || e.shiftKey) return;
      e.preventDefault();
      go({node: {cluster, name}});
    };
    return link;
  },
  make() {
    this.box = el("dialog", {id: "node", "aria-labelledby": "h-node"});
    // Esc, and the button.
    this.box.onclose = () => {
      if (view.node) go({node: null});
    };
    document.body.append(this.box);
  },
  route() {
    const key = view.node ? `${view.node.cluster}/${view.node.name}` : "";
    if (key === this.shown) return;
    this.shown = key;
    if (!this.box) this.make();
    if (!key) return this.box.close();
    this.draw(null, "");
    if (!this.box.open) this.box.showModal();
    this.refresh();
  },
  async refresh() {
    const of = view.node, asked = ++this.asked;
    let told = null, error = "";
    try {
      const answer = await fetch(`/api/v1/nodes/${encodeURIComponent(of.cluster)}/${encodeURIComponent(of.name)}`,
          {cache: "no-store"});
      told = await answer.json();
      if (!answer.ok) [told, error] = [null, told.error || `status ${answer.status}`];
    } catch (failure) { error = failure.message; }
    if (asked === this.asked && view.node) this.draw(told, error);
  },
  state(told) {
    const ready = (told.conditions || []).find(c => c.type === "Ready");
    return [
      ready ? (ready.status === "True" ? "Ready" : `not ready: ${ready.reason}`) : "",
      told.unschedulable ? "cordoned" : "", told.fault || "", told.state === "gone" ? "not in the cluster any more" : ""
    ].filter(Boolean).join(" · ");
  },
  draw(told, error) {
    const {cluster, name} = view.node;
    const parts = [el("h2", {id: "h-node"}, `Node ${name} `, el("span", {class: "soft"}, cluster))];
    if (error) parts.push(el("p", {}, `It could not be read: ${error}`));
    else if (!told) parts.push(el("p", {class: "soft"}, "Reading …"));
    else parts.push(el("p", {}, this.state(told)), ...this.panels(told));
    const again = el("button", {type: "button"}, "Refresh");
    again.onclick = () => this.refresh();
    parts.push(el("form", {method: "dialog"}, again, " ", el("button", {}, "Close")));
    this.box.replaceChildren(...parts);
  },
  panels(told) {
    const out = [];
    const add = (title, heads, rows, numbers) => {
      if (rows.length)
        out.push(el("section", {}, el("h3", {}, title), scroller(title, table(title, heads, rows, numbers))));
    };
    add("Jobs", ["Job", "Namespace", "State", "Pod", "GPUs", "Restarts", "Why"],
        told.pods.map(p => [this.jobLink(p), p.namespace, p.job.state ? badge(p.job.state) : "", p.pod, String(p.gpus),
                          String(p.restarts), p.job.why || ""]),
        [4, 5]);
    add("GPUs", ["GPU", "Product", "Health", "Used", "XID"],
        told.gpus.map(g => [String(g.index), g.product || "", [g.health, g.reason].filter(Boolean).join(": "),
                          g.utilization === null ? "?" : `${Math.round(g.utilization)} %`,
                          g.xid === null ? "" : el("span", {}, `${g.xid} `, g.xidTime ? shortTime(g.xidTime) : "")]),
        [0, 3]);
    add("Conditions", ["Condition", "Status", "Reason", "Message", "Since"],
        (told.conditions || []).map(c => [c.type, c.status, c.reason, c.message, c.since ? shortTime(c.since) : ""]));
    add("Taints", ["Taint", "Value", "Effect"], (told.taints || []).map(t => [t.key, t.value, t.effect]));
    for (const right of told.missingRights) out.push(el("p", {class: "soft"}, right));
    return out;
  },
  jobLink(p) {
    if (!p.job.name) return "unknown";
    const link = el("a", {href: jobAddress(p.job)}, p.job.name);
    link.onclick = e => {
      if (e.metaKey || e.ctrlKey || e.shiftKey) return;
      e.preventDefault();
      const {cluster, namespace, kind, name} = p.job;
      go({node: null, job: {cluster, namespace, kind, name}});
    };
    return link;
  }
};
