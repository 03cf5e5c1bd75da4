"""The best swizzle of a buffer. Numbers are worked by hand where no source is named."""
import dataclasses
import random

import pytest

import bankshot
from bankshot.layouts import (AccessPattern, BlockedLayout, DotOperandLayout, NVMMADistributedLayout, Swizzle,
                              SwizzledSharedLayout, accesses, optimal_swizzle)


def moved(access, best):
    return AccessPattern(access.kind, access.width, [[None if a is None else best(a) for a in row] for row in access.rows])


def float_tile():
    rows = AccessPattern("store", 4, [[4 * (32 * r + lane) for lane in range(32)] for r in range(32)], "write rows")
    columns = AccessPattern("load", 4, [[4 * (32 * lane + c) for lane in range(32)] for c in range(32)], "read columns")
    return rows, columns


def test_rows_and_columns_of_a_float_tile():
    best = optimal_swizzle(float_tile(), 4096)
    assert best.swizzle == Swizzle(5, 2, 5)  # banks of columns need all 5 row bits
    assert (best.conflicts, best.without, best.proved) == (0, 32 * 31, True)
    assert [(o.wavefronts, o.without, o.ideal, o.missed) for o in best.outcomes] == [(32, 32, 32, 0), (32, 1024, 32, 0)]
    assert best.verify() == bankshot.verify(best) == "no 5x14 XOR hash has less than excess 0"
    assert [best(a) for a in range(4096)] == [best.swizzle(a) for a in range(4096)]


def test_copies_and_ldmatrix_of_a_half_tile_need_the_128_byte_swizzle():
    copy = AccessPattern("copy", 16, [[128 * (4 * i + lane // 8) + 16 * (lane % 8) for lane in range(32)] for i in range(16)])
    a = DotOperandLayout(0, NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2).layout((64, 64))
    rows = SwizzledSharedLayout(1, 1, 1, [1, 0]).layout((64, 64))
    best = optimal_swizzle([copy, accesses(a, rows, 2, "ldmatrix")], 2 * 64 * 64)
    assert best.swizzle == Swizzle(3, 4, 3) and best.swizzle.scaled(16) == Swizzle(3, 3, 3)
    assert (best.conflicts, best.without) == (0, 16 * 28)


def test_one_dimensional_copies_read_by_wider_lanes():
    # As in Triton #8149: swizzled_shared has no rows to swizzle by in one dimension, whatever its parameters.
    assert SwizzledSharedLayout(4, 1, 8, [0]).layout((1024,)) == SwizzledSharedLayout(1, 1, 1, [0]).layout((1024,))
    shared = SwizzledSharedLayout(1, 1, 1, [0]).layout((1024,))
    copy = accesses(BlockedLayout([4], [32], [4], [0]).layout((1024,)), shared, 4, "copy")
    load = accesses(BlockedLayout([8], [32], [4], [0]).layout((1024,)), shared, 4, "load")
    # Lanes 32 bytes apart that read 16: 8 lanes reach over 256 bytes, so each phase takes two wavefronts.
    assert [(cost.wavefronts, cost.ideal) for cost in load.costs()] == [(8, 4)] * 8
    best = optimal_swizzle([copy, load], 4096)
    assert (best.swizzle, best.conflicts) == (Swizzle(1, 4, 3), 0)


def test_says_what_each_access_misses_if_no_hash_serves_all():
    # 64 words: a hash into 32 banks joins pairs of words that differ by one v of 1 to 63. Words 0-31 need v of 32 or
    # more; the words 0-7, 32, 40, 48, 56 have all of these as differences, one each. Alone, v = 9 would do.
    rows = AccessPattern("load", 4, [[4 * lane for lane in range(32)]], "row")
    cross = AccessPattern("load", 4, [[4 * word for word in (0, 1, 2, 3, 4, 5, 6, 7, 32, 40, 48, 56)]], "cross")
    best = optimal_swizzle([rows, cross], 256)
    assert (best.conflicts, best.lower_bound, best.proved) == (1, 1, True)
    assert sorted(o.missed for o in best.outcomes) == [0, 1]
    assert "1 more than the 1 that it needs with a hash for it alone" in str(best)


def test_a_hash_that_is_no_swizzle_is_a_linear_layout():
    # bank = column ^ B row: columns need B invertible, the diagonal B ^ 1. The only such B of a swizzle is 1.
    rows, columns = float_tile()
    diagonal = AccessPattern("load", 4, [[4 * (32 * lane + lane) for lane in range(32)]], "diagonal")
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
        several = [AccessPattern(rng.choice(["load", "store", "copy"]), w,
                            [[w * rng.randrange(n // w) for _ in range(32)] for _ in range(3)])
                   for w in (width, 4)]
        best = optimal_swizzle(several, n, seconds=1)
        assert sorted(best(a) for a in range(n)) == list(range(n))
        for access, outcome in zip(several, best.outcomes):
            assert moved(access, best).wavefronts() == outcome.wavefronts  # also checks that vectors stay aligned
            assert all(best(a + i) == best(a) + i for row in access.rows for a in row for i in range(access.width))
        assert best.conflicts == sum(o.wavefronts - o.ideal for o in best.outcomes) >= best.lower_bound


def test_says_which_hashes_were_compared():
    # Every fourth word. Where vectors of four words stay together, these lie in 8 banks, in 4 passes; else 32 banks are free.
    both = [AccessPattern("load", 16, [[16 * lane for lane in range(32)]]), AccessPattern("load", 4, [[16 * lane for lane in range(32)]])]
    vectors = optimal_swizzle(both, 512)
    assert (vectors.conflicts, vectors.proved) == (3, True)
    assert "3 conflicts, 3 without; proved: no XOR hash that keeps vectors of 16 bytes together has fewer\n" in str(vectors)
    patterns = [cost for access in both for cost in access.costs()]
    assert bankshot.search(patterns).conflicts == 0
    words = optimal_swizzle([AccessPattern("load", 4, [[4 * lane for lane in range(32)]])], 384)
    assert "proved: no XOR hash that is in place has fewer\n" in str(words)


def test_an_unproved_result_says_so():
    best = dataclasses.replace(optimal_swizzle(float_tile(), 4096), conflicts=5, lower_bound=3, proved=False)
    assert "5 conflicts, 992 without; not proved: no XOR hash has fewer than 3" in str(best)
    with pytest.raises(bankshot.Error, match="nothing is proved: the hash has 5 conflicts, the bound is 3"):
        best.verify()


def test_weights_count():
    rows = AccessPattern("load", 4, [[4 * lane for lane in range(32)]], "row", weight=10)
    cross = AccessPattern("load", 4, [[4 * word for word in (0, 1, 2, 3, 4, 5, 6, 7, 32, 40, 48, 56)]], "cross")
    best = optimal_swizzle([rows, cross], 256)
    assert [o.missed for o in best.outcomes] == [0, 1]  # the row is ten times as dear


def test_rejects_numbers_that_are_not_whole():
    with pytest.raises(bankshot.Error, match="access 0: an address is 4.5, which is not a whole number"):
        AccessPattern("load", 4, [[0, 4.5]])
    with pytest.raises(bankshot.Error, match="the weight is 1.5, which is not a whole number"):
        AccessPattern("load", 4, [[0]], weight=1.5)


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
