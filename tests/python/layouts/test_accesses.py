"""The accesses between two layouts, and what they cost. Numbers are worked by hand where no source is named."""
import random

import pytest

import bankshot
from bankshot.layouts import (AccessPattern, BlockedLayout, DotOperandLayout, NVMMADistributedLayout, NVMMASharedLayout,
                              SwizzledSharedLayout, accesses, parse)


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
        store = AccessPattern("store", width, rows + [[0] * 32])
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
        AccessPattern("load", 4, [[0, 6]])
    with pytest.raises(bankshot.Error, match="no lane takes part"):
        AccessPattern("load", 4, [[None]])
