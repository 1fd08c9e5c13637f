//! Variables from the text of a pod file.
