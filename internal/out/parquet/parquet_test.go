package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	parquetgo "github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"railyard/internal/base/machine/machinetest"
)

// row has every kind of column in every encoding that is read.
type row struct {
	ID     int64    `parquet:"id,delta"`
	Small  int32    `parquet:"small,delta"`
	Plain  int32    `parquet:"plain"`
	Wide   int64    `parquet:"wide"`
	Name   string   `parquet:"name,delta"`
	Word   string   `parquet:"word,dict"`
	Text   string   `parquet:"text,plain"`
	Number int64    `parquet:"number,dict"`
	Share  float64  `parquet:"share"`
	Loss   *float64 `parquet:"loss,optional"`
	Late   int64    `parquet:"late,optional,delta"`
	inner
}

type inner struct {
	Deep int64 `parquet:"deep,optional"`
}

var limits = Limits{Footer: 1 << 20, Page: 1 << 20, GroupRows: 1 << 16, Text: 1 << 12}

func same(s string) string { return s }

// write encodes rows with the library: what our reader is held against.
func write(t testing.TB, rows []row, options ...parquetgo.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquetgo.NewGenericWriter[row](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read decodes all rows.
func read[R any](b []byte) (all []R, err error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)), limits)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := NewReader[R](f, true, same)
	if err != nil {
		return nil, err
	}
	for {
		rows, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, rows...)
	}
}

// Which text comes after another is guessed by what came after it last: where that is another one of the same length and
// ending, the text is still the one that the file has.
func TestTextsAreNotGuessedWrongly(t *testing.T) {
	var rows []row
	for _, name := range []string{"abc", "xbd", "abc", "abd", "abc", "abd", "abc", "abde", "abc", "", "abc", "xbd"} {
		rows = append(rows, row{ID: int64(len(rows)), Name: name})
	}
	got, err := read[row](write(t, rows))
	if d := cmp.Diff(rows, got, cmp.AllowUnexported(row{})); err != nil || d != "" {
		t.Error(err, d)
	}
}

// More texts than are remembered, and more bytes of them, are read as they were.
func TestTextsThatAreForgotten(t *testing.T) {
	var rows []row
	for i := range 3 * maxKnown {
		rows = append(rows, row{ID: int64(i), Name: fmt.Sprintf("flow %d", i*7919%(2*maxKnown))})
	}
	for i := range 3000 { // 3 MB, a limit of 1 MB
		rows = append(rows, row{ID: int64(i), Name: strings.Repeat(string(rune('a'+i%26)), 1000) + fmt.Sprint(i)})
	}
	got, err := read[row](write(t, rows, parquetgo.PageBufferSize(1<<14)))
	if err != nil || !slices.Equal(rows, got) {
		t.Errorf("%v, %d rows, want the %d that were written", err, len(got), len(rows))
	}
	s := newTexts(Limits{Page: 1000, Text: 100}, same)
	for i := range 500 {
		s.made = 0 // a page for each
		n, err := s.of(fmt.Appendf(nil, "%050d", i))
		if err != nil || s.clean[n] != fmt.Sprintf("%050d", i) || len(s.raw)*50 > 1000 {
			t.Fatalf("%v: text %d of %d that are remembered, want %d bytes at most", err, n, len(s.raw), 1000)
		}
	}
}

// readerOf reads rows of a file until the test ends.
func readerOf(t *testing.T, b []byte) *Reader[row] {
	t.Helper()
	f, err := Open(bytes.NewReader(b), int64(len(b)), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := NewReader[row](f, true, same)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Columns that are left out are zero in all rows, and the others as they were.
func TestColumnsAreLeftOut(t *testing.T) {
	rows := drawRows(1300, 3)
	b := write(t, rows, parquetgo.PageBufferSize(512), parquetgo.MaxRowsPerRowGroup(600))
	r := readerOf(t, b)
	r.LeaveOut("name", "share", "loss", "deep", "small")
	var got []row
	for {
		some, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, some...)
	}
	for i := range rows {
		rows[i].Name, rows[i].Share, rows[i].Loss, rows[i].Deep, rows[i].Small = "", 0, nil, 0, 0
	}
	if d := cmp.Diff(rows, got, cmp.AllowUnexported(row{})); d != "" {
		t.Errorf("%.400s", d)
	}
}

func drawRows(n int, seed uint64) []row {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{ID: int64(i), Small: int32(rng.Uint32()), Plain: int32(i % 7), Wide: int64(rng.Uint64()),
			Name: fmt.Sprintf("flow %d", i/3),
			Word: []string{"host1", "host22", ""}[rng.IntN(3)], Text: strings.Repeat("x", rng.IntN(9)),
			Number: int64(rng.IntN(1 << rng.IntN(20))),
			Share:  rng.Float64(), inner: inner{Deep: int64(rng.IntN(3))}}
		if rng.IntN(2) == 0 {
			rows[i].Loss = new(rng.NormFloat64())
		}
		if i > n/2 { // a long run of nulls, then values
			rows[i].Late = int64(rng.Uint64() >> rng.IntN(64))
		}
	}
	return rows
}

// Whatever the library writes, in whatever pages, groups and compression, is read as it was.
func TestReadsWhatTheLibraryWrites(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 511, 512, 513, 5000} {
		rows := drawRows(n, uint64(n))
		for name, options := range map[string][]parquetgo.WriterOption{
			"zstd":       {parquetgo.Compression(&parquetgo.Zstd)},
			"plain":      {},
			"version 1":  {parquetgo.DataPageVersion(1), parquetgo.Compression(&parquetgo.Zstd)},
			"many pages": {parquetgo.PageBufferSize(512)},
			"groups":     {parquetgo.MaxRowsPerRowGroup(100), parquetgo.Compression(&parquetgo.Zstd)},
		} {
			got, err := read[row](write(t, rows, options...))
			if err != nil {
				t.Errorf("%s, %d rows: %v", name, n, err)
			} else if d := cmp.Diff(rows, got, cmp.AllowUnexported(row{})); d != "" {
				t.Errorf("%s, %d rows: %.400s", name, n, d)
			}
		}
	}
}

// A column of any values survives the way there and back: extremes, one value, long runs.
func TestAnyColumnSurvives(t *testing.T) {
	type narrow struct {
		A int64  `parquet:"a,delta"`
		B int32  `parquet:"b,delta"`
		C string `parquet:"c,delta"`
		D int64  `parquet:"d,dict"`
		E int64  `parquet:"e,optional"`
	}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) narrow {
			return narrow{rapid.Int64().Draw(t, "a"), rapid.Int32().Draw(t, "b"), rapid.StringN(0, 20, 40).Draw(t, "c"),
				rapid.Int64Range(0, 3).Draw(t, "d"), rapid.Int64Range(0, 2).Draw(t, "e")}
		}), 1, 300).Draw(t, "rows")
		var b bytes.Buffer
		w := parquetgo.NewGenericWriter[narrow](&b)
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := read[narrow](b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(rows, got); d != "" {
			t.Fatal(d)
		}
	})
}

// Every strict prefix of a file is refused: its footer is at the end.
func TestPrefixesAreRefused(t *testing.T) {
	b := write(t, drawRows(50, 1), parquetgo.Compression(&parquetgo.Zstd))
	for n := range len(b) {
		if _, err := read[row](b[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are taken for a table", n, len(b))
		}
	}
}

// A page that is changed is found by its checksum; nothing of it is decoded.
func TestChangedPagesAreFound(t *testing.T) {
	b := write(t, drawRows(300, 1), parquetgo.Compression(&parquetgo.Zstd))
	f, err := Open(bytes.NewReader(b), int64(len(b)), limits)
	if err != nil {
		t.Fatal(err)
	}
	c := f.groups[0].chunks[0]
	at := c.start + c.size - 1
	b[at] ^= 1
	if _, err := read[row](b); err == nil ||
		!strings.Contains(err.Error(), `row group 0: column "id": page has checksum`) {
		t.Error(err)
	}
}

func TestColumnsMustFit(t *testing.T) {
	b := write(t, drawRows(3, 1))
	for _, c := range []struct {
		read func() error
		want string
	}{
		{func() error { _, err := read[struct{}](b); return err }, `has a column "id" that is not known`},
		{func() error {
			_, err := read[struct {
				row
				More int64 `parquet:"more"`
			}](b)
			return err
		}, `has no column "more"`},
	} {
		if err := c.read(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	type other struct {
		ID   int32  `parquet:"id"`
		More string `parquet:"more"`
	}
	f, err := Open(bytes.NewReader(b), int64(len(b)), limits)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewReader[other](f, false, same); err == nil || err.Error() != `column "id" is INT64, want INT32` {
		t.Error(err)
	}
	r, err := NewReader[struct {
		ID   int64  `parquet:"id"`
		More string `parquet:"more"`
	}](f, false, same)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := r.Next(); err != nil || len(rows) != 3 || rows[2].ID != 2 || rows[2].More != "" {
		t.Error(rows, err)
	}
}

// What a file says of its sizes is held against the file before anything is made for it.
func TestClaimsAreBounded(t *testing.T) {
	good := write(t, drawRows(1000, 1), parquetgo.Compression(&parquetgo.Zstd))
	length := append([]byte{}, good...)
	copy(length[len(length)-8:], []byte{0xff, 0xff, 0xff, 0x7f}) // a footer of 2 GB
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"footer": {length, "says that its footer has 2147483647 bytes, want at most"},
		"magic":  {append(append([]byte{}, good[:len(good)-1]...), 'X'), "does not end in PAR1"},
		"short":  {[]byte("PAR1PAR1"), "too short for a table"},
		"rows":   {footer(t, 1<<40, 1<<40, 100), "row group 0 has 1099511627776 rows, want 1 to 65536"},
		"sum":    {footer(t, 5, 6, 100), "has row groups of 5 rows in all, and says that it has 6"},
		"size":   {footer(t, 5, 5, 1<<40), `column "a" takes bytes 4 to 1099511627780, want them from 4 to`},
	} {
		if _, err := read[struct {
			A int64 `parquet:"a"`
		}](c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// thriftBytes builds values of the compact protocol.
type thriftBytes struct{ b []byte }

func (w *thriftBytes) field(delta, typ byte) *thriftBytes {
	w.b = append(w.b, delta<<4|typ)
	return w
}

func (w *thriftBytes) varint(v int64) *thriftBytes {
	u := uint64(v)<<1 ^ uint64(v>>63)
	for ; u >= 0x80; u >>= 7 {
		w.b = append(w.b, byte(u)|0x80)
	}
	w.b = append(w.b, byte(u))
	return w
}

func (w *thriftBytes) raw(b ...byte) *thriftBytes { w.b = append(w.b, b...); return w }

// footer makes a file of one column "a" INT64 whose footer claims what it is told.
func footer(t *testing.T, groupRows, rows, chunkSize int64) []byte {
	t.Helper()
	w := &thriftBytes{}
	w.field(2, thriftList).raw(2<<4 | thriftStruct)               // schema: root and leaf
	w.field(5, thriftI32).varint(1).raw(0)                        // num_children
	w.field(1, thriftI32).varint(int64(Int64))                    // type
	w.field(2, thriftI32).varint(0)                               // required
	w.field(1, thriftBinary).raw(1, 'a', 0)                       // name
	w.field(1, thriftI64).varint(rows)                            // num_rows
	w.field(1, thriftList).raw(1<<4 | thriftStruct)               // row_groups
	w.field(1, thriftList).raw(1<<4 | thriftStruct)               // columns
	w.field(3, thriftStruct).field(1, thriftI32).varint(2)        // meta_data: type
	w.field(3, thriftI32).varint(0).field(1, 6).varint(groupRows) // codec, num_values
	w.field(2, thriftI64).varint(chunkSize)                       // total_compressed_size
	w.field(2, thriftI64).varint(4).raw(0, 0)                     // data_page_offset
	w.field(2, thriftI64).varint(groupRows).raw(0, 0)             // num_rows of the group
	b := append([]byte(magic), make([]byte, 200)...)
	b = append(b, w.b...)
	n := len(w.b)
	return append(b, byte(n), byte(n>>8), 0, 0, 'P', 'A', 'R', '1')
}

// A few bytes that decompress to more than a page may have are refused.
func TestBombsAreRefused(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := e.EncodeAll(make([]byte, 1<<26), nil)
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		t.Fatal(err)
	}
	p := &pages{f: &File{limits: limits, zstd: z}, chunk: chunk{codec: codecZstd}}
	if _, err := p.unpack(&header{kind: pageDataV2, squeezed: true, plain: 1000, compressed: len(bomb)},
		bomb); err == nil {
		t.Error("a page of 64 MB was taken where its header says 1000 bytes")
	}
	if c := cap(p.out); c > 2000 {
		t.Errorf("%d bytes were made for a page of 1000", c)
	}
	s := newTexts(Limits{Page: 1 << 20, Text: 1 << 12}, same)
	long := bytes.Repeat([]byte("x"), 1<<12)
	for i := 0; err == nil; i++ { // each is another text
		if i > 1<<9 {
			t.Fatal("a page makes any amount of text")
		}
		long[0], long[1] = byte(i), byte(i>>8)
		_, err = s.of(long)
	}
	if _, err := s.of(make([]byte, 1<<12+1)); err == nil {
		t.Error("a text of any length is taken")
	}
}

// Whatever the bytes, reading ends in rows or an error.
func FuzzRead(f *testing.F) {
	for _, n := range []int{1, 40} {
		f.Add(write(f, drawRows(n, 1), parquetgo.Compression(&parquetgo.Zstd)))
		f.Add(write(f, drawRows(n, 2), parquetgo.DataPageVersion(1)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := read[row](b)
		if err != nil {
			return
		}
		again, err := read[row](b)
		if err != nil || !cmp.Equal(rows, again, cmp.AllowUnexported(row{}), cmpopts.EquateNaNs()) {
			t.Errorf("read twice: %v", err)
		}
	})
}

// FuzzDecode feeds the decoders behind the checksums.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint16(10), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, n uint16, width uint8) {
		_ = hybrid(b, int(width), int(n), func(i int, v uint32) error {
			if i >= int(n) || width < 32 && uint64(v) >= 1<<width && width%8 == 0 {
				t.Errorf("value %d of %d: %d", i, n, v)
			}
			return nil
		})
		if _, out, err := delta(b, int(n), true, nil); err == nil && len(out) != int(n) {
			t.Errorf("%d values, want %d", len(out), n)
		}
		_, _, _ = delta(b, int(n), false, nil)
		s := newTexts(Limits{Page: 1 << 16, Text: 1 << 10}, same)
		_, _ = s.deltaTexts(b, int(n), nil)
		_, _ = s.plainTexts(b, int(n), nil)
		_, _ = plainNumbers(b, int(n), Double, nil)
		th := &thrift{b: b}
		th.skip(thriftStruct)
		_, _ = parseHeader(&thrift{b: b}, 1<<20)
	})
}

func BenchmarkRead(b *testing.B) {
	data := write(b, drawRows(1<<16, 1), parquetgo.Compression(&parquetgo.Zstd))
	b.SetBytes(int64(len(data)))
	b.Run("ours", func(b *testing.B) {
		cpu := machinetest.Start(b)
		for b.Loop() {
			if _, err := read[row](data); err != nil {
				b.Fatal(err)
			}
		}
		cpu.Report()
	})
	b.Run("library", func(b *testing.B) {
		cpu := machinetest.Start(b)
		defer cpu.Report()
		for b.Loop() {
			r := parquetgo.NewGenericReader[row](bytes.NewReader(data))
			rows := make([]row, batch)
			for n := 0; n < 1<<16; {
				k, _ := r.Read(rows)
				n += k
			}
		}
	})
}

// A reader goes on with the first row of the group that it is sent to, from wherever it was, also in the middle of one.
func TestSeekGoesToAGroup(t *testing.T) {
	rows := drawRows(350, 9)
	b := write(t, rows, parquetgo.MaxRowsPerRowGroup(100))
	r := readerOf(t, b)
	for _, group := range []int{2, 0, 3, 3, 1} {
		r.Seek(group)
		some, err := r.Next()
		if err != nil || len(some) == 0 || some[0].ID != int64(100*group) {
			t.Errorf("group %d: %d rows, %v", group, len(some), err)
		}
	}
}
