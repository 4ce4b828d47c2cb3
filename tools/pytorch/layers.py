"""Every layer: outputs, gradients of inputs and parameters, of the sum of the outputs, each times a
drawn number."""
import torch
import torch.nn.functional as F

from parts import feed_forward, gru_cell, heads, lstm_cell, residual
from tensors import cut, drawn, mask, size, stream

ROWS = 3
SAMPLES = [1, 8, 15]  # the examples' numbers
STEP, LAYER = 3, 2


def conv(stride, padding, activation):
    return lambda p, x: activation(F.conv2d(x, p["weight"], p.get("bias"), stride, padding))


def turned(border, by):
    ring = [0, 1, 2, 5, 8, 7, 6, 3]
    k = [0.0] * 9
    for i, at in enumerate(ring):
        k[at] = float(border[(i - by) % 8])
    return k


def kirsch(p, x):
    k = torch.tensor([turned([5, 5, 5, -3, -3, -3, -3, -3], t) for t in range(8)]).view(8, 1, 3, 3)
    return F.conv2d(x, k.expand(8, x.shape[1], 3, 3))


def prewitt(p, x):
    k = torch.tensor([[-1., 0, 1, -1, 0, 1, -1, 0, 1], [-1, -1, -1, 0, 0, 0, 1, 1, 1]]).view(2, 1, 3, 3)
    return F.conv2d(x, k.expand(2, x.shape[1], 3, 3), padding=1)


def recurrent(cls, sizes, **kw):
    """A recurrent layer of torch.nn with parameters p, which it takes as a list."""
    def f(p, x):
        m = cls(*sizes, batch_first=True, **kw)
        m._flat_weights = [p[k] for k in m._flat_weights_names]
        return m(x)[0]
    return f


def rnn_spec(gates, i, h, biases):
    names = ["bias_ih_l0", "bias_hh_l0"][:biases]
    return [("weight_ih_l0", (gates * h, i)), ("weight_hh_l0", (gates * h, h))] + [(n, (gates * h,)) for n in names]


def norm_spec(d, bias=True, name="norm."):
    return [(name + "weight", (d,), "+1")] + ([(name + "bias", (d,))] if bias else [])


def linear_spec(name, i, o, bias=True):
    return [(name + "weight", (o, i))] + ([(name + "bias", (o,))] if bias else [])


def attention_spec(d, inner, bias=True, rms=False, kv=None):
    return (norm_spec(d, not rms) + linear_spec("in_proj_", d, inner + 2 * (kv or inner), bias)
            + linear_spec("out_proj.", inner, d, bias))


def ff_spec(d, f, bias=True, rms=False, gated=False):
    return (norm_spec(d, not rms) + linear_spec("linear1.", d, f, bias) + linear_spec("linear2.", f, d, bias)
            + (linear_spec("gate.", d, f, bias) if gated else []))


def multihead(p, x):
    """torch.nn.MultiheadAttention itself, on 6 elements in 2 heads."""
    m = torch.nn.MultiheadAttention(6, 2, batch_first=True)
    hidden = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
    names = {k: v for k, v in p.items() if not k.startswith("norm")}

    def f(x):
        return torch.nn.utils.stateless.functional_call(
            m, names, (x, x, x), dict(need_weights=False, attn_mask=hidden))[0]
    return residual(x, p, "", f)


def attention(count, head, kv=None, rope=None, **kw):
    return lambda p, x: residual(x, p, "", lambda v: heads(v, p, "", count, head, kv=kv, rope=rope), **kw)


def attention_dropped(p, x):
    maps = mask(SEED["now"], STEP, LAYER, 0, SAMPLES, (2, 5, 5), 0.3)
    rest = mask(SEED["now"], STEP, LAYER, 1, SAMPLES, (5, 6), 0.3)
    EXTRA["mask of maps"], EXTRA["mask"] = maps, rest
    return residual(x, p, "", lambda v: heads(v, p, "", 2, 3, drop=maps), drop=rest)


def attention_padded(p, x):
    """Tokens 0 at these places are not seen; the first position always is text."""
    padded = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 1, 0, 1], [0, 0, 0, 1, 1]], dtype=torch.bool)
    return residual(x, p, "", lambda v: heads(v, p, "", 2, 3, padded=padded))


def ff(activation, **kw):
    return lambda p, x: residual(x, p, "", lambda v: feed_forward(v, p, "", activation), **kw)


def dropped(p, x):
    m = mask(SEED["now"], STEP, LAYER, 0, SAMPLES, (60,), 0.4)
    EXTRA["mask"] = m
    return x * m


def moe_spec(d, f, count, shared=0):
    spec = norm_spec(d) + linear_spec("router.", d, count, False)
    for name in [f"experts.{e}." for e in range(count)] + [f"shared.{e}." for e in range(shared)]:
        spec += linear_spec(name + "linear1.", d, f) + linear_spec(name + "linear2.", f, d)
    return spec


def moe(count, top, activation, room=None, shared=0, balance=0.0, **kw):
    """A mixture of experts as half a block."""
    f = mixture(count, top, activation, room, shared, balance)
    return lambda p, x: residual(x, p, "", lambda v: f(v, p), **kw)


def mixture(count, top, activation, room=None, shared=0, balance=0.0):
    """A mixture of experts: all experts of all positions, and a mask of those that are taken. room: how many
    positions an expert takes, the first that come. balance: the weight of the loss that it leaves in BESIDE."""
    def f(v, p):
        share = F.linear(v, p["router.weight"]).softmax(-1)
        value, chosen = share.topk(top, -1)
        weight = value if top == 1 else value / value.sum(-1, keepdim=True)
        taken = F.one_hot(chosen, count).to(v.dtype)  # rows x positions x top x count
        if balance:
            falls = taken.mean((0, 1, 2))
            BESIDE.append(balance * count * (falls * share.mean((0, 1))).sum())
        if room is not None:
            flat = taken.sum(2).view(-1, count)
            fits = ((flat.cumsum(0) <= room) * flat).view(taken.shape[0], taken.shape[1], 1, count)
            taken = taken * fits
        weight = (weight[..., None] * taken).sum(2)
        y = sum(weight[..., e, None] * feed_forward(v, p, f"experts.{e}.", activation) for e in range(count))
        return y + sum(feed_forward(v, p, f"shared.{e}.", activation) for e in range(shared))
    return f


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3)))


def layer_norm(p, x):
    return F.layer_norm(x, (7,), p["weight"], p["bias"])


def rms_norm(p, x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * p["weight"]


def same(x):
    return x


def batch_norm_spec(c, name=""):
    return [(name + "weight", (c,), "+1"), (name + "bias", (c,)), (name + "running_mean", (c,)), (name + "running_var", (c,), "+1")]


def batch_norm(x, p, prefix=""):
    """With what a micro-batch adds to the running statistics in place of their gradients."""
    mean, var = torch.zeros(x.shape[1]), torch.zeros(x.shape[1])
    y = F.batch_norm(x, mean, var, p[prefix + "weight"], p[prefix + "bias"], True, 1.0)
    EXTRA["grad/" + prefix + "running_mean"], EXTRA["grad/" + prefix + "running_var"] = mean, var
    return y


def batch_norm_used(p, x):
    return F.batch_norm(x, p["running_mean"].detach(), p["running_var"].detach(), p["weight"], p["bias"])


def normed_block(p, x):
    y = F.relu(batch_norm(F.conv2d(x, p["a.weight"], None, 2, 1), p, "b."))
    y = batch_norm(F.conv2d(y, p["c.weight"], None, 1, 1), p, "d.")
    return F.relu(y + batch_norm(F.conv2d(x, p["e.weight"], None, 2), p, "f."))


SEED, EXTRA = {}, {}
BESIDE = []  # losses that layers add to that of the outputs

# name, parameters, shape of an example, function. The order gives each its seed: append only.
CASES = [
    ("conv", [("weight", (3, 2, 3, 3)), ("bias", (3,))], (2, 5, 6), conv(1, 0, same)),
    ("conv, stride 2, padding 1, tanh", [("weight", (3, 2, 3, 3)), ("bias", (3,))], (2, 5, 6), conv(2, 1, torch.tanh)),
    ("conv, 4x4 over 2x2, padding 3", [("weight", (2, 1, 4, 4))], (1, 2, 2), conv(2, 3, torch.sigmoid)),
    ("conv, relu", [("weight", (2, 1, 2, 2)), ("bias", (2,))], (1, 5, 5), conv(3, 0, F.relu)),
    ("kirsch", [], (3, 5, 5), kirsch),
    ("prewitt, padding 1", [], (2, 4, 5), prewitt),
    ("max pool", [], (2, 5, 5), lambda p, x: F.max_pool2d(x, 2)),
    ("max pool, overlapping", [], (2, 5, 5), lambda p, x: F.max_pool2d(x, 3, 1)),
    ("average pool", [], (2, 5, 7), lambda p, x: F.avg_pool2d(x, 3, 2)),
    ("dense, tanh", [("weight", (4, 5)), ("bias", (4,))], (5,),
     lambda p, x: torch.tanh(F.linear(x, p["weight"], p["bias"]))),
    ("gelu", [], (40,), lambda p, x: F.gelu(x)),
    ("gelu, tanh", [], (40,), lambda p, x: F.gelu(x, approximate="tanh")),
    ("silu", [], (40,), lambda p, x: F.silu(x)),
    ("everywhere", [("weight", (3, 5)), ("bias", (3,))], (4, 5), lambda p, x: F.linear(x, p["weight"], p["bias"])),
    ("embedding", [("weight", (5, 3))], 4, lambda p, x: F.embedding(x, p["weight"])),
    ("embedding, padding", [("weight", (5, 3))], 4, lambda p, x: F.embedding(x, p["weight"], padding_idx=0)),
    ("learned positions", [("weight", (4, 3))], (4, 3), lambda p, x: x + p["weight"]),
    ("layer norm", norm_spec(7, name=""), (3, 7), layer_norm),
    ("rms norm", norm_spec(7, False, ""), (3, 7), rms_norm),
    ("dropout", [], (60,), dropped),
    ("rnn, two biases", rnn_spec(1, 3, 4, 2), (5, 3), recurrent(torch.nn.RNN, (3, 4))),
    ("rnn, relu", rnn_spec(1, 3, 4, 2), (5, 3), recurrent(torch.nn.RNN, (3, 4), nonlinearity="relu")),
    ("rnn, no bias", rnn_spec(1, 3, 4, 0), (5, 3), recurrent(torch.nn.RNN, (3, 4), bias=False)),
    ("lstm, two biases", rnn_spec(4, 3, 4, 2), (5, 3), recurrent(torch.nn.LSTM, (3, 4))),
    ("lstm, no bias", rnn_spec(4, 3, 4, 0), (5, 3), recurrent(torch.nn.LSTM, (3, 4), bias=False)),
    ("lstm, relu, one bias", rnn_spec(4, 3, 4, 1), (5, 3), lambda p, x: lstm_cell(x, p, F.relu)),
    ("lstm, threshold", rnn_spec(4, 3, 4, 1), (5, 3), lambda p, x: lstm_cell(x, p, torch.tanh, (0.3, 0.6))),
    ("attention", attention_spec(6, 6), (5, 6), attention(2, 3)),
    ("attention of torch.nn", attention_spec(6, 6), (5, 6), multihead),
    ("attention, norm after", attention_spec(6, 12), (5, 6), attention(3, 4, after=True)),
    ("attention, rms norm, no bias", attention_spec(6, 2, False, True), (5, 6), attention(1, 2)),
    ("attention, dropout", attention_spec(6, 6), (5, 6), attention_dropped),
    ("attention, padding", attention_spec(6, 6), (5, 6), attention_padded),
    ("feed-forward", ff_spec(6, 8), (5, 6), ff(F.gelu)),
    ("feed-forward, norm after, relu", ff_spec(6, 8), (5, 6), ff(F.relu, after=True)),
    ("feed-forward, tanh gelu", ff_spec(6, 8), (5, 6), ff(lambda x: F.gelu(x, approximate="tanh"))),
    ("feed-forward, swiglu", ff_spec(6, 8, False, True, True), (5, 6), ff(F.silu)),
    ("attention, rotary", attention_spec(6, 8), (5, 6), attention(2, 4, rope=10000)),
    ("attention, grouped", attention_spec(6, 12, kv=4), (5, 6), attention(6, 2, kv=2)),
    ("attention, grouped, rotary, rms norm, no bias", attention_spec(6, 16, False, True, 8), (5, 6),
     attention(4, 4, kv=2, rope=500000)),
    ("attention, one head of keys and values, norm after", attention_spec(6, 6, kv=2), (5, 6), attention(3, 2, kv=1, after=True)),
    ("attention, no bias of the norm", norm_spec(6, False) + linear_spec("in_proj_", 6, 18) + linear_spec("out_proj.", 6, 6), (5, 6),
     lambda p, x: x + heads(F.layer_norm(x, (6,), p["norm.weight"], None, 1e-5), p, "", 2, 3)),
    ("layer norm, no bias", norm_spec(7, False, ""), (3, 7), lambda p, x: F.layer_norm(x, (7,), p["weight"])),
    ("dense, relu, no bias", [("weight", (4, 5))], (5,), lambda p, x: F.relu(F.linear(x, p["weight"]))),
    ("residual", linear_spec("a.", 5, 7) + linear_spec("b.", 7, 5), (5,),
     lambda p, x: x + F.linear(torch.tanh(F.linear(x, p["a.weight"], p["a.bias"])), p["b.weight"], p["b.bias"])),
    ("residual, shortcut, relu", [("a.weight", (3, 2, 3, 3)), ("b.weight", (3, 3, 3, 3)), ("b.bias", (3,)), ("c.weight", (3, 2, 1, 1))],
     (2, 6, 5), lambda p, x: F.relu(
         F.relu(F.conv2d(F.relu(F.conv2d(x, p["a.weight"], None, 2, 1)), p["b.weight"], p["b.bias"], 1, 1))
         + F.conv2d(x, p["c.weight"], None, 2))),
    ("gru, two biases", rnn_spec(3, 3, 4, 2), (5, 3), recurrent(torch.nn.GRU, (3, 4))),
    ("gru, no bias", rnn_spec(3, 3, 4, 0), (5, 3), recurrent(torch.nn.GRU, (3, 4), bias=False)),
    ("gru, one bias", rnn_spec(3, 3, 4, 1), (5, 3), lambda p, x: gru_cell(x, p)),
    ("experts, top 1", moe_spec(6, 8, 3), (5, 6), moe(3, 1, F.gelu)),
    ("experts, top 2, norm after, tanh", moe_spec(6, 8, 4), (5, 6), moe(4, 2, torch.tanh, after=True)),
    ("experts, capacity, shared", moe_spec(6, 8, 3, 1), (5, 6), moe(3, 2, F.silu, room=5, shared=1)),
    ("experts, balanced, top 1", moe_spec(6, 8, 3), (5, 6), moe(3, 1, F.gelu, balance=2.0)),
    ("experts, balanced, top 2, capacity", moe_spec(6, 8, 4), (5, 6), moe(4, 2, F.gelu, room=4, balance=2.0)),
    ("batch norm, of elements", batch_norm_spec(5), (5,), lambda p, x: batch_norm(x, p)),
    ("batch norm, of channels, relu", batch_norm_spec(3), (3, 4, 2), lambda p, x: F.relu(batch_norm(x, p))),
    ("batch norm, used", batch_norm_spec(3), (3, 4, 2), batch_norm_used),
    ("residual, batch norm", [("a.weight", (3, 2, 3, 3))] + batch_norm_spec(3, "b.") + [("c.weight", (3, 3, 3, 3))]
     + batch_norm_spec(3, "d.") + [("e.weight", (3, 2, 1, 1))] + batch_norm_spec(3, "f."), (2, 6, 5), normed_block),
]


def run(out):
    for i, (name, spec, shape, f) in enumerate(CASES):
        seed = SEED["now"] = 1000 + i
        EXTRA.clear()
        BESIDE.clear()
        p = cut(drawn(seed, 1, size(spec), 0.8), spec)
        if isinstance(shape, int):  # tokens
            n = spec[0][1][0]
            x = torch.from_numpy((stream(seed, 2, ROWS * shape) % n).astype("int64")).view(ROWS, shape)
            x[1, 1:3] = 0
        else:
            x = drawn(seed, 2, (ROWS,) + shape, 1).requires_grad_()
        y = f(p, x)
        if name.endswith(", used"):
            out[f"{name}/y"] = y
            continue
        ((y * drawn(seed, 3, y.shape, 1)).sum() + sum(BESIDE)).backward()
        out[f"{name}/y"] = y
        if x.requires_grad:
            out[f"{name}/dx"] = x.grad
        for k, v in p.items():
            if v.grad is not None:
                out[f"{name}/grad/{k}"] = v.grad
        for k, v in EXTRA.items():
            out[f"{name}/{k}"] = v
