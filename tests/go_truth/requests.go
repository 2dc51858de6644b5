//go:build ignore

// Writes pod_requests.jsonl: what kube-scheduler counts for pods, by the library that it takes. Run it as truth.go, in the
// same module: `go run requests.go`; it writes into ./data. A row: the pod, its requests by resource (cpu in thousandths),
// and cpu and memory as they count for scores.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	helper "k8s.io/component-helpers/resource"
)

var r = rand.New(rand.NewSource(20261141))

func pick(a ...string) string { return a[r.Intn(len(a))] }

var amounts = map[v1.ResourceName][]string{
	"cpu":               {"100m", "250m", "1", "1500m", "0", "2e1", "1n", "0.5", "7", "64"},
	"memory":            {"128Mi", "1Gi", "0", "1e9", "129e6", "200Mi", "1500m", "7Gi"},
	"ephemeral-storage": {"1Gi", "0", "512Mi"},
	"nvidia.com/gpu":    {"1", "2", "8", "0"},
	"hugepages-2Mi":     {"4Mi", "128Mi"},
	"example.com/foo":   {"3", "1"},
	"storage":           {"1Gi"},
}
var names = []v1.ResourceName{"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi", "example.com/foo", "storage"}

func list(chance int, of ...v1.ResourceName) v1.ResourceList {
	out := v1.ResourceList{}
	for _, name := range of {
		if r.Intn(10) < chance {
			out[name] = resource.MustParse(pick(amounts[name]...))
		}
	}
	if len(out) == 0 && r.Intn(2) == 0 {
		return nil
	}
	return out
}

func containers(prefix string, n int, init bool) []v1.Container {
	var out []v1.Container
	for i := 0; i < n; i++ {
		c := v1.Container{Name: fmt.Sprintf("%s%d", prefix, i), Image: "i"}
		c.Resources.Requests = list(pick1(1, 3, 6), names...)
		if init && r.Intn(2) == 0 {
			always := v1.ContainerRestartPolicyAlways
			c.RestartPolicy = &always
		}
		out = append(out, c)
	}
	return out
}

func pick1(a ...int) int { return a[r.Intn(len(a))] }

func statuses(of []v1.Container) []v1.ContainerStatus {
	var out []v1.ContainerStatus
	for _, c := range of {
		if r.Intn(3) == 0 {
			continue
		}
		s := v1.ContainerStatus{Name: c.Name, AllocatedResources: list(4, "cpu", "memory")}
		if r.Intn(3) > 0 {
			s.Resources = &v1.ResourceRequirements{Requests: list(4, "cpu", "memory")}
		}
		out = append(out, s)
	}
	return out
}

func pod() *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p", UID: "u"}}
	p.Spec.Containers = containers("c", 1+r.Intn(3), false)
	p.Spec.InitContainers = containers("i", r.Intn(4), true)
	if r.Intn(4) == 0 {
		p.Spec.Overhead = list(5, "cpu", "memory")
	}
	if r.Intn(3) == 0 {
		p.Spec.Resources = &v1.ResourceRequirements{Requests: list(5, "cpu", "memory", "hugepages-2Mi")}
	}
	if r.Intn(3) == 0 {
		p.Status.ContainerStatuses = statuses(p.Spec.Containers)
		p.Status.InitContainerStatuses = statuses(p.Spec.InitContainers)
		if r.Intn(2) == 0 {
			p.Status.Resources = &v1.ResourceRequirements{Requests: list(5, "cpu", "memory")}
			p.Status.AllocatedResources = list(5, "cpu", "memory")
		}
		if r.Intn(2) == 0 {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Status: "True", Reason: pick(v1.PodReasonInfeasible, v1.PodReasonDeferred)}}
		}
	}
	return p
}

// As pkg/scheduler/framework/types.go of 1.36 does it, with the feature gates that are on by default.
func options(nonMissing v1.ResourceList) helper.PodResourcesOptions {
	return helper.PodResourcesOptions{UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true,
		NonMissingContainerRequests: nonMissing}
}

func scored(p *v1.Pod, requests v1.ResourceList) (int64, int64) {
	defaults := v1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("200Mi")}
	if helper.IsPodLevelRequestsSet(p) {
		for name := range defaults {
			if _, found := requests[name]; found {
				delete(defaults, name)
			}
		}
	}
	if len(defaults) > 0 {
		requests = helper.PodRequests(p, options(defaults))
	}
	return requests.Cpu().MilliValue(), requests.Memory().Value()
}

func main() {
	out, err := os.Create("data/pod_requests.jsonl")
	if err != nil {
		panic(err)
	}
	for i := 0; i < 500; i++ {
		p := pod()
		requests := helper.PodRequests(p, options(nil))
		counted := map[string]int64{}
		for name, q := range requests {
			if name == "cpu" {
				counted["cpu"] = q.MilliValue()
			} else {
				counted[string(name)] = q.Value()
			}
		}
		cpu, memory := scored(p, requests)
		var sb strings.Builder
		e := json.NewEncoder(&sb)
		e.SetEscapeHTML(false)
		if err := e.Encode([]any{p, counted, cpu, memory}); err != nil {
			panic(err)
		}
		fmt.Fprint(out, sb.String())
	}
}
