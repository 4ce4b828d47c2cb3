package design

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

// Unknown is what a figure is that the catalogue and the requirement do not have.
const Unknown = "unknown"

// WriteCables writes the cabling table as CSV: a line for each cable with both of its ends.
func (l *Layout) WriteCables(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"network", "label", "from", "from_port", "from_rack", "from_unit", "to", "to_port", "to_rack",
		"to_unit", "rate", "length", "medium"})
	for i := range l.Cables {
		c := &l.Cables[i]
		medium := "none"
		if c.Medium != nil {
			medium = c.Medium.Name
		}
		a, b := c.From.Device, c.To.Device
		out.Write([]string{c.Net, c.Label, a.Name, c.From.Port, l.Racks[a.Rack].Name(), strconv.Itoa(a.Unit), b.Name,
			c.To.Port, l.Racks[b.Rack].Name(), strconv.Itoa(b.Unit), c.Rate.String(), c.Length.String(), medium})
	}
	out.Flush()
	return out.Error()
}

// WriteBill writes the bill of materials as CSV.
func WriteBill(w io.Writer, items []Item) error {
	out := csv.NewWriter(w)
	out.Write([]string{"network", "kind", "item", "count", "power_each", "typical_each", "price_each", "price"})
	for _, i := range items {
		price, all := Unknown, Unknown
		if i.Given {
			price, all = i.Price.String(), i.Cost().String()
		}
		out.Write([]string{i.Net, i.Kind, i.Name, strconv.Itoa(i.Count), powerText(i.Power, i.Known),
			powerText(i.Typical, i.TypicallyKnown), price, all})
	}
	out.Flush()
	return out.Error()
}

// Cost is what all of an item cost.
func (i *Item) Cost() scenario.Amount {
	return scenario.Amount{Hundredths: int64(i.Count) * i.Price.Hundredths, Currency: i.Price.Currency}
}

func powerText(p unit.Power, known bool) string {
	if !known {
		return Unknown
	}
	return p.String()
}

// PowerText is the power of one, at most, and typically where that is another.
func (i *Item) PowerText() string {
	most, typical := powerText(i.Power, i.Known), powerText(i.Typical, i.TypicallyKnown)
	if i.Kind != SwitchItem || !i.TypicallyKnown {
		return most
	}
	return most + ", typically " + typical
}

// WriteRacks writes each kind of rack once, from the top down, and which racks are of that kind.
func (l *Layout) WriteRacks(w io.Writer) error {
	type kind struct {
		lines []string
		racks []string
	}
	var kinds []*kind
	at := map[string]*kind{}
	for _, k := range l.Racks {
		lines := l.elevation(k)
		shape := strings.Join(outline(k), "\n")
		if at[shape] == nil {
			at[shape] = &kind{lines: lines}
			kinds = append(kinds, at[shape])
		}
		at[shape].racks = append(at[shape].racks, k.Name())
	}
	var b strings.Builder
	for i, k := range kinds {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s, of %d alike: %s\n", k.racks[0], len(k.racks), spans(k.racks))
		for _, line := range k.lines {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// outline is what two racks that are alike share: heights and kinds of what stands in them.
func outline(k *Rack) []string {
	var lines []string
	for _, d := range k.Devices {
		lines = append(lines, fmt.Sprint(d.Unit, d.Height, d.Net, d.Model, strings.TrimRight(d.Name, "0123456789")))
	}
	return lines
}

// elevation draws a rack: a line for each device, the highest first.
func (l *Layout) elevation(k *Rack) []string {
	var lines []string
	if free := int(l.r.Racks.Height) - k.Used; free > 0 {
		lines = append(lines, fmt.Sprintf("  U%02d-U%02d  free", k.Used+1, l.r.Racks.Height))
	}
	for _, d := range slices.Backward(k.Devices) {
		line := fmt.Sprintf("  U%02d-U%02d  %s", d.Unit, d.Unit+d.Height-1, d.Name)
		if d.Model != "" {
			line += " (" + d.Model + ")"
		}
		if d.Left {
			line += ", height unknown"
		}
		lines = append(lines, line)
	}
	return lines
}

// spans writes names of racks in a row as a span.
func spans(racks []string) string {
	var parts []string
	for i := 0; i < len(racks); {
		j := i
		for j+1 < len(racks) && racks[j+1] == next(racks[j]) {
			j++
		}
		if j > i {
			parts = append(parts, racks[i]+" to "+racks[j])
		} else {
			parts = append(parts, racks[i])
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// next is the name of the next rack of a row.
func next(name string) string {
	var k Rack
	if _, err := fmt.Sscanf(name, "R%d-C%d", &k.Row, &k.Column); err != nil {
		return ""
	}
	k.Column++
	return k.Name()
}
