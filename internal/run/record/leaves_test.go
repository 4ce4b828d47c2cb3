package record

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// finish ends the run: "finish cut" at once.
func (s *stage) finish(words []string, _ []field) {
	e := Ending{Whole: true}
	for _, w := range words {
		switch w {
		case "cut":
			e.Whole, e.Interrupted = false, errors.New("somebody pressed ^C")
		case "stopped":
			e.Stopped, e.Interrupted = true, errors.New("asked to stop")
		case "diverged":
			e.Diverged = errors.New("the loss is no number")
		}
	}
	err := s.r.Finish(s.sum, e)
	fmt.Fprintf(s, "%s: %v\n", s.sum.State, err)
	for _, n := range s.sum.Notes {
		fmt.Fprintln(s, "-", n)
	}
	for i, f := range s.sum.PerJob() {
		s.sums(s.r.Job(i), f)
	}
	s.must(s.dir.Finish(s.sum))
	s.run, err = result.Open(s.path)
	s.must(err)
}

// sums holds that the bars of a job's time are its step time, but for what dividing them leaves.
func (s *stage) sums(j *Job, f *result.JobFigures) {
	if f.Efficiency == nil {
		return
	}
	rest := f.StepTime
	for _, b := range f.Efficiency.Waterfall {
		rest -= b.Time
	}
	if rest < -1 || rest > unit.Duration(len(f.Efficiency.Waterfall)) {
		fmt.Fprintf(s, "bars of job %s leave %v\n", j.name(), rest)
	}
}

// show prints parts of the summary as JSON, an entry of a list in a line.
func (s *stage) show(words []string, _ []field) {
	text, err := result.Marshal(s.sum)
	s.must(err)
	var all map[string]json.RawMessage
	s.must(json.Unmarshal(text, &all))
	for _, w := range words {
		raw := all[w]
		of := w
		if job, key, in := strings.Cut(w, "."); in {
			var jobs []map[string]json.RawMessage
			s.must(json.Unmarshal(all["jobs"], &jobs))
			raw, of = jobs[s.number(job)][key], w
		}
		s.print(of, raw)
	}
}

// print shows a value: an entry of a list in a line, and a long object by its keys.
func (s *stage) print(of string, raw json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		for _, x := range list {
			s.print(of, x)
		}
		return
	}
	var line bytes.Buffer
	if len(raw) > 0 {
		s.must(json.Compact(&line, raw))
	}
	var object map[string]json.RawMessage
	if line.Len() > 150 && json.Unmarshal(raw, &object) == nil {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if v := string(object[key]); v != "0" && v != "[]" {
				s.print(of+"."+key, object[key])
			}
		}
		return
	}
	fmt.Fprintf(s, "%s %s\n", of, line.String())
}

// table prints some columns of a table, or all that are not empty.
func (s *stage) table(words []string, _ []field) {
	var text bytes.Buffer
	_, err := s.run.WriteCSV(&text, words[0])
	if err != nil {
		fmt.Fprintln(s, "none:", strings.ReplaceAll(err.Error(), s.path, "run"))
		return
	}
	rows, err := csv.NewReader(&text).ReadAll()
	s.must(err)
	for i, row := range rows {
		var cells []string
		for c, name := range rows[0] {
			says := i > 0 && !slices.Contains([]string{"", "0", "-1"}, row[c])
			if slices.Contains(words[1:], name) || len(words) == 1 && says {
				cell := row[c]
				if len(words) == 1 {
					cell = name + "=" + cell
				}
				cells = append(cells, cell)
			}
		}
		if len(cells) > 0 {
			fmt.Fprintln(s, strings.Join(cells, " "))
		}
	}
}

// view prints what a page sees: view PART, of queue pairs whose names have it.
func (s *stage) view(words []string, _ []field) {
	if s.sees == nil {
		s.sees = s.r.Viewer()
	}
	text, err := json.Marshal(s.sees.Look(s.net.now, strings.Join(words, "")))
	s.must(err)
	s.print("view", text)
}

// views prints the ports as views number them.
func (s *stage) views([]string, []field) {
	all, err := s.r.Viewer().Ports()
	s.must(err)
	for i, p := range all {
		fmt.Fprintf(s, "%d: %+v\n", i, p)
	}
}
