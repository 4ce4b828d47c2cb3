package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// So is each that scripttest plays, where TestScripts plays those of testdata.
func TestScriptsOfStatesAreTests(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "testdata"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"testdata/b.txt": "", "testdata/a.txt": "",
		"x_test.go": "func TestScripts(t *testing.T) {\n\tother.Run(t, nil)\n}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"TestX", "TestScripts"}
	if got := withScripts(dir, names); !slices.Equal(got, names) {
		t.Errorf("%q, want %q", got, names)
	}
	played := "func TestScripts(t *testing.T) {\n\tscripttest.Run(t, nil)\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "y_test.go"), []byte(played), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := withScripts(dir, names), []string{"TestX", "TestScripts/a.txt", "TestScripts/b.txt"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each script of a folder is a test by itself, found by a pattern for it alone.
func TestScriptsAreTests(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "testdata", "script"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.txt", "a.txt", "c.go"} {
		if err := os.WriteFile(filepath.Join(dir, "testdata", "script", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := withScripts(dir, []string{"TestX", "TestScripts", "TestLook"})
	if want := []string{"TestX", "TestScripts/a", "TestScripts/b", "TestLook"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := pattern([]check{{name: "TestScripts/a"}}); got != "^(TestScripts)$/^(a)$" {
		t.Error(got)
	}
	if got := pattern([]check{{name: "TestX"}, {name: "TestY"}}); got != "^(TestX|TestY)$" {
		t.Error(got)
	}
	legs := (&trial{checks: []check{{pkg: "p", name: "TestX", reached: map[int]bool{1: true}}, {pkg: "p", name: "TestS/a",
		reached: map[int]bool{1: true}}, {pkg: "p", name: "TestY", reached: map[int]bool{1: true}}}}).legs(1)
	if len(legs) != 2 || len(legs[0]) != 2 || legs[1][0].name != "TestS/a" {
		t.Errorf("%v", legs)
	}
}
