package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	why "railyard/internal/cause"
	"railyard/internal/headline"
	"railyard/internal/scenario"
	"railyard/internal/scenario/schema"
)

// A nameList is names that belong together.
type nameList struct {
	Name  string     `json:"name"`  // the key that takes them: fabric.design
	About string     `json:"about"` // what they are
	Names []nameJSON `json:"names"`
}

type nameJSON struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default bool   `json:"default,omitempty"`
}

func listCommand(a *app) *cobra.Command {
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
				return misuse("list: %d arguments, want at most one KEY: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return listNames(nameLists()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			lists := nameLists()
			if len(args) == 1 {
				if lists = chosen(lists, args[0]); len(lists) == 0 {
					known := append(listNames(nameLists()), lastParts(nameLists())...)
					return misuse("list: no list %q%s", args[0],
						didYouMean(args[0], known, `"railyard list" prints all`))
				}
			}
			if asJSON {
				return a.printJSON(lists)
			}
			s := a.newSheet()
			for i, l := range lists {
				if i > 0 {
					s.Blank()
				}
				s.Hang("", "  ", l.Name+": "+l.About)
				var rows [][]string
				for _, n := range l.Names {
					meaning := n.Meaning
					if n.Default {
						meaning += " (default)"
					}
					rows = append(rows, []string{n.Name, meaning})
				}
				s.Grid("lw", rows)
			}
			return s.Flush(a.stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// chosen returns the lists whose key is name, or ends in it.
func chosen(lists []nameList, name string) []nameList {
	var out []nameList
	for _, l := range lists {
		if l.Name == name || strings.HasSuffix(l.Name, "."+name) {
			out = append(out, l)
		}
	}
	return out
}

func listNames(lists []nameList) []string {
	names := make([]string, len(lists))
	for i, l := range lists {
		names[i] = l.Name
	}
	return names
}

// lastParts returns what follows the last period of each list's key.
func lastParts(lists []nameList) []string {
	names := listNames(lists)
	for i, n := range names {
		names[i] = n[strings.LastIndex(n, ".")+1:]
	}
	return names
}

// nameLists returns every list: keys in the order of a scenario, then the rest.
func nameLists() []nameList {
	var all []nameList
	words := nameList{Name: "words", About: "accepted instead of a value"}
	for _, f := range scenario.Table() {
		for _, w := range []string{f.Word, f.Other} {
			if w != "" {
				words.Names = append(words.Names,
					nameJSON{Name: f.Path + ": " + w, Meaning: f.Meaning, Default: f.Default == w})
			}
		}
		if len(f.Choices) == 0 {
			continue
		}
		l := nameList{Name: f.Path, About: f.Meaning}
		for _, c := range f.Choices {
			l.Names = append(l.Names, nameJSON{c.Name, c.Meaning, c.Name == f.Default})
		}
		all = append(all, l)
	}
	values := nameList{Name: "values", About: "how the values of each kind are written"}
	for _, k := range scenario.Kinds() {
		values.Names = append(values.Names, nameJSON{Name: k.Name, Meaning: k.Meaning})
	}
	causes := nameList{Name: "causes", About: "why time passed, in reports and tables; in a run's tables a column each"}
	for _, c := range why.All() {
		causes.Names = append(causes.Names, nameJSON{Name: c.String(), Meaning: c.Meaning()})
	}
	figures := nameList{Name: "figures", About: "the figures of a run, by the names that conditions of a sweep use"}
	for _, name := range headline.Names() {
		figures.Names = append(figures.Names, nameJSON{Name: headline.Key(name), Meaning: name})
	}
	return append(all, words, values, causes, figures)
}

// schemas are the files that have one.
var schemas = map[string]func() []byte{"scenario": schema.JSON, "requirement": schema.Requirement, "sweep": schema.Sweep}

func schemaCommand(a *app) *cobra.Command {
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
				return misuse("schema: unexpected argument %q, want scenario, requirement or sweep", args[len(args)-1])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			text := schemas["scenario"]
			if len(args) == 1 {
				text = schemas[args[0]]
			}
			_, err := a.stdout.Write(text())
			return err
		},
	}
}

func completionCommand(a *app) *cobra.Command {
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
				return misuse("completion: %d arguments, want one of bash, zsh, fish: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			}
			return misuse("completion: no script for "+
				"%q%s", args[0], didYouMean(args[0], shells, fmt.Sprintf("want %s", strings.Join(shells, ", "))))
		},
	}
}
