package call

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// What a shell offers for a word. Completion never prints an error: what cannot be found out is not offered.

// mostOffered bounds what is offered.
const mostOffered = 1000

// CompletesSet has --set complete keys of a scenario, and the words that the key takes.
func CompletesSet(cmd *cobra.Command) {
	Complete(cmd, "set", func(_ *cobra.Command, _ []string, to string) ([]string, cobra.ShellCompDirective) {
		return settable(to), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// Complete has a shell offer what f says for a flag.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("cli: " + err.Error()) // there is no such flag, or it has one
	}
}

// settable offers the keys that begin as to does; behind = the words that the key takes.
func settable(to string) (all []string) {
	key, _, words := strings.Cut(to, "=")
	for _, f := range scenario.Table() {
		switch {
		case f.Kind == scenario.Group || strings.Contains(f.Path, "[]"):
		case words && f.Path == key:
			for _, w := range wordsOf(&f) {
				all = append(all, key+"="+w)
			}
		case !words && strings.HasPrefix(f.Path, to):
			meaning, _, _ := strings.Cut(f.Meaning, ";")
			all = append(all, f.Path+"=\t"+meaning)
		}
	}
	return all
}

// wordsOf lists the words that a key takes, its default where it has no others.
func wordsOf(f *scenario.Field) (all []string) {
	for _, c := range f.Choices {
		all = append(all, c.Name)
	}
	for _, w := range []string{f.Word, f.Other} {
		if w != "" && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	if len(all) == 0 && f.Default != "" {
		all = append(all, f.Default)
	}
	return all
}

// CompleteRuns offers run directories: those beside the word, or below runs where it is empty. Where there is none a
// shell offers all directories.
func CompleteRuns(_ *cobra.Command, _ []string, to string) ([]string, cobra.ShellCompDirective) {
	all := runsBeside(to)
	if len(all) == 0 && to == "" {
		all = runsBeside("runs" + string(filepath.Separator))
	}
	if len(all) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// runsBeside lists the run directories whose paths begin as to does.
func runsBeside(to string) (all []string) {
	dir, begins := filepath.Split(to)
	entries, err := os.ReadDir(cmp.Or(dir, "./")) // with its slash: what is no folder is not opened
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), begins) || len(all) == mostOffered {
			continue
		}
		if at, err := os.Lstat(filepath.Join(dir, e.Name(), "run.json")); err == nil && at.Mode().IsRegular() {
			all = append(all, dir+e.Name())
		}
	}
	return all
}

// CompletePorts offers the ports of the run that the command line names.
func CompletePorts(_ *cobra.Command, args []string, to string) (all []string, _ cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) == 0 {
		return nil, none
	}
	run, err := result.OpenIncomplete(args[0])
	if err != nil {
		return nil, none
	}
	for l, err := range run.Links() {
		if err != nil || len(all) == mostOffered {
			break
		}
		if strings.HasPrefix(l.Port, to) {
			all = append(all, l.Port)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), none
}
