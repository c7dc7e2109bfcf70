//! With a generated client: `send URL TYPE` sends events, `use URL TYPE` does everything else.
use openapi::apis::configuration::Configuration;
use openapi::apis::{events_api, files_api, server_api, Error};
use openapi::models::Event;
use std::collections::HashMap;

fn event(name: &str, n: i64) -> Event {
    let payload = HashMap::from([("n".into(), n.into()), ("big".into(), 9007199254740993i64.into())]);
    Event::new(name.into(), payload)
}

async fn send(at: &Configuration, name: &str) {
    let key = format!("one-{name}");
    let one = events_api::post_event(at, vec![event(name, 1)], None, None, None, Some(&key), None, None).await.unwrap();
    println!("event {} {}", one.accepted, one.rejected);
    let several = vec![event(name, 2), event("a/b", 3), event(name, 4)];
    let batch = events_api::post_event(at, several, None, None, None, None, None, None).await.unwrap();
    let error = &batch.errors[0];
    let code = serde_json::to_value(&error.code).unwrap();
    println!("batch {} {} {} {}", batch.accepted, batch.rejected, error.index, code.as_str().unwrap());
}

async fn read(at: &Configuration, path: &str) {
    let listing = files_api::read_json(at, path, None, None, None, None, Some(false), None, None, None, None, None).await.unwrap();
    for entry in &listing.entries {
        println!("listing {} {}", entry.path.starts_with(&format!("{}/", listing.path)), entry.is_dir);
    }
    let all = files_api::read_json(at, path, None, None, Some(true), None, None, None, None, None, None, None).await.unwrap();
    for row in all.entries.iter().flat_map(|entry| &entry.content) {
        println!("row {} {}", row["n"], row["big"]);
    }
}

fn status_of<T, E: std::fmt::Debug>(result: Result<T, Error<E>>) -> u16 {
    match result {
        Err(Error::ResponseError(content)) => content.status.as_u16(),
        Err(error) => panic!("{error:?}"),
        Ok(_) => 200,
    }
}

async fn upload(at: &Configuration, path: &str, content: &[u8], overwrite: bool) -> u16 {
    let local = std::env::temp_dir().join(format!("journey-{}", std::process::id()));
    std::fs::write(&local, content).unwrap();
    let result = files_api::upload_file(at, path, local, Some(overwrite), None, None, Some("640")).await;
    if let Ok(uploaded) = &result {
        println!("uploaded {} {} {}", uploaded.path, uploaded.size, uploaded.permission);
    }
    status_of(result)
}

async fn handle_files(at: &Configuration, directory: &str) {
    let path = format!("{directory}/ü 1.bin");
    upload(at, &path, &[1], false).await;
    upload(at, &path, &[0, 0xff, 0x0d, 0x0a, 0x41], true).await;
    println!("refused {}", upload(at, &path, &[2], false).await);
    let got = files_api::read_binary(at, &path, None, None, None, None, None, None, None, None, None).await.unwrap();
    let hex: String = got.bytes().await.unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("download {hex}");
    println!("deleted {}", files_api::delete_path(at, &path, None).await.unwrap().deleted);
    println!("gone {}", status_of(files_api::read_binary(at, &path, None, None, None, None, None, None, None, None, None).await));
}

#[tokio::main]
async fn main() {
    let [verb, url, name]: [String; 3] = std::env::args().skip(1).collect::<Vec<_>>().try_into().unwrap();
    let at = Configuration { base_path: url, ..Configuration::new() };
    if verb == "send" {
        return send(&at, &name).await;
    }
    let health = server_api::get_health(&at, None).await.unwrap();
    for item in health.items.iter().filter(|item| item.r#type == "RealtimeHealthCheck") {
        println!("health {} {}", item.r#type, serde_json::to_value(&item.code).unwrap().as_str().unwrap());
    }
    read(&at, &format!("/events/{name}")).await;
    handle_files(&at, &format!("/up-{name}")).await;
}
