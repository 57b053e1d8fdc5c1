# SPDX-License-Identifier: Apache-2.0
"""The playground: a page in which the library runs, and the one function that the page calls.

>>> import json
>>> from tla.playground import answer
>>> asked = {"view": "composition", "args": ["(6,2):(8,2)", "(4,3):(3,1)"]}
>>> json.loads(answer(json.dumps(asked)))["result"]
'((2,2),3):((24,2),8)'

- `answer`: a request of the page in JSON, and its answer in JSON;
- `VIEWS`: what may be asked, each a `View` with its `Field` of each argument; `PRESETS`: requests to
  begin with, from the tutorial;
- `address`: the end of the page's address that shows what a command prints;
- `page`: the page itself as one text of HTML, made from the files of the npm package ``pyodide``.

What a view shows is made in ``views``, a figure as JSON in ``data``, the check of a law in ``laws``, and
what may be clicked after a refusal in ``repairs``. The files of the page are in ``assets``.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .addresses import address as address
    from .answers import answer as answer
    from .building import page as page
    from .presets import PRESETS as PRESETS
    from .views import VIEWS as VIEWS, Field as Field, View as View

lazy(__name__, guard=True)
