package chart

// Figure is one plot.
type Figure struct {
	Name    string `json:"name"` // of its file and of its place in a page: a to z, 0 to 9, hyphens
	Title   string `json:"title"`
	Caption string `json:"caption,omitempty"` // what to see, and how it was measured
	Keys    []Key  `json:"keys,omitempty"`

	// One of these is set.
	Lines *Lines `json:"lines,omitempty"`
	Bars  *Bars  `json:"bars,omitempty"`
	Lanes *Lanes `json:"lanes,omitempty"`
	Map   *Map   `json:"map,omitempty"`
	Graph *Graph `json:"graph,omitempty"`
}

// Key is an entry of the legend: what one kind of mark stands for.
type Key struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Meaning string `json:"meaning,omitempty"`
	Ink     Ink    `json:"ink"`
}

// Axis is a direction of a plot.
type Axis struct {
	Label string `json:"label"`
	Unit  Unit   `json:"unit"`
	Low   Value  `json:"low"`
	High  Value  `json:"high"`
	Log   bool   `json:"log,omitempty"`
	Whole bool   `json:"whole,omitempty"` // counts things: ticks at whole numbers only

	// Stops are the only values that were tried, ascending, and Stopped what each is called: ticks stand there.
	Stops   []Value  `json:"stops,omitempty"`
	Stopped []string `json:"stopped,omitempty"`
}

// Lines is values over an axis: series with their spread, zones and rules behind them.
type Lines struct {
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Zones  []Zone   `json:"zones,omitempty"`
	Rules  []Rule   `json:"rules,omitempty"`
	Marks  []Mark   `json:"marks,omitempty"`
}

// Series is one value over the axis. Low and High, where set, are the band around it.
type Series struct {
	Key   string  `json:"key"`
	X     []Value `json:"x"`
	Y     []Value `json:"y"` // Nothing: a gap
	Low   []Value `json:"low,omitempty"`
	High  []Value `json:"high,omitempty"`
	Shape Shape   `json:"shape,omitempty"`
	Thin  bool    `json:"thin,omitempty"` // a fine line, a pale band: what is beside the subject
}

// Shape is how values follow each other.
type Shape string

// The shapes of a series. The last value of one that is held holds to the end of the
// axis: where it ends before, a Nothing follows.
const (
	Joined Shape = ""        // a line from value to value
	Held   Shape = "held"    // a value holds until the next
	Filled Shape = "filled"  // held, and filled down to the axis: a histogram
	Points Shape = "points"  // values stand alone
	Curve  Shape = "markers" // a line with a point at each value
)

// Zone is a range of Y with a meaning, such as where a switch marks packets. Nothing
// as a bound is the edge of the plot.
type Zone struct {
	Key  string `json:"key"`
	From Value  `json:"from"`
	To   Value  `json:"to"`
}

// Rule is a line at a value of one axis.
type Rule struct {
	Key   string `json:"key"`
	Along string `json:"axis"` // "x": at a value of X, upright; "y": at a value of Y
	At    Value  `json:"at"`
	Label string `json:"label,omitempty"`
}

// Mark is a place in a plot with something to say.
type Mark struct {
	Key   string `json:"key"`
	X     Value  `json:"x"`
	Y     Value  `json:"y"`
	Label string `json:"label"`
}

// Bars is rows that are each divided into parts.
type Bars struct {
	X     Axis  `json:"x"`
	Rows  []Bar `json:"rows"`
	Peers bool  `json:"peers,omitempty"` // the rows are alike, such as runs: a legend says nothing of one of them
}

// Bar is a row: its parts lie one after the other from zero. Rows of the same group
// belong together, under its name.
type Bar struct {
	Group string `json:"group,omitempty"`
	Label string `json:"label"`
	Note  string `json:"note,omitempty"` // said after it
	Of    Value  `json:"of,omitempty"`   // what shares of its parts are of; 0: of the bar
	Parts []Part `json:"parts"`
	Reach *Part  `json:"reach,omitempty"` // a thin line on to this value: the most of what the bar is the mean of
}

// Sum is how long a bar is.
func (b *Bar) Sum() (sum Value) {
	for i := range b.Parts {
		sum += b.Parts[i].Value
	}
	return sum
}

// Whole is what shares of a bar's parts are of.
func (b *Bar) Whole() Value {
	if b.Of > 0 {
		return b.Of
	}
	return b.Sum()
}

// Part is a piece of a bar.
type Part struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
	Note  string `json:"note,omitempty"`
}

// Lanes is what went on when: a row for each stream.
type Lanes struct {
	X     Axis   `json:"x"`
	Lanes []Lane `json:"lanes"`
	Links []Link `json:"links,omitempty"` // what led to what, such as a critical path
}

// Lane is a row. Lanes of the same group belong together.
type Lane struct {
	Group string `json:"group,omitempty"` // "rank 3"
	Label string `json:"label"`
	Spans []Span `json:"spans"`
}

// Span is a piece of a lane.
type Span struct {
	From Value  `json:"from"`
	To   Value  `json:"to"`
	Key  string `json:"key"`
	Name string `json:"name,omitempty"`
}

// Link joins two instants of two lanes, by index.
type Link struct {
	Key  string `json:"key"`
	From int    `json:"from"`
	At   Value  `json:"at"`
	To   int    `json:"to"`
	Then Value  `json:"then"`
}

// Map is a value for each pair of row and column, shown on a sequential ramp; values below zero on
// one of another hue.
type Map struct {
	Value   Axis      `json:"value"` // what a cell shows, from Low (pale) to High (full), or from -High
	Rows    []string  `json:"rows"`
	RowName string    `json:"row_name"`          // what a row is: "sender"
	Columns []string  `json:"columns,omitempty"` // or else X says where the columns lie
	ColName string    `json:"column_name,omitempty"`
	X       *Axis     `json:"x,omitempty"` // columns of equal width from Low to High
	Cells   [][]Value `json:"cells"`       // by row; Nothing: no such pair
	Groups  []Group   `json:"groups,omitempty"`
	Ringed  []Cell    `json:"ringed,omitempty"`
}

// Group is a run of rows (and of columns, where they are the same things) with a name.
type Group struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Count int    `json:"count"`
}

// Cell is a cell of a map to look at.
type Cell struct {
	Row    int    `json:"row"`
	Column int    `json:"column"`
	Note   string `json:"note"`
}

// Graph is nodes in tiers, joined by edges with a load in each direction.
type Graph struct {
	Load  Axis   `json:"load"`
	Tiers []Tier `json:"tiers"` // the lowest first
	Edges []Edge `json:"edges"`
	Ways  []Way  `json:"ways,omitempty"`
}

// Tier is a row of nodes.
type Tier struct {
	Name  string `json:"name"`
	Nodes []Node `json:"nodes"`
}

// Node is a node, or several alike that are drawn as one.
type Node struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Count int    `json:"count"`           // how many it stands for, 1 for itself
	Alert string `json:"alert,omitempty"` // what is wrong with it
}

// Edge is all cables between two nodes.
type Edge struct {
	Low    string `json:"low"` // the node of the lower tier
	High   string `json:"high"`
	Cables int    `json:"cables"`
	Up     Side   `json:"up"` // from low to high
	Down   Side   `json:"down"`
}

// Side is one direction of an edge: the busiest of its ports, and the mean over them.
// Without a port in that direction both are Nothing.
type Side struct {
	Port   string `json:"port"`
	Value  Value  `json:"value"`
	Mean   Value  `json:"mean"`
	Note   string `json:"note,omitempty"`
	Held   bool   `json:"held,omitempty"`   // by PFC, at some time
	Ringed bool   `json:"ringed,omitempty"` // to look at
}

// Way is a path through the graph.
type Way struct {
	Key   string   `json:"key"`
	Nodes []string `json:"nodes"` // by ID
	Label string   `json:"label"`
}
