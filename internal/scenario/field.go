package scenario

import (
	"slices"
	"strings"

	"railyard/internal/unit"
)

// Kind is what a field holds.
type Kind string

// Kinds of field.
const (
	Group       Kind = "group"
	FlowList    Kind = "list of flows"
	FaultList   Kind = "list of faults"
	LinkList    Kind = "list of links"
	SlowList    Kind = "list of slow ranks"
	Whole       Kind = "whole number"
	WholeList   Kind = "list of whole numbers"
	NameList    Kind = "list of names"
	Number      Kind = "number"
	Bool        Kind = "true or false"
	Name        Kind = "name" // one of Choices
	Text        Kind = "text"
	Rate        Kind = "rate"
	ByteRate    Kind = "byte rate" // a rate that is printed in bytes per second
	ComputeRate Kind = "compute rate"
	ByteCount   Kind = "bytes"
	Time        Kind = "time"
	Distance    Kind = "length"
	Fraction    Kind = "ratio"
	End         Kind = "endpoint"
)

// examples shows, per kind, what would be accepted.
var examples = map[Kind]string{
	Group: "keys and values", FlowList: "a list of flows", FaultList: "a list of faults", LinkList: "a list of links", SlowList: "a list of slow ranks", NameList: "a list of names such as [host1, leaf1, host2]", Whole: "a whole number such as 8", WholeList: "a list of whole numbers such as [784, 128, 10]",
	Number: "a number such as 0.1", Bool: "true or false", Name: "a name", Text: "text",
	Rate: "a rate such as 400Gb/s", ByteRate: "a rate such as 50GB/s", ComputeRate: "a compute rate such as 495TFLOP/s", ByteCount: "bytes such as 64MB",
	Time: "a time such as 10us", Distance: "a length such as 20m", Fraction: "a ratio such as 1/8, 7% or 0.07", End: "an endpoint such as host1/gpu0",
}

// Field is one row of the table: everything there is to know about a key.
type Field struct {
	Path     string // fabric.links.spine; job.flows[].from for a key of a flow
	Kind     Kind
	Default  string   // as in a file; empty: see Rule, or Required
	Rule     string   // in words, how the default is found when it is not fixed
	Min, Max string   // as in a file; empty: no bound
	Word     string   // a word accepted instead of a value: none, auto, layer, all
	Other    string   // of an Either: its second word
	Choices  []Choice // of a Name
	Required bool     // where its group is given
	Meaning  string
	Source   string   // of the default
	Also     []string // what people call it elsewhere, for suggestions

	at      func(base any) any                               // the Go variable, nil where its group is absent
	derive  func(d *decoder, base any, prefix string) string // the default by Rule
	applies func(s *Scenario) string                         // why the field has no meaning here; "" where it has
	open    func(base any)                                   // of a Group that may be absent: makes it
	check   func(text string) string                         // of a Text: what is wrong with it, "" if nothing
	pattern string                                           // of a Text: the same as a regular expression, as far as one can say it
	example string                                           // what would be accepted, where the kind does not say it
}

// in makes the accessor of a field of the scenario.
func in[T any](f func(*Scenario) *T) func(any) any {
	return func(b any) any { return f(b.(*Scenario)) }
}

// inTrain makes the accessor of a field of job.train.
func inTrain[T any](f func(*Train) *T) func(any) any {
	return func(b any) any {
		if t := b.(*Scenario).Job.Train; t != nil {
			return f(t)
		}
		return nil
	}
}

// inDigits makes the accessor of a field of job.train.data.digits.
func inDigits[T any](f func(*Digits) *T) func(any) any {
	return func(b any) any {
		if t := b.(*Scenario).Job.Train; t != nil && t.Data.Digits != nil {
			return f(t.Data.Digits)
		}
		return nil
	}
}

// inFault makes the accessor of a field of a fault.
func inFault[T any](f func(*Fault) *T) func(any) any {
	return func(b any) any { return f(b.(*Fault)) }
}

// inLink makes the accessor of a field of a named link.
func inLink[T any](f func(*NamedLink) *T) func(any) any {
	return func(b any) any { return f(b.(*NamedLink)) }
}

// inSlow makes the accessor of a field of a slow rank.
func inSlow[T any](f func(*SlowRank) *T) func(any) any {
	return func(b any) any { return f(b.(*SlowRank)) }
}

// inFlow makes the accessor of a field of a flow.
func inFlow[T any](f func(*Flow) *T) func(any) any {
	return func(b any) any { return f(b.(*Flow)) }
}

// kindOf finds the kind of a field from the type of its variable.
func kindOf(v any, f *Field) Kind {
	switch v.(type) {
	case *int, *uint64, *Opt[int]:
		return Whole
	case *[]int:
		return WholeList
	case *[]string:
		return NameList
	case *float64:
		return Number
	case *bool:
		return Bool
	case *Opt[string]:
		return Text
	case *string:
		if f.Choices != nil {
			return Name
		}
		return Text
	case *unit.Bitrate, *Opt[unit.Bitrate], *Either[unit.Bitrate]:
		if f.Kind == ByteRate {
			return ByteRate
		}
		return Rate
	case *FLOPS:
		return ComputeRate
	case *unit.Bytes, *Opt[unit.Bytes], *Either[unit.Bytes]:
		return ByteCount
	case *unit.Duration, *Opt[unit.Duration]:
		return Time
	case *unit.Length, *Opt[unit.Length]:
		return Distance
	case *unit.Ratio, *Opt[unit.Ratio]:
		return Fraction
	case *Endpoint:
		return End
	case *[]Flow:
		return FlowList
	case *[]Fault:
		return FaultList
	case *[]NamedLink:
		return LinkList
	case *[]SlowRank:
		return SlowList
	}
	panic("scenario: field " + f.Path + " has a type without a kind")
}

// A branch is a key of the table with the keys below it.
type branch struct {
	name     string
	field    *Field // never nil but at the root
	children []*branch
}

func (b *branch) child(name string) *branch {
	for _, c := range b.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (b *branch) names() []string {
	ns := make([]string, len(b.children))
	for i, c := range b.children {
		ns[i] = c.name
	}
	return ns
}

// fields and the tables of lists (flowFields, ...) are the table, in the order of a printed scenario; tree,
// flowTree, ... are the same by key.
var (
	fields    = slices.Concat(generalFields, clusterFields, fabricFields, transportFields, congestionFields, algorithmFields, jobFields)
	tree      = grow(fields, &Scenario{Job: Job{Train: &Train{Data: Data{Digits: &Digits{}}}}})
	flowTree  = grow(flowFields, &Flow{})
	faultTree = grow(faultFields, &Fault{})
	linkTree  = grow(linkFields, &NamedLink{})
	slowTree  = grow(slowFields, &SlowRank{})
	byPath    = index(fields)
)

// grow builds the tree of a table and fills the kinds. full has every group present.
func grow(table []*Field, full any) *branch {
	root := &branch{}
	for _, f := range table {
		if f.at != nil {
			f.Kind = kindOf(f.at(full), f)
		} else {
			f.Kind = Group
		}
		b := root
		parts := strings.Split(f.Path, ".")
		for _, p := range parts[:len(parts)-1] {
			if b = b.child(p); b == nil {
				panic("scenario: field " + f.Path + " stands before its group")
			}
		}
		b.children = append(b.children, &branch{name: parts[len(parts)-1], field: f})
	}
	return root
}

func index(table []*Field) map[string]*Field {
	m := make(map[string]*Field, len(table))
	for _, f := range table {
		if m[f.Path] != nil {
			panic("scenario: field " + f.Path + " twice in the table")
		}
		m[f.Path] = f
	}
	return m
}

// Table returns every field of a scenario in order, groups first; keys of a flow
// and of a fault are listed once, as job.flows[].from and faults[].link. For documentation and schemas.
func Table() []Field {
	var all []Field
	for _, f := range fields {
		all = append(all, *f)
		if l := listings[f.Kind]; l != nil && f.Path != "background.flows" {
			for _, g := range l.table {
				row := *g
				row.Path = f.Path + "[]." + g.Path
				all = append(all, row)
			}
		}
	}
	return all
}
