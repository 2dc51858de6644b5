// A job's object as YAML, as its cluster has it when somebody asks. Made once for a job: what was read there outlives
// changes of the job, and is as it was then.
const yaml = {
  of: "",
  box: null
};
function yamlPanel(j) {
  if (yaml.of === keyOf(j)) return yaml.box;
  yaml.of = keyOf(j);
  const button = el("button", {
    type: "button",
    id: "yaml-read",
    title: "Reads the object now. managedFields are left out, and what looks like a secret is masked"
  },
      "Show the YAML");
  // A reader of screens is told that it is there, and not all of it at once.
  const said = el("p", {id: "yaml-said", class: "soft", role: "status"});
  const out = el("div", {id: "yaml"});
  const show = answer => {
    const text =
        el("pre", {id: "yaml-text", class: "log", tabindex: "0", role: "region", "aria-label": "YAML"}, answer);
    put(said, `${answer.trimEnd().split("\n").length} lines, read at ${new Date().toLocaleTimeString()}`);
    out.replaceChildren(copyButton("Copy: the YAML", answer, text), text);
  };
  const refuse = reason => {
    put(said, `It could not be read: ${reason}`);
    out.replaceChildren();
  };
  button.onclick = async () => {
    put(button, "Reading …");
    try {
      const answer = await fetch(`/api/v1/jobs/${pathOf(j)}/yaml`, {cache: "no-store"});
      if (answer.ok) show(await answer.text());
      else refuse((await answer.json()).error);
    } catch (failure) { refuse(failure.message); }
    put(button, "Show the YAML");
  };
  yaml.box = panel("YAML", button, said, out);
  return yaml.box;
}
