// One node: how it is, its GPUs, and the jobs that have pods there. It stands above what is looked at otherwise.
const node = {
  box: null,
  shown: "",
  asked: 0,
  timer: 0,

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
    this.title = el("h2", {id: "h-node", tabindex: "-1", autofocus: ""});
    this.said = el("p", {role: "status"});
    this.tables = el("div");
    const again = el("button", {type: "button"}, "Refresh");
    again.onclick = () => this.refresh();
    this.box = el("dialog", {id: "node", "aria-labelledby": "h-node"}, this.title, this.said, this.tables,
        el("form", {method: "dialog"}, again, " ", el("button", {}, "Close")));
    // Esc, and the button.
    this.box.onclose = () => {
      if (!view.node) return;
      if (history.state?.from === "here") history.back();
      else go({node: null});
    };
    document.body.append(this.box);
  },
  route() {
    const key = view.node ? `${view.node.cluster}/${view.node.name}` : "";
    if (key === this.shown) return;
    this.shown = key;
    clearTimeout(this.timer);
    if (!this.box) this.make();
    if (!key) return this.box.close();
    const {cluster, name} = view.node;
    this.title.replaceChildren(`Node ${name} `, el("span", {class: "soft"}, cluster));
    put(this.said, "Reading …");
    this.tables.replaceChildren();
    if (!this.box.open) this.box.showModal();
    this.refresh(true);
  },
  async refresh(first) {
    const of = view.node, key = this.shown, asked = ++this.asked;
    let told = null, error = "";
    try {
      const answer = await fetch(`/api/v1/nodes/${encodeURIComponent(of.cluster)}/${encodeURIComponent(of.name)}`,
          {cache: "no-store"});
      told = await answer.json();
      if (!answer.ok) [told, error] = [null, told.error || `status ${answer.status}`];
    } catch (failure) { error = failure.message; }
    if (asked !== this.asked || key !== this.shown) return;
    put(this.said, told ? this.state(told) : `It could not be read: ${error}`);
    this.tables.replaceChildren(...(told ? this.panels(told) : []));
    // That somebody looks has the GPUs asked for: a moment later they are there.
    if (first && told && !told.gpus.length) this.timer = setTimeout(() => this.refresh(), 2000);
  },
  state(told) {
    const ready = (told.conditions || []).find(c => c.type === "Ready");
    return [
      ready ? (ready.status === "True" ? "Ready" : `not ready: ${ready.reason}`) : "",
      told.unschedulable ? "cordoned" : "", told.fault || "", told.state === "gone" ? "not in the cluster any more" : "",
      told.state === "failed" ? `It could not be read: ${told.reason}` : ""
    ].filter(Boolean).join(" · ");
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
