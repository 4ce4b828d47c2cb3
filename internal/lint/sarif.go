package lint

// A Log is findings as SARIF 2.1.0 (OASIS), as far as tools that show them need it.
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
	Name  string      `json:"name"`
	Rules []SARIFRule `json:"rules"`
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

// An Artifact is a file.
type Artifact struct {
	URI string `json:"uri"`
}

// A Region is a line.
type Region struct {
	StartLine int `json:"startLine"`
}

// SARIF returns findings as a log.
func SARIF(all []Finding) Log {
	run := Run{Tool: Tool{Driver{Name: "railyard lint"}}, Results: []Result{}}
	for _, r := range Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, SARIFRule{r.ID, Text{r.Title}, Text{r.Reason}, Text{r.Fix}})
	}
	for _, f := range all {
		at := Physical{Artifact: Artifact{f.File}}
		if f.Line > 0 {
			at.Region = &Region{f.Line}
		}
		run.Results = append(run.Results, Result{f.Rule, f.Severity, Text{f.Device + ": " + f.Text}, []Location{{at}}})
	}
	return Log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []Run{run}}
}
