//! Every kind of finding, once: its code, how bad it is, its title and a paragraph about it.
//!
//! `pillion explain CODE` prints the paragraph and the reference page is made from this list.
//! Codes are grouped by what the reader has to look at: `L00` reading the file, `L01` names and
//! references, `L02` the graph, `L03` times and budgets, `L04` dialects and markers, `L05` values,
//! `L06` conversion from other formats. A code that was released keeps its number and its meaning.

use crate::diagnostic::Severity;
use std::fmt;
use std::str::FromStr;

macro_rules! codes {
    ($($id:literal $name:ident $severity:ident $title:literal $text:literal)*) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code itself, such as `L0102`.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// How bad it is unless a finding says otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What it is, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// A paragraph: why it matters and what to do.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    "L0001" Syntax Error
    "the text is not valid YAML or JSON"
    "The file could not be taken apart into keys and values. The place shown is where the reader \
     could not go on, and the mistake is there or a little above: an indentation that does not \
     line up, a tab used for indentation, a missing colon, a quote or a bracket that is not \
     closed. The documents before this place were read; nothing after it was."

    "L0002" FileTooLarge Error
    "the file is too large"
    "Files up to 3 MiB are read. An API server refuses requests of that size too, so a larger file \
     could never be applied to a cluster. Split it, or move data into volumes."

    "L0003" NotUtf8 Error
    "the file is not UTF-8 text"
    "Pod files are text in UTF-8. Editors that save as UTF-16 or in an old code page, and binary \
     files given by mistake, are refused rather than guessed at."

    "L0004" EmptyFile Error
    "the file is empty"
    "The file holds nothing but white space and comments. If it is made by a template, the template rendered to \
     nothing."

    "L0005" DuplicateKey Error
    "a key is given twice"
    "The same key stands twice in one map. Readers of YAML differ in which one they take, so one of \
     the two lines would be ignored in silence. Keep the one that is meant. A key that comes in by \
     a merge (`<<`) and is then given again is not a duplicate."

    "L0006" TooManyAliases Error
    "aliases grow beyond any use"
    "An alias (`*name`) stands for a copy of what its anchor marks, and aliases of aliases multiply. \
     A few lines can so describe more values than fit in memory. Files whose aliases stand for more \
     than 400 000 values are refused."

    "L0007" TooDeep Error
    "values are nested too deeply"
    "Maps and lists stand in each other more than 100 levels deep. No Kubernetes object comes near \
     that; it is a broken template or an attack."

    "L0008" BadAlias Error
    "an alias does not mark a complete value"
    "An alias (`*name`) must come after the value that its anchor (`&name`) marks, in the same \
     document, and that value must not contain the alias itself."

    "L0009" BadMerge Error
    "a merge key takes a map"
    "The merge key `<<` copies the entries of another map, so its value must be a map, an alias of \
     one, or a list of these. As in `kubectl`, entries that stand above `<<` are overwritten by it, \
     and those below overwrite it."

    "L0010" BadKey Error
    "a key must be a plain value"
    "Keys of an object are strings. Numbers and booleans are turned into strings as `kubectl` does \
     (`on` becomes `true`: quote it if it is meant literally), but a map, a list or nothing at all \
     cannot be a key."

    "L0011" BadScalar Error
    "a value that JSON cannot carry"
    "Infinity and not-a-number have no form in JSON, and a value whose tag says another type \
     (`!!int x`) has no meaning. Objects reach Kubernetes as JSON, so `kubectl` refuses these as \
     well."

    "L0012" NotAnObject Error
    "a document is not an object"
    "Each document of the file, and each item of a list, must be a map with `apiVersion` and `kind`. \
     Documents are separated by lines with `---`."

    "L0013" KindMissing Error
    "a document does not say what it is"
    "Each document needs `apiVersion` and `kind`, such as `v1` and `Pod`. Without them nobody, \
     neither Pillion nor Kubernetes, knows how to read the rest."

    "L0014" KindIgnored Note
    "a document of this kind is not used"
    "Pillion reads pods, the pod templates of Deployment, StatefulSet, DaemonSet, ReplicaSet, Job \
     and CronJob, and ConfigMaps and Secrets beside them. Other objects in the same file, a \
     Service for instance, are left alone. A kind that does not exist and is almost one of these, \
     such as `pod`, is an error: nothing in it would be checked."

    "L0015" NoPod Warning
    "the file holds no pod"
    "None of the documents is a pod or has a pod template, so there is nothing to plan or to run."

    "L0016" VersionUnknown Error
    "the kind exists, but not in this version"
    "The `apiVersion` does not go with the `kind`. Old groups such as `extensions/v1beta1` are gone \
     from Kubernetes; the fields of a version that does not exist cannot be checked."

    "L0017" ManyFindings Note
    "there are more findings than are shown"
    "A file is reported with at most 1000 findings. Mend some of them, or look at the first: often \
     many have one cause, such as a wrong indentation. If there may be an error among those that \
     are not shown, this is an error too."

    "L0101" BadName Error
    "a name has the wrong form"
    "Kubernetes restricts names, because they become host names, files and labels. A container's \
     name is a DNS label: lower-case letters, digits and `-`, not at the ends, at most 63 \
     characters."

    "L0102" UnknownContainer Error
    "a container requires one that does not exist"
    "Each entry of `requires` names another container of the same pod. A hard requirement on a name \
     that does not exist could never hold. With `need: soft` or `need: order` it is only noted, \
     because pods are put together from parts that do not know each other: a requirement on a \
     neighbour that is not there asks for nothing."

    "L0103" DuplicateName Error
    "two things have the same name"
    "Names must be unique: of containers over init, regular and ephemeral ones together, of volumes \
     within the pod, of objects of one kind within a namespace. A reference to a doubled name could \
     mean either, and of two objects one would take the place of the other."

    "L0104" UnknownVolume Error
    "a mount of a volume that does not exist"
    "Each entry of `volumeMounts` and `volumeDevices` names a volume of the same pod. Kubernetes \
     refuses a pod in which it does not exist."

    "L0105" UnknownAnnotated Error
    "the annotation talks about a container that does not exist"
    "The annotations `pillion.dev/lifecycle` and `pillion.dev/watch` hold maps from container names \
     to their fields, and to the paths they are restarted for. A name that no container of the pod \
     has would be ignored in silence, so it is refused."

    "L0106" NoProvider Error
    "a capability that nothing provides"
    "`uses` requires whichever container has the capability in its `provides`. If none has, the \
     container could never start. Where it can do without, `{name: X, need: soft}` says so, and \
     nothing is waited for when nobody provides X."

    "L0107" TwoProviders Error
    "a capability that two containers provide"
    "Whoever uses a capability requires the one container that provides it. With two providers it \
     is open which one is meant, or whether both are. Give the second another name; a container \
     may use several capabilities."

    "L0108" UnknownPort Warning
    "a probe or a hook names a port that does not exist"
    "Probes and hooks may give a port by the name that it has among the `ports` of the same \
     container. If none has this name, Kubernetes takes the pod all the same, and then every \
     attempt fails: the container never becomes ready, or is killed again and again."

    "L0201" Cycle Error
    "containers wait for each other"
    "Each of the containers waits for the next and the last one for the first, so none of them could \
     ever start. The labels show the waits on the way round, those that are written and those that \
     follow from the init list, phases, types or the network; of a long way only the first. Cycles are never broken silently: \
     decide which wait is not needed and remove it."

    "L0202" NeverHolds Error
    "a requirement waits for what never happens"
    "The condition can never hold for that container. A oneshot is never `ready`, because it is \
     meant to end. A service that is always restarted never has `succeeded` or `exited`, because \
     those mean that it has ended for good; of the rules, only `Ignore` lets a container end while \
     the pod goes on. A service is not up and ended at once, so whoever insists on both waits in \
     vain. Ephemeral containers are in no order at all."

    "L0203" StartsAfterEnd Error
    "a container would start after the end of the pod"
    "A pod ends with its keystone, or when all of its main containers have ended. A container that \
     waits for that very end would never run. If something is to be done afterwards, it must be a \
     main container (which the pod waits for), or the undo of a oneshot, or a `preStop` hook. If it \
     can go on without that end, after a timeout or another attempt, it is only noted."

    "L0204" OnlySidecars Error
    "a pod of nothing but sidecars"
    "Sidecars do not keep a pod alive and do not decide its result, so a pod of sidecars would end \
     as soon as it started. Kubernetes asks for at least one ordinary container for the same reason."

    "L0205" KeystoneNeverEnds Error
    "a keystone that never ends"
    "When a keystone ends for good, in the way it names, the pod ends. Under a restart policy that \
     always starts it again that never comes. Give it `restartPolicy: OnFailure` (the pod ends when \
     it succeeds) or `Never` (the pod ends however it ends). The drafts `lifecycle.type: Keystone` \
     and `lifecycle.onCompletion` allow it, so for them it is a warning."

    "L0206" KeystoneIgnored Error
    "a keystone that does not matter"
    "`keystone` makes the end of a container the end of the pod; `onGiveUp: ignore` says that \
     whatever happens to it touches neither the pod's result nor its readiness. It cannot be both."

    "L0207" HardOnIgnored Warning
    "a hard requirement on a container that may fail unnoticed"
    "With `onGiveUp: ignore` a broken helper does not touch the pod. A hard requirement on it does: \
     when the helper gives up, the requirement is impossible, and the container that has it gives \
     up as well. `need: soft` waits for the helper and goes on without it."

    "L0208" RequiredTwice Warning
    "the same requirement twice"
    "An entry of `requires` or `uses` repeats another one in every respect. It changes nothing, and \
     hints at a line that was copied and not adapted."

    "L0301" StartTimeoutTooShort Error
    "a container is killed before it can be ready"
    "`startTimeoutSeconds` is the time from the container's turn, pulling its image included, until \
     it is ready; then it is killed. Probes are not tried before their `initialDelaySeconds`, and a \
     `postStart` hook must be done first. A readiness probe with a `successThreshold` must succeed \
     that often, once in a period; only where somebody waits for the container is it tried more \
     often. If these alone take as long, no start can succeed."

    "L0302" WaitTooShort Error
    "a wait ends before what it waits for can be there"
    "`timeoutSeconds` of a requirement counts from the turn of the container that is waited for. \
     If its probes are not even tried within that time, a hard requirement never holds. A soft or \
     an ordering one is always passed over, which is a warning."

    "L0303" RestartsWithoutPause Warning
    "a container that fails is restarted without a pause, for ever"
    "`backoff` with `initialSeconds: 0` or `maxSeconds: 0` starts a container again at once, however \
     often it fails. If it fails at once, nothing else gets done on the machine. A second between \
     restarts is hardly noticed by those who wait, and `maxRestarts` puts an end to it."

    "L0311" CutShort Warning
    "somebody may be killed before its time to stop is over"
    "Every ordered stop has one budget, the pod's grace period. Containers are stopped in reverse \
     order, and whoever comes late gets what is left, at least 2 seconds after the signal; a hook \
     whose turn has not come by then is skipped. If the times that are \
     written down do not fit one after the other, the last ones are cut short for certain when all \
     take as long as they may. If somebody before them has no limit of its own and may take \
     everything, that is only noted. `pillion plan` shows the worst case."

    "L0312" BeyondGrace Warning
    "a container asks for more time than the pod has"
    "`stopTimeoutSeconds` counts within the pod's `terminationGracePeriodSeconds`, which is 30 if \
     not given and counts as 1 if it is 0. So does a `podStopping` hook, which begins with the stop of \
     the pod. Anything beyond that is cut off, for all containers of the pod together."

    "L0401" FieldsDisagree Error
    "a field is given twice, with different values"
    "A Pillion field can stand in the container itself or in the annotation `pillion.dev/lifecycle`. \
     Both are allowed while they say the same. If they differ, nobody can tell which one is meant."

    "L0402" MarkersDisagree Error
    "a container is marked in two ways that contradict each other"
    "What a container is can be marked in several dialects: by its place in the init list and \
     `restartPolicy: Always`, by `oneshot`, `sidecar` and `keystone`, by `lifecycle.type`, by a \
     phase, by an environment variable of OpenKruise. They go together as long as they say the \
     same; if they do not, nobody can tell which one is meant."

    "L0403" MarkerMisplaced Error
    "a marker stands where it has no meaning"
    "Container types (`lifecycle.type`) were designed for the containers of `containers`. In the \
     init list the order of the list says what comes first, and `restartPolicy: Always` makes a \
     sidecar. Ephemeral containers are for debugging: they are in no order, have no role, and take \
     none of Pillion's fields."

    "L0404" MarkerWithoutEffect Warning
    "a marker has no effect in this pod"
    "The marker belongs to a dialect that Pillion reads, but in this pod it changes nothing: the \
     sidecars of a job can only end with their job if the pod's `restartPolicy` lets it end, and \
     the annotation of the launch priority has the one value `Ordered`, and the variable of a job's \
     sidecar is `true` or `false`. With `Ordered`, the priorities of the containers do not count, \
     and both variables count in `containers` only, not in the init list."

    "L0405" SettingWithoutEffect Warning
    "a setting has no effect here"
    "The setting can be read, and changes nothing in this place: only a oneshot can be undone or \
     run again, only a service becomes ready (the startup and liveness probes of a oneshot do count: \
     when one fails, the oneshot is killed), a container that is never restarted needs no back-off, \
     what has ended for good does not restart, and a rule after others that match the same exits is \
     never asked. Probably another setting is missing, or this one \
     was left behind."

    "L0406" AnnotationMisplaced Warning
    "the annotation stands where nobody reads it"
    "The annotations `pillion.dev/lifecycle` and `pillion.dev/watch` work on pods. On a Deployment, a \
     Job or any other workload they have no effect; they belong to the metadata of the pod template."

    "L0501" UnknownField Warning
    "Kubernetes has no such field here"
    "The field is neither one of Kubernetes (1.36) nor one of Pillion. Kubernetes drops such fields \
     or, with strict validation, refuses the object. In a pod file it is ignored; a scenario with an \
     unknown key is refused."

    "L0502" MisspeltField Error
    "this is almost a field of Pillion"
    "The field does not exist, and of all that do, one of Pillion's comes nearest. If it were \
     ignored, an order or a condition that somebody relies on would silently not hold. In maps that \
     are Pillion's own, such as an entry of `requires`, `backoff` or the annotation \
     `pillion.dev/lifecycle`, every unknown field is an error, and so is every other annotation \
     under `pillion.dev/` that Pillion does not know."

    "L0503" WrongType Error
    "the value has the wrong type"
    "Kubernetes does not convert between types. An unquoted `8080`, `yes` or `1e3` is a number or a \
     boolean, so a field that takes text refuses it until it is quoted; and a quoted `\"8080\"` is \
     text, which a field that takes a number refuses. Unquoted scalars are read as `kubectl` reads \
     them: `0644` is octal, `y`, `yes`, `on` are true, `n`, `no`, `off` are false."

    "L0504" UnknownValue Error
    "the field takes one of a few words, and this is none of them"
    "The field takes only certain values, written exactly so: Kubernetes compares upper and lower \
     case."

    "L0505" MissingField Error
    "a field that must be there is missing"
    "Kubernetes refuses the object without this field, and there is no default to fall back on."

    "L0506" OutOfRange Error
    "the number is out of range"
    "Each number has limits: ports go from 1 to 65535, most times and counts must not be negative, \
     thresholds start at 1. Kubernetes refuses anything else."

    "L0507" BadQuantity Error
    "this is not a quantity"
    "Amounts of CPU and memory are written as a number with an optional suffix: `250m`, `0.5`, `2`, \
     `128Mi`, `1Gi`, `1e3`. `m` is a thousandth, `k` `M` `G` count in thousands, `Ki` `Mi` `Gi` in \
     1024s."

    "L0508" OneHandler Error
    "exactly one way must be given"
    "A probe checks in exactly one way (`exec`, `httpGet`, `tcpSocket`, `grpc`), a hook acts in \
     exactly one way (`exec`, `httpGet`, `tcpSocket`, `sleep`), a volume has exactly one source. \
     With none there is nothing to do, and with two nobody knows which."

    "L0509" NotAllowedHere Error
    "a field is not allowed here"
    "Kubernetes has the field, but refuses it in this place or together with what else is given. \
     For instance an init container may have probes and hooks only with `restartPolicy: Always`, or \
     with a field of Pillion, which Kubernetes does not see; and \
     ephemeral containers have no ports, probes, hooks or resources."

    "L0510" TooMany Error
    "the list is too long"
    "Kubernetes limits some lists: at most 20 restart rules in a container, at most 255 exit codes \
     in a rule."

    "L0511" EmptyEntry Error
    "an entry is empty"
    "A list entry or a map value without a value is null. Kubernetes would read it as empty text or \
     as zero without a word. Write `\"\"` if that is meant. An unquoted `~` is null too. A field of \
     Pillion with nothing behind its colon counts as not given, which is a warning."

    "L0512" RulesWithoutPolicy Error
    "restart rules need a restart policy beside them"
    "Rules decide before the container's own `restartPolicy`, and Kubernetes refuses rules without \
     one, so that it is clear what happens when no rule matches. A container with something of \
     Pillion's own (a field, a rule for `signals` or `oomKilled`, another action than `Restart` and \
     `RestartAllContainers`) is none that Kubernetes would be given like that: there the policy is \
     the usual one if the container has none."

    "L0513" BadFormat Error
    "the text has the wrong form"
    "The field takes text of a certain form: a path, an address, a signal's name, base64, a regular \
     expression. The label says which."

    "L0514" NoImage Note
    "a container without an image"
    "Kubernetes refuses a container without an image. Pillion's own runtime starts the command on \
     this machine and needs none, so such a file runs here and nowhere else."

    "L0601" NotConverted Warning
    "something was left out of the converted file"
    "The other format says something for which a pod has no counterpart, or which cannot be known \
     from the file alone, such as the command inside an image. The rest was converted. Look at the \
     place, and write into the pod what is needed there."

    "L0602" ConvertedOtherwise Note
    "something is said in another way, or not at all, in the pod"
    "The other format says something that a pod says in another way, or need not say at all. As a \
     rule nothing has to be done; it is told so that nothing changes in silence."

    "L0603" NotConvertible Error
    "the file cannot be converted"
    "What stands here is not what the format takes at this place, so nobody can say what it means, or \
     a variable has no value that the file asks for with `${NAME:?message}`. The tool that the file \
     was written for would refuse it too. Mend the file, or set the variable, and convert it again."
}

// === impl Code ===

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// No finding has this code.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is no such code")]
pub struct UnknownCode;

impl FromStr for Code {
    type Err = UnknownCode;

    /// Reads `L0102`, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = |code: &&Self| code.id().eq_ignore_ascii_case(text);
        Self::ALL.iter().find(named).copied().ok_or(UnknownCode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_have_the_form_of_a_code() {
        let ids: Vec<_> = Code::ALL.iter().map(|code| code.id()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        for id in ids {
            assert!(id.len() == 5 && id.starts_with("L0"), "{id}");
        }
    }

    #[test]
    fn every_code_reads_back_from_its_text() {
        for code in Code::ALL {
            assert_eq!(code.id().parse(), Ok(*code));
            assert_eq!(code.id().to_lowercase().parse(), Ok(*code));
        }
        assert_eq!("L9999".parse::<Code>(), Err(UnknownCode));
    }

    #[test]
    fn every_explanation_is_a_paragraph_and_every_title_is_not() {
        for code in Code::ALL {
            assert!(code.explanation().ends_with('.'), "{code}");
            assert!(code.explanation().len() > 80, "{code}");
            assert!(
                !code.title().ends_with('.') && code.title().len() < 70,
                "{code}"
            );
        }
    }
}
