package lines

import "bytes"

// mostBanner bounds a text for people.
const mostBanner = 64 << 10

// WithoutBanners empties the lines of texts for people, which may look like commands. Opens says of a line which text ends
// the banner that it begins, looked for from a place in the line on; "": it begins none. One that has no end is none.
// Lines keep their numbers.
func WithoutBanners(text []byte, opens func(line []byte) (from int, end string)) []byte {
	var out []byte
	for len(text) > 0 {
		first := line(text)
		if from, end := opens(bytes.TrimRight(first, "\r\n")); end != "" {
			if n := bytes.Index(text[from:min(len(text), from+mostBanner)], []byte(end)); n >= 0 {
				n += from + len(end)
				n += len(line(text[n:]))
				out = append(out, bytes.Repeat([]byte("\n"), bytes.Count(text[:n], []byte("\n")))...)
				text = text[n:]
				continue
			}
		}
		out = append(out, first...)
		text = text[len(first):]
	}
	return out
}

// line is the first line of a text, with its end.
func line(text []byte) []byte {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return text[:n+1]
	}
	return text
}
