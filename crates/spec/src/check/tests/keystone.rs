//! Keystones that end because of others.

use super::{Code, accepted, refused};

#[test]
fn a_keystone_that_can_give_up_can_end_with_a_failure() {
    let pod = |keystone: &str, edge: &str, db: &str| {
        format!(
            "
restartPolicy: Always
containers:
- {{name: key, image: x, keystone: {keystone}, requires: [{{container: db, {edge}}}]}}
- {{name: db, image: x, {db}}}
- {{name: app, image: x}}
"
        )
    };
    let kept = "provides: [db]";
    for keystone in ["failure", "any"] {
        accepted(&pod(keystone, "onRestart: stop", kept));
        accepted(&pod(keystone, "timeoutSeconds: 5", kept));
        accepted(&pod(keystone, "need: hard", "backoff: {maxRestarts: 3}"));
        accepted(&pod(
            keystone,
            "need: hard",
            "oneshot: true, restartPolicy: Never",
        ));
        let code = Code::KeystoneNeverEnds;
        refused(&pod(keystone, "onRestart: restart", kept), code);
        refused(&pod(keystone, "need: hard", "oneshot: true"), code);
        refused(&pod(keystone, "need: soft, timeoutSeconds: 5", kept), code);
    }
    let success = pod("success", "onRestart: stop", kept);
    refused(&success, Code::KeystoneNeverEnds);
}
