package cli

import (
	"railyard/internal/result"
	"railyard/internal/sheet"
)

// The widest that a page of text becomes on a wide terminal; a comparison has many columns.
const (
	pageColumns    = 120
	compareColumns = 160
)

// pageWidth is the width of stdout's terminal, at most 120; 80 where there is none.
func (a *app) pageWidth() int { return min(a.outTerm.columns(), pageColumns) }

// newSheet is as wide as a page.
func (a *app) newSheet() *sheet.Sheet { return sheet.New(a.pageWidth()) }

// printJSON writes v to stdout as one indented JSON value.
func (a *app) printJSON(v any) error {
	return result.EncodeJSON(a.stdout, v)
}
