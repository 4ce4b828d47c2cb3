package result

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"

	"railyard/internal/base/output"
)

// A WideColumn is a column of a table whose columns follow from what it is of: text, or numbers.
type WideColumn struct {
	Name string
	Text bool
}

// A WideCell is a cell of such a table. A number that is NaN is none.
type WideCell struct {
	Text   string
	Number float64
}

// WriteWide writes a table of rows with these columns, in their order. It is for tables of up to some hundred thousand
// rows: nothing is written early.
func WriteWide(folder *output.Folder, name string, columns []WideColumn, rows int, cell func(row, column int) WideCell) error {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		f := reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[*float64](),
			Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", inTag.Replace(c.Name)+",optional"))}
		if c.Text {
			f.Type = reflect.TypeFor[string]()
			f.Tag = reflect.StructTag(fmt.Sprintf("parquet:%q", inTag.Replace(c.Name)))
		}
		fields[i] = f
	}
	typ := reflect.StructOf(fields)
	return folder.WriteBy(name, func(w io.Writer) error {
		out := parquet.NewWriter(w, append(writing(), parquet.SchemaOf(reflect.New(typ).Interface()))...)
		for i := range rows {
			row := reflect.New(typ).Elem()
			for k := range columns {
				switch c := cell(i, k); {
				case columns[k].Text:
					row.Field(k).SetString(c.Text)
				case !math.IsNaN(c.Number):
					row.Field(k).Set(reflect.ValueOf(&c.Number))
				}
			}
			if err := out.Write(row.Addr().Interface()); err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// inTag keeps names of columns apart from the options behind them.
var inTag = strings.NewReplacer(",", ";", `"`, "'", `\`, "/")
