package collected

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/config/dump"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// Bounds of a folder that is read.
const (
	mostDumps     = 100_000
	mostDumpBytes = 2 << 30
)

// A Dump says what was made of a folder of texts.
type Dump struct {
	Files         []DumpFile `json:"files"`
	NotUnderstood []string   `json:"not_understood,omitempty"`
}

// A DumpFile is one of them, and the forms that it was read as.
type DumpFile struct {
	File  string   `json:"file"`
	Forms []string `json:"forms"`
}

// Shown reads a folder of texts that an operator has collected.
func Shown(ctx context.Context, dir string, names *dump.Names) (*telemetry.Telemetry, *topo.Graph, *Dump, error) {
	r := dump.NewReader(names)
	found := &Dump{Files: []DumpFile{}}
	n, size := 0, int64(0)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if n++; n > mostDumps {
			return fmt.Errorf("more than %d files", mostDumps)
		}
		text, err := input.ReadIn(ctx, dir, name, dump.MostText)
		if err != nil {
			return fmt.Errorf("%s: %w", name, input.Cause(err))
		}
		if size += int64(len(text)); size > mostDumpBytes {
			return fmt.Errorf("more than %d bytes in all", int64(mostDumpBytes))
		}
		forms, err := r.Add(filepath.ToSlash(name), text)
		if len(forms) > 0 {
			found.Files = append(found.Files, DumpFile{File: filepath.ToSlash(name), Forms: forms})
		}
		return err
	})
	var problems located.Problems
	switch {
	case ctx.Err() != nil:
		return nil, nil, nil, ctx.Err()
	case errors.As(err, &problems):
		return nil, nil, nil, fmt.Errorf("folder %s: %w", dir, problems)
	case err != nil:
		return nil, nil, nil, fmt.Errorf("folder %s: %w", dir, input.Cause(err))
	}
	found.NotUnderstood = r.Unread()
	if r.Empty() {
		text := "it is empty"
		if len(found.NotUnderstood) > 0 {
			text = strings.Join(found.NotUnderstood[:min(3, len(found.NotUnderstood))], "; ")
		}
		return nil, nil, nil, fmt.Errorf("folder %s: nothing in it can be read: %s", dir, text)
	}
	t, err := r.Telemetry()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	if !r.Beside() {
		return t, nil, found, nil
	}
	g, err := r.Graph(t)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	return t, g, found, nil
}
