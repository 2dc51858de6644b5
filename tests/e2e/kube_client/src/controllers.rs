//! Watchers, a store, and a controller with a finalizer.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{Event as Finalizer, finalizer};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use crate::{done, until};

fn map(name: &str, labels: serde_json::Value) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name, "labels": labels}})).expect("a ConfigMap")
}

/// The events of a watcher until the one named "last" is there; those of the first list by name.
async fn seen(maps: &Api<ConfigMap>, config: watcher::Config) -> Vec<String> {
    let mut first = vec![];
    let mut out = vec![];
    let mut events = watcher(maps.clone(), config).boxed();
    while let Ok(Some(event)) = events.try_next().await {
        let last = matches!(&event, watcher::Event::Apply(m) if m.name_any() == "last");
        match event {
            watcher::Event::Init => out.push("init".into()),
            watcher::Event::InitApply(m) => first.push(m.name_any()),
            watcher::Event::InitDone => {
                first.sort();
                out.push(format!("{first:?}"));
                let more = map("later", json!({"seen": "yes"}));
                let _ = maps.create(&PostParams::default(), &more).await;
                let changed = json!({"data": {"k": "v"}});
                let _ = maps.patch("later", &PatchParams::default(), &Patch::Merge(&changed)).await;
                // It leaves the selection: for the watch that is a deletion.
                let left = json!({"metadata": {"labels": {"seen": "no"}}});
                let _ = maps.patch("later", &PatchParams::default(), &Patch::Merge(&left)).await;
                let _ = maps.delete("later", &DeleteParams::default()).await;
                let _ = maps.create(&PostParams::default(), &map("last", json!({"seen": "yes"}))).await;
            }
            watcher::Event::Apply(m) => out.push(format!("apply {}", m.name_any())),
            watcher::Event::Delete(m) => out.push(format!("delete {}", m.name_any())),
        }
        if last {
            break;
        }
    }
    out
}

struct Context {
    client: Client,
    done: Mutex<Vec<String>>,
}

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), "kube-runtime");
    finalizer(&maps, "kube.kcontrol.dev/clean", map, |event| async {
        match event {
            Finalizer::Apply(m) => {
                let child = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{}-child", m.name_any()),
                    "ownerReferences": [m.controller_owner_ref(&())]}, "data": {"from": m.name_any()}});
                maps.patch(&format!("{}-child", m.name_any()), &PatchParams::apply("kube-rs"), &Patch::Apply(&child)).await?;
                context.done.lock().expect("alone").push(format!("applied {}", m.name_any()));
            }
            Finalizer::Cleanup(m) => context.done.lock().expect("alone").push(format!("cleaned {}", m.name_any())),
        }
        Ok(Action::await_change())
    })
    .await
}

pub async fn run(client: &Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "kube-runtime");
    for name in ["one", "two"] {
        done(&format!("create {name}"), maps.create(&PostParams::default(), &map(name, json!({"seen": "yes"}))).await);
    }
    let selected = watcher::Config::default().labels("seen=yes");
    for (name, config) in [("list and watch", selected.clone()), ("watch list", selected.clone().streaming_lists())] {
        if let Some(events) = until(name, seen(&maps, config)).await {
            println!("{name}: {}", events.join(", "));
        }
        done("delete the last", maps.delete("last", &DeleteParams::default()).await);
    }

    let (reader, writer) = reflector::store();
    let follow = reflector(writer, watcher(maps.clone(), selected)).default_backoff().for_each(|_| async {});
    until("a store is filled", async {
        tokio::select! { () = follow => {}, _ = reader.wait_until_ready() => {} }
    })
    .await;
    let mut names: Vec<_> = reader.state().iter().map(|m| m.name_any()).collect();
    names.sort();
    println!("store: {names:?}");

    let context = Arc::new(Context { client: client.clone(), done: Mutex::new(vec![]) });
    let controller = Controller::new(maps.clone(), watcher::Config::default().labels("controlled=yes"))
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(50)), context.clone())
        .for_each(|_| async {});
    let work = async {
        done("create what is controlled", maps.create(&PostParams::default(), &map("web", json!({"controlled": "yes"}))).await);
        while maps.get_opt("web-child").await.ok().flatten().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        done("delete it", maps.delete("web", &DeleteParams::default()).await);
        while maps.get_opt("web").await.ok().flatten().is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    until("a controller cleans up", async {
        tokio::select! { () = controller => {}, () = work => {} }
    })
    .await;
    let mut told = context.done.lock().expect("alone").clone();
    told.dedup();
    println!("controller: {told:?}");

    let about = maps.get("one").await.map(|m| m.object_ref(&())).unwrap_or_default();
    let recorder = Recorder::new(client.clone(), Reporter::from("kube-rs"));
    let event = Event {
        type_: EventType::Normal,
        reason: "Tried".into(),
        note: Some("a note".into()),
        action: "Trying".into(),
        secondary: None,
    };
    done("an event", recorder.publish(&event, &about).await);
    done("the same event", recorder.publish(&event, &about).await);
}
