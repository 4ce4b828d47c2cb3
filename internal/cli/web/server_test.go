package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Who has no token, another name for this machine, or comes from another page, gets nothing.
func TestOnlyWhoHasTheTokenIsAnswered(t *testing.T) {
	root := t.TempDir()
	d := draw(20)
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	host := strings.TrimPrefix(strings.TrimSuffix(x.url, "/"+x.s.token+"/"), "http://")
	_, port, _ := net.SplitHostPort(host)
	for _, c := range []struct {
		name, method, path, host, origin string
		want                             int
	}{
		{"the page", "GET", "/" + x.s.token + "/", host, "", 200},
		{"by the name localhost", "GET", "/" + x.s.token + "/", "localhost:" + port, "", 200},
		{"from the page itself", "GET", "/" + x.s.token + "/api/runs", host, "http://" + host, 200},
		{"no token", "GET", "/", host, "", 403},
		{"no token, an answer", "GET", "/api/runs", host, "", 403},
		{"another token", "GET", "/" + strings.Repeat("a", len(x.s.token)) + "/api/runs", host, "", 403},
		{"part of the token", "GET", "/" + x.s.token[:5] + "/api/runs", host, "", 403},
		{"a rebound name", "GET", "/" + x.s.token + "/api/runs", "attacker.example:" + port, "", 403},
		{"another address", "GET", "/" + x.s.token + "/api/runs", "10.0.0.1:" + port, "", 403},
		{"no port", "GET", "/" + x.s.token + "/api/runs", "127.0.0.1", "", 403},
		{"another page", "GET", "/" + x.s.token + "/api/runs", host, "http://attacker.example", 403},
		{"a page without an origin", "GET", "/" + x.s.token + "/api/runs", host, "null", 403},
		{"the same host by another scheme", "GET", "/" + x.s.token + "/api/runs", host, "https://" + host, 403},
		{"out of the page", "GET", "/" + x.s.token + "/../../etc/passwd", host, "", 404},
		{"out of the page, escaped", "GET", "/" + x.s.token + "/%2e%2e/%2e%2e/etc/passwd", host, "", 404},
		{"out of the runs", "GET", "/" + x.s.token + "/api/run?run=../one", host, "", 404},
		{"out of the runs, by an absolute path", "GET", "/" + x.s.token + "/api/run?run=" + root + "/one", host, "", 404},
		{"no such answer", "GET", "/" + x.s.token + "/api/nothing", host, "", 404},
		{"writing", "POST", "/" + x.s.token + "/api/runs", host, "", 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			// By hand: a client would tidy the path and the host up.
			conn, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			origin := ""
			if c.origin != "" {
				origin = "Origin: " + c.origin + "\r\n"
			}
			fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n", c.method, c.path, c.host, origin)
			r, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if r.StatusCode != c.want {
				t.Errorf("status %d, want %d", r.StatusCode, c.want)
			}
			p := r.Header.Get("Content-Security-Policy")
			if !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "unsafe-eval") {
				t.Errorf("policy %q", p)
			}
		})
	}
}

// mostPage bounds what the page is made of: it lies in the program.
const mostPage = 2_500_000

func TestThePageIsSmall(t *testing.T) {
	sum := 0
	files, err := dist.ReadDir("ui/dist")
	for _, f := range files {
		b, e := dist.ReadFile("ui/dist/" + f.Name())
		sum, err = sum+len(b), errors.Join(err, e)
	}
	if err != nil || sum > mostPage {
		t.Errorf("the page takes %d bytes, want at most %d: %v", sum, mostPage, err)
	}
}

// What the interface is said to be is what there is: each path of openapi.json answers with the keys that it promises.
func TestTheInterfaceIsAsDescribed(t *testing.T) {
	var doc struct {
		Paths map[string]struct {
			Post map[string]any
			Get  struct {
				Parameters []struct{ Name, Example string }
				Responses  map[string]struct {
					Content map[string]struct {
						Schema struct {
							Required   []string
							Properties map[string]any // that may be there
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	for name := range endpoints {
		if _, described := doc.Paths["/api/"+name]; !described {
			t.Errorf("openapi.json does not describe /api/%s", name)
		}
	}
	for name := range posts {
		if doc.Paths["/api/"+name].Post == nil {
			t.Errorf("openapi.json does not describe a POST of /api/%s", name)
		}
	}
	root := t.TempDir()
	d := draw(200)
	d.communicate()
	d.write(t, root, "one", result.Complete)
	d.write(t, root, "two", result.Complete)
	x := serve(t, root)
	x.settled("one")
	for path, p := range doc.Paths {
		name := strings.TrimPrefix(path, "/api/")
		if p.Post != nil {
			if posts[name] == nil {
				t.Errorf("%s is described and takes no POST", path)
			}
			continue
		}
		if endpoints[name] == nil {
			t.Errorf("%s is described and not there", path)
			continue
		}
		if name == "follow" || name == "flow" || name == "watch" || name == "view" {
			continue // streams; of messages, which this run has none of
		}
		query := "?"
		for _, q := range p.Get.Parameters {
			if q.Example != "" {
				query += q.Name + "=" + q.Example + "&"
			}
		}
		if name == "compare" {
			query = "?run=one&run=two"
		}
		code, body := x.ask("api/" + name + query)
		if code != http.StatusOK {
			t.Errorf("%s%s: %d %.200s", path, query, code, body)
			continue
		}
		for kind, content := range p.Get.Responses["200"].Content {
			var got map[string]json.RawMessage
			if kind != "application/json" {
				continue
			}
			if err := json.Unmarshal(body, &got); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, key := range content.Schema.Required {
				if _, there := got[key]; !there {
					t.Errorf("%s: the answer has no %q: %.200s", path, key, body)
				}
				delete(got, key)
			}
			for key := range content.Schema.Properties {
				delete(got, key)
			}
			if name != "openapi.json" {
				for key := range got {
					t.Errorf("%s: the answer has %q, which openapi.json does not describe", path, key)
				}
			}
		}
	}
}

// Numbers of the wrong kind, and too large ones, are refused with what would be taken.
func TestQueriesAreChecked(t *testing.T) {
	root := t.TempDir()
	d := draw(100)
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	for query, want := range map[string]string{
		"tiles?run=one&level=x":                    "want a whole number from 0 to 62",
		"tiles?run=one&level=40":                   "level 40: want 0, or",
		"tiles?run=one&index=99":                   "tile 99 of level 0: want 0 to 6",
		"tiles?run=one&index=-1":                   "index=-1: want a whole number",
		"series?run=one&kind=pigeon":               "want link, queue or flow",
		"series?run=one&kind=flow&name=nobody":     "no queue pair",
		"series?run=one&kind=link&from=5&until=1":  "ends before it begins",
		"series?run=one&kind=link&bins=1000000":    "want a whole number from 1 to 4096",
		"events?run=one&kind=birthday":             "is no kind of event",
		"events?run=one&most=999999":               "want a whole number from 1 to 2000",
		"runs?most=0":                              "want a whole number from 1 to 200",
		"compare?run=one":                          "want two",
		"run?run=nobody":                           "there is no run",
		"timeline?run=one&from=1e9":                "want a whole number",
		"topology?run=one%00":                      "there is no run",
		"run?run=%zz":                              "cannot be read",
		"steps?run=one&until=99999999999999999999": "want a whole number",
	} {
		code, body := x.ask("api/" + query)
		if code < 400 || code >= 500 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s, want %q", query, code, body, want)
		}
	}
}

// The page takes lists: what has nothing in it is an empty one. Pauses are told of all roots, or of one.
func TestListsAreLists(t *testing.T) {
	root := t.TempDir()
	d := draw(50)
	d.write(t, root, "one", result.Complete)
	if err := os.Mkdir(filepath.Join(root, "unfelt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "unfelt", "run.json"), []byte(`{"state":"complete","format_version":3,
		"diagnosis":{"blames":[{"kind":"shared port","port":"s1/h1","time_ps":1,"felt":null}]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	x := serve(t, root)
	if code, body := x.ask("api/run?run=unfelt"); code != http.StatusOK || !strings.Contains(string(body), `"felt":[]`) {
		t.Errorf("%d %s", code, body)
	}
	x.settled("one")
	for query, want := range map[string]int{"": 5, "&root=s1%2Fh1": 5, "&root=h2%2Fs1": 0, "&root=s1%2Fh1&from=20000000": 3} {
		var a struct{ Pauses []pauseSpan }
		if x.get("api/pauses?run=one"+query, &a); len(a.Pauses) != want {
			t.Errorf("pauses%s: %d, want %d", query, len(a.Pauses), want)
		}
	}
}

// A run directory that a stranger made is refused, or shown without what it wants to be.
func TestHostileDirectories(t *testing.T) {
	root := t.TempDir()
	d := draw(50)
	put := func(dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("text", "run.json", "no JSON </script>")
	put("deep", "run.json", strings.Repeat("[", 1_000_000))
	put("script", "run.json", `{"state":"complete","format_version":3,"name":"</script><img src=x onerror=alert(1)>\u2028\u202e"}`)
	put("negative", "run.json", `{"state":"complete","format_version":3,"virtual_time_ps":-5}`)
	put("nobody", "run.json", `{"state":"complete","format_version":3,"diagnosis":{"blames":[{"kind":"compute","time_ps":1}],`+
		`"findings":[{"noun":"incast","time_ps":1,"blames":[7]}]}}`)
	crowd := drawn{}
	for i := range mostPorts + 1 {
		crowd.links = append(crowd.links, fmt.Sprintf("h%d/s1", i))
	}
	crowd.write(t, root, "crowd", result.Complete)
	put("newer", "run.json", `{"state":"complete","format_version":99,"version":"9"}`)
	path := d.write(t, root, "damaged", result.Complete)
	if b, err := os.ReadFile(filepath.Join(path, "series.parquet")); err != nil {
		t.Fatal(err)
	} else {
		b[len(b)/2] ^= 0xff
		put("damaged", "series.parquet", string(b))
	}
	swapped := d.write(t, root, "swapped", result.Complete)
	other := draw(60)
	from := other.write(t, root, "whole", result.Complete)
	if b, err := os.ReadFile(filepath.Join(from, "series.parquet")); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(filepath.Join(swapped, "series.parquet"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	put("link", "x", "")
	if err := os.WriteFile(secret, []byte(`{"state":"complete","format_version":3,"name":"secret"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(root, "link", "run.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, filepath.Join(root, "linked")); err != nil {
		t.Fatal(err)
	}
	x := serve(t, root)
	code, body := x.ask("api/runs")
	if code != http.StatusOK || strings.Contains(string(body), `"id":"link`) || strings.Contains(string(body), "secret") {
		t.Errorf("%d: a link was followed: %s", code, body)
	}
	for id, want := range map[string]string{"text": "run.json", "deep": "run.json", "newer": "format version 99",
		"negative": "virtual_time_ps is -5, want 0 to", "nobody": "findings[0].blames[0] is 7, want 0 to 0"} {
		if code, body := x.ask("api/run?run=" + id); code < 400 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %.200s, want %q", id, code, body, want)
		}
	}
	code, body = x.ask("api/run?run=script")
	if text := string(body); code != http.StatusOK || strings.Contains(text, "</script>") || strings.Contains(text, "\u2028") ||
		strings.Contains(text, `\u2028"`) && !strings.Contains(text, `\\u2028`) {
		t.Errorf("%d %.300s", code, body)
	}
	for _, id := range []string{"damaged", "swapped"} {
		x.settled(id)
		show, err := x.s.show(id)
		if err != nil {
			t.Fatal(err)
		}
		<-show.gone
		p, _ := show.watch()
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "series.parquet: is not the one that the run wrote") {
			t.Errorf("%s: notes %q", id, notes)
		}
		code, body := x.ask("api/tiles?run=" + id)
		if code != http.StatusNotFound || !strings.Contains(string(body), "there is no series") {
			t.Errorf("%s: %d %.100s", id, code, body)
		}
	}
	x.settled("crowd")
	var topo struct{ Ports []portInfo }
	x.get("api/topology?run=crowd", &topo)
	show, err := x.s.show("crowd")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := show.watch()
	if notes := strings.Join(p.Notes, "\n"); len(topo.Ports) != mostPorts || !strings.Contains(notes, "only the first 100,000 ports") {
		t.Errorf("%d ports, notes %q", len(topo.Ports), notes)
	}
	code, _ = x.ask("api/run?run=whole")
	if code != http.StatusOK {
		t.Errorf("whole: %d", code)
	}
}

// Tables that go away while they are looked at are still there for who looks.
func TestTablesThatVanish(t *testing.T) {
	root := t.TempDir()
	d := draw(500)
	path := d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if code, body := x.ask("api/tiles?run=one&level=0&index=3"); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := x.ask("api/run?run=one"); code < 400 {
		t.Errorf("run.json is gone and answered: %d", code)
	}
}

// Connections that are dropped in the middle leave nothing behind, and neither does the server.
func TestDroppedConnectionsLeaveNothing(t *testing.T) {
	root := t.TempDir()
	d := draw(2000)
	d.write(t, root, "one", result.Complete)
	before, files := runtime.NumGoroutine(), openFiles(t)
	x := serve(t, root)
	x.settled("one")
	host := strings.TrimPrefix(strings.Split(x.url, "/"+x.s.token)[0], "http://")
	asks := []string{"follow?run=one", "tiles?run=one&level=0&index=1", "timeline?run=one", "events?run=one", "runs", "topology?run=one"}
	for i := range 1000 {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /%s/api/%s HTTP/1.1\r\nHost: %s\r\n\r\n", x.s.token, asks[i%len(asks)], host)
		if i%3 == 0 { // some hear the beginning of their answer
			if _, err := conn.Read(make([]byte, 1+bits.OnesCount(uint(i)))); err != nil {
				t.Fatal(err)
			}
		}
		conn.Close()
	}
	if code, _ := x.ask("api/runs"); code != http.StatusOK {
		t.Errorf("after 1,000 dropped connections: %d", code)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := x.end(); err != nil {
		t.Fatal(err)
	}
	for runtime.NumGoroutine() > before { // those of this test's own connections end when they are scheduled
		time.Sleep(time.Millisecond)
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d files are open, %d were before", now, files)
	}
}

// openFiles counts the files that this process has open.
func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A run that goes on is followed: what it writes later is seen, and its end.
func TestAGrowingRunIsFollowed(t *testing.T) {
	root := t.TempDir()
	d := draw(300)
	dir, err := result.Create(filepath.Join(root, "one"))
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "one"}
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	x := serve(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, x.url+"api/follow?run=one", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	news := bufio.NewScanner(r.Body)
	next := func() (p progress) {
		for news.Scan() {
			if text, isData := strings.CutPrefix(news.Text(), "data: "); isData {
				if err := json.Unmarshal([]byte(text), &p); err != nil {
					t.Fatal(err)
				}
				return p
			}
		}
		t.Fatalf("the stream ends: %v", news.Err())
		return p
	}
	if p := next(); p.Rows != 0 {
		t.Errorf("%d rows of a run that has written none", p.Rows)
	}
	show, err := x.s.show("one")
	if err != nil {
		t.Fatal(err)
	}
	show.mu.Lock()
	if show.followers != 1 {
		t.Errorf("%d follow", show.followers) // somebody else's run would take its place
	}
	show.mu.Unlock()
	for i := range d.series {
		dir.Series().Add(d.series[i])
	}
	s.State, s.VirtualTime = result.Complete, unit.Time(d.ends)*unit.Time(tick)
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	for {
		p := next()
		if p.State == result.Complete && p.Rows == int64(len(d.series)) && p.Reading == "" {
			break
		}
	}
	var topo struct{ Intervals int64 }
	x.get("api/topology?run=one", &topo)
	if topo.Intervals != int64(d.ends) {
		t.Errorf("%d intervals, want %d", topo.Intervals, d.ends)
	}
}

// Ports are told once: who has them is told only what is new.
func TestPortsAreToldOnce(t *testing.T) {
	root := t.TempDir()
	d := draw(50)
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	ask := func(have string) (a struct {
		Listed int `json:"ports_version"`
		Ports  []portInfo
		Every  int64 `json:"interval_ps"`
	}) {
		x.get("api/topology?run=one"+have, &a)
		return a
	}
	all := ask("")
	if all.Listed < 1 || len(all.Ports) != len(d.links) {
		t.Fatalf("version %d of %d ports, want all %d", all.Listed, len(all.Ports), len(d.links))
	}
	if again := ask(fmt.Sprint("&have=", all.Listed)); again.Listed != all.Listed || len(again.Ports) != 0 || again.Every != int64(tick) {
		t.Errorf("who has them is told %+v", again)
	}
	if other := ask("&have=0"); len(other.Ports) != len(d.links) {
		t.Errorf("who has others is told of %d ports", len(other.Ports))
	}
	show, err := x.s.show("one")
	if err != nil {
		t.Fatal(err)
	}
	<-show.gone
	more := *show.now
	more.ports = append(slices.Clone(more.ports), portInfo{Port: "h9/s1"})
	show.publish(&more)
	if now := ask(fmt.Sprint("&have=", all.Listed)); now.Listed != all.Listed+1 || len(now.Ports) != len(d.links)+1 {
		t.Errorf("of another port who had the others is told version %d, %d ports", now.Listed, len(now.Ports))
	}
}
