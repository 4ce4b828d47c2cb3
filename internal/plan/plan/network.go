package plan

import (
	"fmt"

	"railyard/internal/engine/fabric"
	"railyard/internal/learn/nn"
	"railyard/internal/learn/nn/netfile"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/network"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/plan/transport"
)

// model builds the network that a scenario trains.
func model(t *scenario.Train, of *nn.Spec) (*nn.Model, error) {
	m, err := of.Model()
	if err != nil {
		return nil, err
	}
	scheme, err := nn.ParseScheme(t.Init)
	if err != nil {
		return nil, err
	}
	return m.WithInit(scheme, t.Deviation), nil
}

// specOf translates the sizes of a network; file is the text of one that is listed.
func specOf(t *scenario.Train, files *JobFiles) (s nn.Spec, err error) {
	s.Kind = t.Model
	switch t.Model {
	case "mlp":
		s.MLP = &nn.MLP{Layers: t.Layers}
		if s.MLP.Activation, err = nn.ParseActivation(t.Activation); err == nil {
			s.MLP.Loss, err = nn.ParseLoss(t.Loss)
		}
	case "cnn":
		s.CNN, err = convolutional(t)
	case "rnn", "lstm", "gru":
		s.Recurrent, err = recurrent(t)
	case "gpt":
		s.GPT, err = transformer(t)
	case "file":
		s.Net, err = listed(t, files)
	default:
		panic("plan: the scenario has a network " + t.Model + ", which nn has not")
	}
	return s, err
}

// listed reads a network from its file. What the file does not say of examples, the data do.
func listed(t *scenario.Train, files *JobFiles) (*nn.Net, error) {
	f, err := netfile.Read(t.Network, files.Network)
	if err != nil {
		return nil, err
	}
	channels, side := t.Data.Pixels()
	rows := netfile.Rows{Image: files.Image}
	if rows.Image == (nn.Volume{}) {
		rows.Image = nn.Volume{Channels: channels, Height: side, Width: side}
	}
	if text := t.Data.Text; text != nil {
		rows = netfile.Rows{Text: true, Vocabulary: text.Vocabulary, Context: text.Window}
	}
	return f.Net(rows)
}

// fixedKernels are those that a first convolution may have.
var fixedKernels = map[string]func() [][9]float32{"prewitt": nn.Prewitt, "kirsch": nn.Kirsch}

func convolutional(t *scenario.Train) (*nn.CNN, error) {
	of, image := &t.CNN, t.CNN.Image
	c := &nn.CNN{Image: nn.Volume{Channels: image[0], Height: image[1], Width: image[2]}, Hidden: of.Hidden,
		Classes: of.Classes}
	stage := nn.ConvStage{Window: nn.Window{Size: of.Kernel, Stride: of.Stride, Padding: of.Padding}, Pool: of.Pool,
		Stride: of.Pool, Average: of.Pooling == "average"}
	if kernels := fixedKernels[of.Fixed]; kernels != nil {
		fixed := stage
		fixed.Fixed, fixed.Window = kernels(), nn.Window{Size: 3, Stride: 1}
		c.Stages = append(c.Stages, fixed)
	}
	for _, filters := range of.Filters {
		stage.Filters = filters
		c.Stages = append(c.Stages, stage)
	}
	var err error
	if c.Activation, err = nn.ParseActivation(t.Activation); err == nil {
		c.Loss, err = nn.ParseLoss(t.Loss)
	}
	return c, err
}

func recurrent(t *scenario.Train) (*nn.Recurrent, error) {
	of := &t.RNN
	r := &nn.Recurrent{Vocabulary: t.Data.Text.Vocabulary, Context: t.Data.Text.Window, Embedding: of.Embedding,
		Cells: of.Cells, Biases: of.Biases, Mean: of.BPTT == "mean", Dropout: of.Dropout}
	if of.GateLow.Set {
		r.Threshold = &[2]float32{float32(of.GateLow.Value), float32(of.GateHigh)}
	}
	if t.Model == "gru" {
		r.Activation = nn.Tanh
		return r, nil
	}
	var err error
	r.Activation, err = nn.ParseActivation(of.Activation)
	return r, err
}

func transformer(t *scenario.Train) (*nn.GPT, error) {
	of := &t.GPT
	g := &nn.GPT{Vocabulary: t.Data.Text.Vocabulary, Context: t.Data.Text.Window, Size: of.Size, Blocks: of.Blocks,
		Heads: of.Heads, HeadSize: of.HeadSize, Hidden: of.Factor * of.Size, After: of.NormPlace == "after",
		Gated: of.Gated, NoBias: !of.Bias, Sinusoidal: of.Positions == "sinusoidal", Tied: of.Tied,
		HeadBias: of.HeadBias, Dropout: of.Dropout}
	var err error
	if g.Activation, err = nn.ParseActivation(of.Activation); err != nil {
		return nil, err
	}
	if g.Norm, err = nn.ParseNorm(of.Norm); err != nil {
		return nil, fmt.Errorf("norm: %w", err)
	}
	if x := &of.Experts; x.Count.Set {
		g.Experts = &nn.GPTExperts{Every: x.Every, Routing: nn.Routing{Count: x.Count.Value, Top: x.Top, Capacity: x.Capacity,
			Shared: x.Shared, Balance: x.Balance}}
		if x.Force != "none" {
			g.Experts.Force = nn.Force(x.Force)
		}
	}
	return g, nil
}

// setSwitches says what each switch does by the scenario.
func (p *Plan) setSwitches() (err error) {
	p.Switches, err = switches.New(p.Scenario, p.Graph)
	return err
}

// setFaults says what the scenario's faults come to.
func (p *Plan) setFaults() (err error) {
	p.Faults, err = faults.New(p.faulty())
	return err
}

// faulty is what faults happen to.
func (p *Plan) faulty() faults.Network {
	return faults.Network{Scenario: p.Scenario, Graph: p.Graph, Names: p.names, Switches: p.Switches, PCIe: p.PCIe.Graph}
}

// setPCIe says what is inside hosts, and what NCCL finds there.
func (p *Plan) setPCIe() (err error) {
	if p.PCIe, err = pcie.New(p.Scenario, p.Graph, p.Files.HostGraph); err == nil && p.PCIe.Graph != nil {
		p.ncclHost = NCCLHost{PCIe: p.PCIe.NICRate(), Peers: p.PCIe.PeerRate(), AMD: p.PCIe.AMD}
	}
	return err
}

// configure gives switches what their configurations say.
func (p *Plan) configure() error {
	if !p.Scenario.Fabric.Config.Set {
		return nil
	}
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return err
	}
	err = p.Switches.Configure(p.Files.Config, in, p.Routes, transport.LargestFrame(p.Scenario))
	if p.Scenario = p.Switches.Scenario(); len(p.Switches.Short()) > 0 {
		if p.Faults.Fabric == nil {
			p.Faults.Fabric = &fabric.Faults{}
		}
		p.Faults.Fabric.Settings = append(p.Faults.Fabric.Settings, p.Switches.Short()...)
	}
	return err
}
