"""Triton's layouts of registers and of shared memory, and their text. Numbers are worked by hand where no source is named."""
import pytest

import bankshot
from bankshot.layouts import (BlockedLayout, DotOperandLayout, NVMMADistributedLayout, NVMMASharedLayout, PaddedSharedLayout,
                              SliceLayout, Swizzle, SwizzledSharedLayout, offset_at, parse)


@pytest.mark.parametrize("text, column, why", [
    ("- lane=1 -> (0, 1)\n  lane=3 -> (1, 0)", 8, "expected lane=2"),
    ("- lane=1 -> (0, 1)\n  lane=2 -> (1)", 13, "has 1 coordinates, those before it have 2"),
    ("- lane=1 -> (4)\nwhere out dims are: [dim0 (size 4)]", 1, "outside of dim0"),
    ("#ttg.blocked<{sizePerThread = [1]}>", 1, "needs threadsPerWarp"),
    ("#ttg.amd_mfma<{}>", 1, "not supported"),
    ("#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>", 34, "alias #mma is not known"),
])
def test_rejects_text_that_is_no_triton_layout(text, column, why):
    with pytest.raises(bankshot.Error, match=why) as wrong:
        parse(text)
    assert wrong.value.column == column


def test_blocked_layouts_fill_registers_lanes_warps_in_order():
    # The picture in TritonGPUAttrDefs.td: 16 x 16 over 2 warps; thread 33 holds (0, 10), (0, 11), (1, 10), (1, 11).
    layout = BlockedLayout([2, 2], [8, 4], [1, 2], [1, 0]).layout((16, 16))
    assert layout(lane=1, warp=1) == {"dim0": 0, "dim1": 10}
    assert layout(register=3, lane=28) == {"dim0": 15, "dim1": 1}
    # Twice as wide a tensor: a register more.
    assert BlockedLayout([2, 2], [8, 4], [1, 2], [1, 0]).layout((16, 32))(register=4) == {"dim0": 0, "dim1": 16}
    # Half as wide: warp 1 holds what warp 0 does.
    assert BlockedLayout([2, 2], [8, 4], [1, 2], [1, 0]).layout((16, 8))(warp=1) == {"dim0": 0, "dim1": 0}


def test_a_slice_has_the_coordinates_that_its_parent_has_without_the_dimension():
    # Columns of a 16 x 8 accumulator: lane l holds 2 (l % 4) and + 1; registers of other rows repeat them.
    columns = SliceLayout(0, NVMMADistributedLayout([2, 0], [1, 1], [16, 8])).layout((8,))
    assert columns.in_sizes["register"] == 2
    assert [columns(register=1, lane=lane)["dim0"] for lane in range(8)] == [1, 3, 5, 7, 1, 3, 5, 7]


def test_mma_fragments_are_those_of_ptx():
    # PTX ISA, mma.m16n8k16: groupID = lane >> 2, threadID = lane % 4. C: row groupID (c0, c1) or + 8 (c2, c3), column
    # 2 threadID + (i & 1). A: row groupID, + 8 for a2, a3, a6, a7; column 2 threadID + (i & 1), + 8 for i >= 4.
    # B: row 2 threadID + (i & 1), + 8 for i >= 2; column groupID.
    mma = NVMMADistributedLayout([2, 0], [1, 1], [16, 8])
    c = mma.layout((16, 8))
    a, b = DotOperandLayout(0, mma, 2).layout((16, 16)), DotOperandLayout(1, mma, 2).layout((16, 8))
    for lane in range(32):
        group, thread = lane >> 2, lane % 4
        for i in range(4):
            assert c(register=i, lane=lane) == {"dim0": group + 8 * (i >= 2), "dim1": 2 * thread + (i & 1)}
            assert b(register=i, lane=lane) == {"dim0": 2 * thread + (i & 1) + 8 * (i >= 2), "dim1": group}
        for i in range(8):
            row, column = group + 8 * (i % 4 >= 2), 2 * thread + (i & 1) + 8 * (i >= 4)
            assert a(register=i, lane=lane) == {"dim0": row, "dim1": column}


def test_swizzled_shared_moves_vectors_by_phase():
    # The picture in TritonGPUAttrDefs.td: vec 2, perPhase 2; rows 2 and 3 begin with elements 2, 3, then 0, 1.
    layout = SwizzledSharedLayout(2, 2, 2, [1, 0]).layout((4, 4))
    assert [offset_at(layout, (2, column)) for column in range(4)] == [10, 11, 8, 9]
    assert [offset_at(layout, (1, column)) for column in range(4)] == [4, 5, 6, 7]


def test_nvmma_shared_is_the_swizzle_of_tensor_copies():
    for width, swizzle in ((128, Swizzle(3, 4, 3)), (64, Swizzle(2, 4, 3)), (32, Swizzle(1, 4, 3))):
        columns = width // 2
        layout = NVMMASharedLayout(width, 16).layout((16, columns))
        for row in range(16):
            for column in range(columns):
                assert 2 * offset_at(layout, (row, column)) == swizzle(2 * (columns * row + column))
    two = NVMMASharedLayout(128, 16).layout((16, 128))  # the second 64 columns follow all rows of the first
    assert offset_at(two, (0, 64)) == 16 * 64
    with pytest.raises(bankshot.Error, match="at least 8 rows of 64 elements"):
        NVMMASharedLayout(128, 16).layout((16, 32))


def test_padding_of_several_intervals_adds_up():
    # Triton's example: [[2, 1], [4, 2]] puts e0 e1 p e2 e3 p p p e4 …: e2 at 3, e4 at 8.
    layout = PaddedSharedLayout.with_identity_for([[2, 1], [4, 2]], (8,), (0,)).layout()
    assert [offset_at(layout, (i,)) for i in range(6)] == [0, 1, 3, 4, 8, 9]


@pytest.mark.parametrize("text", [
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
    "#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [16, 8]}>, kWidth = 2}>",
    "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
    "#ttg.padded_shared<[4:+2, 8:+4] {offset = [[0, 1], [0, 2], [1, 0]], block = []}>",
])
def test_attributes_are_printed_as_they_were_read(text):
    assert str(parse(text)) == text
