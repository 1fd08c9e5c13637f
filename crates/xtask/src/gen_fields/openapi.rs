//! The types of Kubernetes as its `OpenAPI` documents describe them.

use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All schemas of the groups that hold workloads, by their full names.
pub(super) struct Schemas(BTreeMap<String, Value>);

/// The fields of a type: what they take, and whether they are required.
pub(super) type Fields = BTreeMap<String, (Kind, bool)>;

/// What a field takes.
pub(super) enum Kind {
    Text,
    /// A kind that the table knows by this name.
    Simple(&'static str),
    Any,
    Object(String),
    List(Box<Kind>),
    Map(Box<Kind>),
}

const DOCUMENTS: [&str; 3] = [
    "api__v1_openapi.json",
    "apis__apps__v1_openapi.json",
    "apis__batch__v1_openapi.json",
];

/// Where types of a short name are looked for.
const GROUPS: [&str; 4] = [
    "io.k8s.api.core.v1",
    "io.k8s.api.apps.v1",
    "io.k8s.api.batch.v1",
    "io.k8s.apimachinery.pkg.apis.meta.v1",
];

// === impl Schemas ===

impl Schemas {
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut schemas = BTreeMap::new();
        for document in DOCUMENTS {
            let path = folder.join(document);
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let mut value: Value = serde_json::from_str(&text)
                .with_context(|| format!("{} is not JSON", path.display()))?;
            let found = value["components"]["schemas"].take();
            let Value::Object(found) = found else {
                bail!("{} has no schemas", path.display())
            };
            schemas.extend(found);
        }
        Ok(Self(schemas))
    }

    /// The fields of a type, with whether they are required.
    pub(super) fn fields(&self, name: &str) -> anyhow::Result<Fields> {
        let schema = GROUPS
            .iter()
            .find_map(|group| self.0.get(&format!("{group}.{name}")));
        let schema = schema.with_context(|| format!("there is no type {name}"))?;
        let properties = schema["properties"].as_object();
        let required = schema["required"].as_array();
        let is_required = |field: &str| required.is_some_and(|all| all.iter().any(|f| f == field));
        let fields = properties.into_iter().flatten().map(|(field, property)| {
            let kind = self
                .kind(property)
                .with_context(|| format!("in {name}.{field}"))?;
            Ok((field.clone(), (kind, is_required(field))))
        });
        fields.collect()
    }

    fn kind(&self, property: &Value) -> anyhow::Result<Kind> {
        let reference = property["$ref"]
            .as_str()
            .or(property["allOf"][0]["$ref"].as_str());
        if let Some(reference) = reference {
            return self.referenced(reference);
        }
        Ok(
            match (property["type"].as_str(), property["format"].as_str()) {
                (Some("string"), Some("byte")) => Kind::Simple("Base64"),
                (Some("string"), Some("date-time")) => Kind::Simple("Time"),
                (Some("string"), _) => Kind::Text,
                (Some("boolean"), _) => Kind::Simple("Bool"),
                (Some("integer"), Some("int32")) => Kind::Simple("Int32"),
                (Some("integer"), Some("int64")) => Kind::Simple("Int64"),
                (Some("array"), _) => Kind::List(Box::new(self.kind(&property["items"])?)),
                (Some("object"), _) if property["additionalProperties"].is_object() => {
                    Kind::Map(Box::new(self.kind(&property["additionalProperties"])?))
                }
                (Some("object"), _) => Kind::Any,
                (kind, format) => bail!("unknown type {kind:?}, format {format:?}"),
            },
        )
    }

    fn referenced(&self, reference: &str) -> anyhow::Result<Kind> {
        let full = reference.rsplit('/').next().unwrap_or(reference);
        let schema = self
            .0
            .get(full)
            .with_context(|| format!("no schema {full}"))?;
        let short = full.rsplit('.').next().unwrap_or(full);
        Ok(match short {
            "Quantity" => Kind::Simple("Quantity"),
            "IntOrString" => Kind::Simple("IntOrText"),
            "Time" | "MicroTime" => Kind::Simple("Time"),
            _ if schema["properties"].is_object() => Kind::Object(short.to_owned()),
            _ => Kind::Any,
        })
    }
}

// === impl Kind ===

impl Kind {
    /// The object type that it is, or that its entries are.
    pub(super) fn object(&self) -> Option<&str> {
        match self {
            Self::Object(name) => Some(name),
            Self::List(inner) | Self::Map(inner) => inner.object(),
            Self::Text | Self::Simple(_) | Self::Any => None,
        }
    }
}
