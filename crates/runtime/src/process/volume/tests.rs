//! Volumes from the text of a pod file, and on the disk.
