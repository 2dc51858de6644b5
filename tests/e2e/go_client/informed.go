package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// seen is what handlers were told, and may be asked for from elsewhere.
type seen struct {
	mutex sync.Mutex
	lines []string
}

func (s *seen) add(format string, args ...any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *seen) has(count int) func() bool {
	return func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return len(s.lines) >= count
	}
}

func (s *seen) sorted() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sort.Strings(s.lines)
	return strings.Join(s.lines, ", ")
}

func informed(config *rest.Config) {
	client := kubernetes.NewForConfigOrDie(config)
	maps := client.CoreV1().ConfigMaps("go-informed")
	put := func(name string) {
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		say("create "+name, err)
	}
	put("before-1")
	put("before-2")
	// As client-go does it by itself: a list that the watch streams.
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("go-informed"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	told := &seen{}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { told.add("add %s", o.(*corev1.ConfigMap).Name) },
		UpdateFunc: func(_, o any) { told.add("update %s %s", o.(*corev1.ConfigMap).Name, o.(*corev1.ConfigMap).Data["k"]) },
		DeleteFunc: func(o any) { told.add("delete %s", o.(*corev1.ConfigMap).Name) },
	})
	say("add a handler", err)
	factory.Start(ctx.Done())
	until("the informer is synchronised", informer.HasSynced)
	put("after")
	one := must(maps.Get(ctx, "after", metav1.GetOptions{}))
	one.Data = map[string]string{"k": "1"}
	_, err = maps.Update(ctx, one, metav1.UpdateOptions{})
	say("update", err)
	say("delete", maps.Delete(ctx, "before-1", metav1.DeleteOptions{}))
	until("all of it was told", told.has(5))
	fmt.Println("told:", told.sorted())
	fmt.Println("kept:", strings.Join(informer.GetStore().ListKeys(), " ") != "", len(informer.GetStore().ListKeys()))

	partial := must(metadata.NewForConfig(config))
	heads, err := partial.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("go-informed").
		List(ctx, metav1.ListOptions{})
	say("heads only", err, len(heads.Items), heads.Items[0].Kind, heads.Items[0].Name)
}

func discovered(config *rest.Config) {
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	version, err := client.ServerVersion()
	say("version", err, version.Major, version.Minor)
	_, resources, err := client.ServerGroupsAndResources()
	say("all there is", err, len(resources) > 0)
	lines := []string{}
	for _, list := range resources {
		for _, r := range list.APIResources {
			lines = append(lines, fmt.Sprintf("%s %s %s %v %v %v %v", list.GroupVersion, r.Name, r.Kind, r.Namespaced, r.Verbs,
				r.ShortNames, r.Categories))
		}
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
	preferred, err := client.ServerPreferredResources()
	say("preferred", err, len(preferred))
}
