package nn

// Ignored is a label that counts for nothing: of padding.
const Ignored int32 = -1

// Examples is what a model is trained on, or tested on. They only get read, from several goroutines.
type Examples interface {
	Len() int     // how many there are, numbered from 0
	Width() int   // elements of an example's input
	Targets() int // labels of an example: 1 of an image, one for each position of a text
	Classes() int // each label is from 0 to below it, or Ignored

	// ReadInputs fills x with the inputs of rows, one after the other, ReadLabels to with their labels.
	ReadInputs(x []float32, rows []int)
	ReadLabels(to []int32, rows []int)
}
