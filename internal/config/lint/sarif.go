package lint

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Log is findings as SARIF 2.1.0 (OASIS standard, March 2020), as far as tools that show them need it.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// A Run is one call of a tool.
type Run struct {
	Tool    Tool     `json:"tool"`
	Results []Result `json:"results"`
}

// A Tool is what found them.
type Tool struct {
	Driver Driver `json:"driver"`
}

// A Driver is a tool with its rules.
type Driver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []SARIFRule `json:"rules"`
}

// A SARIFRule is a rule.
type SARIFRule struct {
	ID    string `json:"id"`
	Short Text   `json:"shortDescription"`
	Full  Text   `json:"fullDescription"`
	Help  Text   `json:"help"`
}

// A Text is a message.
type Text struct {
	Text string `json:"text"`
}

// A Result is a finding.
type Result struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex int        `json:"ruleIndex"` // among the driver's rules (3.27.6)
	Level     Severity   `json:"level"`
	Message   Text       `json:"message"`
	Locations []Location `json:"locations"`
}

// A Location is where it is.
type Location struct {
	Physical Physical `json:"physicalLocation"`
}

// A Physical is a line of a file.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// An Artifact is a file: one that is named relative to the working directory is so in its URI (3.4.3).
type Artifact struct {
	URI string `json:"uri"`
}

// A Region is a line, from 1 (3.30.5).
type Region struct {
	StartLine int `json:"startLine"`
}

// SARIF returns findings of some rules as the log of a version of this program.
func SARIF(all []Finding, rules []Rule, version string) Log {
	run := Run{Tool: Tool{Driver{Name: "railyard lint", Version: version}}, Results: []Result{}}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, SARIFRule{r.ID, Text{r.Title}, Text{r.Reason}, Text{r.Fix}})
	}
	for _, f := range all {
		at := Physical{Artifact: Artifact{uriOf(f.File)}}
		if f.Line > 0 {
			at.Region = &Region{f.Line}
		}
		index := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule })
		run.Results = append(run.Results, Result{f.Rule, index, level(f.Severity),
			Text{f.Device + ": " + f.Text}, []Location{{at}}})
	}
	return Log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []Run{run}}
}

// uriOf is a file's name as a URI reference: relative if the name is (RFC 3986, sections 3.3 and 4.2).
func uriOf(file string) string {
	name := path.Clean(filepath.ToSlash(file))
	var b strings.Builder
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ":") {
		b.WriteString("./") // else the first part would be a scheme
	}
	if path.IsAbs(name) {
		b.WriteString("file://")
	}
	for _, c := range []byte(name) {
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; letter || c >= '0' && c <= '9' ||
			strings.IndexByte("-._~!$&'()*+,;=:@/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// level is SARIF's word for a severity (SARIF 2.1.0, section 3.27.10): what is not known is a note.
func level(s Severity) Severity {
	if s == Unknown {
		return "note"
	}
	return s
}
