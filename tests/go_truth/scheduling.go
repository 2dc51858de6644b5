//go:build ignore

// Writes scheduling.jsonl: what kube-scheduler's plugins say of a pod in a small cluster. Run it in a copy of the module
// scripts/control-plane that requires k8s.io/kubernetes v1.37.2: `go run scheduling.go SEED COUNT >scheduling.jsonl`.
// A row: the objects of a cluster by their kinds, the pod, and for each plugin what it filters and scores, as
// tests/scheduling/plugin_world.hpp writes it.
// `go run scheduling.go SEED COUNT decisions >scheduling_decisions.jsonl` writes what its framework decides with all of
// them. A row: the objects of a cluster, some pods, and for each of them the sums of the scores of the nodes that can
// take it, or the message if none can.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	schedruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"
)

var r *rand.Rand

func one(n int) bool          { return r.Intn(n) == 0 }
func pick(a ...string) string { return a[r.Intn(len(a))] }
func several(n int) int       { return r.Intn(n + 1) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

var appNames = []string{"web", "db", "cache"}

func labels() map[string]string {
	out := map[string]string{}
	if !one(6) {
		out["app"] = pick("web", "web", "db", "cache")
	}
	if one(2) {
		out["version"] = pick("1", "2")
	}
	return out
}

func amounts(of map[v1.ResourceName][]string) v1.ResourceList {
	out := v1.ResourceList{}
	for _, name := range []v1.ResourceName{"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "example.com/x"} {
		if values, ok := of[name]; ok && !one(3) {
			out[name] = resource.MustParse(pick(values...))
		}
	}
	return out
}

func requests() v1.ResourceList {
	return amounts(map[v1.ResourceName][]string{
		"cpu": {"100m", "500m", "1", "2", "3", "0"}, "memory": {"100Mi", "1Gi", "2Gi", "5Gi"},
		"ephemeral-storage": {"1Gi", "9Gi"}, "nvidia.com/gpu": {"1", "2"}, "example.com/x": {"0", "1"},
	})
}

func taint() v1.Taint {
	return v1.Taint{Key: pick("gpu", "old", "node.kubernetes.io/unschedulable"), Value: pick("", "yes"),
		Effect: v1.TaintEffect(pick("NoSchedule", "NoExecute", "PreferNoSchedule"))}
}

func toleration() v1.Toleration {
	out := v1.Toleration{Operator: v1.TolerationOperator(pick("", "Equal", "Exists")),
		Effect: v1.TaintEffect(pick("", "NoSchedule", "NoExecute", "PreferNoSchedule"))}
	if !one(5) {
		out.Key = pick("gpu", "old", "node.kubernetes.io/unschedulable")
	}
	if out.Operator != "Exists" {
		out.Value = pick("", "yes")
	}
	return out
}

const mi = 1024 * 1024

func node(i int) *v1.Node {
	name := fmt.Sprintf("n%d", i)
	out := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	if !one(8) {
		out.Labels["kubernetes.io/hostname"] = name
	}
	if !one(10) {
		out.Labels["zone"] = pick("a", "a", "b", "c")
	}
	if one(2) {
		out.Labels["rack"] = pick("1", "2")
	}
	if one(3) {
		out.Labels["size"] = pick("5", "10", "big")
	}
	for k := several(2); k > 0 && one(2); k-- {
		out.Spec.Taints = append(out.Spec.Taints, taint())
	}
	out.Spec.Unschedulable = one(10)
	out.Status.Allocatable = amounts(map[v1.ResourceName][]string{
		"cpu": {"1", "2", "4"}, "memory": {"2Gi", "4Gi", "8Gi"}, "ephemeral-storage": {"10Gi"},
		"nvidia.com/gpu": {"1", "2", "4"}, "example.com/x": {"1"},
	})
	out.Status.Allocatable["pods"] = resource.MustParse(pick("2", "5", "110", "110"))
	for _, image := range []string{"web:1", "tool:latest", "registry:5000/db:latest"} {
		if one(2) {
			size := map[string]int64{"web:1": 300 * mi, "tool:latest": 1700 * mi, "registry:5000/db:latest": 90 * mi}
			out.Status.Images = append(out.Status.Images, v1.ContainerImage{Names: []string{image}, SizeBytes: size[image]})
		}
	}
	return out
}

func selector() *metav1.LabelSelector {
	switch r.Intn(8) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"web", "db"}}}}
	case 3:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "version", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(appNames...)}}
}

func key() string {
	return pick("zone", "zone", "zone", "zone", "kubernetes.io/hostname", "kubernetes.io/hostname", "rack")
}

func term() v1.PodAffinityTerm {
	out := v1.PodAffinityTerm{TopologyKey: key(), LabelSelector: selector()}
	if one(4) {
		out.Namespaces = []string{pick("default", "team-x")}
		if one(3) {
			out.Namespaces = []string{"default", "team-x"}
		}
	}
	switch r.Intn(8) {
	case 0:
		out.NamespaceSelector = &metav1.LabelSelector{}
	case 1:
		out.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": pick("x", "y")}}
	}
	return out
}

func terms(chance int) (out []v1.PodAffinityTerm) {
	for one(chance) && len(out) < 2 {
		out = append(out, term())
	}
	return out
}

func weighted(chance int) (out []v1.WeightedPodAffinityTerm) {
	for one(chance) && len(out) < 2 {
		out = append(out, v1.WeightedPodAffinityTerm{Weight: int32(1 + r.Intn(100)), PodAffinityTerm: term()})
	}
	return out
}

func podAffinity(spec *v1.PodSpec, chance int) {
	if spec.Affinity == nil {
		spec.Affinity = &v1.Affinity{}
	}
	if one(2) {
		spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(chance),
			PreferredDuringSchedulingIgnoredDuringExecution: weighted(chance)}
	}
	if one(2) {
		spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(chance),
			PreferredDuringSchedulingIgnoredDuringExecution: weighted(chance)}
	}
}

func nodeTerm() v1.NodeSelectorTerm {
	var out v1.NodeSelectorTerm
	for n := 1 + r.Intn(2); n > 0; n-- {
		of := v1.NodeSelectorRequirement{Key: pick("zone", "rack", "size"), Operator: v1.NodeSelectorOperator(pick("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))}
		switch of.Operator {
		case "In", "NotIn":
			of.Values = []string{pick("a", "b", "1", "5")}
		case "Gt", "Lt":
			of.Key, of.Values = "size", []string{pick("7", "7", "x")}
		}
		out.MatchExpressions = append(out.MatchExpressions, of)
	}
	if one(4) {
		out.MatchExpressions = nil
	}
	for n := several(2); n > 0 && one(3); n-- {
		out.MatchFields = append(out.MatchFields, v1.NodeSelectorRequirement{Key: "metadata.name",
			Operator: v1.NodeSelectorOperator(pick("In", "In", "NotIn")), Values: []string{fmt.Sprintf("n%d", r.Intn(5))}})
	}
	return out
}

// A term without values that are wrong: a preferred one that is wrong fails the pod.
func correct(term v1.NodeSelectorTerm) bool {
	for _, of := range term.MatchExpressions {
		if (of.Operator == "Gt" || of.Operator == "Lt") && of.Values[0] == "x" {
			return false
		}
	}
	return true
}

func nodeAffinity(spec *v1.PodSpec) {
	if one(3) {
		spec.NodeSelector = map[string]string{pick("zone", "rack"): pick("a", "b", "1")}
	}
	if spec.Affinity == nil {
		spec.Affinity = &v1.Affinity{}
	}
	of := &v1.NodeAffinity{}
	if one(2) {
		of.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
		for n := several(2); n > 0; n-- {
			to := of.RequiredDuringSchedulingIgnoredDuringExecution
			to.NodeSelectorTerms = append(to.NodeSelectorTerms, nodeTerm())
		}
	}
	for n := several(3); n > 0; n-- {
		if preference := nodeTerm(); correct(preference) {
			of.PreferredDuringSchedulingIgnoredDuringExecution = append(of.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: int32(1 + r.Intn(100)), Preference: preference})
		}
	}
	spec.Affinity.NodeAffinity = of
}

func spread(spec *v1.PodSpec) {
	for n := 1 + r.Intn(2); n > 0; n-- {
		out := v1.TopologySpreadConstraint{TopologyKey: key(), MaxSkew: int32(1 + r.Intn(3)), LabelSelector: selector(),
			WhenUnsatisfiable: v1.UnsatisfiableConstraintAction(pick("DoNotSchedule", "ScheduleAnyway"))}
		if out.WhenUnsatisfiable == "DoNotSchedule" && one(3) {
			out.MinDomains = ptr.To(int32(1 + r.Intn(4)))
		}
		if one(3) {
			out.MatchLabelKeys = []string{"version"}
		}
		if one(3) {
			out.NodeAffinityPolicy = ptr.To(v1.NodeInclusionPolicy(pick("Honor", "Ignore")))
		}
		if one(3) {
			out.NodeTaintsPolicy = ptr.To(v1.NodeInclusionPolicy(pick("Honor", "Ignore")))
		}
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, out)
	}
}

func container(name string, chance int) v1.Container {
	out := v1.Container{Name: name, Image: pick("web:1", "tool", "registry:5000/db", "none:1")}
	if !one(3) {
		out.Resources.Requests = requests()
	}
	if one(chance) {
		out.Ports = append(out.Ports, v1.ContainerPort{ContainerPort: 80, HostPort: int32(80 + r.Intn(2)),
			Protocol: v1.Protocol(pick("TCP", "UDP", "")), HostIP: pick("", "0.0.0.0", "10.0.0.1", "10.0.0.2")})
	}
	return out
}

func pod(namespace, name string) *v1.Pod {
	out := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + namespace + "-" + name), Labels: labels()}}
	out.Spec.Containers = append(out.Spec.Containers, container("c0", 3))
	if one(4) {
		out.Spec.Containers = append(out.Spec.Containers, container("c1", 3))
	}
	if one(5) {
		init := container("i0", 4)
		if one(2) {
			init.RestartPolicy = ptr.To(v1.ContainerRestartPolicyAlways)
		}
		out.Spec.InitContainers = append(out.Spec.InitContainers, init)
	}
	if one(6) {
		out.Spec.Volumes = append(out.Spec.Volumes, v1.Volume{Name: "image", VolumeSource: v1.VolumeSource{
			Image: &v1.ImageVolumeSource{Reference: pick("web:1", "registry:5000/db", "none:1")}}})
	}
	return out
}

type world struct {
	Nodes      []*v1.Node
	Pods       []*v1.Pod
	Namespaces []*v1.Namespace
	Claims     []*v1.PersistentVolumeClaim
	Volumes    []*v1.PersistentVolume
	Classes    []*storagev1.StorageClass
	Drivers    []*storagev1.CSIDriver
	Capacities []*storagev1.CSIStorageCapacity
}

func inZone(zone string) *v1.VolumeNodeAffinity {
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: "In", Values: []string{zone}}}}}}}
}

func storage(w *world, p *v1.Pod) {
	class := func(name, provisioner string, mode storagev1.VolumeBindingMode, zones ...string) {
		out := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode}
		if len(zones) > 0 {
			out.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: "zone", Values: zones}}}}
		}
		w.Classes = append(w.Classes, out)
	}
	class("wait", "disks", storagev1.VolumeBindingWaitForFirstConsumer)
	class("wait-a", "disks", storagev1.VolumeBindingWaitForFirstConsumer, "a")
	class("local", "kubernetes.io/no-provisioner", storagev1.VolumeBindingWaitForFirstConsumer)
	class("now", "disks", storagev1.VolumeBindingImmediate)
	w.Drivers = append(w.Drivers, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "disks"},
		Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr.To(one(2))}})
	for _, zone := range []string{"a", "b"} {
		size := resource.MustParse(pick("1Gi", "5Gi"))
		w.Capacities = append(w.Capacities, &storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "in-" + zone},
			StorageClassName: pick("wait", "wait-a"), Capacity: &size,
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{"zone": zone}}})
	}
	for i := 0; i < 5; i++ {
		out := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("v%d", i), Labels: map[string]string{"kind": pick("fast", "slow")}}}
		out.Spec.StorageClassName = pick("local", "wait")
		out.Spec.Capacity = v1.ResourceList{"storage": resource.MustParse(fmt.Sprintf("%d", (1+i)*mi*1024))}
		out.Spec.AccessModes = []v1.PersistentVolumeAccessMode{"ReadWriteOnce"}
		if one(2) {
			out.Spec.AccessModes = append(out.Spec.AccessModes, "ReadWriteMany")
		}
		if !one(4) {
			out.Spec.NodeAffinity = inZone(pick("a", "b"))
		}
		if one(4) {
			out.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: pick("c0", "c1", "other")}
		}
		out.Status.Phase = v1.PersistentVolumePhase(pick("Available", "Available", "Available", "Bound"))
		w.Volumes = append(w.Volumes, out)
	}
	for i := r.Intn(2); i >= 0; i-- {
		name := fmt.Sprintf("c%d", i)
		out := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name), Annotations: map[string]string{}}}
		out.Spec.StorageClassName = ptr.To(pick("local", "local", "wait", "wait", "wait-a", "now", "gone"))
		out.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.PersistentVolumeAccessMode(pick("ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany"))}
		out.Spec.Resources.Requests = v1.ResourceList{"storage": resource.MustParse(pick("1Gi", "2Gi", "3Gi"))}
		switch r.Intn(8) {
		case 0, 1:
			out.Spec.VolumeName = pick("v0", "v1", "gone")
			out.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
		case 2:
			out.Annotations["volume.kubernetes.io/selected-node"] = fmt.Sprintf("n%d", r.Intn(4))
		case 3:
			out.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"kind": "fast"}}
		case 4:
			if one(3) {
				out.Status.Phase = v1.ClaimLost
			}
		}
		if !one(10) {
			w.Claims = append(w.Claims, out)
		}
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: name, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
	}
}

func makeWorld() (*world, *v1.Pod) {
	w := &world{}
	for _, name := range []string{"default", "team-x", "team-y"} {
		out := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
		if strings.HasPrefix(name, "team-") {
			out.Labels["team"] = strings.TrimPrefix(name, "team-")
		}
		w.Namespaces = append(w.Namespaces, out)
	}
	for i := 3 + r.Intn(3); i > 0; i-- {
		w.Nodes = append(w.Nodes, node(len(w.Nodes)))
	}
	for i := several(9); i > 0; i-- {
		p := pod(pick("default", "default", "default", "team-x"), fmt.Sprintf("q%d", i))
		p.Spec.NodeName = w.Nodes[r.Intn(len(w.Nodes))].Name
		if one(3) {
			podAffinity(&p.Spec, 2)
		}
		if one(10) {
			p.DeletionTimestamp = &metav1.Time{Time: metav1.Unix(1767225600, 0).Time}
		}
		w.Pods = append(w.Pods, p)
	}
	p := pod(pick("default", "default", "team-x"), "p")
	for n := several(2); n > 0; n-- {
		p.Spec.Tolerations = append(p.Spec.Tolerations, toleration())
	}
	if one(2) {
		podAffinity(&p.Spec, 2)
	}
	if one(2) {
		nodeAffinity(&p.Spec)
	}
	if one(2) {
		spread(&p.Spec)
	}
	if one(3) && p.Namespace == "default" {
		storage(w, p)
	}
	return w, p
}

func text(status *fwk.Status) string {
	mark := "!"
	switch status.Code() {
	case fwk.Success:
		return "ok"
	case fwk.Skip:
		return "skip"
	case fwk.Unschedulable:
		mark = "-"
	case fwk.Error:
		return "error"
	}
	reasons := append([]string{}, status.Reasons()...)
	sort.Strings(reasons)
	return mark + strings.Join(reasons, " + ")
}

type answer struct{ Filtered, Scored string }

func ask(ctx context.Context, plugin fwk.Plugin, p *v1.Pod, nodes []fwk.NodeInfo) (out answer) {
	state := framework.NewCycleState()
	var named *fwk.PreFilterResult
	before := fwk.NewStatus(fwk.Success)
	if of, ok := plugin.(fwk.PreFilterPlugin); ok {
		named, before = of.PreFilter(ctx, state, p, nodes)
	}
	if of, ok := plugin.(fwk.FilterPlugin); ok {
		if before.IsSuccess() {
			var parts []string
			for _, n := range nodes {
				if named == nil || named.AllNodes() || named.NodeNames.Has(n.Node().Name) {
					parts = append(parts, n.Node().Name+" "+text(of.Filter(ctx, state, p, n)))
				}
			}
			out.Filtered = strings.Join(parts, ", ")
		} else {
			out.Filtered = "all " + text(before)
		}
	}
	score, ok := plugin.(fwk.ScorePlugin)
	if !ok || plugin.Name() == "VolumeBinding" {
		return out
	}
	if of, ok := plugin.(fwk.PreScorePlugin); ok {
		if said := of.PreScore(ctx, state, p, nodes); !said.IsSuccess() {
			out.Scored = text(said)
			return out
		}
	}
	var scores fwk.NodeScoreList
	for _, n := range nodes {
		value, said := score.Score(ctx, state, p, n)
		must(said.AsError())
		scores = append(scores, fwk.NodeScore{Name: n.Node().Name, Score: value})
	}
	if extensions := score.ScoreExtensions(); extensions != nil {
		must(extensions.NormalizeScore(ctx, state, p, scores).AsError())
	}
	var parts []string
	for _, one := range scores {
		parts = append(parts, one.Name+" "+strconv.FormatInt(one.Score, 10))
	}
	out.Scored = strings.Join(parts, ", ")
	return out
}

type maker func(context.Context, runtime.Object, fwk.Handle, feature.Features) (fwk.Plugin, error)

// One that needs no feature gates.
func plain(f func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error)) maker {
	return func(ctx context.Context, args runtime.Object, h fwk.Handle, _ feature.Features) (fwk.Plugin, error) {
		return f(ctx, args, h)
	}
}

// A larger cluster, and pods of which each is decided for itself.
func makeLargeWorld(pods int) (*world, []*v1.Pod) {
	w, _ := makeWorld()
	for more := several(20 - len(w.Nodes)); more > 0; more-- {
		w.Nodes = append(w.Nodes, node(len(w.Nodes)))
	}
	for i := several(2 * len(w.Nodes)); i > 0; i-- {
		p := pod(pick("default", "default", "default", "team-x"), fmt.Sprintf("r%d", i))
		p.Spec.NodeName = w.Nodes[r.Intn(len(w.Nodes))].Name
		if one(6) {
			podAffinity(&p.Spec, 3)
		}
		w.Pods = append(w.Pods, p)
	}
	if len(w.Classes) == 0 {
		storage(w, pod("default", "unused"))
	}
	var out []*v1.Pod
	for i := 0; i < pods; i++ {
		p := pod(pick("default", "default", "team-x"), fmt.Sprintf("p%d", i))
		for n := several(2); n > 0; n-- {
			p.Spec.Tolerations = append(p.Spec.Tolerations, toleration())
		}
		if one(3) {
			podAffinity(&p.Spec, 3)
		}
		if one(3) {
			nodeAffinity(&p.Spec)
		}
		if one(3) {
			spread(&p.Spec)
		}
		if one(6) && p.Namespace == "default" {
			name := pick("c0", "c1")
			p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: name, VolumeSource: v1.VolumeSource{
				PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		}
		out = append(out, p)
	}
	return w, out
}

// What kube-scheduler has without a configuration.
func volumes() *config.VolumeBindingArgs {
	return &config.VolumeBindingArgs{BindTimeoutSeconds: 600, Shape: []config.UtilizationShapePoint{
		{Utilization: 0, Score: int32(config.MaxCustomPriorityScore)}, {Utilization: 100, Score: 0}}}
}

type decided struct {
	Message string
	Scores  map[string]int64
}

// As schedulePod of kube-scheduler goes through its framework, for all nodes.
func decide(ctx context.Context, by framework.Framework, p *v1.Pod, nodes []fwk.NodeInfo) decided {
	state := framework.NewCycleState()
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	refused := func() decided {
		of := &framework.FitError{Pod: p, NumAllNodes: len(nodes), Diagnosis: diagnosis}
		return decided{Message: of.Error()}
	}
	named, said, namers := by.RunPreFilterPlugins(ctx, state, p)
	if !said.IsSuccess() {
		if !said.IsRejected() {
			return decided{Message: "error"}
		}
		diagnosis.NodeToStatus.SetAbsentNodesStatus(said)
		diagnosis.PreFilterMsg = said.Message()
		return refused()
	}
	var feasible []fwk.NodeInfo
	for _, n := range nodes {
		if !named.AllNodes() && !named.NodeNames.Has(n.Node().Name) {
			continue
		}
		said := by.RunFilterPlugins(ctx, state, p, n)
		if said.Code() == fwk.Error {
			return decided{Message: "error"}
		}
		if said.IsSuccess() {
			feasible = append(feasible, n)
		} else {
			diagnosis.NodeToStatus.Set(n.Node().Name, said)
		}
	}
	if len(feasible) == 0 {
		if !named.AllNodes() {
			diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
				fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(namers))))
		}
		return refused()
	}
	must(by.RunPreScorePlugins(ctx, state, p, feasible).AsError())
	scores, said := by.RunScorePlugins(ctx, state, p, feasible)
	must(said.AsError())
	out := decided{Scores: map[string]int64{}}
	for _, one := range scores {
		out.Scores[one.Name] = one.TotalScore
	}
	return out
}

// kube-scheduler's plugins that there are here too, in its order, with its settings.
func decisions(w *world, pods []*v1.Pod) (out []decided) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := serve(ctx, w)
	both := []config.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
	registry := schedruntime.Registry{}
	profile := &config.KubeSchedulerProfile{SchedulerName: "default-scheduler", Plugins: &config.Plugins{}}
	with := func(name string, f maker, args runtime.Object, weight int32) {
		must(registry.Register(name, func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			return f(ctx, args, h, c.fts)
		}))
		to := &profile.Plugins.MultiPoint
		to.Enabled = append(to.Enabled, config.Plugin{Name: name, Weight: weight})
		if args != nil {
			profile.PluginConfig = append(profile.PluginConfig, config.PluginConfig{Name: name, Args: args})
		}
	}
	with("PrioritySort", plain(queuesort.New), nil, 0)
	with("NodeUnschedulable", nodeunschedulable.New, nil, 0)
	with("NodeName", nodename.New, nil, 0)
	with("TaintToleration", tainttoleration.New, nil, 3)
	with("NodeAffinity", nodeaffinity.New, &config.NodeAffinityArgs{}, 2)
	with("NodePorts", nodeports.New, nil, 0)
	with("NodeResourcesFit", noderesources.NewFit, &config.NodeResourcesFitArgs{
		ScoringStrategy: &config.ScoringStrategy{Type: config.LeastAllocated, Resources: both}}, 1)
	with("VolumeBinding", volumebinding.New, volumes(), 1)
	with("PodTopologySpread", podtopologyspread.New, &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting}, 2)
	with("InterPodAffinity", interpodaffinity.New, &config.InterPodAffinityArgs{HardPodAffinityWeight: 1}, 2)
	with("NodeResourcesBalancedAllocation", noderesources.NewBalancedAllocation, &config.NodeResourcesBalancedAllocationArgs{Resources: both}, 1)
	with("ImageLocality", plain(imagelocality.New), nil, 1)
	with("DefaultBinder", plain(defaultbinder.New), nil, 0)
	by, err := schedruntime.NewFramework(ctx, registry, profile, schedruntime.WithSnapshotSharedLister(c.snapshot),
		schedruntime.WithInformerFactory(c.factory), schedruntime.WithClientSet(c.client))
	must(err)
	c.start(ctx)
	for _, p := range pods {
		out = append(out, decide(ctx, by, p, c.nodes))
	}
	return out
}

// A cluster of these objects, as plugins see it.
type cluster struct {
	client   *fake.Clientset
	factory  informers.SharedInformerFactory
	snapshot *internalcache.Snapshot
	nodes    []fwk.NodeInfo
	fts      feature.Features
}

func (c *cluster) start(ctx context.Context) {
	c.factory.Start(ctx.Done())
	c.factory.WaitForCacheSync(ctx.Done())
}

func serve(ctx context.Context, w *world) *cluster {
	var objects []runtime.Object
	for _, o := range w.Nodes {
		objects = append(objects, o)
	}
	for _, o := range w.Namespaces {
		objects = append(objects, o)
	}
	for _, o := range w.Claims {
		objects = append(objects, o)
	}
	for _, o := range w.Volumes {
		objects = append(objects, o)
	}
	for _, o := range w.Classes {
		objects = append(objects, o)
	}
	for _, o := range w.Drivers {
		objects = append(objects, o)
	}
	for _, o := range w.Capacities {
		objects = append(objects, o)
	}
	c := &cluster{client: fake.NewSimpleClientset(objects...), snapshot: internalcache.NewSnapshot(w.Pods, w.Nodes)}
	c.factory = informers.NewSharedInformerFactory(c.client, 0)
	nodes, err := c.snapshot.NodeInfos().List()
	must(err)
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Node().Name < nodes[j].Node().Name })
	c.nodes = nodes
	c.fts = feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	c.fts.EnableDRAExtendedResource = false // a cluster without device classes
	return c
}

func answers(w *world, p *v1.Pod) map[string]answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := serve(ctx, w)
	handle, err := schedruntime.NewFramework(ctx, nil, nil, schedruntime.WithSnapshotSharedLister(c.snapshot),
		schedruntime.WithInformerFactory(c.factory), schedruntime.WithClientSet(c.client))
	must(err)
	both := []config.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
	three := append(both[:2:2], config.ResourceSpec{Name: "nvidia.com/gpu", Weight: 1})
	weighed := append(both[:2:2], config.ResourceSpec{Name: "nvidia.com/gpu", Weight: 3})
	fit := func(strategy config.ScoringStrategyType, of []config.ResourceSpec) *config.NodeResourcesFitArgs {
		return &config.NodeResourcesFitArgs{ScoringStrategy: &config.ScoringStrategy{Type: strategy, Resources: of}}
	}
	plugins := map[string]fwk.Plugin{}
	add := func(name string, made fwk.Plugin, err error) {
		must(err)
		plugins[name] = made
	}
	with := func(name string, f maker, args runtime.Object) {
		made, err := f(ctx, args, handle, c.fts)
		add(name, made, err)
	}
	image, err := imagelocality.New(ctx, nil, handle)
	add("ImageLocality", image, err)
	with("InterPodAffinity", interpodaffinity.New, &config.InterPodAffinityArgs{HardPodAffinityWeight: 1})
	with("NodeAffinity", nodeaffinity.New, &config.NodeAffinityArgs{})
	with("NodeName", nodename.New, nil)
	with("NodePorts", nodeports.New, nil)
	with("NodeResourcesFit", noderesources.NewFit, fit(config.LeastAllocated, both))
	with("NodeResourcesFit most", noderesources.NewFit, fit(config.MostAllocated, weighed))
	with("NodeResourcesBalancedAllocation", noderesources.NewBalancedAllocation, &config.NodeResourcesBalancedAllocationArgs{Resources: both})
	with("NodeResourcesBalancedAllocation three", noderesources.NewBalancedAllocation, &config.NodeResourcesBalancedAllocationArgs{Resources: three})
	with("NodeUnschedulable", nodeunschedulable.New, nil)
	with("PodTopologySpread", podtopologyspread.New, &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting})
	with("TaintToleration", tainttoleration.New, nil)
	with("VolumeBinding", volumebinding.New, volumes())
	c.start(ctx)
	out := map[string]answer{}
	for name, plugin := range plugins {
		out[name] = ask(ctx, plugin, p, c.nodes)
	}
	return out
}

func main() {
	klog.SetOutput(os.Stderr)
	klog.LogToStderr(false)
	metrics.Register()
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	must(err)
	count, err := strconv.Atoi(os.Args[2])
	must(err)
	r = rand.New(rand.NewSource(seed))
	to := json.NewEncoder(os.Stdout)
	to.SetEscapeHTML(false)
	for i := 0; i < count; i++ {
		if len(os.Args) > 3 {
			w, pods := makeLargeWorld(20)
			must(to.Encode([]any{w, pods, decisions(w, pods)}))
			continue
		}
		w, p := makeWorld()
		must(to.Encode([]any{w, p, answers(w, p)}))
	}
}
