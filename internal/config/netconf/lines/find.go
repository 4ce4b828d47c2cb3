package lines

import (
	"strings"

	"railyard/internal/base/located"
)

// find returns the rule for a line, how deep its block is, and which words are arguments. No rule: it is known in the
// block of that depth; -1: it is not.
func (r *reading[S]) find(words []located.Word) (rule *Rule[S], depth int, args []int) {
	for depth = len(r.open) - 1; depth >= 0; depth-- {
		block := r.open[depth]
		x := r.indexes[block]
		if x == nil {
			x = indexOf(block)
			if r.indexes == nil {
				r.indexes = map[*Block[S]]*index{}
			}
			r.indexes[block] = x
		}
		list, named := x.by[words[0].Text]
		if !named {
			list = x.any
		}
		for _, c := range list {
			at, ok := c.match(words)
			switch {
			case !ok:
			case c.rule < 0:
				return nil, depth, nil
			default:
				return &block.Rules[c.rule], depth, at
			}
		}
	}
	return nil, -1, nil
}

// An index is the commands of a block by their first word: a line is held against those alone that may match it. Each list
// has those too that begin with a word in capitals or with *, and is in the order of the rules.
type index struct {
	by  map[string][]*command
	any []*command // for other first words
}

// A command is a pattern in words.
type command struct {
	rule   int // of the block; -1: it is known, and of no matter
	begins bool
	words  []word
}

// A word of a pattern: one that is text, begins with text, or is any (of several: to the end of the line).
type word struct {
	kind wordKind
	text string
}

type wordKind uint8

const (
	literal wordKind = iota
	beginning
	anyWord
	rest
)

func indexOf[S any](b *Block[S]) *index {
	all := make([]*command, 0, len(b.Rules)+len(b.Known))
	for i := range b.Rules {
		all = append(all, &command{rule: i, words: wordsOf(b.Rules[i].Pattern)})
	}
	for _, prefix := range b.Known {
		all = append(all, &command{rule: -1, begins: true, words: wordsOf(prefix)})
	}
	x := &index{by: map[string][]*command{}}
	for _, c := range all {
		if c.named() {
			x.by[c.words[0].text] = nil
		}
	}
	for _, c := range all {
		if c.named() {
			x.by[c.words[0].text] = append(x.by[c.words[0].text], c)
			continue
		}
		x.any = append(x.any, c)
		for name := range x.by {
			x.by[name] = append(x.by[name], c)
		}
	}
	return x
}

// named reports whether a command begins with a word of its own.
func (c *command) named() bool { return len(c.words) > 0 && c.words[0].kind == literal }

func wordsOf(pattern string) (all []word) {
	for p := range strings.FieldsSeq(pattern) {
		w := word{literal, p}
		switch {
		case strings.HasSuffix(p, "..."):
			w.kind = rest
		case strings.HasSuffix(p, "*"):
			w = word{beginning, p[:len(p)-1]}
		case p == strings.ToUpper(p) && strings.ContainsAny(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
			w.kind = anyWord
		}
		all = append(all, w)
	}
	return all
}

// match holds a line's words against a command's. args are those that stand for others.
func (c *command) match(words []located.Word) (args []int, ok bool) {
	for i := range c.words {
		w := &c.words[i]
		switch {
		case i >= len(words):
			return nil, false
		case w.kind == rest:
			return append(args, i), true
		case w.kind == literal && w.text != words[i].Text, w.kind == beginning && !strings.HasPrefix(words[i].Text, w.text):
			return nil, false
		case w.kind != literal:
			args = append(args, i)
		}
	}
	return args, c.begins || len(c.words) == len(words)
}
