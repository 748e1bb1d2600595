"""The cases about top-k, from the npm package: a sorter, and typed arrays on the GPU and on the CPU."""
import cases
import topk


def check(web, case, keys, k, largest, how):
    """how: web.py's room, shape and names of arrays."""
    dtype = case["dtype"]
    order = cases.stable_order(keys, dtype, dict(order="desc" if largest else "asc"))[:k]
    data = cases.pack(keys, dtype)
    want_keys, want_places = cases.pack([keys[i] for i in order], dtype), cases.pack_indices(order)
    words = f"{dtype}, n = {len(keys)}, k = {k}, largest {largest}"
    limits = dict(how.SHAPE, groups=3)
    buffers = [how.room(part) for part in (data, want_keys, want_places)]
    run = dict(zip(("keys", "keysOut", "valuesOut"), map(len, buffers)), count=len(keys))
    for more in (dict(), dict(noSmall=True)):
        options = dict(operation="topK", dtype=dtype, k=k, descending=largest, maxCount=len(keys))
        options["limits"] = dict(limits, **more)
        _, got = web.must(buffers[0], call="sorter", options=options, facts={}, runs=[run], together=False)
        web.expect(got == b"".join(buffers), f"sorter, {words}: wrong bytes")
    for backend in ("gpu", "cpu") if keys else ("cpu",):
        memory = how.room(data) + bytes(-len(how.room(data)) % 8)
        options = dict(descending=largest, backend=backend, limits=limits)
        parts = [dict(bytes=len(memory), offset=0, count=len(keys))]
        _, got = web.must(memory, call="array", array=how.ARRAYS[dtype], k=k, options=options, parts=parts)
        web.expect(got == want_keys + want_places + memory, f"{backend}, {words}: wrong bytes")


def run(web, case, how):
    for n in case.get("sweep_n") or [None]:
        keys = cases.make(case["gen"], case["dtype"], n)
        for k, largest in topk.variants(case, len(keys)):
            check(web, case, keys, k, largest, how)
    if case["id"] == "N0-04":
        check(web, case, [], 1, True, how)
