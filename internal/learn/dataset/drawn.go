package dataset

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Drawn names a generated set: Train and Test images in the folder Dir, drawn
// from Seed.
type Drawn struct {
	Kind        Kind
	Dir         string
	Train, Test int // images, 1 to MaxImages each
	Seed        uint64
	Side        int // pixels, 0 for what the kind has
}

// Kind is what is drawn.
type Kind int

// What there is to draw, ten classes each.
const (
	Digits Kind = iota // 0 to 9 as if by hand, grey
	Shapes             // a disc, a ring, a square and so on, in colour
)

// MaxImages bounds each of Train and Test.
const MaxImages = 1_000_000

// A kind is all that differs between kinds.
type kind struct {
	name        string
	generation  int // changes whenever the same parameters would give other bytes
	channels    int
	side        int // pixels, if nobody says how many
	least, most int
	painter     func(side int) painter
}

// A painter draws images one after the other; it is what a worker keeps to itself.
type painter interface {
	// paint fills one image and returns its label.
	paint(image []byte, s stream) (label byte)
	label() uint64 // of its streams: apart from other users of the seed
}

var kinds = [...]kind{
	Digits: {name: "digits", generation: 1, channels: Grey, side: Side, least: Side, most: 64,
		painter: func(side int) painter { return &framed{side: side} }},
	Shapes: {name: "shapes", generation: 1, channels: Colour, side: 96, least: 16, most: 256,
		painter: func(side int) painter { return &canvas{side: side} }},
}

// KindNamed is the kind with a name that there is.
func KindNamed(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	panic("dataset: nobody draws " + name)
}

func (k Kind) String() string { return kinds[k].name }

func (d Drawn) kind() *kind { return &kinds[d.Kind] }

// side is how many pixels each image has on a side.
func (d Drawn) side() int { return cmp.Or(d.Side, d.kind().side) }

// Size is how many images the set has, and how large they are.
func (d Drawn) Size() Size {
	return Size{Train: d.Train, Test: d.Test, Channels: d.kind().channels, Rows: d.side(), Cols: d.side()}
}

// Splits: part of an image's identity, so that test images are not training
// images of the same index.
const (
	splitTrain = iota
	splitTest
)

// chunk is how many images a worker draws between two looks at the context.
const chunk = 128

// Check reports numbers out of bounds.
func (d Drawn) Check() error {
	k, side := d.kind(), d.side()
	if side < k.least || side > k.most {
		return fmt.Errorf("%s: side is %d pixels, want %d to %d", k.name, side, k.least, k.most)
	}
	most := min(MaxImages, maxBytes/(k.channels*side*side))
	for _, c := range []struct {
		name string
		n    int
	}{{"train", d.Train}, {"test", d.Test}} {
		if c.n < 1 || c.n > most {
			return fmt.Errorf("%s: %s is %d images, want 1 to %d of %dx%d pixels", k.name, c.name, c.n, most, side, side)
		}
	}
	return nil
}

// Make draws the set in memory, on all cores. Progress, if not nil, is called
// from this goroutine with the number of images drawn so far, first 0 and last
// the total. A cancelled context ends it with the context's error.
func (d Drawn) Make(ctx context.Context, progress func(done, total int)) (*Set, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	set := &Set{Train: d.Size().images(d.Train), Test: d.Size().images(d.Test)}
	total := d.Train + d.Test
	progress(0, total)
	drawn := make(chan int)
	var next atomic.Int64 // the first image that no worker has taken
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			p := d.kind().painter(d.side())
			for ctx.Err() == nil {
				lo := int(next.Add(chunk)) - chunk
				if lo >= total {
					return
				}
				hi := min(lo+chunk, total)
				for i := lo; i < hi; i++ {
					d.image(p, set, i)
				}
				drawn <- hi - lo
			}
		})
	}
	go func() {
		workers.Wait()
		close(drawn)
	}()
	done := 0
	for n := range drawn {
		done += n
		progress(done, total)
	}
	if done < total {
		return nil, ctx.Err()
	}
	return set, nil
}

// image draws the i-th image of the set, training images first.
func (d Drawn) image(p painter, set *Set, i int) {
	im, split := &set.Train, uint64(splitTrain)
	if i >= d.Train {
		im, split, i = &set.Test, splitTest, i-d.Train
	}
	size := im.Width()
	im.Labels[i] = p.paint(im.Pixels[i*size:(i+1)*size], newStream(p.label(), d.Seed, split, uint64(i)))
}

// framed draws digits in the middle of a black frame.
type framed struct {
	pen
	side  int
	drawn [Side * Side]byte
}

func (f *framed) paint(image []byte, s stream) (label byte) {
	label = f.draw(f.drawn[:], s)
	frame := (f.side - Side) / 2
	for row := range Side {
		at := (frame+row)*f.side + frame
		copy(image[at:at+Side], f.drawn[row*Side:])
	}
	return label
}

func (f *framed) label() uint64 { return 0x6469676974730000 } // "digits\0\0"
