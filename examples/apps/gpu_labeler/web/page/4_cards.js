// A card for each GPU. Made once; then only its texts change, so that the focus and a selection stay.
class Card {
  constructor(index) {
    this.index = index;
    this.charts = [];
    const id = `h-gpu-${index}`;
    this.name = el("span", {class: "soft"});
    this.health = el("span", {class: "health"});
    this.reason = el("p", {class: "reason"});
    this.facts = el("dl", {});
    this.slices = el("div", {class: "slices"});
    this.users = el("div", {class: "users"});
    for (const kind of KINDS) this.charts.push(new Chart(kind, this));
    this.box = el("article", {class: "card", id: `gpu-${index}`, "aria-labelledby": id, tabindex: "-1"},
      el("header", {}, el("h2", {id}, `GPU ${index} `, this.name), this.health), this.reason,
      el("div", {class: "charts"}, ...this.charts.map(c => c.box)), this.users, this.slices, this.facts);
    this.shown = {};
  }
  // Replaces what is inside only where it is another text than before.
  fill(where, text, make) {
    if (this.shown[where] === text) return;
    this.shown[where] = text;
    this[where].replaceChildren(...there([make()].flat()));
  }
  update(g) {
    if (this.uuid !== g.uuid) {
      this.uuid = g.uuid;
      this.drawn = false;
    }
    put(this.name, g.name || "");
    this.box.dataset.health = g.health;
    this.fill("health", g.health, () => healthBadge(g.health));
    put(this.reason, g.reason || "");
    show(this.reason, Boolean(g.reason));
    for (const c of this.charts) c.show(g);
    if (!this.drawn) this.drawCharts();
    this.fill("users", JSON.stringify(g.users), () => usersOf(g));
    this.fill("slices", JSON.stringify([g.migEnabled, g.migs, g.users]), () => slicesOf(g));
    const facts = factsOf(g);
    this.fill("facts", facts.map(f => f.outerHTML).join(""), () => facts);
  }
  drawCharts() {
    this.drawn = true;
    for (const c of this.charts) c.draw(this.uuid);
  }
}

const userText = u => `${u.namespace}/${u.pod} (${u.container})`;
function usersOf(g) {
  const whole = g.users.filter(u => !u.migUuid);
  if (whole.length) return el("p", {}, el("span", {class: "what"}, "Used by "), whole.map(userText).join(", "));
  return null;
}
function slicesOf(g) {
  if (!g.migs.length) return g.migEnabled ? el("p", {class: "what"}, "MIG is on, and there is no slice yet") : null;
  const users = new Map();
  for (const u of g.users.filter(u => u.migUuid)) users.set(u.migUuid, [...(users.get(u.migUuid) || []), userText(u)]);
  const memory = m => known(m.totalBytes) ? (known(m.usedBytes) ? `${gib(m.usedBytes)} of ` : "") + nice.bytes(m.totalBytes) : "";
  const rows = g.migs.map(s => el("li", {}, el("b", {}, s.profile), ` ${memory(s.memory)} `,
    el("span", {class: "soft"}, users.has(s.uuid) ? `used by ${users.get(s.uuid).join(", ")}` : "")));
  return [el("p", {class: "what"}, `Divided by MIG into ${many(rows.length, "slice")}`), el("ul", {}, ...rows)];
}

// Name and text of what is told; alarming where somebody should look.
function factsOf(g) {
  const out = [];
  const fact = (name, text, alarming) => {
    if (text) out.push(el("div", name === "UUID" ? {class: "wide"} : {}, el("dt", {}, name), el("dd", alarming ? {class: "bad"} : {}, text)));
  };
  const both = (a, b, unit) => there([known(a) ? `${round(a, 0)} ${unit}` : "", known(b) ? `memory ${round(b, 0)} ${unit}` : ""]).join(", ");
  fact("Clocks", both(g.clocks.smMHz, g.clocks.memoryMHz, "MHz"));
  if (known(g.memoryTemperatureC)) fact("Memory temperature", nice.celsius(g.memoryTemperatureC));
  fact("Memory bandwidth", known(g.utilization.memory) ? `busy ${nice.percent(g.utilization.memory)}` : "");
  fact("Video", there([g.utilization.encoder ? `encoder ${g.utilization.encoder} %` : "", g.utilization.decoder ? `decoder ${g.utilization.decoder} %` : ""]).join(", "));
  if (g.nvlink) {
    const {links, active, transmitBytesPerSecond: out_, receiveBytesPerSecond: in_} = g.nvlink;
    fact("NVLink", there([`${active} of ${many(links, "link")} active`, known(out_) ? `sends ${nice.rate(out_)}` : "",
      known(in_) ? `receives ${nice.rate(in_)}` : ""]).join(", "));
  }
  if (g.xid?.last) {
    const times = Object.entries(g.xid.counts).map(([n, c]) => `${n}${XIDS[n] ? ` (${XIDS[n]})` : ""}${c > 1 ? ` × ${c}` : ""}`);
    fact("XID", el("span", {}, times.join(", "), "; last ", shortTime(g.xid.time)), true);
  }
  const ecc = g.ecc;
  const pair = (now, all) => there([known(now) ? String(now) : "", known(all) && all !== now ? `(lifetime ${all})` : ""]).join(" ");
  fact("ECC corrected", pair(ecc.correctedVolatile, ecc.correctedAggregate));
  fact("ECC uncorrected", pair(ecc.uncorrectedVolatile, ecc.uncorrectedAggregate), ecc.uncorrectedVolatile > 0);
  const rows = g.rows, remapped = (rows.remappedCorrected || 0) + (rows.remappedUncorrected || 0);
  if (remapped || rows.pending || rows.failed)
    fact("Memory rows", there([remapped ? `${remapped} remapped` : "", rows.pending ? "some wait for a reset" : "", rows.failed ? "remapping failed" : ""]).join(", "),
      rows.pending || rows.failed);
  if (g.pagesPending) fact("Memory pages", "some wait for a reset", true);
  fact("Recovery", RECOVERIES[g.recoveryAction], true);
  if (g.pcieReplays) fact("PCIe replays", round(g.pcieReplays, 0));
  if (known(g.energyJ)) fact("Energy", `${round(g.energyJ / 3.6e6, 1)} kWh`);
  fact("Bus", g.busId);
  fact("UUID", g.uuid);
  return out;
}

const cards = new Map();  // by index
function drawCards(items) {
  const box = $("gpus"), here = new Set(items.map(g => g.index));
  for (const [index, card] of cards) {
    if (here.has(index)) continue;
    card.box.remove();
    cards.delete(index);
  }
  let before = null;
  for (const g of items) {
    let card = cards.get(g.index);
    if (!card) {
      card = new Card(g.index);
      cards.set(g.index, card);
      box.insertBefore(card.box, before ? before.nextSibling : box.firstChild);
    }
    before = card.box;
    card.update(g);
  }
}
