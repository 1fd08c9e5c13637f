//! Volumes: named ones start empty with the pod, bind mounts are paths of this machine.

use super::amount::byte_quantity;
use super::reader::Reader;
use crate::convert::draft::{MountDraft, VolumeDraft, VolumeKind};
use crate::convert::name::Names;
use pillion_spec::tree::Node;
use pillion_spec::{Code, Diagnostic, Span};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The volumes of the pod, each once.
pub(super) struct Volumes {
    names: Names,
    all: Vec<VolumeDraft>,
    /// Where those are that services share.
    shared: BTreeMap<String, usize>,
    external: Vec<String>,
}

/// One entry of a service's `volumes`.
#[derive(Debug, Default)]
struct Entry {
    source: Option<String>,
    target: String,
    read_only: bool,
    sub_path: Option<String>,
    memory: bool,
    is_path: bool,
}

const STARTS_EMPTY: &str = "compose keeps its files; here they go with the pod";

// === impl Volumes ===

impl Volumes {
    /// Takes the file's own list of named volumes.
    pub(super) fn new(declared: Option<Node<'_>>) -> Self {
        let declared = declared.into_iter().flat_map(Node::entries);
        let external = declared.filter(|(_, _, node)| {
            let external = node.get("external");
            external.is_some_and(|node| node.as_bool() != Some(false))
        });
        Self {
            names: Names::default(),
            all: Vec::new(),
            shared: BTreeMap::new(),
            external: external.map(|(name, ..)| name.to_owned()).collect(),
        }
    }

    pub(super) fn finish(self) -> Vec<VolumeDraft> {
        self.all
    }

    /// The name of a volume that all who name the same source share.
    fn shared(&mut self, source: &str, wanted: &str, kind: VolumeKind) -> String {
        if let Some(at) = self.shared.get(source) {
            return self.all[*at].name.clone();
        }
        self.shared.insert(source.to_owned(), self.all.len());
        let remark = (kind == VolumeKind::Empty).then(|| STARTS_EMPTY.to_owned());
        self.own(wanted, kind, remark)
    }

    /// The name of a volume of one container.
    fn own(&mut self, wanted: &str, kind: VolumeKind, remark: Option<String>) -> String {
        let name = self.names.give(wanted);
        self.all.push(VolumeDraft {
            name: name.clone(),
            kind,
            remark,
        });
        name
    }
}

// === impl Reader ===

impl Reader<'_> {
    pub(super) fn mounts(&mut self, node: Node<'_>, volumes: &mut Volumes) -> Vec<MountDraft> {
        if !node.is_sequence() {
            self.refuse(node, "a list of volumes");
        }
        let mut mounts = Vec::new();
        for item in node.items() {
            let entry = if item.is_mapping() {
                self.long_entry(item)
            } else {
                self.short_entry(item)
            };
            let Some(entry) = entry else {
                continue;
            };
            if entry.target.starts_with('/') && !entry.target.contains(':') {
                mounts.push(self.mount(entry, item.span(), volumes));
            } else {
                self.refuse(item, "a volume with an absolute path in the container");
            }
        }
        mounts
    }

    /// Paths in memory: `/run` or `/run:size=64m`.
    pub(super) fn tmpfs(&mut self, node: Node<'_>, volumes: &mut Volumes) -> Vec<MountDraft> {
        let mut mounts = Vec::new();
        for text in self.texts(node) {
            let (path, options) = text.split_once(':').unwrap_or((&text, ""));
            let mut options = options.split(',');
            let size = options.find_map(|option| option.strip_prefix("size="));
            let kind = VolumeKind::Memory(size.and_then(byte_quantity));
            if path.starts_with('/') {
                let volume = volumes.own(&format!("tmp{path}"), kind, None);
                mounts.push(MountDraft::whole(volume, path));
            } else {
                self.refuse(node, "an absolute path");
            }
        }
        mounts
    }

    fn mount(&mut self, entry: Entry, span: Span, volumes: &mut Volumes) -> MountDraft {
        let Entry {
            source,
            target,
            read_only,
            sub_path,
            memory,
            is_path,
        } = entry;
        let volume = match source {
            _ if memory => volumes.own(&format!("tmp{target}"), VolumeKind::Memory(None), None),
            None => volumes.own(&format!("anonymous{target}"), VolumeKind::Empty, None),
            Some(source) if is_path => {
                let path = self.absolute(&source);
                let name = path.rsplit('/').next().unwrap_or_default();
                let name = if name.is_empty() { "root" } else { name };
                volumes.shared(&path, name, VolumeKind::Host(path.clone()))
            }
            Some(source) => {
                if volumes.external.contains(&source) {
                    self.external(&source, span);
                }
                volumes.shared(&format!("volume {source}"), &source, VolumeKind::Empty)
            }
        };
        MountDraft {
            read_only,
            sub_path,
            ..MountDraft::whole(volume, &target)
        }
    }

    fn external(&mut self, source: &str, span: Span) {
        let message = format!("the volume `{source}` is kept outside the file");
        let finding =
            Diagnostic::new(Code::NotConverted, message).primary(span, "empty in the pod");
        self.notes
            .push(finding.help("use a `hostPath` or a `persistentVolumeClaim` instead"));
    }

    /// `[SOURCE:]TARGET[:MODE]`
    fn short_entry(&mut self, node: Node<'_>) -> Option<Entry> {
        let text = self.text(node)?;
        let mut parts = text.splitn(3, ':');
        let first = parts.next()?.to_owned();
        let Some(target) = parts.next().map(str::to_owned) else {
            return Some(Entry {
                target: first,
                ..Entry::default()
            });
        };
        let modes: Vec<_> = parts.next().unwrap_or_default().split(',').collect();
        for mode in &modes {
            if !KNOWN_MODES.contains(mode) {
                let message = format!("the option `{mode}` of a volume is not converted");
                self.notes.left_out(node.span(), message, "left out");
            }
        }
        Some(Entry {
            is_path: first.starts_with(['.', '/', '~']),
            source: Some(first),
            target,
            read_only: modes.contains(&"ro"),
            ..Entry::default()
        })
    }

    fn long_entry(&mut self, node: Node<'_>) -> Option<Entry> {
        let mut entry = Entry::default();
        for (key, span, value) in self.entries(node) {
            match key {
                "type" => match self.text(value).as_deref() {
                    Some("bind") => entry.is_path = true,
                    Some("tmpfs") => entry.memory = true,
                    Some("volume") => {}
                    Some(_) | None => self.refuse(value, "`bind`, `tmpfs` or `volume`"),
                },
                "source" | "src" => entry.source = self.text(value),
                "target" | "dst" | "destination" => entry.target = self.text(value)?,
                "read_only" | "readonly" => entry.read_only = self.truth(value),
                "volume" if value.get("subpath").is_some() => {
                    entry.sub_path = value.get("subpath").and_then(|path| self.text(path));
                }
                "consistency" => {}
                key => {
                    let message = format!("`{key}` of a volume is not converted");
                    self.notes.left_out(span, message, "left out");
                }
            }
        }
        Some(entry)
    }

    /// The path from the root of the machine.
    fn absolute(&self, path: &str) -> String {
        let home = self.around.variables.get("HOME");
        let path = match (path.strip_prefix('~'), home) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            (Some(_) | None, _) => path.to_owned(),
        };
        let mut absolute = PathBuf::new();
        for part in self.around.folder.join(&path).components() {
            match part {
                Component::ParentDir => drop(absolute.pop()),
                Component::CurDir => {}
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                    absolute.push(Path::new(part.as_os_str()));
                }
            }
        }
        absolute.to_string_lossy().into_owned()
    }
}

/// What a pod does anyway, or need not know.
const KNOWN_MODES: &[&str] = &[
    "",
    "rw",
    "ro",
    "z",
    "Z",
    "cached",
    "delegated",
    "consistent",
];

// === impl MountDraft ===

impl MountDraft {
    fn whole(volume: String, path: &str) -> Self {
        Self {
            volume,
            path: path.to_owned(),
            read_only: false,
            sub_path: None,
        }
    }
}
