package devicecmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/collected"
	"railyard/internal/config/hostboard"
	"railyard/internal/config/hostinfo"
)

// hostsCommand is `railyard hosts`.
func Hosts(a *call.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hosts",
		Short: "Read and check what GPU servers say about themselves",
		Long: `Gathers and reads what a GPU server says about itself: PCIe, NICs with GID tables, MTU and quality
of service, routes, sysctl, modules, limits, NCCL's variables. Nothing is sent anywhere: a script that only
reads fills a folder, and the folder is read here.`,
		Example: "  railyard hosts collect > collect.sh\n  railyard hosts lint host1",
		Args:    call.SubcommandOnly,
		RunE:    call.NeedSubcommand,
	}
	cmd.AddCommand(hostsCollectCommand(a), hostsShowCommand(a), hostsBoardCommand(a), hostsExpectCommand(a),
		hostsLintCommand(a))
	return cmd
}

func hostsCollectCommand(a *call.App) *cobra.Command {
	return &cobra.Command{
		Use:   "collect",
		Short: "Print the script that gathers what a host says",
		Long: `Prints a script for sh that fills a new folder with what the host says about itself. Run it on the
host as "sh collect.sh FOLDER", as root, since lspci shows others less. It only reads: it changes no
setting, loads no module and opens no connection. A command that is not there or takes longer than 20
seconds is passed over. Serial numbers and UUIDs are cut; of the environment it takes NCCL_* alone.`,
		Example: "  railyard hosts collect > collect.sh",
		Args:    call.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.Stdout, hostinfo.Script)
			return err
		},
	}
}

func hostsShowCommand(a *call.App) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "show FOLDER... [flags]",
		Short: "Show what is understood of hosts' folders",
		Long: `Shows what is understood of the folders of hosts: NICs, GPUs and their PCIe links, what was not
collected, and which lines are not understood. An argument is the folder of a host, or a folder of
such folders; the folder's name is the host's. With --json it is all that is known, each value with
the line that says it.`,
		Example: "  railyard hosts show host1\n  railyard hosts show racks/r1 --json",
		Args:    someFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := readHosts(a, cmd.Context(), args)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(hosts)
			}
			s := a.NewSheet()
			for k, h := range hosts {
				if k > 0 {
					s.Blank()
				}
				view.HostText(s, h)
			}
			return s.Flush(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all that is known as JSON, with lines")
	return cmd
}

func hostsBoardCommand(a *call.App) *cobra.Command {
	return &cobra.Command{
		Use:   "board FOLDER",
		Short: "Print the board of a host in NCCL's form",
		Long: `Prints what lspci, sysfs, lscpu and nvidia-smi topo -m of a host's folder say of its board, as NCCL
writes it (NCCL_TOPO_DUMP_FILE): PCIe switches between GPUs, NICs and CPUs, with what both ends of each
link can do, NUMA nodes and NVLinks. cluster.host.graph of a scenario takes it.`,
		Example: "  railyard hosts board host1 > host1.xml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("%s: %s, want one FOLDER: %s", call.Called(cmd), call.Count(len(args), "argument"),
					cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := readHosts(a, cmd.Context(), args)
			if err != nil {
				return err
			}
			if len(hosts) != 1 {
				return call.Misuse("hosts board: %s: %d hosts, want one", args[0], len(hosts))
			}
			text, err := hostboard.Text(hosts[0])
			if err != nil {
				return call.Misuse("hosts board: %s: %w", args[0], err)
			}
			_, err = io.WriteString(a.Stdout, text)
			return err
		},
	}
}

// someFolders is the argument check of a command that takes folders of hosts.
func someFolders(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return call.Misuse("%s: missing FOLDER, what the script of \"railyard hosts collect\" filled: %s",
			call.Called(cmd), cmd.UseLine())
	}
	return nil
}

// readHosts reads the folders of hosts.
func readHosts(a *call.App, ctx context.Context, args []string) ([]*hostinfo.Host, error) {
	hosts, err := collected.Hosts(ctx, args)
	if err != nil {
		return nil, call.Misuse("%w", err)
	}
	return hosts, nil
}
