package main

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	authv1 "k8s.io/api/authentication/v1"
	authzv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func namespaces(config *rest.Config) {
	client := kubernetes.NewForConfigOrDie(config)
	for _, name := range []string{"go-json", "go-protobuf", "go-informed", "go-custom", "go-runtime"} {
		_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{})
		say("namespace "+name, err)
		// Nobody makes it where no controllers are.
		_, _ = client.CoreV1().ServiceAccounts(name).Create(ctx,
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	}
}

func text(value any) string {
	bytes, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(bytes)
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "image"}}}}
}

// managers tells who owns what, without times.
func managers(object metav1.Object) string {
	out := ""
	for _, m := range object.GetManagedFields() {
		out += fmt.Sprintf("%s %s %q %s; ", m.Manager, m.Operation, m.Subresource, m.FieldsV1.Raw)
	}
	return out
}

func typed(config *rest.Config, ns string) {
	client := kubernetes.NewForConfigOrDie(config)
	maps := client.CoreV1().ConfigMaps(ns)
	zero, seconds := int64(0), int64(3600)

	made, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"n": "1"}},
		Data: map[string]string{"k": "v"}, BinaryData: map[string][]byte{"b": {0, 255}}}, metav1.CreateOptions{})
	say("create", err, text(made.Data), text(made.BinaryData), managers(made))
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	say("create again", err)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "A_"}}, metav1.CreateOptions{})
	say("create with a bad name", err)
	generated, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "g-"}}, metav1.CreateOptions{})
	say("create with a generated name", err, len(generated.Name))
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}}, metav1.CreateOptions{DryRun: []string{"All"}})
	say("create, dry run", err)
	_, err = maps.Get(ctx, "dry", metav1.GetOptions{})
	say("get what is not there", err)
	stale := made.DeepCopy()
	made.Data["k"] = "w"
	made, err = maps.Update(ctx, made, metav1.UpdateOptions{FieldManager: "updater"})
	say("update", err, text(made.Data), managers(made))
	_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
	say("update what is stale", err)
	other := made.DeepCopy()
	other.UID = "other"
	_, err = maps.Update(ctx, other, metav1.UpdateOptions{})
	say("update with another uid", err)
	for kind, patch := range map[types.PatchType]string{types.MergePatchType: `{"data":{"m":"1"}}`} {
		made, err = maps.Patch(ctx, "a", kind, []byte(patch), metav1.PatchOptions{})
		say("patch "+string(kind), err, text(made.Data))
	}
	_, err = maps.Patch(ctx, "a", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/m","value":"2"}]`), metav1.PatchOptions{})
	say("JSON patch whose test fails", err)
	_, err = maps.Patch(ctx, "a", types.JSONPatchType, []byte(`[{"op":"remove","path":"/data/nope"}]`), metav1.PatchOptions{})
	say("JSON patch of what is not there", err)
	applied, err := maps.Apply(ctx, applycorev1.ConfigMap("a", ns).WithData(map[string]string{"k": "x"}), metav1.ApplyOptions{FieldManager: "applier"})
	say("apply what another owns", err)
	applied, err = maps.Apply(ctx, applycorev1.ConfigMap("a", ns).WithData(map[string]string{"k": "x"}), metav1.ApplyOptions{FieldManager: "applier", Force: true})
	say("apply by force", err, text(applied.Data), managers(applied))
	for _, n := range []string{"b", "c", "d"} {
		_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: n, Labels: map[string]string{"n": "2"}}}, metav1.CreateOptions{})
		say("create "+n, err)
	}
	page, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "n in (2)", Limit: 2})
	say("list, first page", err, len(page.Items), page.Items[0].Name, page.Items[0].Kind, page.Continue != "", text(page.RemainingItemCount))
	page, err = maps.List(ctx, metav1.ListOptions{LabelSelector: "n in (2)", Limit: 2, Continue: page.Continue})
	say("list, second page", err, len(page.Items), page.Continue != "")
	_, err = maps.List(ctx, metav1.ListOptions{LabelSelector: "n=="})
	say("list all with an empty label", err)
	_, err = maps.List(ctx, metav1.ListOptions{LabelSelector: "!!"})
	sayCode("list with a bad selector", err)
	_, err = maps.List(ctx, metav1.ListOptions{FieldSelector: "data.k=v"})
	say("list by a field that nobody indexed", err)
	_, err = maps.List(ctx, metav1.ListOptions{Continue: "nonsense"})
	sayCode("list with a bad token", err)
	uid := types.UID("other")
	say("delete with another uid", maps.Delete(ctx, "b", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}))
	say("delete", maps.Delete(ctx, "b", metav1.DeleteOptions{}))
	say("delete again", maps.Delete(ctx, "b", metav1.DeleteOptions{}))
	say("delete many", maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "n=2"}))
	page, err = maps.List(ctx, metav1.ListOptions{LabelSelector: "n"})
	say("what is left", err, len(page.Items))

	three := int32(3)
	labels := map[string]string{"app": "web"}
	sets := client.AppsV1().Deployments(ns)
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{Replicas: &three,
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("web").Spec}}}
	deployment, err := sets.Create(ctx, web, metav1.CreateOptions{})
	say("create a Deployment", err, deployment.Generation, text(deployment.Spec))
	deployment, err = sets.Patch(ctx, "web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"},{"name":"main","image":"new"}]}}}}`), metav1.PatchOptions{})
	say("strategic merge patch", err, deployment.Generation, text(deployment.Spec.Template.Spec.Containers))
	scale, err := sets.GetScale(ctx, "web", metav1.GetOptions{})
	say("get the scale", err, text(scale.Spec), text(scale.Status))
	scale.Spec.Replicas = 5
	scale, err = sets.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	say("set the scale", err, text(scale.Spec))
	deployment, err = sets.Get(ctx, "web", metav1.GetOptions{})
	deployment.Status.Replicas = 5
	deployment.Spec.Paused = true
	deployment, err = sets.UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
	say("update the status", err, deployment.Generation, deployment.Spec.Paused, text(deployment.Status))
	deployment.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	_, err = sets.Update(ctx, deployment, metav1.UpdateOptions{})
	say("change a selector", err)

	_, err = client.BatchV1().Jobs(ns).Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "bad"}, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: "Sometimes"}}}}, metav1.CreateOptions{})
	say("create a bad Job", err)
	job, err := client.BatchV1().Jobs(ns).Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "good"}, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: "Never", Containers: pod("x").Spec.Containers}}}}, metav1.CreateOptions{})
	say("create a Job", err, *job.Spec.BackoffLimit, len(job.Spec.Selector.MatchLabels), len(job.Spec.Template.Labels))

	pods := client.CoreV1().Pods(ns)
	one, err := pods.Create(ctx, pod("one"), metav1.CreateOptions{})
	say("create a Pod", err, one.Status.Phase, one.Status.QOSClass, one.Spec.DNSPolicy, text(one.Spec.Tolerations))
	say("bind it", pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}, metav1.CreateOptions{}))
	say("bind it again", pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Target: corev1.ObjectReference{Kind: "Node", Name: "m"}}, metav1.CreateOptions{}))
	one, err = pods.Get(ctx, "one", metav1.GetOptions{})
	say("see it bound", err, one.Spec.NodeName, len(one.Status.Conditions))
	one.Spec.Containers[0].Image = "other"
	one.Spec.Hostname = "h"
	_, err = pods.Update(ctx, one, metav1.UpdateOptions{})
	sayCode("change what may not change", err)
	say("delete with grace", pods.Delete(ctx, "one", metav1.DeleteOptions{}))
	one, err = pods.Get(ctx, "one", metav1.GetOptions{})
	say("it is ending", err, one.DeletionTimestamp != nil, text(one.DeletionGracePeriodSeconds))
	say("delete now", pods.Delete(ctx, "one", metav1.DeleteOptions{GracePeriodSeconds: &zero}))
	_, err = pods.Get(ctx, "one", metav1.GetOptions{})
	say("it is gone", err)
	_, err = pods.Create(ctx, pod("two"), metav1.CreateOptions{})
	say("create another", err)
	say("evict it", pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: ns}}))

	token, err := client.CoreV1().ServiceAccounts(ns).CreateToken(ctx, "default", &authv1.TokenRequest{Spec: authv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	say("token", err, token != nil && len(token.Status.Token) > 100)
	review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authzv1.SelfSubjectAccessReview{
		Spec: authzv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authzv1.ResourceAttributes{Verb: "get", Resource: "pods"}}}, metav1.CreateOptions{})
	say("may I", err, review.Status.Allowed)
	_, err = client.CoreV1().Secrets(ns).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{})
	say("create a Secret", err)
	service, err := client.CoreV1().Services(ns).Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: corev1.ServiceSpec{
		Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
	say("create a Service", err, service.Spec.Type, service.Spec.ClusterIP != "", text(service.Spec.Ports))
}
