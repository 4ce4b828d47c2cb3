package showcmd

import (
	"os"
	"strings"

	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/job/decoder"
)

// isDecoder reports whether an argument names a large model, and no file.
func isDecoder(arg string) bool {
	if _, ok := decoder.Named(arg); !ok {
		return false
	}
	_, err := os.Stat(arg)
	return err != nil
}

// showDecoder prints what a large model comes to.
func showDecoder(a *call.App, name string, asJSON bool) error {
	d := view.DecoderOf(name)
	if asJSON {
		return a.PrintJSON(d)
	}
	s := a.NewSheet()
	view.DecoderText(s, d)
	return s.Flush(a.Stdout)
}

// decoderNames are the models that have a name, for help and completion.
func decoderNames() string { return strings.Join(decoder.Names(), ", ") }
