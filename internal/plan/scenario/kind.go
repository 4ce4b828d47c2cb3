package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/base/located"
)

// Kind is the name of what a field holds.
type Kind string

// Kinds of field.
const (
	Group         Kind = "group"
	FlowList      Kind = "list of flows"
	FaultList     Kind = "list of faults"
	LinkList      Kind = "list of links"
	SlowList      Kind = "list of slow ranks"
	HostLinkList  Kind = "list of links inside a host"
	SwitchList    Kind = "list of switches"
	RowList       Kind = "list of collectives"
	BucketList    Kind = "list of buckets"
	OneJob        Kind = "job"
	JobList       Kind = "list of jobs"
	Whole         Kind = "whole number"
	WholeList     Kind = "list of whole numbers"
	NameList      Kind = "list of names"
	LinkNames     Kind = "list of names of links"
	HexNumber     Kind = "hexadecimal number"
	Number        Kind = "number"
	Bool          Kind = "true or false"
	Name          Kind = "name" // one of Choices
	Text          Kind = "text"
	Rate          Kind = "rate"
	ByteRate      Kind = "byte rate" // a rate that is printed in bytes per second
	ComputeRate   Kind = "compute rate"
	ByteCount     Kind = "bytes"
	Time          Kind = "time"
	Distance      Kind = "length"
	Fraction      Kind = "ratio"
	End           Kind = "endpoint"
	Places        Kind = "placement"
	Chosen        Kind = "selection"
	ModelList     Kind = "list of models"
	PriceList     Kind = "list of prices"
	ChoiceList    Kind = "list of choices"
	PowerOf       Kind = "power"
	RackUnits     Kind = "rack units"
	Money         Kind = "price"
	EndList       Kind = "endpoints"
	SizeList      Kind = "sizes"
	AxisList      Kind = "list of axes"
	SeedRange     Kind = "seeds"
	ValueRange    Kind = "range"
	ValueList     Kind = "list of values"
	ConditionList Kind = "list of conditions"
)

// A kind is all that is known of the values of one Go type. kinds.go has the table of them: a new
// kind is one more entry there.
type kind[T any] struct {
	traits
	parse   func(f *Field, text string) (v T, hint string, err error) // bounds are checked later
	list    func(f *Field, n *node) (v T, hint string, err error)     // of a sequence; nil: a scalar
	compare func(a, b T) int                                          // nil: no bounds
	format  func(f *Field, v T) string                                // as parse reads it
	yaml    func(f *Field, v T) string                                // as a file has it; nil: format
}

// traits is what does not depend on the Go type.
type traits struct {
	name     Kind
	want     string   // what would be accepted, with an example
	written  string   // how values are written, for Kinds; empty: it is not listed
	units    []string // in which values may be written
	quantity bool     // it measures something, so its default comes from somewhere
	reads    yamlType
	forms    func(f *Field) []Form
	rows     *List // of a list of mappings
}

// facts returns the traits, from an anyKind too.
func (t *traits) facts() *traits { return t }

// yamlType is what YAML must read unquoted text as, to be a value of a kind.
type yamlType uint8

const (
	asAny    yamlType = iota // a number or text: quantities
	asNumber                 // not in quotes
	asBool                   // not in quotes
	asText                   // in quotes, where it looks like a number or true
)

// A Form is how a value looks to a program that knows only JSON's types, such as an editor.
type Form struct {
	Type        string   // of JSON Schema: integer, number, boolean, string or array
	Pattern     string   // of a string: a regular expression
	Names       []string // of a string: all that there are
	Min, Max    string   // of a number, in decimal; empty: no bound
	Entry       *Form    // of an array
	Least, Most int      // entries of an array
}

// anyKind is a kind whatever its type. v points to the variable of a field.
type anyKind interface {
	facts() *traits
	readNode(v any, f *Field, n *node) (hint string, err error)
	readText(v any, f *Field, text string) (hint string, err error)
	formatted(v any, f *Field) string
	inFile(v any, f *Field) string
}

// A variable is where a field has its value, and of what kind that is. The zero variable is that
// of a group.
type variable struct {
	kind anyKind
	at   func(base any) any // a pointer; nil where the group of the field is absent
}

// in is the variable of kind k that f finds in a B: a scenario, a flow, a fault and so on.
func in[B, T any](k *kind[T], f func(*B) *T) variable {
	return variable{k, func(base any) any { return f(base.(*B)) }}
}

// inTrain is a variable in train of a job.
func inTrain[T any](k *kind[T], f func(*Train) *T) variable {
	return variable{k, func(base any) any {
		if t := base.(*Job).Train; t != nil {
			return f(t)
		}
		return nil
	}}
}

// inReplay is a variable in replay of a job.
func inReplay[T any](k *kind[T], f func(*Replay) *T) variable {
	return variable{k, func(base any) any {
		if r := base.(*Job).Replay; r != nil {
			return f(r)
		}
		return nil
	}}
}

// inData is a variable in a group of train.data of a job.
func inData[G, T any](group func(*Data) *G, k *kind[T], f func(*G) *T) variable {
	return variable{k, func(base any) any {
		if t := base.(*Job).Train; t != nil {
			if g := group(&t.Data); g != nil {
				return f(g)
			}
		}
		return nil
	}}
}

// readNode reads a value, and refuses what YAML reads as something else.
func (k *kind[T]) readNode(v any, f *Field, n *node) (hint string, err error) {
	if k.list != nil && (n.shape == sequenceShape || f.Word == "" && f.Choices == nil) {
		p := v.(*T)
		*p, hint, err = k.list(f, n)
		return hint, err
	}
	if hint, err := refuse(f, n); err != nil {
		return hint, err
	}
	return k.readText(v, f, n.text)
}

// readText reads a value from its text and checks its bounds.
func (k *kind[T]) readText(v any, f *Field, text string) (hint string, err error) {
	p := v.(*T)
	*p, hint, err = k.value(f, text)
	return hint, err
}

// value reads a value and checks its bounds. A value beyond one is refused, and the bound stands in for it, so that what
// else is looked at in such a file stays within bounds, too.
func (k *kind[T]) value(f *Field, text string) (v T, hint string, err error) {
	if v, hint, err = k.parse(f, text); err != nil || k.compare == nil {
		return v, hint, err
	}
	side := ""
	if f.Max != "" {
		if most := k.bound(f.Max); k.compare(v, most) > 0 {
			v, side = most, "too large"
		}
	}
	if f.Min != "" {
		if least := k.bound(f.Min); k.compare(v, least) < 0 {
			v, side = least, "too small"
		}
	}
	if side == "" {
		return v, "", nil
	}
	return v, "", f.orWord(fmt.Errorf("%s: %s, want %s", located.Shown(text), side, f.interval()))
}

// noField is read only: a field of its own for each bound of many flows is a gigabyte.
var noField Field

// bound reads a bound of the table, of no field.
func (k *kind[T]) bound(text string) T {
	v, _, err := k.parse(&noField, text)
	if err != nil {
		panic("scenario: bound " + err.Error())
	}
	return v
}

func (k *kind[T]) formatted(v any, f *Field) string { return k.format(f, *v.(*T)) }

func (k *kind[T]) inFile(v any, f *Field) string {
	if k.yaml == nil {
		return k.formatted(v, f)
	}
	return k.yaml(f, *v.(*T))
}

// scalar makes a kind whose values are read without looking at their field.
func scalar[T any](t traits, parse func(string) (T, error), compare func(a, b T) int,
	format func(T) string) *kind[T] {
	return &kind[T]{
		traits:  t,
		compare: compare,
		format:  func(_ *Field, v T) string { return format(v) },
		parse: func(f *Field, text string) (v T, hint string, err error) {
			if v, err = parse(text); err != nil {
				return *new(T), "", f.orWord(located.Bare(text, err))
			}
			return v, "", nil
		},
	}
}

// ordered is a scalar with bounds.
func ordered[T cmp.Ordered](t traits, parse func(string) (T, error), format func(T) string) *kind[T] {
	return scalar(t, parse, cmp.Compare[T], format)
}

// opt is kind k, or the word of the field.
func opt[T any](k *kind[T]) *kind[Opt[T]] {
	word := func(format func(*Field, T) string) func(*Field, Opt[T]) string {
		if format == nil {
			return nil
		}
		return func(f *Field, v Opt[T]) string {
			if !v.Set {
				return f.Word
			}
			return format(f, v.Value)
		}
	}
	return &kind[Opt[T]]{
		traits: k.traits, format: word(k.format), yaml: word(k.yaml),
		parse: func(f *Field, text string) (Opt[T], string, error) {
			if text == f.Word {
				return Opt[T]{}, "", nil
			}
			v, hint, err := k.value(f, text)
			return Some(v), f.meantWord(text, hint, err), err
		},
	}
}

// typed is a kind of texts whose values are names of a type.
func typed[T ~string](k *kind[string]) *kind[T] {
	return &kind[T]{
		traits: k.traits,
		parse: func(f *Field, text string) (T, string, error) {
			v, hint, err := k.value(f, text)
			return T(v), hint, err
		},
		format: func(f *Field, v T) string { return k.format(f, string(v)) },
		yaml:   func(f *Field, v T) string { return k.yaml(f, string(v)) },
	}
}

// orNamed is kind k, of which some values have a name: the words of the field.
func orNamed[T any](k *kind[T], names map[string]T) *kind[T] {
	all := *k
	all.parse = func(f *Field, text string) (T, string, error) {
		if v, ok := names[text]; ok {
			return v, "", nil
		}
		v, hint, err := k.value(f, text)
		return v, f.meantWord(text, hint, err), err
	}
	return &all
}

// either is kind k, or one of the two words of the field.
func either[T any](k *kind[T]) *kind[Either[T]] {
	return &kind[Either[T]]{
		traits: k.traits,
		format: func(f *Field, v Either[T]) string {
			if v.Word != "" {
				return v.Word
			}
			return k.format(f, v.Value)
		},
		parse: func(f *Field, text string) (Either[T], string, error) {
			if slices.Contains(f.Words(), text) {
				return Either[T]{Word: text}, "", nil
			}
			v, hint, err := k.value(f, text)
			return Either[T]{Value: v}, f.meantWord(text, hint, err), err
		},
	}
}

// meantWord adds to an error, if it has no hint, the word that was likely meant.
func (f *Field) meantWord(text, hint string, err error) string {
	if err == nil || hint != "" {
		return hint
	}
	if word := suggest(text, f.Words()); word != "" {
		return "did you mean " + word + "?"
	}
	return ""
}
