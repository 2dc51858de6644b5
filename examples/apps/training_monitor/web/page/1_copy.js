// A button that copies a text that stands somewhere on the page.
function copyButton(label, text, shownIn) {
  const copy = el("button", {type: "button", "aria-label": label}, "Copy");
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      put(copy, "Copied");
    } catch {
      getSelection().selectAllChildren(shownIn);  // not over plain HTTP: at least it is selected
      put(copy, "Selected");
    }
    setTimeout(() => put(copy, "Copy"), 2000);
  };
  return copy;
}
