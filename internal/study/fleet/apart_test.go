//go:build unix

package fleet

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/out/result"
	"railyard/internal/study/sweep"
)

// How a process that a worker of these tests starts behaves.
const behaviour = "RAILYARD_TEST_ALONE"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "":
		os.Exit(m.Run())
	case "runs":
		if err := Alone(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
	case "dies":
		panic("its job is too much for it")
	case "is ended": // as all are that belong to a job of a batch system
		syscall.Kill(os.Getpid(), syscall.SIGTERM) //nolint:errcheck // it waits for ever then
		select {}
	}
}

func behaves(how string) func(ctx context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), behaviour+"="+how)
		return cmd
	}
}

// A job with which three workers were lost runs in a process of its own: where they were lost by chance it has the row of this process,
// and where that process ends, too, it is dead. If only its workers are lost, again and again, it is dead in the end.
func TestJobsRunApart(t *testing.T) {
	all := variants(t, small, 1)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		how  string
		lost int
		dead string
	}{
		{"runs", mostTries, ""},
		{"dies", mostTries - 1, ""}, // it is not asked yet
		{"dies", mostTries, "dead letter: 3 workers began it, and none brought it to an end; a process of its own, too, " +
			"ended without a row: exit status 2"},
		{"runs", mostLost, "dead letter: 12 workers began it, and none brought it to an end"},
	} {
		b := start(t)
		ackWait = 50 * time.Millisecond // what is lost comes again soon
		e := b.engine()
		q, err := openQueue(t.Context(), e.Conn, e.ID, true, true)
		if err != nil {
			t.Fatal(err)
		}
		j := &job{Key: sweep.KeyOf(all[0].Scenario, nil), Scenario: string(all[0].Scenario.YAML())}
		if err := q.lost(t.Context(), j.Key, func(losses) losses { return losses{Lost: c.lost} }); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		text, err := json.Marshal(&bundle{[]job{*j}})
		if err == nil {
			err = q.publish(ctx, j.Key, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.loses(q, 1)
		nc := b.connect("w")
		done := make(chan error)
		go func() {
			w := Worker{Name: "w", Limits: sweep.Limits{Workers: 1}, Apart: behaves(c.how)}
			done <- w.Serve(ctx, nc)
		}()
		rows, err := b.away(e, all)
		switch {
		case err != nil:
			t.Errorf("%s after %d: %v", c.how, c.lost, err)
		case c.dead == "" && rowsText(t, rows) != rowsText(t, want):
			t.Errorf("%s after %d: %s, want that of this process", c.how, c.lost, rowsText(t, rows))
		case c.dead != "" && (rows[0].State != result.Failed || rows[0].Error != c.dead):
			t.Errorf("%s after %d: %+v, want %s", c.how, c.lost, rows[0], c.dead)
		}
		cancel()
		<-done
	}
	// Who is ended with its worker says nothing of the job: it is handed back.
	s := &serving{Worker: &Worker{Name: "w", Apart: behaves("is ended")}}
	if row, _, err := s.apart(t.Context(), &lone{Key: "k"}); row != nil || err == nil || strings.Contains(err.Error(), "of its own") {
		t.Errorf("%+v, %v", row, err)
	}
}
