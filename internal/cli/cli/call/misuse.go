package call

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

// SubcommandOnly is the argument check of a command that only holds others.
func SubcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := Subcommands(cmd)
	return Misuse("unknown command %q%s", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], cmd.Root().Name()+" "),
		DidYouMean(args[0], names, fmt.Sprintf("%q lists the commands", cmd.CommandPath()+" --help")))
}

// NeedSubcommand is what such a command does on its own.
func NeedSubcommand(cmd *cobra.Command, _ []string) error {
	cmd.SetOut(cmd.ErrOrStderr()) // help that was not asked for is no result
	if err := cmd.Help(); err != nil {
		return err
	}
	return &Exit{Code: Misused}
}

// Subcommands are the names of those of a command that its help lists.
func Subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// Called is a command as it is called, without the program's name: show rib.
func Called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// OneFile is the argument check of a command that takes one scenario file.
func OneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return Misuse("%s: missing FILE, the scenario to read: %s", Called(cmd), cmd.UseLine())
	case len(args) > 1:
		return Misuse("%s: %d arguments, want one FILE: %s", Called(cmd), len(args), cmd.UseLine())
	}
	return nil
}

// NoArguments is the check of a command that takes none.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Misuse("%s: unexpected argument %q: %s", Called(cmd), args[0], cmd.UseLine())
	}
	return nil
}

// Ready is what comes before every command: flags are held to have values, and what --color says is done.
func (a *App) Ready(cmd *cobra.Command, args []string) error {
	if err := nothingEmpty(cmd, args); err != nil {
		return err
	}
	switch word := cmd.Root().PersistentFlags().Lookup(ColourFlag).Value.String(); word {
	case "auto":
	case "always", "never":
		a.colours(word == "always")
	default:
		return Misuse("--%s %s: want auto, always or never%s", ColourFlag, located.Shown(word), Meant(word,
			ColourWords))
	}
	return nil
}

// nothingEmpty refuses a flag or an argument that is given and empty: a variable that was not set.
func nothingEmpty(cmd *cobra.Command, args []string) (err error) {
	if n := cmd.Name(); n == cobra.ShellCompRequestCmd || n == cobra.ShellCompNoDescRequestCmd {
		return nil // a shell asks what may stand here: the word is empty after a blank
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			err = Misuse("%s: --%s is empty: want a value, or leave the flag out", Called(cmd), f.Name)
		}
	})
	if i := slices.Index(args, ""); err == nil && i >= 0 {
		err = Misuse("%s: argument %d is empty: %s", Called(cmd), i+1, cmd.UseLine())
	}
	return err
}

// FlagError turns pflag's errors into ours, with a suggestion.
func FlagError(cmd *cobra.Command, err error) error {
	name := Called(cmd)
	see := fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help")
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
		given := "--" + unknown.GetSpecifiedName()
		if s := unknown.GetSpecifiedShortnames(); s != "" {
			given = "-" + s
		}
		if key := keyOf(unknown.GetSpecifiedName()); key != "" && cmd.Flags().Lookup("set") != nil {
			return Misuse("%s: unknown flag %s: a key of the scenario is set with --set %s=VALUE", name, given, key)
		}
		return Misuse("%s: unknown flag %s%s", name, given, DidYouMean(given, flags, see))
	}
	var bare *pflag.ValueRequiredError
	if errors.As(err, &bare) {
		return Misuse("%s: --%s needs a value; %s", name, bare.GetSpecifiedName(), see)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		return Misuse("%s: --%s: %q is no %s; %s", name, f.Name, invalid.GetValue(), valueNames[f.Value.Type()], see)
	}
	return Misuse("%s: %w", name, err)
}

// keyOf is the first key of a scenario whose last part is a word that was given as a flag; "": there is none.
func keyOf(flag string) string {
	last := "." + strings.ReplaceAll(flag, "-", "_")
	for _, f := range scenario.Table() {
		if f.Kind != scenario.Group && strings.HasSuffix(f.Path, last) && !strings.Contains(f.Path, "[]") {
			return f.Path
		}
	}
	return ""
}

// valueNames says in words what a flag of a type takes.
var valueNames = map[string]string{
	"uint64": "whole number from 0 to 2^64-1", "int": "whole number", "string": "text", "bool": "true or false",
}

// Meant is didYouMean where what there is was said already.
func Meant(word string, names []string) string {
	return strings.TrimSuffix(DidYouMean(word, names, ""), "; ")
}

// DidYouMean returns "; did you mean X?" for the name closest to the word, else
// "; " and where to look.
func DidYouMean(word string, names []string, otherwise string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, n := range names {
		d := scenario.Edits(word, n)
		if len(n) >= 3 && strings.HasPrefix(word, n) {
			d = min(d, 1) // topology for topo
		}
		if len(word) >= 2 && strings.HasPrefix(n, word) && n != "--"+strings.TrimLeft(word, "-") {
			d = min(d, 1)
		}
		if d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return "; " + otherwise
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// Count prints "1 problem", "3 problems".
func Count(n int, thing string) string { return unit.CountOf(int64(n), thing) }
