// The peer's side of bench/service_figures.py: an informer of client-go that follows what bench/service_endpoints.cpp
// follows. An update is seen when its handler is called, on a goroutine that is not the watch's.
//
//	service_peer KUBECONFIG SECONDS
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// As the server's clock: Go's own has no common zero.
func monotonic() int64 {
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	seconds := must(strconv.Atoi(os.Args[2]))
	client := must(kubernetes.NewForConfig(config))
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "kubernetes.io/service-name=web" }))
	informer := factory.Discovery().V1().EndpointSlices().Informer()
	var mutex sync.Mutex
	var us []float64
	must(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		now := monotonic()
		old, new := before.(*discovery.EndpointSlice), after.(*discovery.EndpointSlice)
		mutex.Lock()
		defer mutex.Unlock()
		for i := range new.Endpoints {
			if *new.Endpoints[i].NodeName != *old.Endpoints[i].NodeName {
				us = append(us, float64(now-must(strconv.ParseInt(*new.Endpoints[i].NodeName, 10, 64)))/1e3)
			}
		}
	}}))
	stop := make(chan struct{})
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		os.Exit(1)
	}
	fmt.Println("live")
	time.Sleep(time.Duration(seconds) * time.Second)
	mutex.Lock()
	defer mutex.Unlock()
	if len(us) == 0 {
		fmt.Fprintln(os.Stderr, "service_peer: nothing changed")
		os.Exit(1)
	}
	slices.Sort(us)
	at := func(q float64) float64 { return us[int(q*float64(len(us)-1))] }
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	cpu := float64(used.Utime.Nano()+used.Stime.Nano()) / 1e3
	fmt.Printf("changes\t%d\tchanges seen\nchanges\t%.1f\tus p50\nchanges\t%.1f\tus p99\nchanges\t%.1f\tus CPU/change\n",
		len(us), at(0.5), at(0.99), cpu/float64(len(us)))
}
