package parquet

import (
	"errors"
	"fmt"
)

// column reads the values of one column, page by page.
//
// Invariant: numbers (or text) and, of an optional column, present hold the page's rows;
// the next one is at at.
type column struct {
	Column
	pages pages
	texts texts
	left  int64 // rows of the row group that no page had yet

	rows, at int
	present  []bool   // by row; nil: all
	numbers  []int64  // by row; doubles as their bits
	text     []string // by row
	compact  []int64  // values of an optional column, without the nulls
	words    []string

	dictNumbers []int64
	dictText    []string
	hasDict     bool
}

// begin turns to the next row group.
func (c *column) begin(g *group, ch chunk) {
	c.pages.reset(ch)
	c.left, c.rows, c.at, c.hasDict = g.rows, 0, 0, false
}

// load reads the next data page.
func (c *column) load() error {
	for {
		h, body, err := c.pages.next()
		if err != nil {
			return err
		}
		c.texts.made = 0
		switch h.kind {
		case pageIndex:
			continue
		case pageDictionary:
			if c.hasDict {
				return errors.New("has two dictionaries")
			}
			if err := c.dictionary(&h, body); err != nil {
				return fmt.Errorf("dictionary: %w", err)
			}
			continue
		case pageData, pageDataV2:
			return c.data(&h, body)
		}
		return errors.New("page of no kind")
	}
}

// dictionary keeps the values of a dictionary page.
func (c *column) dictionary(h *header, body []byte) (err error) {
	if h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return fmt.Errorf("encoding %d, want %d", h.encoding, encodingPlain)
	}
	if h.values > len(body) {
		return fmt.Errorf("%d values in %d bytes", h.values, len(body))
	}
	c.hasDict = true
	if c.Kind == ByteArray {
		c.dictText, err = c.texts.plainTexts(body, h.values, c.dictText)
	} else {
		c.dictNumbers, err = plainNumbers(body, h.values, c.Kind, c.dictNumbers)
	}
	return err
}

// data decodes a data page.
func (c *column) data(h *header, body []byte) error {
	if h.values < 1 || int64(h.values) > c.left {
		return fmt.Errorf("page of %d values, want 1 to %d: as many as its row group has rows left", h.values, c.left)
	}
	levels, values, err := levelsOf(h, body, c.Optional)
	if err != nil {
		return err
	}
	n := h.values
	if c.Optional {
		if n, err = c.levels(levels, h.values); err != nil {
			return fmt.Errorf("definition levels: %w", err)
		}
	} else if len(levels) > 0 {
		return errors.New("definition levels of a column that is not optional")
	}
	if h.kind == pageDataV2 && h.values-n != h.nulls {
		return fmt.Errorf("page has %d nulls, its header says %d", h.values-n, h.nulls)
	}
	if c.Kind == ByteArray {
		c.words, err = c.decodeTexts(h.encoding, values, n, c.words)
	} else {
		c.compact, err = c.decodeNumbers(h.encoding, values, n, c.compact)
	}
	if err != nil {
		return err
	}
	c.spread(h.values)
	c.left -= int64(h.values)
	c.rows, c.at = h.values, 0
	return nil
}

// levels reads which of n rows have a value, and returns how many have.
func (c *column) levels(b []byte, n int) (values int, err error) {
	if cap(c.present) < n {
		c.present = make([]bool, n)
	}
	c.present = c.present[:n]
	err = hybrid(b, 1, n, func(i int, v uint32) error {
		c.present[i] = v == 1
		if v == 1 {
			values++
		}
		return nil
	})
	return values, err
}

// spread puts values beside their rows.
func (c *column) spread(rows int) {
	if !c.Optional {
		c.numbers, c.text = c.compact, c.words
		return
	}
	k := 0
	c.numbers, c.text = c.numbers[:0], c.text[:0]
	for i := range rows {
		var v int64
		var s string
		if c.present[i] {
			if c.Kind == ByteArray {
				s = c.words[k]
			} else {
				v = c.compact[k]
			}
			k++
		}
		if c.Kind == ByteArray {
			c.text = append(c.text, s)
		} else {
			c.numbers = append(c.numbers, v)
		}
	}
}

func (c *column) decodeNumbers(encoding int, b []byte, n int, out []int64) ([]int64, error) {
	switch {
	case encoding == encodingPlain:
		return plainNumbers(b, n, c.Kind, out)
	case encoding == encodingDelta && c.Kind != Double:
		_, out, err := delta(b, n, c.Kind == Int64, out)
		return out, err
	case encoding == encodingRLEDictionary || encoding == encodingPlainDictionary:
		out = out[:0]
		err := c.indices(b, n, len(c.dictNumbers), func(i uint32) { out = append(out, c.dictNumbers[i]) })
		return out, err
	}
	return nil, fmt.Errorf("encoding %d of %v is not known", encoding, c.Kind)
}

func (c *column) decodeTexts(encoding int, b []byte, n int, out []string) ([]string, error) {
	switch encoding {
	case encodingPlain:
		return c.texts.plainTexts(b, n, out)
	case encodingDeltaByteArray:
		return c.texts.deltaTexts(b, n, out)
	case encodingRLEDictionary, encodingPlainDictionary:
		out = out[:0]
		err := c.indices(b, n, len(c.dictText), func(i uint32) { out = append(out, c.dictText[i]) })
		return out, err
	}
	return nil, fmt.Errorf("encoding %d of %v is not known", encoding, c.Kind)
}

// indices reads n places in a dictionary of size values: their width, then the hybrid.
func (c *column) indices(b []byte, n, size int, put func(uint32)) error {
	if !c.hasDict {
		return errors.New("refers to a dictionary that is not there")
	}
	if n == 0 {
		return nil
	}
	if len(b) == 0 {
		return errShort
	}
	return hybrid(b[1:], int(b[0]), n, func(_ int, v uint32) error {
		if uint64(v) >= uint64(size) {
			return fmt.Errorf("refers to value %d of a dictionary of %d", v, size)
		}
		put(v)
		return nil
	})
}
