// Who takes care of a job, for all who look: the monitor keeps it where it was started with --acknowledgements.
const care = {
  box: null,
  offered: () => attention.offers.includes("acknowledgements"),
  text: a => `acknowledged by ${a.by} ${ago(Date.parse(a.at))}${a.note ? `: ${a.note}` : ""}`,

  make() {
    const by = el("input", {id: "care-by", maxlength: "100", required: "", autocomplete: "username"});
    const note = el("input", {id: "care-note", maxlength: "500", autocomplete: "off"});
    this.said = el("p", {role: "status", class: "bad"});
    this.head = el("h2", {id: "h-care"});
    const cancel = el("button", {type: "button"}, "Cancel");
    cancel.onclick = () => this.box.close();
    const form = el("form", {}, el("label", {class: "field"}, "Your name (kept in this browser)", by),
        el("label", {class: "field"}, "Note", note), this.said, cancel, " ", el("button", {}, "Acknowledge"));
    form.onsubmit = e => {
      e.preventDefault();
      kept.set("care-by", by.value);
      this.send(this.row, {by: by.value.trim(), note: note.value.trim()});
    };
    this.box = el("dialog", {id: "care", "aria-labelledby": "h-care"}, this.head, form);
    Object.assign(this, {by, note});
    document.body.append(this.box);
  },
  ask(row) {
    if (!this.box) this.make();
    this.row = row;
    put(this.head, `Acknowledge ${row.need.name}`);
    put(this.said, "");
    this.by.value = kept.get("care-by") || "";
    this.note.value = "";
    this.box.showModal();
    (this.by.value ? this.note : this.by).focus();
  },
  // Without words it is withdrawn. Of a group that is folded, each of its jobs.
  async send(row, words) {
    const g = groups.of(row.need), folded = g && !groups.isOpen(g);
    const needs = folded ? groups.with(row.need, attention.needs) : [row.need];
    try {
      for (const need of needs) {
        const answer = await fetch(`/api/v1/acknowledgements/${pathOf(need)}`, words
            ? {method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify(words)}
            : {method: "DELETE"});
        if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.error || `status ${answer.status}`);
        need.acknowledged = words ? {...words, at: new Date().toISOString()} : undefined;
      }
      this.box?.close();
      put($("live"), `${row.need.name} is ${words ? "" : "not "}acknowledged`);
    } catch (failure) {
      if (this.box?.open) put(this.said, `It was not kept: ${failure.message}`);
    }
    drawAttention();
    drawIcon();
    setTimeout(() => attention.refresh(), 1100);  // the monitor's answer is as of a second ago
  }
};
