//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"railyard/internal/cli/live"
	"railyard/internal/out/result"
)

// A liveServer is `railyard serve --run` in a process of its own.
type liveServer struct {
	t    *testing.T
	cmd  *exec.Cmd
	dir  string // that it was started in; its runs are in runs
	url  string
	said bytes.Buffer
}

func startLive(t *testing.T, dir string, args ...string) *liveServer {
	t.Helper()
	s := &liveServer{t: t, dir: dir}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Args = append([]string{"railyard", "serve", "runs", "--run"}, args...)
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	s.cmd.Stderr = &s.said
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = s.cmd.Wait()
		t.Fatalf("%v: %s", err, &s.said)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// ask asks for something; a body is posted.
func (s *liveServer) ask(name string, body any, answer any) (code int, text string) {
	s.t.Helper()
	var r *http.Response
	var err error
	if body == nil {
		r, err = http.Get(s.url + "api/" + name)
	} else {
		b, e := json.Marshal(body)
		if e != nil {
			s.t.Fatal(e)
		}
		r, err = http.Post(s.url+"api/"+name, "application/json", bytes.NewReader(b))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if answer != nil {
		if err := json.Unmarshal(b, answer); err != nil || r.StatusCode != http.StatusOK {
			s.t.Fatalf("%s: %d %s: %v", name, r.StatusCode, b, err)
		}
	}
	return r.StatusCode, string(b)
}

// job starts a scenario in which nothing is wrong.
func (s *liveServer) job(scenario string) live.View {
	s.t.Helper()
	var a struct {
		Job   *live.View
		Check json.RawMessage
	}
	s.ask("start", fields{"scenario": scenario}, &a)
	if a.Job == nil {
		s.t.Fatalf("%s", a.Check)
	}
	return *a.Job
}

func (s *liveServer) jobs() []live.View {
	s.t.Helper()
	var a struct{ Jobs []live.View }
	s.ask("live?most=200", nil, &a)
	return a.Jobs
}

// until follows a job by its stream until it is as wanted.
func (s *liveServer) until(id string, is func(v *live.View) bool) (v live.View) {
	s.t.Helper()
	r, err := http.Get(s.url + "api/watch?job=" + id)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	for news := bufio.NewScanner(r.Body); news.Scan(); {
		if text, is_ := strings.CutPrefix(news.Text(), "data: "); is_ {
			v = live.View{}
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				s.t.Fatal(err)
			}
			if is(&v) {
				return v
			}
		}
	}
	s.t.Fatalf("never so: %+v", v)
	return v
}

const (
	shortRun = "name: short\ncluster: {hosts: 2, host: {gpus: 1}}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 100kB}]}\n"
	longRun  = "name: long\ncluster: {hosts: 2, host: {gpus: 1}}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 500GB}]}\n"
)

func moves(v *live.View) bool { return v.Progress != nil && v.Progress.PacketHops > 0 }

// written lists all that lies in the folder of a server, but what is posted for a moment.
func (s *liveServer) written() (all []string) {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && name != s.dir {
			all = append(all, strings.TrimPrefix(name, s.dir+"/"))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// Fifty that are posted at once all run, each once, and leave what railyard run leaves.
func TestServeRunsFiftyAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := startLive(t, dir)
	const all = 50
	ids := make([]string, all)
	var posts sync.WaitGroup
	for i := range all {
		posts.Go(func() { ids[i] = s.job(shortRun).ID })
	}
	posts.Wait()
	slices.Sort(ids)
	if n := len(slices.Compact(slices.Clone(ids))); n != all {
		t.Errorf("%d different jobs of %d", n, all)
	}
	dirs := map[string]bool{}
	for _, id := range ids {
		v := s.until(id, (*live.View).Ended)
		if v.State != live.State(result.Complete) || dirs[v.Run] {
			t.Errorf("%+v", v)
		}
		dirs[v.Run] = true
	}
	if len(s.jobs()) != all || len(dirs) != all {
		t.Errorf("%d jobs, %d runs", len(s.jobs()), len(dirs))
	}
	writeAll(t, filepath.Join(dir, "own.yaml"), []byte(shortRun))
	if out, state, _ := inChild(dir, "run", "own.yaml", "--out", "own", "--quiet"); !state.Success() {
		t.Fatalf("%s", out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "own/flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		got, err := os.ReadFile(filepath.Join(dir, "runs", fmt.Sprintf("short-%d", i+1), "flows.parquet"))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("short-%d: its flows are not those of railyard run: %v", i+1, err)
		}
	}
	_ = s.cmd.Process.Signal(os.Interrupt)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &s.said)
	}
}

// What is hostile is refused with a reason, and nothing is written.
func TestServeRunRefuses(t *testing.T) {
	s := startLive(t, t.TempDir(), "--max-body", "1MB", "--max-memory", "100MB")
	before := s.written()
	secret := filepath.Join(t.TempDir(), "secret")
	writeAll(t, secret, []byte("top secret"))
	up := strings.Repeat("../", 20)
	scenario := func(more string) string {
		return "cluster: {hosts: 2, host: {gpus: 1}}\n" + more
	}
	flows := "job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"
	training := func(data string) string {
		return scenario("job: {train: {layers: [784, 10], data: " + data + ", batch: 8, epochs: 1, lr: 0.1}}\n")
	}
	for name, c := range map[string]struct {
		scenario string
		files    []fields
		want     string
	}{
		"a topology elsewhere": {scenario("fabric: {design: custom, topology: " + up + secret[1:] + "}\n" + flows), nil,
			"leads out of the folder"},
		"by an absolute path": {scenario("fabric: {design: custom, topology: " + secret + "}\n" + flows), nil,
			"leads out of the folder"},
		"configurations": {scenario("fabric: {config: ../../etc}\n" + flows), nil, "leads out of the folder"},
		"a board": {"cluster: {hosts: 2, host: {gpus: 1, graph: ../g.xml}}\n" + flows, nil,
			"leads out of the folder"},
		"flows":                      {scenario("job: {flows_csv: /etc/passwd}\n"), nil, "leads out of the folder"},
		"a data set":                 {training("/etc"), nil, "leads out of the folder"},
		"images":                     {training("{images: {dir: ../../etc}}"), nil, "leads out of the folder"},
		"images that are made":       {training("{digits: {dir: ../made}}"), nil, "leads out of the folder"},
		"a file that was not posted": {scenario("job: {flows_csv: flows.csv}\n"), nil, "no such file"},
		"a posted name that leads out": {shortRun, []fields{{"name": "../../x", "text": "x"}},
			"leads out of the folder of what is posted"},
		"a posted lock": {shortRun, []fields{{"name": ".railyard-lock", "text": "x"}}, "begins with a point"},
		"much memory": {strings.ReplaceAll(training("{shapes: {dir: d, train: 5000, test: 10, side: 256}}"), "784", "196608"), nil,
			"and this server has 100 MB for its runs"},
		"too much work": {scenario("job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1TB, count: 100, every: 1us}]}\n"), nil,
			"packet-hops, the limit is"},
		"no scenario":     {"root:x:0:0", nil, "holds no key of a scenario"},
		"a long scenario": {"# " + strings.Repeat("x", 999_990) + "\n" + shortRun, nil, "want at most"},
	} {
		code, text := s.ask("start", fields{"scenario": c.scenario, "files": append([]fields{}, c.files...)}, nil)
		var a struct{ Job *live.View }
		if json.Unmarshal([]byte(text), &a); a.Job != nil || !strings.Contains(text, c.want) || strings.Contains(text, "top secret") {
			t.Errorf("%s: %d %.400s, want %q", name, code, text, c.want)
		}
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), "/")
	body, err := json.Marshal(fields{"scenario": shortRun})
	if err != nil {
		t.Fatal(err)
	}
	send := func(path, headers, body string) (code int, text string) {
		t.Helper()
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if !strings.Contains(headers, "Content-Length") && !strings.Contains(headers, "chunked") {
			headers += fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		fmt.Fprintf(conn, "POST /%s HTTP/1.1\r\nHost: %s\r\n%s\r\n%s", path, host, headers, body)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(b)
	}
	const asJSON = "Content-Type: application/json\r\n"
	for name, c := range map[string]struct {
		path, headers, body string
		code                int
		want                string
	}{
		"no token": {"api/start", asJSON, string(body), 403, "the token is missing or wrong"},
		"another token": {strings.Repeat("a", len(path)-1) + "/api/start", asJSON, string(body), 403,
			"the token is missing or wrong"},
		"another origin": {path + "api/start", asJSON + "Origin: http://attacker.example\r\n", string(body), 403,
			"another origin"},
		"another site": {path + "api/start", asJSON + "Sec-Fetch-Site: cross-site\r\n", string(body), 403, "another origin"},
		"a form": {path + "api/start", "Content-Type: text/plain\r\n", string(body), 415,
			"want a body of Content-Type application/json"},
		"100 MB": {path + "api/start", asJSON + "Content-Length: 100000000\r\n", "{", 413,
			"longer than 1 MB, want at most that (--max-body)"},
		"2 MB, unannounced": {path + "api/start", asJSON + "Transfer-Encoding: chunked\r\n",
			"1e8480\r\n" + strings.Repeat(" ", 2_000_000) + "\r\n0\r\n\r\n", 413, "longer than 1 MB"},
		"no JSON":               {path + "api/start", asJSON, "{", 400, "cannot be read"},
		"two values":            {path + "api/start", asJSON, string(body) + "{}", 400, "more follows"},
		"a key that is not one": {path + "api/start", asJSON, `{"scenario":"","force":true}`, 400, `unknown field \"force\"`},
		"text and base64": {path + "api/start", asJSON, `{"scenario":"","files":[{"name":"a","text":"x","base64":"eA=="}]}`, 400,
			"want one of them"},
		"a job that is not": {path + "api/cancel", asJSON, `{"id":"7"}`, 404, "there is no job"},
		"where nothing is":  {path + "api/runs", asJSON, "{}", 405, "only GET and HEAD"},
	} {
		if code, text := send(c.path, c.headers, c.body); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %.300s, want %d %q", name, code, text, c.code, c.want)
		}
	}
	big := strings.Repeat("x", 1_000_001)
	if code, text := s.ask("start", fields{"scenario": big}, nil); code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %.200s", code, text)
	}
	if after := s.written(); !slices.Equal(before, after) {
		t.Errorf("written: %q, before %q", after, before)
	}
	if jobs := s.jobs(); len(jobs) > 0 {
		t.Errorf("%+v", jobs)
	}

	// What was posted is read, and text that is none comes as base64.
	csv := "from,to,bytes\nhost1/gpu0,host2/gpu0,1kB\n"
	var a struct{ Job *live.View }
	s.ask("start", fields{"scenario": scenario("name: posted\njob: {flows_csv: in/flows.csv}\n"),
		"files": []fields{{"name": "in/flows.csv", "base64": base64.StdEncoding.EncodeToString([]byte(csv))}}}, &a)
	if a.Job == nil {
		t.Fatal("what was posted is not read")
	}
	if v := s.until(a.Job.ID, (*live.View).Ended); v.State != live.State(result.Complete) {
		t.Errorf("%+v", v)
	}
}

// Without --run nothing is taken, and the bounds of runs are misuse.
func TestServeOnlyReads(t *testing.T) {
	address := serving(t, t.TempDir())
	r, err := http.Post(address+"api/start", "application/json", strings.NewReader(`{"scenario":""}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	if r.StatusCode != http.StatusForbidden || !strings.Contains(string(b), "this server only reads: railyard serve --run") {
		t.Errorf("%d %s", r.StatusCode, b)
	}
}

// More connections than there is room for wait, and disturb nobody: those that are there are answered.
func TestServeRunManyConnections(t *testing.T) {
	s := startLive(t, t.TempDir())
	host, _, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), "/")
	var open []net.Conn
	for range 500 {
		conn, err := net.DialTimeout("tcp", host, 5*time.Second)
		if err != nil {
			break // the system's own line is full
		}
		open = append(open, conn)
	}
	for _, c := range open {
		c.Close()
	}
	if v := s.until(s.job(shortRun).ID, (*live.View).Ended); v.State != live.State(result.Complete) {
		t.Errorf("%+v", v)
	}
}

// states reads what the runs in a folder say of themselves.
func states(t *testing.T, dir string) map[string]result.State {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]result.State{}
	for _, e := range entries {
		run, err := result.OpenIncomplete(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for run.Held() { // it is still being written
			time.Sleep(time.Millisecond)
			if run, err = result.OpenIncomplete(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		if run, err = result.OpenIncomplete(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = run.Summary.State
	}
	return all
}

// Cancel is Ctrl-C's path, the server's Ctrl-C ends all that goes on, and after kill -9 of it they end by themselves: always with
// whole directories, which the next server lists as they are.
func TestServeRunsEnd(t *testing.T) {
	dir := t.TempDir()
	s := startLive(t, dir, "--at-once", "3", "--max-memory", "1GB")
	one, two, three := s.job(longRun), s.job(longRun), s.job(longRun)
	waits := s.job(longRun)
	for _, j := range []live.View{one, two, three} {
		s.until(j.ID, moves)
	}
	var v live.View
	s.ask("cancel", fields{"id": one.ID}, &v)
	if v = s.until(one.ID, (*live.View).Ended); v.State != live.State(result.Interrupted) {
		t.Errorf("%+v", v)
	}
	s.until(waits.ID, moves) // there is room for it now
	begun := time.Now()
	_ = s.cmd.Process.Signal(os.Interrupt)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &s.said)
	}
	t.Logf("the server and three runs ended %v after Ctrl-C", time.Since(begun))
	want := map[string]result.State{"long-1": result.Interrupted, "long-2": result.Interrupted, "long-3": result.Interrupted,
		"long-4": result.Interrupted}
	if got := states(t, filepath.Join(dir, "runs")); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}

	s = startLive(t, dir, "--at-once", "2")
	for range 2 {
		s.until(s.job(longRun).ID, moves)
	}
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
	want["long-5"], want["long-6"] = result.Interrupted, result.Interrupted
	if got := states(t, filepath.Join(dir, "runs")); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after kill -9: %v, want %v", got, want)
	}
	writeAll(t, filepath.Join(dir, "long.yaml"), []byte(longRun))
	killed := startChild(t, dir, "run", "long.yaml", "--out", "runs/killed", "--quiet")
	for {
		if run, err := result.OpenIncomplete(filepath.Join(dir, "runs/killed")); err == nil && run.Summary.Name != "" {
			break
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "holds no run.json") {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	s = startLive(t, dir)
	listed := func() map[string]string {
		var a struct {
			Runs []struct {
				ID, State string
				Held      bool
			}
		}
		s.ask("runs", nil, &a)
		all := map[string]string{}
		for _, r := range a.Runs {
			all[r.ID] = fmt.Sprint(r.State, " ", r.Held)
		}
		return all
	}
	if got := listed(); got["killed"] != "running true" || got["long-6"] != "interrupted false" {
		t.Errorf("%v", got)
	}
	killedBy(killed)
	if got := listed(); got["killed"] != "running false" {
		t.Errorf("%v", got)
	}
}

// Every example that the page begins with is one in which nothing is wrong, with the files that come along.
func TestExamplesToEdit(t *testing.T) {
	all := slices.Concat(examplesToEdit(), labsToEdit())
	if len(all) < 40 {
		t.Fatalf("%d examples", len(all))
	}
	for _, e := range all {
		if e.About == "" {
			t.Errorf("%s: nothing is said of it", e.Name)
		}
		dir := t.TempDir()
		writeAll(t, filepath.Join(dir, "scenario.yaml"), []byte(e.Text))
		for _, f := range e.Files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777); err != nil {
				t.Fatal(err)
			}
			writeAll(t, filepath.Join(dir, f.Name), []byte(f.Text))
		}
		t.Chdir(dir)
		a := quiet(t)
		if err := (&checkCall{a, checkFlags{local: true}}).check(t.Context(), "scenario.yaml"); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// Whatever a stranger put into the served folder at the names that runs will get, and as the folder itself: a run gets a folder of
// its own, or none, and nothing elsewhere changes.
func TestServeRunAmongStrangersNames(t *testing.T) {
	for _, itself := range []bool{false, true} {
		dir, victim := t.TempDir(), t.TempDir()
		kept, runs := filepath.Join(victim, "file"), filepath.Join(dir, "runs")
		writeAll(t, kept, []byte(secret+"\n"))
		planted := 0
		if itself {
			if err := os.Symlink(victim, runs); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := os.Mkdir(runs, 0o777); err != nil {
				t.Fatal(err)
			}
			for i, p := range plants {
				if p.name == "a sparse giant" {
					continue
				}
				if err := p.plant(filepath.Join(runs, fmt.Sprintf("short-%d", i+1)), victim); err != nil {
					t.Fatal(err)
				}
				planted++
			}
		}
		s := startLive(t, dir)
		v := s.until(s.job(shortRun).ID, (*live.View).Ended)
		if want := fmt.Sprintf("short-%d", planted+1); v.State != live.State(result.Complete) || v.Run != want {
			t.Errorf("folder is a link: %v: %+v, want a run in %s", itself, v, want)
		}
		_ = s.cmd.Process.Signal(os.Interrupt)
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &s.said)
		}
		left, err := os.ReadDir(victim)
		if b, e := os.ReadFile(kept); errors.Join(err, e) != nil || string(b) != secret+"\n" || !itself && len(left) != 1 {
			t.Errorf("the user's folder holds %v, file %.50q, %v", left, b, errors.Join(err, e))
		}
	}
}
