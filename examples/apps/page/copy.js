// A button that copies a text that stands somewhere on the page, or may be made to.
function copyButton(label, text, shownIn, word = "Copy") {
  const copy = el("button", {type: "button", "aria-label": label}, word);
  copy.onclick = async () => {
    const now = typeof text === "function" ? text() : text;
    try {
      await navigator.clipboard.writeText(now);
      put(copy, "Copied");
    } catch {
      if (shownIn.hidden) put(shownIn, now), show(shownIn, true);
      getSelection().selectAllChildren(shownIn);  // not over plain HTTP: at least it is selected
      put(copy, "Selected");
    }
    setTimeout(() => put(copy, word), 2000);
  };
  return copy;
}
