package topocmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/containerlab"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Command is railyard topo.
func Command(a *call.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topo",
		Short: "Read and write topologies in other tools' forms",
		Args:  call.SubcommandOnly,
		RunE:  call.NeedSubcommand,
	}
	from := &cobra.Command{
		Use:   "import",
		Short: "Read a topology that another tool wrote",
		Args:  call.SubcommandOnly,
		RunE:  call.NeedSubcommand,
	}
	from.AddCommand(importNCCLTopo(a))
	cmd.AddCommand(from, exportTopo(a))
	return cmd
}

func importNCCLTopo(a *call.App) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "nccl FILE",
		Short: "Read what NCCL found inside a host, and what it calls the paths there",
		Long: `Reads the XML that NCCL writes where NCCL_TOPO_DUMP_FILE says, or a vendor's file for
NCCL_TOPO_FILE, prints the parts of the host with their links, and for each two GPUs and NICs
what NCCL calls the way between them. Rates that the file does not have are unknown; NVLink's
are those of the GPU's compute capability (sm). A vendor's file without GPUs or NICs, which NCCL
fills in on the host, is read by the classes of its devices.
FILE may be -, standard input.`,
		Example: "  railyard topo import nccl topo.xml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("topo import nccl: %d arguments, want one FILE: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := readNCCLTopo(a, args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(view.BoardData(b))
			}
			s := a.NewSheet()
			view.BoardText(s, b)
			return s.Flush(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// readNCCLTopo reads a file; its problems are printed with the lines they are in.
func readNCCLTopo(a *call.App, file string) (*board.Board, error) {
	var src []byte
	var err error
	if file == input.Stdin {
		src, err = input.Stream(context.Background(), a.Stdin, nccltopo.MaxBytes)
	} else {
		src, err = input.Read(context.Background(), file, nccltopo.MaxBytes)
	}
	if err != nil {
		return nil, call.Misuse("cannot read %s: %w", file, err)
	}
	b, err := nccltopo.Read(file, src)
	var problems located.Problems
	if errors.As(err, &problems) {
		problems.Render(a.Stderr, src)
		return nil, fmt.Errorf("%s: %s", file, call.Count(len(problems), "problem"))
	}
	return b, err
}

func exportTopo(a *call.App) *cobra.Command {
	form, out := "", ""
	forms := append(slices.Collect(maps.Keys(view.TopoForms)), "containerlab", "nccl")
	slices.Sort(forms)
	cmd := &cobra.Command{
		Use:   "export FILE --as FORM",
		Short: "Write a scenario's network, or its host, for another tool",
		Long: `Writes the network of the scenario in FILE to standard output, FORM being one of

  containerlab  a lab that containerlab deploys, into the folder of --out: every switch a container
                with FRR and its configuration, every host one with its addresses, every link a veth
                pair
  dot           a graph for Graphviz, a row for each tier
  mermaid       a flowchart for Mermaid
  json          nodes and links with everything that is known of them
  nccl          the inside of its host (cluster.host.graph, or cluster.host.preset) as
                NCCL_TOPO_FILE takes it`,
		Example: "  railyard topo export examples/leaf-spine.yaml --as dot | dot -Tsvg > net.svg\n" +
			"  railyard topo export examples/leaf-spine.yaml --as containerlab -o lab",
		Args: call.OneFile, ValidArgsFunction: call.CompleteScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(forms, form) {
				return call.Misuse("topo export: --as %q: want one of: %s", form, strings.Join(forms, ", "))
			}
			if lab := form == "containerlab"; lab != (out != "") {
				return call.Misuse("topo export: a lab for containerlab is a folder, the other forms go to standard output: want --as " +
					"containerlab and --out DIR together")
			}
			p, err := a.Plan(args[0])
			if err != nil {
				return err
			}
			var text []byte
			switch form {
			case "containerlab":
				return exportLab(a, args[0], p, out)
			case "nccl":
				text, err = hostFile(p)
			default:
				text, err = view.TopoForms[form](p.Scenario.Name, p.Graph)
			}
			if err == nil {
				_, err = a.Stdout.Write(text)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&form, "as", "", "the form: "+strings.Join(forms, ", "))
	cmd.Flags().StringVarP(&out, "out", "o", "", "of containerlab: the folder to write, new or empty")
	call.Complete(cmd, "as", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// exportLab writes a lab for containerlab, and says how it is deployed.
func exportLab(a *call.App, file string, p *plan.Plan, dir string) error {
	in, devices, err := configs.Routers(p)
	if err != nil {
		return a.Located(file, p.Scenario, err)
	}
	files, err := containerlab.Lab(p.Scenario.Name, in, devices)
	if err != nil {
		return fmt.Errorf("topo export: containerlab: %w", err)
	}
	err = call.WholeFolder(dir, func(folder *output.Folder) error {
		for _, f := range files {
			into, name := folder, f.Name
			if sub, base, below := strings.Cut(f.Name, "/"); below {
				var err error
				if into, err = folder.Below(sub); err != nil {
					return err
				}
				defer into.Close()
				name = base
			}
			if err := into.Write(name, f.Text); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		fmt.Fprintf(a.Stdout, "lab: %s\ncontainerlab deploy -t %s\n", unit.CountOf(int64(len(p.Graph.Nodes)),
			"container"),
			filepath.Join(dir, files[0].Name))
	}
	return err
}

// hostFile is the inside of a plan's hosts as NCCL reads it.
func hostFile(p *plan.Plan) ([]byte, error) {
	if at := &p.Scenario.Cluster.Host; at.Graph.Set && at.Graph.Value != scenario.GraphOfPreset {
		b, err := pcie.Board(p.Scenario, p.Files.HostGraph)
		if err != nil {
			return nil, err
		}
		return nccltopo.Write(b)
	}
	name := p.Scenario.Cluster.Host.Preset
	if p.Scenario.Cluster.NIC.Shared {
		name += "-shared"
	}
	of := board.Presets[name]
	if of == nil {
		return nil, fmt.Errorf("topo export: no board %q is known for cluster.host.preset: railyard show host lists them", name)
	}
	b := of()
	for i := range b.Parts {
		if b.Parts[i].Kind == board.NIC {
			b.Parts[i].Rate = p.Scenario.Cluster.NIC.Speed
		}
	}
	return nccltopo.Write(b)
}
