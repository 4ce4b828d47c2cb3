"""What layers and models are made of, by torch's functions."""
import torch
import torch.nn.functional as F


def norm(x, p, name):
    """Layer norm, or RMS norm where there is no bias."""
    w, b = p[name + "weight"], p.get(name + "bias")
    if b is not None:
        return F.layer_norm(x, w.shape, w, b, 1e-5)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w


def turned(x, base):
    """Rotary positions: elements 2i and 2i+1 of each position as a complex number, turned."""
    B, H, T, size = x.shape
    angle = torch.arange(T, dtype=torch.float64)[:, None] / base ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    by = torch.polar(torch.ones_like(angle), angle).to(torch.complex64)
    return torch.view_as_real(torch.view_as_complex(x.reshape(B, H, T, size // 2, 2)) * by).reshape(B, H, T, size)


def heads(x, p, prefix, count, size, drop=None, padded=None, maps=None, kv=None, rope=None):
    """Causal self-attention: in_proj, heads, out_proj. padded: rows x positions, not to be seen. kv: heads of
    keys and values, where there are fewer of them."""
    B, T, _ = x.shape
    kv = kv or count
    qkv = F.linear(x, p[prefix + "in_proj_weight"], p.get(prefix + "in_proj_bias"))
    q, k, v = (t.view(B, T, -1, size).transpose(1, 2) for t in qkv.split([count * size, kv * size, kv * size], -1))
    if rope:
        q, k = turned(q, rope), turned(k, rope)
    k, v = (t.repeat_interleave(count // kv, 1) for t in (k, v))
    w = (q @ k.transpose(-2, -1)) * size ** -0.5
    hidden = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)[None, None]
    if padded is not None:
        hidden = hidden | padded[:, None, None, :]
    w = w.masked_fill(hidden, float("-inf")).softmax(-1)
    if maps is not None:
        maps.append(w)
    if drop is not None:
        w = w * drop
    o = (w @ v).transpose(1, 2).reshape(B, T, count * size)
    return F.linear(o, p[prefix + "out_proj.weight"], p.get(prefix + "out_proj.bias"))


def feed_forward(x, p, prefix, activation):
    z = F.linear(x, p[prefix + "linear1.weight"], p.get(prefix + "linear1.bias"))
    if prefix + "gate.weight" in p:
        z = z * activation(F.linear(x, p[prefix + "gate.weight"], p.get(prefix + "gate.bias")))
    else:
        z = activation(z)
    return F.linear(z, p[prefix + "linear2.weight"], p.get(prefix + "linear2.bias"))


def residual(x, p, prefix, f, after=False, drop=None):
    """Half a block: the norm before f, or after the sum."""
    y = f(x if after else norm(x, p, prefix + "norm."))
    if drop is not None:
        y = y * drop
    y = x + y
    return norm(y, p, prefix + "norm.") if after else y


def lstm_cell(x, p, cell, threshold=None):
    """An LSTM from elementary operations, with as many biases as there are."""
    size = p["weight_hh_l0"].shape[1]
    h = c = torch.zeros(x.shape[0], size)
    out = []
    for t in range(x.shape[1]):
        z = F.linear(x[:, t], p["weight_ih_l0"]) + F.linear(h, p["weight_hh_l0"])
        for b in ("bias_ih_l0", "bias_hh_l0"):
            if b in p:
                z = z + p[b]
        i, f, g, o = z.chunk(4, -1)
        i, f, o = (gate(torch.sigmoid(v), threshold) for v in (i, f, o))
        g = cell(g)
        c = f * c + i * g
        h = o * cell(c)
        out.append(h)
    return torch.stack(out, 1)


def gru_cell(x, p):
    """A GRU from elementary operations, with as many biases as there are."""
    size = p["weight_hh_l0"].shape[1]
    h = torch.zeros(x.shape[0], size)
    out = []
    for t in range(x.shape[1]):
        a = F.linear(x[:, t], p["weight_ih_l0"], p.get("bias_ih_l0")).chunk(3, -1)
        b = F.linear(h, p["weight_hh_l0"], p.get("bias_hh_l0")).chunk(3, -1)
        r, z = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
        h = (1 - z) * torch.tanh(a[2] + r * b[2]) + z * h
        out.append(h)
    return torch.stack(out, 1)


def gate(s, threshold):
    if threshold is None:
        return s
    lo, hi = threshold
    s = torch.where(s < lo, torch.zeros_like(s), s)
    return torch.where(s > hi, torch.ones_like(s), s)
