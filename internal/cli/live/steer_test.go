package live

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// looking is a run of no events that asks an onlooker; it hears what views were taken.
type looking struct {
	o     *Onlooker
	views chan unit.Time
	far   chan struct{} // closed when it has come to the first second
	end   context.CancelFunc
	ended chan struct{}
}

func look(t *testing.T, s Steer) *looking {
	ctx, cancel := context.WithCancel(t.Context())
	l := &looking{NewOnlooker(), make(chan unit.Time), make(chan struct{}), cancel, make(chan struct{})}
	l.tell(t, s)
	go func() {
		defer close(l.ended)
		for now := unit.Time(0); ctx.Err() == nil; {
			next := l.o.Look(ctx, now, unit.Never, func(string) {
				select {
				case l.views <- now:
				case <-ctx.Done():
				}
			})
			if next < 1 {
				t.Errorf("the next look is %v later", next)
				return
			}
			if now < unit.Time(unit.Second) && now.Add(next) >= unit.Time(unit.Second) {
				close(l.far)
			}
			now = min(now.Add(next), unit.Time(unit.Second))
		}
	}()
	return l
}

func (l *looking) tell(t *testing.T, s Steer) {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	l.o.Hear(strings.NewReader(string(b)+"\n"), func(err error) { t.Error(err) })
}

// A run that is paused stands still, is shown where it stands, and goes on step by step, as long as its speed says; when nobody
// looks it goes on, and none of it is shown. Its end ends the waiting.
func TestPauseAndSteps(t *testing.T) {
	const step = 50 * unit.Microsecond // a view is 50 ms
	l := look(t, Steer{Views: true, Paused: true, Speed: 1000})
	at := <-l.views
	for n := range int64(3) {
		l.tell(t, Steer{Views: true, Paused: true, Speed: 1000, Steps: n + 1})
		if next := <-l.views; next.Sub(at) != step {
			t.Errorf("step %d leads from %v to %v", n, at, next)
		} else {
			at = next
		}
	}
	l.tell(t, Steer{Views: true, Paused: true, Speed: 1000, Steps: 3, Part: "x"}) // others are told of, where it stands
	if next := <-l.views; next != at {
		t.Errorf("another part of names leads from %v to %v", at, next)
	}
	l.tell(t, Steer{Views: true, Speed: 1000, Steps: 3, Part: "x"})
	for range 3 {
		if next := <-l.views; next != at && next.Sub(at) != step {
			t.Errorf("a view at %v follows one at %v", next, at)
		} else {
			at = next
		}
	}
	l.tell(t, Steer{Steps: 3})
	for gone := false; !gone; {
		select {
		case <-l.views: // the last one
		case <-l.far:
			gone = true
		}
	}
	l.tell(t, Steer{Views: true, Paused: true, Steps: 3})
	if at := <-l.views; at != unit.Time(unit.Second) {
		t.Errorf("it stands at %v", at)
	}
	l.end()
	<-l.ended
}

// What cannot be meant is refused, and changes nothing; a line too long is one mistake.
func TestOrdersAreChecked(t *testing.T) {
	o := NewOnlooker()
	var wrong []string
	hear := func(text string) []string {
		wrong = nil
		o.Hear(strings.NewReader(text), func(err error) { wrong = append(wrong, err.Error()) })
		return wrong
	}
	if got := hear(`{"views":true,"part":"host1"}` + "\n\n"); len(got) != 0 || o.steer.Part != "host1" {
		t.Errorf("%q, %+v", got, o.steer)
	}
	for text, want := range map[string]string{
		"{": "unexpected EOF", "[]": "cannot unmarshal", `{"speed":-1}`: "want 0, which is as fast", `{"speed":1e10}`: "want 0",
		`{"steps":-1}`: "want 0 or more", `{"sped":1}`: `unknown field "sped"`, "{}{}": "more follows",
		`{"part":"` + strings.Repeat("x", 201) + `"}`: "want at most 200", strings.Repeat("x", 1<<20): "a line of over 4096 bytes",
	} {
		if got := hear(text + "\n"); len(got) != 1 || !strings.Contains(got[0], want) || o.steer.Part != "host1" {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
	}
	var cut [3]string
	n := 0
	l := &lines{most: 3, take: func(b []byte) { cut[n] = string(b); n++ }, long: func() { cut[n] = "long"; n++ }}
	for _, p := range []string{"a", "bc\nabcd\n", "e", "f\n"} {
		if w, err := l.Write([]byte(p)); w != len(p) || err != nil {
			t.Error(w, err)
		}
	}
	if cut != [3]string{"abc", "long", "ef"} {
		t.Errorf("%q", cut)
	}
}

// Who looks at a job that is not there, or steers one that nobody looks at, is told so.
func TestViewers(t *testing.T) {
	r, _ := runner(t, Bounds{})
	if r.Look("7") != nil {
		t.Error("a job that there is not is looked at")
	}
	v := start(t, r, "a 1 wait")
	if ok, err := r.Steer(v.ID, Steer{}); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	one, two := r.Look(v.ID), r.Look(v.ID)
	if _, err := r.Steer(v.ID, Steer{Speed: -1}); err == nil {
		t.Error("a speed below 0 is taken")
	}
	for range 2 {
		if ok, err := r.Steer(v.ID, Steer{Paused: true, Steps: 1}); !ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
	}
	one()
	if s, _ := r.See(v.ID); s.Steer != (Steer{Views: true, Paused: true, Steps: 2}) {
		t.Errorf("%+v", s.Steer)
	}
	two()
	if s, _ := r.See(v.ID); s.Steer != (Steer{Steps: 2}) {
		t.Errorf("after the last viewer left: %+v", s.Steer)
	}
	if s, _ := r.See("7"); s != nil {
		t.Errorf("%+v", s)
	}
}

func FuzzSteer(f *testing.F) {
	for _, s := range []string{`{"views":true,"speed":100,"paused":true,"steps":3,"part":"host1"}`,
		`{"speed":1e9}`, "{}", "null", `{"speed":-0}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseSteer(b)
		if err != nil {
			if s != (Steer{}) {
				t.Errorf("%+v beside %v", s, err)
			}
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseSteer(again)
		if errors.Is(err, nil) && back != s || err != nil && len(s.Part) < 60 {
			t.Errorf("%s: %+v, %v; was %+v", again, back, err, s)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // it waits for nothing
		o := NewOnlooker()
		o.steer = s
		if next := o.Look(ctx, 0, 1, func(string) {}); next < 1 {
			t.Errorf("%s: the next look is %v later", again, next)
		}
	})
}
