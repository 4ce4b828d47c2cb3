// Package scenariotest draws scenario files for tests, and reads those that the tests of scenario
// keep. What reads files is tested on the same ones as what describes them to editors.
package scenariotest
