package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
	"railyard/labs"
)

// MaxText bounds a file of a lab, in bytes, and MaxPage its README.md, of which two bytes may become a piece of a page: the
// longest of ours has a twentieth.
const (
	MaxText = 1 << 20
	MaxPage = 256 << 10
)

// Lab is a lab that was read and holds no problem.
type Lab struct {
	Number   int    // 0: it has none
	Name     string // of its folder
	Title    string
	Question string
	Takes    string             // how long it takes, as it says
	Scenario *scenario.Scenario // nil: nothing is run

	files      map[string][]byte // as they are
	text       readme
	statements []*statement
}

// ScenarioText is the scenario as its file has it, "" where nothing is run.
func (l *Lab) ScenarioText() string { return string(l.files[scenarioFile]) }

// A Broken lab has problems. Files are those that they point into.
type Broken struct {
	Problems located.Problems
	Files    map[string][]byte
}

func (b *Broken) Error() string { return b.Problems.Error() }

var numberedName = regexp.MustCompile(`^(\d\d)-[a-z0-9-]+$`)

// MaxFile bounds a file of a lab.
const MaxFile = 16 << 20

// Parse reads a lab from its files; name is that of its folder.
func Parse(name string, files fs.FS) (*Lab, error) {
	l := &Lab{Name: name, files: map[string][]byte{}}
	if m := numberedName.FindStringSubmatch(name); m != nil {
		l.Number, _ = strconv.Atoi(m[1])
	}
	var ps located.Problems
	for _, file := range []string{readmeFile, expectFile, scenarioFile} {
		b, err := fs.ReadFile(files, file)
		most := MaxText
		if file == readmeFile {
			most = MaxPage
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == scenarioFile:
		case errors.Is(err, fs.ErrNotExist):
			ps = append(ps, located.Problem{File: file, Message: "it is missing: a lab has README.md, expect.txt and, " +
				"if something is run, scenario.yaml"})
		case err != nil:
			return nil, err
		case len(b) > most:
			ps = append(ps, located.Problem{File: file, Message: fmt.Sprintf("%d bytes, want at most %d", len(b), most)})
		default:
			l.files[file] = b
		}
	}
	if len(ps) > 0 {
		return nil, &Broken{ps, l.files}
	}
	if src, there := l.files[scenarioFile]; there {
		sc, err := scenario.Parse(scenarioFile, src)
		var problems located.Problems
		if errors.As(err, &problems) {
			ps = append(ps, problems...)
		} else if err != nil {
			return nil, err
		}
		l.Scenario = sc
	}
	var more located.Problems
	l.text, more = parseText(string(l.files[readmeFile]))
	ps = append(ps, more...)
	l.Title, l.Question = l.text.title, plain(l.text.question)
	l.statements, more = parseExpect(expectFile, string(l.files[expectFile]))
	ps = append(ps, more...)
	if len(more) == 0 && (l.Scenario != nil || l.files[scenarioFile] == nil) {
		g := &ledger{lab: l, scenario: l.Scenario}
		ps = append(ps, g.pass()...)
		ps = append(ps, l.checkPlaces(g)...)
	}
	for _, s := range l.statements {
		if s.verb == "takes" {
			l.Takes = s.words[0]
		}
	}
	if len(ps) > 0 {
		return nil, &Broken{ps.Sorted(), l.files}
	}
	return l, nil
}

// Names lists what expect.txt defines and its benches show: what a value, an erratum and a place
// of the text can name.
func (l *Lab) Names() []string {
	g := &ledger{lab: l, scenario: l.Scenario}
	g.pass()
	return keys(g.all)
}

// plain is a text without its looks.
func plain(in []inline) string {
	var b strings.Builder
	for _, i := range in {
		b.WriteString(i.text)
	}
	return b.String()
}

// checkPlaces holds every place of the text against what there is.
func (l *Lab) checkPlaces(g *ledger) (ps located.Problems) {
	l.text.texts(func(in []inline) {
		walk(in, func(i *inline) {
			if i.value != "" {
				if _, err := g.quantity(i.value); err != nil {
					ps = append(ps, problemAt(readmeFile, i.at, "%v", err, err.(hinted).h))
				}
			}
			if i.choice != nil {
				ps = append(ps, i.choice.check(g)...)
			}
		})
	})
	for _, b := range l.text.blocks {
		if names, ok := g.placed(b.place.Text); b.kind == place && ok && !slices.Contains(names, b.name) {
			want := "none is defined"
			if len(names) > 0 {
				want = "want " + located.OneOf(names)
			}
			ps = append(ps, problemAt(readmeFile, b.place, "there is no %s %s, %s", b.place.Text,
				located.Shown(b.name), want))
		}
	}
	_, wrong := l.configs(g.scenario)
	return append(ps, wrong...)
}

// placed lists what a place with a name may name.
func (g *ledger) placed(place string) (names []string, named bool) {
	switch place {
	case "steps":
		for _, w := range g.walks {
			names = append(names, w.Name)
		}
	case "table":
		for _, w := range g.walks {
			for _, t := range w.Tables {
				names = append(names, t.Name)
			}
		}
	case "figure":
		for _, f := range g.figures {
			names = append(names, f.Name)
		}
		for _, s := range g.lab.statements {
			if s.verb == "figure" {
				names = append(names, s.name.Text)
			}
		}
	default:
		return nil, false
	}
	return names, true
}

// All returns the labs that come with Railyard, in the order of their numbers.
func All() ([]*Lab, error) {
	entries, err := fs.ReadDir(labs.Files, ".")
	if err != nil {
		return nil, err
	}
	var all []*Lab
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		l, err := named(e.Name())
		if err != nil {
			return nil, fmt.Errorf("lab %s: %w", e.Name(), err)
		}
		all = append(all, l)
	}
	return all, nil
}

func named(name string) (*Lab, error) {
	sub, err := fs.Sub(labs.Files, name)
	if err != nil {
		return nil, err
	}
	return Parse(name, sub)
}

// Short is the name without its number.
func (l *Lab) Short() string { return strings.TrimLeft(l.Name, "0123456789-") }

// Find returns the lab with a number or the name of a folder, nil if none has it.
func Find(all []*Lab, which string) *Lab {
	n, err := strconv.Atoi(which)
	for _, l := range all {
		if err == nil && l.Number == n || l.Name == which || l.Short() == which {
			return l
		}
	}
	return nil
}
