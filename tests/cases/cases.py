"""The cases of cases.json: their keys, and the one right answer to each, by plain Python.

Order: every NaN stands after all numbers in both directions, -0 equals +0, every sort is stable in both directions.
Recipes: SplitMix64 with state = seed; cases.json's meta.prng says the rest.
"""
import array
import json
import os
import struct

WIDTH = dict(bool=8, u8=8, i8=8, u16=16, i16=16, f16=16, bf16=16, u32=32, i32=32, f32=32, u64=64, i64=64, f64=64)
ARRAY = {8: "B", 16: "H", 32: "I", 64: "Q"}
INFINITY = dict(f16=0x7C00, bf16=0x7F80, f32=0x7F800000, f64=0x7FF0 << 48)
QUIET = dict(f16=0x7E00, bf16=0x7FC0, f32=0x7FC00000, f64=0x7FF8 << 48)
BARE = ("none", "text", "bytes_hex", "npy", "words")  # recipes that make no list of keys
BOTH_WAYS = ("NZ-15", "WO-03", "SE-03")  # ask for both directions
MEDIUM = 3_000_000  # the largest count for which Python works out the answer


def draw(seed, count):
    """Draws of SplitMix64; whoever has loaded the helper puts its own in place of this, for millions."""
    ring, draws = (1 << 64) - 1, []
    for i in range(1, count + 1):
        z = (seed + i * 0x9E3779B97F4A7C15) & ring
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ring
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ring
        draws.append(z ^ (z >> 31))
    return draws


def load():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json")) as file:
        return json.load(file)


def is_float(dtype):
    return dtype in QUIET


def f32_bits(x):
    try:
        return struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        return 0x7F800000 if x > 0 else 0xFF800000


def float_bits(x, dtype):
    if dtype == "f32":
        return f32_bits(x)
    if dtype == "f64":
        return struct.unpack("<Q", struct.pack("<d", x))[0]
    if dtype == "bf16":  # round to nearest, ties to even, from the f32
        bits = f32_bits(x)
        return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0x7C00 if x > 0 else 0xFC00


def to_bits(value, dtype):
    """A number or a word of the case file -> the raw pattern of a key."""
    width = WIDTH[dtype]
    if isinstance(value, str):
        if value.startswith("bits:"):
            return int(value[5:], 16)
        if not is_float(dtype):
            return int(value, 0) & ((1 << width) - 1)
        if value.lstrip("-") == "nan":
            return QUIET[dtype] | (1 << (width - 1) if value[0] == "-" else 0)
    if dtype == "bool":
        return int(value) & 255
    return float_bits(float(value), dtype) if is_float(dtype) else int(value) & ((1 << width) - 1)


def shown(bits, dtype):
    """The way the case file writes a key."""
    width = WIDTH[dtype]
    if not is_float(dtype):
        return bits - (1 << width) if dtype[0] == "i" and bits >> (width - 1) else bits
    if (bits & ((1 << (width - 1)) - 1)) > INFINITY[dtype]:
        return {QUIET[dtype]: "nan", QUIET[dtype] | 1 << (width - 1): "-nan"}.get(bits, "bits:0x%x" % bits)
    raw = bits.to_bytes(width // 8, "little") if dtype != "bf16" else (bits << 16).to_bytes(4, "little")
    x = struct.unpack("<" + dict(f16="e", bf16="f", f32="f", f64="d")[dtype], raw)[0]
    if x == 0 and bits >> (width - 1):
        return "-0.0"
    return {float("inf"): "inf", float("-inf"): "-inf"}.get(x, x)


def count_of(recipe, n=None):
    kind = recipe["type"]
    if kind == "list":
        return len(recipe["values"])
    if kind == "concat":
        return sum(count_of(part, n) for part in recipe["parts"])
    if kind in ("patch", "shuffle", "every"):
        return count_of(recipe["base"], n)
    if kind == "bitcombine":
        return count_of(recipe["hi"], n)
    if kind in BARE:
        return 0
    return n if recipe["n"] == "sweep" else recipe["n"]


def make(recipe, dtype, n=None):
    """The raw patterns of a recipe's keys."""
    kind, width = recipe["type"], WIDTH[dtype]
    mask = (1 << width) - 1
    count = count_of(recipe, n)
    if kind == "list":
        return [to_bits(v, dtype) for v in recipe["values"]]
    if kind == "iota":
        return [to_bits(recipe.get("start", 0) + i * recipe.get("step", 1), dtype) for i in range(count)]
    if kind == "rev_iota":
        return [to_bits(count - 1 - i, dtype) for i in range(count)]
    if kind == "const":
        return [to_bits(recipe["value"], dtype)] * count
    if kind == "cycle":
        values = [to_bits(v, dtype) for v in recipe["values"]]
        return (values * (count // len(values) + 1))[:count]
    if kind == "affine":
        ring = mask & ((1 << recipe.get("modbits", width)) - 1)
        return [(recipe["mul"] * i + recipe.get("add", 0)) & ring for i in range(count)]
    if kind == "rand_bits":
        return [x & mask for x in draw(recipe["seed"], count)]
    if kind == "rand_mod":
        mod, offset = recipe["mod"], recipe.get("offset", 0)
        return [to_bits(x % mod + offset, dtype) for x in draw(recipe["seed"], count)]
    if kind == "rand_real":
        low, span = recipe["lo"], recipe["hi"] - recipe["lo"]
        return [float_bits(low + span * ((x >> 11) * 2.0**-53), dtype) for x in draw(recipe["seed"], count)]
    if kind == "concat":
        return [key for part in recipe["parts"] for key in make(part, dtype, n)]
    if kind == "bitcombine":
        high, low = (make(recipe[half], "u64", n) for half in ("hi", "lo"))
        return [((a << recipe["shift"]) | b) & mask for a, b in zip(high, low)]
    keys = make(recipe["base"], dtype, n)
    if kind == "patch":
        for i, value in recipe["set"]:
            keys[i] = to_bits(value, dtype)
    elif kind == "every":
        for i in range(recipe.get("offset", 0), len(keys), recipe["stride"]):
            keys[i] = to_bits(recipe["value"], dtype)
    elif kind == "shuffle":  # Fisher-Yates from the end
        draws = draw(recipe["seed"], len(keys))
        for step, i in enumerate(range(len(keys) - 1, 0, -1)):
            j = draws[step] % (i + 1)
            keys[i], keys[j] = keys[j], keys[i]
    else:
        raise ValueError(kind)
    return keys


def ranks(keys, dtype, options):
    """For each key a number that sorts it, ascending or descending as the options say."""
    width = WIDTH[dtype]
    sign, mask = 1 << (width - 1), (1 << width) - 1
    descending = options.get("order") == "desc"
    low, high = options.get("begin_bit", 0), options.get("end_bit", width)
    if (low, high) != (0, width):
        assert not is_float(dtype) and dtype != "bool" and not descending
        field = (1 << (high - low)) - 1
        flip = sign if dtype[0] == "i" else 0
        return [((b ^ flip) >> low) & field for b in keys]
    if dtype == "bool":
        return [b != 0 for b in keys]
    if dtype[0] == "u":
        return keys
    if dtype[0] == "i":
        return [b ^ sign for b in keys]
    infinity, nan = INFINITY[dtype], -1 if descending else mask + 1

    def rank(b):
        if b & ~sign > infinity:
            return nan
        if b & sign:
            return mask & ~b if b != sign else sign
        return b | sign

    return [rank(b) for b in keys]


def stable_order(keys, dtype, options):
    """The indices that sort the keys."""
    rank = ranks(keys, dtype, options)
    return sorted(range(len(keys)), key=rank.__getitem__, reverse=options.get("order") == "desc")


def pack(keys, dtype):
    return array.array(ARRAY[WIDTH[dtype]], keys).tobytes()


def pack_indices(indices):
    return array.array("I", indices).tobytes()


def file_bytes(case):
    """What a case of the command line has in its file."""
    recipe = case["gen"]
    if recipe["type"] == "text":
        return recipe["text"].encode()
    if recipe["type"] == "bytes_hex":
        return bytes.fromhex(recipe["hex"])
    if recipe["type"] != "npy":
        return pack(make(recipe, case["dtype"]), case["dtype"])
    header, version = recipe["header"].encode(), recipe.get("version", [1, 0])
    preamble = 10 if version[0] == 1 else 12
    header += b" " * (-(preamble + len(header) + 1) % 64 + recipe.get("extra_pad", 0)) + b"\n"
    size = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    body = bytes.fromhex(recipe["hex"]) if "hex" in recipe else pack(make(recipe["payload"], case["dtype"]), case["dtype"])
    out = bytes.fromhex(recipe.get("magic", "934e554d5059")) + bytes(version) + size + header + body
    return out[: len(out) - recipe.get("cut", 0)]
