package checkpoint

import (
	"encoding/json"
	"strconv"

	"railyard/internal/learn/corpus"
)

// atSentence is where windows of a text begin, else anywhere.
const atSentence = "sentence"

// learnedKeys are the metadata of what a model was trained on that not every model has: where put
// gives "", there is none.
func (c *Checkpoint) learnedKeys() []key {
	return []key{
		{"image_channels", "3, for images in colour",
			func() string {
				if c.Channels <= 1 {
					return ""
				}
				return strconv.Itoa(c.Channels)
			},
			func(t string) error {
				if t != "3" {
					return strconv.ErrRange
				}
				c.Channels = 3
				return nil
			}},
		{"vocabulary", `a vocabulary such as {"tokens":"characters","pieces":["a","b"]}`,
			func() string {
				if c.Text == nil {
					return ""
				}
				b, err := json.Marshal(c.Text)
				if err != nil {
					panic(err)
				}
				return string(b)
			},
			func(t string) error {
				c.Text = new(corpus.Vocabulary)
				return json.Unmarshal([]byte(t), c.Text)
			}},
		{"layout", `a layout such as {"replicas":2,"parts":1,"stages":2,"hosts":4}`,
			func() string {
				if c.Layout == (Layout{}) {
					return ""
				}
				b, err := json.Marshal(c.Layout)
				if err != nil {
					panic(err)
				}
				return string(b)
			},
			func(t string) error {
				if err := json.Unmarshal([]byte(t), &c.Layout); err != nil {
					return err
				}
				return c.Layout.check(c.GlobalBatch)
			}},
		{"window_start", "sentence, for text whose windows begin where a sentence does",
			func() string {
				if !c.Sentences {
					return ""
				}
				return atSentence
			},
			func(t string) error {
				if t != atSentence {
					return strconv.ErrRange
				}
				c.Sentences = true
				return nil
			}},
	}
}
