// Package labs holds the labs that come with Railyard as files: a folder NN-name for each chapter
// of the book. Package lab reads and runs them.
package labs

import "embed"

// Files has a folder for each lab.
//
//go:embed [0-9]*
var Files embed.FS
