"""Accesses, swizzles, hashes, search, atomics: numbers worked by hand for 32 banks of 4 bytes."""
import dataclasses
import json
import shutil
import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest

import bankshot
from bankshot import _installation

LANE = np.arange(32)


def test_cost_of_a_column():
    column = bankshot.conflicts([128 * lane for lane in range(32)])  # every word in bank 0
    assert (column.wavefronts, column.ideal, column.conflicts, column.degree) == (32, 1, 31, 32)
    assert (column.pattern, column.stride_bytes, column.banks) == ("stride", 128, (0,) * 32)


def test_an_access_tells_what_it_is():
    assert repr(bankshot.conflicts([4 * lane for lane in range(32)])) == "<load of 4 bytes per lane: 1 wavefront, 1 ideal, linear>"
    assert repr(bankshot.conflicts(list(range(32)), width=1)) == "<load of 1 byte per lane: 1 wavefront, 1 ideal, linear>"


def test_lanes_that_are_off():
    masked = np.ma.masked_array(128 * LANE, LANE >= 8)
    assert [bankshot.conflicts(addresses).wavefronts for addresses in (
        [0, None, 128], np.array([0, -1, 128]), masked, [None])] == [2, 2, 8, 0]


def test_columns_are_arrays_if_the_addresses_are():
    rows = np.stack([4 * LANE, 8 * LANE])
    assert isinstance(bankshot.conflicts(rows).wavefronts, np.ndarray)
    assert bankshot.conflicts(rows).banks[1, :3].tolist() == [0, 2, 4]
    assert bankshot.conflicts(rows.tolist()).wavefronts == [1, 2]
    assert bankshot.conflicts(rows).worst().wavefronts == 2


def test_services():
    # Bank 0 has a word for each of three lanes, bank 1 one for two lanes.
    services = bankshot.conflicts([0, 128, 4, 4, 256]).services
    assert [(one.pass_, one.bank, one.word, one.lanes) for one in services] == [
        (0, 0, 0, (0,)), (0, 1, 1, (2, 3)), (1, 0, 32, (1,)), (2, 0, 64, (4,))]


def test_picture_has_a_cell_for_each_lane():
    picture = xml.etree.ElementTree.fromstring(bankshot.conflicts([0, 128, 4, 4, 256])._repr_html_())
    titles = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(titles) == ["lane 0: word 0, bank 0, pass 1 of 3", "lane 1: word 32, bank 0, pass 2 of 3",
                              "lane 2: word 1, bank 1, pass 1 of 3", "lane 3: word 1, bank 1, pass 1 of 3",
                              "lane 4: word 64, bank 0, pass 3 of 3"]


@pytest.mark.parametrize("addresses, width, others, reason", [
    ([1.5], 4, {}, "lane 0: 1.5 is not an address"),
    ([-2], 4, {}, "lane 0: -2 is not an address"),
    ([2], 4, {}, "lane 0: address 2 is not a multiple of 4 bytes"),
    ([0] * 65, 4, {}, "65 addresses"),
    ([0], 3, {}, "power of two"),
    (np.zeros((1, 1, 1), int), 4, {}, "3 dimensions"),
    (7, 4, {}, "7 is not a list of addresses"),
    ([0], 4, {"gpu": "nothing"}, "nothing"),
    ([0], 4, {"kind": "glance"}, "'glance' is not a kind of access"),
    ([0], 4, {"hash": "nonsense"}, "nonsense"),
    ([0], "4", {}, "width is '4', which is not a whole number"),
    ([0], -4, {}, "width is -4; it must be 0 or more"),
    ([0], 2**32 + 4, {}, "width is 4294967300"),  # 4 in 32 bits
    ({4, 8}, 4, {}, "{8, 4} is not a list of addresses"),
    ("4 8", 4, {}, "'4 8' is not a list of addresses"),
    ([[0, 4], None], 4, {}, "None is not a list of addresses"),
])
def test_rejects_what_is_no_access(addresses, width, others, reason):
    with pytest.raises(bankshot.Error, match=reason):
        bankshot.conflicts(addresses, width, **others)


class Tensor:
    """As PyTorch's: its elements are tensors again, and have a length that cannot be asked for."""

    def __init__(self, values):
        self.values, self.ndim = np.asarray(values), np.ndim(values)

    def tolist(self):
        return self.values.tolist()

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return Tensor(self.values[index])

    def __index__(self):
        return self.values.__index__()


def test_arrays_of_other_libraries():
    assert bankshot.conflicts(Tensor(128 * LANE)).conflicts == 31
    assert bankshot.conflicts([Tensor(address) for address in 128 * LANE]).conflicts == 31
    assert bankshot.conflicts(Tensor(np.stack([4 * LANE, 128 * LANE]))).conflicts == [0, 31]
    assert bankshot.search(Tensor(128 * LANE)).without == 31


def test_a_gpu_file_may_change(tmp_path, monkeypatch):
    file = tmp_path / "gpu.toml"
    installed = Path(_installation.program()).parents[1] / "share/bankshot/gpus"
    gpus = installed if installed.is_dir() else Path(_installation.program()).parents[3] / "gpus"
    shutil.copy(gpus / "h100.toml", file)
    assert bankshot.conflicts([0], gpu=file).bank_count == 32
    shutil.copy(gpus / "mi350x.toml", file)
    assert bankshot.conflicts([0], gpu=file).bank_count == 64
    (tmp_path / "other").mkdir()
    shutil.copy(gpus / "h100.toml", tmp_path / "other/gpu.toml")
    counts = []
    for folder in (tmp_path, tmp_path / "other"):
        monkeypatch.chdir(folder)
        counts.append(bankshot.conflicts([0], gpu="gpu.toml").bank_count)
    assert counts == [64, 32]


def test_swizzle_is_that_of_cute():
    # Bits 7 to 9 into bits 4 to 6.
    swizzle = bankshot.Swizzle(3, 4, 3)
    assert [swizzle(offset) for offset in (0, 16, 128, 0x3f0)] == [0, 16, 144, 0x380]
    assert bankshot.Swizzle(2, 1, -3)(0b110) == 0b110110  # bits 1 and 2 into bits 4 and 5
    assert swizzle(np.array([128, 16])).tolist() == swizzle([128, 16]) == [144, 16]
    assert str(swizzle) == "Swizzle<3,4,3>"
    with pytest.raises(bankshot.Error, match=r"Swizzle<3,0,2> does not exist; .* \|S\| at least B"):
        bankshot.Swizzle(3, 0, 2)
    for type_ in "bB":  # bits beyond those of the type
        assert bankshot.Swizzle(2, 5, -3)(np.array([32], dtype=type_)).tolist() == [32 + 256]
    assert swizzle(np.array([128], dtype="uint64")).tolist() == [144]
    with pytest.raises(bankshot.Error, match="float64"):
        swizzle(np.array([1.0]))
    with pytest.raises(bankshot.Error, match="18446744073709551615 is too large"):
        swizzle(np.array([2**64 - 1], dtype="uint64"))


def test_swizzle_of_bytes_and_of_elements():
    of_bytes, of_halves = bankshot.Swizzle(3, 4, 3), bankshot.Swizzle(3, 3, 3)
    assert of_bytes.scaled(16) == of_halves and of_halves.of_bytes(16) == of_bytes
    assert bankshot.Swizzle(1, 2, 3).of_bytes(4) == bankshot.Swizzle(1, 1, 3)  # two elements a byte
    with pytest.raises(bankshot.Error, match="moves parts of an element of 256 bits"):
        of_bytes.scaled(256)
    with pytest.raises(bankshot.Error, match="moves parts of a byte"):
        bankshot.Swizzle(1, 0, 3).of_bytes(4)
    with pytest.raises(bankshot.Error, match="24 bits; their number must be a power of two"):
        of_bytes.scaled(24)


def test_hash():
    xor = bankshot.Hash("xor")
    assert xor(33) == 0 and xor(34) == 3  # bits 0 to 4 ^ bits 5 to 9
    assert xor(np.array([33, 34])).tolist() == xor([33, 34]) == [0, 3]
    for type_ in "bBhHiIqQ":
        words = np.array([33, 34], dtype=type_)
        assert xor(words).tolist() == [0, 3] and xor.place(words).tolist() == [32, 35]
    assert xor.place(np.uint32(33)) == 32 and xor(np.array([], dtype=int)).tolist() == []
    for words in (-1, [-1], np.array([0, -1]), np.array([0, 2**32])):
        with pytest.raises(bankshot.Error, match="(-1|4294967296) is not a word address"):
            xor(words)
    with pytest.raises(bankshot.Error, match="banks is -1; it must be 0 or more"):
        bankshot.Hash("xor", banks=-1)
    assert xor.place(33) == 32 and str(xor.swizzle) == "Swizzle<5,0,5>"
    add = bankshot.Hash("add")  # agrees with xor on single bits only
    assert add.in_place and add.swizzle is None and add.rows is None and add(33) == 2
    assert xor.rows == (33, 66, 132, 264, 528)
    assert str(bankshot.Hash("rows:5,2,4,8,16").swizzle) == "Swizzle<1,0,2>"
    assert bankshot.Hash("rows:5,6,4,8,16").swizzle is None  # bit 2 moves into two places
    assert str(bankshot.Hash("none").swizzle) == "Swizzle<0,0,5>"
    with pytest.raises(bankshot.Error, match="without extra memory"):
        bankshot.Hash("perm:3").place(0)


def test_search_finds_and_proves():
    found = bankshot.search(np.stack([4 * LANE, 128 * LANE]), weights=[10, 3])
    assert (found.without, found.conflicts, found.proved) == (93, 0, True)
    assert bankshot.verify(found) == bankshot.verify(found.certificate) == "no 5x14 XOR hash has less than excess 0"
    modulo = {**json.loads(found.certificate), "hash": [1, 2, 4, 8, 16]}  # does not have the excess that it claims
    with pytest.raises(bankshot.Error):
        bankshot.verify(json.dumps(modulo))
    assert bankshot.conflicts(128 * LANE, hash=found.hash).conflicts == 0


def test_plain_low_bits():
    # Words 32 * lane: bank bits 0 and 1, if they are address bits, do not tell them apart. 8 banks are left to 32 words.
    found = bankshot.search(128 * LANE, in_place=True, plain_low_bits=2)
    assert (found.conflicts, found.proved) == (3, True)
    assert found.verify() == "no 5x14 XOR hash that is in place with 2 plain low bits has less than excess 3"
    assert all(found.hash.place(word + i) == found.hash.place(word) + i for word in range(0, 1024, 4) for i in range(4))
    for wrong, reason in ((6, "6 plain low bits, but there are only 5 bank bits"), (-1, "0 or more"), (1.5, "whole number")):
        with pytest.raises(bankshot.Error, match=reason):
            bankshot.search(128 * LANE, plain_low_bits=wrong)


def test_stmatrix_costs_what_ldmatrix_does():
    store = bankshot.conflicts(128 * LANE, 16, kind="stmatrix")
    assert (store.kind, store.wavefronts, store.ideal) == ("stmatrix", 32, 4)


def test_search_takes_accesses_and_patterns_files(tmp_path):
    accesses = [bankshot.conflicts(128 * LANE), bankshot.conflicts(16 * LANE, 16, kind="store")]
    assert bankshot.search(accesses).without == 31
    patterns = {"schema": "bankshot/patterns/1", "banks": 32, "address_bits": 14, "patterns": [
        {"weight": 2, "width": 4, "addresses": [0, 32, 64]}]}
    (tmp_path / "p.json").write_text(json.dumps(patterns))
    assert bankshot.search(patterns).without == bankshot.search(tmp_path / "p.json").without == 4
    with pytest.raises(bankshot.Error, match="cannot be read"):
        bankshot.search(tmp_path / "none.json")
    with pytest.raises(bankshot.Error, match="nothing is proved: the hash has 31 conflicts, the bound is 2; search longer"):
        dataclasses.replace(bankshot.search(accesses), conflicts=31, lower_bound=2, proved=False).verify()
    with pytest.raises(bankshot.Error, match="1 weights for 2 accesses"):
        bankshot.search(accesses, weights=[1])
    for weights, reason in (([1.9, 1], "the weight is 1.9, which is not a whole number"), ([-1, 1], "the weight is -1"),
                            ([0, 1], "weight 0: it must be 1 to"), (2, "2 is not a list of weights")):
        with pytest.raises(bankshot.Error, match=reason):
            bankshot.search(accesses, weights=weights)
    with pytest.raises(bankshot.Error, match="5 is not a list of addresses"):
        bankshot.search(5)
    proof = tmp_path / "proof.json"
    proof.write_text(bankshot.search(accesses).certificate)
    assert bankshot.verify(proof) == bankshot.verify(str(proof)) == bankshot.search(accesses).verify()
    with pytest.raises(bankshot.Error, match="none.json cannot be read: .*; give what search.. found"):
        bankshot.verify(tmp_path / "none.json")
    with pytest.raises(bankshot.Error, match="{} is not a certificate"):
        bankshot.verify({})
    with pytest.raises(bankshot.Error, match="no certificate"):
        bankshot.search(accesses, hash_class="swizzle").verify()


def test_errors_of_the_library_have_the_remedy_of_their_message():
    with pytest.raises(bankshot.Error) as failed:
        bankshot.conflicts(4 * LANE, hash="xorr")
    assert failed.value.reason == "hash 'xorr': no such class"
    assert failed.value.remedy.startswith("choose one of none, xor") and failed.value.remedy.endswith("did you mean 'xor'?")
    assert str(failed.value) == f"{failed.value.reason}; {failed.value.remedy}"
    with pytest.raises(bankshot.Error) as failed:
        bankshot.conflicts(4 * LANE, gpu="h10")
    assert failed.value.reason == "no GPU is called 'h10'" and failed.value.remedy.endswith("did you mean 'h100'?")


def test_atomics():
    cost = bankshot.atomics([0, 0, 4, None], gpu="gtx580")
    assert (cost.rounds, cost.lock_degree, cost.bank_degree) == (2, 2, 1)
    assert [one.lock_degree for one in bankshot.atomics(np.stack([0 * LANE, 4 * LANE]), gpu="gtx580")] == [32, 1]
    with pytest.raises(bankshot.Error, match="multiple of 4"):
        bankshot.atomics([2])
