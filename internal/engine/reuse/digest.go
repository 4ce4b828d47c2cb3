package reuse

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// Digest is the state of a network at rest, part by part: a part is a package. Beside it is what congestion
// control remembers: that has no say in what comes until it is told of congestion again.
type Digest struct {
	parts  [len(parts)][sha256.Size]byte
	values int64
}

// Values is how many values a state has, the same of states that are the same: what it takes to look at one goes by that.
func (d *Digest) Values() int64 { return d.values }

// agendas is the part of what hosts are to do: ranks that have drifted against each other differ in it before all else.
const agendas = "agenda"

// stood is the part of since when ranks stand as they do.
const stood = "stood"

// Standing is the state without since when ranks stand as they do, which of those that stand still is another at any time,
// and without what is remembered.
func (d *Digest) Standing() Digest {
	s := *d
	s.parts[partOf(stood)] = [sha256.Size]byte{}
	s.parts[memory] = [sha256.Size]byte{}
	return s
}

// Remembers reports whether what is remembered is the same in another state.
func (d *Digest) Remembers(o *Digest) bool { return d.parts[memory] == o.parts[memory] }

// parts are what differs, in words.
var parts = [...]struct{ pkg, name string }{
	{"fabric", "ports and switches"}, {"nic", "NICs"}, {"roce", "queue pairs"}, {"cc", "congestion control"},
	{"host", "hosts"}, {"exec", "ranks"}, {agendas, "what ranks were computing"}, {stood, "what ranks waited for"},
	{"sim", Generators}, {others, "other parts"},
	{"", "what congestion control remembers"},
}

// memory is the part of what is remembered.
const memory = len(parts) - 1

// Generators are of random numbers: what was drawn never comes again.
const Generators = "generators of random numbers"

// others is the part of packages that have none.
const others = "others"

func partOf(pkg string) int {
	for i, p := range parts {
		if p.pkg == pkg {
			return i
		}
	}
	return partOf(others)
}

// Differ names the first part in which two states differ, "" if they do not. What is remembered is none.
func (d *Digest) Differ(o *Digest) string {
	for _, i := range [...]int{8, 3, 2, 1, 6, 4, 5, 7, 0, 9} { // what is most telling first: what was drawn never comes again
		if d.parts[i] != o.parts[i] {
			return parts[i].name
		}
	}
	return ""
}

// Drew reports whether random numbers were drawn between two states: what was before that never comes again.
func (d *Digest) Drew(o *Digest) bool { return d.parts[partOf("sim")] != o.parts[partOf("sim")] }

// Steered reports whether congestion control is another way in another state.
func (d *Digest) Steered(o *Digest) bool { return d.parts[partOf("cc")] != o.parts[partOf("cc")] }

// NotAtRest says that a network is not at rest, or is of a kind that is never reused.
type NotAtRest struct {
	Field string // type and field, as fields lists them
	Why   string
	Never bool // waiting does not help
}

func (e *NotAtRest) Error() string {
	if why := said[e.Field]; why != "" {
		return why
	}
	return fmt.Sprintf("%s: %s", e.Field, e.Why)
}

// Of returns the digest of the state that roots reach, at an instant.
func Of(now unit.Time, roots ...any) (d Digest, err error) { return digest(now, "", roots) }

// digest is Of, as if the table said that a field does not count.
func digest(now unit.Time, without string, roots []any) (d Digest, err error) {
	w := walker{now: int64(now), without: without}
	for i := range w.to {
		w.to[i] = sha256.New()
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *NotAtRest:
			err = r
		default:
			panic(r)
		}
	}()
	for _, r := range roots {
		w.value(reflect.ValueOf(r), asState, partOf(others))
	}
	for i := range w.to {
		w.flush(i)
		w.to[i].Sum(d.parts[i][:0])
	}
	d.values = w.values
	return d, nil
}

// walker reads values.
type walker struct {
	now     int64
	values  int64
	without string
	to      [len(parts)]hash.Hash
	bufs    [len(parts)][]byte
	at      string // the field that is read, for errors
	kept    bool   // what is read is remembered
	plans   map[reflect.Type]*structPlan
}

type structPlan struct {
	part   int
	fields []fieldPlan
}

type fieldPlan struct {
	index int
	kind  kind
	name  string
}

const flushAt = 1 << 16

func (w *walker) put(part int, v uint64) {
	w.values++
	if w.kept {
		part = memory
	}
	w.bufs[part] = binary.LittleEndian.AppendUint64(w.bufs[part], v)
	if len(w.bufs[part]) >= flushAt {
		w.flush(part)
	}
}

func (w *walker) flush(part int) {
	w.to[part].Write(w.bufs[part])
	w.bufs[part] = w.bufs[part][:0]
}

func (w *walker) fail(why string, never bool) { panic(&NotAtRest{Field: w.at, Why: why, Never: never}) }

// nameOf is the name of a type as the table has it: without parameters.
func nameOf(t reflect.Type) string {
	name, _, _ := strings.Cut(t.String(), "[")
	return name
}

// plan says what to do with the fields of a struct.
func (w *walker) plan(t reflect.Type) *structPlan {
	if p := w.plans[t]; p != nil {
		return p
	}
	name := nameOf(t)
	of, known := fields[name]
	if !known {
		w.at = name
		w.fail("its state is not known", true)
	}
	pkg, _, _ := strings.Cut(name, ".")
	p := &structPlan{part: partOf(pkg)}
	for i := range t.NumField() {
		f := t.Field(i).Name
		if f == "_" {
			continue
		}
		k, named := of[f]
		if !named {
			w.at = name + "." + f
			w.fail("a field that is not known", true)
		}
		if name+"."+f == w.without || k == asFixed || k == asCount || k == asScratch {
			continue
		}
		p.fields = append(p.fields, fieldPlan{i, k, name + "." + f})
	}
	if w.plans == nil {
		w.plans = map[reflect.Type]*structPlan{}
	}
	w.plans[t] = p
	return p
}

// value reads a value of a kind.
func (w *walker) value(v reflect.Value, k kind, part int) {
	switch k {
	case asRest, asNone:
		if !empty(v) {
			why := "not at rest"
			if k == asNone {
				why = "not reused"
			}
			w.fail(why, k == asNone)
		}
		return
	case asOpen:
		w.open(v, part)
		return
	case asGrown:
		w.grown(v, part)
		return
	case asLength:
		w.put(part, uint64(v.Len()))
		return
	case asAgenda:
		w.agenda(v, partOf(agendas))
		return
	case asSince:
		part = partOf(stood)
	case asMemory:
		w.kept = true
		w.value(v, asState, part)
		w.kept = false
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		w.structure(v)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			w.put(part, 0)
			return
		}
		w.put(part, 1)
		w.value(v.Elem(), k, part)
	case reflect.Slice:
		w.put(part, uint64(v.Len()))
		for i := range v.Len() {
			w.value(v.Index(i), k, part)
		}
	case reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i), k, part)
		}
	case reflect.Map:
		w.numbers(v, k, part)
	case reflect.Bool:
		b := uint64(0)
		if v.Bool() {
			b = 1
		}
		w.put(part, b)
	case reflect.Float32, reflect.Float64:
		w.put(part, math.Float64bits(v.Float()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.put(part, uint64(w.instant(v.Int(), k)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.put(part, v.Uint())
	default:
		w.fail("a "+v.Kind().String()+" has no digest", true)
	}
}

// instant is a number as its kind has it count.
func (w *walker) instant(v int64, k kind) int64 {
	switch {
	case k == asState || v == int64(unit.Never) || v == 0 && (k == asWhen || k == asSince):
		return v
	case k == asDue:
		return max(0, v-w.now)
	case k == asAgo && v == 0:
		return -int64(longAgo)
	case k == asAgo:
		return max(-int64(longAgo), v-w.now)
	}
	return v - w.now
}

// longAgo is as good as never before for what asks how long ago something was: see asAgo.
const longAgo = unit.Millisecond

// LongAgo is the longest time that what is reused may ask about: see asAgo.
const LongAgo = longAgo

// structure reads a struct. Its sequence numbers count from the first of them, which does not count.
func (w *walker) structure(v reflect.Value) {
	p := w.plan(v.Type())
	base, numbered := int64(0), false
	for i := range p.fields {
		f := &p.fields[i]
		w.at = f.name
		if f.kind != asNumber {
			w.value(v.Field(f.index), f.kind, p.part)
			continue
		}
		n := v.Field(f.index).Int()
		if !numbered {
			base, numbered = n, true
			continue
		}
		w.put(p.part, uint64(n-base))
	}
}

// workDone is the only entry of a host's agenda at rest: ranks that compute. An alarm for credits (idleAlarm) may be there
// too, and means nothing where all are answered.
const (
	workDone  = 2
	idleAlarm = 7<<8 | 3 // host's work and nic's alarm
)

// agenda reads what a host is to do, in its order.
func (w *walker) agenda(v reflect.Value, part int) {
	type key [3]uint64
	var all []key
	for i := range v.Len() {
		e := v.Index(i)
		k := key{e.Field(0).Uint(), e.Field(1).Uint(), e.Field(2).Uint()}
		switch {
		case k[1]>>32 == idleAlarm:
		case k[1]>>40 != workDone:
			w.fail("not at rest", false)
		default:
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b key) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	})
	w.put(part, uint64(len(all)))
	for _, e := range all {
		w.put(part, e[0]-uint64(w.now))
		w.put(part, e[1])
		w.put(part, e[2])
	}
}

// numbers reads a map from numbers, in their order.
func (w *walker) numbers(v reflect.Value, k kind, part int) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	w.put(part, uint64(len(keys)))
	for _, key := range keys {
		w.put(part, uint64(key.Int()))
		w.value(v.MapIndex(key), k, part)
	}
}

// open reads what of a map by a pointer and a number has something in its lists, by the number: the pointer is one for all.
func (w *walker) open(v reflect.Value, part int) {
	keys := slices.DeleteFunc(v.MapKeys(), func(key reflect.Value) bool { return idle(v.MapIndex(key)) })
	number := func(key reflect.Value) int64 { return key.Field(1).Int() }
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(number(a), number(b)) })
	w.put(part, uint64(len(keys)))
	for _, key := range keys {
		w.put(part, uint64(number(key)))
		w.value(v.MapIndex(key), asState, part)
	}
}

// grown reads what of a list of structs has something in it, by its place. Others may not be there yet.
func (w *walker) grown(v reflect.Value, part int) {
	for i := range v.Len() {
		if e := v.Index(i); !w.blank(e) {
			w.put(part, uint64(i))
			w.value(e, asState, part)
		}
	}
	w.put(part, math.MaxUint64)
}

// blank reports whether nothing is in what counts of a value.
func (w *walker) blank(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return empty(v)
	}
	for _, f := range w.plan(v.Type()).fields {
		if !w.blank(v.Field(f.index)) {
			return false
		}
	}
	return true
}

// idle reports whether a struct that is pointed at has nothing in its lists.
func idle(v reflect.Value) bool {
	v = v.Elem()
	for i := range v.NumField() {
		if v.Field(i).Len() > 0 {
			return false
		}
	}
	return true
}

// empty reports whether nothing is in a value: lists of lists may be there, with nothing in them.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Slice && k != reflect.Map && k != reflect.Pointer {
			return v.Len() == 0
		}
		for i := range v.Len() {
			if !empty(v.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return v.Len() == 0
	}
	return v.IsZero()
}
