package shown

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns JSON with the same value, in which the hidden characters of its strings are \u
// escapes (RFC 8259, section 7). Other bytes stay: those between strings are ASCII in all JSON.
func JSON(b []byte) []byte {
	return rewritten(b, func(out []byte, r rune) []byte {
		if r < 0x10000 {
			return appendUnit(out, r)
		}
		high, low := utf16.EncodeRune(r)
		return appendUnit(appendUnit(out, high), low)
	})
}

// VisibleJSON returns JSON whose strings are as Lines has them: what a page shows of it is text
// with visible escapes.
func VisibleJSON(b []byte) []byte {
	visibly := func(out []byte, r rune) []byte {
		return append(append(out, '\\'), escape(r, string(r))...)
	}
	b = rewritten(b, visibly)
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	var out []byte
	for i := 0; i < len(b); {
		if b[i] != '\\' || i+1 == len(b) {
			out, i = append(out, b[i]), i+1
			continue
		}
		r, size := control(b[i:])
		if size > 0 && Hidden(r) && !strings.ContainsRune(layout, r) {
			out = visibly(out, r)
		} else {
			size = max(size, 2)
			out = append(out, b[i:i+size]...)
		}
		i += size
	}
	return out
}

// control reads an escape of JSON that may stand for something hidden; size 0 of others.
func control(b []byte) (r rune, size int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'r':
		return '\r', 2
	}
	if r = unit(b); r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, unit(b[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

// unit reads \uXXXX, -1 if b begins with something else.
func unit(b []byte) rune {
	if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
		if v, err := strconv.ParseUint(string(b[2:6]), 16, 16); err == nil {
			return rune(v)
		}
	}
	return -1
}

// rewritten puts write's bytes in place of each hidden character that stands in b as it is.
func rewritten(b []byte, write func([]byte, rune) []byte) []byte {
	const between = layout + "\r" // of JSON's own blanks
	n := visible(b, between)
	if n == len(b) {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for len(b) > 0 {
		out, b = append(out, b[:n]...), b[n:]
		if len(b) > 0 {
			r, size := utf8.DecodeRune(b)
			out, b = write(out, r), b[size:]
		}
		n = visible(b, between)
	}
	return out
}

func appendUnit(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
