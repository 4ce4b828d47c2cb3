// The script of a report's page: it sorts, filters and unfolds tables, says values at the
// pointer, zooms plots. Without it the page reads the same.
'use strict';
(() => {
  const { abs, ceil, floor, log10, max, min } = Math;
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };

  // Values as chart.Unit.Text prints them.
  const scales = JSON.parse(document.getElementById('units').textContent);
  const fixed = (v, digits) => { // half to even, where toFixed goes away from zero
    const long = v.toFixed(digits + 25), cut = long.slice(0, digits ? -25 : -26);
    return /50{24}$/.test(long) && '02468'.includes(cut.at(-1)) ? cut : v.toFixed(digits);
  };
  const text = (v, unit) => {
    if (typeof v === 'string') return v;
    if (v === null) return '-';
    const names = scales[unit];
    if (names) {
      if (v === 0) return '0';
      let i = 0, digits = 3;
      for (; i + 1 < names.length && abs(v) >= 999.95; i++) v /= 1000;
      for (let a = abs(v); digits > 0 && a >= 9.9995; a /= 10) digits--;
      if (i === 0 && Number.isInteger(v)) digits = 0;
      return `${fixed(v, digits).replace(/\.0+$/, '')} ${names[i]}`.trim();
    }
    if (unit === '1') {
      const percent = Math.round(v * 1000) / 10;
      if (v > 0 && percent < 0.1) return '<0.1 %';
      if (v < 1 && percent >= 100) return '>99.9 %';
      return v === 1 ? '100 %' : percent.toFixed(1) + ' %';
    }
    if (unit === '' && Number.isInteger(v)) return String(v).replace(/\B(?=(\d{3})+$)/g, ',');
    const [mantissa, exponent] = v.toExponential(3).split('e').map(Number);
    if (exponent >= -4 && exponent < 4) return String(Number(v.toPrecision(4)));
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(abs(exponent)).padStart(2, '0')}`;
  };

  const none = v => typeof v !== 'number';

  // Tables.
  const collator = new Intl.Collator('en', { numeric: true });
  for (const section of every('section.table')) {
    const { first, columns, rows } = JSON.parse(section.querySelector('script').textContent);
    const body = section.querySelector('tbody');
    const all = rows.map(cells => ({ cells })), texts = r => r.texts ??= r.cells.map((c, i) => text(c, columns[i].unit));
    const classes = every('thead th', section).map(e => e.className), isWord = i => classes[i] !== 'n';
    let by = -1, down = false, open = false, words = [];
    const compare = ({ cells: a }, { cells: b }) => {
      const x = a[by], y = b[by], way = down ? -1 : 1;
      if (isWord(by)) return collator.compare(x, y) * way;
      return none(x) - none(y) || (x - y) * way; // no numbers come last
    };
    const element = row => make('tr', {}, ...texts(row).map((t, i) =>
      make(i ? 'td' : 'th', { textContent: t, className: classes[i], ...i ? {} : { scope: 'row' } })));
    const more = make('button', { className: 'more' }), told = make('output');
    const show = () => {
      const found = all.filter(r => words.every(w => texts(r).some(t => t.toLowerCase().includes(w))));
      if (by >= 0) found.sort(compare);
      body.replaceChildren(...(open ? found : found.slice(0, first)).map(element));
      more.hidden = found.length <= first;
      more.textContent = open ? `Show the first ${first}` : `Show all ${text(found.length, '')}`;
      told.textContent = `${text(found.length, '')} of ${text(all.length, '')}`;
    };
    const heads = every('thead th', section);
    heads.forEach((head, i) => {
      const textContent = head.textContent, onclick = () => {
        const falls = !isWord(i); // of numbers the largest matter
        if (by !== i) [by, down] = [i, falls];
        else if (down === falls) down = !falls;
        else by = -1;
        heads.forEach((h, k) => { h.ariaSort = k !== by ? null : down ? 'descending' : 'ascending'; });
        show();
      };
      head.replaceChildren(make('button', { textContent, onclick }));
    });
    if (all.length > first) {
      const title = section.querySelector('h2');
      const oninput = e => {
        words = e.target.value.toLowerCase().split(/\s+/);
        show();
      };
      const field = make('input', { type: 'search', placeholder: 'Filter', ariaLabel: `Filter ${title.textContent}`, oninput });
      title.after(make('p', { className: 'tools' }, field, told));
      section.querySelector('.folded').replaceWith(more);
      more.onclick = () => { open = !open; show(); };
      show();
    }
  }

  // What a mark says, in place of the browser's tip.
  const tip = make('div', { className: 'tip', hidden: true });
  document.body.append(tip);
  const say = (lines, x, y) => {
    tip.hidden = !lines.length;
    tip.textContent = lines.join('\n');
    const box = tip.getBoundingClientRect();
    const beside = (at, size, room) => max(4, at + 14 + size > room ? at - 14 - size : at + 14) + 'px';
    tip.style.left = beside(x, box.width, document.body.clientWidth);
    tip.style.top = beside(y, box.height, innerHeight);
  };
  const said = (e, svg) => {
    for (; e && e !== svg; e = e.parentElement) {
      const title = e.querySelector(':scope > title');
      if (title) e.dataset.tip = title.textContent, title.remove();
      if (e.dataset.tip) return [e.dataset.tip];
    }
    return [];
  };
  const hush = () => {
    tip.hidden = true;
    for (const c of every('.cross')) c.style.display = 'none';
  };
  addEventListener('scroll', hush);
  addEventListener('pointerdown', e => { if (!e.target.closest('svg.chart')) hush(); });

  // Values of line plots at a place of their axis.
  const lines = ({ keys, lines: { x: axis, y: { unit }, series } }) => v => [`${axis.label}: ${text(v, axis.unit)}`, ...series.flatMap(s => {
    const say = v => text(v, unit);
    let i = max(0, s.x.findLastIndex(x => x <= v));
    if (!['held', 'filled'].includes(s.shape) && s.x[i + 1] - v < v - s.x[i]) i++;
    if (none(s.y[i])) return [];
    const range = s.low && s.high && s.low[i] !== s.high[i] ? ` (${say(s.low[i])} to ${say(s.high[i])})` : '';
    return `${keys.find(k => k.id === s.key).name}: ${say(s.y[i])}${range}`;
  })];

  // Lanes are moved, not stretched: a span is as wide as its time, a gap between two stays as it is drawn.
  const lanes = svg => {
    const area = svg.querySelector('.area'), w = Number(area.getAttribute('width'));
    const all = [...area.children].map(e => {
      if (e.tagName === 'polyline') return { e, points: e.getAttribute('points').split(' ').map(p => p.split(',').map(Number)) };
      const own = Object.fromEntries(['x', 'width', 'd'].map(n => [n, e.getAttribute(n)]));
      return { e, own, x: Number(own.x), drawn: Number(own.width), span: Number(e.dataset.w), style: e.dataset.hatch };
    });
    return (from, size) => {
      const at = x => (x - from * w) / size, whole = size === 1;
      let span; // what a hatching or a name belongs to
      for (const p of all) {
        const { e } = p;
        if (p.points) e.setAttribute('points', p.points.map(([x, y]) => `${at(x)},${y}`).join(' '));
        else if (e.tagName === 'rect') {
          span = p;
          const x = max(-2, at(p.x)), end = min(w + 2, at(p.x + p.span)), gap = max(0, p.span - p.drawn);
          e.setAttribute('x', whole ? p.own.x : x);
          e.setAttribute('width', whole ? p.own.width : max(0.75, end - x - gap));
          e.style.display = !whole && (at(p.x) > w || at(p.x + max(p.span, p.drawn)) < 0) ? 'none' : '';
          p.shown = { x, w: end - x };
        } else if (e.tagName === 'path' && p.own.d) { // its lines are drawn anew
          const y = Number(span.e.getAttribute('y')), h = Number(span.e.getAttribute('height'));
          e.setAttribute('d', whole ? p.own.d : hatching(span.style, max(0, span.shown.x), y, min(w, span.shown.x + span.shown.w), y + h));
          e.style.display = span.e.style.display;
        } else if (e.tagName === 'text') {
          e.setAttribute('x', whole ? p.own.x : max(0, span.shown.x) + 3);
          e.style.display = whole || (span.e.style.display === '' && e.getComputedTextLength() < span.shown.w - 6) ? '' : 'none';
        }
      }
    };
  };
  const hatching = (style, left, top, right, bottom) => { // as chart/svg draws it
    let d = '';
    const stroke = (...p) => { d += `M${p[0]} ${p[1]}L${p[2]} ${p[3]}`; };
    if (style === 'upright') for (let k = ceil(left / 4 + 0.5) * 4; k < right - 1; k += 4) stroke(k, top, k, bottom);
    else {
      const sign = style === 'rising' ? 1 : -1;
      for (let k = ceil((sign * left + (sign > 0 ? top : top - (right - left))) / 6) * 6; k < sign * (sign > 0 ? right : left) + bottom; k += 6) {
        const [a, b] = [sign * (k - top), sign * (k - bottom)].sort((a, b) => a - b), x1 = max(left, a), x2 = min(right, b);
        if (x2 - x1 > 0.5) stroke(x1, k - sign * x1, x2, k - sign * x2);
      }
    }
    return d;
  };

  // Plots over an axis: values at the pointer, zoom along X. A view is part of the axis, 0 to 1. Drawn is called with one of least
  // size, where stretching the area would not do.
  const zoomed = (figure, drawings, axis, values, drawn, least) => {
    const bend = v => axis.log ? Math.log(v) : v, low = bend(axis.low), span = bend(axis.high) - low;
    const value = part => axis.log ? Math.exp(low + part * span) : low + part * span;
    let view = [0, 1], at = 0.5, drag = null;
    const shown = p => view[0] + p * (view[1] - view[0]); // part of the area -> part of the axis
    const clamp = p => min(1, max(0, p));
    const parts = new Map(drawings.map(svg => {
      const area = svg.querySelector('.area'), ticks = svg.querySelector('.ticks-x');
      const [x, y, w, h] = ['x', 'y', 'width', 'height'].map(n => Number(area.getAttribute(n)));
      const cross = document.createElementNS(svg.namespaceURI, 'rect');
      for (const [n, v] of Object.entries({ class: 'cross', y, height: h })) cross.setAttribute(n, v);
      svg.append(cross);
      return [svg, { area, ticks, x, y, w, h, cross, own: [...ticks.children], drawn: drawn?.(svg) }];
    }));
    const place = (svg, e) => { // of the pointer, as parts of the area
      const p = parts.get(svg), q = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return [(q.x - p.x) / p.w, (q.y - p.y) / p.h];
    };
    const mark = (from, to = from) => parts.forEach(p => {
      p.cross.style.display = 'inline';
      p.cross.setAttribute('x', p.x + from * p.w);
      p.cross.setAttribute('width', max(1, (to - from) * p.w));
    });

    // Ticks at multiples of 1, 2 and 5, in the unit of those drawn.
    const retick = p => {
      const label = p.own.findLast(e => e.tagName === 'text'), names = scales[axis.unit];
      const scale = names ? 1000 ** names.indexOf(text(axis.high, axis.unit).split(' ')[1] ?? '') : axis.unit === '1' ? 0.01 : 1;
      const [from, to] = view.map(value), rough = (to - from) / max(2, p.w / 110), ten = 10 ** floor(log10(rough));
      const step = max(ten * [1, 2, 5, 10].find(m => m * ten >= rough * 0.999), axis.whole ? 1 : 0);
      const digits = max(0, ceil(-log10(step / scale) - 1e-9));
      let all = [];
      if (axis.stops) all = axis.stops.filter(v => v >= from && v <= to);
      else if (axis.log && to / from > 50) for (let v = 10 ** ceil(log10(from)); v <= to; v *= 10) all.push(v);
      else for (let i = ceil(from / step); i * step <= to; i++) all.push(i * step);
      p.ticks.replaceChildren(...all.map(v => {
        const t = label.cloneNode();
        t.setAttribute('x', p.x + ((bend(v) - low) / span - view[0]) / (view[1] - view[0]) * p.w);
        t.textContent = axis.stops ? axis.stopped[axis.stops.indexOf(v)] : (v / scale).toFixed(digits);
        return t;
      }));
    };
    const look = (from, to) => {
      const size = min(1, max(to - from, least)), whole = size === 1;
      from = min(max(0, (from + to - size) / 2), 1 - size);
      view = [from, from + size];
      for (const p of parts.values()) {
        if (p.drawn) p.drawn(from, size);
        else p.area.setAttribute('viewBox', [from * p.w, 0, size * p.w, p.h].join(' '));
        if (whole) p.ticks.replaceChildren(...p.own);
        else retick(p);
        p.ticks.parentNode.classList.toggle('zoomed', !whole);
      }
      back.disabled = out.disabled = whole;
      hush();
    };
    const zoom = (factor, p = 0.5) => {
      const size = (view[1] - view[0]) * factor, from = shown(p) - p * size;
      look(from, from + size);
    };
    const button = (textContent, title, onclick) => make('button', { textContent, title, ariaLabel: title, onclick });
    const out = button('−', 'Zoom out', () => zoom(2)), back = button('All', 'Show all', () => look(0, 1));
    back.disabled = out.disabled = true;
    figure.querySelector('h2').after(make('div', { className: 'tools zoom' }, button('+', 'Zoom in', () => zoom(0.5)), out, back));

    const keysDown = (svg, e) => {
      const move = { ArrowLeft: -0.02, ArrowRight: 0.02 }[e.key];
      if (move) {
        const p = parts.get(svg), corner = new DOMPoint(p.x + (at = clamp(at + move)) * p.w, p.y).matrixTransform(svg.getScreenCTM());
        mark(at);
        say(values(value(shown(at))), corner.x, corner.y);
      } else if (e.key === '+') zoom(0.5, at);
      else if (e.key === '-') zoom(2, at);
      else if (e.key === 'Escape') look(0, 1);
      else return;
      e.preventDefault();
    };
    for (const svg of drawings) {
      svg.tabIndex = 0;
      svg.onkeydown = e => keysDown(svg, e);
      svg.onblur = hush;
      svg.ondblclick = () => look(0, 1);
      svg.onpointerup = e => {
        if (drag && drag.far) look(...drag.ends.map(shown));
        drag = null;
      };
    }
    return (svg, e) => { // the values at the pointer, or null while a range is drawn
      const [p, q] = place(svg, e), inside = p >= 0 && p <= 1 && q >= 0 && q <= 1;
      if (e.type === 'pointerdown' && inside && e.pointerType === 'mouse' && !e.button) {
        drag = { from: p, x: e.clientX };
        svg.setPointerCapture(e.pointerId);
      } else if (drag) {
        hush();
        drag.far = abs(e.clientX - drag.x) > 4;
        drag.ends = [drag.from, clamp(p)].sort((a, b) => a - b);
        mark(...drag.ends);
        return null;
      }
      if (!inside) hush();
      else mark(at = p);
      return inside ? values(value(shown(p))) : [];
    };
  };

  // Maps: the cell at the pointer.
  const cells = ({ rows, row_name, columns, column_name, x: axis, value, cells: all }) => (svg, e) => {
    const area = e.target.closest('.area');
    if (!area) return [];
    const [x, y, w, h] = ['x', 'y', 'width', 'height'].map(n => Number(area.getAttribute(n)));
    const { first, count } = area.dataset, n = all[0].length;
    const q = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const r = Number(first) + floor((q.y - y) / h * count), c = floor((q.x - x) / w * n), v = all[r]?.[c];
    if (v === undefined) return [];
    const when = axis && text(axis.low + (axis.high - axis.low) * c / n, axis.unit);
    return [axis ? `${rows[r]}, ${axis.label} from ${when}` : `${row_name} ${rows[r]} ${column_name} ${columns[c]}`,
      `${value.label}: ${v === null ? 'not counted' : text(v, value.unit)}`];
  };

  for (const figure of every('figure')) {
    const drawings = every('svg.chart', figure), json = figure.querySelector('script');
    const shown = json && drawings.length ? JSON.parse(json.textContent) : {};
    const values = shown.lines ? zoomed(figure, drawings, shown.lines.x, lines(shown), null, 1e-5)
      : shown.lanes ? zoomed(figure, drawings, shown.lanes.x, v => [`${shown.lanes.x.label}: ${text(v, shown.lanes.x.unit)}`], lanes, 0.01)
        : shown.map ? cells(shown.map) : () => [];
    for (const svg of drawings) {
      svg.onpointermove = svg.onpointerdown = e => {
        const found = values(svg, e);
        if (found) say([...found, ...said(e.target, svg)], e.clientX, e.clientY);
      };
      svg.onpointerleave = e => { if (e.pointerType === 'mouse') hush(); };
    }
  }

  // Several jobs: what is of one of them is shown where it is chosen.
  const jobs = [...new Set(every('[data-job]').map(e => e.dataset.job))];
  if (jobs.length > 1) {
    const tabs = make('p', { className: 'tools jobs' }, 'Job'), choose = job => {
      for (const e of every('[data-job]')) e.hidden = job !== '' && e.dataset.job !== job;
      for (const b of every('button', tabs)) b.ariaPressed = b.value === job;
    };
    tabs.role = 'group';
    tabs.ariaLabel = 'Job';
    tabs.append(...[...jobs, ''].map(value => make('button', { value, textContent: value || 'all', onclick: () => choose(value) })));
    document.getElementById('answer').append(tabs);
    choose(document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest('[data-job]')?.dataset.job ?? jobs[0]);
    addEventListener('beforeprint', () => choose(''));
  }

  // In columns figures stand close below each other: each takes as many low rows of its grid as it is high.
  const inside = grid => [...grid.children].flatMap(e => getComputedStyle(e).display === 'contents' ? [...e.children] : e);
  const pack = on => {
    for (const grid of every('main, .figures')) {
      const { display, gridTemplateColumns } = getComputedStyle(grid), packed = on && display === 'grid' && gridTemplateColumns.includes(' ');
      grid.classList.toggle('packed', packed);
      for (const e of display === 'contents' ? [] : inside(grid)) {
        const { height } = e.getBoundingClientRect(), { marginTop, marginBottom } = getComputedStyle(e);
        e.style.gridRow = packed && height ? `span ${ceil((height + parseFloat(marginTop) + parseFloat(marginBottom)) / 4)}` : '';
      }
    }
  };
  const sized = new ResizeObserver(() => pack(true));
  for (const e of every('main > *, .figures > *')) sized.observe(e);
  addEventListener('beforeprint', () => pack(false));
  addEventListener('afterprint', () => pack(true));

  // Paper does not unfold.
  addEventListener('beforeprint', () => every('figure details').forEach(d => { d.open = true; }));
})();
