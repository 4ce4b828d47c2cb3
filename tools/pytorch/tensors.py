"""Numbers drawn as package nn draws them, and tensors as a safetensors file."""
import hashlib
import json

import numpy as np
import torch

U = np.uint64
GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix(x):
    """SplitMix64's mixing function, of one number or an array."""
    if isinstance(x, np.ndarray):
        x = (x ^ (x >> U(30))) * U(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> U(27))) * U(0x94D049BB133111EB)
        return x ^ (x >> U(31))
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def counter(first, n):
    """first, first + GAMMA, ...: n numbers modulo 2^64."""
    with np.errstate(over="ignore"):
        return U(first) + np.arange(n, dtype=U) * U(GAMMA)


def stream(seed, place, n):
    """The first n numbers of nn.NewStream(seed, place)."""
    first = mix(mix(mix(0x6E6E2F696E697400) ^ seed) + place * GAMMA & MASK)
    return mix(counter((first + GAMMA) & MASK, n))


def drawn(seed, place, shape, scale):
    """Uniform in [-scale, scale), float32."""
    n = int(np.prod(shape))
    bits = (stream(seed, place, n) >> U(39)).astype(np.int64) - (1 << 24)
    v = (bits.astype(np.float32) / np.float32(1 << 24)) * np.float32(scale)
    return torch.from_numpy(v.reshape(shape))


def mask(seed, step, layer, place, samples, shape, rate):
    """The factors of dropout: 0, or 1/(1-rate); a row for each sample, each of a shape."""
    n, rows = int(np.prod(shape)), []
    for sample in samples:
        k = mix(mix(0x64726F706F757400) ^ seed)
        for v in (step, layer, place, sample):
            k = mix((k + v * GAMMA) & MASK)
        low = (mix(counter(k | 1, n)) >> U(40)) < U(int(rate * (1 << 24)))
        rows.append(np.where(low, np.float32(0), np.float32(1 / (1 - rate))).reshape(shape))
    return torch.from_numpy(np.stack(rows))


def cut(flat, spec):
    """Parts of a flat vector by name, as leaves: spec is (name, shape), "+1" behind it for a gain."""
    parts, at = {}, 0
    for name, shape, *gain in spec:
        n = int(np.prod(shape))
        v = flat[at:at + n].reshape(shape).clone()
        parts[name] = (v + 1 if gain else v).requires_grad_()
        at += n
    assert at == len(flat), (at, len(flat))
    return parts


def size(spec):
    return sum(int(np.prod(s[1])) for s in spec)


def read(path):
    """The tensors of a file that write made."""
    with open(path, "rb") as f:
        data = f.read()
    at = 8 + int.from_bytes(data[:8], "little")
    return {name: torch.from_numpy(np.frombuffer(data[at + t["data_offsets"][0]:at + t["data_offsets"][1]], "<f4")
                                   .reshape(t["shape"]).copy())
            for name, t in json.loads(data[8:at]).items() if name != "__metadata__"}


def write(path, tensors, metadata):
    """A safetensors file with the checksum that package safetensors wants: that of the file with 64
    zeros in its place."""
    head, at, data = {"__metadata__": {"sha256": "0" * 64, **metadata}}, 0, b""
    for name, t in tensors.items():
        b = t.detach().contiguous().numpy().astype("<f4").tobytes()
        head[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + len(b)]}
        at += len(b)
        data += b
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    text = len(text).to_bytes(8, "little") + text
    digest = hashlib.sha256(text + data).hexdigest().encode()
    with open(path, "wb") as f:
        f.write(text.replace(b"0" * 64, digest, 1) + data)
