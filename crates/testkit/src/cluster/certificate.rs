//! The keys and certificates of a cluster, made anew for each one: an authority, and a server that it has signed.

use super::command::{command, feed, output, run};
use super::network::{NODE, SERVICE};
use super::place::Places;
use std::fs;

/// Makes them all, and a token for the administrator.
pub(super) fn make(places: &Places) -> anyhow::Result<()> {
    for name in ["authority", "server", "accounts"] {
        key(places, name)?;
    }
    let file = |name: &str| places.text(&format!("keys/{name}"));
    openssl(&[
        "pkey",
        "-in",
        &file("accounts.key"),
        "-pubout",
        "-out",
        &file("accounts.pub"),
    ])?;
    openssl(&[
        "req",
        "-x509",
        "-new",
        "-key",
        &file("authority.key"),
        "-subj",
        "/CN=pillion-cluster",
        "-days",
        "30",
        "-out",
        &file("authority.crt"),
    ])?;
    openssl(&[
        "req",
        "-new",
        "-key",
        &file("server.key"),
        "-subj",
        "/CN=kube-apiserver",
        "-out",
        &file("server.csr"),
    ])?;
    let mut sign = command("openssl", ["x509", "-req", "-in", &file("server.csr")]);
    sign.args([
        "-CA",
        &file("authority.crt"),
        "-CAkey",
        &file("authority.key"),
        "-CAcreateserial",
    ]);
    sign.args(["-days", "30", "-out", &file("server.crt"), "-extfile", "-"]);
    feed(&mut sign, &names())?;
    let token = output(&mut command("openssl", ["rand", "-hex", "16"]))?;
    let token = token.trim();
    fs::write(places.file("keys/token"), token)?;
    fs::write(
        places.file("keys/tokens.csv"),
        format!("{token},admin,admin,system:masters\n"),
    )?;
    Ok(())
}

fn key(places: &Places, name: &str) -> anyhow::Result<()> {
    let file = places.text(&format!("keys/{name}.key"));
    openssl(&[
        "genpkey",
        "-algorithm",
        "EC",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-out",
        &file,
    ])
}

/// The names under which the server is asked for.
fn names() -> String {
    let hosts = [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
    ];
    let hosts = hosts.map(|host| format!("DNS:{host}"));
    let addresses = ["127.0.0.1", NODE, SERVICE].map(|address| format!("IP:{address}"));
    format!(
        "subjectAltName={},{}\n",
        hosts.join(","),
        addresses.join(",")
    )
}

fn openssl(arguments: &[&str]) -> anyhow::Result<()> {
    run(&mut command("openssl", arguments))
}
