package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"railyard/internal/input"
	"railyard/internal/lint"
	"railyard/internal/netconf"
	"railyard/internal/objects"
	"railyard/internal/view"
)

// A tally counts findings by severity, and the lines they were found in by class.
type tally struct {
	errs, warnings, unknown, known int // known: in the baseline
	lines                          netconf.Lines
	heard                          *heard // nil: no file says it
	cards                          *cards // nil: no hosts were given
}

func tallied(all []lint.Finding) (n tally) {
	for i := range all {
		switch all[i].Severity {
		case lint.Error:
			n.errs++
		case lint.Warning:
			n.warnings++
		default:
			n.unknown++
		}
	}
	return n
}

// String is the summary line.
func (n tally) String() string {
	text := count(n.errs, "error") + ", " + count(n.warnings, "warning")
	if n.unknown > 0 {
		text += fmt.Sprintf(", %d not known", n.unknown)
	}
	if n.known > 0 {
		text += fmt.Sprintf(", %d of the baseline left out", n.known)
	}
	if n.lines.Unread > 0 {
		text += fmt.Sprintf("; not checked: %s of %d", count(n.lines.Unread, "line"),
			n.lines.Understood+n.lines.Known+n.lines.Unread)
	}
	return text
}

// mapped gives devices the names of the design.
func mapped(devices []*lint.Device, maps []string) error {
	for _, m := range maps {
		host, sw, ok := strings.Cut(m, "=")
		if !ok || host == "" || sw == "" {
			return misuse("lint: --map %q: want HOSTNAME=SWITCH", m)
		}
		found := false
		for _, d := range devices {
			if d.Device.Name == host {
				d.Switch, found = sw, true
			}
		}
		if !found {
			var names []string
			for _, d := range devices {
				names = append(names, d.Device.Name)
			}
			return misuse("lint: --map %q: no device %q, want one of %s", m, host, view.ShortList(names))
		}
	}
	return nil
}

// A baseline is findings that are known, by what does not change when lines move: how often each was there.
type baseline map[string]int

func baselineKey(f *lint.Finding) string {
	return strings.Join([]string{f.Rule, string(f.Severity), f.Device, f.Port, f.Text}, "\x00")
}

// readBaseline reads what lint --json has printed; "": nothing.
func (a *app) readBaseline(path string) (baseline, error) {
	if path == "" {
		return nil, nil
	}
	text, err := input.Read(context.Background(), path, mostConfig)
	if err != nil {
		return nil, misuse("cannot read %s: %w", path, err)
	}
	var said struct {
		Findings objects.List[lint.Finding] `json:"findings"`
	}
	if err = objects.Check(text); err == nil { // before room is made for any
		err = json.Unmarshal(text, &said)
	}
	if err != nil || said.Findings == nil {
		return nil, misuse("lint: --baseline %s: not what lint --json prints, want an object with findings", path)
	}
	old := baseline{}
	for i := range said.Findings {
		old[baselineKey(&said.Findings[i])]++
	}
	return old, nil
}

// without leaves out the findings of a baseline, and says how many those are.
func (b baseline) without(all []lint.Finding) (kept []lint.Finding, known int) {
	if b == nil {
		return all, 0
	}
	for i := range all {
		key := baselineKey(&all[i])
		if b[key] > 0 {
			b[key]--
			known++
			continue
		}
		kept = append(kept, all[i])
	}
	return kept, known
}
