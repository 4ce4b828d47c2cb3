package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is committed is what the generator writes.
func TestCommittedAssemblyIsGenerated(t *testing.T) {
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range all {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate ./internal/learn/nn/kernel", name)
		}
	}
}
