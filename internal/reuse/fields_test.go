package reuse

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"railyard/internal/cc"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/host"
	"railyard/internal/nic"
	"railyard/internal/unit"
)

// roots are the types from which states are read, with those that lie behind interfaces.
func roots() (all []reflect.Type) {
	for _, v := range []any{&fabric.Fabric{}, &nic.Net{}, &host.Hosts{}, &exec.Rank{}} {
		all = append(all, reflect.TypeOf(v))
	}
	for _, name := range []string{"dcqcn", "none"} {
		all = append(all, reflect.TypeOf(cc.NewSet(controllers[name], 1).At(0)))
	}
	return all
}

var controllers = map[string]cc.Params{"dcqcn": cc.Presets["default"].DCQCN, "none": cc.None{}}

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
			case asState, asWhen, asDue, asAgo, asNumber:
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
	due     unit.Time
	ago     unit.Time
	first   int64
	second  int64
	length  []int
	rest    []int
	none    *int
	count   int64
	scratch string
	list    []float64
	flag    bool
}

func init() {
	fields["reuse.sampled"] = map[string]kind{"state": asState, "when": asWhen, "due": asDue, "ago": asAgo, "first": asNumber,
		"second": asNumber, "length": asLength, "rest": asRest, "none": asNone, "count": asCount, "scratch": asScratch,
		"list": asState, "flag": asState}
}

// What each kind makes of a change: does the state differ, later by a microsecond?
func TestKinds(t *testing.T) {
	const now, later = unit.Time(5 * unit.Second), unit.Microsecond
	base := func() sampled {
		return sampled{when: now - 7, due: now - 3, ago: now - 100, first: 640, second: 642, length: []int{1}, list: []float64{1}}
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
		"what was due":           {func(s *sampled) { s.due -= 1000 }, false},
		"what is due":            {func(s *sampled) { s.due += 1_000_000 }, true},
		"lately":                 {func(s *sampled) { s.ago++ }, true},
		"long ago":               {func(s *sampled) { s.ago -= unit.Time(unit.Second) }, true}, // than lately
		"numbers":                {func(s *sampled) { s.first, s.second = s.first+1, s.second+1 }, false},
		"the second number":      {func(s *sampled) { s.second++ }, true},
		"how many":               {func(s *sampled) { s.length = append(s.length, 1) }, true},
		"what they are":          {func(s *sampled) { s.length[0] = 9 }, false},
		"a count":                {func(s *sampled) { s.count++ }, false},
		"memory":                 {func(s *sampled) { s.scratch = "x" }, false},
	} {
		s := base()
		s.when, s.due, s.ago = s.when.Add(later), s.due.Add(later), s.ago.Add(later)
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
