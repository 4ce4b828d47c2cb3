package lldp

import (
	"regexp"
	"slices"
	"strings"
)

// heading are the labels of a table's columns: the own port, the neighbour, its port and, "": there is none, what that is
// described as.
type heading struct{ port, system, farPort, say string }

// headings are those of the forms.
var headings = []heading{
	{"Local Interface", "System Name", "Port info", ""},              // Junos
	{"Local Intf", "Device ID", "Port ID", ""},                       // NX-OS
	{"LocalPort", "RemoteDevice", "RemotePortID", "RemotePortDescr"}, // SONiC
	{"LocalPort", "RemoteHost", "RemotePort", ""},                    // net show lldp
	{"Interface", "Remote Host", "Remote Port", ""},                  // nv show interface lldp
	{"Port", "Neighbor Device ID", "Neighbor Port ID", ""},           // EOS
}

// A column is a label, and where it begins.
type column struct {
	label string
	at    int
}

// label is one of a heading: words with one space between.
var label = regexp.MustCompile(`\S+(?: \S+)*`)

// columns are those of a line.
func columns(line string) (all []column) {
	for _, at := range label.FindAllStringIndex(line, -1) {
		all = append(all, column{line[at[0]:at[1]], at[0]})
	}
	return all
}

// find is the index of a label; -1: there is none.
func find(all []column, label string) int {
	return slices.IndexFunc(all, func(c column) bool { return c.label == label })
}

// table reads rows under a heading. Other lines are of no matter.
func table(text string) (all []Neighbour) {
	var of *heading
	var under []column
	held := "" // a name that was too long for its column: the row goes on in the next line
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		if len(line) > mostLine {
			continue
		}
		if h, c := headed(line); h != nil {
			of, under, held = h, c, ""
			continue
		}
		if of == nil || line == "" || strings.Trim(line, "- ") == "" {
			continue
		}
		cells := row(line, under)
		if held != "" && strings.HasPrefix(line, " ") {
			cells = below(line, under)
			cells[0] = held
		}
		held = ""
		if cells == nil {
			if !strings.Contains(line, " ") {
				held = line
			}
			continue
		}
		cell := func(name string) string {
			if k := find(under, name); k >= 0 {
				return cells[k]
			}
			return ""
		}
		n := Neighbour{Port: cell(of.port), System: cell(of.system), FarPort: cell(of.farPort), FarPortSay: cell(of.say)}
		if strings.ContainsAny(n.Port, "0123456789") && !strings.Contains(n.Port, " ") {
			all = append(all, n)
		}
	}
	return all
}

// mostLine bounds a line of a table.
const mostLine = 1024

// headed is the heading that a line is; nil: none.
func headed(line string) (*heading, []column) {
	if !slices.ContainsFunc(headings, func(h heading) bool {
		return strings.Contains(line, h.port) && strings.Contains(line, h.system)
	}) {
		return nil, nil // nearly all lines: quicker than the expression
	}
	c := columns(line)
	for k := range headings {
		h := &headings[k]
		if find(c, h.port) >= 0 && find(c, h.system) >= 0 && find(c, h.farPort) >= 0 {
			return h, c
		}
	}
	return nil, nil
}

// row is the cells of a line: as many as there are columns, by two spaces or by one, else what stands below each label.
// nil: it is no row.
func row(line string, under []column) []string {
	if cells := label.FindAllString(line, -1); len(cells) == len(under) {
		return cells
	}
	if cells := strings.Fields(line); len(cells) == len(under) {
		return cells
	}
	if len(strings.Fields(line)) < 3 {
		return nil
	}
	return below(line, under)
}

// below is what stands below each label.
func below(line string, under []column) []string {
	cells := make([]string, len(under))
	for k, c := range under {
		from, to := edge(line, c.at), len(line)
		if k+1 < len(under) {
			to = edge(line, under[k+1].at)
		}
		cells[k] = strings.TrimSpace(line[from:max(from, to)])
	}
	return cells
}

// edge is where a cell begins: at the label, or at the beginning of the word that is there.
func edge(line string, at int) int {
	at = min(at, len(line))
	for at > 0 && at < len(line) && line[at] != ' ' && line[at-1] != ' ' {
		at--
	}
	return at
}
