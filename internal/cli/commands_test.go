package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// A command that is added twice is listed twice, and only the first is ever run.
func TestEachCommandIsThereOnce(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		known := map[string]bool{}
		for _, sub := range c.Commands() {
			if known[sub.Name()] {
				t.Errorf("%s: two commands", sub.CommandPath())
			}
			known[sub.Name()] = true
			walk(sub)
		}
	}
	walk((&app{}).root())
}
