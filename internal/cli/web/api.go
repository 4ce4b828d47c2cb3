package web

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/out/chart/svg"
	"railyard/internal/out/headline"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// Bounds of what one answer holds.
const (
	mostEntries    = 200
	mostEvents     = 2_000
	mostBars       = 20_000
	mostPathParts  = 5_000
	mostPausesTold = 5_000
	mostStepRows   = 3_000
	mostNames      = 5_000
	pageWidth      = 100 // columns of text
)

// endpoint answers one kind of question.
type endpoint func(s *Server, w http.ResponseWriter, r *http.Request, q query) error

// endpoints are the questions, as openapi.json describes them.
var endpoints = map[string]endpoint{
	"openapi.json": (*Server).apiSelf,
	"inks":         (*Server).apiInks,
	"runs":         (*Server).apiRuns,
	"compare":      (*Server).apiCompare,
	"run":          (*Server).apiRun,
	"follow":       (*Server).apiFollow,
	"topology":     (*Server).apiTopology,
	"tiles":        (*Server).apiTiles,
	"series":       (*Server).apiSeries,
	"names":        (*Server).apiNames,
	"events":       (*Server).apiEvents,
	"marks":        (*Server).apiMarks,
	"pauses":       (*Server).apiPauses,
	"timeline":     (*Server).apiTimeline,
	"steps":        (*Server).apiSteps,
	"collective":   (*Server).apiCollective,
	"flow":         (*Server).apiFlow,
	"figures":      (*Server).apiFigures,
	"rounds":       (*Server).apiRounds,
	"outcome":      (*Server).apiOutcome,
	"report":       (*Server).apiReport,
	"live":         (*Server).apiLive,
	"watch":        (*Server).apiWatch,
	"view":         (*Server).apiView,
	"examples":     (*Server).apiExamples,
	"schema":       (*Server).apiSchema,
}

func (s *Server) api(w http.ResponseWriter, r *http.Request, name string) error {
	f, known := endpoints[name]
	if r.Method == http.MethodPost {
		f, known = posts[name]
	}
	if !known {
		return refuse(http.StatusNotFound, "there is no api/%s: api/openapi.json lists what there is", name)
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest, "the query cannot be read")
	}
	w.Header().Set("Content-Type", "application/json")
	return f(s, w, r, query{values: values})
}

// query is the parameters of a request.
type query struct{ values url.Values }

func (q query) text(name string) string { return q.values.Get(name) }

// number returns a parameter from low to high, or what it is where it is not given.
func (q query) number(name string, otherwise, low, high int64) (int64, error) {
	text := q.values.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, refuse(http.StatusBadRequest, "%s=%s: want a whole number from %d to %d", name, text, low, high)
	}
	return n, nil
}

// maxTime is later than any time of a run.
const maxTime = 1 << 60

// window returns the parameters from and until, in picoseconds.
func (q query) window() (from, until unit.Time, err error) {
	a, err := q.number("from", 0, 0, maxTime)
	b, err2 := q.number("until", maxTime, 0, maxTime)
	if err = cmp.Or(err, err2); err == nil && a > b {
		err = refuse(http.StatusBadRequest, "from=%d until=%d: ends before it begins", a, b)
	}
	return unit.Time(a), unit.Time(b), err
}

// with answers with what is known of the tables of the run that is asked for, so far.
func (s *Server) with(q query, f func(x *show, t *tables) error) error {
	x, err := s.show(q.text("run"))
	if err != nil {
		return err
	}
	t, free := x.use()
	defer free()
	if t == nil {
		t = &tables{}
	}
	return f(x, t)
}

// reading is with, for what reads tables: so many at a time.
func (s *Server) reading(r *http.Request, q query, f func(t *tables) error) error {
	return s.with(q, func(_ *show, t *tables) error {
		free, err := place(r.Context(), s.work)
		if err != nil {
			return err
		}
		defer free()
		return f(t)
	})
}

// notYet says that a table was not read so far, or cannot be.
func notYet(table string) error {
	return refuse(http.StatusNotFound, "there is no %s: the run wrote none, or it is still being read", table)
}

func (s *Server) apiSelf(w http.ResponseWriter, _ *http.Request, _ query) error {
	_, _ = w.Write(openAPI)
	return nil
}

func (s *Server) apiInks(w http.ResponseWriter, _ *http.Request, _ query) error {
	type meaning struct {
		Column  string `json:"column"`
		Name    string `json:"name"`
		Meaning string `json:"meaning"`
	}
	answer := struct {
		Inks   []svg.Colour       `json:"inks"`
		Causes []meaning          `json:"causes"` // in their order
		Events []result.EventKind `json:"events"`
	}{Inks: svg.Palette(), Events: result.EventKindList()}
	for _, c := range cause.All() {
		answer.Causes = append(answer.Causes, meaning{c.Column(), c.String(), c.Meaning()})
	}
	return writeJSON(w, answer)
}

func (s *Server) apiRuns(w http.ResponseWriter, _ *http.Request, q query) error {
	from, err := q.number("from", 0, 0, mostRuns)
	most, err2 := q.number("most", 50, 1, mostEntries)
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	entries, all, more := s.runs.page(q.text("filter"), int(from), int(most))
	return writeJSON(w, struct {
		Runs []runEntry `json:"runs"`
		All  int        `json:"all"`  // that the filter takes
		More bool       `json:"more"` // the folder has others, which were not looked for
	}{entries, all, more})
}

func (s *Server) apiCompare(w http.ResponseWriter, _ *http.Request, q query) error {
	var all []*report.Data
	for _, id := range q.values["run"] {
		d, err := s.summary(id)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	if len(all) != 2 {
		return refuse(http.StatusBadRequest, "%d runs: want two", len(all))
	}
	return writeJSON(w, report.Compare(all))
}

// summary reads the run.json of a run, and no table.
func (s *Server) summary(id string) (*report.Data, error) {
	dir, known := s.runs.dir(id)
	if !known {
		return nil, refuse(http.StatusNotFound, "there is no run %q: api/runs lists them", id)
	}
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		return nil, err
	}
	d := report.OfSummary(run.Summary)
	d.Path = id
	d.WhatIf, err = run.WhatIf()
	if err != nil {
		d.Notes = append(d.Notes, err.Error())
	}
	return d, nil
}

// tried is a change of whatif.json: what was attributed to a thing, and what the run saved without it.
type tried struct {
	Kind       string         `json:"kind"`
	Name       string         `json:"name"`
	Attributed *unit.Duration `json:"attributed_ps"` // null: the run's causes do not tell
	Saves      *unit.Duration `json:"saves_ps"`      // null: it did not come to its end
	Why        string         `json:"why"`
}

// lead is the port, or the rank, that the answer is about.
type lead struct {
	Job  string `json:"job"`
	Port string `json:"port"` // "": none
	Rank *int32 `json:"rank"`
}

// leadOf finds it. Of a link inside a host there are no rows over time.
func leadOf(d *report.Data) *lead {
	b := report.Lead(d)
	if b == nil || b.Port == "" && b.Rank == nil {
		return nil
	}
	return &lead{d.Summary.PerJob()[0].Job, b.Port, b.Rank}
}

// finding is a cause of the time that a step or message took.
type finding struct {
	Cause string        `json:"cause"` // its column
	Time  unit.Duration `json:"time_ps"`
	Share float64       `json:"share"`
	Text  string        `json:"text"`
}

// runAnswer is what /api/run answers: run.json, as report says it.
type runAnswer struct {
	ID         string            `json:"id"`
	Dir        string            `json:"directory"`
	Name       string            `json:"name"`
	State      result.State      `json:"state"`
	Held       bool              `json:"held"` // it is being written; running and not held: it was killed
	Seed       uint64            `json:"seed"`
	Version    string            `json:"version"`
	End        unit.Time         `json:"end_ps"`
	Answer     string            `json:"answer"`
	Lead       *lead             `json:"lead"` // what the answer leads to; null: no place
	Bullets    []string          `json:"bullets"`
	Notes      []string          `json:"notes"`
	Headline   []headline.Figure `json:"headline"`
	Subject    string            `json:"subject"` // whose time Findings divide
	Whole      unit.Duration     `json:"whole_ps"`
	Findings   []finding         `json:"findings"`
	Blames     []blame           `json:"blames"`
	Thresholds []qos.Row         `json:"thresholds"`
	Tables     []string          `json:"tables"`
	Want       []string          `json:"want"`   // keys of the scenario that would have kept what is not there
	WhatIf     []tried           `json:"whatif"` // null: nobody asked yet
	Pieces     []report.Piece    `json:"pieces"` // of figures that there are, see /api/figures

	Collectives bool   `json:"collectives"` // /api/rounds may have some
	Scenario    string `json:"scenario"`
}

func (s *Server) apiRun(w http.ResponseWriter, _ *http.Request, q query) error {
	id := q.text("run")
	d, err := s.summary(id)
	if err != nil {
		return err
	}
	dir, _ := s.runs.dir(id)
	run := &result.Run{Path: dir, Summary: d.Summary}
	a := runAnswer{ID: id, Dir: dir, Name: d.Summary.Name, State: d.Summary.State, Seed: d.Summary.Seed,
		Version: d.Summary.Version, End: d.Summary.VirtualTime, Bullets: []string{}, Notes: append([]string{}, d.Notes...),
		Headline: append([]headline.Figure{}, d.Headline()...), Findings: []finding{}, Blames: []blame{},
		Thresholds: append([]qos.Row{}, d.Summary.Thresholds...), Tables: append([]string{}, run.Tables()...),
		Want: []string{}, Pieces: report.Pieces(run), Scenario: d.Summary.ScenarioYAML}
	a.Held = a.State == result.Running && run.Held()
	a.Collectives = s.options.Plan != nil && slices.Contains(a.Tables, "steps")
	sentence, bullets := report.Answer(d)
	a.Lead = leadOf(d)
	a.Answer, a.Bullets = sentence, append(a.Bullets, bullets...)
	var all []report.Finding
	a.Subject, a.Whole, all = report.Findings(d)
	for _, f := range all {
		a.Findings = append(a.Findings, finding{f.Cause.Column(), f.Time, f.Share, f.Text})
	}
	for _, j := range d.Summary.PerJob() {
		a.blame(j.Job, j.Diagnosis)
	}
	if d.WhatIf != nil {
		a.WhatIf = []tried{}
		for i := range d.WhatIf.Changes {
			c := &d.WhatIf.Changes[i]
			a.WhatIf = append(a.WhatIf, tried{c.Kind, c.Name, c.Attributed, c.Saves, c.Why})
		}
	}
	for _, key := range []string{"series", "events", "operations", "flows"} {
		if !slices.Contains(a.Tables, key) && d.Summary.State != result.Running {
			a.Want = append(a.Want, "output."+key)
		}
	}
	return writeJSON(w, a)
}

func (s *Server) apiFollow(w http.ResponseWriter, r *http.Request, q query) error {
	x, err := s.show(q.text("run"))
	if err != nil {
		return err
	}
	return follow(w, r, x)
}

func (s *Server) apiTopology(w http.ResponseWriter, _ *http.Request, q query) error {
	have, err := q.number("have", -1, -1, maxTime)
	if err != nil {
		return err
	}
	return s.with(q, func(x *show, t *tables) error {
		p, _ := x.watch()
		a := struct {
			Version int           `json:"version"`
			Listed  int           `json:"ports_version"`
			End     unit.Time     `json:"end_ps"`
			Ports   []portInfo    `json:"ports"`       // none where who asks has those of this version
			Every   unit.Duration `json:"interval_ps"` // of the series; 0: there is none
			Base    int           `json:"base_level"`  // levels of tiles there are: 0, and from here
			Top     int           `json:"top_level"`
			Ends    int64         `json:"intervals"`
			Source  string        `json:"source"` // series, queues or "": the table that tiles are of
		}{Version: p.Version, Listed: t.listed, End: t.end, Ports: []portInfo{}}
		if int64(t.listed) != have {
			a.Ports = append(a.Ports, t.ports...)
		}
		if s := t.series; s != nil {
			a.Every, a.Base, a.Top, a.Ends, a.Source = s.every, s.ports.base, s.ports.top(), s.ports.ends, "series"
			if s.groups == nil {
				a.Source = "queues"
			}
		}
		return writeJSON(w, a)
	})
}

func (s *Server) apiTiles(w http.ResponseWriter, r *http.Request, q query) error {
	return s.reading(r, q, func(t *tables) error {
		level, err := q.number("level", 0, 0, 62)
		index, err2 := q.number("index", 0, 0, maxTime)
		if err := cmp.Or(err, err2); err != nil {
			return err
		}
		if t.series == nil {
			return notYet("series")
		}
		tile, err := t.tile(r.Context(), int(level), index)
		if err != nil {
			return err
		}
		b, err := tile.encode()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(b)
		return nil
	})
}

func (s *Server) apiSeries(w http.ResponseWriter, r *http.Request, q query) error {
	return s.reading(r, q, func(t *tables) error {
		from, until, err := q.window()
		class, err2 := q.number("class", -1, -1, 7)
		bins, err3 := q.number("bins", 800, 1, 4096)
		if err := cmp.Or(err, err2, err3); err != nil {
			return err
		}
		if t.series == nil {
			return notYet("series")
		}
		a, err := t.series.line(r.Context(), lineQuery{Kind: q.text("kind"), Port: q.text("port"), Class: int32(class),
			Job: q.text("job"), Name: q.text("name"), From: from, Until: until, Bins: int(bins)})
		if err != nil {
			return err
		}
		return writeJSON(w, a)
	})
}

func (s *Server) apiEvents(w http.ResponseWriter, r *http.Request, q query) error {
	return s.reading(r, q, func(t *tables) error {
		from, until, err := q.window()
		most, err2 := q.number("most", 100, 1, mostEvents)
		if err := cmp.Or(err, err2); err != nil {
			return err
		}
		e := eventQuery{Port: q.text("port"), Job: q.text("job"), Name: q.text("name"), From: from, Until: until, Most: int(most),
			Kinds: map[string]bool{}, Back: q.text("back") == "true"}
		_, number := eventKinds()
		for _, k := range q.values["kind"] {
			if _, known := number[k]; !known {
				return refuse(http.StatusBadRequest, "kind=%s: is no kind of event", k)
			}
			e.Kinds[k] = true
		}
		if t.events == nil {
			return notYet("events")
		}
		a, err := t.events.find(r.Context(), e)
		if err != nil {
			return err
		}
		return writeJSON(w, a)
	})
}

// apiMarks counts events by kind in bins of time, for the scrubber.
func (s *Server) apiMarks(w http.ResponseWriter, _ *http.Request, q query) error {
	return s.with(q, func(_ *show, t *tables) error {
		type counts struct {
			Kind   string  `json:"kind"`
			Counts []int64 `json:"counts"`
			All    int64   `json:"all"`
		}
		a := struct {
			Width   unit.Duration    `json:"width_ps"`
			Kinds   []counts         `json:"kinds"`
			LeftOut map[string]int64 `json:"left_out"`
		}{0, []counts{}, map[string]int64{}}
		if e := t.events; e != nil {
			a.Width, a.LeftOut = e.width, e.leftOut
			names, _ := eventKinds()
			for i, c := range e.counts {
				k := counts{Kind: names[i]}
				last := 0
				for b, n := range c {
					if k.All += n; n > 0 {
						last = b + 1
					}
				}
				if k.Counts = c[:last]; k.All > 0 {
					a.Kinds = append(a.Kinds, k)
				}
			}
		}
		return writeJSON(w, a)
	})
}

func (s *Server) apiPauses(w http.ResponseWriter, _ *http.Request, q query) error {
	from, until, err := q.window()
	if err != nil {
		return err
	}
	return s.with(q, func(_ *show, t *tables) error {
		a := struct {
			Pauses []pauseSpan `json:"pauses"`
			More   bool        `json:"more"`
		}{Pauses: []pauseSpan{}}
		if t.events != nil {
			a.Pauses, a.More = t.events.pausesIn(from, until, q.text("root"), mostPausesTold)
		}
		return writeJSON(w, a)
	})
}

func (s *Server) apiTimeline(w http.ResponseWriter, r *http.Request, q query) error {
	from, until, err := q.window()
	if err != nil {
		return err
	}
	return s.reading(r, q, func(t *tables) error {
		a := struct {
			timeline
			Path      []pathPart `json:"path"` // critical paths, in order of time
			MorePaths bool       `json:"more_path"`
		}{timeline: timeline{From: from, Until: until, Bars: []barRow{}, Strips: []stripRow{}}, Path: []pathPart{}}
		if t.operations != nil {
			line, err := t.operations.between(r.Context(), from, until, mostBars)
			if err != nil {
				return err
			}
			a.timeline = *line
		}
		var parts []result.PathRow
		parts, a.MorePaths = pathsBetween(t.paths, from, until, mostPathParts)
		for _, p := range parts {
			a.Path = append(a.Path, pathPart{p.Job, p.Step, p.OnRank, p.From, p.Until, p.Cause, p.Kind, p.Src, p.Dst, p.At})
		}
		return writeJSON(w, a)
	})
}

// pathPart is a part of a critical path.
type pathPart struct {
	Job   string    `json:"job"`
	Step  int32     `json:"step"`
	Rank  int32     `json:"rank"` // which did it; of a message, its sender
	From  unit.Time `json:"from_ps"`
	Until unit.Time `json:"until_ps"`
	Cause string    `json:"cause"`
	Kind  string    `json:"kind"`
	Src   int32     `json:"src"`
	Dst   int32     `json:"dst"`
	At    string    `json:"at"` // port; "": none
}

// whole loads a run with all that report takes from its tables: one at a time.
func (s *Server) whole(r *http.Request, id string) (*report.Data, func(), error) {
	dir, known := s.runs.dir(id)
	if !known {
		return nil, nil, refuse(http.StatusNotFound, "there is no run %q: api/runs lists them", id)
	}
	free, err := place(r.Context(), s.large)
	if err != nil {
		return nil, nil, err
	}
	d, err := report.Load(dir)
	if err != nil {
		free()
		return nil, nil, err
	}
	return d, free, nil
}

// apiFlow explains a message, as railyard explain does.
func (s *Server) apiFlow(w http.ResponseWriter, r *http.Request, q query) error {
	d, free, err := s.whole(r, q.text("run"))
	if err != nil {
		return err
	}
	defer free()
	f, err := d.Flow(q.text("flow"))
	if err != nil {
		return refuse(http.StatusNotFound, "%v", err)
	}
	var text bytes.Buffer
	if err := report.WriteFlow(&text, f, pageWidth); err != nil {
		return err
	}
	return writeJSON(w, struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}{f.Name, text.String()})
}

// apiReport is the page that railyard report writes. Its own policy names its script by hash.
func (s *Server) apiReport(w http.ResponseWriter, r *http.Request, q query) error {
	d, free, err := s.whole(r, q.text("run"))
	if err != nil {
		return err
	}
	defer free()
	var page bytes.Buffer
	if err := report.WritePage(&page, d); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Del("Content-Security-Policy")
	_, _ = w.Write(page.Bytes())
	return nil
}
