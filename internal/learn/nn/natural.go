package nn

// Log is the natural logarithm of a positive normal number, the same bits on every processor.
func Log(x float64) float64 { return log(x) }

// Exp is e^x, the same bits on every processor; 0 below -708, infinite above 709.
func Exp(x float64) float64 { return exp(x) }
