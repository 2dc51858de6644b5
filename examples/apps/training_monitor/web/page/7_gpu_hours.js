// GPU hours of a period, by team, namespace, cluster or day of UTC: a table with a bar for each one's share.
const HOURS_BY = [["team", "Team"], ["namespace", "Namespace"], ["cluster", "Cluster"], ["day", "Day (UTC)"]];
const HOURS_OF = [[1, "today"], [7, "7 days"], [30, "30 days"], [90, "90 days"]];
const MOST_HOURS = 50;
const hoursText = h => h.toLocaleString("en", {maximumFractionDigits: h < 10 ? 1 : 0});
const hoursName = name => (name === null ? "no team" : name === "(other)" ? "others, of too many" : name);
function hoursShare(hours, all, high) {
  const bar = el("i");
  bar.style.width = `${high ? 100 * hours / high : 0}%`;
  return el("span", {class: "share"}, el("span", {class: "meter", "aria-hidden": "true"}, bar),
      `${all ? Math.round(100 * hours / all) : 0}%`);
}
const gpuHours = {
  by: "team",
  days: 7,
  asked: 0,
  async refresh() {
    const asked = ++this.asked;
    const since = new Date(Date.now() - (this.days - 1) * 86400000).toISOString().slice(0, 10);
    const answer = await extras.get(`/api/v1/gpu-hours?by=${this.by}&since=${since}`);
    if (answer && asked === this.asked) this.draw(answer, since);
  },
  choice(label, choices, now, take) {
    const select = el("select", {}, ...choices.map(([value, text]) => el("option", {value}, text)));
    select.value = now;
    select.onchange = () => {
      take(select.value);
      this.refresh();
    };
    return el("label", {class: "field"}, label, select);
  },
  // The frame stays, so that a choice keeps its focus.
  frame(box) {
    if (this.list) return;
    this.sum = el("span", {class: "soft"});
    this.list = scroller("GPU hours");
    this.note = el("p", {class: "soft"});
    box.append(el("details", {}, el("summary", {}, el("h2", {id: "h-gpu-hours"}, "GPU hours ", this.sum)),
        el("div", {class: "choices"}, this.choice("By", HOURS_BY, this.by, v => { this.by = v; }),
            this.choice("Of", HOURS_OF, String(this.days), v => { this.days = Number(v); })),
        this.list, this.note));
  },
  draw(answer, since) {
    const box = $("gpu-hours"), text = JSON.stringify([answer.items, answer.since, this.by, this.days]);
    if (answer.since === null || (box.hidden && !answer.items.length) || this.text === text) return;
    this.text = text;
    this.frame(box);
    show(box, true);
    const by = HOURS_BY.find(([name]) => name === this.by);
    const items = this.by === "day" ? [...answer.items].reverse() : answer.items;
    const high = Math.max(...items.map(i => i.gpuHours), 0);
    const rows = items.slice(0, MOST_HOURS).map(
        i => [hoursName(i[this.by]), hoursText(i.gpuHours), hoursShare(i.gpuHours, answer.gpuHours, high)]);
    put(this.sum, `${hoursText(answer.gpuHours)} ${this.days === 1 ? "today" : `in ${this.days} days`}`);
    this.list.replaceChildren(table(`GPU hours by ${this.by}`, [by[1], "GPU hours", "Share"], rows, [1]));
    const late = Date.parse(answer.since) > Date.parse(since);
    this.note.replaceChildren("GPUs that jobs asked for while they ran, whether they used them or not.",
        late ? " Counted since " : "", late ? shortTime(answer.since) : "",
        items.length > rows.length ? ` And ${many(items.length - rows.length, "more row")}.` : "");
  }
};
