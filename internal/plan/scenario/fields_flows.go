package scenario

import (
	"strings"

	"railyard/internal/base/unit"
)

// flowFields: one flow, as a line of a CSV file has it.
var flowFields = []*Field{
	{
		Path: "name", Rule: "flow1, flow2, ...", check: checkName, pattern: namePattern,
		value:   in(text, func(f *Flow) *string { return &f.Name }),
		derive:  csvName,
		Meaning: "name in tables and reports",
	},
	{
		Path: "from", Required: true,
		value:   in(endpoint, func(f *Flow) *Endpoint { return &f.From }),
		Meaning: "sender: hostN/gpuM or hostN/nicM; a GPU uses its nearest NIC",
		Also:    []string{"src", "source", "sender"},
	},
	{
		Path: "to", Required: true,
		value:   in(endpoint, func(f *Flow) *Endpoint { return &f.To }),
		Meaning: "receiver: hostN/gpuM or hostN/nicM",
		Also:    []string{"dst", "dest", "destination", "receiver"},
	},
	{
		Path: "bytes", Required: true, Min: "1B", Max: "1TB", example: "bytes such as 10MB",
		value:   in(byteCount, func(f *Flow) *unit.Bytes { return &f.Bytes }),
		Meaning: "size of the message",
		Also:    []string{"size", "length"},
	},
	{
		Path: "start", Default: "0s", Min: "0s", Max: "1h",
		value:   in(duration, func(f *Flow) *unit.Duration { return &f.Start }),
		Meaning: "virtual time at which the first message is posted",
		Also:    []string{"at", "delay"},
	},
	{
		Path: "count", Default: "1", Min: "1", Max: "1000000",
		value:   in(whole, func(f *Flow) *int { return &f.Count }),
		Meaning: "number of messages",
		Also:    []string{"repeat", "times"},
	},
	{
		Path: "every", Default: "0s", Min: "0s", Max: "1h",
		value:   in(duration, func(f *Flow) *unit.Duration { return &f.Every }),
		Meaning: "time from one message to the next, where count is above 1",
		Also:    []string{"period", "interval"},
	},
	{
		Path: "priority", Default: "data", Choices: FlowPriorities,
		value:   in(choice, func(f *Flow) *string { return &f.Priority }),
		Meaning: "traffic class",
		Also:    []string{"class"},
	},
	{
		Path: "enabled", Default: "true",
		value:   in(boolean, func(f *Flow) *bool { return &f.Enabled }),
		Meaning: "whether it is sent; false keeps its number, from which follow the paths of the others",
	},
	{
		Path: "path", Default: "auto", Word: "auto",
		value: in(names, func(f *Flow) *[]string { return &f.Path }),
		Meaning: "the nodes that data crosses, from host to host; node#2 is the second of parallel links to " +
			"it; auto: as fabric.balance says",
		Also: []string{"route"},
	},
	{
		Path: "back", Default: "auto", Word: "auto",
		value:   in(names, func(f *Flow) *[]string { return &f.Back }),
		Meaning: "the nodes that acknowledgements cross; auto: path reversed, or as fabric.balance says",
		Also:    []string{"reverse"},
	},
}

// csvName is the name of the flow of a line, by its number in the file.
func csvName(_ *decoder, _ any, prefix string) string {
	i, listed := entryOf(prefix)
	if !listed {
		panic("scenario: flow prefix " + prefix)
	}
	return nthFlow("flow", i)
}

// entryFields: one entry of job.flows or background.flows: keys of a flow, and of shorthands for several. Whether it is
// one flow follows from pattern, from and to, so these stand first.
var entryFields = []*Field{
	{
		Path: "name", Default: AutoName, check: checkName, pattern: namePattern,
		value: in(text, func(e *FlowEntry) *string { return &e.Name }),
		Meaning: "name in tables and reports; of several flows with their numbers behind it; auto: flow1, flow2, ... or background1, " +
			"background2, ..., by number in the list",
	},
	{
		Path: "pattern", Rule: "each, where from or to are several; else none: one flow", Word: "none", Choices: FlowPatterns,
		value: in(opt(choice), func(e *FlowEntry) *Opt[string] { return &e.Pattern }), derive: patternOf,
		applies: where(func(e *FlowEntry) string {
			if e.plain {
				return "it is one flow"
			}
			return ""
		}),
		Meaning: "who sends to whom, of several",
		Also:    []string{"traffic", "shape"},
	},
	{
		Path: "from", Rule: "required; with a pattern host[*]/gpu[*]", derive: fromOf,
		value:   in(ends, func(e *FlowEntry) *Ends { return &e.From }),
		Meaning: "sender: hostN/gpuM or hostN/nicM, or several: \"host[2-17]/gpu0\"; a GPU uses its nearest NIC",
		Also:    []string{"src", "source", "sender", "among"},
	},
	{
		Path: "to", Required: true, chooser: "pattern",
		value: in(ends, func(e *FlowEntry) *Ends { return &e.To }),
		applies: where(func(e *FlowEntry) string {
			if e.within() {
				return "with pattern " + e.Pattern.Value + " the ends of from receive, too"
			}
			return ""
		}),
		Meaning: "receiver: hostN/gpuM or hostN/nicM, or several",
		Also:    []string{"dst", "dest", "destination", "receiver"},
	},
	{
		Path: "bytes", Required: true, Min: "1B", Max: "1TB", Choices: SizeDistributions,
		example: "bytes such as 10MB, a list of them, or one of websearch, hadoop and alistorage",
		value:   in(sizes, func(e *FlowEntry) *Sizes { return &e.Sizes }),
		Meaning: "size of the message; of several flows also a list, which they have in turn, or a distribution, from which the seed draws",
		Also:    []string{"size", "length"},
	},
	{
		Path: "flows", Default: "all", Word: "all", Min: "1", Max: "1000000", applies: where(onlyPattern),
		value:   in(opt(whole), func(e *FlowEntry) *Opt[int] { return &e.Number }),
		Meaning: "so many of the pattern's pairs, drawn by the seed; with load: so many arrivals",
		Also:    []string{"number", "n", "pairs"},
	},
	{
		Path: "load", Default: "none", Word: "none", Min: "0.1%", Max: "1000%", applies: where(onlyPattern),
		value: in(opt(ratio), func(e *FlowEntry) *Opt[unit.Ratio] { return &e.Load }),
		Meaning: "flows arrive as a Poisson process, each of a pair drawn from the pattern's: the part that their bytes take of what " +
			"the NICs of the senders, or of the receivers where these are fewer, carry at line rate (cluster.nic.speed)",
		Source: "how flows arrive in the evaluations of DCTCP, pFabric, HPCC",
		Also:   []string{"utilisation", "utilization", "intensity", "arrivals"},
	},
	{
		Path: "during", Default: "none", Word: "none", Min: "1ns", Max: "1h", applies: where(onlyLoad),
		value:   in(opt(duration), func(e *FlowEntry) *Opt[unit.Duration] { return &e.During }),
		Meaning: "for how long flows arrive, from start on, in place of flows",
		Also:    []string{"for", "duration"},
	},
	ofEntry("start"),
	ofEntry("count").when(unlessLoad),
	ofEntry("every").when(unlessLoad),
	ofEntry("priority"),
	ofEntry("enabled"),
	{
		Path: "off", Default: "none", Word: "none", applies: where(onlyPattern),
		value:   in(flowPlaces, func(e *FlowEntry) *Selection { return &e.Off }),
		Meaning: "which of the entry's flows are not sent, by place: [n1, n3-n5]; they keep their numbers",
	},
	ofEntry("path").when(unlessPattern),
	ofEntry("back").when(unlessPattern),
}

// ofEntry is a field of flowFields, of all flows of an entry.
func ofEntry(path string) *Field {
	for _, f := range flowFields {
		if f.Path == path {
			g := *f
			g.value.at = func(base any) any { return f.value.at(&base.(*FlowEntry).Flow) }
			return &g
		}
	}
	panic("scenario: no field " + path)
}

// when gives a field of an entry a condition.
func (f *Field) when(unfit func(*FlowEntry) string) *Field {
	f.applies = where(unfit)
	return f
}

// onlyPattern says that a field belongs to several flows.
func onlyPattern(e *FlowEntry) string {
	if !e.Pattern.Set {
		return "it is one flow, want a pattern, or several ends"
	}
	return ""
}

// unlessPattern says that a field belongs to one flow.
func unlessPattern(e *FlowEntry) string {
	if e.Pattern.Set {
		return "they are several flows, want an entry for each that has a path"
	}
	return ""
}

// onlyLoad says that a field belongs to flows that arrive at a load.
func onlyLoad(e *FlowEntry) string {
	if why := onlyPattern(e); why != "" {
		return why
	}
	if !e.Load.Set {
		return "load is none"
	}
	return ""
}

// unlessLoad says that a field has no meaning where flows arrive one by one.
func unlessLoad(e *FlowEntry) string {
	if e.Load.Set {
		return "with load each flow is one message"
	}
	return ""
}

// patternOf is each where several ends are written, else none.
func patternOf(d *decoder, _ any, prefix string) string {
	if strings.Contains(d.text(prefix+"from")+d.text(prefix+"to"), "[") {
		return FlowPatterns[0].Name
	}
	return "none"
}

// fromOf is all GPUs where a pattern is given; else it is missing.
func fromOf(d *decoder, base any, prefix string) string {
	switch {
	case base.(*FlowEntry).Pattern.Set:
		return "host[*]/gpu[*]"
	case d.ok(prefix + "pattern"):
		d.missing(&Field{Path: "from", example: "an endpoint such as host1/gpu0, or several as host[2-17]/gpu0"}, prefix+"from")
	}
	return ""
}
