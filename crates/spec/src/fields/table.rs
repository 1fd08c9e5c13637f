//! Every field of the Kubernetes objects that a pod file can hold.
//!
//! Written by `cargo xtask gen-fields` from the source of Kubernetes 1.36; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]

use super::Kind::{Any, Base64, Bool, Int32, Int64, IntOrText, List, Map, Object, Quantity, Text, Time, Words};
use super::{Type, optional, required};

/// The objects by kind.
pub(super) static OBJECTS: &[&Type] = &[
    &CONFIG_MAP,
    &CRON_JOB,
    &DAEMON_SET,
    &DEPLOYMENT,
    &JOB,
    &POD,
    &POD_TEMPLATE,
    &REPLICA_SET,
    &SECRET,
    &STATEFUL_SET,
];

static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Type = Type { name: "AWSElasticBlockStoreVolumeSource", fields: &[
    optional("fsType", Text),
    optional("partition", Int32),
    optional("readOnly", Bool),
    required("volumeID", Text),
] };

static AFFINITY: Type = Type { name: "Affinity", fields: &[
    optional("nodeAffinity", Object(&NODE_AFFINITY)),
    optional("podAffinity", Object(&POD_AFFINITY)),
    optional("podAntiAffinity", Object(&POD_ANTI_AFFINITY)),
] };

static APP_ARMOR_PROFILE: Type = Type { name: "AppArmorProfile", fields: &[
    optional("localhostProfile", Text),
    required("type", Words(&["Localhost", "RuntimeDefault", "Unconfined"])),
] };

static AZURE_DISK_VOLUME_SOURCE: Type = Type { name: "AzureDiskVolumeSource", fields: &[
    optional("cachingMode", Words(&["None", "ReadOnly", "ReadWrite"])),
    required("diskName", Text),
    required("diskURI", Text),
    optional("fsType", Text),
    optional("kind", Words(&["Dedicated", "Managed", "Shared"])),
    optional("readOnly", Bool),
] };

static AZURE_FILE_VOLUME_SOURCE: Type = Type { name: "AzureFileVolumeSource", fields: &[
    optional("readOnly", Bool),
    required("secretName", Text),
    required("shareName", Text),
] };

static CSI_VOLUME_SOURCE: Type = Type { name: "CSIVolumeSource", fields: &[
    required("driver", Text),
    optional("fsType", Text),
    optional("nodePublishSecretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    optional("readOnly", Bool),
    optional("volumeAttributes", Map(&Text)),
] };

static CAPABILITIES: Type = Type { name: "Capabilities", fields: &[
    optional("add", List(&Text)),
    optional("drop", List(&Text)),
] };

static CEPH_FS_VOLUME_SOURCE: Type = Type { name: "CephFSVolumeSource", fields: &[
    required("monitors", List(&Text)),
    optional("path", Text),
    optional("readOnly", Bool),
    optional("secretFile", Text),
    optional("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    optional("user", Text),
] };

static CINDER_VOLUME_SOURCE: Type = Type { name: "CinderVolumeSource", fields: &[
    optional("fsType", Text),
    optional("readOnly", Bool),
    optional("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    required("volumeID", Text),
] };

static CLUSTER_TRUST_BUNDLE_PROJECTION: Type = Type { name: "ClusterTrustBundleProjection", fields: &[
    optional("labelSelector", Object(&LABEL_SELECTOR)),
    optional("name", Text),
    optional("optional", Bool),
    required("path", Text),
    optional("signerName", Text),
] };

static CONFIG_MAP: Type = Type { name: "ConfigMap", fields: &[
    optional("apiVersion", Text),
    optional("binaryData", Map(&Base64)),
    optional("data", Map(&Text)),
    optional("immutable", Bool),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
] };

static CONFIG_MAP_ENV_SOURCE: Type = Type { name: "ConfigMapEnvSource", fields: &[
    optional("name", Text),
    optional("optional", Bool),
] };

static CONFIG_MAP_KEY_SELECTOR: Type = Type { name: "ConfigMapKeySelector", fields: &[
    required("key", Text),
    optional("name", Text),
    optional("optional", Bool),
] };

static CONFIG_MAP_PROJECTION: Type = Type { name: "ConfigMapProjection", fields: &[
    optional("items", List(&Object(&KEY_TO_PATH))),
    optional("name", Text),
    optional("optional", Bool),
] };

static CONFIG_MAP_VOLUME_SOURCE: Type = Type { name: "ConfigMapVolumeSource", fields: &[
    optional("defaultMode", Int32),
    optional("items", List(&Object(&KEY_TO_PATH))),
    optional("name", Text),
    optional("optional", Bool),
] };

static CONTAINER: Type = Type { name: "Container", fields: &[
    optional("args", List(&Text)),
    optional("command", List(&Text)),
    optional("env", List(&Object(&ENV_VAR))),
    optional("envFrom", List(&Object(&ENV_FROM_SOURCE))),
    optional("image", Text),
    optional("imagePullPolicy", Words(&["Always", "IfNotPresent", "Never"])),
    optional("lifecycle", Object(&LIFECYCLE)),
    optional("livenessProbe", Object(&PROBE)),
    required("name", Text),
    optional("ports", List(&Object(&CONTAINER_PORT))),
    optional("readinessProbe", Object(&PROBE)),
    optional("resizePolicy", List(&Object(&CONTAINER_RESIZE_POLICY))),
    optional("resources", Object(&RESOURCE_REQUIREMENTS)),
    optional("restartPolicy", Text),
    optional("restartPolicyRules", List(&Object(&CONTAINER_RESTART_RULE))),
    optional("securityContext", Object(&SECURITY_CONTEXT)),
    optional("startupProbe", Object(&PROBE)),
    optional("stdin", Bool),
    optional("stdinOnce", Bool),
    optional("terminationMessagePath", Text),
    optional("terminationMessagePolicy", Words(&["FallbackToLogsOnError", "File"])),
    optional("tty", Bool),
    optional("volumeDevices", List(&Object(&VOLUME_DEVICE))),
    optional("volumeMounts", List(&Object(&VOLUME_MOUNT))),
    optional("workingDir", Text),
] };

static CONTAINER_PORT: Type = Type { name: "ContainerPort", fields: &[
    required("containerPort", Int32),
    optional("hostIP", Text),
    optional("hostPort", Int32),
    optional("name", Text),
    optional("protocol", Words(&["SCTP", "TCP", "UDP"])),
] };

static CONTAINER_RESIZE_POLICY: Type = Type { name: "ContainerResizePolicy", fields: &[
    required("resourceName", Text),
    required("restartPolicy", Text),
] };

static CONTAINER_RESTART_RULE: Type = Type { name: "ContainerRestartRule", fields: &[
    required("action", Text),
    optional("exitCodes", Object(&CONTAINER_RESTART_RULE_ON_EXIT_CODES)),
] };

static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Type = Type { name: "ContainerRestartRuleOnExitCodes", fields: &[
    required("operator", Text),
    optional("values", List(&Int32)),
] };

static CRON_JOB: Type = Type { name: "CronJob", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    required("spec", Object(&CRON_JOB_SPEC)),
    optional("status", Any),
] };

static CRON_JOB_SPEC: Type = Type { name: "CronJobSpec", fields: &[
    optional("concurrencyPolicy", Words(&["Allow", "Forbid", "Replace"])),
    optional("failedJobsHistoryLimit", Int32),
    required("jobTemplate", Object(&JOB_TEMPLATE_SPEC)),
    required("schedule", Text),
    optional("startingDeadlineSeconds", Int64),
    optional("successfulJobsHistoryLimit", Int32),
    optional("suspend", Bool),
    optional("timeZone", Text),
] };

static DAEMON_SET: Type = Type { name: "DaemonSet", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&DAEMON_SET_SPEC)),
    optional("status", Any),
] };

static DAEMON_SET_SPEC: Type = Type { name: "DaemonSetSpec", fields: &[
    optional("minReadySeconds", Int32),
    optional("revisionHistoryLimit", Int32),
    required("selector", Object(&LABEL_SELECTOR)),
    required("template", Object(&POD_TEMPLATE_SPEC)),
    optional("updateStrategy", Object(&DAEMON_SET_UPDATE_STRATEGY)),
] };

static DAEMON_SET_UPDATE_STRATEGY: Type = Type { name: "DaemonSetUpdateStrategy", fields: &[
    optional("rollingUpdate", Object(&ROLLING_UPDATE_DAEMON_SET)),
    optional("type", Words(&["OnDelete", "RollingUpdate"])),
] };

static DEPLOYMENT: Type = Type { name: "Deployment", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&DEPLOYMENT_SPEC)),
    optional("status", Any),
] };

static DEPLOYMENT_SPEC: Type = Type { name: "DeploymentSpec", fields: &[
    optional("minReadySeconds", Int32),
    optional("paused", Bool),
    optional("progressDeadlineSeconds", Int32),
    optional("replicas", Int32),
    optional("revisionHistoryLimit", Int32),
    required("selector", Object(&LABEL_SELECTOR)),
    optional("strategy", Object(&DEPLOYMENT_STRATEGY)),
    required("template", Object(&POD_TEMPLATE_SPEC)),
] };

static DEPLOYMENT_STRATEGY: Type = Type { name: "DeploymentStrategy", fields: &[
    optional("rollingUpdate", Object(&ROLLING_UPDATE_DEPLOYMENT)),
    optional("type", Words(&["Recreate", "RollingUpdate"])),
] };

static DOWNWARD_API_PROJECTION: Type = Type { name: "DownwardAPIProjection", fields: &[
    optional("items", List(&Object(&DOWNWARD_API_VOLUME_FILE))),
] };

static DOWNWARD_API_VOLUME_FILE: Type = Type { name: "DownwardAPIVolumeFile", fields: &[
    optional("fieldRef", Object(&OBJECT_FIELD_SELECTOR)),
    optional("mode", Int32),
    required("path", Text),
    optional("resourceFieldRef", Object(&RESOURCE_FIELD_SELECTOR)),
] };

static DOWNWARD_API_VOLUME_SOURCE: Type = Type { name: "DownwardAPIVolumeSource", fields: &[
    optional("defaultMode", Int32),
    optional("items", List(&Object(&DOWNWARD_API_VOLUME_FILE))),
] };

static EMPTY_DIR_VOLUME_SOURCE: Type = Type { name: "EmptyDirVolumeSource", fields: &[
    optional("medium", Text),
    optional("sizeLimit", Quantity),
] };

static ENV_FROM_SOURCE: Type = Type { name: "EnvFromSource", fields: &[
    optional("configMapRef", Object(&CONFIG_MAP_ENV_SOURCE)),
    optional("prefix", Text),
    optional("secretRef", Object(&SECRET_ENV_SOURCE)),
] };

static ENV_VAR: Type = Type { name: "EnvVar", fields: &[
    required("name", Text),
    optional("value", Text),
    optional("valueFrom", Object(&ENV_VAR_SOURCE)),
] };

static ENV_VAR_SOURCE: Type = Type { name: "EnvVarSource", fields: &[
    optional("configMapKeyRef", Object(&CONFIG_MAP_KEY_SELECTOR)),
    optional("fieldRef", Object(&OBJECT_FIELD_SELECTOR)),
    optional("fileKeyRef", Object(&FILE_KEY_SELECTOR)),
    optional("resourceFieldRef", Object(&RESOURCE_FIELD_SELECTOR)),
    optional("secretKeyRef", Object(&SECRET_KEY_SELECTOR)),
] };

static EPHEMERAL_CONTAINER: Type = Type { name: "EphemeralContainer", fields: &[
    optional("args", List(&Text)),
    optional("command", List(&Text)),
    optional("env", List(&Object(&ENV_VAR))),
    optional("envFrom", List(&Object(&ENV_FROM_SOURCE))),
    optional("image", Text),
    optional("imagePullPolicy", Words(&["Always", "IfNotPresent", "Never"])),
    optional("lifecycle", Object(&LIFECYCLE)),
    optional("livenessProbe", Object(&PROBE)),
    required("name", Text),
    optional("ports", List(&Object(&CONTAINER_PORT))),
    optional("readinessProbe", Object(&PROBE)),
    optional("resizePolicy", List(&Object(&CONTAINER_RESIZE_POLICY))),
    optional("resources", Object(&RESOURCE_REQUIREMENTS)),
    optional("restartPolicy", Text),
    optional("restartPolicyRules", List(&Object(&CONTAINER_RESTART_RULE))),
    optional("securityContext", Object(&SECURITY_CONTEXT)),
    optional("startupProbe", Object(&PROBE)),
    optional("stdin", Bool),
    optional("stdinOnce", Bool),
    optional("targetContainerName", Text),
    optional("terminationMessagePath", Text),
    optional("terminationMessagePolicy", Words(&["FallbackToLogsOnError", "File"])),
    optional("tty", Bool),
    optional("volumeDevices", List(&Object(&VOLUME_DEVICE))),
    optional("volumeMounts", List(&Object(&VOLUME_MOUNT))),
    optional("workingDir", Text),
] };

static EPHEMERAL_VOLUME_SOURCE: Type = Type { name: "EphemeralVolumeSource", fields: &[
    optional("volumeClaimTemplate", Object(&PERSISTENT_VOLUME_CLAIM_TEMPLATE)),
] };

static EXEC_ACTION: Type = Type { name: "ExecAction", fields: &[
    optional("command", List(&Text)),
] };

static FC_VOLUME_SOURCE: Type = Type { name: "FCVolumeSource", fields: &[
    optional("fsType", Text),
    optional("lun", Int32),
    optional("readOnly", Bool),
    optional("targetWWNs", List(&Text)),
    optional("wwids", List(&Text)),
] };

static FILE_KEY_SELECTOR: Type = Type { name: "FileKeySelector", fields: &[
    required("key", Text),
    optional("optional", Bool),
    required("path", Text),
    required("volumeName", Text),
] };

static FLEX_VOLUME_SOURCE: Type = Type { name: "FlexVolumeSource", fields: &[
    required("driver", Text),
    optional("fsType", Text),
    optional("options", Map(&Text)),
    optional("readOnly", Bool),
    optional("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
] };

static FLOCKER_VOLUME_SOURCE: Type = Type { name: "FlockerVolumeSource", fields: &[
    optional("datasetName", Text),
    optional("datasetUUID", Text),
] };

static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Type = Type { name: "GCEPersistentDiskVolumeSource", fields: &[
    optional("fsType", Text),
    optional("partition", Int32),
    required("pdName", Text),
    optional("readOnly", Bool),
] };

static GRPC_ACTION: Type = Type { name: "GRPCAction", fields: &[
    required("port", Int32),
    optional("service", Text),
] };

static GIT_REPO_VOLUME_SOURCE: Type = Type { name: "GitRepoVolumeSource", fields: &[
    optional("directory", Text),
    required("repository", Text),
    optional("revision", Text),
] };

static GLUSTERFS_VOLUME_SOURCE: Type = Type { name: "GlusterfsVolumeSource", fields: &[
    required("endpoints", Text),
    required("path", Text),
    optional("readOnly", Bool),
] };

static HTTP_GET_ACTION: Type = Type { name: "HTTPGetAction", fields: &[
    optional("host", Text),
    optional("httpHeaders", List(&Object(&HTTP_HEADER))),
    optional("path", Text),
    required("port", IntOrText),
    optional("scheme", Words(&["HTTP", "HTTPS"])),
] };

static HTTP_HEADER: Type = Type { name: "HTTPHeader", fields: &[
    required("name", Text),
    required("value", Text),
] };

static HOST_ALIAS: Type = Type { name: "HostAlias", fields: &[
    optional("hostnames", List(&Text)),
    required("ip", Text),
] };

static HOST_PATH_VOLUME_SOURCE: Type = Type { name: "HostPathVolumeSource", fields: &[
    required("path", Text),
    optional("type", Words(&["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"])),
] };

static ISCSI_VOLUME_SOURCE: Type = Type { name: "ISCSIVolumeSource", fields: &[
    optional("chapAuthDiscovery", Bool),
    optional("chapAuthSession", Bool),
    optional("fsType", Text),
    optional("initiatorName", Text),
    required("iqn", Text),
    optional("iscsiInterface", Text),
    required("lun", Int32),
    optional("portals", List(&Text)),
    optional("readOnly", Bool),
    optional("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    required("targetPortal", Text),
] };

static IMAGE_VOLUME_SOURCE: Type = Type { name: "ImageVolumeSource", fields: &[
    optional("pullPolicy", Words(&["Always", "IfNotPresent", "Never"])),
    optional("reference", Text),
] };

static JOB: Type = Type { name: "Job", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&JOB_SPEC)),
    optional("status", Any),
] };

static JOB_SPEC: Type = Type { name: "JobSpec", fields: &[
    optional("activeDeadlineSeconds", Int64),
    optional("backoffLimit", Int32),
    optional("backoffLimitPerIndex", Int32),
    optional("completionMode", Words(&["Indexed", "NonIndexed"])),
    optional("completions", Int32),
    optional("managedBy", Text),
    optional("manualSelector", Bool),
    optional("maxFailedIndexes", Int32),
    optional("parallelism", Int32),
    optional("podFailurePolicy", Object(&POD_FAILURE_POLICY)),
    optional("podReplacementPolicy", Words(&["Failed", "TerminatingOrFailed"])),
    optional("selector", Object(&LABEL_SELECTOR)),
    optional("successPolicy", Object(&SUCCESS_POLICY)),
    optional("suspend", Bool),
    required("template", Object(&POD_TEMPLATE_SPEC)),
    optional("ttlSecondsAfterFinished", Int32),
] };

static JOB_TEMPLATE_SPEC: Type = Type { name: "JobTemplateSpec", fields: &[
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&JOB_SPEC)),
] };

static KEY_TO_PATH: Type = Type { name: "KeyToPath", fields: &[
    required("key", Text),
    optional("mode", Int32),
    required("path", Text),
] };

static LABEL_SELECTOR: Type = Type { name: "LabelSelector", fields: &[
    optional("matchExpressions", List(&Object(&LABEL_SELECTOR_REQUIREMENT))),
    optional("matchLabels", Map(&Text)),
] };

static LABEL_SELECTOR_REQUIREMENT: Type = Type { name: "LabelSelectorRequirement", fields: &[
    required("key", Text),
    required("operator", Text),
    optional("values", List(&Text)),
] };

static LIFECYCLE: Type = Type { name: "Lifecycle", fields: &[
    optional("postStart", Object(&LIFECYCLE_HANDLER)),
    optional("preStop", Object(&LIFECYCLE_HANDLER)),
    optional("stopSignal", Words(&["SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGRTMAX", "SIGRTMAX-1", "SIGRTMAX-10", "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13", "SIGRTMAX-14", "SIGRTMAX-2", "SIGRTMAX-3", "SIGRTMAX-4", "SIGRTMAX-5", "SIGRTMAX-6", "SIGRTMAX-7", "SIGRTMAX-8", "SIGRTMAX-9", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+10", "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2", "SIGRTMIN+3", "SIGRTMIN+4", "SIGRTMIN+5", "SIGRTMIN+6", "SIGRTMIN+7", "SIGRTMIN+8", "SIGRTMIN+9", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"])),
] };

static LIFECYCLE_HANDLER: Type = Type { name: "LifecycleHandler", fields: &[
    optional("exec", Object(&EXEC_ACTION)),
    optional("httpGet", Object(&HTTP_GET_ACTION)),
    optional("sleep", Object(&SLEEP_ACTION)),
    optional("tcpSocket", Object(&TCP_SOCKET_ACTION)),
] };

static LOCAL_OBJECT_REFERENCE: Type = Type { name: "LocalObjectReference", fields: &[
    optional("name", Text),
] };

static MANAGED_FIELDS_ENTRY: Type = Type { name: "ManagedFieldsEntry", fields: &[
    optional("apiVersion", Text),
    optional("fieldsType", Text),
    optional("fieldsV1", Any),
    optional("manager", Text),
    optional("operation", Text),
    optional("subresource", Text),
    optional("time", Time),
] };

static MODIFY_VOLUME_STATUS: Type = Type { name: "ModifyVolumeStatus", fields: &[
    required("status", Words(&["InProgress", "Infeasible", "Pending"])),
    optional("targetVolumeAttributesClassName", Text),
] };

static NFS_VOLUME_SOURCE: Type = Type { name: "NFSVolumeSource", fields: &[
    required("path", Text),
    optional("readOnly", Bool),
    required("server", Text),
] };

static NODE_AFFINITY: Type = Type { name: "NodeAffinity", fields: &[
    optional("preferredDuringSchedulingIgnoredDuringExecution", List(&Object(&PREFERRED_SCHEDULING_TERM))),
    optional("requiredDuringSchedulingIgnoredDuringExecution", Object(&NODE_SELECTOR)),
] };

static NODE_SELECTOR: Type = Type { name: "NodeSelector", fields: &[
    required("nodeSelectorTerms", List(&Object(&NODE_SELECTOR_TERM))),
] };

static NODE_SELECTOR_REQUIREMENT: Type = Type { name: "NodeSelectorRequirement", fields: &[
    required("key", Text),
    required("operator", Words(&["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"])),
    optional("values", List(&Text)),
] };

static NODE_SELECTOR_TERM: Type = Type { name: "NodeSelectorTerm", fields: &[
    optional("matchExpressions", List(&Object(&NODE_SELECTOR_REQUIREMENT))),
    optional("matchFields", List(&Object(&NODE_SELECTOR_REQUIREMENT))),
] };

static OBJECT_FIELD_SELECTOR: Type = Type { name: "ObjectFieldSelector", fields: &[
    optional("apiVersion", Text),
    required("fieldPath", Text),
] };

static OBJECT_META: Type = Type { name: "ObjectMeta", fields: &[
    optional("annotations", Map(&Text)),
    optional("creationTimestamp", Time),
    optional("deletionGracePeriodSeconds", Int64),
    optional("deletionTimestamp", Time),
    optional("finalizers", List(&Text)),
    optional("generateName", Text),
    optional("generation", Int64),
    optional("labels", Map(&Text)),
    optional("managedFields", List(&Object(&MANAGED_FIELDS_ENTRY))),
    optional("name", Text),
    optional("namespace", Text),
    optional("ownerReferences", List(&Object(&OWNER_REFERENCE))),
    optional("resourceVersion", Text),
    optional("selfLink", Text),
    optional("uid", Text),
] };

static OWNER_REFERENCE: Type = Type { name: "OwnerReference", fields: &[
    required("apiVersion", Text),
    optional("blockOwnerDeletion", Bool),
    optional("controller", Bool),
    required("kind", Text),
    required("name", Text),
    required("uid", Text),
] };

static PERSISTENT_VOLUME_CLAIM: Type = Type { name: "PersistentVolumeClaim", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&PERSISTENT_VOLUME_CLAIM_SPEC)),
    optional("status", Object(&PERSISTENT_VOLUME_CLAIM_STATUS)),
] };

static PERSISTENT_VOLUME_CLAIM_CONDITION: Type = Type { name: "PersistentVolumeClaimCondition", fields: &[
    optional("lastProbeTime", Time),
    optional("lastTransitionTime", Time),
    optional("message", Text),
    optional("reason", Text),
    required("status", Text),
    required("type", Text),
] };

static PERSISTENT_VOLUME_CLAIM_SPEC: Type = Type { name: "PersistentVolumeClaimSpec", fields: &[
    optional("accessModes", List(&Words(&["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]))),
    optional("dataSource", Object(&TYPED_LOCAL_OBJECT_REFERENCE)),
    optional("dataSourceRef", Object(&TYPED_OBJECT_REFERENCE)),
    optional("resources", Object(&VOLUME_RESOURCE_REQUIREMENTS)),
    optional("selector", Object(&LABEL_SELECTOR)),
    optional("storageClassName", Text),
    optional("volumeAttributesClassName", Text),
    optional("volumeMode", Words(&["Block", "Filesystem"])),
    optional("volumeName", Text),
] };

static PERSISTENT_VOLUME_CLAIM_STATUS: Type = Type { name: "PersistentVolumeClaimStatus", fields: &[
    optional("accessModes", List(&Words(&["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]))),
    optional("allocatedResourceStatuses", Map(&Words(&["ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"]))),
    optional("allocatedResources", Map(&Quantity)),
    optional("capacity", Map(&Quantity)),
    optional("conditions", List(&Object(&PERSISTENT_VOLUME_CLAIM_CONDITION))),
    optional("currentVolumeAttributesClassName", Text),
    optional("modifyVolumeStatus", Object(&MODIFY_VOLUME_STATUS)),
    optional("phase", Words(&["Bound", "Lost", "Pending"])),
] };

static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Type = Type { name: "PersistentVolumeClaimTemplate", fields: &[
    optional("metadata", Object(&OBJECT_META)),
    required("spec", Object(&PERSISTENT_VOLUME_CLAIM_SPEC)),
] };

static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Type = Type { name: "PersistentVolumeClaimVolumeSource", fields: &[
    required("claimName", Text),
    optional("readOnly", Bool),
] };

static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Type = Type { name: "PhotonPersistentDiskVolumeSource", fields: &[
    optional("fsType", Text),
    required("pdID", Text),
] };

static POD: Type = Type { name: "Pod", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&POD_SPEC)),
    optional("status", Any),
] };

static POD_AFFINITY: Type = Type { name: "PodAffinity", fields: &[
    optional("preferredDuringSchedulingIgnoredDuringExecution", List(&Object(&WEIGHTED_POD_AFFINITY_TERM))),
    optional("requiredDuringSchedulingIgnoredDuringExecution", List(&Object(&POD_AFFINITY_TERM))),
] };

static POD_AFFINITY_TERM: Type = Type { name: "PodAffinityTerm", fields: &[
    optional("labelSelector", Object(&LABEL_SELECTOR)),
    optional("matchLabelKeys", List(&Text)),
    optional("mismatchLabelKeys", List(&Text)),
    optional("namespaceSelector", Object(&LABEL_SELECTOR)),
    optional("namespaces", List(&Text)),
    required("topologyKey", Text),
] };

static POD_ANTI_AFFINITY: Type = Type { name: "PodAntiAffinity", fields: &[
    optional("preferredDuringSchedulingIgnoredDuringExecution", List(&Object(&WEIGHTED_POD_AFFINITY_TERM))),
    optional("requiredDuringSchedulingIgnoredDuringExecution", List(&Object(&POD_AFFINITY_TERM))),
] };

static POD_CERTIFICATE_PROJECTION: Type = Type { name: "PodCertificateProjection", fields: &[
    optional("certificateChainPath", Text),
    optional("credentialBundlePath", Text),
    optional("keyPath", Text),
    required("keyType", Text),
    optional("maxExpirationSeconds", Int32),
    required("signerName", Text),
    optional("userAnnotations", Map(&Text)),
] };

static POD_DNS_CONFIG: Type = Type { name: "PodDNSConfig", fields: &[
    optional("nameservers", List(&Text)),
    optional("options", List(&Object(&POD_DNS_CONFIG_OPTION))),
    optional("searches", List(&Text)),
] };

static POD_DNS_CONFIG_OPTION: Type = Type { name: "PodDNSConfigOption", fields: &[
    optional("name", Text),
    optional("value", Text),
] };

static POD_FAILURE_POLICY: Type = Type { name: "PodFailurePolicy", fields: &[
    required("rules", List(&Object(&POD_FAILURE_POLICY_RULE))),
] };

static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: Type = Type { name: "PodFailurePolicyOnExitCodesRequirement", fields: &[
    optional("containerName", Text),
    required("operator", Words(&["In", "NotIn"])),
    required("values", List(&Int32)),
] };

static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: Type = Type { name: "PodFailurePolicyOnPodConditionsPattern", fields: &[
    optional("status", Text),
    required("type", Text),
] };

static POD_FAILURE_POLICY_RULE: Type = Type { name: "PodFailurePolicyRule", fields: &[
    required("action", Words(&["Count", "FailIndex", "FailJob", "Ignore"])),
    optional("onExitCodes", Object(&POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT)),
    optional("onPodConditions", List(&Object(&POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN))),
] };

static POD_OS: Type = Type { name: "PodOS", fields: &[
    required("name", Text),
] };

static POD_READINESS_GATE: Type = Type { name: "PodReadinessGate", fields: &[
    required("conditionType", Text),
] };

static POD_RESOURCE_CLAIM: Type = Type { name: "PodResourceClaim", fields: &[
    required("name", Text),
    optional("resourceClaimName", Text),
    optional("resourceClaimTemplateName", Text),
] };

static POD_SCHEDULING_GATE: Type = Type { name: "PodSchedulingGate", fields: &[
    required("name", Text),
] };

static POD_SCHEDULING_GROUP: Type = Type { name: "PodSchedulingGroup", fields: &[
    optional("podGroupName", Text),
] };

static POD_SECURITY_CONTEXT: Type = Type { name: "PodSecurityContext", fields: &[
    optional("appArmorProfile", Object(&APP_ARMOR_PROFILE)),
    optional("fsGroup", Int64),
    optional("fsGroupChangePolicy", Words(&["Always", "OnRootMismatch"])),
    optional("runAsGroup", Int64),
    optional("runAsNonRoot", Bool),
    optional("runAsUser", Int64),
    optional("seLinuxChangePolicy", Text),
    optional("seLinuxOptions", Object(&SE_LINUX_OPTIONS)),
    optional("seccompProfile", Object(&SECCOMP_PROFILE)),
    optional("supplementalGroups", List(&Int64)),
    optional("supplementalGroupsPolicy", Words(&["Merge", "Strict"])),
    optional("sysctls", List(&Object(&SYSCTL))),
    optional("windowsOptions", Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
] };

static POD_SPEC: Type = Type { name: "PodSpec", fields: &[
    optional("activeDeadlineSeconds", Int64),
    optional("affinity", Object(&AFFINITY)),
    optional("automountServiceAccountToken", Bool),
    required("containers", List(&Object(&CONTAINER))),
    optional("dnsConfig", Object(&POD_DNS_CONFIG)),
    optional("dnsPolicy", Words(&["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"])),
    optional("enableServiceLinks", Bool),
    optional("ephemeralContainers", List(&Object(&EPHEMERAL_CONTAINER))),
    optional("hostAliases", List(&Object(&HOST_ALIAS))),
    optional("hostIPC", Bool),
    optional("hostNetwork", Bool),
    optional("hostPID", Bool),
    optional("hostUsers", Bool),
    optional("hostname", Text),
    optional("hostnameOverride", Text),
    optional("imagePullSecrets", List(&Object(&LOCAL_OBJECT_REFERENCE))),
    optional("initContainers", List(&Object(&CONTAINER))),
    optional("nodeName", Text),
    optional("nodeSelector", Map(&Text)),
    optional("os", Object(&POD_OS)),
    optional("overhead", Map(&Quantity)),
    optional("preemptionPolicy", Words(&["Never", "PreemptLowerPriority"])),
    optional("priority", Int32),
    optional("priorityClassName", Text),
    optional("readinessGates", List(&Object(&POD_READINESS_GATE))),
    optional("resourceClaims", List(&Object(&POD_RESOURCE_CLAIM))),
    optional("resources", Object(&RESOURCE_REQUIREMENTS)),
    optional("restartPolicy", Words(&["Always", "Never", "OnFailure"])),
    optional("runtimeClassName", Text),
    optional("schedulerName", Text),
    optional("schedulingGates", List(&Object(&POD_SCHEDULING_GATE))),
    optional("schedulingGroup", Object(&POD_SCHEDULING_GROUP)),
    optional("securityContext", Object(&POD_SECURITY_CONTEXT)),
    optional("serviceAccount", Text),
    optional("serviceAccountName", Text),
    optional("setHostnameAsFQDN", Bool),
    optional("shareProcessNamespace", Bool),
    optional("subdomain", Text),
    optional("terminationGracePeriodSeconds", Int64),
    optional("tolerations", List(&Object(&TOLERATION))),
    optional("topologySpreadConstraints", List(&Object(&TOPOLOGY_SPREAD_CONSTRAINT))),
    optional("volumes", List(&Object(&VOLUME))),
] };

static POD_TEMPLATE: Type = Type { name: "PodTemplate", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("template", Object(&POD_TEMPLATE_SPEC)),
] };

static POD_TEMPLATE_SPEC: Type = Type { name: "PodTemplateSpec", fields: &[
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&POD_SPEC)),
] };

static PORTWORX_VOLUME_SOURCE: Type = Type { name: "PortworxVolumeSource", fields: &[
    optional("fsType", Text),
    optional("readOnly", Bool),
    required("volumeID", Text),
] };

static PREFERRED_SCHEDULING_TERM: Type = Type { name: "PreferredSchedulingTerm", fields: &[
    required("preference", Object(&NODE_SELECTOR_TERM)),
    required("weight", Int32),
] };

static PROBE: Type = Type { name: "Probe", fields: &[
    optional("exec", Object(&EXEC_ACTION)),
    optional("failureThreshold", Int32),
    optional("grpc", Object(&GRPC_ACTION)),
    optional("httpGet", Object(&HTTP_GET_ACTION)),
    optional("initialDelaySeconds", Int32),
    optional("periodSeconds", Int32),
    optional("successThreshold", Int32),
    optional("tcpSocket", Object(&TCP_SOCKET_ACTION)),
    optional("terminationGracePeriodSeconds", Int64),
    optional("timeoutSeconds", Int32),
] };

static PROJECTED_VOLUME_SOURCE: Type = Type { name: "ProjectedVolumeSource", fields: &[
    optional("defaultMode", Int32),
    optional("sources", List(&Object(&VOLUME_PROJECTION))),
] };

static QUOBYTE_VOLUME_SOURCE: Type = Type { name: "QuobyteVolumeSource", fields: &[
    optional("group", Text),
    optional("readOnly", Bool),
    required("registry", Text),
    optional("tenant", Text),
    optional("user", Text),
    required("volume", Text),
] };

static RBD_VOLUME_SOURCE: Type = Type { name: "RBDVolumeSource", fields: &[
    optional("fsType", Text),
    required("image", Text),
    optional("keyring", Text),
    required("monitors", List(&Text)),
    optional("pool", Text),
    optional("readOnly", Bool),
    optional("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    optional("user", Text),
] };

static REPLICA_SET: Type = Type { name: "ReplicaSet", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&REPLICA_SET_SPEC)),
    optional("status", Any),
] };

static REPLICA_SET_SPEC: Type = Type { name: "ReplicaSetSpec", fields: &[
    optional("minReadySeconds", Int32),
    optional("replicas", Int32),
    required("selector", Object(&LABEL_SELECTOR)),
    optional("template", Object(&POD_TEMPLATE_SPEC)),
] };

static RESOURCE_CLAIM: Type = Type { name: "ResourceClaim", fields: &[
    required("name", Text),
    optional("request", Text),
] };

static RESOURCE_FIELD_SELECTOR: Type = Type { name: "ResourceFieldSelector", fields: &[
    optional("containerName", Text),
    optional("divisor", Quantity),
    required("resource", Text),
] };

static RESOURCE_REQUIREMENTS: Type = Type { name: "ResourceRequirements", fields: &[
    optional("claims", List(&Object(&RESOURCE_CLAIM))),
    optional("limits", Map(&Quantity)),
    optional("requests", Map(&Quantity)),
] };

static ROLLING_UPDATE_DAEMON_SET: Type = Type { name: "RollingUpdateDaemonSet", fields: &[
    optional("maxSurge", IntOrText),
    optional("maxUnavailable", IntOrText),
] };

static ROLLING_UPDATE_DEPLOYMENT: Type = Type { name: "RollingUpdateDeployment", fields: &[
    optional("maxSurge", IntOrText),
    optional("maxUnavailable", IntOrText),
] };

static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Type = Type { name: "RollingUpdateStatefulSetStrategy", fields: &[
    optional("maxUnavailable", IntOrText),
    optional("partition", Int32),
] };

static SE_LINUX_OPTIONS: Type = Type { name: "SELinuxOptions", fields: &[
    optional("level", Text),
    optional("role", Text),
    optional("type", Text),
    optional("user", Text),
] };

static SCALE_IO_VOLUME_SOURCE: Type = Type { name: "ScaleIOVolumeSource", fields: &[
    optional("fsType", Text),
    required("gateway", Text),
    optional("protectionDomain", Text),
    optional("readOnly", Bool),
    required("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    optional("sslEnabled", Bool),
    optional("storageMode", Text),
    optional("storagePool", Text),
    required("system", Text),
    optional("volumeName", Text),
] };

static SECCOMP_PROFILE: Type = Type { name: "SeccompProfile", fields: &[
    optional("localhostProfile", Text),
    required("type", Words(&["Localhost", "RuntimeDefault", "Unconfined"])),
] };

static SECRET: Type = Type { name: "Secret", fields: &[
    optional("apiVersion", Text),
    optional("data", Map(&Base64)),
    optional("immutable", Bool),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("stringData", Map(&Text)),
    optional("type", Text),
] };

static SECRET_ENV_SOURCE: Type = Type { name: "SecretEnvSource", fields: &[
    optional("name", Text),
    optional("optional", Bool),
] };

static SECRET_KEY_SELECTOR: Type = Type { name: "SecretKeySelector", fields: &[
    required("key", Text),
    optional("name", Text),
    optional("optional", Bool),
] };

static SECRET_PROJECTION: Type = Type { name: "SecretProjection", fields: &[
    optional("items", List(&Object(&KEY_TO_PATH))),
    optional("name", Text),
    optional("optional", Bool),
] };

static SECRET_VOLUME_SOURCE: Type = Type { name: "SecretVolumeSource", fields: &[
    optional("defaultMode", Int32),
    optional("items", List(&Object(&KEY_TO_PATH))),
    optional("optional", Bool),
    optional("secretName", Text),
] };

static SECURITY_CONTEXT: Type = Type { name: "SecurityContext", fields: &[
    optional("allowPrivilegeEscalation", Bool),
    optional("appArmorProfile", Object(&APP_ARMOR_PROFILE)),
    optional("capabilities", Object(&CAPABILITIES)),
    optional("privileged", Bool),
    optional("procMount", Words(&["Default", "Unmasked"])),
    optional("readOnlyRootFilesystem", Bool),
    optional("runAsGroup", Int64),
    optional("runAsNonRoot", Bool),
    optional("runAsUser", Int64),
    optional("seLinuxOptions", Object(&SE_LINUX_OPTIONS)),
    optional("seccompProfile", Object(&SECCOMP_PROFILE)),
    optional("windowsOptions", Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
] };

static SERVICE_ACCOUNT_TOKEN_PROJECTION: Type = Type { name: "ServiceAccountTokenProjection", fields: &[
    optional("audience", Text),
    optional("expirationSeconds", Int64),
    required("path", Text),
] };

static SLEEP_ACTION: Type = Type { name: "SleepAction", fields: &[
    required("seconds", Int64),
] };

static STATEFUL_SET: Type = Type { name: "StatefulSet", fields: &[
    optional("apiVersion", Text),
    optional("kind", Text),
    optional("metadata", Object(&OBJECT_META)),
    optional("spec", Object(&STATEFUL_SET_SPEC)),
    optional("status", Any),
] };

static STATEFUL_SET_ORDINALS: Type = Type { name: "StatefulSetOrdinals", fields: &[
    optional("start", Int32),
] };

static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Type = Type { name: "StatefulSetPersistentVolumeClaimRetentionPolicy", fields: &[
    optional("whenDeleted", Text),
    optional("whenScaled", Text),
] };

static STATEFUL_SET_SPEC: Type = Type { name: "StatefulSetSpec", fields: &[
    optional("minReadySeconds", Int32),
    optional("ordinals", Object(&STATEFUL_SET_ORDINALS)),
    optional("persistentVolumeClaimRetentionPolicy", Object(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY)),
    optional("podManagementPolicy", Words(&["OrderedReady", "Parallel"])),
    optional("replicas", Int32),
    optional("revisionHistoryLimit", Int32),
    required("selector", Object(&LABEL_SELECTOR)),
    optional("serviceName", Text),
    required("template", Object(&POD_TEMPLATE_SPEC)),
    optional("updateStrategy", Object(&STATEFUL_SET_UPDATE_STRATEGY)),
    optional("volumeClaimTemplates", List(&Object(&PERSISTENT_VOLUME_CLAIM))),
] };

static STATEFUL_SET_UPDATE_STRATEGY: Type = Type { name: "StatefulSetUpdateStrategy", fields: &[
    optional("rollingUpdate", Object(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY)),
    optional("type", Words(&["OnDelete", "RollingUpdate"])),
] };

static STORAGE_OS_VOLUME_SOURCE: Type = Type { name: "StorageOSVolumeSource", fields: &[
    optional("fsType", Text),
    optional("readOnly", Bool),
    optional("secretRef", Object(&LOCAL_OBJECT_REFERENCE)),
    optional("volumeName", Text),
    optional("volumeNamespace", Text),
] };

static SUCCESS_POLICY: Type = Type { name: "SuccessPolicy", fields: &[
    required("rules", List(&Object(&SUCCESS_POLICY_RULE))),
] };

static SUCCESS_POLICY_RULE: Type = Type { name: "SuccessPolicyRule", fields: &[
    optional("succeededCount", Int32),
    optional("succeededIndexes", Text),
] };

static SYSCTL: Type = Type { name: "Sysctl", fields: &[
    required("name", Text),
    required("value", Text),
] };

static TCP_SOCKET_ACTION: Type = Type { name: "TCPSocketAction", fields: &[
    optional("host", Text),
    required("port", IntOrText),
] };

static TOLERATION: Type = Type { name: "Toleration", fields: &[
    optional("effect", Words(&["NoExecute", "NoSchedule", "PreferNoSchedule"])),
    optional("key", Text),
    optional("operator", Words(&["Equal", "Exists", "Gt", "Lt"])),
    optional("tolerationSeconds", Int64),
    optional("value", Text),
] };

static TOPOLOGY_SPREAD_CONSTRAINT: Type = Type { name: "TopologySpreadConstraint", fields: &[
    optional("labelSelector", Object(&LABEL_SELECTOR)),
    optional("matchLabelKeys", List(&Text)),
    required("maxSkew", Int32),
    optional("minDomains", Int32),
    optional("nodeAffinityPolicy", Words(&["Honor", "Ignore"])),
    optional("nodeTaintsPolicy", Words(&["Honor", "Ignore"])),
    required("topologyKey", Text),
    required("whenUnsatisfiable", Words(&["DoNotSchedule", "ScheduleAnyway"])),
] };

static TYPED_LOCAL_OBJECT_REFERENCE: Type = Type { name: "TypedLocalObjectReference", fields: &[
    optional("apiGroup", Text),
    required("kind", Text),
    required("name", Text),
] };

static TYPED_OBJECT_REFERENCE: Type = Type { name: "TypedObjectReference", fields: &[
    optional("apiGroup", Text),
    required("kind", Text),
    required("name", Text),
    optional("namespace", Text),
] };

static VOLUME: Type = Type { name: "Volume", fields: &[
    optional("awsElasticBlockStore", Object(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)),
    optional("azureDisk", Object(&AZURE_DISK_VOLUME_SOURCE)),
    optional("azureFile", Object(&AZURE_FILE_VOLUME_SOURCE)),
    optional("cephfs", Object(&CEPH_FS_VOLUME_SOURCE)),
    optional("cinder", Object(&CINDER_VOLUME_SOURCE)),
    optional("configMap", Object(&CONFIG_MAP_VOLUME_SOURCE)),
    optional("csi", Object(&CSI_VOLUME_SOURCE)),
    optional("downwardAPI", Object(&DOWNWARD_API_VOLUME_SOURCE)),
    optional("emptyDir", Object(&EMPTY_DIR_VOLUME_SOURCE)),
    optional("ephemeral", Object(&EPHEMERAL_VOLUME_SOURCE)),
    optional("fc", Object(&FC_VOLUME_SOURCE)),
    optional("flexVolume", Object(&FLEX_VOLUME_SOURCE)),
    optional("flocker", Object(&FLOCKER_VOLUME_SOURCE)),
    optional("gcePersistentDisk", Object(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)),
    optional("gitRepo", Object(&GIT_REPO_VOLUME_SOURCE)),
    optional("glusterfs", Object(&GLUSTERFS_VOLUME_SOURCE)),
    optional("hostPath", Object(&HOST_PATH_VOLUME_SOURCE)),
    optional("image", Object(&IMAGE_VOLUME_SOURCE)),
    optional("iscsi", Object(&ISCSI_VOLUME_SOURCE)),
    required("name", Text),
    optional("nfs", Object(&NFS_VOLUME_SOURCE)),
    optional("persistentVolumeClaim", Object(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE)),
    optional("photonPersistentDisk", Object(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)),
    optional("portworxVolume", Object(&PORTWORX_VOLUME_SOURCE)),
    optional("projected", Object(&PROJECTED_VOLUME_SOURCE)),
    optional("quobyte", Object(&QUOBYTE_VOLUME_SOURCE)),
    optional("rbd", Object(&RBD_VOLUME_SOURCE)),
    optional("scaleIO", Object(&SCALE_IO_VOLUME_SOURCE)),
    optional("secret", Object(&SECRET_VOLUME_SOURCE)),
    optional("storageos", Object(&STORAGE_OS_VOLUME_SOURCE)),
    optional("vsphereVolume", Object(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)),
] };

static VOLUME_DEVICE: Type = Type { name: "VolumeDevice", fields: &[
    required("devicePath", Text),
    required("name", Text),
] };

static VOLUME_MOUNT: Type = Type { name: "VolumeMount", fields: &[
    required("mountPath", Text),
    optional("mountPropagation", Words(&["Bidirectional", "HostToContainer", "None"])),
    required("name", Text),
    optional("readOnly", Bool),
    optional("recursiveReadOnly", Text),
    optional("subPath", Text),
    optional("subPathExpr", Text),
] };

static VOLUME_PROJECTION: Type = Type { name: "VolumeProjection", fields: &[
    optional("clusterTrustBundle", Object(&CLUSTER_TRUST_BUNDLE_PROJECTION)),
    optional("configMap", Object(&CONFIG_MAP_PROJECTION)),
    optional("downwardAPI", Object(&DOWNWARD_API_PROJECTION)),
    optional("podCertificate", Object(&POD_CERTIFICATE_PROJECTION)),
    optional("secret", Object(&SECRET_PROJECTION)),
    optional("serviceAccountToken", Object(&SERVICE_ACCOUNT_TOKEN_PROJECTION)),
] };

static VOLUME_RESOURCE_REQUIREMENTS: Type = Type { name: "VolumeResourceRequirements", fields: &[
    optional("limits", Map(&Quantity)),
    optional("requests", Map(&Quantity)),
] };

static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Type = Type { name: "VsphereVirtualDiskVolumeSource", fields: &[
    optional("fsType", Text),
    optional("storagePolicyID", Text),
    optional("storagePolicyName", Text),
    required("volumePath", Text),
] };

static WEIGHTED_POD_AFFINITY_TERM: Type = Type { name: "WeightedPodAffinityTerm", fields: &[
    required("podAffinityTerm", Object(&POD_AFFINITY_TERM)),
    required("weight", Int32),
] };

static WINDOWS_SECURITY_CONTEXT_OPTIONS: Type = Type { name: "WindowsSecurityContextOptions", fields: &[
    optional("gmsaCredentialSpec", Text),
    optional("gmsaCredentialSpecName", Text),
    optional("hostProcess", Bool),
    optional("runAsUserName", Text),
] };
