//go:build unix

package topocmd_test

import (
	"testing"

	"railyard/internal/cli/cli"
	"railyard/internal/cli/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, cli.Main, cli.With) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata/script") }
