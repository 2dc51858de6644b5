//go:build ignore

// protobuf_fields prints the fields of all messages that Kubernetes encodes as Protocol Buffers, by the tags of their Go
// types: what tools/kcontrol_gen/data/protobuf.tsv keeps a part of.
//
// usage: go run protobuf_fields.go >FIELDS.tsv     in a module that requires the wanted version of k8s.io/kubernetes
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Scalars by their kind, messages by package and name.
func nameOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + nameOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "[]byte"
		}
		return "[]" + nameOf(t.Elem())
	case reflect.Map:
		return "map[" + nameOf(t.Key()) + "]" + nameOf(t.Elem())
	case reflect.Struct:
		return strings.ReplaceAll(t.PkgPath(), "/", ".") + "." + t.Name()
	}
	return t.Kind().String()
}

func collect(t reflect.Type, into map[string]reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collect(t.Elem(), into)
	case reflect.Struct:
		if into[nameOf(t)] != nil || !strings.HasPrefix(t.PkgPath(), "k8s.io/") {
			return
		}
		into[nameOf(t)] = t
		for i := range t.NumField() {
			collect(t.Field(i).Type, into)
		}
	}
}

// Whether JSON shows the field when it is zero.
func whenZero(options []string) string {
	for _, option := range options {
		if option == "omitempty" || option == "omitzero" {
			return "omitempty"
		}
	}
	return "always"
}

func main() {
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	if err := apiregistration.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	messages := map[string]reflect.Type{}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		collect(t, messages)
	}
	names := make([]string, 0, len(messages))
	for name := range messages {
		names = append(names, name)
	}
	sort.Strings(names)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "# type\tjson name\tfield number\twire type\tGo type (a leading * tells absent from zero)\tin JSON when zero")
	for _, name := range names {
		for i := range messages[name].NumField() {
			field := messages[name].Field(i)
			tag := strings.Split(field.Tag.Get("protobuf"), ",")
			if len(tag) < 2 {
				continue // not encoded
			}
			json := strings.Split(field.Tag.Get("json"), ",")
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", name, json[0], tag[1], tag[0], nameOf(field.Type), whenZero(json[1:]))
		}
	}
}
