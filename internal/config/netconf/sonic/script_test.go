package sonic_test

import (
	"testing"

	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/sonic"
)

// Each table of SONiC and what it comes to.
func TestScripts(t *testing.T) {
	netconftest.ScriptsIn(t, "testdata/scripts", sonic.Dialect{}, "config_db.json")
}
