package eos_test

import (
	"testing"

	"railyard/internal/config/netconf/eos"
	"railyard/internal/config/netconf/netconftest"
)

// Each statement of EOS and what it comes to.
func TestScripts(t *testing.T) { netconftest.Scripts(t, eos.Dialect{}, "running-config") }
