package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/starter"
)

func newCommand(a *app) *cobra.Command {
	given := make([]string, len(starter.Questions))
	var force bool
	leaves := 0
	cmd := &cobra.Command{
		Use:   "new FILE [flags]",
		Short: "Write a scenario to start from: six questions, or flags",
		Long: `Writes a scenario with comments that passes railyard check, and asks for what it needs to know:
what is to be simulated, hosts, GPUs, NICs, the fabric, and how much is sent. What a flag says is not
asked; where input is no terminal nothing is, and what no flag says is as usual. FILE must not be there.

Kinds:
` + newKindLines(),
		Example: "  railyard new my.yaml\n  railyard new my.yaml --kind incast --hosts 17 --speed 100Gb/s\n" +
			"  railyard new mine.yaml --kind cluster --hosts 32 --fabric rail-optimized --amount 14GB",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("new: %d arguments, want one FILE, the scenario to write: %s", len(args),
					cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.newScenario(args[0], given, leaves, force) },
	}
	for i, q := range starter.Questions {
		usage := q.Ask
		if strings.ToUpper(usage[:2]) != usage[:2] { // no abbreviation
			usage = strings.ToLower(usage[:1]) + usage[1:]
		}
		if q.Words != nil {
			usage += ": " + strings.Join(q.Words, ", ")
		}
		cmd.Flags().StringVar(&given[i], q.Flag, "", usage)
		if q.Words != nil {
			call.Complete(cmd, q.Flag, cobra.FixedCompletions(q.Words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	cmd.Flags().IntVar(&leaves, "leaves", 0, "leaf switches, of --fabric leaf-spine; 0: the fewest with as many hosts on each")
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it is there")
	return cmd
}

// newScenario writes a scenario by what flags say and what is answered.
func (a *app) newScenario(file string, given []string, leaves int, force bool) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !force {
		return call.Misuse("new: %s is there already: name another, or replace it with --force", file)
	}
	answers := starter.Answers{Name: scenario.NameOf(filepath.Base(file))}
	in := bufio.NewReader(a.Stdin)
	for i, q := range starter.Questions {
		answer := given[i]
		if answer == "" && a.asks() {
			var err error
			if answer, err = a.ask(in, &q, &answers); err != nil {
				return err
			}
		}
		if answer == "" {
			answer = q.Usual(&answers)
		}
		if q.Words != nil && !slices.Contains(q.Words, answer) {
			return call.Misuse("new: --%s %s: want %s%s", q.Flag, located.Shown(answer), strings.Join(q.Words, ", "),
				call.DidYouMean(answer, q.Words, "see railyard new --help"))
		}
		*q.At(&answers) = answer
	}
	if leaves < 0 || leaves > 0 && answers.Design != string(topo.DesignLeafSpine) {
		return call.Misuse("new: --leaves %d: want a number of leaves, and --fabric leaf-spine", leaves)
	}
	answers.Spread = leaves
	text, err := starter.Text(file, &answers)
	if err != nil {
		return call.Misuse("%w", err)
	}
	if err := output.Write(file, text); err != nil {
		return fmt.Errorf("new: cannot write %s: %w", file, err)
	}
	if n := answers.Leaves(); leaves == 0 && n > 3 && strconv.Itoa(n) == answers.Hosts {
		a.Tell(fmt.Sprintf("%d hosts are evenly spread over %d leaves only, one on each; %d would need fewer", n, n,
			n+1))
	}
	_, err = fmt.Fprintf(a.Stdout, "wrote %s\nrailyard check %s says what a run costs, railyard run %s runs it\n",
		file, file, file)
	return err
}

// asks reports whether there is somebody to ask.
func (a *app) asks() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && call.ColumnsOf(f) > 0 && a.ErrTerm.Width != nil
}

// ask asks until the answer is one that there is; "" for the usual one.
func (a *app) ask(in *bufio.Reader, q *starter.Question, so *starter.Answers) (string, error) {
	for {
		words := ""
		if q.Words != nil {
			words = " (" + strings.Join(q.Words, ", ") + ")"
		}
		fmt.Fprintf(a.Stderr, "%s%s [%s]: ", q.Ask, words, q.Usual(so))
		line, err := in.ReadString('\n')
		if err != nil {
			fmt.Fprintln(a.Stderr)
			return "", &call.Exit{Code: call.Interrupted,
				Err: errors.New("new: the questions were not answered; nothing was written")}
		}
		answer := strings.TrimSpace(line)
		if answer == "" || q.Words == nil || slices.Contains(q.Words, answer) {
			return answer, nil
		}
		fmt.Fprintf(a.Stderr, "%s: want %s\n", located.Shown(answer), strings.Join(q.Words, ", "))
	}
}

func newKindLines() string {
	var b strings.Builder
	for _, k := range starter.Kinds {
		fmt.Fprintf(&b, "  %-12s  %s\n", k.Name, k.Meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}
