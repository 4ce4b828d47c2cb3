package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// drawing is what to draw, and where its verdicts are kept.
type drawing struct {
	n        int
	seed     uint64
	verdicts string
	again    bool
	quick    bool
	list     bool
}

const unreached = "unreached" // no test comes by: it survived, too

// testedBy are the packages whose tests have a say about a package's mutants, beside its own.
var testedBy = map[string][]string{
	"netconf/lines": {"netconf/eos", "netconf/nxos", "netconf/frr"},
	"netconf/eos":   {"netconf/dialects", "lint"},
	"netconf/nxos":  {"netconf/dialects", "lint"},
	"netconf/nvue":  {"netconf/dialects", "lint"},
	"netconf/junos": {"netconf/dialects", "lint"},
	"netconf/sonic": {"netconf/dialects", "lint"},
	"dcbx":          {"lint", "plan"},
	"qos":           {"tune", "lint", "plan"},
	"cause":         {"diagnose", "record", "exec", "nic"},
	"diagnose":      {"record", "planted"},
	"record":        {"planted", "run"},
	"survey":        {"plan"},
	"cc":            {"roce", "plan", "nic"},
	"roce":          {"nic", "faultsearch"},
	"exec":          {"host/hosttest", "nic", "faultsearch", "train"},
	"coll":          {"exec", "workload", "nic", "faultsearch"},
	"host":          {"host/hosttest", "nic", "faultsearch"},
	"nic":           {"validate", "faultsearch", "run"},
	"fabric":        {"nic", "validate", "faultsearch", "run"},
}

// run draws mutants from a package, tries those without a verdict, and says whether all were noticed.
func (d *drawing) run(ctx context.Context, name string) (bool, error) {
	s, err := load(name)
	if err != nil {
		return false, err
	}
	known, err := readVerdicts(d.verdicts)
	if err != nil {
		return false, err
	}
	var todo []planted
	count := map[string]int{}
	for i, m := range s.draw(d.n, d.seed) {
		if d.list {
			fmt.Println(line(m, "", ""))
			continue
		}
		v := known[m.id]
		if v == "" || d.again && v != killed {
			todo = append(todo, planted{m, i + 2})
		} else {
			count[v]++
			if v != killed {
				fmt.Println(line(m, v, ""))
			}
		}
	}
	if len(todo) > 0 {
		if err := d.tryAll(ctx, s, todo, count); err != nil {
			return false, err
		}
	}
	all := count[killed] + count[survived] + count[unreached]
	fmt.Printf("%s: %d mutants: %d killed, %d survived, %d of them reached by no test\n", name, all, count[killed],
		all-count[killed], count[unreached])
	return all == count[killed], nil
}

// tryAll builds and runs, and keeps each verdict as soon as it is there.
func (d *drawing) tryAll(ctx context.Context, s *subject, todo []planted, count map[string]int) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	packages := append([]string{s.name}, testedBy[s.name]...)
	t, err := build(ctx, dir, []*subject{s}, todo, packages, d.quick)
	if err != nil {
		return err
	}
	return d.tryEach(ctx, t, todo, count)
}

// runWith tries the survivors of all packages at once, planted together, by the tests of others: what is slow to build
// is built once. It says whether all were noticed.
func (d *drawing) runWith(ctx context.Context, names, tests []string) (bool, error) {
	known, err := readVerdicts(d.verdicts)
	if err != nil {
		return false, err
	}
	var subjects []*subject
	var todo []planted
	for _, name := range names {
		s, err := load(name)
		if err != nil {
			return false, err
		}
		was := len(todo)
		for _, m := range s.draw(d.n, d.seed) {
			if v := known[m.id]; v != "" && v != killed {
				todo = append(todo, planted{m, len(todo) + 2})
			}
		}
		if len(todo) > was {
			subjects = append(subjects, s)
		}
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	t, err := build(ctx, dir, subjects, todo, tests, d.quick)
	if err != nil {
		return false, err
	}
	count := map[string]int{}
	err = d.tryEach(ctx, t, todo, count)
	fmt.Printf("%d survivors: %d killed\n", len(todo), count[killed])
	return count[killed] == len(todo), err
}

// tryEach tries mutants that are planted, and keeps each verdict.
func (d *drawing) tryEach(ctx context.Context, t *trial, todo []planted, count map[string]int) error {
	began := time.Now()
	for i, m := range todo {
		verdict, by := t.try(ctx, m.n)
		if verdict == "" {
			fmt.Println("stopped")
			break
		}
		count[verdict]++
		text := line(m.drawn, verdict, by)
		if err := keep(d.verdicts, text); err != nil {
			return err
		}
		left := time.Since(began) / time.Duration(i+1) * time.Duration(len(todo)-i-1)
		fmt.Printf("%d/%d %v left  %s\n", i+1, len(todo), left.Round(time.Second), text)
	}
	return nil
}

// line is a verdict as it is printed and kept: tabs between verdict, identity, package, place,
// function, the mistake, what noticed it.
func line(m *drawn, verdict, by string) string {
	oneLine := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.Join([]string{verdict, m.id, m.pkg, m.where(), m.name,
		oneLine(m.old) + " -> " + oneLine(m.new), by}, "\t")
}

// readVerdicts gives the last verdict of each mutant.
func readVerdicts(file string) (map[string]string, error) {
	known := map[string]string{}
	if file == "" {
		return known, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return known, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	n := 0
	for in := bufio.NewScanner(f); in.Scan(); {
		n++
		fields := strings.Split(in.Text(), "\t")
		if len(fields) != 7 || !slices.Contains([]string{killed, survived, unreached}, fields[0]) {
			return nil, fmt.Errorf("%s:%d: %q is no verdict: want %s, %s or %s, and six fields more with tabs between",
				file, n, in.Text(), killed, survived, unreached)
		}
		known[fields[1]] = fields[0]
	}
	return known, nil
}

func keep(file, text string) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
