//go:build ignore

// Writes label_selector_of.jsonl and node_affinity.jsonl: what Kubernetes' own libraries make of selectors as objects
// have them, absent and empty ones included. Run it as truth.go, in the same module: `go run selectors.go`; it writes
// into ./data.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

var r = rand.New(rand.NewSource(20261128))

func pick(a ...string) string { return a[r.Intn(len(a))] }

var out *os.File

func row(v ...any) {
	var sb strings.Builder
	e := json.NewEncoder(&sb)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	fmt.Fprint(out, sb.String())
}

func open(n string) {
	f, err := os.Create("data/" + n + ".jsonl")
	if err != nil {
		panic(err)
	}
	out = f
}

var sets = []map[string]string{{}, {"a": ""}, {"a": "b"}, {"a": "c", "x": "y"}, {"a": "5"}, {"a": "-3", "b": "1"},
	{"nothing": "y"}, {"example.com/a": "b", "x": ""}, {"a": "+7"}, {"a": "007", "disk": "ssd"}}

func values(operator string) []string {
	n := 0
	switch operator {
	case "In", "NotIn":
		n = 1 + r.Intn(2)
	case "Gt", "Lt":
		n = 1
	}
	if r.Intn(8) == 0 {
		n = r.Intn(3)
	}
	var all []string
	for ; n > 0; n-- {
		if operator == "Gt" || operator == "Lt" {
			all = append(all, pick("3", "-4", "5", "7", "6", "0", "six", "99999999999999999999"))
		} else {
			all = append(all, pick("b", "c", "", "y", "5", "b", "a b"))
		}
	}
	return all
}

func labelSelectors() {
	open("label_selector_of")
	row(sets)
	write := func(s *metav1.LabelSelector) {
		made, err := metav1.LabelSelectorAsSelector(s)
		if err != nil {
			row(s, nil, nil, err.Error())
			return
		}
		bits := ""
		for _, set := range sets {
			if made.Matches(labels.Set(set)) {
				bits += "1"
			} else {
				bits += "0"
			}
		}
		row(s, made.String(), bits, "")
	}
	write(nil)
	write(&metav1.LabelSelector{})
	write(&metav1.LabelSelector{MatchLabels: map[string]string{}, MatchExpressions: []metav1.LabelSelectorRequirement{}})
	for i := 0; i < 120; i++ {
		s := &metav1.LabelSelector{}
		for n := r.Intn(3); n > 0; n-- {
			if s.MatchLabels == nil {
				s.MatchLabels = map[string]string{}
			}
			s.MatchLabels[pick("a", "x", "a", "example.com/a", "a", "b", "-a")] = pick("b", "", "c", "y", "5", "b", "b", "b c")
		}
		for n := r.Intn(3); n > 0; n-- {
			op := pick("In", "NotIn", "Exists", "DoesNotExist", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "in", "")
			s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
				Key: pick("a", "x", "a", "example.com/a", "a", "b", "/"), Operator: metav1.LabelSelectorOperator(op), Values: values(op)})
		}
		write(s)
	}
}

func nodeAffinities() {
	open("node_affinity")
	nodes := []v1.Node{}
	for i, s := range sets {
		n := v1.Node{}
		n.Name = fmt.Sprintf("n%d", i)
		n.Labels = s
		nodes = append(nodes, n)
	}
	row(sets)
	write := func(spec v1.PodSpec) {
		pod := &v1.Pod{Spec: spec}
		required := nodeaffinity.GetRequiredNodeAffinity(pod)
		bits := ""
		for i := range nodes {
			ok, err := required.Match(&nodes[i])
			switch {
			case err != nil:
				bits += "e"
			case ok:
				bits += "1"
			default:
				bits += "0"
			}
		}
		row(map[string]any{"nodeSelector": spec.NodeSelector, "affinity": spec.Affinity}, bits)
	}
	preferred := []v1.PreferredSchedulingTerm{{Weight: 1, Preference: v1.NodeSelectorTerm{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: "a", Operator: "Exists"}}}}}
	write(v1.PodSpec{})
	write(v1.PodSpec{NodeSelector: map[string]string{}, Affinity: &v1.Affinity{}})
	write(v1.PodSpec{Affinity: &v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}})
	write(v1.PodSpec{Affinity: &v1.Affinity{NodeAffinity: &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred}}})
	required := func(terms ...v1.NodeSelectorTerm) *v1.Affinity {
		return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms}}}
	}
	write(v1.PodSpec{Affinity: required()})
	write(v1.PodSpec{Affinity: required([]v1.NodeSelectorTerm{}...)})
	write(v1.PodSpec{Affinity: required(v1.NodeSelectorTerm{})})
	write(v1.PodSpec{Affinity: required(v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{}}, v1.NodeSelectorTerm{
		MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"n3"}}}})})
	write(v1.PodSpec{NodeSelector: map[string]string{"a": "b c"}})
	write(v1.PodSpec{NodeSelector: map[string]string{"a": ""}})
	write(v1.PodSpec{NodeSelector: map[string]string{"disk": "ssd"}, Affinity: required()})
	for i := 0; i < 200; i++ {
		spec := v1.PodSpec{}
		if r.Intn(3) == 0 {
			spec.NodeSelector = map[string]string{pick("a", "a", "x", "disk"): pick("b", "c", "", "ssd", "y", "5")}
		}
		terms := []v1.NodeSelectorTerm{}
		for t := 1 + r.Intn(3); t > 0; t-- {
			term := v1.NodeSelectorTerm{}
			for n := r.Intn(3); n > 0; n-- {
				op := pick("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gt", "Lt", "In", "NotIn", "Exists", "gt")
				term.MatchExpressions = append(term.MatchExpressions, v1.NodeSelectorRequirement{
					Key: pick("a", "x", "a", "disk", "a", "b"), Operator: v1.NodeSelectorOperator(op), Values: values(op)})
			}
			if r.Intn(3) == 0 {
				term.MatchFields = append(term.MatchFields, v1.NodeSelectorRequirement{
					Key:      pick("metadata.name", "metadata.name", "metadata.name", "metadata.namespace"),
					Operator: v1.NodeSelectorOperator(pick("In", "NotIn", "In", "NotIn", "Exists")),
					Values:   []string{"n1", "n2", "n5", ""}[r.Intn(4):][:1]})
			}
			terms = append(terms, term)
		}
		spec.Affinity = required(terms...)
		write(spec)
	}
}

func main() {
	labelSelectors()
	nodeAffinities()
}
