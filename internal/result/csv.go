package result

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"
)

// WriteCSV writes a table as comma-separated values (RFC 4180, but lines end in a
// line feed) and returns how many rows there were: a header of the Parquet columns'
// names, which carry the units (_ps, _bytes, _bps), then a line per row. An absent
// value is an empty field. It needs the memory of one batch of rows.
func (r *Run) WriteCSV(w io.Writer, table string) (int64, error) {
	switch table {
	case "steps":
		return writeCSV(w, r.Steps())
	case "operations":
		return writeCSV(w, r.Operations())
	case "flows":
		return writeCSV(w, r.Flows())
	case "links":
		return writeCSV(w, r.Links())
	case "queues":
		return writeCSV(w, r.Queues())
	case "paths":
		return writeCSV(w, r.Paths())
	case "hops":
		return writeCSV(w, r.Hops())
	case "losses":
		return writeCSV(w, r.Losses())
	case "shares":
		return writeCSV(w, r.Shares())
	}
	return 0, fmt.Errorf("table %q: want one of %s", table, strings.Join(TableNames(), ", "))
}

func writeCSV[R any](w io.Writer, rows iter.Seq2[R, error]) (int64, error) {
	b := bufio.NewWriterSize(w, 64<<10)
	columns := columnsOf(reflect.TypeFor[R]())
	line := []byte{}
	for i, c := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, c.name...)
	}
	n := int64(0)
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		if _, err := b.Write(append(line, '\n')); err != nil {
			return n, err
		}
		line = line[:0]
		v := reflect.ValueOf(&row).Elem()
		for i, c := range columns {
			if i > 0 {
				line = append(line, ',')
			}
			line = c.append(line, v.FieldByIndex(c.index))
		}
		n++
	}
	if _, err := b.Write(append(line, '\n')); err != nil {
		return n, err
	}
	return n, b.Flush()
}

// A column is a field of a row.
type column struct {
	name     string
	index    []int
	optional bool // the zero value, or nil, is null
}

// columnsOf lists the columns of a row type as its Parquet schema has them.
func columnsOf(row reflect.Type) []column {
	var list []column
	for _, f := range reflect.VisibleFields(row) {
		name, options, tagged := strings.Cut(f.Tag.Get("parquet"), ",")
		if name != "" {
			list = append(list, column{name, f.Index, tagged && strings.Contains(options, "optional")})
		}
	}
	return list
}

// append prints a value as a field.
func (c column) append(b []byte, v reflect.Value) []byte {
	if c.optional && v.IsZero() {
		return b
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return appendField(b, v.String())
	case reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, 64)
	case reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	}
	panic("result: a column of kind " + v.Kind().String())
}

// appendField quotes a text where it must be.
func appendField(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
