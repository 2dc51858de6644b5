// Jobs that failed for one cause are one row, which opens. The monitor says which belong together.
const groups = {
  known: new Map(),   // number → what the jobs have in common
  opened: new Set(),  // causes whose jobs are all shown
  key: g => [g.cluster, g.node, g.exitCode, g.error].join("\n"),

  take(list) { this.known = new Map((list || []).map(g => [g.id, g])); },
  of(need) { return need.group ? this.known.get(need.group) : undefined; },
  isOpen(g) { return this.opened.has(this.key(g)); },
  // All of the same group, or the one.
  with(need, all) { return this.of(need) ? all.filter(other => other.group === need.group) : [need]; },
  // Of each group that is not open the first.
  fold(needs) {
    const met = new Set();
    return needs.filter(need => {
      const g = this.of(need);
      if (!g || this.isOpen(g)) return true;
      if (met.has(g.id)) return false;
      met.add(g.id);
      return true;
    });
  },
  text(g, count) {
    const where = g.node ? ` on ${g.node}` : "";
    return `${many(count, "job")}${where} · ${many(g.gpus, "GPU")} · ${g.cluster}`;
  }
};

// The button that opens a group; it stands with the first of its jobs.
function fillGroup(row, need, all) {
  const g = groups.of(need), members = g ? groups.with(need, all) : [];
  const first = members.length > 1 && members[0] === need;
  if (!row.group && !first) return;
  if (!row.group) {
    row.group = el("button", {type: "button", class: "group"});
    row.group.onclick = () => {
      const now = groups.of(row.need);
      if (!now) return;
      const key = groups.key(now);
      if (!groups.opened.delete(key)) groups.opened.add(key);
      drawAttention();
      row.group.focus();
    };
    row.querySelector(".what").append(" ", row.group);
  }
  show(row.group, first);
  if (!first) return;
  const open = groups.isOpen(g);
  row.group.setAttribute("aria-expanded", String(open));
  put(row.group, open ? "Fold" : `${members.length - 1} more`);
  if (!open) put(row.where, groups.text(g, members.length));
}
