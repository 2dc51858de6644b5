package main

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// mirror makes a Secret of each ConfigMap, and says in an annotation that it did.
type mirror struct{ client.Client }

func (m mirror) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	from := &corev1.ConfigMap{}
	if err := m.Get(ctx, request.NamespacedName, from); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	to := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: from.Name, Namespace: from.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, m.Client, to, func() error {
		to.Data = map[string][]byte{"k": []byte(from.Data["k"])}
		return controllerutil.SetControllerReference(from, to, m.Scheme())
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	before := from.DeepCopy()
	from.Annotations = map[string]string{"mirrored": from.Data["k"]}
	return reconcile.Result{}, m.Patch(ctx, from, client.MergeFrom(before))
}

func controllers(config *rest.Config) {
	ctrl.SetLogger(logr.Discard())
	manager := must(ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme.Scheme, Metrics: server.Options{BindAddress: "0"},
		Cache:          cache.Options{DefaultNamespaces: map[string]cache.Config{"go-runtime": {}}},
		LeaderElection: true, LeaderElectionID: "go", LeaderElectionNamespace: "go-runtime",
	}))
	err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(mirror{manager.GetClient()})
	say("a controller", err)
	err = manager.GetFieldIndexer().IndexField(ctx, &corev1.Secret{}, "value", func(o client.Object) []string {
		return []string{string(o.(*corev1.Secret).Data["k"])}
	})
	say("an index", err)
	running, end := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- manager.Start(running) }()
	until("it leads", func() bool {
		select {
		case <-manager.Elected():
			return true
		default:
			return false
		}
	})
	c := manager.GetClient()
	for i := range 5 {
		err = c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("m", i), Namespace: "go-runtime"},
			Data: map[string]string{"k": fmt.Sprint(i % 2)}})
		say("create", err)
	}
	secrets := &corev1.SecretList{}
	until("all are mirrored", func() bool {
		err = c.List(ctx, secrets, client.InNamespace("go-runtime"), client.MatchingFields{"value": "1"})
		return err == nil && len(secrets.Items) == 2
	})
	say("delete a Secret", c.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "m1", Namespace: "go-runtime"}}))
	direct := must(client.New(config, client.Options{}))
	until("it is made again", func() bool {
		return direct.Get(ctx, client.ObjectKey{Namespace: "go-runtime", Name: "m1"}, &corev1.Secret{}) == nil
	})
	one := &corev1.ConfigMap{}
	until("and told", func() bool {
		err = direct.Get(ctx, client.ObjectKey{Namespace: "go-runtime", Name: "m1"}, one)
		return err == nil && one.Annotations["mirrored"] == "1"
	})
	end()
	say("its end", <-ended)
}
