package hostinfo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/netconf"
)

// stage reads what commands print on a host: a block of a script is one file.
type stage struct {
	scripttest.Log
	text string
}

// Do is of no use: lines are read.
func (s *stage) Do([]string) { panic("a script of hosts has lines") }

// Read takes a line.
func (s *stage) Read(line string) { s.text += line + "\n" }

// Told says what the lines since the last call mean: each value behind its name, and the line that has it.
func (s *stage) Told() string {
	h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(s.text)}})
	s.text = ""
	if err != nil {
		fmt.Fprintln(s, err)
		return s.Log.Told()
	}
	b, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		panic(err)
	}
	for _, gone := range []string{"name", "sections", "lines", "not_understood"} {
		delete(all, gone)
	}
	s.walk("", all)
	for _, u := range h.Unread {
		fmt.Fprintf(s, "%d: not understood: %s\n", u.Line, strings.TrimSpace(u.Text))
	}
	fmt.Fprintf(s, "understood %d, of no matter %d\n", h.Lines.Understood, h.Lines.Known)
	return s.Log.Told()
}

// walk writes what is known below a name.
func (s *stage) walk(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		at, _ := v["at"].(map[string]any)
		line, _ := at["line"].(float64)
		if value, said := v["value"]; said {
			if line > 0 {
				fmt.Fprintf(s, "%s: %v @%v\n", name, value, line)
			}
			return
		}
		for _, key := range []string{"address", "name", "to"} {
			if own, ok := v[key].(string); ok && own != "" {
				name += " " + own
				break
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "at" && key != "name" && key != "lldp_at" && key != "nccl_board_at" {
				s.walk(strings.TrimSpace(name+" "+key), v[key])
			}
		}
	case []any:
		for _, x := range v {
			s.walk(name, x)
		}
	case string:
		if v != "" {
			fmt.Fprintf(s, "%s: %s\n", name, v)
		}
	case float64:
		if v != 0 {
			fmt.Fprintf(s, "%s: %v\n", name, v)
		}
	}
}

// Each command of a host, and what its lines mean.
func TestScripts(t *testing.T) {
	scripttest.RunIn(t, "testdata/scripts", func(*testing.T) scripttest.Stage { return &stage{} })
}
