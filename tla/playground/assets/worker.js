// The worker: Pyodide with the library in it. It gets the parts of the page once, and then requests.

const ROOM = "https://playground.invalid/";
let library = null;

// A page from a file cannot start a worker of type module. This one is classic, imports modules as one
// does, and hides the mark by which Pyodide would refuse it.
self.importScripts = undefined;

self.onmessage = async ({ data }) => {
  try {
    if (data.parts) await start(data.parts);
    else self.postMessage({ id: data.id, text: library(data.text) });
  } catch (error) {
    self.postMessage({ id: data.id, failure: String(error.message || error) });
  }
};

async function start(parts) {
  const files = {};
  await Promise.all(Object.entries(parts).map(async ([name, text]) => (files[name] = await unpacked(text))));
  // Pyodide asks for two files by fetch; they are here, and nothing else is anywhere.
  self.fetch = async (url) => {
    const name = String(url.url || url).split("/").pop();
    if (!files[name]) throw new Error(`the page has no ${name}`);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/zip";
    return new Response(files[name], { headers: { "Content-Type": type } });
  };
  const [door, module] = await Promise.all([imported(files["pyodide.mjs"]), imported(files["pyodide.asm.mjs"])]);
  const python = await door.loadPyodide({
    indexURL: ROOM,
    lockFileContents: new TextDecoder().decode(files["pyodide-lock.json"]),
    createPyodideModule: module.default,
  });
  python.FS.writeFile("/tla.zip", new Uint8Array(files["tla.zip"]));
  python.runPython("import sys; sys.path.insert(0, '/tla.zip'); from tla.playground import answer");
  library = python.globals.get("answer");
  self.postMessage({ ready: true });
}

async function unpacked(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function imported(bytes) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
  return import(url).finally(() => URL.revokeObjectURL(url));
}
