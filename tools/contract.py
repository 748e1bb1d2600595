#!/usr/bin/env python3
"""Makes the generated faces of kernels/contract.toml; with --check, says which are stale and exits 1."""
import pathlib
import sys
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
contract = tomllib.loads((root / "kernels/contract.toml").read_text())
HEAD = "Made by tools/contract.py from kernels/contract.toml; change it there."


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def numbers():
    """(group, name, value) of every number in the contract."""
    for group in ("bindings", "offsets", "uniforms", "flags", "side", "choice"):
        for name, value in contract[group].items():
            yield group.rstrip("s"), name, value
    for word, name in enumerate(contract["control"]["fields"]):
        yield "control", name, word
    for name in ("tickets", "broken", "choices", "totals", "words"):
        yield "control", name, contract["control"][name]
    for word, name in enumerate(contract["chunk"]["fields"]):
        yield "chunk", name, word
    yield "chunk", "words", len(contract["chunk"]["fields"])
    for name, value in contract["message"].items():
        yield "message", name, value
    for name, value in contract["limits"].items():
        yield "limit", name, value


def cpp():
    lines = [f"// {HEAD}", "#pragma once", "#include <cstdint>", "", "namespace lanesort {", "inline namespace v1 {",
             "namespace contract {", ""]
    lines += [f"inline constexpr std::uint32_t k{camel(group)}{camel(name)} = {value};" for group, name, value in numbers()]
    for struct in ("step", "request"):
        lines += ["", f"struct {camel(struct)} {{"]
        lines += [f"  std::uint32_t {field} = 0;" for field in contract[struct]["fields"]]
        lines += [f"  bool operator==(const {camel(struct)}&) const = default;", "};"]
        names = ", ".join(f'"{field}"' for field in contract[struct]["fields"])
        lines += [f"inline constexpr const char* k{camel(struct)}Fields[] = {{{names}}};"]
    lines += ["", "enum class Kernel : std::uint32_t {"]
    lines += [f"  {name}," for name in contract["kernels"]]
    lines += ["};", "inline constexpr const char* kKernelNames[] = {" +
              ", ".join(f'"{name}"' for name in contract["kernels"]) + "};",
              "// The parts of each kernel's text, a blank between two.",
              "inline constexpr const char* kKernelParts[] = {" +
              ", ".join(f'"{" ".join(parts)}"' for parts in contract["kernels"].values()) + "};", "",
              "}  // namespace contract", "}  // namespace v1", "}  // namespace lanesort", ""]
    return "\n".join(lines)


def wgsl():
    lines = [f"// {HEAD}", ""]
    for group, name, value in numbers():
        if group not in ("binding", "offset", "uniform"):
            lines.append(f"const {group.upper()}_{name.upper()} = {value}u;")
    for struct in ("step", "request"):
        lines += ["", f"struct {camel(struct)} {{"]
        lines += [f"  {field}: u32," for field in contract[struct]["fields"]]
        lines += ["}", f"@group(1) @binding({contract['uniforms'][struct]}) var<uniform> {struct}: {camel(struct)};"]
    lines.append("")
    element = {"keys": "Key", "values": "Value", "counts": "u32", "control": "atomic<u32>"}
    for name, number in contract["bindings"].items():
        lines.append(f"@group(0) @binding({number}) var<storage, read_write> {name}: array<{element[name.split('_')[0]]}>;")
    for name, number in contract["offsets"].items():
        lines.append(f"@group(0) @binding({number}) var<storage, read_write> segment_{name}: array<u32>;")
    return "\n".join(lines) + "\n"


def ts():
    lines = [f"// {HEAD}", ""]
    groups = {}
    for group, name, value in numbers():
        groups.setdefault(group, []).append((name, value))
    for group, rows in groups.items():
        lines += [f"export const {group} = {{"]
        for name, value in rows:
            parts = name.split("_")
            lines.append(f"  {parts[0] + ''.join(p.capitalize() for p in parts[1:])}: {value},")
        lines += ["} as const;", ""]
    for struct in ("step", "request"):
        names = ", ".join(f'"{field}"' for field in contract[struct]["fields"])
        lines += [f"export const {struct}Fields = [{names}] as const;",
                  f"export type {camel(struct)} = Record<(typeof {struct}Fields)[number], number>;", ""]
    names = ", ".join(f'"{name}"' for name in contract["kernels"])
    lines += [f"export const kernelNames = [{names}] as const;", "export type Kernel = (typeof kernelNames)[number];",
              "export const kernelParts: Record<Kernel, readonly string[]> = {"]
    for name, parts in contract["kernels"].items():
        lines.append(f"  {name}: [" + ", ".join(f'"{part}"' for part in parts) + "],")
    lines += ["};", ""]
    return "\n".join(lines)


faces = {"kernels/contract.hpp": cpp(), "kernels/wgsl/contract.wgsl": wgsl(), "web/src/contract.ts": ts()}
if sys.argv[1:] == ["--check"]:
    stale = [path for path, text in faces.items() if not (root / path).exists() or (root / path).read_text() != text]
    for path in stale:
        print(f"{path} is not what kernels/contract.toml says: run tools/contract.py")
    sys.exit(1 if stale else 0)
for path, text in faces.items():
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
