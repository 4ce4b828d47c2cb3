package hostinfo

import _ "embed"

// Script gathers what Read reads: POSIX sh, read-only, into one new folder.
//
//go:embed collect.sh
var Script string
