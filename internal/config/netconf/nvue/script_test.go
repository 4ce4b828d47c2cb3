package nvue_test

import (
	"testing"

	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/nvue"
)

// Each command of NVUE and what it comes to.
func TestScripts(t *testing.T) { netconftest.Scripts(t, nvue.Dialect{}, "nvue.txt") }
