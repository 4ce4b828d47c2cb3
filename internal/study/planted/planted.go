package planted

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
)

//go:embed testdata/*.yaml
var files embed.FS

// Reasons says why what is attributed to a cause need not be what its removal saves.
var Reasons = map[string]string{
	"usual part": "without the fault it takes its usual time, which is part of what is attributed",
}

// Case is one planted cause.
type Case struct {
	Name, Title string
	Wants       []Want
	NotAdditive string // a key of Reasons; "": attributed and saved agree
	With        string // scenario
	Without     string
	Topology    string // what the file TopologyFile holds, which both name; "": they do not

	Noun   noun.Noun   // of the first finding; "": only Wants are known
	Or     []noun.Noun // that it may have instead
	By     string      // what brought it about; "": not asked
	Places []string    // where it may be; none: anywhere
	Free   bool        // it costs no time
	Cures  []string    // what names of changes of `railyard whatif` begin with, of which one cures it; none: not known
}

// TopologyFile is what scenarios call their file of a network, relative to where they run.
const TopologyFile = "planted.txt"

// Want is what the first blame must be.
type Want struct {
	Kind       diagnose.Kind
	Port       string // "": any
	Rank       int32  // -1: none
	Culprits   []string
	NotCrossed bool
}

// Cases reads every case.
func Cases() ([]Case, error) {
	entries, err := fs.ReadDir(files, "testdata")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, e := range entries {
		src, err := files.ReadFile(path.Join("testdata", e.Name()))
		if err != nil {
			return nil, err
		}
		c, err := parse(strings.TrimSuffix(e.Name(), ".yaml"), string(src))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, c)
	}
	return all, nil
}

func parse(name, src string) (Case, error) {
	c := Case{Name: name}
	for _, line := range strings.Split(src, "\n") {
		head, isHead := strings.CutPrefix(line, "# ")
		trimmed := strings.TrimSpace(line)
		instead, isInstead := strings.CutPrefix(trimmed, "#instead ")
		switch {
		case isHead && c.Title == "":
			c.Title = head
		case isHead && strings.HasPrefix(head, "want: "):
			for _, w := range strings.Split(head[len("want: "):], " or ") {
				want, err := parseWant(w)
				if err != nil {
					return c, err
				}
				if want.Kind == "" { // an alternative place
					port := want.Port
					want = c.Wants[0]
					want.Port = port
				}
				c.Wants = append(c.Wants, want)
			}
		case isHead && strings.HasPrefix(head, "additive: false, "):
			c.NotAdditive = head[len("additive: false, "):]
			if Reasons[c.NotAdditive] == "" {
				return c, fmt.Errorf("additive: false, %s: want one of Reasons", c.NotAdditive)
			}
		case isHead && strings.HasPrefix(head, "noun: "):
			names, at, _ := strings.Cut(head[len("noun: "):], " at ")
			if in, by, is := strings.Cut(names, " ("); is {
				names, c.By = in, strings.TrimSuffix(by, ")")
			}
			for i, name := range strings.Split(names, ", ") {
				n := noun.Noun(name)
				switch {
				case !n.Known():
					return c, fmt.Errorf("noun: %s: want one of package noun", name)
				case i == 0:
					c.Noun = n
				default:
					c.Or = append(c.Or, n)
				}
			}
			if at != "" {
				c.Places = strings.Split(at, " or ")
			}
		case isHead && strings.HasPrefix(head, "cure: "):
			c.Cures = strings.Split(head[len("cure: "):], " or ")
		case line == "# free":
			c.Free = true
		case strings.HasPrefix(line, "#topology "):
			c.Topology += line[len("#topology "):] + "\n"
		case isInstead:
			c.Without += line[:len(line)-len(strings.TrimLeft(line, " "))] + instead + "\n"
		case strings.HasSuffix(trimmed, "# planted"):
			c.With += strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, " "), "# planted"), " ") + "\n"
		default:
			c.With += line + "\n"
			c.Without += line + "\n"
		}
	}
	if len(c.Wants) == 0 && c.Noun == "" || c.With == c.Without {
		return c, fmt.Errorf("neither want nor noun, or nothing is planted")
	}
	return c, nil
}

// parseWant reads KIND [RANK] [at PORT] [by FLOW, FLOW][, not crossed]; without a kind it is a
// port.
func parseWant(s string) (Want, error) {
	w := Want{Rank: -1}
	s, w.NotCrossed = strings.CutSuffix(s, ", not crossed")
	s, by, _ := strings.Cut(s, " by ")
	if by != "" {
		w.Culprits = strings.Split(by, ", ")
	}
	kind, port, _ := strings.Cut(s, " at ")
	w.Port = port
	if strings.Contains(kind, "/") {
		w.Port = kind
		return w, nil
	}
	for _, k := range []diagnose.Kind{diagnose.SlowRank, diagnose.JobWatchdog} {
		rank, ok := strings.CutPrefix(kind, string(k)+" ")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(rank)
		if err != nil {
			return w, fmt.Errorf("%s: want a rank", rank)
		}
		kind, w.Rank = string(k), int32(n)
	}
	w.Kind = diagnose.Kind(kind)
	return w, nil
}
