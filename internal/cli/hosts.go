package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"railyard/internal/hostboard"
	"railyard/internal/hostinfo"
	"railyard/internal/input"
	"railyard/internal/netconf"
	"railyard/internal/unit"
	"railyard/internal/view"
)

// hostsCommand is `railyard hosts`.
func hostsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hosts",
		Short: "Read and check what GPU servers say about themselves",
		Long: `Gathers and reads what a GPU server says about itself: PCIe, NICs with GID tables, MTU and quality
of service, routes, sysctl, modules, limits, NCCL's variables. Nothing is sent anywhere: a script that only
reads fills a folder, and the folder is read here.`,
		Example: "  railyard hosts collect > collect.sh\n  railyard hosts lint host1",
		Args:    subcommandOnly,
		RunE:    needSubcommand,
	}
	cmd.AddCommand(hostsCollectCommand(a), hostsShowCommand(a), hostsBoardCommand(a), hostsExpectCommand(a),
		hostsLintCommand(a))
	return cmd
}

func hostsCollectCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "collect",
		Short: "Print the script that gathers what a host says",
		Long: `Prints a script for sh that fills a new folder with what the host says about itself. Run it on the
host as "sh collect.sh FOLDER", as root, since lspci shows others less. It only reads: it changes no
setting, loads no module and opens no connection. A command that is not there or takes longer than 20
seconds is passed over. Serial numbers and UUIDs are cut; of the environment it takes NCCL_* alone.`,
		Example: "  railyard hosts collect > collect.sh",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, hostinfo.Script)
			return err
		},
	}
}

func hostsShowCommand(a *app) *cobra.Command {
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
			hosts, err := a.readHosts(cmd.Context(), args)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(hosts)
			}
			s := a.newSheet()
			for k, h := range hosts {
				if k > 0 {
					s.Blank()
				}
				view.HostText(s, h)
			}
			return s.Flush(a.stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all that is known as JSON, with lines")
	return cmd
}

func hostsBoardCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "board FOLDER",
		Short: "Print the board of a host in NCCL's form",
		Long: `Prints what lspci, sysfs, lscpu and nvidia-smi topo -m of a host's folder say of its board, as NCCL
writes it (NCCL_TOPO_DUMP_FILE): PCIe switches between GPUs, NICs and CPUs, with what both ends of each
link can do, NUMA nodes and NVLinks. cluster.host.graph of a scenario takes it.`,
		Example: "  railyard hosts board host1 > host1.xml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("%s: %s, want one FOLDER: %s", called(cmd), count(len(args), "argument"), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := a.readHosts(cmd.Context(), args)
			if err != nil {
				return err
			}
			if len(hosts) != 1 {
				return misuse("hosts board: %s: %d hosts, want one", args[0], len(hosts))
			}
			text, err := hostboard.Text(hosts[0])
			if err != nil {
				return misuse("hosts board: %s: %w", args[0], err)
			}
			_, err = io.WriteString(a.stdout, text)
			return err
		},
	}
}

// someFolders is the argument check of a command that takes folders of hosts.
func someFolders(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return misuse("%s: missing FOLDER, what the script of \"railyard hosts collect\" filled: %s", called(cmd), cmd.UseLine())
	}
	return nil
}

// mostHosts bounds the hosts of a call.
const mostHosts = 16_384

// someHosts keep about ten megabytes.
const someHosts = 50

// readHosts reads the folders of hosts. One of which nothing is understood is an error.
func (a *app) readHosts(ctx context.Context, args []string) (hosts []*hostinfo.Host, err error) {
	// Of a megabyte that is read little stays: looking for it after each few would take most of the time. What stays of many
	// hosts is much, and ten times that would be too much.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	seen := map[string]string{}
	for _, arg := range args {
		folders, err := hostFolders(arg)
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			if len(hosts) == mostHosts {
				return nil, misuse("hosts: more than %d folders", mostHosts)
			}
			name := filepath.Base(filepath.Clean(folder))
			if first, twice := seen[name]; twice {
				return nil, misuse("hosts: %s: a host named %s is in %s too: want folders with names of their own",
					folder, name, first)
			}
			seen[name] = folder
			files, err := hostFiles(ctx, folder)
			if err != nil {
				return nil, misuse("cannot read %s: %w", folder, err)
			}
			h, err := hostinfo.Read(name, files)
			if err != nil {
				return nil, misuse("%s: %w", folder, err)
			}
			if hosts = append(hosts, h); len(hosts)%someHosts == 0 {
				debug.SetGCPercent(max(120, 1000/(1+len(hosts)/someHosts)))
			}
		}
	}
	return hosts, nil
}

// hostFolders are the folders of hosts that an argument names: itself, if a file is in it, else those in it.
func hostFolders(path string) (all []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, misuse("cannot read %s: %w, want the folder of a host", path, err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			return []string{path}, nil
		}
		all = append(all, filepath.Join(path, e.Name()))
	}
	if len(all) == 0 {
		return nil, misuse("hosts: %s: an empty folder, want what the script of \"railyard hosts collect\" filled", path)
	}
	return all, nil
}

// hostFiles reads the files of a host's folder. It may be a stranger's: no link leads out of it.
func hostFiles(ctx context.Context, folder string) (files []netconf.File, err error) {
	left := int64(hostinfo.MostBytes)
	err = filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if len(files) == hostinfo.MostFiles {
			return fmt.Errorf("more than %d files, want those of one host", hostinfo.MostFiles)
		}
		inside, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		text, err := input.ReadIn(ctx, folder, inside, left)
		var long *input.TooLong
		if errors.As(err, &long) {
			return fmt.Errorf("with %s more than %v in all, want at most that for a host", name, unit.Bytes(hostinfo.MostBytes))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		left -= int64(len(text))
		files = append(files, netconf.NewFile(name, text))
		return nil
	})
	return files, err
}
