package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// List is a list of JSON whose elements are read one by one: it ends at the first that is none of them. A list that is
// read at once has room made for every element first, whatever it is: of two bytes, hundreds.
type List[T any] []T

// UnmarshalJSON reads a list, or null.
func (l *List[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	if string(b) == "null" {
		return nil
	}
	if b = bytes.TrimSpace(b); len(b) < 2 || b[0] != '[' {
		return errors.New("want a list of objects")
	}
	all := List[T]{}
	for rest := b[1 : len(b)-1]; len(rest) > 0; {
		element, after := first(rest)
		rest = after
		if element = bytes.TrimSpace(element); len(element) == 0 {
			break // of an empty list: two commas are no JSON
		}
		var one T
		if err := json.Unmarshal(element, &one); err != nil {
			return fmt.Errorf("element %d: %w", len(all), err)
		}
		all = append(all, one)
	}
	*l = all
	return nil
}

// first cuts a list's text behind its first element. It is JSON: who calls has looked.
func first(text []byte) (element, rest []byte) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			return text[:i], text[i+1:]
		}
	}
	return text, nil
}

// Check is how many objects a text may have whose objects are written with many keys.
func Check(b []byte) error {
	if n, most := bytes.Count(b, []byte("{")), 64<<10+len(b)/100; n > most {
		return fmt.Errorf("holds %d objects in %d bytes, want at most %d", n, len(b), most)
	}
	return nil
}
