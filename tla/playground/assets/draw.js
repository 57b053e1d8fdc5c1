// Pictures: the data of a figure becomes a scene, cells and labels with their places, and a scene becomes
// SVG, or a canvas if its cells are many. No algebra happens here.
"use strict";

const MANY = 2000; // cells above which a canvas draws them
const HIGH = 28; // the height of a cell, and its least width
const SMALL = 10; // the size of letters where cells are narrow
const LINE = 18; // from one line of labels to the next
const INK = "#1b1f24";
const MONO = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

const letter = (() => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = MONO;
  return context.measureText("0123456789").width / 10;
})();
const wide = (text, size = 12) => (text.length * letter * size) / 12;
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// --- scenes ---------------------------------------------------------------------------------------

/** The runs of equal values of a level: [value, start, end]. */
function runs(level) {
  const found = [];
  for (let i = 0, start = 0; i < level.length; i++)
    if (i + 1 === level.length || level[i + 1] !== level[start]) {
      found.push([String(level[start]), start, i + 1]);
      start = i + 1;
    }
  return found;
}

function gridScene(grid, room, zoom) {
  const rows = grid.offsets.length;
  const columns = rows ? grid.offsets[0].length : 0;
  const texts = grid.offsets.flat().map((offset, i) => grid.texts?.[i] ?? String(offset));
  const longest = Math.max(0, ...texts.map((text) => text.length));
  const needed = (size) => Math.max(22, Math.ceil((longest * letter * size) / 12) + (size === 12 ? 10 : 4));
  const aside = grid.rows ? 14 + grid.rows.levels.length * 16 : 1;
  const fitted = Math.max(5, Math.floor((room - aside - 4) / columns));
  const font = needed(12) <= fitted || needed(SMALL) > fitted * 1.5 ? 12 : SMALL;
  const least = needed(font); // the least width with text
  const natural = Math.max(HIGH, least);
  const canZoom = least > fitted;
  const w = Math.min(natural, canZoom ? Math.round(fitted * zoom) : fitted);
  const h = Math.min(HIGH, Math.max(w, canZoom && rows * columns > MANY ? 5 : 14));
  const columnLevels = levelsOf(grid.columns, w, true);
  const rowLevels = grid.rows ? levelsOf(grid.rows, h, false) : [];
  const beside = rowLevels.map((labels) => 10 + Math.ceil(Math.max(...labels.map(({ text }) => wide(text, 11)))));
  const left = beside.reduce((sum, each) => sum + each, 0) + (beside.length ? 4 : 1);
  const top = LINE * columnLevels.length + 4;
  const scene = { width: left + columns * w + 3, height: top + rows * h + 3, labels: [], lines: [], cells: [], canZoom, font, isMany: rows * columns > MANY, isText: w >= least };
  columnLevels.forEach((labels, level) => {
    const y = LINE * level + 12;
    for (const { text, start, end, isOuter } of labels) {
      scene.labels.push({ x: left + ((start + end) / 2) * w, y, text, isOuter, anchor: "middle" });
      if (isOuter) scene.lines.push([left + start * w + 3, y + 4.5, left + end * w - 3, y + 4.5, "rule"]);
    }
  });
  rowLevels.forEach((labels, level) => {
    const x = beside.slice(0, level + 1).reduce((sum, each) => sum + each, 0);
    for (const { text, start, end, isOuter } of labels) {
      scene.labels.push({ x: x - 5, y: top + ((start + end) / 2) * h + 4, text, isOuter, anchor: "end" });
      if (isOuter) scene.lines.push([x - 0.5, top + start * h + 3, x - 0.5, top + end * h - 3, "rule"]);
    }
  });
  if (grid.corner && !canZoom) scene.labels.push({ x: left - 6, y: top - 10, text: grid.corner, anchor: "end" });
  const padding = new Set(grid.padding);
  const marks = new Set(grid.marks);
  const outer = grid.at.map((i) => `${i},`).join("");
  for (let i = 0, k = 0; i < rows; i++)
    for (let j = 0; j < columns; j++, k++) {
      const name = grid.columns.names[j];
      const elements = grid.elements?.[k];
      scene.cells.push({
        x: left + j * w, y: top + i * h, w, h,
        text: texts[k],
        fill: padding.has(k) ? "" : grid.colours[grid.fills[k]],
        isPadding: padding.has(k),
        isMarked: marks.has(k),
        keys: elements ? elements.map((e) => `e${e}`) : [`o${grid.offsets[i][j]}`],
        coordinate: grid.rows ? `(${outer}${grid.rows.names[i]},${name})` : name,
        value: grid.offsets[i][j],
      });
    }
  const right = left + columns * w, bottom = top + rows * h;
  for (const [at, level] of visibleBorders(grid.columns.borders, w)) scene.lines.push([left + at * w, top, left + at * w, bottom, `tile${level}`]);
  if (grid.rows) for (const [at, level] of visibleBorders(grid.rows.borders, h)) scene.lines.push([left, top + at * h, right, top + at * h, `tile${level}`]);
  scene.frame = [left, top, right - left, bottom - top];
  scene.columns = columns;
  scene.hit = (px, py) => {
    const j = Math.floor((px - left) / w), i = Math.floor((py - top) / h);
    return i >= 0 && i < rows && j >= 0 && j < columns ? i * columns + j : -1;
  };
  return scene;
}

/** The labels of an axis, level by level, the outermost first. Where digits have no room, some places
 * are numbered instead. */
function levelsOf(axis, size, isAcross) {
  const room = (labels) => Math.max(...labels.map(({ text }) => (isAcross ? wide(text, 11) + 5 : 13)));
  const levels = axis.levels.map((level, k) => runs(level).map(([text, start, end]) => ({ text, start, end, isOuter: k + 1 < axis.levels.length })));
  const inner = levels.pop();
  const outer = levels.filter((labels) => Math.min(...labels.map(({ start, end }) => (end - start) * size)) >= room(labels));
  if (size >= room(inner)) return [...outer, inner];
  const count = axis.names.length;
  let step = 1;
  while (step * size < (isAcross ? wide(String(count), 11) + 8 : 15)) step *= 2;
  const ticks = Array.from({ length: Math.ceil(count / step) }, (_, i) => ({ text: String(i * step), start: i * step, end: i * step + 1, isOuter: false }));
  return [...outer, ticks];
}

/** The borders of tiles, without levels so close that they would hide the cells. */
function visibleBorders(borders, size) {
  let left = borders;
  while (left.length) {
    let before = 0, least = Infinity;
    for (const [at] of left) [least, before] = [Math.min(least, at - before), at];
    if (least * size >= 8) break;
    const smallest = Math.min(...left.map(([, level]) => level));
    left = left.filter(([, level]) => level > smallest);
  }
  return left;
}

/** The texts of the places of memory, and the width that they need. Where places are many and texts long,
 * a place has its offset alone. */
function stripTexts(strip) {
  const texts = strip.places.map(([, names, hits]) => (hits ? names[0] + (hits > 1 ? ` +${hits - 1}` : "") : ""));
  const longest = Math.max(...texts.map((text) => text.length));
  const isDense = strip.places.length > 32 && longest > 5;
  const widest = Math.max(wide(String(strip.end - 1), 11), isDense ? 0 : longest * letter);
  return { texts, isDense, needed: Math.max(HIGH, Math.ceil(widest) + 10) };
}

function stripScene(strip, room, least) {
  const { texts, isDense, needed } = stripTexts(strip);
  const w = Math.max(needed, least);
  const fit = Math.max(1, Math.floor((room - 4) / w));
  const columns = strip.places.length <= fit ? strip.places.length : 2 ** Math.floor(Math.log2(fit));
  const above = isDense ? 0 : LINE, step = HIGH + above + (isDense ? 3 : 6);
  const rows = Math.ceil(strip.places.length / columns);
  const scene = { width: columns * w + 3, height: rows * step + 2, labels: [], lines: [], cells: [], isMany: false, isText: true, font: 12, columns, gap: true };
  strip.places.forEach(([offset, names, hits, valid, fill, isMarked], k) => {
    const x = 1 + (k % columns) * w, y = 1 + Math.floor(k / columns) * step + above;
    if (!isDense) scene.labels.push({ x: x + w / 2, y: y - 5, text: String(offset), anchor: "middle" });
    const text = isDense ? String(offset) : texts[k];
    scene.cells.push({ x, y, w, h: HIGH, text, fill, isPadding: hits > 0 && !valid, isHole: !hits, isMarked, keys: [`o${offset}`], names, hits, value: offset });
  });
  scene.hit = (px, py) => {
    const j = Math.floor((px - 1) / w), i = Math.floor(py / step), k = i * columns + j;
    return j >= 0 && j < columns && i >= 0 && k < strip.places.length ? k : -1;
  };
  return scene;
}

// --- pictures -------------------------------------------------------------------------------------

const NS = "http://www.w3.org/2000/svg";
let hatches = 0;

/** One picture: a scene that is drawn, and what a pointer or a key does in it. */
class Picture {
  constructor(build, title, stage) {
    Object.assign(this, { build, title, stage, zoom: 1, cursor: -1 });
    this.element = document.createElement("div");
    this.element.className = "picture";
    this.box = document.createElement("div");
    this.box.className = "scroller";
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "application");
    this.box.setAttribute("aria-roledescription", "grid of cells");
    this.box.setAttribute("aria-label", `${title || "a picture"}: arrow keys go from cell to cell, space selects`);
    this.element.append(this.box);
    this.listen();
  }

  draw(room) {
    this.room = room;
    this.scene = this.build(room, this.zoom);
    this.index = new Map();
    this.scene.cells.forEach((cell, i) => cell.keys.forEach((key) => (this.index.get(key) ?? this.index.set(key, []).get(key)).push(i)));
    this.box.replaceChildren();
    this.element.querySelector(".tools")?.remove();
    if (this.scene.isMany) this.drawCanvas();
    else this.drawVector();
    if (this.scene.canZoom) this.drawTools();
    this.paint();
  }

  drawVector() {
    const { width, height, cells, labels, lines, frame, isText, font } = this.scene;
    const id = `hatch${hatches++}`;
    const parts = [`<defs><pattern id="${id}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatching" x1="0" y1="0" x2="0" y2="7"/></pattern></defs>`];
    for (const c of cells) {
      const kind = c.isHole ? "hole" : c.isPadding ? "padding" : c.fill ? "cell" : "plain";
      parts.push(`<rect class="${kind}" x="${c.x}" y="${c.y}" width="${c.w}" height="${c.h}"${c.fill && !c.isPadding ? ` fill="${c.fill}"` : ""}/>`);
      if (kind === "hole" || kind === "padding") parts.push(`<rect x="${c.x}" y="${c.y}" width="${c.w}" height="${c.h}" fill="url(#${id})"/>`);
    }
    for (const [x1, y1, x2, y2, kind] of lines) parts.push(`<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`);
    if (frame) parts.push(`<rect class="frame" x="${frame[0]}" y="${frame[1]}" width="${frame[2]}" height="${frame[3]}"/>`);
    parts.push(`<g class="lit"></g>`);
    for (const c of cells) {
      if (c.text && isText) parts.push(`<text class="${c.fill && !c.isPadding ? "on" : "off"}" ${font === 12 ? "" : `style="font-size:${font}px" `}x="${c.x + c.w / 2}" y="${c.y + c.h / 2 + font / 3}">${escaped(c.text)}</text>`);
      if (c.isMarked) parts.push(`<rect class="mark" x="${c.x + 2}" y="${c.y + 2}" width="${c.w - 4}" height="${c.h - 4}"/>`);
    }
    for (const l of labels) parts.push(`<text class="${l.isOuter ? "outer" : "axis"}" text-anchor="${l.anchor}" x="${l.x}" y="${l.y}">${escaped(l.text)}</text>`);
    const svg = document.createElementNS(NS, "svg");
    for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
    svg.innerHTML = parts.join("");
    this.box.append(svg);
    this.surface = svg;
    this.overlay = svg.querySelector(".lit");
    this.canvas = null;
  }

  drawCanvas() {
    const spacer = document.createElement("div");
    spacer.className = "spacer";
    const high = Math.min(this.scene.height, Math.max(320, window.innerHeight * 0.7));
    spacer.style.cssText = `width:${this.scene.width}px;height:${this.scene.height}px`;
    this.box.style.height = `${high + 14}px`;
    this.canvas = document.createElement("canvas");
    spacer.append(this.canvas);
    this.box.append(spacer);
    this.surface = spacer;
    this.box.onscroll = () => this.paint();
  }

  drawTools() {
    const tools = document.createElement("div");
    tools.className = "tools";
    const note = this.scene.isText ? "" : "enlarge to read offsets";
    tools.innerHTML = `<button type="button" aria-label="make cells smaller">−</button><button type="button" aria-label="make cells larger">+</button><span>${note}</span>`;
    const [less, more] = tools.querySelectorAll("button");
    less.onclick = () => this.enlarge(1 / 1.5);
    more.onclick = () => this.enlarge(1.5);
    this.element.prepend(tools);
  }

  enlarge(by) {
    if (!this.scene.canZoom) return;
    const was = this.element.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    this.zoom = Math.min(12, Math.max(1, this.zoom * by));
    this.draw(this.room);
    if (was) [...this.element.querySelectorAll("[aria-label]")].find((e) => e.getAttribute("aria-label") === was)?.focus();
  }

  /** Show which cells are pointed at, selected, or have the cursor. */
  paint() {
    if (!this.surface) return;
    const of = (keys) => [...new Set([...keys].flatMap((key) => this.index.get(key) ?? []))];
    const lit = of(this.stage.pointed), chosen = of(this.stage.selected);
    this.lit = lit;
    if (this.canvas) return this.paintCanvas(new Set(lit), new Set(chosen));
    const outline = (kind) => (i) => {
      const c = this.scene.cells[i];
      return `<rect class="${kind}" x="${c.x + 1}" y="${c.y + 1}" width="${c.w - 2}" height="${c.h - 2}"/>`;
    };
    const cursor = this.cursor >= 0 && document.activeElement === this.box ? [this.cursor].map(outline("cursor")) : [];
    this.overlay.innerHTML = [...chosen.map(outline("chosen")), ...lit.map(outline("pointed")), ...cursor].join("");
  }

  paintCanvas(lit, chosen) {
    const { scene, box, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.min(box.clientWidth || scene.width, scene.width), Math.min(box.clientHeight || 600, scene.height)];
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
      canvas.style.cssText = `width:${w}px;height:${h}px`;
    }
    const g = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    g.setTransform(ratio, 0, 0, ratio, -box.scrollLeft * ratio, -box.scrollTop * ratio);
    g.clearRect(box.scrollLeft, box.scrollTop, w, h);
    const isSeen = (x, y, width, height) => x + width >= box.scrollLeft && x <= box.scrollLeft + w && y + height >= box.scrollTop && y <= box.scrollTop + h;
    const plain = colour("--cell"), hatch = colour("--hatch"), line = colour("--grid-line"), ink = colour("--ink"), faint = colour("--faint");
    g.font = MONO;
    g.textAlign = "center";
    g.lineWidth = 0.5;
    const seen = [];
    scene.cells.forEach((c, i) => isSeen(c.x, c.y, c.w, c.h) && seen.push(i));
    for (const i of seen) {
      const c = scene.cells[i];
      g.fillStyle = c.isPadding ? hatch : c.fill || plain;
      g.fillRect(c.x, c.y, c.w, c.h);
      if (c.w > 9) {
        g.strokeStyle = line;
        g.strokeRect(c.x, c.y, c.w, c.h);
      }
      if (scene.isText) {
        g.fillStyle = c.fill && !c.isPadding ? INK : c.isPadding ? faint : ink;
        g.font = MONO.replace("12px", `${scene.font}px`);
        g.fillText(c.text, c.x + c.w / 2, c.y + c.h / 2 + 4);
      }
    }
    for (const [x1, y1, x2, y2, kind] of scene.lines) {
      if (!isSeen(Math.min(x1, x2), Math.min(y1, y2), Math.abs(x2 - x1), Math.abs(y2 - y1))) continue;
      g.strokeStyle = kind === "rule" ? faint : colour("--frame");
      g.lineWidth = { rule: 1, tile1: 1.2, tile2: 2.4 }[kind] ?? 3;
      g.beginPath();
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
      g.stroke();
    }
    g.fillStyle = colour("--quiet");
    g.font = MONO.replace("12px", "11px");
    for (const l of scene.labels) {
      if (!isSeen(l.x - 40, l.y - 12, 80, 14)) continue;
      g.textAlign = l.anchor === "middle" ? "center" : l.anchor;
      g.fillText(l.text, l.x, l.y);
    }
    const ring = (i, paint, size) => {
      const c = scene.cells[i];
      g.strokeStyle = paint;
      g.lineWidth = size;
      g.strokeRect(c.x + 0.5, c.y + 0.5, c.w - 1, c.h - 1);
    };
    for (const i of seen) {
      if (scene.cells[i].isMarked) ring(i, colour("--mark"), 2);
      if (chosen.has(i)) ring(i, colour("--chosen"), 2.5);
      if (lit.has(i)) ring(i, colour("--lit"), 3);
    }
    if (this.cursor >= 0 && document.activeElement === box) ring(this.cursor, ink, 2);
  }

  // --- pointers and keys ---

  at(event) {
    const { left, top } = this.surface.getBoundingClientRect();
    return this.scene.hit(event.clientX - left, event.clientY - top);
  }

  /** The cells between two: a block of a grid, or a stretch of memory. */
  between(a, b) {
    const { columns, gap } = this.scene;
    if (gap) return Array.from({ length: Math.abs(a - b) + 1 }, (_, i) => Math.min(a, b) + i);
    const [i1, i2] = [Math.floor(a / columns), Math.floor(b / columns)].sort((x, y) => x - y);
    const [j1, j2] = [a % columns, b % columns].sort((x, y) => x - y);
    const all = [];
    for (let i = i1; i <= i2; i++) for (let j = j1; j <= j2; j++) all.push(i * columns + j);
    return all;
  }

  listen() {
    let anchor = -1, from = -1, before = new Set(), isAdding = true;
    const keysOf = (indices) => indices.flatMap((i) => this.scene.cells[i].keys);
    const choose = (indices) => {
      const keys = new Set(before);
      for (const key of keysOf(indices)) isAdding ? keys.add(key) : keys.delete(key);
      this.stage.select(keys, this, indices[indices.length - 1]);
    };
    const begin = (i, event) => {
      const isMore = event.ctrlKey || event.metaKey;
      before = isMore || event.shiftKey ? new Set(this.stage.selected) : new Set();
      isAdding = !isMore || !keysOf([i]).every((key) => before.has(key));
      const isSame = !isMore && !event.shiftKey && this.stage.selected.size && keysOf([i]).every((key) => this.stage.selected.has(key)) && this.stage.selected.size === keysOf([i]).length;
      if (isSame) return this.stage.select(new Set(), this, -1);
      if (!event.shiftKey || anchor < 0) anchor = i;
      choose(this.between(anchor, i));
    };
    this.box.addEventListener("pointermove", (event) => {
      const i = this.at(event);
      if (from >= 0 && i >= 0 && event.buttons) choose(this.between(anchor, i));
      this.stage.point(this, i);
    });
    this.box.addEventListener("pointerleave", () => this.stage.point(this, -1));
    this.box.addEventListener("pointerdown", (event) => {
      const i = this.at(event);
      if (event.button || i < 0) return;
      from = this.cursor = i;
      begin(i, event);
    });
    window.addEventListener("pointerup", () => (from = -1), { signal: this.stage.ended });
    this.box.addEventListener("focus", () => {
      if (this.cursor < 0) this.cursor = 0;
      this.stage.point(this, this.cursor);
    });
    this.box.addEventListener("blur", () => this.stage.point(this, -1));
    this.box.addEventListener("keydown", (event) => {
      const { columns, cells } = this.scene;
      const row = Math.floor(this.cursor / columns);
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: row * columns - this.cursor, End: Math.min(cells.length, (row + 1) * columns) - 1 - this.cursor };
      if (event.key in steps) {
        const next = this.cursor + steps[event.key];
        if (next >= 0 && next < cells.length) this.cursor = next;
        const cell = cells[this.cursor];
        if (this.canvas) this.box.scrollTo({ left: Math.max(0, cell.x - this.box.clientWidth / 2), top: Math.max(0, cell.y - this.box.clientHeight / 2) });
        if (event.shiftKey) {
          if (anchor < 0) anchor = this.cursor - steps[event.key];
          [before, isAdding] = [new Set(), true];
          choose(this.between(anchor, this.cursor));
        }
        this.stage.point(this, this.cursor);
      } else if (event.key === " " || event.key === "Enter") {
        anchor = this.cursor;
        begin(this.cursor, event);
      } else if (event.key === "Escape") this.stage.select(new Set(), this, -1);
      else if (event.key === "+" || event.key === "=") this.enlarge(1.5);
      else if (event.key === "-") this.enlarge(1 / 1.5);
      else return;
      event.preventDefault();
    });
  }
}

// --- the stage ------------------------------------------------------------------------------------

/** All pictures of an answer: what one points at or selects is lit in each. */
class Stage {
  constructor(element, onPoint, onSelect) {
    Object.assign(this, { element, onPoint, onSelect, pictures: [], pointed: new Set(), selected: new Set() });
  }

  show(figure, selected) {
    this.ending?.abort();
    this.ending = new AbortController();
    this.ended = this.ending.signal;
    this.pictures = [];
    this.widths = {};
    this.pointed = new Set();
    this.selected = new Set(selected);
    this.whole = figure;
    this.element.replaceChildren(...(figure ? [this.part(figure)] : []));
    this.fit();
  }

  fit() {
    const room = this.element.clientWidth;
    for (const picture of this.pictures) picture.draw(picture.isBeside && room > 700 ? room / 2 - 20 : room);
  }

  point(picture, i) {
    const cell = i >= 0 ? picture.scene.cells[i] : null;
    this.pointed = new Set(cell ? cell.keys : []);
    this.onPoint(picture, cell);
    for (const each of this.pictures) each.paint();
  }

  select(keys, picture, i) {
    this.selected = keys;
    for (const each of this.pictures) each.paint();
    this.onSelect(keys, picture, i >= 0 ? picture.scene.cells[i] : null);
  }

  part(figure) {
    return this[figure.kind](figure);
  }

  panels({ title, figures, signs, note }) {
    const before = this.pictures.length;
    const all = figures.flatMap((each, i) => [...(i && signs[i - 1] ? [node("span", "sign", signs[i - 1])] : []), this.part(each)]);
    const isPair = figures.length === 2 && figures.every(({ kind, grids }) => kind === "figure" && grids.length === 1);
    for (const picture of this.pictures.slice(before)) picture.isBeside = isPair;
    return node("div", "panels", ...(title ? [node("h3", "", title)] : []), node("div", "row", ...all), ...(note ? [node("p", "note", note)] : []));
  }

  /** The steps of an operation; of the whole answer the page has written title, result and check. */
  steps(figure) {
    const { title, notes, parts, sentences, result, pictures, check, checks, columns, rows } = figure;
    const isWhole = figure === this.whole;
    const items = sentences.map((text, i) => node("li", "", ...notation(text), ...checkOf(checks?.[i])));
    const table = !sentences.length && rows.length ? [tableOf(columns, rows)] : [];
    const inside = parts.map((each) => this.part(each));
    const below = !parts.length || !isWhole || !check ? inside : [node("details", "parts", node("summary", "", parts.length > 1 ? `the ${parts.length} operations inside` : "the operation inside"), ...inside)];
    return node(
      "section",
      isWhole ? "steps whole" : "steps",
      ...(isWhole ? [] : [node("h3", "", title)]),
      ...notes.map((text) => node("p", "note", ...notation(text))),
      ...table,
      ...(items.length ? [node("ol", "", ...items)] : []),
      ...(isWhole && check !== undefined ? [] : [node("p", "outcome", node("code", "", `= ${result}`), ...checkOf(check))]),
      ...pictures.map((each) => this.part(each)),
      ...below,
    );
  }

  figure({ title, grids, notes }) {
    const all = grids.map((grid) => {
      const picture = this.picture((room, zoom) => gridScene(grid, room, zoom), [title, grid.title].filter(Boolean).join(" "));
      return grid.title ? node("div", "", node("p", "note", grid.title), picture) : picture;
    });
    const slices = all.length > 1 ? [node("div", "row", ...all)] : all;
    return node("figure", "", ...(title ? [node("figcaption", "", title)] : []), ...slices, ...notes.map((text) => node("p", "note", text)));
  }

  strip(strip) {
    const stretch = `${strip.start} to ${strip.end}`; // strips of one stretch of memory stand place below place
    this.widths[stretch] = Math.max(this.widths[stretch] ?? 0, stripTexts(strip).needed);
    const picture = this.picture((room) => stripScene(strip, room, this.widths[stretch]), strip.title);
    return node("figure", "wide", node("figcaption", "", strip.title), picture, ...strip.notes.map((text) => node("p", "note", text)));
  }

  drawing({ svg }) {
    const box = node("figure", "");
    box.innerHTML = svg;
    return box;
  }

  picture(build, title) {
    const picture = new Picture(build, title, this);
    this.pictures.push(picture);
    return picture.element;
  }
}

/** An element with a class and children. */
function node(tag, kind, ...children) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...children);
  return element;
}

/** What was checked of a result, if anything was. */
function checkOf(text) {
  return text ? [node("span", text.startsWith("checked") ? "check" : "broken", text)] : [];
}

function tableOf(columns, rows) {
  const line = (tag, cells) => node("tr", "", ...cells.map((text) => node(tag, "", text)));
  return node("div", "table", node("table", "", node("thead", "", line("th", columns)), node("tbody", "", ...rows.map((row) => line("td", row)))));
}

/** A sentence whose layouts, such as 4:3, are set as code. */
function notation(text) {
  return text.split(/((?:\([\d_,()]+\)|\b\d+):(?:\([\d_,()]+\)|\d+))/).map((part, i) => (i % 2 ? node("code", "", part) : part));
}
