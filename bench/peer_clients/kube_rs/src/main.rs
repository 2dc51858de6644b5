//! GETs with kube-rs' client, for bench/transport_figures.py: one connection, one request at a time, one thread.
//!
//! usage: kube_rs URL CA_FILE http1 gets COUNT 1 PATH

use std::time::{Duration, Instant};

/// The user and system time that the process has used.
fn cpu() -> Duration {
    let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
    assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) }, 0);
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 8 || words[3] != "http1" || words[4] != "gets" || words[6] != "1" {
        eprintln!("usage: kube_rs URL CA_FILE http1 gets COUNT 1 PATH");
        std::process::exit(2);
    }
    let mut config = kube::Config::new(words[1].parse().expect("a URL"));
    config.root_cert_file = Some(words[2].clone().into());
    let client = kube::Client::try_from(config).expect("a client");
    let count: u32 = words[5].parse().expect("a count");
    let get = || async {
        let request = http::Request::get(words[7].as_str()).body(Vec::new()).expect("a request");
        client.request_text(request).await.expect("an answer").len()
    };
    get().await; // connects
    let (begun, used) = (Instant::now(), cpu());
    for _ in 0..count {
        get().await;
    }
    let spent = (cpu() - used).as_secs_f64() * 1e6;
    println!("gets\t{}\t1/s", f64::from(count) / begun.elapsed().as_secs_f64());
    println!("gets\t{}\tus CPU", spent / f64::from(count));
    println!("gets\t{}\t1/CPU second", f64::from(count) / spent * 1e6);
}
