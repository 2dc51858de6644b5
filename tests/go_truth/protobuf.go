//go:build ignore

// Writes protobuf.jsonl: objects of every built-in kind, filled at random, as Kubernetes' own libraries write them in
// JSON and in Protocol Buffers. One line an object: apiVersion, kind, JSON, Protocol Buffers in base64. Run it in a
// module that requires k8s.io/api, k8s.io/apiextensions-apiserver, k8s.io/kube-aggregator and k8s.io/client-go v0.37.2:
//
//	go run protobuf.go KINDS OBJECTS BYTES [SEED] > protobuf.jsonl
//
// KINDS has one line a kind, "v1 Pod". Of each, one object without anything and OBJECTS others of at most BYTES of JSON.
//
//	go run protobuf.go --read < LINES
//
// reads such lines that somebody else wrote, and says which of them Go does not read as the same object in both forms.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var r *rand.Rand

var words = []string{"", "a", "web", "seven77", "eight888", "a name of more than seven bytes", "größe 漢字", "quoted \" \\ \n\t", "x/y.z-1"}

func word() string {
	if r.Intn(3) == 0 {
		return "w" + strconv.Itoa(r.Intn(1000000))
	}
	return words[r.Intn(len(words))]
}

func number() int64 {
	switch r.Intn(6) {
	case 0:
		return 0
	case 1:
		return -int64(r.Intn(1000))
	case 2:
		return int64(r.Uint32())
	}
	return int64(r.Intn(1000))
}

func moment() time.Time { return time.Unix(r.Int63n(4000000000), 0).UTC() }

var quantities = []string{"0", "1", "500m", "1Gi", "1500Mi", "3k", "12e6", "100n", "2Ti", "-5"}

func oneOf(a ...string) string { return a[r.Intn(len(a))] }

func fill(v reflect.Value, density float64, depth int) {
	if depth > 9 {
		density = 0
	}
	if v.CanAddr() {
		switch p := v.Addr().Interface().(type) {
		case *metav1.TypeMeta:
			// Embedded objects have one of their own, which Protocol Buffers do not carry.
			return
		case *metav1.Time:
			if r.Float64() < density {
				p.Time = moment()
			}
			return
		case *metav1.MicroTime:
			if r.Float64() < density {
				p.Time = moment().Add(time.Duration(r.Intn(1000000)) * time.Microsecond)
			}
			return
		case *resource.Quantity:
			q := resource.MustParse(quantities[r.Intn(len(quantities))])
			*p = resource.MustParse(q.String())
			return
		case *intstr.IntOrString:
			if r.Intn(2) == 0 {
				*p = intstr.FromInt32(int32(number()))
			} else {
				*p = intstr.FromString(word())
			}
			return
		case *runtime.RawExtension:
			if r.Float64() < density {
				p.Raw = []byte(oneOf(`{"a":[1,"x",null]}`, `{"kind":"K"}`, `[]`))
			}
			return
		case *metav1.FieldsV1:
			p.Raw = []byte(oneOf(`{"f:metadata":{"f:name":{}}}`, `{}`))
			return
		case *apiextensionsv1.JSON:
			p.Raw = []byte(oneOf(`{"x":[1,null]}`, `1`, `"text"`, `false`))
			return
		case *apiextensionsv1.JSONSchemaPropsOrBool:
			if p.Allows = r.Intn(2) == 0; p.Allows && depth < 8 && r.Intn(2) == 0 {
				p.Schema = &apiextensionsv1.JSONSchemaProps{}
				fill(reflect.ValueOf(p.Schema).Elem(), density/2, depth+1)
			}
			return
		case *apiextensionsv1.JSONSchemaPropsOrArray:
			if r.Intn(2) == 0 && depth < 8 {
				p.JSONSchemas = make([]apiextensionsv1.JSONSchemaProps, 1+r.Intn(2))
				for i := range p.JSONSchemas {
					fill(reflect.ValueOf(&p.JSONSchemas[i]).Elem(), density/2, depth+1)
				}
			} else {
				p.Schema = &apiextensionsv1.JSONSchemaProps{Type: word()}
			}
			return
		case *apiextensionsv1.JSONSchemaPropsOrStringArray:
			if r.Intn(2) == 0 {
				p.Property = []string{word(), word()}
			} else {
				p.Schema = &apiextensionsv1.JSONSchemaProps{Type: word()}
			}
			return
		}
	}
	switch v.Kind() {
	case reflect.String:
		if r.Float64() < density {
			v.SetString(word())
		}
	case reflect.Bool:
		v.SetBool(r.Float64() < density/2)
	case reflect.Int32:
		if r.Float64() < density {
			v.SetInt(int64(int32(number())))
		}
	case reflect.Int64:
		if r.Float64() < density {
			v.SetInt(number() * int64(1+r.Intn(1000000)))
		}
	case reflect.Float64:
		v.SetFloat(float64(number()) / 4)
	case reflect.Pointer:
		if r.Float64() < density {
			v.Set(reflect.New(v.Type().Elem()))
			switch v.Interface().(type) {
			case *metav1.Time, *metav1.MicroTime:
				density = 1 // JSON has no pointer to a time that is none
			}
			fill(v.Elem(), density, depth+1)
		}
	case reflect.Slice:
		if r.Float64() >= density {
			return
		}
		count := 1 + r.Intn(2)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, r.Intn(12))
			r.Read(b)
			v.SetBytes(b)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), count, count))
		for i := 0; i < count; i++ {
			fill(v.Index(i), density, depth+1)
		}
	case reflect.Map:
		if r.Float64() >= density {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for i := 1 + r.Intn(3); i > 0; i-- {
			key := reflect.New(v.Type().Key()).Elem()
			key.SetString(word())
			value := reflect.New(v.Type().Elem()).Elem()
			fill(value, density, depth+1)
			if value.Kind() == reflect.Slice && value.IsNil() {
				value.Set(reflect.MakeSlice(value.Type(), 1, 1))
			}
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			fill(v.Field(i), density, depth+1)
		}
	}
}

func encode(s *protobuf.Serializer, o runtime.Object) []byte {
	var b bytes.Buffer
	if err := s.Encode(o, &b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func toJSON(o runtime.Object) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func read(s *protobuf.Serializer) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	objects, bad := 0, 0
	for {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			break
		}
		var row [4]string
		if err := json.Unmarshal(line, &row); err != nil {
			panic(err)
		}
		objects++
		gvk := schema.FromAPIVersionAndKind(row[0], row[1])
		fresh := func() runtime.Object {
			o, err := scheme.Scheme.New(gvk)
			if err != nil {
				panic(err)
			}
			return o
		}
		a, b := fresh(), fresh()
		data, err := base64.StdEncoding.DecodeString(row[3])
		if err != nil {
			panic(err)
		}
		if err := json.Unmarshal([]byte(row[2]), a); err != nil {
			fmt.Println(row[0], row[1], "JSON:", err)
			bad++
			continue
		}
		if _, _, err := s.Decode(data, nil, b); err != nil {
			fmt.Println(row[0], row[1], "Protocol Buffers:", err)
			bad++
			continue
		}
		a.GetObjectKind().SetGroupVersionKind(gvk)
		b.GetObjectKind().SetGroupVersionKind(gvk)
		if !equality.Semantic.DeepEqual(a, b) {
			fmt.Println(row[0], row[1], "differs:", string(toJSON(a)), string(toJSON(b)))
			bad++
		}
	}
	fmt.Println(objects, "objects,", bad, "of them not read as the same in both forms")
	if bad > 0 || objects == 0 {
		os.Exit(1)
	}
}

func main() {
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	check(apiextensionsv1.AddToScheme(scheme.Scheme))
	check(apiregistrationv1.AddToScheme(scheme.Scheme))
	s := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	if len(os.Args) == 2 && os.Args[1] == "--read" {
		read(s)
		return
	}
	kinds, err := os.ReadFile(os.Args[1])
	check(err)
	objects, err := strconv.Atoi(os.Args[2])
	check(err)
	most, err := strconv.Atoi(os.Args[3])
	check(err)
	seed := int64(20261036)
	if len(os.Args) > 4 {
		seed, err = strconv.ParseInt(os.Args[4], 10, 64)
		check(err)
	}
	r = rand.New(rand.NewSource(seed))
	for _, line := range strings.Split(strings.TrimSpace(string(kinds)), "\n") {
		parts := strings.Fields(line)
		gvk := schema.FromAPIVersionAndKind(parts[0], parts[1])
		for i := 0; i <= objects; i++ {
			density := 0.6
			for {
				o, err := scheme.Scheme.New(gvk)
				check(err)
				if i > 0 {
					fill(reflect.ValueOf(o).Elem(), density, 0)
				}
				o.GetObjectKind().SetGroupVersionKind(gvk)
				// As it comes back from JSON, which has no empty list that differs from none in some places.
				again, err := scheme.Scheme.New(gvk)
				check(err)
				check(json.Unmarshal(toJSON(o), again))
				o = again
				text := toJSON(o)
				if len(text) > most {
					density *= 0.9
					continue
				}
				e := json.NewEncoder(os.Stdout)
				e.SetEscapeHTML(false)
				check(e.Encode([]string{parts[0], parts[1], string(text), base64.StdEncoding.EncodeToString(encode(s, o))}))
				break
			}
		}
	}
}
