package call

import (
	"railyard/internal/base/sheet"
	"railyard/internal/out/result"
)

// The widest that a page of text becomes on a wide terminal; a comparison has many columns.
const (
	pageColumns    = 120
	CompareColumns = 160
)

// PageWidth is the width of stdout's terminal, at most 120; 80 where there is none.
func (a *App) PageWidth() int { return min(a.OutTerm.Columns(), pageColumns) }

// NewSheet is as wide as a page.
func (a *App) NewSheet() *sheet.Sheet { return sheet.New(a.PageWidth()) }

// PrintJSON writes v to stdout as one indented JSON value.
func (a *App) PrintJSON(v any) error {
	return result.EncodeJSON(a.Stdout, v)
}
