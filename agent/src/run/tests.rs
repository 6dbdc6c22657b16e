//! The sampler from outside.
