// Numbers and states as words. What the server does not tell is null, and shown as a dash.
const NOT_TOLD = "–";
const HEALTHS = {ok: "OK", degraded: "Degraded", failed: "Failed"};
const STATES = {
  starting: "The GPUs have not been asked yet.",
  "no-driver": "No NVIDIA driver.",
  "no-device": "No GPU.",
  hanging: "The driver does not answer.",
  failing: "The driver answers with errors."
};
// What NVIDIA's numbers mean, in a few words.
const XIDS = {
  13: "engine exception", 31: "page fault of a program", 43: "a program's channel stopped", 45: "a program's channel was cleaned up",
  48: "uncorrectable memory error", 63: "a memory row was remapped", 64: "a memory row could not be remapped", 74: "NVLink error",
  79: "fallen off the bus", 92: "many corrected memory errors", 94: "contained memory error", 95: "uncontained memory error",
  119: "firmware does not answer", 120: "firmware error"
};
const RECOVERIES = {
  "gpu-reset": "the driver asks for a reset of this GPU",
  "node-reboot": "the driver asks for a reboot of the node",
  drain: "the driver asks to drain this GPU",
  "drain-and-reset": "the driver asks to drain and reset this GPU"
};

const known = x => x !== null && x !== undefined;
const round = (x, digits) => x.toLocaleString("en", {maximumFractionDigits: digits});
const gib = bytes => round(bytes / 2 ** 30, bytes < 10 * 2 ** 30 ? 1 : 0);
const nice = {
  percent: v => `${round(v, 0)} %`,
  watts: v => `${round(v, v < 100 ? 1 : 0)} W`,
  celsius: v => `${round(v, 0)} °C`,
  bytes: v => `${gib(v)} GiB`,
  rate: v => v < 1e6 ? `${round(v / 1e3, 0)} kB/s` : v < 1e9 ? `${round(v / 1e6, 0)} MB/s` : `${round(v / 1e9, 1)} GB/s`
};

function icon(name) {
  return draw("svg", {class: "icon", "aria-hidden": "true"}, draw("use", {href: "#i-" + name}));
}
function healthBadge(health) {
  const name = HEALTHS[health] ? health : "failed";
  return el("span", {class: "badge h-" + name}, icon(name), HEALTHS[health] || health);
}
const describe = g => `GPU ${g.index}: ${g.health}${g.reason ? ": " + g.reason : ""}`;
