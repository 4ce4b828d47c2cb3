package parquet

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// batch is how many rows Next returns at most.
const batch = 512

// Reader reads the rows of a table as values of R, a struct whose fields, those of embedded
// structs among them, name their column in a tag: `parquet:"name,options"`. Not for
// concurrent use.
type Reader[R any] struct {
	f       *File
	columns []*column
	fields  []cells // by column
	rows    []R
	group   int   // the next one
	left    int64 // rows of the one that is read
}

// Field is a field of a row type that stands for a column.
type Field struct {
	Name     string
	Index    []int // as reflect.Value.FieldByIndex takes it
	Optional bool  // the zero value, or nil, is null
}

// Fields lists the columns of a row type, in their order.
func Fields(row reflect.Type) []Field {
	var list []Field
	for _, f := range reflect.VisibleFields(row) {
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if name != "" {
			list = append(list, Field{name, f.Index, strings.Contains(options, "optional")})
		}
	}
	return list
}

// NewReader starts to read a table. Text goes through clean. With exact the table has the
// columns of R, no others and none missing; otherwise a missing one is zero, and one that R
// lacks is left out.
func NewReader[R any](f *File, exact bool, clean func(string) string) (*Reader[R], error) {
	r := &Reader[R]{f: f, rows: make([]R, batch)}
	fields := map[string]Field{}
	typ := reflect.TypeFor[R]()
	for _, field := range Fields(typ) {
		fields[field.Name] = field
	}
	values := reflect.ValueOf(r.rows)
	for _, c := range f.columns {
		field, ok := fields[c.Name]
		delete(fields, c.Name)
		switch {
		case !ok && exact:
			return nil, fmt.Errorf("has a column %q that is not known, or there twice", c.Name)
		case !ok:
			r.columns, r.fields = append(r.columns, nil), append(r.fields, cells{})
			continue
		}
		if want := kindOf(typ.FieldByIndex(field.Index).Type); want != c.Kind || field.Optional != c.Optional {
			return nil, fmt.Errorf("column %q is %s, want %s", c.Name, describe(c.Kind, c.Optional),
				describe(want, field.Optional))
		}
		col := &column{Column: c, pages: pages{f: f}, texts: newTexts(f.limits, clean)}
		r.columns, r.fields = append(r.columns, col), append(r.fields, cellsOf(values, field.Index))
	}
	if exact {
		for _, field := range Fields(typ) {
			if _, missing := fields[field.Name]; missing {
				return nil, fmt.Errorf("has no column %q", field.Name)
			}
		}
	}
	return r, nil
}

// LeaveOut makes the reader pass over columns: their fields keep the zero value. It comes before the first row is read.
func (r *Reader[R]) LeaveOut(names ...string) {
	for i, c := range r.columns {
		if c != nil && slices.Contains(names, c.Name) {
			r.columns[i] = nil
		}
	}
}

func describe(k Kind, optional bool) string {
	if optional {
		return "optional " + k.String()
	}
	return k.String()
}

func kindOf(t reflect.Type) Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int32:
		return Int32
	case reflect.Int64:
		return Int64
	case reflect.Float64:
		return Double
	case reflect.String:
		return ByteArray
	}
	panic("parquet: a field of kind " + t.Kind().String())
}

// Next returns the next rows, at least one, valid until it is called again. After the last
// ones it returns io.EOF.
func (r *Reader[R]) Next() ([]R, error) {
	if r.left == 0 {
		if r.group == len(r.f.groups) {
			return nil, io.EOF
		}
		r.begin()
	}
	n := int(min(r.left, batch))
	for i, c := range r.columns {
		if c == nil {
			continue
		}
		if err := c.fill(&r.fields[i], n); err != nil {
			return nil, fmt.Errorf("row group %d: column %q: %w", r.group-1, c.Name, err)
		}
	}
	r.left -= int64(n)
	return r.rows[:n], nil
}

// begin turns to the next row group, if there is one.
func (r *Reader[R]) begin() {
	if r.group == len(r.f.groups) {
		return
	}
	g := &r.f.groups[r.group]
	r.group++
	r.left = g.rows
	for i, c := range r.columns {
		if c != nil {
			c.begin(g, g.chunks[i])
		}
	}
}

// Seek makes Next go on with the first row of a row group, 0 to Groups() - 1.
func (r *Reader[R]) Seek(group int) { r.group, r.left = group, 0 }

// Skip leaves out the next rows of the row group that Next would go on with, so many, or all that are left: their pages are
// decoded, but no values set.
func (r *Reader[R]) Skip(rows int64) error {
	if r.left == 0 {
		r.begin()
	}
	rows = min(rows, r.left)
	for _, c := range r.columns {
		if c == nil {
			continue
		}
		if err := c.skip(rows); err != nil {
			return fmt.Errorf("row group %d: column %q: %w", r.group-1, c.Name, err)
		}
	}
	r.left -= rows
	return nil
}

// Rest returns how many rows of the row group that Next reads are still to come.
func (r *Reader[R]) Rest() int64 { return r.left }

// fill sets the column's field of the next n rows.
func (c *column) fill(to *cells, n int) error {
	for row := 0; row < n; {
		if c.at == c.rows {
			if err := c.load(); err != nil {
				return err
			}
		}
		here := min(n-row, c.rows-c.at)
		c.set(to, row, here)
		c.at += here
		row += here
	}
	return nil
}

// skip goes on behind the next rows.
func (c *column) skip(rows int64) error {
	for rows > 0 {
		if c.at == c.rows {
			if err := c.load(); err != nil {
				return err
			}
		}
		n := min(rows, int64(c.rows-c.at))
		c.at += int(n)
		rows -= n
	}
	return nil
}

// set sets n rows, which the page has.
func (c *column) set(to *cells, row, n int) {
	if to.texts != nil {
		for i, p := range to.texts[row : row+n] {
			*p = c.text[c.at+i]
		}
		return
	}
	numbers := c.numbers[c.at : c.at+n]
	switch {
	case to.small != nil:
		for i, p := range to.small[row : row+n] {
			*p = int32(numbers[i])
		}
	case to.wide != nil:
		for i, p := range to.wide[row : row+n] {
			*p = numbers[i]
		}
	case to.doubles != nil:
		for i, p := range to.doubles[row : row+n] {
			*p = math.Float64frombits(uint64(numbers[i]))
		}
	default:
		for i, v := range to.optional[row : row+n] {
			if !c.present[c.at+i] {
				v.SetZero()
				continue
			}
			p := reflect.New(v.Type().Elem())
			if c.Kind == Double {
				p.Elem().SetFloat(math.Float64frombits(uint64(numbers[i])))
			} else {
				p.Elem().SetInt(numbers[i])
			}
			v.Set(p)
		}
	}
}
