package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
)

// Scenario is a resolved scenario: every field has its final value.
type Scenario struct {
	Name       string
	Seed       uint64
	Preset     string // see Presets: values for many groups at once
	Cluster    Cluster
	Fabric     Fabric
	Transport  Transport
	Congestion Congestion
	Jobs       []Job // at least one
	Background Background
	Faults     []Fault
	Output     Output
	Capture    Capture
	Run        Run
	Cost       Cost

	file   string
	source []byte            // the text of the file; nil after changes
	root   *node             // the file as a tree
	origin map[string]string // path -> "file", "preset NAME" or "default"
	places map[string]span   // path -> where its value, or else its key, stands in the file

	// withoutDLB says that the configurations of switches were read, and none gives fabric.dlb a meaning.
	withoutDLB bool
}

// Cost is what GPUs cost and draw; not set: nothing is said of it.
type Cost struct {
	GPUHour Opt[Amount]     // of one GPU
	Power   Opt[unit.Power] // likewise
}

// Run says what is simulated.
type Run struct {
	Network string // see Networks; empty without a large model
	Reuse   string // see Reuses; empty where no steps are replayed
}

// Opt is a value that a word may stand for: none, auto, layer, all. The zero Opt is the word.
type Opt[T any] struct {
	Set   bool
	Value T
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{true, v} }

// Or returns the value, or d where the word stands.
func (o Opt[T]) Or(d T) T {
	if o.Set {
		return o.Value
	}
	return d
}

// Either is a value, or one of two words that a field accepts instead, such as none and bdp.
type Either[T any] struct {
	Word  string // empty: Value holds
	Value T
}

// Cluster is the hosts and their NICs.
type Cluster struct {
	Hosts     int
	Host      Host
	NIC       NIC
	Slow      []SlowRank
	Protocols ProtocolConstants

	NVLinkCollectives string // see InsideCollectives; empty where no job may have them
}

// ProtocolConstants is the constants of NCCL's protocols, and of a switch that adds.
type ProtocolConstants struct {
	LL, LL128, Simple Protocol
	NVLSEfficiency    Opt[unit.Ratio] // not set: of the GPUs' generation
	NVLSLaunch        unit.Duration
	NVLSChunk         unit.Bytes
	Speed             unit.Ratio // of GPUs and hosts, in that of NCCL's table
}

// Protocol is the constants of one of NCCL's protocols.
type Protocol struct {
	Data, Line             unit.Bytes // Data of each Line bytes are data
	Buffer                 unit.Bytes // per channel and connection
	Slice                  int        // steps of it
	LaunchRing, LaunchTree unit.Duration
	NVLinkRing, NVLinkTree unit.Duration
	NetRing, NetTree       unit.Duration
	Rate                   Opt[unit.Bitrate] // of a channel; not set: NCCL's limits
}

// SlowRank is a rank of a job whose GPU takes Factor times as long for all that it computes.
type SlowRank struct {
	Job    Opt[string] // not set: the first job with ranks
	Rank   int         // from 0
	Factor unit.Ratio
}

// Host is one server: GPUs joined by NVLink, NICs behind PCIe. Rates are per GPU and direction.
type Host struct {
	Preset           string
	GPUs             int
	NVLink           unit.Bitrate
	NVLinkEfficiency unit.Ratio // of the rate
	NVLinkLatency    unit.Duration
	PCIe             unit.Bitrate
	PCIeLatency      unit.Duration
	Graph            Opt[string] // of PCIe links: GraphOfPreset or a file; not set: a link for each NIC
	Links            []HostLink
	Launch           unit.Duration // kernel launch
	FLOPS            FLOPS         // dense TF32 tensor peak
	FLOPSFP32        FLOPS         // dense fp32 peak without tensor cores
	FLOPSBF16        FLOPS         // dense BF16 tensor peak
	FLOPSFP8         FLOPS         // dense FP8 tensor peak; 0: not asked for, or there is none
	Memory           unit.Bytes
	MemoryBandwidth  unit.Bitrate
	MatmulEfficiency unit.Ratio // of the peak
	MemoryEfficiency unit.Ratio // of the bandwidth
}

// GraphOfPreset is the graph of links of the preset's board.
const GraphOfPreset = "preset"

// HostLink is a link of the graph inside a host with a rate of its own.
type HostLink struct {
	Link string // part/part
	Rate unit.Bitrate
}

// NVLinkRate returns the rate at which NVLink moves data, per GPU and direction.
func (h *Host) NVLinkRate() unit.Bitrate { return unit.Bitrate(h.NVLinkEfficiency.Of(int64(h.NVLink))) }

// NIC says which network ports a host has.
type NIC struct {
	Shared bool // one NIC for all GPUs of the host; PerGPU is then 0
	PerGPU int
	// SharedBy is how many GPUs share a NIC; 0 where Shared, or PerGPU is above 1.
	SharedBy int
	Ports    int // of a card, each a link of the fabric
	Bond     Bond

	Speed   unit.Bitrate  // of a port
	Latency unit.Duration // per side
	Pacing  string        // see Pacings
	// ReceiveBuffer is what a NIC has for packets that PCIe has not taken yet; not set: without end.
	ReceiveBuffer Opt[unit.Bytes]
}

// Bond says what the ports of a card are to each other.
type Bond struct {
	Mode      string        // see BondModes; of one port it means nothing
	Detection unit.Duration // until a port that is down is known for that; only with a bond
}

// Bonded reports whether a NIC has several ports of which each carries any queue pair.
func (n *NIC) Bonded() bool { return n.Ports > 1 && n.Bond.Mode != "none" }

// Links is how many ports a NIC has, as hosts see NICs: of a card whose ports are not bonded each is one.
func (n *NIC) Links() int {
	if n.Bonded() {
		return n.Ports
	}
	return 1
}

// Devices is how many NICs a host sees of a card.
func (n *NIC) Devices() int { return n.Ports / n.Links() }

// PerRail is how many NICs of a host are near one GPU, or GPUs that share them.
func (n *NIC) PerRail() int { return max(n.PerGPU, 1) * n.Devices() }

// Rate is that of a NIC, all its ports together.
func (n *NIC) Rate() unit.Bitrate { return n.Speed * unit.Bitrate(n.Links()) }

// Fabric is the switches and cables between the NICs.
type Fabric struct {
	Design    Design      // see Designs
	Topology  Opt[string] // custom only: the file that holds hosts, switches and links
	Config    Opt[string] // the folder that holds the configurations of switches
	VLANs     string      // single-switch only: see VLANs
	Ports     string      // see PortOrders
	Leaves    int         // leaf-spine only
	Spines    int         // rail-optimized and leaf-spine, of each pod and plane; 0: rails are not connected
	Rails     Rails       // of designs with rail switches
	Upper     Upper       // of designs with spines; Planes of rail-only too
	Dragonfly Dragonfly
	Links     Links
	Switch    Switch
	Switches  []SwitchProfile // those that differ
	MTU       unit.Bytes      // frame with FCS, without preamble and gap

	Encapsulation string // see Encapsulations; only where there are links between leaves

	Balance   Balancer // see Balancers
	Hash      Hash
	Flowlet   Flowlet
	DLB       DLB
	GLB       GLB
	Routing   Routing
	Addresses Addresses
	ConWeave  ConWeave
	Spray     Spray
	Resilient Resilient
	Clock     string // "exact" or "truncate-ns"
	Order     string // "phases" or "scheduled"
	QoS       QoS
}

// Rails is how rails share switches.
type Rails struct {
	Segment Opt[int] // hosts that share rail switches; not set: all
	PerLeaf int
}

// Upper is pods and planes, and what is above the leaves of a design beside its spines.
type Upper struct {
	Pods, Planes  int
	SpinesPerLeaf Opt[int] // not set: all
	Rotated       bool     // the lists of spines begin one later from leaf to leaf
	SuperSpines   int      // of each plane
	SuperGroups   int
}

// Dragonfly is the sizes of a dragonfly.
type Dragonfly struct {
	Groups, Routers, Global   int // routers of a group; links of a router to other groups
	LocalRate, GlobalRate     unit.Bitrate
	LocalLength, GlobalLength unit.Length
}

// Hash is how a switch picks one of equal paths for a queue pair.
type Hash struct {
	Function string // see HashFunctions
	Fields   string // see HashFields
	Seed     string // see HashSeeds, and of a switch SwitchHashSeeds
	Role     string // with seed role: what switches match that share one
	Number   uint32 // of the seed, where a configuration gives one; Seed is its text then. 0: none does
}

// Flowlet is the parameters of the balancer flowlet.
type Flowlet struct {
	Gap unit.Duration // a flow that was quiet for longer may take another link
}

// DLB is the parameters of dynamic load balancing, the balancers dlb and glb.
type DLB struct {
	Mode               string        // see DLBModes
	Gap                unit.Duration // of flowlets, in that mode
	Sampling           unit.Duration // of a port's load
	LoadMin, LoadMax   unit.Ratio    // of the rate: the best quality up to the first, the worst from the second on
	QueueMin, QueueMax unit.Bytes    // the same of waiting bytes
	Weight             unit.Ratio    // of the load in the quality
}

// Spray is the parameters of the balancer spray.
type Spray struct {
	Pick               string     // see SprayPicks
	Samples, Memory    int        // drill only
	Grades             int        // least-queue only: lengths of a queue that are told apart
	QueueMin, QueueMax unit.Bytes // least-queue only: of the best grade up to the first, of the worst from the second on
}

// GLB is what the balancer glb has beside DLB.
type GLB struct{ Interval unit.Duration }

// ConWeave is the parameters of the balancer conweave.
type ConWeave struct {
	Reply  unit.Duration // a way whose answer takes longer is left
	Busy   unit.Duration // how long after a notification nothing moves to a link
	Resume unit.Duration // the longest time that packets are held for those before them
}

// Resilient is the parameters of the balancer resilient.
type Resilient struct{ Buckets int }

// Links is the cables. Spine, SpineLength and Parallel belong to designs with spines; a custom
// design has its own cables.
type Links struct {
	Host        unit.Bitrate
	Spine       unit.Bitrate
	Length      unit.Length
	SpineLength unit.Length
	Parallel    int // cables between a rail switch and a spine
	Peer        int // cables between two switches of dual-rail

	SuperSpine       unit.Bitrate // between a spine and a super-spine, as the next two
	SuperSpineLength unit.Length
	SuperParallel    int

	Delay Opt[unit.Duration] // replaces 5 ns/m * length on every link
	Named []NamedLink
}

// NamedLink is a link that differs from the others of its tier. What is not set is as theirs.
type NamedLink struct {
	Link   string // node/peer, node/peer#k with parallel links, or a pattern; both directions
	Rate   Opt[unit.Bitrate]
	Length Opt[unit.Length]
	Delay  Opt[unit.Duration] // instead of what Length gives
	Sender Opt[string]        // the end that alone sends at Rate; not set: both
}

// Switch is one switch; all are alike but those in Fabric.Switches.
type Switch struct {
	Model    string            // see SwitchModels
	Ports    Opt[int]          // not set: as many as needed
	PortRate Opt[unit.Bitrate] // not set: any
	Breakout int               // cables that a port may be split into
	// PanelRows is how many rows ports stand in that are numbered down each column.
	PanelRows int

	Latency unit.Duration
	Buffer  unit.Bytes
	Reserve unit.Bytes // per port and priority
	Release string     // "end" or "dequeue"
}

// QoS is the traffic classes and what switches do when queues grow.
type QoS struct {
	Preset        string
	Classes       string // "all" or "data"
	Trust         string // "dscp" or "pcp"
	DSCP          int
	CNPDSCP       int
	DataPriority  int
	CNPPriority   int
	OtherPriority int
	DataWeight    int
	OtherWeight   int
	ECN           ECN
	PFC           PFC
	LossyAlpha    unit.Ratio
	DropThreshold Opt[unit.Bytes] // of queues of RoCE data, for ports of ECN.PortRate; not set: none
}

// TagBytes is a VLAN tag (IEEE 802.1Q, section 9.6).
const TagBytes = 4 * unit.Byte

// Tag is how many bytes of a tag frames have on links of hosts.
func (q *QoS) Tag() unit.Bytes {
	if q.Trust == "pcp" {
		return TagBytes
	}
	return 0
}

// Drops returns the drop threshold, which scales with the port as the marking curve does.
func (q *QoS) Drops() qos.Length {
	return qos.Length{Bytes: q.DropThreshold.Or(0), Per: q.ECN.PortRate.Value}
}

// ECN is the marking curve. A field that is not set scales with the port: see Curve.
type ECN struct {
	Enabled     bool
	Min, Max    Opt[unit.Bytes]
	PortRate    Opt[unit.Bitrate] // of the ports that Min and Max are stated for; not set: of all
	Probability Opt[unit.Ratio]
	When        string // "enqueue" or "dequeue"
}

// Curve returns the marking curve: qos.DefaultECN where the scenario does not say. What it says
// scales with the port too, if it says for which rate.
func (e ECN) Curve() qos.ECN {
	q := qos.DefaultECN
	if e.Min.Set {
		q.Min = qos.Length{Bytes: e.Min.Value, Per: e.PortRate.Value}
	}
	if e.Max.Set {
		q.Max = qos.Length{Bytes: e.Max.Value, Per: e.PortRate.Value}
	}
	q.Probability, q.AtDequeue = e.Probability.Or(q.Probability), e.When == "dequeue"
	return q
}

// PFC is priority flow control of the data class.
type PFC struct {
	Enabled      bool
	Alpha        unit.Ratio
	AlphaRate    Either[unit.Bitrate] // none, or nic: the slowest NIC; alpha doubles with the rate of a port above it
	Threshold    Opt[unit.Bytes]      // a fixed xOFF instead of alpha
	ResumeOffset unit.Bytes           // xON = xOFF - this
	Headroom     Opt[unit.Bytes]      // not set: by formula, or by HeadroomDelays
	// HeadroomDelays makes the headroom this many times what a link carries in its one-way delay.
	HeadroomDelays Opt[int]
	Crossing       string             // "shared" or "headroom"
	Quanta         int                // 0: until resumed
	Refresh        unit.Ratio         // of the pause time
	Response       Opt[unit.Duration] // not set: by the speed of the link
	Watchdog       Watchdog
}

// Watchdog is what switches do about ports that are paused for too long.
type Watchdog struct {
	Detect  Opt[unit.Duration] // not set: nothing
	Restore unit.Duration
	Action  string // see WatchdogActions
}

// Transport is RoCEv2 reliable connections.
type Transport struct {
	Preset        string
	MTU           unit.Bytes // payload
	Frames        Frames
	QPs           int    // queue pairs of a connection of two ranks
	SplitData     bool   // a message goes over all of them
	AckEvery      int    // packets
	AckClass      string // "data" or "cnp"
	AckPaused     bool   // PFC holds back acknowledgements and CNPs at hosts
	AckDuplicates bool
	NakAgain      Opt[unit.Duration] // not set: one NAK per gap
	Recovery      string             // "go-back-n" or "selective-repeat"
	Receiver      string             // "in-order", "buffered" or "direct"
	ReorderBuffer int                // packets, of a buffered one
	Entropy       string             // see Entropies
	EntropyCache  int                // recycled ones
	EntropyFreeze unit.Duration
	ReorderWindow Opt[int]           // packets past a gap that do not say it is lost; not set: any
	Timeout       Opt[unit.Duration] // not set: no retransmission timer
	TimeoutLow    Opt[unit.Duration] // with at most LowPackets outstanding; not set: Timeout
	LowPackets    int
	// TimeoutAdaptive is the least that the timer takes where it follows round trips; not set: it does not.
	TimeoutAdaptive Opt[unit.Duration]
	Retries         int
	Window          Either[unit.Bytes] // none, or bdp: line rate x base RTT of the queue pair
	WindowScale     bool               // the window shrinks with the rate
	BaseRTT         string             // "frames" or "payload"
	Completion      string             // "receiver" or "sender"
	Setup           bool               // queue pairs are connected before they send
	SetupTime       unit.Duration      // of each of two steps at hosts
	FirstQPN        int                // number of the first queue pair on the wire
	FirstPSN        int                // of each queue pair's first packet, on the wire
	PKey            int
}

// Frames says how many bytes each kind of frame takes, FCS included, preamble and gap not.
type Frames struct {
	Header    unit.Bytes // of a data frame, all but the payload
	RETH      unit.Bytes // more on the first packet of a message
	Immediate unit.Bytes // more on the last packet of a message
	ACK       unit.Bytes // and NAK
	CNP       unit.Bytes
	Pause     unit.Bytes
	Overhead  unit.Bytes // preamble and gap, on the link only
}

// MaxHeaders returns what a data frame adds to its payload at most.
func (f Frames) MaxHeaders() unit.Bytes { return f.Header + f.RETH + f.Immediate }

// Congestion is the sender's congestion control. The fields below Notify are DCQCN's.
type Congestion struct {
	Algorithm        Controller // see CongestionAlgorithms
	Preset           string
	Notify           string // "cnp", "ack" or "none"
	CNPInterval      unit.Duration
	G                unit.Ratio
	InitialAlpha     unit.Ratio
	AlphaTimer       unit.Duration
	DecreaseInterval Opt[unit.Duration] // not set: on each CNP
	DecreaseOffset   unit.Duration
	FirstCNPRate     unit.Ratio
	ClampTarget      bool
	MinDecFactor     unit.Ratio // of the rate is kept at least in one cut
	CutOnLoss        bool
	IncreaseTimer    unit.Duration
	ByteCounter      Opt[unit.Bytes] // not set: none
	FastRecovery     int
	RateAI           unit.Bitrate
	RateHAI          unit.Bitrate
	MinRate          unit.Bitrate
	HPCC             HPCC
	TIMELY           TIMELY
	DCTCP            DCTCP
	Swift            Swift
}

// HPCC is congestion control by in-band telemetry.
type HPCC struct {
	Eta      unit.Ratio
	MaxStage int
	AI       unit.Bytes
	RateAI   Opt[unit.Bitrate]  // set: instead of AI
	BaseRTT  Opt[unit.Duration] // not set: the queue pair's own
	MinRate  unit.Bitrate

	TxUnit, QueueUnit unit.Bytes
	Repace            bool
	FastReact         bool
}

// TIMELY is congestion control by the gradient of the round-trip time.
type TIMELY struct {
	Alpha, Beta, MaxDecrease unit.Ratio
	Low, High                unit.Duration
	MinRTT                   Opt[unit.Duration] // not set: the queue pair's base RTT
	AI                       unit.Bitrate
	HAI                      Opt[unit.Bitrate] // not set: HAIAfter x AI
	HAIAfter                 int
	HAIBelowLow              bool
	Segment                  Opt[unit.Bytes] // not set: a decision per round trip
	MinRate                  unit.Bitrate
}

// DCTCP is congestion control by the part of marked bytes.
type DCTCP struct {
	G             unit.Ratio
	MSS           unit.Bytes
	InitialWindow Opt[unit.Bytes] // not set: line rate x base RTT
	MaxWindow     Opt[unit.Bytes] // not set: 4 x line rate x base RTT
	RateAI        Opt[unit.Bitrate]
	MinRate       unit.Bitrate // with RateAI
}

// Swift is congestion control by a target delay.
type Swift struct {
	Queueing                   unit.Duration
	AI, Beta, MaxDecrease      unit.Ratio
	MinWindow                  unit.Ratio      // packets
	MaxWindow                  Opt[unit.Bytes] // not set: 4 x line rate x base RTT
	FlowScaleRange             unit.Duration
	FlowScaleMin, FlowScaleMax unit.Ratio // packets
}

// Job is one thing that the cluster does: it trains, it takes the steps of a large Model or replays a training, it runs
// Collectives, or it sends Flows and those of FlowsCSV. Parallel belongs to Train and Model, Collective to those and Replay, but for
// Collective.Exit and Admission, which Collectives have too, as Hosts, GPUs and Placement.
type Job struct {
	Name        string
	Start       unit.Duration
	Train       *Train
	Model       *LargeModel
	Replay      *Replay
	Parallel    Parallel
	Hosts       Selection // that a rule of Placement takes
	GPUs        Selection // of each of them
	Placement   Placement
	Collective  Collective
	Collectives []CollectiveRow
	Entries     []FlowEntry // of flows, as the file has them
	Flows       []Flow      // that they make
	FlowsCSV    Opt[string] // file with more flows: see ReadFlows

	// Watchdog ends a job of ranks one of which has been in a collective for so long; not set: nothing does.
	Watchdog Opt[unit.Duration]
	Survival Survival

	path string // where it stands in the file
}

// JobKind is what kind of thing a job does: the group of keys that says so.
type JobKind string

// The kinds of job.
const (
	TrainJob       JobKind = "train"
	ModelJob       JobKind = "model"
	ReplayJob      JobKind = "replay"
	CollectivesJob JobKind = "collectives"
	FlowsJob       JobKind = "flows"
)

// Kind is what kind of thing the job does.
func (j *Job) Kind() JobKind {
	switch {
	case j.Train != nil:
		return TrainJob
	case j.Model != nil:
		return ModelJob
	case j.Replay != nil:
		return ReplayJob
	case len(j.Collectives) > 0:
		return CollectivesJob
	}
	return FlowsJob
}

// Path returns the path of the job's keys: job, or jobs[0], jobs[1], ... of several.
func (j *Job) Path() string {
	if j.path == "" {
		return "job"
	}
	return j.path
}

// Survival is what a job of steps does so that it lives through an abort.
type Survival struct {
	Steps    Opt[int]           // a checkpoint after each so many; not set, nor Interval: none
	Interval Opt[unit.Duration] // a checkpoint after the step in progress when so much time has passed since the last one
	Storage  Opt[unit.Bitrate]  // that all ranks share; not set: writing takes no time
	Bytes    Opt[unit.Bytes]    // of a checkpoint; not set: weights and what the optimiser keeps
	Restart  Opt[unit.Duration] // from an abort until the ranks start again; not set: they do not
	Restarts int                // at most
	Spares   int                // the last hosts of the job, which take the places of others
}

// Saves reports whether there are checkpoints.
func (s *Survival) Saves() bool { return s.Steps.Set || s.Interval.Set }

// Train is a network that is really trained.
type Train struct {
	Model      string
	Layers     []int  // of mlp
	Network    string // path of file
	Activation string // of mlp and cnn
	CNN        CNN
	RNN        RNN // of rnn and lstm
	GPT        GPT
	Loss       string
	Data       Data
	Batch      int // per rank
	Epochs     int
	Steps      Opt[int] // not set: all steps of the epochs
	LR         float64
	Optimiser  string
	Momentum   float64
	Nesterov   bool
	Alpha      float64
	Beta1      float64
	Beta2      float64
	Epsilon    float64
	Decay      float64
	Clip       float64 // of the norm of all gradients; 0: any
	Schedule   Schedule
	Init       string
	Deviation  float64         // of the normal Init
	Bucket     Opt[unit.Bytes] // not set: one bucket per layer
	Start      string
	Prefetch   bool
	Precision  string
	Kernel     string
	Inside     bool
	Checkpoint Checkpoint
}

// Replay is a data-parallel training of which only durations and byte counts are known: each step is
// Forward, then a bucket of gradients after the other, each all-reduced as soon as it is there, then
// Update once all are. Nothing real is computed or sent.
type Replay struct {
	Steps   int
	Forward unit.Duration
	Buckets []ReplayBucket // in the order in which backward makes their gradients
	Update  unit.Duration
}

// ReplayBucket is gradients that are summed together.
type ReplayBucket struct {
	Compute unit.Duration // backward until they are there, after the bucket before
	Bytes   unit.Bytes    // of float32
}

// CNN is the sizes of a convolutional network.
type CNN struct {
	Image                         []int // channels, rows, columns
	Filters                       []int
	Kernel, Stride, Padding, Pool int
	Pooling, Fixed                string
	Hidden                        []int
	Classes                       int
}

// RNN is the sizes of a recurrent network.
type RNN struct {
	Embedding  int
	Cells      []int
	Biases     int
	BPTT       string
	Activation string
	GateLow    Opt[float64] // not set: gates have no threshold
	GateHigh   float64
	Dropout    float64
}

// GPT is the sizes of a transformer.
type GPT struct {
	Size, Blocks, Heads, HeadSize, Factor  int
	Norm, NormPlace, Activation, Positions string
	Gated, Bias, Tied, HeadBias            bool
	Dropout                                float64
	Experts                                MoE
}

// MoE is the mixture of experts of a transformer.
type MoE struct {
	Count    Opt[int] // not set: there is none
	Top      int
	Capacity float64 // times an even share; 0: all that come
	Balance  float64 // weight of the balancing loss
	Shared   int
	Every    int    // blocks
	Force    string // of ForcedExperts
}

// Schedule is how the learning rate goes over the steps of a training.
type Schedule struct {
	Kind   string
	Warmup int     // steps
	Every  int     // of step
	Factor float64 // of step
	End    float64 // of cosine: a part of the rate
}

// Checkpoint says when the weights of a training are kept, beside those at its end.
type Checkpoint struct {
	Every Either[int] // steps, none, or epoch
	Keep  int         // how many stay
}

// Data is what a training learns from: exactly one of these is there.
type Data struct {
	Path   string    // a folder of IDX files
	Digits *Drawn    // how to make one when it is missing
	Shapes *Drawn    // the same, of other images
	Images *Pictures // a folder of pictures
	Text   *Corpus
}

// Drawn returns the set that is drawn when it is missing, and its name; nil: there is none.
func (d Data) Drawn() (of *Drawn, name string) {
	if d.Shapes != nil {
		return d.Shapes, "shapes"
	}
	return d.Digits, "digits"
}

// Key is alike for data that are the same.
func (d Data) Key() string {
	switch of, name := d.Drawn(); {
	case of != nil:
		return fmt.Sprintf("%s %+v", name, *of)
	case d.Images != nil:
		return fmt.Sprintf("images %+v", *d.Images)
	case d.Text != nil && d.Text.Grammar != nil:
		t := *d.Text
		t.Grammar = nil
		return fmt.Sprintf("grammar %+v %+v", *d.Text.Grammar, t)
	case d.Text != nil:
		return fmt.Sprintf("text %+v", *d.Text)
	}
	return d.Path
}

// File reports whether the data are in files, which Name names.
func (d Data) File() bool {
	return d.Text == nil || d.Text.Grammar == nil || d.Text.Grammar.File != EnglishGrammar
}

// Name is what errors call the data: a path where there is one.
func (d Data) Name() string {
	switch of, _ := d.Drawn(); {
	case of != nil:
		return of.Dir
	case d.Images != nil:
		return d.Images.Dir
	case d.Text != nil && d.Text.Grammar != nil:
		return d.Text.Grammar.File
	case d.Text != nil:
		return d.Text.Path.Value
	}
	return d.Path
}

// Drawn is a set of drawn images.
type Drawn struct {
	Dir         string
	Train, Test int
	Seed        uint64
	Side        int // pixels
}

// Pictures is a folder of pictures in folders by class.
type Pictures struct {
	Dir    string
	Colour bool
	Side   Opt[int] // to which they are scaled; not set: they keep their size
}

// Corpus is text, the user's or a grammar's, and how it is cut into tokens and windows. Exactly one of
// Path and Grammar is there.
type Corpus struct {
	Path       Opt[string]
	Grammar    *Grammar
	Tokens     string // see TokenKinds
	Fold       bool   // to lower case
	Vocabulary int    // tokens, 0 and 1 included
	MinCount   int
	Order      string          // of tokens: see TokenOrders
	Window     int             // tokens
	Stride     Opt[int]        // not set: as the window
	Start      string          // of a window: see WindowStarts
	Test       Opt[unit.Ratio] // share of the text; not set: the test text is that to train on
}

// Grammar is a grammar that draws sentences: so many to train on and to test with.
type Grammar struct {
	File        string // or the name of the one that comes along
	Train, Test int
	Seed        uint64
}

// Parallel says how ranks share a training. Schedule is empty with one stage, Tensor with whole
// layers, Order with replicas alone.
type Parallel struct {
	TP, PP, DP    int // parts of each layer, stages of layers, replicas
	EP            int // replicas over which experts are spread
	Zero          int // stage of ZeRO, 0: none
	Order         string
	MicroBatches  int
	Schedule      string // see PipelineSchedules
	VirtualStages int    // 0 unless Schedule is interleaved
	Tensor        string // see TensorStyles
	Sequence      bool
	Update        string // see UpdateTimes
	Stash         bool
}

// Ranks is how many there are.
func (p *Parallel) Ranks() int { return p.TP * p.PP * p.DP }

// Collective says how gradients are summed. Algorithm is empty where Schedule is set.
type Collective struct {
	Schedule  Opt[string] // path of a schedule's text form; not set: Algorithm makes it
	Algorithm Algorithm
	Protocol  NCCLProtocol // see Protocols; empty as Algorithm
	Wire      string       // see Wires; empty where nothing is trained
	Channels  int
	Exit      string
	AllToAll  Algorithm // of experts: see AllToAlls
	Slices    Opt[int]  // not set: the algorithm's own
	Slots     Opt[int]  // with credit; not set: one for each message
	Admission Admission
}

// CollectiveRow is one collective over all GPUs, run again and again: a row of a benchmark.
type CollectiveRow struct {
	Op         string       // see CollectiveOps
	Bytes      unit.Bytes   // of float32, the larger of input and output
	Algorithm  Algorithm    // see RowAlgorithms
	Protocol   NCCLProtocol // see RowProtocols
	Channels   Opt[int]     // not set: one for each NIC of a host
	Iterations int          // timed
	Warmup     int          // before them, not timed
	Skew       int          // of an all-to-all: GPU 0 gets so many times as much as each other
}

// Admission is receiver-driven: a sender posts what the receiver has a slot for. Not set:
// everything.
type Admission struct {
	Slots Opt[int]   // per connection
	Bytes unit.Bytes // of a slot
}

// Flow is one message, or Count of them, one each Every.
type Flow struct {
	Name     string
	From, To Endpoint
	Bytes    unit.Bytes
	Start    unit.Duration
	Count    int
	Every    unit.Duration // 0 when Count is 1
	Priority string        // "data" or "other"
	Enabled  bool          // false: not sent, but it keeps its number, and so all others their paths
	Path     []string      // nodes from host to host, node#k for the k-th of parallel links; nil: by fabric.balance
	Back     []string      // of acknowledgements; nil: Path reversed, or by fabric.balance
}

// Background is traffic beside the job.
type Background struct {
	Entries []FlowEntry // as the file has them
	Flows   []Flow      // that they make
}

// Output says what the run directory holds.
type Output struct {
	Sample     unit.Duration
	Queues     bool
	Flows      bool
	Operations bool
	Gradients  bool
	Experts    bool

	Events         bool
	EventsKept     int // of each kind, at each port and of each queue pair
	Series         bool
	SeriesInterval Opt[unit.Duration] // not set: from the run's length
	Telemetry      Opt[unit.Duration] // how often devices are read; not set: never
}

// Capture says which frames go into capture.pcapng.
type Capture struct {
	Links   []string // names and patterns as of faults; none: nothing is captured
	Payload bool
	Limit   int // frames
}

// On reports whether there is one.
func (c *Capture) On() bool { return len(c.Links) > 0 }

// Parse resolves the scenario in src; name stands for the file in problems and
// gives the scenario its default name. The error, if any, is located.Problems.
func Parse(name string, src []byte) (*Scenario, error) {
	root, ps := readTree(name, src)
	if len(ps) > 0 {
		return nil, ofOurs(ps, name, "scenario", src, tree)
	}
	return decode(name, root, src)
}

// Cabled resolves as much of a scenario with problems as says which switches, hosts and links there are: so that the names
// of links elsewhere in the file can be looked up all the same. It returns nil where a problem lies in what that rests on, and
// where another file draws the network.
func Cabled(name string, src []byte) *Scenario {
	root, ps := readTree(name, src)
	if len(ps) > 0 || foreign(src, tree) {
		return nil
	}
	d := newDecoder(name)
	s := d.decode(root)
	for _, p := range d.problems {
		first, _, _ := strings.Cut(p.Path, "[")
		first, _, _ = strings.Cut(first, ".")
		switch first {
		case "job", "jobs", "background", "faults", "output", "capture", "transport", "congestion", "cost":
		case "fabric":
			if !slices.ContainsFunc(uncabled, func(key string) bool {
				return p.Path == key || strings.HasPrefix(p.Path, key+".")
			}) {
				return nil
			}
		default:
			return nil
		}
	}
	if s.Fabric.custom() || s.Fabric.Config.Set {
		return nil
	}
	return s
}

// uncabled are the keys of the fabric that no cable depends on.
var uncabled = []string{"fabric.qos", "fabric.mtu", "fabric.encapsulation", "fabric.balance", "fabric.hash", "fabric.order", "fabric.clock",
	"fabric.flowlet", "fabric.dlb", "fabric.glb", "fabric.conweave", "fabric.spray", "fabric.resilient", "fabric.routing"}

// decode resolves the scenario of a tree.
func decode(name string, root *node, src []byte) (*Scenario, error) {
	d := newDecoder(name)
	s := d.decode(root)
	if len(d.problems) > 0 {
		return nil, ofOurs(d.problems, name, "scenario", src, tree)
	}
	s.root, s.source = root, src
	return s, nil
}

// Equal reports whether s and o describe the same run.
func (s *Scenario) Equal(o *Scenario) bool {
	a, b := *s, *o
	for _, x := range []*Scenario{&a, &b} {
		x.file, x.source, x.root, x.origin, x.places, x.withoutDLB = "", nil, nil, nil, nil, false
	}
	return reflect.DeepEqual(a, b)
}

// GPUs returns the number of GPUs in the cluster.
func (s *Scenario) GPUs() int { return s.Cluster.Hosts * s.Cluster.Host.GPUs }

// NICsPerHost returns the number of NICs of each host, which is the number of rails.
func (s *Scenario) NICsPerHost() int {
	n := &s.Cluster.NIC
	if n.Shared {
		return n.Devices()
	}
	return s.Cluster.Host.GPUs * n.PerGPU / max(n.SharedBy, 1) * n.Devices()
}

// RankCount returns the number of ranks of a job, 0 for a job of flows. Collectives and replays run on
// all GPUs of the job.
func (s *Scenario) RankCount(j *Job) int {
	switch j.Kind() {
	case TrainJob, ModelJob:
		return j.Parallel.Ranks()
	case ReplayJob, CollectivesJob:
		return s.rankPlaces(j)
	}
	return 0
}

// Ranked returns the jobs that have ranks.
func (s *Scenario) Ranked() (all []*Job) {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Kind() != FlowsJob {
			all = append(all, j)
		}
	}
	return all
}

// SlowJob returns the job whose rank r is, nil if there is none.
func (s *Scenario) SlowJob(r *SlowRank) *Job {
	for _, j := range s.Ranked() {
		if !r.Job.Set || j.Name == r.Job.Value {
			return j
		}
	}
	return nil
}

// HostsOf are the hosts of a job's ranks, those that stand by left out.
func (s *Scenario) HostsOf(j *Job) []int { return j.Hosts.Of(s.Cluster.Hosts)[:s.hostCount(j)] }

// hostCount returns how many hosts a job's ranks run on. It is asked while a scenario is read, too, of spares that are
// refused.
func (s *Scenario) hostCount(j *Job) int {
	all := j.Hosts.count(s.Cluster.Hosts)
	return max(all-max(j.Survival.Spares, 0), min(all, 1))
}

// Spares are the hosts of a job that stand by.
func (s *Scenario) Spares(j *Job) []int { return j.Hosts.Of(s.Cluster.Hosts)[len(s.HostsOf(j)):] }

// rankPlaces returns on how many GPUs ranks of a job may run.
func (s *Scenario) rankPlaces(j *Job) int {
	if n := len(j.Placement.GPUs); n > 0 {
		return n
	}
	return s.hostCount(j) * j.GPUs.count(s.Cluster.Host.GPUs)
}

// NICOf returns the index, within its host, of the NIC that e uses: its own, or
// the first of the NICs nearest to its GPU.
func (s *Scenario) NICOf(e Endpoint) int {
	switch {
	case e.NIC >= 0:
		return e.NIC
	case s.Cluster.NIC.Shared:
		return 0
	}
	return e.GPU * s.Cluster.NIC.PerGPU / max(s.Cluster.NIC.SharedBy, 1) * s.Cluster.NIC.Devices()
}
