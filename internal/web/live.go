package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"railyard/internal/live"
	"railyard/internal/unit"
)

// An Example is a scenario to begin with, and what it names.
type Example struct {
	Name  string `json:"name"`
	About string `json:"about"` // its first line of comment
	Text  string `json:"scenario"`
	Files []File `json:"files"`
}

// A File is one as requests and examples hold it: as text, or in base64.
type File struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	Data []byte `json:"base64,omitempty"`
}

// posted is the body of check and start.
type posted struct {
	Scenario string `json:"scenario"`
	Files    []File `json:"files"`
}

func (p *posted) post() (all live.Post, err error) {
	all.Scenario = p.Scenario
	for _, f := range p.Files {
		if f.Text != "" && len(f.Data) > 0 {
			return all, refuse(http.StatusBadRequest, "file %q: has text and base64, want one of them", f.Name)
		}
		data := f.Data
		if f.Text != "" {
			data = []byte(f.Text)
		}
		all.Files = append(all.Files, live.File{Name: f.Name, Data: data})
	}
	return all, nil
}

// body reads what is posted: one value of JSON, as long as the bound at most. A page of another origin could post a form, but
// no JSON without asking first.
func (s *Server) body(w http.ResponseWriter, r *http.Request, v any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "want a body of Content-Type application/json")
	}
	bounds, _ := s.options.Live.Bounds()
	long := refuse(http.StatusRequestEntityTooLarge, "longer than %s, want at most that (--max-body)", bounds.Body.Human())
	if r.ContentLength > int64(bounds.Body) {
		w.Header().Set("Connection", "close")
		return long
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(slowest))
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, int64(bounds.Body)))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err == nil {
			err = errors.New("more follows")
		}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return long
	}
	return refuse(http.StatusBadRequest, "the body cannot be read: %v; want one object of JSON", err)
}

// posting reads what is posted and does something with it: so many at a time.
func (s *Server) posting(w http.ResponseWriter, r *http.Request, do func(p live.Post) error) error {
	free, err := place(r.Context(), s.bodies)
	if err != nil {
		return err
	}
	defer free()
	var p posted
	if err := s.body(w, r, &p); err != nil {
		return err
	}
	all, err := p.post()
	if err != nil {
		return err
	}
	var refusal *live.Refusal
	switch err := do(all); {
	case errors.As(err, &refusal) && refusal.Full:
		return refuse(http.StatusServiceUnavailable, "%s", refusal.Why)
	case errors.As(err, &refusal):
		return refuse(http.StatusUnprocessableEntity, "%s", refusal.Why)
	default:
		return err
	}
}

// startAnswer says what is wrong with what was posted, or which run it became.
type startAnswer struct {
	Job   *live.View      `json:"job"`   // null: it does not run
	Check json.RawMessage `json:"check"` // as railyard check --json
}

func (s *Server) apiCheck(w http.ResponseWriter, r *http.Request, _ query) error {
	return s.posting(w, r, func(p live.Post) error {
		c, err := s.options.Live.Check(r.Context(), p)
		if err != nil {
			return err
		}
		return writeJSON(w, startAnswer{nil, c.Whole})
	})
}

func (s *Server) apiStart(w http.ResponseWriter, r *http.Request, _ query) error {
	return s.posting(w, r, func(p live.Post) error {
		v, c, err := s.options.Live.Start(r.Context(), p)
		if err != nil {
			return err
		}
		return writeJSON(w, startAnswer{v, c.Whole})
	})
}

func (s *Server) apiCancel(w http.ResponseWriter, r *http.Request, _ query) error {
	var which struct {
		ID string `json:"id"`
	}
	if err := s.body(w, r, &which); err != nil {
		return err
	}
	if !s.options.Live.Cancel(which.ID) {
		return refuse(http.StatusNotFound, "there is no job %q: api/live lists them", which.ID)
	}
	v, _ := s.options.Live.Watch(which.ID)
	return writeJSON(w, v)
}

// apiLive lists what was posted, and what the server lets others take.
func (s *Server) apiLive(w http.ResponseWriter, _ *http.Request, q query) error {
	most, err := q.number("most", 50, 1, mostEntries)
	if err != nil {
		return err
	}
	type bounds struct {
		Body   unit.Bytes `json:"body_bytes"`
		Runs   int        `json:"runs"`
		Disk   unit.Bytes `json:"disk_bytes"`
		CPU    float64    `json:"cpu_seconds"`
		Memory unit.Bytes `json:"memory_bytes"`
		AtOnce int        `json:"at_once"`
	}
	a := struct {
		Runs   bool        `json:"runs"` // scenarios; false: the server only reads
		Jobs   []live.View `json:"jobs"` // newest first
		All    int         `json:"all"`
		Bounds bounds      `json:"bounds"`
		Used   live.Use    `json:"used"`
	}{Jobs: []live.View{}}
	if l := s.options.Live; l != nil {
		b, used := l.Bounds()
		a.Runs, a.Bounds, a.Used = true, bounds(b), used
		a.Jobs = l.Jobs()
		a.All = len(a.Jobs)
		a.Jobs = a.Jobs[:min(len(a.Jobs), int(most))]
	}
	return writeJSON(w, a)
}

// apiWatch tells how it is with a job, until it has ended.
func (s *Server) apiWatch(w http.ResponseWriter, r *http.Request, q query) error {
	id := q.text("job")
	l := s.options.Live
	if l == nil {
		return refuse(http.StatusNotFound, "this server only reads: it has no jobs")
	}
	if v, _ := l.Watch(id); v == nil {
		return refuse(http.StatusNotFound, "there is no job %q: api/live lists them", id)
	}
	return told(w, r, func() (any, <-chan struct{}, bool) {
		v, changed := l.Watch(id)
		return v, changed, v.Ended()
	})
}

func (s *Server) apiExamples(w http.ResponseWriter, _ *http.Request, _ query) error {
	return writeJSON(w, struct {
		Examples []Example `json:"examples"`
	}{append([]Example{}, s.options.Examples...)})
}
