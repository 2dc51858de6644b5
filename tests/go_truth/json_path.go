//go:build ignore

// Writes json_path.jsonl: what Kubernetes' own JSONPath makes of paths, and what an API server shows in a column with
// that path. Run it in a module that requires k8s.io/apimachinery, k8s.io/apiextensions-apiserver and k8s.io/client-go
// v0.36.3: `go run json_path.go > json_path.jsonl`. First come the documents, ["document", object], then
// [path, document, problem, values, ordered, printed, cells]: problem is "parse", "find" or empty; ordered is false where Go
// chooses the order (values are sorted then, and nothing else is there); cells are those of a string, integer, number,
// boolean and date.
package main

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"
)

var r = rand.New(rand.NewSource(20260536))

var documents = []string{
	`{"apiVersion":"x/v1","kind":"Foo","metadata":{"name":"a","labels":{"app.example.com/tier":"gold","plain":"x"},"creationTimestamp":"2020-01-01T00:00:00Z"},
	  "spec":{"servers":[{"name":"a","port":80,"hosts":["h1","h2"]},{"name":"b","port":8080,"hosts":[],"weight":0.5},{"name":"c","hosts":["h3"],"tls":true}],
	  "count":-3,"big":9007199254740993,"word":"many","empty":"","ratio":0.25,"huge":1e30,"tiny":0.0000001,"million":1500000.5,"flag":false,"map":{"b":1,"a":"x"},"one":{"only":7},
	  "list":["one","two","three"],"numbers":[3,1,2],"nothing":null,"none":[],"html":{"t":"<&>\u2028\"\\\n\u0001é"},"a b":1,"dash-ed":"d","it's":"q","mixed":[1,"x",null,true,{"a":1},[2]],"nested":[[1,2],[3]],
	  "later":"2999-01-01T00:00:00Z","zero":"0001-01-01T00:00:00Z","offset":"2020-01-01T00:00:00.5+02:00","small":"2020-01-01t00:00:00z","null":"null","comma":"2020-01-01T00:00:00,5Z"},
	  "status":{"conditions":[{"type":"Synced","status":"False"},{"type":"Ready","status":"True","observedGeneration":2}],"since":"2020-01-01T00:00:00Z"}}`,
	`{"apiVersion":"x/v1","kind":"Foo","metadata":{"name":"b"},"spec":{"servers":[],"list":[],"map":{},"word":"","numbers":[5],"count":9223372036854775807},"status":{"conditions":null,"since":null}}`,
	`{"apiVersion":"x/v1","kind":"Foo","metadata":{"name":"c"}}`,
}

var paths = []string{
	".spec.servers[*].hosts", ".spec.servers[*].name", ".spec.servers[*].hosts[*]", ".spec.servers[0].hosts[*]", ".spec.servers[2].hosts[0]",
	`.status.conditions[?(@.type=="Ready")].status`, `.status.conditions[?(@.type=='Ready')].status`, `.status.conditions[?(@.type == "Ready")].status`, `.status.conditions[?( @.type=="Ready" )].status`,
	`.status.conditions[?(@.type=="Ready")].observedGeneration`, `.status.conditions[?(@.observedGeneration)].type`, `.status.conditions[?(@.type!="Ready")].type`, `.status.conditions[?(@.type==Ready)].status`,
	`.metadata.labels.app\.example\.com/tier`, `.metadata.labels['app.example.com/tier']`, `.metadata.labels['app\.example\.com/tier']`, `.metadata.labels["plain"]`, `.metadata.labels['plain']`, `.metadata.labels.app.example.com/tier`,
	".spec.count", ".spec.big", ".spec.word", ".spec.empty", ".spec.ratio", ".spec.huge", ".spec.tiny", ".spec.million", ".spec.flag", ".spec.map", ".spec.one", ".spec.list", ".spec.numbers", ".spec.nothing", ".spec.none", ".spec.html", ".spec.html.t",
	".spec.list[-1]", ".spec.list[-1:]", ".spec.list[-2]", ".spec.list[-3]", ".spec.list[-4]", ".spec.list[3]", ".spec.list[0:2]", ".spec.list[1:]", ".spec.list[:2]", ".spec.list[:-1]", ".spec.list[::2]", ".spec.list[1:3:2]", ".spec.list[:]", ".spec.list[]", ".spec.list[-2:]", ".spec.list[2:1]", ".spec.list[1:1]", ".spec.list[5:5]", ".spec.list[0:4]", ".spec.list[::0]", ".spec.list[::-1]", ".spec.list[-1:0]", ".spec.list[ 0 ]", ".spec.list[x]", ".spec.list[-]", ".spec.list[1:2:3:4]", ".spec.list[99999999999999999999]", ".spec.list[+1]", ".spec.list[01]",
	".spec.list[0,2]", ".spec.list[0, 2]", ".spec.list[0,-1]", ".spec.list[0:2,2]", ".spec.list[0,9]", ".spec.list[0,]", ".spec.map['a','b']", ".spec['word','flag']", ".spec['word', 'flag']", ".spec['count','missing']", `.spec["word","flag"]`, ".spec[word]",
	".spec.*", ".spec.one.*", ".spec.servers.*", ".spec.list.*", ".spec.servers[*].*", ".spec.word.*", ".spec.map[*]", ".spec.one[*]", ".*", ".metadata.*", ".spec.missing.*",
	"..name", "..only", "..port", "..hosts", "..hosts[0]", "..hosts[*]", "..conditions[?(@.type==\"Ready\")].status", ".spec..name", ".spec..tls", "..", ".spec.one..", "...name", "....name", "..*", "..[0]", "..['only']", "..only..x",
	".spec.servers[?(@.port)].name", ".spec.servers[?(@.port==80)].name", ".spec.servers[?(@.port!=80)].name", ".spec.servers[?(@.port>80)].name", ".spec.servers[?(@.port>=80)].name", ".spec.servers[?(@.port<8080)].name", ".spec.servers[?(@.port<=8080)].name", ".spec.servers[?(@.port=80)].name", ".spec.servers[?(@.port===80)].name", ".spec.servers[?(@.port==80.0)].name", ".spec.servers[?(@.port==\"80\")].name", ".spec.servers[?(@.port==+80)].name", ".spec.servers[?(@.port>-1)].name",
	".spec.servers[?(@.weight==0.5)].name", ".spec.servers[?(@.weight<1)].name", ".spec.servers[?(@.weight<1.0)].name", ".spec.servers[?(@.tls==true)].name", ".spec.servers[?(@.tls!=true)].name", ".spec.servers[?(@.tls<true)].name", ".spec.servers[?(@.tls)].name", ".spec.servers[?(@.hosts[0]==\"h1\")].name", ".spec.servers[?(@.hosts[0])].name", ".spec.servers[?(@.hosts)].name", ".spec.servers[?(@.hosts[*]==\"h3\")].name", ".spec.servers[?(@.name<\"b\")].name", ".spec.servers[?(@.name>='b')].name", ".spec.servers[?(\"b\"==@.name)].name", ".spec.servers[?(@.name==@.name)].name", ".spec.servers[?(@.missing==1)].name", ".spec.servers[?(@.name==)].name", ".spec.servers[?(==\"a\")].name", ".spec.servers[?()].name", ".spec.servers[?(@)].name", ".spec.servers[?(@.name==\"a\"].name", ".spec.servers[?(@.name==\"a)].name", ".spec.servers[?(@.name=='a')", ".spec.servers[?(@.name==\"b)\")].name", ".spec.servers[?(@.name=='it\\'s')].name", ".spec.servers[?(@['name']=='a')].port", ".spec.servers[?(@..name=='a')].port", ".spec.servers[?(@.a=='x' && @.b=='y')].name", ".spec.servers[?(@.name=='a')][0].name", ".spec.servers[?(@.name=='a')].hosts[-1]",
	".spec.numbers[?(@>1)]", ".spec.numbers[?(@==3)]", ".spec.list[?(@==\"two\")]", ".spec.list[?(@!='two')]", ".spec.mixed[?(@==1)]", ".spec.mixed[?(@.a)]", ".spec.mixed[?(@)]", ".spec.mixed[*]", ".spec.mixed[2]", ".spec.mixed[3]", ".spec.mixed[4]", ".spec.mixed[5]", ".spec.mixed", ".spec.map[?(@.a)]", ".spec.word[?(@.a)]", ".spec.nested[*]", ".spec.nested[*][0]", ".spec.nested[*][1]", ".spec.nested[*][*]", ".spec.nested[0][1]", ".spec.nested[1][-1]",
	".spec['a b']", ".spec.a b", ".spec.dash-ed", ".spec['it's']", ".spec.it's", ".spec.it\\'s", ".spec[\"it's\"]", ".spec.na\\me", ".spec.\\word", ".spec.\\*", ".spec.[0]", ".spec.list.[0]", ".spec.list.0", ".spec.['word']", ".", "", "$", "$.kind", "@.kind", "@", ".kind", "kind", ".kind.", ".kind..", ".kind ", " .kind", ".kind .spec", ".kind\t", ".kind\n", ".spec.word[0]", ".spec.count[0]", ".spec.map[0]", ".spec.nothing[0]", ".spec.nothing.x", ".spec.nothing[*]", ".spec.nothing[?(@.x)]", ".spec.missing", ".spec.missing[0]", ".spec.missing[?(@.x)]", ".spec.missing.x.y", ".spec.count.x", ".spec.word.x", ".spec.list.x",
	".spec.count 5", "\"text\"", "'text'", "\"a\\tb\\u00e9\\x41\\101\"", "\"a\\qb\"", "5", "-5", "5.5", "+5", "1.2.3", "true", "false", "nil", ".spec.servers[*].port 5", ".spec.missing 5", ".spec.missing 'x'", "range .spec.list[*]", "end", ".spec.list[*] end", ".spec{.kind}", ".spec}", ".spec}{.kind}", ".spec[", ".spec]", ".spec(", ".spec.list[0", ".spec['x", ".spec.#", ".spec,kind", "..5", ".spec.list[0]x", ".spec.list[0].x", ".é", "\"é\"", ".spec.html.t.*",
	".status.since", ".spec.later", ".spec.zero", ".spec.offset", ".spec.small", ".spec.null", ".spec.comma", ".status.conditions", ".status", ".status.conditions[0].type", ".status.conditions[-1:].type", ".status.conditions[*].type", ".metadata.name", ".metadata.creationTimestamp",
}

func segment() string {
	pick := func(a ...string) string { return a[r.Intn(len(a))] }
	switch r.Intn(9) {
	case 0:
		return pick("[0]", "[1]", "[-1]", "[*]", "[:]", "[1:]", "[:2]", "[-2:]", "[0:3:2]", "[0,1]", "[-1,0]", "[7]")
	case 1:
		return pick("..name", "..hosts", "..a", "..only", "..type", "..")
	case 2:
		return pick("[?(@.name)]", "[?(@.name==\"b\")]", "[?(@.port>80)]", "[?(@.type!='Ready')]", "[?(@.hosts[0])]", "[?(@>1)]", "[?(@.a)]", "[?(@==\"two\")]")
	case 3:
		return pick(".*", "['spec']", "['servers']", "['name','port']")
	default:
		return pick(".spec", ".status", ".servers", ".list", ".map", ".name", ".hosts", ".conditions", ".type", ".one", ".only", ".numbers", ".nested", ".mixed", ".metadata", ".labels")
	}
}

func row(v ...any) {
	var b bytes.Buffer
	e := stdjson.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	os.Stdout.Write(b.Bytes())
}

func text(v any) string {
	b, err := stdjson.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type outcome struct {
	problem string
	values  []any
	printed string
	cells   []any
}

var types = []string{"string", "integer", "number", "boolean", "date"}

func evaluate(path string, doc map[string]any) (out outcome) {
	p := jsonpath.New("x").AllowMissingKeys(true)
	if err := p.Parse("{" + path + "}"); err != nil {
		return outcome{problem: "parse"}
	}
	all, err := p.FindResults(doc)
	if err != nil {
		out.problem = "find"
	} else if len(all) > 0 {
		for _, v := range all[0] {
			out.values = append(out.values, v.Interface())
		}
		var b bytes.Buffer
		if err := p.PrintResults(&b, all[0]); err != nil {
			panic(err)
		}
		out.printed = b.String()
	}
	columns := []v1.CustomResourceColumnDefinition{}
	for _, t := range types {
		columns = append(columns, v1.CustomResourceColumnDefinition{Name: t, Type: t, JSONPath: path})
	}
	c, err := tableconvertor.New(columns)
	if err != nil {
		panic(err)
	}
	table, err := c.ConvertToTable(context.Background(), &unstructured.Unstructured{Object: doc}, &metav1.TableOptions{})
	if err != nil {
		panic(err)
	}
	out.cells = table.Rows[0].Cells[1:]
	if s, ok := out.cells[4].(string); ok && !strings.HasPrefix(s, "<") {
		out.cells[4] = "age"
	}
	return out
}

func main() {
	seen := map[string]bool{}
	all := append([]string{}, paths...)
	for len(all) < 700 {
		p := ""
		for i := 0; i <= r.Intn(4); i++ {
			p += segment()
		}
		all = append(all, p)
	}
	docs := []map[string]any{}
	for _, d := range documents {
		m := map[string]any{}
		if err := json.Unmarshal([]byte(d), &m); err != nil {
			panic(err)
		}
		docs = append(docs, m)
		row("document", m)
	}
	for n, path := range all {
		if seen[path] {
			continue
		}
		seen[path] = true
		for i, d := range docs {
			if i > 0 && n >= len(paths) {
				break
			}
			first := evaluate(path, d)
			ordered, chance := true, false
			for k := 0; k < 40; k++ {
				again := evaluate(path, d)
				ordered = ordered && reflect.DeepEqual(first, again)
				chance = chance || first.problem != again.problem || len(first.values) != len(again.values)
			}
			if chance {
				fmt.Fprintln(os.Stderr, "left to chance:", path)
				continue
			}
			if first.problem == "parse" {
				row(path, i, "parse")
				break
			}
			values := []any{}
			values = append(values, first.values...)
			if !ordered {
				sort.Slice(values, func(a, b int) bool { return text(values[a]) < text(values[b]) })
				row(path, i, first.problem, values, false)
				continue
			}
			row(path, i, first.problem, values, true, first.printed, first.cells)
		}
	}
}
