"""Reads Triton's layout attributes, #ttg.blocked<{…}> and so on, as they stand in TTGIR; str() writes them."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .._errors import Error
from ._scanner import Scanner
from .encodings import BlockedLayout, DotOperandLayout, NVMMADistributedLayout, SliceLayout
from .linear import LinearLayout
from .shared import NVMMASharedLayout, PaddedSharedLayout, SwizzledSharedLayout


def parse(text: str, aliases: Mapping[str, object]) -> Any:
    """Reads an attribute. @param aliases  layouts by alias, such as "#mma", that the text names

    @return  one of the layouts of `encodings` or `shared`; a LinearLayout for linear and shared_linear

    >>> print(parse("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", {}))
    #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
    """
    scanner = Scanner(text)
    layout = _attribute(scanner, aliases)
    scanner.end()
    return layout


def _attribute(scanner: Scanner, aliases: Mapping[str, object]) -> Any:
    at = scanner.at
    kind = scanner.expect(r"#(?:ttg|triton_gpu)\.(\w+)\s*<", "an attribute such as #ttg.blocked<").group(1)
    if kind not in _KINDS:
        scanner.fail(f"{kind} is not supported; supported are {', '.join(_KINDS)}", at)
    pairs = _pairs(scanner) if scanner.accept(r"\[") else []
    members = _members(scanner, aliases)
    while scanner.accept(","):
        scanner.expect(r"\w+\s*=\s*\d+", "a member such as alignment = 16")
    scanner.expect(">", "'>'")
    _one_cta(scanner, members, at)
    try:
        return _KINDS[kind](members, pairs)
    except KeyError as missing:
        scanner.fail(f"{kind} needs {missing.args[0]}", at)
    except Error as wrong:
        scanner.fail(str(wrong), at)


def _pairs(scanner: Scanner) -> list[tuple[int, int]]:
    pairs = []
    while not scanner.accept(r"\]"):
        interval = scanner.integer("an interval")
        scanner.expect(r":\s*\+", "':+' and the padding")
        pairs.append((interval, scanner.integer("the padding")))
        scanner.accept(",")
    return pairs


def _members(scanner: Scanner, aliases: Mapping[str, object]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    scanner.expect(r"\{", "'{'")
    while not scanner.accept(r"\}"):
        name = scanner.expect(r"\w+", "the name of a member").group()
        scanner.expect("=", "'='")
        members[name] = _value(scanner, aliases)
        scanner.accept(",")
    return members


def _value(scanner: Scanner, aliases: Mapping[str, object]) -> Any:
    if scanner.accept(r"\["):
        values = []
        while not scanner.accept(r"\]"):
            values.append(_value(scanner, aliases))
            scanner.accept(",")
        return values
    word = scanner.accept(r"(true|false)\b")
    if word:
        return word.group(1) == "true"
    at = scanner.at
    alias = scanner.accept(r"#\w+(?![\w.])")
    if alias:
        if alias.group() not in aliases:
            scanner.fail(f"the alias {alias.group()} is not known: pass aliases={{'{alias.group()}': …}}", at)
        return aliases[alias.group()]
    if scanner.text.startswith("#", scanner.at):
        return _attribute(scanner, aliases)
    return scanner.integer("a number, a list, true, false or an attribute")


def _one_cta(scanner: Scanner, members: dict[str, Any], at: int) -> None:
    several = any(n != 1 for n in members.get("CTAsPerCGA", [])) or members.get("CGALayout") or members.get("block")
    if several:
        scanner.fail("layouts over several CTAs are not supported", at)


def _linear(members: dict[str, Any], names: Sequence[str]) -> LinearLayout:
    bases = {name: members.get(name, []) for name in names}
    rank = max([len(basis) for of in bases.values() for basis in of], default=0)
    return LinearLayout(bases, [f"dim{d}" for d in range(rank)])


def _padded(m: dict[str, Any], pairs: list[tuple[int, int]]) -> PaddedSharedLayout:
    if "offset" not in m:
        return PaddedSharedLayout.with_identity_for(pairs, m["shape"], m["order"])
    linear = _linear(m, ("offset",))
    return PaddedSharedLayout(pairs, m["offset"], list(linear.out_sizes.values()))


_KINDS: dict[str, Callable[[dict[str, Any], list[tuple[int, int]]], object]] = {
    "blocked": lambda m, _: BlockedLayout(m["sizePerThread"], m["threadsPerWarp"], m["warpsPerCTA"], m["order"]),
    "nvidia_mma": lambda m, _: NVMMADistributedLayout([m["versionMajor"], m["versionMinor"]], m["warpsPerCTA"],
                                                      m["instrShape"]),
    "dot_op": lambda m, _: DotOperandLayout(m["opIdx"], m["parent"], m["kWidth"]),
    "slice": lambda m, _: SliceLayout(m["dim"], m["parent"]),
    "linear": lambda m, _: _linear(m, ("register", "lane", "warp", "block")),
    "swizzled_shared": lambda m, _: SwizzledSharedLayout(m["vec"], m["perPhase"], m["maxPhase"], m["order"]),
    "nvmma_shared": lambda m, _: NVMMASharedLayout(m["swizzlingByteWidth"], m["elementBitWidth"], m.get("rank", 2),
                                                   m.get("transposed", False)),
    "padded_shared": _padded,
    "shared_linear": lambda m, _: _linear(m, ("offset", "block")),
}
