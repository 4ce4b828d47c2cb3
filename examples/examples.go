// Package examples holds the scenarios that come along as files, with what they read.
package examples

import "embed"

// Files has the scenarios and what lies beside them.
//
//go:embed *.yaml *.txt *.csv *.log *.ipynb *.json
var Files embed.FS
