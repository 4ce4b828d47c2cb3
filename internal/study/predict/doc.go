// Package predict says what a trained network makes of images, and how it continues texts.
//
//	weights of a run -> run.Resume -> NetworkOf -> Network
//	  image  -> Picture  -> Predictions.Add   a score for each class, by the kernel that trained
//	  prompt -> Continue -> Continuation      tokens drawn one by one from what the network gives the vocabulary
//
// It takes no network apart: run builds it of what a file of weights says of itself.
//
// Invariant: the same weights, prompt and seed give the same text on every machine; padding and the unknown token are never
// drawn.
package predict
