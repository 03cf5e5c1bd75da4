"""bankshot.layouts: CuTe and Triton layouts, their accesses, and the best swizzle of a buffer.

Numbers are worked by hand where no source is named.
"""

import dataclasses
import doctest
import importlib
import pkgutil
import random

import pytest

import bankshot
import bankshot.layouts
from bankshot.layouts import (Accesses, BlockedLayout, ComposedLayout, DotOperandLayout, Layout,
                              LinearLayout, NVMMADistributedLayout, NVMMASharedLayout, PaddedSharedLayout, SliceLayout,
                              SmemPtr, Swizzle, SwizzledSharedLayout, accesses, coalesce, composition, cute_layout_of,
                              linear_layout_of, offset_at, optimal_swizzle, parse)


# ---- CuTe ----

def test_a_coordinate_is_the_sum_of_its_parts_times_strides():
    nested = Layout((4, (2, 2)), (2, (1, 8)))  # CUTLASS, 01_layout.md: offsets 0 2 4 6, 1 3 5 7, 8 10 12 14, 9 11 13 15
    assert nested.table() == [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]
    assert nested(3, (0, 1)) == nested(3, 2) == nested(11) == 14
    assert (nested.size, nested.cosize, nested.rank) == (16, 16, 2)
    assert Layout((3, 2), (10, 1)).cosize == 22


def test_coalesce_joins_modes_that_continue_each_other():
    assert coalesce(Layout((2, (1, 6)), (1, (6, 2)))) == Layout(12, 1)  # 02_layout_algebra.md
    assert coalesce(Layout((4, 8), (8, 1))) == Layout((4, 8), (8, 1))
    assert coalesce(Layout((1, 1), (5, 7))) == Layout(1, 0)


@pytest.mark.parametrize("outer, inner, result", [
    ("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"),  # 02_layout_algebra.md
    ("20:2", "(5,4):(4,1)", "(5,4):(8,2)"),
    ("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),
])
def test_composition(outer, inner, result):
    assert str(composition(parse(outer), parse(inner))) == result


def test_rejects_a_composition_that_is_no_layout():
    # (6,2):(8,2) at 0, 4, 8, 12: 0, 32, 2 + 16 = 18, 24 + … : 4 = (4,0) -> 32; 8 = (2,1) -> 18; no common stride.
    with pytest.raises(bankshot.Error, match=r"index 2 has address 18, but 2:32, which fits before it, has 64"):
        composition(parse("(6,2):(8,2)"), parse("3:4"))


def test_a_swizzle_behind_smem_ptr_is_of_bytes():
    half = parse("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)")
    assert half(1, 0) == 64 + 8  # byte 128 has y = 1, so it moves by 16 bytes, 8 elements
    assert half.in_elements() == parse("Sw<3,3,3> o 0 o (8,64):(64,1)")
    unknown = parse("Sw<3,4,3> o smem_ptr o (8,64):(64,1)")
    assert unknown.in_elements(16) == half.in_elements()
    with pytest.raises(bankshot.Error, match="size of an element is not known"):
        unknown(0)


@pytest.mark.parametrize("text, column, why", [
    ("(4,8:(8,1)", 5, "',' or '\\)'"),
    ("(4,8):(8,(1,2))", 1, "nested alike"),
    ("(4,0):(8,1)", 1, "at least 1"),
    ("(4,8):(8,1) 7", 13, "unexpected text"),
    ("Sw<3,4,2> o 0 o (4,8):(8,1)", 1, "at least B"),
    ("Sw<3,4,3> o smem_ptr[16b](unset) (4,8):(8,1)", 34, "'o' and the layout"),
    ("", 1, "an integer or a tuple"),
])
def test_rejects_text_that_is_no_cute_layout(text, column, why):
    with pytest.raises(bankshot.Error, match=why) as wrong:
        parse(text)
    assert wrong.value.column == column


def random_shape(rng, depth=2):
    if depth == 0 or rng.random() < 0.4:
        return rng.choice([1, 2, 3, 4, 6])
    return tuple(random_shape(rng, depth - 1) for _ in range(rng.randint(1, 3)))


def random_strides(rng, shape):
    if isinstance(shape, int):
        return rng.choice([0, 1, 2, 3, 4, 8, 24, 64])
    return tuple(random_strides(rng, part) for part in shape)


def random_cute(rng):
    shape = random_shape(rng)
    return Layout(shape, random_strides(rng, shape))


def test_cute_parse_undoes_print():
    rng = random.Random(28)
    for _ in range(100):
        layout = random_cute(rng)
        b = rng.randint(0, 4)
        swizzle = Swizzle(b, rng.randint(0, 5), rng.choice([-1, 1]) * rng.randint(b, b + 3))
        offset = rng.choice([0, 5, SmemPtr(), SmemPtr(16)])
        for one in (layout, ComposedLayout(swizzle, offset, layout), swizzle):
            assert parse(str(one)) == one


def test_cute_layouts_are_found_again_from_their_addresses():
    rng = random.Random(29)
    for _ in range(100):
        layout = random_cute(rng)
        assert cute_layout_of(layout.table()) == coalesce(layout)
        found = cute_layout_of(layout.table(), layout.shape)
        assert found == layout or found.table() == layout.table()  # strides of extents of 1 are not seen


def test_swizzles_are_found_again_from_addresses():
    rng = random.Random(30)
    for _ in range(60):
        rows, columns = 1 << rng.randint(2, 5), 1 << rng.randint(3, 5)
        b = rng.randint(1, 3)
        swizzle = Swizzle(b, rng.randint(0, 2), rng.randint(b, 4))
        layout = ComposedLayout(swizzle, 0, Layout((rows, columns), (columns, 1)))
        found = cute_layout_of(lambda r, c: layout(r, c), (rows, columns))
        assert found.table() == layout.table()
        assert getattr(found, "swizzle", Swizzle(0, 0, 0)).b <= b


def test_nested_lists_are_tables_by_coordinate():
    assert str(cute_layout_of([[0, 1, 2], [10, 11, 12]])) == "(2,3):(10,1)"
    assert str(cute_layout_of([7, 8, 9])) == "Sw<0,0,0> o 7 o 3:1"
    with pytest.raises(bankshot.Error, match="not equally long"):
        cute_layout_of([[0, 1], [2]])


def test_rejects_addresses_of_no_layout_and_says_where_they_depart():
    table = [32 * r + c for c in range(4) for r in range(4)]
    table[13] += 1  # index 13 is row 1, column 3
    with pytest.raises(bankshot.Error, match=r"index 13, coordinate \(1, 3\), has address 36, but \(4,4\):\(32,1\), "
                                          "which fits before it, has 35; no swizzle"):
        cute_layout_of(table, (4, 4))


# ---- Linear layouts ----

def random_linear(rng, square=False):
    outs = {"dim0": 1 << rng.randint(0, 4), "dim1": 1 << rng.randint(1, 4)}
    bits = sum(n.bit_length() - 1 for n in outs.values())
    ins, left = {}, bits if square else rng.randint(0, 7)
    for name in ("register", "lane", "warp"):
        take = left if name == "warp" else rng.randint(0, left)
        ins[name], left = take, left - take
    bases = {name: [tuple(rng.randrange(n) for n in outs.values()) for _ in range(k)] for name, k in ins.items()}
    return LinearLayout(bases, outs)


def test_linear_parse_undoes_print():
    rng = random.Random(31)
    for _ in range(80):
        layout = random_linear(rng)
        assert parse(str(layout)) == layout


def test_linear_layouts_are_found_again_from_their_outputs():
    rng = random.Random(32)
    for _ in range(80):
        layout = random_linear(rng)
        n = sum(len(of) for of in layout.bases.values())
        table = [layout.at(i) for i in range(1 << n)]
        assert linear_layout_of(table, layout.in_sizes, layout.out_sizes) == layout
        assert linear_layout_of(lambda **at: layout(**at), layout.in_sizes, layout.out_sizes) == layout


def test_a_few_entries_determine_a_linear_layout():
    # f(3) = 6 and f(1) = 5 give f(2) = 6 ^ 5 = 3; f(7) = 8 + 6 gives f(4) = 8.
    layout = linear_layout_of({3: 6, 1: 5, 7: 14}, {"lane": 8})
    assert layout.bases == {"lane": [(5,), (3,), (8,)]}
    with pytest.raises(bankshot.Error, match="do not determine lane=4"):
        linear_layout_of({3: 6, 1: 5}, {"lane": 8})


def test_rejects_outputs_that_are_not_linear():
    with pytest.raises(bankshot.Error, match=r"register=1, lane=1 has output \(4\), but .* give \(3\)"):
        linear_layout_of([0, 1, 2, 4], {"register": 2, "lane": 2})
    with pytest.raises(bankshot.Error, match="map 0 to 0"):
        linear_layout_of([8, 9], {"lane": 2})


def test_composition_and_inversion_of_linear_layouts():
    rng = random.Random(33)
    inverted = 0
    for _ in range(200):
        layout = random_linear(rng, square=True)
        if not layout.is_injective:
            with pytest.raises(bankshot.Error, match="cannot invert: .* have the same output"):
                layout.invert()
            continue
        inverted += 1
        both = layout.compose(layout.invert())
        for i in range(1 << sum(len(of) for of in layout.bases.values())):
            assert both.at(i) == tuple(both._unpacked(i))
    assert inverted > 50
    with pytest.raises(bankshot.Error, match="no input has the output dim0=2"):
        LinearLayout({"lane": [(1,)]}, {"dim0": 4}).invert()


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


# ---- Accesses ----

def wavefronts(row, width):
    """A counter of our own: phases of 32, 16 or 8 lanes; each costs its busiest bank's distinct words."""
    lanes, total = {16: 8, 8: 16}.get(width, 32), 0
    for first in range(0, len(row), lanes):
        active = [a for a in row[first : first + lanes] if a is not None]
        words = {word for a in active for word in range(a // 4, (a + width + 3) // 4)}
        banks = [word % 32 for word in words]
        total += max((banks.count(bank) for bank in set(banks)), default=0)
    return total


def test_costs_are_those_of_a_brute_force_counter():
    rng = random.Random(34)
    for width in (1, 2, 4, 8, 16):
        rows = [[width * rng.randrange(512) if rng.random() < 0.9 else None for _ in range(32)] for _ in range(20)]
        store = Accesses("store", width, rows + [[0] * 32])
        assert store.costs().wavefronts == [wavefronts(row, width) for row in store.rows]


def test_random_triton_layouts_cost_what_a_brute_force_counter_says():
    rng = random.Random(35)
    widths = set()
    for _ in range(25):
        lanes = 1 << rng.randint(0, 5)
        registers = BlockedLayout([1 << rng.randint(0, 2), 1 << rng.randint(0, 3)], [lanes, 32 // lanes], [2, 2],
                                  rng.choice([[0, 1], [1, 0]])).layout((64, 64))
        shared = SwizzledSharedLayout(1 << rng.randint(0, 3), 1 << rng.randint(0, 2), 1 << rng.randint(0, 3),
                                      rng.choice([[0, 1], [1, 0]])).layout((64, 64))
        store = accesses(registers, shared, rng.choice([2, 4]), "store")
        widths.add(store.width)
        assert store.wavefronts() == sum(wavefronts(row, store.width) for row in store.rows)
    assert {4, 8, 16} <= widths


def test_every_element_is_accessed_once():
    registers = BlockedLayout([2, 4], [4, 8], [2, 2], [1, 0]).layout((32, 64))
    shared = SwizzledSharedLayout(4, 1, 8, [1, 0]).layout((32, 64))
    store = accesses(registers, shared, 2, "store")
    assert store.width == 8  # vectors of 4 halves
    assert sorted(a for row in store.rows for a in row) == list(range(0, 2 * 32 * 64, 8))
    assert accesses(registers, shared, 2, "store", vector=2).width == 4


def test_rejects_vectors_that_the_layouts_do_not_have():
    registers = BlockedLayout([2, 1], [4, 8], [1, 1], [1, 0]).layout((8, 8))
    shared = SwizzledSharedLayout(1, 1, 1, [1, 0]).layout((8, 8))
    with pytest.raises(bankshot.Error, match="in thread 0, register 0 is at offset 0 and register 1 at 8, not at 1"):
        accesses(registers, shared, 4, vector=2)
    assert accesses(registers, shared, 4).width == 4
    with pytest.raises(bankshot.Error, match="a copy has 4, 8 or 16 bytes per lane, not 2"):
        accesses(registers, shared, 2, "copy")


def test_registers_that_repeat_others_are_moved_once():
    mma = NVMMADistributedLayout([2, 0], [1, 1], [16, 8])
    repeated = mma.layout((8, 8))  # rows 8 to 15 of the tile wrap around
    assert repeated.in_sizes["register"] == 4
    assert len(accesses(repeated, SwizzledSharedLayout(1, 1, 1, [1, 0]).layout((8, 8)), 4).rows) == 1


def counts(access):
    return [(cost.wavefronts, cost.ideal) for cost in access.costs()]


def half_tile(rows=64, columns=64, swizzle=(1, 1, 1)):
    return SwizzledSharedLayout(*swizzle, [1, 0]).layout((rows, columns))


def test_ldmatrix_reads_the_lines_of_operands():
    mma = NVMMADistributedLayout([2, 0], [1, 1], [16, 8])
    a = accesses(DotOperandLayout(0, mma, 2).layout((16, 16)), half_tile(16, 16), 2, "ldmatrix")
    # Matrices in the order of registers: rows 0-7, rows 8-15, then columns 8-15 of both. Pitch 32 bytes.
    assert a.rows == (tuple([32 * r for r in range(16)] + [32 * r + 16 for r in range(16)]),)
    b = accesses(DotOperandLayout(1, mma, 2).layout((16, 8)), half_tile(16, 8), 2, "ldmatrix", transposed=True)
    assert b.rows == (tuple(16 * r for r in range(16)) + (None,) * 16,)  # .x2
    with pytest.raises(bankshot.Error, match="no ldmatrix: register 1 of thread 0 is at offset 8, but element 1 of line 0"):
        accesses(DotOperandLayout(1, mma, 2).layout((16, 8)), half_tile(16, 8), 2, "ldmatrix")
    c = accesses(mma.layout((16, 8)), half_tile(16, 8), 2, "stmatrix", matrices=1)
    assert [row[:8] for row in c.rows] == [tuple(range(0, 128, 16)), tuple(range(128, 256, 16))]


def test_lines_of_128_bytes_conflict_eightfold_without_a_swizzle():
    a = DotOperandLayout(0, NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2).layout((64, 64))
    # 64 x 64 halves are 64 matrices of 8 lines: 16 instructions .x4 of 4 wavefronts, or of 32.
    assert counts(accesses(a, half_tile(), 2, "ldmatrix")) == [(32, 4)] * 16
    for shared in (half_tile(swizzle=(8, 1, 8)), NVMMASharedLayout(128, 16).layout((64, 64)),
                   parse("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>").layout(),
                   parse("Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)"), parse("Sw<3,3,3> o 0 o (64,64):(64,1)")):
        assert counts(accesses(a, shared, 2, "ldmatrix")) == [(4, 4)] * 16


def test_cutes_thread_value_layouts_make_the_same_accesses():
    # 32 threads, each 4 neighbours of a row of 16 x 8: thread t row t / 2, columns 4 (t % 2) and on; column major.
    tv = parse("((2,16),4):((64,1),16)")
    shared = parse("Sw<1,2,2> o 0 o (16,8):(8,1)")
    triton = BlockedLayout([1, 4], [16, 2], [1, 1], [1, 0]).layout((16, 8))
    assert accesses(tv, shared, 4) == accesses(triton, shared, 4)
    assert accesses(tv, shared, 4).width == 16
    with pytest.raises(bankshot.Error, match="reaches index 127, the shared layout has 64"):
        accesses(tv, parse("(8,8):(8,1)"), 4)


def test_rejects_layouts_that_do_not_fit():
    registers = BlockedLayout([1], [32], [1], [0]).layout((64,))
    with pytest.raises(bankshot.Error, match="dim0 has size 64 here, but 32"):
        accesses(registers, SwizzledSharedLayout(1, 1, 1, [0]).layout((32,)), 4)
    with pytest.raises(bankshot.Error, match="dimensions dim0, the shared layout dim0, dim1"):
        accesses(registers, half_tile(), 4)
    with pytest.raises(bankshot.Error, match=r"access 0, lane 1: byte address 6 is no multiple"):
        Accesses("load", 4, [[0, 6]])
    with pytest.raises(bankshot.Error, match="no lane takes part"):
        Accesses("load", 4, [[None]])


# ---- The best swizzle ----

def moved(access, best):
    return Accesses(access.kind, access.width, [[None if a is None else best(a) for a in row] for row in access.rows])


def float_tile():
    rows = Accesses("store", 4, [[4 * (32 * r + lane) for lane in range(32)] for r in range(32)], "write rows")
    columns = Accesses("load", 4, [[4 * (32 * lane + c) for lane in range(32)] for c in range(32)], "read columns")
    return rows, columns


def test_rows_and_columns_of_a_float_tile():
    best = optimal_swizzle(float_tile(), 4096)
    assert best.swizzle == Swizzle(5, 2, 5)  # banks of columns need all 5 row bits
    assert (best.conflicts, best.without, best.proved) == (0, 32 * 31, True)
    assert [(o.wavefronts, o.without, o.ideal, o.missed) for o in best.outcomes] == [(32, 32, 32, 0), (32, 1024, 32, 0)]
    assert best.verify() == bankshot.verify(best) == "no 5x14 XOR hash has less than excess 0"
    assert [best(a) for a in range(4096)] == [best.swizzle(a) for a in range(4096)]


def test_copies_and_ldmatrix_of_a_half_tile_need_the_128_byte_swizzle():
    copy = Accesses("copy", 16, [[128 * (4 * i + lane // 8) + 16 * (lane % 8) for lane in range(32)] for i in range(16)])
    a = DotOperandLayout(0, NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2).layout((64, 64))
    best = optimal_swizzle([copy, accesses(a, half_tile(), 2, "ldmatrix")], 2 * 64 * 64)
    assert best.swizzle == Swizzle(3, 4, 3) and best.swizzle.scaled(16) == Swizzle(3, 3, 3)
    assert (best.conflicts, best.without) == (0, 16 * 28)


def test_one_dimensional_copies_read_by_wider_lanes():
    # As in Triton #8149: swizzled_shared has no rows to swizzle by in one dimension, whatever its parameters.
    assert SwizzledSharedLayout(4, 1, 8, [0]).layout((1024,)) == SwizzledSharedLayout(1, 1, 1, [0]).layout((1024,))
    shared = SwizzledSharedLayout(1, 1, 1, [0]).layout((1024,))
    copy = accesses(BlockedLayout([4], [32], [4], [0]).layout((1024,)), shared, 4, "copy")
    load = accesses(BlockedLayout([8], [32], [4], [0]).layout((1024,)), shared, 4, "load")
    # Lanes 32 bytes apart that read 16: 8 lanes reach over 256 bytes, so each phase takes two wavefronts.
    assert counts(load) == [(8, 4)] * 8
    best = optimal_swizzle([copy, load], 4096)
    assert (best.swizzle, best.conflicts) == (Swizzle(1, 4, 3), 0)


def test_says_what_each_access_misses_if_no_hash_serves_all():
    # 64 words: a hash into 32 banks joins pairs of words that differ by one v of 1 to 63. Words 0-31 need v of 32 or
    # more; the words 0-7, 32, 40, 48, 56 have all of these as differences, one each. Alone, v = 9 would do.
    rows = Accesses("load", 4, [[4 * lane for lane in range(32)]], "row")
    cross = Accesses("load", 4, [[4 * word for word in (0, 1, 2, 3, 4, 5, 6, 7, 32, 40, 48, 56)]], "cross")
    best = optimal_swizzle([rows, cross], 256)
    assert (best.conflicts, best.lower_bound, best.proved) == (1, 1, True)
    assert sorted(o.missed for o in best.outcomes) == [0, 1]
    assert "1 more than the 1 that it needs with a hash for it alone" in str(best)


def test_a_hash_that_is_no_swizzle_is_a_linear_layout():
    # bank = column ^ B row: columns need B invertible, the diagonal B ^ 1. The only such B of a swizzle is 1.
    rows, columns = float_tile()
    diagonal = Accesses("load", 4, [[4 * (32 * lane + lane) for lane in range(32)]], "diagonal")
    best = optimal_swizzle([rows, columns, diagonal], 4096)
    assert (best.swizzle, best.conflicts, best.proved) == (None, 0, True)
    assert sorted(best(a) for a in range(4096)) == list(range(4096))
    assert all(best(a) // 128 == a // 128 for a in range(4096))  # in place
    for access in (rows, columns, diagonal):
        assert moved(access, best).conflicts() == 0


def test_moved_accesses_have_the_wavefronts_that_were_promised():
    rng = random.Random(36)
    for _ in range(12):
        n = rng.choice([1024, 4096, 3 * 1024])
        width = rng.choice([4, 8, 16])
        several = [Accesses(rng.choice(["load", "store", "copy"]), w,
                            [[w * rng.randrange(n // w) for _ in range(32)] for _ in range(3)])
                   for w in (width, 4)]
        best = optimal_swizzle(several, n, seconds=1)
        assert sorted(best(a) for a in range(n)) == list(range(n))
        for access, outcome in zip(several, best.outcomes):
            assert moved(access, best).wavefronts() == outcome.wavefronts  # also checks that vectors stay aligned
            assert all(best(a + i) == best(a) + i for row in access.rows for a in row for i in range(access.width))
        assert best.conflicts == sum(o.wavefronts - o.ideal for o in best.outcomes) >= best.lower_bound


def test_an_unproved_result_says_so():
    best = dataclasses.replace(optimal_swizzle(float_tile(), 4096), conflicts=5, lower_bound=3, proved=False)
    assert "5 conflicts, 992 without; not proved: none has fewer than 3" in str(best)
    with pytest.raises(bankshot.Error, match="nothing is proved: the hash has 5 conflicts, the bound is 3"):
        best.verify()


def test_weights_count():
    rows = Accesses("load", 4, [[4 * lane for lane in range(32)]], "row", weight=10)
    cross = Accesses("load", 4, [[4 * word for word in (0, 1, 2, 3, 4, 5, 6, 7, 32, 40, 48, 56)]], "cross")
    best = optimal_swizzle([rows, cross], 256)
    assert [o.missed for o in best.outcomes] == [0, 1]  # the row is ten times as dear


def test_rejects_buffers_that_do_not_fit():
    rows, columns = float_tile()
    with pytest.raises(bankshot.Error, match="access write rows reaches byte 4095, but the buffer has 4000 bytes"):
        optimal_swizzle([rows], 4000)
    with pytest.raises(bankshot.Error, match="no multiple of the 128 bytes"):
        optimal_swizzle([rows], 4100)
    with pytest.raises(bankshot.Error, match="not 4 bytes wide"):
        optimal_swizzle([rows], 4096, gpu="k20")
    with pytest.raises(bankshot.Error, match="no accesses"):
        optimal_swizzle([], 4096)


# ---- Examples ----

@pytest.mark.parametrize("module", ["_swizzle", *(f"layouts.{m.name}" for m in pkgutil.iter_modules(bankshot.layouts.__path__))])
def test_examples_in_the_code(module):
    result = doctest.testmod(importlib.import_module(f"bankshot.{module}"))
    assert result.failed == 0
