// Writes down how the YAML reader inside kubectl reads things, as facts to test against.
//
// scalars.tsv: a scalar, a tab, and what `k: SCALAR` becomes in JSON.
// keys.tsv: a scalar, a tab, and what `SCALAR: v` becomes.
// documents.txt: documents and their JSON.
// `!` stands for a refusal. Run `go run .` in this folder after adding lines; only the answers
// are written anew.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func answer(text string) string {
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return "!"
	}
	decoder := json.NewDecoder(bytes.NewReader(converted))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

func table(path string, document func(string) string) {
	var out strings.Builder
	for _, line := range lines(path) {
		scalar, _, _ := strings.Cut(line, "\t")
		out.WriteString(scalar + "\t" + answer(document(scalar)) + "\n")
	}
	write(path, out.String())
}

func documents(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	for _, part := range strings.Split(strings.TrimSuffix(string(data), "====\n"), "====\n") {
		document, _, _ := strings.Cut(part, "----\n")
		out.WriteString(document + "----\n" + answer(document) + "\n====\n")
	}
	write(path, out.String())
}

func lines(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func write(path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		panic(err)
	}
}

func main() {
	table("scalars.tsv", func(scalar string) string { return "k: " + scalar + "\n" })
	table("keys.tsv", func(scalar string) string { return scalar + ": v\n" })
	documents("documents.txt")
}
