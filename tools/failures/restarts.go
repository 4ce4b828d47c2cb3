package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// startsAgain kills ranks of one job for so long, interrupts it, and holds its weights against those of a simulated run of as
// many steps that nobody disturbed.
func startsAgain(railyard, dir string, d time.Duration) error {
	t := &try{railyard: railyard, dir: dir, name: "again"}
	file := t.file("t.yaml", "0.1")
	p := t.start("launch", file, "--max-restarts", "10000", "--out", "again", "--set=job.train.checkpoint.every=200",
		many)
	kills := 0
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(time.Duration(1000+below(4000)) * time.Millisecond)
		pids := p.ranks(4)
		if len(pids) == 0 {
			return fmt.Errorf("the job has ended: %s", p.out.String())
		}
		_ = syscall.Kill(pids[below(len(pids))], syscall.SIGKILL)
		kills++
	}
	time.Sleep(calm)
	_ = p.cmd.Process.Signal(os.Interrupt)
	<-p.end
	fmt.Printf("%d kills in %v\n", kills, d)
	if err := t.undisturbed(file, 200); err != nil {
		return fmt.Errorf("%w\n%s", err, p.out.String())
	}
	return nil
}

// calm is how long nothing more is killed before the job is interrupted.
const calm = 20 * time.Second

// undisturbed prints what the job's restarts have cost, of which a checkpoint was due after every so many steps, and holds
// its weights against those of a simulated run of the file.
func (t *try) undisturbed(file string, every int64) error {
	var all []ending
	for n := 0; ; n++ {
		at := filepath.Join(t.dir, "again")
		if n > 0 {
			at += fmt.Sprint("-restart", n)
		}
		if _, err := os.Stat(at); err != nil {
			break
		}
		e, err := summary(at)
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	var lost, most int64
	for i := 1; i < len(all); i++ {
		n := all[i-1].end() - all[i].Resumed.Step
		lost, most = lost+n, max(most, n)
	}
	got := &all[len(all)-1]
	fmt.Printf("%d restarts, %d steps at the end; %d steps were done again, %d at most of one restart: a checkpoint every %d\n",
		len(all)-1, got.end(), lost, most, every)
	if most > every {
		return fmt.Errorf("a restart lost %d steps", most)
	}
	alone := t.start("run", file, "-q", "--out", "alone", many, fmt.Sprint("--set=job.train.steps=", got.end()))
	<-alone.end
	want, err := summary(filepath.Join(t.dir, "alone"))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, alone.out.String())
	}
	fmt.Printf("weights %s; of a simulated run of as many steps %s\n", got.Weights, want.Weights)
	if got.Weights == "" || got.Weights != want.Weights {
		return fmt.Errorf("the weights differ")
	}
	return nil
}

const many = "--set=job.train.epochs=1000000"

// ending is how a run ended.
type ending struct {
	Steps   int64  `json:"steps"`
	Weights string `json:"weights_sha256"`
	Resumed struct {
		Step int64 `json:"step"`
	} `json:"resumed"`
}

// end is how many steps of the whole job are done then.
func (e *ending) end() int64 { return e.Resumed.Step + e.Steps }

func summary(dir string) (e ending, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(b, &e)
}
