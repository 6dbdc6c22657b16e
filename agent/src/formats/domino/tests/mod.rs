//! The grammars on texts of the documented shapes, line by line; whole outputs are read in `tests/domino_grammar.rs`.

mod console;
mod exposition;
mod numbers;
mod prefix;
mod show_stat;
mod statpub;
mod tables;
