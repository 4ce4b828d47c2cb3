package batch

import (
	"strings"
	"testing"
)

// As many workers and cores as there may be, and not one more.
func TestBoundsOfWorkers(t *testing.T) {
	for _, c := range []struct {
		tasks, cores int
		want         string
	}{
		{1, 1, ""}, {MaxTasks, MaxCores, ""}, {0, 1, "0 workers: want 1 to 1000"}, {MaxTasks + 1, 1, "1001 workers: want 1 to 1000"},
		{1, 0, "0 cores: want 1 to 1024"}, {1, MaxCores + 1, "1025 cores: want 1 to 1024"},
	} {
		got := ""
		if err := (&Workers{Tasks: c.tasks, Cores: c.cores}).Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d workers of %d cores: %q, want %q", c.tasks, c.cores, got, c.want)
		}
	}
}

// A Secret has the files that are named, and no other.
func TestSecretsHoldWhatIsNamed(t *testing.T) {
	for _, w := range []Workers{{}, {Credentials: "a.creds"}, {CA: "b.pem"}, {Credentials: "a.creds", CA: "b.pem"}} {
		text := w.SecretCommand()
		if (text == "") != (w.Credentials == "" && w.CA == "") ||
			strings.Contains(text, "a.creds") != (w.Credentials != "") || strings.Contains(text, "b.pem") != (w.CA != "") {
			t.Errorf("%+v: %q", w, text)
		}
	}
}
