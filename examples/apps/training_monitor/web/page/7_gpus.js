// The GPUs of the clusters by product: how many there are, are requested and are free, and what job fits now.
const fitText = f => `${many(f.pods, "pod")} of ${f.gpusPerPod}`;
function drawGpus(items) {
  const box = $("gpu-panel"), text = JSON.stringify(items);
  if (box.text === text) return;
  box.text = text;
  const rows = [], missing = new Map();
  let used = 0, all = 0, waiting = 0, biggest = null;
  for (const c of items) {
    waiting += c.waiting;
    for (const right of c.missingRights) missing.set(right, [...(missing.get(right) || []), c.cluster]);
    for (const p of c.products) {
      used += p.asked;
      all += p.allocatable;
      const first = p.fits[0];  // of the largest pods
      if (first && (!biggest || first.pods * first.gpusPerPod > biggest.pods * biggest.gpusPerPod)) biggest = first;
      rows.push([
        p.product || "no label", c.cluster, String(p.free), p.fits.map(fitText).join(" · ") || "none", String(p.asked),
        String(p.allocatable), p.usableNodes === p.nodes ? String(p.nodes) : `${p.usableNodes} of ${p.nodes}`
      ]);
    }
  }
  const failed = items.filter(c => c.state === "failed");
  show(box, rows.length + missing.size + failed.length > 0);
  const sum = [
    rows.length ? `${used.toLocaleString("en")} of ${all.toLocaleString("en")} used` : "",
    waiting ? `${waiting.toLocaleString("en")} requested by pending jobs` : "", biggest ? `fits ${fitText(biggest)}` : ""
  ];
  const head = el("h2", {id: "h-gpus"}, "GPUs ", el("span", {class: "soft"}, sum.filter(Boolean).join(" · ")));
  const notes = [
    ...[...missing].map(([right, where]) => `${where.join(", ")}: ${right}`),
    ...failed.map(c => `${c.cluster}: nodes could not be listed: ${c.reason}`)
  ].map(note => el("p", {class: "soft"}, note));
  if (!rows.length) return box.replaceChildren(head, ...notes);
  const open = box.querySelector("details")?.open;
  const list = el("details", {}, el("summary", {}, head),
      scroller("GPUs by product",
          table("GPUs by product",
              ["Product", "Cluster", "Free", "Fits", "Requested", "Allocatable", "Nodes"], rows, [2, 4, 5, 6])),
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
