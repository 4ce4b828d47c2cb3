package view

import (
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
)

// BoardPaths is a board with its ways, as data.
type BoardPaths struct {
	*board.Board
	Ends  []string   `json:"ends"`
	Paths [][]string `json:"paths"` // from each end to each
}

// BoardData is a board with its ways.
func BoardData(b *board.Board) BoardPaths {
	d := BoardPaths{Board: b, Ends: []string{}, Paths: [][]string{}}
	for _, i := range nccltopo.Ends(b) {
		d.Ends = append(d.Ends, b.Parts[i].Name)
	}
	for _, row := range nccltopo.Paths(b) {
		var words []string
		for _, p := range row {
			words = append(words, p.String())
		}
		d.Paths = append(d.Paths, words)
	}
	return d
}

// BoardText prints the parts of a host, and the ways as a list: GPUs and NICs by kind of way.
func BoardText(s *sheet.Sheet, b *board.Board) {
	s.Grid("llrrw", b.Rows())
	s.Blank()
	d := BoardData(b)
	rows := [][]string{{"from", "way", "to"}}
	for i, from := range d.Ends {
		of := map[string][]string{}
		for k, to := range d.Ends {
			if k != i {
				of[d.Paths[i][k]] = append(of[d.Paths[i][k]], to)
			}
		}
		for _, m := range nccltopo.Meanings() {
			if len(of[m[0]]) > 0 {
				rows = append(rows, []string{from, m[0], strings.Join(of[m[0]], " ")})
			}
		}
	}
	s.Grid("llw", rows)
	s.Blank()
	s.Grid("lw", nccltopo.Meanings())
	for _, note := range b.Notes {
		s.Blank()
		s.Wrap("", note)
	}
}
