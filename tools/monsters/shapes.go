package main

import (
	"bufio"
	"fmt"
	"strings"
)

// A shape is a text that goes on for as long as there is room, after the head of its kind.
type shape struct {
	name  string
	write func(w *writer, k *kind)
}

// writer counts what it writes, so that a shape ends at the bound.
type writer struct {
	*bufio.Writer
	left int64
}

// put writes a text if there is room.
func (w *writer) put(text string) bool {
	if int64(len(text)) > w.left {
		return false
	}
	w.left -= int64(len(text))
	w.WriteString(text)
	return true
}

// fill repeats a text.
func (w *writer) fill(text string) {
	many := strings.Repeat(text, max(1, 4096/len(text)))
	for w.put(many) {
	}
	for w.put(text) {
	}
}

// each writes what f returns for 0, 1, ...
func (w *writer) each(f func(i int) string) {
	for i := 0; w.put(f(i)); i++ {
	}
}

// of is a shape that repeats a text after a beginning.
func of(name, begin, text string) shape {
	return shape{name, func(w *writer, _ *kind) { w.put(begin); w.fill(text) }}
}

// shapes are texts that programs take long for, or much memory.
var shapes = []shape{
	of("blank lines", "", "\n"), of("CRLF lines", "", "\r\n"), of("lone CR", "", "\r"), of("one line of letters", "", "x"),
	of("one line of words", "", "x "), of("one line of blanks", "", " "), of("tabs", "", "\t"), of("NULs", "", "\x00"),
	of("byte order marks", "", "\ufeff"), of("invalid UTF-8", "", "\xff"), of("combining marks", "a", "\u0301"),
	of("bidirectional controls", "", "\u202e"), of("escapes", "", "\x1b[2J"), of("double quotes", "", `"`),
	of("single quotes", "", "'"), of("an open quote", `"`, "x\n"), of("backslashes", `"`, `\`), of("brackets", "",
		"["), of("braces", "", "{"),
	of("key and brackets", "", `{"a":[`), of("empty pairs", "", "[],"), of("parentheses", "", "("), of("tags", "", "<a>"),
	of("attributes", "<a ", `b="c" `), of("commas", "", ","), of("colons", "", "a: "), of("dashes", "", "- "),
	of("digits", "1", "9"),
	of("minus signs", "1", "-1"), of("lines of a letter", "", "x\n"), of("lines of a number", "", "1\n"),
	of("comments", "", "# x\n"),
	of("one comment", "#", "x"), of("comments of !", "", "!\n"), of("closed braces", "", "}\n"), of("slashes", "", "/*"),
	{"deeper and deeper", func(w *writer, _ *kind) {
		w.each(func(i int) string {
			return strings.Repeat(" ",
				i) + "a:\n"
		})
	}},
	{"distinct keys", func(w *writer, _ *kind) { w.each(func(i int) string { return fmt.Sprintf("key%d: 1\n", i) }) }},
	{"one key", func(w *writer, _ *kind) { w.fill("key: 1\n") }},
	{"keys of JSON", func(w *writer, _ *kind) { w.each(func(i int) string { return fmt.Sprintf("\"key%d\": {},\n", i) }) }},
	{"words of lines", func(w *writer, _ *kind) {
		w.each(func(i int) string {
			return fmt.Sprintf("a%d b%d c%d\n",
				i, i, i)
		})
	}},
	{"good lines", func(w *writer, k *kind) { w.each(k.good) }},
	{"one good line", func(w *writer, k *kind) { w.fill(k.good(1)) }},
	{"bad lines", func(w *writer, k *kind) {
		w.each(func(i int) string { return strings.TrimSuffix(k.good(i), "\n") + " \u202e?\n" })
	}},
	{"good lines, CRLF", func(w *writer, k *kind) {
		w.each(func(i int) string { return strings.ReplaceAll(k.good(i), "\n", "\r\n") })
	}},
	{"a good line with a long name", func(w *writer, k *kind) {
		line := k.good(77777)
		before, after, _ := strings.Cut(line, "77777")
		w.put(before)
		w.left -= int64(len(after))
		w.fill("n")
		w.left += int64(len(after))
		w.put(after)
	}},
	{"a good line with a wide name", func(w *writer, k *kind) {
		before, after, _ := strings.Cut(k.good(77777), "77777")
		w.put(before)
		w.left -= int64(len(after))
		w.fill("é\u0301")
		w.left += int64(len(after))
		w.put(after)
	}},
}
