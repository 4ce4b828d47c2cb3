package dump

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// stage reads texts as devices print them, and says what telemetry they are: a block of a script is one file, or several
// with "@ file NAME" between them.
type stage struct {
	scripttest.Log
	files []string // name and text in turn
}

// Do is of no use: lines are read.
func (s *stage) Do([]string) { panic("a script of dumps has lines") }

// Read takes a line.
func (s *stage) Read(text string) {
	if name, ok := strings.CutPrefix(text, "@ file "); ok {
		s.files = append(s.files, name, "")
		return
	}
	if len(s.files) == 0 {
		s.files = []string{"x", ""}
	}
	s.files[len(s.files)-1] += text + "\n"
}

// Told reads the files since the last call.
func (s *stage) Told() string {
	r, files := NewReader(GivenNames()), s.files
	s.files = nil
	for i := 0; i < len(files); i += 2 {
		forms, err := r.Add(files[i], []byte(files[i+1]))
		if len(forms) > 0 {
			fmt.Fprintf(s, "%s: %s\n", files[i], strings.Join(forms, ", "))
		}
		if err != nil {
			fmt.Fprintf(s, "refused: %v\n", err)
			return s.Log.Told()
		}
	}
	t, err := r.Telemetry()
	if err != nil {
		fmt.Fprintf(s, "refused: %v\n", err)
		return s.Log.Told()
	}
	s.tell(t)
	for _, what := range r.Unread() {
		fmt.Fprintf(s, "not read: %s\n", what)
	}
	if r.Empty() {
		fmt.Fprintln(s, "nothing at all")
	}
	return s.Log.Told()
}

func (s *stage) tell(t *telemetry.Telemetry) {
	for i := range t.Series {
		of := &t.Series[i]
		name := strings.TrimSpace(fmt.Sprintf("%s %s %s", of.Kind, of.Device, strings.TrimPrefix(of.Port, of.Device+"/")))
		if of.Priority >= 0 {
			name += fmt.Sprintf(" priority %d", of.Priority)
		}
		for k, at := range of.At {
			values := ""
			for c := range telemetry.CounterCount {
				if of.Has(c) && of.Value(c, k) != telemetry.Unknown {
					values += fmt.Sprintf(" %s=%d", telemetry.Counters[c].Name, of.Value(c, k))
				}
			}
			fmt.Fprintf(s, "%s at %v:%s\n", name, unit.Duration(at), values)
		}
	}
	s.parts("collective", t.Collectives)
	s.parts("step", t.Steps)
	for _, l := range t.Lines {
		fmt.Fprintf(s, "line of %s %s at %v: %s\n", l.Device, l.Port, unit.Duration(l.At), l.Text)
	}
}

func (s *stage) parts(kind string, all []telemetry.Part) {
	for _, p := range all {
		end := "goes on"
		if p.End >= 0 {
			end = unit.Duration(p.End).String()
		}
		fmt.Fprintf(s, "%s %d of rank %d on %s %s, %s %s %d bytes: %v to %s\n", kind, p.Seq, p.Rank, p.Device, p.Port, p.Comm, p.Op,
			int64(p.Bytes), unit.Duration(p.Start), end)
	}
}

// What devices print, form by form, and what it comes to.
func TestScripts(t *testing.T) {
	scripttest.RunIn(t, "testdata/scripts", func(*testing.T) scripttest.Stage { return &stage{} })
}
