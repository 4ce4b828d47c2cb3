package scenario

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// ofOurs returns the problems of a text in order. Of a text that is likely another file, named by
// mistake, there is one, and it shows none of its words.
func ofOurs(ps located.Problems, file, noun string, src []byte, keys *Key) error {
	if what := otherwise(src); what != "" && noun == "scenario" {
		return located.Problems{{File: file, Message: "is " + what + ", no scenario",
			Hint: "railyard lint reads configurations of switches"}}
	}
	if foreign(src, keys) {
		p := located.Problem{File: file, Message: "holds no key of a " + noun + ", want " + located.OneOf(keys.names())}
		switch first, _, _ := bytes.Cut(src, []byte("\n")); {
		case bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")):
			p.Message, p.Hint = "holds no key of a "+noun+" in UTF-8: it begins as UTF-16 does", "save the file as UTF-8"
		case !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0:
			p.Message, p.Hint = "holds no key of a "+noun+": it is no text", "a "+noun+" is a text in UTF-8"
		case noun == "scenario" && namesKeys(first):
			p.Hint = "a table of flows goes into a scenario: job: {flows_csv: " + located.Shown(file) + "}"
		}
		return located.Problems{p}
	}
	return ps.Sorted()
}

// otherwise says which configuration of a switch a text is, "" if it looks like none.
func otherwise(src []byte) string {
	const some = 64 << 10
	src = src[:min(len(src), some)]
	switch text := bytes.TrimSpace(src); {
	case len(text) > 0 && text[0] == '{' &&
		(bytes.Contains(text, []byte(`"DEVICE_METADATA"`)) || bytes.Contains(text, []byte(`"PORT_QOS_MAP"`))):
		return "a configuration of SONiC"
	case configured.Match(src):
		return "a configuration of a switch"
	}
	return ""
}

// configured finds what begins an interface in configurations of Cisco, Arista, FRR and Cumulus.
var configured = regexp.MustCompile(`(?m)^(interface [A-Za-z]+[0-9/]+ *\r?$|nv set interface )`)

// foreign reports whether no line of a text begins with a key that a file of ours has at its top, or
// with something like one, though there are lines. A key of ours anywhere is enough where a
// text is braces.
func foreign(src []byte, keys *Key) bool {
	said := false
	for line := range bytes.Lines(bytes.TrimPrefix(src, located.BOM)) {
		text := strings.TrimSpace(string(line[:min(len(line), 4096)]))
		if text == "" || text[0] == '#' {
			continue
		}
		said = true
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			word, _, colon := strings.Cut(strings.Trim(part, " -"), ":")
			word = strings.Trim(word, ` "'`)
			if colon && (named(keys, word) || suggest(word, keys.names()) != "") {
				return false
			}
		}
	}
	return said
}

// named reports whether a scenario or a requirement has a key of that name at its top.
func named(keys *Key, word string) bool {
	return keys.child(word) != nil || tree.child(word) != nil || requirementTree.child(word) != nil || sweepTree.child(word) != nil
}
