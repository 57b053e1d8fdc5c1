# SPDX-License-Identifier: Apache-2.0
"""``python -m tla`` is the command ``tla``."""

import sys

from .cli import main

sys.exit(main())
