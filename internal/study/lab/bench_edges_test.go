package lab

import (
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
)

// Wherever an image is shifted, its maps shift along: the last columns of one are the first of the other.
func TestMapsShiftWithTheImage(t *testing.T) {
	for kernels := range edgeKernels {
		for seed := range uint64(20) {
			image := make([]float64, 6*7)
			for i := range image {
				image[i] = float64(splitmix.Mix(seed*1000+uint64(i)) % 256)
			}
			s, err := runEdges(Args{"image": image, "rows": 6.0, "kernels": kernels, "positions": []float64{1},
				"activation": "relu"})
			if err != nil {
				t.Fatal(err)
			}
			if same, of := s.value("moved_along"), s.value("moved_of"); same != of || of == 0 {
				t.Errorf("%s, seed %d: %v of %v moved along", kernels, seed, same, of)
			}
		}
	}
}

func TestEdgesRefuse(t *testing.T) {
	six := make([]float64, 36)
	for want, a := range map[string]Args{
		"36 pixels in 5 rows, want rows of 4 to 16 pixels":     {"image": six, "rows": 5.0},
		"rows is 3, want a whole number from 4 to 16":          {"image": six, "rows": 3.0},
		"position 17, want a whole number from 1 to 16":        {"image": six, "positions": []float64{17}},
		"position 1.5, want a whole number from 1 to 16":       {"image": six, "positions": []float64{1.5}},
		`kernels "sobel", want kirsch or prewitt`:              {"image": six, "kernels": "sobel"},
		`unknown activation "bent", want identity, relu, sigm`: {"image": six, "activation": "bent"},
	} {
		refused(t, edgesBench, a, want)
	}
}

func TestCNNRefuses(t *testing.T) {
	for want, a := range map[string]Args{
		"side is 4, want a whole number from 8 to 512":           {"side": 4.0},
		`fixed "sobel", want none, kirsch or prewitt`:            {"fixed": "sobel"},
		"filters: 0.5, want whole numbers from 1 to 1024":        {"filters": []float64{0.5}},
		"hidden: -1, want whole numbers from 1 to 1048576":       {"hidden": []float64{-1}},
		"channels is 17, want a whole number from 1 to 16":       {"channels": 17.0},
		"classes is 1, want a whole number from 2 to 1000":       {"classes": 1.0},
		"a window of 2 does not fit into an image of 1x1 with p": {"side": 8.0, "filters": []float64{4, 4}},
	} {
		refused(t, cnnBench, a, want)
	}
}

// refused calls a bench with arguments, others as they are by default.
func refused(t *testing.T, b Bench, changed Args, want string) {
	t.Helper()
	a := Args{}
	for _, p := range b.Params {
		a[p.Name] = p.Default
	}
	for name, v := range changed {
		a[name] = v
	}
	if _, err := b.Run(a); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v: %v, want %s", changed, err, want)
	}
}
