"""Settings that every test shares."""

import os

from hypothesis import settings

settings.register_profile("tla", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("tla")
