// client-go's candidate for the Lease default/l, for tests/e2e/test_leadership.py: what tests/leader_probe does, as a
// Go program does it.
//
//	leader_peer URL FOLDER IDENTITY LEASE_MS RENEW_MS RETRY_MS    FOLDER has ca.crt, admin.crt, admin.key
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func milliseconds(text string) time.Duration {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return time.Duration(n) * time.Millisecond
}

func write(ctx context.Context, client kubernetes.Interface, by string) {
	for n := 1; ctx.Err() == nil; n++ {
		patch := fmt.Sprintf(`{"data":{"by":%q,"n":"%d"}}`, by, n)
		_, _ = client.CoreV1().ConfigMaps("default").Patch(ctx, "written", types.MergePatchType, []byte(patch),
			metav1.PatchOptions{})
		time.Sleep(20 * time.Millisecond)
	}
}

func main() {
	if len(os.Args) != 7 {
		fmt.Fprintln(os.Stderr, "usage: leader_peer URL FOLDER IDENTITY LEASE_MS RENEW_MS RETRY_MS")
		os.Exit(2)
	}
	identity := os.Args[3]
	file := func(name string) string { return filepath.Join(os.Args[2], name) }
	config := &rest.Config{Host: os.Args[1], TLSClientConfig: rest.TLSClientConfig{
		CAFile: file("ca.crt"), CertFile: file("admin.crt"), KeyFile: file("admin.key")}}
	renew := milliseconds(os.Args[5])
	config.QPS = -1
	config.Timeout = max(time.Second, renew/2) // as controller-runtime sets it
	client := kubernetes.NewForConfigOrDie(config)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "l"},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	// A loss ends Run; a program is expected to end then. This one contends again, to be comparable.
	for term := 1; ctx.Err() == nil; term++ {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: milliseconds(os.Args[4]), RenewDeadline: renew, RetryPeriod: milliseconds(os.Args[6]),
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) {
					fmt.Println("leading")
					write(ctx, client, fmt.Sprintf("%s/%d", identity, term))
				},
				OnStoppedLeading: func() { fmt.Println("stopped") },
			},
		})
	}
}
