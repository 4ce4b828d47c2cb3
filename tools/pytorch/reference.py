#!/usr/bin/python3
"""What PyTorch gives for the layers and models of internal/learn/nn, as internal/learn/nn/testdata/pytorch.safetensors.

    apt-get install -y --no-install-recommends python3-torch python3-numpy
    /usr/bin/python3 tools/pytorch/reference.py internal/learn/nn/testdata/pytorch.safetensors

Tensors that the file has stay as they are, so that it can grow on another machine: PyTorch's last bits are
the processor's, and Adam's first update makes much of them. Remove it to make all of it anew.

Nothing else is read: parameters, inputs and labels are drawn by the generator of package nn, which is written
again here, as is the counter that dropout masks come from. Layers that PyTorch 1.13 lacks (RMS norm,
SwiGLU, the LSTM cell with ReLU, one bias vector) are made of its elementary operations.
"""
import os
import sys

sys.dont_write_bytecode = True

for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[key] = "1"
import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers
import models
import tensors

torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)
out = {}
layers.run(out)
models.run(out)
if os.path.exists(sys.argv[1]):
    out.update(tensors.read(sys.argv[1]))
tensors.write(sys.argv[1], out, {
    "by": "tools/pytorch/reference.py",
    "torch": torch.__version__, "numpy": np.__version__,
    "python": sys.version.split()[0],
})
