"""Triton's layouts of registers, as linear layouts (register, lane, warp, block) -> (dim0, dim1, …).

Names are those of Gluon. `layout(shape)` gives the linear layout for a tensor of this shape; shapes are of powers of two,
and one CTA holds the tensor.

    >>> print(BlockedLayout([1, 2], [2, 2], [1, 1], [1, 0]).layout((2, 4)))
    - register=1 -> (0, 1)
    - lane=1 -> (0, 2)
      lane=2 -> (1, 0)
    - warp is a size 1 dimension
    - block is a size 1 dimension
    where out dims are: [dim0 (size 2), dim1 (size 4)]

Definitions: Triton, include/triton/Dialect/TritonGPU/IR/TritonGPUAttrDefs.td; fragments: PTX ISA, section "Warp Level
Matrix Multiply-Accumulate Instructions", matrix fragments of mma.m16n8k16, and wgmma, register fragments of D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from .._errors import Error
from .linear import LinearLayout

REGISTERS = ("register", "lane", "warp", "block")


@dataclass(frozen=True)
class BlockedLayout:
    """Each lane holds a box of size_per_thread, each warp boxes of threads_per_warp, the CTA of warps_per_cta.

    @param order  dimensions from the fastest to the slowest; all lists have one entry per dimension
    """

    size_per_thread: Sequence[int]
    threads_per_warp: Sequence[int]
    warps_per_cta: Sequence[int]
    order: Sequence[int]

    def __post_init__(self) -> None:
        _check_order(self.order)
        for name in ("size_per_thread", "threads_per_warp", "warps_per_cta"):
            if len(getattr(self, name)) != len(self.order):
                raise Error(f"{name} has {len(getattr(self, name))} entries, order has {len(self.order)}")

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        tile = (box("register", self.size_per_thread, self.order) * box("lane", self.threads_per_warp, self.order)
                * box("warp", self.warps_per_cta, self.order))
        return without_repeats(fitted(tile, shape))

    def __str__(self) -> str:
        return (f"#ttg.blocked<{{sizePerThread = {list(self.size_per_thread)}, threadsPerWarp = "
                f"{list(self.threads_per_warp)}, warpsPerCTA = {list(self.warps_per_cta)}, order = {list(self.order)}}}>")


@dataclass(frozen=True)
class SliceLayout:
    """A parent layout without one of its dimensions: where a reduction along it, or expand_dims, has its elements."""

    dim: int
    parent: BlockedLayout | NVMMADistributedLayout | DotOperandLayout | SliceLayout

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        shape = list(shape)
        if not 0 <= self.dim <= len(shape):
            raise Error(f"slice: a tensor of {len(shape) + 1} dimensions has no dimension {self.dim}")
        parent = self.parent.layout(shape[: self.dim] + [1] + shape[self.dim :])
        bases = {name: [b[: self.dim] + b[self.dim + 1 :] for b in of] for name, of in parent.ins}
        return without_repeats(LinearLayout(bases, {f"dim{d}": n for d, n in enumerate(shape)}))

    def __str__(self) -> str:
        return f"#ttg.slice<{{dim = {self.dim}, parent = {self.parent}}}>"


@dataclass(frozen=True)
class NVMMADistributedLayout:
    """The accumulator of mma.sync (version [2, 0], instr_shape [16, n]) or of wgmma ([3, 0], [16, n, k])."""

    version: Sequence[int]
    warps_per_cta: Sequence[int]
    instr_shape: Sequence[int]

    def __post_init__(self) -> None:
        if self.version[0] not in (2, 3):
            raise Error(f"nvidia_mma of version {self.version[0]}: only 2 (mma.sync) and 3 (wgmma) are supported")
        if len(self.warps_per_cta) != 2:
            raise Error("nvidia_mma: only tensors of two dimensions are supported")

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        rows, columns = self.instr_shape[0], self.instr_shape[1]
        return fitted(mma_tile(rows, columns, 2, (1, 0)) * self.warps(), shape)

    def warps(self, broadcast: int | None = None) -> LinearLayout:
        """Warps over the tensor: rows of warps for mma.sync, columns for wgmma. @param broadcast  a dimension that all
        warps read alike"""
        order = (1, 0) if self.version[0] == 2 else (0, 1)
        tile = LinearLayout({"warp": []}, {f"dim{d}": 1 for d in order})
        for d in order:
            make = LinearLayout.zeros if d == broadcast else LinearLayout.identity
            tile = tile * make(self.warps_per_cta[d], "warp", f"dim{d}")
        return tile

    def __str__(self) -> str:
        return (f"#ttg.nvidia_mma<{{versionMajor = {self.version[0]}, versionMinor = {self.version[1]}, warpsPerCTA = "
                f"{list(self.warps_per_cta)}, instrShape = {list(self.instr_shape)}}}>")


@dataclass(frozen=True)
class DotOperandLayout:
    """Operand A (0) or B (1) of a matrix product, in the registers of mma.sync or, A only, of wgmma.

    @param k_width  elements along K that a lane holds side by side: 4 bytes of them for mma.m16n8k*
    """

    operand_index: int
    parent: NVMMADistributedLayout
    k_width: int

    def __post_init__(self) -> None:
        if not isinstance(self.parent, NVMMADistributedLayout):
            raise Error("dot_op: only parents of nvidia_mma are supported")
        if self.operand_index not in (0, 1):
            raise Error(f"dot_op: opIdx is 0 or 1, not {self.operand_index}")
        if self.operand_index == 1 and self.parent.version[0] == 3:
            raise Error("dot_op: wgmma reads operand B from shared memory, so it has no layout of registers")

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        if self.operand_index == 0:
            tile = mma_tile(16, 8 * self.k_width, self.k_width, (1, 0))
        else:
            tile = mma_tile(8 * self.k_width, 8, self.k_width, (0, 1))
        return fitted(tile * self.parent.warps(broadcast=1 - self.operand_index), shape)

    def __str__(self) -> str:
        return f"#ttg.dot_op<{{opIdx = {self.operand_index}, parent = {self.parent}, kWidth = {self.k_width}}}>"


def mma_tile(rows: int, columns: int, width: int, order: Sequence[int]) -> LinearLayout:
    """A fragment: 8 groups of 4 lanes. A lane holds `width` neighbours along order[0]; more registers repeat the tile of
    8 groups along order[1] first."""
    extent = (rows, columns)
    inner, outer = f"dim{order[0]}", f"dim{order[1]}"
    return (LinearLayout.identity(width, "register", inner) * LinearLayout.identity(4, "lane", inner)
            * LinearLayout.identity(8, "lane", outer)
            * LinearLayout.identity(max(extent[order[1]] // 8, 1), "register", outer)
            * LinearLayout.identity(max(extent[order[0]] // (4 * width), 1), "register", inner))


def box(in_dim: str, extents: Sequence[int], order: Sequence[int]) -> LinearLayout:
    """in_dim over a box, dimension order[0] the fastest. In Triton: identityStandardND."""
    tile = LinearLayout({in_dim: []}, {f"dim{d}": 1 for d in order})
    for d in order:
        tile = tile * LinearLayout.identity(extents[d], in_dim, f"dim{d}")
    return tile


def fitted(tile: LinearLayout, shape: Sequence[int]) -> LinearLayout:
    """The tile over a tensor of this shape: repeated in registers where the tensor is larger, wrapped around where it
    is smaller."""
    if len(shape) != len(tile.outs):
        raise Error(f"the shape {tuple(shape)} has {len(shape)} dimensions, the layout {len(tile.outs)}")
    for name, n in tile.outs:
        extent = shape[int(name[3:])]
        if extent > n:
            if extent & (extent - 1):
                raise Error(f"{name} has size {extent}: linear layouts have powers of two")
            tile = tile * LinearLayout.identity(extent // n, "register", name)
    names = list(tile.out_sizes)
    extents = [shape[int(name[3:])] for name in names]
    bases = {name: [tuple(c if c < n else 0 for c, n in zip(b, extents)) for b in of] for name, of in tile.ins}
    bases.setdefault("block", [])
    whole = LinearLayout(bases, dict(zip(names, extents)))
    return whole.with_ins(REGISTERS).with_outs([f"dim{d}" for d in range(len(shape))])


def without_repeats(layout: LinearLayout) -> LinearLayout:
    """Without register bits that would only repeat an element."""
    bases = layout.bases
    bases["register"] = [b for b in bases["register"] if any(b)]
    return LinearLayout(bases, layout.out_sizes)


def _check_order(order: Sequence[int]) -> None:
    if sorted(order) != list(range(len(order))):
        raise Error(f"order {list(order)} is no order of {len(order)} dimensions")
