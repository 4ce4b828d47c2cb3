package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a scenario file. The parser's time grows with the square of the
// tokens on some inputs, so they are counted first.
const (
	MaxBytes  = 1_000_000
	maxDepth  = 64
	maxTokens = 100_000
	maxKeys   = 10_000 // of a group: the parser's time grows with their square
)

// A span is where something stands in the file.
type span struct{ line, column, width int }

// problem makes a problem at a place of a file. What stands at the place of a change is about the
// change.
func (at span) problem(file, path, message, hint string) located.Problem {
	if at == settled {
		return located.Problem{File: file, Path: path, Message: message, Hint: hint, Set: true}
	}
	return located.Problem{File: file, Line: at.line, Column: at.column, Width: at.width, Path: path,
		Message: message, Hint: hint}
}

// shape is what a node is.
type shape uint8

const (
	scalarShape shape = iota
	mappingShape
	sequenceShape
)

// A node is the part of a YAML tree that scenarios use, with positions.
type node struct {
	shape   shape
	at      span
	text    string // scalar: its value as text
	quoted  bool   // scalar: in quotes, so it is text whatever it looks like
	entries []entry
	items   []*node
}

// An entry is one key of a mapping with its value.
type entry struct {
	key   string
	at    span
	value *node
}

// readTree bounds, checks and parses src, the text of a scenario.
func readTree(file string, src []byte) (*node, located.Problems) {
	return readTreeOf("scenario", file, src)
}

// readTreeOf is readTree of a text that is called something else.
func readTreeOf(noun, file string, src []byte) (*node, located.Problems) {
	r := &reader{file: file, noun: noun}
	if len(src) > MaxBytes {
		r.problem(span{1, 1, 1}, fmt.Sprintf("%d bytes or more: a %s has at most %d (1 MB)", len(src), noun,
			MaxBytes), "")
		return nil, r.problems
	}
	src = bytes.TrimPrefix(src, located.BOM)
	if r.characters(src); len(r.problems) > 0 {
		return nil, r.problems
	}
	r.lines = strings.Split(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
	return r.parse(strings.Join(r.lines, "\n")), r.problems
}

// A reader turns text into a tree and collects what is wrong with the text.
type reader struct {
	file     string
	noun     string // what the text is
	lines    []string
	widths   []int // of lines, in characters, once they were asked for
	problems located.Problems
}

func (r *reader) problem(at span, message, hint string) {
	r.problems = append(r.problems, at.problem(r.file, "", message, hint))
}

// characters reports bytes that a scenario must not hold.
func (r *reader) characters(src []byte) {
	for i, line := range bytes.Split(src, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		column, comment := 1, false
		for j := 0; j < len(line); {
			c, size := utf8.DecodeRune(line[j:])
			comment = comment || c == '#' && (j == 0 || line[j-1] == ' ' || line[j-1] == '\t')
			at := span{i + 1, column, 1}
			switch {
			case c == utf8.RuneError && size == 1:
				r.problem(at, fmt.Sprintf("byte 0x%02x is not UTF-8", line[j]), "save the file as UTF-8")
				return // a file in another encoding is wrong everywhere
			case c == '\t' && !comment:
				r.problem(at, "tab character: YAML wants spaces", "replace the tab with spaces")
			case c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff:
				r.problem(at, fmt.Sprintf("control character U+%04X", c), "")
			}
			if r.problems.Full() {
				return
			}
			j += size
			column++
		}
	}
}

// parse tokenises, bounds and refuses by token, and only then parses.
func (r *reader) parse(src string) *node {
	tokens := tokenized(src)
	if len(tokens) > maxTokens {
		at := r.span(tokens[maxTokens])
		r.problem(at, fmt.Sprintf("more than %d tokens: the file is too large for a %s", maxTokens, r.noun), "")
		return nil
	}
	if !r.depth(tokens) {
		return nil
	}
	for _, t := range tokens {
		// Finding the place of each takes time in proportion to its line, and nobody reads more.
		if r.refuse(t); r.problems.Full() {
			break
		}
	}
	if len(r.problems) > 0 {
		return nil
	}
	file, err := parseTokens(tokens)
	if err != nil {
		r.syntax(err)
		return nil
	}
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	if len(bodies) == 0 {
		return &node{shape: mappingShape, at: span{1, 1, 1}}
	}
	if len(bodies) > 1 {
		r.problem(r.span(bodies[1].GetToken()), "a second document: a "+r.noun+" is one document", "")
		return nil
	}
	return r.node(bodies[0])
}

// tokenized is the tokens of a text, or more than maxTokens of its first: a token takes hundreds of bytes, and nobody reads
// more of them.
func tokenized(src string) token.Tokens {
	marks := 0
	for i := range len(src) {
		if strings.IndexByte("[]{},:-", src[i]) >= 0 {
			marks++
		}
	}
	if marks > maxTokens {
		for n := 2 * maxTokens; n < len(src); n *= 2 {
			if first := lexer.Tokenize(strings.ToValidUTF8(src[:n], "")); len(first) > maxTokens+1 {
				return first // the last may be cut
			}
		}
	}
	return lexer.Tokenize(src)
}

// parseTokens calls the parser. It is not ours: should it panic on an input, that
// input is a scenario that cannot be read, not a crash.
func parseTokens(tokens token.Tokens) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("the YAML parser failed on this input: %v", p)
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// refused says which parts of YAML a scenario does not use.
var refused = map[token.Type][2]string{
	token.AnchorType:         {"an anchor (&)", "write the value out"},
	token.AliasType:          {"an alias (*)", "write the value out, or put it in quotes if it is text"},
	token.TagType:            {"a tag (!)", "remove it, or put the value in quotes if it is text"},
	token.MergeKeyType:       {"a merge key (<<)", "write the keys out"},
	token.DirectiveType:      {"a directive (%)", "remove it, or put the value in quotes if it is text"},
	token.LiteralType:        {"block text (|)", "write the value on one line"},
	token.FoldedType:         {"block text (>)", "write the value on one line"},
	token.MappingKeyType:     {"an explicit key (?)", "write key: value"},
	token.DocumentHeaderType: {"a second document (---)", "remove the line"},
}

func (r *reader) refuse(t *token.Token) {
	what, ok := refused[t.Type]
	if !ok || t.Type == token.DocumentHeaderType && r.first(t) {
		return
	}
	if t.Type == token.DocumentHeaderType {
		what[0] += ": a " + r.noun + " is one document"
	} else {
		what[0] += ": not accepted in a " + r.noun
	}
	r.problem(r.span(t), what[0], what[1])
}

// first reports whether nothing but comments stands before t.
func (r *reader) first(t *token.Token) bool {
	for p := t.Prev; p != nil; p = p.Prev {
		if p.Type != token.CommentType {
			return false
		}
	}
	return true
}

// depth bounds nesting as the parser will see it: open brackets, and in block style the columns at
// which sequences and mappings begin. It bounds the keys of a mapping in block style, too.
func (r *reader) depth(tokens token.Tokens) bool {
	flow, columns, keys := 0, []int{}, []int{} // keys of the mapping at each column
	for _, t := range tokens {
		opens, entry := false, 0
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(flow-1, 0)
		case token.SequenceEntryType, token.MappingKeyType:
			opens = true
		default:
			if opens = t.Next != nil && t.Next.Type == token.MappingValueType; opens {
				entry = 1
			}
		}
		if opens && flow == 0 && t.Position != nil {
			for len(columns) > 0 && columns[len(columns)-1] >= t.Position.Column {
				if last := len(columns) - 1; columns[last] == t.Position.Column {
					entry += keys[last]
				}
				columns, keys = columns[:len(columns)-1], keys[:len(columns)-1]
			}
			columns, keys = append(columns, t.Position.Column), append(keys, entry)
			if entry > maxKeys {
				r.problem(r.span(t), fmt.Sprintf("more than %d keys in one group: this is no %s", maxKeys, r.noun), "")
				return false
			}
		}
		if flow+len(columns) > maxDepth {
			r.problem(r.span(t), fmt.Sprintf("nested deeper than %d", maxDepth), "")
			return false
		}
	}
	return true
}

// syntax reports what the parser says.
func (r *reader) syntax(err error) {
	at, message := span{1, 1, 1}, ""
	var e yaml.Error
	if errors.As(err, &e) {
		message = e.GetMessage() // its Error prints all tokens, in time that grows with their square
		if t := e.GetToken(); t != nil {
			at = r.span(t)
		}
	} else {
		message = err.Error()
	}
	message, _, _ = strings.Cut(message, "\n")
	if ends := bareEnds.FindString(r.lines[at.line-1]); strings.Contains(ends, "[") {
		r.problem(at, "not YAML: "+message, "a bracket begins a list: put ends in quotes: \""+ends+"\"")
		return
	}
	for _, known := range slips {
		if strings.Contains(message, known.said) {
			r.problem(at, "not YAML: "+known.means, known.hint)
			return
		}
	}
	r.problem(at, "not YAML: "+message, "look for a missing space after ':', a bracket or quote left open, or a "+
		"line that is indented differently")
}

// slips are what the parser says of the commonest mistakes, and what they are.
var slips = []struct{ said, means, hint string }{
	{"could not find flow mapping end token", "a { that is never closed", "put } where its keys end"},
	{"sequence end token ']' not found", "a [ that is never closed", "put ] where its entries end"},
	{"non-map value is specified", "a word alone where keys stand", "a key has a colon behind it, KEY: VALUE"},
	{"value is not allowed in this context", "a value where none can stand",
		"lines of one group begin in one column, those inside it further to the right; a key has a colon and a blank behind it"},
}

// bareEnds is several ends that are not in quotes (a quote begins no word that it finds).
var bareEnds = regexp.MustCompile(`\bhost(\[[-0-9,* ]*\]|[0-9]+)/(gpu|nic)(\[[-0-9,* ]*\]|[0-9]+)`)

// span returns where t stands, within the text.
func (r *reader) span(t *token.Token) span {
	if t == nil || t.Position == nil {
		return span{1, 1, 1}
	}
	line := min(max(t.Position.Line, 1), max(len(r.lines), 1))
	rest := r.width(line) + 1
	at := span{line, min(max(t.Position.Column, 1), rest), utf8.RuneCountInString(t.Value)}
	if t.Type == token.DoubleQuoteType || t.Type == token.SingleQuoteType {
		at.width += 2
	}
	at.width = max(1, min(at.width, rest-at.column))
	return at
}

// width returns how many characters a line has. Each is counted once: a line may be the whole text.
func (r *reader) width(line int) int {
	if r.widths == nil {
		r.widths = make([]int, len(r.lines))
	}
	if w := &r.widths[line-1]; *w == 0 {
		*w = utf8.RuneCountInString(r.lines[line-1])
	}
	return r.widths[line-1]
}

// node turns the parser's tree into ours.
func (r *reader) node(n ast.Node) *node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n.GetToken(), n.IsFlowStyle, n.Values)
	case *ast.MappingValueNode:
		return r.mapping(n.Key.GetToken(), false, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		out := &node{shape: sequenceShape, at: r.span(n.GetToken())}
		for _, v := range n.Values {
			out.items = append(out.items, r.node(v))
		}
		return out
	case ast.ScalarNode:
		t := n.GetToken()
		out := &node{at: r.span(t), text: t.Value}
		out.quoted = t.Type == token.DoubleQuoteType || t.Type == token.SingleQuoteType
		if t.Type == token.ImplicitNullType {
			out.text = ""
		}
		return out
	}
	r.problem(r.span(n.GetToken()), fmt.Sprintf("a %s: not accepted in a %s",
		strings.ToLower(n.Type().YAMLName()), r.noun), "")
	return &node{at: r.span(n.GetToken())}
}

func (r *reader) mapping(at *token.Token, flow bool, values []*ast.MappingValueNode) *node {
	out := &node{shape: mappingShape, at: r.span(at)}
	if !flow && len(values) > 0 {
		out.at = r.span(values[0].Key.GetToken()) // the token of a block mapping is its first colon
	}
	for _, v := range values {
		if _, ok := v.Key.(ast.ScalarNode); !ok {
			r.problem(r.span(v.Key.GetToken()), "a key must be a name", "")
			continue
		}
		t := v.Key.GetToken()
		out.entries = append(out.entries, entry{t.Value, r.span(t), r.node(v.Value)})
	}
	return out
}

// What unquoted text means in YAML (1.2.2 section 10.3.2, and numbers of YAML 1.1).
var (
	nullText   = regexp.MustCompile(`^(~|null|Null|NULL|)$`)
	boolText   = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	numberText = regexp.MustCompile(`^([-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?|` +
		`[-+]?0[xX][0-9a-fA-F_]+|[-+]?0[oO][0-7_]+|[-+]?0[bB][01_]+|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	decimalText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
)

func (n *node) null() bool {
	return n.shape == scalarShape && !n.quoted && nullText.MatchString(n.text)
}
func (n *node) bool() bool {
	return n.shape == scalarShape && !n.quoted && boolText.MatchString(n.text)
}
func (n *node) number() bool {
	return n.shape == scalarShape && !n.quoted && (numberText.MatchString(n.text) || oddNumber(n.text))
}

// oddNumber reports whether the parser takes unquoted text for a number, and no version of YAML does: +-8, 0_x8. What else
// reads YAML with this parser would have another value than others have.
func oddNumber(text string) bool { return !numberText.MatchString(text) && token.ToNumber(text) != nil }
