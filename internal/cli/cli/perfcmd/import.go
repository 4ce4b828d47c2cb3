package perfcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/plan/ns3"
	"railyard/internal/plan/scenario"
)

// Import is railyard import.
func Import(a *call.App, e call.Engine) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Read what others wrote: another simulator's input, a measured sweep",
		Args:  call.SubcommandOnly,
		RunE:  call.NeedSubcommand,
	}
	var out string
	var force bool
	hpcc := &cobra.Command{
		Use:   "hpcc DIR [flags]",
		Short: "Import the HPCC authors' ns-3 simulator's files, or SimAI's",
		Long: `Reads config.txt in DIR and the topology and flow files that it names, by their base names
in DIR, as the HPCC authors' ns-3 simulator and SimAI have them. Writes a scenario and beside it
its topology and its flows, and says what has no counterpart. Unknown keys are errors.`,
		Example: "  railyard import hpcc simulation/mix --out incast.yaml\n  railyard run incast.yaml --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("import hpcc: %d arguments, want one DIR: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return importHPCC(a, args[0], out, force) },
	}
	hpcc.Flags().StringVarP(&out, "out", "o", "", "scenario to write (default NAME.yaml, after DIR)")
	hpcc.Flags().BoolVar(&force, "force", false, "replace files that are there already")
	cmd.AddCommand(hpcc, importNCCLTests(a, e))
	return cmd
}

// notImported prints what is wrong with the files, with the lines it stands in, and returns what is
// left to say.
func notImported(a *call.App, err error, read func(file string) ([]byte, error)) error {
	var problems located.Problems
	if !errors.As(err, &problems) {
		return fmt.Errorf("import hpcc: nothing was written:\n%w", err)
	}
	for all := problems; len(all) > 0; {
		of := slices.IndexFunc(all, func(p located.Problem) bool { return p.File != all[0].File })
		if of < 0 {
			of = len(all)
		}
		src, _ := read(all[0].File) // without lines, if the file has just gone away
		all[:of].Render(a.Stderr, src)
		all = all[of:]
	}
	return fmt.Errorf("import hpcc: nothing was written: %s", call.Count(len(problems), "problem"))
}

// importHPCC is `railyard import hpcc`.
func importHPCC(a *call.App, dir, out string, force bool) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		if err == nil {
			err = errors.New("not a folder")
		}
		return call.Misuse("import hpcc: %s: %w", dir, input.Cause(err))
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if out == "" {
		out = scenario.NameOf(filepath.Base(abs)) + ".yaml"
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(out, ".yaml"), ".yml")
	files := []string{out, stem + "-topology.txt", stem + "-flows.csv"}
	for _, f := range files {
		if _, err := os.Lstat(f); !errors.Is(err, fs.ErrNotExist) && !force {
			return call.Misuse("import hpcc: %s is there already: name another with --out, or replace it with --force", f)
		}
	}
	read := func(name string) ([]byte, error) {
		return input.Read(context.Background(), filepath.Join(dir, name), ns3.MaxBytes)
	}
	in, err := ns3.Import(read, ns3.Names{Name: scenario.NameOf(filepath.Base(out)),
		Topology: filepath.ToSlash(files[1]), Flows: filepath.ToSlash(files[2])})
	if err != nil {
		return notImported(a, err, read)
	}
	if _, err := scenario.Parse(out, in.Scenario); err != nil {
		err = notImported(a, err, func(string) ([]byte, error) { return in.Scenario, nil })
		return fmt.Errorf("%w: %s would not be a scenario", err, out)
	}
	for i, text := range [][]byte{in.Scenario, in.Topology, in.Flows} {
		if err := output.Write(files[i], text); err != nil {
			return fmt.Errorf("import hpcc: %w", err)
		}
	}
	fmt.Fprintf(a.Stdout, "wrote %s, %s and %s\n", files[0], files[1], files[2])
	for _, n := range in.Notes {
		fmt.Fprintf(a.Stdout, "note: %s\n", n)
	}
	return nil
}
