// Package lz4 stands in the place of a codec that this repository never uses: go.mod has it replace
// github.com/pierrec/lz4/v4, whose module is 42 MB to download, four tenths of all.
//
// parquet-go imports the codec whether or not a table is compressed by it. Railyard writes Zstandard
// alone (internal/out/result), and its own reader (internal/out/parquet) refuses any other. So here are the
// names that parquet-go needs to compile, and each panics: to come here is our mistake.
package lz4

// CompressionLevel is how hard the codec would try.
type CompressionLevel uint32

// Levels, in the order of effort.
const (
	Fast CompressionLevel = iota
	Level1
	Level2
	Level3
	Level4
	Level5
	Level6
	Level7
	Level8
	Level9
)

const leftOut = "lz4: this build has no LZ4: tables are compressed with Zstandard"

// CompressBlockBound panics.
func CompressBlockBound(int) int { panic(leftOut) }

// Compressor compresses nothing.
type Compressor struct{}

// CompressBlock panics.
func (*Compressor) CompressBlock(_, _ []byte) (int, error) { panic(leftOut) }

// CompressorHC compresses nothing.
type CompressorHC struct{ Level CompressionLevel }

// CompressBlock panics.
func (*CompressorHC) CompressBlock(_, _ []byte) (int, error) { panic(leftOut) }

// UncompressBlock panics.
func UncompressBlock(_, _ []byte) (int, error) { panic(leftOut) }
