package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/result"
)

// A line of a log in a stranger's telemetry is evidence, and is printed as such: a terminal obeys none of it.
func TestHostileTelemetry(t *testing.T) {
	root := t.TempDir()
	writeAll(t, filepath.Join(root, "s.yaml"), []byte(hostilePair+hostileJob+"output: {telemetry: 20us}\n"))
	if code, out := ranIn(t, root, "run", "s.yaml", "--out", "told", "-q"); code != call.OK {
		t.Fatal(out)
	}
	told, err := result.Open(filepath.Join(root, "told"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []telemetry.Row
	var port telemetry.Row
	for row, err := range told.Telemetry() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
		if port.Port == "" && row.Kind == string(telemetry.Port) {
			port = row
		}
	}
	const line = "PFC Watchdog detected "
	for i, bad := range hostileStrings {
		dir := filepath.Join(root, "bad"+strconv.Itoa(i))
		d, err := result.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			d.Telemetry().Add(row)
		}
		said := port
		said.Kind, said.Text = string(telemetry.Line), line+bad
		d.Telemetry().Add(said)
		s := *told.Summary
		if err := d.Finish(&s); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, "inputs"), os.DirFS(filepath.Join(root, "told", "inputs"))); err != nil {
			t.Fatal(err)
		}
		for _, more := range []string{"-q", "--json"} {
			code, out := ranIn(t, root, "diagnose", dir, "--healthy", "told", more)
			if code != call.Failed || !strings.Contains(out, line[:12]) {
				t.Errorf("%+q, %s: exit code %d, want the line to be evidence: %.300s", bad, more, code, out)
			}
			if where := obeys(out); where != "" {
				t.Errorf("%+q, %s: prints %q", bad, more, where)
			}
		}
	}
}
