//go:build !unix

package launch

import (
	"context"
	"errors"

	"railyard/internal/out/result"
)

var errSystem = errors.New("launch: on this system ranks cannot be processes: it needs Linux, macOS or another Unix")

type door struct{}

func newDoor() *door          { return nil }
func (*door) close(why error) {}

// Run runs all ranks of a scenario as processes, on Unix.
func Run(context.Context, Config) (*result.Summary, error) { return nil, errSystem }

// Join runs the ranks of a node that is not the first, on Unix.
func Join(context.Context, Config) error { return errSystem }

// Rank is the process of a rank, on Unix.
func Rank() error { return errSystem }
