package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"railyard/internal/base/shown"
	"railyard/internal/cli/live"
)

// Bounds of the server.
const (
	mostConnections = 256
	mostAtWork      = 4 // requests that read tables
	mostBodies      = 2 // requests that post
	mostShows       = 2 // runs whose pyramids are in memory
	headerLimit     = 16 << 10
	slowest         = 30 * time.Second // for a header to come, or an answer to be taken
)

// Options say what a server shows, and what it may ask others for.
type Options struct {
	Dir      string       // runs in and below it
	Plan     Planner      // nil: no collective is shown round by round
	Live     *live.Runner // runs what is posted; nil: the server only reads
	Examples []Example    // scenarios to begin with
	Schema   []byte       // of scenarios, as JSON: what an editor completes and explains by; nil: nothing is edited
}

// Server shows the runs below a folder.
type Server struct {
	options Options
	runs    catalogue
	token   string
	addr    netip.AddrPort

	ctx    context.Context // of the whole server
	work   chan struct{}   // who reads tables has a place in it
	large  chan struct{}   // who loads a whole report has the place in it
	bodies chan struct{}   // who posts has a place in it

	mu    sync.Mutex
	shows map[string]*show
}

// New returns a server. Nothing runs until Serve.
func New(o Options) *Server {
	return &Server{options: o, runs: catalogue{root: o.Dir}, token: strings.ToLower(rand.Text()), shows: map[string]*show{},
		work: make(chan struct{}, mostAtWork), large: make(chan struct{}, 1), bodies: make(chan struct{}, mostBodies)}
}

// Runs returns how many runs there are to show.
func (s *Server) Runs() (n int, more bool) {
	ids, more := s.runs.list()
	return len(ids), more
}

// Serve listens at an address and port, 0 for a free one, and answers requests until the context ends: then it returns nil,
// and nothing of it runs any more. ready hears the address of the page.
func (s *Server) Serve(ctx context.Context, at netip.AddrPort, ready func(url string)) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", at.String())
	if err != nil {
		return fmt.Errorf("cannot listen at %s: %w", at, err)
	}
	addr, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		l.Close()
		return fmt.Errorf("listens at %s, which is no address and port: %w", l.Addr(), err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.addr, s.ctx = addr, ctx
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: slowest, IdleTimeout: time.Minute, MaxHeaderBytes: headerLimit,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&limited{Listener: l, places: make(chan struct{}, mostConnections)}) }()
	ready(s.URL())
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = nil
	}
	cancel() // requests that wait give up
	_ = server.Close()
	if err == nil {
		<-ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, show := range s.shows {
		show.end()
		delete(s.shows, id)
	}
	return err
}

// URL is where the page is, once the server listens.
func (s *Server) URL() string {
	addr := s.addr
	if addr.Addr().IsUnspecified() {
		loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
		addr = netip.AddrPortFrom(loopback, addr.Port())
	}
	return (&url.URL{Scheme: "http", Host: addr.String(), Path: "/" + s.token + "/"}).String()
}

// limited is a listener that has so many connections at a time at most.
type limited struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limited) done() chan struct{} {
	l.once.Do(func() { l.closed = make(chan struct{}) })
	return l.closed
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.done():
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &counted{Conn: c, free: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limited) Close() error {
	done := l.done()
	select {
	case <-done:
	default:
		close(done)
	}
	return l.Listener.Close()
}

type counted struct {
	net.Conn
	free func()
}

func (c *counted) Close() error {
	defer c.free()
	return c.Conn.Close()
}

// allowed tells which names of this server a request may use: others are those of a page that has its own name resolve to
// this address. Of an address that stands for all of a machine any number will do, but no name.
func (s *Server) allowed(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != fmt.Sprint(s.addr.Port()) {
		return false
	}
	if name == "localhost" {
		return s.addr.Addr().IsLoopback() || s.addr.Addr().IsUnspecified()
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (ip.Unmap() == s.addr.Addr().Unmap() || s.addr.Addr().IsUnspecified())
}

// refusal is why a request is not answered: a status and a sentence.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(code int, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// check says what is wrong with a request, whatever it asks for, and returns the rest of its path.
func (s *Server) check(r *http.Request) (rest string, err error) {
	if !s.allowed(r.Host) {
		return "", refuse(http.StatusForbidden, "another host is meant")
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return "", refuse(http.StatusForbidden, "a page of another origin asks")
	}
	token, rest, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 || !found {
		return "", refuse(http.StatusForbidden, "the token is missing or wrong: take the whole address that railyard serve prints")
	}
	switch _, takes := posts[strings.TrimPrefix(rest, "api/")]; {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
	case r.Method != http.MethodPost || !takes:
		return "", refuse(http.StatusMethodNotAllowed, "only GET and HEAD are answered here")
	case s.options.Live == nil:
		return "", refuse(http.StatusForbidden, "this server only reads: railyard serve --run starts one that runs scenarios")
	case !slices.Contains([]string{"", "same-origin"}, r.Header.Get("Sec-Fetch-Site")):
		return "", refuse(http.StatusForbidden, "a page of another origin asks")
	}
	if slices.Contains(strings.Split(rest, "/"), "..") {
		return "", refuse(http.StatusNotFound, "there is no such page")
	}
	return rest, nil
}

// policy lets the page load what comes with it, and nothing else. Styles are set by script, element by element.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	rest, err := s.check(r)
	if err == nil {
		if name, isAPI := strings.CutPrefix(rest, "api/"); isAPI {
			err = s.api(w, r, name)
		} else {
			err = servePage(w, r, rest)
		}
	}
	if err != nil {
		answerError(w, err)
	}
}

// answerError says why there is no answer. A request that was given up gets none.
func answerError(w http.ResponseWriter, err error) {
	var r *refusal
	switch {
	case errors.As(err, &r):
	case errors.Is(err, context.Canceled):
		return
	default:
		r = &refusal{http.StatusUnprocessableEntity, err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.code)
	_ = writeJSON(w, map[string]string{"error": r.text})
}

// writeJSON writes a value as the page takes it: what nobody sees in a text is an escape.
func writeJSON(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowest))
	_, err = w.Write(shown.VisibleJSON(b))
	if err != nil {
		return context.Canceled // nobody listens any more
	}
	return nil
}

// show returns the run that is asked for, and starts to read its tables.
func (s *Server) show(id string) (*show, error) {
	dir, known := s.runs.dir(id)
	if !known {
		return nil, refuse(http.StatusNotFound, "there is no run %q: /api/runs lists them", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.shows[id]; found != nil {
		return found, nil
	}
	if s.ctx.Err() != nil {
		return nil, context.Canceled
	}
	if len(s.shows) >= mostShows {
		oldest := s.oldest()
		if oldest == nil {
			return nil, refuse(http.StatusServiceUnavailable, "%d runs are open already: close the page of one", mostShows)
		}
		oldest.end()
		delete(s.shows, oldest.id)
	}
	s.shows[id] = newShow(s.ctx, id, dir)
	return s.shows[id], nil
}

// oldest returns the show that makes room for another: nil, if somebody looks at each.
func (s *Server) oldest() *show {
	var all []*show
	for _, x := range s.shows {
		all = append(all, x)
	}
	for _, x := range all {
		x.mu.Lock()
		defer x.mu.Unlock()
	}
	first := slices.MinFunc(all, byUse)
	if first.followers > 0 {
		return nil
	}
	return first
}

// place waits for a place among those that read tables.
func place(ctx context.Context, places chan struct{}) (free func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, context.Canceled
	}
}
