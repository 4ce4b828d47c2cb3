package dump

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
	"railyard/internal/net/telemetry"
)

// given is the table of names that are known.
//
//go:embed names.txt
var given string

// name says which counter a metric is.
type name struct {
	metric   string // with {P} where the priority stands
	counter  telemetry.Counter
	port     string // label of the interface
	gpu      string // label of the GPU
	priority string // label; "": in the metric's name, or none
	label    string // with value: only such samples
	value    string
	num, den int64
	role     role
}

// role is what has a counter.
type role uint8

const (
	anyRole role = iota
	aSwitch
	aHost
)

func (r role) String() string { return [...]string{"a switch or host", "a switch", "a host"}[r] }

// Names is a table of metrics.
type Names struct {
	list []name
	at   map[string][]int // by metric
}

// mostNames bounds a table.
const mostNames = 10_000

// GivenNames are those that are known.
func GivenNames() *Names {
	n := &Names{}
	if err := n.read("names.txt", given, false); err != nil {
		panic(err) // a test reads it
	}
	return n
}

// Before puts the names of a text before those that are there.
func (n *Names) Before(file, text string) error {
	own := &Names{}
	if err := own.read(file, text, true); err != nil {
		return err
	}
	*n = Names{list: append(own.list, n.list...)}
	n.index()
	return nil
}

func (n *Names) index() {
	n.at = map[string][]int{}
	for i := range n.list {
		if pattern := n.list[i].metric; strings.Contains(pattern, "{P}") {
			for p := range 8 {
				key := strings.Replace(pattern, "{P}", strconv.Itoa(p), 1)
				n.at[key] = append(n.at[key], i)
			}
		} else {
			n.at[pattern] = append(n.at[pattern], i)
		}
	}
}

// read reads a table.
func (n *Names) read(file, text string, private bool) error {
	var ps located.Problems
	for i, line := range strings.Split(text, "\n") {
		body, _, _ := strings.Cut(strings.TrimSuffix(line, "\r"), "#")
		words := strings.Fields(body)
		if len(words) == 0 || ps.Full() {
			continue
		}
		problem := func(word, format string, args ...any) {
			ps = append(ps, located.Problem{File: file, Line: i + 1, Column: columnOf(line, word),
				Width: max(1, utf8.RuneCountInString(word)), Message: fmt.Sprintf(format, args...), Private: private})
		}
		if len(words) < 3 {
			problem(words[0], "%s: want METRIC COUNTER port=LABEL, or gpu=LABEL", located.Shown(words[0]))
			continue
		}
		if len(n.list) >= mostNames {
			problem(words[0], "more than %d metrics", mostNames)
			break
		}
		m := name{metric: words[0], num: 1, den: 1}
		if !metricName.MatchString(strings.Replace(m.metric, "{P}", "0", 1)) {
			problem(words[0], "%s: no name of a metric, want letters, digits, _ and :", located.Shown(words[0]))
		}
		c, known := counterOf(words[1])
		if m.counter = c; !known {
			problem(words[1], "%s: no counter, want %s", located.Shown(words[1]), located.OneOf(counterNames()))
		}
		for _, w := range words[2:] {
			if err := m.set(w); err != nil {
				problem(w, "%s: %v", located.Shown(w), err)
			}
		}
		if (m.port == "") == (m.gpu == "") {
			problem(words[0], "%s: want one of port=LABEL and gpu=LABEL", located.Shown(words[0]))
		}
		n.list = append(n.list, m)
	}
	n.index()
	return ps.Err()
}

// set reads a word of a line.
func (m *name) set(word string) error {
	key, value, _ := strings.Cut(word, "=")
	if value == "" {
		return fmt.Errorf("want KEY=VALUE, with port, gpu, priority, times, of or where")
	}
	switch key {
	case "port":
		m.port = value
	case "gpu":
		m.gpu = value
	case "priority":
		m.priority = value
	case "where":
		if m.label, m.value, _ = strings.Cut(value, ":"); m.value == "" {
			return fmt.Errorf("want where=LABEL:VALUE")
		}
	case "of":
		i := slices.Index([]string{"", "switch", "host"}, value)
		if i < 1 {
			return fmt.Errorf("want of=switch or of=host")
		}
		m.role = role(i)
	case "times":
		a, b, divided := strings.Cut(value, "/")
		num, err := strconv.ParseUint(a, 10, 40)
		den := uint64(1)
		if err == nil && divided {
			den, err = strconv.ParseUint(b, 10, 40)
		}
		if err != nil || num == 0 || den == 0 {
			return fmt.Errorf("want times=N or times=N/D, whole numbers from 1 below 2^40")
		}
		m.num, m.den = int64(num), int64(den)
	default:
		return fmt.Errorf("unknown, want port, gpu, priority, times, of or where")
	}
	return nil
}

func counterOf(word string) (telemetry.Counter, bool) {
	for c := range telemetry.CounterCount {
		if telemetry.Counters[c].Name == word {
			return c, true
		}
	}
	return 0, false
}

func counterNames() (all []string) {
	for c := range telemetry.CounterCount {
		all = append(all, telemetry.Counters[c].Name)
	}
	return all
}

// columnOf is where a word of a line stands, in characters from 1.
func columnOf(line, word string) int {
	if i := strings.Index(line, word); i >= 0 {
		return 1 + utf8.RuneCountInString(line[:i])
	}
	return 1
}
