package showcmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/plan/scenario/schema"
)

// List is railyard list.
func List(a *call.App) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "list [KEY]",
		Short: "List every name that a scenario may use",
		Long: `Lists the names that keys of a scenario take, such as designs, balancers and presets,
the ways to write a value, and the causes of time in reports. With KEY, the names of one
list: fabric.design, or its last part, design.`,
		Example: "  railyard list\n  railyard list fabric.design\n  railyard list causes --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return call.Misuse("list: %d arguments, want at most one KEY: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return view.ListNames(view.NameLists()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			lists := view.NameLists()
			if len(args) == 1 {
				if lists = view.ListsNamed(lists, args[0]); len(lists) == 0 {
					known := append(view.ListNames(view.NameLists()), view.LastParts(view.NameLists())...)
					return call.Misuse("list: no list %q%s", args[0],
						call.DidYouMean(args[0], known, `"railyard list" prints all`))
				}
			}
			if asJSON {
				return a.PrintJSON(lists)
			}
			s := a.NewSheet()
			view.NamesText(s, lists)
			return s.Flush(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// schemas are the files that have one.
var schemas = map[string]func() []byte{"scenario": schema.JSON, "requirement": schema.Requirement,
	"sweep": schema.Sweep}

// Schema is railyard schema.
func Schema(a *call.App) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [scenario|requirement|sweep]",
		Short: "Print the JSON Schema of a scenario file",
		Long: `Prints the JSON Schema (draft 2020-12) of a scenario file, of a requirement (railyard design) or
of a sweep (railyard sweep), for completion and checking in editors: see docs/editors.md. What railyard accepts the schema
accepts; it refuses less.`,
		Example:   "  railyard schema > railyard.schema.json\n  railyard schema requirement > requirement.schema.json",
		ValidArgs: slices.Sorted(maps.Keys(schemas)),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && schemas[args[0]] == nil {
				return call.Misuse("schema: unexpected argument %q, want scenario, requirement or sweep",
					args[len(args)-1])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			text := schemas["scenario"]
			if len(args) == 1 {
				text = schemas[args[0]]
			}
			_, err := a.Stdout.Write(text())
			return err
		},
	}
}

// Completion is railyard completion.
func Completion(a *call.App) *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a script that completes commands in a shell",
		Long: `Prints a completion script.

bash, with the package bash-completion:
  railyard completion bash > ~/.local/share/bash-completion/completions/railyard
zsh, where the folder is in fpath:
  railyard completion zsh > ~/.zfunc/_railyard
fish:
  railyard completion fish > ~/.config/fish/completions/railyard.fish`,
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("completion: %d arguments, want one of bash, zsh, fish: %s", len(args),
					cmd.UseLine())
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			}
			return call.Misuse("completion: no script for "+
				"%q%s", args[0], call.DidYouMean(args[0], shells, fmt.Sprintf("want %s", strings.Join(shells, ", "))))
		},
	}
}
