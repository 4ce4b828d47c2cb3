package nxos_test

import (
	"testing"

	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/nxos"
)

// Each statement of NX-OS and what it comes to.
func TestScripts(t *testing.T) { netconftest.Scripts(t, nxos.Dialect{}, "running-config") }
