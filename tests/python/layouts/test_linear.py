"""Linear layouts. Numbers are worked by hand where no source is named."""
import random

import pytest

import bankshot
from bankshot.layouts import LinearLayout, linear_layout_of, parse


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
