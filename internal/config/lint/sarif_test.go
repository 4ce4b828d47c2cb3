package lint_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
)

// A sarifLog is what readers of SARIF 2.1.0 look at, by the standard's names.
type sarifLog struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name, Version string
				Rules         []struct {
					ID               string
					ShortDescription struct{ Text string }
				}
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex *int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           *struct{ StartLine int }
				}
			}
		}
	}
}

// What is written keeps the rules of SARIF 2.1.0 that an upload of results is refused for, on every planted mistake: section 3.13
// (version, $schema), 3.14 (a run has results, also none), 3.19 (rules, each once), 3.27 (ruleIndex is that of ruleId, levels,
// a message), 3.4 (URIs), 3.30 (lines from 1).
func TestSARIF(t *testing.T) {
	var all []lint.Finding
	for i, m := range linttest.Planted {
		file := []string{"configs/leaf 1/running-config", "./a:b.cfg", "/etc/50%/x.cfg", "../c#d.cfg",
			"azAZ09-._~/!$&'()*+,;=@"}[i%5]
		all = append(all, lint.Check([]*lint.Device{linttest.Read(m.Dialect, file, m.Break(t))}, nil, lint.Hosts{})...)
	}
	text, err := json.Marshal(lint.SARIF(all, lint.Rules, "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "sarif-2.1.0.json") || len(log.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := &log.Runs[0]
	var ids []string
	for _, r := range run.Tool.Driver.Rules {
		if slices.Contains(ids, r.ID) || r.ID == "" || r.ShortDescription.Text == "" {
			t.Errorf("rule %q: twice, or without a description", r.ID)
		}
		ids = append(ids, r.ID)
	}
	if run.Tool.Driver.Name == "" || run.Tool.Driver.Version != "1.2.3" || len(run.Results) != len(all) {
		t.Errorf("driver %+v, %d results, want %d", run.Tool.Driver, len(run.Results), len(all))
	}
	uris := map[string]bool{}
	for _, r := range run.Results {
		if r.RuleIndex == nil || *r.RuleIndex < 0 || *r.RuleIndex >= len(ids) || ids[*r.RuleIndex] != r.RuleID {
			t.Errorf("%+v: want the place of its rule", r)
		}
		if !slices.Contains([]string{"none", "note", "warning", "error"}, r.Level) || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("%+v: want a level, a message and a location", r)
			continue
		}
		at := r.Locations[0].PhysicalLocation
		if u, err := url.Parse(at.ArtifactLocation.URI); err != nil || u.Fragment != "" || u.Path == "" {
			t.Errorf("%q: want the URI of a file: %v", at.ArtifactLocation.URI, err)
		}
		if uris[at.ArtifactLocation.URI] = true; at.Region == nil || at.Region.StartLine < 1 {
			t.Errorf("%+v: want the line of the mistake", at)
		}
	}
	for _, want := range []string{"configs/leaf%201/running-config", "./a:b.cfg", "file:///etc/50%25/x.cfg", "../c%23d.cfg",
		"azAZ09-._~/!$&'()*+,;=@"} {
		if !uris[want] {
			t.Errorf("no result at %s: %v", want, uris)
		}
	}
	none, _ := json.Marshal(lint.SARIF(nil, lint.Rules, ""))
	if !strings.Contains(string(none), `"results":[]`) {
		t.Errorf("%s: want no results, not a missing list", none)
	}
}
