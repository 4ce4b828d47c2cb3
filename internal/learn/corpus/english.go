package corpus

import _ "embed"

// EnglishName stands for the grammar that comes along.
const EnglishName = "english"

//go:embed english.grammar
var englishText []byte

// English returns the grammar that comes along.
func English() *Grammar {
	g, err := ReadGrammar(EnglishName+".grammar", englishText)
	if err != nil {
		panic(err)
	}
	return g
}
