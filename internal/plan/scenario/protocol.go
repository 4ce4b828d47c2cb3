package scenario

// NCCLProtocol is how NCCL's messages go, by the name that a scenario has for it.
type NCCLProtocol string

// The protocols: RowProtocols says what each is.
const (
	ProtocolAuto   NCCLProtocol = "auto" // of whoever takes what NCCL takes
	ProtocolNone   NCCLProtocol = "none"
	ProtocolLL     NCCLProtocol = "ll"
	ProtocolLL128  NCCLProtocol = "ll128"
	ProtocolSimple NCCLProtocol = "simple"
)

// Named reports whether it is one of NCCL's, named.
func (p NCCLProtocol) Named() bool { return p.HasLines() || p == ProtocolSimple }

// HasLines reports whether messages go in lines, each of data with a flag.
func (p NCCLProtocol) HasLines() bool { return p == ProtocolLL || p == ProtocolLL128 }
