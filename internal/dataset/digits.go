package dataset

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Digits names a generated set: Train and Test images in the folder Dir, drawn
// from Seed.
type Digits struct {
	Dir         string
	Train, Test int // images, 1 to MaxImages each
	Seed        uint64
	Side        int // pixels, 0 for Side: more are black, on all sides of the drawing
}

// MaxImages bounds each of Train and Test, MaxSide the pixels on a side.
const (
	MaxImages = 1_000_000
	MaxSide   = 64
)

// side is how many pixels each image has on a side.
func (d Digits) side() int { return cmp.Or(d.Side, Side) }

// Splits: part of an image's identity, so that test images are not training
// images of the same index.
const (
	splitTrain = iota
	splitTest
)

// chunk is how many images a worker draws between two looks at the context.
const chunk = 128

func (d Digits) check() error {
	for _, c := range []struct {
		name string
		n    int
	}{{"train", d.Train}, {"test", d.Test}} {
		if c.n < 1 || c.n > MaxImages {
			return fmt.Errorf("digits: %s is %d images, want 1 to %d", c.name, c.n, MaxImages)
		}
	}
	if s := d.side(); s < Side || s > MaxSide {
		return fmt.Errorf("digits: side is %d pixels, want %d to %d", s, Side, MaxSide)
	}
	return nil
}

// Make draws the set in memory, on all cores. Progress, if not nil, is called
// from this goroutine with the number of images drawn so far, first 0 and last
// the total. A cancelled context ends it with the context's error.
func (d Digits) Make(ctx context.Context, progress func(done, total int)) (*Set, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	set := &Set{Train: blank(d.Train, d.side()), Test: blank(d.Test, d.side())}
	total := d.Train + d.Test
	progress(0, total)
	drawn := make(chan int)
	var next atomic.Int64 // the first image that no worker has taken
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var p pen
			for ctx.Err() == nil {
				lo := int(next.Add(chunk)) - chunk
				if lo >= total {
					return
				}
				hi := min(lo+chunk, total)
				for i := lo; i < hi; i++ {
					d.image(&p, set, i)
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

func blank(n, side int) Images {
	return Images{N: n, Rows: side, Cols: side, Pixels: make([]byte, n*side*side), Labels: make([]byte, n)}
}

// image draws the i-th image of the set, training images first, in the middle of its frame.
func (d Digits) image(p *pen, set *Set, i int) {
	im, split := &set.Train, uint64(splitTrain)
	if i >= d.Train {
		im, split, i = &set.Test, splitTest, i-d.Train
	}
	var drawn [Side * Side]byte
	im.Labels[i] = p.draw(drawn[:], newStream(d.Seed, split, uint64(i)))
	side := d.side()
	frame := (side - Side) / 2
	for row := range Side {
		at := (i*side+frame+row)*side + frame
		copy(im.Pixels[at:at+Side], drawn[row*Side:])
	}
}
