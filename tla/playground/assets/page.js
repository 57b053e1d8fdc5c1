// The page: what is asked for, the worker that answers, and the address that keeps both.
"use strict";

const limit = () => Number(document.documentElement.dataset.limit); // seconds; then an answer is given up
const given = JSON.parse(document.getElementById("given").textContent);
const $ = (id) => document.getElementById(id);
const state = { view: given.first.view, args: [...given.first.args], selected: [] };

// --- the worker -----------------------------------------------------------------------------------

/** The library in a worker: one request at a time, and of those that wait the last. */
const library = {
  worker: null, isReady: false, running: null, waiting: null, count: 0,

  start() {
    const parts = {};
    for (const script of document.querySelectorAll("[data-part]")) parts[script.dataset.part] = script.textContent;
    const url = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.hear({ failure: event.message || "the worker cannot start" });
    this.worker.postMessage({ parts });
  },

  hear({ ready, id, text, failure }) {
    if (ready) {
      this.isReady = true;
      say("ready");
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
      return this.next();
    }
    if (!this.isReady) return say(`Python cannot start: ${failure}`);
    if (!this.running || id !== this.running.id) return;
    const { done, failed, timer } = this.running;
    clearTimeout(timer);
    this.running = null;
    if (failure) {
      this.restart();
      return failed(`The library failed at this: ${failure.trim().split("\n").pop()}`);
    }
    done(JSON.parse(text));
    this.next();
  },

  ask(request, done, failed) {
    this.waiting = { text: JSON.stringify(request), done, failed, id: ++this.count };
    if (this.isReady && !this.running) this.next();
  },

  next() {
    if (!this.waiting) return;
    this.running = this.waiting;
    this.waiting = null;
    const { id, text } = this.running;
    this.running.timer = setTimeout(() => this.stop(), limit() * 1000);
    this.worker.postMessage({ id, text });
  },

  /** End the worker, and start another one. */
  restart() {
    this.isReady = false;
    this.worker.terminate();
    say("Python is starting again");
    this.start();
  },

  /** Give up an answer that takes too long. */
  stop() {
    const { failed } = this.running;
    this.running = null;
    this.restart();
    failed(`This took longer than the limit of ${limit()} s, so it was stopped. A smaller size answers sooner.`);
  },
};

function say(text) {
  $("status").textContent = text;
  $("status").dataset.state = text === "ready" ? "ready" : "busy";
  $("save").disabled = text !== "ready";
}

// --- what is asked for ----------------------------------------------------------------------------

function fill() {
  const groups = new Map();
  for (const [name, view] of Object.entries(given.views)) {
    if (!groups.has(view.group)) {
      const group = node("optgroup");
      group.label = view.group;
      groups.set(view.group, group);
      $("view").append(group);
    }
    groups.get(view.group).append(new Option(view.title, name));
  }
  let page = 0;
  for (const preset of given.presets) {
    const number = node("span", "page-number", preset.page === page ? "" : String(preset.page));
    page = preset.page;
    const button = node("button", "", number, node("span", "", preset.title));
    button.type = "button";
    button.onclick = () => go(preset.view, preset.args);
    $("presets").append(node("li", "", button));
  }
  $("view").onchange = () => go($("view").value, given.views[$("view").value].fields.map((field) => field.default));
  $("ask").onsubmit = (event) => event.preventDefault();
}

function showFields() {
  const view = given.views[state.view];
  $("view").value = state.view;
  $("about").textContent = view.about;
  $("fields").replaceChildren(...view.fields.map((field, i) => fieldOf(field, i)));
  markPreset();
}

function fieldOf(field, i) {
  const label = node("label", "label", node("b", "", field.name), ` ${field.label}${field.is_optional && !field.choices.length && field.default ? ", if any" : ""}`);
  const id = `argument-${i}`;
  label.htmlFor = id;
  if (field.choices.length) {
    const select = node("select");
    select.id = id;
    select.append(...field.choices.map((choice) => new Option(choice || (field.name === "hint" ? "none" : "as suits"), choice)));
    select.value = state.args[i] ?? field.default;
    select.onchange = () => change(i, select.value);
    return node("div", "field small", label, select);
  }
  const input = node("input");
  Object.assign(input, { id, value: state.args[i] ?? "", spellcheck: false, autocomplete: "off" });
  input.setAttribute("autocapitalize", "off");
  input.dataset.argument = i;
  const handles = node("span", "handles");
  const row = node("span", "typed", input, handles);
  input.oninput = () => {
    change(i, input.value);
    placeHandles(input, handles, i);
  };
  input.onscroll = () => (handles.style.transform = `translateX(${-input.scrollLeft}px)`);
  input.onkeydown = (event) => {
    if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    const at = input.selectionStart;
    const found = numbersOf(input.value).find(({ start, end }) => start <= at && at <= end);
    if (!found) return;
    event.preventDefault();
    turn(input, handles, i, found.index, event.key === "ArrowUp" ? 1 : -1);
    input.setSelectionRange(at, at);
  };
  placeHandles(input, handles, i);
  return node("div", /^\d{1,3}$/.test(field.default) ? "field small" : "field", label, row);
}

/** The numbers of a text that may be dragged: extents, strides, tiles; not those of names. */
function numbersOf(text) {
  return [...text.matchAll(/(?<![A-Za-z0-9.])_?(\d+)(?![A-Za-z0-9.])/g)].map((match, index) => {
    const start = match.index + match[0].length - match[1].length;
    return { index, start, end: start + match[1].length, value: Number(match[1]) };
  });
}

/** Under each number of an input a handle as wide as the number: it is dragged, or turned by arrow keys. */
function placeHandles(input, handles, i) {
  const all = numbersOf(input.value).map(({ start, end, value, index }) => {
    const handle = node("span", "handle");
    handle.style.cssText = `left:calc(var(--pad) + ${start}ch);width:${end - start}ch`;
    Object.assign(handle, { tabIndex: 0, title: "drag, or use the arrow keys" });
    for (const [name, text] of [["role", "slider"], ["aria-label", `number ${index + 1} of ${given.views[state.view].fields[i].name}`], ["aria-valuenow", value], ["aria-valuemin", 0]]) handle.setAttribute(name, text);
    handle.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8 }[event.key];
      if (!by) return;
      event.preventDefault();
      turn(input, handles, i, index, by);
      handles.children[index]?.focus();
    };
    handle.onpointerdown = (event) => drag(event, input, handles, i, index, value);
    return handle;
  });
  handles.replaceChildren(...all);
}

function turn(input, handles, i, index, by, from) {
  const number = numbersOf(input.value)[index];
  if (!number) return;
  const value = Math.max(0, (from ?? number.value) + by);
  if (value === number.value) return;
  input.value = input.value.slice(0, number.start) + value + input.value.slice(number.end);
  change(i, input.value);
  placeHandles(input, handles, i);
}

function drag(event, input, handles, i, index, from) {
  event.preventDefault();
  const start = event.clientX;
  handles.children[index].focus();
  document.body.classList.add("dragging");
  const move = (now) => {
    turn(input, handles, i, index, Math.round((now.clientX - start) / 12), from);
    handles.children[index]?.classList.add("held");
  };
  const end = () => {
    document.body.classList.remove("dragging");
    handles.children[index]?.focus();
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
}

function change(i, text) {
  state.args[i] = text;
  state.selected = [];
  markPreset();
  ask();
}

/** Show a view: a step that the browser's way back undoes. */
function go(view, args) {
  history.pushState(null, "", location.href);
  set(view, args, []);
}

function set(view, args, selected) {
  Object.assign(state, { view, args: given.views[view].fields.map((field, i) => args[i] ?? (field.is_optional ? "" : field.default)), selected });
  showFields();
  ask();
}

function markPreset() {
  const args = given.views[state.view].fields.map((field, i) => state.args[i] ?? "");
  given.presets.forEach((preset, i) => {
    const isOn = preset.view === state.view && args.every((text, k) => text === (preset.args[k] ?? ""));
    $("presets").children[i].firstChild.toggleAttribute("aria-current", isOn);
  });
}

// --- answers --------------------------------------------------------------------------------------

const stage = new Stage($("stage"), pointAt, selected);

function ask() {
  writeAddress();
  document.body.classList.add("asking");
  library.ask({ view: state.view, args: state.args }, show, refuse);
}

function show(answer) {
  document.body.classList.remove("asking");
  window.tlaAnswer = answer;
  const { error, figure, result, facts, signs, repairs } = answer;
  $("detail").hidden = true;
  $("readout").textContent = "";
  showError(error, repairs);
  const isOperation = figure?.check !== undefined;
  $("outcome").hidden = !result || !(isOperation || ["banks", "tiling", "exercise"].includes(state.view) || figure?.figures?.length === 0);
  $("outcome").className = answer.state ?? "";
  $("stage")[answer.state ? "after" : "before"]($("outcome")); // a verdict stands below its task
  $("result").replaceChildren(isOperation ? `= ${result}` : result ?? "");
  $("outcome").replaceChildren($("result"), ...checkOf(figure?.check));
  if (answer.state === "right") $("outcome").append(nextExercise());
  stage.show(figure, state.selected);
  $("facts").hidden = !facts?.length;
  if (facts?.length) {
    const list = node("dl");
    for (const [name, text] of facts) list.append(node("dt", "", name), node("dd", "", text));
    const how = node("details", "", node("summary", "", "how to read it"));
    const items = node("ul");
    items.innerHTML = signs.map((sign) => `<li>${sign}</li>`).join("");
    how.append(items);
    $("facts").replaceChildren(list, how);
  }
  $("command").querySelector("code").textContent = answer.command;
}

function nextExercise() {
  const button = node("button", "next", "Next exercise");
  button.type = "button";
  const [topic, level, seed, number] = state.args;
  button.onclick = () => go("exercise", [topic, level, seed, String(Number(number) + 1)]);
  return button;
}

/** A request that has no answer: it took too long, or the library failed. */
function refuse(reason) {
  document.body.classList.remove("asking");
  window.tlaAnswer = { view: state.view, args: state.args, error: { summary: reason, details: [] } };
  showError({ summary: reason, details: [] }, []);
  $("outcome").hidden = true;
  stage.show(null, []);
  $("facts").hidden = true;
}

function showError(error, repairs) {
  $("refusal").hidden = !error;
  for (const input of document.querySelectorAll("[data-argument]")) {
    input.removeAttribute("aria-invalid");
    input.parentElement.querySelector(".fault")?.remove();
  }
  if (!error) return $("refusal").replaceChildren();
  const isPlaced = error.argument !== null && error.argument !== undefined;
  const input = isPlaced ? document.querySelector(`[data-argument="${error.argument}"]`) : null;
  input?.setAttribute("aria-invalid", "true");
  const parts = [node("p", "summary", ...notation(error.summary)), ...error.details.map((text) => node("p", "", ...notation(text)))];
  if (input && error.start !== undefined) {
    const fault = node("span", "fault");
    fault.style.cssText = `left:calc(var(--pad) + ${error.start}ch);width:${Math.max(1, error.end - error.start)}ch`;
    input.after(fault);
    const text = state.args[error.argument];
    const where = node("pre", "", text.slice(0, error.start), node("mark", "", text.slice(error.start, error.end) || " "), text.slice(error.end));
    parts.splice(1, 0, where);
  }
  if (repairs.length) {
    const buttons = repairs.map(([i, text]) => {
      const name = given.views[state.view].fields[i].name;
      const button = node("button", "", node("span", "quiet", `${name} = `), node("code", "", text));
      button.type = "button";
      button.onclick = () => go(state.view, state.args.map((old, k) => (k === i ? text : old)));
      return button;
    });
    parts.push(node("div", "repairs", node("span", "quiet", repairs.length > 1 ? "Repairs that work" : "A repair that works"), ...buttons));
  }
  $("refusal").replaceChildren(...parts);
}

function pointAt(picture, cell) {
  const chosen = summary(stage.selected);
  const pointed = cell ? readout(picture, cell) : "";
  $("readout").textContent = stage.selected.size > 1 || !pointed ? [pointed, chosen].filter(Boolean).join("\n") : pointed;
}

function readout(picture, cell) {
  const others = stage.pictures.filter((each) => each !== picture && each.scene && cell.keys.some((key) => each.index.has(key)));
  const title = stage.pictures.length > 1 && picture.title ? `${picture.title}: ` : "";
  let text;
  if ("hits" in cell) {
    const names = cell.names.join(", ") + (cell.hits > cell.names.length ? ` and ${cell.hits - cell.names.length} more` : "");
    text = `offset ${cell.value}: ${cell.hits ? names : "no coordinate, a hole"}${cell.hits > 1 ? `, ${cell.hits} coordinates` : ""}`;
  } else {
    const held = cell.text !== String(cell.value) ? `, ${cell.text}` : "";
    text = `${title}${cell.coordinate} → ${cell.value}${held}${cell.isPadding ? ", padding" : ""}`;
  }
  const also = others.flatMap((each) => cell.keys.flatMap((key) => each.index.get(key) ?? []).slice(0, 2).map((i) => each.scene.cells[i])).filter((other) => other.coordinate).slice(0, 3);
  return text + (also.length && !("hits" in cell) ? `   also ${also.map((other) => `${other.coordinate} → ${other.value}`).join(", ")}` : "");
}

function summary(keys) {
  if (!keys.size) return "";
  const cells = stage.pictures[0]?.scene.cells.filter((cell) => cell.keys.some((key) => keys.has(key))) ?? [];
  const values = [...new Set(cells.map((cell) => cell.value))];
  return `${cells.length} ${cells.length === 1 ? "cell" : "cells"} selected: ${values.slice(0, 24).join(", ")}${values.length > 24 ? ", …" : ""}`;
}

/** What is selected goes into the address; one cell of a layout is also explained by the library. */
function selected(keys, picture, cell) {
  state.selected = [...keys];
  writeAddress();
  pointAt(picture, cell);
  const isOne = cell && keys.size === cell.keys.length && state.view === "layout" && library.isReady;
  $("detail").hidden = true;
  if (!isOne) return;
  const request = "hits" in cell ? { view: "offset", args: [state.args[0], String(cell.value)] } : { view: "coordinate", args: [state.args[0], cell.coordinate] };
  library.ask(request, explain, () => {});
}

function explain({ figure, error }) {
  if (error || !figure) return;
  const items = figure.sentences.map((text) => node("li", "", ...notation(text)));
  $("detail").replaceChildren(node("h3", "", figure.title), node("ol", "", ...items), node("p", "outcome", node("code", "", figure.result)));
  $("detail").hidden = false;
  if (items.length && stage.selected.size) $("readout").textContent += `\n${figure.sentences.at(-1)}`;
}

// --- the address ----------------------------------------------------------------------------------

const plain = (text) => encodeURIComponent(text).replace(/%(28|29|2C|3A|3C|3E|7B|7D|5B|5D)/g, (code) => decodeURIComponent(code));

function writeAddress() {
  const words = [`view=${state.view}`, ...state.args.map((text) => `a=${plain(text)}`)];
  if (state.selected.length) words.push(`on=${state.selected.map(plain).join(",")}`);
  history.replaceState(null, "", `#${words.join("&")}`);
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B"));
  const view = words.get("view");
  if (!given.views[view]) return null;
  const args = words.getAll("a").slice(0, given.views[view].fields.length);
  return [view, args, (words.get("on") || "").split(",").filter(Boolean)];
}

// --- the buttons ----------------------------------------------------------------------------------

$("share").onclick = async () => {
  writeAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    flash($("share"), "Copied");
  } catch {
    flash($("share"), "The link is in the address bar");
  }
};

$("save").onclick = () =>
  library.ask({ view: state.view, args: state.args, form: "svg" }, ({ svg }) => {
    if (!svg) return flash($("save"), "No picture");
    const link = node("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = `${state.view}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }, () => {});

function flash(button, text) {
  const before = button.dataset.text ?? button.textContent;
  button.dataset.text = before;
  button.textContent = text;
  setTimeout(() => (button.textContent = before), 1500);
}

// --- the beginning --------------------------------------------------------------------------------

fill();
$("examples").open = matchMedia("(min-width: 1000px)").matches;
const wanted = readAddress();
if (wanted) set(...wanted);
else {
  showFields();
  show(given.first);
}
window.addEventListener("hashchange", () => {
  const now = readAddress();
  if (now) set(...now);
});
let width = 0;
new ResizeObserver(() => {
  if (Math.abs(width - $("stage").clientWidth) < 2) return;
  width = $("stage").clientWidth;
  stage.fit();
}).observe($("stage"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => stage.fit());
requestAnimationFrame(() => setTimeout(() => library.start(), 0));
