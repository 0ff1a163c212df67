//! The renderers on hand-made runs.

mod findings;
mod html;
mod json;
mod machine;
mod markdown;
mod samples;
mod schema;
mod text;
