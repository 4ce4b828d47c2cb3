//go:build unix

package cli

import (
	"testing"

	"railyard/internal/cli/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, Main, With) }

// Scripts about one package of commands lie with it; these are of commands that are here, and of several.
func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata/script") }

// The scripts of commands that look.
func TestLook(t *testing.T) { clitest.Scripts(t, "testdata/look") }
