package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// section is what one command printed, or a text without prompts.
type section struct {
	file    string
	first   int // its first line
	host    string
	command string // "": none stands before it
	at      instant
	timed   bool // at is known
	text    string
}

// prompt is that of a shell before a command that is known: admin@leaf1:~$ show pfc counters.
var prompt = regexp.MustCompile(`^(?:[\w.-]+@)?([A-Za-z0-9][\w.-]*)(?::\S*)?\s?[#>$]\s*(?:sudo\s+|run bash\s+|bash\s+)?` +
	`((?:date|nv|net|lldpctl|lldpcli|show|ethtool|rdma|nvidia-smi|cat|curl|pfcwd|ncclras|nc|mpirun|srun|[\w./-]+_perf)\b.*)$`)

// sections divides a text by prompts.
func sections(file, text string) (all []section) {
	cur := section{file: file, first: 1}
	clock := map[string]instant{}
	start, here, n := 0, 0, 0
	end := func(to int) {
		cur.text = text[start:to]
		if cur.at, cur.timed = clock[cur.host]; cur.timed && cur.host == "" {
			cur.timed = false
		}
		dated := false
		if t, known := showClock(cur.text); known && cur.command == "show clock" {
			clock[cur.host], dated, cur.text = t, true, ""
		}
		if isDate(cur.command) {
			rest := cur.text
			for i := 1; rest != ""; i++ {
				var l string
				l, rest, _ = strings.Cut(rest, "\n")
				if t, known := date(strings.TrimSpace(l)); known {
					clock[cur.host], dated = t, true
					cur.text, cur.first = rest, cur.first+i
					break
				}
			}
		}
		if strings.TrimSpace(cur.text) != "" || cur.command != "" && !dated {
			all = append(all, cur)
		}
	}
	for l := range strings.Lines(text) {
		n++
		if strings.ContainsAny(l, "#>$") && l[0] != '#' {
			if m := prompt.FindStringSubmatch(strings.TrimRight(l, " \t\r\n")); m != nil {
				end(here)
				cur = section{file: file, first: n + 1, host: m[1], command: m[2]}
				start = here + len(l)
			}
		}
		here += len(l)
	}
	end(len(text))
	return all
}

func isDate(command string) bool { return command == "date" || strings.HasPrefix(command, "date ") }

// Add reads a text. It says which forms are in it; none: nothing in it is known.
func (r *Reader) Add(file string, text []byte) (forms []string, err error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		r.pass("%s: no text", located.Shown(file))
		return nil, nil
	}
	for _, s := range sections(file, strings.TrimPrefix(string(text), string(located.BOM))) {
		form, read := r.formOf(&s)
		if read == nil {
			switch {
			case strings.TrimSpace(s.text) == "":
				form = located.Cut(s.command) + " printed nothing"
			case form == "":
				form = "of no form that is known"
			}
			r.pass("%s:%d: %s", located.Shown(file), s.first, form)
			continue
		}
		if !strings.HasPrefix(strings.TrimSpace(s.text), "{") { // JSON may be one line
			if err := s.longLine(); err != nil {
				return forms, err
			}
		}
		if err := read(s); err != nil {
			return forms, err
		}
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms, nil
}

// longLine says which line is the first that has more than located.MostLine bytes; nil: none.
func (s *section) longLine() error {
	for begin := 0; len(s.text)-begin > located.MostLine; {
		end := strings.LastIndexByte(s.text[begin:begin+located.MostLine+1], '\n')
		if end < 0 {
			n := 1 + strings.Count(s.text[:begin], "\n")
			return s.problem(n, 0, "", "more than %d bytes in a line, want at most that", located.MostLine)
		}
		begin += end + 1
	}
	return nil
}

// formOf tells by what stands in a section how it is to be read. With nil it is not, and why.
func (r *Reader) formOf(s *section) (form string, read func(section) error) {
	first := ""
	for l := range strings.Lines(s.text) {
		if first = strings.TrimSpace(l); first != "" {
			break
		}
	}
	switch _, _, stamped := stamp(first); {
	case first == "":
	case isLab(s.text):
		return "topology of containerlab", r.lab
	case strings.Contains(s.command, "lldp") && s.host != "":
		return "LLDP", r.neighbours
	case isQueuing(s.text):
		return s.readyFor("NX-OS's queues", r.queuing)
	case isPortTable(s.text):
		return s.readyFor("tables of ports", r.portTables)
	case isMetrics(first):
		return "metrics", r.metrics
	case stamped:
		return "log", r.log
	case first[0] == '{':
		return r.jsonForm(s, first)
	case isBenchmark(s.text):
		return s.readyFor("nccl-tests", r.benchmark)
	}
	return r.commandForm(s, first)
}

// jsonForm tells which JSON it is.
func (r *Reader) jsonForm(s *section, first string) (string, func(section) error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s.text), &top); err == nil && top["entries"] != nil && top["pg_config"] != nil {
		if _, known := traceRank(s.command); !known || s.host == "" {
			return "a flight recorder's dump, whose rank nothing tells: want HOST$ cat FILE_rank_N before it", nil
		}
		return "flight recorder", r.recorder
	}
	if strings.Contains(first, "\"coll_perf\"") && strings.Contains(first, "\"header\"") {
		return "NCCL Inspector", r.inspector
	}
	switch {
	case nvShow.MatchString(s.command):
		return s.readyFor("NVUE", r.nvue)
	case top["intfQueueCounters"] != nil:
		return s.readyFor("EOS's marks", r.eosMarks)
	case top["lanzEnabled"] != nil && top["entryList"] != nil:
		return s.readyFor("EOS's queue monitor", r.eosQueues)
	case top["communicators"] != nil:
		return s.readyFor("RAS's status", r.ras)
	case top["results"] != nil && top["nccl_version"] != nil:
		return "nccl-tests", r.benchmarkJSON
	}
	return "JSON of no form that is known", nil
}

// readyFor is a form that needs a device and a time.
func (s *section) readyFor(form string, read func(section) error) (string, func(section) error) {
	if why := s.ready(form); why != "" {
		return why, nil
	}
	return form, read
}

// isBenchmark reports whether a text has the heading of nccl-tests' table.
func isBenchmark(text string) bool {
	for l := range strings.Lines(text) {
		if strings.Contains(l, "algbw") && strings.Contains(l, "busbw") && strings.Contains(l, "size") {
			return true
		}
	}
	return false
}

// traceFile is a command that prints what one rank recorded.
var traceFile = regexp.MustCompile(`^cat \S*?(\d{1,7})(?:\.json)?$`)

func traceRank(command string) (int32, bool) {
	m := traceFile.FindStringSubmatch(command)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 32)
	return int32(n), err == nil
}

// problem is one at a byte of a line of the section; text: the line, "" for all of it.
func (s *section) problem(n, at int, text, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	at = min(at, len(text))
	word := ""
	if fields := strings.Fields(text[at:]); len(fields) > 0 {
		word = fields[0]
		at += strings.Index(text[at:], word)
		message = located.Shown(word) + ": " + message
	}
	return located.Problems{{File: s.file, Line: s.first + n - 1, Column: 1 + utf8.RuneCountInString(text[:at]),
		Width: max(1, utf8.RuneCountInString(word)), Message: message, Private: true}}
}
