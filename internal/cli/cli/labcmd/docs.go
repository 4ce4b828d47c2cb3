package labcmd

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"railyard/docs"
	"railyard/examples"
	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/manual"
)

// labsFolder is where the pages of labs lie in the site of the documentation.
const labsFolder = "labs"

// Docs is railyard docs.
func Docs(a *call.App) *cobra.Command {
	var html string
	var labs, quiet bool
	cmd := &cobra.Command{
		Use:   "docs --html DIR [--labs]",
		Short: "Write the documentation as a site that opens without a server",
		Long: `Writes the documentation as pages of HTML into DIR, new or empty: open DIR/index.html. It has the
pages of this version, the examples, and a search over all of them; nothing in it needs a server
or a network.

--labs runs every lab, too, and puts its page beside them, as railyard lab --html does.`,
		Example: "  railyard docs --html manual\n  railyard docs --html manual --labs",
		Args:    call.NoArguments,

		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if html == "" {
				return call.Misuse("docs: missing --html DIR, the folder to write to: %s", cmd.UseLine())
			}
			if err := writeDocs(a, html, labs); err != nil {
				return err
			}
			if labs {
				if err := (&labCall{a, labFlags{html: filepath.Join(html, labsFolder),
					quiet: quiet}}).labSite(cmd.Context()); err != nil {
					return err
				}
			}
			_, err := fmt.Fprintf(a.Stdout, "page: %s\n", filepath.Join(html, "index.html"))
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&html, "html", "", "the folder to write to, new or empty")
	fl.BoolVar(&labs, "labs", false, "run every lab and put its page there, too")
	fl.BoolVarP(&quiet, "quiet", "q", false, "no progress of labs on stderr")
	return cmd
}

// writeDocs writes the site into a new or an empty folder.
func writeDocs(a *call.App, dir string, labs bool) error {
	files, err := manual.Pages(docs.Files, examples.Files, labs)
	if err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	folder, err := call.NewFolder(dir)
	if err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	defer folder.Close()
	for _, f := range files {
		write := func(in *output.Folder) error { return in.Write(path.Base(f.Name), f.Data) }
		if below := path.Dir(f.Name); below == "." {
			err = write(folder)
		} else {
			err = folder.In(below, write)
		}
		if err != nil {
			return fmt.Errorf("docs: cannot write %s: %w", filepath.Join(dir, f.Name), input.Cause(err))
		}
	}
	return nil
}
