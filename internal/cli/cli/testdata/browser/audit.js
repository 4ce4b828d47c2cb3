// Says what is wrong with how a page looks, as it is shown now. It is no part of the page:
// the test runs it from outside. The value is an audit, see report_browser_test.go.
(() => {
  const seen = r => r.width > 0 && r.height > 0;
  const box = e => e.getBoundingClientRect();
  const short = s => s.trim().replace(/\s+/g, ' ').slice(0, 60);

  // [red, green, blue, opacity] of a computed colour, rgb(...) or rgba(...).
  const colour = s => {
    const v = s.match(/[\d.]+/g).map(Number);
    return [v[0], v[1], v[2], v.length > 3 ? v[3] : 1];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  // Relative luminance and contrast ratio: Web Content Accessibility Guidelines 2.2.
  const luminance = c => {
    const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };

  // What is behind an element: backgrounds of it and those around it, over the page's.
  const backdrop = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.unshift(colour(getComputedStyle(e).backgroundColor));
    return layers.reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  // What is behind a text of a drawing: filled shapes drawn before it under its middle.
  const behindText = (svg, text) => {
    const t = box(text), x = t.x + t.width / 2, y = t.y + t.height / 2;
    let under = backdrop(svg);
    for (const e of svg.querySelectorAll('rect, circle')) {
      const r = box(e), s = getComputedStyle(e);
      if (s.fill !== 'none' && e.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING && r.left <= x && x <= r.right && r.top <= y && y <= r.bottom) {
        const c = colour(s.fill);
        under = over([c[0], c[1], c[2], c[3] * s.fillOpacity], under);
      }
    }
    return under;
  };

  // Of two texts turned by the same angle, how far their lines are apart, in parts of their
  // height; undefined of others.
  const turned = (t, u) => {
    const [a, b] = [t, u].map(e => (e.getAttribute('transform') || '').match(/^rotate\((-?[\d.]+)/)).map(m => m && Number(m[1]));
    if (a === null || a !== b) return undefined;
    const at = (e, n) => Number(e.getAttribute(n)), angle = a * Math.PI / 180;
    return Math.abs((at(u, 'x') - at(t, 'x')) * Math.sin(angle) - (at(u, 'y') - at(t, 'y')) * Math.cos(angle)) / at(t, 'font-size');
  };

  const found = { width: innerWidth, scrollWidth: document.scrollingElement.scrollWidth, title: document.title, headings: [], figures: [], texts: 0,
    faint: [], overlaps: [], cut: [] };
  for (const h of document.querySelectorAll('h1, h2')) if (seen(box(h))) found.headings.push(short(h.textContent));
  const check = (text, ink, under) => {
    found.texts++;
    const ratio = contrast(over(ink, under), under);
    if (ratio < 4.5) found.faint.push(`${ratio.toFixed(2)}: ${short(text)}`);
  };

  // Words outside drawings.
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || e.closest('svg') || !seen(box(e))) continue;
    check(walk.currentNode.data, colour(getComputedStyle(e).color), backdrop(e));
  }

  for (const f of document.querySelectorAll('figure')) {
    const drawings = [...f.querySelectorAll('svg:not(svg svg)')].filter(s => seen(box(s)));
    found.figures.push({ name: f.id, drawings: drawings.length, marks: drawings.reduce((n, s) => n + s.querySelectorAll('rect, line, polyline, polygon, circle').length, 0) });
    for (const svg of drawings) {
      const frame = box(svg);
      const texts = [...svg.querySelectorAll('text')].filter(t => seen(box(t)));
      texts.forEach((t, i) => {
        const a = box(t);
        check(t.textContent, colour(getComputedStyle(t).fill), behindText(svg, t));
        if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1) found.cut.push(`${f.id}: ${short(t.textContent)}`);
        for (const u of texts.slice(i + 1)) {
          const b = box(u);
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          // The box of a text is higher than its letters by a few pixels.
          const apart = turned(t, u);
          if (apart === undefined ? wide > 1 && high > 4 : apart < 0.75 && wide > 1 && high > 1) found.overlaps.push(`${f.id}: ${short(t.textContent)} | ${short(u.textContent)}`);
        }
      });
    }
  }
  return found;
})()
