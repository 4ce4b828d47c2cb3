package nn

import "fmt"

// MLP describes a multilayer perceptron: see NewMLP.
type MLP struct {
	Layers     []int
	Activation Activation
	Loss       Loss
}

// Spec describes a model by its kind and the sizes of that kind, so that a file of weights can say what
// they are of. Exactly one of the pointers is there.
type Spec struct {
	Kind      string     `json:"kind"` // mlp, cnn, rnn, lstm, gpt, file
	MLP       *MLP       `json:"mlp,omitempty"`
	CNN       *CNN       `json:"cnn,omitempty"`
	Recurrent *Recurrent `json:"recurrent,omitempty"` // of rnn and lstm
	GPT       *GPT       `json:"gpt,omitempty"`
	Net       *Net       `json:"net,omitempty"` // of file
}

// Model makes the model.
func (s *Spec) Model() (*Model, error) {
	switch {
	case s.Kind == "mlp" && s.MLP != nil:
		return NewMLP(s.MLP.Layers, s.MLP.Activation, s.MLP.Loss)
	case s.Kind == "cnn" && s.CNN != nil:
		return NewCNN(*s.CNN)
	case s.Kind == "rnn" && s.Recurrent != nil:
		return NewRNN(*s.Recurrent)
	case s.Kind == "gru" && s.Recurrent != nil:
		return NewGRU(*s.Recurrent)
	case s.Kind == "lstm" && s.Recurrent != nil:
		return NewLSTM(*s.Recurrent)
	case s.Kind == "gpt" && s.GPT != nil:
		return NewGPT(*s.GPT)
	case s.Kind == "file" && s.Net != nil:
		return s.Net.Model()
	}
	return nil, fmt.Errorf("model: kind %q without its sizes, want mlp, cnn, rnn, lstm, gru, gpt or file with them", s.Kind)
}

// MarshalText and UnmarshalText write and read names, so that a file has words and no numbers.

// MarshalText is the activation's name.
func (a Activation) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the activation's name.
func (a *Activation) UnmarshalText(b []byte) (err error) {
	*a, err = ParseActivation(string(b))
	return err
}

// MarshalText is the loss's name.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the loss's name.
func (l *Loss) UnmarshalText(b []byte) (err error) {
	*l, err = ParseLoss(string(b))
	return err
}

// MarshalText is the norm's name.
func (n Norm) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads the norm's name.
func (n *Norm) UnmarshalText(b []byte) (err error) {
	*n, err = ParseNorm(string(b))
	return err
}
