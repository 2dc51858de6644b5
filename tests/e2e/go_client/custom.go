package main

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/watch"
)

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"boats.go.example.com"},
"spec":{"group":"go.example.com","scope":"Namespaced","names":{"plural":"boats","singular":"boat","kind":"Boat","shortNames":["bo"]},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.sails","statusReplicasPath":".status.sails"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["name"],"properties":{
"name":{"type":"string","minLength":2},"sails":{"type":"integer","default":1,"maximum":9},"crew":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["who"],
"items":{"type":"object","required":["who"],"properties":{"who":{"type":"string"},"age":{"type":"integer"}}}}},
"x-kubernetes-validations":[{"rule":"self.sails < 5 || self.name.startsWith('big')","message":"too many sails"},
{"rule":"self.name == oldSelf.name","message":"a name is for life"}]},
"status":{"type":"object","properties":{"sails":{"type":"integer"}}}}}}}]}}`

func object(text string) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &out.Object); err != nil {
		panic(err)
	}
	return out
}

func boat(name, spec string) *unstructured.Unstructured {
	return object(fmt.Sprintf(`{"apiVersion":"go.example.com/v1","kind":"Boat","metadata":{"name":%q},"spec":%s}`, name, spec))
}

func custom(config *rest.Config) {
	client := must(dynamic.NewForConfig(config))
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	_, err := definitions.Create(ctx, object(definition), metav1.CreateOptions{})
	say("create the definition", err)
	boats := client.Resource(schema.GroupVersionResource{Group: "go.example.com", Version: "v1", Resource: "boats"}).Namespace("go-custom")
	until("it is served", func() bool { _, err := boats.List(ctx, metav1.ListOptions{}); return err == nil })
	one, err := boats.Create(ctx, boat("one", `{"name":"ship","unknown":true}`), metav1.CreateOptions{})
	say("create", err, text(one.Object["spec"]), one.GetGeneration())
	for name, spec := range map[string]string{"without-name": `{}`} {
		_, err = boats.Create(ctx, boat(name, spec), metav1.CreateOptions{})
		say("create "+name, err)
	}
	_, err = boats.Create(ctx, boat("short", `{"name":"x","sails":12}`), metav1.CreateOptions{})
	say("create against the schema", err)
	_, err = boats.Create(ctx, boat("sails", `{"name":"ship","sails":7}`), metav1.CreateOptions{})
	say("create against a rule", err)
	_, err = boats.Create(ctx, boat("twice", `{"name":"ship","crew":[{"who":"a"},{"who":"a"}]}`), metav1.CreateOptions{})
	say("create with a key twice", err)
	_, err = boats.Create(ctx, boat("strict", `{"name":"ship","unknown":true}`), metav1.CreateOptions{FieldValidation: "Strict"})
	say("create strictly", err)
	_, err = boats.Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"name":"boat"}}`), metav1.PatchOptions{})
	say("change what is for life", err)
	_, err = boats.Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	say("strategic merge patch", err)
	one, err = boats.Patch(ctx, "one", types.MergePatchType, []byte(`{"status":{"sails":1}}`), metav1.PatchOptions{}, "status")
	say("the status", err, text(one.Object["status"]), one.GetGeneration())
	scale, err := boats.Get(ctx, "one", metav1.GetOptions{}, "scale")
	say("the scale", err, text(scale.Object["spec"]), text(scale.Object["status"]))
	applied, err := boats.Apply(ctx, "one", boat("one", `{"name":"ship","crew":[{"who":"a","age":1}]}`), metav1.ApplyOptions{FieldManager: "first", Force: true})
	say("apply", err, text(applied.Object["spec"]))
	applied, err = boats.Apply(ctx, "one", boat("one", `{"name":"ship","crew":[{"who":"b"}]}`), metav1.ApplyOptions{FieldManager: "second", Force: true})
	say("apply by another", err, text(applied.Object["spec"]), managers(applied))
	list, err := boats.List(ctx, metav1.ListOptions{})
	say("list", err, len(list.Items), list.GetKind())
	go func() { _ = boats.Delete(ctx, "one", metav1.DeleteOptions{}) }()
	event, err := watch.UntilWithoutRetry(ctx, must(boats.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})),
		func(e apiwatch.Event) (bool, error) { return e.Type == apiwatch.Deleted, nil })
	say("watch it go", err, event.Type, event.Object.(*unstructured.Unstructured).GetName())
	say("delete the definition", definitions.Delete(ctx, "boats.go.example.com", metav1.DeleteOptions{}))
	until("it is not served any more", func() bool { _, err := boats.List(ctx, metav1.ListOptions{}); return err != nil })
	_, err = boats.List(ctx, metav1.ListOptions{})
	say("list what is not served", err)
}
