package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
)

func versionCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  call.NoArguments,

		DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.PrintJSON(versionJSON{result.Version, strings.TrimSuffix(commit(), ", "), runtime.Version(),
					runtime.GOOS,
					runtime.GOARCH, result.FormatVersion})
			}
			return a.printVersion()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// versionJSON is what the version is as data.
type versionJSON struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // absent where the build recorded none
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Format  int    `json:"run_directory_format"`
}

// printVersion is "railyard version" and "railyard --version".
func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.Stdout, "railyard %s (%s%s, %s/%s)\nrun directory format %d\n",
		result.Version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, result.FormatVersion)
	return err
}

// commit returns the revision that the program was built from, where the build
// recorded one.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	if revision == "" {
		return ""
	}
	return "commit " + revision + changed + ", "
}
