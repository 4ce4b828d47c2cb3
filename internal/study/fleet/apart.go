package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"railyard/internal/base/shown"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// A job with which as many workers were lost as make a dead letter may have ended them, or they may have been lost with whatever
// job they had: on a busy cluster that loses workers all the time some jobs are always the third in a row. So a worker runs such a job
// in a process of its own, and sees what comes of that: a row, or the end of the process. Where the worker itself is lost again, the
// job is dead at mostLost, as its end may be that of the machine: see lost.go.

// lone is a job for a process of its own.
type lone struct {
	Worker   string               `json:"worker"`
	Key      string               `json:"key"`
	Scenario string               `json:"scenario"` // resolved, with files where they are
	Inputs   []result.InputDigest `json:"inputs"`
}

// errEnded is of a process that ended without a row.
type errEnded struct{ how string }

func (e *errEnded) Error() string { return "a process of its own, too, ended without a row: " + e.how }

// apart runs a job in a process of its own.
func (s *serving) apart(ctx context.Context, j *lone) (row *sweep.Row, refused string, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, "", err
	}
	cmd := s.Apart(ctx)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, "", err // of this machine
	}
	_, _ = in.Write(text) // one that does not read it has ended, and says how
	err = cmd.Wait()      // closes the pipe: until then the process knows that this one lives
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && byItself(exit):
		return nil, "", &errEnded{exit.String()}
	case err != nil:
		return nil, "", err
	}
	e, row, err := open(out.Bytes(), j.Key)
	if err != nil {
		return nil, "", err
	}
	return row, e.Refused, nil
}

// byItself reports whether a process ended for what it did: out of memory, a fault, a panic (Go ends with 2). A signal by which people
// and batch systems end all that belongs to a worker says nothing of its job, nor does an error that it tells of (1).
func byItself(exit *exec.ExitError) bool {
	switch exit.String() {
	case "signal: interrupt", "signal: terminated", "signal: hangup":
		return false
	}
	return exit.ExitCode() == -1 || exit.ExitCode() == 2
}

// Alone is the process of its own: it runs the job that it reads, and writes the row. When from ends, whoever asked for it is gone, and
// so is the reason to run it.
func Alone(ctx context.Context, from io.Reader, to io.Writer) error {
	ctx, lost := context.WithCancel(ctx)
	defer lost()
	var j lone
	if err := json.NewDecoder(io.LimitReader(from, 2*maxMessage)).Decode(&j); err != nil {
		return fmt.Errorf("the job cannot be read: %w", err)
	}
	go func() {
		io.Copy(io.Discard, from) //nolint:errcheck // it ends, however
		lost()
	}()
	sc, err := scenario.Parse("job.yaml", []byte(j.Scenario))
	if err != nil {
		return err
	}
	row, refused, err := ran(ctx, &j, sc, &run.Sources{})
	if err != nil {
		return err
	}
	text, err := seal(j.Worker, j.Key, refused, row)
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

// ran runs a job in this process.
func ran(ctx context.Context, j *lone, sc *scenario.Scenario, sources *run.Sources) (row *sweep.Row, refused string, err error) {
	row, _, err = sweep.RunJob(ctx, j.Worker, sc, run.Options{Force: true, Sources: sources, Inputs: j.Inputs, Figures: true})
	switch {
	case row != nil:
		row.Key = j.Key
		return row, "", nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	}
	return nil, shown.Lines(err.Error()), nil
}
