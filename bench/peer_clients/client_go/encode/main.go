// PB-17: what it takes client-go to write one object, as the body of an update. Prints "variant TAB value TAB unit".
//
// usage: encode PODS_NDJSON      watch events, one a line; managedFields are dropped, as kcontrol does
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	corev1 "k8s.io/api/core/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

func readPods(path string) []*corev1.Pod {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	var pods []*corev1.Pod
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		event := struct{ Object *corev1.Pod }{}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			log.Fatal(err)
		}
		event.Object.ManagedFields = nil
		pods = append(pods, event.Object)
	}
	if err := lines.Err(); err != nil || len(pods) == 0 {
		log.Fatalf("%s: no watch events, one a line: %v", path, err)
	}
	return pods
}

// measure writes as a request's Body() does, and prints the best of five passes.
func measure(variant, contentType string, pods []*corev1.Pod) {
	negotiator := k8sruntime.NewClientNegotiator(scheme.Codecs.WithoutConversion(), corev1.SchemeGroupVersion)
	var best time.Duration
	var bytes, allocations float64
	for pass := range 5 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		bytes = 0
		start := time.Now()
		for _, pod := range pods {
			encoder, err := negotiator.Encoder(contentType, nil)
			if err != nil {
				log.Fatal(err)
			}
			body, err := k8sruntime.Encode(encoder, pod)
			if err != nil {
				log.Fatal(err)
			}
			bytes += float64(len(body))
		}
		if took := time.Since(start); pass == 0 || took < best {
			best = took
		}
		runtime.ReadMemStats(&after)
		allocations = float64(after.Mallocs - before.Mallocs)
	}
	n := float64(len(pods))
	fmt.Printf("%s\t%.2f\tus/object\n", variant, best.Seconds()*1e6/n)
	fmt.Printf("%s\t%.1f\tallocs/object\n", variant, allocations/n)
	fmt.Printf("%s\t%.1f\tB/object\n", variant, bytes/n)
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("encode: ")
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: encode PODS_NDJSON")
		os.Exit(2)
	}
	pods := readPods(os.Args[1])
	measure("protobuf", k8sruntime.ContentTypeProtobuf, pods)
	measure("JSON", k8sruntime.ContentTypeJSON, pods)
}
