package bench

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
	"railyard/internal/learn/nn"
)

// A Net is a network whose training is timed, on examples that are made up front.
type Net struct {
	Name, About string
	Batch       int

	model func() (*nn.Model, error)
	data  func(s *splitmix.Stream, x []float32, labels []int32)
	moves nn.Optimiser
}

var (
	sgd = nn.Optimiser{LR: 0.1}
	// adamW has the defaults of torch.optim.AdamW but for the rate.
	adamW = nn.Optimiser{Method: nn.AdamW, LR: 3e-4, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01}
)

// Nets are all of them, in order of size.
var Nets = []Net{
	{"mlp", "784-128-10, ReLU", 64, mlp, images, sgd},
	{"cnn", "conv 8 3x3, pool 2, conv 16 3x3, pool 2, 400-128-10, ReLU", 64, cnn, images, sgd},
	{"rnn", "embedding 64x128, tanh RNN 128, 128-64 at each of 64 positions", 32, rnn, text(64, 64), sgd},
	{"lstm", "the same with an LSTM", 32, lstm, text(64, 64), sgd},
	{"gpt", "4 pre-norm blocks of 128, 4 heads, GELU 512, 128 positions, vocabulary 256", 16, gpt, text(128, 256), adamW},
	{"moe", "the same with 8 experts in each block, of which a position takes 2", 16, moe, text(128, 256), adamW},
}

func mlp() (*nn.Model, error) { return nn.NewMLP([]int{784, 128, 10}, nn.ReLU, nn.CrossEntropy) }

func cnn() (*nn.Model, error) {
	stage := func(filters int) nn.ConvStage {
		return nn.ConvStage{Filters: filters, Window: nn.Window{Size: 3, Stride: 1}, Pool: 2, Stride: 2}
	}
	return nn.NewCNN(nn.CNN{Image: nn.Volume{Channels: 1, Height: 28, Width: 28},
		Stages: []nn.ConvStage{stage(8), stage(16)}, Hidden: []int{128}, Classes: 10, Activation: nn.ReLU, Loss: nn.CrossEntropy})
}

var recurrent = nn.Recurrent{Vocabulary: 64, Context: 64, Embedding: 128, Cells: []int{128}, Biases: 2,
	Activation: nn.Tanh}

func rnn() (*nn.Model, error)  { return nn.NewRNN(recurrent) }
func lstm() (*nn.Model, error) { return nn.NewLSTM(recurrent) }

var transformer = nn.GPT{Vocabulary: 256, Context: 128, Size: 128, Blocks: 4, Heads: 4, Hidden: 512, Norm: nn.LayerNorm,
	Activation: nn.GELU, HeadBias: true}

func gpt() (*nn.Model, error) { return nn.NewGPT(transformer) }

func moe() (*nn.Model, error) {
	of := transformer
	of.Experts = &nn.GPTExperts{Routing: nn.Routing{Count: 8, Top: 2, Balance: 0.01}, Every: 1}
	return nn.NewGPT(of)
}

// uniform is in [0, 1).
func uniform(s *splitmix.Stream) float32 { return float32(s.Next()>>40) / (1 << 24) }

// images are noise, labelled by a fixed linear teacher: the largest of ten sums.
func images(s *splitmix.Stream, x []float32, labels []int32) {
	teacher := make([]float32, 784*10)
	from := splitmix.Stream(7)
	for i := range teacher {
		teacher[i] = uniform(&from) - 0.5
	}
	for i := range x {
		x[i] = uniform(s)
	}
	for i := range labels {
		var sums [10]float32
		for j, v := range x[i*784 : (i+1)*784] {
			for c := range sums {
				sums[c] += float32((v - 0.5) * teacher[j*10+c])
			}
		}
		labels[i] = int32(slices.Index(sums[:], slices.Max(sums[:])))
	}
}

// text is sequences of so many tokens in which t is mostly followed by 5t + 3: one in ten jumps.
func text(positions, vocabulary int) func(s *splitmix.Stream, x []float32, labels []int32) {
	return func(s *splitmix.Stream, x []float32, labels []int32) {
		token := 0
		for i := range x {
			if i%positions == 0 {
				token = int(s.Next() % uint64(vocabulary))
			}
			x[i] = float32(token)
			token = (5*token + 3) % vocabulary
			if s.Next()%10 == 0 {
				token = int(s.Next() % uint64(vocabulary))
			}
			labels[i] = int32(token)
		}
	}
}

// NetsNamed are the nets of these names, in order of all; all of them for none.
func NetsNamed(names []string) ([]Net, error) {
	var all []string
	for _, n := range Nets {
		all = append(all, n.Name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("%q: want one of: %s", name, strings.Join(all, ", "))
		}
	}
	var list []Net
	for _, n := range Nets {
		if len(names) == 0 || slices.Contains(names, n.Name) {
			list = append(list, n)
		}
	}
	return list, nil
}
