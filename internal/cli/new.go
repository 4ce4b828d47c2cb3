package cli

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"railyard/internal/located"
	"railyard/internal/output"
	"railyard/internal/run"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

// Scenarios to start from, as templates of newAnswers.
//
//go:embed new/*.yaml
var newFiles embed.FS

var newTemplates = template.Must(template.ParseFS(newFiles, "new/*.yaml"))

// newKinds are the scenarios that there are to start from. The templates have their names.
var newKinds = []scenario.Choice{
	{Name: "incast", Meaning: "several hosts send to one at the same time"},
	{Name: "training", Meaning: "a small network that really learns, its gradients as packets"},
	{Name: "collectives", Meaning: "an all-reduce and others, timed as nccl-tests does"},
	{Name: "cluster", Meaning: "your own cluster, with the steps of a large training replayed on it"},
}

// newDesigns are the fabrics that it asks for; a scenario may have others.
var newDesigns = []string{"single-switch", "leaf-spine", "rail-optimized"}

// newAnswers is what the questions are answered with, as texts of a scenario.
type newAnswers struct {
	Name, Kind, Hosts, GPUs, Speed, Design, Amount string

	leaves int // 0: see Leaves
}

// Senders are the GPUs of the hosts but the first; that of the second if the number is no number, which the scenario says.
func (a *newAnswers) Senders() string {
	if n, err := strconv.Atoi(a.Hosts); err == nil && n > 2 {
		return fmt.Sprintf(`"host[2-%d]/gpu0"`, n)
	}
	return "host2/gpu0"
}

// Leaves is how many leaf switches there are in a leaf-spine fabric: the fewest with as many hosts on each, 32 at most.
// 0: the fabric has none, or hosts are no number, which the scenario says.
func (a *newAnswers) Leaves() int {
	const most = 32
	hosts, err := strconv.Atoi(a.Hosts)
	switch {
	case err != nil || a.Design != "leaf-spine":
		return 0
	case a.leaves > 0:
		return a.leaves
	}
	for n := max(2, (hosts+most-1)/most); n <= hosts; n++ {
		if hosts%n == 0 {
			return n
		}
	}
	return 0
}

// Half is half of the bytes in whole float32 numbers; all, if they are no bytes, which the scenario says.
func (a *newAnswers) Half() string {
	b, err := unit.ParseBytes(a.Amount)
	if err != nil {
		return a.Amount
	}
	return (b / 8 * 4).String()
}

// A question asks for one of the answers.
type question struct {
	flag, ask string
	at        func(*newAnswers) *string
	usual     func(*newAnswers) string // where nothing is said
	words     []string                 // nil: any; what it may be, the scenario says
}

// newQuestions are the six, in the order in which they are asked: the usual answer may go by those before.
var newQuestions = []question{
	{"kind", "What is to be simulated", func(a *newAnswers) *string { return &a.Kind },
		func(*newAnswers) string { return "incast" }, choiceNames(newKinds)},
	{"hosts", "How many hosts", func(a *newAnswers) *string { return &a.Hosts },
		byKind("9", "2", "4", "8"), nil},
	{"gpus", "GPUs in each host", func(a *newAnswers) *string { return &a.GPUs }, byKind("1", "4", "8", "8"), nil},
	{"speed", "Rate of a NIC port", func(a *newAnswers) *string { return &a.Speed },
		func(*newAnswers) string { return "400Gb/s" }, nil},
	{"fabric", "Fabric", func(a *newAnswers) *string { return &a.Design },
		byKind("single-switch", "rail-optimized", "rail-optimized", "rail-optimized"), newDesigns},
	{"amount", "Bytes from each sender (training: images for each GPU and step; collectives: bytes of each; cluster: " +
		"bytes of gradients)", func(a *newAnswers) *string { return &a.Amount }, byKind("10MB", "8", "256MB", "2GB"), nil},
}

// byKind is an answer for each of newKinds.
func byKind(all ...string) func(*newAnswers) string {
	return func(a *newAnswers) string {
		i := slices.Index(choiceNames(newKinds), a.Kind)
		return all[max(i, 0)]
	}
}

func newCommand(a *app) *cobra.Command {
	given := make([]string, len(newQuestions))
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
				return misuse("new: %d arguments, want one FILE, the scenario to write: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.newScenario(args[0], given, leaves, force) },
	}
	for i, q := range newQuestions {
		usage := q.ask
		if strings.ToUpper(usage[:2]) != usage[:2] { // no abbreviation
			usage = strings.ToLower(usage[:1]) + usage[1:]
		}
		if q.words != nil {
			usage += ": " + strings.Join(q.words, ", ")
		}
		cmd.Flags().StringVar(&given[i], q.flag, "", usage)
		if q.words != nil {
			complete(cmd, q.flag, cobra.FixedCompletions(q.words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	cmd.Flags().IntVar(&leaves, "leaves", 0, "leaf switches, of --fabric leaf-spine; 0: the fewest with as many hosts on each")
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it is there")
	return cmd
}

func newKindLines() string {
	var b strings.Builder
	for _, k := range newKinds {
		fmt.Fprintf(&b, "  %-12s  %s\n", k.Name, k.Meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}

// newScenario writes a scenario by what flags say and what is answered.
func (a *app) newScenario(file string, given []string, leaves int, force bool) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !force {
		return misuse("new: %s is there already: name another, or replace it with --force", file)
	}
	answers := newAnswers{Name: scenario.NameOf(filepath.Base(file))}
	in := bufio.NewReader(a.stdin)
	for i, q := range newQuestions {
		answer := given[i]
		if answer == "" && a.asks() {
			var err error
			if answer, err = a.ask(in, &q, &answers); err != nil {
				return err
			}
		}
		if answer == "" {
			answer = q.usual(&answers)
		}
		if q.words != nil && !slices.Contains(q.words, answer) {
			return misuse("new: --%s %s: want %s%s", q.flag, located.Shown(answer), strings.Join(q.words, ", "),
				didYouMean(answer, q.words, "see railyard new --help"))
		}
		*q.at(&answers) = answer
	}
	if leaves < 0 || leaves > 0 && answers.Design != "leaf-spine" {
		return misuse("new: --leaves %d: want a number of leaves, and --fabric leaf-spine", leaves)
	}
	answers.leaves = leaves
	text, err := newText(file, &answers)
	if err != nil {
		return err
	}
	if err := output.Write(file, text); err != nil {
		return fmt.Errorf("new: cannot write %s: %w", file, err)
	}
	if n := answers.Leaves(); leaves == 0 && n > 3 && strconv.Itoa(n) == answers.Hosts {
		a.tell(fmt.Sprintf("%d hosts are evenly spread over %d leaves only, one on each; %d would need fewer", n, n, n+1))
	}
	_, err = fmt.Fprintf(a.stdout, "wrote %s\nrailyard check %s says what a run costs, railyard run %s runs it\n", file, file, file)
	return err
}

// asks reports whether there is somebody to ask.
func (a *app) asks() bool {
	f, ok := a.stdin.(*os.File)
	return ok && columnsOf(f) > 0 && a.errTerm.width != nil
}

// ask asks until the answer is one that there is; "" for the usual one.
func (a *app) ask(in *bufio.Reader, q *question, so *newAnswers) (string, error) {
	for {
		words := ""
		if q.words != nil {
			words = " (" + strings.Join(q.words, ", ") + ")"
		}
		fmt.Fprintf(a.stderr, "%s%s [%s]: ", q.ask, words, q.usual(so))
		line, err := in.ReadString('\n')
		if err != nil {
			fmt.Fprintln(a.stderr)
			return "", &exitError{exitInterrupted, errors.New("new: the questions were not answered; nothing was written")}
		}
		answer := strings.TrimSpace(line)
		if answer == "" || q.words == nil || slices.Contains(q.words, answer) {
			return answer, nil
		}
		fmt.Fprintf(a.stderr, "%s: want %s\n", located.Shown(answer), strings.Join(q.words, ", "))
	}
}

// asked names the flag of an answer that a problem begins with, or of the hosts that it lacks; "" if it is of none.
func (a *newAnswers) asked(problem string) string {
	for _, q := range newQuestions {
		if text := *q.at(a); text != "" && strings.HasPrefix(problem, text+":") {
			return " (--" + q.flag + ")"
		}
	}
	if strings.Contains(problem, "no such host") {
		return " (--hosts " + a.Hosts + ")"
	}
	return ""
}

// newText fills the template, and holds what comes out to be a scenario that can run.
func newText(file string, answers *newAnswers) ([]byte, error) {
	for _, q := range newQuestions {
		if text := *q.at(answers); strings.ContainsAny(text, "\n\r#{}[]&*!|>'\"%@`,: ") {
			return nil, misuse("new: --%s %s: want one word, such as %s", q.flag, located.Shown(text), q.usual(answers))
		}
	}
	var b strings.Builder
	if err := newTemplates.ExecuteTemplate(&b, answers.Kind+".yaml", answers); err != nil {
		return nil, err
	}
	text := []byte(b.String())
	sc, err := scenario.Parse(file, text)
	if err == nil {
		_, err = run.NewPlan(sc)
	}
	var problems located.Problems
	if errors.As(err, &problems) {
		said := make([]string, len(problems))
		for i, p := range problems {
			said[i] = p.Path + ": " + p.Message + answers.asked(p.Message)
		}
		return nil, misuse("new: with these answers it would be no scenario that can run:\n  %s", strings.Join(said, "\n  "))
	}
	if err != nil {
		return nil, misuse("new: with these answers it would be no scenario that can run: %w", err)
	}
	return text, nil
}
