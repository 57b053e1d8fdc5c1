# SPDX-License-Identifier: Apache-2.0
"""The command line: ``tla COMMAND ...``.

- ``main`` runs a command of ``commands``: the module of its name, with the parts that ``hlo_*``,
  ``index_*`` and ``ascend_*`` name;
- ``common``, ``operation``, ``columns``, ``messages``, ``progress``, ``pictures``, ``saving`` and
  ``data_files`` are shared.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from . import (
        ascend as ascend,
        banks as banks,
        coalesce as coalesce,
        complement as complement,
        completion as completion,
        compose as compose,
        convert as convert,
        cpp as cpp,
        diff as diff,
        divide as divide,
        eval as eval,
        explain as explain,
        hlo as hlo,
        index as index,
        inverse as inverse,
        learn as learn,
        oom as oom,
        pack as pack,
        pallas as pallas,
        playground as playground,
        product as product,
        relayout as relayout,
        sharding as sharding,
        show as show,
        unpack as unpack,
        what as what,
        where as where,
    )
    from .commands import COMMANDS as COMMANDS
    from .main import main as main

lazy(__name__)
