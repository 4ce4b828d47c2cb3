package workload

import "railyard/internal/base/unit"

// DefaultBucket is PyTorch's bucket_cap_mb: 25 MB.
const DefaultBucket = 25 * unit.Megabyte

// BucketPerLayer as a cap closes a bucket after every layer.
const BucketPerLayer = 1 * unit.Byte

// bucket is a run of layers whose gradients travel together.
type bucket struct {
	first, last   int   // layers from 0, first <= last
	offset, elems int64 // range of the flat gradient vector
	own           bool  // of experts that only some replicas have
}

// buckets groups the layers, from the last to the first, into ranges of the flat
// gradient vector, of a format, of at least cap bytes each; the last range may be smaller.
func buckets(layers []part, limit unit.Bytes, f Format) []bucket {
	if limit == 0 {
		limit = DefaultBucket
	}
	var end int64
	for _, l := range layers {
		end += l.Params
	}
	var all []bucket
	open := bucket{last: len(layers) - 1}
	for l := len(layers) - 1; l >= 0; l-- {
		if own := layers[l].Own.Elems; own > 0 { // the last of the layer's
			if open.elems > 0 {
				open.first, open.offset = l+1, end-open.elems
				all = append(all, open)
				end, open = open.offset, bucket{last: l}
			}
			all = append(all, bucket{first: l, last: l, offset: end - own, elems: own, own: true})
			end -= own
			open.elems -= own
		}
		open.elems += layers[l].Params
		if unit.Bytes(open.elems*f.Bytes()) >= limit || l == 0 && open.elems > 0 {
			open.first, open.offset = l, end-open.elems
			all = append(all, open)
			end, open = open.offset, bucket{last: l - 1}
		}
	}
	all[len(all)-1].first = 0 // with layers before it that have no parameters
	return all
}
