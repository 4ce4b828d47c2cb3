package nccltests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// value is a JSON value and where it stands.
type value struct {
	at      int64 // offset of its first byte
	text    string
	kind    byte // { [ " 0 (number) n (null) t (true or false)
	members []member
	list    []value
}

type member struct {
	key   string
	at    int64
	value value
}

type jsonReader struct {
	name     string
	src      []byte
	dec      *json.Decoder
	problems located.Problems
}

func readJSON(name string, src []byte) (*Table, error) {
	r := &jsonReader{name: name, src: src, dec: json.NewDecoder(bytes.NewReader(src))}
	r.dec.UseNumber()
	top, err := r.value(0)
	if err == nil {
		if _, after := r.dec.Token(); !errors.Is(after, io.EOF) {
			r.problem(r.next(), "more after the end of the object: want nothing")
		}
	}
	if err != nil {
		var syntax *json.SyntaxError
		at, what := r.dec.InputOffset(), err.Error()
		switch {
		case errors.As(err, &syntax):
			at = max(0, syntax.Offset-1)
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			at, what = int64(len(src)), "the text ends inside a value: the test did not finish"
		}
		r.problem(at, "not JSON: %s", what)
		return nil, r.problems.Err()
	}
	t := r.table(top)
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

const mostDepth = 32 // nccl-tests has 5

// next is where the next token begins.
func (r *jsonReader) next() int64 {
	at := r.dec.InputOffset()
	for at < int64(len(r.src)) && strings.IndexByte(" \t\r\n,:", r.src[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonReader) value(depth int) (v value, err error) {
	v.at = r.next()
	token, err := r.dec.Token()
	if err != nil {
		return v, err
	}
	if depth > mostDepth {
		return v, fmt.Errorf("more than %d levels", mostDepth)
	}
	switch token := token.(type) {
	case json.Delim:
		v.kind = byte(token)
		seen := map[string]bool{}
		for r.dec.More() {
			m := member{at: r.next()}
			if token == '{' {
				key, err := r.dec.Token()
				if err != nil {
					return v, err
				}
				m.key, _ = key.(string)
				if seen[m.key] {
					r.problem(m.at, "%s: given twice", located.Shown(m.key))
				}
				seen[m.key] = true
			}
			if m.value, err = r.value(depth + 1); err != nil {
				return v, err
			}
			if token == '{' {
				v.members = append(v.members, m)
			} else {
				v.list = append(v.list, m.value)
			}
		}
		_, err = r.dec.Token() // the end
		return v, err
	case string:
		v.kind, v.text = '"', token
	case json.Number:
		v.kind, v.text = '0', token.String()
	case bool:
		v.kind, v.text = 't', fmt.Sprint(token)
	default:
		v.kind, v.text = 'n', "null"
	}
	return v, nil
}

// problem is one at an offset. Once the list is full more are not placed: that takes a look at all
// before.
func (r *jsonReader) problem(at int64, format string, args ...any) {
	if r.problems.Full() {
		return
	}
	before := r.src[:min(at, int64(len(r.src)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	r.problems = append(r.problems, located.Problem{File: r.name, Line: 1 + bytes.Count(before, []byte("\n")),
		Column: 1 + utf8.RuneCount(before[start:]), Width: 1, Message: fmt.Sprintf(format, args...)})
}

func (v value) get(key string) (value, bool) {
	for _, m := range v.members {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

// table turns the object into a table. Of the whole it takes args, config.devices and results: what
// else there is describes the run. In results every key must be known.
func (r *jsonReader) table(top value) *Table {
	t := &Table{}
	if args, _ := top.get("args"); len(args.list) > 0 {
		t.Program = path.Base(strings.ReplaceAll(args.list[0].text, `\`, "/"))
	}
	config, _ := top.get("config")
	devices, _ := config.get("devices")
	for _, v := range devices.list {
		t.Devices = append(t.Devices, r.device(v))
	}
	results, ok := top.get("results")
	switch {
	case !ok || results.kind != '[':
		// It may be any JSON: no word of it is shown.
		r.problems = append(r.problems, located.Problem{File: r.name,
			Message: "no results: want the JSON that nccl-tests writes with -J, with a list results"})
	case len(results.list) == 0:
		r.problem(results.at, "results: the list is empty")
	}
	for _, v := range results.list {
		if r.problems.Full() {
			break
		}
		t.Rows = append(t.Rows, r.row(v, t))
	}
	return t
}

func (r *jsonReader) device(v value) (d Device) {
	number := func(key string) int {
		w, ok := v.get(key)
		if !ok {
			return 0
		}
		n, err := whole(w.text, 0)
		if w.kind != '0' || err != nil || n > 1<<31 {
			r.problem(w.at, "%s of a device: %s: want a whole number from 0", key, located.Shown(w.text))
		}
		return int(n)
	}
	text := func(key string) string { w, _ := v.get(key); return w.text }
	return Device{Rank: number("rank"), Group: number("group"), Pid: number("pid"), Host: text("hostname"),
		Device: number("device"), Bus: text("device_hex"), Name: text("device_info")}
}

// What a row may hold beside its columns, and is not kept.
var unkept = []string{"actual_iterations", "experiment_name", "out_of_place_per_iter", "in_place_per_iter"}

func (r *jsonReader) row(v value, t *Table) Row {
	row := Row{RedOp: "none", Root: -1}
	if v.kind != '{' {
		r.problem(v.at, "results: want a list of objects")
		return row
	}
	missing := []string{"size", "count", "type"}
	for _, m := range v.members {
		missing = slices.DeleteFunc(missing, func(k string) bool { return k == m.key })
		switch {
		case slices.Contains(before, m.key):
			// root is written as a text with blanks before it
			if err := row.set(m.key, strings.TrimSpace(m.value.text), nil); err != nil {
				r.problem(m.value.at, "%s: %v", m.key, err)
			}
		case m.key == "out_of_place":
			row.Out = r.result(m, t)
		case m.key == "in_place":
			row.In = r.result(m, t)
		case !slices.Contains(unkept, m.key):
			r.problem(m.at, "%s of a result: unknown, want %s, out_of_place or in_place", located.Shown(m.key),
				strings.Join(before, ", "))
		}
	}
	if len(missing) > 0 {
		r.problem(v.at, "a result without %s", strings.Join(missing, " and "))
	}
	if row.Out == nil && row.In == nil {
		r.problem(v.at, "a result without out_of_place and in_place")
	}
	return row
}

// result reads the times of a row, nil if it is null.
func (r *jsonReader) result(m member, t *Table) *Result {
	if m.value.kind == 'n' {
		return nil
	}
	res, missing := &Result{}, []string{"time", "alg_bw", "bus_bw", "nwrong"}
	for _, f := range m.value.members {
		key := f.key
		if key == "cpu_time" {
			key, t.CPUTime = "time", true
		}
		missing = slices.DeleteFunc(missing, func(k string) bool { return k == key })
		var err error
		switch text := f.value.text; {
		case key == "nwrong" && f.value.kind == 'n':
		case key == "nwrong" && f.value.kind == '0':
			res.Errors, err = errorsOf(text)
		case key == "time":
			res.Time, err = duration(text)
		case key == "alg_bw":
			res.AlgBW, err = bandwidth(text)
		case key == "bus_bw":
			res.BusBW, err = bandwidth(text)
		case key == "nwrong":
			err = fmt.Errorf("%s: want a number or null", located.Shown(text))
		default:
			r.problem(f.at, "%s of %s: unknown, want time or cpu_time, alg_bw, bus_bw and nwrong",
				located.Shown(f.key), m.key)
		}
		if err != nil {
			r.problem(f.value.at, "%s: %v", f.key, err)
		}
	}
	if len(missing) > 0 {
		r.problem(m.value.at, "%s without %s", m.key, strings.Join(missing, " and "))
	}
	return res
}
