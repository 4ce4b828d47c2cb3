package junos_test

import (
	"testing"

	"railyard/internal/config/netconf/junos"
	"railyard/internal/config/netconf/netconftest"
)

// Each statement of Junos and what it comes to.
func TestScripts(t *testing.T) { netconftest.Scripts(t, junos.Dialect{}, "juniper.conf") }
