package decoder

import (
	"maps"
	"slices"
)

// Preset is a model that its authors published.
type Preset struct {
	Shape
	Source string
}

// Named returns the preset of a name.
func Named(name string) (p Preset, ok bool) {
	p, ok = presets[name]
	return p, ok
}

// Names lists the presets.
func Names() []string { return slices.Sorted(maps.Keys(presets)) }

// gpt3 is a model of Brown and others, 2020, table 2.1: vectors learned for 2,048 positions, biases, GELU, a head that is
// the embedding.
func gpt3(blocks, hidden, heads int) Preset {
	return Preset{Shape{Blocks: blocks, Hidden: hidden, Heads: heads, KVHeads: heads, FFN: 4 * hidden, Vocabulary: 50257,
		Sequence: 2048, Tied: true, Bias: true, LayerNorm: true, Learned: true, Dropout: true},
		"Brown and others, arXiv 2005.14165, table 2.1; vocabulary of GPT-2"}
}

// llama is a model of Touvron and others, 2023, or Grattafiori and others, 2024.
func llama(blocks, hidden, ffn, heads, kv, vocabulary, sequence int, source string) Preset {
	return Preset{Shape{Blocks: blocks, Hidden: hidden, FFN: ffn, Heads: heads, KVHeads: kv, Vocabulary: vocabulary,
		Sequence: sequence, Gated: true}, source}
}

const (
	llama2 = "Touvron and others, arXiv 2307.09288"
	llama3 = "Grattafiori and others, arXiv 2407.21783, table 3"
	qwen3  = "Qwen Team, arXiv 2505.09388, table 2; expert sizes of the published configurations"
)

// qwen3MoE is one of the models with experts of Qwen3.
func qwen3MoE(blocks, hidden, heads, kv, ffn int) Preset {
	p := llama(blocks, hidden, 3*hidden, heads, kv, 151936, 4096, qwen3)
	p.HeadSize, p.HeadNorm = 128, true
	p.Experts = Experts{Count: 128, TopK: 8, FFN: ffn}
	return p
}

func mixtral() Preset {
	p := llama(32, 4096, 14336, 32, 8, 32000, 32768, "Jiang and others, arXiv 2401.04088, table 1")
	p.Experts = Experts{Count: 8, TopK: 2}
	return p
}

// deepseekV3 is without the module that predicts a second token.
func deepseekV3() Preset {
	p := llama(61, 7168, 18432, 128, 128, 129280, 4096, "DeepSeek-AI, arXiv 2412.19437, section 4.2")
	p.HeadSize = 128
	p.Experts = Experts{Count: 256, TopK: 8, Shared: 1, FFN: 2048, Dense: 3, RouterBias: true}
	p.Latent = Latent{Query: 1536, KeyValue: 512, Rotary: 64, Value: 128}
	return p
}

// presets: of GPT-3's table the sizes that do not multiply out (1.3B, 13B) have the heads, or the hidden size, that do.
var presets = map[string]Preset{
	"gpt3-125m": gpt3(12, 768, 12),
	"gpt3-350m": gpt3(24, 1024, 16),
	"gpt3-760m": gpt3(24, 1536, 16),
	"gpt3-1.3b": gpt3(24, 2048, 16),
	"gpt3-2.7b": gpt3(32, 2560, 32),
	"gpt3-6.7b": gpt3(32, 4096, 32),
	"gpt3-13b":  gpt3(40, 5120, 40),
	"gpt3-175b": gpt3(96, 12288, 96),

	"llama2-7b":  llama(32, 4096, 11008, 32, 32, 32000, 4096, llama2),
	"llama2-13b": llama(40, 5120, 13824, 40, 40, 32000, 4096, llama2),
	"llama2-70b": llama(80, 8192, 28672, 64, 8, 32000, 4096, llama2),

	"llama3-8b":   llama(32, 4096, 14336, 32, 8, 128256, 8192, llama3),
	"llama3-70b":  llama(80, 8192, 28672, 64, 8, 128256, 8192, llama3),
	"llama3-405b": llama(126, 16384, 53248, 128, 8, 128256, 8192, llama3),

	"mixtral-8x7b":    mixtral(),
	"qwen3-30b-a3b":   qwen3MoE(48, 2048, 32, 4, 768),
	"qwen3-235b-a22b": qwen3MoE(94, 4096, 64, 4, 1536),
	"deepseek-v3":     deepseekV3(),
}
