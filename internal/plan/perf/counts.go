package perf

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Bounds of a matrix of counts.
const (
	MaxCounts     = 8 << 20 // bytes of its text
	maxCountRanks = 1024
	maxEach       = 1 << 20 // bytes of what is counted
)

// Counts is what each rank of an all-to-all has for each other: a matrix that was measured, in tokens or bytes.
type Counts struct {
	Ranks int
	Each  int64   // bytes of one that is counted: of a token its hidden elements
	Of    []int64 // [from*Ranks+to]
}

// ParseCounts reads a matrix: a line that names its size, then a line for each rank in order, with what it has for each:
//
//	counts ranks 4 bytes 14336
//	0 12 3 9        # of rank 0, for rank 0, 1, 2, 3
//	...
//
// `#` begins a comment; empty lines and the amount of blank space do not matter. name is used in errors, which are
// located.Problems.
func ParseCounts(name string, src []byte) (*Counts, error) {
	if len(src) > MaxCounts {
		return nil, located.Problems{{File: name, Message: fmt.Sprintf("%d bytes, want at most %d", len(src), MaxCounts)}}
	}
	if err := located.LongLine(name, src); err != nil {
		return nil, err
	}
	p := countsParser{name: name}
	var words []located.Word
	for line := range strings.SplitSeq(string(bytes.TrimPrefix(src, located.BOM)), "\n") {
		p.line++
		line, _, _ = strings.Cut(line, "#")
		if words = located.AppendWords(words[:0], line); len(words) == 0 {
			continue
		}
		if p.of == nil {
			if !p.header(words) {
				return nil, p.problems.Err()
			}
			continue
		}
		if p.row(words); p.problems.Full() {
			break
		}
	}
	switch {
	case len(p.problems) > 0:
	case p.of == nil:
		p.none()
	case p.rows < p.of.Ranks:
		p.problems = located.Problems{{File: name, Message: fmt.Sprintf("%d lines of counts, want one for each of the %d ranks",
			p.rows, p.of.Ranks)}}
	}
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	return p.of, nil
}

type countsParser struct {
	name     string
	line     int
	of       *Counts // nil before the line that names its size
	rows     int
	problems located.Problems
}

// none says that the text is no matrix. It may be any file of the reader's: no word of it is shown.
func (p *countsParser) none() {
	p.problems = located.Problems{{File: p.name, Message: "no counts: want a first line such as counts ranks 16 bytes 14336"}}
}

func (p *countsParser) wrong(w located.Word, format string, args ...any) {
	p.problems = append(p.problems, located.Problem{File: p.name, Line: p.line, Column: w.Column, Width: w.Width(),
		Message: fmt.Sprintf(format, args...)})
}

// number reads a whole number in a range, as digits without a sign or a leading zero.
func (p *countsParser) number(w located.Word, what string, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(w.Text, 10, 64)
	if err != nil || w.Text != strconv.FormatInt(n, 10) || n < least || n > most {
		p.wrong(w, "%s: %s, want a whole number from %d to %d", what, located.Shown(w.Text), least, most)
		return 0, false
	}
	return n, true
}

// header reads the line that names the size.
func (p *countsParser) header(w []located.Word) bool {
	if w[0].Text != "counts" {
		p.none()
		return false
	}
	if len(w) != 5 || w[1].Text != "ranks" || w[3].Text != "bytes" {
		p.wrong(w[0], "want counts ranks N bytes N: how many ranks, and of how many bytes each of what is counted is")
		return false
	}
	ranks, ok := p.number(w[2], "ranks", 2, maxCountRanks)
	each, also := p.number(w[4], "bytes", 1, maxEach)
	if !ok || !also {
		return false
	}
	p.of = &Counts{Ranks: int(ranks), Each: each, Of: make([]int64, 0, ranks*ranks)}
	return true
}

// row reads what a rank has for each.
func (p *countsParser) row(w []located.Word) {
	n := p.of.Ranks
	switch {
	case p.rows == n:
		p.wrong(w[0], "a line more than there are ranks, want %d", n)
		return
	case len(w) != n:
		p.wrong(w[0], "%d counts of rank %d, want one for each of the %d ranks", len(w), p.rows, n)
	}
	if p.rows++; len(w) != n {
		return
	}
	sum := int64(0)
	for to, word := range w {
		k, ok := p.number(word, fmt.Sprintf("rank %d for rank %d", p.rows-1, to), 0, int64(maxSize)/p.of.Each)
		if !ok {
			return
		}
		if sum += k * p.of.Each; sum > int64(maxSize) {
			p.wrong(word, "rank %d has more than %s, want at most as much", p.rows-1, maxSize)
			return
		}
		if k*p.of.Each%element != 0 {
			p.wrong(word, "rank %d for rank %d: %d of %d bytes, want whole float32 values: a multiple of %d bytes", p.rows-1, to, k,
				p.of.Each, element)
			return
		}
		p.of.Of = append(p.of.Of, k)
	}
}

// Bytes returns the matrix in bytes.
func (c *Counts) Bytes() []int64 {
	all := make([]int64, len(c.Of))
	for i, k := range c.Of {
		all[i] = k * c.Each
	}
	return all
}

// Load is what ranks of a matrix have to do, in bytes, own parts left out.
type Load struct {
	Mean           unit.Bytes // sent, and so received
	Sends, Gets    unit.Bytes // the most of a rank
	Sender, Getter int        // the first that has so much
}

// String says it in words.
func (l Load) String() string {
	return fmt.Sprintf("ranks have %s for others in the mean, rank %d most (%s); rank %d gets most (%s)", l.Mean.Human(), l.Sender,
		l.Sends.Human(), l.Getter, l.Gets.Human())
}

// Load returns what ranks have to do.
func (c *Counts) Load() (l Load) {
	sum := int64(0)
	for r := range c.Ranks {
		sent, got := int64(0), int64(0)
		for q := range c.Ranks {
			if q != r {
				sent, got = sent+c.Of[r*c.Ranks+q]*c.Each, got+c.Of[q*c.Ranks+r]*c.Each
			}
		}
		if sum += sent; unit.Bytes(sent) > l.Sends {
			l.Sends, l.Sender = unit.Bytes(sent), r
		}
		if unit.Bytes(got) > l.Gets {
			l.Gets, l.Getter = unit.Bytes(got), r
		}
	}
	l.Mean = unit.Bytes(sum / int64(c.Ranks))
	return l
}

// whole is the mean of what a rank has, its own part among it.
func (c *Counts) whole() unit.Bytes {
	sum := unit.Bytes(0)
	for _, k := range c.Of {
		sum += unit.Bytes(k * c.Each)
	}
	return sum / unit.Bytes(c.Ranks) / element * element
}
