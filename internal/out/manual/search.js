"use strict";
// Parts of pages are [file, place, page, heading, text]. A part is found if it has every word; those with words in
// their heading or in their page's come first, then those with more of them.
const words = q => q.toLowerCase().split(/\s+/).filter(w => w);
const count = (text, w) => text.toLowerCase().split(w).length - 1;
function found(q) {
  const all = words(q), hits = [];
  if (!all.length) return hits;
  parts.forEach((p, i) => {
    let score = p[0].startsWith("examples/") ? -15 : 0; // pages come first
    for (const w of all) {
      const heading = count(p[3], w), page = count(p[2], w), text = count(p[4], w);
      if (!heading && !page && !text) return;
      score += 20 * Math.min(heading, 1) + 10 * Math.min(page, 1) + Math.min(text, 5);
    }
    hits.push([score, i]);
  });
  return hits.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(h => parts[h[1]]);
}
function around(text, q) {
  const at = Math.max(0, Math.min(...words(q).map(w => text.toLowerCase().indexOf(w)).filter(i => i >= 0), text.length) - 60);
  return (at ? "... " : "") + text.slice(at, at + 200) + (text.length > at + 200 ? " ..." : "");
}
function show(q) {
  const most = 40, hits = found(q), list = document.getElementById("found");
  list.replaceChildren(...hits.slice(0, most).map(p => {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("span");
    link.href = p[0] + (p[1] && "#" + p[1]);
    link.textContent = p[2] === p[3] ? p[2] : p[2] + ": " + p[3];
    text.textContent = around(p[4], q);
    item.append(link, document.createElement("br"), text);
    return item;
  }));
  const said = hits.length === 1 ? "1 part" : hits.length + " parts";
  document.getElementById("said").textContent = !words(q).length ? "Words that a part of a page must have:" :
    hits.length > most ? said + "; the first " + most + ":" : said;
}
const ask = document.getElementById("ask").elements.q;
ask.value = new URLSearchParams(location.search).get("q") || "";
ask.addEventListener("input", () => show(ask.value));
show(ask.value);
