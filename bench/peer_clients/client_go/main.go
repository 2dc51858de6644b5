// GETs with client-go's REST client, for bench/transport_figures.py: one connection, one request at a time.
//
// usage: client_go URL CA_FILE http2|http1 gets COUNT 1 PATH
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// CPU time of this process in microseconds, the system's share included.
func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	micros := func(t syscall.Timeval) float64 { return float64(t.Sec)*1e6 + float64(t.Usec) }
	return micros(usage.Utime) + micros(usage.Stime)
}

func main() {
	if len(os.Args) != 8 || os.Args[4] != "gets" || os.Args[6] != "1" {
		fmt.Fprintln(os.Stderr, "usage: client_go URL CA_FILE http2|http1 gets COUNT 1 PATH")
		os.Exit(2)
	}
	config := &rest.Config{Host: os.Args[1], QPS: -1, UserAgent: "bench/1"}
	config.CAFile = os.Args[2]
	config.GroupVersion = &schema.GroupVersion{Version: "v1"}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	if os.Args[3] == "http1" {
		config.NextProtos = []string{"http/1.1"}
	}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		log.Fatal(err)
	}
	count, err := strconv.Atoi(os.Args[5])
	if err != nil {
		log.Fatal(err)
	}
	get := func() int {
		body, err := client.Get().RequestURI(os.Args[7]).DoRaw(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		return len(body)
	}
	get() // connects
	begun, used := time.Now(), cpu()
	for i := 0; i < count; i++ {
		get()
	}
	spent := cpu() - used
	fmt.Printf("gets\t%g\t1/s\n", float64(count)/time.Since(begun).Seconds())
	fmt.Printf("gets\t%g\tus CPU\n", spent/float64(count))
	fmt.Printf("gets\t%g\t1/CPU second\n", float64(count)/spent*1e6)
}
