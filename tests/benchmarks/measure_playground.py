"""How large the playground is, how soon it is ready and draws anew, in Chromium on this machine.

The variable TLA_PYODIDE names the unpacked npm package ``pyodide``. Run it on an idle machine.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from playground.browser import Browser

from tla.playground import page

REPEATS = 5
DRAW = """(() => {
  const start = performance.now();
  stage.fit();
  document.body.getBoundingClientRect();
  return performance.now() - start;
})()"""
ASK = """new Promise((done) => {
  const start = performance.now();
  library.ask({view: "layout", args: ["(64,64):(64,1)", ""]}, (found) => {
    show(found);
    document.body.getBoundingClientRect();
    done(performance.now() - start);
  }, done);
})"""


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "playground.html"
        path.write_text(page(os.environ["TLA_PYODIDE"]), "utf-8")
        print(f"size: {path.stat().st_size / 1e6:.2f} MB")
        browser = Browser()
        try:
            ready = []
            for _time in range(REPEATS):
                browser.open(path.as_uri())
                ready.append(int(browser.do("document.documentElement.dataset.ready")))
            print(f"ready: {min(ready)} to {max(ready)} ms after the page began, {REPEATS} times")
            answers = [browser.do(ASK) for _time in range(REPEATS)]
            print(f"4,096 cells, asked, answered and drawn: {min(answers):.0f} to {max(answers):.0f} ms")
            drawn = [browser.do(DRAW) for _time in range(REPEATS)]
            print(f"4,096 cells, drawn again: {min(drawn):.0f} to {max(drawn):.0f} ms")
            asked = [
                each for each in browser.requests if not each.startswith(("file:", "blob:", "data:"))
            ]
            print(f"requests: {len(asked)}, words in the console: {len(browser.said)}")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
