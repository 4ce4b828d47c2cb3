package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"strings"

	"railyard/internal/input"
)

// maxSummary bounds run.json: a run with a million explicit flows has some 400 MB.
const maxSummary = 1 << 29

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
	return io.ReadAll(io.LimitReader(f, size))
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
	head, err := readHead(b)
	if err != nil {
		return nil, damaged(err)
	}
	other := head.FormatVersion != FormatVersion
	s := &Summary{}
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(b, s); err != nil && !(other && errors.As(err, &wrongType)) {
		return nil, damaged(err)
	}
	s.Version, s.FormatVersion = head.Version, head.FormatVersion
	c := summaryCheck{forgive: other}
	if err := c.value(reflect.ValueOf(s).Elem(), ""); err != nil {
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

// dense refuses a file of many more values than run.json has for its size: a value of two
// bytes takes fifty in memory.
func dense(b []byte) error {
	// values that are not asked about; bytes that others take at least: they are indented
	const free, each = 64 << 10, 4
	n := bytes.Count(b, []byte{','}) + bytes.Count(b, []byte{'{'}) + bytes.Count(b, []byte{'['})
	if most := free + len(b)/each; n > most {
		return fmt.Errorf("holds %d values in %d bytes, want at most %d", n, len(b), most)
	}
	return nil
}

// summaryCheck cleans the texts of a summary, and holds its figures to what they mean:
// counts, times and sizes from 0 to 2^60, fractions from 0 to 1.
type summaryCheck struct {
	forgive bool // of another format: a figure that cannot be becomes 0
	signed  bool // figures are differences: they may be negative, and more than a whole
}

func (c *summaryCheck) value(v reflect.Value, name string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return c.value(v.Elem(), name)
		}
	case reflect.Struct:
		return c.fields(v, name)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return nil
		}
		for i := range v.Len() {
			if err := c.value(v.Index(i), fmt.Sprintf("%s[%d]", name, i)); err != nil {
				return err
			}
		}
	case reflect.String:
		if name == "scenario_yaml" {
			v.SetString(cleanLines(v.String()))
		} else {
			v.SetString(clean(v.String()))
		}
	case reflect.Float64:
		return c.figure(v, c.float(v, name))
	case reflect.Int, reflect.Int32, reflect.Int64:
		least := int64(0)
		if lastKey(name) == "step" {
			least = -1 // none
		}
		if c.signed || strings.Contains(name, "waterfall[") { // what ranks did ahead is below 0
			least = -maxFigure
		}
		return c.figure(v, in(name, v.Int(), least, maxFigure))
	}
	return nil
}

func (c *summaryCheck) fields(v reflect.Value, name string) error {
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case v.Type().Field(i).Anonymous: // its keys stand among the others
			key = name
		case name != "":
			key = name + "." + key
		}
		if err := c.value(v.Field(i), key); err != nil {
			return err
		}
	}
	return nil
}

// lastKey is the key at the end of a path.
func lastKey(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

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

func (c *summaryCheck) float(v reflect.Value, name string) error {
	f := v.Float()
	if v.Type() == reflect.TypeFor[Float]() { // a loss may be no number
		return nil
	}
	least, most := 0.0, float64(maxFigure)
	if c.signed {
		least = -most
	} else if fractions[lastKey(name)] {
		most = 1
	}
	if math.IsNaN(f) || f < least || f > most {
		return fmt.Errorf("%s is %v, want %v to %v", name, f, least, most)
	}
	return nil
}

// cleanScenario cleans the texts of the resolved scenario. One that has nothing to clean
// stays as it is.
func cleanScenario(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
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
