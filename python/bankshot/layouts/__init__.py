"""Layouts of compilers, as functions from coordinates to shared-memory addresses, and what they cost.

`cute` has CuTe's layouts and swizzles, `linear` Triton's linear layouts, `encodings` and `shared` Triton's layouts of
registers and of shared memory. `accesses` makes the accesses of a load or store between two layouts; `optimal_swizzle`
finds the swizzle of a buffer under which several accesses together need the fewest wavefronts. See docs/layouts.md.
"""

from .._swizzle import Swizzle
from .accesses import AccessPattern, accesses
from .cute import ComposedLayout, Layout, SmemPtr
from .cute_algebra import coalesce, composition
from .cute_find import cute_layout_of
from .encodings import BlockedLayout, DotOperandLayout, NVMMADistributedLayout, SliceLayout
from .linear import LinearLayout
from .linear_find import linear_layout_of
from .optimal import Optimal, Outcome, optimal_swizzle
from .reading import parse
from .shared import NVMMASharedLayout, PaddedLayout, PaddedSharedLayout, SwizzledSharedLayout, offset_at

__all__ = [
    "AccessPattern", "BlockedLayout", "ComposedLayout", "DotOperandLayout", "Layout", "LinearLayout",
    "NVMMADistributedLayout", "NVMMASharedLayout", "Optimal", "Outcome", "PaddedLayout", "PaddedSharedLayout", "SliceLayout",
    "SmemPtr", "Swizzle", "SwizzledSharedLayout", "accesses", "coalesce", "composition",
    "cute_layout_of", "linear_layout_of", "offset_at", "optimal_swizzle", "parse",
]
