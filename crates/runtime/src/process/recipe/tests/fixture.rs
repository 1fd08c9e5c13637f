//! Pods from text, and what is made of them as text.

use crate::process::recipe::{
    Capacity, EnvFile, EnvFiles, Host, Kitchen, Recipe, RecipeError, Recipes, Run,
};
use crate::process::{Definition, Larder};
use pillion_spec::file::Outcome;
use std::fmt::Write as _;
use std::rc::Rc;

/// A pod file, and the machine it is to run on.
pub(in crate::process) struct Written {
    outcome: Outcome,
    host: Host,
    run: Run,
    env_files: Option<EnvFiles>,
}

/// A pod whose one container is named `app`, runs `true` and has these fields besides.
pub(in crate::process) fn app(fields: &str) -> Written {
    let indented = fields.replace('\n', "\n      ");
    Written::new(&format!(
        "containers:\n    - name: app\n      command: [\"true\"]\n      {indented}"
    ))
}

// === impl Written ===

impl Written {
    /// A pod whose `spec` has these lines.
    pub(in crate::process) fn new(spec: &str) -> Self {
        let metadata = "{name: orders, labels: {app: shop, tier: web}, annotations: {note: \"a \\\"b\\\"\\n\"}}";
        let pod = format!("apiVersion: v1\nkind: Pod\nmetadata: {metadata}\nspec:\n  {spec}\n");
        Self {
            outcome: pillion_spec::read("pod.yaml", pod.as_bytes()),
            host: Host {
                environment: variables(&[("PATH", "/bin"), ("HOME", "/home/me")]),
                name: "laptop".into(),
                addresses: vec!["192.0.2.7".into(), "2001:db8::7".into()],
                capacity: Capacity {
                    cpu_millis: 8000,
                    memory: 16 << 30,
                    storage: 100 << 30,
                },
                user: 1000,
                groups: vec![1000, 7, 27],
            },
            run: Run {
                name: "orders".into(),
                namespace: "default".into(),
                uid: "0000-1111".into(),
                addresses: vec!["127.0.0.1".into()],
                volumes: "/state/volumes".into(),
                ..Run::default()
            },
            env_files: None,
        }
    }

    /// One more annotation of the pod.
    pub(in crate::process) fn annotated(mut self, name: &str, value: &str) -> Self {
        for file in &mut self.outcome.pods {
            let annotations = &mut file.pod.metadata.annotations;
            annotations.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// More objects in the file, each one a line such as `kind: ConfigMap, metadata: …` without its version.
    pub(in crate::process) fn beside(mut self, object: &str) -> Self {
        let text = format!("{{apiVersion: v1, {object}}}\n");
        let read = pillion_spec::read("more.yaml", text.as_bytes());
        self.outcome.config_maps.extend(read.config_maps);
        self.outcome.secrets.extend(read.secrets);
        self
    }

    /// Changes the machine.
    pub(in crate::process) fn on(mut self, change: impl FnOnce(&mut Host)) -> Self {
        change(&mut self.host);
        self
    }

    /// Changes the run.
    pub(in crate::process) fn running(mut self, change: impl FnOnce(&mut Run)) -> Self {
        change(&mut self.run);
        self
    }

    /// What stands in a file of variables of the volume `work`.
    pub(in crate::process) fn with_env_file(mut self, path: &str, text: Option<&str>) -> Self {
        let file = EnvFile {
            volume: "work".into(),
            path: path.into(),
        };
        let files = self.env_files.get_or_insert_default();
        files.insert(file, text.map(str::to_owned));
        self
    }

    pub(in crate::process) fn recipes(&self) -> Result<Recipes, Vec<RecipeError>> {
        let (recipes, errors) = Recipes::draft(&Kitchen {
            pod: &self.outcome.pods.first().expect("a pod").pod,
            config_maps: &self.outcome.config_maps,
            secrets: &self.outcome.secrets,
            host: &self.host,
            run: &self.run,
            env_files: self.env_files.as_ref(),
        });
        if errors.is_empty() {
            Ok(recipes)
        } else {
            Err(errors)
        }
    }

    /// The definitions of all containers, in a file that has no mistakes.
    pub(in crate::process) fn definitions(self) -> Vec<Definition> {
        let larder = Rc::new(Larder {
            pod: self.outcome.pods.into_iter().next().expect("a pod").pod,
            config_maps: self.outcome.config_maps,
            secrets: self.outcome.secrets,
            host: self.host,
            run: self.run,
        });
        let (definitions, _) = larder.definitions().expect("recipes can be made");
        definitions
    }

    /// The recipe of the container `app`, in a file that has no mistakes.
    pub(in crate::process) fn recipe(&self) -> Recipe {
        let wrong: Vec<_> = self.outcome.diagnostics.iter().collect();
        assert!(!self.outcome.has_errors(), "{wrong:?}");
        let mut recipes = self.recipes().expect("recipes can be made");
        recipes.containers.remove("app").expect("a container `app`")
    }

    /// The value of a variable of `app`.
    pub(in crate::process) fn variable(&self, name: &str) -> Option<String> {
        let mut all = self.recipe().environment.into_iter();
        all.find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// All that is wrong, with where and what to do.
    pub(in crate::process) fn wrong(&self) -> String {
        let mut text = String::new();
        for error in self.recipes().expect_err("something is wrong") {
            writeln!(text, "{}: {error}", error.field).unwrap();
            if let Some(help) = error.help() {
                writeln!(text, "  help: {}", help.replace('\n', "\n        ")).unwrap();
            }
        }
        text
    }
}

pub(in crate::process) fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}
