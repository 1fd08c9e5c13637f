//! Recipes from the text of a pod file.
