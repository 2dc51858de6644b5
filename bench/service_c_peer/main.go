// The peer's side of bench/service_c_figures.py: what examples/service_c/poll.c takes of libkcontrol_service.so, out of client-go, as a
// C shared library: a leader election, and the endpoints of a Service. Changes are lines in a pipe, for a loop around poll().
//
//	go build -buildmode=c-shared -ldflags="-s -w" -o libpeer.so
package main

import "C"

import (
	"context"
	"fmt"
	"os"
	"time"

	discovery "k8s.io/api/discovery/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var (
	stop context.CancelFunc
	left = make(chan struct{})
)

func lead(ctx context.Context, client kubernetes.Interface, namespace, lease string, out *os.File) {
	defer close(left)
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  meta.ObjectMeta{Namespace: namespace, Name: lease},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprint("peer-", os.Getpid())},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { fmt.Fprintln(out, "leading") },
			OnStoppedLeading: func() {},
		},
	})
}

func follow(ctx context.Context, client kubernetes.Interface, namespace, service string, out *os.File) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *meta.ListOptions) { o.LabelSelector = discovery.LabelServiceName + "=" + service }))
	slices := factory.Discovery().V1().EndpointSlices()
	changed := func(any) {
		for _, object := range slices.Informer().GetStore().List() {
			slice := object.(*discovery.EndpointSlice)
			for _, endpoint := range slice.Endpoints {
				for _, port := range slice.Ports {
					fmt.Fprintf(out, "%s:%d\n", endpoint.Addresses[0], *port.Port)
				}
			}
		}
		fmt.Fprintln(out, "--")
	}
	slices.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, DeleteFunc: changed, UpdateFunc: func(_, now any) { changed(now) },
	})
	factory.Start(ctx.Done())
}

// peer_start begins both; lines come out of `pipe`. Returns 0 if there is a cluster to talk to.
//
//export peer_start
func peer_start(namespace, lease, service *C.char, pipe C.int) C.int {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop = cancel
	out := os.NewFile(uintptr(pipe), "pipe")
	go lead(ctx, client, C.GoString(namespace), C.GoString(lease), out)
	follow(ctx, client, C.GoString(namespace), C.GoString(service), out)
	return 0
}

// peer_stop gives the Lease up.
//
//export peer_stop
func peer_stop() {
	stop()
	<-left
}

func main() {}
