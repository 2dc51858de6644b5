//! What kube-rs does with an API server, one line a step: tests/e2e/kube_rs.py runs it before a real kube-apiserver and
//! before kcontrol-apiserver, and wants the same lines of both.
//!
//!     kube_client KUBECONFIG
//!
//! No line holds what differs between two runs on one server: uids, versions, times, addresses.
mod controllers;
mod typed;

use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::api::PostParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};

/// Prints what a step came to: an error as the server said it, or what is worth showing.
pub fn say<T>(step: &str, came: Result<T, kube::Error>, show: impl FnOnce(&T) -> String) -> Option<T> {
    match came {
        Ok(value) => {
            println!("{step}: {}", show(&value));
            Some(value)
        }
        Err(kube::Error::Api(status)) => {
            println!("{step}: {} {} {}", status.code, status.reason, status.message);
            None
        }
        Err(other) => {
            println!("{step}: error: {other}");
            None
        }
    }
}

/// The same of a step whose value shows nothing.
pub fn done<T>(step: &str, came: Result<T, kube::Error>) {
    say(step, came, |_| "done".into());
}

/// Awaits something, and tells if it does not come.
pub async fn until<T>(step: &str, what: impl Future<Output = T>) -> Option<T> {
    match tokio::time::timeout(Duration::from_secs(60), what).await {
        Ok(value) => {
            println!("{step}: yes");
            Some(value)
        }
        Err(_) => {
            println!("{step}: NOT IN TIME");
            None
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: kube_client KUBECONFIG")?;
    let config = Config::from_custom_kubeconfig(Kubeconfig::read_from(file)?, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    for name in ["kube-typed", "kube-runtime"] {
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.into());
        done(&format!("namespace {name}"), namespaces.create(&PostParams::default(), &namespace).await);
    }
    println!("-- typed");
    typed::run(&client).await;
    println!("-- dynamic");
    typed::dynamic(&client).await;
    println!("-- runtime");
    controllers::run(&client).await;
    Ok(())
}
