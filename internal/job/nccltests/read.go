package nccltests

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Bounds of a log, in bytes.
const (
	MaxText = 16 << 20
	maxLine = 64 << 10
	maxRows = 10_000  // of a table: who reads it may want fewer
	maxJSON = 4 << 20 // a tree of values takes many times its text; a thousand rows are half of it
)

// Read reads a log of nccl-tests: the text that it prints, or the JSON that it writes. name is used
// in errors, which are located.Problems: all that is not understood.
func Read(name string, src []byte) (*Table, error) {
	src = bytes.TrimPrefix(src, located.BOM)
	if len(src) > MaxText {
		return nil, located.Problems{{File: name, Message: fmt.Sprintf("%d bytes, want at most %d", len(src), MaxText)}}
	}
	if trimmed := bytes.TrimLeft(src, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		if len(src) > maxJSON {
			return nil, located.Problems{{File: name, Message: fmt.Sprintf("%d bytes of JSON, want at most %d", len(src), maxJSON)}}
		}
		return readJSON(name, src)
	}
	r := &reader{name: name, table: &Table{}}
	for line := range strings.SplitSeq(string(src), "\n") {
		r.line++
		if r.problems.Full() {
			break
		}
		r.read(line)
	}
	switch {
	case r.columns == nil:
		// likely another file, named by mistake: none of its words is shown
		r.problems = located.Problems{{File: name, Message: "no table of nccl-tests: " +
			"want the line that names its columns (# size count type ... time algbw busbw #wrong ...)"}}
	case len(r.table.Rows) == 0 && len(r.problems) == 0:
		r.problems = append(r.problems, located.Problem{File: name, Message: "the table has no row"})
	}
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	return r.table, nil
}

type reader struct {
	name     string
	table    *Table
	problems located.Problems

	line    int
	columns []string // nil before the line that names them
	known   bool     // they are those of a version
	done    bool     // the table has ended
}

// tag is what a launcher may put before each line: [1,0]<stdout>: or [0].
var tag = regexp.MustCompile(`^\[\d+(,\d+)?\](<std(out|err)>:?)?`)

func (r *reader) read(line string) {
	if t := tag.FindString(line); t != "" { // blanks keep the columns of what follows
		line = strings.Repeat(" ", len(t)) + line[len(t):]
	}
	if len(line) > maxLine {
		r.problem(located.Word{Column: 1}, "a line of %d bytes, want at most %d", len(line), maxLine)
		return
	}
	words := located.AppendWords(nil, line)
	if len(words) == 0 {
		return
	}
	if first := words[0].Text; strings.HasPrefix(first, "#") || first == "(B)" ||
		first == "size" && len(words) > 1 && words[1].Text == "count" { // some who copy a log lose the #
		r.comment(line, words)
		return
	}
	_, notRow := strconv.ParseInt(words[0].Text, 10, 64)
	switch inside := r.columns != nil && !r.done; {
	case inside && notRow == nil && len(r.table.Rows) == maxRows:
		r.problem(words[0], "more than %d rows, want at most that", maxRows)
		r.done = true
	case inside && notRow == nil:
		r.row(words)
	case !inside && notRow == nil && len(words) >= 8 && !r.done:
		r.problem(words[0], "a row before the line that names the columns (# size count type ...)")
	case failed(line):
		r.problem(words[0], "the test failed: %s", located.Shown(strings.TrimSpace(line)))
	case inside && !chatter(line):
		r.problem(words[0], "%s is no row of the table: want a size in bytes first, a line that begins with #, "+
			"or one of NCCL's own", located.Shown(words[0].Text))
	}
}

// failed: what the program says when it gives up (src/common.h).
func failed(line string) bool {
	for _, s := range []string{"Test NCCL failure", "Test CUDA failure", "Test failure", "Test timeout"} {
		if strings.Contains(line, s) {
			return true
		}
	}
	return false
}

// chatter is what others print between rows.
func chatter(line string) bool {
	lower := strings.ToLower(line)
	return strings.Contains(line, "NCCL INFO") || strings.Contains(line, "NCCL WARN") ||
		strings.Contains(line, "NCCL TRACE") || strings.Contains(lower, "warning")
}

func (r *reader) problem(at located.Word, format string, args ...any) {
	r.problems = append(r.problems, located.Problem{File: r.name, Line: r.line, Column: at.Column, Width: at.Width(),
		Message: fmt.Sprintf(format, args...)})
}

// comment reads a line that begins with #.
func (r *reader) comment(line string, words []located.Word) {
	if words[0].Text == "#" {
		words = words[1:]
	} else if words[0].Text[0] == '#' { // no blank after it
		words[0].Text, words[0].Column = words[0].Text[1:], words[0].Column+1
	}
	if len(words) == 0 {
		return
	}
	rest := func(n int) string {
		var list []string
		for _, w := range words[n:] {
			list = append(list, w.Text)
		}
		return strings.Join(list, " ")
	}
	switch first := words[0].Text; {
	case first == "size" && len(words) > 3:
		r.header(words)
	case first == "Rank" && len(words) > 4 && r.columns == nil:
		r.device(line, words)
	case strings.HasPrefix(rest(0), "Collective test starting:") && len(words) > 3:
		if r.columns != nil {
			r.problem(words[0], "a second table begins here: want one per log")
			return
		}
		r.table.Program = rest(3)
	case strings.HasPrefix(rest(0), "Out of bounds values") && r.columns != nil:
		r.done = true
	}
}

// The columns that there are, as versions name them.
var (
	before = []string{"size", "count", "type", "redop", "root"}
	result = []string{"time", "algbw", "busbw", "#wrong"}
	each   = []string{"i_min", "i_max", "i_p99", "i_cv%"} // with -I 1, behind those of a result
)

// header reads the line that names the columns.
func (r *reader) header(words []located.Word) {
	if r.columns != nil {
		r.problem(words[0], "a second table begins here: want one per log")
		return
	}
	var columns []string
	for _, w := range words {
		name := w.Text
		switch name {
		case "cputime":
			name, r.table.CPUTime = "time", true
		case "error":
			name, r.table.Delta = "#wrong", true
		}
		columns = append(columns, name)
	}
	r.columns = columns
	// What is expected: those of a row in order, though some versions leave some out; then a result
	// twice.
	i := 0
	for _, name := range before {
		if i < len(columns) && columns[i] == name {
			i++
		}
	}
	rest := columns[i:]
	if n := len(rest); n > 0 && rest[n-1] == "timestamp" {
		rest = rest[:n-1]
	}
	long := append(slices.Clip(result), each...)
	for _, want := range [][]string{append(slices.Clip(result), result...), append(slices.Clip(long), long...)} {
		if slices.Equal(rest, want) && slices.Contains(columns[:i], "count") && slices.Contains(columns[:i], "type") {
			r.known = true
			return
		}
	}
	r.problem(words[min(i, len(words)-1)], "columns %s: want size count type [redop] [root], then twice "+
		"time algbw busbw #wrong [i_min i_max i_p99 i_cv%%], then [timestamp]", located.Shown(strings.Join(columns, " ")))
}

// cutShort is how the program ends a list of devices that is too long for it (src/common.cu).
const cutShort = "..."

// device reads # Rank 0 Group 0 Pid 313 on host device 0 [0x18] name. What the program cut short is
// left out.
func (r *reader) device(line string, words []located.Word) {
	var d Device
	numbers := map[string]*int{"Rank": &d.Rank, "Group": &d.Group, "Pid": &d.Pid, "device": &d.Device}
	for i := 0; i < len(words); i += 2 {
		key := words[i]
		if strings.HasPrefix(key.Text, "[") {
			d.Bus = strings.Trim(key.Text, "[]")
			for _, w := range words[i+1:] {
				d.Name = strings.TrimLeft(d.Name+" "+w.Text, " ")
			}
			r.table.Devices = append(r.table.Devices, d)
			r.table.Cut = r.table.Cut || strings.HasSuffix(d.Name, cutShort)
			return
		}
		to := numbers[key.Text]
		if i+1 == len(words) || to == nil && key.Text != "on" {
			break
		}
		value := words[i+1]
		if to == nil {
			d.Host = value.Text
			continue
		}
		n, err := whole(value.Text, 0)
		if err != nil || n > 1<<31 {
			r.problem(value, "%s of a device: %s: want a whole number from 0", key.Text, located.Shown(value.Text))
			return
		}
		*to = int(n)
	}
	if strings.HasSuffix(strings.TrimSpace(line), cutShort) {
		r.table.Cut = true
	} else {
		r.problem(words[0], "a device that is not whole: want Rank, Pid, on, device, [bus] and a name")
	}
}

// row reads a size and its results.
func (r *reader) row(words []located.Word) {
	if !r.known {
		return // the columns are a problem already
	}
	columns := r.columns
	if n := len(columns); columns[n-1] == "timestamp" { // a date and a time
		columns = append(slices.Clip(columns[:n-1]), "timestamp", "timestamp")
	}
	first := slices.Index(columns, "time")
	group := slices.Index(columns[first+1:], "time") + 1
	row := Row{RedOp: "none", Root: -1}
	// hypercube_perf leaves the operation blank: the root is in its place, and no operation is a number.
	if len(words) > 3 && columns[3] == "redop" {
		if _, err := whole(words[3].Text, -1); err == nil {
			columns, first = slices.Delete(slices.Clone(columns), 3, 4), first-1
		}
	}
	from, skip := len(words), 0 // the columns of a result that was not run are blank, from this word on
	switch len(words) {
	case len(columns):
		row.Out, row.In = &Result{}, &Result{}
	case len(columns) - group:
		// The first result starts some 4 columns behind the word before it, the second some 32
		// more.
		if before := words[first-1]; words[first].Column-before.Column-before.Width() > 20 {
			row.In, from, skip = &Result{}, first, group
		} else {
			row.Out, from, skip = &Result{}, first+group, group
		}
	default:
		last := words[len(words)-1]
		r.problem(last, "a row of %s ends here, want %d", unit.CountOf(int64(len(words)), "column"), len(columns))
		return
	}
	bad := len(r.problems)
	for i, w := range words {
		at, to := i, row.Out
		if i >= from {
			at += skip
		}
		if at >= first+group {
			to = row.In
		}
		if err := row.set(columns[at], w.Text, to); err != nil {
			r.problem(w, "%s: %v", columns[at], err)
		}
	}
	if len(r.problems) == bad {
		r.table.Rows = append(r.table.Rows, row)
	}
}

// set gives a column its value.
func (row *Row) set(column, text string, to *Result) (err error) {
	var n int64
	switch column {
	case "size":
		n, err = whole(text, 0)
		row.Bytes = unit.Bytes(n)
	case "count":
		row.Count, err = whole(text, 0)
	case "type":
		row.Type = text
	case "redop":
		if row.RedOp = text; text == "" { // in the JSON of hypercube_perf
			row.RedOp = "none"
		}
	case "root":
		n, err = whole(text, -1)
		row.Root = int(n)
	case "time":
		to.Time, err = duration(text)
	case "algbw":
		to.AlgBW, err = bandwidth(text)
	case "busbw":
		to.BusBW, err = bandwidth(text)
	case "#wrong":
		to.Errors, err = errorsOf(text)
	case "timestamp":
		if strings.Trim(text, "0123456789-:") != "" {
			err = fmt.Errorf("%s: want a date or a time", located.Shown(text))
		}
	default: // of single iterations: looked at, not kept
		_, err = decimal(text, us)
	}
	return err
}
