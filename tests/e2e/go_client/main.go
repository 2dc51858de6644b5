// What client-go and controller-runtime do with an API server, one line a step: tests/e2e/test_go_client.py runs it before
// a real kube-apiserver and before kcontrol-apiserver, and wants the same lines of both.
//
//	go_client KUBECONFIG
//
// No line holds what differs between two runs on one server: uids, versions, times, addresses.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var ctx, stop = context.WithTimeout(context.Background(), 2*time.Minute)

// say prints what a step came to: an error as the server said it, or what is worth showing.
func say(step string, err error, shown ...any) {
	if err == nil {
		fmt.Println(step+":", strings.TrimSuffix(fmt.Sprintln(shown...), "\n"))
		return
	}
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		fmt.Println(step+": error:", err)
		return
	}
	s := status.Status()
	causes := []string{}
	message := s.Message
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s %s", c.Type, c.Field, c.Message))
			// A real server walks a schema's properties in Go's order of a map, another one each time.
			if len(s.Details.Causes) > 1 {
				message = strings.Replace(message, c.Field+": "+c.Message, "CAUSE", 1)
			}
		}
	}
	sort.Strings(causes)
	fmt.Println(step+":", s.Code, s.Reason, message, strings.Join(causes, "; "))
}

// sayCode is for errors whose words differ between the servers: docs/fidelity.md has them.
func sayCode(step string, err error) {
	if status, ok := err.(apierrors.APIStatus); ok {
		fmt.Println(step+":", status.Status().Code, status.Status().Reason)
		return
	}
	say(step, err)
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("can't go on:", err)
		os.Exit(1)
	}
	return value
}

// until waits for something to come about, and tells if it does not.
func until(step string, done func() bool) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if done() {
			fmt.Println(step + ": yes")
			return
		}
	}
	fmt.Println(step + ": NOT IN TIME")
}

func main() {
	defer stop()
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.QPS = -1
	warned := &warnings{}
	config.WarningHandler = warned
	namespaces(config)
	for _, encoding := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		fmt.Println("--", encoding)
		c := rest.CopyConfig(config)
		c.ContentType, c.AcceptContentTypes = encoding, encoding
		typed(c, map[string]string{runtime.ContentTypeJSON: "go-json", runtime.ContentTypeProtobuf: "go-protobuf"}[encoding])
	}
	fmt.Println("-- informers")
	informed(config)
	fmt.Println("-- custom kinds")
	custom(config)
	fmt.Println("-- discovery")
	discovered(config)
	fmt.Println("-- controller-runtime")
	controllers(config)
	fmt.Println("-- warnings")
	for _, text := range warned.texts {
		fmt.Println(text)
	}
}

type warnings struct{ texts []string }

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) { w.texts = append(w.texts, text) }
