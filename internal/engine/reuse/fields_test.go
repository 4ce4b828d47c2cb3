package reuse

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/net/cc"
)

// roots are the types from which states are read, with those that lie behind interfaces.
func roots() (all []reflect.Type) {
	for _, v := range []any{&fabric.Fabric{}, &nic.Net{}, &host.Hosts{}, &exec.Rank{}} {
		all = append(all, reflect.TypeOf(v))
	}
	for _, p := range controllers {
		all = append(all, reflect.TypeOf(cc.NewSet(p, 1).At(0)))
	}
	return all
}

// controllers are of all kinds that may be told again. HPCC is not: what it remembers is what ports had sent.
var controllers = []cc.Params{cc.Presets["default"].DCQCN, cc.None{}, cc.Defaults["timely"], cc.Defaults["swift"], cc.Defaults["dctcp"],
	cc.DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: 4096, RateAI: unit.GigabitPerSec, MinRate: unit.GigabitPerSec}}

// structs are the struct types that a digest may come to.
func structs() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			look(typ.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		name := nameOf(typ)
		if all[name] != nil {
			return
		}
		all[name] = typ
		for i := range typ.NumField() {
			switch f := typ.Field(i); fields[name][f.Name] {
			case asState, asWhen, asDue, asAgo, asNumber, asOpen, asGrown, asMemory:
				look(f.Type)
			}
		}
	}
	for _, typ := range roots() {
		look(typ)
	}
	return all
}

// Each field that the table counts does count: the digest of a struct in which it alone has a value is that of an empty one
// if the field is left out, and another, or none, if it is not. Those that are listed hold other structs, whose own fields
// are tried.
func TestAFieldThatIsLeftOutIsMissed(t *testing.T) {
	const now = unit.Time(unit.Second)
	tried, holds := 0, 0
	for name, typ := range structs() {
		for i := range typ.NumField() {
			f, zero, one := typ.Field(i), reflect.New(typ), reflect.New(typ)
			k, counts := fields[name][f.Name]
			if !counts || k == asCount || k == asFixed || k == asScratch {
				continue
			}
			x := one.Elem().Field(i)
			x = reflect.NewAt(x.Type(), unsafe.Pointer(x.UnsafeAddr())).Elem()
			if !fill(x, now) {
				holds++
				continue
			}
			if k == asGrown {
				fillSome(x.Index(0), now)
			}
			if k == asNumber { // counts from the first of its struct
				continue
			}
			empty, err := digest(now, "", []any{zero.Interface()})
			if err != nil {
				continue // it is never without something, such as ranks
			}
			tried++
			with, err := digest(now, "", []any{one.Interface()})
			if err == nil && with.Differ(&empty) == "" && (k != asMemory || with.Remembers(&empty)) {
				t.Errorf("%s.%s has no say in the digest", name, f.Name)
			}
			field := name + "." + f.Name
			was, err1 := digest(now, field, []any{zero.Interface()})
			left, err2 := digest(now, field, []any{one.Interface()})
			if err1 != nil || err2 != nil || left.Differ(&was) != "" {
				t.Errorf("%s has a say in the digest where it is left out: %v, %v", field, err1, err2)
			}
		}
	}
	t.Logf("%d fields were left out, %d hold others", tried, holds)
	if tried < 180 {
		t.Errorf("%d fields were left out, %d hold others", tried, holds)
	}
}

// fill gives a value something, false if it is a struct.
func fill(v reflect.Value, now unit.Time) bool {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		v.SetInt(3)
	case reflect.Int64:
		v.SetInt(int64(now) + 3)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Array:
		return fill(v.Index(0), now)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if e := v.Type().Elem(); e.Kind() == reflect.Slice || e.Kind() == reflect.Pointer || e.Kind() == reflect.Map {
			fill(v.Index(0), now)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Pointer {
			value.Set(reflect.New(value.Type().Elem()))
			if s := value.Elem(); s.Kind() == reflect.Struct && s.NumField() > 0 && s.Field(0).Kind() == reflect.Slice {
				f := s.Field(0)
				fill(reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem(), now)
			}
		} else {
			fill(value, now)
		}
		v.SetMapIndex(reflect.New(v.Type().Key()).Elem(), value)
	default:
		return false
	}
	return true
}

// fillSome gives the first field of a struct that counts something.
func fillSome(v reflect.Value, now unit.Time) {
	for i := range v.NumField() {
		k, is := fields[nameOf(v.Type())][v.Type().Field(i).Name]
		if !is || k == asCount || k == asFixed || k == asScratch {
			continue
		}
		f := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
		if !fill(f, now) {
			fillSome(f, now)
		}
		return
	}
}

// A list that grows as it is used counts only for what is in it, and where: what has nothing in it may not be there yet.
func TestListsThatGrow(t *testing.T) {
	typ := reflect.TypeOf(exec.Rank{})
	rank := func(lists string) (of Digest, err error) {
		r := reflect.New(typ).Elem()
		f, _ := typ.FieldByName("outboxes")
		boxes := reflect.NewAt(f.Type, unsafe.Pointer(r.FieldByIndex(f.Index).UnsafeAddr())).Elem()
		boxes.Set(reflect.MakeSlice(f.Type, len(lists), len(lists)))
		for i, c := range lists {
			if c == 'x' {
				fillSome(boxes.Index(i), 0)
			}
		}
		return digest(5, "", []any{r.Addr().Interface()})
	}
	none, err := rank("")
	if err != nil {
		t.Fatal(err)
	}
	if more, err := rank("---"); err != nil || more != none {
		t.Errorf("empty ones count: %v", err)
	}
	if with, err := rank("-x-"); err == nil && with == none {
		t.Error("what is in one does not count")
	}
}

// A field of a component that the table does not name, or one that it names and that is not there, fails here.
func TestTheTableNamesEveryField(t *testing.T) {
	seen := map[string]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			look(typ.Elem())
			return
		case reflect.Map:
			look(typ.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		name := nameOf(typ)
		if seen[name] {
			return
		}
		seen[name] = true
		of, known := fields[name]
		if !known {
			t.Errorf("%s is not in the table", name)
			return
		}
		there := map[string]bool{}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Name == "_" {
				continue
			}
			k, named := of[f.Name]
			if there[f.Name] = true; !named {
				t.Errorf("%s.%s is not in the table: is it of the state, or not?", name, f.Name)
			}
			switch k {
			case asState, asWhen, asDue, asAgo, asNumber, asOpen, asGrown, asMemory:
				look(f.Type)
			}
		}
		for f := range of {
			if !there[f] {
				t.Errorf("the table names %s.%s, which is not there", name, f)
			}
		}
	}
	for _, typ := range roots() {
		look(typ)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !seen[name] {
			t.Errorf("%s is in the table, and no state has one", name)
		}
	}
}

// sampled has a field of each kind.
type sampled struct {
	state   int32
	when    unit.Time
	since   unit.Time
	due     unit.Time
	ago     unit.Time
	first   int64
	second  int64
	length  []int
	rest    []int
	none    *int
	count   int64
	scratch string
	memory  sampledMemory
	list    []float64
	flag    bool
}

func init() {
	fields["reuse.sampledMemory"] = map[string]kind{"at": asWhen}
	fields["reuse.sampled"] = map[string]kind{"state": asState, "when": asWhen, "since": asSince, "due": asDue,
		"ago": asAgo, "first": asNumber, "second": asNumber, "length": asLength, "rest": asRest, "none": asNone,
		"count": asCount, "scratch": asScratch, "memory": asMemory, "list": asState, "flag": asState}
}

type sampledMemory struct{ at unit.Time }

// What each kind makes of a change: does the state differ, later by a microsecond?
func TestKinds(t *testing.T) {
	const now, later = unit.Time(5 * unit.Second), unit.Microsecond
	base := func() sampled {
		return sampled{when: now - 7, since: now - 9, due: now - 3, ago: now - 100, first: 640, second: 642,
			length: []int{1}, list: []float64{1}}
	}
	was, err := Of(now, &sampled{})
	if err != nil {
		t.Fatal(err)
	}
	if was, err = Of(now, new(base())); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		change  func(*sampled)
		differs bool
	}{
		"nothing but time":       {func(*sampled) {}, false},
		"the state":              {func(s *sampled) { s.state = 1 }, true},
		"a list":                 {func(s *sampled) { s.list = append(s.list, 0) }, true},
		"a number in a list":     {func(s *sampled) { s.list[0] = 1.5 }, true},
		"a flag":                 {func(s *sampled) { s.flag = true }, true},
		"an instant":             {func(s *sampled) { s.when++ }, true},
		"an instant that is not": {func(s *sampled) { s.when = unit.Never }, true},
		"since when it stands":   {func(s *sampled) { s.since++ }, true},
		"what was due":           {func(s *sampled) { s.due -= 1000 }, false},
		"what is due":            {func(s *sampled) { s.due += 1_000_000 }, true},
		"lately":                 {func(s *sampled) { s.ago++ }, true},
		"long ago":               {func(s *sampled) { s.ago -= unit.Time(unit.Second) }, true}, // than lately
		"numbers":                {func(s *sampled) { s.first, s.second = s.first+1, s.second+1 }, false},
		"the second number":      {func(s *sampled) { s.second++ }, true},
		"how many":               {func(s *sampled) { s.length = append(s.length, 1) }, true},
		"what they are":          {func(s *sampled) { s.length[0] = 9 }, false},
		"a count":                {func(s *sampled) { s.count++ }, false},
		"what is overwritten":    {func(s *sampled) { s.scratch = "x" }, false},
		"what is remembered":     {func(s *sampled) { s.memory.at = 3 }, false},
	} {
		s := base()
		s.when, s.since, s.due, s.ago = s.when.Add(later), s.since.Add(later), s.due.Add(later), s.ago.Add(later)
		x.change(&s)
		d, err := Of(now.Add(later), &s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if (d.Differ(&was) != "") != x.differs {
			t.Errorf("%s: differs: %q", name, d.Differ(&was))
		}
	}
	s := base()
	s.since++
	if d, err := Of(now, &s); err != nil || d == was || d.Standing() != was.Standing() {
		t.Errorf("a state that stands for longer: %v", err)
	}
	s = base()
	s.since = 0
	if d, err := Of(now.Add(later), &s); err != nil || d.Standing() == was.Standing() {
		t.Errorf("a state that is later: %v", err)
	}
	s = base()
	s.memory.at = now + 5
	if d, err := Of(now, &s); err != nil || d.Standing() != was.Standing() || d.Remembers(&was) {
		t.Errorf("a state with another memory: %v", err)
	}
	s = base()
	s.rest = []int{1}
	if _, err := Of(now, &s); err == nil || err.(*NotAtRest).Never {
		t.Errorf("not at rest: %v", err)
	}
	s = base()
	s.none = new(int)
	if _, err := Of(now, &s); err == nil || !err.(*NotAtRest).Never {
		t.Errorf("never reused: %v", err)
	}
	if _, err := Of(now, &struct{ x int }{}); err == nil {
		t.Error("a struct that the table does not know has a digest")
	}
}

// What is never taken for the same has a sentence for a reader, and nothing else has one.
func TestWhatIsNeverReusedIsSaid(t *testing.T) {
	left := maps.Clone(said)
	for name, of := range fields {
		for field, k := range of {
			full := name + "." + field
			if k == asNone && said[full] == "" && name != "reuse.sampled" {
				t.Errorf("%s: no sentence says why it is not reused", full)
			}
			if k == asNone {
				delete(left, full)
			}
		}
	}
	for full := range left {
		t.Errorf("%s: a sentence, and no field that is never reused", full)
	}
}
