package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"strings"
	"sync"

	"railyard/internal/base/input"
	"railyard/internal/out/diagnose"
)

// Bounds of what is read whole of a run directory. The longest run.json that a run leaves has some 15 MB: see Marshal.
const (
	maxSummary  = 32 << 20
	maxText     = 1 << 20 // of a name or sentence in it
	maxScenario = 8 << 20 // of it, of the resolved scenario; the text that a user wrote is a tenth of that
)

// readBounded reads a file of a run directory that is no table: run.json, or one like it.
func readBounded(dir, name string) ([]byte, error) {
	f, size, err := input.OpenIn(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > maxSummary {
		return nil, fmt.Errorf("%s has %d bytes, want at most %d", path.Base(name), size, int64(maxSummary))
	}
	b := make([]byte, size) // not io.ReadAll, which copies what it has over and over
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:n], nil
}

// ReadSummary reads run.json of any format version. Keys that have another type there than here
// stay zero.
func ReadSummary(path string) (*Summary, error) {
	b, err := readBounded(path, runFile)
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", path, err)
	}
	return parseSummary(path, b)
}

// parseSummary decodes and checks run.json. Of another format a key of another type is no
// damage: it may mean something else there.
func parseSummary(path string, b []byte) (*Summary, error) {
	damaged := func(err error) error { // which may quote the file
		return fmt.Errorf("run directory %s: %s is damaged: %s", path, runFile, clean(err.Error()))
	}
	if err := dense(b); err != nil {
		return nil, damaged(err)
	}
	s := &Summary{}
	err := json.Unmarshal(b, s)
	other := err != nil || s.FormatVersion != FormatVersion
	if other {
		// Read once more for what tells whether a key of another type is damage.
		head, e := readHead(b)
		other = head.FormatVersion != FormatVersion
		var wrongType *json.UnmarshalTypeError
		if err = cmp.Or(e, err); err != nil && (e != nil || !other || !errors.As(err, &wrongType)) {
			return nil, damaged(err)
		}
		s.Version, s.FormatVersion = head.Version, head.FormatVersion
	}
	if len(s.Scenario) > maxScenario {
		return nil, damaged(fmt.Errorf("scenario has %d bytes, want at most %d", len(s.Scenario), maxScenario))
	}
	c := summaryCheck{forgive: other}
	if err := c.value(reflect.ValueOf(s).Elem(), nil); err != nil {
		return nil, damaged(err)
	}
	if err := c.diagnoses(s); err != nil {
		return nil, damaged(err)
	}
	if s.Scenario, err = cleanScenario(s.Scenario); err != nil {
		return nil, damaged(err)
	}
	s.Dir = path
	return s, nil
}

// A fileHead says which Railyard wrote run.json or whatif.json, and so what its keys mean.
type fileHead struct {
	Version       string `json:"version"`
	FormatVersion int    `json:"format_version"`
}

// readHead reads the head of a file that nobody vouches for, and refuses one that would take much
// memory to read whole.
func readHead(b []byte) (h fileHead, err error) {
	if err := dense(b); err != nil {
		return h, err
	}
	err = json.Unmarshal(b, &h)
	h.Version = clean(h.Version)
	return h, err
}

// dense refuses a file of many more values than run.json has for its size: an object of two bytes takes hundreds in
// memory, a value of two takes fifty.
func dense(b []byte) error {
	// what is not asked about; bytes that others take at least: they are indented, and objects have several keys
	const free, value, object = 64 << 10, 8, 256
	for _, c := range []struct {
		what, marks string
		each        int
	}{{"objects", "{", object}, {"values", ",[", value}} {
		n := 0
		for i := range len(c.marks) {
			n += bytes.Count(b, []byte{c.marks[i]})
		}
		if most := free + len(b)/c.each; n > most {
			return fmt.Errorf("holds %d %s in %d bytes, want at most %d", n, c.what, len(b), most)
		}
	}
	return nil
}

// maxList is how many entries a list has at most: more than run.json has, or ranks that a job has.
const maxList = 100_000

// maxJobs is how many jobs a run has at most: more than a scenario has room for.
const maxJobs = 10_000

// summaryCheck cleans the texts of a summary, and holds its figures to what they mean:
// counts, times and sizes from 0 to 2^60, fractions from 0 to 1.
type summaryCheck struct {
	forgive bool // of another format: a figure that cannot be becomes 0
	signed  bool // figures are differences: they may be negative, and more than a whole
}

// A place is where a value stands: a key, or an entry of a list, below another place. Its name is only made of what is
// wrong.
type place struct {
	up    *place
	key   string // "": an entry
	entry int
}

func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.key == "":
		return fmt.Sprintf("%s[%d]", p.up, p.entry)
	case p.up == nil:
		return p.key
	}
	return p.up.String() + "." + p.key
}

// last is the key at the end of the place; "" of an entry.
func (p *place) last() string {
	if p == nil {
		return ""
	}
	return p.key
}

// within reports whether the place lies below a key.
func (p *place) within(key string) bool {
	for ; p != nil; p = p.up {
		if p.key == key {
			return true
		}
	}
	return false
}

func (c *summaryCheck) value(v reflect.Value, at *place) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return c.value(v.Elem(), at)
		}
	case reflect.Struct:
		return c.fields(v, at)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return nil
		}
		most := maxList
		if v.Type() == reflect.TypeFor[[]JobFigures]() {
			most = maxJobs
		}
		if v.Len() > most {
			return fmt.Errorf("%s has %d entries, want at most %d", at, v.Len(), most)
		}
		entry := &place{up: at}
		for i := range v.Len() {
			entry.entry = i
			if err := c.value(v.Index(i), entry); err != nil {
				return err
			}
		}
	case reflect.String:
		text, made := v.String(), ""
		if len(text) > maxText && (at.up != nil || at.key != "scenario_yaml") {
			return fmt.Errorf("%s has %d bytes, want at most %d", at, len(text), maxText)
		}
		if at.up == nil && at.key == "scenario_yaml" {
			made = cleanLines(text)
		} else {
			made = clean(text)
		}
		if made != text {
			v.SetString(made)
		}
	case reflect.Float64:
		return c.figure(v, c.float(v, at))
	case reflect.Int, reflect.Int32, reflect.Int64:
		least := int64(0)
		if at.last() == "step" {
			least = -1 // none
		}
		if c.signed || at.within("waterfall") { // what ranks did ahead is below 0
			least = -maxFigure
		}
		if n := v.Int(); n < least || n > maxFigure {
			return c.figure(v, in(at.String(), n, least, maxFigure))
		}
	}
	return nil
}

func (c *summaryCheck) fields(v reflect.Value, at *place) error {
	for i, key := range keysOf(v.Type()) {
		below := at // of a struct whose keys stand among the others
		switch {
		case key == "":
			continue
		case key != among:
			below = &place{up: at, key: key}
		}
		if err := c.value(v.Field(i), below); err != nil {
			return err
		}
	}
	return nil
}

// among is the key of a field whose own keys stand among those of the struct around.
const among = "."

var keysOfTypes sync.Map // of a struct's type, what keysOf returns

// keysOf returns the key of each field, "" of one that has none.
func keysOf(t reflect.Type) []string {
	if keys, ok := keysOfTypes.Load(t); ok {
		return keys.([]string)
	}
	keys := make([]string, t.NumField())
	for i := range keys {
		switch f := t.Field(i); {
		case f.Anonymous:
			keys[i] = among
		case f.IsExported():
			if keys[i], _, _ = strings.Cut(f.Tag.Get("json"), ","); keys[i] == "-" {
				keys[i] = ""
			}
		}
	}
	keysOfTypes.Store(t, keys)
	return keys
}

func (c *summaryCheck) figure(v reflect.Value, err error) error {
	if err != nil && c.forgive {
		v.SetZero()
		return nil
	}
	return err
}

// fractions are the keys whose figures are parts of a whole.
var fractions = map[string]bool{"test_accuracy": true, "overlap": true, "utilisation": true, "share": true, "mfu": true,
	"mfu_causal": true, "hfu": true, "waited": true, "formula": true}

func (c *summaryCheck) float(v reflect.Value, at *place) error {
	f := v.Float()
	if v.Type() == reflect.TypeFor[Float]() { // a loss may be no number
		return nil
	}
	least, most := 0.0, float64(maxFigure)
	if c.signed {
		least = -most
	} else if fractions[at.last()] {
		most = 1
	}
	if math.IsNaN(f) || f < least || f > most {
		return fmt.Errorf("%s is %v, want %v to %v", at, f, least, most)
	}
	return nil
}

// cleanScenario cleans the texts of the resolved scenario. One that has nothing to clean
// stays as it is.
func cleanScenario(raw json.RawMessage) (json.RawMessage, error) {
	// Between strings JSON has but blanks, and in them no line ends.
	if bytes.IndexByte(raw, '\\') < 0 && cleanLines(string(raw)) == string(raw) {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	dirty := false
	v = cleanValue(v, &dirty)
	if !dirty {
		return raw, nil
	}
	return json.Marshal(v)
}

func cleanValue(v any, dirty *bool) any {
	text := func(s string) string {
		c := clean(s)
		*dirty = *dirty || c != s
		return c
	}
	switch x := v.(type) {
	case string:
		return text(x)
	case []any:
		for i := range x {
			x[i] = cleanValue(x[i], dirty)
		}
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[text(k)] = cleanValue(e, dirty)
		}
		return out
	}
	return v
}

// diagnoses holds what a summary says of lost time to the blames that it lists. What another format means by them nobody knows:
// there it is left out.
func (c *summaryCheck) diagnoses(s *Summary) error {
	check := func(d **diagnose.Diagnosis, key string) error {
		if *d == nil {
			return nil
		}
		err := (*d).Check()
		if err != nil && c.forgive {
			*d = nil
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s.%w", key, err)
		}
		return nil
	}
	each := func(j *JobFigures, at string) error {
		return cmp.Or(check(&j.Diagnosis, at+"diagnosis"), check(&j.Lifetime, at+"lifetime"))
	}
	if err := each(&s.JobFigures, ""); err != nil {
		return err
	}
	for i := range s.Jobs {
		if err := each(&s.Jobs[i], fmt.Sprintf("jobs[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}
