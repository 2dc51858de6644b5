// What is known, and how tenants look.
const store = {nodes: new Map(), tenants: [], pending: [], waiting: 0, past: {tenants: [], points: []}, looks: new Map()};
const COLOURS = 8, HUNDRED = 100;

// A letter that no other tenant has, and a colour. They stay as long as the page is open.
function lookOf(tenant) {
  const known = store.looks.get(tenant);
  if (known) return known;
  const taken = new Set([...store.looks.values()].map(l => l.letter));
  const letters = [...(tenant.toUpperCase().replace(/[^A-Z0-9]/g, "") + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")];
  const look = {letter: letters.find(l => !taken.has(l)) || "?", colour: `t${store.looks.size % COLOURS}`};
  store.looks.set(tenant, look);
  return look;
}
const gpus = amount => typeof amount === "number" ? amount : !amount ? 0 : amount.endsWith("m") ? Number(amount.slice(0, -1)) / 1000 : Number(amount);
const number = x => x.toLocaleString("en", {maximumFractionDigits: 2});

// The part of the GPUs of a node that is held, from 0 to their number.
const isFree = g => g.healthy && g.holds.length === 0;
const isBad = n => n.state === "not-ready" || n.gpus.some(g => !g.healthy);
const podsOf = n => n.gpus.flatMap(g => g.pods);
function wordsOf(n) {
  const free = n.gpus.filter(isFree).length, bad = n.gpus.filter(g => !g.healthy).length;
  return there([`${n.name}: ${free} of ${many(n.gpus.length, "GPU")} free`, bad ? `${bad} unhealthy` : "", n.state === "ready" ? "" : n.state]).join(", ");
}
function matches(n) {
  const words = $("filter").value.trim().toLowerCase(), tenant = $("of-tenant").value, only = $("only").value;
  if (only === "free" && !n.gpus.some(isFree) || only === "bad" && !isBad(n)) return false;
  if (tenant && !n.gpus.some(g => g.holds.some(h => h.tenant === tenant))) return false;
  return !words || [n.name, n.product, n.rack || "", ...podsOf(n)].some(x => x.toLowerCase().includes(words));
}
