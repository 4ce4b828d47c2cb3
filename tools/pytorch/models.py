"""20 training steps of every model: the gradients of the first batch, the losses, the weights after SGD;
the first update and the losses of Adam or AdamW."""
import torch
import torch.nn.functional as F

from layers import BESIDE, attention_spec, ff_spec, linear_spec, mixture, moe_spec, norm_spec, recurrent, rnn_spec
from parts import feed_forward, heads, lstm_cell, norm, residual
from tensors import cut, drawn, mask, size, stream

ROWS, STEPS = 4, 20
T, V = 8, 13


def prefixed(prefix, spec):
    return [(prefix + s[0],) + tuple(s[1:]) for s in spec]


def under(p, prefix):
    return {k[len(prefix):]: v for k, v in p.items() if k.startswith(prefix)}


def images(shape, classes):
    def batch(seed, step):
        labels = torch.from_numpy((stream(seed, 200 + step, ROWS) % classes).astype("int64"))
        return drawn(seed, 100 + step, (ROWS,) + shape, 1), labels
    return batch


def text(seed, step, padded=False):
    """Rows of T+1 tokens from 2 on; padded: the last 2r of row r are padding. Labels are the next tokens,
    -1 where that is padding."""
    t = torch.from_numpy((stream(seed, 100 + step, ROWS * (T + 1)) % (V - 2)).astype("int64")).view(ROWS, T + 1) + 2
    if padded:
        for r in range(ROWS):
            t[r, T + 1 - 2 * r:] = 0
    labels = t[:, 1:].clone()
    labels[labels == 0] = -1
    return t[:, :-1], labels


def mlp_spec():
    return linear_spec("layers.1.", 12, 16) + linear_spec("layers.2.", 16, 5)


def mlp(activation):
    def f(p, x, step):
        x = activation(F.linear(x, p["layers.1.weight"], p["layers.1.bias"]))
        return F.linear(x, p["layers.2.weight"], p["layers.2.bias"])
    return f


CNN = ([("conv.1.weight", (4, 1, 3, 3)), ("conv.1.bias", (4,)), ("conv.2.weight", (6, 4, 3, 3)), ("conv.2.bias", (6,))]
       + linear_spec("dense.1.", 24, 16) + linear_spec("dense.2.", 16, 5))


def cnn(p, x, step):
    """The net of the benchmarks, on 14x14."""
    x = F.max_pool2d(F.relu(F.conv2d(x, p["conv.1.weight"], p["conv.1.bias"])), 2)
    x = F.max_pool2d(F.relu(F.conv2d(x, p["conv.2.weight"], p["conv.2.bias"])), 2)
    x = F.relu(F.linear(x.flatten(1), p["dense.1.weight"], p["dense.1.bias"]))
    return F.linear(x, p["dense.2.weight"], p["dense.2.bias"])


def chars(cell, gates, biases):
    return ([("embedding.weight", (V, 8))] + prefixed(f"{cell}.1.", rnn_spec(gates, 8, 10, biases))
            + prefixed(f"{cell}.2.", rnn_spec(gates, 10, 10, biases)) + linear_spec("head.", 10, V))


def stacked(cell, layer):
    """Two layers: those of torch.nn, or from elementary operations."""
    def f(p, x, step):
        x = F.embedding(x, p["embedding.weight"])
        for name, i in ((f"{cell}.1.", 8), (f"{cell}.2.", 10)):
            x = layer(under(p, name), x, i)
        return F.linear(x, p["head.weight"], p["head.bias"])
    return f


def torch_layer(cls):
    return lambda p, x, i: recurrent(cls, (i, 10))(p, x)


def gpt_spec(d, f, positions=True, bias=True, rms=False, gated=False, after=False, head=True, head_bias=True):
    s = [("tokens.weight", (V, d))]
    if positions:
        s.append(("positions.weight", (T, d)))
    for b in ("blocks.1.", "blocks.2."):
        s += prefixed(b + "attention.", attention_spec(d, d, bias, rms))
        s += prefixed(b + "feed_forward.", ff_spec(d, f, bias, rms, gated))
    if not after:
        s += prefixed("norm.", norm_spec(d, not rms, ""))
    return s + (linear_spec("head.", d, V, head_bias) if head else [])


def sinusoids(d):
    pos = torch.arange(T, dtype=torch.float64)[:, None]
    angle = pos / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    return torch.stack([angle.sin(), angle.cos()], -1).view(T, d).float()


def gpt(seed, d, count, activation, after=False, rate=0.0, padded=False):
    def f(p, x, step):
        def drop(layer, place, shape):
            samples = [step * ROWS + r for r in range(ROWS)]
            return mask(seed, step, layer, place, samples, shape, rate) if rate else None

        tokens, pads = x, (x == 0) if padded else None
        x = F.embedding(tokens, p["tokens.weight"], padding_idx=0 if padded else None)
        x = x + p.get("positions.weight", sinusoids(d))
        if rate:
            x = x * drop(2, 0, (T, d))
        layer = 3 if rate else 2
        for b in ("blocks.1.", "blocks.2."):
            a, n = under(p, b + "attention."), under(p, b + "feed_forward.")
            x = residual(x, a, "", lambda v: heads(v, a, "", count, d // count, drop(layer, 0, (count, T, T)), pads),
                         after, drop(layer, 1, (T, d)))
            x = residual(x, n, "", lambda v: feed_forward(v, n, "", activation), after, drop(layer + 1, 1, (T, d)))
            layer += 2
        if not after:
            x = norm(x, p, "norm.")
        return F.linear(x, p.get("head.weight", p["tokens.weight"]), p.get("head.bias"))
    return f


def llama_spec(d, f, count, kv, size):
    s = [("tokens.weight", (V, d))]
    for b in ("1", "2"):
        s += prefixed(f"attention.{b}.", attention_spec(d, count * size, False, True, kv * size))
        s += prefixed(f"feed-forward.{b}.", ff_spec(d, f, False, True, True))
    return s + norm_spec(d, False, "norm.1.") + linear_spec("head.1.", d, V, False)


def llama(count, kv, size):
    """Rotary positions, shared keys and values, RMS norms, SwiGLU, no bias."""
    def f(p, x, step):
        x = F.embedding(x, p["tokens.weight"])
        for b in ("1", "2"):
            a, n = under(p, f"attention.{b}."), under(p, f"feed-forward.{b}.")
            x = residual(x, a, "", lambda v: heads(v, a, "", count, size, kv=kv, rope=500000))
            x = residual(x, n, "", lambda v: feed_forward(v, n, "", F.silu))
        return F.linear(norm(x, p, "norm.1."), p["head.1.weight"])
    return f


RESNET = [("stem.weight", (4, 1, 3, 3)), ("same.a.weight", (4, 4, 3, 3)), ("same.a.bias", (4,)), ("same.b.weight", (4, 4, 3, 3)),
          ("same.b.bias", (4,)), ("half.c.weight", (6, 4, 3, 3)), ("half.d.weight", (6, 6, 3, 3)), ("half.e.weight", (6, 4, 1, 1)),
          ("dense.1.weight", (5, 6 * 3 * 3))]


def resnet(p, x, step):
    x = F.relu(F.conv2d(x, p["stem.weight"], None, 1, 1))
    y = F.relu(F.conv2d(x, p["same.a.weight"], p["same.a.bias"], 1, 1))
    x = F.relu(x + F.conv2d(y, p["same.b.weight"], p["same.b.bias"], 1, 1))
    y = F.relu(F.conv2d(x, p["half.c.weight"], None, 2, 1))
    x = F.relu(F.conv2d(y, p["half.d.weight"], None, 1, 1) + F.conv2d(x, p["half.e.weight"], None, 2))
    return F.linear(F.avg_pool2d(x, 2).flatten(1), p["dense.1.weight"])


NORMED = [("stem.weight", (4, 1, 3, 3)), ("norm.weight", (4,), "+1"), ("norm.bias", (4,)), ("same.a.weight", (4, 4, 3, 3)),
          ("same.b.weight", (4,), "+1"), ("same.b.bias", (4,)), ("same.c.weight", (4, 4, 3, 3)), ("same.d.weight", (4,), "+1"),
          ("same.d.bias", (4,)), ("half.e.weight", (6, 4, 3, 3)), ("half.f.weight", (6,), "+1"), ("half.f.bias", (6,)),
          ("half.g.weight", (6, 4, 1, 1)), ("half.h.weight", (6,), "+1"), ("half.h.bias", (6,)), ("dense.1.weight", (8, 6 * 3 * 3)),
          ("last.weight", (8,), "+1"), ("last.bias", (8,)), ("dense.2.weight", (5, 8)), ("dense.2.bias", (5,))]


def normed(p, x, step):
    """A residual network with batch norms, in training; step None: it is used."""
    def bn(x, name):
        if step == 0 and name not in RUNNING:
            RUNNING[name] = [torch.zeros(x.shape[1]), torch.ones(x.shape[1])]
        mean, var = RUNNING[name]
        return F.batch_norm(x, mean, var, p[name + "weight"], p[name + "bias"], step is not None, 0.1)

    def conv(x, name, stride=1, padding=1):
        return F.conv2d(x, p[name + "weight"], None, stride, padding)
    x = torch.tanh(bn(F.relu(conv(x, "stem.")), "norm."))
    y = torch.tanh(bn(conv(x, "same.a."), "same.b."))
    x = torch.tanh(x + bn(conv(y, "same.c."), "same.d."))
    x = torch.tanh(bn(conv(x, "half.e.", 2), "half.f.") + bn(conv(x, "half.g.", 2, 0), "half.h."))
    x = bn(F.linear(F.avg_pool2d(x, 2).flatten(1), p["dense.1.weight"]), "last.")
    return F.linear(torch.tanh(x), p["dense.2.weight"], p["dense.2.bias"])


RUNNING = {}  # mean and variance of each batch norm


def experts_spec(d, f, count, shared):
    s = [("tokens.weight", (V, d)), ("positions.weight", (T, d))]
    s += prefixed("blocks.1.attention.", attention_spec(d, d)) + prefixed("blocks.1.feed_forward.", ff_spec(d, f))
    s += prefixed("blocks.2.attention.", attention_spec(d, d)) + prefixed("blocks.2.experts.", moe_spec(d, f, count, shared))
    return s + norm_spec(d, True, "norm.") + linear_spec("head.", d, V)


def experts(d, heads_, of):
    """A GPT of two blocks, the second with experts."""
    def f(p, x, step):
        x = F.embedding(x, p["tokens.weight"]) + p["positions.weight"]
        for b in ("blocks.1.", "blocks.2."):
            a = under(p, b + "attention.")
            x = residual(x, a, "", lambda v: heads(v, a, "", heads_, d // heads_))
            n = under(p, b + "feed_forward.") or under(p, b + "experts.")
            inner = of if "router.weight" in n else lambda v, n: feed_forward(v, n, "", F.gelu)
            x = residual(x, n, "", lambda v: inner(v, n))
        return F.linear(norm(x, p, "norm."), p["head.weight"], p["head.bias"])
    return f


def cross_entropy(y, labels):
    return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels.reshape(-1), ignore_index=-1)


def squared(y, labels):
    """Half the squared distance from the one-hot vector, a mean over labels."""
    return 0.5 * (y - F.one_hot(labels, y.shape[-1])).pow(2).sum(-1).mean()


def padded_text(seed, step):
    return text(seed, step, True)


# name, parameters, batches, outputs, loss, what comes beside SGD. The order gives each its seed.
MODELS = [
    ("mlp", mlp_spec(), images((12,), 5), mlp(F.relu), cross_entropy, "adam"),
    ("mlp, tanh, mse", mlp_spec(), images((12,), 5), mlp(torch.tanh), squared, "adam"),
    ("cnn", CNN, images((1, 14, 14), 5), cnn, cross_entropy, "adam"),
    ("rnn", chars("rnn", 1, 2), text, stacked("rnn", torch_layer(torch.nn.RNN)), cross_entropy, "adam"),
    ("lstm", chars("lstm", 4, 2), text, stacked("lstm", torch_layer(torch.nn.LSTM)), cross_entropy, "adam"),
    ("lstm, relu, one bias", chars("lstm", 4, 1), text, stacked("lstm", lambda p, x, i: lstm_cell(x, p, F.relu)),
     cross_entropy, "adam"),
    ("gpt", gpt_spec(16, 64), text, gpt(2006, 16, 2, F.gelu), cross_entropy, "adamw"),
    ("gpt, sinusoids, norm after, tied, dropout, padding", gpt_spec(16, 32, positions=False, after=True, head=False),
     padded_text, gpt(2007, 16, 4, F.relu, after=True, rate=0.1, padded=True), cross_entropy, "adamw"),
    ("gpt, rms norm, swiglu, no bias", gpt_spec(16, 24, bias=False, rms=True, gated=True, head_bias=False), text,
     gpt(2008, 16, 2, F.silu), cross_entropy, "adamw"),
    ("llama, from a file", llama_spec(16, 24, 4, 2, 4), text, llama(4, 2, 4), cross_entropy, "adamw"),
    ("residual network, from a file", RESNET, images((1, 12, 12), 5), resnet, cross_entropy, "adam"),
    ("gru", chars("gru", 3, 2), text, stacked("gru", torch_layer(torch.nn.GRU)), cross_entropy, "adam"),
    ("gpt, experts", experts_spec(16, 32, 4, 1), text,
     experts(16, 2, mixture(4, 2, F.gelu, room=20, shared=1, balance=0.5)), cross_entropy, "adamw"),
    ("residual network with batch norms, from a file", NORMED, images((1, 12, 12), 5), normed, cross_entropy, "adam"),
]
OPTIMISERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "adam": lambda p: torch.optim.Adam(p, lr=0.002),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.002, weight_decay=0.1),
}


def run(out):
    for i, (name, spec, batch, f, loss, other) in enumerate(MODELS):
        seed = 2000 + i
        for optimiser in ("sgd", other):
            p = cut(drawn(seed, 1, size(spec), 0.6), spec)
            RUNNING.clear()
            begin = {k: v.detach().clone() for k, v in p.items()}
            o, losses = OPTIMISERS[optimiser](list(p.values())), []
            for step in range(STEPS):
                x, labels = batch(seed, step)
                o.zero_grad()
                BESIDE.clear()
                at = loss(f(p, x, step), labels)
                (at + sum(BESIDE)).backward()
                losses.append(at.detach())
                if step == 0 and optimiser == "sgd":
                    for k, v in p.items():
                        out[f"20 steps of {name}/grad/{k}"] = v.grad.clone()
                o.step()
                if step == 0 and optimiser != "sgd":
                    for k, v in p.items():
                        out[f"20 steps of {name}/update/{k}"] = v.detach() - begin[k]
            out[f"20 steps of {name}/losses/{optimiser}"] = torch.stack(losses)
            if optimiser == "sgd":
                for k, v in p.items():
                    out[f"20 steps of {name}/after/{k}"] = v.detach()
                for k, (mean, var) in RUNNING.items():
                    out[f"20 steps of {name}/after/{k}running_mean"], out[f"20 steps of {name}/after/{k}running_var"] = mean, var
                if RUNNING:
                    out[f"20 steps of {name}/used"] = f(p, batch(seed, 0)[0], None)
