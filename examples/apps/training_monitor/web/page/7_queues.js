// Kueue's queues of a cluster: who waits, and how much of the quota is used and borrowed, by flavor.
const queueCounts = q => there([
  many(q.pending, "Workload") + " waiting", `${q.admitted.toLocaleString("en")} admitted`, q.inactive ? `inactive: ${q.inactive}` : ""
]).join(" · ");
function waitingRow(told, w) {
  const job = {cluster: told.cluster, namespace: w.namespace, ...w.job};
  return [
    String(w.position), w.job.inView ? queues.jobLink(job) : w.job.name || w.workload, w.namespace,
    `${w.localQueue} (${w.positionInLocalQueue})`, String(w.priority)
  ];
}
function queuePanel(told, q) {
  const title = ["ClusterQueue", q.name, q.cohort ? `in cohort ${q.cohort}` : ""].filter(Boolean).join(" ");
  const stopped = q.stopPolicy && q.stopPolicy !== "None" ? `stopped (${q.stopPolicy})` : "";
  return el("section", {class: "queue"}, el("h3", {}, title),
      el("p", {class: "soft"}, there([queueCounts(q), q.strategy, stopped]).join(" · ")),
      scroller(`Quota of ${q.name}`,
          table(`Quota of ${q.name}`, ["Flavor", "Resource", "Used", "Of quota", "Borrowed", "May borrow"],
              q.flavors.map(f => [f.name, f.resource, f.used, f.nominal, f.borrowed, f.borrowingLimit ?? "no limit"]),
              [2, 3, 4, 5])),
      q.localQueues.length ? scroller(`LocalQueues of ${q.name}`,
                                 table(`LocalQueues of ${q.name}`, ["LocalQueue", "Namespace", "Waiting", "Admitted"],
                                     q.localQueues.map(l => [l.name, l.namespace, String(l.pending), String(l.admitted)]),
                                     [2, 3]))
                           : "",
      !q.waiting        ? el("p", {class: "soft"}, "Who waits could not be read.")
          : q.waiting.length ? scroller(`Waiting in ${q.name}`,
                                   table(`Waiting in ${q.name}`,
                                       ["Position", "Job", "Namespace", "LocalQueue (position)", "Priority"],
                                       q.waiting.map(w => waitingRow(told, w)), [0, 4]))
                             : "",
      q.waiting && q.waiting.length < q.pending ? el("p", {class: "soft"}, `and ${q.pending - q.waiting.length} more`) : "");
}
const queues = new Sheet("queues", ({cluster}) => `/api/v1/queues/${encodeURIComponent(cluster)}`,
    ({cluster}) => ["Queues ", el("span", {class: "soft"}, cluster)],
    told => {
      if (told.state === "not-installed") return "Kueue is not installed there.";
      if (told.state === "failed") return `It could not be read: ${told.reason}`;
      if (told.state !== "known") return "";
      const waiting = told.clusterQueues.reduce((sum, q) => sum + q.pending, 0);
      return `${many(told.clusterQueues.length, "ClusterQueue")}, ${many(waiting, "Workload")} waiting`;
    },
    told => told.clusterQueues.map(q => queuePanel(told, q)));
