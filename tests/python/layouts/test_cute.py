"""CuTe's layouts and swizzles. Numbers are worked by hand where no source is named."""
import random

import pytest

import bankshot
from bankshot.layouts import ComposedLayout, Layout, SmemPtr, Swizzle, coalesce, composition, cute_layout_of, parse


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
