//go:build ignore

// Writes ray.jsonl: what KubeRay 1.5 makes of RayClusters and RayJobs, by its own functions. Run it as truth.go, in a
// module that requires github.com/ray-project/kuberay/ray-operator v1.5.0: `go run ray.go`; it writes into ./data. With
// files of manifests as arguments it takes their RayClusters and RayJobs in place of its own. A row: the object, and
// what it leads to, by name; of a pod without generateName.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/common"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
)

const image = `"image":"rayproject/ray:2.46.0"`

func group(name, container, more string) string {
	return `{"groupName":"` + name + `","replicas":1,"minReplicas":0,"maxReplicas":5,"numOfHosts":1,` + more +
		`"template":{"spec":{"containers":[{"name":"ray-worker",` + image + container + `}]}}}`
}
func cluster(annotations, head, container, more string, groups ...string) string {
	return `{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"small","namespace":"ml","uid":"u-1","annotations":{` +
		annotations + `}},"spec":{` + more + `"headGroupSpec":{` + head + `"template":{"spec":{"containers":[{"name":"ray-head",` +
		image + container + `}]}}},"workerGroupSpecs":[` + strings.Join(groups, ",") + `]}}`
}
func limits(all string) string {
	return `,"resources":{"limits":{` + all + `},"requests":{` + all + `}}`
}

var cases = []string{
	cluster("", "", "", ""),
	cluster("", `"rayStartParams":{},`, limits(`"cpu":"1500m","memory":"2Gi"`), "", group("cpu", limits(`"cpu":"2","memory":"1G"`), "")),
	cluster("", `"rayStartParams":{"num-cpus":"0","dashboard-host":"127.0.0.1","include-dashboard":"false","block":"false","verbose":"true"},`,
		`,"resources":{"requests":{"cpu":"300m","memory":"1Gi"}}`, "",
		group("gpu", limits(`"cpu":"4","memory":"8Gi","nvidia.com/gpu":"2"`), `"rayStartParams":{"log-color":"auto","no-block":"FALSE"},`)),
	cluster("", `"rayStartParams":{"port":"6380","metrics-export-port":"9090"},`, `,"ports":[{"name":"dash","containerPort":8265},{"containerPort":7000}]`, "",
		group("tpu", limits(`"google.com/tpu":"4","cpu":"1"`), ""),
		group("neuron", limits(`"aws.amazon.com/neuroncore":"2"`), `"rayStartParams":{"resources":"'{\"custom\":2}'"},`),
		group("amd", limits(`"amd.com/gpu":"1"`), "")),
	cluster(`"ray.io/overwrite-container-cmd":"true"`, "", `,"command":["/bin/sh","-c"],"args":["exec ray start --head"]`, "",
		group("own", `,"command":["echo"],"args":["hello","world"]`, "")),
	cluster("", "", `,"command":["echo","before"],"args":["and"]`, "", group("own", `,"command":["bash"],"args":["ray start --address x"]`, "")),
	cluster("", "", `,"env":[{"name":"RAY_PORT","value":"1"},{"name":"RAY_ADDRESS","value":"a:1"},{"name":"RAY_USAGE_STATS_KUBERAY_IN_USE","value":"0"}],
		"volumeMounts":[{"name":"log","mountPath":"/tmp/ray"}],"livenessProbe":{"exec":{"command":["true"]}}`, `"enableInTreeAutoscaling":true,`,
		group("cpu", `,"env":[{"name":"A","value":"b"}],"readinessProbe":{"exec":{"command":["true"]}},"volumeMounts":[{"name":"shm","mountPath":"/dev/shm"}],
		"securityContext":{"runAsUser":1000},"imagePullPolicy":"Always"`, "")),
	cluster("", "", limits(`"cpu":"1","memory":"2Gi"`), `"enableInTreeAutoscaling":true,"autoscalerOptions":{"version":"v2","image":"other:1","imagePullPolicy":"Always",
		"resources":{"limits":{"cpu":"1"}},"env":[{"name":"X","value":"y"}],"envFrom":[{"secretRef":{"name":"s"}}],"volumeMounts":[{"name":"v","mountPath":"/v"}],
		"securityContext":{"runAsUser":7},"idleTimeoutSeconds":30,"upscalingMode":"Default"},`, group("cpu", limits(`"cpu":"1","memory":"2Gi"`), "")),
	cluster("", "", limits(`"cpu":"1"`), `"gcsFaultToleranceOptions":{"redisAddress":"redis:6379","redisUsername":{"value":"u"},
		"redisPassword":{"valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},"externalStorageNamespace":"here"},`, group("cpu", limits(`"cpu":"1"`), "")),
	cluster(`"ray.io/ft-enabled":"true"`, `"rayStartParams":{"redis-password":"secret"},`, `,"env":[{"name":"RAY_REDIS_ADDRESS","value":"redis:6379"}]`, "", group("cpu", "", "")),
	cluster("", `"resources":{"CPU":"2","memory":"4Gi","nvidia.com/gpu":"1","custom":"3"},"labels":{"ray.io/zone":"a","team":"x"},`, "", "",
		group("cpu", "", `"resources":{"CPU":"500m","other":"1500m"},"labels":{"b":"2","a":"1","ray.io/group":"no"},`)),
	cluster("", `"serviceType":"NodePort",`, `,"ports":[{"name":"gcs-server","containerPort":6379},{"name":"metrics","containerPort":8088},{"name":"serve","containerPort":8000}]`, `"headServiceAnnotations":{"x":"y"},`),
	cluster("", `"headService":{"metadata":{"name":"mine","labels":{"ray.io/cluster":"no","own":"yes"},"annotations":{"x":"a","z":"b"}},"spec":{"type":"LoadBalancer","selector":{"a":"b"},"ports":[{"name":"extra","port":1234}]}},`, "", `"headServiceAnnotations":{"x":"y"},`, group("cpu", "", "")),
	strings.Replace(cluster("", "", "", "", group("multi", limits(`"google.com/tpu":"4"`), "")), `"numOfHosts":1`, `"numOfHosts":2`, 1),
	strings.Replace(cluster("", "", "", `"enableInTreeAutoscaling":true,`, group("a-group-with-a-long-name-in-it", "", "")), `"name":"small"`, `"labels":{"ray.io/originated-from-crd":"RayJob"},"name":"a-cluster-with-a-long-name-that-is-of-53-letters-abcd"`, 1),
	strings.Replace(cluster("", "", "", "", group("labelled", "", "")), `"template":{"spec"`, `"template":{"metadata":{"labels":{"app.kubernetes.io/name":"other","ray.io/node-type":"no","mine":"1"},"annotations":{"a":"b"}},"spec"`, -1),
}

const job = `{"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"count","namespace":"ml","uid":"u-2"},"status":{"jobId":"count-x7","dashboardURL":"small-head-svc.ml.svc.cluster.local:8265"},"spec":{`

var jobs = []string{
	job + `"entrypoint":"python a.py","rayClusterSpec":{"headGroupSpec":{"template":{"spec":{"containers":[{"name":"h",` + image + `}]}}}}}}`,
	job + `"entrypoint":" python \"a b.py\" ","runtimeEnvYAML":"env_vars:\n  A: \"b\"\npip:\n- requests==2.26.0\n","metadata":{"k":"v","a":"b\"c"},"entrypointNumCpus":1,"entrypointNumGpus":0.5,"entrypointResources":"{\"Custom\":1}","submitterConfig":{"backoffLimit":5},
		"rayClusterSpec":{"rayVersion":"2.46.0","headGroupSpec":{"template":{"spec":{"containers":[{"name":"h",` + image + `}]}}}}}}`,
	job + `"entrypoint":"x","submitterPodTemplate":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"mine","image":"i","command":["sh"],"env":[{"name":"A","value":"b"}]}]}},
		"rayClusterSpec":{"headGroupSpec":{"template":{"spec":{"containers":[{"name":"h",` + image + `}]}}}}}}`,
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func ofCluster(c rayv1.RayCluster, out map[string]any) {
	ctx := context.Background()
	crd := utils.GetCRDType(c.Labels[utils.RayOriginatedFromCRDLabelKey])
	fresh := func() rayv1.RayCluster {
		f := *c.DeepCopy()
		if f.Spec.HeadGroupSpec.RayStartParams == nil {
			f.Spec.HeadGroupSpec.RayStartParams = map[string]string{}
		}
		for i := range f.Spec.WorkerGroupSpecs {
			if f.Spec.WorkerGroupSpecs[i].RayStartParams == nil {
				f.Spec.WorkerGroupSpecs[i].RayStartParams = map[string]string{}
			}
		}
		return f
	}
	if err := utils.ValidateRayClusterSpec(&c.Spec, c.Annotations); err != nil {
		out["invalid"] = err.Error()
		return
	}
	f := fresh()
	port := common.GetHeadPort(f.Spec.HeadGroupSpec.RayStartParams)
	fqdn := utils.GenerateFQDNServiceName(ctx, f, f.Namespace)
	scales := utils.IsAutoscalingEnabled(&f.Spec)
	template := common.DefaultHeadPodTemplate(ctx, f, f.Spec.HeadGroupSpec, utils.PodName(f.Name, rayv1.HeadNode, true), port)
	out["head"] = common.BuildPod(ctx, template, rayv1.HeadNode, f.Spec.HeadGroupSpec.RayStartParams, port, scales, crd, fqdn, nil)
	workers := []corev1.Pod{}
	for i := range f.Spec.WorkerGroupSpecs {
		f := fresh()
		w := f.Spec.WorkerGroupSpecs[i]
		template := common.DefaultWorkerPodTemplate(ctx, f, w, utils.PodName(f.Name+"-"+w.GroupName, rayv1.WorkerNode, true), fqdn, port, "", 0, 0)
		pod := common.BuildPod(ctx, template, rayv1.WorkerNode, w.RayStartParams, port, scales, crd, fqdn, nil)
		pod.Spec.InitContainers[len(pod.Spec.InitContainers)-1].Args = nil // the script that waits for the head is not compared
		workers = append(workers, pod)
	}
	out["workers"] = workers
	labels := map[string]string{}
	if v, ok := c.Spec.HeadGroupSpec.Template.Labels[utils.KubernetesApplicationNameLabelKey]; ok {
		labels[utils.KubernetesApplicationNameLabelKey] = v
	}
	svc, err := common.BuildServiceForHeadPod(ctx, fresh(), labels, c.Spec.HeadServiceAnnotations)
	must(err)
	out["headService"] = svc
	out["headless"] = common.BuildHeadlessServiceForRayCluster(c)
	if serve, err := common.BuildServeServiceForRayCluster(ctx, fresh()); err == nil {
		out["serve"] = serve
	}
	if scales {
		account, err := common.BuildServiceAccount(&c)
		must(err)
		role, err := common.BuildRole(&c)
		must(err)
		binding, err := common.BuildRoleBinding(&c)
		must(err)
		account.Name, role.Name, binding.Name = utils.CheckName(account.Name), utils.CheckName(role.Name), utils.CheckName(binding.Name)
		out["serviceAccount"], out["role"], out["roleBinding"] = account, role, binding
	}
	for i := range f.Spec.WorkerGroupSpecs {
		if f.Spec.WorkerGroupSpecs[i].Replicas == nil {
			return
		}
	}
	total := map[string]any{}
	for name, q := range utils.CalculateDesiredResources(&c) {
		total[string(name)] = q
	}
	out["desired"] = total
}

func ofJob(j rayv1.RayJob, out map[string]any) {
	command, err := common.BuildJobSubmitCommand(&j, rayv1.K8sJobMode)
	must(err)
	out["command"] = strings.Join(command, " ")
	if j.Spec.RayClusterSpec != nil {
		out["template"] = common.GetSubmitterTemplate(&j.Spec, j.Spec.RayClusterSpec)
	}
}

func main() {
	var documents [][]byte
	for _, name := range os.Args[1:] {
		text, err := os.ReadFile(name)
		must(err)
		for _, part := range bytes.Split(text, []byte("\n---")) {
			if d, err := yaml.ToJSON(part); err == nil {
				documents = append(documents, d)
			}
		}
	}
	if len(documents) == 0 {
		for _, c := range append(cases, jobs...) {
			documents = append(documents, []byte(c))
		}
	}
	must(os.MkdirAll("data", 0o755))
	file, err := os.Create("data/ray.jsonl")
	must(err)
	for _, d := range documents {
		var object map[string]any
		if json.Unmarshal(d, &object) != nil {
			continue
		}
		out := map[string]any{"object": object}
		switch object["kind"] {
		case "RayCluster":
			var c rayv1.RayCluster
			must(json.Unmarshal(d, &c))
			for i := range c.Spec.WorkerGroupSpecs { // as the CRD has it
				if c.Spec.WorkerGroupSpecs[i].NumOfHosts == 0 {
					c.Spec.WorkerGroupSpecs[i].NumOfHosts = 1
				}
			}
			ofCluster(c, out)
		case "RayJob":
			var j rayv1.RayJob
			must(json.Unmarshal(d, &j))
			if j.Spec.SubmissionMode == "SidecarMode" || j.Spec.RayClusterSpec == nil {
				continue
			}
			if j.Status.DashboardURL == "" {
				j.Status.DashboardURL, j.Status.JobId = "d:8265", "id-1"
			}
			ofJob(j, out)
		default:
			continue
		}
		row, err := json.Marshal(out)
		must(err)
		fmt.Fprintf(file, "%s\n", row)
	}
	must(file.Close())
}
