//! Verbs on built-in kinds, and on kinds that are known at run time.
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, EvictParams, GroupVersionKind, ListParams, ObjectMeta, Patch, PatchParams,
    PostParams, Preconditions,
};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, ResourceExt, discovery};
use serde_json::json;

use crate::{done, say, until};

fn config_map(value: serde_json::Value) -> ConfigMap {
    serde_json::from_value(value).expect("a ConfigMap")
}

fn data(map: &ConfigMap) -> String {
    format!("{:?}", map.data)
}

/// Who owns what, without times.
fn managers(meta: &ObjectMeta) -> String {
    let fields = meta.managed_fields.iter().flatten();
    let each = fields.map(|m| {
        let owned = serde_json::to_string(&m.fields_v1).unwrap_or_default();
        format!("{:?} {:?} {:?} {owned}", m.manager, m.operation, m.subresource)
    });
    each.collect::<Vec<_>>().join("; ")
}

pub async fn run(client: &Client) {
    let ns = "kube-typed";
    let post = PostParams { field_manager: Some("kube-rs".into()), ..PostParams::default() };
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), ns);
    let wanted = config_map(json!({"metadata": {"name": "a", "labels": {"n": "1"}}, "data": {"k": "v"}}));
    let made = say("create", maps.create(&post, &wanted).await, |m| format!("{} {}", data(m), managers(&m.metadata)));
    done("create again", maps.create(&post, &wanted).await);
    done("create with a bad name", maps.create(&post, &config_map(json!({"metadata": {"name": "A_"}}))).await);
    let generated = config_map(json!({"metadata": {"generateName": "g-"}}));
    say("create with a generated name", maps.create(&post, &generated).await, |m| m.name_any().len().to_string());
    let dry = PostParams { dry_run: true, ..post.clone() };
    done("create, dry run", maps.create(&dry, &config_map(json!({"metadata": {"name": "dry"}}))).await);
    say("get what is not there", maps.get_opt("dry").await, |m| m.is_some().to_string());
    done("get what is not there, as an error", maps.get("dry").await);
    let Some(made) = made else { return };
    let mut newer = made.clone();
    newer.data.get_or_insert_default().insert("k".into(), "w".into());
    say("replace", maps.replace("a", &post, &newer).await, data);
    done("replace what is stale", maps.replace("a", &post, &made).await);
    let merge = json!({"data": {"m": "1"}});
    say("merge patch", maps.patch("a", &PatchParams::default(), &Patch::Merge(&merge)).await, data);
    let owned = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "x"}});
    done("apply what another owns", maps.patch("a", &PatchParams::apply("applier"), &Patch::Apply(&owned)).await);
    let force = PatchParams::apply("applier").force();
    say("apply by force", maps.patch("a", &force, &Patch::Apply(&owned)).await, |m| {
        format!("{} {}", data(m), managers(&m.metadata))
    });
    say("metadata alone", maps.get_metadata("a").await, |m| format!("{:?} {:?}", m.types, m.metadata.labels));

    for name in ["b", "c", "d"] {
        let each = config_map(json!({"metadata": {"name": name, "labels": {"n": "2"}}}));
        done(&format!("create {name}"), maps.create(&post, &each).await);
    }
    let two = ListParams::default().labels("n in (2)").limit(2);
    let first = say("list, first page", maps.list(&two).await, |l| {
        let names: Vec<_> = l.items.iter().map(ResourceExt::name_any).collect();
        format!("{names:?} {} {:?}", l.metadata.continue_.is_some(), l.metadata.remaining_item_count)
    });
    let token = first.and_then(|l| l.metadata.continue_).unwrap_or_default();
    say("list, second page", maps.list(&two.clone().continue_token(&token)).await, |l| l.items.len().to_string());
    done("list by a field that nobody indexed", maps.list(&ListParams::default().fields("data.k=v")).await);
    let at_least = ListParams::default().at("0");
    say("list of any age", maps.list(&at_least).await, |l| (l.items.len() >= 5).to_string());
    let other = DeleteParams::default()
        .preconditions(Preconditions { uid: Some("other".into()), ..Preconditions::default() });
    done("delete with another uid", maps.delete("b", &other).await);
    say("delete", maps.delete("b", &DeleteParams::default()).await, |e| e.is_right().to_string());
    done("delete again", maps.delete("b", &DeleteParams::default()).await);
    let selected = ListParams::default().labels("n=2");
    say("delete many", maps.delete_collection(&DeleteParams::default(), &selected).await, |e| e.is_right().to_string());
    say("what is left", maps.list(&ListParams::default().labels("n")).await, |l| l.items.len().to_string());

    let secrets: Api<Secret> = Api::namespaced(client.clone(), ns);
    let secret = serde_json::from_value(json!({"metadata": {"name": "s"}, "stringData": {"a": "b"}})).expect("a Secret");
    say("create a Secret", secrets.create(&post, &secret).await, |s| format!("{:?}", s.data));

    let sets: Api<Deployment> = Api::namespaced(client.clone(), ns);
    let web: Deployment = serde_json::from_value(json!({
        "metadata": {"name": "web"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "image"}]}}}}))
    .expect("a Deployment");
    say("create a Deployment", sets.create(&post, &web).await, |d| {
        format!("{:?} {}", d.metadata.generation, serde_json::to_string(&d.spec).unwrap_or_default())
    });
    let change = json!({"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "s"}]}}}});
    say("strategic merge patch", sets.patch("web", &PatchParams::default(), &Patch::Strategic(&change)).await, |d| {
        let spec = d.spec.as_ref().and_then(|s| s.template.spec.as_ref());
        format!("{:?}", spec.map(|s| s.containers.iter().map(|c| c.name.clone()).collect::<Vec<_>>()))
    });
    say("get the scale", sets.get_scale("web").await, |s| format!("{:?} {:?}", s.spec, s.status));
    let five = json!({"spec": {"replicas": 5}});
    say("set the scale", sets.patch_scale("web", &PatchParams::default(), &Patch::Merge(&five)).await, |s| {
        format!("{:?}", s.spec)
    });
    let status = json!({"status": {"replicas": 5}, "spec": {"paused": true}});
    say("patch the status", sets.patch_status("web", &PatchParams::default(), &Patch::Merge(&status)).await, |d| {
        let replicas = d.status.as_ref().and_then(|s| s.replicas);
        format!("{replicas:?} {:?}", d.spec.as_ref().and_then(|s| s.paused))
    });

    let pods: Api<Pod> = Api::namespaced(client.clone(), ns);
    let pod: Pod = serde_json::from_value(json!({
        "metadata": {"name": "one"}, "spec": {"automountServiceAccountToken": false,
            "containers": [{"name": "main", "image": "image"}]}}))
    .expect("a Pod");
    done("create a Pod without an account", pods.create(&post, &pod).await.map(drop));
    done("evict what may not be there", pods.evict("none", &EvictParams::default()).await);
    let found = await_condition(sets.clone(), "web", |d: Option<&Deployment>| d.is_some());
    until("a condition holds", found).await;
}

/// A kind of a definition that the program makes, without a Rust type.
pub async fn dynamic(client: &Client) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition: CustomResourceDefinition = serde_json::from_value(json!({
        "metadata": {"name": "boats.kube.kcontrol.dev"},
        "spec": {"group": "kube.kcontrol.dev", "scope": "Namespaced",
            "names": {"plural": "boats", "singular": "boat", "kind": "Boat", "shortNames": ["bt"]},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "required": ["mast"], "properties": {
                        "mast": {"type": "integer", "minimum": 1}, "sails": {"type": "integer", "default": 2}}},
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}}))
    .expect("a definition");
    done("create a definition", definitions.create(&PostParams::default(), &definition).await);
    let name = "boats.kube.kcontrol.dev";
    until("it is established", await_condition(definitions.clone(), name, conditions::is_crd_established())).await;

    let kind = GroupVersionKind::gvk("kube.kcontrol.dev", "v1", "Boat");
    let boats: Api<DynamicObject> =
        Api::namespaced_with(client.clone(), "kube-typed", &ApiResource::from_gvk_with_plural(&kind, "boats"));
    let boat = |name: &str, mast: i32| {
        let object = json!({"apiVersion": "kube.kcontrol.dev/v1", "kind": "Boat", "metadata": {"name": name},
            "spec": {"mast": mast, "hull": "red"}});
        serde_json::from_value::<DynamicObject>(object).expect("a Boat")
    };
    let post = PostParams { field_manager: Some("kube-rs".into()), ..PostParams::default() };
    say("create a Boat", boats.create(&post, &boat("a", 1)).await, |b| b.data.to_string());
    done("create one that is not valid", boats.create(&post, &boat("b", 0)).await);
    let status = json!({"status": {"afloat": true}});
    say("its status", boats.patch_status("a", &PatchParams::default(), &Patch::Merge(&status)).await, |b| {
        b.data["status"].to_string()
    });
    let apply = json!({"apiVersion": "kube.kcontrol.dev/v1", "kind": "Boat", "metadata": {"name": "a"}, "spec": {"mast": 2}});
    say("apply", boats.patch("a", &PatchParams::apply("other").force(), &Patch::Apply(&apply)).await, |b| {
        format!("{} {}", b.data["spec"], managers(&b.metadata))
    });
    match discovery::pinned_kind(client, &kind).await {
        Ok((resource, of)) => println!("discovery: {resource:?} {:?} {:?}", of.scope, of.operations),
        Err(why) => println!("discovery: error: {why}"),
    }
    match discovery::group(client, "apps").await {
        Ok(group) => {
            let mut kinds: Vec<_> = group.recommended_resources().into_iter().map(|(r, _)| r.kind).collect();
            kinds.sort();
            println!("kinds of apps: {kinds:?}");
        }
        Err(why) => println!("kinds of apps: error: {why}"),
    }
    done("version", client.apiserver_version().await);
    done("delete the definition", definitions.delete(name, &DeleteParams::default()).await);
    until("it is deleted", async {
        while let Ok(Some(_)) = definitions.get_opt(name).await {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
}
