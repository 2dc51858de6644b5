// The GPUs of the clusters by product: how many there are, are asked for and are free, and what job would fit now.
const fitText = f => `${f.pods} × ${f.gpusPerPod}`;
function drawGpus(items) {
  const box = $("gpu-panel"), text = JSON.stringify(items);
  if (box.text === text) return;
  box.text = text;
  const rows = [], missing = new Map();
  let free = 0, all = 0, waiting = 0, biggest = null;
  for (const c of items) {
    waiting += c.waiting;
    for (const right of c.missingRights) missing.set(right, [...(missing.get(right) || []), c.cluster]);
    for (const p of c.products) {
      free += p.free;
      all += p.allocatable;
      const first = p.fits[0];  // of the largest pods
      if (first && (!biggest || first.pods * first.gpusPerPod > biggest.pods * biggest.gpusPerPod)) biggest = first;
      rows.push([
        p.product || "no label", c.cluster,
        p.usableNodes === p.nodes ? String(p.nodes) : `${p.usableNodes} of ${p.nodes}`, String(p.allocatable),
        String(p.asked), String(p.free), p.fits.map(fitText).join(" · ") || "nothing"
      ]);
    }
  }
  const failed = items.filter(c => c.state === "failed");
  show(box, rows.length + missing.size + failed.length > 0);
  const sum = [
    rows.length ? `${free.toLocaleString("en")} of ${all.toLocaleString("en")} free` : "",
    biggest ? `room for ${fitText(biggest)}` : "", waiting ? `${many(waiting, "GPU")} waited for` : ""
  ];
  const head = el("h2", {id: "h-gpus"}, "GPUs ", el("span", {class: "soft"}, sum.filter(Boolean).join(" · ")));
  const notes = [
    ...[...missing].map(([right, where]) => `${where.join(", ")}: no right to ${right}`),
    ...failed.map(c => `${c.cluster}: nodes could not be listed: ${c.reason}`)
  ].map(note => el("p", {class: "soft"}, note));
  if (!rows.length) return box.replaceChildren(head, ...notes);
  const open = box.querySelector("details")?.open;
  const list = el("details", {}, el("summary", {}, head),
      el("div", {class: "scroll-x scroll-y"},
          table("GPUs by product",
              ["Product", "Cluster", "Nodes", "Allocatable", "Asked for", "Free", "Pods that would fit × GPUs"], rows,
              [2, 3, 4, 5])),
      ...notes);
  list.open = Boolean(open);
  box.replaceChildren(list);
}
const gpuBoard = {
  async refresh() {
    const answer = await extras.get("/api/v1/gpus");
    if (!answer) return;
    drawGpus(answer.items || []);
    if (answer.items?.some(c => c.state === "loading")) setTimeout(() => this.refresh(), 3000);
  }
};
