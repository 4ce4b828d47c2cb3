package parquet

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	parquetgo "github.com/parquet-go/parquet-go"

	"railyard/internal/base/scripttest"
)

// stage decodes bytes, written in hexadecimal, and says what is in them.
type stage struct{ scripttest.Log }

// Do obeys a command: what is decoded, how many values where it asks for that, and the bytes.
func (s *stage) Do(command []string) {
	last := len(command) - 1
	b, err := hex.DecodeString(strings.ReplaceAll(command[last], ".", ""))
	if err != nil {
		panic(err)
	}
	var n [2]int
	for i, w := range command[1:last] {
		if n[i], err = strconv.Atoi(w); err != nil {
			panic(err)
		}
	}
	switch command[0] {
	case "hybrid": // hybrid WIDTH VALUES BYTES
		var all []uint32
		err = hybrid(b, n[0], n[1], func(_ int, v uint32) error { all = append(all, v); return nil })
		s.told(all, err)
	case "delta32", "delta64": // delta64 VALUES BYTES
		rest, all, err := delta(b, n[0], command[0] == "delta64", nil)
		s.told(all, err)
		if len(rest) > 0 {
			fmt.Fprintf(s, "and then % x\n", rest)
		}
	case "texts": // texts VALUES BYTES
		of := newTexts(Limits{Page: 8, Text: 4}, strings.ToUpper)
		all, err := of.deltaTexts(b, n[0], nil)
		s.told(all, err)
	case "plain-texts":
		of := newTexts(Limits{Page: 8, Text: 4}, strings.ToUpper)
		all, err := of.plainTexts(b, n[0], nil)
		s.told(all, err)
	case "plain32", "plain64":
		all, err := plainNumbers(b, n[0], map[string]Kind{"plain32": Int32, "plain64": Int64}[command[0]], nil)
		s.told(all, err)
	default: // a field of Thrift's, whose type is the number
		s.thrift(command[0], byte(n[0]), b)
	}
}

func (s *stage) told(all any, err error) {
	if err != nil {
		all = err
	}
	fmt.Fprintln(s, all)
}

// thrift reads a field in one of the ways that there are.
func (s *stage) thrift(how string, typ byte, b []byte) {
	t := &thrift{b: b}
	var v any
	switch how {
	case "number":
		v = t.number(typ)
	case "small":
		v = t.small(typ, 7)
	case "flag":
		v = t.flag(typ)
	case "text":
		v = t.text(typ)
	case "skip":
		t.skip(typ)
		v = "skipped"
	case "fields":
		all := ""
		t.fields(typ, func(id int64, typ byte) {
			all += fmt.Sprintf("field %d of type %d; ", id, typ)
			t.skip(typ)
		})
		v = strings.TrimSuffix(all, "; ")
	case "list":
		n := 0
		t.list(typ, func(typ byte) { n++; t.skipElement(typ) })
		v = fmt.Sprint(n, " elements")
	default:
		panic(how)
	}
	if t.err == nil && len(t.b) > 0 {
		v = fmt.Sprintf("%v, and then % x", v, t.b)
	}
	s.told(v, t.err)
}

// The encodings of values and of what describes them, byte for byte.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

// Rows are passed over inside a row group, of which it is known how many are left, and a group is gone to.
func TestSkippingRows(t *testing.T) {
	var rows []row
	for i := range 3000 {
		rows = append(rows, row{ID: int64(i), Name: fmt.Sprint("n", i/7), Late: int64(i % 3)})
	}
	b := write(t, rows, parquetgo.MaxRowsPerRowGroup(1700), parquetgo.PageBufferSize(1<<10))
	r := readerOf(t, b)
	at := func(want int64, rest int64) {
		t.Helper()
		got, err := r.Next()
		if err != nil || got[0] != rows[want] || r.Rest() != rest {
			t.Fatalf("%v: row %d and %d left, want row %d and %d", err, got[0].ID, r.Rest(), want, rest)
		}
	}
	skip := func(n int64) {
		t.Helper()
		if err := r.Skip(n); err != nil {
			t.Fatal(err)
		}
	}
	skip(10)
	at(10, 1700-10-batch)
	skip(700)
	at(10+batch+700, 0) // the last of the group, fewer than a batch
	skip(1290)
	at(1700+1290, 0)
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
	if skip(5); r.Rest() != 0 { // there is nothing more
		t.Errorf("%d left behind the last", r.Rest())
	}
	r.Seek(1)
	skip(1 << 40) // all of the group
	if _, err := r.Next(); err != io.EOF || r.f.Groups() != 2 {
		t.Errorf("%v, %d groups", err, r.f.Groups())
	}
	r.Seek(0)
	at(0, 1700-batch)
}
