package result

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"railyard/internal/out/parquet"
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
	case "events":
		return writeCSV(w, r.Events())
	case "series":
		return writeCSV(w, r.Series())
	case "gradients":
		return writeCSV(w, r.Gradients())
	case "experts":
		return writeCSV(w, r.Experts())
	case "telemetry":
		return writeCSV(w, r.Telemetry())
	}
	return 0, fmt.Errorf("table %q: want one of %s", table, strings.Join(TableNames(), ", "))
}

func writeCSV[R any](w io.Writer, rows iter.Seq2[R, error]) (int64, error) {
	b := bufio.NewWriterSize(w, 64<<10)
	columns := parquet.Fields(reflect.TypeFor[R]())
	line := []byte{}
	for i, c := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, c.Name...)
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
			line = appendCell(line, v.FieldByIndex(c.Index), c.Optional)
		}
		n++
	}
	if _, err := b.Write(append(line, '\n')); err != nil {
		return n, err
	}
	return n, b.Flush()
}

// appendCell prints a value as a field; where it is optional, zero or nil is empty.
func appendCell(b []byte, v reflect.Value, optional bool) []byte {
	if optional && v.IsZero() {
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
