package nn

// Log is the natural logarithm of a positive normal number, the same bits on every processor.
func Log(x float64) float64 { return log(x) }
