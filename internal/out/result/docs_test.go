package result

import (
	"encoding"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/out/parquet"
)

const formatDocs = "../../../docs/format"

// documented is a line of a table in docs/format: | `name` | type | unit | meaning |
type documented struct{ name, typ, unit, meaning string }

// readDocs returns the tables of a document by the heading that they stand under.
func readDocs(t *testing.T, file string) map[string][]documented {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(formatDocs, file))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]documented{}
	heading := ""
	for line := range strings.Lines(string(b)) {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.Trim(strings.TrimSpace(h), "`")
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			t.Errorf("%s: %d cells, want name, type, unit, meaning: %s", file, len(cells), line)
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		sections[heading] = append(sections[heading],
			documented{strings.Trim(cells[0], "`"), cells[1], cells[2], cells[3]})
	}
	return sections
}

// compareDocs holds that each of want is documented, in order, with its type and unit and some
// words.
func compareDocs(t *testing.T, where string, want, got []documented) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: no line for %s: | `%s` | %s | %s | ... |", where, want[i].name, want[i].name,
				want[i].typ, want[i].unit)
		case i >= len(want):
			t.Errorf("%s: %s is documented, but not there", where, got[i].name)
		case got[i].name != want[i].name:
			t.Fatalf("%s: %s is documented where %s is due: | `%s` | %s | %s | ... |", where, got[i].name, want[i].name,
				want[i].name, want[i].typ, want[i].unit)
		case got[i].typ != want[i].typ:
			t.Errorf("%s: %s is documented as %s, but is %s", where, got[i].name, got[i].typ, want[i].typ)
		case want[i].unit != "" && got[i].unit != want[i].unit || got[i].unit == "":
			t.Errorf("%s: %s is documented in %q, want %q", where, got[i].name, got[i].unit, want[i].unit)
		case len(strings.Fields(got[i].meaning)) < 2:
			t.Errorf("%s: %s: what is it? %q", where, got[i].name, got[i].meaning)
		}
	}
}

// unitOf returns the unit that a name carries; "": none, so the document says it.
func unitOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_ps"):
		return "ps"
	case strings.HasSuffix(name, "_bps"):
		return "b/s"
	case strings.HasSuffix(name, "_bytes_per_s"):
		return "bytes/s"
	case name == "bytes" || strings.HasSuffix(name, "_bytes"):
		return "bytes"
	case strings.HasSuffix(name, "_seconds"):
		return "s"
	}
	return ""
}

// Every column of every table is documented, with its type and unit.
func TestTablesAreDocumented(t *testing.T) {
	docs := readDocs(t, "tables.md")
	for _, table := range TableNames() {
		var want []documented
		row := reflect.TypeOf(rowTypes[table])
		for _, c := range parquet.Fields(row) {
			f := row.FieldByIndex(c.Index).Type
			if f.Kind() == reflect.Pointer {
				f = f.Elem()
			}
			typ := map[reflect.Kind]string{reflect.Int32: "int32", reflect.Int64: "int64", reflect.Float64: "double",
				reflect.String: "string"}[f.Kind()]
			if c.Optional {
				typ += " or null"
			}
			want = append(want, documented{name: c.Name, typ: typ, unit: unitOf(c.Name)})
		}
		compareDocs(t, "tables.md, "+table+".parquet", want, docs[table+".parquet"])
	}
	if len(docs) != len(TableNames()) {
		t.Errorf("tables.md has %d tables, want %d", len(docs), len(TableNames()))
	}
}

// Every key of run.json is documented; ? after the type: it may be absent.
func TestRunJSONIsDocumented(t *testing.T) {
	docs := readDocs(t, "run-json.md")
	var got []documented
	for _, heading := range []string{"State", "Job", "Figures", "Lists", "Scenario"} {
		got = append(got, docs[heading]...)
	}
	var want []documented
	keys(reflect.TypeFor[Summary](), "", "", &want)
	for i := range want { // only printed by run --json, not in the file
		if want[i].name == "directory" {
			want = append(want[:i], want[i+1:]...)
			break
		}
	}
	compareDocs(t, "run-json.md", want, got)
}

// Every key of whatif.json is documented.
func TestWhatIfIsDocumented(t *testing.T) {
	var want []documented
	keys(reflect.TypeFor[WhatIf](), "", "", &want)
	compareDocs(t, "whatif.md", want, readDocs(t, "whatif.md")["Keys"])
}

// Every key of inside.json is documented, and those of its matrices.
func TestInsideIsDocumented(t *testing.T) {
	docs := readDocs(t, "inside.md")
	for heading, typ := range map[string]reflect.Type{"Keys": reflect.TypeFor[Inside](), "A matrix": reflect.TypeFor[Cells]()} {
		var want []documented
		keys(typ, "", "", &want)
		compareDocs(t, "inside.md, "+heading, want, docs[heading])
	}
}

// keys lists the keys of a struct and of the structs in it. The causes are one
// line: tables.md has them. unit is what the keys around say.
func keys(typ reflect.Type, prefix, unit string, list *[]documented) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			keys(f.Type, prefix, unit, list)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue // not written
		}
		t, d := f.Type, documented{name: prefix + name, unit: unitOf(name)}
		if d.unit == "" {
			d.unit = unit
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		optional := ""
		if strings.Contains(options, "omit") {
			optional = "?"
		}
		switch {
		case t == reflect.TypeFor[Causes](), name == "scenario":
			d.typ = "object" + optional
			*list = append(*list, d)
		case t == reflect.TypeFor[Cells]():
			d.typ, d.unit = "matrix"+optional, "-"
			*list = append(*list, d)
		case t == reflect.TypeFor[[]Cells]():
			d.typ, d.unit = "array of matrices"+optional, "-"
			*list = append(*list, d)
		case listTypes[t] != "":
			d.typ, d.unit = listTypes[t]+optional, "-"
			*list = append(*list, d)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			d.typ, d.unit = "array"+optional, "-"
			*list = append(*list, d)
			if t.Elem() != reflect.TypeFor[JobFigures]() { // the same as those of one job
				keys(t.Elem(), d.name+"[].", "", list)
			}
		case t.Kind() == reflect.Slice && (t.Elem().Kind() == reflect.Int32 || t.Elem().Kind() == reflect.Int):
			d.typ = "array of integers" + optional
			*list = append(*list, d)
		case t.Kind() == reflect.Slice:
			d.typ = "array of strings" + optional
			*list = append(*list, d)
		case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
			d.typ = "string" + optional
			*list = append(*list, d)
		case t.Kind() == reflect.Struct:
			d.typ = "object" + optional
			*list = append(*list, d)
			keys(t, d.name+".", d.unit, list)
		default:
			d.typ = jsonType(t) + optional
			*list = append(*list, d)
		}
	}
}

// listTypes are what lists of numbers are called.
var listTypes = map[reflect.Type]string{reflect.TypeFor[[]float64](): "array of numbers",
	reflect.TypeFor[[2]int](): "array of two integers", reflect.TypeFor[[][]float32](): "array of arrays of numbers"}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return "integer"
	}
	panic(fmt.Sprint("what is a ", t, " in JSON?"))
}

// The document of the directory names every file in it.
func TestFilesAreDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(formatDocs, "run-directory.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, table := range TableNames() {
		if !strings.Contains(text, "`"+tableName(table)+"`") {
			t.Errorf("run-directory.md does not name %s", tableName(table))
		}
	}
	for _, want := range []string{"`run.json`", "`" + inputFolder + "/`", "`trace.json.gz`", "`csv/`",
		"`" + partName("flows", 1) + "`", "`" + unfinished + "`",
		fmt.Sprintf("format version is %d", FormatVersion), string(Running), string(Complete), string(Interrupted),
		string(Unfinished), string(Failed)} {
		if !strings.Contains(text, want) {
			t.Errorf("run-directory.md does not say %s", want)
		}
	}
}
