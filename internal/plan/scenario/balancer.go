package scenario

// Balancer is how switches choose among equal links, by the name that a scenario has for it.
type Balancer string

// The methods: Balancers says what each is.
const (
	BalanceECMP      Balancer = "ecmp"
	BalanceWCMP      Balancer = "wcmp"
	BalanceResilient Balancer = "resilient"
	BalancePinned    Balancer = "pinned"
	BalanceFlowlet   Balancer = "flowlet"
	BalanceDLB       Balancer = "dlb"
	BalanceGLB       Balancer = "glb"
	BalanceConWeave  Balancer = "conweave"
	BalanceSpray     Balancer = "spray"
)

// WholeWay reports whether several switches, or none, choose a way: no switch may differ.
func (b Balancer) WholeWay() bool { return b == BalancePinned || b == BalanceConWeave }

// Hashes reports whether the choice follows from a hash of the headers alone: then a source port decides, too.
func (b Balancer) Hashes() bool { return b == BalanceECMP || b == BalanceWCMP || b == BalanceResilient }

// WeighsLinks reports whether it goes by the quality of links.
func (b Balancer) WeighsLinks() bool { return b == BalanceDLB || b == BalanceGLB }

// Sprays reports whether each packet goes by itself.
func (b Balancer) Sprays() bool { return b == BalanceSpray }
