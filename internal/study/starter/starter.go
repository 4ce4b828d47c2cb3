package starter

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// Scenarios to start from, as templates of Answers.
//
//go:embed files/*.yaml
var files embed.FS

var templates = template.Must(template.ParseFS(files, "files/*.yaml"))

// Kinds are the scenarios that there are to start from. The templates have their names.
var Kinds = []scenario.Choice{
	{Name: "incast", Meaning: "several hosts send to one at the same time"},
	{Name: "training", Meaning: "a small network that really learns, its gradients as packets"},
	{Name: "collectives", Meaning: "an all-reduce and others, timed as nccl-tests does"},
	{Name: "cluster", Meaning: "your own cluster, with the steps of a large training replayed on it"},
}

// Designs are the fabrics that it asks for; a scenario may have others.
var Designs = []topo.DesignName{topo.DesignSingleSwitch, topo.DesignLeafSpine, topo.DesignRailOptimized}

// Answers is what the questions are answered with, as texts of a scenario.
type Answers struct {
	Name, Kind, Hosts, GPUs, Speed, Design, Amount string

	Spread int // over so many leaves; 0: see Leaves
}

// Senders are the GPUs of the hosts but the first; that of the second if the number is no number, which the scenario says.
func (a *Answers) Senders() string {
	if n, err := strconv.Atoi(a.Hosts); err == nil && n > 2 {
		return fmt.Sprintf(`"host[2-%d]/gpu0"`, n)
	}
	return "host2/gpu0"
}

// Leaves is how many leaf switches there are in a leaf-spine fabric: the fewest with as many hosts on each, 32 at most.
// 0: the fabric has none, or hosts are no number, which the scenario says.
func (a *Answers) Leaves() int {
	const most = 32
	hosts, err := strconv.Atoi(a.Hosts)
	switch {
	case err != nil || a.Design != string(topo.DesignLeafSpine):
		return 0
	case a.Spread > 0:
		return a.Spread
	}
	for n := max(2, (hosts+most-1)/most); n <= hosts; n++ {
		if hosts%n == 0 {
			return n
		}
	}
	return 0
}

// Half is half of the bytes in whole float32 numbers; all, if they are no bytes, which the scenario says.
func (a *Answers) Half() string {
	b, err := unit.ParseBytes(a.Amount)
	if err != nil {
		return a.Amount
	}
	return (b / 8 * 4).String()
}

// A Question asks for one of the answers.
type Question struct {
	Flag, Ask string
	At        func(*Answers) *string
	Usual     func(*Answers) string // where nothing is said
	Words     []string              // nil: any; what it may be, the scenario says
}

// Questions are the six, in the order in which they are asked: the usual answer may go by those before.
var Questions = []Question{
	{"kind", "What is to be simulated", func(a *Answers) *string { return &a.Kind },
		func(*Answers) string { return "incast" }, names(Kinds)},
	{"hosts", "How many hosts", func(a *Answers) *string { return &a.Hosts },
		byKind("9", "2", "4", "8"), nil},
	{"gpus", "GPUs in each host", func(a *Answers) *string { return &a.GPUs }, byKind("1", "4", "8", "8"), nil},
	{"speed", "Rate of a NIC port", func(a *Answers) *string { return &a.Speed },
		func(*Answers) string { return "400Gb/s" }, nil},
	{"fabric", "Fabric", func(a *Answers) *string { return &a.Design },
		byKind(string(topo.DesignSingleSwitch), rails, rails, rails), words(Designs)},
	{"amount", "Bytes from each sender (training: images for each GPU and step; collectives: bytes of each; cluster: " +
		"bytes of gradients)", func(a *Answers) *string { return &a.Amount }, byKind("10MB", "8", "256MB", "2GB"), nil},
}

const rails = string(topo.DesignRailOptimized)

// words are the names of designs, as answers have them.
func words(all []topo.DesignName) (words []string) {
	for _, d := range all {
		words = append(words, string(d))
	}
	return words
}

// names are those of Kinds.
func names(all []scenario.Choice) (names []string) {
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// byKind is an answer for each of Kinds.
func byKind(all ...string) func(*Answers) string {
	return func(a *Answers) string {
		i := slices.Index(names(Kinds), a.Kind)
		return all[max(i, 0)]
	}
}

// asked names the flag of an answer that a problem begins with, or of the hosts that it lacks; "" if it is of none.
func (a *Answers) asked(problem string) string {
	for _, q := range Questions {
		if text := *q.At(a); text != "" && strings.HasPrefix(problem, text+":") {
			return " (--" + q.Flag + ")"
		}
	}
	if strings.Contains(problem, "no such host") {
		return " (--hosts " + a.Hosts + ")"
	}
	return ""
}

// Text fills the template, and holds what comes out to be a scenario that can run.
func Text(file string, answers *Answers) ([]byte, error) {
	for _, q := range Questions {
		if text := *q.At(answers); strings.ContainsAny(text, "\n\r#{}[]&*!|>'\"%@`,: ") {
			return nil, fmt.Errorf("new: --%s %s: want one word, such as %s", q.Flag, located.Shown(text), q.Usual(answers))
		}
	}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, answers.Kind+".yaml", answers); err != nil {
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
		return nil, fmt.Errorf("new: with these answers it would be no scenario that can run:\n  %s", strings.Join(said, "\n  "))
	}
	if err != nil {
		return nil, fmt.Errorf("new: with these answers it would be no scenario that can run: %w", err)
	}
	return text, nil
}
