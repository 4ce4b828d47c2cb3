package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Limits bound what a file may ask for. The zero value of none is useful.
type Limits struct {
	Footer    int64 // bytes
	Page      int   // bytes of a page, decompressed; and of the text that its values make
	GroupRows int64
	Text      int // bytes of a value
}

// Kind is the physical type of a column.
type Kind int

// The kinds, by their numbers in parquet.thrift.
const (
	Int32     Kind = 1
	Int64     Kind = 2
	Double    Kind = 5
	ByteArray Kind = 6
)

var kindNames = map[Kind]string{Int32: "INT32", Int64: "INT64", Double: "DOUBLE", ByteArray: "BYTE_ARRAY"}

func (k Kind) String() string {
	if n, ok := kindNames[k]; ok {
		return n
	}
	return fmt.Sprintf("type %d", int(k))
}

// Column is a column of the table.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool
}

// The codecs that are read, by their numbers in parquet.thrift.
const (
	codecNone = 0
	codecZstd = 6
)

// chunk is the pages of one column in one row group.
type chunk struct {
	codec       int
	start, size int64 // of all its pages, the dictionary first
	values      int64
}

// group is a row group.
type group struct {
	rows   int64
	chunks []chunk // in the order of the columns
}

// File is a table whose footer was read and found sound.
//
// Invariant: chunks lie in the file in order, one after another, in front of the footer.
type File struct {
	r       io.ReaderAt
	limits  Limits
	rows    int64
	columns []Column
	groups  []group
	zstd    *zstd.Decoder
}

// Groups returns how many row groups the table has.
func (f *File) Groups() int { return len(f.groups) }

const magic = "PAR1"

// Open reads the footer of a file of size bytes.
func Open(r io.ReaderAt, size int64, limits Limits) (*File, error) {
	var tail [8]byte
	if size < int64(2*len(magic)+4) {
		return nil, fmt.Errorf("is %d bytes long, too short for a table", size)
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	if string(tail[4:]) != magic {
		return nil, fmt.Errorf("does not end in %s: it was cut off, or is no Parquet file", magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	if most := min(size-12, limits.Footer); length > most {
		return nil, fmt.Errorf("says that its footer has %d bytes, want at most %d", length, most)
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, size-8-length); err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(max(uint64(limits.Page), 8<<20)),
		zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	f := &File{r: r, limits: limits, zstd: z}
	if err := f.footer(b); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return f, f.check(size - 8 - length)
}

// Close lets go of the decompressor. The underlying file is the caller's.
func (f *File) Close() { f.zstd.Close() }

// footer reads struct FileMetaData.
func (f *File) footer(b []byte) error {
	t := &thrift{b: b}
	t.fields(thriftStruct, func(id int64, typ byte) {
		switch id {
		case 2:
			f.schema(t, typ)
		case 3:
			f.rows = t.number(typ)
		case 4:
			t.list(typ, func(typ byte) { f.rowGroup(t, typ) })
		default:
			t.skip(typ)
		}
	})
	return t.err
}

// maxColumns is more than any table of ours has.
const maxColumns = 256

// schema reads the list of SchemaElement: the root, and a leaf for each column.
func (f *File) schema(t *thrift, typ byte) {
	const optional, repeated = 1, 2
	root := true
	t.list(typ, func(typ byte) {
		var c Column
		repetition, children := 0, int64(0)
		t.fields(typ, func(id int64, typ byte) {
			switch id {
			case 1:
				c.Kind = Kind(t.small(typ, math.MaxInt32))
			case 3:
				repetition = t.small(typ, repeated)
			case 4:
				c.Name = t.text(typ)
			case 5:
				children = t.number(typ)
			default:
				t.skip(typ)
			}
		})
		c.Optional = repetition == optional
		switch {
		case root:
			root = false
			return
		case children != 0 || repetition == repeated:
			t.fail(fmt.Errorf("column %q is nested, want flat columns", c.Name))
		case kindNames[c.Kind] == "":
			t.fail(fmt.Errorf("column %q has %v, want INT32, INT64, DOUBLE or BYTE_ARRAY", c.Name, c.Kind))
		case len(f.columns) == maxColumns:
			t.fail(fmt.Errorf("has more than %d columns", maxColumns))
		}
		f.columns = append(f.columns, c)
	})
}

// rowGroup reads struct RowGroup. The schema comes before it.
func (f *File) rowGroup(t *thrift, typ byte) {
	var g group
	g.chunks = make([]chunk, 0, len(f.columns))
	t.fields(typ, func(id int64, typ byte) {
		switch id {
		case 1:
			t.list(typ, func(typ byte) {
				if len(g.chunks) == len(f.columns) {
					t.fail(fmt.Errorf("a row group has more chunks than the table has columns, %d", len(f.columns)))
					return
				}
				g.chunks = append(g.chunks, f.chunk(t, typ, f.columns[len(g.chunks)]))
			})
		case 3:
			g.rows = t.number(typ)
		default:
			t.skip(typ)
		}
	})
	if t.err == nil && len(g.chunks) != len(f.columns) {
		t.fail(fmt.Errorf("a row group has %d chunks for %d columns", len(g.chunks), len(f.columns)))
	}
	f.groups = append(f.groups, g)
}

// chunk reads struct ColumnChunk.
func (f *File) chunk(t *thrift, typ byte, column Column) chunk {
	var c chunk
	kind := Kind(0)
	data, dictionary := int64(0), int64(0)
	metadata := func(id int64, typ byte) {
		switch id {
		case 1:
			kind = Kind(t.small(typ, math.MaxInt32))
		case 4:
			c.codec = t.small(typ, math.MaxInt32)
		case 5:
			c.values = t.number(typ)
		case 7:
			c.size = t.number(typ)
		case 9:
			data = t.number(typ)
		case 11:
			dictionary = t.number(typ)
		default:
			t.skip(typ)
		}
	}
	t.fields(typ, func(id int64, typ byte) {
		if id == 3 {
			t.fields(typ, metadata)
		} else {
			t.skip(typ)
		}
	})
	if t.err == nil && kind != column.Kind {
		t.fail(fmt.Errorf("column %q is %v in the schema and %v in a row group", column.Name, column.Kind, kind))
	}
	c.start = data
	if dictionary > 0 {
		c.start = min(data, dictionary)
	}
	return c
}

// check holds the footer's figures against each other and against the file: its pages end
// where the footer begins.
func (f *File) check(end int64) error {
	at, rows := int64(len(magic)), int64(0)
	for i := range f.groups {
		g := &f.groups[i]
		if g.rows < 1 || g.rows > f.limits.GroupRows {
			return fmt.Errorf("row group %d has %d rows, want 1 to %d", i, g.rows, f.limits.GroupRows)
		}
		rows += g.rows
		for j, c := range g.chunks {
			name := f.columns[j].Name
			switch {
			case c.values != g.rows:
				return fmt.Errorf("row group %d: column %q has %d values for %d rows", i, name, c.values, g.rows)
			case c.codec != codecNone && c.codec != codecZstd:
				return fmt.Errorf("row group %d: column %q has compression %d, want %d (none) or %d (Zstandard)",
					i, name, c.codec, codecNone, codecZstd)
			case c.start < at || c.size < 1 || c.size > end-c.start:
				return fmt.Errorf("row group %d: column %q takes bytes %d to %d, want them from %d to %d",
					i, name, c.start, c.start+c.size, at, end)
			}
			at = c.start + c.size
		}
	}
	if rows != f.rows {
		return fmt.Errorf("has row groups of %d rows in all, and says that it has %d", rows, f.rows)
	}
	return nil
}
