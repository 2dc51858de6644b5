// What has the focus, so that it is found again where it is drawn anew meanwhile: by its id, or a link by its address.
function focusNow() {
  const at = document.activeElement;
  if (at?.id) return `#${CSS.escape(at.id)}`;
  return at?.matches("a[href]") ? `a[href="${CSS.escape(at.getAttribute("href"))}"]` : "";
}
// What stands above what is looked at otherwise: a dialog with an address of its own. It is read when it is opened, and
// again by its button.
class Sheet {
  // `name`: as the address has it; `path` and `title` of the parts of its address; `state` and `panels` of what was told.
  constructor(name, path, title, state, panels) {
    Object.assign(this, {name, path, title, state, panels, shown: "", asked: 0});
  }

  // A link to it.
  link(parts, text) {
    const link = el("a", {href: addressOf({...view, [this.name]: parts})}, text);
    link.onclick = e => {
      if (e.metaKey || e.ctrlKey || e.shiftKey) return;
      e.preventDefault();
      go({[this.name]: parts});
    };
    return link;
  }
  // A link to a job from it, which leaves it.
  jobLink(j) {
    const link = el("a", {href: jobAddress(j)}, j.name);
    link.onclick = e => {
      if (e.metaKey || e.ctrlKey || e.shiftKey) return;
      e.preventDefault();
      const {cluster, namespace, kind, name} = j;
      go({[this.name]: null, job: {cluster, namespace, kind, name}});
    };
    return link;
  }
  section(title, heads, rows, numbers) {
    return rows.length ? el("section", {}, el("h3", {}, title), scroller(title, table(title, heads, rows, numbers))) : "";
  }
  make() {
    this.head = el("h2", {id: `h-${this.name}`, tabindex: "-1", autofocus: ""});
    this.said = el("p", {role: "status"});
    this.tables = el("div");
    const again = el("button", {type: "button"}, "Refresh");
    again.onclick = () => this.refresh();
    this.box = el("dialog", {id: this.name, class: "sheet", "aria-labelledby": `h-${this.name}`}, this.head, this.said,
        this.tables, el("form", {method: "dialog"}, again, " ", el("button", {}, "Close")));
    // Esc, and the button.
    this.box.onclose = () => {
      if (!view[this.name]) return;
      if (history.state?.from === "here") history.back();
      else go({[this.name]: null});
    };
    document.body.append(this.box);
  }
  route() {
    const parts = view[this.name], key = parts ? JSON.stringify(parts) : "";
    if (key === this.shown) return;
    this.shown = key;
    clearTimeout(this.timer);
    if (!this.box) this.make();
    if (!key) {
      this.box.close();   // the focus goes back to what had it, if that is still there
      if (!this.opener?.isConnected && this.from) document.querySelector(this.from)?.focus({preventScroll: true});
      return;
    }
    this.head.replaceChildren(...this.title(parts));
    put(this.said, "Reading …");
    this.tables.replaceChildren();
    if (!this.box.open) {
      [this.opener, this.from] = [document.activeElement, focusNow()];
      this.box.showModal();
    }
    this.refresh(true);
  }
  async refresh(first) {
    const key = this.shown, asked = ++this.asked;
    let told = null, error = "";
    try {
      const answer = await fetch(this.path(view[this.name]), {cache: "no-store"});
      told = await answer.json();
      if (!answer.ok) [told, error] = [null, told.error || `status ${answer.status}`];
    } catch (failure) { error = failure.message; }
    if (asked !== this.asked || key !== this.shown) return;
    put(this.said, told ? this.state(told) : `It could not be read: ${error}`);
    this.tables.replaceChildren(...(told ? this.panels(told, first) : []).filter(Boolean),
        ...(told?.missingRights || []).map(right => el("p", {class: "soft"}, right)));
  }
}
