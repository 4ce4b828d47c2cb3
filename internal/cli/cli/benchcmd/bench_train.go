package benchcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/bench"
)

// benchTrainFlags is the flags of `railyard bench train`.
type benchTrainFlags struct {
	models []string
	kernel string
	json   bool
	quiet  bool
}

// benchTrainCall is a call of railyard bench train.
type benchTrainCall struct {
	*call.App
	f benchTrainFlags
}

func benchTrainCommand(a *call.App) *cobra.Command {
	c := &benchTrainCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:     "train [flags]",
		Short:   "Measure the speed of training on a fixed set of networks",
		Long:    benchTrainText(),
		Example: "  railyard bench train --kernel fma\n  railyard bench train --model mlp --model lstm --json",
		Args:    call.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nets, err := bench.NetsNamed(f.models)
			if err != nil {
				return call.Misuse("bench train: --model %w", err)
			}
			k, err := nn.KernelNamed(f.kernel)
			if err != nil {
				return call.Misuse("bench train: --kernel %q: want one of: %s", f.kernel, call.KernelNames())
			}
			return c.benchTrain(cmd.Context(), nets, k)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.models, "model", nil, "only the network of this name; may be repeated")
	fl.StringVar(&f.kernel, "kernel", scenario.Kernels[0].Name, "tensor kernel: "+call.KernelNames())
	fl.BoolVar(&f.json, "json", false, "print the figures as a JSON list")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func benchTrainText() string {
	var b strings.Builder
	b.WriteString(`Trains each network of a fixed set by itself, on one core, without cluster or network, on
examples made up front, and prints the CPU time (user and system) of a step:
forward, loss, backward, update by gradient descent, of gpt and moe by AdamW. The median of nine windows counts.

`)
	for _, n := range bench.Nets {
		fmt.Fprintf(&b, "  %-5s batch %d: %s\n", n.Name, n.Batch, n.About)
	}
	return b.String()
}

const (
	trainHead = "%-6s %-9s %6s %10s %13s %15s\n"
	trainRow  = "%-6s %-9s %6d %10d %13.3f %15.0f\n"
)

// benchTrain is `railyard bench train`.
func (c *benchTrainCall) benchTrain(ctx context.Context, nets []bench.Net, k nn.Kernel) error {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	rows := []bench.TrainRow{}
	if !c.f.json {
		fmt.Fprintf(c.Stdout, trainHead, "model", "kernel", "batch", "parameters", "CPU ms/step", "samples/CPU s")
	}
	for i := range nets {
		p := c.StartNext(c.f.quiet, fmt.Sprintf("%s, %d of %d", nets[i].Name, i+1, len(nets)))
		row, err := nets[i].Train(ctx, k)
		p.Stop()
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("bench train: %s: %w", nets[i].Name, err)
		}
		rows = append(rows, row)
		if !c.f.json {
			fmt.Fprintf(c.Stdout, trainRow, row.Model, row.Kernel, row.Batch, row.Params, row.CPU, row.Samples)
		}
	}
	if c.f.json {
		if err := c.PrintJSON(rows); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("interrupted after %s of %d", call.Count(len(rows),
			"network"), len(nets))}
	}
	return nil
}
