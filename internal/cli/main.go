package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/foresight"
	"railyard/internal/machine"
	"railyard/internal/shown"
	"railyard/internal/unit"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitMisuse      = 2
	exitInterrupted = 130
)

// restUntil is what any command holds soon after its start.
const restUntil = 24 * unit.Mebibyte

// Main runs railyard with the arguments that follow the program's name and returns
// its exit code.
func Main(args []string, stdout, stderr *os.File) int {
	if os.Getenv("GOGC") == "" {
		// Most of what a run holds is there from the start; letting garbage grow to as much again
		// would double it.
		machine.Collect(foresight.Garbage)
		machine.Rest(restUntil)
	}
	return newApp(stdout, stderr, wired()).execute(args)
}

func newApp(stdout, stderr *os.File, e engine) *app {
	return &app{
		stdin: os.Stdin, stdout: stdout, stderr: stderr, outTerm: terminalOf(stdout), errTerm: terminalOf(stderr),
		engine: e, start: time.Now(),
	}
}

// app is one call of the program: what all commands share. A command with flags of its own has a
// type, such as perfCall, with its methods.
type app struct {
	stdin            io.Reader
	piped            []byte // what stdin held, once it was read
	stdout, stderr   io.Writer
	outTerm, errTerm terminal
	engine           engine
	start            time.Time
	unsaid           error // why help could not be printed
}

// execute runs one command line.
func (a *app) execute(args []string) int {
	out, errs := shown.NewWriter(a.stdout, a.outTerm.colour), shown.NewWriter(a.stderr, a.errTerm.colour)
	out.Of(a.outTerm.known())
	errs.Of(a.errTerm.known())
	a.stdout, a.stderr = out, errs // from here on nothing is printed past them
	defer out.Flush()
	defer errs.Flush()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(context.Background())
	return a.report(cmp.Or(a.unsaid, err))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "railyard",
		Short: "A flight simulator for AI training networks",
		Long: `Railyard runs an AI training job on a simulated cluster and fabric: a small network is
really trained, every gradient crosses a packet-level RoCEv2 fabric, and at the end it
says how long a step takes and why.`,
		Example:           "  railyard run examples/digits-8gpu.yaml",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              subcommandOnly,
		PersistentPreRunE: a.ready,
	}
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *version {
			return a.printVersion()
		}
		return needSubcommand(cmd, args)
	}
	root.PersistentFlags().String(colourFlag, "auto",
		"colours in problems: auto (a terminal has them, unless NO_COLOR is set), always, never")
	complete(root, colourFlag, cobra.FixedCompletions(colourWords, cobra.ShellCompDirectiveNoFileComp))
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand has our exit codes
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(helpCommand(a))
	root.AddCommand(runCommand(a), a.sweepCommand(), a.workerCommand(), perfCommand(a), designCommand(a), dataCommand(a),
		versionCommand(a),
		exportCommand(a), importCommand(a), configCommand(a), topoCommand(a), lintCommand(a), hostsCommand(a),
		tuneCommand(a))
	root.AddCommand(a.lookCommands()...)
	root.AddCommand(reportCommand(a), compareCommand(a), explainCommand(a), diagnoseCommand(a), whatifCommand(a),
		commissionCommand(a), predictCommand(a), validateCommand(a), benchCommand(a), labCommand(a), serveCommand(a), docsCommand(a),
		newCommand(a), rdmaCommand(a), launchCommand(a), launchRankCommand(a))
	return root
}

// exitError is an error with an exit code other than 1. Without err nothing is
// printed: the command has said it all.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// misuse is an error in how the program was called.
func misuse(format string, args ...any) error {
	return &exitError{exitMisuse, fmt.Errorf(format, args...)}
}

// report prints the error, if there is one to print, and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitOK
	}
	code := exitFailed
	var e *exitError
	if errors.As(err, &e) {
		code = e.code
		if e.err == nil {
			return code
		}
	}
	fmt.Fprintf(a.stderr, "railyard: %s\n", strings.TrimRight(err.Error(), "\n"))
	return code
}
