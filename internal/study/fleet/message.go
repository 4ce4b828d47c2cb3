package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"railyard/internal/base/shown"
	"railyard/internal/out/result"
	"railyard/internal/study/sweep"
)

// Names on the server. What is of one sweep ends in its identity.
const (
	registry   = "RAILYARD_SWEEPS" // key-value: identity to announcement
	jobsStream = "RAILYARD_JOBS_"
	jobSubject = "railyard.jobs."
	rowsBucket = "RAILYARD_ROWS_"
	inputStore = "RAILYARD_INPUTS_"
	consumer   = "workers"
)

// Keys in the bucket of a sweep are one of these before the key of a row.
const (
	rowPrefix     = "row."
	lostPrefix    = "lost."  // how many workers began it, and neither ended it nor handed it back: see queue.lost
	lostTally     = "losses" // with how many jobs a worker was lost
	deadPrefix    = "dead."
	clashPrefix   = "clash."
	maxMessage    = 900 << 10 // a server takes 1 MB by default
	maxNameLength = 100
)

// announcement says of a sweep what a worker must know before it takes a job.
type announcement struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Jobs    int    `json:"jobs"`
}

// job is a job as it travels.
type job struct {
	Key      string     `json:"key"`
	Scenario string     `json:"scenario"` // resolved
	Label    string     `json:"label,omitempty"`
	Inputs   []inputRef `json:"inputs,omitempty"`
	Memory   int64      `json:"memory"`
	Again    bool       `json:"again,omitempty"` // a worker was lost with it before it came into the queue anew

	apart bool // it is to run in a process of its own
}

// inputRef is something that a job reads: sent along in the store, by its digest, or to be found where the scenario says.
type inputRef struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Sent   bool   `json:"sent,omitempty"`
}

// envelope is a row as it travels.
type envelope struct {
	Worker  string          `json:"worker"`
	Seconds float64         `json:"seconds"`           // that the run took
	Refused string          `json:"refused,omitempty"` // why the job cannot run; there is no row then
	Key     string          `json:"key"`
	Row     json.RawMessage `json:"row,omitempty"`
	SHA256  string          `json:"sha256"` // of key, refusal and row
}

func (e *envelope) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", e.Key, e.Refused)
	h.Write(e.Row)
	return hex.EncodeToString(h.Sum(nil))
}

// seal makes an envelope ready to be sent.
func seal(worker, key, refused string, row *sweep.Row) ([]byte, error) {
	e := envelope{Worker: worker, Refused: refused, Key: key}
	if row != nil {
		e.Seconds = row.Cost.Seconds
		text, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		e.Row = text
	}
	e.SHA256 = e.digest()
	return json.Marshal(&e)
}

// open reads an envelope that is to be of a key. The error names the worker, if it is known.
func open(text []byte, key string) (*envelope, *sweep.Row, error) {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, nil, fmt.Errorf("the row of %s is damaged: %s", key, shown.Lines(err.Error()))
	}
	worker := shown.Lines(e.Worker)
	var compact bytes.Buffer
	if len(e.Row) > 0 && json.Compact(&compact, e.Row) == nil {
		e.Row = compact.Bytes()
	}
	switch {
	case e.SHA256 != e.digest():
		return &e, nil, fmt.Errorf("the row of %s by worker %s is damaged: its digest is another", key, worker)
	case e.Key != key:
		return &e, nil, fmt.Errorf("worker %s answered with the row of %s where that of %s was asked for", worker,
			shown.Lines(e.Key), key)
	case e.Refused != "":
		return &e, nil, nil
	}
	row := &sweep.Row{}
	if err := json.Unmarshal(e.Row, row); err != nil {
		return &e, nil, fmt.Errorf("the row of %s by worker %s is damaged: %s", key, worker, shown.Lines(err.Error()))
	}
	if row.Key != key {
		return &e, nil, fmt.Errorf("worker %s answered with the row of %s where that of %s was asked for", worker,
			shown.Lines(row.Key), key)
	}
	if row.State != result.Complete && row.State != result.Failed && row.State != result.Unfinished {
		return &e, nil, fmt.Errorf("the row of %s by worker %s has the state %q", key, worker, shown.Lines(string(row.State)))
	}
	row.Cost = sweep.Cost{Worker: worker, Seconds: max(0, e.Seconds)}
	return &e, row, nil
}

// same reports whether two envelopes say the same of a job, whoever sent them.
func same(a, b []byte) bool {
	var x, y envelope
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x.SHA256 == y.SHA256 && x.Refused == y.Refused &&
		bytes.Equal(x.Row, y.Row)
}

// Identity names a sweep by the version and by what it says: the same sweep finds its queue again.
func Identity(texts ...[]byte) string {
	h := sha256.New()
	fmt.Fprintln(h, result.Version)
	for _, text := range texts {
		fmt.Fprintf(h, "%d\n", len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// errDead is a job that no worker brings to an end.
var errDead = errors.New("dead letter")
