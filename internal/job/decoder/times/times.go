package times

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// MaxText bounds a file, in bytes.
const MaxText = 4 << 20

// Bounds of a shape's numbers, of what they come to, and of a time.
const (
	maxSize  = 1 << 40
	maxFLOP  = 1 << 59
	maxTime  = 1000 * unit.Second
	maxCells = 16
)

// columns are the keys of the first line.
var columns = []string{"operator", "shape", "microseconds"}

// Read reads measured operators from a file's text; name is used in errors. The error is located.Problems.
func Read(name string, src []byte) (*workload.Measured, error) {
	if len(src) > MaxText {
		return nil, located.Problems{{File: name, Message: fmt.Sprintf("%d bytes, want at most %d", len(src), MaxText)}}
	}
	if err := located.LongLine(name, src); err != nil {
		return nil, err
	}
	r := &reader{name: name, took: map[workload.Operator]unit.Duration{}, lines: map[workload.Operator]int{}}
	for text := range strings.SplitSeq(string(bytes.TrimPrefix(src, located.BOM)), "\n") {
		r.line++
		text = strings.TrimSuffix(text, "\r")
		if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if r.problems.Full() {
			break
		}
		if r.at != nil {
			r.row(cells(text))
		} else if !r.header(cells(text)) {
			break
		}
	}
	if r.at == nil && len(r.problems) == 0 {
		r.none()
	}
	if len(r.problems) > 0 {
		r.problems.InCharacters(bytes.TrimPrefix(src, located.BOM))
		return nil, r.problems.Sorted()
	}
	return workload.NewMeasured(r.took), nil
}

// cell is a cell of a line, without spaces around it.
type cell struct {
	text   string
	column int // in bytes, from 1
}

func cells(line string) (all []cell) {
	column := 1
	for part := range strings.SplitSeq(line, ",") {
		text := strings.TrimLeft(part, " \t")
		all = append(all, cell{strings.TrimRight(text, " \t"), column + len(part) - len(text)})
		if column += len(part) + 1; len(all) > maxCells {
			break
		}
	}
	return all
}

type reader struct {
	name     string
	line     int
	at       []int // by column of columns: which cell
	took     map[workload.Operator]unit.Duration
	lines    map[workload.Operator]int
	problems located.Problems
}

func (r *reader) wrong(c cell, format string, args ...any) {
	r.problems = append(r.problems, located.Problem{File: r.name, Line: r.line, Column: c.column, Width: max(1, len(c.text)),
		Message: fmt.Sprintf(format, args...)})
}

// none is all that is said of a file that does not begin as one of these.
func (r *reader) none() {
	r.problems = located.Problems{{File: r.name,
		Message: "no measured operators, want a first line operator,shape,microseconds, then a line such as matmul,8192x1536x4096,214.7"}}
}

// header reads the names of columns, in any order.
func (r *reader) header(row []cell) bool {
	if !slices.ContainsFunc(row, func(c cell) bool { return slices.Contains(columns, c.text) }) {
		r.none()
		return false
	}
	at := []int{-1, -1, -1}
	for i, c := range row {
		switch k := slices.Index(columns, c.text); {
		case k < 0:
			r.wrong(c, "%s: unknown column, want operator, shape and microseconds", located.Shown(c.text))
		case at[k] >= 0:
			r.wrong(c, "%s: named twice", c.text)
		default:
			at[k] = i
		}
	}
	for k, i := range at {
		if i < 0 {
			r.wrong(row[0], "no column %s, want operator, shape and microseconds", columns[k])
		}
	}
	r.at = at
	return len(r.problems) == 0
}

// row reads an operator and its time.
func (r *reader) row(row []cell) {
	if len(row) != len(columns) {
		r.wrong(row[0], "%d cells, want 3: an operator, a shape, microseconds", len(row))
		return
	}
	o, good := r.operator(row[r.at[0]], row[r.at[1]])
	d, took := r.time(row[r.at[2]])
	if !good || !took {
		return
	}
	if before := r.lines[o]; before > 0 {
		r.wrong(row[0], "%v: line %d has its time, want each operator once", o, before)
		return
	}
	r.took[o], r.lines[o] = d, r.line
}

// forms says how the shapes of operators are written.
var forms = map[workload.OperatorKind]string{
	workload.Product:           "MxNxK such as 8192x1536x4096, or with how many products before it, such as 64x2048x2048x128",
	workload.ProductAdded:      "as of matmul",
	workload.Attention:         "heads of all sequences x queries x keys x elements, such as 64x2048x2048x128",
	workload.AttentionBackward: "heads of all sequences x queries x keys x elements, such as 64x2048x2048x128",
	workload.Moves:             "bytes such as 100663296",
}

func (r *reader) operator(kind, shape cell) (o workload.Operator, good bool) {
	k, known := workload.OperatorNamed(kind.text)
	if !known {
		r.wrong(kind, "%s: unknown operator, want matmul, matmul-add, attention, attention-backward or memory", located.Shown(kind.text))
		return o, false
	}
	var n []int64
	for part := range strings.SplitSeq(shape.text, "x") {
		v, err := strconv.ParseInt(part, 10, 64)
		if err != nil || v < 1 || v > maxSize || part[0] == '+' || part[0] == '0' || len(n) == 4 {
			n = nil
			break
		}
		n = append(n, v)
	}
	o = workload.Operator{Kind: k}
	switch {
	case len(n) == 1 && k == workload.Moves:
		o.M = n[0]
		return o, true
	case len(n) == 3 && (k == workload.Product || k == workload.ProductAdded):
		n = slices.Insert(n, 0, 1)
	case len(n) != 4 || k == workload.Moves:
		r.wrong(shape, "%s: no shape of %v, want %s", located.Shown(shape.text), k, forms[k])
		return o, false
	}
	flop := 1.0
	for _, v := range n {
		flop *= float64(v)
	}
	if flop > maxFLOP {
		r.wrong(shape, "%s: too large, want at most 2^59 products of two numbers", located.Shown(shape.text))
		return o, false
	}
	o.Each, o.M, o.N, o.K = n[0], n[1], n[2], n[3]
	return o, true
}

// time reads microseconds, to the picosecond.
func (r *reader) time(c cell) (unit.Duration, bool) {
	if strings.Trim(c.text, "0123456789.") == "" {
		if d, err := unit.ParseDuration(c.text + "us"); err == nil && d > 0 && d <= maxTime {
			return d, true
		}
	}
	r.wrong(c, "%s: want microseconds such as 214.7: above 0, at most %d, at most 6 decimals", located.Shown(c.text),
		maxTime/unit.Microsecond)
	return 0, false
}
