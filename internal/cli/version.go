package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"railyard/internal/result"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,

		DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, versionText())
			return err
		},
	}
}

// versionText is what "railyard version" and "railyard --version" print.
func versionText() string {
	return fmt.Sprintf("railyard %s (%s%s, %s/%s)\nrun directory format %d\n",
		result.Version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, result.FormatVersion)
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
