package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/cli/live"
)

// An Example is a scenario to begin with, and what it names.
type Example struct {
	Group string `json:"group"` // "examples" or "labs"
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

// posts are what is asked by POST.
var posts = map[string]endpoint{
	"check":  (*Server).apiCheck,
	"start":  (*Server).apiStart,
	"cancel": (*Server).apiCancel,
	"steer":  (*Server).apiSteer,
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

// viewAnswer is what there is to be seen of a run that goes on.
type viewAnswer struct {
	Ports []json.RawMessage `json:"ports,omitempty"` // lists, to be joined: once, when they are known
	View  json.RawMessage   `json:"view"`            // null: there is none yet
	Steer live.Steer        `json:"steer"`
	Wrong string            `json:"wrong"` // why nothing is to be seen; "": something is, or will be
	Ended bool              `json:"ended"`
}

// betweenViews is how often a view is told at most.
const betweenViews = 20 * time.Millisecond

// apiView lets the page look at a run that goes on: until it has ended.
func (s *Server) apiView(w http.ResponseWriter, r *http.Request, q query) error {
	id := q.text("job")
	l := s.options.Live
	if l == nil {
		return refuse(http.StatusNotFound, "this server only reads: it has no jobs")
	}
	leave := l.Look(id)
	if leave == nil {
		return refuse(http.StatusNotFound, "there is no job %q: api/live lists them", id)
	}
	defer leave()
	named := 0 // lists of ports that were told
	return toldEvery(w, r, betweenViews, func() (any, <-chan struct{}, bool) {
		x, changed := l.See(id)
		a := viewAnswer{View: x.View, Steer: x.Steer, Wrong: x.Wrong, Ended: x.Ended}
		if named < len(x.Ports) {
			a.Ports, named = x.Ports[named:], len(x.Ports)
		}
		return a, changed, x.Ended
	})
}

// apiSteer says how a run goes on for those who look at it.
func (s *Server) apiSteer(w http.ResponseWriter, r *http.Request, _ query) error {
	var to struct {
		ID     string  `json:"id"`
		Speed  float64 `json:"speed"`
		Paused bool    `json:"paused"`
		Step   bool    `json:"step"` // of a paused run: once more
		Part   string  `json:"part"`
	}
	if err := s.body(w, r, &to); err != nil {
		return err
	}
	steer := live.Steer{Speed: to.Speed, Paused: to.Paused || to.Step, Part: to.Part}
	if to.Step {
		steer.Steps = 1
	}
	switch found, err := s.options.Live.Steer(to.ID, steer); {
	case err != nil:
		return refuse(http.StatusUnprocessableEntity, "%s", err)
	case !found:
		return refuse(http.StatusNotFound, "nobody looks at a job %q: api/view does", to.ID)
	}
	return writeJSON(w, struct{}{})
}

func (s *Server) apiExamples(w http.ResponseWriter, _ *http.Request, _ query) error {
	return writeJSON(w, struct {
		Examples []Example `json:"examples"`
	}{append([]Example{}, s.options.Examples...)})
}

// apiSchema is the JSON Schema of scenarios.
func (s *Server) apiSchema(w http.ResponseWriter, _ *http.Request, _ query) error {
	if s.options.Schema == nil {
		return refuse(http.StatusNotFound, "this server only reads: nothing is edited here")
	}
	_, err := w.Write(s.options.Schema)
	return err
}
