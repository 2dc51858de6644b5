// A node under repair by the healer, as a sentence with its links.
const repairWords = r => `Node ${r.node} is under repair: ${there([r.phase || "new", r.reason]).join(", ")}`;
const repairLinks = r => r.links.flatMap(l => [" ", el("a", {href: l.url, rel: "noreferrer", target: "_blank"}, `${l.name} ↗`)]);
// One node: how it is, its GPUs, and the jobs that have pods there.
const node = new Sheet("node", ({cluster, name}) => `/api/v1/nodes/${encodeURIComponent(cluster)}/${encodeURIComponent(name)}`,
    ({cluster, name}) => [`Node ${name} `, el("span", {class: "soft"}, cluster)],
    told => {
      const ready = (told.conditions || []).find(c => c.type === "Ready");
      return [
        ready ? (ready.status === "True" ? "Ready" : `not ready: ${ready.reason}`) : "",
        told.unschedulable ? "cordoned" : "", told.fault || "", told.state === "gone" ? "not in the cluster any more" : "",
        told.state === "failed" ? `It could not be read: ${told.reason}` : ""
      ].filter(Boolean).join(" · ");
    },
    (told, first) => {
      // That somebody looks has the GPUs asked for: a moment later they are there.
      if (first && !told.gpus.length) node.timer = setTimeout(() => node.refresh(), 2000);
      const r = told.repair;
      return [
        r ? el("p", {class: "repair"}, el("strong", {}, repairWords(r)), r.message ? `: ${r.message}` : "", r.since ? " since " : "",
            r.since ? shortTime(r.since) : "", ...repairLinks(r)) : "",
        node.section("Jobs", ["Job", "Namespace", "State", "Pod", "GPUs", "Restarts", "Why"],
            told.pods.map(p => [p.job.name ? node.jobLink(p.job) : "unknown", p.namespace,
                              p.job.state ? badge(p.job.state) : "", p.pod, String(p.gpus), String(p.restarts),
                              p.job.why || ""]),
            [4, 5]),
        node.section("GPUs", ["GPU", "Product", "Health", "Used", "XID"],
            [...told.gpus].sort((a, b) => (a.health === "ok") - (b.health === "ok") || a.index - b.index).map(g => [String(g.index), g.product || "", [g.health, g.reason].filter(Boolean).join(": "),
                              g.utilization === null ? "?" : `${Math.round(g.utilization)} %`,
                              g.xid === null ? "" : el("span", {}, `${g.xid} `, g.xidTime ? shortTime(g.xidTime) : "")]),
            [0, 3]),
        node.section("Conditions", ["Condition", "Status", "Reason", "Message", "Since"],
            (told.conditions || []).map(c => [c.type, c.status, c.reason, c.message, c.since ? shortTime(c.since) : ""])),
        node.section("Taints", ["Taint", "Value", "Effect"], (told.taints || []).map(t => [t.key, t.value, t.effect]))
      ];
    });
// A pod's node, as a link.
const nodeLink = (cluster, name) => (name ? node.link({cluster, name}, name) : "none");
