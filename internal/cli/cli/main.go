package cli

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/machine"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/benchcmd"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/cli/designcmd"
	"railyard/internal/cli/cli/devicecmd"
	"railyard/internal/cli/cli/labcmd"
	"railyard/internal/cli/cli/perfcmd"
	"railyard/internal/cli/cli/rdmacmd"
	"railyard/internal/cli/cli/reportcmd"
	"railyard/internal/cli/cli/topocmd"
	"railyard/internal/plan/foresight"
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
		machine.Huge(machine.HugeAtStart)
		machine.Rest(restUntil)
	}
	return With(wired(), args, stdout, stderr)
}

// With is Main over an engine.
func With(e call.Engine, args []string, stdout, stderr *os.File) int {
	return newApp(stdout, stderr, e).execute(args)
}

func newApp(stdout, stderr *os.File, e call.Engine) *app {
	return &app{App: &call.App{Stdin: os.Stdin, Stdout: stdout, Stderr: stderr, OutTerm: call.TerminalOf(stdout),
		ErrTerm: call.TerminalOf(stderr), Start: time.Now()}, engine: e}
}

// app is one call of the program with the engine that its commands use. A command with flags of its own has a
// type, such as perfCall, with its methods.
type app struct {
	*call.App
	engine call.Engine
	unsaid error // why help could not be printed
}

// execute runs one command line.
func (a *app) execute(args []string) int {
	out, errs := shown.NewWriter(a.Stdout, a.OutTerm.Colour), shown.NewWriter(a.Stderr, a.ErrTerm.Colour)
	out.Of(a.OutTerm.Known())
	errs.Of(a.ErrTerm.Known())
	a.Stdout, a.Stderr = out, errs // from here on nothing is printed past them
	defer out.Flush()
	defer errs.Flush()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	err := root.ExecuteContext(context.Background())
	return a.Report(cmp.Or(a.unsaid, err))
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
		Args:              call.SubcommandOnly,
		PersistentPreRunE: a.Ready,
	}
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *version {
			return a.printVersion()
		}
		return call.NeedSubcommand(cmd, args)
	}
	root.PersistentFlags().String(call.ColourFlag, "auto",
		"colours in problems: auto (a terminal has them, unless NO_COLOR is set), always, never")
	call.Complete(root, call.ColourFlag, cobra.FixedCompletions(call.ColourWords, cobra.ShellCompDirectiveNoFileComp))
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand has our exit codes
	root.SetFlagErrorFunc(call.FlagError)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(helpCommand(a))
	root.AddCommand(runCommand(a), a.sweepCommand(), a.workerCommand(), perfcmd.Command(a.App, a.engine),
		designcmd.Command(a.App, a.engine), dataCommand(a),
		versionCommand(a),
		exportCommand(a), perfcmd.Import(a.App, a.engine), devicecmd.Config(a.App), topocmd.Command(a.App),
		devicecmd.Lint(a.App), devicecmd.Hosts(a.App),
		tuneCommand(a))
	root.AddCommand(a.lookCommands()...)
	root.AddCommand(reportcmd.Command(a.App), reportcmd.Compare(a.App), reportcmd.Explain(a.App),
		reportcmd.Diagnose(a.App, a.engine), whatifCommand(a),
		perfcmd.Commission(a.App, a.engine), predictCommand(a), validateCommand(a), benchcmd.Command(a.App),
		labcmd.Command(a.App), serveCommand(a), labcmd.Docs(a.App),
		newCommand(a), rdmacmd.Command(a.App), launchCommand(a), launchRankCommand(a))
	return root
}
