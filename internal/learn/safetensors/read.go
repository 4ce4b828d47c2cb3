package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Read reads a file from its bytes. It refuses one that breaks a rule of the layout, that has no
// checksum, or another one. The error says where and what would be accepted, and does not name the
// file.
func Read(b []byte) (*File, error) {
	n, err := headerOf(b, int64(len(b)))
	if err != nil {
		return nil, err
	}
	head, data := b[lengthBytes:lengthBytes+n], b[lengthBytes+n:]
	f, places, err := parseHeader(head)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	// The length first: of a file that was cut off it says more than the checksum.
	if err := f.place(places, int64(len(data))); err != nil {
		return nil, err
	}
	if err := f.check(b[:lengthBytes+n], data); err != nil {
		return nil, err
	}
	for i := range f.Tensors {
		from := data[places[i].from:places[i].to]
		f.Tensors[i].Data = make([]float32, len(from)/elemBytes)
		for k := range f.Tensors[i].Data {
			f.Tensors[i].Data[k] = math.Float32frombits(binary.LittleEndian.Uint32(from[elemBytes*k:]))
		}
	}
	return f, nil
}

// Fits reads the header alone, and holds it against the length of the file: what Read would refuse
// for that is known before the data are read.
func Fits(r io.Reader, length int64) error {
	var size [lengthBytes]byte
	got, err := io.ReadFull(r, size[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	n, err := headerOf(size[:got], length)
	if err != nil {
		return err
	}
	head := make([]byte, n)
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	f, places, err := parseHeader(head)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return f.place(places, length-lengthBytes-n)
}

// headerOf returns how long the header is, of a file's first bytes.
func headerOf(b []byte, length int64) (int64, error) {
	if len(b) < lengthBytes {
		return 0, fmt.Errorf("the file ends after %d bytes, want %d for the length of the header", len(b), lengthBytes)
	}
	n := binary.LittleEndian.Uint64(b)
	switch left := uint64(length - lengthBytes); {
	case n > maxHeader:
		return 0, fmt.Errorf("a header of %d bytes, want at most %d", n, maxHeader)
	case n > left:
		return 0, fmt.Errorf("the file ends inside its header, after %d of %d bytes", left, n)
	}
	return int64(n), nil
}

// span is where a tensor's data lie.
type span struct{ from, to int64 }

// check holds the checksum against the bytes, and takes it out of the metadata.
func (f *File) check(head, data []byte) error {
	want, ok := f.Metadata[checksumKey]
	if !ok {
		return fmt.Errorf("no %s in %s, want the checksum with which the file was written", checksumKey, metadataKey)
	}
	digits := []byte(`"` + want + `"`)
	if len(want) != len(noChecksum) || bytes.Count(head, digits) != 1 {
		return fmt.Errorf("checksum %q, want %d hexadecimal digits that stand there once", want, len(noChecksum))
	}
	sum := sha256.New()
	before, after, _ := bytes.Cut(head, digits)
	for _, part := range [][]byte{before, []byte(`"` + noChecksum + `"`), after, data} {
		sum.Write(part)
	}
	if got := hexadecimal(sum); got != want {
		return fmt.Errorf("the file is damaged: its SHA-256 is %s, it was written with %s", got, want)
	}
	delete(f.Metadata, checksumKey)
	return nil
}

// place holds that the tensors cover so many bytes of data without a hole or an overlap, and puts
// them in the order of their data.
func (f *File) place(places []span, length int64) error {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if places[a].from != places[b].from {
			return int(min(max(places[a].from-places[b].from, -1), 1))
		}
		return int(min(max(places[a].to-places[b].to, -1), 1))
	})
	tensors, sorted, at := make([]Tensor, len(order)), make([]span, len(order)), int64(0)
	for i, k := range order {
		tensors[i], sorted[i] = f.Tensors[k], places[k]
		if s := sorted[i]; s.from != at {
			return fmt.Errorf("tensor %q lies at %d of the data, want %d, where the one before it ends",
				tensors[i].Name, s.from, at)
		}
		at = sorted[i].to
	}
	copy(places, sorted)
	f.Tensors = tensors
	if at != length {
		return fmt.Errorf("%d bytes of data, want %d: the file was cut off, or something follows it", length, at)
	}
	return nil
}

// parseHeader reads the JSON, key by key, because a key that comes twice would hide another.
func parseHeader(head []byte) (*File, []span, error) {
	if len(head) == 0 || head[0] != '{' {
		return nil, nil, errors.New("does not begin with {")
	}
	d := json.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields()
	d.Token() // the {
	f, seen := &File{Metadata: map[string]string{}}, map[string]bool{}
	var places []span
	for d.More() {
		name, err := key(d, seen)
		if err != nil {
			return nil, nil, err
		}
		if name == metadataKey {
			if f.Metadata, err = parseMetadata(d); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", metadataKey, err)
			}
			continue
		}
		t, s, err := parseTensor(d)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		t.Name = name
		f.Tensors, places = append(f.Tensors, t), append(places, s)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, plain(err)
	}
	if rest := head[d.InputOffset():]; strings.Trim(string(rest), " ") != "" {
		return nil, nil, fmt.Errorf("%q follows it, want spaces at most", rest[:min(len(rest), 16)])
	}
	return f, places, nil
}

// key reads the next key of an object.
func key(d *json.Decoder, seen map[string]bool) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", plain(err)
	}
	name := t.(string) // the decoder takes nothing else here
	if seen[name] {
		return "", fmt.Errorf("%q comes twice", name)
	}
	seen[name] = true
	return name, nil
}

func parseMetadata(d *json.Decoder) (map[string]string, error) {
	t, err := d.Token()
	if err != nil {
		return nil, plain(err)
	}
	if t != json.Delim('{') {
		return nil, fmt.Errorf("is %v, want an object", t)
	}
	meta, seen := map[string]string{}, map[string]bool{}
	for d.More() {
		name, err := key(d, seen)
		if err != nil {
			return nil, err
		}
		v, err := d.Token()
		if err != nil {
			return nil, plain(err)
		}
		text, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("%q is %v, want text", name, v)
		}
		meta[name] = text
	}
	_, err = d.Token()
	return meta, plain(err)
}

func parseTensor(d *json.Decoder) (t Tensor, s span, err error) {
	var e struct {
		DType   *string  `json:"dtype"`
		Shape   *[]int   `json:"shape"`
		Offsets *[]int64 `json:"data_offsets"`
	}
	if err := d.Decode(&e); err != nil {
		return t, s, plain(err)
	}
	switch {
	case e.DType == nil || e.Shape == nil || e.Offsets == nil || len(*e.Offsets) != 2:
		return t, s, errors.New("want dtype, shape and two data_offsets")
	case *e.DType != dtype:
		return t, s, fmt.Errorf("dtype %q, want %s", *e.DType, dtype)
	}
	n, err := elements(*e.Shape)
	if err != nil {
		return t, s, err
	}
	s = span{(*e.Offsets)[0], (*e.Offsets)[1]}
	if s.from < 0 || s.to < s.from || s.to-s.from != elemBytes*n {
		return t, s, fmt.Errorf("data_offsets %d to %d, want %d bytes for shape %v", s.from, s.to, elemBytes*n, *e.Shape)
	}
	return Tensor{Shape: *e.Shape}, s, nil
}

// plain is an error of the JSON decoder in words: at the end of the header it says EOF.
func plain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("ends within its JSON")
	}
	return err
}
