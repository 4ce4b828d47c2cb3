package scenario

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// EnglishGrammar is the grammar that comes along.
const EnglishGrammar = "english"

// What the keys of text may be.
var (
	TokenKinds = []Choice{
		{"words", "runs of letters, digits and marks, and every other character that is no space"},
		{"characters", "every character, spaces and line ends too"},
	}
	TokenOrders = []Choice{
		{"sorted", "as they sort"},
		{"first-use", "as the training text uses them first, a grammar's own words before"},
	}
	WindowStarts = []Choice{
		{"sentence", "at the first sentence that begins there or later"},
		{"anywhere", "there, within a sentence or a word's letters too"},
	}
)

// The groups of train.data, nil where they are absent.
func digits(d *Data) *Drawn    { return d.Digits }
func shapes(d *Data) *Drawn    { return d.Shapes }
func images(d *Data) *Pictures { return d.Images }
func texts(d *Data) *Corpus    { return d.Text }
func grammar(d *Data) *Grammar {
	if d.Text == nil {
		return nil
	}
	return d.Text.Grammar
}

// opens makes a group of train.data.
func opens(make func(*Data)) func(base any) {
	return func(base any) {
		if t := base.(*Job).Train; t != nil {
			make(&t.Data)
		}
	}
}

// onlyOwnText says that a field belongs to the user's text.
func onlyOwnText(j *Job) string {
	if g := grammar(&j.Train.Data); g != nil {
		return "the text is a grammar's: its windows begin where a sentence does, and its test text is drawn"
	}
	return ""
}

// drawnFields are the keys of images that are drawn when their folder is missing.
func drawnFields(name string, of func(*Data) *Drawn, train, test, side, least, most, sideMeaning string) []*Field {
	at := "train.data." + name
	return []*Field{
		{
			Path: at + ".dir", Required: true, check: checkFolder, pattern: pathPattern,
			example: "the path of a folder",
			value:   inData(of, text, func(d *Drawn) *string { return &d.Dir }),
			Meaning: "the folder; a run makes it only below the directory in which railyard runs",
			Also:    []string{"path", "folder"},
		},
		{
			Path: at + ".train", Default: train, Min: "1", Max: "1000000",
			value:   inData(of, whole, func(d *Drawn) *int { return &d.Train }),
			Meaning: "training images",
		},
		{
			Path: at + ".test", Default: test, Min: "1", Max: "1000000",
			value:   inData(of, whole, func(d *Drawn) *int { return &d.Test }),
			Meaning: "test images",
		},
		{
			Path: at + ".seed", Default: "1",
			value:   inData(of, seed, func(d *Drawn) *uint64 { return &d.Seed }),
			Meaning: "which " + name + " are drawn",
		},
		{
			Path: at + ".side", Default: side, Min: least, Max: most,
			value:   inData(of, whole, func(d *Drawn) *int { return &d.Side }),
			Meaning: sideMeaning,
		},
	}
}

// dataFields: what a training learns from.
var dataFields = slices.Concat(
	[]*Field{
		{
			Path: "train.data", Required: true, check: checkFolder, pattern: pathPattern,
			example: "the path of a folder of IDX files, or keys: digits: {dir: PATH}",
			value:   inTrain(text, func(t *Train) *string { return &t.Data.Path }),
			Meaning: "folder of IDX files with the standard MNIST names, grey or in colour, or one of these keys",
			Also:    []string{"dataset"},
		},
		{
			Path:    "train.data.digits",
			open:    opens(func(d *Data) { d.Digits = &Drawn{} }),
			Meaning: "handwritten-looking digits, drawn when the folder is missing",
		},
	},
	drawnFields("digits", digits, "60000", "10000", "28", "28", "64",
		"pixels on a side of an image; what is more than 28 is black, on all sides"),
	[]*Field{{
		Path:    "train.data.shapes",
		open:    opens(func(d *Data) { d.Shapes = &Drawn{} }),
		Meaning: "ten kinds of shapes in colour, drawn when the folder is missing",
	}},
	drawnFields("shapes", shapes, "2000", "500", "96", "16", "256", "pixels on a side of an image, of three channels"),
	pictureFields, textFields, grammarFields,
)

// pictureFields: the user's pictures.
var pictureFields = []*Field{
	{
		Path:    "train.data.images",
		open:    opens(func(d *Data) { d.Images = &Pictures{} }),
		Meaning: "pictures (PNG, PGM, PPM) in folders: train/CLASS/FILE and test/CLASS/FILE",
		Also:    []string{"pictures", "imagefolder"},
	},
	{
		Path: "train.data.images.dir", Required: true, check: checkFolder, pattern: pathPattern,
		example: "the path of a folder",
		value:   inData(images, text, func(p *Pictures) *string { return &p.Dir }),
		Meaning: "the folder that holds train and test; classes are numbered as their names sort",
		Also:    []string{"path", "folder"},
	},
	{
		Path: "train.data.images.colour", Default: "true",
		value:   inData(images, boolean, func(p *Pictures) *bool { return &p.Colour }),
		Meaning: "three channels, which are alike in a grey picture; false: one, and every picture must be grey",
		Also:    []string{"color", "rgb", "channels"},
	},
	{
		Path: "train.data.images.side", Default: "none", Word: "none", Min: "1", Max: "1024",
		value:   inData(images, opt(whole), func(p *Pictures) *Opt[int] { return &p.Side }),
		Meaning: "scale each picture to so many rows and columns; none: all must have one size, and keep it",
		Also:    []string{"size", "resize", "scale"},
	},
}

// textFields: text, and how it is cut.
var textFields = []*Field{
	{
		Path:    "train.data.text",
		open:    opens(func(d *Data) { d.Text = &Corpus{} }),
		Meaning: "text, your own or a grammar's; token 0 is padding, 1 is what the vocabulary does not have",
		Also:    []string{"corpus"},
	},
	{
		Path: "train.data.text.path", Default: "none", Word: "none", check: checkFile, pattern: pathPattern,
		example: "the path of a file, or of a folder",
		value:   inData(texts, opt(text), func(t *Corpus) *Opt[string] { return &t.Path }),
		Meaning: "a file of UTF-8 text, or a folder: its files that end in .txt, as their names sort",
		Also:    []string{"file", "files", "dir"},
	},
	{
		Path: "train.data.text.tokens", Default: "words", Choices: TokenKinds,
		value:   inData(texts, choice, func(t *Corpus) *string { return &t.Tokens }),
		Meaning: "what a token is",
		Also:    []string{"by", "unit", "level"},
	},
	{
		Path: "train.data.text.fold", Default: "false",
		value:   inData(texts, boolean, func(t *Corpus) *bool { return &t.Fold }),
		Meaning: "turn the text to lower case first",
		Also:    []string{"lowercase", "lower"},
	},
	{
		Path: "train.data.text.vocabulary", Default: "256", Min: "3", Max: "1000000",
		value: inData(texts, whole, func(t *Corpus) *int { return &t.Vocabulary }),
		Meaning: "tokens that the network knows, 0 and 1 among them: the most frequent of the training text; it may have " +
			"fewer",
		Source: "assumed", Also: []string{"vocab", "vocab_size", "vocabulary_size"},
	},
	{
		Path: "train.data.text.min_count", Default: "1", Min: "1", Max: "1000000",
		value:   inData(texts, whole, func(t *Corpus) *int { return &t.MinCount }),
		Meaning: "what comes less often in the training text is unknown",
		Also:    []string{"min_freq", "min_frequency"},
	},
	{
		Path: "train.data.text.order", Default: "sorted", Choices: TokenOrders,
		value:   inData(texts, choice, func(t *Corpus) *string { return &t.Order }),
		Meaning: "how tokens are numbered, from 2",
	},
	{
		Path: "train.data.text.window", Default: "64", Min: "1", Max: "65536",
		value:   inData(texts, whole, func(t *Corpus) *int { return &t.Window }),
		Meaning: "tokens of an example; the label of each is the token after it. What is left of a text is padded",
		Source:  "assumed", Also: []string{"context", "length", "block_size", "sequence"},
	},
	{
		Path: "train.data.text.stride", Default: "window", Word: "window", Min: "1", Max: "65536",
		value:   inData(texts, opt(whole), func(t *Corpus) *Opt[int] { return &t.Stride }),
		Meaning: "tokens from where a window begins to where the next may; window: as long as one",
		Also:    []string{"step"},
	},
	{
		Path: "train.data.text.start", Default: "sentence", Choices: WindowStarts, applies: where(onlyOwnText),
		value:   inData(texts, choice, func(t *Corpus) *string { return &t.Start }),
		Meaning: "where a window begins, from there on",
	},
	{
		Path: "train.data.text.test", Default: "10%", Word: "none", Min: "0.001", Max: "0.9", applies: where(onlyOwnText),
		value:   inData(texts, opt(ratio), func(t *Corpus) *Opt[unit.Ratio] { return &t.Test }),
		Meaning: "how much of each file's end is to test with; none: the test text is that to train on",
		Source:  "assumed", Also: []string{"split", "held_out", "validation"},
	},
}

// grammarFields: text that a grammar draws.
var grammarFields = []*Field{
	{
		Path: "train.data.text.grammar",
		open: opens(func(d *Data) {
			if d.Text != nil {
				d.Text.Grammar = &Grammar{}
			}
		}),
		Meaning: "sentences that are drawn from a grammar: how well they can be predicted at best is known",
	},
	{
		Path: "train.data.text.grammar.file", Default: EnglishGrammar, check: checkFile, pattern: pathPattern,
		value:   inData(grammar, text, func(g *Grammar) *string { return &g.File }),
		Meaning: "a file of rules such as Sentence -> the Noun sleeps .; english: the one that comes along",
		Also:    []string{"path", "rules"},
	},
	{
		Path: "train.data.text.grammar.train", Default: "20000", Min: "1", Max: "1000000",
		value:   inData(grammar, whole, func(g *Grammar) *int { return &g.Train }),
		Meaning: "sentences to train on",
	},
	{
		Path: "train.data.text.grammar.test", Default: "2000", Min: "1", Max: "1000000",
		value:   inData(grammar, whole, func(g *Grammar) *int { return &g.Test }),
		Meaning: "sentences to test with",
	},
	{
		Path: "train.data.text.grammar.seed", Default: "1",
		value:   inData(grammar, seed, func(g *Grammar) *uint64 { return &g.Seed }),
		Meaning: "which sentences are drawn",
	},
}

// dataGroups are the groups of train.data that are given, in the order of the table.
func (d *decoder) dataGroups(path string) (given []string) {
	for _, name := range []string{"digits", "shapes", "images", "text"} {
		if d.keys[path+"."+name].line != 0 {
			given = append(given, name)
		}
	}
	return given
}

// checkData reports data that are given twice, or text that is nobody's.
func (d *decoder) checkData(j *Job) {
	at := j.Path() + ".train.data"
	if given := d.dataGroups(at); len(given) > 1 {
		d.at(at, d.keys[at+"."+given[1]], fmt.Sprintf("both %s and %s, want exactly one", given[0], given[1]), "")
		return
	}
	t := j.Train
	if t == nil || t.Data.Text == nil || !d.ok(at+".text.path", at+".text.grammar") {
		return
	}
	at += ".text"
	switch own, drawn := t.Data.Text.Path.Set, t.Data.Text.Grammar != nil; {
	case own && drawn:
		d.at(at, d.keys[at+".grammar"], "both path and grammar, want exactly one", "")
	case !own && !drawn:
		d.problem(at, "neither path nor grammar, want exactly one", "grammar: {} draws sentences of the grammar that comes along")
	}
}
