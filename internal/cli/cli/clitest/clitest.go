//go:build unix

package clitest

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"railyard/internal/cli/cli/call"
)

// Main runs the tests of a package, whose binary is also the program: railyard, which program runs, and railyard-fake, the same
// over another engine.
func Main(m *testing.M, program func(args []string, stdout, stderr *os.File) int,
	over func(e call.Engine, args []string, stdout, stderr *os.File) int) {
	testscript.Main(m, map[string]func(){
		"railyard":      func() { os.Exit(program(os.Args[1:], os.Stdout, os.Stderr)) },
		"railyard-fake": func() { os.Exit(over(call.Engine{Run: fakeRun, Draw: fakeDigits}, os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// Scripts plays each script of a folder. What commands print stands in the scripts, too; RAILYARD_UPDATE=1 rewrites it.
func Scripts(t *testing.T, dir string) {
	if signal.Ignored(syscall.SIGHUP) {
		// Under nohup: what is caught here, commands begin with as usual; what is ignored they
		// would ignore too.
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGHUP)
		t.Cleanup(func() { signal.Stop(c) }) // the scripts run in parallel, after this function
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, UpdateScripts: os.Getenv("RAILYARD_UPDATE") != "", Setup: woven,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "narrow": narrow, "waitfor": waitfor, "same": same, "damage": damage, "killed": killed, "hold": hold,
			"json": isJSON, "replace": replace, "has": has,
		},
	})
}

// Printed is what the program prints on stdout in the folder that the test is in; it ends with 0.
func Printed(t *testing.T, args ...string) string {
	t.Helper()
	var errs strings.Builder
	c := exec.Command("railyard", args...)
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Errorf("railyard %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// woven passes on which mistake of tools/mutate is to be made: scripts begin with an environment of their own.
func woven(env *testscript.Env) error {
	for _, name := range []string{"RAILYARD_MUTANT", "RAILYARD_REACHED"} {
		if v, set := os.LookupEnv(name); set {
			env.Setenv(name, v)
		}
	}
	return nil
}
