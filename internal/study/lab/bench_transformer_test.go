package lab

import (
	"math"
	"testing"

	"railyard/internal/learn/nn"
)

// Two words, vectors of two, a query of one number: all by the formula.
func TestAttentionIsTheFormulas(t *testing.T) {
	s := showing(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2, -1, 0.5}, "q": []float64{0.3, -0.2},
		"k": []float64{0.7, 0.1}, "v": []float64{1, 1}})
	q, k1, k2 := -0.3-0.1, 0.7+0.2, -0.7+0.05
	closeTo(t, s, "q1", q, 1e-6)
	closeTo(t, s, "score[1]", q*k1, 1e-6)
	w1, w2 := math.Exp(q*k1), math.Exp(q*k2)
	closeTo(t, s, "weight[2]", w2/(w1+w2), 1e-6)
	closeTo(t, s, "context1", (w1*3-w2*0.5)/(w1+w2), 1e-6)
	first := showing(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2, -1, 0.5}, "q": []float64{0.3, -0.2},
		"k": []float64{0.7, 0.1}, "v": []float64{1, 1}, "query": 1.0})
	closeTo(t, first, "weight[1]", 1, 0) // the first word sees itself only
	if scaled := showing(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2}, "q": []float64{1, 1, 1, 1},
		"k": []float64{1, 1, 1, 1}, "v": []float64{1, 1, 1, 1}}); math.Abs(scaled.value("sum")-math.Exp(4)-math.Exp(8)) > 1e-3 {
		t.Errorf("four numbers: scores of 8 and 16 are halved, but exponentials sum to %v", scaled.value("sum"))
	}
}

// What is counted part by part is what a model of these sizes has.
func TestGPTCountsWhatItsModelHas(t *testing.T) {
	s := showing(t, gptBench, Args{"size": 12.0, "blocks": 3.0, "heads": 2.0, "factor": 4.0, "vocabulary": 50.0, "context": 7.0})
	m, err := nn.NewGPT(nn.GPT{Vocabulary: 50, Context: 7, Size: 12, Blocks: 3, Heads: 2, Hidden: 48, Activation: nn.GELU})
	if err != nil {
		t.Fatal(err)
	}
	closeTo(t, s, "total", float64(m.Params()-50*12), 0) // its head is one of its own
}

func TestDecoderLearnsItsSentence(t *testing.T) {
	a := Args{"text": "a b a c a d", "size": 4.0, "query": 3.0}
	s := showing(t, decoderBench, a)
	closeTo(t, s, "vocabulary", 6, 0)
	closeTo(t, s, "right", 5, 0) // a is followed by b, c and d: only the positions before tell which
	closeTo(t, s, "next", s.value("label"), 0)
	sum := s.value("weight[1]") + s.value("weight[2]") + s.value("weight[3]")
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("weights of position 3 sum to %v", sum)
	}
}

func TestAddNormHasMeanZeroAndDeviationOne(t *testing.T) {
	s := showing(t, addNormBench, Args{"x": []float64{1, 5, -2}, "f": []float64{0.5, 0, 1}})
	y := []float64{s.value("y1"), s.value("y2"), s.value("y3")}
	if mean := y[0] + y[1] + y[2]; math.Abs(mean) > 1e-5 {
		t.Errorf("outputs sum to %v", mean)
	}
	if square := y[0]*y[0] + y[1]*y[1] + y[2]*y[2]; math.Abs(square-3) > 1e-3 {
		t.Errorf("squares of outputs sum to %v, want 3", square)
	}
	closeTo(t, s, "sum1", 1.5, 0)
}

func TestPositionsAndNearness(t *testing.T) {
	s := showing(t, positionBench, Args{"vector": []float64{1, 1, 1, 1}, "position": 3.0})
	closeTo(t, s, "p1", math.Sin(3), 1e-9)
	closeTo(t, s, "sum4", 1+math.Cos(3.0/100), 1e-6)
	n := showing(t, nearnessBench, Args{"words": "a b", "vectors": []float64{3, 0, 0, 4}})
	closeTo(t, n, "distance[1]", 5, 0)
	closeTo(t, n, "cosine[1]", 0, 0)
}

func TestTransformerBenchesRefuse(t *testing.T) {
	refused(t, positionBench, Args{"vector": []float64{1}}, "a vector of 1 numbers, want 2 to 64")
	refused(t, positionBench, Args{"vector": []float64{1, 2}, "position": 256.0}, "position is 256, want")
	refused(t, nearnessBench, Args{"words": "a b c", "vectors": []float64{1, 2}}, "3 words and 2 numbers, want")
	refused(t, nearnessBench, Args{"words": "a b", "vectors": []float64{0, 0, 1, 1}}, "a has no direction: its vector is 0")
	refused(t, attentionBench, Args{"words": "a"}, "1 words, want 2 to 16")
	refused(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2, 3}}, "3 numbers in x for 2 words")
	refused(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2}, "q": []float64{1}, "k": []float64{1, 2}},
		"1, 2 and 0 weights in q, k and v of vectors of 1")
	refused(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2}, "q": []float64{1}, "k": []float64{1}, "v": []float64{1, 2}},
		"1, 1 and 2 weights in q, k and v of vectors of 1")
	refused(t, attentionBench, Args{"words": "a b", "x": []float64{1, 2, 3, 4}, "q": []float64{1, 2, 3}, "k": []float64{1, 2, 3},
		"v": []float64{1, 2, 3}}, "3, 3 and 3 weights in q, k and v of vectors of 2")
	refused(t, addNormBench, Args{"x": []float64{1, 2}, "f": []float64{1}}, "2 numbers in x and 1 in f, want")
	refused(t, decoderBench, Args{"text": "a b"}, "2 words, want 3 to 24")
	refused(t, decoderBench, Args{"text": "a b c", "query": 3.0}, "query is 3, want a whole number from 1 to 2")
	refused(t, gptBench, Args{"size": 10.0, "blocks": 1.0, "heads": 3.0, "vocabulary": 9.0, "context": 4.0},
		"3 heads do not divide a size of 10")
	refused(t, gptBench, Args{"size": 0.5, "blocks": 1.0, "vocabulary": 9.0, "context": 4.0}, "size is 0.5, want")
}
