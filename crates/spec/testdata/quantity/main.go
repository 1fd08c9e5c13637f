// Writes down what Kubernetes makes of quantities, as facts to test against.
//
// quantities.tsv: a text, a tab, its value in billionths and its canonical form, or `!` for a
// refusal. Run `go run .` in this folder after adding lines; only the answers are written anew.
package main

import (
	"os"
	"strings"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
)

func answer(text string) string {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return "!"
	}
	nanos := new(inf.Dec).Mul(quantity.AsDec(), inf.NewDec(1_000_000_000, 0))
	nanos.Round(nanos, 0, inf.RoundUp)
	// A copy without the original text shows the canonical form.
	canonical := quantity.DeepCopy()
	canonical.Add(resource.Quantity{})
	return nanos.String() + "\t" + canonical.String()
}

func main() {
	data, err := os.ReadFile("quantities.tsv")
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		text, _, _ := strings.Cut(line, "\t")
		out.WriteString(text + "\t" + answer(text) + "\n")
	}
	if err := os.WriteFile("quantities.tsv", []byte(out.String()), 0o644); err != nil {
		panic(err)
	}
}
