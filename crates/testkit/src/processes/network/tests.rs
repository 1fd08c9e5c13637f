//! Who serves what, and how a request says what it stands for.

use super::*;
use pillion_simulator::scenario::read;
use std::net::Ipv4Addr;

fn network(text: &str) -> io::Result<Network> {
    let reading = read::read("test", text.as_bytes(), &mut |_| Err(String::new()));
    let scenario = reading.scenario.unwrap();
    let pod = serde_json::from_str(&reading.pod.unwrap()).unwrap();
    Network::of(&pod, &scenario, |port| {
        Ok((Ipv4Addr::LOCALHOST, port + 1).into())
    })
}

fn served(network: &Network, container: &str) -> Vec<String> {
    let services = network.services(container).iter();
    services.map(ToString::to_string).collect()
}

fn request(network: &Network, who: &str) -> Value {
    let request = network.request(&who.parse().unwrap());
    request.cloned().unwrap_or_default()
}

const POD: &str = "
pod:
  spec:
    initContainers:
      - name: r1
        restartPolicy: Always
        startupProbe: {httpGet: {port: 80, path: /}}
        livenessProbe: {grpc: {port: 90}}
    containers:
      - name: m1
        lifecycle: {postStart: {httpGet: {port: 80}}, preStop: {exec: {command: [actor]}}}
        livenessProbe: {tcpSocket: {port: 100}}
        readinessProbe: {httpGet: {port: 443, scheme: HTTPS, httpHeaders: [{name: A, value: b}]}}
";

#[test]
fn the_first_that_names_a_port_serves_it() {
    let network = network(POD).unwrap();

    let first = ["127.0.0.1:81 http", "127.0.0.1:91 grpc"];
    assert_eq!(served(&network, "r1"), first);
    let second = ["127.0.0.1:444 https", "127.0.0.1:101 tcp m1/liveness"];
    assert_eq!(served(&network, "m1"), second);
}

#[test]
fn a_request_says_what_it_stands_for() {
    let network = network(POD).unwrap();

    let header = |who: &str| json!({"name": PART, "value": who});
    let expected = json!({"port": 81, "httpHeaders": [header("m1/postStart")]});
    assert_eq!(request(&network, "m1/postStart")["httpGet"], expected);
    let headers = &request(&network, "m1/readiness")["httpGet"]["httpHeaders"];
    let own = json!({"name": "A", "value": "b"});
    assert_eq!(*headers, json!([own, header("m1/readiness")]));
    let expected = json!({"grpc": {"port": 91, "service": "r1/liveness"}});
    assert_eq!(request(&network, "r1/liveness"), expected);
    let expected = json!({"tcpSocket": {"port": 101}});
    assert_eq!(request(&network, "m1/liveness"), expected);
    assert_eq!(request(&network, "m1/preStop"), Value::Null);
}

#[test]
fn nobody_serves_what_always_fails() {
    let fails = format!("{POD}actors: {{r1: {{liveness: fail}}, m1: {{liveness: [fail, ok]}}}}");
    let network = network(&fails).unwrap();

    assert_eq!(served(&network, "r1"), ["127.0.0.1:81 http"]);
    assert_eq!(request(&network, "r1/liveness")["grpc"]["port"], 91);
    assert_eq!(served(&network, "m1").len(), 2);
}

#[test]
fn what_an_act_changes_is_served() {
    let act = "{setProbe: {container: r1, probe: liveness, answers: ok}}";
    let changed = format!("{POD}actors: {{r1: {{liveness: fail}}}}\nacts: [{act}]");

    assert_eq!(served(&network(&changed).unwrap(), "r1").len(), 2);
}

#[test]
fn a_port_is_served_in_one_way() {
    for port in ["80", "90", "100"] {
        let other = POD.replace("port: 443", &format!("port: {port}"));
        assert!(network(&other).is_err(), "{port}");
    }
}

#[test]
fn a_service_reads_back_as_it_was_written() {
    for text in ["0.0.0.0:80 http", "127.0.0.1:81 tcp m1/liveness"] {
        let service: Service = text.parse().unwrap();
        assert_eq!(service.to_string(), text);
    }
    assert!("80 http".parse::<Service>().is_err());
    assert!("0.0.0.0:80 tcp".parse::<Service>().is_err());
}
