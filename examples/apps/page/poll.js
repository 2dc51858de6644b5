// A page whose server is asked again and again. While nothing comes, or nothing that can be relied on, it says so.
const EVERY = 5000, PATIENCE = 8000;  // milliseconds
const link = {since: null, why: "", timer: 0};

async function get(path) {
  const answer = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)});
  if (!answer.ok) throw new Error(answer.status === 401 ? "it asks for a login; reload this page to give it" : `it answers ${answer.status}`);
  return answer.json();
}
// The function that asks now. `read` asks and keeps what comes, and throws where it can't be relied on; `draw` draws all;
// `news` is what stands in the title of the tab while the link is live, empty: nothing.
function polling(name, read, draw, news) {
  const drawLink = () => {
    const is = link.since ? "lost" : "live", word = link.since ? "Disconnected" : news();
    document.body.dataset.link = $("link").dataset.is = is;
    put($("link-text"), is === "live" ? "Live" : "Disconnected");
    show($("lost"), is === "lost");
    if (link.since) put($("lost-since"), `Disconnected since ${clock(link.since)}: ${link.why}.`);
    document.title = word ? `${word}: ${name}` : name;
  };
  const once = async () => {
    clearTimeout(link.timer);
    try {
      await read();
      link.since = null;
    } catch (failure) {
      link.since ??= new Date();
      link.why = failure.name === "TimeoutError" ? "nothing came in time" : failure instanceof TypeError ? "it does not answer" : failure.message;
    }
    drawLink();
    draw();
    link.timer = setTimeout(poll, document.hidden ? 15000 : EVERY);
  };
  // One after another: what was asked for later is what is shown.
  let last = Promise.resolve();
  const poll = () => last = last.then(once);
  $("try").onclick = poll;
  addEventListener("online", poll);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) poll();
  });
  return poll;
}
