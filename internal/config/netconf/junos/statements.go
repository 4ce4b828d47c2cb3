package junos

import (
	"bytes"
	"slices"
	"strings"
)

// A statement is one of a configuration as a set command says it, and its line.
type statement struct {
	line int
	text string
}

// inBraces reports whether a text is what show configuration prints, rather than set commands.
func inBraces(text []byte) bool {
	for line := range bytes.Lines(text) {
		s := strings.TrimSpace(string(line))
		if strings.HasPrefix(s, "set ") || strings.HasPrefix(s, "deactivate ") {
			return false
		}
		if strings.HasSuffix(s, "{") {
			return true
		}
	}
	return false
}

// statements are those of a text in either form, groups and ranges of interfaces put where they apply.
func statements(text []byte) (all []statement, passed int) {
	if inBraces(text) {
		all, passed = braces(text)
	} else {
		n := 0
		for line := range bytes.Lines(text) {
			n++
			if s := strings.TrimSpace(string(line)); s != "" && s[0] != '#' {
				all = append(all, statement{n, strings.TrimSuffix(s, ";")})
			}
		}
	}
	return ranges(groups(all)), passed
}

// mostDeep bounds how deep blocks are.
const mostDeep = 64

// braces reads blocks: each statement that ends in ; is one, below the words before the braces around it. It counts those
// that are not active.
func braces(text []byte) (all []statement, inactive int) {
	var path, words []string
	var depth []int // how many words each block has added
	skip := 0       // depth of a block that is not active; 0: none
	number := 1
	word := []byte{}
	quoted, comment := false, false
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	trim := func() (off bool) {
		for len(words) > 0 && (words[0] == "inactive:" || words[0] == "replace:" || words[0] == "protect:") {
			off = off || words[0] == "inactive:"
			words = words[1:]
		}
		return off
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' {
			number++
		}
		switch {
		case comment:
			comment = c != '/' || text[i-1] != '*'
		case quoted:
			word = append(word, c)
			quoted = c != '"'
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			comment = true
			i++
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '"':
			word = append(word, c)
			quoted = true
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			flush()
		case c == '{':
			flush()
			if off := trim(); off && skip == 0 {
				skip = len(depth) + 1
			}
			if len(depth) >= mostDeep {
				return all, inactive
			}
			depth = append(depth, len(words))
			path = append(path, words...)
			words = nil
		case c == '}':
			flush()
			words = nil
			if n := len(depth); n > 0 {
				path = path[:len(path)-depth[n-1]]
				if skip == n {
					skip = 0
				}
				depth = depth[:n-1]
			}
		case c == ';':
			flush()
			off := trim()
			if len(words) > 0 {
				if off || skip > 0 {
					inactive++
				} else {
					all = append(all, statement{number, "set " + strings.Join(append(slices.Clone(path),
						words...), " ")})
				}
			}
			words = nil
		default:
			word = append(word, c)
		}
	}
	flush()
	if len(words) > 0 { // what nothing ends
		all = append(all, statement{number, strings.Join(append(slices.Clone(path), words...), " ")})
	}
	return all, inactive
}

// groups puts the statements of groups that apply to the whole device at its top.
func groups(all []statement) (out []statement) {
	applied := map[string]bool{}
	for _, s := range all {
		if rest, ok := strings.CutPrefix(s.text, "set apply-groups "); ok {
			for name := range strings.FieldsSeq(strings.Trim(rest, "[] ")) {
				applied[name] = true
			}
		}
	}
	for _, s := range all {
		if rest, ok := strings.CutPrefix(s.text, "set groups "); ok {
			name, below, _ := strings.Cut(rest, " ")
			if applied[name] && below != "" {
				s.text = "set " + below
			}
		}
		out = append(out, s)
	}
	return out
}

// mostMembers bounds what ranges of interfaces come to.
const mostMembers = 100_000

// ranges gives each member what is said of a range of interfaces.
func ranges(all []statement) (out []statement) {
	members := map[string][]string{}
	for _, s := range all {
		rest, ok := strings.CutPrefix(s.text, "set interfaces interface-range ")
		w := strings.Fields(rest)
		switch {
		case !ok:
		case len(w) == 3 && w[1] == "member" && !strings.ContainsAny(w[2], "*[<"):
			members[w[0]] = append(members[w[0]], strings.Trim(w[2], `"`))
		case len(w) == 5 && w[1] == "member-range" && w[3] == "to":
			members[w[0]] = append(members[w[0]], between(w[2], w[4])...)
		}
	}
	if len(members) == 0 {
		return all
	}
	for _, s := range all {
		rest, ok := strings.CutPrefix(s.text, "set interfaces interface-range ")
		name, below, _ := strings.Cut(rest, " ")
		if !ok || strings.HasPrefix(below, "member") || len(members[name]) == 0 ||
			len(out)+len(members[name]) > mostMembers {
			out = append(out, s)
			continue
		}
		for _, m := range members[name] {
			out = append(out, statement{s.line, "set interfaces " + m + " " + below})
		}
	}
	return out
}

// between lists the ports from et-0/0/0 to et-0/0/31.
func between(first, last string) (all []string) {
	at, end := strings.LastIndexByte(first, '/')+1, strings.LastIndexByte(last, '/')+1
	a, ok1 := number(first[at:])
	b, ok2 := number(last[end:])
	if !ok1 || !ok2 || b < a || b-a > 512 {
		return nil
	}
	for n := a; n <= b; n++ {
		all = append(all, first[:at]+itoa(n))
	}
	return all
}
