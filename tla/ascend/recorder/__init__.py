# SPDX-License-Identifier: Apache-2.0
"""The recorder: CATLASS kernels compiled for the host, each call of AscendC a line of a trace.

- ``recording``: compile a program for both types of core, run it, put the trace together;
- ``sources``: what a program is made of, with launches that a host compiler reads;
- ``tools``: the compiler, and where an address lies in the sources;
- ``include``: the headers in C++ that stand for AscendC, the ACL runtime and the host's data.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .recording import RecordedTensor as RecordedTensor, Recording as Recording, record as record

lazy(__name__, guard=True)
