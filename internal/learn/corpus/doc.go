// Package corpus turns text into what a network learns from: tokens, a vocabulary, windows. It also
// writes text of its own, from a small grammar whose sentences are drawn, and says how well that
// text can be predicted at best.
//
//	texts ──Sentences──> pieces ──Vocabulary──> tokens ──> Windows (inputs, labels)
//	grammar ──Sentence(seed, i)──┘                 └──Entropy──> nats per token
//
// A piece is a character or a word. Token 0 is padding, 1 is any piece that is not known, and the
// pieces of the vocabulary count from 2, sorted or in order of first use:
//
//	0 1 2 3 4 5
//	  ? a e l y      "alley" is 2 4 4 3 5
//
// A window is T tokens and, as labels, the token after each; it never crosses two files. What is
// left at the end of a text is a window that is filled up with padding, whose labels are -1.
//
//	tokens  2 4 4 3 5        T = 3, stride 3:  inputs 2 4 4   labels 4 4 3
//	                                                  3 0 0          5 -1 -1
//
// The entropy of a generated text is the mean of -log p over the labels of its windows, where p is
// what the grammar gives the label after the tokens of the window before it. Windows of such a
// text begin where a sentence does, and sentences are drawn apart, so nothing before a window
// would help: no network can have a lower loss on the text but by luck. The p are exact: a filter
// keeps every way to read the sentence so far with its probability (the prefix probabilities of
// Jelinek, Lafferty, Computational Linguistics 17 (1991), by expanding the leftmost symbol).
//
// Invariants:
//   - the same texts and choices give the same tokens; a drawn sentence depends on (seed, split,
//     index) alone;
//   - every token but 0 and 1 turns back into its piece;
//   - probabilities of what may follow a text of the grammar sum to 1.
//
// It reads no files and knows no network.
package corpus
