package parquet

import "reflect"

// cells are where the values of a column go: the field of each row of a batch, in one of the lists. To store into it takes a
// tenth of what package reflect takes.
type cells struct {
	small    []*int32
	wide     []*int64
	doubles  []*float64
	texts    []*string
	optional []reflect.Value // of pointers
}

// cellsOf finds a field in the rows of a batch.
func cellsOf(rows reflect.Value, index []int) (c cells) {
	for i := range rows.Len() {
		v := rows.Index(i).FieldByIndex(index)
		switch v.Kind() {
		case reflect.Int32:
			c.small = append(c.small, pointer[int32](v))
		case reflect.Int64:
			c.wide = append(c.wide, pointer[int64](v))
		case reflect.Float64:
			c.doubles = append(c.doubles, pointer[float64](v))
		case reflect.String:
			c.texts = append(c.texts, pointer[string](v))
		default:
			c.optional = append(c.optional, v)
		}
	}
	return c
}

// pointer returns where a field is, whose type may have a name of its own.
func pointer[T any](v reflect.Value) *T {
	return v.Addr().Convert(reflect.TypeFor[*T]()).Interface().(*T)
}
