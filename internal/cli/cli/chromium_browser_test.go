//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// browserLimit is after how long a browser that says nothing, or does not end, is given up.
const browserLimit = time.Minute

// chromium is a headless browser, told what to do by the DevTools protocol over two
// pipes: messages of JSON, each ended by a zero byte.
//
//	test --[fd 3]--> chromium     {"id":7,"sessionId":"..","method":"Page.navigate","params":{..}}
//	test <-[fd 4]--- chromium     {"id":7,"result":{..}}   or an event: {"method":"Log.entryAdded",..}
type chromium struct {
	t       *testing.T
	to      io.WriteCloser
	from    *os.File
	lines   *bufio.Reader // of from
	session string        // of the one page
	id      int
	events  []browserEvent
}

type browserEvent struct {
	Method string
	Params json.RawMessage
}

// startBrowser starts the browser with one empty page, offline. It skips the test where there is
// none.
func startBrowser(t *testing.T) *chromium {
	t.Helper()
	b := startOnline(t, "--disable-gpu")
	b.call("Network.emulateNetworkConditions",
		fields{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}, nil)
	return b
}

// startOnline starts it with a network, for pages that a server on this machine has. No name is looked up, so nothing else is
// reached.
func startOnline(t *testing.T, options ...string) *chromium {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		const missing = "no chromium in PATH: install it to check the report's page (Debian: apt-get install chromium)"
		if os.Getenv("RAILYARD_BROWSER") == "required" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	theirIn, to := pipe(t)
	from, theirOut := pipe(t)
	cmd := exec.Command(program, append([]string{"--headless", "--no-sandbox", "--no-first-run",
		"--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
		"--remote-debugging-pipe"}, options...)...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		to.Close() // that ends it
		late := time.AfterFunc(browserLimit, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // how it ended is its own affair
		late.Stop()
		from.Close()
	})
	b := &chromium{t: t, to: to, from: from, lines: bufio.NewReader(from)}
	var target struct{ TargetID string }
	b.call("Target.createTarget", fields{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", fields{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

type fields map[string]any

// call sends a command, waits for its answer and puts that in result, unless it is nil. Events on
// the way are kept.
func (b *chromium) call(method string, params fields, result any) {
	b.t.Helper()
	b.id++
	command := fields{"id": b.id, "method": method}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	if params != nil {
		command["params"] = params
	}
	line, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(line, 0)); err != nil {
		b.t.Fatalf("%s: the browser takes no commands: %v", method, err)
	}
	for {
		m := b.read()
		switch {
		case m.ID == 0:
			b.events = append(b.events, m.browserEvent)
		case m.ID == b.id && m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error)
		case m.ID == b.id:
			if result != nil {
				if err := json.Unmarshal(m.Result, result); err != nil {
					b.t.Fatalf("%s: %v in %s", method, err, m.Result)
				}
			}
			return
		}
	}
}

type browserMessage struct {
	browserEvent
	ID            int
	Result, Error json.RawMessage
}

func (b *chromium) read() browserMessage {
	b.t.Helper()
	if err := b.from.SetReadDeadline(time.Now().Add(browserLimit)); err != nil {
		b.t.Fatal(err)
	}
	line, err := b.lines.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser says nothing more: %v", err)
	}
	var m browserMessage
	if err := json.Unmarshal(line[:len(line)-1], &m); err != nil {
		b.t.Fatalf("the browser says %q: %v", line, err)
	}
	return m
}

// open loads a page and returns the events from the first request until it was loaded.
func (b *chromium) open(url string) []browserEvent {
	b.t.Helper()
	b.events = nil
	b.call("Page.navigate", fields{"url": url}, nil)
	for len(b.events) == 0 || b.events[len(b.events)-1].Method != "Page.loadEventFired" {
		m := b.read()
		b.events = append(b.events, m.browserEvent)
	}
	b.run("0", new(int)) // what was said before the page was loaded has come by the time this is answered
	return b.events
}

// show sets the width of the window, in pixels of CSS, and the colour scheme, light or dark.
func (b *chromium) show(width int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride",
		fields{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia",
		fields{"features": []fields{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// run evaluates an expression in the page and puts its value, which is JSON, in value.
func (b *chromium) run(expression string, value any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", fields{"expression": expression, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("the page throws: %s", answer.ExceptionDetails)
	}
	if err := json.Unmarshal(answer.Result.Value, value); err != nil {
		b.t.Fatalf("%v in %s", err, answer.Result.Value)
	}
}

// String makes an event readable in a failure.
func (e browserEvent) String() string { return fmt.Sprintf("%s %s", e.Method, e.Params) }
