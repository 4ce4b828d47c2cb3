//go:build unix

package launch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Node 0 writes all checkpoints, and sends the one from which a job goes on to each node that comes: frames of weightsPiece,
// behind the welcome that says how many bytes they are.
const weightsPiece = 512 << 10

// readWeights is the file from which the job goes on; nil: it begins.
func (r *root) readWeights() ([]byte, error) {
	from := r.run.From()
	if from == nil {
		return nil, nil
	}
	b, err := input.Read(r.ctx, from.Path, result.MaxWeights)
	if err != nil {
		return nil, fmt.Errorf("weights %s: %w", from.Path, err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != from.SHA256 {
		return nil, fmt.Errorf("weights %s have changed since the launcher read them", from.Path)
	}
	return b, nil
}

// sendWeights sends a node the weights that its welcome has named. If it cannot, the node is gone: its silence says so.
func (s *station) sendWeights(b []byte) {
	for len(b) > 0 {
		n := min(len(b), weightsPiece)
		if s.tell(frame{kindWeights, -1, b[:n]}) != nil {
			return
		}
		b = b[n:]
	}
}

// takeWeights writes the weights that a welcome has named into a file, which remove removes.
func (g *guest) takeWeights(ctx context.Context, w *welcome) (path string, remove func(), err error) {
	if w.WeightsBytes < 0 || w.WeightsBytes > result.MaxWeights {
		return "", nil, fmt.Errorf("node 0 at %s: weights of %d bytes, want at most %d", g.cfg.Rendezvous, w.WeightsBytes,
			int64(result.MaxWeights))
	}
	dir, remove, err := output.Temporary("weights")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "weights.safetensors")
	sum := sha256.New()
	err = output.WriteBy(path, func(to io.Writer) error {
		for left := w.WeightsBytes; left > 0; {
			if err := ctx.Err(); err != nil {
				return err
			}
			f, err := g.next()
			if err != nil {
				return err
			}
			if f.kind == kindBeat {
				continue
			}
			if n := int64(len(f.body)); f.kind != kindWeights || n == 0 || n > left {
				return fmt.Errorf("node 0 at %s sent a control frame of kind %d with %d bytes, want at most %d of weights",
					g.cfg.Rendezvous, f.kind, n, left)
			}
			if _, err := to.Write(f.body); err != nil {
				return err
			}
			sum.Write(f.body)
			left -= int64(len(f.body))
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != w.WeightsSHA256 {
			return fmt.Errorf("node 0 at %s sent weights whose SHA-256 is %s, it says %s", g.cfg.Rendezvous, got, w.WeightsSHA256)
		}
		return nil
	})
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("the checkpoint of node 0, %s: %w", unit.Bytes(w.WeightsBytes), err)
	}
	return path, remove, nil
}
