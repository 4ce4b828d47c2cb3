package nvue

import (
	"bytes"
	"strings"
)

// isYAML reports whether a text is what nv config show prints: a list with an item set.
func isYAML(text []byte) bool {
	for line := range bytes.Lines(text) {
		if s := strings.TrimSpace(string(line)); s != "" && s[0] != '#' {
			return strings.HasPrefix(s, "- header:") || strings.HasPrefix(s, "- set:") || s == "set:" ||
				s == "header:"
		}
	}
	return false
}

// mostDeep bounds how deep a tree is.
const mostDeep = 64

// commands are those that a tree stands for, each on the line of its leaf:
//
//   - set:
//     interface:
//     swp1:
//     link:
//     mtu: 9216      nv set interface swp1 link mtu 9216
func commands(text []byte) []byte {
	type level struct {
		indent int
		key    string
	}
	var out bytes.Buffer
	var path []level
	for raw := range bytes.Lines(text) {
		line := strings.TrimRight(string(raw), "\r\n \t")
		bare := strings.TrimLeft(line, " ")
		if bare == "" || bare[0] == '#' || bare == "---" {
			out.WriteByte('\n')
			continue
		}
		indent := len(line) - len(bare)
		for strings.HasPrefix(bare, "- ") {
			bare = strings.TrimLeft(bare[2:], " ")
			indent += 2
		}
		key, value, isKey := cut(bare)
		for len(path) > 0 && path[len(path)-1].indent >= indent {
			path = path[:len(path)-1]
		}
		if isKey && value == "" && len(path) < mostDeep {
			path = append(path, level{indent, key})
			out.WriteByte('\n')
			continue
		}
		var words []string
		for _, l := range path {
			words = append(words, l.key)
		}
		words = append(words, key)
		if value != "{}" && value != "" {
			words = append(words, value)
		}
		switch words[0] {
		case "set":
			out.WriteString("nv set " + strings.Join(words[1:], " "))
		case "header":
		default:
			out.WriteString(strings.Join(words, " "))
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// cut takes a key and its value apart.
func cut(text string) (key, value string, isKey bool) {
	clean := func(s string) string { return strings.Trim(strings.TrimSpace(s), `'"`) }
	if strings.HasSuffix(text, ":") {
		return clean(text[:len(text)-1]), "", true
	}
	if key, value, ok := strings.Cut(text, ": "); ok {
		return clean(key), clean(value), true
	}
	return clean(text), "", false
}
