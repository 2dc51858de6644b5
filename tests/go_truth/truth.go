//go:build ignore

// Writes the tables of this folder: what Kubernetes' own libraries answer. Run it in a module that requires
// k8s.io/apimachinery, k8s.io/api and k8s.io/component-helpers v0.36.3: `go run truth.go`; it writes into ./data, from
// where the tables are moved here.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

var r = rand.New(rand.NewSource(20260536))

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
func digits(n int) string {
	s := ""
	for i := 0; i < n; i++ {
		s += string(rune('0' + r.Intn(10)))
	}
	return s
}

var suffixes = []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-3", "e0", "e+6", "e7", "E9", "e-9", "e-12", "e21", "E30"}

func num() string {
	s := pick("", "", "", "-", "+")
	switch r.Intn(7) {
	case 0:
		s += digits(1 + r.Intn(3))
	case 1:
		s += digits(1+r.Intn(3)) + "." + digits(r.Intn(4))
	case 2:
		s += "." + digits(1+r.Intn(12))
	case 3:
		s += digits(1 + r.Intn(22))
	case 4:
		s += digits(1+r.Intn(20)) + "." + digits(r.Intn(20))
	case 5:
		s += digits(1+r.Intn(4)) + strings.Repeat("0", r.Intn(8))
	case 6:
		s += pick("1", "2", "4", "8", "16", "512", "1024", "1536", "2048", "1048576", "9223372036854775807", "9223372036854775808", "9223372036854775806", "1000", "1000000")
	}
	return s
}
func safe(f func() any) (v any) {
	defer func() {
		if e := recover(); e != nil {
			v = nil
		}
	}()
	return f()
}
func canon(q resource.Quantity) string {
	// String() reuses the text that was read; adding 0 drops it.
	q.Neg()
	q.Neg()
	return q.String()
}
func q1(s string) {
	q, err := resource.ParseQuantity(s)
	if err != nil {
		row(s, nil, err.Error())
		return
	}
	c := canon(q)
	// [text, canonical, format, sign, value, milli, approx, slow, as_int64, negated, rounded up to 0]
	n := q.DeepCopy()
	n.Neg()
	u := q.DeepCopy()
	u.RoundUp(0)
	qq := q.DeepCopy()
	i, ok := qq.AsInt64()
	_ = i
	a, b := q.DeepCopy(), q.DeepCopy()
	row(s, c, string(q.Format), q.Sign(), fmt.Sprint(q.Value()), fmt.Sprint(q.MilliValue()), fmt.Sprint(a.AsApproximateFloat64()), fmt.Sprint(b.AsFloat64Slow()), ok, n.String(), u.String(), q.String())
}
func quantities() {
	open("quantity_parse")
	for _, s := range []string{"", "0", "+", "-", ".", "+.", "-.5", "1.", "1.G", ".5", "0.0", "00", "-0", "+0", "0k", "0Ki", "0e5", "000k", "1", "1.5", "1.5Gi", "1500m", "0.1m", "0.5n", "1n", "0.1n", "-0.1n", "1e", "1E", "1Ee", "1e3", "1E3", "1e-3", "1e+3", "1e3.5", "1e 3", " 1", "1 ", "1 k", "k", "Ki", "1K", "1mi", "1ki", "1kI", "1i", "1nn", "1e5k", "1+5", "1-5", "1..5", "1.5.5", "--1", "+-1", "1e+-3", "1e-+3", "1e++3", "1e--3", "1a", "0x10", "1_000", "1,5", "１", "1e9223372036854775808", "1e99", "1e-99", "-1e-99", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "99999999999999999999", "99999999999999999999Ki", "-99999999999999999999Ki", "7Ei", "8Ei", "-8Ei", "9E", "10E", "1000E", "1024Ei", "0.5Ki", "0.1Ki", "1.1Ki", "0.001Ki", "0.0009765625Ki", "0.00000000001Ki", "1023", "1023Ki", "1024Ki", "1024", "1025Ki", "100Ki", "0.5", "100000", "10000000000000000000000", "123456789012345678901234567890", "1.000000000001", "1.0000000001k", "12345.6789012345M", "999999999999999999.9", "9999999999999999999999999999.999999999999999", "1e18", "1e19", "1e20", "1e21", "0.000000001", "0.0000000001", "-0.0000000001", "1.0000000001Ki", "4.0Ki", "3.5Ei", "1Ki1", "1m1", "1e1e1", "1E1", "1.5e1", "-1.5E-2", "1e-10", "5e-10", "1u", "1000000000n", "1000n", "1001n", "512Mi", "0.5Mi", "1.5Ki", "1e000003", "1e-0", "12e6", "1200e4"} {
		q1(s)
	}
	for i := 0; i < 420; i++ {
		q1(num() + suffixes[r.Intn(len(suffixes))])
	}
	// near misses
	for i := 0; i < 60; i++ {
		s := []byte(num() + suffixes[r.Intn(len(suffixes))])
		for k := 0; k <= r.Intn(2); k++ {
			s[r.Intn(len(s))] = "0123456789eEinumkKMGTP+-. x"[r.Intn(27)]
		}
		q1(string(s))
	}
	open("quantity_pairs")
	// [a, b, compare, a+b, a-b, format of the sum]
	some := []string{"0", "0Ki", "1", "1m", "1n", "1Ki", "1Gi", "500m", "9223372036854775807", "-9223372036854775808", "9223372036854775807m", "7Ei", "1e3", "1e20", "-1", "-1Ki", "1.5Gi", "100M", "0.1n", "8Ei", "1e18", "1000", "1024", "-500m", "9E"}
	pair := func(a, b string) {
		x, e1 := resource.ParseQuantity(a)
		y, e2 := resource.ParseQuantity(b)
		if e1 != nil || e2 != nil {
			return
		}
		p, m := x.DeepCopy(), x.DeepCopy()
		p.Add(y.DeepCopy())
		m.Sub(y.DeepCopy())
		xx, yy := x.DeepCopy(), y.DeepCopy()
		c := xx.Cmp(yy)
		k := int64(r.Intn(2001) - 1000)
		mu := x.DeepCopy()
		mu.Mul(k)
		row(a, b, c, p.String(), m.String(), string(p.Format), string(m.Format), k, mu.String())
	}
	for _, a := range some {
		for _, b := range some {
			if r.Intn(3) == 0 {
				pair(a, b)
			}
		}
	}
	for i := 0; i < 250; i++ {
		pair(num()+suffixes[r.Intn(len(suffixes))], num()+suffixes[r.Intn(len(suffixes))])
	}
	for i := 0; i < 60; i++ { // the same amount in two notations
		n := digits(1 + r.Intn(3))
		pair(n+"000"+pick("", "k", "M", "m"), n+pick("k", "M", "G", "", "e3", "e6"))
	}
}

func selectors() {
	open("label_selector")
	// [text, printed or null, error, [labels, matches]…]
	sets := []labels.Set{{}, {"a": ""}, {"a": "b"}, {"a": "c", "x": "y"}, {"a": "5"}, {"a": "-3", "b": "1"}, {"x": "y", "in": "notin"}, {"example.com/a": "b", "notin": ""}, {"a": "+7"}, {"a": "007"}}
	one := func(s string) {
		sel, err := labels.Parse(s)
		if err != nil {
			row(s, nil, err.Error())
			return
		}
		bits := ""
		for _, set := range sets {
			if sel.Matches(set) {
				bits += "1"
			} else {
				bits += "0"
			}
		}
		row(s, sel.String(), bits)
	}
	row(sets)
	for _, s := range []string{"", " ", ",", "a,", ",a", "a,,b", "a", "!a", "! a", "!!a", "!", "a=b", "a==b", "a===b", "a=!b", "a!b", "a!=b", "a! =b", "a= b", "a =b", "a = b ", "a=", "a==", "a!=", "a=,x=y", "a>", "a>3", "a<3", "a>-5", "a>b", "a>=3", "a=>3", "a<>3", "a>+3", "a>003", "a>9223372036854775807", "a>9223372036854775808", "a in (b)", "a in(b)", "a in b", "a in", "a in (", "a in (b", "a in ()", "a notin ()", "a in (,)", "a in (,b)", "a in (b,)", "a in (b,,c)", "a in (,,)", "a in (b c)", "a in (b;c)", "a in (b),x", "a in (b) x", "a notin (c, b , d)", "a NotIn (b)", "in in (in)", "in", "notin", "in=notin", "in notin (notin)", "!in", "!a=b", "!a in (b)", "!a,x", "a (b)", "(a)", "a)", "a b", "a=b c", "a=b=c", "a=(b)", "a=b,a=c", "b=1,a=2", "x=y,a,!z", "example.com/a=b", "example.com/=b", "/a=b", "Example.com/a=b", "a/b/c=d", "-a=b", "a-=b", "a.=b", "a=-b", "a=b-", "a=b/c", "a=b.c_d-e", "a=\x01", strings.Repeat("a", 63), strings.Repeat("a", 64), "a=" + strings.Repeat("b", 63), "a=" + strings.Repeat("b", 64), strings.Repeat("a", 253) + "/a", strings.Repeat("a", 254) + "/a", "a\t=\nb\r", "ä=b", "a=ä", "a,a", "a in (a,a)", "a in (b,c", "a in (b,!c)", "a in (b=c)", "a!=b,!=c", "a=,", "a,b in (c,d),e notin (f),!g,h=i,j==k,l!=m,n>1,o<2"} {
		one(s)
	}
	toks := []string{"a", "b", "x", "in", "notin", "=", "==", "!=", "!", "(", ")", ",", ",", ">", "<", " ", " ", "3", "-5", "y", "example.com/a", "", "b", "a", "a=b", "a in (b,c)", "!a", "x notin (y)", "a!=b", ","}
	for i := 0; i < 420; i++ {
		s := ""
		for k := 0; k < 1+r.Intn(8); k++ {
			s += toks[r.Intn(len(toks))]
		}
		one(s)
	}
	open("field_selector")
	fsets := []fields.Set{{}, {"metadata.name": "x"}, {"metadata.name": "x,y", "spec.nodeName": "n"}, {"metadata.name": "a=b", "status.phase": ""}, {"metadata.name": "\\"}}
	row(fsets)
	onef := func(s string) {
		sel, err := fields.ParseSelector(s)
		if err != nil {
			row(s, nil, err.Error())
			return
		}
		bits := ""
		for _, set := range fsets {
			if sel.Matches(set) {
				bits += "1"
			} else {
				bits += "0"
			}
		}
		row(s, sel.String(), bits)
	}
	for _, s := range []string{"", ",", "metadata.name=x", "metadata.name==x", "metadata.name!=x", "metadata.name=", "metadata.name", "=x", "!=x", "==", "=", "a=b=c", "a===b", "a=!b", "a!b", "a!=!b", "metadata.name=x\\,y", "metadata.name=a\\=b", "metadata.name=\\\\", "metadata.name=\\", "metadata.name=\\x", "metadata.name=x,spec.nodeName=n", "spec.nodeName!=n,metadata.name=x", "a=1,,b=2", " a=b", "a= b", "a\\=b=c", "a\\,b=c", "a=b,", "a!==b", "a=b!=c", "\\", "\\,", "a=ä,b=\\ä", "b=1,a=2,a!=3", "a,b", "a=b\\,c\\=d\\\\e"} {
		onef(s)
	}
	ft := []string{"metadata.name", "a", "=", "==", "!=", ",", "x", "\\", "\\,", "\\=", "\\\\", "!", "spec.nodeName", "n", " ", "a=b", ",a!=b"}
	for i := 0; i < 200; i++ {
		s := ""
		for k := 0; k < 1+r.Intn(6); k++ {
			s += ft[r.Intn(len(ft))]
		}
		onef(s)
	}
	open("label_selector_object")
	// [selector as JSON, printed or null, error or bits]: metav1.LabelSelector
	row(sets)
	for i := 0; i < 120; i++ {
		ls := metav1.LabelSelector{}
		if r.Intn(2) == 0 {
			ls.MatchLabels = map[string]string{}
			for k := 0; k < r.Intn(3); k++ {
				ls.MatchLabels[pick("a", "x", "b", "example.com/a", "-bad")] = pick("b", "y", "", "c", "bad value")
			}
		}
		for k := 0; k < r.Intn(3); k++ {
			e := metav1.LabelSelectorRequirement{Key: pick("a", "x", "in", "b", "a", "a", "/"), Operator: metav1.LabelSelectorOperator(pick("In", "NotIn", "Exists", "DoesNotExist", "In", "NotIn", "Exists", "DoesNotExist", "in", "Gt"))}
			for n := 0; n < r.Intn(3); n++ {
				e.Values = append(e.Values, pick("b", "c", "", "y", "5", "a b"))
			}
			ls.MatchExpressions = append(ls.MatchExpressions, e)
		}
		sel, err := metav1.LabelSelectorAsSelector(&ls)
		if err != nil {
			row(ls, nil, err.Error())
			continue
		}
		bits := ""
		for _, set := range sets {
			if sel.Matches(set) {
				bits += "1"
			} else {
				bits += "0"
			}
		}
		row(ls, sel.String(), bits)
	}
	open("node_selector")
	// [node selector, [per node: 1, 0]] or [.., null, error]
	nodes := []v1.Node{}
	for i, s := range sets {
		n := v1.Node{}
		n.Name = fmt.Sprintf("n%d", i)
		n.Labels = s
		nodes = append(nodes, n)
	}
	nodes[9].Name = ""
	row(sets)
	for i := 0; i < 250; i++ {
		ns := v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{}}
		for t := 0; t < r.Intn(3); t++ {
			term := v1.NodeSelectorTerm{}
			for k := 0; k < r.Intn(3); k++ {
				e := v1.NodeSelectorRequirement{Key: pick("a", "x", "in", "a", "a", "/"), Operator: v1.NodeSelectorOperator(pick("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gt", "Lt", "In", "gt"))}
				m := r.Intn(3)
				switch e.Operator {
				case "Gt", "Lt":
					m = 1
					if r.Intn(8) == 0 {
						m = 2
					}
				case "Exists", "DoesNotExist":
					m = 0
					if r.Intn(8) == 0 {
						m = 1
					}
				}
				for n := 0; n < m; n++ {
					if e.Operator == "Gt" || e.Operator == "Lt" {
						e.Values = append(e.Values, pick("3", "-4", "5", "7", "b", "0", "6"))
					} else {
						e.Values = append(e.Values, pick("b", "c", "", "y", "5", "a b"))
					}
				}
				term.MatchExpressions = append(term.MatchExpressions, e)
			}
			if r.Intn(3) == 0 {
				e := v1.NodeSelectorRequirement{Key: pick("metadata.name", "metadata.name", "metadata.name", "spec.x"), Operator: v1.NodeSelectorOperator(pick("In", "NotIn", "In", "NotIn", "Exists"))}
				m := 1
				if r.Intn(6) == 0 {
					m = 2 * r.Intn(2)
				}
				for n := 0; n < m; n++ {
					e.Values = append(e.Values, pick("n1", "n2", "n5", ""))
				}
				term.MatchFields = append(term.MatchFields, e)
			}
			ns.NodeSelectorTerms = append(ns.NodeSelectorTerms, term)
		}
		_, err := nodeaffinity.NewNodeSelector(&ns)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		bits := ""
		lazy := nodeaffinity.NewLazyErrorNodeSelector(&ns)
		for i := range nodes {
			m, e := lazy.Match(&nodes[i])
			switch {
			case e != nil:
				bits += "e"
			case m:
				bits += "1"
			default:
				bits += "0"
			}
		}
		row(ns, bits, msg)
	}
}

func times() {
	open("duration")
	one := func(s string) {
		d, err := time.ParseDuration(s)
		if err != nil {
			row(s, nil, err.Error())
			return
		}
		row(s, fmt.Sprint(int64(d)), d.String())
	}
	for _, s := range []string{"", "0", "+0", "-0", "0s", "1", "1s", "-1s", "+1s", "1h2m3s", "1h", "90m", "1.5h", ".5s", "1.s", ".s", ".", "s", "1m1", "1d", "1h-2m", "1us", "1µs", "1μs", "1ns", "100ms", "1ms1us1ns", "1.0000000001s", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "-9223372036854775809ns", "9223372036.854775807s", "9223372036.854775808s", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "-2562047h47m16.854775808s", "3000000h", "0.9223372036854775807h", "0.33333333333333333333h", "0.100000000000000000000h", "1s1s", "1m1h", "1 s", " 1s", "--1s", "1S", "1H", "99999999999999999999s", "0.5ns", "1.5ns", "1234567890ns", "59.999999999s", "3599.999s", "1us500ns", "1.1us", "1.0s", "1e3s", "1µ", "0.000000000000000000000000000001h", "10ms", "1000000h", "1hm"} {
		one(s)
	}
	for i := 0; i < 150; i++ {
		s := pick("", "", "-", "+")
		for k := 0; k < 1+r.Intn(3); k++ {
			s += digits(r.Intn(6))
			if r.Intn(3) == 0 {
				s += "." + digits(r.Intn(12))
			}
			s += pick("h", "m", "s", "ms", "us", "ns", "µs", "h", "m", "s")
		}
		one(s)
	}
	for i := 0; i < 60; i++ {
		d := time.Duration(r.Int63() >> uint(r.Intn(60)))
		if r.Intn(2) == 0 {
			d = -d
		}
		one(d.String())
	}
	open("micro_time")
	onet := func(s string) {
		var t metav1.MicroTime
		b, _ := json.Marshal(s)
		if err := t.UnmarshalJSON(b); err != nil {
			row(s, nil)
			return
		}
		p, _ := t.MarshalJSON()
		var ps string
		json.Unmarshal(p, &ps)
		row(s, ps, fmt.Sprint(t.UnixNano()))
	}
	for _, s := range []string{"2024-05-01T12:00:00.000000Z", "2024-05-01T12:00:00.123456Z", "2024-05-01T12:00:00.123456+02:00", "2024-05-01T12:00:00.999999-23:59", "2024-05-01T12:00:00Z", "2024-05-01T12:00:00.1Z", "2024-05-01T12:00:00.12345Z", "2024-05-01T12:00:00.1234567Z", "2024-05-01T12:00:00.123456789Z", "2024-05-01t12:00:00.123456z", "2024-05-01T12:00:00,123456Z", "2024-02-30T12:00:00.123456Z", "2024-02-29T12:00:00.123456Z", "2023-02-29T12:00:00.123456Z", "2024-05-01T24:00:00.000000Z", "2024-05-01T23:59:60.000000Z", "2024-05-01T12:00:00.123456+2:00", "2024-05-01T12:00:00.123456+0200", "2024-05-01 12:00:00.123456Z", "2024-05-01T12:00:00.123456", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000001Z", "1900-01-01T00:00:00.000000Z", "2024-5-01T12:00:00.123456Z", "", "2024-05-01T12:00:00.123456Z ", "2024-05-01T12:00:00.123456+24:00", "2024-05-01T12:00:00.123456+23:60", "2024-05-01T1:00:00.123456Z"} {
		onet(s)
	}
	for i := 0; i < 60; i++ {
		at := time.Unix(r.Int63n(6000000000)-1500000000, r.Int63n(1000000000)).UTC()
		onet(at.Format(pick("2006-01-02T15:04:05.000000Z07:00", "2006-01-02T15:04:05.000000+05:30", "2006-01-02T15:04:05.000000-08:00")))
	}
}

func intstrs() {
	open("int_or_string")
	// [json, printed, IntValue, total, up, down] nil where refused
	one := func(j string, total int) {
		var v intstr.IntOrString
		if err := json.Unmarshal([]byte(j), &v); err != nil {
			row(j, nil)
			return
		}
		f := func(up bool) any {
			n, err := intstr.GetScaledValueFromIntOrPercent(&v, total, up)
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(n)
		}
		back, _ := v.MarshalJSON()
		row(j, string(back), v.String(), fmt.Sprint(v.IntValue()), total, f(true), f(false))
	}
	for _, j := range []string{"0", "1", "-1", "2147483647", "2147483648", "-2147483648", "1.5", "1e2", "true", "null", "[]", "\"\"", "\"http\"", "\"80\"", "\"-80\"", "\"+80\"", "\"080\"", "\"80x\"", "\"25%\"", "\"100%\"", "\"0%\"", "\"150%\"", "\"-10%\"", "\"+10%\"", "\"1.5%\"", "\"%\"", "\"10%%\"", "\" 10%\"", "\"10 %\"", "\"9223372036854775807\"", "\"9223372036854775808\"", "\"99999999999999999999%\"", "\"-99999999999999999999\"", "\"33%\"", "\"66%\"", "\"1_0%\"", "\"0x10\""} {
		for _, t := range []int{0, 1, 3, 10, 101} {
			one(j, t)
		}
	}
	for i := 0; i < 60; i++ {
		one(fmt.Sprintf("\"%d%%\"", r.Intn(250)-20), r.Intn(1000)-10)
	}
	open("int_or_string_parse")
	for _, s := range []string{"", "0", "80", "-80", "+80", "080", "http", "25%", "2147483647", "2147483648", "-2147483648", "-2147483649", " 1", "1 ", "1.0", "0x1", "--1", "-"} {
		v := intstr.Parse(s)
		row(s, int(v.Type), v.IntVal, v.StrVal)
	}
	open("resource_version")
	rvs := []string{"", "0", "1", "9", "10", "11", "99", "100", "0100", "00", "-1", "+1", "1.0", "abc", "18446744073709551615", "18446744073709551616", "99999999999999999999999999999999", "99999999999999999999999999999998", " 1", "1 ", "１", "1a"}
	for _, a := range rvs {
		for _, b := range rvs {
			c, err := resourceversion.CompareResourceVersion(a, b)
			if err != nil {
				row(a, b, nil)
			} else {
				row(a, b, c)
			}
		}
	}
}

func names() {
	open("names")
	checks := []struct {
		n string
		f func(string) []string
	}{
		{"dns1123_label", validation.IsDNS1123Label}, {"dns1123_subdomain", validation.IsDNS1123Subdomain}, {"dns1035_label", validation.IsDNS1035Label},
		{"label_key", validation.IsQualifiedName}, {"label_value", validation.IsValidLabelValue},
		{"port_name", validation.IsValidPortName}, {"config_map_key", validation.IsConfigMapKey}, {"env_var_name", validation.IsEnvVarName},
	}
	in := []string{"", "a", "A", "1", "-", ".", "..", "..a", "_", "a-b", "a.b", "a..b", "a_b", "-a", "a-", ".a", "a.", "a.-b", "a-.b", "1a", "a1", "1.2", "a/b", "/a", "a/", "a/b/c", "A/b", "a.b/C", "*", "*.a", "*.a.b", "*.*.a", "a.*", "*a", "a b", "a\nb", "a\n", "ä", "25%", "%", "%5", "a=b", "http", "a--b", "80", "a1-", "web-server-name1", "web-server-name-1", "x-y_z", "X-Y", "_a", "a$", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 15), strings.Repeat("a", 16), strings.Repeat("a", 253), strings.Repeat("a", 254), strings.Repeat("A", 64), strings.Repeat("a", 63) + "/" + strings.Repeat("b", 63), strings.Repeat("a", 254) + "/b", strings.Repeat("-", 64) + "/" + strings.Repeat("-", 64), "a/" + strings.Repeat("b", 64), "\x00", "-./", "/-", "b/-"}
	for i := 0; i < 60; i++ {
		s := ""
		for k := 0; k < 1+r.Intn(6); k++ {
			s += pick("a", "b", "Z", "9", "-", ".", "_", "/", "*", "a1", "xy")
		}
		in = append(in, s)
	}
	sort.Strings(in)
	// First the messages, then [check, text, numbers of its messages].
	known := map[string]int{}
	list := []string{}
	rows := [][]any{}
	for _, c := range checks {
		for _, s := range in {
			e := []int{}
			for _, m := range c.f(s) {
				if _, ok := known[m]; !ok {
					known[m] = len(list)
					list = append(list, m)
				}
				e = append(e, known[m])
			}
			rows = append(rows, []any{c.n, s, e})
		}
	}
	row(list)
	for _, x := range rows {
		row(x...)
	}
}

// [text, seconds, nanoseconds], or [text] where Go's time.Parse refuses it.
func rfc3339() {
	open("rfc3339")
	one := func(s string) {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			row(s)
			return
		}
		row(s, fmt.Sprint(t.Unix()), t.Nanosecond())
	}
	for _, s := range []string{"2024-05-01T12:00:00Z", "2024-05-01t12:00:00Z", "2024-05-01T12:00:00z", "2024-05-01 12:00:00Z", "2024-05-01T12:00:00+0000", "2024-05-01T12:00:00+00", "2024-05-01T12:00:00+00:00", "2024-05-01T12:00:00-00:00", "2024-05-01T12:00:00+24:00", "2024-05-01T12:00:00+24:60", "2024-05-01T12:00:00-24:60", "2024-05-01T12:00:00+25:00", "2024-05-01T12:00:00+23:61", "2024-05-01T12:00:00+2:00", "2024-05-01T12:00:00+02:0", "2024-05-01T12:00:00", "2024-05-01T12:00Z", "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00,Z", "2024-05-01T12:00:00.5Z", "2024-05-01T12:00:00,5Z", "2024-05-01T12:00:00.5,5Z", "2024-05-01T12:00:00.123456789Z", "2024-05-01T12:00:00.1234567899Z", "2024-05-01T12:00:00.0000000009Z", "2024-05-01T12:00:00." + strings.Repeat("9", 60) + "Z", "2024-05-01T12:00:00.5+02:00", "2024-05-01T1:00:00Z", "2024-05-01T01:0:00Z", "2024-05-01T01:00:0Z", "2024-5-01T12:00:00Z", "2024-05-1T12:00:00Z", "24-05-01T12:00:00Z", "02024-05-01T12:00:00Z", "2024-05-01T24:00:00Z", "2024-05-01T23:59:60Z", "2016-12-31T23:59:60Z", "2024-05-01T23:60:00Z", "2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-05-00T00:00:00Z", "2024-05-32T00:00:00Z", "0000-01-01T00:00:00Z", "0000-02-29T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00.000000001Z", "1677-12-31T23:59:59Z", "1678-01-01T00:00:00Z", "2261-12-31T23:59:59Z", "2262-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "", "Z", "2024-05-01", "2024-05-01T12:00:00Zx", "2024-05-01T12:00:00Z ", " 2024-05-01T12:00:00Z", "2024-05-01T12:00:00ZZ", "2024-05-01T12:00:00 Z", "2024-05-01T12:00:00UTC", "2024-05-01T-1:00:00Z", "-024-05-01T12:00:00Z", "+024-05-01T12:00:00Z", "2024-05-01T12:00:00\u221202:00", "2024/05/01T12:00:00Z", "2024-05-01T12.00.00Z", "null", "1714564800", "2024-W18-3T12:00:00Z", "20240501T120000Z"} {
		one(s)
	}
	for i := 0; i < 200; i++ {
		at := time.Unix(r.Int63n(1<<38)-62167219200, r.Int63n(1000000000)).UTC()
		s := []byte(at.In(time.FixedZone("", (r.Intn(2880)-1440)*60)).Format(pick(time.RFC3339, time.RFC3339Nano, "2006-01-02T15:04:05.000Z07:00", "2006-01-02T15:04:05,000000Z07:00")))
		if r.Intn(2) == 0 { // one wrong letter
			s[r.Intn(len(s))] = "0123456789:-+.,TtZz "[r.Intn(20)]
		}
		one(string(s))
	}
}

func main() {
	os.MkdirAll("data", 0o755)
	quantities()
	selectors()
	times()
	intstrs()
	names()
	rfc3339()
}
