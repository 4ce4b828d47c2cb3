package hash

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// MaxText is the largest file of flows, in bytes.
const MaxText = 8 << 20

// columns are those of a file of flows; the last two may be missing.
var columns = []string{"src", "dst", "src_port", "dst_port", "protocol", "qp"}

const neededColumns = 4

// ReadFlows reads a file of flows as a switch or a capture shows them, a line each: comma-separated
// values under a first line with the names of the columns, in any order. The protocol is UDP where there
// is none. The error is located.Problems: all that is wrong.
func ReadFlows(name string, src []byte) ([]Flow, error) {
	r := &csvReader{name: name}
	if len(src) > MaxText {
		r.wrong(0, 0, "%d bytes, want at most %d", len(src), MaxText)
		return nil, r.problems.Err()
	}
	var flows []Flow
	for text := range strings.SplitSeq(string(bytes.TrimPrefix(src, located.BOM)), "\n") {
		r.line++
		text = strings.TrimRight(text, "\r")
		if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if r.order == nil {
			if r.header(text); len(r.problems) > 0 {
				break // the lines mean nothing
			}
			continue
		}
		flows = append(flows, r.flow(text))
		if r.problems.Full() {
			break
		}
	}
	if len(flows) == 0 && len(r.problems) == 0 {
		r.line = 0
		r.wrong(0, 0, "no flows, want a line of %s and a line for each flow", strings.Join(columns, ","))
	}
	r.problems.InCharacters(src)
	return flows, r.problems.Err()
}

type csvReader struct {
	name     string
	line     int
	order    []string // names of the columns
	problems located.Problems
}

func (r *csvReader) wrong(column, width int, format string, args ...any) {
	r.problems = append(r.problems, located.Problem{File: r.name, Line: r.line, Column: column, Width: width,
		Message: fmt.Sprintf(format, args...)})
}

// cells calls f with each value of a line and the column that it begins in, from 1.
func cells(text string, f func(i, column int, value string)) (n int) {
	column := 1
	for i, raw := range strings.Split(text, ",") {
		value := strings.TrimSpace(raw)
		f(i, column+strings.Index(raw, value), value)
		column += len(raw) + 1
		n++
	}
	return n
}

func (r *csvReader) header(text string) {
	r.order = []string{}
	known := false
	cells(text, func(_, _ int, name string) { known = known || slices.Contains(columns, name) })
	if !known { // it may be any file: no word of it is shown, and no line
		r.line = 0
		r.wrong(0, 0, "the first line names no column, want %s", strings.Join(columns, ", "))
		return
	}
	cells(text, func(_, column int, name string) {
		switch {
		case !slices.Contains(columns, name):
			r.wrong(column, len(name), "column %q is unknown, want %s", name, strings.Join(columns, ", "))
		case slices.Contains(r.order, name):
			r.wrong(column, len(name), "a second column %s, want one", name)
		}
		r.order = append(r.order, name)
	})
	for _, name := range columns[:neededColumns] {
		if !slices.Contains(r.order, name) {
			r.wrong(1, len(text), "no column %s, want %s", name, strings.Join(columns[:neededColumns], ", "))
		}
	}
}

func (r *csvReader) flow(text string) Flow {
	f := Flow{Protocol: UDP}
	n := cells(text, func(i, column int, value string) {
		if i >= len(r.order) {
			return
		}
		if want := f.set(r.order[i], value); want != "" {
			r.wrong(column, max(1, len(value)), "%s: %q, want %s", r.order[i], value, want)
		}
	})
	if n != len(r.order) {
		r.wrong(1, len(text), "%d values, want %d as in the first line", n, len(r.order))
	}
	return f
}

// set gives a field its value, or returns what would be accepted.
func (f *Flow) set(column, value string) (want string) {
	whole := func(bits int, most string) uint64 {
		v, err := strconv.ParseUint(value, 0, bits)
		if err != nil {
			want = "a whole number from 0 to " + most
		}
		return v
	}
	switch column {
	case "src":
		f.SrcIP, want = address(value)
	case "dst":
		f.DstIP, want = address(value)
	case "src_port":
		f.SrcPort = uint16(whole(16, "65535"))
	case "dst_port":
		f.DstPort = uint16(whole(16, "65535"))
	case "protocol":
		switch strings.ToLower(value) {
		case "udp":
			f.Protocol = UDP
		case "tcp":
			f.Protocol = 6
		default:
			if f.Protocol = uint8(whole(8, "255")); want != "" {
				want += ", udp or tcp"
			}
		}
	case "qp":
		f.QP = uint32(whole(24, "16777215 (24 bits)"))
	}
	return want
}

// address reads an IPv4 address.
func address(text string) (ip uint32, want string) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return 0, "an IPv4 address such as 10.0.0.1"
	}
	for _, p := range parts {
		v, err := strconv.ParseUint(p, 10, 8)
		if err != nil {
			return 0, "an IPv4 address such as 10.0.0.1"
		}
		ip = ip<<8 | uint32(v)
	}
	return ip, ""
}

// Address writes an IPv4 address.
func Address(ip uint32) string {
	return fmt.Sprintf("%d.%d.%d.%d", ip>>24, ip>>16&255, ip>>8&255, ip&255)
}
