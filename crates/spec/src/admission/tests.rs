//! What Kubernetes refuses, with the words and places that people see.
