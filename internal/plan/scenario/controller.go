package scenario

// Controller is a congestion control by the name that a scenario has for it.
type Controller string

// The congestion controls: CongestionAlgorithms says what each is.
const (
	ByDCQCN      Controller = "dcqcn"
	Uncontrolled Controller = "none"
	ByHPCC       Controller = "hpcc"
	ByTIMELY     Controller = "timely"
	ByDCTCP      Controller = "dctcp"
	BySwift      Controller = "swift"
)

// Reacts reports whether there is one that slows senders down.
func (c Controller) Reacts() bool { return c != Uncontrolled }

// NeedsMarks reports whether a controller slows down on ECN marks; the others look at delay or
// telemetry.
func (c Controller) NeedsMarks() bool { return c == ByDCQCN || c == ByDCTCP }

// worksWithoutMarks reports whether a controller slows down on something else.
func (c Controller) worksWithoutMarks() bool { return c.Reacts() && !c.NeedsMarks() }

// Windowed reports whether a controller sets the window itself.
func (c Controller) Windowed() bool { return c == ByHPCC || c == BySwift || c == ByDCTCP }

// perAck reports whether a controller acts on each acknowledgement.
func (c Controller) perAck() bool {
	return c == ByHPCC || c == ByTIMELY || c == ByDCTCP || c == BySwift
}
