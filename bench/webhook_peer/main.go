// The peer's side of bench/webhook_figures.py: a webhook server of controller-runtime that does what
// bench/webhook_server.cpp does, and the load for both.
//
//	webhook_peer serve PORT CERT_DIR
//	webhook_peer load URL CA BODY RATE SECONDS WORKERS [CERT KEY]   requests a second; 0: as many as there can be
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

type podHooks struct{}

func (podHooks) Default(_ context.Context, pod *corev1.Pod) error {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	if pod.Labels["team"] == "" {
		pod.Labels["team"] = "none"
	}
	return nil
}

func (podHooks) judge(pod *corev1.Pod) (admission.Warnings, error) {
	for _, c := range pod.Spec.Containers {
		if !strings.HasPrefix(c.Image, "registry.example.com/") {
			return nil, fmt.Errorf("container %s: image %s is of another registry", c.Name, c.Image)
		}
	}
	return nil, nil
}

func (h podHooks) ValidateCreate(_ context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	return h.judge(pod)
}

func (h podHooks) ValidateUpdate(_ context.Context, _, pod *corev1.Pod) (admission.Warnings, error) {
	return h.judge(pod)
}

func (podHooks) ValidateDelete(context.Context, *corev1.Pod) (admission.Warnings, error) { return nil, nil }

func serve(port, certificates string) {
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: must(strconv.Atoi(port)), CertDir: certificates})
	server.Register("/mutate--v1-pod", admission.WithDefaulter[*corev1.Pod](clientgoscheme.Scheme, podHooks{}))
	server.Register("/validate--v1-pod", admission.WithValidator[*corev1.Pod](clientgoscheme.Scheme, podHooks{}))
	must(0, server.Start(ctrl.SetupSignalHandler()))
}

func load(url, ca, file string, rate int, seconds float64, workers int, pair []string) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(must(os.ReadFile(ca)))
	config := &tls.Config{RootCAs: pool}
	if len(pair) == 2 {
		config.Certificates = []tls.Certificate{must(tls.LoadX509KeyPair(pair[0], pair[1]))}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, MaxIdleConnsPerHost: workers}}
	body := must(os.ReadFile(file))
	var lock sync.Mutex
	var times []float64
	failed := map[int]int{}
	begin := time.Now()
	end := begin.Add(time.Duration(seconds * float64(time.Second)))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			var mine []float64
			for i := 0; ; i++ {
				due := time.Now()
				if rate > 0 {
					// Latency counts from when the request was due, not from when there was time for it.
					due = begin.Add(time.Duration(float64(i*workers+w) / float64(rate) * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				if due.After(end) {
					break
				}
				answer := must(client.Post(url, "application/json", bytes.NewReader(body)))
				must(io.Copy(io.Discard, answer.Body))
				answer.Body.Close()
				if answer.StatusCode > 299 {
					lock.Lock()
					failed[answer.StatusCode]++
					lock.Unlock()
				}
				mine = append(mine, float64(time.Since(due).Microseconds())/1000)
			}
			lock.Lock()
			times = append(times, mine...)
			lock.Unlock()
		})
	}
	all.Wait()
	took := time.Since(begin).Seconds()
	slices.Sort(times)
	at := func(part float64) float64 { return times[int(part*float64(len(times)-1))] }
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{"count": len(times), "rate": float64(len(times)) / took,
		"p50": at(0.5), "p99": at(0.99), "max": at(1), "failed": failed}))
}

func main() {
	args := os.Args[1:]
	switch {
	case len(args) == 3 && args[0] == "serve":
		serve(args[1], args[2])
	case len(args) >= 7 && args[0] == "load":
		load(args[1], args[2], args[3], must(strconv.Atoi(args[4])), must(strconv.ParseFloat(args[5], 64)),
			must(strconv.Atoi(args[6])), args[7:])
	default:
		fmt.Fprintln(os.Stderr, "usage: webhook_peer serve PORT CERT_DIR | load URL CA BODY RATE SECONDS WORKERS [CERT KEY]")
		os.Exit(2)
	}
}
