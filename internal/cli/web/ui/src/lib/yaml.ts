// Where a place of a scenario lies among its keys, also while a line is half written: a parser of YAML gives up there. Scenarios
// are YAML without anchors, tags and several documents; block scalars hold texts of networks.

export type Path = (string | number)[];

// A Key is one that is written: it lies at from to end, in the mapping at path.
export interface Key { path: Path; name: string; from: number; to: number; value: number }

// A Place is where something is typed: a key of the mapping at path, or the value at path. What is typed begins at from.
export interface Place { path: Path; key: boolean; from: number }

// A level of blocks: what lies further in than column belongs to path. index counts the items of a list.
interface Level { column: number; path: Path; index: number; item: boolean }
// A flow is what is open of { and [.
interface Flow { list: boolean; path: Path; index: number; name: string | null; from: number }

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'[\]{},&*!|>%@`-](?:[^:#]|:(?=\S)|(?<=\S)#)*?|-(?=\S)[^:#]*?)\s*:(?=\s|$)/;

export const plain = (s: string) => (/^["']/.test(s) ? s.slice(1, s.endsWith(s[0]) && s.length > 1 ? -1 : undefined) : s);

// A reader goes through a text line by line.
class Reader {
  keys: Key[] = [];
  private levels: Level[] = [];
  private flows: Flow[] = [];
  private quote = ""; // a quoted text in a flow that goes on
  private text = -1; // column of the key whose value is a block scalar; -1: none
  place: Place = { path: [], key: true, from: 0 };

  // line reads one that begins at start. Its end may be where somebody types: then what is there is in place.
  line(line: string, start: number) {
    let column = line.length - line.trimStart().length;
    const blank = column === line.length;
    if (this.flows.length) return this.flow(line, 0, start);
    if (this.text >= 0) {
      if (blank || column > this.text) {
        this.place = { path: this.top(column).path, key: false, from: start + column };
        return;
      }
      this.text = -1;
    }
    if (blank || line[column] === "#") {
      const l = this.top(column);
      this.place = { path: blank ? l.path : [], key: blank, from: start + column };
      return;
    }
    for (;;) {
      const rest = line.slice(column);
      if (/^-(\s|$)/.test(rest)) {
        while (this.levels.length && (this.last().column > column || (this.last().column === column && this.last().item))) this.levels.pop();
        const parent = this.levels.length ? this.last() : { column: -1, path: [], index: 0, item: false };
        const path = [...parent.path, parent.index++];
        this.levels.push({ column, path, index: 0, item: true });
        const skip = rest.slice(1).length - rest.slice(1).trimStart().length;
        column += 1 + skip;
        this.place = { path, key: true, from: start + column };
        if (column >= line.length || line[column] === "#") return;
        continue;
      }
      const m = KEY.exec(rest);
      if (!m) return this.value(line, column, start, this.top(column).path, true);
      const path = this.top(column).path;
      this.levels = this.levels.filter((l) => l.column < column);
      const own = [...path, plain(m[1])];
      const after = column + m[0].length;
      const value = after + (line.slice(after).length - line.slice(after).trimStart().length);
      this.keys.push({ path, name: plain(m[1]), from: start + column, to: start + column + m[1].length, value: start + value });
      this.levels.push({ column, path: own, index: 0, item: false });
      if (/^[|>][-+0-9]*\s*(#.*)?$/.test(line.slice(value))) this.text = column;
      this.value(line, value, start, own, false);
      return;
    }
  }

  private last = () => this.levels[this.levels.length - 1];

  // top is the level that what begins at a column belongs to.
  private top(column: number): Level {
    for (let i = this.levels.length - 1; i >= 0; i--) if (this.levels[i].column < column) return this.levels[i];
    return { column: -1, path: [], index: 0, item: false };
  }

  // value reads what follows a key or a dash. It may yet become a key, if nothing but it is on its line.
  private value(line: string, at: number, start: number, path: Path, key: boolean) {
    this.place = { path, key, from: start + at };
    if (line[at] === "{" || line[at] === "[") {
      this.flows = [];
      this.flow(line, at, start, path);
    } else if (/(^|\s)#/.test(line.slice(at))) this.place = { path: [], key: false, from: start + line.length };
  }

  private flow(line: string, at: number, start: number, path: Path = []) {
    for (let i = at; i < line.length; i++) {
      const c = line[i], f = this.flows[this.flows.length - 1];
      if (this.quote) {
        if (c === "\\" && this.quote === '"') i++;
        else if (c === this.quote) this.quote = "";
        continue;
      }
      if (c === "{" || c === "[") {
        const below = !f ? path : f.list ? [...f.path, f.index] : [...f.path, f.name ?? ""];
        this.flows.push({ list: c === "[", path: below, index: 0, name: null, from: start + i + 1 });
      } else if (c === "}" || c === "]") {
        this.flows.pop();
        if (!this.flows.length) {
          this.place = { path: [], key: false, from: start + line.length };
          return;
        }
      } else if (c === ",") {
        f.index++;
        [f.name, f.from] = [null, start + i + 1];
      } else if (c === '"' || c === "'") {
        if (!line.slice(f.from - start, i).trim()) this.quote = c;
      } else if (c === "#" && (i === 0 || /\s/.test(line[i - 1]))) {
        this.place = { path: [], key: false, from: start + line.length };
        return;
      } else if (c === ":" && !f.list && f.name === null && (i + 1 === line.length || /[\s,{}[\]]/.test(line[i + 1]))) {
        const name = line.slice(Math.max(0, f.from - start), i);
        const from = i - name.trimStart().length;
        f.name = plain(name.trim());
        const rest = line.slice(i + 1);
        this.keys.push({ path: f.path, name: f.name, from: start + from, to: start + i - (name.length - name.trimEnd().length),
          value: start + i + 1 + rest.length - rest.trimStart().length });
        f.from = start + i + 1;
      }
    }
    const f = this.flows[this.flows.length - 1];
    if (f && f.from < start) f.from = start; // what follows begins in the next line
    if (!f) return;
    const typed = line.slice(Math.max(0, f.from - start));
    const from = start + line.length - typed.trimStart().length;
    this.place = { path: f.list ? [...f.path, f.index] : f.name === null ? f.path : [...f.path, f.name], key: !f.list && f.name === null, from };
  }
}

function read(text: string): Reader {
  const r = new Reader();
  let start = 0;
  for (const line of text.split("\n")) {
    r.line(line.endsWith("\r") ? line.slice(0, -1) : line, start);
    start += line.length + 1;
  }
  return r;
}

// keys lists the keys of a text.
export const keys = (text: string): Key[] => read(text).keys;

// placeAt says what would be typed at an offset.
export const placeAt = (text: string, offset: number): Place => read(text.slice(0, offset)).place;

// keyAt is the key that lies at an offset, if one does.
export const keyAt = (text: string, offset: number): Key | undefined => keys(text).find((k) => k.from <= offset && offset <= k.to);
