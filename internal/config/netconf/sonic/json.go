package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"railyard/internal/base/located"
)

// A node is a value of a JSON text: an object with its keys in order, or a text.
type node struct {
	key   string
	line  int
	text  string
	below []*node // of an object
	plain bool    // a text or a number, not an object or a list
	list  bool
}

// deepest is how deep values may be nested: tables, objects and fields take three.
const deepest = 8

// mostValues bounds the values of a file: 512 ports have some ten thousand.
const mostValues = 200_000

// read reads a JSON object. The problem says where it is none.
func read(file string, text []byte) (*node, *located.Problem) {
	r := &jsonReader{d: json.NewDecoder(bytes.NewReader(text)), text: text, line: 1}
	r.d.UseNumber()
	n, err := r.value("", 0)
	if err == nil {
		if _, err = r.d.Token(); err == nil {
			err = errors.New("a second value, want one object")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err == nil && (n.plain || n.list) {
		err = errors.New("want an object of tables")
	}
	if err != nil {
		return nil, &located.Problem{File: file, Line: r.at(), Column: 1, Width: 1,
			Message: "not JSON of a configuration: " +
				located.Cut(err.Error())}
	}
	return n, nil
}

type jsonReader struct {
	d       *json.Decoder
	text    []byte
	line    int   // of byte counted
	counted int64 // bytes whose lines are counted
	values  int
}

// at is the line where the reader is.
func (r *jsonReader) at() int {
	end := min(r.d.InputOffset(), int64(len(r.text)))
	r.line += bytes.Count(r.text[r.counted:end], []byte("\n"))
	r.counted = end
	return r.line
}

func (r *jsonReader) value(key string, depth int) (*node, error) {
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > mostValues {
		return nil, fmt.Errorf("more than %d values", mostValues)
	}
	n := &node{key: key, line: r.at()}
	opened, ok := token.(json.Delim)
	if !ok {
		n.text, n.plain = fmt.Sprint(token), true
		return n, nil
	}
	if depth == deepest {
		return nil, fmt.Errorf("nested deeper than %d", deepest)
	}
	n.list = opened == '['
	for r.d.More() {
		name := ""
		if opened == '{' {
			k, err := r.d.Token()
			if err != nil {
				return nil, err
			}
			name, _ = k.(string)
		}
		line := r.at()
		b, err := r.value(name, depth+1)
		if err != nil {
			return nil, err
		}
		b.line = line
		n.below = append(n.below, b)
	}
	_, err = r.d.Token()
	return n, err
}

// field is the text of a field; "": it has none of that name.
func (n *node) field(name string) string {
	for _, b := range n.below {
		if b.key == name {
			return b.text
		}
	}
	return ""
}
