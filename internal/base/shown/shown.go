package shown

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character does something else than be seen in its own place.
func Hidden(r rune) bool {
	switch {
	case r >= ' ' && r <= '~':
		return false
	case r < 0xa0:
		return true // C0, DEL, C1
	case r == utf8.RuneError:
		return false // it is seen; bytes that are no UTF-8 are told by their width
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
		return true // noncharacters
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Text returns a text of one line, in which every hidden character is an escape.
func Text(s string) string { return escaped(s, "") }

// Lines returns a text of several lines: line feeds and tabs stay.
func Lines(s string) string { return escaped(s, layout) }

// layout is what may stand between characters that are seen.
const layout = "\n\t"

// escaped returns s itself where there is nothing to do.
func escaped(s, allowed string) string {
	n := visible(s, allowed)
	if n == len(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		b.WriteString(s[:n])
		if s = s[n:]; s != "" {
			r, size := utf8.DecodeRuneInString(s)
			b.WriteString(escape(r, s[:size]))
			s = s[size:]
		}
		n = visible(s, allowed)
	}
	return b.String()
}

// visible returns how many bytes come before the first that is hidden.
func visible[T string | []byte](s T, allowed string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c <= '~' {
			i++
			continue
		}
		r, size := decode(s[i:])
		if r == utf8.RuneError && size == 1 || Hidden(r) && !strings.ContainsRune(allowed, r) {
			return i
		}
		i += size
	}
	return len(s)
}

func decode[T string | []byte](s T) (rune, int) {
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
}

// escape is how a character is shown; of a byte that is no UTF-8, the byte.
func escape(r rune, bytes string) string {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		return fmt.Sprintf(`\x%02x`, bytes[0])
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
